//! Change notifications: wake-ups that carry no data. A listener that is woken up reads the store.

use crate::ids::TenantId;
use crate::records::usage::UsageMetrics;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use uuid::Uuid;

/// A conversation, or another object that can be listened to.
type Topic = (TenantId, Uuid);

/// The channels that have listeners. Topics without listeners cost nothing.
#[derive(Default)]
pub(crate) struct ChangeNotifier {
    channels: Mutex<HashMap<Topic, Weak<Channel>>>,
    /// Number of changes of rights.
    rights: AtomicU64,
    /// Wakes up listeners that wait for a change of rights.
    of_rights: watch::Sender<()>,
}

struct Channel {
    topic: Topic,
    sender: watch::Sender<()>,
    notifier: Weak<ChangeNotifier>,
}

impl Drop for Channel {
    fn drop(&mut self) {
        let Some(notifier) = self.notifier.upgrade() else { return };
        let mut channels = notifier.channels.lock();
        // A new channel of the same topic may have been created already.
        if channels.get(&self.topic).is_some_and(|other| other.strong_count() == 0) {
            channels.remove(&self.topic);
        }
    }
}

impl ChangeNotifier {
    pub fn subscribe(self: &Arc<Self>, tenant: TenantId, id: Uuid) -> ChangeListener {
        let topic = (tenant, id);
        let mut channels = self.channels.lock();
        let channel = channels.get(&topic).and_then(Weak::upgrade).unwrap_or_else(|| {
            let channel =
                Arc::new(Channel { topic, sender: watch::Sender::new(()), notifier: Arc::downgrade(self) });
            channels.insert(topic, Arc::downgrade(&channel));
            channel
        });
        ChangeListener { receiver: channel.sender.subscribe(), channel }
    }

    fn notify(&self, topic: &Topic) {
        let channel = self.channels.lock().get(topic).and_then(Weak::upgrade);
        if let Some(channel) = channel {
            channel.sender.send_replace(());
        }
    }
}

/// Notified after each commit that changes its conversation. Several notifications before a call of
/// [`changed`](Self::changed) count as one, and none is lost.
#[derive(Clone)]
pub struct ChangeListener {
    receiver: watch::Receiver<()>,
    // Keeps the sending half, and the entry in the map, alive while there is a listener.
    channel: Arc<Channel>,
}

impl ChangeListener {
    /// Waits for a notification that has not been received yet. Notifications before the listener was created do not
    /// count.
    pub async fn changed(&mut self) {
        // Cannot fail, because the sender lives in `channel`.
        let _ = self.receiver.changed().await;
        debug_assert!(self.channel.sender.receiver_count() > 0);
    }
}

/// Notified after each commit that may have changed any caller's rights, and once at the start, so that a change just
/// before the creation of the listener is not missed.
#[derive(Clone)]
pub struct RightsListener {
    receiver: watch::Receiver<()>,
    // Keeps the sending half alive.
    _notifier: Arc<ChangeNotifier>,
}

impl RightsListener {
    /// Waits for a notification that has not been received yet.
    pub async fn changed(&mut self) {
        // Cannot fail, because the sender lives in `_notifier`.
        let _ = self.receiver.changed().await;
    }

    /// Whether there is a notification that has not been received yet. Receives it.
    pub fn has_changed(&mut self) -> bool {
        self.receiver.borrow_and_update().has_changed()
    }
}

/// Notifications to send once a batch is durable. They belong to the commit, not to its caller, which may be gone by
/// then: the committer sends them before it reports the outcome.
#[must_use = "commit them with their batch"]
pub struct ChangeNotifications {
    notifier: Arc<ChangeNotifier>,
    topics: Vec<Topic>,
    /// Whether the batch changes any caller's rights.
    pub(crate) rights: bool,
    /// Uses of models that the batch records, for the metrics.
    pub(crate) booked: Vec<UsageMetrics>,
}

impl ChangeNotifications {
    pub(crate) fn new(notifier: Arc<ChangeNotifier>) -> Self {
        Self { notifier, topics: Vec::new(), rights: false, booked: Vec::new() }
    }

    pub(crate) fn add(&mut self, tenant: TenantId, id: Uuid) {
        let topic = (tenant, id);
        if !self.topics.contains(&topic) {
            self.topics.push(topic);
        }
    }

    /// Sends the notifications. Call this after the commit, never before.
    pub fn send(self) {
        self.notify_rights();
        self.booked.iter().for_each(UsageMetrics::count);
        for topic in &self.topics {
            self.notifier.notify(topic);
        }
    }

    /// Begins a new epoch of rights if the batch changed any. Also called when the outcome of a commit is unknown,
    /// because the commit may have taken place.
    pub(crate) fn notify_rights(&self) {
        if self.rights {
            self.notifier.change_rights();
        }
    }
}

impl ChangeNotifier {
    pub fn rights(&self) -> u64 {
        self.rights.load(Ordering::Acquire)
    }

    pub fn change_rights(&self) {
        self.rights.fetch_add(1, Ordering::AcqRel);
        self.of_rights.send_replace(());
    }

    pub fn subscribe_rights(self: &Arc<Self>) -> RightsListener {
        let mut receiver = self.of_rights.subscribe();
        receiver.mark_changed();
        RightsListener { receiver, _notifier: self.clone() }
    }
}

#[cfg(test)]
impl ChangeNotifier {
    /// The number of topics with listeners.
    pub fn topics(&self) -> usize {
        self.channels.lock().len()
    }
}
