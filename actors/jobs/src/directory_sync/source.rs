//! Opening the directory of a tenant, and trying one that is to be set.

use providers::Secret;
use providers::directory::{self, Directory, DirectoryError, DirectoryLimits, DirectorySettings};
use storage::records::DirectorySource;
use storage::{Reader, Row, TenantId};

use super::directories::Directories;

/// A directory that is to be a tenant's.
#[derive(Clone, Debug)]
pub struct NewSource {
    /// Where it is and what is looked for there.
    pub settings: DirectorySettings,
    /// What opens it.
    pub secret: Secret,
    /// Minutes between two synchronisations by the clock.
    pub every_minutes: Option<u32>,
}

impl Directories {
    /// Whether a directory lets us in.
    ///
    /// # Errors
    /// Why it does not, without secrets.
    pub async fn test(&self, new: &NewSource) -> Result<(), DirectoryError> {
        let directory = directory::open(&new.settings, &new.secret, self.config().limits)?;
        directory.test().await
    }
}

/// What is kept of a directory, and the directory, where what is kept opens one.
type OpenedDirectory = (Row<DirectorySource>, Result<Box<dyn Directory>, DirectoryError>);

/// The directory of a tenant, opened; none where there is none.
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
