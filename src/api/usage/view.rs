//! Responses with usage totals.

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

/// Usage and its cost.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Used {
    /// The amounts used.
    #[serde(flatten)]
    pub spend: Spend,
    /// The total cost, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
    /// The billable part of the cost, in dollars.
    #[schema(example = "0.001234000")]
    pub billable_cost: String,
}

impl From<Spend> for Used {
    fn from(spend: Spend) -> Self {
        Self { spend, cost: dollars(spend.cost_nanos), billable_cost: dollars(spend.billable_nanos) }
    }
}

/// The usage of one day.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DayUsed {
    /// The day, in the time zone of the report.
    pub day: NaiveDate,
    #[serde(flatten)]
    pub used: Used,
}

/// The usage of one model.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelUsed {
    /// The full id of the model.
    #[schema(example = "builtin/scribe")]
    pub model: String,
    #[serde(flatten)]
    pub used: Used,
}

/// The usage of one user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserUsed {
    /// The user who caused the usage.
    pub user_id: Uuid,
    /// The email address. `null` if the user is no longer a member.
    pub email: Option<String>,
    /// The display name. `null` if the user is no longer a member.
    pub display_name: Option<String>,
    #[serde(flatten)]
    pub used: Used,
}

/// The usage with one assistant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AssistantUsed {
    /// The id of the assistant. `null` for usage without an assistant.
    pub assistant_id: Option<Uuid>,
    /// The name of the assistant. `null` if the caller cannot see it.
    pub name: Option<String>,
    #[serde(flatten)]
    pub used: Used,
}

/// The usage for one purpose.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KindUsed {
    #[schema(example = "chat")]
    pub kind: String,
    /// The amount that is not measured in tokens: spoken characters, milliseconds of recognised audio, images,
    /// or milliseconds of video.
    pub quantity: u64,
    #[serde(flatten)]
    pub used: Used,
}

/// The usage in one tenant.
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
    /// Adds the name of the user. Names of users who have left the tenant are not shown.
    pub fn from_spend(reader: &Reader, tenant: TenantId, user_id: Uuid, spend: Spend) -> Api<Self> {
        let user = principals::member(reader, tenant, user_id)?;
        let (email, display_name) = user.map(|user| (user.email, user.display_name)).unzip();
        Ok(Self { user_id, email, display_name, used: spend.into() })
    }
}

/// Converts totals by key into a list of responses.
pub fn list<K, T: From<(K, Spend)>>(sums: BTreeMap<K, Spend>) -> Vec<T> {
    sums.into_iter().map(T::from).collect()
}

/// Lists totals by assistant, with the names of the assistants that the caller can see.
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
