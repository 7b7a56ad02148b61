//! Starting and ending logins at tool servers, and their status.

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
use crate::http::{Api, Auth, Browser, InPerson, Json, Loaded, Own, Refusal, operations};
use domain::assistants::access;

/// Prepare a login at a tool server of an assistant.
///
/// Discovers the authorization server of the tool server (RFC 9728, RFC 8414), registers as a client there (by
/// configuration, by the client metadata document, or by dynamic registration), and returns the page that the
/// user's browser must open within ten minutes. The login belongs to the caller, and is limited to this
/// assistant and this tool server.
#[utoipa::path(post, path = "/api/mcp/oauth/prepare",
    responses((status = 200, description = "The login was prepared.", body = McpOauthPrepareResponse)))]
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

/// Retrieve the caller's logins at the tool servers of an assistant.
///
/// Servers at which the caller has never logged in are asked whether they require a login, for at most a few
/// seconds.
#[utoipa::path(get, path = "/api/mcp/oauth/assistants/{assistant_id}/status")]
async fn status(
    assistant: Loaded<Row<Assistant>, AssistantsRead, InPerson>,
    app: Data<App>,
) -> Api<Json<McpOauthStatusResponse>> {
    let (tenant, user) = (assistant.auth.tenant, assistant.auth.user);
    let found =
        app.run_context.connections.login_statuses(tenant, user, assistant.id, &assistant.tool_servers).await;
    Ok(Json(McpOauthStatusResponse { items: found.map_err(refusal)? }))
}

/// End the caller's login at a tool server of an assistant.
///
/// Always deletes the login on this server, and asks the authorization server to revoke the tokens. The message
/// reports whether it did.
#[utoipa::path(post, path = "/api/mcp/oauth/assistants/{assistant_id}/disconnect")]
async fn disconnect(
    assistant: Loaded<Row<Assistant>, AccountWrite, Own>,
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

/// Finds the assistant's tool server with this name.
fn server<'a>(assistant: &'a Assistant, name: &str) -> Api<&'a ToolServer> {
    let found = assistant.tool_servers.iter().find(|server| server.name == name);
    found.ok_or_else(|| Refusal::not_found("tool server"))
}

fn in_words(name: &str, ended: &Disconnected) -> String {
    match ended {
        Disconnected { was_connected: false, .. } => format!("There was no login at {name}."),
        Disconnected { revoked: Some(true), .. } => {
            format!("Logged out of {name}, and its authorization server has revoked the tokens.")
        }
        Disconnected { why: Some(why), .. } => {
            format!("Logged out of {name} on this server only. The tokens were not revoked: {why}.")
        }
        Disconnected { .. } => format!("Logged out of {name} on this server."),
    }
}

operations!(prepare, status, disconnect);
