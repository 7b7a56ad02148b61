//! The number of unloaded runs. The runs themselves are listed only in the store's indexes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::Mutex;
use storage::records::Run;
use storage::{Scan, Store, TenantId};
use uuid::Uuid;

/// Counts of unloaded runs. Every sweep recounts them, and changes in between are applied incrementally.
#[derive(Default)]
pub(super) struct UnloadedRuns {
    total: AtomicI64,
    /// Whether the runs have been counted since the start.
    is_counted: AtomicBool,
    /// Counts of users that were queried since the last sweep and have unloaded runs.
    of_user: Mutex<HashMap<(TenantId, Uuid), i64>>,
}

impl UnloadedRuns {
    /// Number of unloaded runs in all tenants.
    pub fn total(&self) -> usize {
        usize::try_from(self.total.load(Ordering::Acquire)).unwrap_or_default()
    }

    /// Whether there may be any, so that the store has to be searched.
    pub fn may_exist(&self) -> bool {
        !self.is_counted.load(Ordering::Acquire) || self.total() > 0
    }

    /// Sets the result of a count over all tenants.
    pub fn set_total(&self, total: u64) {
        self.of_user.lock().clear();
        self.total.store(i64::try_from(total).unwrap_or(i64::MAX), Ordering::Release);
        self.is_counted.store(true, Ordering::Release);
    }

    /// Records that a run was unloaded (1) or loaded (-1).
    pub fn change(&self, tenant: TenantId, user: Uuid, by: i64) {
        self.total.fetch_add(by, Ordering::AcqRel);
        if let Some(count) = self.of_user.lock().get_mut(&(tenant, user)) {
            *count += by;
        }
    }

    /// Number of unloaded runs of a user. Returns 0 if the store cannot be read.
    pub fn of_user(&self, store: &Store, tenant: TenantId, user: Uuid) -> usize {
        if !self.may_exist() {
            return 0;
        }
        let mut counts = self.of_user.lock();
        let count = counts.get(&(tenant, user)).copied().unwrap_or_else(|| {
            let scan = Scan::index("unloaded_by_user").prefix(*user.as_bytes());
            let counted = store.read_now(|reader| reader.count::<Run>(tenant, scan)).unwrap_or_default();
            i64::try_from(counted).unwrap_or(i64::MAX)
        });
        if count > 0 {
            counts.insert((tenant, user), count);
        }
        usize::try_from(count).unwrap_or_default()
    }
}
