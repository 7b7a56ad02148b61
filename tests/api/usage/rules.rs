//! Rights to read usage, and invalid queries.

use serde_json::json;
use uuid::Uuid;

use super::scene::{COSTS, REPORT, book, id, past, plain, spend, sum, tenant};
use crate::harness::{Client, TestServer};

const OWN: [&str; 6] = [
    COSTS,
    "/api/users/usage",
    "/api/users/usage-detail?month=2026-05",
    "/api/users/usage-summary",
    "/api/users/usage/first-month",
    "/api/users/stats",
];

fn of_tenant() -> [String; 2] {
    [format!("{REPORT}?group_by=user"), format!("{REPORT}/daily/export")]
}

#[tokio::test]
async fn usage_of_others_requires_an_administrator() {
    let server = TestServer::start().await;
    let (user, editor) = (&server.user_person().id, &server.editor_person().id);
    for path in OWN {
        for client in [server.user(), server.editor(), server.admin(), server.stranger()] {
            client.get(path).await.ok();
        }
        server.anonymous().get(path).await.problem(401, "credentials_missing");
        server.token(&["usage:read"]).await.get(path).await.ok();
        server.token(&["admin:read", "account:read"]).await.get(path).await.problem(403, "scope_missing");
    }
    for path in of_tenant() {
        for client in [server.user(), server.editor()] {
            client.get(&path).await.problem(403, "role_missing");
        }
        server.admin().get(&path).await.expect(200);
        server.token(&["usage:read"]).await.get(&path).await.expect(200);
        server.token(&["admin:read"]).await.get(&path).await.problem(403, "scope_missing");
    }
    let of = |id: &str| format!("{COSTS}?user_ids={id}");
    server.user().get(&of(user)).await.ok();
    server.user().get(&of(editor)).await.problem(403, "role_missing");
    server.user().get(&format!("{}&user_ids={editor}", of(user))).await.problem(403, "role_missing");
    server.editor().get(&of(user)).await.problem(403, "role_missing");
    server.admin().get(&of(user)).await.ok();
    // A user of another tenant does not exist here.
    server.stranger().get(&of(user)).await.not_found();
    server.admin().get(&of(&server.stranger_person().id)).await.not_found();
    server.admin().get(&of(&Uuid::from_u128(5).to_string())).await.not_found();
}

#[tokio::test]
async fn usage_of_all_tenants_requires_a_session_of_the_user() {
    let server = TestServer::start().await;
    // The administrator created the other tenant and is a member of it.
    let me = id(server.admin_person());
    let (here, there) = (tenant(server.admin_person()), tenant(server.stranger_person()));
    let past = past(7, 60, &[me], "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z");
    book(&server, here, past[..40].to_vec()).await;
    book(&server, there, past[40..].to_vec()).await;
    let path =
        format!("{COSTS}?group_by_tenant=true&from_date=2026-05-01T00:00:00Z&to_date=2026-06-01T00:00:00Z");
    let costs = server.admin().get(&path).await.ok();
    assert_eq!(spend(&costs["total"]), plain(sum(&past)));
    let of = |tenant: storage::TenantId| {
        let list = costs["by_tenant"].as_array().expect("tenants");
        spend(list.iter().find(|one| one["tenant_id"] == tenant.0.to_string()).expect("the tenant"))
    };
    assert_eq!((of(here), of(there)), (plain(sum(&past[..40])), plain(sum(&past[40..]))));
    // A token gives access to one tenant only.
    server.token(&["usage:read"]).await.get(&path).await.problem(403, "session_required");
    let faults = server.admin().get(&format!("{path}&user_ids={me}")).await.faults();
    assert_eq!(faults, ["query.group_by_tenant"]);
    let body = json!({"user_id": server.user_person().id, "reason": "ticket 5"});
    let acting = server.admin().post("/api/auth/impersonate", body).await.created();
    let acting = server.client(acting["access_token"].as_str().expect("a token"));
    acting.get(&path).await.problem(403, "impersonation_limited");
    let alone = server.user().get(&path).await.ok();
    assert_eq!(alone["by_tenant"].as_array().map(Vec::len), Some(1));
}

async fn faults(client: &Client, path: &str) -> Vec<String> {
    client.get(path).await.faults()
}

#[tokio::test]
async fn usage_queries_refuse_invalid_parameters() {
    let server = TestServer::start().await;
    let admin = server.admin();
    for path in ["/api/users/usage", "/api/users/usage-detail"] {
        for month in ["2026", "2026-13", "2026-1", "26-01", "9999-01", "1969-12", "next", "2026-05-01"] {
            assert_eq!(faults(&admin, &format!("{path}?month={month}")).await, ["query.month"]);
        }
    }
    assert_eq!(faults(&admin, "/api/users/usage-detail").await, ["query.month"]);
    for path in [COSTS.to_owned(), format!("{REPORT}?group_by=day")] {
        let path = if path.contains('?') { format!("{path}&") } else { format!("{path}?") };
        for span in [
            "from_date=yesterday",
            "from_date=2026-05-02T00:00:00Z&to_date=2026-05-01T00:00:00Z",
            "from_date=2024-05-02T00:00:00Z&to_date=2026-05-01T00:00:00Z",
            "from_date=0001-01-01T00:00:00Z",
            "from_date=2020-01-01T00:00:00Z",
        ] {
            assert_eq!(faults(&admin, &format!("{path}{span}")).await, ["query.from_date"], "{span}");
        }
        let far = "from_date=%2B262000-01-01T00:00:00Z&to_date=-262000-01-01T00:00:00Z";
        assert_eq!(faults(&admin, &format!("{path}{far}")).await, ["query.from_date", "query.to_date"]);
    }
    let export = format!("{REPORT}/daily/export");
    for span in [
        "from_date=5",
        "from_date=2026-02-30",
        "from_date=2026-05-02&to_date=2026-04-30",
        "from_date=2024-05-02&to_date=2026-05-01",
        "from_date=2020-01-01",
        "from_date=9999-01-01",
        "from_date=%2B262142-12-31T23:59:59.999Z",
        "from_date=-262143-01-01T00:00:00Z",
    ] {
        assert_eq!(faults(&admin, &format!("{export}?{span}")).await, ["query.from_date"], "{span}");
    }
    assert_eq!(faults(&admin, &format!("{REPORT}?group_by=colour")).await, ["query.group_by"]);
    assert_eq!(faults(&admin, REPORT).await, ["query.group_by"]);
    let many: String = (0..201).map(|n| format!("&user_ids={}", Uuid::from_u128(n))).collect();
    assert_eq!(faults(&admin, &format!("{COSTS}?model=x{many}")).await, ["query.user_ids"]);
    assert_eq!(faults(&admin, &format!("{COSTS}?user_ids=me")).await, ["query.user_ids.0"]);
    // An empty parameter counts as omitted.
    admin.get(&format!("{COSTS}?from_date=&to_date=&user_ids=&model=&include_only_billable=")).await.ok();
}
