//! Endpoints to which notifications are delivered.

use storage::notices::{self, NewEndpoint};
use storage::records::{EndpointKind, Membership, NotificationEndpoint, UserKind};
use storage::{Reader, Row, TenantId, Tx};

use crate::{Caller, Code, Refusal, Result};

/// Registers an endpoint of the caller, and returns whether it is new. If the endpoint is known, its label and, for a
/// browser, its keys are updated.
///
/// # Errors
/// `conflict` for email delivery if the caller's address is not verified; `limit_reached`.
pub fn register_endpoint(
    tx: &mut Tx,
    caller: &Caller,
    mut new: NewEndpoint,
) -> Result<(Row<NotificationEndpoint>, bool)> {
    if new.endpoint.kind == EndpointKind::Email {
        require_verified_address(tx, caller)?;
    }
    new.endpoint.user = caller.user;
    Ok(notices::register(tx, caller.tenant, new)?)
}

/// Deletes the caller's endpoint with this kind and address, and its queued deliveries.
///
/// # Errors
/// `not_found` if the caller has no such endpoint.
pub fn delete_endpoint(tx: &mut Tx, caller: &Caller, kind: EndpointKind, address: &str) -> Result<()> {
    let row = notices::find_endpoint(tx, caller.tenant, caller.user, kind, address)?;
    let row = row.ok_or_else(|| Refusal::not_found("endpoint"))?;
    Ok(notices::drop_endpoint(tx, caller.tenant, row.id)?)
}

fn require_verified_address(reader: &Reader, caller: &Caller) -> Result<()> {
    let member = reader.require::<Membership>(TenantId::SYSTEM, &(caller.user, caller.tenant.0))?;
    let why = match (caller.kind, member.is_certain()) {
        (UserKind::Human, true) => return Ok(()),
        (UserKind::ServiceAccount, _) => "service accounts have no mailbox",
        (UserKind::Human, false) => "your email address has not been verified",
    };
    Err(Refusal::new(Code::Conflict).detail(why))
}
