//! TLS of the listener: certificates are read from files and can be replaced while the server is running.

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

/// The files of the server's certificate. They are read at startup, and again on SIGHUP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate chain in PEM format, beginning with the server's own certificate.
    pub certificate: PathBuf,
    /// The private key in PEM format: PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}

/// The certificate that the listener presents to new connections. Replacing it does not affect open connections.
#[derive(Debug)]
pub(crate) struct Certificates {
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    /// Reads the certificate and the key.
    ///
    /// # Errors
    /// A file cannot be read or contains no PEM data of the expected kind, or the key does not belong to the
    /// certificate. The message names the setting and the file.
    pub fn read(files: &TlsConfig) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self { current: RwLock::new(Arc::new(certified(files)?)) }))
    }

    /// Presents the other's certificate to new connections.
    pub fn replace_with(&self, other: &Self) {
        let certificate = other.current.read().clone();
        *self.current.write() = certificate;
    }

    /// The TLS settings of the listener. The HTTP server adds the offered protocols (ALPN).
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
