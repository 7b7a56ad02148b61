//! Failures of providers, as runs end with them.

use providers::ProviderError;
use runs::TerminalError;

/// A provider's failure as a run's: its stable code, the provider's own words and code, and when to try again.
pub fn upstream_error(why: &ProviderError) -> TerminalError {
    TerminalError {
        provider_code: why.code.clone(),
        retry_after_s: why.retry_after_s(),
        ..TerminalError::new(why.stable_code(), &*why.message)
    }
}
