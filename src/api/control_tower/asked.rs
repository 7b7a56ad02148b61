//! What reports are asked for.

use serde::Deserialize;
use storage::calendar::Zone;
use storage::{Reader, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};

use chrono::Days;

use crate::api::usage::{MomentOrDay, Period, check_moments, zone_of};
use crate::http::{Api, DEFAULT_PAGE, Faults, Refusal, Validate};

/// Days that a report is about where nobody says, today among them.
const USUAL_DAYS: u64 = 30;

/// A span of time.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Between {
    /// From when on, to the next quarter of an hour, or from the beginning of that day (`2026-11-01`) in the tenant's
    /// zone; else from the beginning of the day 29 days before the last one.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// Until when, to the next quarter of an hour, or until the end of that day in the tenant's zone; else until now. At
    /// most 400 days after `from_date`.
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
}

impl Validate for Between {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
    }
}

impl Between {
    /// The span in the tenant's zone.
    pub fn period(&self, reader: &Reader, tenant: TenantId) -> Api<Period> {
        let zone = zone_of(reader, tenant)?;
        let to = self.to_date.map_or_else(Timestamp::now, |asked| asked.end(zone));
        let from = self.from_date.map_or_else(|| usual_begin(zone, to), |asked| asked.begin(zone));
        Period::between(zone, Some(from), Some(to))
    }
}

fn usual_begin(zone: Zone, to: Timestamp) -> Timestamp {
    let day = zone.day(Timestamp::from_millis(to.as_millis() - 1));
    zone.begin(day.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(day))
}

/// By what lists are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// The name; of models, the full id.
    Name,
    /// How many users.
    Users,
    /// How many conversations began.
    Conversations,
    /// How many messages there were.
    Messages,
    /// How many answers failed.
    Errors,
    /// How often models were used.
    Requests,
    /// How many tokens that took.
    Tokens,
    /// What it cost.
    Cost,
    /// When it was last used.
    LastUsedAt,
}

/// Which way lists go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// The least first.
    Asc,
    /// The greatest first.
    Desc,
}

/// Which lines, and in what order.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Sifted {
    /// By what they are ordered: `name`, `users` (not in the list of users), `conversations`, `messages`, `errors`,
    /// `requests`, `tokens`, `cost`, `last_used_at`; else by `messages`. Those that are alike are ordered by id.
    #[param(inline)]
    pub sort_by: Option<SortBy>,
    /// `asc` or `desc`; else names ascend, and numbers descend.
    #[param(inline)]
    pub sort_order: Option<SortOrder>,
    /// Words that stand in the name (of users, in the name or the address), in whatever order and case.
    #[param(max_length = 200)]
    pub search: Option<String>,
}

impl Validate for Sifted {}

impl Sifted {
    /// By what, and whether the greatest comes first.
    pub fn order(&self) -> (SortBy, bool) {
        let by = self.sort_by.unwrap_or(SortBy::Messages);
        let usual = if by == SortBy::Name { SortOrder::Asc } else { SortOrder::Desc };
        (by, self.sort_order.unwrap_or(usual) == SortOrder::Desc)
    }

    /// Whether these texts have all the words.
    pub fn finds(&self, texts: &[&str]) -> bool {
        let text = texts.join("\n").to_lowercase();
        self.words().all(|word| text.contains(&word.to_lowercase()))
    }

    /// Whether anything is searched for.
    pub fn searches(&self) -> bool {
        self.words().next().is_some()
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.search.as_deref().unwrap_or_default().split_whitespace()
    }

    /// Refuses what the list of users cannot be ordered by.
    pub fn of_users(self) -> Api<Self> {
        match self.sort_by {
            Some(SortBy::Users) => {
                Err(Refusal::invalid("query", ["sort_by"], "is no column of this list", "unknown_variant"))
            }
            _ => Ok(self),
        }
    }
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Part {
    /// How many lines at most.
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// How many lines are passed over.
    #[param(required = false, minimum = 0, default = 0)]
    pub offset: u64,
}

impl Default for Part {
    fn default() -> Self {
        Self { limit: DEFAULT_PAGE, offset: 0 }
    }
}

impl Validate for Part {}

impl Part {
    /// That part.
    pub fn of<T>(self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        items.into_iter().skip(offset).take(self.limit as usize).collect()
    }
}
