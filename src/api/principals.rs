//! Users, groups and teams by name: who stands behind the principals that lists name.

use serde::{Deserialize, Serialize};
use storage::records::{Group, GroupMember, Membership, Principal, PrincipalKind, Team, User};
use storage::{Reader, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::Faults;

/// A user, or a group of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    /// One user.
    User,
    /// A group of the directory.
    Group,
}

impl From<PersonKind> for PrincipalKind {
    fn from(kind: PersonKind) -> Self {
        match kind {
            PersonKind::User => Self::User,
            PersonKind::Group => Self::Group,
        }
    }
}

/// A principal with its name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PrincipalResponse {
    /// User, group or team.
    pub kind: PrincipalKind,
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// A user's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// How many users are in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_count: Option<u64>,
}

impl PrincipalResponse {
    /// Looks a principal up; none where it is no more, or is no user, group or team of this tenant.
    pub fn of(reader: &Reader, tenant: TenantId, principal: &Principal) -> storage::Result<Option<Self>> {
        let Principal { kind, id } = *principal;
        let named = |name| Self { kind, id, name, email: None, member_count: None };
        Ok(match kind {
            PrincipalKind::User => user(reader, tenant, id)?
                .map(|user| Self { email: Some(user.email), ..named(user.display_name) }),
            PrincipalKind::Group => reader.get::<Group>(tenant, &id)?.map(|row| {
                let group = row.body;
                Self { member_count: Some(group.member_count), ..named(group.name) }
            }),
            PrincipalKind::Team => reader.get::<Team>(tenant, &id)?.map(|row| named(row.body.name)),
            PrincipalKind::Tenant => None,
        })
    }

    /// Those that still are, in their order.
    pub fn all<'a>(
        reader: &Reader,
        tenant: TenantId,
        principals: impl IntoIterator<Item = &'a Principal>,
    ) -> storage::Result<Vec<Self>> {
        let found = principals.into_iter().map(|principal| Self::of(reader, tenant, principal));
        Ok(found.collect::<storage::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

fn user(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Option<User>> {
    let member = reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?;
    let user = if member.is_some() { reader.get::<User>(TenantId::SYSTEM, &id)? } else { None };
    Ok(user.map(|row| row.body))
}

/// Whether anybody at all stands behind one of these: a user who may come in, or a group with such a user in it.
pub fn somebody(reader: &Reader, tenant: TenantId, principals: &[Principal]) -> storage::Result<bool> {
    for Principal { kind, id } in principals {
        let here = |id| Ok::<_, storage::Error>(user(reader, tenant, id)?.is_some_and(|user| !user.disabled));
        let found = match kind {
            PrincipalKind::User => here(*id)?,
            PrincipalKind::Group => {
                let members = Scan::index("by_group").prefix(id.as_bytes());
                let members = reader.scan::<GroupMember>(tenant, members)?.items;
                members.iter().map(|row| here(row.id.0)).collect::<Result<Vec<_>, _>>()?.contains(&true)
            }
            PrincipalKind::Team | PrincipalKind::Tenant => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Notes at `field` each principal that is nobody of this tenant, but for those that stood there before.
pub fn check(
    reader: &Reader,
    tenant: TenantId,
    field: &str,
    before: &[Principal],
    principals: &[Principal],
    faults: &mut Faults,
) -> storage::Result<()> {
    for (at, principal) in principals.iter().enumerate() {
        if !before.contains(principal) && !super::sharing::is_principal(reader, tenant, principal)? {
            faults.add([field, &at.to_string()], "there is no such principal", "not_found");
        }
    }
    Ok(())
}
