//! Delivers notices to browsers, webhooks and email addresses.
//!
//! Deliveries are stored in queues, one per endpoint. They are written in the same transaction as the notice. The deliverer
//! visits the endpoints that are due: several endpoints at the same time, but at most one visit per endpoint. The result of an
//! attempt is stored before the next attempt begins. The complete state is therefore in the rows. After a crash, the server
//! continues from there. A notice that was sent but not recorded as sent is sent again, under the same key.

mod backoff;
mod browser;
mod budgets;
mod keeper;
mod letter;
mod sent;
mod upkeep;
mod visit;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use providers::mail::Mailer;
use providers::push::{PushError, PushKey};
use providers::web::WebClient;
use storage::{Store, TenantId};
use tokio_util::sync::CancellationToken;

use crate::restarts::run_with_restarts;

pub use webhook::{SECRET_PREFIX, SIGNING_BYTES};

/// The name of the secret in the system partition that contains the key for push services.
const PUSH_KEY: &str = "web_push_key";

/// Settings of the deliverer.
#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// The pauses between attempts. After the last pause, a failed notice is given up.
    pub pauses: Vec<Duration>,
    /// The age at which an undelivered notice is given up.
    pub give_up_after: Duration,
    /// How long a receiver may take to respond.
    pub patience: Duration,
    /// Maximum number of endpoints that are visited at the same time.
    pub at_once: usize,
    /// Maximum number of endpoints of one user that are visited at the same time.
    pub at_once_of_user: usize,
    /// The contact address for operators of push services: a `mailto:` or `https:` URL.
    pub contact: String,
    /// The base URL of the user interface, to which the paths of links are appended.
    pub link_base: Option<String>,
    /// How often queues are checked without a change notification.
    pub sweep_every: Duration,
    /// How often budgets are checked.
    pub budgets_every: Duration,
}

/// Why the deliverer did not start.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryStartError {
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The key for push services is unavailable.
    #[error(transparent)]
    Push(#[from] PushError),
}

/// Handle to the deliverer. Cheap to clone.
#[derive(Clone)]
pub struct Deliveries(Arc<Inner>);

struct Inner {
    store: Store,
    web: WebClient,
    mailer: Option<Arc<dyn Mailer>>,
    push_key: PushKey,
    settings: DeliverySettings,
    stopped: CancellationToken,
}

impl Deliveries {
    /// Starts the deliverer. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the key for push services can be neither read nor created.
    pub async fn start(
        store: Store,
        web: WebClient,
        mailer: Option<Arc<dyn Mailer>>,
        settings: DeliverySettings,
    ) -> Result<Self, DeliveryStartError> {
        let push_key = push_key(&store).await?;
        let stopped = CancellationToken::new();
        let deliveries = Self(Arc::new(Inner { store, web, mailer, push_key, settings, stopped }));
        let pause = deliveries.settings().sweep_every.min(Duration::from_secs(1));
        let stopped = deliveries.0.stopped.clone();
        let looping = deliveries.clone();
        tasks::spawn(run_with_restarts("notification deliveries", pause, stopped, move || {
            looping.clone().run()
        }));
        tasks::spawn(deliveries.clone().delete_expired_notices());
        tasks::spawn(deliveries.clone().watch_budgets());
        Ok(deliveries)
    }

    /// Stops the deliverer. Deliveries in progress are aborted and repeated after the next start.
    pub fn stop(&self) {
        self.0.stopped.cancel();
    }

    /// Returns the key that browsers use to subscribe (`applicationServerKey`).
    pub fn public_key(&self) -> String {
        self.0.push_key.public()
    }

    /// Whether notices can be sent by email.
    pub fn has_mail(&self) -> bool {
        self.0.mailer.is_some()
    }

    fn store(&self) -> &Store {
        &self.0.store
    }

    fn settings(&self) -> &DeliverySettings {
        &self.0.settings
    }
}

/// Returns the push key of this installation. It is created once and stored, because every subscribed browser depends on it.
async fn push_key(store: &Store) -> Result<PushKey, DeliveryStartError> {
    let fresh = PushKey::generate()?;
    let stored = store.run::<_, storage::Error>(move |tx| {
        if let Some(stored) = tx.get_secret(TenantId::SYSTEM, PUSH_KEY)? {
            return Ok(stored);
        }
        tx.put_secret(TenantId::SYSTEM, PUSH_KEY, &fresh)?;
        Ok(fresh.clone())
    });
    Ok(PushKey::read(&stored.await?)?)
}
