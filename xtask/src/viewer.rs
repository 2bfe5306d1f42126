//! `cargo xtask viewer`: the browser's viewer, from Rust and TypeScript to the files that the tool has inside.
//!
//! Each part is made only if something that it is made of is newer. What is needed and missing is installed where that
//! is allowed, or named together with the command that adds it.

mod font;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools;

/// Build the browser's viewer into viewer/dist/, for `gametape view` and `gametape export`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Build it quickly: a third larger, and slower to run. For tests and the demo.
    #[arg(long)]
    quick: bool,

    /// Only build what is made of Rust, and get the packages of the page and a browser for its tests.
    #[arg(long, conflicts_with_all = ["check", "test"])]
    module: bool,

    /// Only check the page: lint and types.
    #[arg(long, conflicts_with = "test")]
    check: bool,

    /// Build, check, and run the tests in a browser.
    #[arg(long)]
    test: bool,

    /// Where node or a browser is missing and cannot be installed, say so and end well.
    #[arg(long)]
    optional: bool,
}

const FOLDER: &str = "viewer";
/// What the page is bundled into.
const DIST: &str = "viewer/dist";
/// The module and its bindings, for the page.
const GENERATED: &str = "viewer/src/generated";
const TARGET: &str = "wasm32-unknown-unknown";
/// The form that the bindings were made of last.
const FORM: &str = "viewer/src/generated/gametape_web.form";
/// The oldest node that builds the page.
const NODE: u32 = 20;

/// How much work is put into the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Small and fast, for everybody who watches.
    Release,
    /// Built in a third of the time.
    Quick,
}

impl Form {
    /// The profile of cargo, which is also the name of the form.
    fn profile(self) -> &'static str {
        match self {
            Self::Release => "wasm",
            Self::Quick => "quick",
        }
    }
}

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    let ready = need_node(sh).and_then(|()| if arguments.test { need_browser(sh) } else { Ok(()) });
    if let Err(missing) = ready {
        anyhow::ensure!(arguments.optional, "{missing:#}");
        println!("viewer: skipped: {missing:#}");
        return Ok(());
    }
    if arguments.check {
        return check(sh);
    }
    let form = if arguments.quick { Form::Quick } else { Form::Release };
    if arguments.module {
        // Now, while others build: the tests of the page say what is missing.
        let browser = need_browser(sh);
        build_parts(sh, form)?;
        return if arguments.optional { Ok(()) } else { browser };
    }
    build(sh, form)?;
    if arguments.test {
        check(sh)?;
        build_natively(sh)?;
        let tools = sh.current_dir().join(tools::target_folder()).join("debug");
        in_folder(sh, || Ok(cmd!(sh, "npm test").env("GAMETAPE_TOOLS", tools).run()?))?;
    }
    Ok(())
}

/// The tool, and what makes natively what the page is compared with.
fn build_natively(sh: &Shell) -> Result<()> {
    // As the tests of the workspace built them, so that nothing is built again.
    Ok(cmd!(sh, "cargo build --quiet --workspace --bin gametape --example native").run()?)
}

/// Builds the viewer that is measured; refuses where there is no browser to do so.
pub(crate) fn build_for_bench(sh: &Shell) -> Result<()> {
    need_node(sh)?;
    need_browser(sh)?;
    build(sh, Form::Release)
}

/// Builds the viewer; `false`, and a line that says why, where it cannot be built.
pub(crate) fn build_if_possible(sh: &Shell, form: Form) -> bool {
    let built = need_node(sh).and_then(|()| build(sh, form));
    if let Err(problem) = &built {
        println!("The viewer is left out: {problem:#}");
    }
    built.is_ok()
}

/// Lint and types of the page.
fn check(sh: &Shell) -> Result<()> {
    need_packages(sh)?;
    in_folder(sh, || {
        cmd!(sh, "npm run --silent lint").run()?;
        cmd!(sh, "npm run --silent types").run()?;
        Ok(())
    })
}

fn build(sh: &Shell, form: Form) -> Result<()> {
    build_parts(sh, form)?;
    bundle(sh)?;
    compress(sh, form)?;
    report(sh, form)
}

/// Everything that the page is bundled of. Nothing of it is in the tool, so cargo may build the tool meanwhile.
fn build_parts(sh: &Shell, form: Form) -> Result<()> {
    let modules = build_modules(sh, form)?;
    bind(sh, &modules, form)?;
    let live = build_live(sh, form)?;
    bind_live(sh, &live)?;
    need_packages(sh)
}

/// The view-model as modules for browsers.
struct Modules {
    /// What the page loads first.
    viewer: PathBuf,
    /// What it loads to make clips and GIF files: it does all that the other does, and that.
    maker: PathBuf,
}

fn build_modules(sh: &Shell, form: Form) -> Result<Modules> {
    tools::need_target(sh, TARGET)?;
    let built = sh.current_dir().join(tools::target_folder()).join(TARGET).join(form.profile());
    let module = built.join("gametape_web.wasm");
    if form == Form::Quick {
        build_module(sh, form, &[])?;
        return Ok(Modules { viewer: module.clone(), maker: module });
    }
    let modules = Modules {
        viewer: built.join("gametape_viewer.wasm"),
        maker: built.join("gametape_maker.wasm"),
    };
    let made_of = ["crates", "Cargo.toml", "Cargo.lock"].map(Path::new);
    let oldest = time(sh, &modules.viewer).min(time(sh, &modules.maker));
    if newest(sh, &made_of)? < oldest {
        return Ok(modules);
    }
    for (features, path) in
        [(&[][..], &modules.maker), (&["--no-default-features"][..], &modules.viewer)]
    {
        // Both have the same name: cargo would take the one that is there for the other.
        for old in [module.clone(), built.join("deps/gametape_web.wasm")] {
            sh.remove_path(old)?;
        }
        build_module(sh, form, features)?;
        sh.copy_file(&module, path)?;
    }
    Ok(modules)
}

/// Builds the module; cargo knows whether it is up to date.
fn build_module(sh: &Shell, form: Form, features: &[&str]) -> Result<()> {
    build_package(sh, "gametape-web", form, features)
}

fn build_package(sh: &Shell, package: &str, form: Form, features: &[&str]) -> Result<()> {
    let profile = form.profile();
    Ok(cmd!(
        sh,
        "cargo build --quiet --package {package} {features...} --profile {profile} --target {TARGET}"
    )
    .run()?)
}

/// What the page loads when somebody watches a live match: a module of its own.
fn build_live(sh: &Shell, form: Form) -> Result<PathBuf> {
    build_package(sh, "gametape-web-live", form, &[])?;
    let built = sh.current_dir().join(tools::target_folder()).join(TARGET).join(form.profile());
    Ok(built.join("gametape_web_live.wasm"))
}

/// The bindings of the module for live matches, where they are not those of this module.
fn bind_live(sh: &Shell, module: &Path) -> Result<()> {
    let bound = Path::new(GENERATED).join("gametape_web_live_bg.wasm");
    let made_of = Path::new(GENERATED).join("gametape_web_live.made_of");
    let about = std::fs::metadata(module)?;
    // Modules of both forms have different sizes; one that was built again has another time.
    let known = format!("{} {:?}", about.len(), about.modified()?);
    let is_same = sh.read_file(&made_of).is_ok_and(|made| made == known);
    if is_same && time(sh, &bound).is_some() {
        return Ok(());
    }
    println!("viewer: bindings of the module for live matches");
    let target = sh.current_dir().join(tools::target_folder()).join("bindgen");
    let out = sh.current_dir().join(GENERATED);
    run_bindgen(sh, module, &target, &out)?;
    Ok(sh.write_file(made_of, known)?)
}

/// Runs the package that makes bindings: it must be of exactly the version that made the modules.
fn run_bindgen(sh: &Shell, module: &Path, target: &Path, out: &Path) -> Result<()> {
    let manifest = "viewer/bindgen/Cargo.toml";
    Ok(cmd!(sh, "cargo run --quiet --locked --manifest-path {manifest} --target-dir {target} -- {module} {out}").run()?)
}

/// The bindings of the modules, by a package of its own.
fn bind(sh: &Shell, modules: &Modules, form: Form) -> Result<()> {
    let generated = sh.current_dir().join(GENERATED);
    let bound = generated.join("maker.wasm");
    let made_of = [&*modules.viewer, &*modules.maker, Path::new("viewer/bindgen/src")];
    let is_newer = newest(sh, &made_of)? < time(sh, &bound);
    // A module of the other form may be older than these bindings.
    if is_newer && sh.read_file(FORM).is_ok_and(|made| made == form.profile()) {
        return Ok(());
    }
    println!("viewer: bindings of the module");
    // Not in the way of the workspace's own artifacts.
    let target = sh.current_dir().join(tools::target_folder()).join("bindgen");
    let beside = target.join("maker");
    for (module, out) in [(&modules.viewer, &generated), (&modules.maker, &beside)] {
        // The names of the files follow from that of the module.
        let renamed = target.join("gametape_web.wasm");
        sh.create_dir(&target)?;
        sh.copy_file(module, &renamed)?;
        run_bindgen(sh, &renamed, &target, out)?;
    }
    let scripts = [&generated, &beside].map(|folder| sh.read_file(folder.join("gametape_web.js")));
    let [Ok(one), Ok(other)] = scripts else { anyhow::bail!("the bindings were not made") };
    anyhow::ensure!(one == other, "the bindings of the two modules differ");
    sh.copy_file(beside.join("gametape_web_bg.wasm"), &bound)?;
    Ok(sh.write_file(FORM, form.profile())?)
}

/// The packages of the page, as its lock file says.
fn need_packages(sh: &Shell) -> Result<()> {
    let (lock, installed) = (
        Path::new("viewer/package-lock.json"),
        Path::new("viewer/node_modules/.package-lock.json"),
    );
    if time(sh, lock) <= time(sh, installed) {
        return Ok(());
    }
    println!("viewer: packages of the page");
    // Nothing of a package runs while it is installed.
    let options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    in_folder(sh, || {
        let exact = cmd!(sh, "npm ci {options...}").ignore_stderr().run();
        // A registry that lacks packages of other systems makes `npm ci` refuse a lock file that has none of them;
        // `npm install` takes the same versions from it, and changes nothing of ours.
        Ok(exact.or_else(|_| cmd!(sh, "npm install --no-save {options...}").run())?)
    })
}

fn bundle(sh: &Shell) -> Result<()> {
    let made_of = ["src", "scripts", "package-lock.json", "tsconfig.json"];
    let made_of: Vec<PathBuf> = made_of.iter().map(|name| Path::new(FOLDER).join(name)).collect();
    let made_of: Vec<&Path> = made_of.iter().map(PathBuf::as_path).collect();
    let made = ["index.html", "app.js", "app.css", "worker.js", "live.js", "font.ttf"];
    let oldest = made.iter().map(|name| time(sh, &Path::new(DIST).join(name))).min().flatten();
    if newest(sh, &made_of)? < oldest {
        return Ok(());
    }
    println!("viewer: page");
    in_folder(sh, || Ok(cmd!(sh, "npm run --silent build").run()?))?;
    // The letters of the board, the same as those of pictures.
    let font = dejavu::sans::bold();
    let small = font::subset(font).unwrap_or_else(|| font.to_vec());
    sh.write_file(Path::new(DIST).join("font.ttf"), small)?;
    Ok(())
}

/// Each file also as brotli and gzip, if one of them is missing or old.
fn compress(sh: &Shell, form: Form) -> Result<()> {
    let is_compressed = |path: &PathBuf| {
        let [brotli, gzip] = ["br", "gz"].map(|ending| format!("{}.{ending}", path.display()));
        time(sh, path) < time(sh, brotli.as_ref()).min(time(sh, gzip.as_ref()))
    };
    if sh.read_dir(DIST)?.iter().filter(|path| is_plain(path)).all(is_compressed) {
        return Ok(());
    }
    let quick = (form == Form::Quick).then_some("--quick");
    in_folder(sh, || Ok(cmd!(sh, "node scripts/compress.mjs {quick...}").run()?))?;
    if form == Form::Quick {
        return Ok(());
    }
    sh.read_dir(DIST)?.iter().filter(|path| is_plain(path)).try_for_each(|path| gzip_well(path))
}

/// The smallest gzip form of a file. *Why: it is what a page in one file has inside, and a twentieth smaller than that of
/// other programs.*
fn gzip_well(path: &Path) -> Result<()> {
    let bytes = std::fs::read(path)?;
    let mut packed = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, &*bytes, &mut packed)?;
    Ok(std::fs::write(format!("{}.gz", path.display()), packed)?)
}

/// Is this a file of the page, and not a compressed form of one?
fn is_plain(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    path.is_file() && !["br", "gz", "map"].iter().any(|made| ending == *made)
}

/// The sizes that matter to somebody who waits for the page.
fn report(sh: &Shell, form: Form) -> Result<()> {
    let larger =
        if form == Form::Quick { " (built quickly: larger than what is released)" } else { "" };
    println!("viewer: {DIST}/ is up to date{larger}; in kB: plain, gzip, brotli");
    for path in sh.read_dir(DIST)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let size = |ending: &str| {
            let path = format!("{}{ending}", path.display());
            std::fs::metadata(path).map_or(0.0, |about| about.len() as f64 / 1000.0)
        };
        if size(".br") > 0.0 {
            println!("  {name:<24}{:>8.1}{:>8.1}{:>8.1}", size(""), size(".gz"), size(".br"));
        }
    }
    Ok(())
}

fn in_folder<T>(sh: &Shell, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _inside = sh.push_dir(FOLDER);
    work()
}

/// When a file was written; none where it is not there.
fn time(sh: &Shell, path: &Path) -> Option<SystemTime> {
    std::fs::metadata(sh.current_dir().join(path)).ok()?.modified().ok()
}

/// When the newest of these files, or of those in these folders, was written. What we make ourselves does not count.
fn newest(sh: &Shell, paths: &[&Path]) -> Result<Option<SystemTime>> {
    let mut newest = None;
    for path in paths {
        let whole = sh.current_dir().join(path);
        if whole.is_dir() {
            let inside = sh.read_dir(path)?;
            let inside: Vec<&Path> = inside.iter().map(PathBuf::as_path).collect();
            newest = newest.max(self::newest(sh, &inside)?);
        } else {
            newest = newest.max(time(sh, path));
        }
    }
    Ok(newest)
}

/// Makes sure that node and npm are there.
fn need_node(sh: &Shell) -> Result<()> {
    let version = || cmd!(sh, "node --version").quiet().ignore_stderr().read().ok();
    let is_enough = |version: &String| major(version).is_some_and(|major| major >= NODE);
    let has_npm =
        || cmd!(sh, "npm --version").quiet().ignore_stderr().ignore_stdout().run().is_ok();
    let is_there = || version().as_ref().is_some_and(is_enough) && has_npm();
    if is_there() {
        return Ok(());
    }
    let what = match version() {
        Some(version) => format!("node {NODE} or later and npm are needed, and node is {version}"),
        None => format!("node {NODE} or later and npm are needed"),
    };
    tools::install(
        sh,
        &what,
        &["nodejs", "npm"],
        &format!("node from https://nodejs.org, {NODE} or later"),
    )?;
    anyhow::ensure!(is_there(), "{what}; that of the system is too old: https://nodejs.org has it");
    Ok(())
}

/// `v20.20.2` is 20.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Programs that the tests of the page can run in.
const BROWSERS: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Makes sure that a browser is there.
fn need_browser(sh: &Shell) -> Result<()> {
    let has = |program: &&str| tools::succeeds(cmd!(sh, "{program} --version"));
    if std::env::var_os("GAMETAPE_BROWSER").is_some() || BROWSERS.iter().any(has) {
        return Ok(());
    }
    let what = "a Chromium browser is needed for the tests of the page";
    let small = tools::install(sh, what, &["chromium-headless-shell"], "chromium");
    small.or_else(|_| tools::install(sh, what, &["chromium"], "chromium")).context(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("v6"), Some(6));
        assert_eq!(major("20.1"), None);
        assert_eq!(major("command not found"), None);
    }

    #[test]
    fn only_files_of_the_page_are_compressed() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(is_plain(&here.join("Cargo.toml")));
        assert!(!is_plain(here), "a folder");
        let folder = std::env::temp_dir().join(format!("gametape-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let plain = ["app.js", "app.js.br", "app.js.gz", "app.js.map"].map(|name| {
            std::fs::write(folder.join(name), "x").unwrap();
            is_plain(&folder.join(name))
        });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(plain, [true, false, false, false]);
    }
}
