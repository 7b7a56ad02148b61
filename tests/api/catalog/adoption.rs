//! Adopting existing resources under a manifest.

use futures::future::join_all;
use serde_json::{Value, json};

use super::scene::{DESK, Desk, Shop, desk, id, install, installed, papers, path, resource, update};
use crate::harness::{Client, text};

const SCAN: &str = "/api/catalog/adoption/scan";
pub const APPLY: &str = "/api/catalog/adoption/apply";

/// A manifest of the user: an assistant and a knowledge base.
fn own(package: &str) -> Value {
    json!({"package": package, "version": "1.0.0", "name": "Our desk", "resources": [
        {"key": "papers", "type": "knowledge_base", "fields": {"name": "Papers", "description": "All of them."}},
        {"key": "clerk", "type": "assistant",
            "fields": {"name": "Clerk", "system_prompt": "Be brief.", "knowledge_bases": [{"$resource": "papers"}]}}]})
}

pub async fn scan(client: &Client, manifest: &Value) -> Value {
    client.post(SCAN, json!({"manifest": manifest})).await.ok()
}

pub fn with(manifest: &Value, scan: &Value) -> Value {
    json!({"manifest": manifest, "scan_hash": scan["scan_hash"]})
}

pub fn statuses(scan: &Value) -> Vec<String> {
    scan["items"].as_array().expect("items").iter().map(|item| text(&item["status"])).collect()
}

pub async fn make(client: &Client, path: &str, body: Value) -> String {
    text(&client.post(path, body).await.created()["id"])
}

#[tokio::test]
async fn apply_adopts_existing_resources() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let mut manifest = own("acme/ours");
    let nothing = scan(&editor, &manifest).await;
    assert_eq!(statuses(&nothing), ["missing", "missing"]);
    editor.post(APPLY, with(&manifest, &nothing)).await.problem(409, "conflict");

    let base =
        make(&editor, "/api/knowledge-bases", json!({"name": "Papers", "description": "All of them."})).await;
    let body =
        json!({"name": "Clerk", "system_prompt": "Be long.", "knowledge_bases": [base], "category": "Mine"});
    let clerk = make(&editor, "/api/assistants", body).await;
    let before = shop.server.stored().await;
    let found = scan(&editor, &manifest).await;
    assert_eq!(statuses(&found), ["matched", "drifted"]);
    assert_eq!((&found["items"][0]["id"], &found["items"][1]["id"]), (&json!(base), &json!(clerk)));
    let drift = json!([{"field": "system_prompt", "expected": "Be brief.", "actual": "Be long."}]);
    assert_eq!(found["items"][1]["drifted"], drift);
    assert_eq!(scan(&editor, &manifest).await, found, "a scan changes nothing");
    assert_eq!(shop.server.stored().await, before);
    // An outdated scan is refused.
    let outdated = editor.post(APPLY, with(&manifest, &nothing)).await.problem(409, "scan_outdated");
    assert_eq!(outdated["scan"]["scan_hash"], found["scan_hash"]);
    assert_eq!(editor.post(APPLY, json!({"manifest": manifest})).await.faults(), ["body.scan_hash"]);

    let applied = editor.post(APPLY, with(&manifest, &found)).await.ok();
    assert_eq!((&applied["origin"], &applied["package"]), (&json!("adopted"), &json!("acme/ours")));
    assert_eq!(resource(&applied, "clerk")["edited"], json!(["system_prompt"]));
    assert_eq!(editor.get(&format!("/api/assistants/{clerk}")).await.ok()["system_prompt"], "Be long.");
    // Applying the same scan again changes nothing, even after later edits.
    editor.patch(&format!("/api/assistants/{clerk}"), json!({"category": "Other"})).await.ok();
    let again = editor.post(APPLY, with(&manifest, &found)).await.ok();
    assert_eq!((&again["id"], &again["updated_at"]), (&applied["id"], &applied["updated_at"]));

    manifest["drift"] = json!("take");
    let found = scan(&editor, &manifest).await;
    assert_eq!(statuses(&found), ["matched", "drifted"]);
    let applied = editor.post(APPLY, with(&manifest, &found)).await.ok();
    assert_eq!(resource(&applied, "clerk")["state"], "present");
    let shown = editor.get(&format!("/api/assistants/{clerk}")).await.ok();
    // Fields that the manifest does not name stay unchanged.
    assert_eq!((&shown["system_prompt"], &shown["category"]), (&json!("Be brief."), &json!("Other")));
    assert_eq!(statuses(&scan(&editor, &manifest).await), ["matched", "matched"]);
    shop.server.stored().await;
}

#[tokio::test]
async fn apply_refuses_conflicts() {
    let shop = Shop::open().await;
    let (editor, admin) = (shop.server.editor(), shop.server.admin());
    let mut manifest = own("acme/ours");
    let body = json!({"name": "Clerk", "system_prompt": "Be brief."});
    let clerks = [
        make(&editor, "/api/assistants", body.clone()).await,
        make(&editor, "/api/assistants", body.clone()).await,
    ];
    let found = scan(&editor, &manifest).await;
    assert_eq!(statuses(&found), ["missing", "conflict"]);
    assert_eq!((&found["ok"], &found["items"][1]["candidates"]), (&json!(false), &json!(clerks)));
    let refused = editor.post(APPLY, with(&manifest, &found)).await.problem(409, "conflict");
    assert_eq!(refused["scan"]["ok"], false);
    // Another user's resources cannot be adopted, not even by id.
    let theirs = make(&admin, "/api/assistants", body).await;
    manifest["resources"][1]["id"] = json!(theirs);
    assert_eq!(statuses(&scan(&editor, &manifest).await), ["missing", "conflict"]);
    manifest["resources"][1]["id"] = json!(clerks[1]);
    manifest["absent"] = json!("create");
    let found = scan(&editor, &manifest).await;
    assert_eq!(statuses(&found), ["missing", "drifted"]);
    let applied = editor.post(APPLY, with(&manifest, &found)).await.ok();
    assert_eq!(id(&applied, "clerk"), clerks[1]);
    let base = editor.get(&path(&applied, "papers")).await.ok();
    assert_eq!(base["description"], "All of them.");
    // The assistant now belongs to this installation and to no other.
    let mut other = own("acme/others");
    other["resources"][1]["id"] = json!(clerks[1]);
    let found = scan(&editor, &other).await;
    assert_eq!(statuses(&found), ["conflict", "conflict"]);
    assert!(text(&found["items"][1]["reason"]).contains("acme/ours"));
    // One resource cannot match two entries of a manifest.
    let mut twice = own("acme/twice");
    twice["resources"][0] =
        json!({"key": "a", "type": "assistant", "id": clerks[0], "fields": {"name": "Clerk"}});
    twice["resources"][1] =
        json!({"key": "b", "type": "assistant", "id": clerks[0], "fields": {"name": "Clerk"}});
    assert_eq!(statuses(&scan(&editor, &twice).await), ["matched", "conflict"]);
}

#[tokio::test]
async fn scan_uses_the_package_as_the_manifest() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let made = install(&editor, DESK, json!({})).await;
    papers(&editor, &id(&made, "papers")).await;
    let manifest = json!({"package": DESK});
    assert_eq!(statuses(&scan(&editor, &manifest).await), ["matched"; 4]);
    // A hand-made copy in place of the installed assistant.
    editor.delete(&path(&made, "clerk")).await.ok();
    let body = json!({"name": "My clerk", "description": "Answers at the desk.", "system_prompt": "Be brief.",
        "conversation_starters": ["When are you open?"], "model_parameters": {"temperature": 0.2},
        "skills": [id(&made, "counting")], "knowledge_bases": [id(&made, "papers")], "category": "Desk"});
    let copy = make(&editor, "/api/assistants", body).await;
    let manifest = json!({"package": DESK, "resources": [{"key": "clerk", "id": copy}]});
    let found = scan(&editor, &manifest).await;
    // The automation still refers to the assistant in the bin.
    assert_eq!(statuses(&found), ["matched", "matched", "drifted", "drifted"]);
    assert_eq!(found["items"][2]["drifted"].as_array().map(Vec::len), Some(1));
    let manifest = json!({"package": DESK, "resources": [{"key": "clerk", "id": copy}, {"key": "report", "drift": "take"}]});
    let found = scan(&editor, &manifest).await;
    let applied = editor.post(APPLY, with(&manifest, &found)).await.ok();
    assert_eq!((&applied["id"], &applied["origin"]), (&made["id"], &json!("installed")));
    assert_eq!(resource(&applied, "clerk")["edited"], json!(["name"]));
    assert_eq!(editor.get(&path(&made, "report")).await.ok()["assistant_id"], json!(copy));
    // From now on an update includes the copy.
    shop.put("desk-2", &desk("1.1.0", &Desk { prompt: "Revised.".to_owned(), ..Desk::default() }));
    update(&editor, DESK, "").await.ok();
    let shown = editor.get(&format!("/api/assistants/{copy}")).await.ok();
    assert_eq!((&shown["system_prompt"], &shown["name"]), (&json!("Revised."), &json!("My clerk")));
    shop.server.stored().await;
}

#[tokio::test]
async fn concurrent_applies_produce_one_installation() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    make(&editor, "/api/assistants", json!({"name": "Clerk", "system_prompt": "Be long."})).await;
    let mut manifest = own("acme/ours");
    (manifest["drift"], manifest["absent"]) = (json!("take"), json!("create"));
    let found = scan(&editor, &manifest).await;
    let body = with(&manifest, &found);
    let answers = join_all((0..4).map(|_| editor.post(APPLY, body.clone()))).await;
    let ids: Vec<_> = answers.iter().map(|answer| answer.ok()["id"].clone()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
    let bases = editor.get("/api/knowledge-bases").await.ok();
    assert_eq!(bases["items"].as_array().map(Vec::len), Some(1));
    shop.server.stored().await;
}

#[tokio::test]
async fn scan_reports_faults_of_manifests() {
    let shop = Shop::with_desk().await;
    let (editor, user, stranger) = (shop.server.editor(), shop.server.user(), shop.server.stranger());
    let faults = async |manifest: Value| editor.post(SCAN, json!({"manifest": manifest})).await.faults();
    assert_eq!(faults(json!({"package": "nothing"})).await, ["body.manifest.package"]);
    assert_eq!(faults(json!({"package": "a/b"})).await, ["body.manifest.resources", "body.manifest.version"]);
    let strange = json!({"package": "a/b", "version": "1.0.0", "resources": [
        {"key": "a", "type": "assistant", "fields": {"name": "A", "grants": []}}, {"key": "a"}]});
    assert_eq!(faults(strange).await, ["body.manifest.resources.1.key"]);
    let strange = json!({"package": "a/b", "version": "1.0.0", "resources": [
        {"key": "a", "type": "assistant", "fields": {"grants": []}}, {"key": "b"}]});
    assert_eq!(
        faults(strange).await,
        [
            "body.manifest.resources.0.fields",
            "body.manifest.resources.0.fields",
            "body.manifest.resources.1.type"
        ]
    );
    let wrong = json!({"package": "a/b", "version": "1.0.0", "resources": [
        {"key": "a", "type": "assistant", "fields": {"name": "A", "system_prompt": 1}}]});
    assert_eq!(faults(wrong).await, ["body.resources.a.system_prompt"]);
    let known = json!({"package": DESK, "resources": [{"key": "night"}, {"key": "clerk", "fields": {}}]});
    assert_eq!(faults(known).await, ["body.manifest.resources.0.key", "body.manifest.resources.1.fields"]);
    let missing = json!({"manifest": {"package": DESK, "version": "7.0.0"}});
    editor.post(SCAN, missing.clone()).await.not_found();
    for path in [SCAN, APPLY] {
        user.post(path, json!({"manifest": own("acme/ours")})).await.problem(403, "role_missing");
        editor.post(path, json!({})).await.expect(422);
    }
    // The scan of another tenant finds nothing of this one.
    make(
        &editor,
        "/api/assistants",
        json!({"name": "Clerk", "system_prompt": "Be brief.", "visibility": "tenant"}),
    )
    .await;
    assert_eq!(statuses(&scan(&stranger, &own("acme/ours")).await), ["missing", "missing"]);
    assert_eq!(installed(&editor, "acme/ours").await, Value::Null);
}
