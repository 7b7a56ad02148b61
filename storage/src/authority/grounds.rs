//! Reasons.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Audience, GrantLevel, Principal, PrincipalKind, Role, Shared, Sharing, Subject, Visibility};

/// Something that gives a right on a shared thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Ground {
    /// What it allows.
    pub level: GrantLevel,
    /// Why.
    pub reason: Reason,
}

impl Ground {
    /// It is only theirs.
    pub const OWN: Self = Self { level: GrantLevel::Owner, reason: Reason::Owns };
}

/// Why a subject has a right on a shared object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Owns,
    /// They manage the tenant, and it is shared in it.
    Administers,
    /// It was granted to them, or to what they are in.
    Granted(Principal),
    /// It is shown to the whole tenant.
    TenantWide,
}

impl Reason {
    /// In words.
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

/// Everything that gives a member of its tenant a right on a thing. The right is the greatest of them; there is none
/// where this is empty, and then they may not even see it.
pub(super) fn grounds(thing: &(impl Shared + ?Sized), standing: &Subject) -> Vec<Ground> {
    let Sharing { owner, visibility, grants } = thing.sharing();
    let mut grounds = Vec::new();
    let mut add = |level, reason| grounds.push(Ground { level, reason });
    if owner == standing.user {
        add(GrantLevel::Owner, Reason::Owns);
    }
    let shared = visibility != Visibility::Private || !grants.is_empty();
    if shared && standing.role == Role::TenantAdmin {
        add(GrantLevel::Owner, Reason::Administers);
    }
    for grant in grants.iter().filter(|grant| standing.is(&grant.principal)) {
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
    /// There is no rule, so everyone sees it.
    NoRule,
    Everyone,
    /// The rule excludes everyone.
    #[serde(rename = "nobody")]
    NoOne,
    Named,
    /// A group of theirs is named.
    InGroup(Uuid),
    /// Neither they nor any group of theirs is among those that are named.
    NotNamed,
}

impl AudienceReason {
    /// Why an audience includes a user, or does not.
    pub fn new(audience: &Audience, standing: &Subject) -> Self {
        match audience {
            Audience::Everyone => Self::Everyone,
            Audience::NoOne => Self::NoOne,
            Audience::Only { users, .. } if users.contains(&standing.user) => Self::Named,
            Audience::Only { groups, .. } => {
                let group = groups.iter().find(|group| standing.groups.contains(group));
                group.map_or(Self::NotNamed, |group| Self::InGroup(*group))
            }
        }
    }

    /// Whether it is shown.
    pub fn shows(&self) -> bool {
        !matches!(self, Self::NoOne | Self::NotNamed)
    }

    /// In words.
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
