//! `user list` and `tenant list`.

use super::{bad, good, run, understudy};
use crate::harness::TestServer;
use serde_json::{Value, json};

fn emails(users: &Value) -> Vec<&str> {
    let mut emails: Vec<_> =
        users.as_array().unwrap().iter().map(|user| user["email"].as_str().unwrap()).collect();
    emails.sort_unstable();
    emails
}

#[tokio::test]
async fn user_list_and_tenant_list_show_a_data_folder() {
    let server = TestServer::start().await;
    let dir = server.stop().await;
    let users: Value = serde_json::from_str(&good(&run(dir.path(), &["user", "list", "--json"]))).unwrap();
    assert_eq!(
        emails(&users),
        ["admin@localhost", "editor@example.org", "stranger@example.com", "user@example.org"]
    );
    let admin = users.as_array().unwrap().iter().find(|user| user["email"] == "admin@localhost").unwrap();
    assert_eq!((&admin["platform_admin"], &admin["disabled"]), (&json!(true), &json!(false)));
    assert_eq!(admin["roles"].as_array().unwrap().len(), 2, "{admin}");
    let here: Value =
        serde_json::from_str(&good(&run(dir.path(), &["user", "list", "--tenant", "default", "--json"])))
            .unwrap();
    assert_eq!(emails(&here), ["admin@localhost", "editor@example.org", "user@example.org"]);
    bad(&run(dir.path(), &["user", "list", "--tenant", "none"]), 2);

    let table = good(&run(dir.path(), &["user", "list"]));
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with("EMAIL "), "{table}");
    let editor = lines.find(|line| line.starts_with("editor@example.org ")).unwrap();
    assert!(editor.contains("Default: editor") && editor.contains("active"), "{table}");

    let tenants: Value =
        serde_json::from_str(&good(&run(dir.path(), &["tenant", "list", "--json"]))).unwrap();
    let tenants: Vec<_> =
        tenants.as_array().unwrap().iter().map(|one| (&one["name"], &one["members"])).collect();
    assert_eq!(tenants, [(&json!("Default"), &json!(3)), (&json!("Elsewhere"), &json!(2))]);
    let table = good(&run(dir.path(), &["tenant", "list"]));
    assert!(table.starts_with("NAME ") && table.contains("Elsewhere"), "{table}");
    // Listing creates nothing.
    let nowhere = dir.path().join("nowhere");
    bad(&run(&nowhere, &["tenant", "list"]), 2);
    assert!(!nowhere.exists());
}

#[tokio::test]
async fn user_list_asks_a_running_server() {
    let server = TestServer::start().await;
    let (url, token, nowhere) =
        (server.url(), server.admin().bearer().to_owned(), server.dir().join("nowhere"));
    let listed = tokio::task::spawn_blocking(move || {
        let mut command = understudy(&nowhere);
        command
            .args(["user", "list", "--json", "--url", &url])
            .env("UNDERSTUDY_TOKEN", token)
            .output()
            .unwrap()
    });
    let users: Value = serde_json::from_str(&good(&listed.await.unwrap())).unwrap();
    assert_eq!(emails(&users), ["admin@localhost", "editor@example.org", "user@example.org"]);
    assert_eq!(users[0]["roles"], json!([{"role": "tenant_admin"}]));
}
