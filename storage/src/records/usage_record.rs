//! What was used, for bills and reports.

use super::Usage;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

const DAY_MS: i64 = 86_400_000;

/// One use of a model; written by [`book`](crate::accounting::book) alone. Its id is a UUID v7, so that the table is in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct UsageRecord {
    /// When.
    pub ts: Timestamp,
    pub user: Uuid,
    pub assistant_id: Option<Uuid>,
    pub conversation_id: Option<Uuid>,
    pub run_id: Option<Uuid>,
    pub model: String,
    /// Whose model.
    pub provider: String,
    /// For what, for example `chat`.
    pub kind: String,
    /// How many tokens.
    pub usage: Usage,
    /// How much of what is not counted in tokens: characters spoken, milliseconds heard, pictures,
    /// milliseconds of video.
    pub quantity: u64,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: i64,
    /// Whether it is to be paid.
    pub billable: bool,
    /// Whether the tokens were counted by this server because the provider sent no count.
    pub estimated: bool,
    /// The API token used.
    pub token_id: Option<Uuid>,
    /// The label of the calling surface.
    pub context: Option<String>,
}

impl UsageRecord {
    /// The beginning of the `by_user_day` entries of one user on the day (UTC) of a moment.
    pub fn day_key(user: &Uuid, at: Timestamp) -> Vec<u8> {
        let day = at.as_millis().div_euclid(DAY_MS) * DAY_MS;
        IndexKey::new().id(user).moment(Timestamp::from_millis(day)).done()
    }
}

impl Record for UsageRecord {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"ur";
    const NAME: &'static str = "usage_record";
    const GROWTH: Growth<Self> = Growth::Server("one row for each use of a model; budgets limit it");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"u2",
        name: "by_user_day",
        unique: false,
        keys: |row| vec![UsageRecord::day_key(&row.user, row.ts)],
    }];
}
