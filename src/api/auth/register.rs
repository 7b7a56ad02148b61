//! Sign-up of new users.

use super::joining_schema::{
    ConfirmRegistrationRequest, RegisterRequest, RegistrationResponse, RegistrationStatus,
};
use super::login::check_password;
use super::schema::LoginResponse;
use super::sessions::{Device, NewSession, StartedSession};
use crate::http::{Api, Code, Json, Open, Refusal, address_of, operations};
use crate::{App, invitation_mailer};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::accounts::joining::{self, Applicant, SignUpOutcome};
use domain::accounts::passwords::VerifiedPassword;
use domain::credentials::LinkSecret;
use std::net::IpAddr;
use storage::records::{JoinRequest, Tenant, User};
use storage::{Reader, Row, Tx, new_id};
use uuid::Uuid;

operations!(register, confirm_registration);

/// Sign up for a tenant.
///
/// If the server can send email, the response is always 202: an email with a link verifies the address, and the response does not reveal
/// whether the address has an account. Otherwise a user who may become a member is logged in at once (200), or waits for an administrator
/// (202). A user who has an account provides its password and does not get a second account. A tenant that admits users by invitation only,
/// and a tenant that does not exist, respond with 403 `invitation_required`.
#[utoipa::path(post, path = "/api/auth/register",
    responses(
        (status = 200, description = "The session has started.", body = LoginResponse),
        (status = 202,
            description = "The email address must be verified, or an administrator must approve the sign-up.",
            body = RegistrationResponse)))]
async fn register(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Json(mut new): Json<RegisterRequest>,
) -> Api<HttpResponse> {
    new.email = User::normal_email(&new.email);
    let address = address_of(&request, &app.config);
    app.sign_ups.begin(&new.email, address)?;
    let (named, email, mail) = (new.tenant.clone(), new.email.clone(), app.mailer.is_open());
    let tenant = app.store.read(move |reader| may_ask(reader, &named, &email, mail)).await?;
    match mail {
        true => register_by_email(&app, tenant, new).await,
        false => by_word(&app, tenant.id, new, Device::from_request(&request, address), address).await,
    }
}

/// Verify the email address of a sign-up.
///
/// Requires the token of the link and the password. The response is that of a login, or 202 if an administrator must decide. If the
/// directory decides and does not list the address, the response is 403 `not_in_directory`.
#[utoipa::path(post, path = "/api/auth/register/confirm",
    responses(
        (status = 200, description = "The session has started.", body = LoginResponse),
        (status = 202, description = "The address is verified. An administrator must approve the sign-up.", body = RegistrationResponse),
        (status = 410, description = "The link has expired.")))]
async fn confirm_registration(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Json(proof): Json<ConfirmRegistrationRequest>,
) -> Api<HttpResponse> {
    let secret = LinkSecret::parse(&proof.token).ok_or_else(|| Refusal::not_found("sign-up"))?;
    let address = address_of(&request, &app.config);
    app.throttle.begin_at(address)?;
    confirm(&app, secret, proof.password, Device::from_request(&request, address), address).await
}

/// Returns the named tenant, if it accepts sign-ups with this address.
fn may_ask(reader: &Reader, named: &str, email: &str, mail: bool) -> Api<Row<Tenant>> {
    let tenant = joining::tenant_by_name(reader, named)?;
    joining::check_sign_up(&tenant, email, mail)?;
    Ok(tenant)
}

/// Returns the id of the account with this address.
async fn account(app: &App, email: &str) -> Api<Option<Uuid>> {
    let email = email.to_owned();
    let read = move |reader: &Reader| Api::Ok(User::by_email(reader, &email)?);
    Ok(app.store.read(read).await?.map(|user| user.id))
}

/// Sends the link that verifies the address. Deliberately does not check whether the address has an account.
async fn register_by_email(app: &App, tenant: Row<Tenant>, new: RegisterRequest) -> Api<HttpResponse> {
    let RegisterRequest { email, password, display_name, .. } = new;
    let phc = Some(app.passwords.hash(password).await?);
    let secret = LinkSecret::new(new_id())?;
    let link = app.mailer.confirmation_link(&secret);
    let letter = invitation_mailer::confirmation(&email, &tenant.name, &link);
    let applicant = Applicant { email, display_name, account: None, phc };
    let id = tenant.id;
    let started = app
        .store
        .run::<_, Refusal>(move |tx| joining::request_verification(tx, id, applicant.clone(), &secret));
    started.await?;
    match app.mailer.send(letter).await {
        Ok(()) => Ok(under_way(RegistrationStatus::Mailed)),
        Err(error) => Err(Refusal::new(Code::MailFailed).because(error)),
    }
}

/// Accepts the address without verification, because email is not configured.
async fn by_word(
    app: &App,
    tenant: Uuid,
    new: RegisterRequest,
    device: Device,
    address: Option<IpAddr>,
) -> Api<HttpResponse> {
    let RegisterRequest { email, password, display_name, .. } = new;
    let (account, phc) = match account(app, &email).await? {
        Some(_) => (Some(check_password(app, &email, password, address).await?), None),
        None => (None, Some(app.passwords.hash(password).await?)),
    };
    app.store.read(move |reader| joining::check_room(reader, tenant)).await?;
    let applicant = Applicant { email, display_name, account: account.map(|account| account.user), phc };
    settle(app, tenant, device, account, move |tx| joining::sign_up(tx, tenant, applicant.clone(), false))
        .await
}

async fn confirm(
    app: &App,
    secret: LinkSecret,
    password: String,
    device: Device,
    address: Option<IpAddr>,
) -> Api<HttpResponse> {
    let token = secret.reveal();
    let row = app.store.read(move |reader| joining::find(reader, &secret)).await?;
    app.throttle.succeeded_at(address);
    let JoinRequest { tenant, email, phc, .. } = row.body;
    let account = match account(app, &email).await? {
        Some(_) => Some(check_password(app, &email, password, address).await?),
        None => {
            let attempt = app.throttle.begin(&email, address)?;
            let checked = app.passwords.check(password, phc).await;
            attempt.decide(checked.map(|matches| matches.then_some(())))?.ok_or(Code::LoginFailed)?;
            None
        }
    };
    app.store.read(move |reader| joining::check_room(reader, tenant)).await?;
    let secret = LinkSecret::parse(&token).ok_or(Code::Internal)?;
    let user = account.map(|account| account.user);
    settle(app, tenant, device, account, move |tx| joining::confirm(tx, &secret, user)).await
}

/// Adds the user, if `join` does, and starts their session in the same transaction. `account` is the verified password of an existing
/// account.
async fn settle(
    app: &App,
    tenant: Uuid,
    device: Device,
    account: Option<VerifiedPassword>,
    mut join: impl FnMut(&mut Tx) -> Api<SignUpOutcome> + Send + 'static,
) -> Api<HttpResponse> {
    let (session, secret) = NewSession::new(app, device)?;
    let begun = app.identity.change(move |tx| -> Api<Option<StartedSession>> {
        if let Some(account) = account {
            account.require(tx)?;
        }
        match join(tx)? {
            SignUpOutcome::Member(user) => session.begin(tx, user, Some(tenant)).map(Some),
            SignUpOutcome::Waiting => Ok(None),
        }
    });
    match begun.await? {
        Some(begun) => begun.answer(app, Some(secret.reveal())),
        None => Ok(under_way(RegistrationStatus::Waiting)),
    }
}

fn under_way(status: RegistrationStatus) -> HttpResponse {
    HttpResponse::Accepted().json(RegistrationResponse { status })
}
