//! Whom to trust: certificates of servers.

use std::str::FromStr;
use std::sync::Arc;

use gametape_wire::{Error, ErrorKind, Place, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use sha2::{Digest, Sha256};

/// Which certificates of servers are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// Those that a well-known authority signed.
    #[default]
    Authorities,
    /// Those that this authority signed, and no others.
    Authority(Authority),
    /// The one with this hash, and no other.
    Pinned(CertificateHash),
    /// Any: whoever is in between can read and change everything.
    Anybody,
}

/// Who vouches for the certificates of servers, as one or more certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority(Vec<CertificateDer<'static>>);

impl Authority {
    /// The certificates in the text of a PEM file. A certificate that nobody else signed vouches for itself.
    pub fn read(pem: &[u8]) -> Result<Self> {
        let bad = |problem: String| {
            Error::at(0, "certificate", ErrorKind::BadSyntax { problem: problem.into() })
        };
        let found: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|error| bad(error.to_string()))?;
        if found.is_empty() {
            return Err(bad("there is none in it".to_owned()));
        }
        let authority = Self(found);
        authority.roots().map(|_| authority)
    }

    fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        for certificate in &self.0 {
            let added = roots.add(certificate.clone());
            added.map_err(|error| Error::misuse("certificate", error.to_string()))?;
        }
        Ok(roots)
    }
}

/// What is wrong where a certificate is not accepted.
const CERTIFICATE: &str = "certificate of the server";

/// The other side has a certificate that is not accepted.
pub(crate) fn untrusted(why: impl std::fmt::Display) -> Error {
    let problem = format!("not trusted: {why}").into();
    Error::new(Place::Nowhere, CERTIFICATE, ErrorKind::Io { problem })
}

/// Is it so? Then to try again does not help.
pub(crate) fn is_untrusted(error: &Error) -> bool {
    error.item() == CERTIFICATE
}

/// The SHA-256 of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CertificateHash(pub [u8; 32]);

impl FromStr for CertificateHash {
    type Err = Error;

    /// 64 hexadecimal digits; colons between them do not matter.
    fn from_str(text: &str) -> Result<Self> {
        let digits: Option<Vec<u8>> = text
            .chars()
            .filter(|c| *c != ':')
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        let bytes = digits.filter(|digits| digits.len() == 64).and_then(|digits| {
            let pairs = digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low);
            <[u8; 32]>::try_from(pairs.collect::<Vec<u8>>()).ok()
        });
        let problem = "the hash of a certificate is 64 hexadecimal digits".into();
        let bad = || Error::at(0, "certificate", ErrorKind::BadSyntax { problem });
        bytes.map(Self).ok_or_else(bad)
    }
}

impl Trust {
    /// What rustls needs to know, for a protocol.
    pub(crate) fn config(&self, alpn: &[u8]) -> Result<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::misuse("TLS", error.to_string()))?;
        let mut config = match self {
            Self::Authorities => {
                let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
                builder.with_root_certificates(RootCertStore { roots }).with_no_client_auth()
            }
            Self::Authority(authority) => {
                builder.with_root_certificates(authority.roots()?).with_no_client_auth()
            }
            Self::Pinned(_) | Self::Anybody => {
                let hash = match self {
                    Self::Pinned(hash) => Some(*hash),
                    _ => None,
                };
                let verifier = Arc::new(Known { hash, algorithms });
                let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
                builder.with_no_client_auth()
            }
        };
        config.alpn_protocols = vec![alpn.to_vec()];
        Ok(config)
    }
}

/// Accepts the certificate with a hash, or any; who has it must still prove that the key is his.
#[derive(Debug)]
struct Known {
    hash: Option<CertificateHash>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Known {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let found = Sha256::digest(end_entity);
        match self.hash {
            Some(hash) if hash.0[..] != found[..] => {
                Err(CertificateError::ApplicationVerificationFailure.into())
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_is_read_or_it_is_said_what_is_wrong() {
        assert!(Authority::read(b"").unwrap_err().to_string().contains("there is none in it"));
        let wrong = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(Authority::read(wrong.as_bytes()).is_err());
        assert!(Authority::read(b"-----BEGIN CERTIFICATE-----\nAAAA\n").is_err());
    }

    #[test]
    fn hashes_are_read_with_and_without_colons() {
        let plain = "0f".repeat(32);
        let colons = ["0F"; 32].join(":");
        assert_eq!(plain.parse::<CertificateHash>().unwrap(), CertificateHash([0x0F; 32]));
        assert_eq!(colons.parse::<CertificateHash>().unwrap(), CertificateHash([0x0F; 32]));
        for wrong in ["", "0f", &plain[1..], &format!("{plain}00"), &"zz".repeat(32)] {
            assert!(wrong.parse::<CertificateHash>().is_err(), "{wrong}");
        }
    }
}
