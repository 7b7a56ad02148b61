//! Callbacks to which the authorization servers of tool servers redirect browsers, and the client metadata that
//! they read.

use actix_web::HttpResponse;
use actix_web::web::Data;
use providers::oauth::AuthMethod;
use serde_json::Value;

use crate::App;
use crate::api::logins::{LoginReturn, complete_login};
use crate::http::{Api, Browser, Json, Open, Query, operations};

/// Complete a login at a tool server.
///
/// The authorization server redirects the user's browser here. The `state` can be used once, within ten
/// minutes, on behalf of the user who started the login, and only while that user may still use the assistant
/// and its tool server. If the browser is neither the one in which the login started nor one in which that user
/// is signed in, the response is a page that asks for confirmation. Otherwise the response is a page, or a
/// redirect to the `return_to` of the login.
#[utoipa::path(get, path = "/api/mcp/oauth/callback",
    params(LoginReturn),
    responses(
        (status = 200, description = "A page that reports the login, or asks the user to confirm it.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was denied, or belongs to another user."),
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

/// Retrieve the client metadata of this server for authorization servers.
///
/// Authorization servers that support OAuth Client ID Metadata Documents identify this server by the URL of
/// this document. They do so only if the URL begins with `https`: see `server.public_url`.
#[utoipa::path(get, path = "/api/mcp/oauth/client-metadata.json",
    responses((status = 200, description = "The client metadata document.", body = Value, content_type = "application/json")))]
async fn client_metadata(_: Open, app: Data<App>) -> Api<Json<Value>> {
    let settings = app.run_context.connections.settings();
    let mut document = settings.about(settings.tool_callback()).document(AuthMethod::None);
    document["client_id"] = settings.client_document().into();
    Ok(Json(document))
}

operations!(callback, client_metadata);
