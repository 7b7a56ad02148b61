//! The counters of stored bytes and rows.

use crate::engine::{Direction, KeyRange, counters};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::record::{Container, Owner, Record, Row};
use crate::records::{Conversation, Kind, Run, Skill, kinds};
use crate::tables::STORED;
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// The object that a counter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Tenant,
    User(Uuid),
    Within(Container, Uuid),
}

impl Scope {
    pub(crate) fn key(self, tenant: TenantId) -> Vec<u8> {
        let (kind, id) = match self {
            Self::Tenant => (b't', Uuid::nil()),
            Self::User(id) => (b'u', id),
            Self::Within(Container::Conversation, id) => (b'c', id),
            Self::Within(Container::Skill, id) => (b's', id),
            Self::Within(Container::Run, id) => (b'r', id),
        };
        let mut key = keys::head(STORED, tenant);
        key.push(kind);
        key.extend_from_slice(id.as_bytes());
        key
    }
}

impl Container {
    /// Whether each container of this kind has a counter. This is the case if it has a limit of its own, or if its
    /// owner can change, in which case the charges move to the new owner.
    pub(crate) fn is_counted(self) -> bool {
        !matches!(self, Self::Run)
    }

    pub(crate) fn of_table(table: [u8; 2]) -> Option<Self> {
        [Self::Conversation, Self::Skill].into_iter().find(|it| it.table() == table)
    }

    pub(crate) fn table(self) -> [u8; 2] {
        match self {
            Self::Conversation => Conversation::TABLE,
            Self::Skill => Skill::TABLE,
            Self::Run => Run::TABLE,
        }
    }

    /// Returns the owner that a stored row of this kind names.
    pub(crate) fn owner_in(self, id: Uuid, stored: &[u8]) -> Result<Uuid> {
        Ok(match self {
            Self::Conversation => Row::<Conversation>::decode(id, stored)?.body.owner,
            Self::Skill => Row::<Skill>::decode(id, stored)?.body.owner,
            Self::Run => Row::<Run>::decode(id, stored)?.body.user,
        })
    }
}

/// The stored rows and bytes of a tenant, a user or a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Bytes of metered rows and of the files they refer to. A file that several rows refer to counts once for each of
    /// them.
    pub bytes: u64,
    /// The number of metered rows.
    pub rows: u64,
}

impl Stored {
    /// Decodes a counter. Counters hold additions and removals separately, because additions cannot be negative.
    pub(crate) fn decode(stored: &[u8]) -> Self {
        let [bytes, bytes_gone, rows, rows_gone] = counters::decode::<4>(stored);
        Self { bytes: bytes.saturating_sub(bytes_gone), rows: rows.saturating_sub(rows_gone) }
    }

    fn read(reader: &Reader, tenant: TenantId, scope: Scope) -> Result<Self> {
        let stored = reader.engine.get(&scope.key(tenant))?;
        Ok(stored.map(|stored| Self::decode(&stored)).unwrap_or_default())
    }

    /// The stored data of a tenant. Within a transaction, this read does not become a precondition of the commit; the
    /// same applies to the other two functions.
    pub fn of_tenant(reader: &Reader, tenant: TenantId) -> Result<Self> {
        Self::read(reader, tenant, Scope::Tenant)
    }

    /// The stored data of a user of a tenant.
    pub fn of_user(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Self> {
        Self::read(reader, tenant, Scope::User(user))
    }

    /// The stored messages of a conversation.
    pub fn of_conversation(reader: &Reader, tenant: TenantId, conversation: Uuid) -> Result<Self> {
        Self::read(reader, tenant, Scope::Within(Container::Conversation, conversation))
    }
}

/// The encoded counter of a sum from which nothing was removed.
pub(crate) fn normalized(sum: Stored) -> Bytes {
    counters::encode(&[sum.bytes, 0, sum.rows, 0])
}

/// The size that a stored row counts as, if it refers to this many bytes of files.
pub(crate) fn size(files: u64, stored: &[u8]) -> u64 {
    files.saturating_add(stored.len() as u64)
}

/// Computes every sum from the rows, by counter key.
///
/// # Errors
/// `Corrupt` if a row cannot be decoded. Returns an error if the engine fails.
pub(crate) fn recount(reader: &Reader) -> Result<BTreeMap<Vec<u8>, Stored>> {
    let mut recount = Recount { reader, sums: BTreeMap::new(), owners: HashMap::new() };
    for kind in kinds() {
        recount.add_kind(&kind)?;
    }
    Ok(recount.sums)
}

/// Maximum number of owners that a recount remembers.
const OWNERS: usize = 100_000;

struct Recount<'r> {
    reader: &'r Reader,
    sums: BTreeMap<Vec<u8>, Stored>,
    owners: HashMap<(TenantId, u8, Uuid), Option<Uuid>>,
}

impl Recount<'_> {
    fn add(&mut self, tenant: TenantId, scope: Scope, bytes: u64) {
        let sum = self.sums.entry(scope.key(tenant)).or_default();
        sum.bytes += bytes;
        sum.rows += 1;
    }

    fn owner(&mut self, tenant: TenantId, container: Container, id: Uuid) -> Result<Option<Uuid>> {
        if self.owners.len() >= OWNERS {
            self.owners.clear();
        }
        let place = (tenant, container.table()[1], id);
        if let Some(known) = self.owners.get(&place) {
            return Ok(*known);
        }
        let stored = self.reader.engine.get(&keys::record_key(container.table(), tenant, &id))?;
        let owner = stored.map(|stored| container.owner_in(id, &stored)).transpose()?;
        self.owners.insert(place, owner);
        Ok(owner)
    }
}

impl Recount<'_> {
    fn add_kind(&mut self, kind: &Kind) -> Result<()> {
        let Some(charge) = kind.charge else { return Ok(()) };
        let reader = self.reader;
        for pair in reader.walk(KeyRange::prefix(&kind.table), Direction::Forward, 16) {
            let (key, value) = pair?;
            let tenant = keys::tenant(&key)?;
            if tenant == TenantId::SYSTEM {
                continue;
            }
            let (owner, files) = charge(&key, &value)?;
            let bytes = size(files, &value);
            self.add(tenant, Scope::Tenant, bytes);
            match owner {
                Owner::Tenant => {}
                Owner::User(user) if user.is_nil() => {}
                Owner::User(user) => self.add(tenant, Scope::User(user), bytes),
                Owner::Within(container, id) => {
                    if container.is_counted() {
                        self.add(tenant, Scope::Within(container, id), bytes);
                    }
                    if let Some(user) = self.owner(tenant, container, id)?.filter(|user| !user.is_nil()) {
                        self.add(tenant, Scope::User(user), bytes);
                    }
                }
            }
        }
        Ok(())
    }
}
