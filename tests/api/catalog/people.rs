//! Rights on packages and installations.

use serde_json::{Value, json};

use super::scene::{DESK, INSTALLATIONS, PACKAGES, Shop, at, id, install, installed, papers, path, update};
use crate::harness::TestServer;

#[tokio::test]
async fn installations_are_visible_to_their_user_and_administrators() {
    let shop = Shop::with_desk().await;
    let (editor, user, admin) = (shop.server.editor(), shop.server.user(), shop.server.admin());
    let own = install(&editor, DESK, json!({})).await;
    user.get(&path(&own, "clerk")).await.not_found();
    let ours = install(&admin, DESK, json!({"visibility": "tenant"})).await;
    assert_ne!(own["id"], ours["id"]);
    for key in ["clerk", "papers", "counting"] {
        user.get(&path(&ours, key)).await.ok();
    }
    user.get(&path(&ours, "report")).await.not_found();
    // Users see their own installations. Administrators see all of them, without parameters and edits.
    assert_eq!(user.get(INSTALLATIONS).await.ok()["items"], json!([]));
    let listed = editor.get(INSTALLATIONS).await.ok();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    editor.patch(&path(&own, "clerk"), json!({"description": "Secret."})).await.ok();
    let listed = admin.get(INSTALLATIONS).await.ok();
    let items = listed["items"].as_array().expect("items");
    assert_eq!(items.len(), 2);
    let theirs = items.iter().find(|item| item["id"] == own["id"]).expect("the editor's");
    assert_eq!(theirs["parameters"], json!({}));
    let shown = super::scene::resource(theirs, "clerk");
    assert_eq!(
        (&shown["name"], &shown["edited"], &shown["state"]),
        (&Value::Null, &json!([]), &json!("edited"))
    );
    let first = admin.get(&format!("{INSTALLATIONS}?limit=1")).await.ok();
    let next = first["next_cursor"].as_str().expect("a cursor");
    let second = admin.get(&format!("{INSTALLATIONS}?limit=1&cursor={next}")).await.ok();
    assert_eq!((&first["items"][0]["id"], &second["items"][0]["id"]), (&own["id"], &ours["id"]));
    // Another tenant sees the packages, but no installations of this one.
    let stranger = shop.server.stranger();
    assert_eq!(stranger.get(INSTALLATIONS).await.ok()["items"], json!([]));
    stranger.get(&path(&ours, "clerk")).await.not_found();
    update(&stranger, DESK, "").await.not_found();
    let elsewhere = install(&stranger, DESK, json!({})).await;
    assert_ne!(id(&elsewhere, "clerk"), id(&own, "clerk"));
    for (client, made) in [(&editor, &own), (&admin, &ours), (&stranger, &elsewhere)] {
        papers(client, &id(made, "papers")).await;
    }
}

#[tokio::test]
async fn install_requires_roles_and_scopes() {
    let shop = Shop::with_desk().await;
    let (server, user) = (&shop.server, shop.server.user());
    user.get(PACKAGES).await.ok();
    for what in ["install", "update"] {
        user.post(&at(DESK, what), json!({})).await.problem(403, "role_missing");
        server.anonymous().post(&at(DESK, what), json!({})).await.problem(401, "credentials_missing");
    }
    // They may validate an installation to see what is missing.
    let told = user.post(&at(DESK, "validate"), json!({})).await.ok();
    assert_eq!((&told["ok"], &told["problems"][0]["code"]), (&json!(false), &json!("role_missing")));
    assert_eq!(
        told["problems"].as_array().map(Vec::len),
        Some(1),
        "reported once, however many resources need it: {told}"
    );
    let reader = server.token(&["assistants:read"]).await;
    reader.get(PACKAGES).await.ok();
    reader.get(&format!("{PACKAGES}/{DESK}")).await.ok();
    reader.post(&at(DESK, "install"), json!({})).await.problem(403, "scope_missing");
    server.token(&["knowledge:write"]).await.get(PACKAGES).await.problem(403, "scope_missing");
    // Each resource type of a package requires its scope.
    let half = server.token(&["assistants:write", "assistants:read", "skills:write"]).await;
    half.post(&at(DESK, "install"), json!({})).await.problem(403, "scope_missing");
    let told = half.post(&at(DESK, "validate"), json!({})).await.ok();
    let codes: Vec<_> =
        told["problems"].as_array().expect("problems").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["scope_missing", "scope_missing"]);
    let whole =
        ["assistants:write", "assistants:read", "skills:write", "knowledge:write", "automations:write"];
    let made = install(&server.token(&whole).await, DESK, json!({})).await;
    papers(&server.admin(), &id(&made, "papers")).await;
}

#[tokio::test]
async fn install_and_update_are_refused_for_disabled_features() {
    let shop = Shop::with_desk().await;
    let (admin, editor) = (shop.server.admin(), shop.server.editor());
    let off = async |feature: &str, visibility: &str| {
        let path = format!("/api/tenant-admin/features/{feature}/visibility");
        admin.put(&path, json!({"visibility": visibility})).await.ok();
    };
    for feature in ["skills", "knowledge-bases", "automations"] {
        off(feature, "nobody").await;
        let told = editor.post(&at(DESK, "validate"), json!({})).await.ok();
        assert_eq!(told["ok"], false, "{feature}");
        assert_eq!(told["problems"][0]["code"], "feature_disabled", "{feature}");
        editor.post(&at(DESK, "install"), json!({})).await.problem(403, "feature_disabled");
        off(feature, "everyone").await;
    }
    off("workflows", "nobody").await;
    let triage = at("understudy/support-triage", "install");
    editor.post(&triage, json!({})).await.problem(403, "feature_disabled");
    off("catalog", "nobody").await;
    editor.get(PACKAGES).await.problem(403, "feature_disabled");
    off("catalog", "everyone").await;
    install(&editor, DESK, json!({})).await;
    papers(&editor, &id(&installed(&editor, DESK).await, "papers")).await;
    // A package whose resources cannot be created cannot be updated either.
    off("skills", "nobody").await;
    update(&editor, DESK, "").await.problem(403, "feature_disabled");
}

#[tokio::test]
async fn catalog_operations_refuse_malformed_input() {
    let server = TestServer::start().await;
    let editor = server.editor();
    for path in ["x", "%20/%20", "a/b/c/d/e/f", "..%2f..%2fetc", "understudy/web-research/"] {
        assert_eq!(editor.get(&format!("{PACKAGES}/{path}")).await.status, 404, "{path}");
    }
    let bodies = [json!([]), json!({"parameters": []}), json!({"visibility": "all"}), json!({"strange": 1})];
    for body in bodies {
        assert_eq!(
            editor.post(&at("understudy/meeting-notes", "install"), body.clone()).await.status,
            422,
            "{body}"
        );
    }
    let query = "on_conflict=perhaps&dry_run=maybe&parameters=%5B1%5D";
    let faults = update(&editor, "understudy/meeting-notes", query).await.faults();
    assert_eq!(faults, ["query.dry_run", "query.on_conflict", "query.parameters"]);
    let parameters = update(&editor, "understudy/meeting-notes", "parameters=%5B1%5D").await;
    assert_eq!(parameters.faults(), ["query.parameters"]);
}
