//! Sums of the entries of the ledger, computed in one pass for all dimensions of reports.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::NaiveDate;
use storage::calendar::Zone;
use storage::records::ledger::{self, Entry};
use storage::records::usage::Spend;
use storage::{Reader, TenantId, Timestamp};
use uuid::Uuid;

use super::Period;
use crate::Result;

/// Which entries of the ledger count.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only billable entries.
    pub only_billable: bool,
    /// Only entries of one model, by its full id.
    pub model: Option<String>,
}

impl Filter {
    /// Returns a filter for billable entries only, or for all entries.
    pub fn billable(only: Option<bool>) -> Self {
        Self { only_billable: only.unwrap_or_default(), model: None }
    }

    /// Returns whether an entry counts.
    pub fn takes(&self, entry: &Entry) -> bool {
        (entry.billable || !self.only_billable)
            && self.model.as_ref().is_none_or(|model| *model == entry.model)
    }
}

/// Sums of entries. Every dimension is a sum of the same entries, so each adds up to the total.
#[derive(Debug)]
pub struct Tally {
    pub total: Spend,
    /// Sums by day in the time zone.
    pub days: BTreeMap<NaiveDate, Spend>,
    /// Sums by full id of the model.
    pub models: BTreeMap<String, Spend>,
    pub users: BTreeMap<Uuid, Spend>,
    pub assistants: BTreeMap<Option<Uuid>, Spend>,
    pub kinds: BTreeMap<String, Spend>,
    zone: Zone,
    /// The day that was last looked up, with its span. Entries are in chronological order.
    today: Option<(NaiveDate, Range<Timestamp>)>,
}

impl Tally {
    /// Creates an empty tally.
    pub fn new(zone: Zone) -> Self {
        Self {
            total: Spend::default(),
            days: BTreeMap::new(),
            models: BTreeMap::new(),
            users: BTreeMap::new(),
            assistants: BTreeMap::new(),
            kinds: BTreeMap::new(),
            zone,
            today: None,
        }
    }

    /// Sums the usage of one user.
    pub fn of_user(
        reader: &Reader,
        tenant: TenantId,
        user: Uuid,
        period: &Period,
        filter: &Filter,
    ) -> Result<Self> {
        let mut tally = Self::new(period.zone);
        tally.add_user(reader, tenant, user, period, filter)?;
        Ok(tally)
    }

    /// Adds the usage of one user.
    pub fn add_user(
        &mut self,
        reader: &Reader,
        tenant: TenantId,
        user: Uuid,
        period: &Period,
        filter: &Filter,
    ) -> Result<()> {
        for entry in ledger::of_user(reader, tenant, user, &period.span) {
            self.add(&entry?, filter);
        }
        Ok(())
    }

    /// Sums the usage of a whole tenant.
    pub fn of_all(reader: &Reader, tenant: TenantId, period: &Period, filter: &Filter) -> Result<Self> {
        let mut tally = Self::new(period.zone);
        ledger::of_all(reader, tenant, &period.span, |entry| {
            tally.add(&entry, filter);
            Ok::<_, storage::Error>(())
        })?;
        Ok(tally)
    }

    fn add(&mut self, entry: &Entry, filter: &Filter) {
        if !filter.takes(entry) {
            return;
        }
        let day = self.day(entry.quarter);
        let plus = |sum: &mut Spend| *sum = sum.plus(entry.spend);
        plus(&mut self.total);
        plus(self.days.entry(day).or_default());
        plus(self.users.entry(entry.user).or_default());
        plus(self.assistants.entry(entry.assistant_id).or_default());
        plus(self.models.entry(entry.model.clone()).or_default());
        plus(self.kinds.entry(entry.kind.clone()).or_default());
    }

    fn day(&mut self, at: Timestamp) -> NaiveDate {
        match &self.today {
            Some((day, span)) if span.contains(&at) => *day,
            _ => {
                let day = self.zone.day(at);
                self.today = Some((day, self.zone.span(day)));
                day
            }
        }
    }
}
