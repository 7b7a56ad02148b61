//! Requests of automations.

use domain::automations::AutomationInput;
use jobs::automation::Schedule;
use serde::Deserialize;
use serde_json::{Map, Value};
use storage::Timestamp;
use storage::records::{CatchUp, Overlap, Trigger};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// Maximum size of the inputs, in bytes of JSON.
const INPUTS: usize = 256 * 1024;
/// Maximum catch-up window, in seconds: a week.
const WINDOW: u64 = 7 * 24 * 60 * 60;

/// A new automation. Fields that are omitted take their default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAutomationRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Id of the assistant to run.
    pub assistant_id: Uuid,
    /// Prompt for a chat assistant.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// Inputs for a workflow.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When the automation runs. Without a trigger, it runs only when it is started by hand.
    #[serde(default)]
    pub trigger: Trigger,
    /// Whether the schedule is active.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// What happens to a tick while an earlier run has not ended.
    #[serde(default)]
    pub overlap: Overlap,
    /// Which missed ticks are caught up on after the server was down.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// Number of consecutive failures after which the automation is paused; 0 for never.
    #[serde(default = "five")]
    #[schema(default = 5, minimum = 0, maximum = 1000)]
    pub pause_after_failures: u32,
    /// Whether the owner is notified of the first failure, an automatic pause and a recovery.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub notify: bool,
}

fn yes() -> bool {
    true
}

fn five() -> u32 {
    5
}

/// All settings of an automation. Fields that are omitted are reset to their default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateAutomationRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Id of the assistant to run.
    pub assistant_id: Uuid,
    /// Prompt for a chat assistant.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// Inputs for a workflow.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When the automation runs. Without a trigger, it runs only when it is started by hand.
    #[serde(default)]
    pub trigger: Trigger,
    /// Whether the schedule is active. Enabling it ends a pause.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// What happens to a tick while an earlier run has not ended.
    #[serde(default)]
    pub overlap: Overlap,
    /// Which missed ticks are caught up on after the server was down.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// Number of consecutive failures after which the automation is paused; 0 for never.
    #[serde(default = "five")]
    #[schema(default = 5, minimum = 0, maximum = 1000)]
    pub pause_after_failures: u32,
    /// Whether the owner is notified of the first failure, an automatic pause and a recovery.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub notify: bool,
    /// The version that is replaced. If the current version differs, the response is 412. `If-Match` has the same effect.
    pub version: Option<u64>,
}

impl From<CreateAutomationRequest> for UpdateAutomationRequest {
    fn from(new: CreateAutomationRequest) -> Self {
        Self {
            name: new.name,
            assistant_id: new.assistant_id,
            prompt: new.prompt,
            inputs: new.inputs,
            trigger: new.trigger,
            enabled: new.enabled,
            overlap: new.overlap,
            catch_up: new.catch_up,
            pause_after_failures: new.pause_after_failures,
            notify: new.notify,
            version: None,
        }
    }
}

/// Values for a single run that override those of the automation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct RunAutomationRequest {
    /// Prompt for a chat assistant.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// Inputs for a workflow.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
}

impl Validate for CreateAutomationRequest {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        UpdateAutomationRequest::from(self.clone()).validate(faults);
    }
}

impl Validate for UpdateAutomationRequest {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("name", self.name.trim());
        validate_inputs(self.inputs.as_ref(), faults);
        for fault in Schedule::read(&self.trigger, Timestamp::default()).err().into_iter().flatten() {
            faults.add(["trigger", fault.field], fault.msg, fault.kind);
        }
        if self.catch_up.window_s > WINDOW {
            faults.add(["catch_up", "window_s"], "is longer than a week (604800 s)", "out_of_range");
        }
    }
}

impl Validate for RunAutomationRequest {
    fn validate(&self, faults: &mut Faults) {
        validate_inputs(self.inputs.as_ref(), faults);
    }
}

fn validate_inputs(inputs: Option<&Map<String, Value>>, faults: &mut Faults) {
    let large = |inputs| serde_json::to_vec(inputs).is_ok_and(|json| json.len() > INPUTS);
    if inputs.is_some_and(large) {
        faults.add(["inputs"], "are larger than 256 KiB", "too_long");
    }
}

/// Drops the version, which is checked separately.
impl From<UpdateAutomationRequest> for AutomationInput {
    fn from(request: UpdateAutomationRequest) -> Self {
        Self {
            name: request.name,
            assistant_id: request.assistant_id,
            prompt: request.prompt,
            inputs: request.inputs,
            trigger: request.trigger,
            enabled: request.enabled,
            overlap: request.overlap,
            catch_up: request.catch_up,
            pause_after_failures: request.pause_after_failures,
            notify: request.notify,
        }
    }
}

impl From<CreateAutomationRequest> for AutomationInput {
    fn from(request: CreateAutomationRequest) -> Self {
        UpdateAutomationRequest::from(request).into()
    }
}
