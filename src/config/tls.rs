//! TLS of the server's own listener.

use serde::Deserialize;
use std::path::PathBuf;

/// The files of the certificate that the server shows. Read at the start, and again on SIGHUP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate with the chain that leads to its authority, in PEM; the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key, in PEM: PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}
