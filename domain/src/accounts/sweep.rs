//! Deletes expired invitations and join requests.

use std::time::Duration;

use storage::records::{Invitation, JoinRequest};
use storage::{Scan, Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
/// Time for which an expired invitation can still be renewed.
const RENEWABLE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Number of rows that are deleted in one transaction.
const BATCH: usize = 200;

/// Deletes expired join requests, and invitations that are past the renewal period. Returns the number of
/// expired rows.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn sweep(store: &Store) -> storage::Result<usize> {
    let now = Timestamp::now();
    let expired = store.read::<_, storage::Error>(move |reader| {
        let requests = reader.scan_readable::<JoinRequest>("link_expiry", SYSTEM, Scan::table())?;
        let invitations = reader.scan_readable::<Invitation>("link_expiry", SYSTEM, Scan::table())?;
        let requests = requests.into_iter().filter(|row| row.expires_at < now).map(|row| row.id);
        let invitations = invitations.into_iter().filter(|row| row.expires_at + RENEWABLE < now);
        Ok((requests.collect::<Vec<_>>(), invitations.map(|row| row.id).collect::<Vec<_>>()))
    });
    let (requests, invitations) = expired.await?;
    let swept = requests.len() + invitations.len();
    for ids in requests.chunks(BATCH).map(<[Uuid]>::to_vec) {
        store.run::<_, storage::Error>(move |tx| sweep_requests(tx, &ids, now)).await?;
    }
    for ids in invitations.chunks(BATCH).map(<[Uuid]>::to_vec) {
        store.run::<_, storage::Error>(move |tx| sweep_invitations(tx, &ids, now)).await?;
    }
    Ok(swept)
}

fn sweep_requests(tx: &mut Tx, ids: &[Uuid], now: Timestamp) -> storage::Result<()> {
    for id in ids {
        if tx.get::<JoinRequest>(SYSTEM, id)?.is_some_and(|row| row.expires_at < now) {
            tx.delete::<JoinRequest>(SYSTEM, id)?;
        }
    }
    Ok(())
}

fn sweep_invitations(tx: &mut Tx, ids: &[Uuid], now: Timestamp) -> storage::Result<()> {
    for id in ids {
        if tx.get::<Invitation>(SYSTEM, id)?.is_some_and(|row| row.expires_at + RENEWABLE < now) {
            tx.delete::<Invitation>(SYSTEM, id)?;
        }
    }
    Ok(())
}
