//! Creates the objects of a world.

use reqwest::Method;
use serde_json::json;
use storage::TenantId;
use storage::records::{Governed, Group, GroupMember};

use super::callers::Who;
use super::world::{PACKAGE, Thing, World};
use crate::api::skills::scene::{Field, TWICE, archive, form, words};
use crate::api::workflows::scene::{Run, approval};
use crate::harness::{Client, PASSWORD, Person, TestServer};

/// An image of one pixel.
pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";

impl World {
    /// A group of the directory with the viewer as a member.
    pub async fn group(&mut self, server: &TestServer) {
        let tenant: uuid::Uuid = self.cast.owner.tenant.parse().expect("an id");
        let viewer: uuid::Uuid = self.cast.viewer.id.parse().expect("an id");
        let id = storage::new_id();
        let name = self.nicknamed("group");
        let made = server.store().run(move |tx| {
            let body = Group { external_id: id.to_string(), name: name.clone(), ..Group::default() };
            tx.insert(TenantId(tenant), id, body)?;
            tx.insert(TenantId(tenant), (viewer, id), GroupMember::default())?;
            Governed::note(tx, TenantId(tenant), |governed| governed.groups = true)
        });
        let made: storage::Result<()> = made.await;
        made.expect("a group");
        self.put("group_id", &id.to_string());
    }

    /// Creates an object, together with the objects that belong to it.
    pub async fn make(&mut self, thing: Thing) {
        match thing {
            Thing::Group => {}
            Thing::Victim => {
                let email = format!("{}@victim.example.org", storage::new_id().simple());
                // An administrator of one of several tenants can invite people, but cannot set their passwords.
                let body = json!({"emails": [email], "role": "user"});
                let invited = self.admin.post("/api/tenant-admin/invitations", body).await.ok();
                let link = invited["items"][0]["link"].as_str().expect("a link").to_owned();
                let token = link.rsplit('=').next().unwrap_or_default();
                let accept = format!("/api/auth/invitations/{token}/accept");
                let body = json!({"display_name": "Victim", "password": PASSWORD});
                Client::new(self.admin.url().to_owned(), None).post(&accept, body).await.ok();
                let victim = Person::log_in(self.admin.url(), &email, PASSWORD).await;
                self.put("user_id", &victim.id);
            }
            Thing::Logo => {
                let file = [Field::File("logo.png", PNG)];
                form(&self.admin, Method::POST, "/api/tenant-admin/logo/upload", &file).await;
            }
            Thing::Team => self.make_team().await,
            Thing::Project => self.make_project().await,
            Thing::Skill => self.make_skill().await,
            Thing::Knowledge => {
                let made = self.post("/api/knowledge-bases", self.shared("base")).await;
                self.take("knowledge_base_id", &made["id"]);
                self.make_document().await;
                self.make_base_link().await;
            }
            Thing::BaseLink => self.make_base_link().await,
            Thing::Document => self.make_document().await,
            Thing::Assistant => self.make_assistant().await,
            Thing::Attached => {
                let body = json!({"knowledge_base_id": self.id("knowledge_base_id")});
                self.post(&self.assistant("/knowledge-bases"), body).await;
            }
            Thing::File => self.make_file().await,
            Thing::Link => self.make_link().await,
            Thing::Data => {
                let body = json!({"data": {"said": self.named("data")}});
                let made = self.post(&self.assistant("/data"), body).await;
                self.take("data_id", &made["id"]);
            }
            Thing::Draft => {
                let path = format!("/api/skills/assistants/{}/build", self.id("assistant_id"));
                let made = self.post(&path, json!({"prompt": self.named("draft")})).await;
                self.take("skills/job_id", &made["job_id"]);
            }
            Thing::Conversation => self.make_conversation().await,
            Thing::Held => self.hold_skill().await,
            Thing::InProject => {
                let home = self.id("conversation_id");
                let path = format!("/api/projects/{}/conversations/{home}", self.id("project_id"));
                self.try_post(&self.owner, &path, json!({})).await;
            }
            Thing::Upload => self.make_upload().await,
            Thing::ChatStream => {
                let body =
                    json!({"messages": [{"role": "user", "content": self.named("chat")}], "stream": true});
                let answer = self.owner.post("/api/chat/completion", body).await;
                let stream = answer.expect(200).header("x-stream-id").expect("a stream").to_owned();
                self.put("chat/stream_id", &stream);
            }
            Thing::Response => {
                // Created at an assistant's address, so that it is found there and at the address without an assistant.
                let path = format!("/api/chat/partner_compatible/{}/responses", self.id("assistant_id"));
                let made = self.post(&path, json!({"input": self.named("response")})).await;
                self.take("response_id", &made["id"]);
            }
            Thing::Workflow => {
                let mut body = self.shared("workflow");
                body["type"] = json!("workflow");
                body["workflow"] = approval(None);
                let made = self.post("/api/assistants", body).await;
                self.take("workflows/assistant_id", &made["id"]);
            }
            Thing::WorkflowRun => self.make_workflow_run().await,
            Thing::Automation => {
                let body = json!({"name": self.named("automation"), "assistant_id": self.id("assistant_id"),
                    "prompt": self.named("automation")});
                let made = self.post("/api/automations", body).await;
                self.take("automation_id", &made["id"]);
                self.make_automation_run().await;
            }
            Thing::AutomationRun => self.make_automation_run().await,
            Thing::Memory => {
                let made = self.post("/api/memories", json!({"content": self.named("memory")})).await;
                self.take("memory_id", &made["id"]);
            }
            Thing::Video => {
                let body = json!({"prompt": self.named("video"), "model": "builtin/clip", "size": "320x180",
                    "seconds": 1});
                let made = self.post("/api/video/generate", body).await;
                self.take("video/job_id", &made["job_id"]);
                let path = format!("/api/video/jobs/{}/status", self.id("video/job_id"));
                until(&self.owner, &path, "completed").await;
            }
            Thing::Token => {
                let body = json!({"name": self.named("token")});
                let made = self.post("/api/auth/api-tokens", body).await;
                self.take("token_id", &made["id"]);
            }
            Thing::ServiceAccount => self.make_service().await,
            Thing::ServiceToken => {}
            Thing::Invitation => self.make_invitation().await,
            Thing::JoinRequest => self.make_join_request().await,
            Thing::Notice => self.make_notice().await,
            Thing::Endpoint => {
                let body = json!({"kind": "webhook", "url": self.hook(), "label": self.named("hook")});
                let made = self.post("/api/notifications/endpoints", body).await;
                self.take("endpoint_id", &made["id"]);
            }
            Thing::Package => self.make_package().await,
            Thing::Enabled => {
                let path = format!("/api/control-tower/overview/{}/enable", self.id("assistant_id"));
                self.admin.post(&path, json!({})).await.ok();
            }
        }
    }

    /// A path below the assistant.
    pub fn assistant(&self, below: &str) -> String {
        format!("/api/assistants/{}{below}", self.id("assistant_id"))
    }

    async fn make_assistant(&mut self) {
        let mut body = self.shared("assistant");
        body["system_prompt"] = json!(self.named("prompt"));
        body["skills"] = json!([self.id("skill_id")]);
        body["tool_servers"] = self.tool_servers();
        let made = self.post("/api/assistants", body).await;
        self.take("assistant_id", &made["id"]);
        self.upload(Method::POST, &self.assistant("/avatar/upload"), &[Field::File("a.png", PNG)]).await;
        self.make_file().await;
        self.make_link().await;
    }

    async fn make_skill(&mut self) {
        let words = words(&self.named("skill"));
        let bundle = archive(&[("SKILL.md", &words), ("twice.js", TWICE)]);
        let grants = self.grants().to_string();
        let fields = [
            Field::File("a.skill", &bundle),
            Field::Text("visibility", "shared"),
            Field::Text("grants", &grants),
        ];
        let made = self.upload(Method::POST, "/api/skills/global", &fields).await;
        self.take("skill_id", &made["id"]);
        let path = format!("/api/skills/global/{}/avatar/upload", self.id("skill_id"));
        self.upload(Method::POST, &path, &[Field::File("a.png", PNG)]).await;
    }

    async fn make_document(&mut self) {
        let path = format!("/api/knowledge-bases/{}", self.id("knowledge_base_id"));
        let words = format!("{} pulls the sea.", self.named("document"));
        let file = [Field::File("a.md", words.as_bytes())];
        let made = self.upload(Method::POST, &format!("{path}/files?wait=true"), &file).await;
        self.take("knowledge-bases/file_id", &made["items"][0]["id"]);
        let file = self.id("knowledge-bases/file_id").to_owned();
        self.put("knowledge-bases/document_id", &file);
    }

    async fn make_base_link(&mut self) {
        let path = format!("/api/knowledge-bases/{}/links", self.id("knowledge_base_id"));
        let made = self.post(&path, json!({"url": format!("http://127.0.0.1:9/{}", self.cast.mark)})).await;
        self.take("knowledge-bases/link", &made["id"]);
    }

    async fn make_file(&mut self) {
        let words = format!("{} is read.", self.named("file"));
        let file = [Field::File("b.md", words.as_bytes())];
        let made = self.upload(Method::POST, &self.assistant("/files?wait=true"), &file).await;
        self.take("assistants/file_id", &made["files"][0]["id"]);
    }

    async fn make_link(&mut self) {
        let body = json!({"url": format!("http://127.0.0.1:9/{}", self.cast.mark)});
        let made = self.post(&self.assistant("/web-links"), body).await;
        self.take("assistants/document_id", &made["id"]);
    }

    async fn make_conversation(&mut self) {
        let made = self.post("/api/conversations", json!({"title": self.named("conversation")})).await;
        self.take("conversation_id", &made["id"]);
        let home = format!("/api/conversations/{}", self.id("conversation_id"));
        self.make_upload().await;
        let notes = self.named("attachment");
        let url = self.id("upload_url").to_owned();
        let path = url.split_once("/api/").map(|(_, path)| format!("/api/{path}")).expect("a path");
        let request = self.owner.request(Method::PUT, &path).header("content-type", "text/plain");
        let came = Client::send(request.body(notes)).await.created();
        self.take("blob_id", &came["blob_id"]);
        let body = json!({"message": self.named("message"), "uploads": [self.id("upload_id")],
            "parameters": {"length": 3}});
        let answer = self.owner.post(&format!("{home}/completion"), body).await;
        let stream = answer.expect(200).header("x-stream-id").expect("a stream").to_owned();
        self.put("stream_id", &stream);
        let whole = self.owner.get(&home).await.ok();
        self.take("message_id", &whole["messages"][0]["id"]);
        self.post(&format!("{home}/user_data/note"), json!({"value": {"said": self.named("user data")}}))
            .await;
        self.make_upload().await;
        self.hold_skill().await;
    }

    async fn hold_skill(&mut self) {
        let skill =
            format!("/api/conversations/{}/skills/{}", self.id("conversation_id"), self.id("skill_id"));
        let added = self.owner.post(&skill, json!({})).await;
        assert!(matches!(added.status, 200..=204), "{added:?}");
    }

    /// The signed URL of a file that has not been uploaded yet.
    async fn make_upload(&mut self) {
        let home = format!("/api/conversations/{}", self.id("conversation_id"));
        let size = self.named("attachment").len();
        let body = json!({"filename": "notes.txt", "media_type": "text/plain", "size": size});
        let signed = self.post(&format!("{home}/signed-upload-url"), body).await;
        self.take("upload_id", &signed["upload_id"]);
        self.take("upload_url", &signed["url"]);
    }

    async fn make_workflow_run(&mut self) {
        let path = format!("/api/workflows/{}/runs", self.id("workflows/assistant_id"));
        let answer =
            self.owner.post(&path, json!({"inputs": {"what": self.named("run")}, "mode": "async"})).await;
        assert!(matches!(answer.status, 200..=202), "{answer:?}");
        let run = Run::of(self.id("workflows/assistant_id"), &answer.json());
        run.until_state(&self.owner, "waiting").await;
        // The notification is sent once no reader is attached to the run. Without this wait it would arrive in the middle of a walk.
        crate::harness::until("the notification of the form was sent", async || {
            let list = self.owner.get("/api/notifications?limit=100").await.json();
            let items = list["items"].as_array().expect("a list");
            items.iter().any(|one| one["data"]["conversation_id"] == run.conversation)
        })
        .await;
        self.put("workflows/conversation_id", &run.conversation);
    }

    async fn make_automation_run(&mut self) {
        let path = format!("/api/automations/{}/run", self.id("automation_id"));
        let run = self.post(&path, json!({})).await;
        self.take("automation_run_id", &run["id"]);
        until(&self.owner, &format!("/api/automations/runs/{}", self.id("automation_run_id")), "succeeded")
            .await;
    }

    async fn make_team(&mut self) {
        let user = |id: &str| json!({"kind": "user", "id": id});
        let Some(made) =
            self.try_post(&self.owner, "/api/teams", json!({"name": self.nicknamed("team")})).await
        else {
            return;
        };
        self.take("team_id", &made["id"]);
        let path = format!("/api/teams/{}/members", self.id("team_id"));
        let principals = json!({"principals": [user(&self.cast.viewer.id), user(&self.cast.editor.id)]});
        self.owner.put(&path, principals).await.expect(200);
    }

    async fn make_project(&mut self) {
        let body = json!({"name": self.named("project"), "instructions": self.named("instructions")});
        let Some(made) = self.try_post(&self.owner, "/api/projects", body).await else { return };
        self.take("project_id", &made["id"]);
        let path = format!("/api/projects/{}/members", self.id("project_id"));
        let member = |kind: &str, id: &str, level: &str| json!({"kind": kind, "id": id, "level": level});
        let body = json!({"members": [member("user", &self.cast.viewer.id, "viewer"),
            member("user", &self.cast.editor.id, "editor"), member("group", self.id("group_id"), "viewer")]});
        self.post(&path, body).await;
    }

    async fn make_service(&mut self) {
        let accounts = "/api/tenant-admin/service-accounts";
        let body = json!({"display_name": self.nicknamed("account"), "role": "user"});
        let Some(made) = self.try_post(&self.admin, accounts, body).await else { return };
        self.take("service-accounts/user_id", &made["id"]);
        let tokens = format!("{accounts}/{}/api-tokens", self.id("service-accounts/user_id"));
        let body = json!({"name": self.nicknamed("account's token"), "scopes": []});
        let made = self.try_post(&self.admin, &tokens, body).await.expect("a token");
        self.take("service-accounts/token_id", &made["id"]);
    }

    /// Sends a notification to the owner.
    async fn make_notice(&mut self) {
        let body = json!({"user_ids": [self.cast.owner.id], "title": self.named("notice")});
        self.admin.post("/api/notifications/send", body).await.created();
        let told = self.owner.get("/api/notifications").await.ok();
        self.take("notification_id", &told["items"][0]["id"]);
    }

    async fn make_package(&mut self) {
        let path = format!("/api/catalog/packages/{PACKAGE}/install");
        let made = self.owner.post(&path, json!({"name": self.named("package")})).await.created();
        self.take("catalog/installation_id", &made["id"]);
    }

    async fn make_invitation(&mut self) {
        let address = format!("{}@invited.example.org", storage::new_id().simple());
        let body = json!({"emails": [address], "role": "user"});
        let Some(made) = self.try_post(&self.admin, "/api/tenant-admin/invitations", body).await else {
            return;
        };
        self.take("invitation_id", &made["items"][0]["invitation_id"]);
        let link = made["items"][0]["link"].as_str().expect("a link");
        self.put("token", link.rsplit(['/', '=', '#']).next().unwrap_or_default());
    }

    /// A sign-up that waits for approval.
    async fn make_join_request(&mut self) {
        let mode = self.admin.put("/api/tenant-admin/provisioning-mode", json!({"mode": "approval"})).await;
        if mode.status == 404 {
            return;
        }
        let email = format!("{}@joining.example.org", storage::new_id().simple());
        let body = json!({"tenant": self.id("tenant_id"), "email": email, "password": PASSWORD,
            "display_name": self.nicknamed("newcomer")});
        self.cast.by(Who::Anonymous).post("/api/auth/register", body).await.expect(202);
        let list = self.admin.get("/api/tenant-admin/join-requests").await.ok();
        let asked = list["items"].as_array().into_iter().flatten().find(|it| it["email"] == email.as_str());
        self.put("join_request_id", asked.and_then(|it| it["id"].as_str()).expect("a request"));
    }
}

/// Waits until the object at a path is in this state.
async fn until(client: &Client, path: &str, state: &str) {
    let wanted = format!("\"{state}\"");
    let is_so = async || {
        let answer = client.get(path).await;
        assert!(state == "failed" || !answer.text().contains("\"failed\""), "{path}: {answer:?}");
        answer.text().contains(&wanted)
    };
    crate::harness::until(&format!("{path} is {state}"), is_so).await;
}
