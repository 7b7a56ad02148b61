//! Usage of models, for billing and reports.

use super::Usage;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

const DAY_MS: i64 = 86_400_000;

/// One use of a model. Only [`book`](crate::accounting::book) writes these records. The id is a UUID v7, so that the table is in
/// chronological order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct UsageRecord {
    /// Time of the use.
    pub ts: Timestamp,
    pub user: Uuid,
    pub assistant_id: Option<Uuid>,
    pub conversation_id: Option<Uuid>,
    pub run_id: Option<Uuid>,
    pub model: String,
    /// The provider of the model.
    pub provider: String,
    /// Purpose of the use, for example `chat`.
    pub kind: String,
    /// Number of tokens.
    pub usage: Usage,
    /// The amount of usage that is not measured in tokens: characters spoken, milliseconds transcribed, images, milliseconds of video.
    pub quantity: u64,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: i64,
    /// Whether the use is billable.
    pub billable: bool,
    /// Whether this server estimated the tokens because the provider did not send a count.
    pub estimated: bool,
    /// The API token used.
    pub token_id: Option<Uuid>,
    /// The label set by the client.
    pub context: Option<String>,
}

impl UsageRecord {
    /// Returns the prefix of the `by_user_day` entries of a user on the day (UTC) that contains `at`.
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
