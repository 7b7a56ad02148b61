//! Limits on failed logins.

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

/// The capacity of each table. The least recently used entry is evicted, so tables stay bounded without cleanup.
pub const ENTRIES: NonZeroUsize = NonZeroUsize::MIN.saturating_add((1 << 16) - 1);
/// The number of attempts that a network may make on an account that is under attack from elsewhere.
const SLOWED: u32 = 1;

/// Counts failed logins. An attempt counts as failed from its start until it succeeds, so that concurrent attempts
/// cannot bypass the limits. A refused attempt is not counted.
///
/// The limit applies to the pair of account and network (an IPv4 address, or a /64 of IPv6), so that failures from
/// elsewhere lock out no one. Against guesses from very many networks, networks that have never logged in to the
/// account get fewer attempts while the account exceeds its own limit. A network in which attempts on many accounts
/// fail may try no further accounts, except accounts that have logged in from it before.
pub struct LoginThrottle {
    tables: Mutex<Tables>,
    hasher: RandomState,
    per_pair: u32,
    per_account: u32,
    per_network: u32,
}

/// The counters. Keys are hashes, so that long invented addresses take no additional memory.
struct Tables {
    pairs: Counter,
    accounts: Counter,
    networks: Counter,
    /// Pairs that have logged in. Failures never evict them.
    known: LruCache<u64, ()>,
}

/// An attempt to log in. It counts as failed until it is decided.
#[must_use]
pub struct Attempt<'t> {
    throttle: &'t LoginThrottle,
    keys: Keys,
    /// Whether the attempt also counts for the network.
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

    /// Begins an attempt that is not tied to an account, or refuses it (429).
    pub fn begin_at(&self, address: Option<IpAddr>) -> Result<(), Refusal> {
        let (network, now) = (self.hash(network(address)), Instant::now());
        let mut tables = self.tables.lock();
        if let Some(wait) = tables.networks.reached(network, self.per_network, now) {
            return Err(refusal(wait));
        }
        tables.networks.add(network, now);
        Ok(())
    }

    /// The numbers of pairs, accounts and networks whose failures are counted.
    pub fn counted(&self) -> [usize; 3] {
        let tables = self.tables.lock();
        [&tables.pairs, &tables.accounts, &tables.networks].map(|table| table.seen.len())
    }

    /// Records that an attempt without an account has succeeded.
    pub fn succeeded_at(&self, address: Option<IpAddr>) {
        let network = self.hash(network(address));
        self.tables.lock().networks.take_back(network);
    }

    /// Records that the caller has proved ownership of the account: earlier failures from their network no longer
    /// count.
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
    /// Decides the attempt by the result of the check. Valid credentials clear the failures of the account in this
    /// network. An error, which proves nothing, cancels the attempt.
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

/// Counts sign-ups and emails by address and by network. Each address is counted independently of the network, so that
/// a mailbox cannot be flooded from many networks.
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

    /// Counts a sign-up or email, or refuses it (429). Refused ones are not counted.
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

/// The network that callers are counted by. Callers with unknown addresses count as one network.
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

    /// Returns the time to wait if the limit is reached.
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
