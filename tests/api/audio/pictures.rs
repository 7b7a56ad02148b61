use serde_json::{Value, json};

use super::{bills, with_impatience, with_provider};
use crate::harness::fake_audio::KEY;
use crate::harness::{Client, hidden, text};

async fn assistant(client: &Client) -> String {
    let body = json!({"name": "Ada", "description": "Knows the tides."});
    text(&client.post("/api/assistants", body).await.created()["id"])
}

async fn colour(client: &Client, drawn: &Value) -> [u8; 3] {
    let shown = client.get(&text(&drawn["avatar_url"])).await;
    let picture = image::load_from_memory(&shown.expect(200).body).expect("a picture").to_rgb8();
    assert_eq!(picture.dimensions(), (512, 512));
    picture.get_pixel(256, 256).0
}

#[tokio::test]
async fn generate_avatar_uses_an_image_model_and_bills_per_image() {
    let (server, provider) = with_provider(&["image"]).await;
    let editor = server.editor();
    let path = format!("/api/assistants/{}/avatar/generate", assistant(&editor).await);
    let drawn = editor.post(&path, json!({})).await.ok();
    assert_eq!((&drawn["drawn_by"], drawn["note"].is_null()), (&json!("fake/plain-brush"), true));
    assert_eq!(colour(&editor, &drawn).await, [200, 0, 0]);
    let asked = provider.requests().pop().unwrap();
    let prompt = asked["prompt"].as_str().unwrap();
    assert!(prompt.contains("\"Ada\"") && prompt.contains("Knows the tides."), "{prompt}");
    assert_eq!((&asked["size"], &asked["response_format"]), (&json!("512x512"), &json!("b64_json")));
    editor.post(&path, json!({"prompt": "a lighthouse"})).await.ok();
    assert_eq!(provider.requests().pop().unwrap()["prompt"], "a lighthouse");
    let sketched =
        editor.post(&path, json!({"prompt": "a lighthouse", "model": "builtin/sketch"})).await.ok();
    assert_eq!(sketched["drawn_by"], "builtin/sketch");
    let told: Vec<_> = bills(&server)
        .into_iter()
        .map(|bill| (bill.body.kind, bill.body.quantity, bill.body.cost_nanos))
        .collect();
    let bill = |cost: i64| ("image".to_owned(), 1, cost);
    assert_eq!(told, [bill(40_000_000), bill(40_000_000), bill(0)]);
}

#[tokio::test]
async fn generate_avatar_fails_for_a_named_model_and_falls_back_for_the_default() {
    let (server, _provider) = with_impatience(&["image"]).await;
    let (editor, admin) = (server.editor(), server.admin());
    let id = assistant(&editor).await;
    let path = format!("/api/assistants/{id}/avatar/generate");
    for (model, status, code) in [
        ("silent-brush", 504, "upstream_timeout"),
        ("refusing-brush", 502, "upstream_failed"),
        ("rubbish-brush", 502, "upstream_failed"),
        ("no-brush", 404, "model_not_found"),
    ] {
        let answer = editor.post(&path, json!({"model": format!("fake/{model}")})).await;
        answer.problem(status, code);
        assert!(!answer.text().contains(KEY), "{answer:?}");
    }
    assert!(
        editor.get(&format!("/api/assistants/{id}")).await.ok()["avatar_url"].is_null(),
        "nothing was changed"
    );
    for brush in ["plain-brush", "silent-brush"] {
        let path = format!("/api/tenant-admin/models/fake/{brush}/visibility");
        admin.put(&path, hidden()).await.ok();
    }
    // The refusing model is now the default one.
    let drawn = editor.post(&path, json!({})).await.ok();
    assert_eq!(drawn["drawn_by"], "builtin/sketch");
    let note = drawn["note"].as_str().unwrap();
    assert!(note.starts_with("fake/refusing-brush generated no image") && !note.contains(KEY), "{note}");
    assert_eq!(bills(&server).len(), 0);
    let long = json!({"model": "x".repeat(201)});
    assert_eq!(editor.post(&path, long).await.faults(), ["body.model"]);
}
