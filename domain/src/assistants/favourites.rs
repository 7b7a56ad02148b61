//! A user's favourite assistants, in the user's own order.

use std::collections::HashSet;

use storage::records::{Assistant, Favourites};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::access;
use crate::{Caller, Code, Refusal, Result};

/// Maximum number of favourites of a user.
pub const MAX_FAVOURITES: usize = 200;

fn load(reader: &Reader, caller: &Caller) -> storage::Result<(Option<Row<Favourites>>, Vec<Uuid>)> {
    let row = reader.get::<Favourites>(caller.tenant, &caller.user)?;
    let ids = row.as_ref().map(|row| row.assistants.clone()).unwrap_or_default();
    Ok((row, ids))
}

fn store(tx: &mut Tx, caller: &Caller, row: Option<Row<Favourites>>, assistants: Vec<Uuid>) -> Result<()> {
    match row {
        Some(mut row) if row.assistants != assistants => {
            row.assistants = assistants;
            tx.update(caller.tenant, row)?;
        }
        Some(_) => {}
        None => {
            tx.insert(caller.tenant, caller.user, Favourites { assistants })?;
        }
    }
    Ok(())
}

fn usable(reader: &Reader, caller: &Caller, ids: &[Uuid]) -> storage::Result<Vec<Row<Assistant>>> {
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(access::visible(reader, caller, *id)?);
    }
    Ok(rows)
}

/// Returns the caller's favourites that they may still use and that are not in the bin, in the
/// caller's order.
pub fn list(reader: &Reader, caller: &Caller) -> storage::Result<Vec<Row<Assistant>>> {
    let (_, ids) = load(reader, caller)?;
    usable(reader, caller, &ids)
}

/// Appends an assistant to the caller's favourites, unless it is already one.
///
/// # Errors
/// `not_found`; `limit_reached`.
pub fn add(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Row<Assistant>> {
    let assistant = access::visible(tx, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    let (row, mut ids) = load(tx, caller)?;
    if !ids.contains(&id) {
        if ids.len() >= MAX_FAVOURITES {
            // Favourites that the caller may no longer use are dropped to make room.
            ids = usable(tx, caller, &ids)?.iter().map(|row| row.id).collect();
        }
        if ids.len() >= MAX_FAVOURITES {
            let why = format!("a user can have at most {MAX_FAVOURITES} favourites");
            return Err(Refusal::new(Code::LimitReached).detail(why));
        }
        ids.push(id);
        store(tx, caller, row, ids)?;
    }
    Ok(assistant)
}

/// Removes an assistant from the caller's favourites, if it is one.
///
/// # Errors
/// `not_found` for an assistant that is neither a favourite nor visible to the caller.
pub fn remove(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<()> {
    let (row, mut ids) = load(tx, caller)?;
    match ids.iter().position(|other| *other == id) {
        Some(at) => {
            ids.remove(at);
            store(tx, caller, row, ids)
        }
        None if access::visible(tx, caller, id)?.is_none() => Err(Refusal::not_found("assistant")),
        None => Ok(()),
    }
}

/// Reorders the caller's favourites.
///
/// # Errors
/// `invalid` if `order` is not exactly the set that [`list`] returns.
pub fn reorder(tx: &mut Tx, caller: &Caller, order: &[Uuid]) -> Result<()> {
    let (row, ids) = load(tx, caller)?;
    let listed: HashSet<Uuid> = usable(tx, caller, &ids)?.iter().map(|row| row.id).collect();
    if order.len() != listed.len() || order.iter().any(|id| !listed.contains(id)) {
        let why = "must be exactly the favourites that are listed, each once";
        return Err(Refusal::invalid("body", ["assistant_ids"], why, "not_the_set"));
    }
    // Favourites that are not listed may become visible again; they are placed last.
    let hidden = ids.iter().filter(|id| !listed.contains(*id));
    let ids = order.iter().chain(hidden).copied().collect();
    store(tx, caller, row, ids)
}
