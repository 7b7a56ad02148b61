//! Creating and changing automations.

use serde_json::{Map, Value, json};
use storage::records::{
    Assistant, Automation, AutomationSchedule, CatchUp, Overlap, PausedReason, Role, Tenant, Trigger,
    TriggerKind,
};
use storage::{CountedResource, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::assistants::access;
use crate::audit::{Actor, audit};
use crate::{Caller, Code, Faults, Precondition, Refusal, Result};

/// Schedules, and the inputs that runs accept. Implemented above this crate, where runs are known.
pub trait Scheduling {
    /// Returns the faults of starting an assistant with this prompt and these inputs.
    fn check_start(
        &self,
        assistant: &Assistant,
        prompt: Option<&str>,
        inputs: Option<&Map<String, Value>>,
    ) -> Vec<InputFault>;

    /// Restarts the schedule of an automation at `now`: earlier ticks are not caught up on.
    fn restart(&self, automation: &Automation, schedule: &mut AutomationSchedule, now: Timestamp);
}

/// A fault in the inputs that an automation passes to its assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFault {
    /// Its location in the automation, for example `["inputs", "topic"]`.
    pub loc: Vec<String>,
    /// Description of the fault.
    pub message: String,
    /// Machine-readable kind of the fault.
    pub kind: &'static str,
}

/// All fields of an automation that can be set.
#[derive(Clone, Debug)]
pub struct AutomationInput {
    /// Name of the automation; surrounding white space is removed.
    pub name: String,
    pub assistant_id: Uuid,
    /// The message to a chat assistant.
    pub prompt: Option<String>,
    /// The inputs of a workflow.
    pub inputs: Option<Map<String, Value>>,
    pub trigger: Trigger,
    pub enabled: bool,
    pub overlap: Overlap,
    pub catch_up: CatchUp,
    /// Number of consecutive failures after which the automation is paused; 0 for never.
    pub pause_after_failures: u32,
    /// Whether the owner is notified.
    pub notify: bool,
}

impl AutomationInput {
    /// Returns the automation that this input describes, without an owner and without checks.
    pub fn into_automation(self) -> Automation {
        let mut automation = Automation::default();
        self.apply(&mut automation);
        automation
    }

    fn apply(self, automation: &mut Automation) {
        if self.enabled {
            automation.paused_reason = None;
        }
        automation.name = self.name.trim().to_owned();
        automation.assistant_id = self.assistant_id;
        automation.prompt = self.prompt;
        automation.inputs = self.inputs;
        automation.trigger = self.trigger;
        automation.enabled = self.enabled;
        automation.overlap = self.overlap;
        automation.catch_up = self.catch_up;
        automation.pause_after_failures = self.pause_after_failures;
        automation.notify = self.notify;
    }
}

/// Returns the automation with this id, if the caller owns it or administers the tenant.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Automation>>> {
    let row = reader.get::<Automation>(caller.tenant, &id)?;
    Ok(row.filter(|row| row.owner == caller.user || caller.role == Role::TenantAdmin))
}

/// Creates an automation that the caller owns. Callers who act as another person are refused, because the automation
/// would run with that person's logins, memories and knowledge.
///
/// # Errors
/// `impersonation_limited`, `limit_reached`; `invalid` with every fault.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    scheduling: &dyn Scheduling,
    now: Timestamp,
    input: AutomationInput,
) -> Result<Row<Automation>> {
    caller.require_in_person()?;
    let own = Scan::index("by_owner").prefix(caller.user.as_bytes());
    let own = tx.count::<Automation>(caller.tenant, own)?;
    tx.require_place(CountedResource::Automations, own)?;
    check(tx, caller, scheduling, now, None, &input)?;
    let mut automation = Automation { owner: caller.user, ..Automation::default() };
    input.apply(&mut automation);
    let row = tx.insert(caller.tenant, storage::new_id(), automation)?;
    let mut schedule = AutomationSchedule::default();
    scheduling.restart(&row, &mut schedule, now);
    tx.insert(caller.tenant, row.id, schedule)?;
    Ok(row)
}

/// Sets the tenant's time zone in a cron trigger that has none. The current trigger of the automation `id` does not
/// change, so writing back what was read changes no schedule.
///
/// # Errors
/// Returns an error if storage fails.
pub fn default_time_zone(
    reader: &Reader,
    caller: &Caller,
    id: Option<Uuid>,
    mut input: AutomationInput,
) -> Result<AutomationInput> {
    if input.trigger.kind != TriggerKind::Cron || input.trigger.timezone.is_some() {
        return Ok(input);
    }
    let before = id.map(|id| reader.get::<Automation>(caller.tenant, &id)).transpose()?.flatten();
    if before.is_none_or(|row| row.trigger != input.trigger) {
        let tenant = reader.get::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
        input.trigger.timezone = tenant.and_then(|tenant| tenant.body.time_zone);
    }
    Ok(input)
}

/// Replaces the fields of an automation. An administrator can only disable an automation of another user; the rest of
/// the input is then ignored. `version` is the version in the request itself, which is checked in addition to the
/// precondition.
///
/// # Errors
/// `impersonation_limited`, `not_found`, `not_allowed`, `stale`; `invalid` with every fault.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    scheduling: &dyn Scheduling,
    now: Timestamp,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    input: AutomationInput,
) -> Result<Row<Automation>> {
    caller.require_in_person()?;
    let mut row = visible(tx, caller, id)?.ok_or_else(|| Refusal::not_found("automation"))?;
    precondition.check_both(version, "automation", row.version)?;
    if row.owner != caller.user {
        return disable(tx, caller, row, input.enabled);
    }
    check(tx, caller, scheduling, now, Some(&row), &input)?;
    let (trigger, enabled) = (row.trigger.clone(), row.enabled);
    input.apply(&mut row.body);
    let is_enabled_now = row.enabled && !enabled;
    let row = tx.update(caller.tenant, row)?;
    let mut schedule = tx.require::<AutomationSchedule>(caller.tenant, &id)?;
    if is_enabled_now {
        schedule.failures = 0;
    }
    if is_enabled_now || row.trigger != trigger {
        scheduling.restart(&row, &mut schedule, now);
    }
    tx.update(caller.tenant, schedule)?;
    Ok(row)
}

/// Disables an automation of another user.
fn disable(tx: &mut Tx, caller: &Caller, mut row: Row<Automation>, enabled: bool) -> Result<Row<Automation>> {
    if enabled {
        let why = "an administrator can only disable another user's automation";
        return Err(Refusal::new(Code::NotAllowed).detail(why));
    }
    if row.enabled {
        row.enabled = false;
        row.paused_reason = Some(PausedReason::Administrator);
        row = tx.update(caller.tenant, row)?;
        audit_admin(tx, caller, "automation.disable", &row)?;
    }
    Ok(row)
}

/// Records an administrator's action on another user's automation in the audit log.
///
/// # Errors
/// Returns an error if storage fails.
pub fn audit_admin(tx: &mut Tx, caller: &Caller, action: &str, row: &Row<Automation>) -> storage::Result<()> {
    if row.owner == caller.user {
        return Ok(());
    }
    let detail = json!({"name": row.name, "owner": row.owner});
    audit(tx, caller.tenant, Actor::from(caller), action, format!("automation {}", row.id), detail)
}

fn check(
    tx: &Tx,
    caller: &Caller,
    scheduling: &dyn Scheduling,
    now: Timestamp,
    before: Option<&Automation>,
    input: &AutomationInput,
) -> Result<()> {
    let mut faults = Faults::new("body");
    let trigger = &input.trigger;
    let is_same = before.is_some_and(|before| before.trigger == *trigger);
    if trigger.kind == TriggerKind::Once && !is_same && trigger.at.is_some_and(|at| at <= now) {
        faults.add(["trigger", "at"], "is in the past", "out_of_range");
    }
    match access::visible(tx, caller, input.assistant_id)? {
        Some(assistant) => {
            let of_inputs =
                scheduling.check_start(&assistant, input.prompt.as_deref(), input.inputs.as_ref());
            add_all(&mut faults, of_inputs);
        }
        // An automation whose assistant has been deleted can still be renamed, but stays disabled.
        None if before.is_some_and(|row| row.assistant_id == input.assistant_id) && !input.enabled => {}
        None => faults.add(["assistant_id"], "there is no such assistant", "not_found"),
    }
    faults.into_result()
}

/// Checks a run of an automation with a different prompt or different inputs. The automation's values are used for those
/// that are omitted.
///
/// # Errors
/// `not_found` and `assistant_disabled` for its assistant; `invalid` with every fault.
pub fn check_run(
    reader: &Reader,
    caller: &Caller,
    scheduling: &dyn Scheduling,
    automation: &Automation,
    prompt: Option<&str>,
    inputs: Option<&Map<String, Value>>,
) -> Result<()> {
    let assistant = access::visible(reader, caller, automation.assistant_id)?;
    let assistant = assistant.ok_or_else(|| Refusal::not_found("assistant"))?;
    access::require_enabled(&assistant)?;
    let prompt = prompt.or(automation.prompt.as_deref());
    let inputs = inputs.or(automation.inputs.as_ref());
    let mut faults = Faults::new("body");
    add_all(&mut faults, scheduling.check_start(&assistant, prompt, inputs));
    faults.into_result()
}

fn add_all(faults: &mut Faults, others: Vec<InputFault>) {
    for InputFault { loc, message, kind } in others {
        faults.add(loc.iter().map(String::as_str), message, kind);
    }
}
