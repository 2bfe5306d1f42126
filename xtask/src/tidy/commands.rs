//! README, CONTRIBUTING, the other documents and the examples of `--help` name commands and options that exist;
//! README names every command of the tool.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use clap::CommandFactory;
use xshell::{Shell, cmd};

use super::files;
use crate::tools;

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let tool = Tool::ask(sh)?;
    let xtask: BTreeSet<String> = crate::Arguments::command()
        .get_subcommands()
        .map(|one| one.get_name().to_owned())
        .collect();
    let documents = files(sh, &["*.md", "spec", "crates"], &["md"])?;
    let unknown = |call| match call {
        Call::Tool(name, options) => tool.unknown(&name, &options),
        Call::Xtask(name) => (!xtask.contains(&name)).then(|| format!("cargo xtask has no {name}")),
    };
    let mut problems = Vec::new();
    for document in &documents {
        for (line, call) in calls(&document.text) {
            let unknown = unknown(call).map(|what| format!("{}:{line}: {what}", document.path));
            problems.extend(unknown);
        }
    }
    for (name, help) in &tool.commands {
        let examples = help.lines().filter_map(call);
        let unknown =
            examples.filter_map(unknown).map(|what| format!("gametape {name} --help: {what}"));
        problems.extend(unknown);
    }
    let readme = documents.iter().find(|document| document.path == "README.md");
    let readme = readme.map_or("", |document| document.text.as_str());
    let unnamed = tool.commands.keys().filter(|name| !readme.contains(&format!("gametape {name}")));
    problems.extend(unnamed.map(|name| format!("README.md does not name `gametape {name}`")));
    Ok(problems)
}

/// The tool as its `--help` describes it: each command with its options.
struct Tool {
    commands: BTreeMap<String, String>,
}

impl Tool {
    fn ask(sh: &Shell) -> Result<Self> {
        let tool = tools::tool(sh)?;
        let run = |arguments: &[&str]| cmd!(sh, "{tool} {arguments...}").quiet().read();
        let mut commands = BTreeMap::new();
        for name in listed(&run(&["--help"])?) {
            if name != "help" {
                let help = run(&[&name, "--help"])?;
                commands.insert(name, help);
            }
        }
        Ok(Self { commands })
    }

    /// What of a call does not exist.
    fn unknown(&self, name: &str, options: &[String]) -> Option<String> {
        let Some(help) = self.commands.get(name) else {
            return Some(format!("gametape has no command {name}"));
        };
        let has = |option: &&String| !names_option(help, option);
        let option = options.iter().find(has)?;
        Some(format!("gametape {name} has no option {option}"))
    }
}

/// The commands in the list of a `--help` text.
fn listed(help: &str) -> Vec<String> {
    let section = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let section = section.take_while(|line| !line.is_empty());
    let name = |line: &str| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned);
    section.filter(|line| !line.starts_with("   ")).filter_map(name).collect()
}

fn names_option(help: &str, option: &str) -> bool {
    let ends = |text: &str| !text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    help.match_indices(option).any(|(start, _)| ends(&help[start + option.len()..]))
}

/// A command in a document.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    Tool(String, Vec<String>),
    Xtask(String),
}

/// The calls in code of a document, with their lines: `gametape NAME …` in backticks or in a block.
fn calls(text: &str) -> Vec<(usize, Call)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let code: Vec<&str> =
            if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        found.extend(code.into_iter().filter_map(call).map(|call| (number + 1, call)));
    }
    found
}

fn call(code: &str) -> Option<Call> {
    let code = code.trim_start().trim_start_matches("$ ").split('#').next()?;
    let is_name = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    if let Some(rest) = code.strip_prefix("cargo xtask ") {
        let name = rest.split_whitespace().next().filter(is_name)?;
        return Some(Call::Xtask(name.to_owned()));
    }
    let called = || {
        let (program, rest) = code.split_once(' ')?;
        (program.rsplit('/').next()? == "gametape").then_some(rest)
    };
    let run =
        || code.strip_prefix("cargo run ")?.split_once("gametape-cli -- ").map(|(_, rest)| rest);
    let mut words = called().or_else(run)?.split_whitespace();
    let name = words.next().filter(is_name)?;
    let options = words.take_while(|word| *word != "|").filter(|word| word.starts_with("--"));
    let option = |word: &str| word.split(['=', ',']).next().unwrap_or(word).to_owned();
    Some(Call::Tool(name.to_owned(), options.map(option).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_blocks_and_in_backticks() {
        let text = "gametape nothing\n```console\n$ cargo xtask demo   # x\n$ gametape info --json a | jq --x\n```\n\
                    see `gametape cut --view 2`, `gametape` and `gametape-wire`";
        let found = calls(text);
        let tool = |name: &str, option: &str| Call::Tool(name.into(), vec![option.into()]);
        let expected = [
            (3, Call::Xtask("demo".into())),
            (4, tool("info", "--json")),
            (6, tool("cut", "--view")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_tool_that_was_built_is_the_tool() {
        let found =
            |code| call(code).map(|call| matches!(call, Call::Tool(name, _) if name == "map"));
        assert_eq!(found("$ target/full-size/gametape map x --at end"), Some(true));
        assert_eq!(found("  gametape map x"), Some(true));
        assert_eq!(found("$ cargo run -p gametape-cli -- map x"), Some(true));
        assert_eq!(found("$ target/full-size/other map x"), None);
    }

    #[test]
    fn an_option_is_not_the_begin_of_a_longer_one() {
        let tool = Tool { commands: [("cut".into(), "  --viewer <N>\n  --from".into())].into() };
        assert_eq!(tool.unknown("cut", &["--from".into()]), None);
        assert!(tool.unknown("cut", &["--view".into()]).is_some());
        assert!(tool.unknown("cat", &[]).is_some());
    }

    #[test]
    fn commands_are_those_of_the_list() {
        let help =
            "Usage\n\nCommands:\n  info  About\n        more\n  cut   Cut\n\nOptions:\n  -h\n";
        assert_eq!(listed(help), ["info", "cut"]);
    }
}
