//! Durable storage: records, journals, blobs and secrets, on top of an ordered key-value engine.
//!
//! ```text
//! Store ── run(|tx| ..) ──> Tx ──> Batch ─┐
//!       ── commit_soon(source) ───────────┴─> committer ──> Engine (log, indexed by sled)
//!       ── read(|reader| ..) ──> Reader ──────────────────────────> Engine
//! ```
//!
//! One thread commits at a time. Batches that arrive during a commit join the next one, so that a thousand runs can
//! share one write. A commit is durable before any reader can see it, so readers never see data that a crash can undo.

#![forbid(unsafe_code)]

pub mod accounting;
pub mod authority;
pub mod backup;
mod blobs;
mod blocking;
mod bounded;
pub mod calendar;
mod cascade;
mod change_notifications;
mod closure;
mod committer;
mod connections;
mod data_dir;
mod decoded;
mod disk_space;
pub mod doctor;
pub mod engine;
mod enrolment;
mod error;
mod files;
#[cfg(fuzzing)]
pub mod fuzzing;
mod governed;
pub mod growth;
mod ids;
mod installations;
mod isolated;
pub mod journal;
mod keys;
mod limits;
mod message_tree;
mod migrations;
pub mod notices;
mod open;
mod placement;
mod progress;
mod reader;
mod record;
pub mod records;
mod scan;
mod secrets;
mod secrets_key;
mod server_keys;
mod store;
mod tables;
mod time;
mod tx;
mod unindexed;
mod upgrade;
mod waiting;

#[cfg(test)]
mod tests;

pub use blobs::{Blob, BlobConfig, BlobEntry, BlobId, Blobs};
pub use change_notifications::{ChangeListener, ChangeNotifications, RightsListener};
pub use closure::Running;
pub use committer::{CommitCounts, CommitSource};
pub use disk_space::{RoomOptions, RoomState};
pub use engine::{Batch, EngineStatus, Expect, Op, PowerLoss};
pub use error::{Error, OpenError, Result};
pub use growth::Stored;
pub use ids::{TenantId, new_id};
pub use isolated::isolated;
pub use journal::JournalEvent;
pub use keys::{IndexKey, RecordKey};
pub use limits::{CountLimits, CountedResource, LimitReached, StoredLimits};
pub use message_tree::MessageWrite;
pub use open::{Durability, Salvage, StoreOptions};
pub use progress::Progress;
pub use reader::Reader;
pub use record::{Container, Growth, Index, Owner, Record, Row, RowMeta, json_bytes};
pub use scan::{Cursor, Page, Scan};
pub use secrets_key::{VARIABLE as SECRETS_KEY_VARIABLE, check_secrets_key, write_key_file};
pub use server_keys::ServerKey;
pub use store::Store;
pub use time::Timestamp;
pub use tx::Tx;
pub use unindexed::UnindexedMessage;
