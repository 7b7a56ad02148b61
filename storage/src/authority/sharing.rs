//! Who may see and do what with a thing that is shared.

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
    /// Those with a grant.
    Shared,
    /// The whole tenant.
    Tenant,
}

/// What a principal may do; each may all that the ones before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantLevel {
    /// See and use.
    #[default]
    Viewer,
    /// Change.
    Editor,
    /// Share and delete.
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

    /// How it stands in indexes.
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

/// A right on a shared resource. Grants add up; nothing denies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Who has it.
    pub principal: Principal,
    /// What it allows.
    pub level: GrantLevel,
}

/// What decides on who may do what with a thing.
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
    /// The owner, visibility and grants that decide on access.
    fn sharing(&self) -> Sharing<'_>;

    /// What a member of its tenant may do with it; none where they may not even see it. Grants add
    /// up. Tenant administrators manage what is shared in the tenant, and nothing that is private.
    fn level_of(&self, standing: &Subject) -> Option<GrantLevel> {
        self.grounds_of(standing).into_iter().map(|ground| ground.level).max()
    }

    /// Everything that gives a member of its tenant a right on it.
    fn grounds_of(&self, standing: &Subject) -> Vec<Ground> {
        grounds(self, standing)
    }
}
