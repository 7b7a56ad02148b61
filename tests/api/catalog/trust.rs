//! Trust in packages: whose installations a package may build on, and where its assistants may send data.

use serde_json::{Value, json};

use super::adoption::{APPLY, scan, statuses, with};
use super::scene::{Shop, at, id, install, installed, path, plain, resource, update};
use crate::api::skills::scene::{Field, change, skill};
use crate::harness::{Client, TestServer, text};

const SEARCH: &str = "understudy/web-research";
const RESEARCHER: &str = "understudy/research-assistant";

/// Gives the tenant's user the editor role.
pub async fn second_editor(server: &TestServer) -> Client {
    let role = format!("/api/tenant-admin/users/{}/role", server.user_person().id);
    server.admin().put(&role, json!({"role": "editor"})).await.ok();
    server.user()
}

async fn is_missing(client: &Client) {
    let told = client.post(&at(RESEARCHER, "validate"), json!({})).await.ok();
    let problems = told["problems"].as_array().expect("problems");
    assert!(problems.iter().any(|problem| problem["code"] == "package_missing"), "{told}");
    assert_eq!((&told["requires"], &told["services"]), (&json!([]), &json!([])));
    let approved = json!({"approve_services": ["web:*"]});
    client.post(&at(RESEARCHER, "install"), approved).await.problem(409, "requirements_missing");
}

#[tokio::test]
async fn another_users_skill_does_not_satisfy_a_requirement() {
    let server = TestServer::start().await;
    let (editor, mallory) = (server.editor(), second_editor(&server).await);
    // A skill with different content under the name of the package, visible to everybody.
    let evil = skill(&mallory, "Web research", &[("visibility", "tenant")]).await;
    let manifest = json!({"package": SEARCH, "resources": [{"key": "skill", "id": evil}]});
    let found = scan(&mallory, &manifest).await;
    assert_eq!(statuses(&found), ["drifted"]);
    mallory.post(APPLY, with(&manifest, &found)).await.ok();
    is_missing(&editor).await;
    // Even an unmodified installation can be changed by its owner at any time.
    mallory.delete(&format!("/api/skills/global/{evil}")).await.no_content();
    install(&mallory, SEARCH, json!({"visibility": "tenant"})).await;
    is_missing(&editor).await;
    let made = install(&mallory, RESEARCHER, json!({})).await;
    assert_eq!(made["requires"][0]["owner"], server.user_person().id);
}

#[tokio::test]
async fn unmodified_installation_of_an_administrator_satisfies_a_requirement() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    // An installation adopted with different content does not satisfy the requirement.
    let other = skill(&admin, "Web research", &[("visibility", "tenant")]).await;
    let manifest = json!({"package": SEARCH, "resources": [{"key": "skill", "id": other}]});
    let found = scan(&admin, &manifest).await;
    let adopted = admin.post(APPLY, with(&manifest, &found)).await.ok();
    is_missing(&editor).await;
    admin.delete(&format!("/api/catalog/installations/{}", text(&adopted["id"]))).await.no_content();

    let shared = install(&admin, SEARCH, json!({"visibility": "tenant"})).await;
    let told = editor.post(&at(RESEARCHER, "validate"), json!({})).await.ok();
    let built_upon = json!([{"package": SEARCH, "package_version": "1.0.0", "installation_id": shared["id"],
        "owner": server.admin_person().id}]);
    assert_eq!((&told["ok"], &told["requires"]), (&json!(true), &built_upon));
    assert_eq!(told["services"], json!(["web:*"]));
    let made = install(&editor, RESEARCHER, json!({})).await;
    assert_eq!(made["requires"], built_upon);
    assert_eq!(made["services_to_approve"], json!(["web:*"]));

    // After an edit it is no longer the content that was reviewed in the catalog.
    change(&admin, &id(&shared, "skill"), &[Field::Text("description", "Mine.")]).await.ok();
    let told = editor.post(&at(RESEARCHER, "validate"), json!({})).await.ok();
    let codes: Vec<_> =
        told["problems"].as_array().expect("problems").iter().map(|problem| &problem["code"]).collect();
    assert_eq!(codes, ["package_missing"]);
    // The user's own installation takes precedence over any other.
    let own = install(&editor, SEARCH, json!({})).await;
    let told = editor.post(&at(RESEARCHER, "validate"), json!({})).await.ok();
    assert_eq!(told["requires"][0]["installation_id"], own["id"]);
}

#[tokio::test]
async fn installation_of_a_former_administrator_does_not_satisfy_a_requirement() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let user = server.user();
    let role = format!("/api/tenant-admin/users/{}/role", server.user_person().id);
    admin.put(&role, json!({"role": "tenant_admin"})).await.ok();
    install(&user, SEARCH, json!({"visibility": "tenant"})).await;
    assert_eq!(editor.post(&at(RESEARCHER, "validate"), json!({})).await.ok()["ok"], true);
    admin.put(&role, json!({"role": "editor"})).await.ok();
    is_missing(&editor).await;
}

#[tokio::test]
async fn administrators_see_that_a_resource_was_edited() {
    let shop = Shop::open().await;
    shop.put("plain", &plain("acme/plain", "1.0.0", ""));
    let (admin, editor) = (shop.server.admin(), shop.server.editor());
    let made = install(&editor, "acme/plain", json!({})).await;
    let state = async || {
        let listed = installed(&admin, "acme/plain").await;
        let shown = resource(&listed, "it").clone();
        assert_eq!((&shown["name"], &shown["edited"]), (&Value::Null, &json!([])));
        text(&shown["state"])
    };
    assert_eq!(state().await, "present");
    editor.patch(&path(&made, "it"), json!({"name": "Mine"})).await.ok();
    assert_eq!(state().await, "edited");
    editor.patch(&path(&made, "it"), json!({"name": "Plain"})).await.ok();
    assert_eq!(state().await, "present");
    editor.delete(&path(&made, "it")).await.ok();
    assert_eq!(state().await, "binned");
}

/// A package of an assistant with a tool server.
fn connected(version: &str, url: &str) -> Vec<(String, String)> {
    let mut files = plain("acme/connected", version, "");
    files[0].1.push_str(&format!("tool_servers = [{{ name = \"tracker\", url = \"{url}\" }}]\n"));
    files
}

#[tokio::test]
async fn tool_servers_of_packages_must_use_encrypted_connections() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let before = shop.server.stored().await;
    let fault = ["body.resources.it.tool_servers.0.url"];
    shop.put("one", &connected("1.0.0", "http://tools.example.org/mcp"));
    assert_eq!(editor.post(&at("acme/connected", "install"), json!({})).await.faults(), fault);
    let told = editor.post(&at("acme/connected", "validate"), json!({})).await.ok();
    assert_eq!(told["problems"][0]["subject"], "resources.it.tool_servers.0.url");
    assert_eq!(shop.server.stored().await, before);
    // Neither an update nor an adoption can add an unencrypted tool server.
    shop.put("one", &connected("1.0.0", "https://tools.example.org/mcp"));
    shop.put("two", &connected("1.1.0", "http://tools.example.org/mcp"));
    let made = install(&editor, "acme/connected", json!({"version": "1.0.0"})).await;
    assert_eq!(update(&editor, "acme/connected", "").await.faults(), fault);
    let shown = editor.get(&path(&made, "it")).await.ok();
    assert_eq!(shown["tool_servers"][0]["url"], "https://tools.example.org/mcp");
    editor.post("/api/assistants", json!({"name": "Ours"})).await.created();
    let servers = json!([{"name": "tracker", "url": "http://tools.example.org/mcp"}]);
    let manifest = json!({"package": "acme/ours", "version": "1.0.0", "drift": "take", "resources": [
        {"key": "it", "type": "assistant", "fields": {"name": "Ours", "tool_servers": servers}}]});
    let found = scan(&editor, &manifest).await;
    assert_eq!(editor.post(APPLY, with(&manifest, &found)).await.faults(), fault);
}

/// A package of a workflow with one node between its start and its end, and these further lines in its manifest.
fn flow(version: &str, node: Value, lines: &str) -> Vec<(String, String)> {
    let graph = json!({"schema": 1, "inputs": {}, "nodes": [
        {"id": "start", "type": "start", "in": {}}, node, {"id": "done", "type": "end", "in": {}}],
        "edges": [{"from": "start", "to": node["id"]}, {"from": node["id"], "to": "done"}]});
    let mut files = plain("acme/flow", version, "");
    files[0].1 = files[0].1.replace("kind = \"assistant\"", "kind = \"workflow\"");
    files[0].1.push_str("type = \"workflow\"\nworkflow = { \"$json\" = \"graph.json\" }\n");
    files[0].1.push_str(lines);
    files.push(("graph.json".to_owned(), graph.to_string()));
    files
}

#[tokio::test]
async fn graphs_of_packages_may_name_only_tools_of_their_own_servers() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let fault = ["body.resources.it.workflow.nodes.call.config.tool"];
    let flow = |version: &str, tool: &str| {
        let node = json!({"id": "call", "type": "tool", "in": {}, "config": {"tool": tool}});
        let servers = "tool_servers = [{ name = \"tracker\", url = \"https://tools.example.org/mcp\", tools = [\"add\"] }]\n";
        flow(version, node, servers)
    };
    for tool in ["other/add", "tracker/drop"] {
        shop.put("flow", &flow("1.0.0", tool));
        assert_eq!(editor.post(&at("acme/flow", "install"), json!({})).await.faults(), fault);
    }
    shop.put("flow", &flow("1.0.0", "tracker/add"));
    shop.put("flow-2", &flow("1.1.0", "other/add"));
    let made = install(&editor, "acme/flow", json!({"version": "1.0.0"})).await;
    assert_eq!(made["services_to_approve"], json!(["mcp:tracker"]));
    assert_eq!(update(&editor, "acme/flow", "").await.faults(), fault);
    assert_eq!(installed(&editor, "acme/flow").await["package_version"], "1.0.0");
}

#[tokio::test]
async fn scripts_of_packages_are_checked_before_install_and_update() {
    let shop = Shop::open().await;
    let editor = shop.server.editor();
    let flow = |version: &str, code: &str| {
        let node = json!({"id": "count", "type": "code", "in": {}, "config": {"code": code}});
        flow(version, node, "")
    };
    let fault = ["body.resources.it.workflow.nodes.count.config.code"];
    for code in ["function main(inputs) {", "const main = 1"] {
        shop.put("flow", &flow("1.0.0", code));
        assert_eq!(editor.post(&at("acme/flow", "install"), json!({})).await.faults(), fault);
    }
    shop.put("flow", &flow("1.0.0", "function main(inputs) { return {} }"));
    shop.put("flow-2", &flow("1.1.0", "function main(inputs) {"));
    install(&editor, "acme/flow", json!({"version": "1.0.0"})).await;
    assert_eq!(update(&editor, "acme/flow", "").await.faults(), fault);
}
