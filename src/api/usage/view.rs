//! How sums are shown.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::principals;
use domain::usage::TenantSpend;
use serde::Serialize;
use storage::records::usage::Spend;
use storage::records::{Assistant, Shared};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::money::dollars;
use crate::http::{Api, Caller};

/// What was used, and what it cost.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Used {
    /// The numbers.
    #[serde(flatten)]
    pub spend: Spend,
    /// What it cost, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
    /// The part of it that is to be paid, in dollars.
    #[schema(example = "0.001234000")]
    pub billable_cost: String,
}

impl From<Spend> for Used {
    fn from(spend: Spend) -> Self {
        Self { spend, cost: dollars(spend.cost_nanos), billable_cost: dollars(spend.billable_nanos) }
    }
}

/// What was used on one day.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DayUsed {
    /// The day, in the zone of the report.
    pub day: NaiveDate,
    #[serde(flatten)]
    pub used: Used,
}

/// What was used of one model.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelUsed {
    /// Its full id.
    #[schema(example = "builtin/scribe")]
    pub model: String,
    #[serde(flatten)]
    pub used: Used,
}

/// What one user has used.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserUsed {
    /// Who.
    pub user_id: Uuid,
    /// The address; `null` for a user who is not a member any more.
    pub email: Option<String>,
    /// The name shown; `null` for a user who is not a member any more.
    pub display_name: Option<String>,
    #[serde(flatten)]
    pub used: Used,
}

/// What was used with one assistant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AssistantUsed {
    /// Which; `null` for what was used without one.
    pub assistant_id: Option<Uuid>,
    /// Its name; `null` where the caller does not see it.
    pub name: Option<String>,
    #[serde(flatten)]
    pub used: Used,
}

/// What was used for one purpose.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KindUsed {
    #[schema(example = "chat")]
    pub kind: String,
    /// How much of what is not counted in tokens: characters spoken, milliseconds heard, pictures, milliseconds of
    /// video.
    pub quantity: u64,
    #[serde(flatten)]
    pub used: Used,
}

/// What was used in one tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TenantUsed {
    pub tenant_id: Uuid,
    pub name: String,
    #[serde(flatten)]
    pub used: Used,
}

impl From<(NaiveDate, Spend)> for DayUsed {
    fn from((day, spend): (NaiveDate, Spend)) -> Self {
        Self { day, used: spend.into() }
    }
}

impl From<(String, Spend)> for ModelUsed {
    fn from((model, spend): (String, Spend)) -> Self {
        Self { model, used: spend.into() }
    }
}

impl From<(String, Spend)> for KindUsed {
    fn from((kind, spend): (String, Spend)) -> Self {
        Self { kind, quantity: spend.quantity, used: spend.into() }
    }
}

impl From<TenantSpend> for TenantUsed {
    fn from(TenantSpend { tenant_id, name, spend }: TenantSpend) -> Self {
        Self { tenant_id, name, used: spend.into() }
    }
}

impl UserUsed {
    /// With the name of a member. Names of users who have left the tenant are not shown.
    pub fn from_spend(reader: &Reader, tenant: TenantId, user_id: Uuid, spend: Spend) -> Api<Self> {
        let user = principals::member(reader, tenant, user_id)?;
        let (email, display_name) = user.map(|user| (user.email, user.display_name)).unzip();
        Ok(Self { user_id, email, display_name, used: spend.into() })
    }
}

/// Sums by what they are sums of.
pub fn list<K, T: From<(K, Spend)>>(sums: BTreeMap<K, Spend>) -> Vec<T> {
    sums.into_iter().map(T::from).collect()
}

/// Sums by assistants, with the names of those that the caller sees.
pub fn assistants(
    reader: &Reader,
    caller: &Caller,
    sums: BTreeMap<Option<Uuid>, Spend>,
) -> Api<Vec<AssistantUsed>> {
    let shown = |(assistant_id, spend): (Option<Uuid>, Spend)| {
        let row = match &assistant_id {
            Some(id) => reader.get::<Assistant>(caller.tenant, id)?,
            None => None,
        };
        let seen = row.filter(|row| caller.is_admin() || row.level_of(caller).is_some());
        Ok(AssistantUsed { assistant_id, name: seen.map(|row| row.body.name), used: spend.into() })
    };
    sums.into_iter().map(shown).collect()
}
