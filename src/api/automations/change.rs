//! Creation and change of automations by requests.

use domain::Precondition;
use domain::automations::{self, AutomationInput, InputFault, Scheduling};
use jobs::automation::{Ask, check_ask, set_anchor};
use serde_json::{Map, Value};
use storage::records::{Assistant, Automation, AutomationSchedule};
use storage::{Timestamp, Tx};
use uuid::Uuid;

use super::view::AutomationResponse;
use crate::http::{Api, Caller};

/// Implements the scheduling rules of the domain with the run layer.
pub struct RunScheduling;

impl Scheduling for RunScheduling {
    fn check_start(
        &self,
        assistant: &Assistant,
        prompt: Option<&str>,
        inputs: Option<&Map<String, Value>>,
    ) -> Vec<InputFault> {
        let ask = Ask { prompt: prompt.map(str::to_owned), inputs: inputs.cloned() };
        let faults = check_ask(assistant, &ask, workflow::input_faults).into_iter();
        faults.map(|fault| InputFault { loc: fault.loc, message: fault.msg, kind: fault.kind }).collect()
    }

    fn restart(&self, automation: &Automation, schedule: &mut AutomationSchedule, now: Timestamp) {
        set_anchor(automation, schedule, now);
    }
}

/// Creates an automation that the caller owns, in the tenant's time zone unless the input names another.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    now: Timestamp,
    input: AutomationInput,
) -> Api<AutomationResponse> {
    let input = automations::default_time_zone(tx, caller, None, input)?;
    let row = automations::create(tx, caller, &RunScheduling, now, input)?;
    Ok(AutomationResponse::from_row(tx, caller, row, now)?)
}

/// Replaces the fields of an automation, in the tenant's time zone unless the input names another.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    now: Timestamp,
    id: Uuid,
    expected: (&Precondition, Option<u64>),
    input: AutomationInput,
) -> Api<AutomationResponse> {
    let input = automations::default_time_zone(tx, caller, Some(id), input)?;
    let row = automations::change(tx, caller, &RunScheduling, now, id, expected, input)?;
    Ok(AutomationResponse::from_row(tx, caller, row, now)?)
}
