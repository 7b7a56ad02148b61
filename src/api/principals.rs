//! Views of principals: users, groups and teams with their names.

use domain::principals;
use serde::{Deserialize, Serialize};
use storage::records::{Group, Principal, PrincipalKind, Team};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// A user, or a group of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
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
    pub id: Uuid,
    pub name: String,
    /// A user's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// How many users are in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_count: Option<u64>,
}

impl PrincipalResponse {
    /// The view of a principal; `None` unless it is a user, group or team of this tenant.
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

    /// The views of those that exist, in their order.
    pub fn all<'a>(
        reader: &Reader,
        tenant: TenantId,
        principals: impl IntoIterator<Item = &'a Principal>,
    ) -> storage::Result<Vec<Self>> {
        let found = principals.into_iter().map(|principal| Self::load(reader, tenant, principal));
        Ok(found.collect::<storage::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}
