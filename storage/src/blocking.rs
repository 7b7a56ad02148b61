//! Runs blocking work on threads that may wait for the disk.

use crate::error::{Error, Result};

/// Runs a closure on the blocking pool. A panic is resumed in the caller.
pub(crate) async fn blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    match tasks::blocking(f).await {
        Ok(value) => Ok(value),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::Closed),
        },
    }
}
