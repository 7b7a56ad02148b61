//! Limits the live connections that one user has open.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use domain::{Caller, Code, Refusal};
use parking_lot::Mutex;
use uuid::Uuid;

use super::error::Api;

/// The setting that holds the limit.
const SETTING: &str = "limits.live_connections";

/// Counts the open connections of each user.
pub struct LiveConnections {
    per_user: usize,
    /// Users without connections are not contained.
    open: Mutex<HashMap<Uuid, usize>>,
}

/// The place of one connection. Dropping it frees the place.
pub struct ConnectionPermit {
    connections: Arc<LiveConnections>,
    user: Uuid,
}

impl LiveConnections {
    /// `per_user` is the maximum number of connections of one user, in all tenants together.
    pub fn new(per_user: usize) -> Self {
        Self { per_user, open: Mutex::default() }
    }

    /// Takes a place for a connection. The connections of an impersonated session count for the administrator, so that
    /// the impersonated user keeps all places.
    ///
    /// # Errors
    /// 409 if the user has no free place.
    pub fn admit(self: &Arc<Self>, caller: &Caller) -> Api<ConnectionPermit> {
        let user = caller.act.unwrap_or(caller.user);
        let mut open = self.open.lock();
        let count = open.get(&user).copied().unwrap_or_default();
        if count >= self.per_user {
            telemetry::metrics::table::STORED_LIMIT_REFUSALS.add([SETTING], 1);
            let why = format!(
                "the user has {count} live connections, and can have at most {} ({SETTING}); close some",
                self.per_user
            );
            let refusal = Refusal::new(Code::LimitReached).detail(why).extra("limit_of", "user");
            let refusal = refusal.extra("unit", "live connections").extra("limit", self.per_user);
            return Err(refusal.extra("current", count).extra("added", 1).extra("setting", SETTING));
        }
        open.insert(user, count + 1);
        Ok(ConnectionPermit { connections: self.clone(), user })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.connections.open.lock().entry(self.user) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}
