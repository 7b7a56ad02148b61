//! The file `state` of a database: the data that is needed before the log is read.

use super::open::PowerLoss;
use crate::error::{Error, Result};
use crate::files::{self, FileSystem};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// The name of the file in the directory of the database.
pub(super) const FILE: &str = "state";
const VERSION: u32 = 2;

/// The data about a database that is needed before its log is read. Every change is written durably.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The version of the database's format. Version 1 is sled alone, without this file.
    version: u32,
    /// The number of the oldest segment that must exist.
    pub oldest: u32,
    /// The process that has the database open; `None` if the database was closed with all its data durable.
    pub session: Option<Session>,
    /// The effects of a power loss. Stored until the database is closed, so that they are not forgotten if a start is
    /// killed.
    #[serde(default)]
    pub power_loss: Option<PowerLoss>,
    /// Whether the index must be rebuilt in any case.
    #[serde(default)]
    pub rebuild_index: bool,
}

/// A process that has the database open, or had it open when it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Session {
    /// The boot of the machine in which the process ran, if the system reports it.
    pub boot: Option<String>,
    /// Whether each of its commits was durable.
    pub power_safe: bool,
}

impl State {
    /// Creates the state of a new database.
    pub fn new() -> Self {
        Self { version: VERSION, oldest: 1, session: None, power_loss: None, rebuild_index: false }
    }

    /// Reads the file; `None` if it does not exist.
    ///
    /// # Errors
    /// `Corrupt` if it cannot be read, `Invalid` if a later version wrote it.
    pub fn read(files: &dyn FileSystem, dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(FILE);
        let content = match files::read(files, &path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            content => content?,
        };
        let state: Self = serde_json::from_slice(&content)
            .map_err(|error| Error::Corrupt(format!("{} cannot be read: {error}", path.display())))?;
        match state.version {
            VERSION => Ok(Some(state)),
            other => Err(Error::Invalid(format!(
                "{} has version {other}, and this program reads version {VERSION}",
                path.display()
            ))),
        }
    }

    /// Writes the file. It is durable on return.
    pub fn write(&self, files: &dyn FileSystem, dir: &Path) -> Result<()> {
        let content = serde_json::to_vec(self).map_err(std::io::Error::from)?;
        Ok(files::replace(files, &dir.join(FILE), &content)?)
    }

    /// Whether the machine lost power or was reset while the database was open, so that unsynced data may be missing.
    pub fn lost_power(&self, boot: Option<&str>) -> bool {
        self.session.as_ref().is_some_and(|session| session.boot.is_none() || session.boot.as_deref() != boot)
    }
}
