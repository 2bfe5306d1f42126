//! Reports: what was promised, what was measured, and the exit code.

use crate::contest::{Contest, Standings};
use std::fmt;
use std::process::ExitCode;

/// A number that was promised to stay on one side of a bound, and the number that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    what: String,
    measured: f64,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Claim {
    /// `what` is promised to be `promised` or more.
    #[must_use]
    pub fn at_least(what: &str, measured: f64, promised: f64) -> Self {
        Self { what: what.to_owned(), measured, bound: Bound::AtLeast(promised) }
    }

    /// `what` is promised to be `promised` or less.
    #[must_use]
    pub fn at_most(what: &str, measured: f64, promised: f64) -> Self {
        Self { what: what.to_owned(), measured, bound: Bound::AtMost(promised) }
    }

    /// Is the promise kept? A measurement that is not a number keeps none.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(promised) => self.measured >= promised,
            Bound::AtMost(promised) => self.measured <= promised,
        }
    }

    /// `PASS` or `FAIL`.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        if self.holds() { "PASS" } else { "FAIL" }
    }

    /// How far the measurement is from the bound, as a share of the bound; negative when the promise
    /// is broken.
    #[must_use]
    pub fn room(&self) -> f64 {
        match self.bound {
            Bound::AtLeast(promised) => self.measured / promised - 1.0,
            Bound::AtMost(promised) => 1.0 - self.measured / promised,
        }
    }

    /// The promise in words.
    pub(crate) fn promise(&self) -> String {
        match self.bound {
            Bound::AtLeast(promised) => format!("promised at least {promised:?}"),
            Bound::AtMost(promised) => format!("promised at most {promised:?}"),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verdict, promise) = (self.verdict(), self.promise());
        write!(f, "{verdict} {}: {:.2} ({promise}", self.what, self.measured)?;
        let room = 100.0 * self.room();
        if self.holds() && room.is_finite() {
            write!(f, ", {room:.0} % to spare)")
        } else {
            f.write_str(")")
        }
    }
}

/// Prints contests and claims as they come, and remembers broken promises.
#[derive(Debug, Default)]
pub struct Report {
    broken: Vec<Claim>,
}

impl Report {
    /// A report without any broken promise.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a contest, prints its table and judges its promises; more can be claimed of the result.
    pub fn contest(&mut self, contest: Contest<'_>) -> Standings {
        let standings = contest.run();
        println!("{standings}");
        self.broken.extend(standings.claims().filter(|claim| !claim.holds()));
        standings
    }

    /// Prints and judges one number.
    pub fn claim(&mut self, claim: &Claim) {
        println!("{claim}");
        if !claim.holds() {
            self.broken.push(claim.clone());
        }
    }

    /// Says which promises are broken; fails when one is.
    #[must_use]
    pub fn finish(self) -> ExitCode {
        if self.broken.is_empty() {
            println!("every promise is kept");
            return ExitCode::SUCCESS;
        }
        println!("broken promises:");
        self.broken.iter().for_each(|claim| println!("  {claim}"));
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_up_to_its_bound() {
        assert!(Claim::at_least("ratio", 2.0, 2.0).holds());
        assert!(!Claim::at_least("ratio", 1.99, 2.0).holds());
        assert!(Claim::at_most("allocations", 0.0, 0.0).holds());
        assert!(!Claim::at_most("allocations", 1.0, 0.0).holds());
        assert!(!Claim::at_most("megabytes", f64::NAN, 64.0).holds());
    }

    #[test]
    fn a_claim_reads_as_a_line() {
        let line = Claim::at_most("peak in MB", 70.25, 64.0).to_string();
        assert_eq!(line, "FAIL peak in MB: 70.25 (promised at most 64.0)");
    }

    #[test]
    fn a_kept_promise_says_how_much_there_is_to_spare() {
        let time = Claim::at_most("time", 1.8, 2.4);
        assert_eq!(time.to_string(), "PASS time: 1.80 (promised at most 2.4, 25 % to spare)");
        let speed = Claim::at_least("speed", 250.0, 200.0);
        assert_eq!(
            speed.to_string(),
            "PASS speed: 250.00 (promised at least 200.0, 25 % to spare)"
        );
        assert_eq!(Claim::at_most("allocations", 0.0, 0.0).to_string().matches("spare").count(), 0);
    }

    #[test]
    fn one_broken_promise_fails_the_report() {
        let mut report = Report::new();
        report.claim(&Claim::at_most("kept", 1.0, 2.0));
        report.claim(&Claim::at_most("broken", 3.0, 2.0));
        report.claim(&Claim::at_most("kept too", 1.0, 2.0));
        assert_eq!(report.finish(), ExitCode::FAILURE);
        assert_eq!(Report::new().finish(), ExitCode::SUCCESS);
    }
}
