//! The default browser.

use std::process::{Command, Stdio};
use std::thread;

use crate::failure::warn;

/// Opens an address of ours in the default browser; says so where there is none.
pub(super) fn open(address: &str) {
    let address = address.to_owned();
    // Some of these programs end when the browser does.
    thread::spawn(move || {
        let is_open = ways().into_iter().any(|(program, arguments)| {
            let mut command = Command::new(program);
            command.args(arguments).arg(&address);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        });
        if !is_open {
            warn(&"browser", "none can be opened from here: open the address yourself");
        }
    });
}

/// Programs that open an address, the best first. The address is never read by a shell.
fn ways() -> Vec<(String, &'static [&'static str])> {
    let way = |program: &str, arguments: &'static [&'static str]| (program.to_owned(), arguments);
    if cfg!(target_os = "macos") {
        return vec![way("open", &[])];
    }
    if cfg!(windows) {
        return vec![way("rundll32", &["url.dll,FileProtocolHandler"])];
    }
    let chosen = std::env::var("BROWSER").ok().filter(|program| !program.is_empty());
    let chosen = chosen.map(|program| (program, &[] as &[&str]));
    let usual = [way("xdg-open", &[]), way("gio", &["open"]), way("wslview", &[])];
    chosen.into_iter().chain(usual).collect()
}
