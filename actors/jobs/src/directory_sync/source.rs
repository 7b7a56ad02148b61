//! Opens the directory of a tenant, and tests a new one before it is stored.

use providers::Secret;
use providers::directory::{self, Directory, DirectoryError, DirectoryLimits, DirectorySettings};
use storage::records::DirectorySource;
use storage::{Reader, Row, TenantId};

use super::directories::Directories;

/// A directory that a tenant wants to use.
#[derive(Clone, Debug)]
pub struct NewSource {
    /// The address of the directory, and what to search for.
    pub settings: DirectorySettings,
    /// The password or key for the directory.
    pub secret: Secret,
    /// Interval between two scheduled synchronisations, in minutes.
    pub every_minutes: Option<u32>,
}

impl Directories {
    /// Tests the connection and the credentials of a directory.
    ///
    /// # Errors
    /// Returns the reason of the failure, without secrets.
    pub async fn test(&self, new: &NewSource) -> Result<(), DirectoryError> {
        let directory = directory::open(&new.settings, &new.secret, self.config().limits)?;
        directory.test().await
    }
}

/// The stored row of a directory, and the opened directory or the error that prevented opening it.
type OpenedDirectory = (Row<DirectorySource>, Result<Box<dyn Directory>, DirectoryError>);

/// Opens the directory of a tenant. Returns `None` if none is configured.
pub(super) fn open(
    reader: &Reader,
    tenant: TenantId,
    limits: DirectoryLimits,
) -> storage::Result<Option<OpenedDirectory>> {
    let Some(source) = reader.get::<DirectorySource>(tenant, &tenant.0)? else { return Ok(None) };
    let unreadable = |what: &str| storage::Error::Corrupt(format!("the directory's {what} cannot be read"));
    let settings: DirectorySettings =
        serde_json::from_value(source.settings.clone()).map_err(|_| unreadable("settings"))?;
    let secret = reader.get_secret(tenant, DirectorySource::SECRET)?.ok_or_else(|| unreadable("secret"))?;
    let secret = Secret::from(String::from_utf8(secret).map_err(|_| unreadable("secret"))?);
    let directory = directory::open(&settings, &secret, limits);
    Ok(Some((source, directory)))
}
