//! The endpoints to which notices of users are sent.

use super::outbox;
use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::keys::IndexKey;
use crate::limits::CountedResource;
use crate::reader::Reader;
use crate::record::Row;
use crate::records::{EndpointKind, NotificationEndpoint};
use crate::scan::Scan;
use crate::tx::Tx;
use uuid::Uuid;

/// An endpoint to register.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    /// The values to store.
    pub endpoint: NotificationEndpoint,
    pub secret: Option<Vec<u8>>,
}

/// Returns the endpoints of a user, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn endpoints_of(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Vec<Row<NotificationEndpoint>>> {
    let own = IndexKey::new().id(&user).done();
    Ok(reader.scan(tenant, Scan::index("by_user").prefix(own))?.items)
}

/// Finds the endpoint of a user at an address.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find_endpoint(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    kind: EndpointKind,
    address: &str,
) -> Result<Option<Row<NotificationEndpoint>>> {
    let key = NotificationEndpoint::address_key(&user, kind, address);
    let found = reader.by_unique::<NotificationEndpoint>(tenant, "by_address", &key)?;
    Ok(found.filter(|row| row.user == user))
}

/// Registers an endpoint, and returns whether it is new. An endpoint that the user already has keeps its values,
/// including the secret of a webhook, and takes over the new label and, for a browser, the new keys. A browser that
/// belonged to another user is removed from that user: its present user must not see the other user's notifications.
///
/// # Errors
/// `LimitReached` if the user has too many endpoints. Returns an error if the store fails.
pub fn register(
    tx: &mut Tx,
    tenant: TenantId,
    new: NewEndpoint,
) -> Result<(Row<NotificationEndpoint>, bool)> {
    let NewEndpoint { endpoint, secret } = new;
    let key = NotificationEndpoint::address_key(&endpoint.user, endpoint.kind, &endpoint.address);
    let known = tx.by_unique::<NotificationEndpoint>(tenant, "by_address", &key)?;
    match known {
        Some(mut row) if row.user == endpoint.user => {
            if let (EndpointKind::WebPush, Some(secret)) = (row.kind, secret) {
                tx.put_secret(tenant, &NotificationEndpoint::secret(row.id), &secret)?;
            }
            if row.label != endpoint.label || row.p256dh != endpoint.p256dh {
                (row.label, row.p256dh) = (endpoint.label, endpoint.p256dh);
                row = tx.update(tenant, row)?;
            }
            return Ok((row, false));
        }
        Some(row) => drop_endpoint(tx, tenant, row.id)?,
        None => {}
    }
    let registered = endpoints_of(tx, tenant, endpoint.user)?.len() as u64;
    tx.require_place(CountedResource::NotificationEndpoints, registered)?;
    let row = tx.insert(tenant, new_id(), endpoint)?;
    if let Some(secret) = secret {
        tx.put_secret(tenant, &NotificationEndpoint::secret(row.id), &secret)?;
    }
    Ok((row, true))
}

/// Deletes an endpoint and its queued deliveries.
///
/// # Errors
/// Returns an error if the store fails.
pub fn drop_endpoint(tx: &mut Tx, tenant: TenantId, id: Uuid) -> Result<()> {
    outbox::clear(tx, tenant, id)?;
    tx.delete_secret(tenant, &NotificationEndpoint::secret(id))?;
    tx.delete::<NotificationEndpoint>(tenant, &id).map(drop)
}
