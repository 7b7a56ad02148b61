//! Rights to have skills built, and the lifetime of drafts.

use serde_json::json;

use super::builder::{assistant, build, done, history};
use super::scene::{bundle, upload};
use crate::api::usage::scene::{QUARTER, within_one};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text, until};

#[tokio::test]
async fn builds_and_drafts_require_an_editor_of_the_assistant() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let body = json!({"name": "Shared", "visibility": "tenant", "model": "builtin/scribe"});
    let id = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let draft = done(&editor, &build(&editor, &id, json!({"prompt": "Be kind."})).await).await;
    let (job, path) = (text(&draft["job_id"]), format!("/api/skills/assistants/{id}/build"));
    let one = format!("{}/{job}", history(&id));
    let user = server.user();
    user.post(&path, json!({"prompt": "Be kind."})).await.problem(403, "not_allowed");
    for path in [history(&id), one.clone(), format!("{one}/stream")] {
        user.get(&path).await.problem(403, "not_allowed");
        server.stranger().get(&path).await.not_found();
    }
    user.delete(&one).await.problem(403, "not_allowed");
    server.stranger().delete(&one).await.not_found();
    server.stranger().post(&path, json!({"prompt": "x"})).await.not_found();
    // Administrators manage what is shared.
    assert_eq!(server.admin().get(&one).await.ok()["prompt"], "Be kind.");

    let reads = server.token(&["skills:read"]).await;
    assert_eq!(reads.get(&history(&id)).await.ok()["items"][0]["job_id"], json!(job));
    reads.post(&path, json!({"prompt": "x"})).await.problem(403, "scope_missing");
    reads.delete(&one).await.problem(403, "scope_missing");
    let writes = server.token(&["skills:write"]).await;
    writes.get(&history(&id)).await.problem(403, "scope_missing");
    writes.delete(&one).await.no_content();
    editor.get(&one).await.not_found();
    editor.delete(&one).await.not_found();
    editor.get(&format!("{}/no-id", history(&id))).await.not_found();
    editor.delete(&format!("{}/no-id", history(&id))).await.not_found();
}

#[tokio::test]
async fn faulty_build_requests_start_nothing() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = assistant(&editor, "builtin/scribe").await;
    let path = format!("/api/skills/assistants/{id}/build");
    for (body, faults) in [
        (json!({}), &["body.prompt"][..]),
        (json!({"prompt": " "}), &["body.prompt"]),
        (json!({"prompt": "x", "skill_filename": "a/b.skill"}), &["body.skill_filename"]),
        (json!({"prompt": "x", "skill_filename": ".skill"}), &["body.skill_filename"]),
        (
            json!({"prompt": "x".repeat(20_001), "skill_filename": "a.exe", "more": 1}),
            &["body.more", "body.prompt", "body.skill_filename"],
        ),
    ] {
        assert_eq!(editor.post(&path, body.clone()).await.faults(), faults, "{body}");
    }
    editor.post(&path, json!({"prompt": "x", "model": "no/such"})).await.problem(404, "model_not_found");
    let nothing = "01890000-0000-7000-8000-000000000000";
    editor.post(&path, json!({"prompt": "x", "base_skill_id": nothing})).await.not_found();
    let others = text(&upload(&server.admin(), "double.skill", &bundle()).await.created()["id"]);
    // The editor may use the skill, but not have it rewritten.
    editor.post(&path, json!({"prompt": "x", "base_skill_id": others})).await.not_found();
    assert_eq!(editor.get(&history(&id)).await.ok()["items"], json!([]));
}

#[tokio::test]
async fn deleting_a_draft_stops_its_live_build() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let editor = server.editor();
    let id = assistant(&editor, "fake/slow").await;
    // Activity is counted per quarter of an hour.
    within_one(QUARTER).await;
    let before = server.stored().await;
    let begun = build(&editor, &id, json!({"prompt": "Count."})).await;
    until("the model is asked", async || provider.open() > 0).await;
    let live = editor.get(&format!("{}?is_completed=false", history(&id))).await.ok();
    assert_eq!(live["items"][0]["job_id"], begun["job_id"]);
    editor.delete(&format!("{}/{}", history(&id), text(&begun["job_id"]))).await.no_content();
    provider.idle().await;
    assert_eq!(editor.get(&history(&id)).await.ok()["items"], json!([]));
    // Only the cost stays: the usage record, its index entry, four sums and the ledger, and nine keys of activity.
    assert!(server.stored().await <= before + 7 + 9);
}

#[tokio::test]
async fn draft_history_is_filtered_and_newest_first() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = assistant(&editor, "builtin/scribe").await;
    let mut jobs = Vec::new();
    for name in ["a.skill", "b.skill", "a.skill"] {
        let begun = build(&editor, &id, json!({"prompt": "Be kind.", "skill_filename": name})).await;
        jobs.push(text(&done(&editor, &begun).await["job_id"]));
    }
    let listed = |query: &'static str| {
        let (editor, path) = (editor.clone(), format!("{}?{query}", history(&id)));
        async move {
            let list = editor.get(&path).await.ok();
            let items = list["items"].as_array().expect("items").iter();
            items.map(|item| text(&item["job_id"])).collect::<Vec<_>>()
        }
    };
    let [first, second, third] = &jobs[..] else { panic!("three jobs") };
    assert_eq!(listed("").await, [third.clone(), second.clone(), first.clone()]);
    assert_eq!(listed("skill_filename=a.skill").await, [third.clone(), first.clone()]);
    assert_eq!(listed("is_completed=true&skill_filename=b.skill").await, std::slice::from_ref(second));
    assert!(listed("is_completed=false").await.is_empty());
    let page = editor.get(&format!("{}?limit=2", history(&id))).await.ok();
    let next = text(&page["next_cursor"]);
    let rest = editor.get(&format!("{}?limit=2&cursor={next}", history(&id))).await.ok();
    assert_eq!(rest["items"][0]["job_id"], json!(first));
    let bad = editor.get(&format!("{}?limit=0&is_completed=maybe", history(&id))).await;
    assert_eq!(bad.faults(), ["query.is_completed", "query.limit"]);
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_build() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = assistant(&editor, "builtin/scribe").await;
    let path = format!("/api/skills/assistants/{id}/build");
    let keyed = |prompt: &'static str| {
        let request = editor.request(reqwest::Method::POST, &path).header("idempotency-key", "one");
        Client::send(request.json(&json!({"prompt": prompt})))
    };
    let first = keyed("Be kind.").await.expect(202).json();
    let again = keyed("Be kind.").await.expect(202).json();
    assert_eq!(first["job_id"], again["job_id"]);
    keyed("Be rude.").await.problem(422, "idempotency_mismatch");
    assert_eq!(editor.get(&history(&id)).await.ok()["items"].as_array().map(Vec::len), Some(1));
}
