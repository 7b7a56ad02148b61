//! When the next unloaded run of each tenant has to be loaded.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use storage::records::Run;
use storage::{Reader, Scan, TenantId, Timestamp};
use tokio::sync::Notify;

/// Maximum sleep, because the system clock may be changed during it.
const MAX_SLEEP: Duration = Duration::from_secs(60);
/// Number of rows that are read together.
const PAGE: usize = 4;

/// The earliest wake time of each tenant with unloaded runs that have one. Only a hint: the store's index is
/// authoritative.
#[derive(Default)]
pub(super) struct Wakes {
    next: Mutex<HashMap<TenantId, Timestamp>>,
    changed: Notify,
}

impl Wakes {
    /// Records that an unloaded run of this tenant has to be loaded at `at`.
    pub fn note(&self, tenant: TenantId, at: Timestamp) {
        let mut next = self.next.lock();
        let known = next.entry(tenant).or_insert(at);
        *known = at.min(*known);
        drop(next);
        self.changed.notify_one();
    }

    /// Takes the tenants with runs that are due.
    pub fn take_due(&self, now: Timestamp) -> Vec<TenantId> {
        let mut next = self.next.lock();
        let due: Vec<_> = next.iter().filter(|(_, at)| **at <= now).map(|(tenant, _)| *tenant).collect();
        for tenant in &due {
            next.remove(tenant);
        }
        due
    }

    /// Waits until a run may be due.
    pub async fn changed_or_due(&self) {
        let next = self.next.lock().values().min().copied();
        let sleep = next.map_or(MAX_SLEEP, |at| at.since(Timestamp::now()).min(MAX_SLEEP));
        let _ = tokio::time::timeout(sleep, self.changed.notified()).await;
    }
}

/// When the first unloaded run of a tenant has to be loaded. Rows that cannot be read are skipped.
pub(super) fn first(reader: &Reader, tenant: TenantId) -> storage::Result<Option<Timestamp>> {
    let mut after = None;
    loop {
        let page = reader.scan_each::<Run>(tenant, Scan::index("by_wake").limit(PAGE).after(after.take()))?;
        let first = page.items.into_iter().flatten().find_map(|row| row.wake_at);
        after = page.next;
        if first.is_some() || after.is_none() {
            return Ok(first);
        }
    }
}
