//! The terminal: where everything that is printed goes, in colours that show there.

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use gametape_files::streams::Stream;
use gametape_files::{BytesBar, FilesBar, Host, Saying};

use crate::failure::say;
use crate::progress::{self, Progress};

/// Standard output, standard error, and bars of progress.
pub(crate) struct Terminal;

impl Host for Terminal {
    fn print(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        fn print(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
            to.write_all(bytes).and_then(|()| to.flush())
        }
        // Asked once: finding out looks at the environment and the terminal, and one thread prints for all.
        static TEXT: OnceLock<ColorChoice> = OnceLock::new();
        static MESSAGES: OnceLock<ColorChoice> = OnceLock::new();
        match stream {
            Stream::Data => print(io::stdout().lock(), bytes),
            Stream::Text => {
                let choice = *TEXT.get_or_init(|| AutoStream::choice(&io::stdout()));
                print(AutoStream::new(io::stdout().lock(), choice), bytes)
            }
            Stream::Messages => {
                let choice = *MESSAGES.get_or_init(|| AutoStream::choice(&io::stderr()));
                print(AutoStream::new(io::stderr().lock(), choice), bytes)
            }
        }
    }

    fn say(&self, saying: Saying, text: &str) {
        say(saying, text);
    }

    fn watch_bytes(&self, label: &'static str, total: u64) -> Option<Box<dyn BytesBar>> {
        Some(Box::new(Progress::before_results(label, total)))
    }

    fn watch_files(&self, total: u64) -> Option<Box<dyn FilesBar>> {
        progress::bar_of_files(total)
    }

    fn watch_wait(&self, label: &'static str) -> Option<Box<dyn Debug>> {
        progress::spinner(label)
    }
}

/// Will colours show in what is printed to stdout?
pub(crate) fn colours_show() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}
