//! Rate limits, by credential and by address.

use super::credentials::Verdict;
use super::state::HttpState;
use crate::config::LimitsConfig;
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest};
use domain::{Caller, Code, Refusal};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;
use uuid::Uuid;

/// How many times as many requests with a key may come as requests in all: most of them are repetitions.
const REPEATED: u32 = 4;
/// The header that names a request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// How often limiters forget those who have been quiet.
const FORGET_EVERY: Duration = Duration::from_secs(60);
/// How often in a minute administrators of a tenant may write to its people.
const BROADCASTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
/// How often in a minute a user may request the list of an assistant's tool servers.
const ASKED: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// What is counted as one caller: an IPv4 address, or the first address of a /64 of IPv6, since an IPv6 caller has a
/// whole network of addresses.
pub(super) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) >> 64 << 64).into()),
        v4 => v4,
    }
}

/// Who counts a request with an `Idempotency-Key` against the caller's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyedRequests {
    /// The route, as all other requests.
    ChargedByRoute,
    /// The handler, once it knows whether the key is new. That is for operations that take an
    /// [`IdempotencyHeader`](super::idempotency::IdempotencyHeader).
    ChargedByHandler,
}

/// Counts a request of a known caller, or refuses it (429). Every route calls this before it reads anything of the request.
///
/// A repetition is answered although the caller has used up the limit, or else a client could not find out what became of
/// its request. So where the handler charges for requests with a key, all of them together have a larger limit of their
/// own here.
pub(super) fn charge(request: &HttpRequest, keyed: KeyedRequests) -> Result<(), Refusal> {
    let Some(state) = request.app_data::<Data<HttpState>>() else { return Err(Code::Internal.into()) };
    let extensions = request.extensions();
    let Some(Verdict::Known(caller)) = extensions.get::<Verdict>() else { return Ok(()) };
    let by_handler = keyed == KeyedRequests::ChargedByHandler;
    match by_handler && request.headers().contains_key(IDEMPOTENCY_KEY) {
        true => state.limits.check(&state.limits.repeated, &caller.credential()),
        false => state.limits.charge(caller),
    }
}

/// The rate limits of a server.
pub struct Limits {
    credentials: DefaultKeyedRateLimiter<Uuid>,
    repeated: DefaultKeyedRateLimiter<Uuid>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    broadcasts: DefaultKeyedRateLimiter<Uuid>,
    asking: DefaultKeyedRateLimiter<Uuid>,
    clock: DefaultClock,
}

impl Limits {
    /// Limiters with the configured rates.
    pub fn new(config: &LimitsConfig) -> Self {
        Self {
            credentials: RateLimiter::keyed(quota(config.credential_per_second, config.credential_burst)),
            repeated: RateLimiter::keyed(quota(
                config.credential_per_second.saturating_mul(REPEATED),
                config.credential_burst.saturating_mul(REPEATED),
            )),
            addresses: RateLimiter::keyed(quota(config.address_per_second, config.address_burst)),
            broadcasts: RateLimiter::keyed(Quota::per_minute(BROADCASTS)),
            asking: RateLimiter::keyed(Quota::per_minute(ASKED)),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request of this caller, or refuses it (429).
    pub fn charge(&self, caller: &Caller) -> Result<(), Refusal> {
        self.check(&self.credentials, &caller.credential())
    }

    /// Counts a request from this address, or refuses it (429). The machine itself is not limited.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), Refusal> {
        match address.to_canonical().is_loopback() {
            true => Ok(()),
            false => self.check(&self.addresses, &network_of(address)),
        }
    }

    /// Counts something that is told to people of a tenant, or refuses it (429).
    pub fn charge_broadcast(&self, tenant: Uuid) -> Result<(), Refusal> {
        self.check(&self.broadcasts, &tenant)
    }

    /// Counts that this user has tool servers asked, or refuses it (429).
    pub fn charge_asking(&self, user: Uuid) -> Result<(), Refusal> {
        self.check(&self.asking, &user)
    }

    fn check<K: Hash + Eq + Clone>(
        &self,
        limiter: &DefaultKeyedRateLimiter<K>,
        key: &K,
    ) -> Result<(), Refusal> {
        limiter.check_key(key).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            Refusal::new(Code::RateLimited).retry_after(wait.as_secs() + 1)
        })
    }

    /// Forgets those who have been quiet, from time to time, for ever.
    pub async fn keep_small(self: std::sync::Arc<Self>) {
        loop {
            tokio::time::sleep(FORGET_EVERY).await;
            self.credentials.retain_recent();
            self.repeated.retain_recent();
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
