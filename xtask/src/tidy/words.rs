//! Words that a newcomer stumbles over, where the usual technical word is better.

use anyhow::Result;
use xshell::Shell;

use super::files;

/// What is found, and what to write instead.
const ODD: [(&str, &str); 10] = [
    (" anew", "again"),
    ("so many", "N, this many"),
    ("behind it", "after it"),
    ("behind the", "after the"),
    ("behind them", "after them"),
    ("behind which", "after which"),
    ("is told", "is reported"),
    ("are told", "are reported"),
    ("whatever way", "any way"),
    ("stands in", "is in"),
];

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let all = files(sh, &["."], &["rs", "md"])?;
    let ours = all.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/words.rs"));
    Ok(ours.flat_map(|file| odd_words(&file.path, &file.text)).collect())
}

fn odd_words(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.to_ascii_lowercase();
        let odd = ODD.iter().filter(|(odd, _)| is_there(&line, odd));
        problems.extend(odd.map(|(odd, better)| {
            format!("{path}:{}: `{}`: write {better}", number + 1, odd.trim())
        }));
    }
    problems
}

fn is_there(line: &str, odd: &str) -> bool {
    let ends = |text: &str| !text.starts_with(|c: char| c.is_ascii_alphanumeric());
    line.match_indices(odd).any(|(start, _)| ends(&line[start + odd.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_words_are_found_as_words() {
        assert_eq!(odd_words("a.md", "read anew\nbehind theory\n").len(), 1);
    }
}
