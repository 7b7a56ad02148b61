//! The imported prices.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The prices of one model, in billionths of a dollar: of a token, or of a unit of what is made or heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListedPrice {
    /// A token of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// A token of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// A token of the request that came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// A token of the request that was put into a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Nano-dollars a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<u64>,
}

/// The table of prices that was imported last. Kept in the system partition under the nil id, once; it is written again
/// when it is emptied, so that its version tells which of two tables is newer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PriceList {
    /// By names of models in small letters.
    pub prices: BTreeMap<String, ListedPrice>,
    /// The user who imported it; `None` if that was done on the command line.
    pub by: Option<Uuid>,
}

impl Record for PriceList {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pt";
    const NAME: &'static str = "price_list";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}
