//! The directory of a tenant: set once it was tried, forgotten, opened.

use super::start::running;
use domain::Refusal;
use providers::Secret;
use providers::directory::{self, Directory, DirectoryError, DirectoryLimits, DirectorySettings};
use storage::records::{DirectorySource, ProviderKey};
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::directories::Directories;
use super::start::live;

/// A directory that is to be a tenant's.
#[derive(Clone, Debug)]
pub struct NewSource {
    /// Where it is and what is looked for there.
    pub settings: DirectorySettings,
    /// What opens it.
    pub secret: Secret,
    /// Minutes between two synchronisations by the clock.
    pub every_minutes: Option<u32>,
    /// Who sets it.
    pub user: Uuid,
}

/// Why a directory is not changed.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A synchronisation with the one there is is under way.
    #[error("a synchronisation is under way")]
    Running(Uuid),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
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

impl NewSource {
    /// Keeps a directory that let us in. What another one offered goes with it; the groups that were chosen stay,
    /// and are looked for in the new one.
    ///
    /// # Errors
    /// A synchronisation is under way, or those of the store.
    pub fn keep(&self, tx: &mut Tx, tenant: TenantId) -> Result<Row<DirectorySource>, SourceError> {
        let before = tx.get::<DirectorySource>(tenant, &tenant.0)?;
        if let Some(before) = &before
            && let Some(running) = live(tx, tenant, before)?
        {
            return Err(SourceError::Running(running));
        }
        let settings = serde_json::to_value(&self.settings);
        let settings = settings.map_err(|why| storage::Error::Invalid(why.to_string()))?;
        let now = Timestamp::now();
        let mut source = DirectorySource {
            kind: self.settings.kind().to_owned(),
            settings,
            masked: ProviderKey::mask(self.secret.expose()),
            set_by: self.user,
            set_at: now,
            tested_at: Some(now),
            every_minutes: self.every_minutes,
            ..DirectorySource::default()
        };
        tx.put_secret(tenant, DirectorySource::SECRET, self.secret.expose().as_bytes())?;
        Ok(match before {
            Some(mut before) => {
                source.sync = before.sync;
                if before.settings == source.settings {
                    (source.offer, source.offered) = (before.offer, before.offered);
                    source.refreshed_at = before.refreshed_at;
                }
                before.body = source;
                tx.update(tenant, before)?
            }
            None => tx.insert(tenant, tenant.0, source)?,
        })
    }
}

/// Forgets the directory of a tenant and what opens it; groups stay as they are. Tells the synchronisation that was
/// under way, which is to be stopped; none where there was no directory.
///
/// # Errors
/// Those of the store.
pub fn forget(tx: &mut Tx, tenant: TenantId) -> storage::Result<Option<Option<Uuid>>> {
    let Some(source) = tx.get::<DirectorySource>(tenant, &tenant.0)? else { return Ok(None) };
    let running = live(tx, tenant, &source)?;
    tx.delete_secret(tenant, DirectorySource::SECRET)?;
    tx.delete::<DirectorySource>(tenant, &tenant.0)?;
    Ok(Some(running))
}

/// What is kept of a directory, and the directory, where what is kept opens one.
type Opened = (Row<DirectorySource>, Result<Box<dyn Directory>, DirectoryError>);

/// The directory of a tenant, opened; none where there is none.
pub(super) fn open(
    reader: &Reader,
    tenant: TenantId,
    limits: DirectoryLimits,
) -> storage::Result<Option<Opened>> {
    let Some(source) = reader.get::<DirectorySource>(tenant, &tenant.0)? else { return Ok(None) };
    let unreadable = |what: &str| storage::Error::Corrupt(format!("the directory's {what} cannot be read"));
    let settings: DirectorySettings =
        serde_json::from_value(source.settings.clone()).map_err(|_| unreadable("settings"))?;
    let secret = reader.get_secret(tenant, DirectorySource::SECRET)?.ok_or_else(|| unreadable("secret"))?;
    let secret = Secret::from(String::from_utf8(secret).map_err(|_| unreadable("secret"))?);
    let directory = directory::open(&settings, &secret, limits);
    Ok(Some((source, directory)))
}

impl From<SourceError> for Refusal {
    fn from(why: SourceError) -> Self {
        match why {
            SourceError::Running(sync) => running(sync),
            SourceError::Storage(why) => why.into(),
        }
    }
}
