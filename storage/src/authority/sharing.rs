//! Who may see and do what with a thing that is shared.

use super::grounds::grounds;
use super::{Ground, Subject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who may see a thing beside its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// The owner alone.
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

/// What a grant is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// One user.
    User,
    /// A group of the directory.
    Group,
    /// A team.
    Team,
    /// Everyone in the tenant.
    Tenant,
}

/// Who a grant is made to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Principal {
    /// User, group, team or tenant.
    pub kind: PrincipalKind,
    /// Its id.
    pub id: Uuid,
}

impl Principal {
    /// The principal of a user.
    pub fn user(id: Uuid) -> Self {
        Self { kind: PrincipalKind::User, id }
    }

    /// The principal of a group.
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

/// A right on a shared thing. Grants add up; nothing denies.
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

/// A thing with an owner, that may be shared: an assistant, a knowledge base, a skill.
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
