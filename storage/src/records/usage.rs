//! Records the usage of models and maintains the sums of it.
//!
//! Each use of a model is a [`UsageRecord`]. It counts in five sums: those of the user and of the whole tenant, for the day and for the
//! month (UTC), which budgets read; and an entry of the [ledger](super::ledger), which reports are built from. It also counts in the
//! [activity](super::activity) of the tenant. One commit writes all of it, so records and sums never differ. Additions do not conflict:
//! many runs of a busy tenant can end at the same time without waiting for each other. (If each commit read a row and wrote it back, all
//! but one of a group of concurrent commits would have to retry.)

use super::{Usage, UsageRecord, ledger};
use crate::engine::{Batch, Direction, KeyRange, counters};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::tables::SPEND;
use crate::time::Timestamp;
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use telemetry::metrics::table;
use utoipa::ToSchema;
use uuid::Uuid;

/// What a record adds to the metrics. A transaction can be retried, so the record is counted only once it is durable.
pub(crate) struct UsageMetrics {
    provider: String,
    model: String,
    usage: Usage,
    cost_nanos: u64,
}

impl UsageMetrics {
    pub(crate) fn from_record(record: &UsageRecord) -> Self {
        Self {
            provider: record.provider.clone(),
            model: record.model.clone(),
            usage: record.usage,
            cost_nanos: u64::try_from(record.cost_nanos).unwrap_or_default(),
        }
    }

    pub fn count(&self) {
        let (provider, model) = (&*self.provider, &*self.model);
        let tokens = [
            ("input", self.usage.input_tokens),
            ("output", self.usage.output_tokens),
            ("cached", self.usage.cached_tokens),
            ("reasoning", self.usage.reasoning_tokens),
        ];
        for (kind, number) in tokens.into_iter().filter(|(_, number)| *number > 0) {
            table::MODEL_TOKENS.add([provider, model, kind], number);
        }
        if self.cost_nanos > 0 {
            table::MODEL_COST.add([provider, model], self.cost_nanos);
        }
    }
}

/// Returns the keys of the sums in which a record counts.
pub(crate) fn keys_of(tenant: TenantId, record: &UsageRecord) -> impl Iterator<Item = Vec<u8>> + use<> {
    let (user, at) = (record.user, record.ts);
    let spans = [Span::Day, Span::Month].into_iter();
    let sums = spans.flat_map(move |span| [Some(user), None].map(|who| key(tenant, span, at, who)));
    sums.chain([ledger::key(tenant, record)])
}

/// Keys are ordered by span, then by time, so that all users of one day are adjacent.
fn key(tenant: TenantId, span: Span, at: Timestamp, who: Option<Uuid>) -> Vec<u8> {
    let mut key = span_key(tenant, span, at);
    key.extend_from_slice(who.unwrap_or_default().as_bytes());
    key
}

fn span_key(tenant: TenantId, span: Span, at: Timestamp) -> Vec<u8> {
    let mut key = keys::head(SPEND, tenant);
    key.push(span as u8);
    key.extend_from_slice(&span.begin(at).sortable());
    key
}

/// Recomputes the sums of the records of all tenants. The result maps the key of each sum to its value.
pub(crate) fn recount<'a>(
    records: impl Iterator<Item = Result<(TenantId, UsageRecord)>> + 'a,
) -> Result<BTreeMap<Vec<u8>, Spend>> {
    let mut sums = BTreeMap::<Vec<u8>, Spend>::new();
    for record in records {
        let (tenant, record) = record?;
        for key in keys_of(tenant, &record) {
            let sum = sums.entry(key).or_default();
            *sum = sum.plus(Spend::from_record(&record));
        }
    }
    Ok(sums)
}

/// Overwrites the stored sum.
pub(crate) fn put(batch: &mut Batch, key: Vec<u8>, sum: &Spend) {
    batch.put(key, counters::encode(&sum.numbers()));
}

/// A calendar period, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// A day, from midnight to midnight.
    Day = b'd' as isize,
    /// A calendar month, from its first day to the first day of the next.
    Month = b'm' as isize,
}

impl Span {
    /// Returns the start of the span that contains `at`.
    pub fn begin(self, at: Timestamp) -> Timestamp {
        let date = match self {
            Self::Day => Some(date_of(at)),
            Self::Month => date_of(at).with_day(1),
        };
        midnight(date)
    }

    /// Returns the start of the span after the one that contains `at`.
    pub fn end(self, at: Timestamp) -> Timestamp {
        let begin = date_of(self.begin(at));
        midnight(match self {
            Self::Day => begin.checked_add_days(Days::new(1)),
            Self::Month => begin.checked_add_months(Months::new(1)),
        })
    }
}

fn date_of(at: Timestamp) -> NaiveDate {
    DateTime::<Utc>::from_timestamp_millis(at.as_millis()).unwrap_or_default().date_naive()
}

fn midnight(date: Option<NaiveDate>) -> Timestamp {
    let at = date.unwrap_or_default().and_time(NaiveTime::MIN).and_utc();
    Timestamp::from_millis(at.timestamp_millis())
}

/// Usage of models within a period. Sums saturate at the maximum value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Spend {
    /// Number of uses of models.
    pub requests: u64,
    /// Tokens of the prompts.
    pub input_tokens: u64,
    /// Tokens of the responses.
    pub output_tokens: u64,
    /// Input tokens that the provider read from its cache.
    pub cached_tokens: u64,
    /// Output tokens that were spent on reasoning.
    pub reasoning_tokens: u64,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// The billable part of the cost, in billionths of a dollar.
    pub billable_nanos: u64,
    /// The amount of usage that is not measured in tokens. Only comparable between uses of the same kind.
    #[serde(skip)]
    pub quantity: u64,
}

impl Spend {
    /// Returns what one record contributes to the sums.
    pub fn from_record(record: &UsageRecord) -> Self {
        let cost_nanos = u64::try_from(record.cost_nanos).unwrap_or_default();
        Self {
            requests: 1,
            input_tokens: record.usage.input_tokens,
            output_tokens: record.usage.output_tokens,
            cached_tokens: record.usage.cached_tokens,
            reasoning_tokens: record.usage.reasoning_tokens,
            cost_nanos,
            billable_nanos: if record.billable { cost_nanos } else { 0 },
            quantity: record.quantity,
        }
    }

    /// Returns the sum of two amounts.
    pub fn plus(self, other: Self) -> Self {
        let (one, two) = (self.numbers(), other.numbers());
        Self::from(std::array::from_fn(|at| one[at].saturating_add(two[at])))
    }

    /// Total number of input and output tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns the usage of a user, or of the whole tenant if `who` is `None`, in the span that contains `at`. Within a transaction, this
    /// read is not a precondition of its commit.
    pub fn read(
        reader: &Reader,
        tenant: TenantId,
        who: Option<Uuid>,
        span: Span,
        at: Timestamp,
    ) -> Result<Self> {
        let stored = reader.engine.get(&key(tenant, span, at, who))?;
        Ok(stored.map(|stored| Self::from(counters::decode(&stored))).unwrap_or_default())
    }

    /// Returns the total usage of a user since their first use, as the sum of the months.
    pub fn ever(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Self> {
        let (mut sum, mut at) = (
            Self::default(),
            match ledger::first(reader, tenant, user, false)? {
                Some(first) => Span::Month.begin(first.quarter),
                None => return Ok(Self::default()),
            },
        );
        let last = ledger::last(reader, tenant, user)?.map_or(at, |last| last.quarter);
        while at <= last {
            sum = sum.plus(Self::read(reader, tenant, Some(user), Span::Month, at)?);
            at = Span::Month.end(at);
        }
        Ok(sum)
    }

    /// Returns the usage of each user in the span that contains `at`. Users without any usage are omitted.
    pub fn of_users(
        reader: &Reader,
        tenant: TenantId,
        span: Span,
        at: Timestamp,
    ) -> Result<Vec<(Uuid, Self)>> {
        let mut all = Vec::new();
        let range = KeyRange::prefix(&span_key(tenant, span, at));
        for entry in reader.walk(range, Direction::Forward, 64) {
            let (key, stored) = entry?;
            let user = Uuid::from_slice(&key[key.len() - 16..]).unwrap_or_default();
            if !user.is_nil() {
                all.push((user, Self::from(counters::decode(&stored))));
            }
        }
        Ok(all)
    }

    /// Returns the counters in the order in which they are stored. New counters may only be appended, and none may be removed.
    pub(crate) fn numbers(&self) -> [u64; 8] {
        [
            self.requests,
            self.input_tokens,
            self.output_tokens,
            self.cached_tokens,
            self.reasoning_tokens,
            self.cost_nanos,
            self.billable_nanos,
            self.quantity,
        ]
    }
}

impl From<[u64; 8]> for Spend {
    fn from(numbers: [u64; 8]) -> Self {
        let [
            requests,
            input_tokens,
            output_tokens,
            cached_tokens,
            reasoning_tokens,
            cost_nanos,
            billable_nanos,
            quantity,
        ] = numbers;
        Self {
            requests,
            input_tokens,
            output_tokens,
            cached_tokens,
            reasoning_tokens,
            cost_nanos,
            billable_nanos,
            quantity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Span;
    use crate::Timestamp;

    #[test]
    fn span_begins_and_ends_on_calendar_boundaries() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let leap = at("2028-02-29T23:59:59.999Z");
        assert_eq!(Span::Day.begin(leap), at("2028-02-29T00:00:00Z"));
        assert_eq!(Span::Day.end(leap), at("2028-03-01T00:00:00Z"));
        assert_eq!(Span::Month.begin(leap), at("2028-02-01T00:00:00Z"));
        assert_eq!(Span::Month.end(leap), at("2028-03-01T00:00:00Z"));
        let last = at("2026-12-31T00:00:00Z");
        assert_eq!(Span::Day.begin(last), last);
        assert_eq!(Span::Month.end(last), at("2027-01-01T00:00:00Z"));
        // The end of a month is the beginning of the next one.
        assert_eq!(Span::Month.begin(Span::Month.end(last)), Span::Month.end(last));
    }
}
