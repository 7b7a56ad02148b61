//! Starts workflows for messages and automations.

use assist::completion::{self, CompletionStart, OnActive, WorkflowRequest, WorkflowStarter};
use async_trait::async_trait;
use runs::{RequestKey, Runs, StartError};
use uuid::Uuid;

use super::request::{ConversationTarget, WorkflowStart};

/// Starts workflow runs on behalf of completions and automations.
pub struct Starter;

#[async_trait]
impl WorkflowStarter for Starter {
    async fn start_with_message(
        &self,
        runs: &Runs,
        start: &CompletionStart,
        assistant_id: Uuid,
    ) -> Result<completion::Started, StartError> {
        super::start::start_with_message(runs, start, assistant_id).await
    }

    async fn start_with_inputs(&self, runs: &Runs, request: WorkflowRequest) -> Result<Uuid, StartError> {
        let start = WorkflowStart {
            tenant: request.tenant,
            user: request.user,
            token_id: None,
            assistant_id: request.assistant_id,
            place: ConversationTarget::Existing(request.conversation_id),
            inputs: request.inputs,
            idempotency_key: Some(RequestKey::new(request.tenant, request.user, &request.idempotency_key)),
            request_sha256: request.request_sha256,
            on_active: OnActive::Refuse,
            context: Some(request.context),
            debug: None,
            parent: Some(request.parent),
        };
        Ok(super::start(runs, start).await?.run.id)
    }
}
