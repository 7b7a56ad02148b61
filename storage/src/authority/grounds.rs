//! Reasons for decisions on access.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Audience, GrantLevel, Principal, PrincipalKind, Role, Shared, Sharing, Subject, Visibility};

/// A reason why a subject has a right on a shared object, and the level of that right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Ground {
    /// The level of access that it gives.
    pub level: GrantLevel,
    /// The reason for the right.
    pub reason: Reason,
}

impl Ground {
    /// The right of the owner of an object that cannot be shared.
    pub const OWN: Self = Self { level: GrantLevel::Owner, reason: Reason::Owns };
}

/// Why a subject has a right on a shared object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Owns,
    /// The user administers the tenant, and the object is shared in it.
    Administers,
    /// It was granted to the user, or to a group, team or tenant that the user belongs to.
    Granted(Principal),
    /// The object is visible to the whole tenant.
    TenantWide,
}

impl Reason {
    /// The reason in words.
    pub fn sentence(&self) -> String {
        match self {
            Self::Owns => "it is the caller's own".to_owned(),
            Self::Administers => "the caller administers the tenant".to_owned(),
            Self::TenantWide => "it is shown to the whole tenant".to_owned(),
            Self::Granted(Principal { kind, id }) => match kind {
                PrincipalKind::User => "it was granted to the caller".to_owned(),
                PrincipalKind::Group => format!("it was granted to the group {id}, which the caller is in"),
                PrincipalKind::Team => format!("it was granted to the team {id}, which the caller is in"),
                PrincipalKind::Tenant => "it was granted to the tenant".to_owned(),
            },
        }
    }
}

/// Returns all reasons why a member of its tenant has a right on an object. The highest level applies. If there are
/// none, the member may not even see the object.
pub(super) fn grounds(thing: &(impl Shared + ?Sized), subject: &Subject) -> Vec<Ground> {
    let Sharing { owner, visibility, grants } = thing.sharing();
    let mut grounds = Vec::new();
    let mut add = |level, reason| grounds.push(Ground { level, reason });
    if owner == subject.user {
        add(GrantLevel::Owner, Reason::Owns);
    }
    let shared = visibility != Visibility::Private || !grants.is_empty();
    if shared && subject.role == Role::TenantAdmin {
        add(GrantLevel::Owner, Reason::Administers);
    }
    for grant in grants.iter().filter(|grant| subject.is(&grant.principal)) {
        add(grant.level, Reason::Granted(grant.principal.clone()));
    }
    if visibility == Visibility::Tenant {
        add(GrantLevel::Viewer, Reason::TenantWide);
    }
    grounds
}

/// Why an object with an audience is shown to a subject, or is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Because)]
pub enum AudienceReason {
    /// There is no rule, so the object is shown to everyone.
    NoRule,
    Everyone,
    /// The rule excludes everyone.
    #[serde(rename = "nobody")]
    NoOne,
    Named,
    /// A group of the user is named.
    InGroup(Uuid),
    /// Neither the user nor any of the user's groups is named.
    NotNamed,
}

impl AudienceReason {
    /// Determines why an audience includes a user, or does not.
    pub fn new(audience: &Audience, subject: &Subject) -> Self {
        match audience {
            Audience::Everyone => Self::Everyone,
            Audience::NoOne => Self::NoOne,
            Audience::Only { users, .. } if users.contains(&subject.user) => Self::Named,
            Audience::Only { groups, .. } => {
                let group = groups.iter().find(|group| subject.groups.contains(group));
                group.map_or(Self::NotNamed, |group| Self::InGroup(*group))
            }
        }
    }

    /// Whether the object is shown.
    pub fn shows(&self) -> bool {
        !matches!(self, Self::NoOne | Self::NotNamed)
    }

    /// The reason in words.
    pub fn sentence(&self) -> String {
        match self {
            Self::NoRule => "no rule is set, so it is available to everyone".to_owned(),
            Self::Everyone => "it is available to everyone".to_owned(),
            Self::NoOne => "it is disabled for everyone".to_owned(),
            Self::Named => "the user is named".to_owned(),
            Self::InGroup(group) => format!("the group {group}, which the user is in, is named"),
            Self::NotNamed => "neither the user nor a group of theirs is named".to_owned(),
        }
    }
}
