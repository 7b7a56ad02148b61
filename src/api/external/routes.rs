//! Beginning and ending logins.

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use actix_web::web::Data;
use assist::connections::{LoginKey, LoginTarget, NewLogin, Prepared};
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
/// Answers an address for the user's browser, which leads to the service's authorization server. It works once, and the
/// login has to end within ten minutes. The login belongs to the caller, in this tenant.
#[utoipa::path(post, path = "/api/external/login/{service}/prepare/", operation_id = "external.prepare_login",
    params(("service" = String, Path, description = "The service's name in the settings")),
    request_body(content = Option<PrepareLoginBody>, description = "How it is meant; may be left out"),
    responses((status = 200, description = "The login may begin.", body = PrepareLoginResponse)))]
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
    let Prepared { nonce, expires_at, .. } = begin(&app, &auth, service, mark, body).await?;
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
) -> Api<Prepared> {
    let new = NewLogin {
        tenant: caller.tenant,
        user: caller.user,
        target: LoginTarget::Service(service, body.assistant_id),
        browser: Some(mark),
        return_to: body.return_to,
    };
    app.run_context.connections.prepare(new).await.map_err(refusal)
}

/// Go to the authorization server of an external service.
///
/// Opened by the user's browser, with the nonce that `prepare` answered. The nonce is spent by this.
#[utoipa::path(get, path = "/api/external/login", operation_id = "external.login",
    params(("nonce" = String, Query, description = "What `prepare` answered")),
    responses(
        (status = 302, description = "On to the authorization server."),
        (status = 410, description = "The nonce was spent, or its time is over.")))]
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
/// The login is forgotten here whatever happens there. The authorization server is asked to take the tokens back;
/// `revoked` says whether it has, and `detail` why not. It is asked again for a day then.
#[utoipa::path(post, path = "/api/external/logout/{service}/", operation_id = "external.logout",
    params(("service" = String, Path, description = "The service's name in the settings")))]
async fn logout(
    auth: Auth<AccountWrite, Own>,
    app: Data<App>,
    Path(service): Path<String>,
) -> Api<Json<LogoutResponse>> {
    let place = LoginKey::service(auth.tenant, auth.user, &service);
    known(&app, &place, &service).await?;
    let ended = app.run_context.connections.disconnect(place).await.map_err(refusal)?;
    Ok(Json(LogoutResponse { logged_out: ended.was_connected, revoked: ended.revoked, detail: ended.why }))
}

/// Refuses (404) a service that is neither configured nor logged in at.
async fn known(app: &App, place: &LoginKey, service: &str) -> Api<()> {
    let (configured, LoginKey { tenant, id }) =
        (app.config.external_services.contains_key(service), place.clone());
    // What is kept for tool servers is none of a service's.
    let strange = service.contains(':');
    let row = app.store.read(move |reader| reader.get::<ServiceConnection>(tenant, &id)).await?;
    match !strange && (configured || row.is_some()) {
        true => Ok(()),
        false => Err(no_service()),
    }
}

operations!(prepare_login, login, logout);
