//! Objects of one tenant that other tenants must not reach.

use super::made_up::Choices;
use crate::harness::{Client, TestServer, text, until};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;

/// An id that no object has.
const NOTHING: &str = "01890000-0000-7000-8000-000000000000";

/// The values of path parameters.
pub struct Scene {
    ids: HashMap<&'static str, String>,
    before: Vec<(String, Value)>,
}

impl Choices for Scene {
    fn id(&self, name: &str) -> String {
        self.value(name)
    }
}

impl Scene {
    pub fn empty() -> Self {
        Self { ids: HashMap::new(), before: Vec::new() }
    }

    /// Creates an assistant, a conversation with a response, an API token and further objects of an
    /// editor.
    pub async fn set(server: &TestServer) -> Self {
        let editor = server.editor();
        let assistant = editor.post("/api/assistants", json!({"name": "Scene"})).await.created();
        let token = editor.post("/api/auth/api-tokens", json!({"name": "Scene"})).await.created();
        let conversation = text(&editor.post("/api/conversations", json!({})).await.created()["id"]);
        let completion = editor
            .request(Method::POST, &format!("/api/conversations/{conversation}/completion"))
            .header("content-type", "multipart/form-data; boundary=x")
            .body("--x\r\ncontent-disposition: form-data; name=\"message\"\r\n\r\nhello\r\n--x--\r\n");
        let answer = Client::send(completion).await;
        answer.expect(200);
        let stream = answer.header("x-stream-id").expect("a stream id").to_owned();
        let whole = editor.get(&format!("/api/conversations/{conversation}")).await.ok();
        let message = text(&whole["messages"][0]["id"]);
        let skill = Self::skill(&editor).await;
        let (base, document) = Self::knowledge(&editor).await;
        let (automation, run) = Self::automate(&editor, &text(&assistant["id"])).await;
        let data = format!("/api/assistants/{}/data", text(&assistant["id"]));
        let item = text(&editor.post(&data, json!({"data": {"scene": true}})).await.created()["id"]);
        let memory = text(&editor.post("/api/memories", json!({"content": "Scene"})).await.created()["id"]);
        let member = server.user_person().id.clone();
        let (project, team) = Self::people(&editor, &member).await;
        let (account, account_token) = Self::account(&server.admin()).await;
        let told = Self::told(server, &server.editor_person().id).await;
        let ids = HashMap::from([
            ("notification_id", told),
            ("project_id", project),
            ("team_id", team),
            ("member_user_id", member),
            ("service_account", account),
            ("token_of_service_account", account_token),
            ("data_id", item),
            ("automation_id", automation),
            ("skill_id", skill),
            ("memory_id", memory),
            ("knowledge_base_id", base),
            ("file_id", document.clone()),
            ("document_id", document),
            ("automation_run_id", run),
            ("assistant_id", text(&assistant["id"])),
            ("token_id", text(&token["id"])),
            ("conversation_id", conversation.clone()),
            ("stream_id", stream),
            ("message_id", message),
            ("user_id", server.editor_person().id.clone()),
            ("tenant_id", server.editor_person().tenant.clone()),
        ]);
        server.settled().await;
        let mut scene = Self { ids, before: Vec::new() };
        for path in [
            format!("/api/conversations/{conversation}"),
            format!("/api/assistants/{}", scene.value("assistant_id")),
            format!("/api/assistants/{}/data", scene.value("assistant_id")),
            format!("/api/auth/api-tokens/{}", scene.value("token_id")),
            format!("/api/automations/{}", scene.value("automation_id")),
            format!("/api/skills/global/{}", scene.value("skill_id")),
            format!("/api/knowledge-bases/{}", scene.value("knowledge_base_id")),
            format!(
                "/api/knowledge-bases/{}/documents/{}",
                scene.value("knowledge_base_id"),
                scene.value("document_id")
            ),
            format!("/api/automations/runs/{}", scene.value("automation_run_id")),
            format!("/api/projects/{}", scene.value("project_id")),
            format!("/api/projects/{}/members", scene.value("project_id")),
            format!("/api/teams/{}", scene.value("team_id")),
            "/api/notifications".to_owned(),
        ] {
            let shown = editor.get(&path).await.ok();
            scene.before.push((path, shown));
        }
        scene
    }

    /// Sends a notification to a user and returns its id.
    async fn told(server: &TestServer, user: &str) -> String {
        let body = json!({"user_ids": [user], "title": "Scene"});
        server.admin().post("/api/notifications/send", body).await.created();
        text(&server.editor().get("/api/notifications").await.ok()["items"][0]["id"])
    }

    /// A project and a team, with this user as a member of both.
    async fn people(editor: &Client, member: &str) -> (String, String) {
        let body = json!({"name": "Scene", "members": [{"kind": "user", "id": member}]});
        let team = text(&editor.post("/api/teams", body).await.created()["id"]);
        let project = text(&editor.post("/api/projects", json!({"name": "Scene"})).await.created()["id"]);
        let body = json!({"members": [{"kind": "user", "id": member, "level": "viewer"}]});
        editor.post(&format!("/api/projects/{project}/members"), body).await.created();
        (project, team)
    }

    /// A service account with a token.
    async fn account(admin: &Client) -> (String, String) {
        let path = "/api/tenant-admin/service-accounts";
        let account = text(&admin.post(path, json!({"display_name": "Scene"})).await.created()["id"]);
        let token = admin.post(&format!("{path}/{account}/api-tokens"), json!({"name": "Scene"})).await;
        (account, text(&token.created()["id"]))
    }

    /// A skill that only the editor can see.
    async fn skill(editor: &Client) -> String {
        let request = editor.request(Method::POST, "/api/skills/global");
        let request = request.header("content-type", "multipart/form-data; boundary=x").body(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"SKILL.md\"\r\n\r\n\
             ---\nname: Scene\ndescription: x\n---\nDo it.\r\n\
             --x\r\ncontent-disposition: form-data; name=\"visibility\"\r\n\r\nprivate\r\n--x--\r\n",
        );
        text(&Client::send(request).await.created()["id"])
    }

    /// A knowledge base with an indexed file.
    async fn knowledge(editor: &Client) -> (String, String) {
        let base = text(&editor.post("/api/knowledge-bases", json!({"name": "Scene"})).await.created()["id"]);
        let request = editor.request(Method::POST, &format!("/api/knowledge-bases/{base}/files?wait=true"));
        let request = request.header("content-type", "multipart/form-data; boundary=x").body(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\n\
             The moon pulls the sea.\r\n--x--\r\n",
        );
        let made = Client::send(request).await.created();
        (base, text(&made["items"][0]["id"]))
    }

    /// An automation that is only started manually, and a run of it that has ended.
    async fn automate(editor: &Client, assistant: &str) -> (String, String) {
        let body = json!({"name": "Scene", "assistant_id": assistant, "prompt": "hello"});
        let automation = text(&editor.post("/api/automations", body).await.created()["id"]);
        let run = editor.post(&format!("/api/automations/{automation}/run"), json!({})).await;
        let run = text(&run.expect(202).json()["id"]);
        let shown = async || editor.get(&format!("/api/automations/runs/{run}")).await.ok();
        until("the run has succeeded", async || shown().await["state"] == "succeeded").await;
        (automation, run)
    }

    /// The value of a parameter in this path. In the paths of service accounts, users are service
    /// accounts.
    pub fn of(&self, path: &str, name: &str) -> String {
        match (path.starts_with("/api/tenant-admin/service-accounts/"), name) {
            (true, "user_id") => self.value("service_account"),
            (true, "token_id") => self.value("token_of_service_account"),
            _ => self.value(name),
        }
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> String {
        match self.ids.get(name) {
            Some(id) => id.clone(),
            None if name.ends_with("id") || name.is_empty() => NOTHING.to_owned(),
            None => "made-up".to_owned(),
        }
    }

    /// Checks that nothing was changed.
    pub async fn still_stands(&self, server: &TestServer) {
        for (path, before) in &self.before {
            assert_eq!(server.editor().get(path).await.ok(), *before, "{path} was changed");
        }
    }
}
