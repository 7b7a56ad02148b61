//! Which external services an assistant and its skills may use.

use actix_web::web::Data;
use domain::assistants;
use serde::Deserialize;
use storage::records::Assistant;
use storage::{Row, Tx};
use utoipa::ToSchema;

use super::graph::read_graph;
use super::view::AssistantResponse;
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, IfMatch, InPerson, Json, Loaded, Refusal, ToOwn, Validate, Versioned, operations};

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

impl Validate for ApproveExternalServicesRequest {}

/// Approve external services.
///
/// It replaces what was approved; an empty list takes all back. Only what one of the assistant's
/// skills asks for can be approved, and its tool servers; else 422. Functions of skills reach nothing
/// else, and of no other tool server anything is offered or called. A later change of the assistant's
/// tools, skills or tool servers takes the approval back, and one of its graph that of external services
/// (`service:`). Where a user changes its graph, instructions, model or knowledge bases who could not approve it
/// themselves, all approvals are taken back. Needs to be its owner, in person. The logins of its owner at services are used where they have
/// approved it themselves; those of everybody else where they said so (`POST /api/external/login/{service_name}/prepare/`
/// with its id).
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/approved-external-services")]
async fn approve_external_services(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<ApproveExternalServicesRequest>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id, precondition) = (assistant.auth.caller(), assistant.id, if_match.precondition());
    let approve = move |tx: &mut Tx| {
        let expected = (&precondition, new.version);
        let row = assistants::approve(tx, &caller, read_graph, id, expected, &new.services)?;
        Ok::<_, Refusal>(AssistantResponse::new(tx, row, &caller)?)
    };
    app.store.run(approve).await.map(Versioned)
}

operations!(approve_external_services);
