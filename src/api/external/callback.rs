//! Where authorization servers of external services send browsers back to.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::App;
use crate::api::logins::{LoginReturn, complete_login};
use crate::http::{Api, Browser, Open, Path, Query, operations};

/// Come back from the authorization server of an external service.
///
/// Opened by the user's browser. The state works once, within ten minutes, for the user who asked for the login, and as
/// long as they may still log in. A browser that is neither the one in which the login began nor one in which that
/// user is logged in is asked first. Answers a page, or leads on to where the login was asked to end.
#[utoipa::path(get, path = "/api/external/callback",
    params(LoginReturn),
    responses(
        (status = 200, description = "A page: the user is logged in, or has to confirm the login.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was refused, or belongs to someone else."),
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

/// Come back from the authorization server of one external service.
///
/// As `GET /api/external/callback`, for the service that the path names: an answer that belongs to a login anywhere
/// else is refused.
#[utoipa::path(get, path = "/api/external/callback/{service}",
    params(("service" = String, Path, description = "The service's name in the configuration"), LoginReturn),
    responses(
        (status = 200, description = "A page: the user is logged in, or has to confirm the login.", content_type = "text/html", body = String),
        (status = 303, description = "Redirects to the `return_to` of the login."),
        (status = 403, description = "The login was refused, or belongs to someone else."),
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
