//! Imported prices apply completely or not at all, at once, and to everybody.

use serde_json::{Value, json};

use crate::api::streams::reading::unlimited;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer};

const TABLE: &str = "/api/tenant-admin/price-table";

/// Starts a server with a provider without known prices, except for one model.
async fn server() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let mut config = provider.config();
    config.models =
        serde_json::from_value(json!(["echo", "tools", {"id": "slow", "input_price": 5}])).expect("models");
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
    });
    (server.await, provider)
}

/// Returns the cost of an answer of three words, in nano-dollars.
async fn cost(client: &Client) -> u64 {
    let before = total(client).await;
    let body = json!({"model": "fake/echo", "messages": [{"role": "user", "content": "one two three"}]});
    client.post("/api/chat/completion", body).await.ok();
    total(client).await - before
}

async fn total(client: &Client) -> u64 {
    client.get("/api/users/costs").await.ok()["total"]["cost_nanos"].as_u64().expect("a cost")
}

async fn origin(client: &Client, model: &str) -> (String, Value) {
    let table = client.get(TABLE).await.ok();
    let models = table["models"].as_array().expect("models");
    let found =
        models.iter().find(|one| one["model"] == model).unwrap_or_else(|| panic!("no {model} in {table}"));
    (found["origin"].as_str().expect("an origin").to_owned(), found["prices"]["input_per_million"].clone())
}

#[tokio::test]
async fn imported_price_applies_to_later_usage() {
    let (server, _provider) = server().await;
    let (admin, user) = (server.admin(), server.user());
    assert_eq!(cost(&user).await, 0);
    assert_eq!(origin(&admin, "fake/echo").await.0, "unknown");
    assert_eq!(admin.get(TABLE).await.ok()["imported"], Value::Null);

    let csv = "model,input_per_million,output_per_million\nfake/echo,1,10\nfake/slow,9,9\nelsewhere/x,1,1\n";
    let done = admin.put(TABLE, json!({"table": csv})).await.ok();
    assert_eq!((&done["models"], &done["applied"]), (&json!(3), &json!(1)));
    assert_eq!(cost(&user).await, 10 * 1_000 + 3 * 10_000);
    assert_eq!(origin(&admin, "fake/echo").await, ("imported".to_owned(), json!("1.000")));
    assert_eq!(origin(&admin, "fake/slow").await, ("configured".to_owned(), json!("5.000")));
    let list = user.get("/api/chat/models").await.ok();
    let echo =
        list["items"].as_array().unwrap().iter().find(|model| model["id"] == "fake/echo").unwrap().clone();
    assert_eq!(echo["prices"]["input_nanos_per_token"], 1_000, "{echo}");

    // A preview changes nothing.
    let json_table = r#"{"fake/echo": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 3.75e-08}}"#;
    let tried = admin.put(TABLE, json!({"table": json_table, "dry_run": true})).await.ok();
    assert_eq!(tried["rounded"], json!([{"model": "fake/echo", "field": "output_cost_per_token"}]));
    assert_eq!(cost(&user).await, 40_000);
    // The next table replaces the previous one. Prices are rounded up to the nano-dollar.
    admin.put(TABLE, json!({"table": json_table, "format": "json"})).await.ok();
    assert_eq!(cost(&user).await, 10 * 150 + 3 * 38);
    let imported = admin.get(TABLE).await.ok()["imported"].clone();
    assert_eq!(
        (&imported["models"], &imported["imported_by"]),
        (&json!(1), &json!(server.admin_person().id))
    );

    let server = server.restart().await;
    let (admin, user) = (server.admin(), server.user());
    assert_eq!(cost(&user).await, 10 * 150 + 3 * 38);
    admin.delete(TABLE).await.ok();
    assert_eq!(cost(&user).await, 0);
    assert_eq!(admin.get(TABLE).await.ok()["imported"], Value::Null);
    let server = server.restart().await;
    assert_eq!(cost(&server.user()).await, 0);
    server.stored().await;
}

#[tokio::test]
async fn faulty_price_table_changes_nothing_and_reports_every_fault() {
    let (server, _provider) = server().await;
    let admin = server.admin();
    admin.put(TABLE, json!({"table": "model,input_per_million\nfake/echo,1\n"})).await.ok();
    let before = admin.get(TABLE).await.ok();
    let csv = "model,input_per_million\nfake/echo,2\nfake/tools,-1\nfake/slow,cheap\nfake/echo,3\n";
    let faults = admin.put(TABLE, json!({"table": csv})).await.faults();
    assert_eq!(
        faults,
        [
            "body.table.3.fake/tools.input_per_million",
            "body.table.4.fake/slow.input_per_million",
            "body.table.5.fake/echo"
        ]
    );
    for table in ["", "{", "model\n", "[[models]]\nid = 5"] {
        admin.put(TABLE, json!({"table": table})).await.problem(422, "invalid");
    }
    assert_eq!(
        admin.put(TABLE, json!({"format": "xml", "tables": ""})).await.faults(),
        ["body.format", "body.tables"]
    );
    assert_eq!(admin.get(TABLE).await.ok(), before);
}

#[tokio::test]
async fn prices_apply_to_the_whole_installation() {
    let (server, _provider) = server().await;
    let table = json!({"table": "model,input_per_million\nfake/echo,1\n"});
    for client in [server.user(), server.editor()] {
        client.get(TABLE).await.problem(403, "role_missing");
        client.put(TABLE, table.clone()).await.problem(403, "role_missing");
        client.delete(TABLE).await.problem(403, "role_missing");
    }
    // Tenant administrators can read the prices but not set them.
    server.stranger().get(TABLE).await.ok();
    server.stranger().put(TABLE, table.clone()).await.problem(403, "role_missing");
    server.stranger().delete(TABLE).await.problem(403, "role_missing");
    server.anonymous().get(TABLE).await.problem(401, "credentials_missing");
    server.token(&["admin:read"]).await.get(TABLE).await.ok();
    server.token(&["admin:read"]).await.put(TABLE, table.clone()).await.problem(403, "scope_missing");
    server.token(&["admin:write"]).await.put(TABLE, table).await.ok();
    assert_eq!(origin(&server.stranger(), "fake/echo").await.0, "imported");
}
