//! The workflow run kind, and the lookups that starting and executing a run share.

use std::sync::Arc;

use assist::RunContext;
use runs::{StartError, Work};
use serde_json::{Map, Value};
use storage::records::{Message, Run};
use storage::{Store, TenantId};

use crate::graph::{Plan, Plans};
use crate::inputs;
use crate::request::StoredRequest;
use crate::stored_value::read;

/// The run kind that executes a graph.
pub struct Workflow {
    pub(crate) run_context: Arc<RunContext>,
    /// Recently used graphs.
    pub(crate) plans: Plans,
}

impl Workflow {
    /// Creates the run kind. Nodes use the services of `run_context`.
    pub fn new(run_context: Arc<RunContext>) -> Self {
        Self { run_context, plans: Plans::default() }
    }

    /// Returns the graph of a run. The graph was checked when the run was accepted.
    pub(crate) async fn plan_of(
        &self,
        store: &Store,
        tenant: TenantId,
        run: &Run,
    ) -> Result<Arc<Plan>, StartError> {
        let request = StoredRequest::from_run(run);
        if let Some(plan) = self.plans.find(&request.graph_hash) {
            return Ok(plan);
        }
        let blob = request.graph.ok_or(StartError::NotAWorkflow)?;
        let graph: Value = read(store, tenant, &blob).await?;
        self.plans.get_or_read(&graph).map_err(StartError::GraphInvalid)
    }

    /// Returns the complete inputs of a run.
    pub(crate) async fn inputs_of(
        &self,
        work: &Work,
        request: &StoredRequest,
        plan: &Plan,
    ) -> storage::Result<Map<String, Value>> {
        if let Some(blob) = &request.inputs_blob {
            return read(&work.store, work.tenant, blob).await;
        }
        let (Some(name), Some(conversation), Some(id)) =
            (&request.from_message, work.run.conversation_id, request.parent_id)
        else {
            return Ok(request.inputs.clone());
        };
        let tenant = work.tenant;
        let message = work.store.read(move |reader| reader.get::<Message>(tenant, &(conversation, id)));
        let message = message.await?.map(|row| row.body).unwrap_or_default();
        let values = inputs::from_message(plan, name, &message);
        Ok(plan.take_inputs(&values).unwrap_or(values))
    }
}
