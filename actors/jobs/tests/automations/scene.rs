//! A test stage for automations, with a clock that stands still until it is set.

use std::sync::Arc;
use std::time::Duration;

use assist::RunContext;
use jobs::automation::{AutomationKind, AutomationSettings, Automations, ManualClock, set_anchor};
use runs::{RunHandlers, Runs};
use serde_json::{Value, json};
use storage::records::{
    Assistant, Automation, AutomationRun, AutomationRunState, AutomationSchedule, Conversation, Membership,
    Message, Notice, Role, Run, RunKind, SkipReason, Trigger, TriggerKind,
};
use storage::{Row, Scan, Store, TenantId, Timestamp};
use uuid::Uuid;

use crate::stage::{NoWorkflows, Stage, completions};

/// The initial time, a Monday.
pub const START: &str = "2026-03-02T06:00:00Z";

/// The handlers of automations, and of the completions that they start.
fn handlers(run_context: &Arc<RunContext>) -> RunHandlers {
    completions(run_context).with(RunKind::Automation, AutomationKind::new(Arc::new(NoWorkflows)))
}

pub fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub struct Scene {
    pub stage: Stage,
    pub clock: Arc<ManualClock>,
    pub automations: Automations,
    pub settings: AutomationSettings,
}

impl Scene {
    pub async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub async fn with(change: impl FnOnce(&mut AutomationSettings)) -> Self {
        let stage = Stage::with_handlers(Stage::config(), handlers).await;
        let (tenant, user) = (stage.tenant, stage.user);
        let insert = stage.actors.store().run(move |tx| {
            tx.insert(
                TenantId::SYSTEM,
                (user, tenant.0),
                Membership { role: Role::Editor, ..Membership::default() },
            )
        });
        insert.await.unwrap();
        let mut settings =
            AutomationSettings { sweep_every: Duration::from_millis(50), ..AutomationSettings::default() };
        change(&mut settings);
        let clock = Arc::new(ManualClock::at(moment(START)));
        let automations = Automations::start(Runs::clone(&stage.actors), clock.clone(), settings);
        Self { stage, clock, automations, settings }
    }

    pub fn store(&self) -> &Store {
        self.stage.actors.store()
    }

    /// Starts another process on the same data directory, at a later time.
    pub async fn restart_at(self, now: Timestamp) -> Self {
        let Self { stage, clock, automations, settings } = self;
        automations.stop();
        drop(automations);
        let stage = stage.restart_at_once().await;
        clock.set(now);
        let automations = Automations::start(Runs::clone(&stage.actors), clock.clone(), settings);
        Self { stage, clock, automations, settings }
    }

    /// Creates an assistant that uses the built-in model with these parameters.
    pub async fn assistant(&self, parameters: Value) -> Uuid {
        let (tenant, id, owner) = (self.stage.tenant, Uuid::now_v7(), self.stage.user);
        let model_parameters = parameters.as_object().unwrap().clone();
        let assistant = Assistant { name: "Ada".into(), owner, model_parameters, ..Assistant::default() };
        self.store().run(move |tx| tx.insert(tenant, id, assistant.clone())).await.unwrap();
        id
    }

    /// Creates an automation of an assistant. It runs every minute unless `change` sets another trigger.
    pub async fn automation(&self, assistant: Uuid, change: impl FnOnce(&mut Automation)) -> Uuid {
        let (tenant, id, now) = (self.stage.tenant, Uuid::now_v7(), self.automations.now());
        let trigger = Trigger { kind: TriggerKind::Interval, every_s: Some(60), ..Trigger::default() };
        let mut automation = Automation {
            name: "Daily".into(),
            owner: self.stage.user,
            assistant_id: assistant,
            prompt: Some("Tell me of the tides.".into()),
            trigger,
            ..Automation::default()
        };
        change(&mut automation);
        let insert = self.store().run(move |tx| {
            let row = tx.insert(tenant, id, automation.clone())?;
            let mut schedule = AutomationSchedule::default();
            set_anchor(&row, &mut schedule, now);
            tx.insert(tenant, id, schedule).map(drop)
        });
        insert.await.map_err(|why: storage::Error| why).unwrap();
        self.automations.ring();
        id
    }

    /// Changes an automation. If this enables the automation, the schedule is anchored in the same way as for a request of the
    /// owner.
    pub async fn change(&self, id: Uuid, change: impl Fn(&mut Automation) + Send + Sync + 'static) {
        let (tenant, now) = (self.stage.tenant, self.automations.now());
        let changed = self.store().run(move |tx| {
            let mut row = tx.require::<Automation>(tenant, &id)?;
            let before = row.enabled;
            change(&mut row);
            let row = tx.update(tenant, row)?;
            let mut schedule = tx.require::<AutomationSchedule>(tenant, &id)?;
            if row.enabled && !before {
                set_anchor(&row, &mut schedule, now);
            }
            tx.update(tenant, schedule).map(drop)
        });
        changed.await.map_err(|why: storage::Error| why).unwrap();
        self.automations.ring();
    }

    /// Sets the clock and wakes the scheduler.
    pub fn to(&self, now: Timestamp) {
        self.clock.set(now);
        self.automations.ring();
    }

    /// Sets the clock to this many minutes after the start.
    pub fn to_minute(&self, minutes: u64) {
        self.to(moment(START) + Duration::from_secs(60 * minutes));
    }

    /// Returns the ledger entries of an automation, oldest first.
    pub async fn lines(&self, id: Uuid) -> Vec<Row<AutomationRun>> {
        let (tenant, scan) = (self.stage.tenant, Scan::index("by_automation").prefix(id.as_bytes()));
        self.store().read(move |reader| reader.scan(tenant, scan)).await.unwrap().items
    }

    /// Waits until the ledger entries fulfil a condition.
    pub async fn until(
        &self,
        id: Uuid,
        want: impl Fn(&[Row<AutomationRun>]) -> bool,
    ) -> Vec<Row<AutomationRun>> {
        for _ in 0..6_000 {
            let lines = self.lines(id).await;
            if want(&lines) {
                return lines;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the lines stay {:#?}", self.lines(id).await);
    }

    /// Waits until the ledger entries have these states.
    pub async fn until_states(&self, id: Uuid, states: &[AutomationRunState]) -> Vec<Row<AutomationRun>> {
        self.until(id, |lines| lines.iter().map(|line| line.state).eq(states.iter().copied())).await
    }

    /// Gives the scheduler time to do something that it should not do.
    pub async fn settle(&self) {
        for _ in 0..4 {
            self.automations.ring();
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
    }

    pub async fn automation_row(&self, id: Uuid) -> Row<Automation> {
        let tenant = self.stage.tenant;
        self.store()
            .read(move |reader| reader.require(tenant, &id))
            .await
            .map_err(|why: storage::Error| why)
            .unwrap()
    }

    pub async fn conversation(&self, id: Uuid) -> Option<Row<Conversation>> {
        let tenant = self.stage.tenant;
        self.store()
            .read(move |reader| reader.get(tenant, &id))
            .await
            .map_err(|why: storage::Error| why)
            .unwrap()
    }

    pub async fn messages(&self, conversation: Uuid) -> Vec<Row<Message>> {
        let (tenant, scan) = (self.stage.tenant, Scan::table().prefix(conversation.as_bytes()));
        self.store().read(move |reader| reader.scan(tenant, scan)).await.unwrap().items
    }

    /// Returns all runs of the tenant.
    pub async fn runs(&self) -> Vec<Row<Run>> {
        let tenant = self.stage.tenant;
        self.store().read(move |reader| reader.scan(tenant, Scan::table())).await.unwrap().items
    }

    /// Returns the types of the notifications that the owner received, oldest first.
    pub async fn notices(&self) -> Vec<String> {
        let tenant = self.stage.tenant;
        let notices = self.store().read(move |reader| reader.scan::<Notice>(tenant, Scan::table())).await;
        notices.unwrap().items.into_iter().map(|notice| notice.body.kind).collect()
    }
}

/// An answer that is so slow that it is not finished when the next tick is due.
pub fn slow() -> Value {
    json!({"length": 5_000, "pace_ms": 20})
}

/// Parameters for a short answer.
pub fn quick() -> Value {
    json!({"length": 3})
}

/// Parameters that the built-in model refuses.
pub fn failing() -> Value {
    json!({"length": 0})
}

pub fn reasons(lines: &[Row<AutomationRun>]) -> Vec<Option<SkipReason>> {
    lines.iter().map(|line| line.reason).collect()
}
