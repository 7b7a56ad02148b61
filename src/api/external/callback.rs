//! Callbacks to which the authorization servers of external services redirect browsers.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::App;
use crate::api::logins::{LoginReturn, complete_login};
use crate::http::{Api, Browser, Open, Path, Query, operations};

/// Complete a login at an external service.
///
/// The authorization server redirects the user's browser here. The `state` can be used once, within ten
/// minutes, on behalf of the user who started the login, and only while that user may still sign in. If the
/// browser is neither the one in which the login started nor one in which that user is signed in, the response
/// is a page that asks for confirmation. Otherwise the response is a page, or a redirect to the `return_to` of
/// the login.
#[utoipa::path(get, path = "/api/external/callback",
    params(LoginReturn),
    responses(
        (status = 200, description = "A page that reports the login, or asks the user to confirm it.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was denied, or belongs to another user."),
        (status = 410, description = "The login was already completed, or has expired."),
        (status = 502, description = "The authorization server issued no tokens.")))]
async fn unified_oauth_callback(
    _: Open,
    app: Data<App>,
    browser: Browser,
    Query(back): Query<LoginReturn>,
) -> Api<HttpResponse> {
    let answer = complete_login(&app, &browser, "/api/external/callback", back).await;
    Ok(browser.shown(answer))
}

/// Complete a login at one external service.
///
/// Works like `GET /api/external/callback` for the service that the path names. The request is refused if the
/// login belongs to another service.
#[utoipa::path(get, path = "/api/external/callback/{service}",
    params(("service" = String, Path, description = "The name of the service in the configuration."), LoginReturn),
    responses(
        (status = 200, description = "A page that reports the login, or asks the user to confirm it.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was denied, or belongs to another user."),
        (status = 410, description = "The login was already completed, or has expired."),
        (status = 502, description = "The authorization server issued no tokens.")))]
async fn auth_callback(
    _: Open,
    app: Data<App>,
    browser: Browser,
    Path(service): Path<String>,
    Query(back): Query<LoginReturn>,
) -> Api<HttpResponse> {
    let answer = complete_login(&app, &browser, &format!("/api/external/callback/{service}"), back).await;
    Ok(browser.shown(answer))
}

operations!(unified_oauth_callback, auth_callback);
