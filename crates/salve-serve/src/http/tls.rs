//! The certificate a gateway shows.
//!
//! In: a chain and a key in PEM. Out: what makes secured connections of plain ones. Never writes the
//! key anywhere, not into an error either.

use crate::gateway::StartError;
use crate::gateway::config::TlsIdentity;
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Makes the acceptor of secured connections.
pub(crate) fn acceptor(identity: &TlsIdentity) -> Result<TlsAcceptor, StartError> {
    let wrong = |why: &str| StartError::Tls { why: why.to_owned() };
    let chain = CertificateDer::pem_slice_iter(&identity.certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| wrong("the certificate file is not PEM"))?;
    if chain.is_empty() {
        return Err(wrong("the certificate file holds no certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(&identity.key)
        .map_err(|_| wrong("the key file holds no private key in PEM"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| wrong(&error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
