//! What an operation asks of its caller, and whether this one has it. What refuses, what the document says of an
//! operation, and what explains a refusal are the same rows here.

use serde::Serialize;
use storage::authority::Feature;
use storage::records::{Role, UserKind};
use utoipa::ToSchema;

use super::caller::Caller;
use super::scope::{Scope, ScopeSet};
use crate::{Code, Refusal};

/// The kinds of checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Credentials that hold.
    Credential,
    /// A scope that the token has.
    Scope,
    /// A role in the tenant.
    Role,
    /// A feature that is switched on for the caller.
    Feature,
    /// To be a platform administrator.
    Platform,
    /// To act in one's own name.
    Impersonation,
    /// A session, in the place of an API token.
    Session,
    /// A right on the thing that the path names.
    Grant,
}

impl Rule {
    /// As answers and logs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Credential => "credential",
            Self::Scope => "scope",
            Self::Role => "role",
            Self::Feature => "feature",
            Self::Platform => "platform",
            Self::Impersonation => "impersonation",
            Self::Session => "session",
            Self::Grant => "grant",
        }
    }
}

/// What an operation requires of its caller, beside valid credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub scope: Option<Scope>,
    /// A second one, where it takes both.
    pub also: Option<Scope>,
    /// Whether a token without any scope is let through.
    pub bare: bool,
    /// The least role that the operation names; the scope may need a greater one.
    pub role: Role,
    /// The feature that it is part of.
    pub feature: Option<Feature>,
    /// Whether it is for platform administrators.
    pub platform: bool,
    /// Whether impersonated sessions are refused.
    pub own_name: bool,
    /// Whether API tokens are refused.
    pub session: bool,
    /// Whether it is about what is a person's alone, also where its scope does not say so.
    pub in_person: bool,
}

impl Requirement {
    /// The least role that lets a caller through, all in all.
    pub fn least_role(&self) -> Role {
        self.scopes().map(Scope::least_role).fold(self.role, Role::max)
    }

    /// The scopes that are needed, all of them.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> + use<> {
        self.scope.into_iter().chain(self.also)
    }

    /// Whether what it opens is a person's alone.
    pub fn is_personal(&self) -> bool {
        !self.own_name && (self.in_person || self.scopes().any(Scope::is_personal))
    }

    /// All checks, in their order.
    pub fn checks(&self) -> impl Iterator<Item = Check> {
        [
            (!self.bare).then_some(Check::SomeScope),
            self.scope.map(Check::Scope),
            self.also.map(Check::Scope),
            Some(self.least_role()).filter(|role| *role > Role::User).map(Check::Role),
            self.feature.map(Check::Feature),
            self.platform.then_some(Check::Platform),
            self.own_name.then_some(Check::OwnName),
            self.is_personal().then_some(Check::Personal),
            self.session.then_some(Check::Session),
        ]
        .into_iter()
        .flatten()
    }

    /// Refuses a caller who lacks something, with the first thing that is lacking.
    ///
    /// # Errors
    /// 403, with the code of what is lacking.
    pub fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        match self.checks().find(|check| !check.passes(caller)) {
            None => Ok(()),
            Some(check) => Err(check.refusal(caller)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A token that is limited to nothing may do nothing.
    SomeScope,
    Scope(Scope),
    /// At least this role.
    Role(Role),
    Feature(Feature),
    /// Management of tenants.
    Platform,
    /// The caller does not act as another user.
    OwnName,
    /// The caller does not act as another person. Acting as a service account is allowed.
    Personal,
    Session,
}

impl Check {
    /// Of which kind it is.
    pub const fn rule(self) -> Rule {
        match self {
            Self::SomeScope | Self::Scope(_) => Rule::Scope,
            Self::Role(_) => Rule::Role,
            Self::Feature(_) => Rule::Feature,
            Self::Platform => Rule::Platform,
            Self::OwnName | Self::Personal => Rule::Impersonation,
            Self::Session => Rule::Session,
        }
    }

    /// Whether the caller has it.
    pub fn passes(self, caller: &Caller) -> bool {
        match self {
            Self::SomeScope => !caller.scopes.is_some_and(ScopeSet::is_empty),
            Self::Scope(scope) => caller.scopes.is_none_or(|scopes| scopes.contains(scope)),
            Self::Role(role) => caller.role >= role,
            Self::Feature(feature) => caller.features.contains(feature),
            Self::Platform => caller.platform_admin,
            Self::OwnName => caller.act.is_none(),
            Self::Personal => caller.act.is_none() || caller.kind == UserKind::ServiceAccount,
            Self::Session => caller.session.is_some(),
        }
    }

    /// The code of the refusal.
    pub const fn code(self) -> Code {
        match self {
            Self::SomeScope | Self::Scope(_) => Code::ScopeMissing,
            Self::Role(_) | Self::Platform => Code::RoleMissing,
            Self::Feature(_) => Code::FeatureDisabled,
            Self::OwnName | Self::Personal => Code::ImpersonationLimited,
            Self::Session => Code::SessionRequired,
        }
    }

    /// What is required, for the log.
    pub fn needs(self) -> String {
        match self {
            Self::SomeScope => "any scope".to_owned(),
            Self::Scope(scope) => scope.as_str().to_owned(),
            Self::Role(role) => role_name(role).to_owned(),
            Self::Feature(feature) => feature.key().to_owned(),
            Self::Platform => "platform_admin".to_owned(),
            Self::OwnName => "no impersonation".to_owned(),
            Self::Personal => "no impersonation of a person".to_owned(),
            Self::Session => "a session".to_owned(),
        }
    }

    /// What the caller has of the kind, for the log.
    pub fn has(self, caller: &Caller) -> String {
        match self {
            Self::SomeScope | Self::Scope(_) => match caller.scopes {
                None => "no limit of scopes".to_owned(),
                Some(scopes) if scopes.is_empty() => "no scope".to_owned(),
                Some(scopes) => scopes.names().join(" "),
            },
            Self::Role(_) => role_name(caller.role).to_owned(),
            Self::Feature(feature) if caller.features.contains(feature) => "switched on".to_owned(),
            Self::Feature(_) => "switched off".to_owned(),
            Self::Platform => {
                if caller.platform_admin { "platform_admin" } else { "a place in a tenant" }.to_owned()
            }
            Self::OwnName | Self::Personal => match caller.act {
                None => "their own name".to_owned(),
                Some(who) => format!("{who} acting as the user"),
            },
            Self::Session => if caller.session.is_some() { "a session" } else { "an API token" }.to_owned(),
        }
    }

    /// The refusal of a caller who lacks it; its cause, for the log, says what the caller has.
    fn refusal(self, caller: &Caller) -> Refusal {
        let error = Refusal::new(self.code());
        let error = match self {
            Self::SomeScope => error.detail("the token has no scopes"),
            Self::Scope(scope) => error.detail(format!("the token lacks {}", scope.as_str())),
            Self::Role(role) => error.detail(format!("this needs the role {}", role_name(role))),
            Self::Feature(feature) => error.detail(format!("{} is switched off", feature.key())),
            Self::Platform => error.detail("this is for platform administrators"),
            Self::Personal => error.detail("this is a person's alone"),
            Self::OwnName | Self::Session => error,
        };
        error.because(cause(self.rule(), &self.needs(), &self.has(caller)))
    }
}

/// What the log says of a refusal.
pub fn cause(rule: Rule, needs: &str, has: &str) -> String {
    format!("{}: needs {needs}, has {has}", rule.as_str())
}

/// A role as answers have it.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Editor => "editor",
        Role::TenantAdmin => "tenant_admin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use storage::authority::{FeatureSet, Subject};
    use storage::{TenantId, new_id};

    fn caller(role: Role, scopes: Option<&[Scope]>) -> Caller {
        let (groups, teams) = (Arc::from([]), Arc::from([]));
        Caller {
            standing: Subject { tenant: TenantId(new_id()), user: new_id(), role, groups, teams },
            features: Feature::ALL.iter().copied().collect(),
            platform_admin: false,
            scopes: scopes.map(|scopes| scopes.iter().copied().collect()),
            token_id: None,
            session: Some(new_id()),
            kind: UserKind::Human,
            act: None,
            email: Arc::from("a@b"),
        }
    }

    #[test]
    fn the_log_tells_what_is_needed_and_what_there_is() {
        let demand = Requirement { scope: Some(Scope::AdminWrite), own_name: true, ..Requirement::default() };
        let cause =
            |caller: &Caller| demand.check(caller).err().and_then(|error| error.cause().map(str::to_owned));
        assert_eq!(cause(&caller(Role::TenantAdmin, None)), None);
        let editor = caller(Role::Editor, None);
        assert_eq!(cause(&editor).as_deref(), Some("role: needs tenant_admin, has editor"));
        let token = caller(Role::TenantAdmin, Some(&[Scope::LlmUse, Scope::AdminRead]));
        assert_eq!(cause(&token).as_deref(), Some("scope: needs admin:write, has llm:use admin:read"));
        let bare = caller(Role::TenantAdmin, Some(&[]));
        assert_eq!(cause(&bare).as_deref(), Some("scope: needs any scope, has no scope"));
        let acting = Caller { act: Some(TenantId::SYSTEM.0), ..caller(Role::TenantAdmin, None) };
        assert!(
            cause(&acting).is_some_and(|cause| cause.starts_with("impersonation: needs no impersonation"))
        );
    }

    #[test]
    fn what_is_personal_is_not_read_in_anothers_name() {
        let demand = Requirement { scope: Some(Scope::ConversationsRead), ..Requirement::default() };
        let person = Caller { act: Some(new_id()), ..caller(Role::User, None) };
        let code = |caller: &Caller| demand.check(caller).err().map(|error| error.code());
        assert_eq!(code(&person), Some(Code::ImpersonationLimited));
        assert_eq!(code(&Caller { kind: UserKind::ServiceAccount, ..person.clone() }), None);
        assert_eq!(code(&Caller { act: None, ..person }), None);
    }

    #[test]
    fn each_check_refuses_by_itself() {
        let demand = Requirement {
            feature: Some(Feature::Video),
            session: true,
            platform: true,
            ..Requirement::default()
        };
        let code = |caller: &Caller| demand.check(caller).err().map(|error| error.code());
        let all = Caller { platform_admin: true, ..caller(Role::User, None) };
        assert_eq!(code(&all), None);
        assert_eq!(code(&Caller { platform_admin: false, ..all.clone() }), Some(Code::RoleMissing));
        assert_eq!(code(&Caller { session: None, ..all.clone() }), Some(Code::SessionRequired));
        assert_eq!(code(&Caller { features: FeatureSet::default(), ..all }), Some(Code::FeatureDisabled));
    }
}
