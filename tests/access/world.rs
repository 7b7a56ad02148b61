//! A tenant with one object of every kind, whose owner shares everything that can be shared.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use reqwest::Method;
use serde_json::{Value, json};

use super::callers::{TenantPeople, Who};
use crate::api::skills::scene::{Field, form};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::{Client, TestServer, text};

/// An id that no object has.
pub const NOTHING: &str = "01890000-0000-7000-8000-000000000000";

/// A service in the configuration at which users log in.
pub const SERVICE: &str = "registry";
/// A package that ships with the server.
pub const PACKAGE: &str = "understudy/document-analyst";

/// The people of a tenant and the objects they own.
pub struct World {
    pub cast: TenantPeople,
    pub owner: Client,
    pub admin: Client,
    ids: HashMap<String, String>,
    /// The tool server that the assistant is connected to.
    tools: FakeMcp,
    /// Foreign ids that walkers have used as names of their own. Responses may contain them, because the
    /// walkers sent them.
    pub said: RefCell<BTreeSet<String>>,
}

/// A kind of object in a world. Later ones may belong to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    Victim,
    Logo,
    Group,
    Team,
    Project,
    Skill,
    Knowledge,
    Document,
    BaseLink,
    Assistant,
    Attached,
    File,
    Link,
    Data,
    Draft,
    Conversation,
    Held,
    InProject,
    Upload,
    ChatStream,
    Response,
    Workflow,
    WorkflowRun,
    Automation,
    AutomationRun,
    Memory,
    Video,
    Token,
    ServiceAccount,
    ServiceToken,
    Invitation,
    JoinRequest,
    Notice,
    Endpoint,
    Package,
    Enabled,
}

impl Thing {
    /// All kinds, in an order in which they can be created.
    pub const ALL: [Self; 36] = [
        Self::Victim,
        Self::Logo,
        Self::Group,
        Self::Team,
        Self::Project,
        Self::Skill,
        Self::Knowledge,
        Self::Document,
        Self::BaseLink,
        Self::Assistant,
        Self::Attached,
        Self::File,
        Self::Link,
        Self::Data,
        Self::Draft,
        Self::Conversation,
        Self::Held,
        Self::InProject,
        Self::Upload,
        Self::ChatStream,
        Self::Response,
        Self::Workflow,
        Self::WorkflowRun,
        Self::Automation,
        Self::AutomationRun,
        Self::Memory,
        Self::Video,
        Self::Token,
        Self::ServiceAccount,
        Self::ServiceToken,
        Self::Invitation,
        Self::JoinRequest,
        Self::Notice,
        Self::Endpoint,
        Self::Package,
        Self::Enabled,
    ];

    /// The objects that a call in this area can have changed.
    pub fn of_area(area: &str) -> &'static [Self] {
        use Thing::*;
        match area {
            "assistants" => &[Skill, Knowledge, Document, Assistant, Attached, File, Link, Data],
            "skills" => &[Skill, Assistant, Draft],
            "knowledge-bases" => &[Knowledge, Document, BaseLink, Assistant, Attached],
            "conversations" => &[Conversation, Held, InProject, Upload],
            "workflows" => &[Workflow, WorkflowRun],
            "automations" => &[Assistant, Automation, AutomationRun],
            "chat" => &[Response],
            "memories" => &[Memory],
            "video" => &[Video],
            "auth" => &[Token, Invitation, JoinRequest],
            "teams" => &[Team],
            "projects" => &[Team, Project, Conversation, InProject],
            "tenant-admin" => &[Victim, Logo, Invitation, JoinRequest],
            "service-accounts" => &[ServiceAccount],
            "control-tower" => &[Enabled, Assistant],
            "notifications" => &[Notice, Endpoint],
            "catalog" => &[Package],
            _ => &[],
        }
    }
}

impl World {
    /// Creates a world with one owner and one object of each kind.
    pub async fn made(server: &TestServer, founder: &Client, mark: &'static str) -> Self {
        let cast = TenantPeople::arrive(server, founder, mark).await;
        let (owner, admin) = (cast.by(Who::Owner), cast.by(Who::Admin));
        let (ids, tools) = (HashMap::new(), FakeMcp::start().await);
        let mut world = Self { cast, owner, admin, ids, tools, said: RefCell::default() };
        for (name, id) in [
            ("owner", &*world.cast.owner.id.clone()),
            ("tenant_id", &world.cast.owner.tenant.clone()),
            ("key", "note"),
            ("function_name", "twice"),
            ("model_id", "builtin/scribe"),
            ("feature_key", "video"),
            ("service", SERVICE),
            ("package_id", PACKAGE),
        ] {
            world.put(name, id);
        }
        world.group(server).await;
        let group = world.id("group_id").to_owned();
        world.put("member_user_id", &group);
        for thing in Thing::ALL {
            world.make(thing).await;
        }
        server.settled().await;
        world
    }

    /// The value of a path parameter in this area.
    pub fn value(&self, area: &str, name: &str) -> String {
        let found = self.ids.get(&format!("{area}/{name}")).or_else(|| self.ids.get(name));
        match found {
            Some(id) => id.clone(),
            None if name.ends_with("id") || name.is_empty() => NOTHING.to_owned(),
            None => "made-up".to_owned(),
        }
    }

    /// The id of the object that was created under this name.
    pub fn id(&self, name: &str) -> &str {
        self.ids.get(name).map_or(NOTHING, String::as_str)
    }

    /// The ids of all created objects, by name.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ids.iter().map(|(name, id)| (name.as_str(), id.as_str()))
    }

    pub fn put(&mut self, name: &str, id: &str) {
        self.ids.insert(name.to_owned(), id.to_owned());
    }

    /// A name for an object, which identifies its owner.
    pub fn named(&self, what: &str) -> String {
        format!("{} {what}", self.cast.mark)
    }

    /// A name for an object that everyone in the tenant can see.
    pub fn nicknamed(&self, what: &str) -> String {
        format!("{} {what}", self.cast.nickname)
    }

    /// The grants on shared objects.
    pub fn grants(&self) -> Value {
        let to = |id: &str, level: &str| json!({"principal": {"kind": "user", "id": id}, "level": level});
        json!([to(&self.cast.viewer.id, "viewer"), to(&self.cast.editor.id, "editor")])
    }

    /// The assistant's name for its tool server; it identifies the owner.
    pub fn tool_server(&self) -> String {
        format!("{}-desk", self.cast.mark.to_lowercase())
    }

    /// The tool servers of the assistant.
    pub fn tool_servers(&self) -> Value {
        json!([{"name": self.tool_server(), "url": self.tools.url()}])
    }

    /// The endpoint for notifications of the owner: an address without a server.
    pub fn hook(&self) -> String {
        format!("http://127.0.0.1:9/{}", self.cast.mark)
    }

    /// A request body with a name and the grants.
    pub fn shared(&self, what: &str) -> Value {
        json!({"name": self.named(what), "visibility": "shared", "grants": self.grants()})
    }

    /// Creates again any object of an area that was deleted or is no longer shared as before.
    pub async fn mend(&mut self, area: &str) {
        for thing in Thing::of_area(area) {
            if !self.stands(*thing).await {
                self.make(*thing).await;
            }
        }
    }

    /// Creates again any object that was deleted.
    pub async fn mend_all(&mut self) {
        for thing in Thing::ALL {
            if thing != Thing::ChatStream && !self.stands(thing).await {
                self.make(thing).await;
            }
        }
    }

    async fn stands(&self, thing: Thing) -> bool {
        let Some((who, path, needle)) = self.proof(thing) else { return false };
        if path.contains(NOTHING) {
            return true;
        }
        let answer = who.get(&path).await;
        answer.status == 200 && answer.text().contains(&needle)
    }

    /// A caller, a path and a text in the response that together prove that an object still exists.
    fn proof(&self, thing: Thing) -> Option<(Client, String, String)> {
        let (owner, admin, viewer) = (self.owner.clone(), self.admin.clone(), self.cast.by(Who::Viewer));
        let id = |name: &str| self.id(name).to_owned();
        let at = |what: &str, name: &str| format!("/api/{what}/{}", self.id(name));
        let assistant = at("assistants", "assistant_id");
        Some(match thing {
            Thing::Group
            | Thing::Upload
            | Thing::ChatStream
            | Thing::ServiceAccount
            | Thing::ServiceToken => return None,
            Thing::Victim => (admin, at("users", "user_id"), id("user_id")),
            Thing::Logo => (admin, "/api/tenant-admin/logo".to_owned(), String::new()),
            Thing::Team => (viewer, at("teams", "team_id"), self.nicknamed("team")),
            Thing::Project => (owner, format!("{}/members", at("projects", "project_id")), id("group_id")),
            Thing::Skill => (viewer, at("skills/global", "skill_id"), id("skill_id")),
            Thing::Knowledge => (viewer, at("knowledge-bases", "knowledge_base_id"), id("knowledge_base_id")),
            Thing::Document => {
                let base = at("knowledge-bases", "knowledge_base_id");
                (owner, format!("{base}/documents"), id("knowledge-bases/document_id"))
            }
            Thing::BaseLink => {
                let base = at("knowledge-bases", "knowledge_base_id");
                (owner, format!("{base}/documents"), id("knowledge-bases/link"))
            }
            Thing::Assistant => (viewer, assistant, id("assistant_id")),
            Thing::Attached => (owner, format!("{assistant}/knowledge-bases"), id("knowledge_base_id")),
            Thing::File => (owner, format!("{assistant}/files"), id("assistants/file_id")),
            Thing::Link => (owner, format!("{assistant}/web-links"), id("assistants/document_id")),
            Thing::Data => (owner, format!("{assistant}/data"), id("data_id")),
            Thing::Draft => {
                let history = format!("/api/skills/assistant/{}/build/history", self.id("assistant_id"));
                (owner, history, id("skills/job_id"))
            }
            Thing::Conversation => (owner, at("conversations", "conversation_id"), id("message_id")),
            Thing::Held => {
                (owner, format!("{}/skills", at("conversations", "conversation_id")), id("skill_id"))
            }
            Thing::InProject => (owner, at("conversations", "conversation_id"), id("project_id")),
            Thing::Response => {
                let one = at("chat/partner_compatible/responses", "response_id");
                (owner, one, id("response_id"))
            }
            Thing::Workflow => (viewer, at("assistants", "workflows/assistant_id"), self.named("workflow")),
            Thing::WorkflowRun => {
                (owner, at("conversations", "workflows/conversation_id"), id("workflows/conversation_id"))
            }
            Thing::Automation => (owner, at("automations", "automation_id"), id("assistant_id")),
            Thing::AutomationRun => (owner, at("automations/runs", "automation_run_id"), id("automation_id")),
            Thing::Memory => (owner, "/api/memories".to_owned(), id("memory_id")),
            Thing::Video => (owner, "/api/video/jobs".to_owned(), id("video/job_id")),
            Thing::Token => (owner, at("auth/api-tokens", "token_id"), "\"revoked_at\":null".to_owned()),
            Thing::Invitation => (admin, "/api/tenant-admin/invitations".to_owned(), id("invitation_id")),
            Thing::JoinRequest => {
                (admin, "/api/tenant-admin/join-requests".to_owned(), id("join_request_id"))
            }
            Thing::Notice => (owner, "/api/notifications".to_owned(), id("notification_id")),
            Thing::Endpoint => (owner, "/api/notifications/endpoints".to_owned(), self.hook()),
            Thing::Package => (owner, "/api/catalog/installations".to_owned(), id("catalog/installation_id")),
            Thing::Enabled => (viewer, assistant, "\"enabled\":true".to_owned()),
        })
    }

    /// Sends a form with a file.
    pub async fn upload(&self, method: Method, path: &str, fields: &[Field<'_>]) -> Value {
        let answer = form(&self.owner, method, path, fields).await;
        assert!(matches!(answer.status, 200..=202), "{path}: {answer:?}");
        answer.json()
    }

    /// Posts as the owner and returns the response.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.owner.post(path, body).await;
        assert!(matches!(answer.status, 200..=202), "{path}: {answer:?}");
        answer.json()
    }

    /// Posts to an area that may not exist yet, and returns what was created.
    pub async fn try_post(&self, by: &Client, path: &str, body: Value) -> Option<Value> {
        let answer = by.post(path, body).await;
        if answer.status == 404 && answer.text().contains("route_not_found") {
            return None;
        }
        assert!(matches!(answer.status, 200..=202), "{path}: {answer:?}");
        Some(answer.json())
    }

    /// Stores the id from a response.
    pub fn take(&mut self, name: &str, value: &Value) {
        self.put(name, &text(value));
    }
}
