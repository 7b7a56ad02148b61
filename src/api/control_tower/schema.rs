//! Requests and responses of operations that disable, enable and transfer assistants.

use std::collections::HashSet;

use domain::control_tower::{ChangeOutcome, ChangeStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// A request to disable an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DisableAssistantBody {
    /// Reason, shown to the owner and to everyone who may see the assistant.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for DisableAssistantBody {
    const TRIMMED: &'static [&'static str] = &["reason"];
}

/// A request to transfer an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TransferAssistantOwnershipBody {
    /// Id of the new owner, who must be one of the ownership candidates.
    pub new_owner_id: Uuid,
}

impl Validate for TransferAssistantOwnershipBody {}

/// A request to disable several assistants.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkDisableAssistantBody {
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
    /// Reason that is stored for each of the assistants.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for BulkDisableAssistantBody {
    const TRIMMED: &'static [&'static str] = &["reason"];

    fn validate(&self, faults: &mut Faults) {
        check_ids(faults, &self.assistant_ids);
    }
}

/// A request to enable several assistants.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkEnableAssistantBody {
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
}

impl Validate for BulkEnableAssistantBody {
    fn validate(&self, faults: &mut Faults) {
        check_ids(faults, &self.assistant_ids);
    }
}

/// A request to transfer several assistants to one owner.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkTransferAssistantOwnershipBody {
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
    /// Id of the new owner of all the assistants, who must be one of the ownership candidates.
    pub new_owner_id: Uuid,
}

impl Validate for BulkTransferAssistantOwnershipBody {
    fn validate(&self, faults: &mut Faults) {
        check_ids(faults, &self.assistant_ids);
    }
}

fn check_ids(faults: &mut Faults, ids: &[Uuid]) {
    let mut seen = HashSet::new();
    if let Some((at, id)) = ids.iter().enumerate().find(|(_, id)| !seen.insert(**id)) {
        faults.add(["assistant_ids", &at.to_string()], format!("{id} is repeated"), "duplicate");
    }
}

/// An assistant after it was disabled, enabled or transferred.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantStateResponse {
    pub assistant_id: Uuid,
    pub name: String,
    /// Whether the assistant responds.
    pub enabled: bool,
    /// Why the assistant is disabled.
    pub disabled_reason: Option<String>,
    /// Id of the owner.
    pub owner: Uuid,
    pub version: u64,
    /// Whether the request changed the assistant. `false` if it already had the requested state.
    pub changed: bool,
    /// Number of live runs that were stopped.
    pub stopped_runs: u64,
}

/// The result for one assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAssistantResult {
    pub assistant_id: Uuid,
    pub status: ChangeStatus,
}

/// The result for each assistant, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAssistantsResponse {
    pub results: Vec<BulkAssistantResult>,
    /// Number of assistants that were changed.
    pub changed: u64,
    /// Number of live runs that were stopped.
    pub stopped_runs: u64,
}

impl AssistantStateResponse {
    /// Creates the response. Returns `None` if the assistant does not exist.
    pub fn new(outcome: ChangeOutcome, stopped_runs: u64) -> Option<Self> {
        let ChangeOutcome { status, row, .. } = outcome;
        row.map(|row| Self {
            assistant_id: row.id,
            version: row.version,
            owner: row.body.owner,
            name: row.body.name,
            enabled: row.body.enabled,
            disabled_reason: row.body.disabled_reason,
            changed: status == ChangeStatus::Ok,
            stopped_runs,
        })
    }
}

impl BulkAssistantsResponse {
    pub fn new(outcomes: &[ChangeOutcome], stopped_runs: u64) -> Self {
        let result = |outcome: &ChangeOutcome| BulkAssistantResult {
            assistant_id: outcome.id,
            status: outcome.status,
        };
        let changed = outcomes.iter().filter(|outcome| outcome.status == ChangeStatus::Ok).count() as u64;
        Self { results: outcomes.iter().map(result).collect(), changed, stopped_runs }
    }
}
