//! The certificate a server shows.
//!
//! In: a chain and a key in PEM. Out: what makes secured connections of plain ones. Never writes the
//! key anywhere, not into an error either.

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// A certificate chain and its key, both PEM.
#[derive(Clone)]
pub struct TlsIdentity {
    /// The certificates, the server's own first.
    pub certificates: Vec<u8>,
    /// The private key.
    pub key: Vec<u8>,
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TlsIdentity").finish_non_exhaustive()
    }
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The file of certificates is something else.
    #[error("the certificate file is not PEM")]
    NotPem,
    /// The file of certificates holds none.
    #[error("the certificate file holds no certificate")]
    NoCertificate,
    /// The key file is something else.
    #[error("the key file holds no private key in PEM")]
    NoKey,
    /// Certificate and key do not fit, or cannot be served.
    #[error(transparent)]
    Unusable(rustls::Error),
}

/// Makes the acceptor of secured connections.
pub(super) fn acceptor(identity: &TlsIdentity) -> Result<TlsAcceptor, TlsError> {
    let chain = CertificateDer::pem_slice_iter(&identity.certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| TlsError::NotPem)?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    // The error of the library may quote the file; what is in it is a key.
    let key = PrivateKeyDer::from_pem_slice(&identity.key).map_err(|_| TlsError::NoKey)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(TlsError::Unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
