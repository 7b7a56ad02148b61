//! The requirements of operations and their checks. The same definitions refuse requests, document the
//! requirements of an operation, and explain a refusal.

use serde::Serialize;
use storage::authority::Feature;
use storage::records::{Role, UserKind};
use utoipa::ToSchema;

use super::caller::Caller;
use super::scope::{Scope, ScopeSet};
use crate::{Code, Refusal};

/// The kind of an access check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Valid credentials.
    Credential,
    /// A scope of the token.
    Scope,
    /// A role in the tenant.
    Role,
    /// A feature that is enabled for the caller.
    Feature,
    /// The platform administrator role.
    Platform,
    /// A caller who is not impersonated.
    Impersonation,
    /// A session instead of an API token.
    Session,
    /// A permission on the object in the path.
    Grant,
}

impl Rule {
    /// Returns the name of the kind in responses and logs.
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

/// What an operation requires of its caller, in addition to valid credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub scope: Option<Scope>,
    /// A second scope, if the operation requires two.
    pub also: Option<Scope>,
    /// Whether tokens without any scope are accepted.
    pub bare: bool,
    /// The minimum role that the operation declares. The scope may require a higher one.
    pub role: Role,
    /// The feature that the operation belongs to.
    pub feature: Option<Feature>,
    /// Whether the operation is restricted to platform administrators.
    pub platform: bool,
    /// Whether impersonated sessions are refused.
    pub own_name: bool,
    /// Whether API tokens are refused.
    pub session: bool,
    /// Whether the operation concerns personal data, even if its scope does not.
    pub in_person: bool,
}

impl Requirement {
    /// Returns the minimum role that satisfies both the operation and its scopes.
    pub fn least_role(&self) -> Role {
        self.scopes().map(Scope::least_role).fold(self.role, Role::max)
    }

    /// Returns the required scopes. The caller needs all of them.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> + use<> {
        self.scope.into_iter().chain(self.also)
    }

    /// Returns whether the operation gives access to personal data.
    pub fn is_personal(&self) -> bool {
        !self.own_name && (self.in_person || self.scopes().any(Scope::is_personal))
    }

    /// Returns all checks, in the order in which they are made.
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

    /// Refuses a caller who fails a check, with the first check that failed.
    ///
    /// # Errors
    /// 403, with the code of the failed check.
    pub fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        match self.checks().find(|check| !check.passes(caller)) {
            None => Ok(()),
            Some(check) => Err(check.refusal(caller)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A token that is limited to no scopes may not do anything.
    SomeScope,
    Scope(Scope),
    /// A minimum role.
    Role(Role),
    Feature(Feature),
    /// Permission to manage tenants.
    Platform,
    /// The caller does not act as another user.
    OwnName,
    /// The caller does not act as another person. Acting as a service account is allowed.
    Personal,
    Session,
}

impl Check {
    /// Returns the kind of the check.
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

    /// Returns whether the caller passes the check.
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

    /// Returns the code of the refusal.
    pub const fn code(self) -> Code {
        match self {
            Self::SomeScope | Self::Scope(_) => Code::ScopeMissing,
            Self::Role(_) | Self::Platform => Code::RoleMissing,
            Self::Feature(_) => Code::FeatureDisabled,
            Self::OwnName | Self::Personal => Code::ImpersonationLimited,
            Self::Session => Code::SessionRequired,
        }
    }

    /// Returns what is required, for the log.
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

    /// Returns what the caller has, for the log.
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
                if caller.platform_admin { "platform_admin" } else { "a role in a tenant" }.to_owned()
            }
            Self::OwnName | Self::Personal => match caller.act {
                None => "their own name".to_owned(),
                Some(who) => format!("{who} acting as the user"),
            },
            Self::Session => if caller.session.is_some() { "a session" } else { "an API token" }.to_owned(),
        }
    }

    /// Returns the refusal of a caller who fails the check. Its cause, for the log, contains what the caller
    /// has.
    fn refusal(self, caller: &Caller) -> Refusal {
        let error = Refusal::new(self.code());
        let error = match self {
            Self::SomeScope => error.detail("the token has no scopes"),
            Self::Scope(scope) => error.detail(format!("the token lacks {}", scope.as_str())),
            Self::Role(role) => error.detail(format!("this needs the role {}", role_name(role))),
            Self::Feature(feature) => error.detail(format!("{} is switched off", feature.key())),
            Self::Platform => error.detail("this is for platform administrators"),
            Self::Personal => error.detail("only the person themselves may do this"),
            Self::OwnName | Self::Session => error,
        };
        error.because(cause(self.rule(), &self.needs(), &self.has(caller)))
    }
}

/// Returns the cause of a refusal, for the log.
pub fn cause(rule: Rule, needs: &str, has: &str) -> String {
    format!("{}: needs {needs}, has {has}", rule.as_str())
}

/// Returns the name of a role in responses and logs.
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
            subject: Subject { tenant: TenantId(new_id()), user: new_id(), role, groups, teams },
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
    fn check_logs_what_is_required_and_what_the_caller_has() {
        let requirement =
            Requirement { scope: Some(Scope::AdminWrite), own_name: true, ..Requirement::default() };
        let cause = |caller: &Caller| {
            requirement.check(caller).err().and_then(|error| error.cause().map(str::to_owned))
        };
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
    fn check_refuses_personal_data_to_impersonated_sessions() {
        let requirement = Requirement { scope: Some(Scope::ConversationsRead), ..Requirement::default() };
        let person = Caller { act: Some(new_id()), ..caller(Role::User, None) };
        let code = |caller: &Caller| requirement.check(caller).err().map(|error| error.code());
        assert_eq!(code(&person), Some(Code::ImpersonationLimited));
        assert_eq!(code(&Caller { kind: UserKind::ServiceAccount, ..person.clone() }), None);
        assert_eq!(code(&Caller { act: None, ..person }), None);
    }

    #[test]
    fn check_refuses_each_missing_requirement() {
        let requirement = Requirement {
            feature: Some(Feature::Video),
            session: true,
            platform: true,
            ..Requirement::default()
        };
        let code = |caller: &Caller| requirement.check(caller).err().map(|error| error.code());
        let all = Caller { platform_admin: true, ..caller(Role::User, None) };
        assert_eq!(code(&all), None);
        assert_eq!(code(&Caller { platform_admin: false, ..all.clone() }), Some(Code::RoleMissing));
        assert_eq!(code(&Caller { session: None, ..all.clone() }), Some(Code::SessionRequired));
        assert_eq!(code(&Caller { features: FeatureSet::default(), ..all }), Some(Code::FeatureDisabled));
    }
}
