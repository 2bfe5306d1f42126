//! A live server as arguments.

use gametape_live::Pass;
use gametape_net::{CertificateHash, Trust};

/// How to speak to a live server.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ServerArgs {
    /// The pass to show to the server, as made by `gametape pass`
    #[arg(long, value_name = "PASS")]
    pub(crate) pass: Option<Pass>,

    /// Accept the certificate with this SHA-256 and no other
    #[arg(long, value_name = "HASH", conflicts_with = "insecure")]
    certificate: Option<CertificateHash>,

    /// Accept any certificate: whoever is in between can read and change everything
    #[arg(long)]
    insecure: bool,
}

impl ServerArgs {
    pub(crate) fn trust(&self) -> Trust {
        match self.certificate {
            Some(hash) => Trust::Pinned(hash),
            None if self.insecure => Trust::Anybody,
            None => Trust::Authorities,
        }
    }
}
