//! Tenants and their settings.

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

/// Number of tenant keys fetched from the engine at once.
const TENANTS_AT_ONCE: usize = 64;

/// An organisation with its users and their work. Stored in the system partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Tenant {
    pub name: String,
    /// A short name for URLs.
    pub slug: Option<String>,
    /// Seconds for which clients can attach to the stream of a finished run.
    pub stream_ttl_s: Option<u64>,
    pub default_model: Option<String>,
    /// The embedding model of new knowledge bases.
    pub default_embedding_model: Option<String>,
    /// Which kinds of rules the tenant has, so that lookups are skipped if there are none.
    pub governed: Governed,
    /// Maximum lifetime of API tokens, in days.
    pub token_max_days: Option<u32>,
    /// The IANA time zone that determines days and months in reports; UTC if not set.
    pub time_zone: Option<String>,
    /// Who may become a member.
    pub provisioning: Provisioning,
    /// The email domains whose addresses may sign up, in lower case; empty for all.
    pub domains: Vec<String>,
    /// Picture of the tenant.
    pub logo: Option<Logo>,
}

/// How users can become members of a tenant.
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
    /// Users whom the directory lists in a chosen group.
    Directory,
}

/// The picture of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Logo {
    /// The blob with the image.
    #[schema(value_type = String)]
    pub blob: BlobId,
    pub media_type: String,
}

/// Which tables contain rows of a tenant. A transaction that writes the first row of a table, or deletes
/// the last one, also updates this record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Governed {
    /// Whether there are rows of [`ModelRule`](super::ModelRule).
    pub models: bool,
    /// Whether there are rows of [`ProviderKey`](super::ProviderKey).
    pub keys: bool,
    /// Whether there are rows of [`Budget`](super::Budget).
    pub budgets: bool,
    /// Whether there are rows of [`FeatureRule`](super::FeatureRule).
    pub features: bool,
    /// Whether there are rows of [`Group`](super::Group).
    pub groups: bool,
    /// Whether there are rows of [`Team`](super::Team).
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

    /// `governed` determines which rules are looked up at all.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| row.governed;
        before.is_some() && before.map(facts) != after.map(facts)
    }
}

impl Reader {
    /// Returns the ids of all tenants. The rows are not read, so a damaged row does not hide other tenants.
    ///
    /// # Errors
    /// Returns an error if the engine fails.
    pub fn tenants(&self) -> Result<Vec<TenantId>> {
        let range = KeyRange::prefix(&keys::head(Tenant::TABLE, TenantId::SYSTEM));
        let keys = self.walk_untracked(range, Direction::Forward, TENANTS_AT_ONCE);
        keys.map(|entry| Ok(TenantId(Uuid::decode(&entry?.0[HEAD..])?))).collect()
    }
}
