//! QUIC endpoints of this machine, with a certificate that nobody checks.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, EndpointConfig, ServerConfig, TokioRuntime};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

/// The protocol that both sides speak.
const ALPN: &[u8] = b"gametape-live-1";
/// Buffers of sockets that thousands share.
const BUFFER: usize = 4 << 20;

fn problem(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::other(error)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn socket() -> io::Result<UdpSocket> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None)?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.set_send_buffer_size(BUFFER)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
    Ok(socket.into())
}

/// A server at any free port.
pub(super) fn server() -> io::Result<Endpoint> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).map_err(problem)?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let builder = rustls::ServerConfig::builder_with_provider(provider());
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]).map_err(problem)?;
    let builder = builder.with_no_client_auth();
    let mut tls =
        builder.with_single_cert(vec![made.cert.der().clone()], key.into()).map_err(problem)?;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let crypto = QuicServerConfig::try_from(tls).map_err(problem)?;
    let config = ServerConfig::with_crypto(Arc::new(crypto));
    Endpoint::new(EndpointConfig::default(), Some(config), socket()?, Arc::new(TokioRuntime))
}

/// A client that takes any certificate.
pub(super) fn client() -> io::Result<Endpoint> {
    let builder = rustls::ClientConfig::builder_with_provider(provider());
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]).map_err(problem)?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody));
    let mut tls = builder.with_no_client_auth();
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let crypto = QuicClientConfig::try_from(tls).map_err(problem)?;
    let mut endpoint =
        Endpoint::new(EndpointConfig::default(), None, socket()?, Arc::new(TokioRuntime))?;
    endpoint.set_default_client_config(ClientConfig::new(Arc::new(crypto)));
    Ok(endpoint)
}

/// Takes any certificate: both ends are this program.
#[derive(Debug)]
struct Anybody;

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = provider().signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = provider().signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}
