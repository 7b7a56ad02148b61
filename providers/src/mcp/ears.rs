//! What a tool server says by itself.

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

/// How far a call has come, as its server tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The work done so far, in the server's own units.
    pub progress: f64,
    /// What there is to do in all, where that is known.
    pub total: Option<f64>,
    /// The server's description of the current step.
    pub message: Option<String>,
}

/// Hears what a server says. It takes no part in what servers may ask of clients (models, forms, folders): such
/// requests are declined, since nothing of the kind was announced. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Ears(Arc<Mutex<Calls>>);

/// The calls under way, by their tokens.
type Calls = HashMap<ProgressToken, mpsc::Sender<Progress>>;

impl Ears {
    /// The calls under way. A task that holds this while a call goes out misses nothing that is said of it.
    pub async fn calls(&self) -> tokio::sync::MutexGuard<'_, Calls> {
        self.0.lock().await
    }
}

impl ClientHandler for Ears {
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
        // The listener is slower than the server talks: what it says later is newer.
        let _ = call.try_send(Progress { progress: notification.progress, total, message });
    }
}
