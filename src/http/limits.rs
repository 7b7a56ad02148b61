//! Rate limits, by credential and by address.

use super::credentials::Caller;
use super::error::{ApiError, Code};
use crate::config::LimitsConfig;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;
use uuid::Uuid;

/// How often limiters forget those who have been quiet.
const FORGET_EVERY: Duration = Duration::from_secs(60);
/// How often in a minute administrators of a tenant may write to its people.
const BROADCASTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
/// How often in a minute somebody may have an assistant's tool servers asked what they offer.
const ASKED: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// The rate limits of a server.
pub struct Limits {
    credentials: DefaultKeyedRateLimiter<Uuid>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    broadcasts: DefaultKeyedRateLimiter<Uuid>,
    asking: DefaultKeyedRateLimiter<Uuid>,
    clock: DefaultClock,
}

impl Limits {
    /// With these rates.
    pub fn new(config: &LimitsConfig) -> Self {
        Self {
            credentials: RateLimiter::keyed(quota(config.credential_per_second, config.credential_burst)),
            addresses: RateLimiter::keyed(quota(config.address_per_second, config.address_burst)),
            broadcasts: RateLimiter::keyed(Quota::per_minute(BROADCASTS)),
            asking: RateLimiter::keyed(Quota::per_minute(ASKED)),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request of this caller, or refuses it (429).
    pub fn charge(&self, caller: &Caller) -> Result<(), ApiError> {
        self.check(&self.credentials, &caller.credential())
    }

    /// Counts a request from this address, or refuses it (429). The machine itself is not limited.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), ApiError> {
        // An IPv6 caller has a whole network of addresses.
        let address = match address.to_canonical() {
            address if address.is_loopback() => return Ok(()),
            IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) >> 64 << 64).into()),
            v4 => v4,
        };
        self.check(&self.addresses, &address)
    }

    /// Counts something that is told to people of a tenant, or refuses it (429).
    pub fn charge_broadcast(&self, tenant: Uuid) -> Result<(), ApiError> {
        self.check(&self.broadcasts, &tenant)
    }

    /// Counts that this user has tool servers asked, or refuses it (429).
    pub fn charge_asking(&self, user: Uuid) -> Result<(), ApiError> {
        self.check(&self.asking, &user)
    }

    fn check<K: Hash + Eq + Clone>(
        &self,
        limiter: &DefaultKeyedRateLimiter<K>,
        key: &K,
    ) -> Result<(), ApiError> {
        limiter.check_key(key).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            ApiError::new(Code::RateLimited).retry_after(wait.as_secs() + 1)
        })
    }

    /// Forgets those who have been quiet, from time to time, for ever.
    pub async fn keep_small(self: std::sync::Arc<Self>) {
        loop {
            tokio::time::sleep(FORGET_EVERY).await;
            self.credentials.retain_recent();
            self.addresses.retain_recent();
            self.broadcasts.retain_recent();
            self.asking.retain_recent();
        }
    }
}

fn quota(per_second: u32, burst: u32) -> Quota {
    let at_least_one = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
    Quota::per_second(at_least_one(per_second)).allow_burst(at_least_one(burst))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_limited_each_for_itself() {
        let mut config = crate::Config::default().limits;
        (config.address_per_second, config.address_burst) = (1, 3);
        let limits = Limits::new(&config);
        let there: IpAddr = "2001:db8::1".parse().unwrap();
        for _ in 0..3 {
            limits.charge_address(there).unwrap();
        }
        // A neighbour in the same network shares its share; another network does not.
        assert!(limits.charge_address("2001:db8::2".parse().unwrap()).is_err());
        limits.charge_address("2001:db8:0:1::1".parse().unwrap()).unwrap();
        for _ in 0..10 {
            limits.charge_address("::ffff:127.0.0.1".parse().unwrap()).unwrap();
        }
    }
}
