//! Work that waits for the disk, on threads that may wait.

use crate::error::{Error, Result};

/// Runs on the blocking pool; a panic goes on in the caller.
pub(crate) async fn blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    match tasks::blocking(f).await {
        Ok(value) => Ok(value),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::Closed),
        },
    }
}
