//! Access to objects that can be shared.

use super::grounds::grounds;
use super::{Ground, Subject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who, other than its owner, may see a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Only the owner.
    #[default]
    Private,
    /// The principals with a grant.
    Shared,
    /// The whole tenant.
    Tenant,
}

/// What a principal may do. Each level includes the rights of the previous ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantLevel {
    /// See and use the object.
    #[default]
    Viewer,
    /// Change the object.
    Editor,
    /// Share and delete the object.
    Owner,
}

/// The kind of principal of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    User,
    /// A group of the directory.
    Group,
    Team,
    /// Everyone in the tenant.
    Tenant,
}

/// The principal of a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Principal {
    /// User, group, team or tenant.
    pub kind: PrincipalKind,
    pub id: Uuid,
}

impl Principal {
    pub fn user(id: Uuid) -> Self {
        Self { kind: PrincipalKind::User, id }
    }

    pub fn group(id: Uuid) -> Self {
        Self { kind: PrincipalKind::Group, id }
    }

    /// The encoding in indexes.
    pub fn index_key(&self) -> Vec<u8> {
        let kind = match self.kind {
            PrincipalKind::User => b'u',
            PrincipalKind::Group => b'g',
            PrincipalKind::Team => b't',
            PrincipalKind::Tenant => b'a',
        };
        [&[kind], &self.id.as_bytes()[..]].concat()
    }
}

/// A right on a shared resource. Grants are additive; there are no denials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// The principal that has the right.
    pub principal: Principal,
    /// The level of access that it gives.
    pub level: GrantLevel,
}

/// The properties that determine access to an object.
#[derive(Clone, Copy, Debug)]
pub struct Sharing<'a> {
    /// The user who owns the object.
    pub owner: Uuid,
    /// The object's visibility.
    pub visibility: Visibility,
    /// The object's grants.
    pub grants: &'a [Grant],
}

/// A resource with an owner that can be shared: an assistant, a knowledge base, a skill.
pub trait Shared {
    /// Returns the owner, visibility and grants, which determine access.
    fn sharing(&self) -> Sharing<'_>;

    /// The level of access that a member of its tenant has; `None` if the member may not even see the resource. Grants
    /// add up. Tenant administrators manage resources that are shared in the tenant, but not private ones.
    fn level_of(&self, subject: &Subject) -> Option<GrantLevel> {
        self.grounds_of(subject).into_iter().map(|ground| ground.level).max()
    }

    /// Returns all reasons why a member of its tenant has a right on it.
    fn grounds_of(&self, subject: &Subject) -> Vec<Ground> {
        grounds(self, subject)
    }
}
