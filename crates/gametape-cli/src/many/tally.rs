//! How the work on many files ended.

use crate::failure::{Done, Failure, Outcome, Worst, summarize};
use crate::text::{count, thousands};

/// Counts files by how the work on them ended.
#[derive(Debug)]
pub(super) struct Tally {
    /// What a file is called that has no problem.
    good: &'static str,
    fine: u64,
    damaged: u64,
    failed: u64,
    skipped: u64,
    worst: Worst,
}

impl Tally {
    pub(super) fn new(good: &'static str) -> Self {
        Self { good, fine: 0, damaged: 0, failed: 0, skipped: 0, worst: Worst::default() }
    }

    /// A file is no recording.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Counts a result, and reports why there is none. `Err` if nobody reads the output any more.
    pub(super) fn count<T>(
        &mut self,
        result: Result<(Done, T), Failure>,
    ) -> Result<Option<T>, Failure> {
        match result {
            Ok((done, value)) => {
                self.worst.add(done);
                *(if done == Done::Fine { &mut self.fine } else { &mut self.damaged }) += 1;
                Ok(Some(value))
            }
            Err(failure) if failure.is_quiet() => Err(failure),
            Err(failure) => {
                let is_result = failure.is_result();
                *(if is_result { &mut self.damaged } else { &mut self.failed }) += 1;
                self.worst.add_failure(&failure);
                Ok(None)
            }
        }
    }

    /// Prints how many there were of each; `Err` if there was nothing in these folders.
    pub(super) fn summarize(&self, folders: &str) -> Result<(), Failure> {
        let all = self.fine + self.damaged + self.failed;
        if all > 0 {
            summarize(self.to_text(all));
            return Ok(());
        }
        let problem = match self.skipped {
            0 => "there are no files".to_owned(),
            files => format!("there is no recording among {}", count(files, "file")),
        };
        Err(Failure::refused(&folders, &problem))
    }

    /// The worst of all outcomes.
    pub(super) fn into_outcome(self) -> Outcome {
        self.worst.into_outcome()
    }

    /// `500 matches: 498 sound, 2 damaged; 3 other files skipped`
    fn to_text(&self, all: u64) -> String {
        let kinds = [(self.fine, self.good), (self.damaged, "damaged"), (self.failed, "failed")];
        let there = kinds.iter().filter(|(number, _)| *number > 0);
        let there: Vec<String> =
            there.map(|(number, kind)| format!("{} {kind}", thousands(*number))).collect();
        let skipped = match self.skipped {
            0 => String::new(),
            files => format!("; {} skipped", count(files, "other file")),
        };
        let matches = if all == 1 { "1 match".to_owned() } else { thousands(all) + " matches" };
        format!("{matches}: {}{skipped}", there.join(", "))
    }
}
