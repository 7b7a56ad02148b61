//! A cache of authenticated callers, so that most requests need neither a signature check nor a lookup in the store.

use domain::Caller;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use storage::Timestamp;

const SHARDS: usize = 16;
const PER_SHARD: usize = 2048;

type Digest = [u8; 32];

struct Entry {
    caller: Arc<Caller>,
    epoch: u64,
    ends: Timestamp,
}

/// Callers by the SHA-256 of their credential. Any change of anyone's rights begins a new epoch (see
/// [`Store::rights_epoch`](storage::Store::rights_epoch)), and entries of earlier epochs are ignored. A logout,
/// demotion, revocation or removal from a group therefore takes effect at once.
#[derive(Default)]
pub(super) struct CallerCache {
    shards: [RwLock<HashMap<Digest, Entry>>; SHARDS],
}

impl CallerCache {
    pub fn get(&self, digest: &Digest, epoch: u64, now: Timestamp) -> Option<Arc<Caller>> {
        let shard = self.shard(digest).read();
        let entry = shard.get(digest)?;
        (entry.epoch == epoch && now < entry.ends).then(|| entry.caller.clone())
    }

    /// Stores a caller that was looked up in `epoch` and is valid until `ends`.
    pub fn put(&self, digest: Digest, caller: Arc<Caller>, epoch: u64, ends: Timestamp) {
        let mut shard = self.shard(&digest).write();
        if shard.len() >= PER_SHARD {
            let now = Timestamp::now();
            shard.retain(|_, entry| entry.epoch == epoch && now < entry.ends);
            // All entries are valid: make room by dropping every second one.
            let mut odd = false;
            if shard.len() >= PER_SHARD {
                shard.retain(|_, _| {
                    odd = !odd;
                    odd
                });
            }
        }
        shard.insert(digest, Entry { caller, epoch, ends });
    }

    fn shard(&self, digest: &Digest) -> &RwLock<HashMap<Digest, Entry>> {
        &self.shards[usize::from(digest[0]) % SHARDS]
    }
}
