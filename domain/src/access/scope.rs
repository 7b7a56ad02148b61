//! Scopes, to which API tokens can be limited.

use storage::records::Role;

macro_rules! scopes {
    ($($name:ident => $text:literal, $least:ident, $sentence:literal;)*) => {
        /// A scope, to which an API token can be limited.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scope { $(#[doc = $sentence] $name,)* }

        impl Scope {
            /// Every scope.
            pub const ALL: &'static [Scope] = &[$(Scope::$name,)*];

            /// Returns the name of the scope in tokens, for example `assistants:read`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Scope::$name => $text,)* }
            }
            /// Returns a sentence that describes what the scope allows.
            pub const fn sentence(self) -> &'static str {
                match self { $(Scope::$name => $sentence,)* }
            }
            /// Returns the minimum role for which the scope has an effect.
            pub const fn least_role(self) -> Role {
                match self { $(Scope::$name => Role::$least,)* }
            }
        }
    };
}

scopes! {
    AssistantsRead     => "assistants:read",     User,        "See assistants, their files, data and knowledge.";
    AssistantsWrite    => "assistants:write",    User,        "Create, change, share and delete assistants, as role and grants allow.";
    ConversationsRead  => "conversations:read",  User,        "Read the user's own conversations and those of their projects, and attach to their streams.";
    ConversationsWrite => "conversations:write", User,        "Create, change and delete conversations, and start and stop completions.";
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
    MediaUse           => "media:use",           User,        "Generate speech, images and videos, and transcribe audio.";
    MemoriesRead       => "memories:read",       User,        "Read the user's own memories.";
    MemoriesWrite      => "memories:write",      User,        "Create, change and delete the user's own memories.";
    NotificationsRead  => "notifications:read",  User,        "Read the user's own notifications and their settings.";
    NotificationsWrite => "notifications:write", User,        "Mark notifications as read, and choose where they are sent.";
    UsageRead          => "usage:read",          User,        "See usage and costs.";
    AccountRead        => "account:read",        User,        "See the user's own account, preferences and API tokens.";
    AccountWrite       => "account:write",       User,        "Change the user's own account and preferences, and create and revoke API tokens.";
    AdminRead          => "admin:read",          TenantAdmin, "See the tenant's settings, members, usage and costs.";
    AdminWrite         => "admin:write",         TenantAdmin, "Change the tenant's settings, members, models and features.";
}

impl Scope {
    /// Returns whether the scope gives access to personal data, which administrators who act as the user may not use:
    /// what the user wrote and created, their notifications, and their account, which is the same in every tenant.
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

    /// Returns the scope with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == text)
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ScopeSet(u64);

impl ScopeSet {
    /// Returns whether the set contains the scope.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns whether the set contains no scope.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether all scopes of this set are also in `others`.
    pub fn is_within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Returns the names of the scopes, in the order of the table.
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
