//! Notices on their way out: to browsers, to webhooks, by mail.
//!
//! What is to be sent stands in queues that the store keeps, one for each endpoint, written in the transaction of the
//! notice. The deliverer visits the endpoints whose time has come, several at once and each only once; what became
//! of an attempt is written down before the next. So all that it knows is in the rows: a server that went down goes on
//! where it was, and what was sent and not yet written down is sent again, under the same key.

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

/// The name of the secret, in the system partition, that is the key for push services.
const PUSH_KEY: &str = "web_push_key";

/// Settings of the deliverer.
#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// The pauses between attempts; after the last, a notice is given up.
    pub pauses: Vec<Duration>,
    /// The age at which a notice is given up that could not be sent.
    pub give_up_after: Duration,
    /// How long a receiver may take.
    pub patience: Duration,
    /// Endpoints that are visited at once.
    pub at_once: usize,
    /// Those of one user among them.
    pub at_once_of_user: usize,
    /// Where the people of push services can reach ours: a `mailto:` or an `https:` address.
    pub contact: String,
    /// The address of the user interface, which knows the paths of links.
    pub link_base: Option<String>,
    /// How often queues are looked at if no bell rings.
    pub sweep_every: Duration,
    /// How often budgets are looked at.
    pub budgets_every: Duration,
}

/// Why the deliverer did not start.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryStartError {
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// There is no key for push services.
    #[error(transparent)]
    Push(#[from] PushError),
}

/// The deliverer. Cheap to clone.
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
    /// Starts it. Must be called within a runtime.
    ///
    /// # Errors
    /// The key for push services can neither be read nor made.
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
        tasks::spawn(deliveries.clone().keep_tidy());
        tasks::spawn(deliveries.clone().keep_watch());
        Ok(deliveries)
    }

    /// Sends nothing any more. What is on its way is broken off, and sent again after the next start.
    pub fn stop(&self) {
        self.0.stopped.cancel();
    }

    /// The key that browsers name when they subscribe (`applicationServerKey`).
    pub fn public_key(&self) -> String {
        self.0.push_key.public()
    }

    /// Whether letters can be sent.
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

/// The key of this installation: made once, and kept, because every browser that has subscribed knows it.
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
