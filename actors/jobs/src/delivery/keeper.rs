//! Schedules visits to endpoints.

use std::collections::HashMap;
use std::time::Duration;

use storage::notices::{due_queues, next_visit};
use storage::records::DeliveryQueue;
use storage::{Row, TenantId, Timestamp};
use tokio::task::{Id, JoinError, JoinSet};
use uuid::Uuid;

use super::Deliveries;

/// Number of queues that are read at a time.
const PAGE_SIZE: usize = 100;
/// Maximum number of queues that are examined in one pass, regardless of how many are due.
const MAX_EXAMINED: usize = 2_000;
/// Minimum pause between two passes.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// The visits in progress.
#[derive(Default)]
struct Visits {
    tasks: JoinSet<storage::Result<()>>,
    /// The endpoint and its user, by task.
    of: HashMap<Id, (Uuid, Uuid)>,
}

impl Visits {
    fn is_at(&self, endpoint: Uuid) -> bool {
        self.of.values().any(|(at, _)| *at == endpoint)
    }

    fn of_user(&self, user: Uuid) -> usize {
        self.of.values().filter(|(_, of)| *of == user).count()
    }
}

impl Deliveries {
    /// Visits endpoints with due queues. The visits belong to this future and stop together with it, so that no endpoint ever has
    /// two visits at a time.
    pub(super) async fn run(self) {
        let mut bell = self.store().subscribe(TenantId::SYSTEM, DeliveryQueue::TOPIC);
        let mut visits = Visits::default();
        loop {
            let rest = match self.begin(&mut visits).await {
                Ok(next) => next.map_or(self.settings().sweep_every, |at| at.since(Timestamp::now())),
                Err(why) => {
                    telemetry::metrics::table::SWEEP_FAILURES.add(["notification_queues"], 1);
                    tracing::warn!(%why, "queues of notifications could not be read");
                    self.settings().sweep_every
                }
            };
            let rest = rest.clamp(MIN_PAUSE, self.settings().sweep_every);
            tokio::select! {
                () = bell.changed() => {}
                () = tokio::time::sleep(rest) => {}
                Some(ended) = visits.tasks.join_next_with_id() => self.ended(&mut visits, ended).await,
            }
        }
    }

    /// Begins visits to endpoints that are due, up to the limits. Returns when the next visit is due.
    async fn begin(&self, visits: &mut Visits) -> storage::Result<Option<Timestamp>> {
        let (now, settings) = (Timestamp::now(), self.settings());
        let (mut after, mut looked) = (None, 0);
        while visits.of.len() < settings.at_once && looked < MAX_EXAMINED {
            let from = after.take();
            let page = self.store().read(move |reader| due_queues(reader, now, from, PAGE_SIZE)).await?;
            looked += page.items.len();
            for queue in page.items {
                let room = visits.of.len() < settings.at_once;
                if room && !visits.is_at(queue.id) && visits.of_user(queue.user) < settings.at_once_of_user {
                    self.send_off(visits, &queue);
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        self.store().read(move |reader| next_visit(reader, now)).await
    }

    fn send_off(&self, visits: &mut Visits, queue: &Row<DeliveryQueue>) {
        let visit = self.clone().visit(queue.tenant(), queue.id, queue.failures);
        let task = visits.tasks.spawn(visit);
        visits.of.insert(task.id(), (queue.id, queue.user));
    }

    async fn ended(&self, visits: &mut Visits, ended: Result<(Id, storage::Result<()>), JoinError>) {
        let (id, mistake) = match ended {
            Ok((id, Ok(()))) => (id, None),
            Ok((id, Err(why))) => (id, Some(why.to_string())),
            Err(why) => (why.id(), Some(why.to_string())),
        };
        let Some((endpoint, _)) = visits.of.remove(&id) else { return };
        if let Some(why) = mistake {
            tracing::warn!(%endpoint, %why, "a notification could not be delivered to its endpoint");
            self.leave_after_mistake(endpoint).await;
        }
    }
}
