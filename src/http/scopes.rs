//! Scopes and least roles, as types: an operation names them in its signature.

use std::marker::PhantomData;
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
    /// That role.
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
/// Whoever can be identified, whatever the scopes. Credentials that do not parse are a fault of the request (422), since
/// they are what is asked about.
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

macro_rules! scopes {
    ($($name:ident => $text:literal, $least:ident, $sentence:literal;)*) => {
        /// What an API token may be limited to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scope { $(#[doc = $sentence] $name,)* }

        $(
            #[doc = $sentence]
            pub struct $name;
            impl ScopeTag for $name {
                const SCOPE: Option<Scope> = Some(Scope::$name);
            }
        )*

        impl Scope {
            /// Every scope.
            pub const ALL: &'static [Scope] = &[$(Scope::$name,)*];

            /// As tokens carry it, for example `assistants:read`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Scope::$name => $text,)* }
            }
            /// What it allows, in one sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Scope::$name => $sentence,)* }
            }
            /// The role without which it allows nothing.
            pub const fn least_role(self) -> Role {
                match self { $(Scope::$name => Role::$least,)* }
            }
        }
    };
}

scopes! {
    AssistantsRead     => "assistants:read",     User,        "See assistants, their files, data and knowledge.";
    AssistantsWrite    => "assistants:write",    User,        "Create, change, share and delete assistants, as role and grants allow.";
    ConversationsRead  => "conversations:read",  User,        "Read one's own conversations, and those of one's projects, and attach to their streams.";
    ConversationsWrite => "conversations:write", User,        "Hold conversations: create, change and delete them, start and stop completions.";
    LlmUse             => "llm:use",             User,        "Use models directly, without a stored conversation.";
    KnowledgeRead      => "knowledge:read",      User,        "See and search knowledge bases and their documents.";
    KnowledgeWrite     => "knowledge:write",     User,        "Create and change knowledge bases and add documents.";
    SkillsRead         => "skills:read",         User,        "See skills and their functions.";
    SkillsWrite        => "skills:write",        User,        "Create, build, change and delete skills.";
    WorkflowsRun       => "workflows:run",       User,        "Run, debug, cancel and resume workflows.";
    AutomationsRead    => "automations:read",    User,        "See automations and their runs.";
    AutomationsWrite   => "automations:write",   User,        "Create, change, start and delete automations.";
    ProjectsRead       => "projects:read",       User,        "See projects, their members and conversations.";
    ProjectsWrite      => "projects:write",      User,        "Create and change projects, their members and conversations.";
    TeamsRead          => "teams:read",          User,        "See people, teams and groups.";
    TeamsWrite         => "teams:write",         User,        "Create and change teams and their members.";
    MediaUse           => "media:use",           User,        "Make and transcribe speech, pictures and video.";
    MemoriesRead       => "memories:read",       User,        "Read one's own memories.";
    MemoriesWrite      => "memories:write",      User,        "Add, change and forget one's own memories.";
    NotificationsRead  => "notifications:read",  User,        "Read one's own notifications and their settings.";
    NotificationsWrite => "notifications:write", User,        "Mark notifications as read and choose where they go.";
    UsageRead          => "usage:read",          User,        "See usage and costs.";
    AccountRead        => "account:read",        User,        "See one's own account, preferences and API tokens.";
    AccountWrite       => "account:write",       User,        "Change one's own account and preferences, make and revoke API tokens.";
    AdminRead          => "admin:read",          TenantAdmin, "See the tenant's settings, members, usage and costs.";
    AdminWrite         => "admin:write",         TenantAdmin, "Change the tenant's settings, members, models and features.";
}

impl Scope {
    /// Whether what it opens is a person's alone: not even an administrator who acts as that person comes near it.
    /// That goes for what was said and made, for what somebody is told (of what they made, among other things), and for
    /// the account, which is the same in every tenant.
    pub const fn is_personal(self) -> bool {
        matches!(
            self,
            Self::ConversationsRead
                | Self::ConversationsWrite
                | Self::LlmUse
                | Self::WorkflowsRun
                | Self::MediaUse
                | Self::MemoriesRead
                | Self::MemoriesWrite
                | Self::NotificationsRead
                | Self::NotificationsWrite
                | Self::AccountWrite
        )
    }

    /// The scope of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == text)
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ScopeSet(u64);

impl ScopeSet {
    /// Whether the scope is among them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of these are among `others`.
    pub fn is_within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Their names, in the order of the table.
    pub fn names(self) -> Vec<String> {
        Scope::ALL
            .iter()
            .filter(|scope| self.contains(**scope))
            .map(|scope| scope.as_str().to_owned())
            .collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | scope.bit()))
    }
}
