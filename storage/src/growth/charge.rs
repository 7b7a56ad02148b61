//! The amounts that a transaction adds to the counters, and the limits that it is checked against.

use super::sums::{Scope, Stored, size};
use crate::engine::Batch;
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, RecordKey};
use crate::limits::{LimitReached, StoredLimits};
use crate::reader::Reader;
use crate::record::{Container, Growth, Owner, Record, Row};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Bytes by which a transaction may enlarge existing rows although a limit is reached, so that the objects of a full
/// account can still be renamed or archived, and the end of a run recorded.
const SLACK: i64 = 4 << 10;
/// Bytes above a limit up to which such transactions are accepted.
const TOLERATED_EXCESS: u64 = 1 << 20;
/// Bytes by which existing rows may always grow, whatever the limit: for a flag or a date.
const ALWAYS_ALLOWED: i64 = 256;

#[derive(Clone, Copy, Default)]
struct Delta {
    bytes: i64,
    rows: i64,
}

impl Delta {
    fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.rows += other.rows;
    }

    fn negated(self) -> Self {
        Self { bytes: -self.bytes, rows: -self.rows }
    }
}

type Deltas = BTreeMap<(TenantId, Scope), Delta>;

/// A container whose owner a transaction changes.
struct Moved {
    tenant: TenantId,
    container: Container,
    id: Uuid,
    from: Uuid,
    to: Uuid,
}

/// The charges of a transaction.
#[derive(Default)]
pub(crate) struct Charges {
    charged: BTreeMap<(TenantId, Owner), Delta>,
    /// Changes of ownership are never refused, so that an administrator can reassign the objects of a member who
    /// leaves.
    handed: BTreeMap<(TenantId, Owner), Delta>,
    moved: Vec<Moved>,
    removed: Vec<(TenantId, Scope)>,
}

impl Charges {
    /// Records that a row is written or deleted, given its stored form before and after.
    pub fn note<T: Record>(
        &mut self,
        tenant: TenantId,
        old: Option<(&Row<T>, &[u8])>,
        new: Option<(&Row<T>, &[u8])>,
    ) {
        let Growth::Metered { owner, files, .. } = T::GROWTH else { return };
        if tenant == TenantId::SYSTEM {
            return;
        }
        let charge = |(row, stored): (&Row<T>, &[u8])| {
            let bytes = i64::try_from(size(files(&row.body), stored)).unwrap_or(i64::MAX);
            (owner(&row.id, &row.body), Delta { bytes, rows: 1 })
        };
        let (before, after) = (old.map(charge), new.map(charge));
        let is_handed = matches!((&before, &after), (Some((one, _)), Some((other, _))) if one != other);
        let book = if is_handed { &mut self.handed } else { &mut self.charged };
        if let Some((owner, delta)) = before {
            book.entry((tenant, owner)).or_default().add(delta.negated());
        }
        if let Some((owner, delta)) = after {
            book.entry((tenant, owner)).or_default().add(delta);
        }
        let Some(container) = Container::of_table(T::TABLE) else { return };
        let mut id = Vec::with_capacity(16);
        if let Some((row, _)) = old.or(new) {
            row.id.encode(&mut id);
        }
        let Ok(id) = Uuid::from_slice(&id) else { return };
        match (before, after) {
            (Some((Owner::User(from), _)), Some((Owner::User(to), _))) if from != to => {
                self.moved.push(Moved { tenant, container, id, from, to });
            }
            (Some(_), None) => self.removed.push((tenant, Scope::Within(container, id))),
            _ => {}
        }
    }

    /// Adds the counters to the batch of the transaction. With `limits`, refuses a transaction that exceeds one, and
    /// adds preconditions that refuse the commit if concurrent commits have used up the remaining space.
    ///
    /// # Errors
    /// `LimitReached` if a limit is exceeded. Returns an error if a read fails.
    pub fn settle(self, reader: &Reader, limits: Option<StoredLimits>, batch: &mut Batch) -> Result<()> {
        let deltas = scopes(reader, self.charged)?;
        let mut free = scopes(reader, self.handed)?;
        for Moved { tenant, container, id, from, to } in self.moved {
            // A tracked read: if a row is added to the container concurrently, this transaction runs again.
            let held = reader.raw_get(&Scope::Within(container, id).key(tenant))?;
            let held = held.map(|stored| Stored::decode(&stored)).unwrap_or_default();
            let delta = Delta { bytes: held.bytes as i64, rows: held.rows as i64 };
            for (user, delta) in [(from, delta.negated()), (to, delta)] {
                if !user.is_nil() {
                    free.entry((tenant, Scope::User(user))).or_default().add(delta);
                }
            }
        }
        if let Some(limits) = limits {
            for ((tenant, scope), delta) in &deltas {
                require_room(reader, *tenant, *scope, *delta, &limits, batch)?;
            }
        }
        let mut all = deltas;
        for (place, delta) in free {
            all.entry(place).or_default().add(delta);
        }
        for place in &self.removed {
            all.remove(place);
        }
        for ((tenant, scope), Delta { bytes, rows }) in all {
            if (bytes, rows) != (0, 0) {
                let part = |number: i64| [number.max(0) as u64, number.min(0).unsigned_abs()];
                let ([bytes, bytes_gone], [rows, rows_gone]) = (part(bytes), part(rows));
                batch.add(scope.key(tenant), &[bytes, bytes_gone, rows, rows_gone]);
            }
        }
        for (tenant, scope) in self.removed {
            batch.delete(scope.key(tenant));
        }
        Ok(())
    }
}

/// The counters to which charges are added.
fn scopes(reader: &Reader, charges: BTreeMap<(TenantId, Owner), Delta>) -> Result<Deltas> {
    let mut all = Deltas::new();
    for ((tenant, owner), delta) in charges {
        let mut add = |scope| all.entry((tenant, scope)).or_default().add(delta);
        add(Scope::Tenant);
        let user = match owner {
            Owner::Tenant => None,
            Owner::User(user) => Some(user),
            Owner::Within(container, id) => {
                if container.is_counted() {
                    add(Scope::Within(container, id));
                }
                let stored = reader.peek(&keys::record_key(container.table(), tenant, &id))?;
                stored.map(|stored| container.owner_in(id, &stored)).transpose()?
            }
        };
        if let Some(user) = user.filter(|user| !user.is_nil()) {
            add(Scope::User(user));
        }
    }
    Ok(all)
}

/// Refuses a charge that exceeds the limits of a scope, and makes the remaining space a precondition of the commit.
fn require_room(
    reader: &Reader,
    tenant: TenantId,
    scope: Scope,
    delta: Delta,
    limits: &StoredLimits,
    batch: &mut Batch,
) -> Result<()> {
    if delta.rows <= 0 && delta.bytes <= ALWAYS_ALLOWED {
        return Ok(());
    }
    let tolerated_excess = if delta.rows <= 0 && delta.bytes <= SLACK { TOLERATED_EXCESS } else { 0 };
    let conversation = ("limits.conversation_mib", limits.conversation_bytes);
    let (of, (setting, most_bytes), most_rows) = match scope {
        Scope::Tenant => ("tenant", ("limits.stored_mib_per_tenant", limits.tenant_bytes), 0),
        Scope::User(_) => ("user", ("limits.stored_mib_per_user", limits.user_bytes), 0),
        Scope::Within(Container::Conversation, _) => {
            ("conversation", conversation, limits.conversation_messages)
        }
        Scope::Within(..) => return Ok(()),
    };
    if most_bytes == 0 && most_rows == 0 {
        return Ok(());
    }
    let key = scope.key(tenant);
    let held = reader.engine.get(&key)?.map(|stored| Stored::decode(&stored)).unwrap_or_default();
    let checks = [
        ("messages", most_rows, held.rows, delta.rows, "limits.conversation_messages"),
        ("bytes", most_bytes, held.bytes, delta.bytes, setting),
    ];
    let mut room = [u64::MAX; 2];
    for (at, (unit, limit, current, added, setting)) in checks.into_iter().enumerate() {
        let added = u64::try_from(added).unwrap_or_default();
        if limit == 0 || added == 0 {
            continue;
        }
        let accepted = limit.saturating_add(tolerated_excess);
        if current.saturating_add(added) > accepted {
            telemetry::metrics::table::STORED_LIMIT_REFUSALS.add([setting], 1);
            return Err(Error::LimitReached(Box::new(LimitReached {
                of,
                unit,
                limit,
                current,
                added,
                setting,
            })));
        }
        room[1 - at] = accepted - added;
    }
    if room != [u64::MAX; 2] {
        batch.expect_at_most(key, room);
    }
    Ok(())
}
