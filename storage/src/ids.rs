//! Ids: tenants, and new ids in order of time.

use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;
use uuid::Uuid;

/// The tenant that a record belongs to. It is part of every key on disk, so that a record of one tenant cannot be
/// accessed with the id of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct TenantId(pub Uuid);

impl TenantId {
    /// The partition of records that do not belong to a tenant: users, memberships, sessions, tenants.
    pub const SYSTEM: Self = Self(Uuid::nil());

    /// The sixteen bytes that appear in keys.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Uuid> for TenantId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

/// Generates a new id (UUID v7). Later ids sort after earlier ones, to the millisecond and, within one process, also
/// within a millisecond.
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}

#[cfg(test)]
mod tests {
    use super::new_id;
    use std::collections::HashSet;

    #[test]
    fn consecutive_ids_are_ordered_despite_concurrent_ones() {
        let makers: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(|| (0..20_000).map(|_| new_id()).collect::<Vec<_>>()))
            .collect();
        let mut all = HashSet::new();
        for maker in makers {
            let ids = maker.join().expect("a maker");
            assert!(
                ids.is_sorted_by(|one, next| one < next),
                "many ids of one millisecond are in order, too"
            );
            all.extend(ids);
        }
        assert_eq!(all.len(), 8 * 20_000);
    }
}
