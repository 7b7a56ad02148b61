//! Sign-ups to a tenant, and the join requests that administrators decide.

use std::time::Duration;

use serde_json::{Map, json};
use storage::records::{
    DirectoryPerson, JoinRequest, Membership, MembershipOrigin, Notice, Provisioning, Role, Tenant, User,
    UserKind,
};
use storage::{CountedResource, IndexKey, Reader, Row, Scan, TenantId, Timestamp, Tx, new_id, notices};
use uuid::Uuid;

use super::members::{Admission, join, require_admin};
use super::users::NewUser;
use crate::audit::{Actor, audit};
use crate::credentials::LinkSecret;
use crate::{Caller, Code, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Time for which the link that verifies an address is valid.
const VERIFICATION_LIFE: Duration = DAY;
/// Time for which a request can wait for an administrator.
const WAITING_LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Returns the tenant to join, by its slug or id.
///
/// # Errors
/// `invitation_required` if it does not exist: the same refusal as for a tenant that accepts no sign-ups, so that
/// callers cannot find out which tenants exist.
pub fn tenant_by_name(reader: &Reader, named: &str) -> Result<Row<Tenant>> {
    let by_id = match named.parse::<Uuid>() {
        Ok(id) => reader.get::<Tenant>(SYSTEM, &id)?,
        Err(_) => None,
    };
    let found = match by_id {
        Some(row) => Some(row),
        None => {
            let all = reader.scan::<Tenant>(SYSTEM, Scan::table())?.items;
            all.into_iter().find(|row| row.slug.as_deref() == Some(named))
        }
    };
    found.ok_or_else(|| Code::InvitationRequired.into())
}

/// Returns whether users can sign up without an invitation in at least one tenant. `mail` is whether addresses can be
/// verified.
///
/// # Errors
/// Returns an error if storage fails.
pub fn is_sign_up_open(reader: &Reader, mail: bool) -> Result<bool> {
    let mut open = false;
    reader.visit::<Tenant>(SYSTEM, Scan::table(), |row| {
        open = match row.provisioning {
            Provisioning::InviteOnly => false,
            Provisioning::Directory => mail,
            Provisioning::Open | Provisioning::Approval => true,
        };
        !open
    })?;
    Ok(open)
}

/// Checks whether the tenant accepts the sign-up of an address. `mail` is whether addresses can be verified.
///
/// # Errors
/// `invitation_required`, `domain_not_allowed`, `mail_missing`.
pub fn check_sign_up(tenant: &Tenant, email: &str, mail: bool) -> Result<()> {
    if tenant.provisioning == Provisioning::InviteOnly {
        return Err(Code::InvitationRequired.into());
    }
    let domain = email.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()).unwrap_or_default();
    if !tenant.domains.is_empty() && !tenant.domains.contains(&domain) {
        return Err(Code::DomainNotAllowed.into());
    }
    match tenant.provisioning == Provisioning::Directory && !mail {
        true => Err(mail_missing()),
        false => Ok(()),
    }
}

/// Returns the refusal for sign-ups that need a verified address while the server cannot send email.
pub fn mail_missing() -> Refusal {
    Refusal::new(Code::MailMissing)
        .detail("addresses cannot be verified without email; see [mail] in the settings")
}

/// A person who signs up.
#[derive(Clone, Debug)]
pub struct Applicant {
    /// The email address, in lower case.
    pub email: String,
    /// Name shown to other users.
    pub display_name: String,
    /// The user, if the applicant has an account and entered its password.
    pub account: Option<Uuid>,
    /// The hash of the chosen password, if the applicant has no account.
    pub phc: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignUpOutcome {
    /// The user is a member.
    Member(Uuid),
    /// An administrator has to decide.
    Waiting,
}

/// Stores a sign-up until its address is verified through the link with this secret.
pub fn request_verification(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    secret: &LinkSecret,
) -> Result<()> {
    tx.require::<Tenant>(SYSTEM, &tenant)?;
    let body = JoinRequest {
        tenant,
        email: applicant.email,
        display_name: applicant.display_name,
        phc: applicant.phc,
        secret_sha256: secret.hash(),
        expires_at: Timestamp::now() + VERIFICATION_LIFE,
        ..JoinRequest::default()
    };
    tx.insert(SYSTEM, secret.id(), body)?;
    Ok(())
}

/// Returns the sign-up that a link belongs to.
///
/// # Errors
/// `not_found` if it was used or never existed; `invitation_expired` if it has expired.
pub fn find(reader: &Reader, secret: &LinkSecret) -> Result<Row<JoinRequest>> {
    let row = reader.get::<JoinRequest>(SYSTEM, &secret.id())?;
    let row = row.filter(|row| !row.waiting && secret.matches(&row.secret_sha256));
    let row = row.ok_or_else(|| Refusal::not_found("sign-up"))?;
    match row.expires_at > Timestamp::now() {
        true => Ok(row),
        false => Err(Code::InvitationExpired.into()),
    }
}

/// Completes a sign-up whose address was verified through its link. `account` is the user, if the address has an
/// account.
///
/// # Errors
/// The errors of [`find`] and [`check_sign_up`], and `not_in_directory`.
pub fn confirm(tx: &mut Tx, secret: &LinkSecret, account: Option<Uuid>) -> Result<SignUpOutcome> {
    let row = find(tx, secret)?;
    tx.delete::<JoinRequest>(SYSTEM, &row.id)?;
    let JoinRequest { tenant, email, display_name, phc, .. } = row.body;
    sign_up(tx, tenant, Applicant { email, display_name, account, phc }, true)
}

/// Admits an applicant, or stores a request for administrators, depending on the tenant's provisioning mode.
///
/// # Errors
/// The errors of [`check_sign_up`], and `not_in_directory`.
pub fn sign_up(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    email_verified: bool,
) -> Result<SignUpOutcome> {
    let row = tx.require::<Tenant>(SYSTEM, &tenant)?;
    if let Some(user) = applicant.account
        && tx.get::<Membership>(SYSTEM, &(user, tenant))?.is_some()
    {
        return Ok(SignUpOutcome::Member(user));
    }
    check_sign_up(&row, &applicant.email, email_verified)?;
    let origin = match row.provisioning {
        Provisioning::Approval => return submit_for_approval(tx, tenant, applicant, email_verified),
        Provisioning::Directory => {
            let listed = DirectoryPerson::find(tx, TenantId(tenant), &applicant.email)?;
            listed.ok_or(Code::NotInDirectory)?;
            MembershipOrigin::Directory
        }
        Provisioning::Open | Provisioning::InviteOnly => MembershipOrigin::SignedUp,
    };
    let admission = Admission { role: Role::User, origin, email_verified };
    admit(tx, tenant, applicant, admission, None).map(|row| SignUpOutcome::Member(row.id))
}

/// Makes an applicant a member. `actor` is the administrator who decided, if any.
fn admit(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    admission: Admission,
    actor: Option<Actor>,
) -> Result<Row<User>> {
    if let Some(account) = applicant.account {
        let user = tx.require::<User>(SYSTEM, &account)?;
        if user.disabled {
            return Err(Refusal::new(Code::Conflict).detail("this account is disabled"));
        }
        join(tx, TenantId(tenant), &user, admission, actor.unwrap_or(Actor { user: user.id, act: None }))?;
        return Ok(user);
    }
    let new = NewUser {
        email: applicant.email,
        display_name: applicant.display_name,
        kind: UserKind::Human,
        platform_admin: false,
        tenant,
        role: admission.role,
        phc: applicant.phc,
    };
    new.insert_admitted(tx, actor, admission)
}

/// Stores a request for the administrators. If there are two for one address, the first stays, unless the second is
/// verified.
fn submit_for_approval(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    email_verified: bool,
) -> Result<SignUpOutcome> {
    let key = JoinRequest::address_key(&tenant, &applicant.email);
    let before = tx.by_unique::<JoinRequest>(SYSTEM, "by_address", &key)?;
    let body = JoinRequest {
        tenant,
        email: applicant.email,
        display_name: applicant.display_name,
        waiting: true,
        proved: email_verified,
        user: applicant.account,
        phc: applicant.phc.filter(|_| applicant.account.is_none()),
        secret_sha256: String::new(),
        expires_at: Timestamp::now() + WAITING_LIFE,
    };
    match before {
        Some(before) if email_verified => drop(tx.update(SYSTEM, Row { body, ..before })?),
        Some(_) => {}
        None => {
            let request = tx.insert(SYSTEM, new_id(), body)?;
            notify_admins(tx, &request)?;
        }
    }
    Ok(SignUpOutcome::Waiting)
}

/// Notifies the administrators of a request.
fn notify_admins(tx: &mut Tx, request: &Row<JoinRequest>) -> storage::Result<()> {
    let mut data = Map::new();
    data.insert("join_request_id".into(), json!(request.id));
    let notice = Notice {
        kind: "member.requested".to_owned(),
        title: format!("{} asks to join", request.email),
        body: format!("{} has signed up and waits for your decision.", request.display_name),
        link: Some("/tenant-admin/join-requests".to_owned()),
        data,
        ..Notice::default()
    };
    notices::notify_administrators(tx, TenantId(request.tenant), &notice)
}

/// Requires that the tenant may have another join request. Call it in a separate read, because a transaction would
/// depend on all requests.
///
/// # Errors
/// `limit_reached` otherwise.
pub fn check_room(reader: &Reader, tenant: Uuid) -> Result<()> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant).done());
    Ok(reader.require_place(CountedResource::JoinRequests, reader.count::<JoinRequest>(SYSTEM, scan)?)?)
}

fn waiting(tx: &Tx, caller: &Caller, id: Uuid) -> Result<Row<JoinRequest>> {
    let row = tx.get::<JoinRequest>(SYSTEM, &id)?;
    let row = row.filter(|row| row.tenant == caller.tenant.0 && row.waiting);
    row.ok_or_else(|| Refusal::not_found("join request"))
}

/// Approves a waiting join request. Returns the user.
///
/// # Errors
/// `conflict` if the address has got an account since.
pub fn approve(tx: &mut Tx, caller: &Caller, id: Uuid, role: Role) -> Result<Row<User>> {
    require_admin(tx, caller)?;
    caller.may_appoint(role)?;
    let row = waiting(tx, caller, id)?;
    let JoinRequest { email, display_name, proved, user, phc, .. } = row.body;
    let account = match (user, User::by_email(tx, &email)?) {
        (Some(user), _) => Some(user),
        // The account may belong to another person than the applicant, even if the applicant has verified the address.
        (None, Some(_)) => {
            let why = "the address has an account now; ask the applicant to sign up again with its password";
            return Err(Refusal::new(Code::Conflict).detail(why));
        }
        (None, None) => None,
    };
    tx.delete::<JoinRequest>(SYSTEM, &id)?;
    let admission = Admission { role, origin: MembershipOrigin::SignedUp, email_verified: proved };
    let applicant = Applicant { email, display_name, account, phc };
    let user = admit(tx, caller.tenant.0, applicant, admission, Some(Actor::from(caller)))?;
    let (target, detail) = (format!("join_request {id}"), json!({"user": user.id, "role": role}));
    audit(tx, caller.tenant, Actor::from(caller), "join_request.approve", target, detail)?;
    Ok(user)
}

/// Refuses a waiting join request. Returns the email address.
///
/// # Errors
/// `not_found` if there is no waiting request with this id.
pub fn refuse(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<String> {
    let row = waiting(tx, caller, id)?;
    tx.delete::<JoinRequest>(SYSTEM, &id)?;
    let (target, detail) = (format!("join_request {id}"), json!({"email": row.email}));
    audit(tx, caller.tenant, Actor::from(caller), "join_request.refuse", target, detail)?;
    Ok(row.body.email)
}
