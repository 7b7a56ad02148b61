//! A cache of the tool lists of tool servers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use providers::mcp::{McpError, ServerTools};

use super::{ToolServersConfig, UserToolServer};

/// Maximum number of cached lists.
const MAX_LISTS: usize = 2_000;
/// Maximum size in bytes of all lists, and of those of one user.
const MAX_BYTES: usize = 64 << 20;
const OF_ONE_USER: usize = 4 << 20;
/// Memory overhead in bytes of a tool or a list.
const OVERHEAD: usize = 256;

type Listing = Result<Arc<ServerTools>, McpError>;

/// Tool lists by user and server.
#[derive(Default)]
pub(super) struct Lists(Mutex<HashMap<UserToolServer, CachedList>>);

struct CachedList {
    at: Instant,
    listing: Listing,
    bytes: usize,
}

impl Lists {
    /// Returns the cached list of a server, unless it has expired.
    pub fn get(&self, place: &UserToolServer, config: &ToolServersConfig) -> Option<Listing> {
        let lists = self.0.lock();
        let CachedList { at, listing, .. } = lists.get(place)?;
        let ttl = if listing.is_ok() { config.list_kept } else { config.failure_kept };
        (at.elapsed() < ttl).then(|| listing.clone())
    }

    /// Caches the list of a server. If the limits are exceeded, removes the oldest lists: first those of the same user
    /// if that user has too many, and then those of all users.
    pub fn insert(&self, place: UserToolServer, listing: Listing) {
        let bytes = weight(&place, &listing);
        let mut lists = self.0.lock();
        lists.remove(&place);
        let own = |it: &UserToolServer| it.tenant == place.tenant && it.user == place.user;
        shed(&mut lists, own, MAX_LISTS, OF_ONE_USER.saturating_sub(bytes));
        shed(&mut lists, |_| true, MAX_LISTS - 1, MAX_BYTES.saturating_sub(bytes));
        lists.insert(place, CachedList { at: Instant::now(), listing, bytes });
    }

    /// Removes the list of a server.
    pub fn forget(&self, place: &UserToolServer) {
        self.0.lock().remove(place);
    }
}

/// Removes the oldest matching lists until at most `most` lists with at most `room` bytes are left.
fn shed(
    lists: &mut HashMap<UserToolServer, CachedList>,
    these: impl Fn(&UserToolServer) -> bool,
    most: usize,
    room: usize,
) {
    let weights = || lists.iter().filter(|(place, _)| these(place)).map(|(_, entry)| entry.bytes);
    let (mut count, mut bytes) = (weights().count(), weights().sum::<usize>());
    if count <= most && bytes <= room {
        return;
    }
    let mut oldest: Vec<_> = lists
        .iter()
        .filter(|(place, _)| these(place))
        .map(|(place, entry)| (entry.at, place.clone()))
        .collect();
    oldest.sort_unstable_by_key(|(at, _)| *at);
    for (_, place) in oldest {
        if count <= most && bytes <= room {
            return;
        }
        count -= 1;
        bytes -= lists.remove(&place).map_or(0, |entry| entry.bytes);
    }
}

fn weight(place: &UserToolServer, listing: &Listing) -> usize {
    let words = match listing {
        Ok(tools) => tools.iter().map(|tool| tool.bytes() + OVERHEAD).sum(),
        Err(why) => why.message.len(),
    };
    place.url.len() + words + OVERHEAD
}
