//! Signing up: who may, and what becomes of it.

use super::members::{Entry, join, still_admin};
use super::{Actor, NewUser, audit};
use crate::http::credentials::LinkSecret;
use crate::http::{Caller, Code, Refusal};
use serde_json::{Map, json};
use std::time::Duration;
use storage::records::{
    DirectoryPerson, Invitation, JoinRequest, Membership, MembershipOrigin, Notice, Provisioning, Role,
    Tenant, User, UserKind,
};
use storage::{Counted, IndexKey, Reader, Row, Scan, Store, TenantId, Timestamp, Tx, new_id, notices};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// For how long the link that proves an address is valid.
const PROOF_LIFE: Duration = DAY;
/// For how long somebody may wait for an administrator.
const WAITING_LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// For how long an invitation that is over can still be renewed.
const OVER_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Rows that are swept in one transaction.
const SWEPT: usize = 200;

/// The tenant that somebody wants to join, by its short name or id.
///
/// # Errors
/// 403 `invitation_required` where there is none: that one is there and takes nobody in is told no otherwise.
pub(crate) fn tenant(reader: &Reader, named: &str) -> Result<Row<Tenant>, Refusal> {
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

/// Refuses those whom the tenant takes in by no sign-up at all. `mail` says whether addresses can be proved.
pub(crate) fn admits(tenant: &Tenant, email: &str, mail: bool) -> Result<(), Refusal> {
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

/// What a tenant that goes by its directory answers where no letter can be sent.
pub(crate) fn mail_missing() -> Refusal {
    Refusal::new(Code::MailMissing)
        .detail("addresses cannot be proved without mail; see [mail] in the settings")
}

/// Somebody who wants to come in.
#[derive(Clone, Debug)]
pub(crate) struct Applicant {
    /// The address, in lower case.
    pub email: String,
    /// The name they gave.
    pub display_name: String,
    /// The account, if they have one and gave its password.
    pub account: Option<Uuid>,
    /// The hash of the password they chose, where they have none.
    pub phc: Option<String>,
}

/// What became of a wish to come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// They are a member, by this account.
    Member(Uuid),
    /// An administrator has to decide.
    Waiting,
}

/// Notes a wish whose address is to be proved by a letter; what its link carries opens it.
pub(crate) fn ask_for_proof(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    secret: &LinkSecret,
) -> Result<(), Refusal> {
    tx.require::<Tenant>(SYSTEM, &tenant)?;
    let body = JoinRequest {
        tenant,
        email: applicant.email,
        display_name: applicant.display_name,
        phc: applicant.phc,
        secret_sha256: secret.hash(),
        expires_at: Timestamp::now() + PROOF_LIFE,
        ..JoinRequest::default()
    };
    tx.insert(SYSTEM, secret.id(), body)?;
    Ok(())
}

/// The wish that a link belongs to.
///
/// # Errors
/// 404 for what was used or never there; 410 for what is over.
pub(crate) fn find(reader: &Reader, secret: &LinkSecret) -> Result<Row<JoinRequest>, Refusal> {
    let row = reader.get::<JoinRequest>(SYSTEM, &secret.id())?;
    let row = row.filter(|row| !row.waiting && secret.matches(&row.secret_sha256));
    let row = row.ok_or_else(|| Refusal::not_found("sign-up"))?;
    match row.expires_at > Timestamp::now() {
        true => Ok(row),
        false => Err(Code::InvitationExpired.into()),
    }
}

/// Lets somebody in who has proved the address by a link, which is used up.
pub(crate) fn confirm(tx: &mut Tx, secret: &LinkSecret, account: Option<Uuid>) -> Result<Joined, Refusal> {
    let row = find(tx, secret)?;
    tx.delete::<JoinRequest>(SYSTEM, &row.id)?;
    let JoinRequest { tenant, email, display_name, phc, .. } = row.body;
    settle(tx, tenant, Applicant { email, display_name, account, phc }, true)
}

/// Lets somebody in as the tenant has it at this moment. `proved` says whether the address is theirs for certain.
pub(crate) fn settle(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    proved: bool,
) -> Result<Joined, Refusal> {
    let row = tx.require::<Tenant>(SYSTEM, &tenant)?;
    if let Some(user) = applicant.account
        && tx.get::<Membership>(SYSTEM, &(user, tenant))?.is_some()
    {
        return Ok(Joined::Member(user));
    }
    admits(&row, &applicant.email, proved)?;
    let origin = match row.provisioning {
        Provisioning::Approval => return wait(tx, tenant, applicant, proved),
        Provisioning::Directory => {
            let listed = DirectoryPerson::find(tx, TenantId(tenant), &applicant.email)?;
            listed.ok_or(Code::NotInDirectory)?;
            MembershipOrigin::Directory
        }
        Provisioning::Open | Provisioning::InviteOnly => MembershipOrigin::SignedUp,
    };
    let entry = Entry { role: Role::User, origin, proved };
    enter(tx, tenant, applicant, entry, None).map(|row| Joined::Member(row.id))
}

/// Makes an applicant a member; `actor` is who decided, if not they themselves.
fn enter(
    tx: &mut Tx,
    tenant: Uuid,
    applicant: Applicant,
    entry: Entry,
    actor: Option<Actor>,
) -> Result<Row<User>, Refusal> {
    if let Some(account) = applicant.account {
        let user = tx.require::<User>(SYSTEM, &account)?;
        if user.disabled {
            return Err(Refusal::new(Code::Conflict).detail("this account is disabled"));
        }
        join(tx, TenantId(tenant), &user, entry, actor.unwrap_or(Actor { user: user.id, act: None }))?;
        return Ok(user);
    }
    let new = NewUser {
        email: applicant.email,
        display_name: applicant.display_name,
        kind: UserKind::Human,
        platform_admin: false,
        tenant,
        role: entry.role,
        phc: applicant.phc,
    };
    new.enter(tx, actor, entry)
}

/// Puts a wish before the administrators. Of two for one address the first stays, unless the second is proved.
fn wait(tx: &mut Tx, tenant: Uuid, applicant: Applicant, proved: bool) -> Result<Joined, Refusal> {
    let key = JoinRequest::address_key(&tenant, &applicant.email);
    let before = tx.by_unique::<JoinRequest>(SYSTEM, "by_address", &key)?;
    let body = JoinRequest {
        tenant,
        email: applicant.email,
        display_name: applicant.display_name,
        waiting: true,
        proved,
        user: applicant.account,
        phc: applicant.phc.filter(|_| applicant.account.is_none()),
        secret_sha256: String::new(),
        expires_at: Timestamp::now() + WAITING_LIFE,
    };
    match before {
        Some(before) if proved => drop(tx.update(SYSTEM, Row { body, ..before })?),
        Some(_) => {}
        None => {
            let wish = tx.insert(SYSTEM, new_id(), body)?;
            tell_admins(tx, &wish)?;
        }
    }
    Ok(Joined::Waiting)
}

/// Says that somebody waits to be let in.
fn tell_admins(tx: &mut Tx, wish: &Row<JoinRequest>) -> storage::Result<()> {
    let mut data = Map::new();
    data.insert("join_request_id".into(), json!(wish.id));
    let notice = Notice {
        kind: "member.requested".to_owned(),
        title: format!("{} asks to be let in", wish.email),
        body: format!("{} has signed up and waits for your decision.", wish.display_name),
        link: Some("/tenant-admin/join-requests".to_owned()),
        data,
        ..Notice::default()
    };
    notices::tell_admins(tx, TenantId(wish.tenant), &notice)
}

/// Refuses one more where too many wait. Asked before the transaction, which would else rest on all of them.
pub(crate) fn has_room(reader: &Reader, tenant: Uuid) -> Result<(), Refusal> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant).done());
    Ok(reader.require_place(Counted::JoinRequests, reader.count::<JoinRequest>(SYSTEM, scan)?)?)
}

fn waiting(tx: &Tx, caller: &Caller, id: Uuid) -> Result<Row<JoinRequest>, Refusal> {
    let row = tx.get::<JoinRequest>(SYSTEM, &id)?;
    let row = row.filter(|row| row.tenant == caller.tenant.0 && row.waiting);
    row.ok_or_else(|| Refusal::not_found("join request"))
}

/// Lets somebody in who waits; answers who they are.
pub(crate) fn approve(tx: &mut Tx, caller: &Caller, id: Uuid, role: Role) -> Result<Row<User>, Refusal> {
    still_admin(tx, caller)?;
    caller.may_appoint(role)?;
    let row = waiting(tx, caller, id)?;
    let JoinRequest { email, display_name, proved, user, phc, .. } = row.body;
    let account = match (user, User::by_email(tx, &email)?) {
        (Some(user), _) => Some(user),
        // Whoever has made it since need not be the one who waits, whatever a letter has proved of that one.
        (None, Some(_)) => {
            let why = "the address has an account by now; let them sign up again with its password";
            return Err(Refusal::new(Code::Conflict).detail(why));
        }
        (None, None) => None,
    };
    tx.delete::<JoinRequest>(SYSTEM, &id)?;
    let entry = Entry { role, origin: MembershipOrigin::SignedUp, proved };
    let applicant = Applicant { email, display_name, account, phc };
    let user = enter(tx, caller.tenant.0, applicant, entry, Some(Actor::from(caller)))?;
    let (target, detail) = (format!("join_request {id}"), json!({"user": user.id, "role": role}));
    audit(tx, caller.tenant, Actor::from(caller), "join_request.approve", target, detail)?;
    Ok(user)
}

/// Turns somebody away who waits; answers the address.
pub(crate) fn refuse(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<String, Refusal> {
    let row = waiting(tx, caller, id)?;
    tx.delete::<JoinRequest>(SYSTEM, &id)?;
    let (target, detail) = (format!("join_request {id}"), json!({"email": row.email}));
    audit(tx, caller.tenant, Actor::from(caller), "join_request.refuse", target, detail)?;
    Ok(row.body.email)
}

/// Deletes what is long over: links that nobody opened, wishes that nobody decided.
///
/// # Errors
/// Those of the store.
pub(crate) async fn sweep(store: &Store) -> storage::Result<usize> {
    let now = Timestamp::now();
    let over = store.read::<_, storage::Error>(move |reader| {
        let wishes = reader.scan_readable::<JoinRequest>("link_expiry", SYSTEM, Scan::table())?;
        let invitations = reader.scan_readable::<Invitation>("link_expiry", SYSTEM, Scan::table())?;
        let wishes = wishes.into_iter().filter(|row| row.expires_at < now).map(|row| row.id);
        let invitations = invitations.into_iter().filter(|row| row.expires_at + OVER_LIFE < now);
        Ok((wishes.collect::<Vec<_>>(), invitations.map(|row| row.id).collect::<Vec<_>>()))
    });
    let (wishes, invitations) = over.await?;
    let swept = wishes.len() + invitations.len();
    for ids in wishes.chunks(SWEPT).map(<[Uuid]>::to_vec) {
        store.run::<_, storage::Error>(move |tx| sweep_wishes(tx, &ids, now)).await?;
    }
    for ids in invitations.chunks(SWEPT).map(<[Uuid]>::to_vec) {
        store.run::<_, storage::Error>(move |tx| sweep_invitations(tx, &ids, now)).await?;
    }
    Ok(swept)
}

fn sweep_wishes(tx: &mut Tx, ids: &[Uuid], now: Timestamp) -> storage::Result<()> {
    for id in ids {
        if tx.get::<JoinRequest>(SYSTEM, id)?.is_some_and(|row| row.expires_at < now) {
            tx.delete::<JoinRequest>(SYSTEM, id)?;
        }
    }
    Ok(())
}

fn sweep_invitations(tx: &mut Tx, ids: &[Uuid], now: Timestamp) -> storage::Result<()> {
    for id in ids {
        if tx.get::<Invitation>(SYSTEM, id)?.is_some_and(|row| row.expires_at + OVER_LIFE < now) {
            tx.delete::<Invitation>(SYSTEM, id)?;
        }
    }
    Ok(())
}
