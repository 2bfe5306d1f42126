//! `gametape man`: the manual pages.

use std::io;
use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::Cli;
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::output::{Kind, Target, make_folder, path};
use crate::text::count;

/// Write the manual pages: one of the tool, and one of each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "DIR", value_parser = path())]
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  gametape man ~/.local/share/man/man1
  man gametape-verify";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let failed = |error: io::Error| Failure::io(&self.folder.display(), &error);
        make_folder(&self.folder)?;
        let pages = pages().map_err(failed)?;
        for (name, page) in &pages {
            Target::File(self.folder.join(name)).write(Kind::ManualPage, &Source::Stdin, page)?;
        }
        note(&self.folder.display(), format_args!("{} written", count(pages.len() as u64, "page")));
        Ok(Done::Fine)
    }
}

/// The pages and the names of their files.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut tool = Cli::command().disable_help_subcommand(true);
    tool.build();
    let commands: Vec<Command> = tool.get_subcommands().cloned().collect();
    std::iter::once(tool).chain(commands).map(page).collect()
}

fn page(mut command: Command) -> io::Result<(String, Vec<u8>)> {
    let usage = command.render_usage().to_string();
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let more = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = more.split_once("Examples:\n").unwrap_or((&more, ""));
    let manual = Man::new(command.clone()).source(concat!("gametape ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    manual.render_title(&mut page)?;
    // Words are neither hyphenated nor spread.
    page.extend_from_slice(b".nh\n.ad l\n");
    manual.render_name_section(&mut page)?;
    let usage =
        usage.trim_start_matches("Usage:").lines().map(|line| format!("  {}\n", line.trim()));
    section(&mut page, "SYNOPSIS", &usage.collect::<String>());
    section(&mut page, "DESCRIPTION", &about.unwrap_or_default());
    manual.render_options_section(&mut page)?;
    if command.has_subcommands() {
        manual.render_subcommands_section(&mut page)?;
    }
    section(&mut page, "NOTES", notes);
    section(&mut page, "EXAMPLES", examples);
    Ok((manual.get_filename(), page))
}

/// Adds a section, unless there is nothing in it. Indented lines stay as they are, others become
/// paragraphs.
fn section(page: &mut Vec<u8>, title: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let mut lines = vec![format!(".SH {title}")];
    let mut is_verbatim = false;
    for line in text.trim_end().lines() {
        let is_table = line.starts_with(' ') || (is_verbatim && line.is_empty());
        if is_table != is_verbatim {
            lines.push(if is_table { ".RS 2\n.nf" } else { ".fi\n.RE" }.to_owned());
            is_verbatim = is_table;
        }
        lines.push(match line.strip_prefix("  ").unwrap_or(line) {
            "" if !is_verbatim => ".PP".to_owned(),
            line => escaped(line),
        });
    }
    if is_verbatim {
        lines.push(".fi\n.RE".to_owned());
    }
    page.extend_from_slice((lines.join("\n") + "\n").as_bytes());
}

/// A line in which nothing is an instruction to the formatter.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-").replace('`', "\\(ga");
    let text = text.replace('\'', "\\(aq").replace('^', "\\(ha").replace('~', "\\(ti");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(name: &str) -> String {
        let pages = pages().unwrap();
        let page = pages.into_iter().find(|(file, _)| file == name).unwrap().1;
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn tables_and_examples_stay_as_they_are() {
        let page = page_of("gametape-verify.1");
        let table = ".RS 2\n.nf\nstructure   order, numbers, contents and index follow the rules\n";
        assert!(page.contains(table), "{page}");
        assert!(page.contains(".SH EXAMPLES\n.RS 2\n.nf\ngametape verify match.minewars\n"));
        assert!(!page.contains(".SH EXTRA"));
        // The next paragraph is filled again.
        assert!(page.contains(".fi\n.RE\nThe default is keyframes;"), "{page}");
    }

    #[test]
    fn pages_name_the_program_and_every_argument() {
        let page = page_of("gametape-events.1");
        let footer = concat!("\"gametape ", env!("CARGO_PKG_VERSION"), "\"");
        let title = page.lines().find(|line| line.starts_with(".TH")).unwrap();
        assert!(title.contains(footer), "{title}");
        assert!(page.contains(".nf\ngametape events [OPTIONS] <FILE>...\n"), "{page}");
        assert!(page_of("gametape.1").contains("gametape\\-events"));
    }

    #[test]
    fn nothing_is_an_instruction_by_accident() {
        assert_eq!(escaped(".so 'x' \\n --at"), "\\&.so \\(aqx\\(aq \\en \\-\\-at");
    }
}
