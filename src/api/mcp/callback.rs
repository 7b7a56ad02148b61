//! Where authorization servers of tool servers send browsers back to, and where they read about this server.

use actix_web::HttpResponse;
use actix_web::web::Data;
use providers::oauth::AuthMethod;
use serde_json::Value;

use crate::App;
use crate::api::logins::{LoginReturn, complete_login};
use crate::http::{Api, Browser, Json, Open, Query, operations};

/// Come back from the authorization server of a tool server.
///
/// Opened by the user's browser. The state works once, within ten minutes, for the user who asked for the login, and as
/// long as they may still use the assistant and its server. A browser that is neither the one in which the login began
/// nor one in which that user is logged in is asked first. Answers a page, or leads on to where the login was asked to
/// end.
#[utoipa::path(get, path = "/api/mcp/oauth/callback",
    params(LoginReturn),
    responses(
        (status = 200, description = "A page: the user is logged in, or has to confirm the login.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was refused, or belongs to someone else."),
        (status = 410, description = "The login was already completed, or has expired."),
        (status = 502, description = "The authorization server issued no tokens.")))]
async fn callback(
    _: Open,
    app: Data<App>,
    browser: Browser,
    Query(back): Query<LoginReturn>,
) -> Api<HttpResponse> {
    let answer = complete_login(&app, &browser, "/api/mcp/oauth/callback", back).await;
    Ok(browser.shown(answer))
}

/// Show the client metadata of this server for authorization servers.
///
/// The address of this document is the id by which authorization servers know this server that read such documents
/// (OAuth Client ID Metadata Documents). They do so only where it begins with https: see `server.public_url`.
#[utoipa::path(get, path = "/api/mcp/oauth/client-metadata.json",
    responses((status = 200, description = "The document.", body = Value, content_type = "application/json")))]
async fn client_metadata(_: Open, app: Data<App>) -> Api<Json<Value>> {
    let settings = app.run_context.connections.settings();
    let mut document = settings.about(settings.tool_callback()).document(AuthMethod::None);
    document["client_id"] = settings.client_document().into();
    Ok(Json(document))
}

operations!(callback, client_metadata);
