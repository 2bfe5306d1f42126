//! The examples of `--help`: each one is a command line that the tool takes.

use clap::{Command, CommandFactory};

use crate::Cli;

/// The pass of `spec/live.md`, section 11.
const PASS: &str = "gtp1_AQJtMQQAHzwAAAAAAAAAAJQ1dwAAAADqSmxj4pxSCr71UHsTLsX5lUd2rr6-e5JCHuppFEbSLPEV_VHqHR9xKClz9G6RMJzc0qxEo4iwbm5lfE8LANV2TjurGovsgR_ewchuMaSsYLV_3O6Uarpkj4qAntfvzAQ";

#[test]
fn every_command_has_examples_and_takes_them() {
    for command in Cli::command().get_subcommands() {
        let lines = example_lines(command);
        let calls: Vec<Vec<String>> = lines.iter().flat_map(|line| calls(line)).collect();
        let name = command.get_name();
        let is_own = |call: &Vec<String>| call.get(1).is_some_and(|word| word == name);
        assert!(calls.iter().any(is_own), "{name} has no example of its own");
        for call in calls {
            // Nobody would read a whole pass.
            let call: Vec<String> = call.iter().map(|word| word.replace("gtp1_…", PASS)).collect();
            let parsed = Cli::command().try_get_matches_from(&call);
            assert!(parsed.is_ok(), "gametape {name} --help: {call:?}: {}", parsed.unwrap_err());
        }
    }
}

/// The lines after `Examples:`.
fn example_lines(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map(ToOwned::to_owned).collect()
}

/// The calls of the tool in a line of a shell.
fn calls(line: &str) -> Vec<Vec<String>> {
    let words = shell_words(line);
    let commands = words.split(|word| matches!(word.as_str(), "|" | "&" | "&&"));
    let calls = commands.filter(|command| command.first().is_some_and(|word| word == "gametape"));
    let is_redirection = |word: &&String| matches!(word.as_str(), "<" | ">");
    calls
        .map(|call| call.iter().take_while(|word| !is_redirection(word)).cloned().collect())
        .collect()
}

/// The words of a line; quotes hold words together.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match quote {
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == ' ' => words.push(String::new()),
            Some(open) if c == open => quote = None,
            _ => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn calls_are_found_between_the_operators_of_a_shell() {
    let found =
        calls("  echo 'a | b' | gametape asm -o - > x && gametape info 'c d' & man gametape");
    assert_eq!(found, [vec!["gametape", "asm", "-o", "-"], vec!["gametape", "info", "c d"]]);
    assert!(
        Cli::command().try_get_matches_from(["gametape", "info", "--no-such-option", "x"]).is_err()
    );
}
