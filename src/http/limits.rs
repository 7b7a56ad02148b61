//! Rate limits by credential and by address.

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

/// The factor by which the limit on requests with a key exceeds the limit on all requests: most of them are
/// repetitions.
const REPEATED: u32 = 4;
/// The header that contains the key of a request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The interval at which limiters drop idle callers.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);
/// The number of messages per minute that administrators of a tenant may send to its members.
const BROADCASTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
/// The number of times per minute that a user may request the list of an assistant's tool servers.
const TOOL_LISTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// The address that is counted as one caller: an IPv4 address, or the first address of a /64 of IPv6, because an IPv6
/// caller has a whole network of addresses.
pub(super) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) >> 64 << 64).into()),
        v4 => v4,
    }
}

/// The component that counts a request with an `Idempotency-Key` against the caller's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyedRequests {
    /// The route, as for all other requests.
    ChargedByRoute,
    /// The handler, once it knows whether the key is new. Applies to operations that take an
    /// [`IdempotencyHeader`](super::idempotency::IdempotencyHeader).
    ChargedByHandler,
}

/// Counts a request of a known caller, or refuses it (429). Every route calls this before it reads any of the request.
///
/// A repetition is answered even if the caller has exhausted the limit. Otherwise a client could not find out the
/// outcome of its request. If the handler charges for requests with a key, these requests therefore share a separate,
/// larger limit here.
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
            asking: RateLimiter::keyed(Quota::per_minute(TOOL_LISTS)),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request of this caller, or refuses it (429).
    pub fn charge(&self, caller: &Caller) -> Result<(), Refusal> {
        self.check(&self.credentials, &caller.credential())
    }

    /// Counts a request from this address, or refuses it (429). Loopback addresses are not limited.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), Refusal> {
        match address.to_canonical().is_loopback() {
            true => Ok(()),
            false => self.check(&self.addresses, &network_of(address)),
        }
    }

    /// Counts a message to members of a tenant, or refuses it (429).
    pub fn charge_broadcast(&self, tenant: Uuid) -> Result<(), Refusal> {
        self.check(&self.broadcasts, &tenant)
    }

    /// Counts a request for the tools of tool servers by this user, or refuses it (429).
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

    /// Drops idle callers periodically. Never returns.
    pub async fn drop_idle_callers(self: std::sync::Arc<Self>) {
        loop {
            tokio::time::sleep(CLEANUP_INTERVAL).await;
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
