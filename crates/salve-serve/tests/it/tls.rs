//! A gateway that shows a certificate. The one here is for these tests alone.

use super::stage::{FakeUpstream, config, gateway, raw, text};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use salve_serve::gateway::{Gateway, StartError};
use salve_serve::http::{ListenError, TlsIdentity};
use std::sync::Arc;
use tokio_rustls::TlsConnector;

pub(crate) const CERTIFICATE: &[u8] = include_bytes!("tls/certificate.pem");
pub(crate) const KEY: &[u8] = include_bytes!("tls/key.pem");

pub(crate) fn identity(certificates: &[u8], key: &[u8]) -> Option<TlsIdentity> {
    Some(TlsIdentity { certificates: certificates.to_vec(), key: key.to_vec() })
}

/// Makes what trusts this certificate and no other.
pub(crate) fn trusting() -> TlsConnector {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn requests_are_answered_over_tls_and_plain_ones_are_not() {
    let upstream = FakeUpstream::start(|_, _| text(200, "{\"data\":[]}")).await;
    let mut config = config(&upstream);
    config.server.tls = identity(CERTIFICATE, KEY);
    let gateway = gateway(config).await;
    let trusted = reqwest::Certificate::from_pem(CERTIFICATE).unwrap();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([trusted]).build().unwrap();
    let url = format!("https://localhost:{}/v1/models", gateway.addr.port());
    let response = client.get(url).send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "{\"data\":[]}");
    let answer = raw(gateway.addr, b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(!answer.starts_with("HTTP/"), "{answer}");
    assert_eq!(upstream.calls(), 1);
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_refused_at_the_start() {
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    for (certificates, key) in [(&b""[..], KEY), (CERTIFICATE, b"nothing"), (b"nothing", b"")] {
        let mut config = config(&upstream);
        config.server.tls = identity(certificates, key);
        let error = Gateway::start(config).await.unwrap_err();
        assert!(matches!(error, StartError::Listen(ListenError::Tls(_))), "{error}");
    }
}
