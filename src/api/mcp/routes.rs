//! Beginning and ending logins, and how things stand.

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::connections::{Disconnected, LoginKey, LoginTarget, NewLogin};
use storage::Row;
use storage::records::{Assistant, ToolServer};

use super::schema::{
    McpOauthDisconnectBody, McpOauthPrepareBody, McpOauthPrepareResponse, McpOauthStatusResponse,
};
use crate::App;
use crate::api::assistants::schema::MessageResponse;
use crate::api::logins::{forget_tools, refusal};
use crate::http::scopes::{AccountWrite, AssistantsRead};
use crate::http::{Api, Auth, Browser, Found, InPerson, Json, Own, Refusal, operations};
use domain::assistants::access;

/// Prepare a login at a tool server of an assistant.
///
/// Finds out who gives tokens for the server (RFC 9728, RFC 8414), becomes a client there (by the settings, by the
/// document about this server, or by registering), and answers the page that the user's browser has to open, within ten
/// minutes. The login belongs to the caller, for this assistant and this server alone.
#[utoipa::path(post, path = "/api/mcp/oauth/prepare", operation_id = "mcp.prepare",
    responses((status = 200, description = "The login may begin.", body = McpOauthPrepareResponse)))]
async fn prepare(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    browser: Browser,
    Json(body): Json<McpOauthPrepareBody>,
) -> Api<HttpResponse> {
    let mut response = HttpResponse::Ok();
    let mark = browser.marked(&app, &mut response)?;
    let (caller, id) = (auth.caller(), body.assistant_id);
    let assistant = app.store.read(move |reader| access::visible(reader, &caller, id)).await?;
    let assistant = assistant.ok_or_else(|| Refusal::not_found("assistant"))?;
    let ToolServer { name, url, .. } = server(&assistant, &body.server)?.clone();
    let target = LoginTarget::Tool(id, name, url);
    let (tenant, user, browser, return_to) = (auth.tenant, auth.user, Some(mark), body.return_to);
    let prepared =
        app.run_context.connections.prepare(NewLogin { tenant, user, target, browser, return_to }).await;
    Ok(response.json(McpOauthPrepareResponse::from(prepared.map_err(refusal)?)))
}

/// Show how the caller stands with the tool servers of an assistant.
///
/// Servers at which the caller has never logged in are asked whether they want a login, for a few seconds at most.
#[utoipa::path(get, path = "/api/mcp/oauth/assistants/{assistant_id}/status", operation_id = "mcp.status")]
async fn status(
    assistant: Found<Row<Assistant>, AssistantsRead, InPerson>,
    app: Data<App>,
) -> Api<Json<McpOauthStatusResponse>> {
    let (tenant, user) = (assistant.auth.tenant, assistant.auth.user);
    let found =
        app.run_context.connections.standing(tenant, user, assistant.id, &assistant.tool_servers).await;
    Ok(Json(McpOauthStatusResponse { items: found.map_err(refusal)? }))
}

/// End the caller's login at a tool server of an assistant.
///
/// The login is forgotten here whatever happens there. The authorization server is asked to take the tokens back; the
/// message says whether it has.
#[utoipa::path(
    post,
    path = "/api/mcp/oauth/assistants/{assistant_id}/disconnect",
    operation_id = "mcp.disconnect"
)]
async fn disconnect(
    assistant: Found<Row<Assistant>, AccountWrite, Own>,
    app: Data<App>,
    Json(body): Json<McpOauthDisconnectBody>,
) -> Api<Json<MessageResponse>> {
    let ToolServer { name, url, .. } = server(&assistant, &body.server)?.clone();
    let (tenant, user, id) = (assistant.auth.tenant, assistant.auth.user, assistant.id);
    let ended = app
        .run_context
        .connections
        .disconnect(LoginKey::tool(tenant, user, id, &url))
        .await
        .map_err(refusal)?;
    forget_tools(&app, assist::tool_servers::UserToolServer { tenant, user, assistant: id, url });
    Ok(Json(MessageResponse { message: in_words(&name, &ended) }))
}

/// The tool server of this name.
fn server<'a>(assistant: &'a Assistant, name: &str) -> Api<&'a ToolServer> {
    let found = assistant.tool_servers.iter().find(|server| server.name == name);
    found.ok_or_else(|| Refusal::not_found("tool server"))
}

fn in_words(name: &str, ended: &Disconnected) -> String {
    match ended {
        Disconnected { was_connected: false, .. } => format!("There was no login at {name}."),
        Disconnected { revoked: Some(true), .. } => {
            format!("The login at {name} has ended, and its authorization server has taken the tokens back.")
        }
        Disconnected { why: Some(why), .. } => {
            format!("The login at {name} is forgotten here. Its tokens were not taken back: {why}.")
        }
        Disconnected { .. } => format!("The login at {name} is forgotten here."),
    }
}

operations!(prepare, status, disconnect);
