//! What a tenant has used, grouped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::records::usage::Spend;
use storage::records::{Assistant, Group, GroupMember};
use storage::{Reader, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Filter, MomentOrDay, Period, Tally, zone_of};
use crate::{Result, principals};

/// By what uses are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupUsageBy {
    /// Who.
    User,
    Model,
    /// The groups of who. A user who is in several counts in each of them, so these come to more than the total.
    Group,
    Assistant,
    Day,
    Kind,
}

/// Which report to make.
#[derive(Clone, Debug)]
pub struct ReportQuery {
    pub group_by: GroupUsageBy,
    /// The beginning; without it, that of the month.
    pub from: Option<MomentOrDay>,
    /// The end; without it, that of the month.
    pub to: Option<MomentOrDay>,
    /// Which entries of the ledger count.
    pub filter: Filter,
}

/// What a tenant has used.
#[derive(Clone, Debug)]
pub struct Report {
    pub period: Period,
    pub total: Spend,
    /// Days in their order, all other parts by their cost, the highest first.
    pub parts: Vec<ReportPart>,
}

/// A part of what a tenant has used.
#[derive(Clone, Debug)]
pub struct ReportPart {
    /// An id, a name or a day; `None` for uses without an assistant, and for users without a group.
    pub key: Option<String>,
    /// The name; `None` where the object is deleted, or has no name beside its key.
    pub name: Option<String>,
    pub spend: Spend,
}

/// Adds up what a tenant has used.
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

/// By the groups that the users are in now.
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
