//! Which external services an assistant and its skills may use.

use std::collections::HashSet;

use actix_web::web::Data;
use actors::workflow::graph::{NodeKind, Plan};
use serde::Deserialize;
use serde_json::json;
use storage::records::{Assistant, GrantLevel, Skill, ToolServer};
use storage::{Reader, Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::view::AssistantResponse;
use super::{access, change};
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{
    Api, Area, Caller, Faults, Found, IfMatch, InPerson, Json, Refusal, ToOwn, Validate, Versioned,
    operations,
};
use domain::audit::{Actor, audit};

/// Most services that are approved.
const MOST: usize = 200;

/// All the services that are approved from now on.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApproveExternalServicesRequest {
    /// Each as one of the assistant's skills asks for it: `web:api.example.org`, `web:*` (every
    /// host), `data` (the assistant's data items), `knowledge` (searching what the caller may read; a graph that
    /// searches knowledge asks for it, too, and needs it where what it finds may be sent to other servers),
    /// `service:<name>` (the caller's login at an external service; `http` nodes of its graph ask for these,
    /// too); and `mcp:<name>` for a tool server that the assistant is connected to.
    #[schema(max_items = 200)]
    pub services: Vec<String>,
    /// The version of the assistant that is approved; if it is another by now, the answer is 412.
    /// `If-Match` does the same.
    pub version: Option<u64>,
}

impl Validate for ApproveExternalServicesRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.at_most("services", self.services.len(), MOST);
    }
}

/// Approve external services.
///
/// It replaces what was approved; an empty list takes all back. Only what one of the assistant's
/// skills asks for can be approved, and its tool servers; else 422. Functions of skills reach nothing
/// else, and of no other tool server anything is offered or called. A later change of the assistant's
/// tools, skills or tool servers takes the approval back, and one of its graph that of external services
/// (`service:`). Where somebody changes its graph, instructions, model or knowledge bases who could not approve it
/// themselves, all approvals are taken back. Needs to be its owner, in person. The logins of its owner at services are used where they have
/// approved it themselves; those of everybody else where they said so (`POST /api/external/login/{service_name}/prepare/`
/// with its id).
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/approved-external-services",
    operation_id = "assistants.approve_external_services",
    responses((status = 200, description = "The assistant as it is now.", body = AssistantResponse)))]
async fn approve_external_services(
    assistant: Found<Row<Assistant>, AssistantsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<ApproveExternalServicesRequest>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    app.store.run(move |tx| approve(tx, &caller, id, &if_match, &new)).await.map(Versioned)
}

/// Approves them, in a transaction of the caller's. Whoever acts as a person does not: it opens that person's logins.
pub fn approve(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: &ApproveExternalServicesRequest,
) -> Api<AssistantResponse> {
    caller.require_in_person()?;
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    change::fresh(&row, if_match, new.version)?;
    let asked = asked_for(tx, caller, &row)?;
    let mut faults = Faults::of("body");
    for (at, service) in new.services.iter().enumerate().filter(|(_, service)| !asked.contains(*service)) {
        faults.add(
            ["services", &at.to_string()],
            format!("no skill of it asks for {service:?}, and no tool server of it is called so"),
            "not_asked",
        );
    }
    if !faults.is_empty() {
        return Err(Refusal::faulty(faults.into_vec()));
    }
    let mut services = new.services.clone();
    services.sort();
    services.dedup();
    let by = (!services.is_empty()).then_some(caller.user);
    if (&row.approved_external_services, row.approved_by) != (&services, by) {
        let actor = Actor::from(caller);
        let detail = json!({"before": row.approved_external_services, "now": services});
        audit(tx, caller.tenant, actor, "assistant.approve_services", format!("assistant {id}"), detail)?;
        (row.approved_external_services, row.approved_by) = (services, by);
        row = tx.update(caller.tenant, row)?;
    }
    Ok(AssistantResponse::of(tx, row, caller)?)
}

/// What the assistant's skills and the nodes of its graph ask for, and its tool servers.
pub fn asked_for(
    reader: &Reader,
    caller: &Caller,
    assistant: &Assistant,
) -> storage::Result<HashSet<String>> {
    let mut asked: HashSet<String> = assistant.tool_servers.iter().map(ToolServer::service).collect();
    if let Some(Ok(plan)) = assistant.workflow.as_ref().map(Plan::read) {
        asked.extend(plan.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Http(http) => http.service.as_ref().map(|name| format!("service:{name}")),
            _ => None,
        }));
        asked.extend(plan.searches().then(|| "knowledge".to_owned()));
    }
    for skill in &assistant.skills {
        asked
            .extend(reader.get::<Skill>(caller.tenant, skill)?.into_iter().flat_map(|row| row.body.services));
    }
    Ok(asked)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; approve_external_services);
}
