//! Running tasks in conversations outside of their streams: calls of functions whose callers wait for them. They exist
//! only within this process, like the calls themselves, so nothing is stored.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use storage::{Store, TenantId, Timestamp};
use uuid::Uuid;

type ConversationKey = (TenantId, Uuid);

/// All running tasks by conversation.
#[derive(Default)]
pub struct Progress(Mutex<HashMap<ConversationKey, BTreeMap<Uuid, Task>>>);

/// A function that is running.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The displayed name.
    pub name: String,
    pub function: String,
    pub started_at: Timestamp,
}

impl Task {
    /// The fields that the feed reports.
    pub fn shown(&self, id: Uuid) -> Value {
        json!({"call_id": id, "name": self.name, "function": self.function, "started_at": self.started_at})
    }
}

impl Progress {
    /// The running tasks of a conversation, ordered from the oldest.
    pub fn tasks(&self, tenant: TenantId, conversation: Uuid) -> BTreeMap<Uuid, Task> {
        self.0.lock().get(&(tenant, conversation)).cloned().unwrap_or_default()
    }

    /// Shows a function in a conversation's feed until the returned guard is dropped.
    pub fn show(
        self: &Arc<Self>,
        store: &Store,
        tenant: TenantId,
        conversation: Uuid,
        name: String,
        function: String,
    ) -> ProgressGuard {
        let (id, key) = (storage::new_id(), (tenant, conversation));
        let task = Task { name, function, started_at: Timestamp::now() };
        self.0.lock().entry(key).or_default().insert(id, task);
        store.notify(tenant, conversation);
        ProgressGuard { progress: self.clone(), store: store.clone(), key, id }
    }
}

/// A guard that keeps a function visible in a feed.
#[must_use = "dropped, the function is shown no more"]
pub struct ProgressGuard {
    progress: Arc<Progress>,
    store: Store,
    key: ConversationKey,
    id: Uuid,
}

impl Drop for ProgressGuard {
    fn drop(&mut self) {
        let mut all = self.progress.0.lock();
        if let Some(tasks) = all.get_mut(&self.key) {
            tasks.remove(&self.id);
            if tasks.is_empty() {
                all.remove(&self.key);
            }
        }
        drop(all);
        self.store.notify(self.key.0, self.key.1);
    }
}
