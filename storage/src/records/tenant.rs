//! Tenants.

use crate::blobs::BlobId;
use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::Reader;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Keys of tenants fetched from the engine at once.
const TENANTS_AT_ONCE: usize = 64;

/// An organisation that holds users' work. Kept in the system partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Tenant {
    pub name: String,
    /// A short name for addresses.
    pub slug: Option<String>,
    /// Seconds for which the stream of a finished run can still be attached to.
    pub stream_ttl_s: Option<u64>,
    pub default_model: Option<String>,
    /// The embedding model of new knowledge bases.
    pub default_embedding_model: Option<String>,
    /// Which kinds of model rules exist, so that lookups are skipped where there are none.
    pub governed: Governed,
    /// Days for which API tokens may be valid at most.
    pub token_max_days: Option<u32>,
    /// Whose days and months reports go by, as IANA names it; UTC where there is none.
    pub time_zone: Option<String>,
    /// Who may become a member.
    pub provisioning: Provisioning,
    /// The domains whose addresses may sign up, in lower case; empty for all.
    pub domains: Vec<String>,
    /// Its picture.
    pub logo: Option<Logo>,
}

/// How people become members of a tenant by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provisioning {
    /// Each sign-up becomes a member.
    Open,
    /// Only users whom an administrator invites.
    #[default]
    InviteOnly,
    /// Each sign-up becomes a member once an administrator approves it.
    Approval,
    /// Whom the directory lists in a chosen group.
    Directory,
}

/// The picture of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Logo {
    /// Its bytes.
    #[schema(value_type = String)]
    pub blob: BlobId,
    pub media_type: String,
}

/// Which tables hold rows of a tenant. A transaction that writes the first row of one, or deletes the last,
/// updates this record as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Governed {
    /// [`ModelRule`](super::ModelRule).
    pub models: bool,
    /// [`ProviderKey`](super::ProviderKey).
    pub keys: bool,
    /// [`Budget`](super::Budget).
    pub budgets: bool,
    /// [`FeatureRule`](super::FeatureRule).
    pub features: bool,
    /// [`Group`](super::Group).
    pub groups: bool,
    /// [`Team`](super::Team).
    pub teams: bool,
}

impl Record for Tenant {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"te";
    const NAME: &'static str = "tenant";
    const GROWTH: Growth<Self> = Growth::Server("one row for each tenant, created by the operator");
    const DECIDES: bool = true;
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> =
        Some(|row| row.logo.iter().map(|logo| logo.blob.clone()).collect());

    /// Which kinds of rules there are decides whether anyone looks for them.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| row.governed;
        before.is_some() && before.map(facts) != after.map(facts)
    }
}

impl Reader {
    /// The ids of all tenants. Their rows are not read, so that one that cannot be read hides no other.
    ///
    /// # Errors
    /// The engine failed.
    pub fn tenants(&self) -> Result<Vec<TenantId>> {
        let range = KeyRange::prefix(&keys::head(Tenant::TABLE, TenantId::SYSTEM));
        let keys = self.walk_loosely(range, Direction::Forward, TENANTS_AT_ONCE);
        keys.map(|entry| Ok(TenantId(Uuid::decode(&entry?.0[HEAD..])?))).collect()
    }
}
