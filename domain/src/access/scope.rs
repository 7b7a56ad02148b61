//! Scopes: what an API token may be limited to.

use storage::records::Role;

macro_rules! scopes {
    ($($name:ident => $text:literal, $least:ident, $sentence:literal;)*) => {
        /// What an API token may be limited to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scope { $(#[doc = $sentence] $name,)* }

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
    /// Whether it gives access to personal data, which is closed to administrators who act as the person: what a person
    /// wrote and made, their notifications, and their account, which is the same in every tenant.
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
