//! How the work on many files ended.

use gametape_wire::text::{count, thousands};

use crate::host::{Saying, host};
use crate::outcome::{Done, Failure, Outcome, Worst};

/// Counts files by how the work on them ended.
#[derive(Debug)]
pub(super) struct Tally {
    /// What a file is called that has no problem.
    good: &'static str,
    /// What a file is called whose result is not good, where that is no damage.
    bad: Option<&'static str>,
    fine: u64,
    different: u64,
    damaged: u64,
    failed: u64,
    skipped: u64,
    worst: Worst,
}

impl Tally {
    pub(super) fn new(good: &'static str, bad: Option<&'static str>) -> Self {
        let (fine, different, damaged, failed, skipped) = (0, 0, 0, 0, 0);
        let worst = Worst::default();
        Self { good, bad, fine, different, damaged, failed, skipped, worst }
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
                *(match (failure.is_result(), self.bad) {
                    (true, Some(_)) => &mut self.different,
                    (true, None) => &mut self.damaged,
                    (false, _) => &mut self.failed,
                }) += 1;
                self.worst.add_failure(&failure);
                Ok(None)
            }
        }
    }

    /// Prints how many there were of each; `Err` if there was nothing in these folders.
    pub(super) fn summarize(&self, folders: &str) -> Result<(), Failure> {
        let all = self.fine + self.different + self.damaged + self.failed;
        if all > 0 {
            host().say(Saying::Summary, &self.to_text(all));
            return Ok(());
        }
        let problem = match self.skipped {
            0 => "there are no files in it".to_owned(),
            files => format!("no recordings found ({} looked at)", count(files, "file")),
        };
        Err(Failure::refused(&folders, &problem))
    }

    /// The worst of all outcomes.
    pub(super) fn into_outcome(self) -> Outcome {
        self.worst.into_outcome()
    }

    /// `500 matches: 498 sound, 2 damaged; 3 other files skipped`
    fn to_text(&self, all: u64) -> String {
        let kinds = [
            (self.fine, self.good),
            (self.different, self.bad.unwrap_or_default()),
            (self.damaged, "damaged"),
            (self.failed, "failed"),
        ];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_is_not_good_has_a_word_of_its_own() {
        for (bad, text) in [
            (None, "4 matches: 1 sound, 2 damaged, 1 failed; 1 other file skipped"),
            (
                Some("different"),
                "4 matches: 1 sound, 1 different, 1 damaged, 1 failed; 1 other file skipped",
            ),
        ] {
            let mut tally = Tally::new("sound", bad);
            for result in [Ok((Done::Fine, ())), Ok((Done::DataLost, ())), Err(Failure::printed())]
            {
                assert!(tally.count(result).is_ok());
            }
            let unreadable = std::io::Error::other("gone");
            assert!(tally.count::<()>(Err(Failure::io(&"a file", &unreadable))).is_ok());
            tally.skip();
            assert_eq!(tally.to_text(4), text);
        }
    }
}
