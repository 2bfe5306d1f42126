//! Certificates: given ones, and own ones that are made again before they end.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use std::{fmt, io};

use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, SanType};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use sha2::{Digest, Sha256};

/// Browsers take a certificate by its hash for at most 14 days.
const VALID: Duration = Duration::from_secs(13 * 24 * 3600);
/// Clocks of others may be slow.
const EARLIER: Duration = Duration::from_secs(3600);
/// An own certificate is made again when it is this old.
pub(crate) const RENEWED: Duration = Duration::from_secs(6 * 24 * 3600);

/// The certificate of a server.
#[derive(Debug, Clone)]
pub struct Identity {
    current: Arc<Current>,
    /// The names that it is made for again; `None` where it was given.
    names: Option<Vec<String>>,
}

struct Current(RwLock<Arc<CertifiedKey>>);

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

impl Current {
    fn get(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(default_provider())
}

impl Identity {
    /// A certificate of our own, which nobody vouches for: clients know it by its [hash](Self::hash).
    ///
    /// # Errors
    ///
    /// Something that is no name is among the names.
    pub fn self_signed(names: &[String]) -> io::Result<Self> {
        let current = Arc::new(Current(RwLock::new(Arc::new(make(names)?))));
        Ok(Self { current, names: Some(names.to_vec()) })
    }

    /// A certificate with those that vouch for it, and its key, in PEM files.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or has something else in it; the key is not that of the certificate.
    pub fn in_files(certificate: &Path, key: &Path) -> io::Result<Self> {
        let chain = CertificateDer::pem_file_iter(certificate).map_err(io::Error::other)?;
        let chain: Vec<_> = chain.collect::<Result<_, _>>().map_err(io::Error::other)?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(io::Error::other)?;
        if chain.is_empty() {
            return Err(io::Error::other("it has no certificate in it"));
        }
        let certified = certified(chain, key)?;
        let current = Arc::new(Current(RwLock::new(Arc::new(certified))));
        Ok(Self { current, names: None })
    }

    /// The SHA-256 of the certificate, where it is our own: for `serverCertificateHashes` of WebTransport.
    #[must_use]
    pub fn hash(&self) -> Option<String> {
        self.names.as_ref()?;
        let key = self.current.get();
        let digest = Sha256::digest(key.end_entity_cert().ok()?);
        Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Makes the certificate again, where it is our own. Who is connected stays so.
    pub(crate) fn renew(&self) -> io::Result<()> {
        let Some(names) = &self.names else { return Ok(()) };
        let made = Arc::new(make(names)?);
        *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = made;
        Ok(())
    }

    /// What TLS needs, for these protocols above it.
    pub(crate) fn config(&self, protocols: &[&[u8]], is_quic: bool) -> io::Result<ServerConfig> {
        let builder = ServerConfig::builder_with_provider(provider());
        let versions: &[&rustls::SupportedProtocolVersion] = match is_quic {
            true => &[&rustls::version::TLS13],
            false => rustls::ALL_VERSIONS,
        };
        let builder = builder.with_protocol_versions(versions).map_err(io::Error::other)?;
        let resolver = Arc::clone(&self.current) as Arc<dyn ResolvesServerCert>;
        let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Ok(config)
    }
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> io::Result<CertifiedKey> {
    CertifiedKey::from_der(chain, key, &provider()).map_err(io::Error::other)
}

/// A certificate for these names and this machine.
fn make(names: &[String]) -> io::Result<CertifiedKey> {
    let here = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
    for name in here.iter().chain(names) {
        params.subject_alt_names.push(match name.parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName(name.as_str().try_into().map_err(io::Error::other)?),
        });
    }
    let begin = SystemTime::now() - EARLIER;
    (params.not_before, params.not_after) = (begin.into(), (begin + VALID).into());
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(io::Error::other)?;
    let certificate = params.self_signed(&key).map_err(io::Error::other)?;
    let secret = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    certified(vec![certificate.der().clone()], secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_certificate_has_a_hash_and_is_made_again() {
        let identity =
            Identity::self_signed(&["matches.example".into(), "10.0.0.1".into()]).unwrap();
        let first = identity.hash().unwrap();
        assert!(first.len() == 64 && first.bytes().all(|byte| byte.is_ascii_hexdigit()));
        identity.renew().unwrap();
        assert_ne!(identity.hash().unwrap(), first);
        assert_eq!(identity.config(&[b"h3"], true).unwrap().alpn_protocols, [b"h3".to_vec()]);
        assert!(Identity::self_signed(&["ä ö".into()]).is_err());
    }

    #[test]
    fn certificates_in_files_are_read_or_it_is_said_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        let made =
            CertificateParams::new(vec!["localhost".into()]).unwrap().self_signed(&key).unwrap();
        let pem = |name: &str, bytes: &[u8]| {
            use base64::Engine;
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            format!("-----BEGIN {name}-----\n{text}\n-----END {name}-----\n")
        };
        std::fs::write(path("c.pem"), pem("CERTIFICATE", made.der())).unwrap();
        std::fs::write(path("k.pem"), pem("PRIVATE KEY", &key.serialize_der())).unwrap();
        let other = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        std::fs::write(path("o.pem"), pem("PRIVATE KEY", &other.serialize_der())).unwrap();
        std::fs::write(path("empty.pem"), "").unwrap();
        let open =
            |certificate: &str, key: &str| Identity::in_files(&path(certificate), &path(key));
        assert_eq!(open("c.pem", "k.pem").unwrap().hash(), None);
        for (certificate, key) in
            [("c.pem", "o.pem"), ("empty.pem", "k.pem"), ("c.pem", "empty.pem"), ("none", "k.pem")]
        {
            assert!(open(certificate, key).is_err(), "{certificate} {key}");
        }
    }
}
