//! The imported price list.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Prices of one model, in billionths of a dollar per token, or per unit of what is generated or transcribed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListedPrice {
    /// Price of an input token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Price of an output token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Price of an input token that the provider read from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Price of an input token that the provider wrote to its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Price of a unit that is not a token, in billionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<u64>,
}

/// The price list that was imported last. There is one, stored in the system partition under the nil id. Emptying it
/// writes it as well, so that its version shows which of two lists is newer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PriceList {
    /// Prices by model name in lower case.
    pub prices: BTreeMap<String, ListedPrice>,
    /// The user who imported the list; `None` if it was imported on the command line.
    pub by: Option<Uuid>,
}

impl Record for PriceList {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pt";
    const NAME: &'static str = "price_list";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}
