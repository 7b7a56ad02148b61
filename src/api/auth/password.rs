//! Password changes: with the old password, or with a link that is sent to the account's email address.

use super::joining_schema::RegistrationStatus;
use super::password_schema::{
    ChangePasswordRequest, ForgottenPasswordRequest, ForgottenPasswordResponse, ResetPasswordRequest,
};
use super::schema::LoginResponse;
use super::sessions::{Device, NewSession};
use crate::http::credentials::PasswordLink;
use crate::http::scopes::Any;
use crate::http::{
    Api, Auth, Caller, Code, InSession, Json, NoContent, Open, Own, Refusal, address_of, operations,
};
use crate::{App, invitation_mailer};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::accounts::passwords::{self, ChangeMethod, NewPassword, PasswordAccount};
use std::net::IpAddr;
use std::time::Duration;
use storage::Timestamp;

/// How long a password link is valid.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);

operations!(change_password, forgot_password, reset_password);

/// Change the caller's password.
///
/// Requires the old password, and a session in the caller's own name. The current session continues; all other sessions of the user end.
/// API tokens stay valid. Wrong attempts are throttled together with those of the login.
#[utoipa::path(put, path = "/api/auth/password")]
async fn change_password(
    auth: Auth<Any, Own<InSession>>,
    app: Data<App>,
    request: HttpRequest,
    Json(new): Json<ChangePasswordRequest>,
) -> Api<NoContent> {
    change(&app, &auth, address_of(&request, &app.config), new).await.map(|()| NoContent)
}

/// Send an email with a link to choose a new password.
///
/// The response is always 202, so that it does not reveal whether the address has an account. If the server cannot send email, the response
/// is 409 `mail_missing`; then an operator can set a new password with `understudy user password`.
#[utoipa::path(post, path = "/api/auth/password/forgotten",
    responses((status = 202, description = "An email is sent if the address has an account.", body = ForgottenPasswordResponse)))]
async fn forgot_password(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Json(body): Json<ForgottenPasswordRequest>,
) -> Api<HttpResponse> {
    forgot(&app, address_of(&request, &app.config), body.email).await?;
    Ok(HttpResponse::Accepted().json(ForgottenPasswordResponse { status: RegistrationStatus::Mailed }))
}

/// Choose a new password with the link of an email.
///
/// The link works once, for a day, and only until the password is changed in another way. All sessions of the user end, and the response is
/// that of a login. API tokens stay valid. The response is 404 for an invalid link, and 410 for an expired one.
#[utoipa::path(post, path = "/api/auth/password/reset",
    responses(
        (status = 200, description = "The session has started.", body = LoginResponse),
        (status = 410, description = "The link has expired.")))]
async fn reset_password(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Json(new): Json<ResetPasswordRequest>,
) -> Api<HttpResponse> {
    let address = address_of(&request, &app.config);
    reset(&app, address, Device::from_request(&request, address), new).await
}

async fn change(app: &App, caller: &Caller, address: Option<IpAddr>, new: ChangePasswordRequest) -> Api<()> {
    let (user, keep) = (caller.user, Some(caller.require_session()?));
    let found = app.store.read(move |reader| passwords::account(reader, user)).await?;
    let account = found.ok_or_else(|| Refusal::not_found("password"))?;
    let before = account.verified();
    let attempt = app.throttle.begin(&account.user.email, address)?;
    let checked = app.passwords.check(new.current_password, Some(account.hash.body.phc)).await;
    if attempt.decide(checked.map(|matches| matches.then_some(())))?.is_none() {
        let why = "is not the password of this account";
        return Err(Refusal::invalid("body", ["current_password"], why, "refused"));
    }
    let phc = app.passwords.hash(new.new_password).await?;
    let new = NewPassword { before, phc, keep, method: ChangeMethod::OldPassword };
    app.identity.change(move |tx| new.store(tx)).await
}

/// Sends the email after the response, so that the response time does not reveal whether there is an account.
async fn forgot(app: &App, address: Option<IpAddr>, email: String) -> Api<()> {
    if !app.mailer.is_open() {
        let why =
            "no email can be sent; the operator of the server sets a new one with `understudy user password`";
        return Err(Refusal::new(Code::MailMissing).detail(why));
    }
    app.sign_ups.begin(&email, address)?;
    let found = app.store.read(move |reader| passwords::account_by_email(reader, &email)).await?;
    if let Some(PasswordAccount { user, hash }) = found {
        let link = PasswordLink::new(app.identity.keys(), user.id, Timestamp::now() + LIFE, &hash.phc);
        app.mailer.send_later(invitation_mailer::password(&user.email, &app.mailer.password_link(&link)));
    }
    Ok(())
}

async fn reset(
    app: &App,
    address: Option<IpAddr>,
    device: Device,
    new: ResetPasswordRequest,
) -> Api<HttpResponse> {
    app.throttle.begin_at(address)?;
    let void = || {
        Refusal::new(Code::NotFound)
            .detail("this password link has been used, or the password has been changed since")
    };
    let link = PasswordLink::parse(&new.token).ok_or_else(void)?;
    let user = link.user();
    let found = app.store.read(move |reader| passwords::account(reader, user)).await?;
    let found = found.filter(|found| link.matches(app.identity.keys(), &found.hash.phc));
    let account = found.ok_or_else(void)?;
    if link.ends() <= Timestamp::now() {
        return Err(Code::InvitationExpired.into());
    }
    let phc = app.passwords.hash(new.new_password).await?;
    let new = NewPassword { before: account.verified(), phc, keep: None, method: ChangeMethod::Link };
    let (session, secret) = NewSession::new(app, device)?;
    let begun = app.identity.change(move |tx| {
        new.store(tx)?;
        session.begin(tx, user, None)
    });
    let begun = begun.await?;
    app.throttle.succeeded(&account.user.email, address);
    app.throttle.succeeded_at(address);
    begun.answer(app, Some(secret.reveal()))
}
