//! Reports on a tenant's usage, by group.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::records::usage::Spend;
use storage::records::{Assistant, Group, GroupMember};
use storage::{Reader, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Filter, MomentOrDay, Period, Tally, zone_of};
use crate::{Result, principals};

/// The dimension by which usage is grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupUsageBy {
    /// One part for each user.
    User,
    Model,
    /// By group of the users. A user in several groups counts in each of them, so the sum over groups exceeds
    /// the total.
    Group,
    Assistant,
    Day,
    Kind,
}

/// Which report to make.
#[derive(Clone, Debug)]
pub struct ReportQuery {
    pub group_by: GroupUsageBy,
    /// Start of the period. Without it, the start of the month.
    pub from: Option<MomentOrDay>,
    /// End of the period. Without it, the end of the month.
    pub to: Option<MomentOrDay>,
    /// Which entries of the ledger count.
    pub filter: Filter,
}

/// The usage of a tenant.
#[derive(Clone, Debug)]
pub struct Report {
    pub period: Period,
    pub total: Spend,
    /// The parts. Days are in chronological order, all other parts in descending order of cost.
    pub parts: Vec<ReportPart>,
}

/// A part of a tenant's usage.
#[derive(Clone, Debug)]
pub struct ReportPart {
    /// An id, a name or a day; `None` for usage without an assistant, and for users without a group.
    pub key: Option<String>,
    /// The name; `None` if the object has been deleted, or has no name beside its key.
    pub name: Option<String>,
    pub spend: Spend,
}

/// Sums the usage of a tenant.
///
/// # Errors
/// `invalid` for a period that is too long.
pub fn report(reader: &Reader, tenant: TenantId, query: ReportQuery) -> Result<Report> {
    let ReportQuery { group_by, from, to, filter } = query;
    let period = Period::from_query(zone_of(reader, tenant)?, from, to)?;
    let tally = Tally::of_all(reader, tenant, &period, &filter)?;
    let total = tally.total;
    let mut parts = parts(reader, tenant, group_by, tally)?;
    if group_by != GroupUsageBy::Day {
        parts.sort_by_key(|part| std::cmp::Reverse(part.spend.cost_nanos));
    }
    Ok(Report { period, total, parts })
}

fn parts(reader: &Reader, tenant: TenantId, by: GroupUsageBy, tally: Tally) -> Result<Vec<ReportPart>> {
    let part = |key: String, spend: Spend| ReportPart { key: Some(key), name: None, spend };
    match by {
        GroupUsageBy::Model => Ok(tally.models.into_iter().map(|(key, spend)| part(key, spend)).collect()),
        GroupUsageBy::Kind => Ok(tally.kinds.into_iter().map(|(key, spend)| part(key, spend)).collect()),
        GroupUsageBy::Day => {
            Ok(tally.days.into_iter().map(|(day, spend)| part(day.to_string(), spend)).collect())
        }
        GroupUsageBy::User => {
            let users = tally.users.into_iter().map(|(user, spend)| (Some(user), spend)).collect();
            named(users, |id| Ok(principals::member(reader, tenant, id)?.map(|user| user.display_name)))
        }
        GroupUsageBy::Assistant => {
            named(tally.assistants, |id| Ok(reader.get::<Assistant>(tenant, &id)?.map(|row| row.body.name)))
        }
        GroupUsageBy::Group => named(by_group(reader, tenant, tally.users)?, |id| {
            Ok(reader.get::<Group>(tenant, &id)?.map(|row| row.body.name))
        }),
    }
}

fn named(
    sums: BTreeMap<Option<Uuid>, Spend>,
    name: impl Fn(Uuid) -> Result<Option<String>>,
) -> Result<Vec<ReportPart>> {
    let part = |(id, spend): (Option<Uuid>, Spend)| {
        let name = id.map(&name).transpose()?.flatten();
        Ok(ReportPart { key: id.map(|id| id.to_string()), name, spend })
    };
    sums.into_iter().map(part).collect()
}

/// Sums the usage by the groups that the users are in now.
fn by_group(
    reader: &Reader,
    tenant: TenantId,
    users: BTreeMap<Uuid, Spend>,
) -> Result<BTreeMap<Option<Uuid>, Spend>> {
    let mut sums = BTreeMap::<_, Spend>::new();
    for (user, spend) in users {
        let own = Scan::table().prefix(user.as_bytes().to_vec());
        let rows = reader.scan::<GroupMember>(tenant, own)?.items;
        let mut groups: Vec<_> = rows.into_iter().map(|row| Some(row.id.1)).collect();
        if groups.is_empty() {
            groups.push(None);
        }
        for group in groups {
            let sum = sums.entry(group).or_default();
            *sum = sum.plus(spend);
        }
    }
    Ok(sums)
}
