//! Do deltas name the states that they build on, and do these lead to full keyframes?

use std::collections::BTreeMap;

use gametape_wire::{Arrange, Error, ErrorKind, Finding, Reader, Result, Tick};

use crate::check::keyframes::name_of_keyframe;
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::gap::Gap;
use crate::layout::kind::ChunkKind;
use crate::limits::DELTA_CHAIN;
use crate::snapshot::{DeltaHead, StateHash, hash_of_bytes};

/// What the keyframes of a tape say about each other.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    keyframes: Vec<Keyframe>,
}

#[derive(Debug)]
struct Keyframe {
    header: ChunkHeader,
    offset: u64,
    /// Of a full keyframe computed, of a delta as announced.
    hash: StateHash,
    /// Tick and hash of the baseline, of a delta.
    baseline: Option<(Tick, StateHash)>,
}

/// Stream and views of keyframes that build on each other, and a tick.
type RunTick = (u16, u16, Tick);

impl Baselines {
    /// Takes the next chunk, in any order, and its unpacked bytes. Refuses a delta that cannot be read.
    pub(crate) fn note(&mut self, chunk: &Chunk<'_>, raw: &[u8]) -> Result<()> {
        let (hash, baseline) = match chunk.header.kind {
            ChunkKind::FULL_KEYFRAME => (hash_of_bytes(raw), None),
            ChunkKind::DELTA_KEYFRAME => {
                let head = DeltaHead::read(&mut Reader::new(raw))?;
                (head.state_hash, Some((head.baseline_tick, head.baseline_hash)))
            }
            _ => return Ok(()),
        };
        self.keyframes.push(Keyframe {
            header: chunk.header,
            offset: chunk.offset,
            hash,
            baseline,
        });
        Ok(())
    }

    /// Every delta that does not lead to a full keyframe, by what the gaps of the tape declare.
    pub(crate) fn judge(mut self, gaps: &[Gap]) -> Vec<Finding> {
        self.keyframes.arrange_by_key(|keyframe| keyframe.header.sequence);
        let declared = Declared::new(gaps);
        let mut states = BTreeMap::<RunTick, (StateHash, u64)>::new();
        let mut findings = Vec::new();
        for keyframe in &self.keyframes {
            let header = &keyframe.header;
            let moment = |tick| (header.stream, header.views.bits(), tick);
            let depth = match keyframe.baseline {
                None => Ok(0),
                Some((tick, named)) => {
                    let known = states.get(&moment(tick)).filter(|_| tick < header.first_tick);
                    keyframe.depth(known, tick, &named, &declared)
                }
            };
            match depth {
                Ok(depth) => drop(states.insert(moment(header.first_tick), (keyframe.hash, depth))),
                Err(finding) => findings.push(finding.at_tick(header.first_tick)),
            }
        }
        findings
    }
}

impl Keyframe {
    /// How many deltas lead to it from its full keyframe, it included.
    fn depth(
        &self,
        known: Option<&(StateHash, u64)>,
        tick: Tick,
        named: &StateHash,
        declared: &Declared,
    ) -> std::result::Result<u64, Finding> {
        let most = DELTA_CHAIN.max;
        let error = |problem: String| Err(Finding::error("structure", self.problem(problem)));
        match known {
            None if declared.covers(self.header.stream, tick) => {
                let problem = format!("its baseline, of tick {tick}, is lost, as a gap declares");
                Err(Finding::warning("loss", self.problem(problem)))
            }
            None => error(format!("its baseline, of tick {tick}, is not in the tape")),
            Some((hash, _)) if hash != named => {
                error("it names another state than the one that it builds on".to_owned())
            }
            Some((_, depth)) if *depth >= most => error(format!(
                "it is delta {} after its full keyframe: at most {most} may follow each other",
                depth + 1
            )),
            Some((_, depth)) => Ok(depth + 1),
        }
    }

    fn problem(&self, problem: String) -> Error {
        let kind = ErrorKind::BadSyntax { problem: problem.into() };
        let error = Error::at(self.offset, self.header.kind.to_string(), kind);
        error.within(name_of_keyframe(&self.header))
    }
}

/// The ticks at which keyframes are missing, as gaps declare it.
struct Declared {
    /// By stream, `None` for gaps of any kind: first ticks, ascending, and the latest end of the gaps up
    /// to each.
    streams: BTreeMap<Option<u16>, Vec<(Tick, Tick)>>,
}

impl Declared {
    fn new(gaps: &[Gap]) -> Self {
        let mut streams = BTreeMap::<Option<u16>, Vec<(Tick, Tick)>>::new();
        for gap in gaps.iter().filter(|gap| gap.kind.is_keyframe() || gap.kind == ChunkKind(0)) {
            let stream = gap.kind.is_keyframe().then_some(gap.stream);
            // A keyframe is before its tick: one at the end of a gap is missing, too.
            let end = gap.first_tick + u64::from(gap.tick_count);
            streams.entry(stream).or_default().push((gap.first_tick, end));
        }
        for rows in streams.values_mut() {
            rows.arrange();
            let mut latest = Tick::ZERO;
            rows.iter_mut().for_each(|(_, end)| {
                latest = latest.max(*end);
                *end = latest;
            });
        }
        Self { streams }
    }

    /// Does a gap say that a keyframe of this stream at `tick` is missing?
    fn covers(&self, stream: u16, tick: Tick) -> bool {
        [Some(stream), None].iter().filter_map(|stream| self.streams.get(stream)).any(|rows| {
            let before = rows.partition_point(|(start, _)| *start <= tick);
            before.checked_sub(1).is_some_and(|last| rows[last].1 >= tick)
        })
    }
}
