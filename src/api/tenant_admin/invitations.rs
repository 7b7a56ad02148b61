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

/// Addresses that are checked one by one. The schema refuses more; a fault for each of them would be a large response.
const CHECKED: usize = 100;

/// Whom to invite.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateInvitationsRequest {
    /// Their addresses, 1 to 100; one that stands there twice counts once.
    #[schema(min_items = 1, max_items = 100, example = json!(["ada@example.org"]))]
    pub emails: Vec<String>,
    /// What they may do once they have come.
    #[serde(default)]
    pub role: Role,
    /// A few words to them.
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

/// What became of the invitation of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvitationResult {
    /// There is a link to pass on.
    Invited,
    /// There was an invitation already: it has a new link to pass on, and the old one is void.
    Renewed,
    /// A mail server has taken a letter with the link.
    Mailed,
    /// The letter could not be sent; the link is to be passed on otherwise.
    MailFailed,
    /// The user with the address is a member already.
    AlreadyMember,
}

/// The invitation of one address.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitedResponse {
    /// The address, in lower case.
    pub email: String,
    /// What became of it.
    pub result: InvitationResult,
    /// The invitation, where there is one.
    pub invitation_id: Option<Uuid>,
    /// The link, shown here and never again; `null` where a letter brings it.
    pub link: Option<String>,
    /// Until when the link is valid.
    pub expires_at: Option<Timestamp>,
    /// Why there is no letter.
    pub detail: Option<String>,
}

/// What became of each address, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateInvitationsResponse {
    /// One for each address.
    pub items: Vec<InvitedResponse>,
}

record_view! {
    /// An invitation that was not accepted yet.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct InvitationResponse from row: Row<Invitation>, row.body => {
        /// The invitation's id.
        id: Uuid = row.id,
        /// The address.
        email: String,
        /// The role of the user who accepts it.
        role: Role,
        /// The user who invited.
        invited_by: Uuid,
        /// The message in the email.
        message: Option<String>,
        /// When a mail server accepted the email with the link.
        mailed_at: Option<Timestamp>,
        /// Until when the link is valid.
        expires_at: Timestamp,
        /// Whether that is over; inviting again creates a new link.
        expired: bool = row.body.expires_at <= Timestamp::now(),
        /// When it was created.
        created_at: Timestamp = row.created_at,
    }
}

list_of! {
    /// Invitations that were not accepted yet, newest first.
    pub InvitationList of InvitationResponse
}

/// Invite people by their addresses.
///
/// A link is valid for seven days, and once. Where mail is configured, a letter brings it; else it is in the answer.
/// Inviting an address again makes a new link and voids the old one. If one of the addresses is invalid, no one is invited: 422.
#[utoipa::path(post, path = "/api/tenant-admin/invitations")]
async fn create_invitations(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Json(new): Json<CreateInvitationsRequest>,
) -> Api<Json<CreateInvitationsResponse>> {
    let items = invite(app, &auth.caller(), new.wanted()).await?;
    Ok(Json(CreateInvitationsResponse { items }))
}

/// List invitations that were not accepted yet.
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

/// Take an invitation back.
///
/// Its link is void from then on.
#[utoipa::path(delete, path = "/api/tenant-admin/invitations/{invitation_id}", params(("invitation_id" = Uuid, Path, description = "The invitation")))]
async fn delete_invitation(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(id): Path<Uuid>,
) -> Api<NoContent> {
    let caller = auth.caller();
    app.store.run(move |tx| invitations::revoke(tx, &caller, id)).await?;
    Ok(NoContent)
}

/// Invites, and sends the letters once that is durable. A caller who hangs up does not stop them.
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

/// What became of each letter; none where there is none to be sent.
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
        tracing::warn!(%error, "it was not noted which invitations were mailed");
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
