//! Invitations to the tenant.

use actix_web::web::Data;
use providers::mail::MailError;
use serde::{Deserialize, Serialize};
use storage::records::{Invitation, Role, Tenant, User};
use storage::{IndexKey, Page, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Caller, Faults, Json, NoContent, Own, Paging, Path, Query, Refusal, Validate, list_of,
    operations, record_view,
};
use crate::{App, invitation_mailer};
use domain::accounts::invitations::{self, IssuedInvitation, NewInvitations};
use domain::accounts::users::check_email;

/// Maximum number of email addresses that are validated individually. The schema refuses more, and a fault for
/// each of them would make the response large.
const CHECKED: usize = 100;

/// The users to invite.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateInvitationsRequest {
    /// The email addresses. Duplicates are ignored.
    #[schema(min_items = 1, max_items = 100, example = json!(["ada@example.org"]))]
    pub emails: Vec<String>,
    /// The role of the users who accept.
    #[serde(default)]
    pub role: Role,
    /// A message to include in the email.
    #[schema(min_length = 1, max_length = 1000)]
    pub message: Option<String>,
}

impl Validate for CreateInvitationsRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.emails.is_empty() {
            faults.add(["emails"], "needs at least 1 item", "too_few");
        }
        for (at, email) in self.emails.iter().enumerate().take(CHECKED) {
            let mut one = Faults::new("body");
            check_email(&mut one, "email", email.trim());
            if !one.is_empty() {
                faults.add(["emails", &at.to_string()], "is not an e-mail address", "malformed");
            }
        }
    }
}

impl CreateInvitationsRequest {
    fn wanted(self) -> NewInvitations {
        let mut emails = Vec::new();
        for email in self.emails.iter().map(|email| User::normal_email(email.trim())) {
            if !emails.contains(&email) {
                emails.push(email);
            }
        }
        NewInvitations { emails, role: self.role, message: self.message }
    }
}

/// The result for one email address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvitationResult {
    /// The invitation was created. Pass on the link yourself.
    Invited,
    /// An invitation existed. It has a new link, which you must pass on yourself, and the old link is no longer
    /// valid.
    Renewed,
    /// A mail server has accepted the email with the link.
    Mailed,
    /// The email could not be sent. Pass on the link in another way.
    MailFailed,
    /// The user with this address is already a member.
    AlreadyMember,
}

/// The invitation of one email address.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitedResponse {
    /// The email address, in lower case.
    pub email: String,
    /// What happened to the invitation.
    pub result: InvitationResult,
    /// The id of the invitation, if there is one.
    pub invitation_id: Option<Uuid>,
    /// The link, which is only returned here. `null` if an email contains it.
    pub link: Option<String>,
    /// When the link expires.
    pub expires_at: Option<Timestamp>,
    /// Why no email was sent.
    pub detail: Option<String>,
}

/// The result for each email address, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateInvitationsResponse {
    /// One item for each email address.
    pub items: Vec<InvitedResponse>,
}

record_view! {
    /// A pending invitation.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct InvitationResponse from row: Row<Invitation>, row.body => {
        /// The invitation's id.
        id: Uuid = row.id,
        /// The email address.
        email: String,
        /// The role of the user who accepts the invitation.
        role: Role,
        /// The user who created the invitation.
        invited_by: Uuid,
        /// The message in the email.
        message: Option<String>,
        /// When a mail server accepted the email with the link.
        mailed_at: Option<Timestamp>,
        /// When the link expires.
        expires_at: Timestamp,
        /// Whether the link has expired. Inviting the address again creates a new link.
        expired: bool = row.body.expires_at <= Timestamp::now(),
        /// When the invitation was created.
        created_at: Timestamp = row.created_at,
    }
}

list_of! {
    /// Pending invitations, newest first.
    pub InvitationList of InvitationResponse
}

/// Invite users by email address.
///
/// A link can be used once, within seven days. If email is configured, it is sent in an email; otherwise the
/// response contains it. Inviting an address again creates a new link and invalidates the old one. If any
/// address is invalid, no one is invited (422).
#[utoipa::path(post, path = "/api/tenant-admin/invitations")]
async fn create_invitations(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<CreateInvitationsRequest>,
) -> Api<Json<CreateInvitationsResponse>> {
    let items = invite(app, &auth.caller(), new.wanted()).await?;
    Ok(Json(CreateInvitationsResponse { items }))
}

/// List pending invitations.
#[utoipa::path(get, path = "/api/tenant-admin/invitations", params(Paging))]
async fn list_invitations(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<InvitationList>> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&auth.tenant.0).done()).reverse();
    let scan = paging.scan(scan)?;
    let read = move |reader: &Reader| Api::Ok(reader.scan::<Invitation>(TenantId::SYSTEM, scan)?);
    let page: Page<Row<Invitation>> = app.store.read(read).await?;
    Ok(Json(page.into()))
}

/// Revoke an invitation.
///
/// Its link is no longer valid.
#[utoipa::path(delete, path = "/api/tenant-admin/invitations/{invitation_id}",
    params(("invitation_id" = Uuid, Path, description = "The id of the invitation.")))]
async fn delete_invitation(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(id): Path<Uuid>,
) -> Api<NoContent> {
    let caller = auth.caller();
    app.store.run(move |tx| invitations::revoke(tx, &caller, id)).await?;
    Ok(NoContent)
}

/// Creates invitations and sends the emails after the transaction is durable. Sending continues if the client
/// disconnects.
async fn invite(
    app: Data<App>,
    caller: &std::sync::Arc<Caller>,
    wanted: NewInvitations,
) -> Api<Vec<InvitedResponse>> {
    let (by, emails) = (caller.clone(), wanted.emails.clone());
    let stored = app.store.run::<_, Refusal>(move |tx| {
        let tenant = tx.require::<Tenant>(TenantId::SYSTEM, &by.tenant.0)?;
        let inviter = tx.require::<User>(TenantId::SYSTEM, &by.user)?;
        Ok((invitations::invite(tx, &by, &wanted)?, tenant.body.name, inviter.body.display_name))
    });
    let (invited, tenant, inviter) = stored.await?;
    let work = actix_web::rt::spawn(async move {
        let outcomes = deliver(&app, &invited, &tenant, &inviter).await;
        let answers = emails.into_iter().zip(&invited).zip(outcomes);
        answers.map(|((email, invited), outcome)| answer(&app, email, invited, outcome)).collect()
    });
    work.await.map_err(|error| Refusal::new(crate::http::Code::Internal).because(error))
}

/// The result of sending each email. `None` where no email is to be sent.
async fn deliver(
    app: &App,
    invited: &[Option<IssuedInvitation>],
    tenant: &str,
    inviter: &str,
) -> Vec<Option<Result<(), MailError>>> {
    if !app.mailer.is_open() {
        return invited.iter().map(|_| None).collect();
    }
    let (mut letters, mut issued) = (Vec::new(), Vec::new());
    for IssuedInvitation { row, secret, .. } in invited.iter().flatten() {
        let link = app.mailer.invitation_link(secret);
        letters.push(invitation_mailer::invitation(
            &row.email,
            tenant,
            inviter,
            row.message.as_deref(),
            &link,
        ));
        issued.push((row.id, secret.hash()));
    }
    let sent = app.mailer.send_all(letters).await;
    let mailed: Vec<_> =
        issued.into_iter().zip(&sent).filter(|(_, sent)| sent.is_ok()).map(|(issued, _)| issued).collect();
    if let Err(error) = app.store.run(move |tx| invitations::record_mailed(tx, &mailed)).await {
        tracing::warn!(%error, "could not record which invitations were sent by email");
    }
    let mut sent = sent.into_iter();
    invited.iter().map(|one| one.as_ref().and_then(|_| sent.next())).collect()
}

fn answer(
    app: &App,
    email: String,
    invited: &Option<IssuedInvitation>,
    outcome: Option<Result<(), MailError>>,
) -> InvitedResponse {
    let Some(IssuedInvitation { row, secret, renewed }) = invited else {
        let result = InvitationResult::AlreadyMember;
        return InvitedResponse {
            email,
            result,
            invitation_id: None,
            link: None,
            expires_at: None,
            detail: None,
        };
    };
    let result = match &outcome {
        Some(Ok(())) => InvitationResult::Mailed,
        Some(Err(_)) => InvitationResult::MailFailed,
        None if *renewed => InvitationResult::Renewed,
        None => InvitationResult::Invited,
    };
    InvitedResponse {
        email,
        result,
        invitation_id: Some(row.id),
        link: (result != InvitationResult::Mailed).then(|| app.mailer.invitation_link(secret)),
        expires_at: Some(row.expires_at),
        detail: outcome.and_then(Result::err).map(|error| error.message),
    }
}

operations!(create_invitations, list_invitations, delete_invitation);
