//! One HTML file with the viewer and a recording inside, which opens from disk without a network.
//!
//! Scripts and styles of the page are put where their links are; what the viewer would fetch later is in elements
//! `<script type="text/plain" data-gametape="…" data-encoding="gzip+base85">`. The policy in the page allows exactly
//! these scripts, by their hashes, and no request at all.

use std::io::{self, Write};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::assets::{Asset, Assets, NotBuilt};
use crate::base85;
use crate::negotiate::Encoding;

/// The recording of a page.
#[derive(Debug, Clone, Copy)]
pub struct Embedded<'r> {
    /// The title of the page.
    pub title: &'r str,
    /// The name of the file.
    pub name: &'r str,
    /// Its bytes.
    pub bytes: &'r [u8],
    /// The moment to begin at, as people write it.
    pub at: Option<&'r str>,
    /// The view to begin with.
    pub view: Option<&'r str>,
}

/// The page with the recording inside.
pub fn one_file(assets: &Assets, recording: &Embedded<'_>) -> Result<Vec<u8>, NotBuilt> {
    let page = assets.page().ok_or(NotBuilt)?;
    let page = String::from_utf8_lossy(page.bytes()).into_owned();
    let (mut page, policy) = inlined(&page, assets, &elements(assets, recording));
    set_title(&mut page, recording.title);
    insert_policy(&mut page, &policy);
    Ok(page.into_bytes())
}

/// The modules of the viewer: the one that only shows recordings, and the one that also makes files.
const VIEWER: &str = "gametape_web_bg.wasm";
const MAKER: &str = "maker.wasm";

/// What the viewer would fetch.
fn elements(assets: &Assets, recording: &Embedded<'_>) -> String {
    let mut text = String::new();
    // The module that does everything: what is not in the file cannot be fetched later.
    let module = assets.get(MAKER).map_or(VIEWER, |_| MAKER);
    for (name, asset) in assets.iter() {
        let role = match name {
            "worker.js" => "worker",
            "font.ttf" => "font",
            name if name == module => "wasm",
            _ => continue,
        };
        add_element(&mut text, role, &[], &gzip_of(asset));
    }
    let mut attributes = vec![("name", recording.name)];
    attributes.extend(recording.at.map(|at| ("t", at)));
    attributes.extend(recording.view.map(|view| ("view", view)));
    add_element(&mut text, "recording", &attributes, &packed(recording.bytes));
    text
}

fn add_element(text: &mut String, role: &str, attributes: &[(&str, &str)], gzip: &[u8]) {
    *text += &format!(
        "<script type=\"text/plain\" data-gametape=\"{role}\" data-encoding=\"gzip+base85\""
    );
    for (name, value) in attributes {
        *text += &format!(" data-{name}=\"{}\"", escaped(value));
    }
    text.push('>');
    base85::encode(gzip, text);
    *text += "</script>\n";
}

fn gzip_of(asset: &Asset) -> Vec<u8> {
    asset.encoded(Encoding::Gzip).map_or_else(|| packed(asset.bytes()), |gzip| gzip.to_vec())
}

/// Bytes as gzip: the same bytes every time.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    // Memory does not fail.
    packed.unwrap_or_else(|_: io::Error| Vec::new())
}

/// The page with its scripts and styles inside, `elements` before the first script, which looks for them; and the
/// policy that allows these scripts and styles and nothing else.
fn inlined(page: &str, assets: &Assets, elements: &str) -> (String, String) {
    let (mut out, mut from) = (String::new(), 0);
    let (mut scripts, mut styles) = (String::new(), String::new());
    for tag in tags(page) {
        let asset = |attribute: &str| {
            let name = tag.attribute(attribute)?;
            let name = name.strip_prefix("./").unwrap_or(name);
            Some((name, assets.get(name)?))
        };
        let text = |asset: &Asset| String::from_utf8_lossy(asset.bytes()).replace("\r\n", "\n");
        let (instead, end) = match tag.name.as_str() {
            "script" => {
                let Some((_, script)) = asset("src") else { continue };
                let script =
                    text(script).replace("</script", "<\\/script").replace("<!--", "<\\!--");
                let elements = if scripts.is_empty() { elements } else { "" };
                scripts += &hash_source(&script);
                let kind = tag.attribute("type").map(|kind| format!(" type=\"{}\"", escaped(kind)));
                let kind = kind.unwrap_or_default();
                let end = page[tag.range.end..]
                    .find("</script>")
                    .map_or(0, |end| end + "</script>".len());
                (format!("{elements}<script{kind}>{script}</script>"), tag.range.end + end)
            }
            "link" => {
                let Some((name, linked)) = asset("href") else { continue };
                let instead = if name.ends_with(".css") {
                    let style = text(linked).replace("</style", "<\\/style");
                    styles += &hash_source(&style);
                    format!("<style>{style}</style>")
                } else if linked.media_type().starts_with("image/") {
                    let relation = escaped(tag.attribute("rel").unwrap_or("icon"));
                    let data = STANDARD.encode(linked.bytes());
                    format!(
                        "<link rel=\"{relation}\" href=\"data:{};base64,{data}\">",
                        linked.media_type()
                    )
                } else {
                    // A hint to fetch something that is inside now.
                    String::new()
                };
                (instead, tag.range.end)
            }
            "meta" if tag.is_policy() => (String::new(), tag.range.end),
            _ => continue,
        };
        out += &page[from..tag.range.start];
        out += &instead;
        from = end;
    }
    out += page.get(from..).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src{scripts} 'wasm-unsafe-eval'; worker-src blob:; style-src{styles}; \
         img-src blob: data:; font-src blob: data:; connect-src blob: data:; base-uri 'none'; form-action 'none'"
    );
    (out, policy)
}

/// ` 'sha256-…'`
fn hash_source(text: &str) -> String {
    format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn set_title(page: &mut String, title: &str) {
    let title = format!("<title>{}</title>", escaped(title));
    let end =
        |start: usize| page[start..].find("</title>").map(|end| start + end + "</title>".len());
    let old = page.find("<title>").and_then(|start| Some(start..end(start)?));
    match old {
        Some(old) => page.replace_range(old, &title),
        None => page.insert_str(offset_in_head(page), &title),
    }
}

fn insert_policy(page: &mut String, policy: &str) {
    let meta = format!("\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    page.insert_str(offset_in_head(page), &meta);
}

/// After what says how the page is encoded, which must come early; or else after the begin of the head.
fn offset_in_head(page: &str) -> usize {
    let tags = tags(page);
    let charset = tags.iter().find(|tag| tag.name == "meta" && tag.attribute("charset").is_some());
    let head = || tags.iter().find(|tag| tag.name == "head" || tag.name == "html");
    charset.or_else(head).map_or(0, |tag| tag.range.end)
}

/// Text in an attribute or between tags.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A tag that opens an element.
#[derive(Debug)]
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
    range: Range<usize>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    fn is_policy(&self) -> bool {
        self.attribute("http-equiv")
            .is_some_and(|what| what.eq_ignore_ascii_case("content-security-policy"))
    }
}

/// The tags of a page of ours: no script or style of it has text.
fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(start) = page[at..].find('<').map(|found| at + found) {
        if page[start..].starts_with("<!--") {
            at = page[start..].find("-->").map_or(page.len(), |end| start + end + 3);
            continue;
        }
        let end = end_of_tag(page, start);
        let inside = page[start + 1..end].trim_end_matches('>').trim_end_matches('/');
        let name: String = inside.chars().take_while(char::is_ascii_alphanumeric).collect();
        if !name.is_empty() {
            let attributes = attributes(&inside[name.len()..]);
            tags.push(Tag { name: name.to_ascii_lowercase(), attributes, range: start..end });
        }
        at = end;
    }
    tags
}

/// After the `>` that is in no quotes.
fn end_of_tag(page: &str, start: usize) -> usize {
    let mut quote = None;
    for (index, c) in page[start..].char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return start + index + 1,
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    page.len()
}

fn attributes(mut text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        let end = text.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return found;
        }
        let (value, rest) = match rest.trim_start().strip_prefix('=') {
            Some(rest) => value(rest.trim_start()),
            None => ("", rest),
        };
        found.push((name.to_ascii_lowercase(), value.to_owned()));
        text = rest;
    }
}

/// A value, with or without quotes, and what comes after it.
fn value(text: &str) -> (&str, &str) {
    let quoted = text.strip_prefix('"').map(|rest| (rest, '"'));
    let quoted = quoted.or_else(|| text.strip_prefix('\'').map(|rest| (rest, '\'')));
    match quoted {
        Some((rest, quote)) => rest.split_once(quote).unwrap_or((rest, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;

    const PAGE: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Gametape</title>
<!-- <script src="app.js"></script> -->
<meta http-equiv="Content-Security-Policy" content="script-src 'self' a>b">
<link rel="icon" href="icon.svg"><link rel=stylesheet href=./app.css>
<link rel="preload" href="gametape_web_bg.wasm" as="fetch">
<script type="module" src="app.js" defer></script></head><body><div id="app"></div></body></html>"#;

    fn assets() -> Assets {
        let folder = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 7] = [
            ("index.html", PAGE.as_bytes()),
            ("app.js", b"let a = '</script><!--';"),
            ("app.css", b"body { color: red }"),
            ("worker.js", b"worker"),
            ("gametape_web_bg.wasm", b"\0asm"),
            ("font.ttf", b"font"),
            ("icon.svg", b"<svg/>"),
        ];
        files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
        Assets::in_folder(folder.path()).unwrap()
    }

    fn made(name: &str, bytes: &[u8]) -> String {
        let recording =
            Embedded { title: "Ana & <Ben>", name, bytes, at: Some("3:37.6"), view: Some("2") };
        String::from_utf8(one_file(&assets(), &recording).unwrap()).unwrap()
    }

    fn unpacked(page: &str, role: &str) -> Vec<u8> {
        let start = page.find(&format!("data-gametape=\"{role}\"")).unwrap();
        let start = start + page[start..].find('>').unwrap() + 1;
        let end = start + page[start..].find("</script>").unwrap();
        let gzip = base85::decode(&page[start..end]);
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn everything_is_inside() {
        let page = made("a.tape", b"the recording");
        for (role, bytes) in [
            ("wasm", &b"\0asm"[..]),
            ("worker", b"worker"),
            ("font", b"font"),
            ("recording", b"the recording"),
        ] {
            assert_eq!(unpacked(&page, role), bytes, "{role}");
        }
        assert!(page.contains("<title>Ana &amp; &lt;Ben&gt;</title>"));
        assert!(page.contains("data-name=\"a.tape\" data-t=\"3:37.6\" data-view=\"2\""));
        assert!(page.contains("<style>body { color: red }</style>"));
        assert!(page.contains("href=\"data:image/svg+xml;base64,"));
        // What a comment says stays as it is.
        let rest = page.replace("<!-- <script src=\"app.js\"></script> -->", "");
        for gone in ["src=\"app.js\"", "app.css", "preload", "'self'"] {
            assert!(!rest.contains(gone), "{gone} in {page}");
        }
        // A script that runs at once finds them.
        let (data, script) =
            (page.find("data-gametape=\"recording\""), page.find("<script type=\"module\">"));
        assert!(data.is_some() && data < script);
    }

    #[test]
    fn the_policy_allows_the_script_as_it_is_in_the_page() {
        let page = made("a.tape", b"");
        let start =
            page.find("<script type=\"module\">").unwrap() + "<script type=\"module\">".len();
        let script = &page[start..start + page[start..].find("</script>").unwrap()];
        assert_eq!(script, "let a = '<\\/script><\\!--';");
        assert!(page.contains(&hash_source(script)));
        assert_eq!(page.matches("Content-Security-Policy").count(), 1);
        let (policy, charset) = (page.find("Content-Security-Policy"), page.find("charset"));
        assert!(policy > charset && policy < page.find("<script type=\"text/plain"));
    }

    #[test]
    fn hostile_names_stay_text() {
        let page = made("\"><script>alert(1)</script>\n.tape", b"x");
        assert!(
            page.contains("data-name=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; .tape\"")
        );
    }
}
