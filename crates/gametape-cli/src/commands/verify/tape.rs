//! Checking a tape.

mod keyframes;
mod playing;

pub(in crate::commands) use keyframes::check as check_keyframes;

use std::collections::BTreeMap;

use gametape_replay::DeepLevel;
use gametape_tape::{Depth, PublicKey, Verifier};
use gametape_wire::{Error, Finding, Report as Found, Severity};
use serde::Serialize;

use super::{Digest, conclusion};
use crate::failure::Failure;
use crate::input::{Source, one_of, refuse};
use crate::tape::{PublicKeyArg, TapeFile};
use crate::text::{count, hex};

/// How much is checked; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Structure,
    Checksums,
    Chain,
    Signature,
    Keyframes,
    Resim,
}

impl Level {
    const ALL: [Self; 6] = [
        Self::Structure,
        Self::Checksums,
        Self::Chain,
        Self::Signature,
        Self::Keyframes,
        Self::Resim,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Checksums => "checksums",
            Self::Chain => "chain",
            Self::Signature => "signature",
            Self::Keyframes => "keyframes",
            Self::Resim => "resim",
        }
    }

    /// The level that an error of this rule breaks.
    fn of(rule: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == rule)
    }
}

/// What is asked of tapes only.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// How much to check (tapes) [default: keyframes]
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&Level::ALL, Level::name))]
    level: Option<Level>,

    /// The public key that must have signed the whole tape: a file, or 64 hexadecimal digits (tapes)
    #[arg(long, value_name = "KEY")]
    key: Option<PublicKeyArg>,
}

impl Options {
    /// Reads the key, once for all tapes.
    pub(super) fn read(&self) -> Result<Wanted, Failure> {
        let key = self.key.as_ref().map(PublicKeyArg::read).transpose()?;
        let level = self.level.unwrap_or(Level::Keyframes);
        match (level, key) {
            (Level::Signature, None) => {
                Err(Failure::usage("--level signature needs --key: whose signature?"))
            }
            (Level::Structure | Level::Checksums | Level::Chain, Some(_)) => {
                let level = level.name();
                Err(Failure::usage(format_args!("--key needs more than --level {level}")))
            }
            _ => Ok(Wanted { level, key }),
        }
    }

    /// A usage error if something was asked that is for tapes only.
    pub(super) fn refuse_for(&self, source: &Source) -> Result<(), Failure> {
        let options = [("--level", self.level.is_some()), ("--key", self.key.is_some())];
        refuse(&options, |option| {
            Failure::usage(format_args!("{option} is for tapes, and {source} is none"))
        })
    }
}

/// How much of a tape is checked, and whose it must be.
pub(super) struct Wanted {
    level: Level,
    key: Option<PublicKey>,
}

impl Wanted {
    /// What the container itself is asked to check.
    fn container_level(&self) -> gametape_tape::Level {
        match (self.level, self.key) {
            (Level::Structure, _) => gametape_tape::Level::Structure,
            (Level::Checksums, _) => gametape_tape::Level::Checksums,
            (_, None) => gametape_tape::Level::Chain,
            (_, Some(_)) => gametape_tape::Level::Signature,
        }
    }
}

/// What the check of a tape came to.
pub(super) struct Checked {
    file: String,
    level: Level,
    chunks: usize,
    keyframes: Option<u64>,
    chain_head: Option<String>,
    signed_by: Option<String>,
    claimed_keys: Vec<String>,
    found: Found,
    /// The lowest level that an error breaks.
    broken: Option<Level>,
}

impl Checked {
    pub(super) fn of(file: &mut TapeFile, wanted: &Wanted) -> Result<Self, Failure> {
        let level = wanted.container_level();
        let mut verifier = Verifier::new(file.length()?, level, wanted.key)
            .map_err(|error| file.failure(&error))?;
        file.answer("verifying", &mut verifier)?;
        let found = verifier.finish();
        let is_signed = wanted.key.filter(|_| found.passed());
        let mut checked = Self {
            file: file.source.to_string(),
            level: wanted.level,
            chunks: found.chunks,
            keyframes: None,
            chain_head: found.chain_head.map(|head| hex(&head)),
            signed_by: is_signed.map(|key| key.to_string()),
            claimed_keys: found.signers.iter().map(ToString::to_string).collect(),
            broken: lowest_broken(&found.report),
            found: found.report,
        };
        if wanted.level >= Level::Keyframes {
            checked.play(file)?;
        }
        Ok(checked)
    }

    /// Checks what only playing can tell, as far as the tape can be opened.
    fn play(&mut self, file: &mut TapeFile) -> Result<(), Failure> {
        let Ok(tape) = file.open(Depth::Index) else { return Ok(()) };
        let restored = keyframes::check(file, &tape.keyframes, |error| {
            self.find(true, Level::Keyframes, error)
        })?;
        self.keyframes = Some(restored);
        let level = self.level;
        let depth =
            if level == Level::Resim { DeepLevel::Simulation } else { DeepLevel::Keyframes };
        playing::check_views(file, &tape, depth, |found| {
            self.find(found.is_error, level, found.error);
        });
        if level < Level::Resim {
            return Ok(());
        }
        let is_known = playing::check_simulation(file, &tape, |found| {
            self.find(found.is_error, level, found.error);
        });
        if !is_known {
            let problem = "there is no simulation of what it holds: use --level keyframes";
            return Err(Failure::refused(&file.source, problem));
        }
        Ok(())
    }

    fn find(&mut self, is_error: bool, level: Level, error: Error) {
        if is_error {
            self.broken = Some(self.broken.map_or(level, |broken| broken.min(level)));
            self.found.add(Finding::error(level.name(), error));
        } else {
            self.found.add(Finding::warning(level.name(), error));
        }
    }

    /// The highest level that was passed.
    fn reached(&self) -> Option<Level> {
        let is_asked = |level: &Level| *level != Level::Signature || self.signed_by.is_some();
        let passed = |level: &&Level| {
            **level <= self.level && self.broken.is_none_or(|broken| **level < broken)
        };
        Level::ALL.iter().filter(|level| is_asked(level)).rfind(passed).copied()
    }
}

/// The lowest level that an error breaks.
fn lowest_broken(found: &Found) -> Option<Level> {
    let errors = found.findings().iter().filter(|finding| finding.severity == Severity::Error);
    errors.filter_map(|finding| Level::of(finding.rule)).min()
}

impl super::Checked for Checked {
    fn is_ok(&self) -> bool {
        self.found.is_sound()
    }

    fn report(&self) -> impl Serialize {
        let omitted = self.found.omitted();
        let unlisted = (omitted > 0).then_some(("all", omitted));
        Report {
            file: &self.file,
            ok: self.found.is_sound(),
            errors: self.found.errors(),
            warnings: self.found.warnings(),
            level: self.level.name(),
            reached: self.reached().map(Level::name),
            chunks: self.chunks,
            keyframes: self.keyframes,
            chain_head: self.chain_head.as_deref(),
            signed_by: self.signed_by.as_deref(),
            claimed_keys: &self.claimed_keys,
            findings: self.found.findings().iter().map(Row::of).collect(),
            omitted: unlisted.into_iter().collect(),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let mut digest = Digest::new(shown_per_rule);
        for finding in self.found.findings() {
            let (rule, severity) = (finding.rule, finding.severity.name());
            digest.add(severity, rule, &format_args!("{rule}: {}", finding.error));
        }
        digest.add_hidden("error", "all levels", self.found.omitted());
        let sound = conclusion(self.found.errors(), self.found.warnings());
        let chunks = count(self.chunks as u64, "chunk");
        let keyframes = self.keyframes.map(|many| format!(", {}", count(many, "keyframe")));
        let reached = match self.reached() {
            Some(level) => format!("passed {}", level.name()),
            None => "passed no level".to_owned(),
        };
        let signed = self.signed_by.as_ref().map(|key| format!("; signed by {key}"));
        digest.finish(format_args!(
            "{}: {sound} in {chunks}{}; {reached}{}",
            self.file,
            keyframes.unwrap_or_default(),
            signed.unwrap_or_default()
        ))
    }
}

#[derive(Serialize)]
struct Report<'c> {
    file: &'c str,
    ok: bool,
    errors: u64,
    warnings: u64,
    level: &'static str,
    reached: Option<&'static str>,
    chunks: usize,
    keyframes: Option<u64>,
    chain_head: Option<&'c str>,
    signed_by: Option<&'c str>,
    claimed_keys: &'c [String],
    findings: Vec<Row<'c>>,
    omitted: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Row<'c> {
    severity: &'static str,
    rule: &'static str,
    class: &'static str,
    item: &'c str,
    problem: String,
    offset: Option<u64>,
}

impl<'c> Row<'c> {
    fn of(finding: &'c Finding) -> Self {
        let error = &finding.error;
        Self {
            severity: finding.severity.name(),
            rule: finding.rule,
            class: error.class().name(),
            item: error.item(),
            problem: error.kind().to_string(),
            offset: error.offset(),
        }
    }
}
