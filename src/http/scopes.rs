//! Scopes and minimum roles as types: an operation names them in its signature.

use std::marker::PhantomData;

use domain::Scope;
use storage::records::{GrantLevel, Role};

/// The scopes that an operation requires. Implemented by the unit types of this module.
pub trait ScopeTag: 'static {
    /// The required scope; `None` for no particular scope.
    const SCOPE: Option<Scope>;
    /// A second required scope.
    const ALSO: Option<Scope> = None;
    /// Whether a token without any scope (`[]`) is accepted.
    const BARE: bool = false;
}

/// The minimum role that an operation requires, and further requirements on the caller.
pub trait RoleTag: 'static {
    const ROLE: Role;
    /// Whether only platform administrators are admitted.
    const PLATFORM: bool = false;
    /// Whether impersonated sessions are refused, because they may not issue credentials.
    const OWN_NAME: bool = false;
    /// Whether API tokens are refused.
    const SESSION: bool = false;
    /// Whether the operation shows or changes personal data, even if its scope does not imply it.
    const IN_PERSON: bool = false;
    /// The minimum grant level on the object that the path names, if seeing it is not sufficient.
    const LEVEL: Option<GrantLevel> = None;
}

/// Every member of the tenant.
pub struct Member;
/// Editors and administrators of the tenant.
pub struct Editor;
/// Administrators of the tenant.
pub struct Admin;

impl RoleTag for Member {
    const ROLE: Role = Role::User;
}
impl RoleTag for Editor {
    const ROLE: Role = Role::Editor;
}
impl RoleTag for Admin {
    const ROLE: Role = Role::TenantAdmin;
}

/// Like `R`, and the caller must act in their own name: impersonated sessions are refused.
pub struct Own<R = Member>(PhantomData<R>);
/// Like `R`, and the caller must have a session: API tokens are refused.
pub struct InSession<R = Member>(PhantomData<R>);
/// Like `R`, for personal data: an administrator who impersonates the person is refused.
pub struct InPerson<R = Member>(PhantomData<R>);
/// Like `R`, and the caller must be a platform administrator.
pub struct Platform<R = Member>(PhantomData<R>);
/// Like `R`, and the caller must be at least an editor of the object that the path names.
pub struct ToEdit<R = Member>(PhantomData<R>);
/// Like `R`, and the caller must be an owner of the object that the path names.
pub struct ToOwn<R = Member>(PhantomData<R>);

macro_rules! narrowed {
    ($($tag:ident: $platform:expr, $own_name:expr, $session:expr, $in_person:expr, $level:expr;)*) => {
        $(
            impl<R: RoleTag> RoleTag for $tag<R> {
                const ROLE: Role = R::ROLE;
                const PLATFORM: bool = $platform;
                const OWN_NAME: bool = $own_name;
                const SESSION: bool = $session;
                const IN_PERSON: bool = $in_person;
                const LEVEL: Option<GrantLevel> = $level;
            }
        )*
    };
}
narrowed! {
    Own: R::PLATFORM, true, R::SESSION, R::IN_PERSON, R::LEVEL;
    InSession: R::PLATFORM, R::OWN_NAME, true, R::IN_PERSON, R::LEVEL;
    InPerson: R::PLATFORM, R::OWN_NAME, R::SESSION, true, R::LEVEL;
    Platform: true, R::OWN_NAME, R::SESSION, R::IN_PERSON, R::LEVEL;
    ToEdit: R::PLATFORM, R::OWN_NAME, R::SESSION, R::IN_PERSON, Some(GrantLevel::Editor);
    ToOwn: R::PLATFORM, R::OWN_NAME, R::SESSION, R::IN_PERSON, Some(GrantLevel::Owner);
}

/// Requires both scopes, because the operation belongs to both.
pub struct Both<A, B>(PhantomData<(A, B)>);

impl<A: ScopeTag, B: ScopeTag> ScopeTag for Both<A, B> {
    const SCOPE: Option<Scope> = A::SCOPE;
    const ALSO: Option<Scope> = B::SCOPE;
}

/// Any scope is sufficient, but a token without scopes is refused.
pub struct Any;
/// Any caller that can be identified, regardless of scopes. Credentials that do not parse are a validation error (422),
/// because they are what the request asks about.
pub struct Identified;
/// Any valid credential, regardless of scopes. A credential that does not parse is refused with 401, as everywhere.
pub struct AnyToken;

impl ScopeTag for Any {
    const SCOPE: Option<Scope> = None;
}
impl ScopeTag for AnyToken {
    const SCOPE: Option<Scope> = None;
    const BARE: bool = true;
}
impl ScopeTag for Identified {
    const SCOPE: Option<Scope> = None;
    const BARE: bool = true;
}

macro_rules! scope_tags {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("[`Scope::", stringify!($name), "`].")]
            pub struct $name;
            impl ScopeTag for $name {
                const SCOPE: Option<Scope> = Some(Scope::$name);
            }
        )*
    };
}
scope_tags! {
    AssistantsRead
    AssistantsWrite
    ConversationsRead
    ConversationsWrite
    LlmUse
    KnowledgeRead
    KnowledgeWrite
    SkillsRead
    SkillsWrite
    WorkflowsRun
    AutomationsRead
    AutomationsWrite
    ProjectsRead
    ProjectsWrite
    TeamsRead
    TeamsWrite
    MediaUse
    MemoriesRead
    MemoriesWrite
    NotificationsRead
    NotificationsWrite
    UsageRead
    AccountRead
    AccountWrite
    AdminRead
    AdminWrite
}
