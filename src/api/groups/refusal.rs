//! How refusals of directories are told over HTTP.

use actors::directory_sync::{RefreshError, SelectError, SourceError, SyncStartError};
use providers::directory::{DirectoryError, DirectoryErrorKind};
use uuid::Uuid;

use crate::http::{ApiError, Code, Fault};

/// 409: a synchronisation is under way; the answer names it.
fn running(sync: Uuid) -> ApiError {
    ApiError::new(Code::SyncRunning).extra("sync_id", sync.to_string())
}

/// A directory that was tried, and that refused the login: what is wrong is in the request.
pub fn refused(at: &[&'static str], why: &DirectoryError) -> ApiError {
    let loc = at.iter().copied().chain(match why.kind {
        DirectoryErrorKind::Refused => ["secret"],
        _ => ["directory"],
    });
    ApiError::invalid("body", loc, why.message.clone(), why.kind.code())
}

impl From<SyncStartError> for ApiError {
    fn from(why: SyncStartError) -> Self {
        match why {
            SyncStartError::Start(why) => why.into(),
            SyncStartError::NoDirectory => Code::NoDirectory.into(),
            SyncStartError::Running(sync) => running(sync),
        }
    }
}

impl From<SourceError> for ApiError {
    fn from(why: SourceError) -> Self {
        match why {
            SourceError::Running(sync) => running(sync),
            SourceError::Storage(why) => why.into(),
        }
    }
}

impl From<RefreshError> for ApiError {
    fn from(why: RefreshError) -> Self {
        match why {
            RefreshError::NoDirectory => Code::NoDirectory.into(),
            RefreshError::Running => {
                Self::new(Code::Conflict).detail("the list is being fetched already").retry_after(5)
            }
            RefreshError::Changed => Self::new(Code::Conflict).detail("the directory was changed meanwhile"),
            RefreshError::Directory(why) => {
                Self::new(Code::DirectoryFailed).detail(why.message).extra("reason", why.kind.code())
            }
            RefreshError::Storage(why) => why.into(),
        }
    }
}

impl From<SelectError> for ApiError {
    fn from(why: SelectError) -> Self {
        match why {
            SelectError::Unknown(places) => Self::faulty(places.into_iter().map(unknown).collect()),
            SelectError::Storage(why) => why.into(),
        }
    }
}

fn unknown(at: usize) -> Fault {
    let msg = "the directory offers no such group; has its list been fetched?";
    Fault::new("body", ["group_ids", &at.to_string()], msg, "not_found")
}
