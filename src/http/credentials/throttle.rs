//! How often logging in may fail.

use crate::config::AuthConfig;
use crate::http::error::{ApiError, Code};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Entries beyond this are swept, oldest windows first.
const MOST_ENTRIES: usize = 100_000;

/// Counts failed logins by account and by address. An attempt counts as failed from its start
/// until it succeeds, so that many at once are no way around the limit.
pub struct LoginThrottle {
    accounts: Counter<String>,
    addresses: Counter<IpAddr>,
}

impl LoginThrottle {
    /// With these limits.
    pub fn new(config: &AuthConfig) -> Self {
        let window = Duration::from_secs(config.failures_minutes * 60);
        Self {
            accounts: Counter::new(config.failures_per_account, window),
            addresses: Counter::new(config.failures_per_address, window),
        }
    }

    /// Begins an attempt, or refuses it (429).
    pub fn begin(&self, account: &str, address: Option<IpAddr>) -> Result<(), ApiError> {
        let wait = address.and_then(|address| self.addresses.add(address));
        let wait = wait.max(self.accounts.add(account.to_owned()));
        match wait {
            None => Ok(()),
            Some(wait) => Err(ApiError::new(Code::LoginThrottled).retry_after(wait.as_secs() + 1)),
        }
    }

    /// Begins an attempt that concerns no account, or refuses it (429).
    pub fn begin_at(&self, address: Option<IpAddr>) -> Result<(), ApiError> {
        match address.and_then(|address| self.addresses.add(address)) {
            None => Ok(()),
            Some(wait) => Err(ApiError::new(Code::LoginThrottled).retry_after(wait.as_secs() + 1)),
        }
    }

    /// An attempt that concerns no account has succeeded.
    pub fn succeeded_at(&self, address: Option<IpAddr>) {
        if let Some(address) = address {
            self.addresses.take_back(&address);
        }
    }

    /// The attempt has succeeded: the account is clean, and the address gets this one back.
    pub fn succeeded(&self, account: &str, address: Option<IpAddr>) {
        self.accounts.forget(account);
        if let Some(address) = address {
            self.addresses.take_back(&address);
        }
    }
}

struct Counter<K> {
    most: u32,
    window: Duration,
    seen: Mutex<HashMap<K, (Instant, u32)>>,
}

impl<K: Hash + Eq> Counter<K> {
    fn new(most: u32, window: Duration) -> Self {
        Self { most, window, seen: Mutex::default() }
    }

    /// Counts one; when there are too many, how long to wait instead.
    fn add(&self, key: K) -> Option<Duration> {
        let now = Instant::now();
        let mut seen = self.seen.lock();
        if seen.len() >= MOST_ENTRIES {
            seen.retain(|_, (began, _)| now.duration_since(*began) < self.window / 2);
        }
        let (began, count) = seen.entry(key).or_insert((now, 0));
        if now.duration_since(*began) >= self.window {
            (*began, *count) = (now, 0);
        }
        if *count >= self.most {
            return Some(self.window - now.duration_since(*began));
        }
        *count += 1;
        None
    }

    fn forget<Q: Hash + Eq + ?Sized>(&self, key: &Q)
    where
        K: std::borrow::Borrow<Q>,
    {
        self.seen.lock().remove(key);
    }

    fn take_back(&self, key: &K) {
        if let Some((_, count)) = self.seen.lock().get_mut(key) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> LoginThrottle {
        let mut config = crate::Config::default().auth;
        (config.failures_per_account, config.failures_per_address) = (3, 5);
        LoginThrottle::new(&config)
    }

    #[test]
    fn failures_of_an_account_are_limited() {
        let throttle = throttle();
        for _ in 0..3 {
            throttle.begin("a@b", None).unwrap();
        }
        let refusal = throttle.begin("a@b", None).unwrap_err();
        assert_eq!(refusal.code(), Code::LoginThrottled);
        throttle.begin("c@d", None).unwrap();
    }

    #[test]
    fn successes_do_not_count() {
        let (throttle, address) = (throttle(), Some(IpAddr::from([10, 0, 0, 1])));
        for _ in 0..20 {
            throttle.begin("a@b", address).unwrap();
            throttle.succeeded("a@b", address);
        }
        for n in 0..5 {
            throttle.begin(&format!("x{n}"), address).unwrap();
        }
        assert!(throttle.begin("y", address).is_err());
        throttle.begin("y", Some(IpAddr::from([10, 0, 0, 2]))).unwrap();
    }
}
