//! Watching by segments.

use std::time::Duration;

use gametape_live::{MatchName, Notice, NowDocument, SegmentFile, SegmentFollower, StartAt};
use gametape_wire::{Tick, TickLength, View, When};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::{Command, Ended, Gone, Out, Seen, WatchOptions, only_view, tick_at};
use crate::address::Transport;
use crate::http::Client;

/// How often to look which files are due.
const LOOK: Duration = Duration::from_millis(50);

/// A view that is watched file by file.
pub(super) struct Watching {
    name: MatchName,
    view: View,
    follower: SegmentFollower,
    /// What was asked for and not answered.
    pending: Vec<SegmentFile>,
    began: Instant,
    is_connected: bool,
    /// Where somebody wants to begin, until it is known which tick that is.
    at: Option<When>,
}

impl Watching {
    pub(super) fn new(options: &WatchOptions, name: MatchName) -> Self {
        let view = only_view(options.views);
        // Which tick is meant is not known before the first document: then it goes there.
        let from = options.at.map_or(StartAt::Live, |_| StartAt::Tick(Tick(0)));
        let follower = SegmentFollower::new(view, from);
        let began = Instant::now();
        let (pending, is_connected) = (Vec::new(), false);
        Self { name, view, follower, pending, began, is_connected, at: options.at }
    }

    /// Watches until the server cannot be reached.
    pub(super) async fn run(
        &mut self,
        options: &WatchOptions,
        out: &mut Out,
        commands: &mut UnboundedReceiver<Command>,
    ) -> Ended {
        self.is_connected = false;
        let mut client = Client::new(&options.from, &options.trust, options.pass.as_ref());
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let before = self.follower.shown();
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::Seek(to)) => {
                        self.follower.seek(to);
                        self.pending.clear();
                    }
                    Some(Command::End) | None => return self.end(out).await,
                },
                _ = look.tick() => {}
            }
            self.pending.extend(self.follower.poll(self.began.elapsed()));
            while let Some(&file) = self.pending.first() {
                let asked = self.ask(file, &mut client).await;
                // What came is shown before the next file is waited for.
                match self.report(out).await {
                    Ok(None) => {}
                    Ok(Some(ended)) => return ended,
                    Err(Gone) => return Ended::Gone,
                }
                if let Err(reason) = asked {
                    let had_progress = self.follower.shown() > before;
                    return Ended::Broken { reason, had_progress };
                }
            }
        }
    }

    /// Asks for the first file that is due. What cannot be had is asked for over the next connection.
    async fn ask(&mut self, file: SegmentFile, client: &mut Client) -> Result<(), String> {
        let path = format!("live/{}/{}/{file}", self.name, self.view.number());
        let answer = client.get(&path).await.map_err(|error| error.to_string())?;
        self.pending.remove(0);
        let now = self.began.elapsed();
        let taken = self.follower.answer(file, answer.as_deref(), now);
        taken.map_err(|error| error.to_string())?;
        if file == SegmentFile::Now {
            self.begin_at(answer.as_deref());
        }
        Ok(())
    }

    /// Goes to where somebody wants to begin, when the first document says what that is.
    fn begin_at(&mut self, now: Option<&[u8]>) {
        let now: Option<NowDocument> = now.and_then(|now| serde_json::from_slice(now).ok());
        let Some(now) = now else { return };
        let (length, newest) =
            (TickLength::from_micros(now.tick_us), u64::try_from(now.tick).map(Tick));
        if let (Some(length), Ok(newest)) = (length, newest)
            && let Some(when) = self.at.take()
        {
            self.follower.seek(StartAt::Tick(tick_at(when, length, newest)));
            self.pending.clear();
        }
    }

    async fn report(&mut self, out: &mut Out) -> Result<Option<Ended>, Gone> {
        for notice in self.follower.notices() {
            if matches!(notice, Notice::Began { .. }) && !self.is_connected {
                self.is_connected = true;
                out.put(Seen::Connected(Transport::Segments)).await?;
            }
            out.put(Seen::Notice(notice)).await?;
        }
        out.newest(self.follower.newest()).await?;
        out.tape(self.follower.take_tape()).await?;
        Ok(self.follower.is_over().then_some(Ended::Done))
    }

    /// Ends the tape with its index.
    async fn end(&mut self, out: &Out) -> Ended {
        let spare = SegmentFollower::new(self.view, StartAt::Live);
        let follower = std::mem::replace(&mut self.follower, spare);
        match follower.close() {
            Ok(bytes) => out.tape(bytes).await.map_or(Ended::Gone, |()| Ended::Done),
            Err(error) => Ended::Failed(error),
        }
    }
}
