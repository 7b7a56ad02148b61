//! Every report equals the sums of the ledger, in any time zone and span.

use std::collections::{BTreeMap, BTreeSet};

use storage::Timestamp;
use storage::records::UsageRecord;
use storage::records::ledger::quarter_from;
use uuid::Uuid;

use super::scene::{REPORTS, report, used};
use crate::api::usage::scene::{REPORT, book, id, past, records, set_zone, spend, tenant, total};
use crate::harness::TestServer;

/// Whole days and months in UTC, days of other zones, and arbitrary spans; some contain no whole day.
const SPANS: [[&str; 2]; 6] = [
    ["2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"],
    ["2026-05-31T22:00:00Z", "2026-06-30T22:00:00Z"],
    ["2026-06-02T18:15:00Z", "2026-06-20T18:15:00Z"],
    ["2026-06-03T11:07:13Z", "2026-06-04T09:59:59Z"],
    ["2026-06-05T23:45:00Z", "2026-06-06T00:15:00Z"],
    ["2026-06-28T12:00:00Z", "2026-07-03T00:00:00Z"],
];

fn users_of(
    records: &[UsageRecord],
    span: [&str; 2],
    key: impl Fn(&UsageRecord) -> String,
) -> BTreeMap<String, u64> {
    let [from, to] = span.map(|at| quarter_from(at.parse::<Timestamp>().expect("a moment")));
    let mut users = BTreeMap::<String, BTreeSet<Uuid>>::new();
    for record in records.iter().filter(|record| (from..to).contains(&record.ts)) {
        users.entry(key(record)).or_default().insert(record.user);
    }
    users.into_iter().map(|(key, users)| (key, users.len() as u64)).collect()
}

#[tokio::test]
async fn reports_equal_the_ledger_in_any_time_zone() {
    let server = TestServer::start().await;
    let here = tenant(server.admin_person());
    // One of the users has left the tenant.
    let gone = Uuid::from_u128(77);
    let users = [id(server.admin_person()), id(server.editor_person()), id(server.user_person()), gone];
    book(&server, here, past(11, 400, &users, "2026-05-28T00:00:00Z", "2026-07-04T00:00:00Z")).await;
    let elsewhere = past(12, 50, &[gone], "2026-06-01T00:00:00Z", "2026-06-30T00:00:00Z");
    book(&server, tenant(server.stranger_person()), elsewhere).await;
    let (admin, booked) = (server.admin(), records(&server, here));
    for zone in ["UTC", "Europe/Zurich", "Asia/Kathmandu", "America/St_Johns"] {
        set_zone(&server, zone).await;
        for [from, to] in SPANS {
            let span = format!("from_date={from}&to_date={to}");
            for ((name, key), by) in REPORTS.into_iter().zip(["assistant", "model", "user"]) {
                let told = report(&admin, name, &format!("{span}&limit=200")).await;
                let ledger = admin.get(&format!("{REPORT}?group_by={by}&{span}")).await.ok();
                assert_eq!(spend(&told["totals"]), spend(&ledger["total"]), "{zone} {name} {span}");
                assert_eq!(used(&told, key), used(&ledger, "key"), "{zone} {name} {span}");
                assert_eq!(total(&used(&told, key)), spend(&told["totals"]));
                assert_eq!(
                    (&told["from_date"], &told["to_date"]),
                    (&ledger["from_date"], &ledger["to_date"])
                );
                assert_eq!(told["time_zone"], zone);
            }
            let distinct = |told: &serde_json::Value, key: &str| -> BTreeMap<String, u64> {
                let lines =
                    told["items"].as_array().expect("items").iter().filter(|line| line["requests"] != 0);
                lines
                    .map(|line| {
                        (
                            line[key].as_str().unwrap_or_default().to_owned(),
                            line["users"].as_u64().expect("users"),
                        )
                    })
                    .collect()
            };
            let assistant =
                |record: &UsageRecord| record.assistant_id.map(|id| id.to_string()).unwrap_or_default();
            let told = report(&admin, "overview", &format!("{span}&limit=200")).await;
            assert_eq!(distinct(&told, "assistant_id"), users_of(&booked, [from, to], assistant));
            let told = report(&admin, "models", &format!("{span}&limit=200")).await;
            assert_eq!(
                distinct(&told, "model"),
                users_of(&booked, [from, to], |record| record.model.clone())
            );
            let kpis = report(&admin, "kpis", &span).await;
            let all = spend(&told["totals"]);
            assert_eq!(kpis["cost_nanos"]["value"], all.cost_nanos);
            assert_eq!(kpis["tokens"]["value"], all.tokens());
            assert_eq!(
                kpis["active_users"]["value"].as_u64(),
                users_of(&booked, [from, to], |_| String::new()).get("").copied().or(Some(0))
            );
        }
    }
    server.stored().await;
}

#[tokio::test]
async fn usage_of_a_user_is_the_same_for_administrators_and_the_user() {
    let server = TestServer::start().await;
    let here = tenant(server.admin_person());
    let user = id(server.user_person());
    book(&server, here, past(3, 40, &[user], "2026-06-01T00:00:00Z", "2026-06-30T00:00:00Z")).await;
    let own = server.user().get("/api/users/usage-detail?month=2026-06").await.ok();
    let told = server.admin().get(&format!("/api/control-tower/users/{user}/usage?month=2026-06")).await.ok();
    assert_eq!(spend(&told["total"]), spend(&own["total"]));
    for list in ["by_model", "by_day", "by_kind"] {
        assert_eq!(told[list], own[list]);
    }
    let path = format!("/api/control-tower/users/{user}/usage");
    assert_eq!(server.admin().get(&path).await.faults(), ["query.month"]);
    assert_eq!(server.admin().get(&format!("{path}?month=2026-13")).await.faults(), ["query.month"]);
    server.stranger().get(&format!("{path}?month=2026-06")).await.not_found();
    let unknown = Uuid::now_v7();
    server.admin().get(&format!("/api/control-tower/users/{unknown}/usage?month=2026-06")).await.not_found();
}
