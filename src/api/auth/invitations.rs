//! Invitations, from the point of view of the invited person.

use super::joining_schema::{AcceptInvitationRequest, OpenInvitationResponse};
use super::login::check_password;
use super::schema::LoginResponse;
use super::sessions::{Device, NewSession};
use crate::App;
use crate::http::credentials::Verdict;
use crate::http::{Api, Faults, Json, Open, Path, Refusal, address_of, operations};
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use domain::accounts::invitations::{self, Invitee};
use domain::credentials::{LinkSecret, PASSWORD_LENGTH};
use storage::records::{Invitation, Tenant, User};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(get_invitation, accept_invitation);

/// Retrieve an invitation.
///
/// The response is 404 if the invitation was used or withdrawn, and 410 if it has expired.
#[utoipa::path(get, path = "/api/auth/invitations/{token}",
    params(("token" = String, Path, description = "The token from the invitation link.")),
    responses((status = 410, description = "The invitation has expired, or its sender is no longer an administrator.")))]
async fn get_invitation(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Path(token): Path<String>,
) -> Api<Json<OpenInvitationResponse>> {
    let (secret, address) = (parse(&token)?, address_of(&request, &app.config));
    app.throttle.begin_at(address)?;
    let shown = app.store.read(move |reader| show(reader, &secret)).await?;
    app.throttle.succeeded_at(address);
    Ok(Json(shown))
}

/// Accept an invitation.
///
/// A user who has an account provides its password, or is signed in with the invited address. A new user provides a name and chooses a
/// password. The response is that of a login, in the tenant of the invitation. The link works once.
#[utoipa::path(post, path = "/api/auth/invitations/{token}/accept",
    params(("token" = String, Path, description = "The token from the invitation link.")),
    responses((status = 200, description = "The session has started.", body = LoginResponse),
        (status = 410, description = "The invitation has expired, or its sender is no longer an administrator.")))]
async fn accept_invitation(
    _: Open,
    app: Data<App>,
    request: HttpRequest,
    Path(token): Path<String>,
    Json(guest): Json<AcceptInvitationRequest>,
) -> Api<HttpResponse> {
    accept(&app, &request, parse(&token)?, guest).await
}

fn parse(token: &str) -> Api<LinkSecret> {
    LinkSecret::parse(token).ok_or_else(invitations::invalid_link)
}

/// Loads an invitation with the account of its email address, if there is one.
fn load_invitation(reader: &Reader, secret: &LinkSecret) -> Api<(Row<Invitation>, Option<Row<User>>)> {
    let row = invitations::find(reader, secret)?;
    let account = User::by_email(reader, &row.email)?;
    Ok((row, account))
}

fn show(reader: &Reader, secret: &LinkSecret) -> Api<OpenInvitationResponse> {
    let (row, account) = load_invitation(reader, secret)?;
    let tenant = reader.require::<Tenant>(SYSTEM, &row.tenant)?;
    let inviter = reader.get::<User>(SYSTEM, &row.invited_by)?;
    let Invitation { email, role, message, expires_at, .. } = row.body;
    Ok(OpenInvitationResponse {
        tenant: tenant.into(),
        email,
        role,
        invited_by: inviter.map(|user| user.body.display_name),
        message,
        expires_at,
        account_exists: account.is_some(),
    })
}

async fn accept(
    app: &App,
    request: &HttpRequest,
    secret: LinkSecret,
    body: AcceptInvitationRequest,
) -> Api<HttpResponse> {
    let address = address_of(request, &app.config);
    app.throttle.begin_at(address)?;
    let token = secret.reveal();
    let (row, account) = app.store.read(move |reader| load_invitation(reader, &secret)).await?;
    app.throttle.succeeded_at(address);
    let guest = match (account, signed_in(request)) {
        (Some(account), Some((user, session))) if user == account.id => Invitee::SignedIn { user, session },
        (Some(_), _) => {
            let password = body.password.ok_or_else(|| needed("password"))?;
            Invitee::Account(check_password(app, &row.email, password, address).await?)
        }
        (None, _) => new_invitee(app, body).await?,
    };
    let invitation = parse(&token)?;
    let tenant = row.tenant;
    let (session, secret) = NewSession::new(app, Device::from_request(request, address))?;
    let begun = app.identity.change(move |tx| {
        let user = invitations::accept(tx, &invitation, guest.clone())?;
        session.begin(tx, user, Some(tenant))
    });
    begun.await?.answer(app, Some(secret.reveal()))
}

fn needed(field: &'static str) -> Refusal {
    Refusal::invalid("body", [field], "is missing", "missing")
}

/// Returns the user who is signed in, and the session. Returns `None` for API tokens and for impersonated sessions.
fn signed_in(request: &HttpRequest) -> Option<(Uuid, Uuid)> {
    match request.extensions().get::<Verdict>() {
        Some(Verdict::Known(caller)) if caller.act.is_none() => Some((caller.user, caller.session?)),
        _ => None,
    }
}

/// Creates the invitee for a user without an account. A name and a password are required, and all faults are reported together.
async fn new_invitee(app: &App, request: AcceptInvitationRequest) -> Api<Invitee> {
    let AcceptInvitationRequest { display_name, password } = request;
    let mut faults = Faults::new("body");
    if display_name.is_none() {
        faults.add(["display_name"], "is missing", "missing");
    }
    match &password {
        Some(password) => faults.length("password", password, PASSWORD_LENGTH),
        None => faults.add(["password"], "is missing", "missing"),
    }
    match (display_name, password) {
        (Some(display_name), Some(password)) if faults.is_empty() => {
            Ok(Invitee::New { display_name, phc: app.passwords.hash(password).await? })
        }
        _ => Err(Refusal::faulty(faults.into_vec())),
    }
}
