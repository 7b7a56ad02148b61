//! The directory of a tenant and its credential.

use serde_json::{Value, json};

use super::{CREDENTIAL, SYNC, choose, people, stage, sync};
use crate::harness::fake_directory::{Act, FakeDirectory, SECRET};
use crate::harness::{TestServer, text};

#[tokio::test]
async fn credential_is_tried_stored_and_never_returned() {
    let directory = FakeDirectory::start().await;
    for (kind, credential) in [("scim", directory.scim()), ("microsoft_graph", directory.graph())] {
        let server = TestServer::start().await;
        let admin = server.admin();
        admin.get(CREDENTIAL).await.no_content();
        let set = admin.put(CREDENTIAL, credential.clone()).await;
        let shown = admin.get(CREDENTIAL).await;
        for answer in [&set, &shown] {
            assert!(!answer.text().contains(SECRET), "{answer:?}");
            let answer = answer.ok();
            assert_eq!(answer["kind"], kind);
            assert_eq!(answer["masked"], "…cdef");
            assert_eq!(answer["set_by"], server.admin_person().id);
            assert!(answer["tested_at"].is_string() && answer["set_at"].is_string());
        }
        admin.delete(CREDENTIAL).await.no_content();
        admin.get(CREDENTIAL).await.no_content();
        admin.delete(CREDENTIAL).await.no_content();
        admin.post(SYNC, json!({})).await.problem(409, "no_directory");
        let audit = admin.get("/api/tenant-admin/audit").await.text();
        assert!(audit.contains("groups.directory.forget") && !audit.contains(SECRET));
    }
}

#[tokio::test]
async fn wrong_secret_changes_nothing_and_is_not_returned() {
    let directory = FakeDirectory::start().await;
    for credential in [directory.scim(), directory.graph()] {
        let (_server, admin) = stage(&credential).await;
        let mut wrong = credential.clone();
        wrong["secret"] = json!("wrong-secret-that-must-not-be-shown-0");
        let before = admin.get(CREDENTIAL).await.ok();
        for asked in
            [admin.put(CREDENTIAL, wrong.clone()).await, admin.post(SYNC, json!({"credential": wrong})).await]
        {
            let problem = asked.problem(422, "invalid");
            assert!(!asked.text().contains("wrong-secret"), "{asked:?}");
            let fault = &problem["errors"][0];
            assert_eq!(fault["type"], "directory_refused", "{problem}");
            assert_eq!(fault["loc"].as_array().unwrap().last().unwrap(), "secret");
        }
        assert_eq!(admin.get(CREDENTIAL).await.ok(), before);
        // The stored credential still works.
        people(&directory);
        directory.group("staff", &["user"]);
        choose(&admin, &["staff"]).await;
        assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
    }
}

#[tokio::test]
async fn credential_for_an_unusable_directory_is_refused() {
    let server = TestServer::start_with(|config| config.directories.retries = 0).await;
    let admin = server.admin();
    let directory = FakeDirectory::start().await;
    directory.next("/scim/Groups", 1, Act::Status(503, None));
    let busy = admin.put(CREDENTIAL, directory.scim()).await;
    assert_eq!(busy.problem(422, "invalid")["errors"][0]["loc"], json!(["body", "directory"]));
    assert!(!busy.text().contains(SECRET));
    let mut nowhere = directory.scim();
    nowhere["directory"]["base_url"] = json!("http://127.0.0.1:9/scim");
    let faults = admin.put(CREDENTIAL, nowhere).await.problem(422, "invalid");
    assert_eq!(faults["errors"][0]["type"], "directory_unreachable");
    admin.get(CREDENTIAL).await.no_content();
}

#[tokio::test]
async fn settings_are_validated_before_the_directory_is_contacted() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let ldap = json!({"kind": "ldap", "url": "ldap://127.0.0.1:9", "bind_dn": "cn=a", "base_dn": "dc=b"});
    let with = |field: &str, value: Value| {
        let mut changed = ldap.clone();
        changed[field] = value;
        changed
    };
    for (field, directory) in [
        ("url", with("url", json!("http://127.0.0.1"))),
        ("url", with("url", json!("ldap://user:secret@127.0.0.1"))),
        ("bind_dn", with("bind_dn", json!(" "))),
        ("group_filter", with("group_filter", json!("(objectClass=group"))),
        ("user_filter", with("user_filter", json!("nonsense"))),
        ("id_attribute", with("id_attribute", json!("a)(b"))),
        ("ca_pem", with("ca_pem", json!("no certificate"))),
        ("page_size", with("page_size", json!(0))),
        ("base_url", json!({"kind": "scim", "base_url": "ftp://127.0.0.1"})),
        ("base_url", json!({"kind": "scim", "base_url": "http://a:b@127.0.0.1/"})),
        ("tenant_id", json!({"kind": "microsoft_graph", "tenant_id": "a/../b", "client_id": "c"})),
    ] {
        let asked = json!({"secret": "0123456789", "directory": directory});
        let problem = admin.put(CREDENTIAL, asked).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["loc"], json!(["body", "directory", field]), "{problem}");
    }
    // A misspelt filter would admit users whom it was meant to exclude.
    let misspelt = json!({"secret": "0123456789", "directory": with("user_filer", json!("(cn=unknown)"))});
    let problem = admin.put(CREDENTIAL, misspelt).await.problem(422, "invalid");
    assert!(problem.to_string().contains("user_filer"), "{problem}");
    let fine = json!({"secret": "x", "directory": {"kind": "scim", "base_url": "http://127.0.0.1:9"}});
    for (field, value) in
        [("secret", json!("")), ("secret", json!("two words")), ("every_minutes", json!(14))]
    {
        let mut asked = fine.clone();
        asked[field] = value;
        let problem = admin.put(CREDENTIAL, asked).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["loc"], json!(["body", field]), "{problem}");
    }
}

#[tokio::test]
async fn hosts_that_the_operator_does_not_allow_are_refused() {
    let directory = FakeDirectory::start().await;
    let server = TestServer::start_with(|config| {
        config.directories.hosts = vec!["*.example.org".into(), "127.0.0.1".into()];
    });
    let (server, open) = (server.await, directory.scim());
    refuses(&server, &open, &["169.254.169.254", "127.0.0.2"]).await;
    server.admin().put(CREDENTIAL, open.clone()).await.ok();
    // A name could resolve to an allowed address. If no address is allowed, names are refused before they are resolved.
    let server = server.restart_with(|config| config.directories.hosts = vec!["*.example.org".into()]).await;
    refuses(&server, &open, &["127.0.0.1", "example.org", "example.org.evil"]).await;
}

async fn refuses(server: &TestServer, open: &Value, hosts: &[&str]) {
    for host in hosts {
        let mut closed = open.clone();
        closed["directory"]["base_url"] = json!(format!("http://{host}/scim"));
        let problem = server.admin().put(CREDENTIAL, closed).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["type"], "not_allowed", "{problem}");
        assert_eq!(problem["errors"][0]["loc"], json!(["body", "directory", "base_url"]));
    }
}

/// Administrators of tenants cannot explore the networks of the server.
#[tokio::test]
async fn private_addresses_are_refused_by_default() {
    let directory = FakeDirectory::start().await;
    let server = TestServer::start_with(|config| {
        config.directories.hosts = understudy::Config::default().directories.hosts;
    });
    let (server, scim) = (server.await, directory.scim());
    for host in ["127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:10.0.0.1]"] {
        let mut closed = scim.clone();
        closed["directory"]["base_url"] = json!(format!("http://{host}:9/scim"));
        let problem = server.admin().put(CREDENTIAL, closed).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["type"], "not_allowed", "{problem}");
    }
    // A name that resolves to a private address is refused after the lookup, for every protocol.
    let mut named = scim.clone();
    let real = text(&scim["directory"]["base_url"]).replace("127.0.0.1", "localhost");
    named["directory"]["base_url"] = json!(real);
    let problem = server.admin().put(CREDENTIAL, named).await.problem(422, "invalid").to_string();
    assert!(problem.contains("directories.hosts"), "{problem}");
    let ldap = json!({"kind": "ldap", "url": "ldap://localhost:9", "bind_dn": "cn=x", "base_dn": "dc=x"});
    let problem = server.admin().put(CREDENTIAL, json!({"directory": ldap, "secret": "x"})).await;
    let problem = problem.problem(422, "invalid").to_string();
    assert!(problem.contains("directories.hosts"), "{problem}");
}

#[tokio::test]
async fn directory_operations_require_an_administrator() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user"]);
    let (server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["staff"]).await;
    sync(&admin, json!({})).await;
    let calls = [
        ("GET", "/api/groups/sync/available", "admin:read"),
        ("POST", "/api/groups/sync/available/refresh", "admin:write"),
        ("GET", CREDENTIAL, "admin:read"),
        ("PUT", CREDENTIAL, "admin:write"),
        ("DELETE", CREDENTIAL, "admin:write"),
        ("GET", "/api/groups/sync/history", "admin:read"),
        ("PUT", "/api/groups/sync/selections", "admin:write"),
        ("POST", SYNC, "admin:write"),
    ];
    let bodies = |path: &str| match path {
        CREDENTIAL => directory.scim(),
        "/api/groups/sync/selections" => json!({"group_ids": []}),
        _ => json!({}),
    };
    let other_scope = server.token(&["teams:read"]).await;
    for (method, path, _) in calls {
        for client in [server.user(), server.editor()] {
            call(&client, method, path, bodies(path)).await.problem(403, "role_missing");
        }
        call(&other_scope, method, path, bodies(path)).await.problem(403, "scope_missing");
        call(&server.anonymous(), method, path, bodies(path)).await.problem(401, "credentials_missing");
    }
    // The administrator of another tenant has a directory of their own, or none.
    let stranger = server.stranger();
    stranger.get(CREDENTIAL).await.no_content();
    assert_eq!(stranger.get("/api/groups").await.ok()["total"], 0);
    assert_eq!(stranger.get("/api/groups/sync/history").await.ok()["total"], 0);
    assert_eq!(stranger.get("/api/groups/sync/available").await.ok()["total"], 0);
    let run = admin.get("/api/groups/sync/history").await.ok()["items"][0]["sync_id"].clone();
    let cancel = format!("/api/groups/sync/{}/cancel", run.as_str().unwrap());
    stranger.post(&cancel, json!({})).await.not_found();
    // Members see the groups that grants can name, and no others.
    let seen = server.user().get("/api/groups?query=STAFF").await.ok();
    assert_eq!((&seen["total"], &seen["items"][0]["name"]), (&json!(1), &json!("Group staff")));
    assert_eq!(other_scope.get("/api/groups?query=unknown").await.ok()["total"], 0);
    server.token(&["admin:read"]).await.get("/api/groups").await.problem(403, "scope_missing");
}

async fn call(
    client: &crate::harness::Client,
    method: &str,
    path: &str,
    body: Value,
) -> crate::harness::Answer {
    match method {
        "GET" => client.get(path).await,
        "PUT" => client.put(path, body).await,
        "DELETE" => client.delete(path).await,
        _ => client.post(path, body).await,
    }
}
