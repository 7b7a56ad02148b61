//! Service accounts: members that are programs. They have no password and use API tokens.

use serde_json::json;
use storage::records::{ApiToken, Membership, Role, Session, User, UserKind};
use storage::{CountedResource, Cursor, Page, Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

use super::members::require_admin;
use super::{NewUser, tokens};
use crate::audit::{Actor, audit};
use crate::paging::filter_page;
use crate::{Caller, Code, Precondition, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;
/// The domain of their email addresses: the reserved top-level domain `invalid` receives no email.
const HOST: &str = "service-accounts.invalid";

/// A service account in the caller's tenant.
#[derive(Clone, Debug)]
pub struct ServiceAccount {
    pub user: Row<User>,
    /// The role in this tenant.
    pub role: Role,
}

impl ServiceAccount {
    /// Requires that the account has not been deleted.
    ///
    /// # Errors
    /// `conflict` otherwise.
    pub fn require_enabled(&self) -> Result<()> {
        match self.user.disabled {
            true => Err(Refusal::new(Code::Conflict).detail("the service account was deleted")),
            false => Ok(()),
        }
    }
}

/// A service account to create.
#[derive(Clone, Debug)]
pub struct NewServiceAccount {
    pub display_name: String,
    pub role: Role,
}

/// Returns the service account with this id; `None` if it does not exist in the caller's tenant.
///
/// # Errors
/// Returns an error if storage fails.
pub fn find(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<ServiceAccount>> {
    let member = reader.get::<Membership>(SYSTEM, &(id, caller.tenant.0))?;
    let Some(member) = member else { return Ok(None) };
    let user = reader.get::<User>(SYSTEM, &id)?.filter(|user| user.kind == UserKind::ServiceAccount);
    Ok(user.map(|user| ServiceAccount { user, role: member.role }))
}

/// Returns a page of the service accounts of the caller's tenant, including deleted ones.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<ServiceAccount>> {
    let page = memberships(reader, caller, after, limit)?;
    let mut items = Vec::with_capacity(page.items.len());
    for member in &page.items {
        items.extend(find(reader, caller, member.id.0)?);
    }
    Ok(Page { items, next: page.next })
}

/// Creates a service account.
///
/// # Errors
/// `role_missing`, `scope_missing` if the caller may not appoint to the role; `limit_reached`.
pub fn create(tx: &mut Tx, caller: &Caller, new: NewServiceAccount) -> Result<ServiceAccount> {
    require_admin(tx, caller)?;
    caller.may_appoint(new.role)?;
    let count = memberships(tx, caller, None, usize::MAX)?.items.len() as u64;
    tx.require_place(CountedResource::ServiceAccounts, count)?;
    let account = NewUser {
        email: format!("{}@{HOST}", new_id().simple()),
        display_name: new.display_name,
        kind: UserKind::ServiceAccount,
        platform_admin: false,
        tenant: caller.tenant.0,
        role: new.role,
        phc: None,
    };
    let user = account.insert(tx, Actor::from(caller))?;
    Ok(ServiceAccount { user, role: new.role })
}

/// Renames a service account.
///
/// # Errors
/// `not_found`; `stale` for another version.
pub fn rename(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    name: &str,
) -> Result<ServiceAccount> {
    let ServiceAccount { mut user, role } = require(tx, caller, id)?;
    precondition.check(user.version)?;
    user.display_name = name.to_owned();
    let user = tx.update(SYSTEM, user)?;
    record(tx, caller, "service_account.rename", &user)?;
    Ok(ServiceAccount { user, role })
}

/// Deletes a service account, with its sessions and API tokens in this tenant. An account with several tenants only
/// leaves this one. The objects that it created stay, and so does its user, to which audit records refer.
///
/// # Errors
/// `not_found` if the service account does not exist.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<()> {
    let ServiceAccount { mut user, .. } = require(tx, caller, id)?;
    if user.disabled {
        return Ok(());
    }
    let memberships = tx.scan::<Membership>(SYSTEM, Scan::table().prefix(id.as_bytes().to_vec()))?.items;
    match memberships.len() {
        2.. => {
            tx.delete::<Membership>(SYSTEM, &(id, caller.tenant.0))?;
            storage::notices::forget(tx, caller.tenant, id)?;
        }
        _ => {
            user.disabled = true;
            user = tx.update(SYSTEM, user)?;
        }
    }
    tx.forget_connections_of(caller.tenant, id)?;
    tx.forget_installations_of(caller.tenant, id)?;
    let own = |index| Scan::index(index).prefix(id.as_bytes().to_vec());
    for token in tx.scan::<ApiToken>(SYSTEM, own("by_user"))?.items {
        if token.tenant == caller.tenant.0 {
            tokens::revoke(tx, caller, token.id)?;
        }
    }
    for mut session in tx.scan::<Session>(SYSTEM, own("by_user"))?.items {
        if session.tenant == caller.tenant.0 && session.ended_at.is_none() {
            session.ended_at = Some(Timestamp::now());
            tx.update(SYSTEM, session)?;
        }
    }
    record(tx, caller, "service_account.delete", &user)?;
    Ok(())
}

fn require(reader: &Reader, caller: &Caller, id: Uuid) -> Result<ServiceAccount> {
    find(reader, caller, id)?.ok_or_else(|| Refusal::not_found("service account"))
}

fn memberships(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> storage::Result<Page<Row<Membership>>> {
    let tenant = caller.tenant.as_bytes().to_vec();
    let read = |after, limit| {
        let scan = Scan::index("by_tenant").prefix(tenant.clone()).after(after).limit(limit);
        reader.scan::<Membership>(SYSTEM, scan)
    };
    let is_service_account = |row: &Row<Membership>| {
        let user = reader.get::<User>(SYSTEM, &row.id.0)?;
        Ok(user.is_some_and(|user| user.kind == UserKind::ServiceAccount))
    };
    filter_page(after, limit, read, is_service_account)
}

fn record(tx: &mut Tx, caller: &Caller, action: &str, user: &Row<User>) -> storage::Result<()> {
    let detail = json!({"display_name": user.display_name});
    audit(tx, caller.tenant, Actor::from(caller), action, format!("user {}", user.id), detail)
}
