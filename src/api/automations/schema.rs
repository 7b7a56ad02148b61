//! Requests about automations.

use domain::automations::AutomationInput;
use jobs::automation::Schedule;
use serde::Deserialize;
use serde_json::{Map, Value};
use storage::Timestamp;
use storage::records::{CatchUp, Overlap, Trigger};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// Largest inputs, in bytes of JSON.
const INPUTS: usize = 256 * 1024;
/// Longest window for catching up, in seconds: a week.
const WINDOW: u64 = 7 * 24 * 60 * 60;

/// A new automation. What is left out takes its default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAutomationRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// The assistant that it runs.
    pub assistant_id: Uuid,
    /// What a chat assistant is asked.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// What a workflow is given.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When it runs; without one, only when it is started by hand.
    #[serde(default)]
    pub trigger: Trigger,
    /// Whether its schedule runs it.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// What becomes of a tick while an earlier run is not over.
    #[serde(default)]
    pub overlap: Overlap,
    /// What is made up for after the server was down.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// It is switched off after so many failures in a row; 0 for never.
    #[serde(default = "five")]
    #[schema(default = 5, minimum = 0, maximum = 1000)]
    pub pause_after_failures: u32,
    /// Whether its owner is notified of the first failure, an automatic pause and a recovery.
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

/// All that can be set of an automation; what is left out takes its default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateAutomationRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// The assistant that it runs.
    pub assistant_id: Uuid,
    /// What a chat assistant is asked.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// What a workflow is given.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When it runs; without one, only when it is started by hand.
    #[serde(default)]
    pub trigger: Trigger,
    /// Whether its schedule runs it. Switching it on ends a pause.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
    /// What becomes of a tick while an earlier run is not over.
    #[serde(default)]
    pub overlap: Overlap,
    /// What is made up for after the server was down.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// It is switched off after so many failures in a row; 0 for never.
    #[serde(default = "five")]
    #[schema(default = 5, minimum = 0, maximum = 1000)]
    pub pause_after_failures: u32,
    /// Whether its owner is notified of the first failure, an automatic pause and a recovery.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub notify: bool,
    /// The version that is replaced; if it is another by now, the answer is 412. `If-Match` does
    /// the same.
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

/// What one run is asked, where it is not what the automation says.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct RunAutomationRequest {
    /// What a chat assistant is asked.
    #[schema(min_length = 1, max_length = 100000)]
    pub prompt: Option<String>,
    /// What a workflow is given.
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

/// Without the version.
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
