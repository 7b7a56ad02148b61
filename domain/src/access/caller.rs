//! The caller of a request or a run.

use std::ops::Deref;
use std::sync::Arc;
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Role, UserKind};
use uuid::Uuid;

use super::policy::Requirement;
use super::scope::{Scope, ScopeSet};
use crate::{Code, Refusal};

/// The caller of a request, as its credential and the store describe it at the time of the request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The tenant that the credential gives access to, the user (or the impersonated user), the role, groups and teams.
    pub subject: Subject,
    /// The features that are enabled for the user.
    pub features: FeatureSet,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// The scopes of the token; `None` for everything that the role allows.
    pub scopes: Option<ScopeSet>,
    /// The API token that was presented, if any.
    pub token_id: Option<Uuid>,
    /// The session, unless an API token was presented.
    pub session: Option<Uuid>,
    /// Whether the user is a person or a program.
    pub kind: UserKind,
    /// The administrator who acts as the user, if the user is impersonated.
    pub act: Option<Uuid>,
    /// The user's email address.
    pub email: Arc<str>,
}

impl Deref for Caller {
    type Target = Subject;
    fn deref(&self) -> &Subject {
        &self.subject
    }
}

impl Caller {
    /// Returns the id by which rate limits are counted: the API token or the session.
    pub fn credential(&self) -> Uuid {
        self.token_id.or(self.session).unwrap_or(self.user)
    }

    /// Returns whether the caller's current scopes and role allow operations with this scope.
    pub fn may(&self, scope: Scope) -> bool {
        self.role >= scope.least_role() && self.scopes.is_none_or(|scopes| scopes.contains(scope))
    }

    /// Returns all scopes that the caller may currently use.
    pub fn effective_scopes(&self) -> ScopeSet {
        Scope::ALL.iter().copied().filter(|scope| self.may(*scope)).collect()
    }

    /// Refuses to appoint an administrator, or to set the password of one, with a token that is limited to scopes. Such a
    /// token could otherwise remove its own limits.
    pub fn may_appoint(&self, role: Role) -> Result<(), Refusal> {
        match self.scopes {
            Some(_) if role == Role::TenantAdmin => Err(Refusal::new(Code::ScopeMissing)
                .detail("a token that is limited to scopes cannot appoint administrators")),
            _ => Ok(()),
        }
    }

    /// Refuses a caller without a scope that an operation needs in addition to the one in its signature.
    pub fn require_scope(&self, scope: Scope) -> Result<(), Refusal> {
        Requirement { scope: Some(scope), ..Requirement::default() }.check(self)
    }

    /// Refuses a caller for whom a feature is disabled.
    pub fn require_feature(&self, feature: Feature) -> Result<(), Refusal> {
        Requirement { bare: true, feature: Some(feature), ..Requirement::default() }.check(self)
    }

    /// Refuses impersonated sessions, which may not create credentials.
    pub fn require_own_name(&self) -> Result<(), Refusal> {
        Requirement { bare: true, own_name: true, ..Requirement::default() }.check(self)
    }

    /// Refuses callers who act as another person. Acting as a service account is allowed.
    pub fn require_in_person(&self) -> Result<(), Refusal> {
        Requirement { bare: true, in_person: true, ..Requirement::default() }.check(self)
    }

    /// Returns the session. API tokens have no session and are refused.
    pub fn require_session(&self) -> Result<Uuid, Refusal> {
        Requirement { bare: true, session: true, ..Requirement::default() }.check(self)?;
        self.session.ok_or_else(|| Code::SessionRequired.into())
    }
}
