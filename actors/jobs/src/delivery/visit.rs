//! A visit to an endpoint: delivers the queued notices one after another, until one fails.

use std::time::Duration;

use providers::push::Subscription;
use storage::authority::Subject;
use storage::notices::{self, DeliveryOutcome};
use storage::records::{Delivery, EndpointKind, Membership, Notice, NotificationEndpoint, Severity, User};
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::sent::Sent;
use super::{Deliveries, backoff, browser, letter, webhook};
use telemetry::metrics::table;

/// Maximum number of notices per visit, so that other endpoints get their turn.
const BATCH: usize = 20;
/// How long an endpoint is skipped after an internal error.
const AFTER_MISTAKE: Duration = Duration::from_secs(60);

/// A notice to deliver, and the endpoint that receives it.
struct Job {
    endpoint: Row<NotificationEndpoint>,
    secret: Vec<u8>,
    delivery: Row<Delivery>,
    /// Number of consecutive failures of the endpoint.
    failures: u32,
    /// The user's email address, if the user may sign in and the address is verified.
    address: Option<String>,
    /// Whether the user may sign in.
    let_in: bool,
}

impl Deliveries {
    pub(super) async fn visit(self, tenant: TenantId, endpoint: Uuid, failures: u32) -> storage::Result<()> {
        for _ in 0..BATCH {
            let read = move |reader: &Reader| job(reader, tenant, endpoint, failures);
            let Some(job) = self.store().read::<_, storage::Error>(read).await? else {
                return self.leave(endpoint, Duration::ZERO).await;
            };
            let sent = self.send(tenant, &job).await;
            table::DELIVERIES.add([name(job.endpoint.kind), outcome(&sent)], 1);
            if !self.settle(tenant, job, sent).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Postpones the next visit to an endpoint.
    pub(super) async fn leave(&self, endpoint: Uuid, rest: Duration) -> storage::Result<()> {
        self.store().run(move |tx| notices::postpone(tx, endpoint, Timestamp::now() + rest)).await
    }

    /// Postpones the next visit to an endpoint after an internal error.
    pub(super) async fn leave_after_mistake(&self, endpoint: Uuid) {
        if let Err(why) = self.leave(endpoint, AFTER_MISTAKE).await {
            tracing::warn!(%endpoint, %why, "a queue of notifications could not be postponed");
        }
    }

    async fn send(&self, tenant: TenantId, job: &Job) -> Sent {
        let (inner, settings) = (&self.0, self.settings());
        let (endpoint, delivery) = (&job.endpoint, &job.delivery.body);
        if !job.let_in {
            return Sent::Hopeless("the user is currently not allowed to sign in".to_owned());
        }
        match endpoint.kind {
            EndpointKind::Webhook => {
                let (web, to) = (&inner.web, &endpoint.address);
                webhook::send(web, to, &job.secret, tenant, delivery, settings.patience).await
            }
            EndpointKind::WebPush => {
                let keys = (endpoint.p256dh.as_deref().unwrap_or_default(), &job.secret);
                let Ok(p256dh) = providers::push::read_key(keys.0) else {
                    return Sent::Hopeless("the browser's keys are invalid".to_owned());
                };
                let to = Subscription { endpoint: endpoint.address.clone(), p256dh, auth: keys.1.clone() };
                let (key, contact) = (&inner.push_key, &settings.contact);
                browser::send(&inner.web, key, contact, &to, tenant, delivery, settings.patience).await
            }
            EndpointKind::Email => match (&inner.mailer, &job.address) {
                (None, _) => Sent::Hopeless("no mail is configured".to_owned()),
                (_, None) => Sent::Hopeless("the user has not verified the address".to_owned()),
                (Some(mailer), Some(to)) => {
                    letter::send(&**mailer, to, settings.link_base.as_deref(), delivery).await
                }
            },
        }
    }

    /// Records the outcome. Returns whether to continue with this endpoint.
    async fn settle(&self, tenant: TenantId, job: Job, sent: Sent) -> storage::Result<bool> {
        let now = Timestamp::now();
        let numbers = (job.delivery.attempts, job.failures);
        let verdict = match sent {
            Sent::Gone(why) => {
                let endpoint = job.endpoint;
                let drop_it = move |tx: &mut Tx| delete_endpoint(tx, tenant, &endpoint, &why);
                return self.store().run(drop_it).await.map(|()| false);
            }
            Sent::Taken => DeliveryOutcome::Delivered,
            Sent::Failed { error, wait } => backoff::failed(self.settings(), now, numbers, error, wait),
            Sent::Hopeless(error) => DeliveryOutcome::Failed {
                error,
                again: None,
                pause_until: now,
                oldest: now - self.settings().give_up_after,
            },
        };
        let goes_on = verdict == DeliveryOutcome::Delivered;
        let tried = job.delivery;
        self.store().run(move |tx| notices::settle(tx, tenant, &tried, &verdict)).await.map(|()| goes_on)
    }
}

fn job(reader: &Reader, tenant: TenantId, endpoint: Uuid, failures: u32) -> storage::Result<Option<Job>> {
    let Some(delivery) = notices::next_delivery(reader, tenant, endpoint, Timestamp::now())? else {
        return Ok(None);
    };
    let Some(endpoint) = reader.get::<NotificationEndpoint>(tenant, &endpoint)? else { return Ok(None) };
    let secret = reader.get_secret(tenant, &NotificationEndpoint::secret(endpoint.id))?.unwrap_or_default();
    let let_in = Subject::read(reader, tenant, endpoint.user)?.is_some();
    let member = reader.get::<Membership>(TenantId::SYSTEM, &(endpoint.user, tenant.0))?;
    let certain = let_in && member.is_some_and(|row| row.is_certain());
    let user = reader.get::<User>(TenantId::SYSTEM, &endpoint.user)?.filter(|_| certain);
    let address = user.map(|row| row.body.email);
    Ok(Some(Job { endpoint, secret, delivery, failures, address, let_in }))
}

/// Deletes an endpoint that no longer exists. The user is notified if it was a webhook, but not if it was a browser, because
/// browser subscriptions expire regularly.
fn delete_endpoint(
    tx: &mut Tx,
    tenant: TenantId,
    endpoint: &Row<NotificationEndpoint>,
    why: &str,
) -> storage::Result<()> {
    // The user may have registered the endpoint again, under another id.
    if tx.get::<NotificationEndpoint>(tenant, &endpoint.id)?.is_none() {
        return Ok(());
    }
    notices::drop_endpoint(tx, tenant, endpoint.id)?;
    if endpoint.kind != EndpointKind::Webhook {
        return Ok(());
    }
    let name = endpoint.label.clone().unwrap_or_else(|| endpoint.address.clone());
    let notice = Notice {
        user: endpoint.user,
        kind: "endpoint.dropped".to_owned(),
        severity: Severity::Warning,
        title: format!("The webhook {name} no longer exists"),
        body: format!("It is no longer called: {why}. Register it again when it is available."),
        link: Some("/notifications/endpoints".to_owned()),
        ..Notice::default()
    };
    notices::notify(tx, tenant, notice).map(drop)
}

const fn name(kind: EndpointKind) -> &'static str {
    match kind {
        EndpointKind::WebPush => "web_push",
        EndpointKind::Webhook => "webhook",
        EndpointKind::Email => "email",
    }
}

const fn outcome(sent: &Sent) -> &'static str {
    match sent {
        Sent::Taken => "taken",
        Sent::Gone(_) => "gone",
        Sent::Failed { .. } => "failed",
        Sent::Hopeless(_) => "hopeless",
    }
}
