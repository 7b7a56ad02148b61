//! Tests that need access to private parts of the crate.

mod activity;
mod awake;
mod backup;
mod blob_power;
mod blobs;
mod cleaning;
mod commit;
mod concurrent;
mod conversion;
mod crash;
mod damage;
mod defaults;
mod disk_space;
mod doctor;
mod doctor_runs;
mod engine;
mod journal;
mod kills;
mod ledger;
mod message_tree;
mod model;
mod notices;
mod open;
mod power_loss;
mod range_reads;
mod rows;
mod s3;
mod stored;
mod usage;

use crate::blobs::{BlobConfig, Blobs};
use crate::engine::{Batch, Direction, Engine, EngineOptions, Expect, KeyRange, LogEngine, Op, counters};
use crate::error::{Error, Result};
use crate::secrets_key::SecretsKey;
use crate::store::Parts;
use crate::{Growth, Index, IndexKey, Record, Store, TenantId};
use bytes::Bytes;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use uuid::Uuid;

/// A record with every kind of index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thing {
    pub name: String,
    pub group: u8,
    pub tags: Vec<String>,
    pub amount: i64,
}

crate::record::stored_as_json!(Thing);

impl Record for Thing {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"xt";
    const NAME: &'static str = "thing";
    const GROWTH: Growth<Self> = Growth::Server("tests");
    const INDEXES: &'static [Index<Self>] = &[
        Index { table: *b"x1", name: "name", unique: true, keys: |row| vec![name_key(&row.name)] },
        Index { table: *b"x2", name: "by_group", unique: false, keys: |row| vec![vec![row.group]] },
        Index {
            table: *b"x3",
            name: "by_tag",
            unique: false,
            keys: |row| row.tags.iter().map(|tag| IndexKey::new().text(tag).done()).collect(),
        },
    ];

    fn notifies(id: &Uuid, _body: &Self) -> Option<Uuid> {
        Some(*id)
    }
}

pub fn name_key(name: &str) -> Vec<u8> {
    IndexKey::new().text(name).done()
}

pub const HERE: TenantId = TenantId(Uuid::from_u128(1));
pub const THERE: TenantId = TenantId(Uuid::from_u128(2));

/// Options with small sizes, so that much data goes to the index, and segments are created and removed often.
pub fn small() -> EngineOptions {
    EngineOptions {
        cache_bytes: 8 << 20,
        memtable_bytes: 16 << 10,
        segment_bytes: 64 << 10,
        garbage_bytes: 256 << 10,
        ..EngineOptions::new(crate::journal::PACKED)
    }
}

pub fn engine_at(dir: &Path) -> LogEngine {
    LogEngine::open(dir, small()).unwrap()
}

pub fn everything(engine: &dyn Engine) -> Vec<(Bytes, Bytes)> {
    engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

pub fn put(key: &str, value: &[u8]) -> Batch {
    let mut batch = Batch::new();
    batch.put(key.to_owned(), value.to_vec());
    batch
}

/// Copies a directory recursively.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

pub fn store_on(engine: Arc<dyn Engine>, dir: &Path) -> Store {
    let blobs = Blobs::open(&BlobConfig::Files, dir).unwrap();
    let secrets = SecretsKey::new(&[7; 32]).unwrap();
    Store::assemble(Parts::new(engine, secrets, blobs, dir.to_owned())).unwrap()
}

/// A store on the embedded engine in its own folder.
pub fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = store_on(Arc::new(engine_at(&dir.path().join("engine"))), dir.path());
    (dir, store)
}

/// The simplest possible engine, with which the others are compared.
#[derive(Default)]
pub struct Memory(pub RwLock<BTreeMap<Bytes, Bytes>>);

impl Engine for Memory {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.0.read().get(key).cloned())
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let map = self.0.read();
        let bounds = (Bound::Included(&range.start[..]), Bound::Excluded(&range.end[..]));
        let found = map.range::<[u8], _>(bounds).map(|(key, value)| (key.clone(), value.clone()));
        Ok(match direction {
            Direction::Forward => found.take(limit).collect(),
            Direction::Reverse => found.rev().take(limit).collect(),
        })
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        let mut map = self.0.write();
        let mut one = |batch: &Batch| {
            let holds = batch.expects.iter().all(|expect| match expect {
                Expect::Value { key, value } => map.get(key) == Some(value),
                Expect::Absent { key } => !map.contains_key(key),
                Expect::AtMost { key, most } => {
                    counters::is_at_most(map.get(key).map(|stored| &stored[..]).unwrap_or_default(), *most)
                }
            });
            if !holds {
                return Err(Error::Conflict);
            }
            for op in &batch.ops {
                match op {
                    Op::Put(key, value) => map.insert(key.clone(), value.clone()),
                    Op::Delete(key) => map.remove(key),
                    Op::Add(key, by) => {
                        let sum = counters::add(map.get(key).map(|stored| &stored[..]), by);
                        map.insert(key.clone(), sum)
                    }
                    Op::Raise(key, value) => {
                        let greater = counters::greater(map.get(key).map(|stored| &stored[..]), value);
                        map.insert(key.clone(), greater)
                    }
                };
            }
            Ok(())
        };
        group.iter().map(&mut one).collect()
    }
}
