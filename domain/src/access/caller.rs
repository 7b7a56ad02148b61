//! Who is calling.

use std::ops::Deref;
use std::sync::Arc;
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Role, UserKind};
use uuid::Uuid;

use super::policy::Requirement;
use super::scope::{Scope, ScopeSet};
use crate::{Code, Refusal};

/// The caller of a request, as the credential and the store say at this moment.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The tenant the credential opens, the user (or the one who is impersonated), the role, groups and teams.
    pub standing: Subject,
    /// The features that are switched on for the user.
    pub features: FeatureSet,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// The token's scopes; `None` for everything the role allows.
    pub scopes: Option<ScopeSet>,
    /// The API token that was presented, if one was.
    pub token_id: Option<Uuid>,
    /// The session, unless an API token was presented.
    pub session: Option<Uuid>,
    /// Whether the user is a person or a program.
    pub kind: UserKind,
    /// Who really acts, if the user is impersonated.
    pub act: Option<Uuid>,
    /// The user's address.
    pub email: Arc<str>,
}

impl Deref for Caller {
    type Target = Subject;
    fn deref(&self) -> &Subject {
        &self.standing
    }
}

impl Caller {
    /// What rate limits count by: the API token or the session.
    pub fn credential(&self) -> Uuid {
        self.token_id.or(self.session).unwrap_or(self.user)
    }

    /// Whether scopes and role allow this at present.
    pub fn may(&self, scope: Scope) -> bool {
        self.role >= scope.least_role() && self.scopes.is_none_or(|scopes| scopes.contains(scope))
    }

    /// Everything the caller may do at present.
    pub fn effective_scopes(&self) -> ScopeSet {
        Scope::ALL.iter().copied().filter(|scope| self.may(*scope)).collect()
    }

    /// Refuses to make a user an administrator, or to set the password of one, with a token that is limited to scopes: it
    /// could lift its limits that way.
    pub fn may_appoint(&self, role: Role) -> Result<(), Refusal> {
        match self.scopes {
            Some(_) if role == Role::TenantAdmin => Err(Refusal::new(Code::ScopeMissing)
                .detail("a token that is limited to scopes makes no administrators")),
            _ => Ok(()),
        }
    }

    /// Refuses a caller without a scope that an operation needs beside the one in its signature.
    pub fn require_scope(&self, scope: Scope) -> Result<(), Refusal> {
        Requirement { scope: Some(scope), ..Requirement::default() }.check(self)
    }

    /// Refuses a caller for whom a feature is switched off.
    pub fn require_feature(&self, feature: Feature) -> Result<(), Refusal> {
        Requirement { bare: true, feature: Some(feature), ..Requirement::default() }.check(self)
    }

    /// Refuses impersonated sessions: they mint nothing.
    pub fn require_own_name(&self) -> Result<(), Refusal> {
        Requirement { bare: true, own_name: true, ..Requirement::default() }.check(self)
    }

    /// Refuses callers who act as another person. Acting as a service account is allowed.
    pub fn require_in_person(&self) -> Result<(), Refusal> {
        Requirement { bare: true, in_person: true, ..Requirement::default() }.check(self)
    }

    /// The session; API tokens have none and are refused.
    pub fn require_session(&self) -> Result<Uuid, Refusal> {
        Requirement { bare: true, session: true, ..Requirement::default() }.check(self)?;
        self.session.ok_or_else(|| Code::SessionRequired.into())
    }
}
