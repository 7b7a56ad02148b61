//! Limits on the number of rows hold under concurrent requests.

use futures::future::join_all;
use serde_json::{Value, json};
use storage::records::{Automation, Membership, Role, SkillDraft, SkillDraftState, User, UserKind};
use storage::{Scan, TenantId, Tx, new_id};
use uuid::Uuid;

use super::streams::reading::unlimited;
use crate::harness::{Answer, Client, TestServer, text};

/// The number of concurrent requests.
const AT_ONCE: usize = 12;
/// The number of requests that the limit allows.
const ROOM: usize = 3;

async fn server() -> TestServer {
    TestServer::start_with(unlimited).await
}

async fn write(server: &TestServer, f: impl FnMut(&mut Tx) -> storage::Result<()> + Send + 'static) {
    server.store().run(f).await.expect("the rows are written");
}

/// Sends this many identical requests concurrently and returns how many were accepted.
async fn accepted(client: &Client, path: &str, body: impl Fn(usize) -> Value) -> usize {
    let sent = (0..AT_ONCE).map(|n| client.post(path, body(n)));
    let answers: Vec<Answer> = join_all(sent).await;
    let refused = answers.iter().filter(|answer| matches!(answer.status, 409 | 422 | 429)).count();
    let accepted = answers.iter().filter(|answer| matches!(answer.status, 201 | 202)).count();
    let others: Vec<_> = answers.iter().filter(|answer| answer.status >= 500).map(Answer::text).collect();
    assert_eq!(accepted + refused, AT_ONCE, "{others:?}");
    accepted
}

fn id_of(person: &str) -> Uuid {
    person.parse().expect("an id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_automations_per_user_holds_under_concurrency() {
    let server = server().await;
    let editor = server.editor();
    let made = editor.post("/api/assistants", json!({"name": "Ada"})).await.created();
    let (tenant, owner) =
        (TenantId(id_of(&server.editor_person().tenant)), id_of(&server.editor_person().id));
    write(&server, move |tx| {
        let one = || Automation { owner, ..Automation::default() };
        (0..1_000 - ROOM).try_for_each(|_| tx.insert(tenant, new_id(), one()).map(drop))
    })
    .await;
    let new = json!({"name": "Tides", "assistant_id": made["id"], "prompt": "Tell me of the tides."});
    assert_eq!(accepted(&editor, "/api/automations", |_| new.clone()).await, ROOM);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_service_accounts_per_tenant_holds_under_concurrency() {
    let server = server().await;
    let tenant = id_of(&server.admin_person().tenant);
    write(&server, move |tx| {
        for _ in 0..500 - ROOM {
            let id = new_id();
            let (email, kind) = (format!("{id}@example.org"), UserKind::ServiceAccount);
            tx.insert(TenantId::SYSTEM, id, User { email, kind, ..User::default() })?;
            let member = Membership { role: Role::User, ..Membership::default() };
            tx.insert(TenantId::SYSTEM, (id, tenant), member)?;
        }
        Ok(())
    })
    .await;
    let path = "/api/tenant-admin/service-accounts";
    let new = |n| json!({"display_name": format!("Robot {n}"), "role": "user"});
    assert_eq!(accepted(&server.admin(), path, new).await, ROOM);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_notification_endpoints_per_user_holds_under_concurrency() {
    let server = server().await;
    let user = server.user();
    let path = "/api/notifications/endpoints";
    let new = |n: usize| json!({"kind": "webhook", "url": format!("http://127.0.0.1:9/{n}")});
    for n in 0..20 - ROOM {
        user.post(path, new(1_000 + n)).await.created();
    }
    assert_eq!(accepted(&user, path, new).await, ROOM);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_skill_drafts_per_assistant_holds_under_concurrency() {
    let server = server().await;
    let editor = server.editor();
    let body = json!({"name": "Builder", "model": "builtin/scribe"});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let (tenant, home) = (TenantId(id_of(&server.editor_person().tenant)), id_of(&assistant));
    write(&server, move |tx| {
        for _ in 0..100 - ROOM {
            let draft = SkillDraft { state: SkillDraftState::Failed, ..SkillDraft::default() };
            tx.insert(tenant, (home, new_id()), draft)?;
        }
        Ok(())
    })
    .await;
    let path = format!("/api/skills/assistants/{assistant}/build");
    let new = |_| json!({"prompt": "A skill that doubles numbers.", "skill_filename": "twice.skill"});
    assert_eq!(accepted(&editor, &path, new).await, ROOM);
    let drafts = server.store().read_now::<_, storage::Error>(|reader| {
        reader.count::<SkillDraft>(tenant, Scan::table().prefix(home.as_bytes().to_vec()))
    });
    assert_eq!(drafts.expect("the store reads"), 100);
}

#[tokio::test]
async fn limits_are_settings_and_refusals_name_and_count_them() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.limits.automations_per_user = 1;
        config.limits.api_tokens_per_user = 1;
        config.limits.data_items_per_assistant = 1;
        config.limits.documents_per_knowledge_base = 1;
        config.limits.memories_per_user = 1;
        config.limits.notification_endpoints_per_user = 1;
        config.limits.service_accounts_per_tenant = 1;
    })
    .await;
    let (admin, editor) = (server.admin(), server.editor());
    let assistant = text(&editor.post("/api/assistants", json!({"name": "Ada"})).await.created()["id"]);
    let base = editor.post("/api/knowledge-bases", json!({"name": "Tides"})).await.created();
    let automation = json!({"name": "Tides", "assistant_id": assistant, "prompt": "Tell me of the tides."});
    let link = |n: u8| json!({"url": format!("https://example.org/{n}")});
    let cases = [
        (&editor, "/api/automations".to_owned(), [automation.clone(), automation], "automations_per_user"),
        (
            &editor,
            format!("/api/assistants/{assistant}/data"),
            [json!({"data": {}}), json!({"data": {}})],
            "data_items_per_assistant",
        ),
        (
            &editor,
            format!("/api/knowledge-bases/{}/links", text(&base["id"])),
            [link(1), link(2)],
            "documents_per_knowledge_base",
        ),
        (
            &editor,
            "/api/memories".to_owned(),
            [json!({"content": "Tea."}), json!({"content": "Rye."})],
            "memories_per_user",
        ),
        (
            &admin,
            "/api/tenant-admin/service-accounts".to_owned(),
            [json!({"display_name": "One"}), json!({"display_name": "Two"})],
            "service_accounts_per_tenant",
        ),
        (
            &editor,
            "/api/auth/api-tokens".to_owned(),
            [json!({"name": "one"}), json!({"name": "two"})],
            "api_tokens_per_user",
        ),
    ];
    let setting = |name: &str| format!("limits.{name}");
    for (client, path, [first, second], name) in cases {
        let accepted = client.post(&path, first).await;
        assert!(accepted.status < 300, "{path}: {accepted:?}");
        let refused = client.post(&path, second).await.problem(409, "limit_reached");
        assert_eq!(
            (&refused["setting"], &refused["limit"], &refused["current"]),
            (&json!(setting(name)), &json!(1), &json!(1))
        );
        let metrics = server.anonymous().get("/metrics").await.text();
        let counted = format!("understudy_stored_limit_refusals_total{{limit=\"limits.{name}\"}}");
        assert!(metrics.contains(&counted), "{counted}");
    }
}
