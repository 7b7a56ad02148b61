//! Starting and ending logins at external services.

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use actix_web::web::Data;
use assist::connections::{LoginKey, LoginTarget, NewLogin, PreparedLogin};
use storage::records::ServiceConnection;

use super::schema::{LoginQuery, PrepareLoginBody, PrepareLoginResponse};
use crate::App;
use crate::api::logins::{no_service, refusal};
use crate::api::users::LogoutResponse;
use crate::http::scopes::AccountWrite;
use crate::http::{
    Api, Auth, Browser, Caller, Json, Open, OptionalJson, Own, Path, Query, Refusal, operations,
};
use domain::assistants::access;

/// Prepare a login at an external service.
///
/// Returns a URL for the user's browser that leads to the service's authorization server. The URL can be used
/// once, and the login must be completed within ten minutes. The login belongs to the caller in this tenant.
#[utoipa::path(post, path = "/api/external/login/{service}/prepare/",
    params(("service" = String, Path, description = "The name of the service in the configuration.")),
    request_body(content = Option<PrepareLoginBody>, description = "The purpose of the login. Optional."),
    responses((status = 200, description = "The login was prepared.", body = PrepareLoginResponse)))]
async fn prepare_login(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    browser: Browser,
    Path(service): Path<String>,
    OptionalJson(body): OptionalJson<PrepareLoginBody>,
) -> Api<HttpResponse> {
    let mut response = HttpResponse::Ok();
    let mark = browser.marked(&app, &mut response)?;
    let caller = auth.caller();
    if let Some(id) = body.assistant_id {
        let found = app.store.read(move |reader| access::visible(reader, &caller, id)).await?;
        found.ok_or_else(|| Refusal::not_found("assistant"))?;
    }
    let PreparedLogin { nonce, expires_at, .. } = begin(&app, &auth, service, mark, body).await?;
    let login_url =
        format!("{}/api/external/login?nonce={nonce}", app.run_context.connections.settings().base);
    Ok(response.json(PrepareLoginResponse { login_url, nonce, expires_at }))
}

async fn begin(
    app: &App,
    caller: &Caller,
    service: String,
    mark: String,
    body: PrepareLoginBody,
) -> Api<PreparedLogin> {
    let new = NewLogin {
        tenant: caller.tenant,
        user: caller.user,
        target: LoginTarget::Service(service, body.assistant_id),
        browser: Some(mark),
        return_to: body.return_to,
    };
    app.run_context.connections.prepare(new).await.map_err(refusal)
}

/// Redirect to the authorization server of an external service.
///
/// The user's browser opens this URL with the nonce that `prepare` returned. The nonce can be used only once.
#[utoipa::path(get, path = "/api/external/login",
    params(("nonce" = String, Query, description = "The nonce from the response to `prepare`.")),
    responses(
        (status = 302, description = "Redirects to the authorization server."),
        (status = 410, description = "The nonce was already used, or has expired.")))]
async fn login(
    _: Open,
    app: Data<App>,
    browser: Browser,
    Query(query): Query<LoginQuery>,
) -> Api<HttpResponse> {
    let opened = app.run_context.connections.open(&query.nonce).await.map_err(refusal);
    let onward = |url: String| HttpResponse::Found().insert_header((LOCATION, url)).finish();
    Ok(browser.shown(opened.map(onward)))
}

/// Log out of an external service.
///
/// Always deletes the login on this server, and asks the authorization server to revoke the tokens. `revoked`
/// reports whether it did, and `detail` explains why not. A failed revocation is retried for a day.
#[utoipa::path(post, path = "/api/external/logout/{service}/",
    params(("service" = String, Path, description = "The name of the service in the configuration.")))]
async fn logout(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    Path(service): Path<String>,
) -> Api<Json<LogoutResponse>> {
    let login = LoginKey::service(auth.tenant, auth.user, &service);
    check_service(&app, &login, &service).await?;
    let ended = app.run_context.connections.disconnect(login).await.map_err(refusal)?;
    Ok(Json(LogoutResponse { logged_out: ended.was_connected, revoked: ended.revoked, detail: ended.why }))
}

/// Returns 404 if the service is not configured and the caller has no login there.
async fn check_service(app: &App, login: &LoginKey, service: &str) -> Api<()> {
    let (configured, LoginKey { tenant, id }) =
        (app.config.external_services.contains_key(service), login.clone());
    // Keys that contain a colon identify logins at tool servers.
    let is_tool_server = service.contains(':');
    let row = app.store.read(move |reader| reader.get::<ServiceConnection>(tenant, &id)).await?;
    match !is_tool_server && (configured || row.is_some()) {
        true => Ok(()),
        false => Err(no_service()),
    }
}

operations!(prepare_login, login, logout);
