//! Handles the notifications that a tool server sends.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RoleClient};
use tokio::sync::{Mutex, mpsc};

use super::error::clean;

/// The progress of a call as reported by its server.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The work done so far, in the server's own units.
    pub progress: f64,
    /// The total amount of work, if known.
    pub total: Option<f64>,
    /// The server's description of the current step.
    pub message: Option<String>,
}

/// Receives the server's notifications. Requests of the server to the client (sampling, elicitation, roots) are
/// declined, since the client does not announce these capabilities. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct SessionClient(Arc<Mutex<Calls>>);

/// The calls in progress, by progress token.
type Calls = HashMap<ProgressToken, mpsc::Sender<Progress>>;

impl SessionClient {
    /// Locks the calls in progress. A task that holds the lock while it sends a call misses none of its
    /// notifications.
    pub async fn calls(&self) -> tokio::sync::MutexGuard<'_, Calls> {
        self.0.lock().await
    }
}

impl ClientHandler for SessionClient {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("understudy", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_progress(&self, notification: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let call = self.0.lock().await.get(&notification.progress_token).cloned();
        let Some(call) = call.filter(|_| notification.progress.is_finite()) else { return };
        let total = notification.total.filter(|total| total.is_finite());
        let message = notification.message.as_deref().map(clean).filter(|message| !message.is_empty());
        // If the queue is full, the reader is slower than the server. The message is dropped, since a later one
        // supersedes it.
        let _ = call.try_send(Progress { progress: notification.progress, total, message });
    }
}
