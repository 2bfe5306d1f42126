//! A live server as arguments.

use std::fs;
use std::path::Path;

use gametape_live::Pass;
use gametape_net::{Authority, CertificateHash, Trust};

/// How to speak to a live server.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ServerArgs {
    /// The pass to show to the server, as made by `gametape pass`
    #[arg(long, value_name = "PASS")]
    pub(crate) pass: Option<Pass>,

    /// Accept certificates that are signed by those in this file (PEM), and no others
    #[arg(long, value_name = "FILE", value_parser = authority, conflicts_with_all = ["certificate", "insecure"])]
    ca: Option<Authority>,

    /// Accept the certificate with this SHA-256 and no other
    #[arg(long, value_name = "HASH", conflicts_with = "insecure")]
    certificate: Option<CertificateHash>,

    /// Accept any certificate: whoever is in between can read and change everything
    #[arg(long)]
    insecure: bool,
}

impl ServerArgs {
    pub(crate) fn trust(&self) -> Trust {
        match (self.certificate, &self.ca) {
            (Some(hash), _) => Trust::Pinned(hash),
            (None, Some(authority)) => Trust::Authority(authority.clone()),
            (None, None) if self.insecure => Trust::Anybody,
            (None, None) => Trust::Authorities,
        }
    }
}

/// The authority in a file.
fn authority(path: &str) -> Result<Authority, String> {
    let pem = fs::read(Path::new(path)).map_err(|error| error.to_string())?;
    Authority::read(&pem).map_err(|error| error.to_string())
}
