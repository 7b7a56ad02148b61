//! Scopes and least roles, as types: an operation names them in its signature.

use std::marker::PhantomData;

use domain::Scope;
use storage::records::{GrantLevel, Role};

/// What an operation asks of its caller's scopes. Implemented by the unit types of this module.
pub trait ScopeTag: 'static {
    /// The scope that is needed; `None` for no particular one.
    const SCOPE: Option<Scope>;
    /// One that is needed beside it.
    const ALSO: Option<Scope> = None;
    /// Whether a token without any scope (`[]`) is let through.
    const BARE: bool = false;
}

/// The least role an operation asks for, and what else it asks of who is calling.
pub trait RoleTag: 'static {
    const ROLE: Role;
    /// Whether it is for platform administrators.
    const PLATFORM: bool = false;
    /// Whether impersonated sessions are refused: they mint nothing.
    const OWN_NAME: bool = false;
    /// Whether API tokens are refused.
    const SESSION: bool = false;
    /// Whether it shows or changes what is a person's alone, also where its scope does not say so.
    const IN_PERSON: bool = false;
    /// The least right on what the path names, where to see it is not enough.
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

/// As `R`, in one's own name: impersonated sessions are refused.
pub struct Own<R = Member>(PhantomData<R>);
/// As `R`, with a session: API tokens are refused.
pub struct InSession<R = Member>(PhantomData<R>);
/// As `R`, and what it is about is a person's alone: an administrator who acts as that person is refused.
pub struct InPerson<R = Member>(PhantomData<R>);
/// As `R`, and a platform administrator.
pub struct Platform<R = Member>(PhantomData<R>);
/// As `R`, and at least an editor of what the path names.
pub struct ToEdit<R = Member>(PhantomData<R>);
/// As `R`, and at least an owner of what the path names.
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

/// Both scopes: what is done belongs to both.
pub struct Both<A, B>(PhantomData<(A, B)>);

impl<A: ScopeTag, B: ScopeTag> ScopeTag for Both<A, B> {
    const SCOPE: Option<Scope> = A::SCOPE;
    const ALSO: Option<Scope> = B::SCOPE;
}

/// Any scope will do, but a token of no scope at all is refused.
pub struct Any;
/// Any caller that can be identified, whatever the scopes. Credentials that do not parse are a fault of the
/// request (422), since they are what is asked about.
pub struct Identified;
/// Any credential that holds, whatever its scopes; one that does not parse is refused with 401 as everywhere.
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
