//! Approval of the external services that an assistant and its skills may use.

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

/// The complete list of approved services.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApproveExternalServicesRequest {
    /// The approved services, in the form in which the assistant's skills request them: `web:api.example.org`; `web:*` (every host); `data`
    /// (the assistant's data items); `knowledge` (search of what the caller may read; also requested by a graph that searches knowledge,
    /// and required if the results may be sent to other servers); `service:<name>` (the caller's login at an external service; also
    /// requested by `http` nodes of the graph). `mcp:<name>` approves a tool server that the assistant is connected to.
    #[schema(max_items = 200)]
    pub services: Vec<String>,
    /// The version of the assistant that is approved. If the current version differs, the response is 412. `If-Match` has the same effect.
    pub version: Option<u64>,
}

impl Validate for ApproveExternalServicesRequest {}

/// Approve external services.
///
/// Replaces the approved services; an empty list withdraws all approvals. Only services that one of the assistant's skills requests, and
/// its tool servers, can be approved; otherwise the response is 422. Functions of skills can reach approved services only, and tools of
/// tool servers that are not approved are neither offered nor called. A later change of the assistant's tools, skills or tool servers
/// withdraws the approval, and a change of its graph withdraws that of external services (`service:`). If a user who could not approve
/// services themselves changes its graph, instructions, model or knowledge bases, all approvals are withdrawn. Only the owner may approve
/// services, and not in an impersonated session. If the owner approved a service, their own login at the service is used. Logins of other
/// users are used if they agreed to it (`POST /api/external/login/{service_name}/prepare/` with the id of the assistant).
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
