//! Ownership of resources, and the installation that a resource belongs to.

use serde_json::{Value, json};

use super::adoption::{APPLY, make, scan, statuses, with};
use super::scene::{DESK, INSTALLATIONS, Shop, id, install, installed, papers, path, plain};
use super::trust::second_editor;
use crate::harness::{Client, TestServer, text};

/// A manifest with one assistant.
fn clerk(package: &str, id: Option<&str>) -> Value {
    json!({"package": package, "version": "1.0.0", "resources": [
        {"key": "clerk", "type": "assistant", "id": id, "fields": {"name": "Clerk"}}]})
}

/// Creates an assistant of the client on which the tenant's user has this permission level.
async fn shared(server: &TestServer, client: &Client, level: &str) -> String {
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": level}]);
    let body = json!({"name": "Clerk", "visibility": "shared", "grants": grants});
    make(client, "/api/assistants", body).await
}

async fn adopt(client: &Client, manifest: &Value) -> Value {
    let found = scan(client, manifest).await;
    client.post(APPLY, with(manifest, &found)).await.ok()
}

#[tokio::test]
async fn adoption_is_refused_to_mere_editors_of_a_resource() {
    let server = TestServer::start().await;
    let (editor, mallory) = (server.editor(), second_editor(&server).await);
    let thing = shared(&server, &editor, "editor").await;
    assert_eq!(statuses(&scan(&mallory, &clerk("acme/theirs", None)).await), ["missing"]);
    let manifest = clerk("acme/theirs", Some(&thing));
    let found = scan(&mallory, &manifest).await;
    assert_eq!(statuses(&found), ["conflict"]);
    assert!(text(&found["items"][0]["reason"]).contains("owner"), "{found}");
    mallory.post(APPLY, with(&manifest, &found)).await.problem(409, "conflict");
    let made = adopt(&editor, &clerk("acme/ours", None)).await;
    assert_eq!(id(&made, "clerk"), thing);
}

#[tokio::test]
async fn adoption_by_the_original_owner_takes_precedence() {
    let server = TestServer::start().await;
    let (editor, second) = (server.editor(), second_editor(&server).await);
    let thing = shared(&server, &editor, "owner").await;
    let theirs = clerk("acme/theirs", Some(&thing));
    adopt(&second, &theirs).await;
    let ours = clerk("acme/ours", None);
    let found = scan(&editor, &ours).await;
    assert_eq!(statuses(&found), ["matched"]);
    editor.post(APPLY, with(&ours, &found)).await.ok();
    // A resource belongs to one installation at a time; the other installation is now empty and was removed.
    assert_eq!(installed(&second, "acme/theirs").await, Value::Null);
    assert_eq!(statuses(&scan(&second, &theirs).await), ["conflict"]);
    server.stored().await;
}

#[tokio::test]
async fn installation_without_rights_on_a_resource_does_not_hold_it() {
    let server = TestServer::start().await;
    let (editor, second) = (server.editor(), second_editor(&server).await);
    let admin = server.admin();
    let thing = shared(&server, &editor, "owner").await;
    adopt(&second, &clerk("acme/theirs", Some(&thing))).await;
    let manifest = clerk("acme/admins", Some(&thing));
    assert_eq!(statuses(&scan(&admin, &manifest).await), ["conflict"]);
    editor
        .patch(&format!("/api/assistants/{thing}"), json!({"grants": [], "visibility": "tenant"}))
        .await
        .ok();
    assert_eq!(statuses(&scan(&admin, &manifest).await), ["matched"]);
}

#[tokio::test]
async fn installations_are_removed_with_the_membership() {
    let shop = Shop::open().await;
    shop.put("plain", &plain("acme/plain", "1.0.0", ""));
    let (admin, second) = (shop.server.admin(), second_editor(&shop.server).await);
    let made = install(&second, "acme/plain", json!({"visibility": "tenant"})).await;
    let manifest = json!({"package": "acme/plain", "resources": [{"key": "it", "id": id(&made, "it")}]});
    assert_eq!(statuses(&scan(&admin, &manifest).await), ["conflict"]);
    let person = format!("/api/tenant-admin/users/{}", shop.server.user_person().id);
    admin.delete(&person).await.no_content();
    assert_eq!(installed(&admin, "acme/plain").await, Value::Null);
    // The resources stay, and another user can adopt them.
    let adopted = adopt(&admin, &manifest).await;
    assert_eq!(id(&adopted, "it"), id(&made, "it"));
    shop.server.stored().await;
}

#[tokio::test]
async fn installation_can_be_released() {
    let shop = Shop::with_desk().await;
    let (server, editor, admin) = (&shop.server, shop.server.editor(), shop.server.admin());
    let made = install(&editor, DESK, json!({})).await;
    papers(&editor, &id(&made, "papers")).await;
    let it = format!("{INSTALLATIONS}/{}", text(&made["id"]));
    server.user().delete(&it).await.not_found();
    server.stranger().delete(&it).await.not_found();
    server.anonymous().delete(&it).await.problem(401, "credentials_missing");
    server.token(&["assistants:read"]).await.delete(&it).await.problem(403, "scope_missing");
    editor.delete(&it).await.no_content();
    editor.delete(&it).await.not_found();
    assert_eq!(installed(&editor, DESK).await, Value::Null);
    for key in ["counting", "papers", "clerk", "report"] {
        editor.get(&path(&made, key)).await.ok();
    }
    // The owner can adopt the resources again under the package, or leave them alone and install new ones beside them.
    let manifest = json!({"package": DESK});
    let adopted = adopt(&editor, &manifest).await;
    assert_eq!((id(&adopted, "clerk"), &adopted["origin"]), (id(&made, "clerk"), &json!("adopted")));
    admin.delete(&format!("{INSTALLATIONS}/{}", text(&adopted["id"]))).await.no_content();
    let again = install(&editor, DESK, json!({})).await;
    assert_ne!(id(&again, "clerk"), id(&made, "clerk"));
    papers(&editor, &id(&again, "papers")).await;
    let audit = admin.get("/api/tenant-admin/audit").await.ok();
    let lines = audit["items"].as_array().expect("lines").iter();
    let released: Vec<_> = lines.filter(|line| line["action"] == "catalog.release").collect();
    assert_eq!(released.len(), 2, "{audit}");
    assert_eq!(released[0]["target"], "package acme/desk");
    shop.server.stored().await;
}

#[tokio::test]
async fn adoption_stores_only_the_files_of_adopted_resources() {
    let shop = Shop::with_desk().await;
    let editor = shop.server.editor();
    let files = async || shop.server.store().blobs().list().await.expect("a list").len();
    // The package also contains a skill and a knowledge base; nothing is created from these.
    let copy = make(&editor, "/api/assistants", json!({"name": "Clerk"})).await;
    let manifest = json!({"package": DESK, "resources": [{"key": "clerk", "id": copy}]});
    adopt(&editor, &manifest).await;
    assert_eq!(files().await, 0);
    let manifest = json!({"package": DESK, "resources": [{"key": "papers", "absent": "create"}]});
    let made = adopt(&editor, &manifest).await;
    assert_eq!(papers(&editor, &id(&made, "papers")).await, ["hours", "returns"]);
    shop.server.stored().await;
}
