//! Decides whether a failed attempt is retried, and when.

use std::time::Duration;

use rand::Rng;

use crate::graph::Policy;
use crate::nodes::NodeError;

/// Whether another attempt may follow this failure and `failures` earlier ones: the policy allows that many attempts, no effect
/// can happen twice, and the policy lists the error.
pub fn may_retry(policy: &Policy, failures: u32, why: &NodeError) -> bool {
    let harmless = policy.effect.may_repeat() || why.unsent;
    failures < policy.retry.max && harmless && why.is_named_by(&policy.retry.on)
}

/// Returns the pause before the attempt that follows `failures` + 1 failures. `requested` is the pause that the server asked for.
pub fn delay(policy: &Policy, failures: u32, requested: Option<Duration>) -> Duration {
    let retry = &policy.retry;
    let exponent = i32::try_from(failures).unwrap_or(i32::MAX);
    let grown = (retry.base_ms as f64 * retry.factor.powi(exponent)).min(retry.max_ms as f64);
    let spread = retry.jitter.clamp(0.0, 1.0);
    let chance = rand::rng().random_range(1.0 - spread..=1.0 + spread);
    let own = Duration::from_millis((grown * chance) as u64);
    // The server may ask for a longer pause, up to the maximum of the policy.
    let longest = Duration::from_millis(retry.max_ms.max(retry.base_ms));
    own.max(requested.unwrap_or_default()).min(longest).max(own)
}
