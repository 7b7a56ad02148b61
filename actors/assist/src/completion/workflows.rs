//! Workflows that are started by a message or by an automation. What runs them is above this crate, so it is
//! registered at start-up.

use async_trait::async_trait;
use runs::{Runs, StartError};
use serde_json::{Map, Value};
use storage::TenantId;
use uuid::Uuid;

use super::{CompletionStart, Started};

/// A run of a workflow that another run starts, in a conversation that exists.
#[derive(Clone, Debug)]
pub struct WorkflowRequest {
    /// Whose it is.
    pub tenant: TenantId,
    /// On whose behalf; they may see the assistant, and the conversation is theirs.
    pub user: Uuid,
    /// The assistant whose workflow it is.
    pub assistant_id: Uuid,
    /// Where it lives.
    pub conversation_id: Uuid,
    /// What it is started with.
    pub inputs: Map<String, Value>,
    /// The same key within 24 h gives the same run.
    pub idempotency_key: String,
    /// Tells requests under one key apart.
    pub request_sha256: String,
    /// A label for the usage record.
    pub context: String,
    /// The run that starts this one.
    pub parent: Uuid,
}

/// Starts workflows.
#[async_trait]
pub trait WorkflowStarter: Send + Sync {
    /// Starts the workflow of a conversation's assistant with a message as its input.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    async fn start_with_message(
        &self,
        runs: &Runs,
        start: &CompletionStart,
        assistant_id: Uuid,
    ) -> Result<Started, StartError>;

    /// Starts a workflow with these inputs, and gives the run's id.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    async fn start_with_inputs(&self, runs: &Runs, request: WorkflowRequest) -> Result<Uuid, StartError>;
}
