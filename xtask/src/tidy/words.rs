//! Words that a newcomer stumbles over, where the technical word is better.

use anyhow::Result;
use xshell::Shell;

use super::files;

/// Phrases that are refused everywhere, and what to write instead.
const PHRASES: [(&str, &str); 6] = [
    ("anew", "again"),
    ("so many", "N, this many"),
    ("whatever way", "any way"),
    ("stands in", "is in"),
    ("whose eyes", "the view"),
    ("to be heard again", "to be applied again"),
];

/// Words that are refused in comments and documents. They may be names where they mean something else.
const WORDS: [(&str, &str); 8] = [
    ("tell", "say, report"),
    ("tells", "says, reports"),
    ("telling", "saying, reporting"),
    ("told", "reported, received, given"),
    ("behind", "after, below"),
    ("stand", "be, mean"),
    ("stands", "is, means"),
    ("stood", "was, meant"),
];

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let all = files(sh, &["."], &["rs", "md", "ts", "tsx"])?;
    let ours = all.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/words.rs"));
    Ok(ours.flat_map(|file| odd_words(&file.path, &file.text)).collect())
}

fn odd_words(path: &str, text: &str) -> Vec<String> {
    let is_document = path.ends_with(".md");
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.to_ascii_lowercase();
        let prose = if is_document { &line } else { comment(&line) };
        let phrases = PHRASES.iter().filter(|(odd, _)| is_there(&line, odd));
        let words = WORDS.iter().filter(|(odd, _)| is_there(prose, odd));
        let odd = phrases.chain(words);
        problems.extend(
            odd.map(|(odd, better)| format!("{path}:{}: `{odd}`: write {better}", number + 1)),
        );
    }
    problems
}

/// The comment in a line of code.
fn comment(line: &str) -> &str {
    let code = line.trim_start();
    let is_comment = ["//", "/*", "* "].iter().any(|start| code.starts_with(start));
    let start = if is_comment { Some(0) } else { code.find(" // ").or_else(|| code.find("/*")) };
    start.map_or("", |start| &code[start..])
}

/// Is it there, and not as a part of other words or of a name?
fn is_there(line: &str, odd: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(odd).any(|(start, _)| {
        let after = &line[start + odd.len()..];
        !line[..start].ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_refused_everywhere() {
        assert_eq!(odd_words("a.rs", "let s = \"read anew\";\nWhatever way\n").len(), 2);
        assert_eq!(odd_words("a.md", "So many\nso manys, renewed anewly\n").len(), 1);
    }

    #[test]
    fn words_are_refused_in_comments_and_documents() {
        assert_eq!(odd_words("a.md", "It stands there, told.\n").len(), 2);
        assert_eq!(odd_words("a.rs", "/// Tells who.\nx(); // behind it\n").len(), 2);
        assert_eq!(odd_words("a.ts", "/** Tells who. */\n{/* It is told. */}\n").len(), 2);
        let code = "let told = stand(behind, \"http://told\");\n/// The standing of `is_told`.\n";
        assert!(odd_words("a.rs", code).is_empty());
    }
}
