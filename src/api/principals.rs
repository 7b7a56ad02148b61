//! Views of principals: users, groups and teams with their names.

use domain::principals;
use serde::{Deserialize, Serialize};
use storage::records::{Group, Principal, PrincipalKind, Team};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// A user or a directory group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    User,
    /// A group that comes from the tenant's directory.
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

/// A user, group or team with its name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PrincipalResponse {
    /// Whether the principal is a user, a group or a team.
    pub kind: PrincipalKind,
    pub id: Uuid,
    pub name: String,
    /// The email address. Present for users only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub email: Option<String>,
    /// The number of users in the group. Present for groups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub member_count: Option<u64>,
}

impl PrincipalResponse {
    /// Loads the view of a principal. Returns `None` unless the principal is a user, group or team of this
    /// tenant.
    pub fn load(reader: &Reader, tenant: TenantId, principal: &Principal) -> storage::Result<Option<Self>> {
        let Principal { kind, id } = *principal;
        let named = |name| Self { kind, id, name, email: None, member_count: None };
        Ok(match kind {
            PrincipalKind::User => principals::member(reader, tenant, id)?
                .map(|user| Self { email: Some(user.email), ..named(user.display_name) }),
            PrincipalKind::Group => reader.get::<Group>(tenant, &id)?.map(|row| {
                let group = row.body;
                Self { member_count: Some(group.member_count), ..named(group.name) }
            }),
            PrincipalKind::Team => reader.get::<Team>(tenant, &id)?.map(|row| named(row.body.name)),
            PrincipalKind::Tenant => None,
        })
    }

    /// Loads the views of the principals that exist, in the given order.
    pub fn all<'a>(
        reader: &Reader,
        tenant: TenantId,
        principals: impl IntoIterator<Item = &'a Principal>,
    ) -> storage::Result<Vec<Self>> {
        let found = principals.into_iter().map(|principal| Self::load(reader, tenant, principal));
        Ok(found.collect::<storage::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}
