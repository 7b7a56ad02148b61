//! What is asked for and answered where assistants are disabled, enabled and given away.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// Why an assistant is disabled.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DisableAssistantBody {
    /// The reason; its owner is told, and whoever may see the assistant.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for DisableAssistantBody {
    const TRIMMED: &'static [&'static str] = &["reason"];
}

/// Who is to own an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TransferAssistantOwnershipBody {
    /// The new owner: one of the ownership candidates.
    pub new_owner_id: Uuid,
}

impl Validate for TransferAssistantOwnershipBody {}

/// Which assistants are disabled, and why.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkDisableAssistantBody {
    /// The assistants.
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
    /// The reason for all of them.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for BulkDisableAssistantBody {
    const TRIMMED: &'static [&'static str] = &["reason"];

    fn validate(&self, faults: &mut Faults) {
        check_ids(faults, &self.assistant_ids);
    }
}

/// Which assistants are enabled.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkEnableAssistantBody {
    /// The assistants.
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
}

impl Validate for BulkEnableAssistantBody {
    fn validate(&self, faults: &mut Faults) {
        check_ids(faults, &self.assistant_ids);
    }
}

/// Which assistants are given away, and to whom.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkTransferAssistantOwnershipBody {
    /// The assistants.
    #[schema(min_items = 1, max_items = 500)]
    pub assistant_ids: Vec<Uuid>,
    /// The new owner of all of them: one of the ownership candidates.
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
        faults.add(["assistant_ids", &at.to_string()], format!("{id} stands twice"), "duplicate");
    }
}

/// An assistant after it was disabled, enabled or given away.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantStateResponse {
    /// The assistant.
    pub assistant_id: Uuid,
    /// Its name.
    pub name: String,
    /// Whether it answers.
    pub enabled: bool,
    /// Why it does not.
    pub disabled_reason: Option<String>,
    /// Whose it is.
    pub owner: Uuid,
    /// Its version.
    pub version: u64,
    /// Whether anything was changed: it may have been so already.
    pub changed: bool,
    /// How many live runs of it were told to stop.
    pub stopped_runs: u64,
}

/// What became of one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulkAssistantStatus {
    /// It was done.
    Ok,
    /// It was so already.
    Unchanged,
    /// The tenant has no such assistant.
    NotFound,
}

/// What became of one assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAssistantResult {
    /// The assistant.
    pub assistant_id: Uuid,
    /// What became of it.
    pub status: BulkAssistantStatus,
}

/// What became of each assistant, in the order in which they were named.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAssistantsResponse {
    /// A result for each.
    pub results: Vec<BulkAssistantResult>,
    /// How many were changed.
    pub changed: u64,
    /// How many live runs of them were told to stop.
    pub stopped_runs: u64,
}
