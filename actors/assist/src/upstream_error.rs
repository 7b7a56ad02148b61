//! Converts failures of providers to errors of runs.

use providers::ProviderError;
use runs::TerminalError;

/// Converts a provider's failure to the error of a run: with its stable code, the provider's own message and code, and
/// the time of a retry.
pub fn upstream_error(why: &ProviderError) -> TerminalError {
    TerminalError {
        provider_code: why.code.clone(),
        retry_after_s: why.retry_after_s(),
        ..TerminalError::new(why.stable_code(), &*why.message)
    }
}
