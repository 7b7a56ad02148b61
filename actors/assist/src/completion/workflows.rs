//! Workflows that are started by a message or by an automation. The crate that executes them depends on this one, so it
//! is registered at start-up.

use async_trait::async_trait;
use runs::{Runs, StartError};
use serde_json::{Map, Value};
use storage::TenantId;
use uuid::Uuid;

use super::{CompletionStart, Started};

/// A workflow run that another run starts, in an existing conversation.
#[derive(Clone, Debug)]
pub struct WorkflowRequest {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    /// The user on whose behalf it runs, who may see the assistant and owns the conversation.
    pub user: Uuid,
    /// The assistant that the workflow belongs to.
    pub assistant_id: Uuid,
    /// The conversation of the run.
    pub conversation_id: Uuid,
    /// Input values by name.
    pub inputs: Map<String, Value>,
    /// The same key within 24 hours returns the same run.
    pub idempotency_key: String,
    /// Distinguishes requests with the same key.
    pub request_sha256: String,
    /// Label for the usage record.
    pub context: String,
    /// The run that starts this one.
    pub parent: Uuid,
}

/// Starts workflow runs.
#[async_trait]
pub trait WorkflowStarter: Send + Sync {
    /// Starts the workflow of a conversation's assistant with a message as its input.
    ///
    /// # Errors
    /// The reason why the request is rejected. Nothing has been changed then.
    async fn start_with_message(
        &self,
        runs: &Runs,
        start: &CompletionStart,
        assistant_id: Uuid,
    ) -> Result<Started, StartError>;

    /// Starts a workflow with these inputs. Returns the run's ID.
    ///
    /// # Errors
    /// The reason why the request is rejected. Nothing has been changed then.
    async fn start_with_inputs(&self, runs: &Runs, request: WorkflowRequest) -> Result<Uuid, StartError>;
}
