//! Every kind of caller.

use serde_json::json;

use crate::harness::{Client, PASSWORD, Person, TestServer, text};

/// Every scope that a token can have.
pub const SCOPES: [&str; 26] = [
    "assistants:read",
    "assistants:write",
    "conversations:read",
    "conversations:write",
    "llm:use",
    "knowledge:read",
    "knowledge:write",
    "skills:read",
    "skills:write",
    "workflows:run",
    "automations:read",
    "automations:write",
    "projects:read",
    "projects:write",
    "teams:read",
    "teams:write",
    "media:use",
    "memories:read",
    "memories:write",
    "notifications:read",
    "notifications:write",
    "usage:read",
    "account:read",
    "account:write",
    "admin:read",
    "admin:write",
];

/// A kind of caller, in the terms of the table's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Without credentials.
    Anonymous,
    /// An administrator of another tenant.
    Stranger,
    /// A member without any grants.
    User,
    /// A member with permission to see what is shared.
    Viewer,
    /// A member with permission to change what is shared.
    Editor,
    /// The owner of everything in the world; has the role `editor`.
    Owner,
    /// An administrator of the tenant without any grants.
    Admin,
    /// A service account with the role `editor`, without any grants.
    Service,
    /// The administrator, impersonating the owner.
    Impersonator,
}

impl Who {
    /// Every kind, in the order of the table's columns.
    pub const ALL: [Self; 9] = [
        Self::Anonymous,
        Self::Stranger,
        Self::User,
        Self::Viewer,
        Self::Editor,
        Self::Owner,
        Self::Admin,
        Self::Service,
        Self::Impersonator,
    ];

    /// The heading of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonym",
            Self::Stranger => "stranger",
            Self::User => "user",
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Service => "service",
            Self::Impersonator => "imperson",
        }
    }
}

pub struct TenantPeople {
    url: String,
    /// Text that the names of everything they own contain.
    pub mark: &'static str,
    /// Text in the names of people and objects that everyone in the tenant can see.
    pub nickname: String,
    pub plain: Person,
    pub viewer: Person,
    pub editor: Person,
    pub owner: Person,
    pub admin: Person,
    callers: Vec<(Who, Client)>,
}

impl TenantPeople {
    /// Adds the people to the tenant of `founder`, who administers it.
    pub async fn arrive(server: &TestServer, founder: &Client, mark: &'static str) -> Self {
        let nickname: String = mark.chars().take(4).collect();
        let add = async |name: &str, role: &str| {
            let email = format!("{name}@{}.example.org", nickname.to_lowercase());
            let body = json!({"email": email, "password": PASSWORD, "role": role,
                "display_name": format!("{nickname} {name}")});
            founder.post("/api/auth/users", body).await.created();
            Person::log_in(&server.url(), &email, PASSWORD).await
        };
        let (plain, viewer) = (add("plain", "user").await, add("viewer", "user").await);
        let (editor, owner) = (add("grantee", "user").await, add("owner", "editor").await);
        let admin = add("admin", "tenant_admin").await;
        let as_admin = server.client(&admin.access_token);
        let mut callers = vec![(Who::Anonymous, server.anonymous()), (Who::Stranger, server.stranger())];
        for (who, person) in [
            (Who::User, &plain),
            (Who::Viewer, &viewer),
            (Who::Editor, &editor),
            (Who::Owner, &owner),
            (Who::Admin, &admin),
        ] {
            callers.push((who, server.client(&person.access_token)));
        }
        if let Some(token) = robot(&as_admin, &nickname).await {
            callers.push((Who::Service, server.client(&token)));
        }
        callers.push((Who::Impersonator, server.client(&acting(&as_admin, &owner).await)));
        Self { url: server.url(), mark, nickname, plain, viewer, editor, owner, admin, callers }
    }

    pub fn people(&self) -> [&Person; 5] {
        [&self.plain, &self.viewer, &self.editor, &self.owner, &self.admin]
    }

    /// A caller of this kind, if there is one.
    pub fn find(&self, who: Who) -> Option<Client> {
        self.callers.iter().find(|(kind, _)| *kind == who).map(|(_, client)| client.clone())
    }

    /// A caller of this kind.
    pub fn by(&self, who: Who) -> Client {
        self.find(who).unwrap_or_else(|| panic!("there is no {who:?}"))
    }

    /// The same caller with a separate session, for operations that end sessions.
    pub async fn throwaway(&self, who: Who, stranger: &Person) -> Client {
        let person = match who {
            Who::User => &self.plain,
            Who::Viewer => &self.viewer,
            Who::Editor => &self.editor,
            Who::Owner => &self.owner,
            Who::Admin => &self.admin,
            Who::Stranger => stranger,
            Who::Impersonator => {
                return Client::new(self.url.clone(), Some(acting(&self.by(Who::Admin), &self.owner).await));
            }
            Who::Anonymous | Who::Service => return self.by(who),
        };
        let person = Person::log_in(&self.url, &person.email, &person.password).await;
        Client::new(self.url.clone(), Some(person.access_token))
    }

    /// API tokens of a user: one for each single scope, and a last one without scopes.
    pub async fn tokens(&self, of: &Client) -> Vec<(&'static str, Client)> {
        let mut tokens = Vec::new();
        for scope in SCOPES.iter().copied().chain([""]) {
            let scopes: Vec<_> = Some(scope).filter(|scope| !scope.is_empty()).into_iter().collect();
            let body = json!({"name": format!("{} {scope}", self.mark), "scopes": scopes});
            let made = of.post("/api/auth/api-tokens", body).await.created();
            tokens.push((scope, Client::new(self.url.clone(), Some(text(&made["token"])))));
        }
        tokens
    }
}

/// The token of a service account with the role `editor`.
async fn robot(admin: &Client, mark: &str) -> Option<String> {
    let accounts = "/api/tenant-admin/service-accounts";
    let account = json!({"display_name": format!("{mark} robot"), "role": "editor"});
    let made = admin.post(accounts, account).await;
    if made.status == 404 {
        return None;
    }
    let tokens = format!("{accounts}/{}/api-tokens", text(&made.created()["id"]));
    let token = json!({"name": format!("{mark} robot"), "scopes": null});
    Some(text(&admin.post(&tokens, token).await.created()["token"]))
}

/// The token of an administrator who impersonates a user.
async fn acting(admin: &Client, as_whom: &Person) -> String {
    let body = json!({"user_id": as_whom.id, "reason": "to see what they see"});
    text(&admin.post("/api/auth/impersonate", body).await.created()["access_token"])
}
