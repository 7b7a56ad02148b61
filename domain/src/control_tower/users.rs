//! Reports on the activity of users.

use storage::records::activity::{ActivityCount, OfUser, Window, last_busy};
use storage::records::{Membership, Role, User, UserKind, ledger};
use storage::{Reader, Scan, Stored, TenantId};
use uuid::Uuid;

use super::query::{ReportQuery, SortBy};
use super::report::{Report, ReportRow};
use crate::{Caller, Refusal, Result};

/// Number of members that are read at a time.
const CHUNK: usize = 200;

#[derive(Clone, Debug)]
pub struct ReportedUser {
    pub user_id: Uuid,
    /// `None` for a user who has left the tenant.
    pub member: Option<ReportedMember>,
    /// Number of bytes that are currently stored for the user.
    pub stored_bytes: u64,
}

/// The fields of a member that reports show.
#[derive(Clone, Debug)]
pub struct ReportedMember {
    pub email: String,
    pub display_name: String,
    pub kind: UserKind,
    pub role: Role,
    pub disabled: bool,
}

/// Returns whether there can be reports about this user in the caller's tenant: the user is a member, or a former member
/// who used a model, and the caller is an administrator.
pub fn has_report(reader: &Reader, caller: &Caller, user: Uuid) -> Result<bool> {
    let is_member = reader.get::<Membership>(TenantId::SYSTEM, &(user, caller.tenant.0))?.is_some();
    let is_known = is_member || ledger::first(reader, caller.tenant, user, false)?.is_some();
    Ok(is_known && caller.is_admin())
}

/// Reports the activity of all of the tenant's members, including those without activity. Former members are listed
/// without a name if they have activity in the period. A search only lists members; without a search, the rows add up to
/// the total activity.
///
/// # Errors
/// `invalid` for the order by users, and for a period that is too long.
pub fn user_report(reader: &Reader, tenant: TenantId, query: &ReportQuery) -> Result<Report<ReportedUser>> {
    if query.sort_by == Some(SortBy::Users) {
        return Err(Refusal::invalid("query", ["sort_by"], "is not a report column", "unknown_variant"));
    }
    let period = query.period(reader, tenant)?;
    let mut counted = Window::open(reader, tenant, &period.span)?.by::<OfUser>()?;
    let last_uses = last_busy::<OfUser>(reader, tenant)?;
    let mut users = Vec::new();
    let mut after = None;
    loop {
        let members = Scan::index("by_tenant").prefix(tenant.0.as_bytes()).limit(CHUNK).after(after);
        let page = reader.scan::<Membership>(TenantId::SYSTEM, members)?;
        for membership in page.items {
            let user_id = membership.id.0;
            let activity = counted.remove(&OfUser(user_id)).unwrap_or_default();
            let Some(user) = reader.get::<User>(TenantId::SYSTEM, &user_id)? else { continue };
            let User { email, display_name, kind, disabled, .. } = user.body;
            if query.matches(&[&display_name, &email]) {
                let role = membership.role;
                users.push((
                    user_id,
                    Some(ReportedMember { email, display_name, kind, role, disabled }),
                    activity,
                ));
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if !query.has_search() {
        users.extend(counted.into_iter().map(|(OfUser(user_id), activity)| (user_id, None, activity)));
    }
    let mut rows = Vec::with_capacity(users.len());
    for (user_id, member, activity) in users {
        let stored_bytes = Stored::of_user(reader, tenant, user_id)?.bytes;
        rows.push(ReportRow {
            id: user_id.to_string(),
            name: member.as_ref().map(|member| member.display_name.clone()).unwrap_or_default(),
            counted: ActivityCount { activity, users: 1 },
            last_used_at: last_uses.get(&OfUser(user_id)).copied(),
            subject: ReportedUser { user_id, member, stored_bytes },
        });
    }
    Ok(Report::new(period, rows, query))
}
