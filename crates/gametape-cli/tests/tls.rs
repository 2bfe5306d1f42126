//! Publishers and spectators over TLS: they accept certificates of an authority of one's own, or one by its hash, and
//! refuse others at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod running;

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256};
use running::{Running, assert_kept, folder};

fn write_pem(path: &Path, what: &str, bytes: &[u8]) {
    let text = STANDARD.encode(bytes);
    fs::write(path, format!("-----BEGIN {what}-----\n{text}\n-----END {what}-----\n")).unwrap();
}

fn key() -> KeyPair {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap()
}

/// Writes an authority, and where it vouches for a server a certificate and key of 127.0.0.1.
fn authority(folder: &Path, name: &str, server: Option<&str>) {
    let (key, mut params) = (key(), CertificateParams::new(Vec::new()).unwrap());
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    write_pem(&folder.join(name), "CERTIFICATE", params.self_signed(&key).unwrap().der());
    if let Some(server) = server {
        let (own, issuer) = (self::key(), Issuer::new(params, key));
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let made = params.signed_by(&own, &issuer).unwrap();
        write_pem(&folder.join(format!("{server}.pem")), "CERTIFICATE", made.der());
        write_pem(&folder.join(format!("{server}.key")), "PRIVATE KEY", &own.serialize_der());
    }
}

/// Runs the tool to its end: exit code, and what it said about it.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let done = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// A server with TLS: host and port, and the hash of its certificate.
fn serve(folder: &Path, tls: &str) -> (Running, String, Option<String>) {
    let line = format!("serve --json --public all --delay 0s --listen 127.0.0.1:0 {tls}");
    let server = Running::start(folder, &line);
    let line = server.line(|line| line.starts_with('{'));
    let about: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = about["address"].as_str().unwrap();
    let address = address.strip_prefix("https://").unwrap().trim_end_matches('/').to_owned();
    (server, address, about["certificate_sha256"].as_str().map(str::to_owned))
}

fn record(folder: &Path) {
    let recorded = run(folder, "record --speed max --seed 5 --ticks 600 source.tape");
    assert_eq!(recorded.0, Some(0), "{}", recorded.1);
}

/// Publishes and watches by every transport, with these options.
fn publish_and_watch(folder: &Path, address: &str, trust: &str) {
    for (number, scheme) in ["https", "wss", "quic"].into_iter().enumerate() {
        let to = format!("--to {scheme}://{address}/ --match m-{number} {trust}");
        let (code, said) = run(folder, &format!("publish source.tape {to}"));
        assert_eq!(code, Some(0), "{scheme}: {said}");
        let watch = format!(
            "watch --json --at start --save kept.tape --force {trust} {scheme}://{address}/?match=m-{number}"
        );
        let spectator = Running::start(folder, &watch);
        let transport = if scheme == "wss" { "WebSocket" } else { "QUIC" };
        let connected = format!(r#"{{"what":"connected","transport":"{transport}"}}"#);
        spectator.line(|line| line == connected);
        assert_kept(spectator, folder, "kept.tape", &[0, 1, 2]);
    }
}

/// Nobody publishes and watches with these options: it is refused, and said why.
fn refused(folder: &Path, address: &str, trust: &str) {
    for scheme in ["https", "wss", "quic"] {
        let url = format!("{scheme}://{address}/");
        let publish = format!("publish source.tape --to {url} --match refused{trust}");
        let watch = format!("watch --json --match refused{trust} {url}");
        for line in [publish, watch] {
            let (code, said) = run(folder, &line);
            assert_eq!(code, Some(1), "{line}: {said}");
            let error = format!("error: {url}: certificate of the server: not trusted: ");
            assert!(said.contains(&error), "{line}: {said}");
            assert!(!said.contains("again in"), "it is not tried again: {said}");
        }
    }
}

#[test]
fn an_authority_of_ones_own_vouches_for_a_server() {
    let (_kept, folder) = folder();
    authority(&folder, "ca.pem", Some("server"));
    authority(&folder, "other.pem", None);
    record(&folder);
    let (_server, address, hash) = serve(&folder, "--cert server.pem --key server.key");
    assert_eq!(hash, None);
    publish_and_watch(&folder, &address, "--ca ca.pem");
    refused(&folder, &address, "");
    refused(&folder, &address, " --ca other.pem");
    let named = address.replace("127.0.0.1", "localhost");
    refused(&folder, &named, " --ca ca.pem");
    let (code, said) = run(&folder, &format!("watch --ca source.tape https://{address}/"));
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_known_by_its_hash() {
    let (_kept, folder) = folder();
    record(&folder);
    let (_server, address, hash) = serve(&folder, "--self-signed");
    let hash = hash.unwrap();
    publish_and_watch(&folder, &address, &format!("--certificate {hash}"));
    refused(&folder, &address, "");
    refused(&folder, &address, &format!(" --certificate {}", "0f".repeat(32)));
}
