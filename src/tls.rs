//! TLS of the listener: certificates from files, exchanged while the server runs.

use parking_lot::RwLock;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{Error, InconsistentKeys, ServerConfig};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of the certificate that the server shows. Read at the start, and again on SIGHUP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate with the chain that leads to its authority, in PEM; the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key, in PEM: PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}

/// The certificate that the listener shows to new connections. Exchanging it leaves open connections alone.
#[derive(Debug)]
pub(crate) struct Certificates {
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// A file that cannot be read or holds no PEM of its kind, or a key that does not belong to the certificate; the
    /// text names the setting and the file.
    pub fn read(files: &TlsConfig) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self { current: RwLock::new(Arc::new(certified(files)?)) }))
    }

    /// Shows the other's certificate to new connections.
    pub fn replace_with(&self, other: &Self) {
        let certificate = other.current.read().clone();
        *self.current.write() = certificate;
    }

    /// The settings of the listener. The HTTP server adds the protocols it offers (ALPN).
    pub fn server_config(self: &Arc<Self>) -> Result<ServerConfig, Error> {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        Ok(config)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.read().clone())
    }
}

fn certified(files: &TlsConfig) -> Result<CertifiedKey, String> {
    let TlsConfig { certificate, key } = files;
    let wrong = |setting: &str, file: &Path, what: String| {
        format!("server.tls.{setting}: {}: {what}", file.display())
    };
    let chain =
        CertificateDer::pem_file_iter(certificate).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let chain = chain.map_err(|error| wrong("certificate", certificate, in_words(&error, "certificate")))?;
    if chain.is_empty() {
        return Err(wrong(
            "certificate",
            certificate,
            "contains no certificate (PEM is expected)".to_owned(),
        ));
    }
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| wrong("key", key, in_words(&error, "private key")))?;
    CertifiedKey::from_der(chain, private, &ring::default_provider()).map_err(|error| match error {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => wrong(
            "key",
            key,
            format!("this key does not belong to the certificate in {}", certificate.display()),
        ),
        Error::InvalidCertificate(error) => wrong("certificate", certificate, format!("{error:?}")),
        other => wrong("key", key, other.to_string()),
    })
}

fn in_words(error: &PemError, expected: &str) -> String {
    match error {
        PemError::Io(error) => format!("cannot be read: {error}"),
        PemError::NoItemsFound => format!("contains no {expected} (PEM is expected)"),
        _ => format!("is not a {expected} in PEM"),
    }
}
