//! Bells: wake-ups that carry no data. Whoever hears one looks at the store.

use crate::ids::TenantId;
use crate::records::usage::Booked;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use uuid::Uuid;

type Name = (TenantId, Uuid);

/// The bells that someone listens to. Others cost nothing.
#[derive(Default)]
pub(crate) struct Bells {
    hung: Mutex<HashMap<Name, Weak<Hung>>>,
    /// How often anyone's rights changed.
    rights: AtomicU64,
    /// Wakes those who wait for such a change.
    of_rights: watch::Sender<()>,
}

struct Hung {
    name: Name,
    rings: watch::Sender<()>,
    bells: Weak<Bells>,
}

impl Drop for Hung {
    fn drop(&mut self) {
        let Some(bells) = self.bells.upgrade() else { return };
        let mut hung = bells.hung.lock();
        // A new bell of the same name may hang there already.
        if hung.get(&self.name).is_some_and(|other| other.strong_count() == 0) {
            hung.remove(&self.name);
        }
    }
}

impl Bells {
    pub fn hang(self: &Arc<Self>, tenant: TenantId, conversation: Uuid) -> Bell {
        let name = (tenant, conversation);
        let mut hung = self.hung.lock();
        let bell = hung.get(&name).and_then(Weak::upgrade).unwrap_or_else(|| {
            let bell = Arc::new(Hung { name, rings: watch::Sender::new(()), bells: Arc::downgrade(self) });
            hung.insert(name, Arc::downgrade(&bell));
            bell
        });
        Bell { heard: bell.rings.subscribe(), hung: bell }
    }

    fn ring(&self, name: &Name) {
        let bell = self.hung.lock().get(name).and_then(Weak::upgrade);
        if let Some(bell) = bell {
            bell.rings.send_replace(());
        }
    }
}

/// A bell that rings after each commit that concerns its conversation. Several rings before
/// anyone waits count as one, and none is lost.
#[derive(Clone)]
pub struct Bell {
    heard: watch::Receiver<()>,
    // Keeps the sending half, and the entry in the list, for as long as anyone listens.
    hung: Arc<Hung>,
}

impl Bell {
    /// Returns at the next ring after the last one heard (or after the bell was made).
    pub async fn rung(&mut self) {
        // Cannot fail: the sender lives in `hung`.
        let _ = self.heard.changed().await;
        debug_assert!(self.hung.rings.receiver_count() > 0);
    }
}

/// A bell that rings after each commit that may have changed anyone's rights. It rings once at the beginning, so that
/// nothing is missed that happened just before it was hung.
#[derive(Clone)]
pub struct RightsBell {
    heard: watch::Receiver<()>,
    // Keeps the sending half.
    _bells: Arc<Bells>,
}

impl RightsBell {
    /// Returns at the next ring after the last one heard.
    pub async fn rung(&mut self) {
        // Cannot fail: the sender lives in `_bells`.
        let _ = self.heard.changed().await;
    }

    /// Whether it rang since it was last heard; it is heard by that.
    pub fn has_rung(&mut self) -> bool {
        self.heard.borrow_and_update().has_changed()
    }
}

/// The bells to ring once a batch is durable. They belong to the commit, not to its caller, who may be gone by then: the
/// committer thread rings them before the verdict is told.
#[must_use = "commit them with their batch"]
pub struct Rings {
    bells: Arc<Bells>,
    names: Vec<Name>,
    /// Whether the batch changes who may what.
    pub(crate) rights: bool,
    /// Uses of models that the batch books, for the metrics.
    pub(crate) booked: Vec<Booked>,
}

impl Rings {
    pub(crate) fn new(bells: Arc<Bells>) -> Self {
        Self { bells, names: Vec::new(), rights: false, booked: Vec::new() }
    }

    pub(crate) fn add(&mut self, tenant: TenantId, conversation: Uuid) {
        let name = (tenant, conversation);
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Rings them. To be called after the commit, never before.
    pub fn ring(self) {
        self.tell_of_rights();
        self.booked.iter().for_each(Booked::count);
        for name in &self.names {
            self.bells.ring(name);
        }
    }
}

impl Rings {
    /// Begins a new epoch of rights, if the batch changed any. To be called also where the verdict on a commit is
    /// lost: it may have taken place.
    pub(crate) fn tell_of_rights(&self) {
        if self.rights {
            self.bells.change_rights();
        }
    }
}

impl Bells {
    pub fn rights(&self) -> u64 {
        self.rights.load(Ordering::Acquire)
    }

    pub fn change_rights(&self) {
        self.rights.fetch_add(1, Ordering::AcqRel);
        self.of_rights.send_replace(());
    }

    pub fn hang_rights(self: &Arc<Self>) -> RightsBell {
        let mut heard = self.of_rights.subscribe();
        heard.mark_changed();
        RightsBell { heard, _bells: self.clone() }
    }
}

#[cfg(test)]
impl Bells {
    /// How many bells someone listens to.
    pub fn hung(&self) -> usize {
        self.hung.lock().len()
    }
}
