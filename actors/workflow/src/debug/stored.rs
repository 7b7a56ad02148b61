//! Loads the stored graphs and inputs of runs.

use std::sync::Arc;

use runs::{Runs, StartError};
use storage::records::{AssistantType, Run};
use storage::{Row, TenantId};

use super::{DebugCaller, DebugError, Fields};
use crate::Workflow;
use crate::graph::Plan;
use crate::request::StoredRequest;
use crate::stored_value::read;

/// Returns the graph of a run.
pub(super) async fn pinned(runs: &Runs, tenant: TenantId, run: &Row<Run>) -> Result<Arc<Plan>, DebugError> {
    match runs.handler::<Workflow>().plan_of(runs.store(), tenant, run).await {
        Err(StartError::Storage(storage::Error::NotFound(_))) => Err(StartError::Expired.into()),
        found => Ok(found?),
    }
}

/// Returns the assistant's current graph.
pub(super) fn latest(runs: &Runs, caller: &DebugCaller) -> Result<Arc<Plan>, DebugError> {
    let of_workflow = caller.assistant.kind == AssistantType::Workflow;
    let graph = caller.assistant.workflow.as_ref().filter(|_| of_workflow);
    let graph = graph.ok_or(StartError::NotAWorkflow)?;
    Ok(runs.handler::<Workflow>().plans.get_or_read(graph).map_err(StartError::GraphInvalid)?)
}

/// Returns the inputs of a run.
pub(super) async fn inputs_of(runs: &Runs, tenant: TenantId, run: &Row<Run>) -> Result<Fields, DebugError> {
    let request = StoredRequest::from_run(run);
    let Some(blob) = request.inputs_blob else { return Ok(request.inputs) };
    match read(runs.store(), tenant, &blob).await {
        Err(storage::Error::NotFound(_)) => Err(StartError::Expired.into()),
        found => Ok(found?),
    }
}
