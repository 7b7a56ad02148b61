//! `catalog.apply_adoption`: existing objects are brought under a manifest.

use serde_json::{Value, json};

use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::api::streams::reading::unlimited;
use crate::harness::{Client, TestServer, text};

const SCAN: &str = "/api/catalog/adoption/scan";
const APPLY: &str = "/api/catalog/adoption/apply";

/// The expected objects: an assistant and a knowledge base that exist, and an assistant that does not exist.
fn manifest(package: &str) -> Value {
    json!({"package": package, "version": "1.0.0", "name": "Our desk", "drift": "take", "absent": "create",
        "parameters": {}, "resources": [
            {"key": "papers", "type": "knowledge_base", "drift": "keep",
                "fields": {"name": "Papers", "description": "All of them."}},
            {"key": "clerk", "type": "assistant", "fields": {"name": "Clerk", "system_prompt": "Be brief.",
                "knowledge_bases": [{"$resource": "papers"}], "model_parameters": {"temperature": 0.2}}},
            {"key": "spare", "type": "assistant", "absent": "leave", "fields": {"name": "Spare"}}]})
}

async fn scene(server: &TestServer) -> Client {
    let editor = server.editor();
    let papers = json!({"name": "Papers", "description": "All of them."});
    editor.post("/api/knowledge-bases", papers).await.created();
    editor.post("/api/assistants", json!({"name": "Clerk", "system_prompt": "Be long."})).await.created();
    editor
}

/// The body that applies the result of a new scan of the manifest.
async fn scanned(editor: &Client, manifest: &Value) -> Value {
    let scan = editor.post(SCAN, json!({"manifest": manifest})).await.ok();
    json!({"manifest": manifest, "scan_hash": scan["scan_hash"]})
}

/// Checks that the valid request is accepted and that the created objects exist.
async fn works(trial: &mut Trial, editor: &Client) {
    let body = scanned(editor, &manifest("acme/ours")).await;
    let applied = trial.valid(&Request::post(APPLY, &body).by(editor), 200).await.json();
    assert_eq!((&applied["origin"], &applied["package"]), (&json!("adopted"), &json!("acme/ours")));
    let resources = applied["resources"].as_array().expect("resources");
    let clerk = resources.iter().find(|resource| resource["key"] == "clerk").expect("the clerk");
    let shown = editor.get(&format!("/api/assistants/{}", text(&clerk["id"]))).await.ok();
    assert_eq!(shown["system_prompt"], "Be brief.");
}

#[tokio::test]
async fn apply_adoption_handles_mutated_requests() {
    let server = TestServer::start_with(unlimited).await;
    let editor = scene(&server).await;
    let mut trial = Trial::of(&server, "catalog.apply_adoption", &[]);
    works(&mut trial, &editor).await;
    for round in 0..trial.rounds {
        let body = scanned(&editor, &manifest("acme/ours")).await;
        trial.mutated(&Request::post(APPLY, &body).by(&editor), round).await;
    }
    let valid = Request::post(APPLY, &scanned(&editor, &manifest("acme/ours")).await).by(&editor);
    trial.cut_on_the_wire(&valid).await;
    works(&mut trial, &editor).await;
    server.settled().await;
    server.stored().await;
    trial.end();
}

/// A mutated manifest is scanned first, so that it is not refused for having the scan of another manifest. A manifest
/// that a scan accepts is applied to the same objects.
#[tokio::test]
async fn apply_adoption_handles_mutated_manifests() {
    let server = TestServer::start_with(unlimited).await;
    let editor = scene(&server).await;
    let mut trial = Trial::of(&server, "catalog.apply_adoption", &[]);
    let mut scan_trial = Trial::of(&server, "catalog.scan_adoption", &[]);
    works(&mut trial, &editor).await;
    for round in 0..trial.rounds {
        // Only mutations of the body; all others affect the request of the scan.
        let valid = Request::post(SCAN, &json!({"manifest": manifest("acme/ours")})).by(&editor);
        let mutated = super::requests::mutated(&valid, round % 10, &mut scan_trial.dice);
        let scan = scan_trial.checked(&mutated.what, &mutated.request, Mutates::Request).await;
        let Some(scan) = scan.filter(|scan| scan.status == 200) else { continue };
        let sent = mutated.request.body.unwrap_or_default();
        let Ok(mut body) = serde_json::from_slice::<Value>(&sent) else { continue };
        body["scan_hash"] = scan.json()["scan_hash"].clone();
        let apply = Request::post(APPLY, &body).by(&editor);
        let applied = trial.checked(&mutated.what, &apply, Mutates::Request).await;
        // Nothing has changed in between.
        if applied.is_some_and(|applied| applied.text().contains("scan_outdated")) {
            trial.note(&mutated.what, "the scan that was just made is outdated".to_owned());
        }
        if round % 10 == 9 {
            works(&mut trial, &editor).await;
        }
    }
    works(&mut trial, &editor).await;
    server.settled().await;
    server.stored().await;
    trial.include(scan_trial);
    trial.end();
}

/// The name of a manifest is shown in lists, as other names are.
#[tokio::test]
async fn scan_adoption_refuses_names_with_control_characters() {
    let server = TestServer::start_with(unlimited).await;
    let editor = scene(&server).await;
    for name in ["a\0b", "a\r\nb", "\u{202e}gnp.exe", "a\u{2066}b"] {
        let mut named = manifest("acme/ours");
        named["name"] = json!(name);
        let answer = editor.post(SCAN, json!({"manifest": named})).await;
        assert_eq!(answer.status, 422, "{name:?}: {answer:?}");
    }
}
