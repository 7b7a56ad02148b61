//! How often logging in may fail.

use crate::config::AuthConfig;
use crate::http::limits::network_of;
use domain::{Code, Refusal};
use lru::LruCache;
use parking_lot::Mutex;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use storage::records::User;

/// Entries of each table. The least recently used one makes room, so that a table neither grows nor has to be swept.
const ENTRIES: NonZeroUsize = NonZeroUsize::MIN.saturating_add((1 << 16) - 1);
/// Attempts that a network may make on an account that is being attacked from elsewhere.
const SLOWED: u32 = 1;

/// Counts failed logins. An attempt counts as failed from its start until it succeeds, so that many at once are no way
/// around the limits; one that is refused counts for nothing.
///
/// What is limited is the pair of account and network (an IPv4 address, or a /64 of IPv6), so that failing from
/// elsewhere locks no one out. Against guesses from very many networks, each network that has never logged
/// in to the account gets fewer attempts while the account is over its own limit. A network in which attempts on many
/// accounts fail may try no further accounts, except those that have logged in from it before.
pub struct LoginThrottle {
    tables: Mutex<Tables>,
    hasher: RandomState,
    per_pair: u32,
    per_account: u32,
    per_network: u32,
}

/// Keys are hashes, so that long made-up addresses take no memory.
struct Tables {
    pairs: Counter,
    accounts: Counter,
    networks: Counter,
    /// Pairs that have logged in. Failures never take their room.
    known: LruCache<u64, ()>,
}

/// An attempt to log in. Unless it is decided, it counts as failed.
#[must_use]
pub struct Attempt<'t> {
    throttle: &'t LoginThrottle,
    keys: Keys,
    /// Whether it counts for the network, too.
    foreign: bool,
}

#[derive(Clone, Copy)]
struct Keys {
    pair: u64,
    account: u64,
    network: u64,
}

impl LoginThrottle {
    /// A throttle with the configured limits.
    pub fn new(config: &AuthConfig) -> Self {
        let window = Duration::from_secs(config.failures_minutes * 60);
        let tables = Tables {
            pairs: Counter::new(window),
            accounts: Counter::new(window),
            networks: Counter::new(window),
            known: LruCache::new(ENTRIES),
        };
        Self {
            tables: Mutex::new(tables),
            hasher: RandomState::new(),
            per_pair: config.failures_per_account,
            per_account: config.failures_per_account_everywhere,
            per_network: config.failures_per_address,
        }
    }

    /// Begins an attempt, or refuses it (429).
    pub fn begin(&self, email: &str, address: Option<IpAddr>) -> Result<Attempt<'_>, Refusal> {
        let (keys, now) = (self.keys(email, address), Instant::now());
        let mut tables = self.tables.lock();
        let foreign = tables.known.get(&keys.pair).is_none();
        let attacked = foreign && tables.accounts.reached(keys.account, self.per_account, now).is_some();
        let most = if attacked { SLOWED.min(self.per_pair) } else { self.per_pair };
        let wait = tables.pairs.reached(keys.pair, most, now);
        let crowded = foreign.then(|| tables.networks.reached(keys.network, self.per_network, now)).flatten();
        if let Some(wait) = wait.or(crowded) {
            return Err(refusal(wait));
        }
        tables.pairs.add(keys.pair, now);
        tables.accounts.add(keys.account, now);
        if foreign {
            tables.networks.add(keys.network, now);
        }
        Ok(Attempt { throttle: self, keys, foreign })
    }

    /// Begins an attempt that concerns no account, or refuses it (429).
    pub fn begin_at(&self, address: Option<IpAddr>) -> Result<(), Refusal> {
        let (network, now) = (self.hash(network(address)), Instant::now());
        let mut tables = self.tables.lock();
        if let Some(wait) = tables.networks.reached(network, self.per_network, now) {
            return Err(refusal(wait));
        }
        tables.networks.add(network, now);
        Ok(())
    }

    /// An attempt that concerns no account has succeeded.
    pub fn succeeded_at(&self, address: Option<IpAddr>) {
        let network = self.hash(network(address));
        self.tables.lock().networks.take_back(network);
    }

    /// The caller has proved to have the account: earlier failures of their network do not count any more.
    pub fn succeeded(&self, email: &str, address: Option<IpAddr>) {
        let keys = self.keys(email, address);
        let mut tables = self.tables.lock();
        tables.pairs.forget(keys.pair);
        tables.known.put(keys.pair, ());
    }

    fn keys(&self, email: &str, address: Option<IpAddr>) -> Keys {
        let (account, network) = (self.hash(User::normal_email(email)), self.hash(network(address)));
        Keys { pair: self.hash((account, network)), account, network }
    }

    fn hash(&self, key: impl Hash) -> u64 {
        self.hasher.hash_one(key)
    }
}

impl Attempt<'_> {
    /// Decides it by what was found out. A proof makes the account clean for this network; an error, which proves
    /// nothing, takes the attempt back.
    pub fn decide<T>(self, checked: Result<Option<T>, Refusal>) -> Result<Option<T>, Refusal> {
        let Self { throttle, keys, foreign } = self;
        if matches!(checked, Ok(None)) {
            return checked;
        }
        let mut tables = throttle.tables.lock();
        tables.accounts.take_back(keys.account);
        if foreign {
            tables.networks.take_back(keys.network);
        }
        match &checked {
            Err(_) => tables.pairs.take_back(keys.pair),
            Ok(_) => {
                tables.pairs.forget(keys.pair);
                tables.known.put(keys.pair, ());
            }
        }
        checked
    }
}

/// Counts sign-ups and emails, by their address and by the network. Each address counts for itself,
/// whatever the network, so that a mailbox cannot be flooded from many networks.
pub struct SignUpThrottle {
    tables: Mutex<(Counter, Counter)>,
    hasher: RandomState,
    per_account: u32,
    per_network: u32,
}

impl SignUpThrottle {
    /// A throttle with the configured limits.
    pub fn new(config: &AuthConfig) -> Self {
        let window = Duration::from_secs(config.failures_minutes * 60);
        Self {
            tables: Mutex::new((Counter::new(window), Counter::new(window))),
            hasher: RandomState::new(),
            per_account: config.failures_per_account,
            per_network: config.failures_per_address,
        }
    }

    /// Counts one, or refuses it (429); what is refused counts for nothing.
    pub fn begin(&self, email: &str, address: Option<IpAddr>) -> Result<(), Refusal> {
        let account = self.hasher.hash_one(User::normal_email(email));
        let (network, now) = (self.hasher.hash_one(network(address)), Instant::now());
        let (accounts, networks) = &mut *self.tables.lock();
        let wait = networks.reached(network, self.per_network, now);
        if let Some(wait) = wait.or_else(|| accounts.reached(account, self.per_account, now)) {
            return Err(refusal(wait));
        }
        accounts.add(account, now);
        networks.add(network, now);
        Ok(())
    }
}

/// What is counted together: callers whose address is not known count as one network.
fn network(address: Option<IpAddr>) -> IpAddr {
    network_of(address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

fn refusal(wait: Duration) -> Refusal {
    Refusal::new(Code::LoginThrottled).retry_after(wait.as_secs() + 1)
}

/// Counts within windows that begin with the first count. Every operation takes constant time.
struct Counter {
    window: Duration,
    seen: LruCache<u64, (Instant, u32)>,
}

impl Counter {
    fn new(window: Duration) -> Self {
        Self { window, seen: LruCache::new(ENTRIES) }
    }

    /// How long to wait, if there are as many as there may be.
    fn reached(&mut self, key: u64, most: u32, now: Instant) -> Option<Duration> {
        if most == 0 {
            return Some(self.window);
        }
        let (began, count) = *self.seen.get(&key)?;
        let remaining =
            self.window.checked_sub(now.duration_since(began)).filter(|remaining| !remaining.is_zero())?;
        (count >= most).then_some(remaining)
    }

    fn add(&mut self, key: u64, now: Instant) {
        let window = self.window;
        let (began, count) = self.seen.get_or_insert_mut(key, || (now, 0));
        if now.duration_since(*began) >= window {
            (*began, *count) = (now, 0);
        }
        *count += 1;
    }

    fn take_back(&mut self, key: u64) {
        if let Some((_, count)) = self.seen.get_mut(&key) {
            *count = count.saturating_sub(1);
        }
    }

    fn forget(&mut self, key: u64) {
        self.seen.pop(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(per_pair: u32, per_account: u32, per_network: u32) -> LoginThrottle {
        let mut config = crate::Config::default().auth;
        config.failures_per_account = per_pair;
        config.failures_per_account_everywhere = per_account;
        config.failures_per_address = per_network;
        LoginThrottle::new(&config)
    }

    fn at(n: u32) -> Option<IpAddr> {
        Some(Ipv4Addr::from(0x0a00_0000 + n).into())
    }

    fn fail(throttle: &LoginThrottle, email: &str, address: Option<IpAddr>) -> bool {
        throttle.begin(email, address).is_ok()
    }

    fn succeed(throttle: &LoginThrottle, email: &str, address: Option<IpAddr>) {
        throttle.begin(email, address).unwrap().decide(Ok(Some(()))).unwrap();
    }

    #[test]
    fn failures_from_one_network_do_not_count_for_another() {
        let throttle = throttle(3, 1_000, 1_000);
        assert_eq!((0..10).filter(|_| fail(&throttle, "a@b", at(1))).count(), 3);
        assert_eq!(throttle.begin("A@b", at(1)).err().unwrap().code(), Code::LoginThrottled);
        succeed(&throttle, "a@b", at(2));
        succeed(&throttle, "c@d", at(1));
    }

    #[test]
    fn an_account_under_attack_stays_open_to_networks_that_have_not_failed() {
        let throttle = throttle(5, 20, 1_000);
        succeed(&throttle, "a@b", at(0));
        let guesses = |n: u32| (0..10).filter(|_| fail(&throttle, "a@b", at(n))).count();
        assert_eq!((1..=4).map(guesses).sum::<usize>(), 20);
        // From here on a network that was never logged in from gets one attempt, and one that was gets them all.
        assert_eq!((5..105).map(guesses).sum::<usize>(), 100);
        succeed(&throttle, "a@b", at(200));
        assert_eq!(guesses(0), 5);
    }

    #[test]
    fn refused_attempts_count_for_nothing() {
        let throttle = throttle(3, 1_000, 5);
        for _ in 0..100 {
            fail(&throttle, "a@b", at(1));
        }
        // The account took 3 of the 5 attempts of the network, and not 100.
        assert!(fail(&throttle, "x", at(1)) && fail(&throttle, "y", at(1)) && !fail(&throttle, "z", at(1)));
        let throttle = self::throttle(3, 3, 0);
        for _ in 0..100 {
            fail(&throttle, "a@b", at(1));
        }
        let tables = throttle.tables.lock();
        assert!(tables.accounts.seen.is_empty() && tables.pairs.seen.is_empty());
    }

    #[test]
    fn an_account_that_has_logged_in_from_a_network_is_not_refused_because_of_others_there() {
        let throttle = throttle(3, 1_000, 5);
        succeed(&throttle, "a@b", at(1));
        for n in 0..20 {
            fail(&throttle, &format!("x{n}"), at(1));
        }
        succeed(&throttle, "a@b", at(1));
        assert!(!fail(&throttle, "c@d", at(1)));
    }

    #[test]
    fn attempts_that_come_to_no_decision_are_taken_back() {
        let throttle = throttle(3, 3, 3);
        for _ in 0..20 {
            let attempt = throttle.begin("a@b", at(1)).unwrap();
            attempt.decide::<()>(Err(Code::Overloaded.into())).unwrap_err();
        }
        succeed(&throttle, "a@b", at(1));
    }

    #[test]
    fn networks_of_ipv6_have_64_bits() {
        let throttle = throttle(3, 1_000, 1_000);
        let within = |n: u32| Some(format!("2001:db8::{n:x}").parse().unwrap());
        assert_eq!((1..50).filter(|n| fail(&throttle, "a@b", within(*n))).count(), 3);
        assert!(fail(&throttle, "a@b", Some("2001:db8:0:1::1".parse().unwrap())));
    }

    #[test]
    fn tables_are_bounded() {
        let throttle = throttle(3, 1_000, 1_000);
        for n in 0..200_000 {
            fail(&throttle, &format!("{n}@b"), at(n));
        }
        let tables = throttle.tables.lock();
        for table in [&tables.pairs, &tables.accounts, &tables.networks] {
            assert_eq!(table.seen.len(), ENTRIES.get());
        }
    }

    #[test]
    fn letters_are_counted_by_address_whatever_the_network() {
        let mut config = crate::Config::default().auth;
        (config.failures_per_account, config.failures_per_address) = (3, 5);
        let throttle = SignUpThrottle::new(&config);
        assert_eq!((0..50).filter(|n| throttle.begin("a@b", at(*n)).is_ok()).count(), 3);
        assert_eq!((0..50).filter(|n| throttle.begin(&format!("{n}@b"), at(99)).is_ok()).count(), 5);
    }
}
