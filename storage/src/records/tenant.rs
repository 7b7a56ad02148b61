//! Tenants.

use crate::record::Record;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// An organisation that holds users' work. Kept in the system partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Tenant {
    /// Its name.
    pub name: String,
    /// A short name for addresses.
    pub slug: Option<String>,
    /// Seconds for which the stream of a finished run can still be attached to.
    pub stream_ttl_s: Option<u64>,
    /// The model used where nobody chose one.
    pub default_model: Option<String>,
    /// The embedding model of new knowledge bases.
    pub default_embedding_model: Option<String>,
    /// Which kinds of decisions on models there are, so that where there are none, nobody looks for them.
    pub governed: Governed,
    /// Days for which API tokens may be valid at most.
    pub token_max_days: Option<u32>,
}

/// Which tables hold anything for a tenant. Whoever writes the first row of one, or deletes the last, says so
/// here in the same transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Governed {
    /// [`ModelRule`](super::ModelRule).
    pub models: bool,
    /// [`ProviderKey`](super::ProviderKey).
    pub keys: bool,
    /// [`Budget`](super::Budget).
    pub budgets: bool,
}

impl Record for Tenant {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"te";
    const NAME: &'static str = "tenant";
}
