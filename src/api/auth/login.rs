//! Login, logout, renewal of sessions, and the change of tenant.

use super::schema::{LoginRequest, LoginResponse, LogoutRequest, RefreshRequest, SwitchTenantRequest};
use super::sessions::{self, Device, NewSession};
use crate::App;
use crate::http::credentials::{REFRESH_COOKIE, bearer, refusal, same_origin};
use crate::http::scopes::Any;
use crate::http::{
    Api, Auth, Code, InSession, Json, Open, OptionalJson, Own, Refusal, address_of, operations,
};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::accounts::passwords::{self, VerifiedPassword};
use std::net::IpAddr;

operations!(login, logout, refresh, switch_tenant);

/// Log in with email address and password.
///
/// Returns an access token and a refresh token, and sets both as HttpOnly cookies for browsers. An unknown address and a wrong password
/// give the same response. After too many failures, for one account from one network or for one network in total, requests are refused with
/// 429 for a while.
#[utoipa::path(post, path = "/api/auth/login/",
    responses((status = 200, description = "The session has started.", body = LoginResponse)))]
async fn login(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Json(login): Json<LoginRequest>,
) -> Api<HttpResponse> {
    let address = address_of(&request, &app.config);
    let verified = check_password(&app, &login.email, login.password, address).await?;
    let (session, secret) = NewSession::new(&app, Device::from_request(&request, address))?;
    let begun = app.store.run::<_, Refusal>(move |tx| {
        verified.require(tx)?;
        session.begin(tx, verified.user, login.tenant_id)
    });
    begun.await?.answer(&app, Some(secret.reveal()))
}

/// Checks a password, and counts the attempt for the throttle. Code that relies on the result must require it again in its transaction.
///
/// # Errors
/// 401 for an unknown address or a wrong password, 429 for too many attempts, 503 if too many password checks are queued.
pub(super) async fn check_password(
    app: &App,
    email: &str,
    password: String,
    address: Option<IpAddr>,
) -> Api<VerifiedPassword> {
    let attempt = app.throttle.begin(email, address)?;
    let email = email.to_owned();
    let checked = async {
        let found = app.store.read(move |reader| passwords::account_by_email(reader, &email)).await?;
        let (verified, phc) = found.map(|found| (found.verified(), found.hash.body.phc)).unzip();
        let matches = app.passwords.check(password, phc).await?;
        Api::Ok(verified.filter(|_| matches))
    };
    attempt.decide(checked.await)?.ok_or_else(|| Code::LoginFailed.into())
}

/// Log out.
///
/// Ends the session, or with `all` every session of the user. The access tokens of an ended session are refused immediately, even if they
/// have not expired. API tokens stay valid.
#[utoipa::path(post, path = "/api/auth/logout/",
    request_body = Option<LogoutRequest>,
    responses((status = 204, description = "The session has ended.",
        headers(("Set-Cookie" = String, description = "Removes the cookies of the session.")))))]
async fn logout(
    auth: Auth<Any, InSession>,
    app: Data<App>,
    OptionalJson(logout): OptionalJson<LogoutRequest>,
) -> Api<HttpResponse> {
    sessions::leave(&app, &auth, &logout).await?;
    let mut response = HttpResponse::NoContent();
    app.cookies.clear(&mut response);
    Ok(response.finish())
}

/// Renew a session with its refresh token.
///
/// The token is sent in the body, as a bearer token, or as the cookie. It can be used once, and the response contains the next one. Using a
/// token again ends the session.
#[utoipa::path(post, path = "/api/auth/refresh/",
    request_body(content = Option<RefreshRequest>, description = "The refresh token, unless it is sent as a bearer token or as the cookie."),
    responses(
        (status = 200, description = "The session was renewed.", body = LoginResponse),
        (status = 401, description = "Invalid refresh token.")))]
async fn refresh(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    OptionalJson(body): OptionalJson<RefreshRequest>,
) -> Api<HttpResponse> {
    sessions::renew(&app, &refresh_token(&app, &request, body)?).await
}

fn refresh_token(app: &App, request: &HttpRequest, body: RefreshRequest) -> Api<String> {
    if let Some(token) = body.refresh_token {
        return Ok(token);
    }
    if let Ok(Some(token)) = bearer(request.headers()) {
        return Ok(token.to_owned());
    }
    let cookie = request.cookie(REFRESH_COOKIE).filter(|cookie| !cookie.value().is_empty());
    let cookie = cookie.ok_or_else(|| {
        Refusal::new(Code::CredentialsMissing)
            .detail("give the refresh token as `refresh_token`, as a bearer token or as the cookie")
    })?;
    match same_origin(request.headers(), &app.config) {
        true => Ok(cookie.value().to_owned()),
        false => Err(refusal(Code::OriginRefused)),
    }
}

/// Switch to another tenant.
///
/// Requires a session and a membership in that tenant. The current refresh token stays valid, and subsequent renewals continue in the new
/// tenant.
#[utoipa::path(post, path = "/api/auth/switch-tenant",
    responses((status = 200, description = "An access token for the other tenant.", body = LoginResponse)))]
async fn switch_tenant(
    auth: Auth<Any, Own<InSession>>,
    app: Data<App>,
    Json(to): Json<SwitchTenantRequest>,
) -> Api<HttpResponse> {
    sessions::switch(&app, auth.require_session()?, to.tenant_id).await
}
