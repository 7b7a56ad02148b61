//! Use of logins: requests of workflows and skills with the user's own token.

use serde_json::{Value, json};

use super::scene::{log_in, log_in_for, server, standing};
use crate::api::skills::scene::upload;
use crate::api::streams::reading::terminal;
use crate::api::workflows::scene::{Run, graph, node, outputs, workflow_for};
use crate::harness::fake_authority::FakeAuthority;
use crate::harness::{Client, PASSWORD, Person, TestServer, until};

/// Creates a workflow that requests issues from the service and is approved for it.
async fn asking(author: &Client, url: &str) -> String {
    let id = not_approved(author, url).await;
    approve(author, &id).await;
    id
}

async fn not_approved(author: &Client, url: &str) -> String {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("ask", "http", json!({"url": url}), json!({"config": {"service": "tracker"}})),
        node("done", "end", json!({"body": "{{ ask.body }}"}), json!({})),
    ];
    workflow_for(author, graph(json!({}), nodes, &["start ask", "ask done"]), "tenant").await
}

async fn approve(author: &Client, id: &str) {
    let path = format!("/api/assistants/{id}/approved-external-services");
    author.put(&path, json!({"services": ["service:tracker"]})).await.ok();
}

/// Runs the workflow and returns its output or its error code.
async fn run(who: &Client, id: &str) -> Result<Value, Value> {
    let events = Run::start(who, id, json!({})).await.events(who).await;
    match terminal(&events)["status"] == "succeeded" {
        true => Ok(outputs(&events)["body"].clone()),
        false => Err(terminal(&events)["error"]["code"].clone()),
    }
}

async fn scene() -> (FakeAuthority, TestServer, String) {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let issues = format!("{}/api/issues", authority.issuer());
    (authority, server, issues)
}

#[tokio::test]
async fn workflow_uses_the_login_of_its_user_without_seeing_the_token() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    let id = asking(&editor, &issues).await;
    assert_eq!(run(&editor, &id).await, Err(json!("login_required")));
    log_in(&server, &editor, &authority).await;
    let got = run(&editor, &id).await.expect("an answer");
    assert_eq!(got, json!({"issues": ["one"], "you sent": "[secret]"}));

    // The token is not sent to other addresses, and without an approval no request is sent at all.
    let before = authority.seen("/mcp").len();
    let other = crate::harness::counting_server::CountingServer::start().await;
    for url in [other.url("/x"), issues.replace("127.0.0.1", "localhost")] {
        let id = asking(&editor, &url).await;
        assert_eq!(run(&editor, &id).await, Err(json!("service_not_allowed")), "{url}");
    }
    assert_eq!((other.seen().len(), authority.seen("/mcp").len()), (0, before));
    let id = not_approved(&editor, &issues).await;
    assert_eq!(run(&editor, &id).await, Err(json!("service_not_allowed")));
    let asked = format!("/api/assistants/{id}/approved-external-services");
    let faults = editor.put(&asked, json!({"services": ["service:other"]})).await.faults();
    assert_eq!(faults, ["body.services.0"]);
}

#[tokio::test]
async fn changed_graph_requires_a_new_approval() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    log_in(&server, &editor, &authority).await;
    let id = asking(&editor, &issues).await;
    let path = format!("/api/assistants/{id}");
    let mut graph = editor.get(&path).await.ok()["workflow"].clone();
    editor.patch(&path, json!({"workflow": graph.clone(), "description": "the same"})).await.ok();
    run(&editor, &id).await.expect("an answer");
    graph["nodes"][1]["config"]["method"] = "POST".into();
    let changed = editor.patch(&path, json!({"workflow": graph})).await.ok();
    assert_eq!(changed["approved_external_services"], json!([]));
    assert_eq!(run(&editor, &id).await, Err(json!("service_not_allowed")));
}

/// Creating and sharing an assistant does not give its author the use of other users' logins.
#[tokio::test]
async fn login_is_used_by_other_users_assistants_only_if_allowed() {
    let (authority, server, issues) = scene().await;
    let (editor, user) = (server.editor(), server.user());
    let (id, other) = (asking(&editor, &issues).await, asking(&editor, &issues).await);
    log_in(&server, &user, &authority).await;
    assert_eq!(run(&user, &id).await, Err(json!("login_required")));
    log_in_for(&server, &user, &authority, json!({"assistant_id": id})).await;
    run(&user, &id).await.expect("an answer");
    assert_eq!(run(&user, &other).await, Err(json!("login_required")));
    log_in(&server, &user, &authority).await;
    run(&user, &id).await.expect("the permission is kept");
    assert_eq!(run(&editor, &id).await, Err(json!("login_required")), "each with their own login");
}

#[tokio::test]
async fn rejected_token_is_renewed_once_for_concurrent_requests() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    log_in(&server, &editor, &authority).await;
    let id = asking(&editor, &issues).await;
    authority.expire_access();
    authority.close_gate();
    let runs: Vec<_> = (0..20)
        .map(|_| {
            let (editor, id) = (editor.clone(), id.clone());
            tokio::spawn(async move { run(&editor, &id).await })
        })
        .collect();
    until("all have been turned away", async || authority.seen("/api/issues").len() == 20).await;
    authority.open_gate();
    for run in runs {
        run.await.expect("no panic").expect("an answer");
    }
    assert_eq!(authority.grants_of("refresh_token"), 1, "a second one would have ended the login");
    assert_eq!(authority.seen("/api/issues").len(), 40);
}

#[tokio::test]
async fn tokens_are_renewed_before_they_expire() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    authority.behave(|behaviour| behaviour.life = 0);
    log_in(&server, &editor, &authority).await;
    let id = asking(&editor, &issues).await;
    authority.behave(|behaviour| behaviour.life = 3_600);
    run(&editor, &id).await.expect("an answer");
    run(&editor, &id).await.expect("an answer");
    assert_eq!((authority.grants_of("refresh_token"), authority.seen("/api/issues").len()), (1, 2));
}

#[tokio::test]
async fn expired_login_is_reported_once() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    log_in(&server, &editor, &authority).await;
    let id = asking(&editor, &issues).await;
    authority.behave(|behaviour| behaviour.token_answer = Some((503, "{}".into())));
    authority.expire_access();
    assert_eq!(
        run(&editor, &id).await,
        Err(json!("login_unavailable")),
        "an unavailable authority does not end the login"
    );
    assert_eq!(standing(&editor).await["status"], "connected");
    authority.behave(|behaviour| behaviour.token_answer = None);
    authority.end_grants();
    assert_eq!(run(&editor, &id).await, Err(json!("http_status")), "the service's own error");
    assert_eq!(run(&editor, &id).await, Err(json!("login_required")));
    assert_eq!(standing(&editor).await["status"], "expired");
    let notices = editor.get("/api/notifications").await.ok();
    authority.keeps_secrets(&notices.to_string());
    let told =
        notices["items"].as_array().expect("items").iter().filter(|one| one["type"] == "connection.expired");
    assert_eq!(told.map(|one| one["data"].clone()).collect::<Vec<_>>(), [json!({"service": "tracker"})]);
    log_in(&server, &editor, &authority).await;
    run(&editor, &id).await.expect("an answer");
}

/// Requests an address with the login, or returns the reason why it could not.
const CALLER: &str = r#"
const skill = { name: "Issues", description: "Reads issues.", services: ["service:tracker"] };
const functions = {
  issues: {
    description: "Issues.",
    parameters: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
    async run({ url }, host) { return (await host.fetch(url, { service: "tracker" })).body; },
  },
};
"#;

#[tokio::test]
async fn skill_function_uses_the_login_without_seeing_the_token() {
    let (authority, server, issues) = scene().await;
    let editor = server.editor();
    let skill = upload(&editor, "issues.js", CALLER.as_bytes()).await.created();
    assert_eq!(skill["services"], json!(["service:tracker"]));
    let made =
        editor.post("/api/assistants", json!({"name": "Ada", "skills": [skill["id"]]})).await.created();
    let id = crate::harness::text(&made["id"]);
    let call = async |url: &str| {
        let path = format!("/api/assistants/{id}/functions/issues");
        editor.post(&path, json!({"arguments": {"url": url}})).await
    };
    let failing = async |url: &str, words: &str| {
        let told = call(url).await.problem(500, "function_failed");
        assert!(told.to_string().contains(words), "{told}");
    };
    log_in(&server, &editor, &authority).await;
    failing(&issues, "is not approved").await;
    approve(&editor, &id).await;
    assert_eq!(call(&issues).await.ok()["result"], json!({"issues": ["one"], "you sent": "[secret]"}));
    failing("http://127.0.0.1:9/x", "may not be used at this address").await;
    editor.post(super::scene::LOGOUT, json!({})).await.ok();
    failing(&issues, "has to log in at tracker").await;
}

/// An approval by a previous owner or an administrator does not open the logins of the present owner.
#[tokio::test]
async fn login_of_the_owner_requires_the_owners_approval() {
    let (authority, server, issues) = scene().await;
    let (editor, admin) = (server.editor(), server.admin());
    let body =
        json!({"email": "zoe@example.org", "password": PASSWORD, "role": "editor", "display_name": "Zoe"});
    admin.post("/api/auth/users", body).await.created();
    let zoe = Person::log_in(&server.url(), "zoe@example.org", PASSWORD).await;
    let hers = server.client(&zoe.access_token);
    for who in [&editor, &hers] {
        log_in(&server, who, &authority).await;
    }
    let id = asking(&editor, &issues).await;
    run(&editor, &id).await.expect("an answer");
    let seen = authority.seen("/api/issues").len();
    // An approval by an administrator does not replace the owner's.
    approve(&admin, &id).await;
    assert_eq!(run(&editor, &id).await, Err(json!("login_required")));
    let path = format!("/api/control-tower/overview/{id}/transfer-ownership");
    admin.post(&path, json!({"new_owner_id": zoe.id})).await.ok();
    let shown = hers.get(&format!("/api/assistants/{id}")).await.ok();
    assert_eq!((&shown["approved_external_services"], &shown["approved_by"]), (&json!([]), &Value::Null));
    assert_eq!(run(&hers, &id).await, Err(json!("service_not_allowed")));
    approve(&admin, &id).await;
    assert_eq!(run(&hers, &id).await, Err(json!("login_required")));
    assert_eq!(authority.seen("/api/issues").len(), seen);
    approve(&hers, &id).await;
    run(&hers, &id).await.expect("an answer");
    assert_eq!(run(&editor, &id).await, Err(json!("login_required")));
    log_in_for(&server, &editor, &authority, json!({"assistant_id": id})).await;
    run(&editor, &id).await.expect("the user allowed it");
}
