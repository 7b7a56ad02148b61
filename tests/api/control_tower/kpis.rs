//! Key figures and their change against the previous time span.

use serde_json::{Value, json};
use storage::Timestamp;
use storage::records::UsageRecord;
use uuid::Uuid;

use super::scene::{TOWER, report};
use crate::api::usage::scene::{book, id, set_zone, tenant};
use crate::harness::TestServer;

fn used(at: &str, user: Uuid, assistant: Option<u128>, cost_nanos: i64) -> UsageRecord {
    UsageRecord {
        ts: at.parse().expect("a moment"),
        user,
        assistant_id: assistant.map(Uuid::from_u128),
        model: "a/b".into(),
        cost_nanos,
        ..UsageRecord::default()
    }
}

#[tokio::test]
async fn kpis_compare_a_span_with_the_previous_one() {
    let server = TestServer::start().await;
    let (admin, user) = (id(server.admin_person()), id(server.user_person()));
    let records = vec![
        used("2026-06-01T00:00:00Z", admin, Some(1), 8_000_000_000),
        used("2026-06-09T23:59:59Z", admin, None, 1),
        // The queried time span starts here.
        used("2026-06-10T00:00:00Z", admin, Some(1), 3_000_000_000),
        used("2026-06-10T00:00:00Z", user, Some(2), 3_000_000_000),
        used("2026-06-18T23:59:59Z", user, Some(2), 0),
        // The queried time span ends here.
        used("2026-06-19T00:00:00Z", user, Some(3), 9),
    ];
    book(&server, tenant(server.admin_person()), records).await;
    let span = "from_date=2026-06-10T00:00:00Z&to_date=2026-06-19T00:00:00Z";
    let told = report(&server.admin(), "kpis", span).await;
    assert_eq!(told["previous_from_date"], "2026-06-01T00:00:00.000Z");
    assert_eq!(
        told["active_users"],
        json!({"value": 2, "previous": 1, "change": 1, "change_percent": 100.0})
    );
    assert_eq!(told["assistants_in_use"]["value"], 2);
    assert_eq!(told["requests"], json!({"value": 3, "previous": 2, "change": 1, "change_percent": 50.0}));
    assert_eq!(told["cost_nanos"]["change"], -2_000_000_001_i64);
    assert_eq!((&told["cost"], &told["previous_cost"]), (&json!("6.000000000"), &json!("8.000000001")));
    assert_eq!(
        told["messages"],
        json!({"value": 0, "previous": 0, "change": 0, "change_percent": Value::Null})
    );
    assert_eq!(report(&server.stranger(), "kpis", span).await["active_users"]["value"], 0);
}

#[tokio::test]
async fn kpis_cover_the_last_thirty_days_of_the_time_zone_by_default() {
    let server = TestServer::start().await;
    set_zone(&server, "Asia/Kathmandu").await;
    let now = Timestamp::now();
    let ago = |days: i64| Timestamp::from_millis(now.as_millis() - days * 86_400_000).to_string();
    let user = id(server.user_person());
    let records = vec![
        used(&now.to_string(), user, None, 1),
        used(&ago(28), user, None, 2),
        used(&ago(31), user, None, 4),
    ];
    book(&server, tenant(server.admin_person()), records).await;
    let told = report(&server.admin(), "kpis", "").await;
    assert_eq!((&told["cost_nanos"]["value"], &told["cost_nanos"]["previous"]), (&json!(3), &json!(4)));
    // The time span starts at midnight in Nepal, and the lists cover the same days.
    assert!(told["from_date"].as_str().expect("a moment").ends_with("T18:15:00.000Z"), "{told}");
    let list = report(&server.admin(), "models", "").await;
    assert_eq!((&list["from_date"], &list["time_zone"]), (&told["from_date"], &json!("Asia/Kathmandu")));
    assert_eq!(list["totals"]["cost_nanos"], 3);
    // Requested days behave the same way, and they end with their last moment.
    for name in ["kpis", "models", "users"] {
        let told = report(&server.admin(), name, "from_date=2026-06-10&to_date=2026-06-10").await;
        assert_eq!(told["from_date"], "2026-06-09T18:15:00.000Z", "{name}");
        assert_eq!(told["to_date"], "2026-06-10T18:15:00.000Z", "{name}");
    }
}

#[tokio::test]
async fn kpis_refuse_invalid_spans() {
    let server = TestServer::start().await;
    let admin = server.admin();
    for name in ["kpis", "overview", "models", "users", "overview/export", "models/export", "users/export"] {
        for (query, fault) in [
            ("from_date=2026-06-02T00:00:00Z&to_date=2026-06-01T00:00:00Z", "query.from_date"),
            ("from_date=2024-06-02T00:00:00Z&to_date=2026-06-01T00:00:00Z", "query.from_date"),
            ("from_date=yesterday", "query.from_date"),
            ("to_date=2026-6-2", "query.to_date"),
            ("to_date=9999-06-02T00:00:00Z", "query.to_date"),
            ("from_date=9998-06-02T00:00:00Z", "query.from_date"),
        ] {
            let answer = admin.get(&format!("{TOWER}/{name}?{query}")).await;
            assert_eq!(answer.faults(), [fault], "{name} {query}");
        }
    }
}
