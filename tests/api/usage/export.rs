//! The exported table of daily costs.

use serde_json::json;
use storage::records::{UsageRecord, User};
use storage::{Error, TenantId, new_id};
use uuid::Uuid;

use super::scene::{DAY, REPORT, book, by, id, past, table, tenant, within_one};
use crate::harness::TestServer;

#[tokio::test]
async fn export_escapes_formulas() {
    let server = TestServer::start().await;
    let home = tenant(server.admin_person());
    let evil = ["=HYPERLINK(\"http://x\",\"y\")", "+41", "-2", "@SUM(A1)", "\t=1", "a, \"b\"\nc"];
    let mut users = Vec::new();
    for (at, name) in evil.iter().enumerate() {
        let email = format!("x{at}@example.org");
        let body = json!({"email": email, "password": "correct horse battery", "role": "user"});
        let made = server.admin().post("/api/auth/users", body).await.created();
        let user: Uuid = made["id"].as_str().expect("an id").parse().expect("an id");
        // Names that a directory could contain.
        let name = (*name).to_owned();
        let rename = move |tx: &mut storage::Tx| {
            let mut row = tx.require::<User>(TenantId::SYSTEM, &user)?;
            row.body.display_name = name.clone();
            tx.update(TenantId::SYSTEM, row).map(drop)
        };
        server.store().run::<_, Error>(rename).await.expect("it is written");
        users.push(user);
    }
    let used =
        users.iter().flat_map(|user| past(8, 1, &[*user], "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"));
    book(&server, home, used.collect()).await;
    let csv =
        server.admin().get(&format!("{REPORT}/daily/export?from_date=2026-05-01&to_date=2026-05-01")).await;
    assert_eq!(csv.expect(200).header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(
        csv.header("content-disposition"),
        Some("attachment; filename=\"costs-2026-05-01-2026-05-01.csv\"")
    );
    let mut rows = csv::Reader::from_reader(&csv.body[..]);
    let names: Vec<_> = rows.records().map(|row| row.expect("a row")[3].to_owned()).collect();
    let expected = evil.map(|name| match name.starts_with("a,") {
        true => name.to_owned(),
        false => format!("'{name}"),
    });
    assert_eq!(names, expected);
}

/// More users and days than one chunk of the table holds: nothing is missing or duplicated, and the lines are in order.
#[tokio::test]
async fn long_export_is_complete() {
    let server = TestServer::start().await;
    let home = tenant(server.admin_person());
    let users: Vec<_> = (0..250).map(|_| new_id()).collect();
    let all = past(9, 3_000, &users, "2026-05-01T00:00:00Z", "2026-05-20T00:00:00Z");
    for part in all.chunks(500) {
        book(&server, home, part.to_vec()).await;
    }
    let csv =
        server.admin().get(&format!("{REPORT}/daily/export?from_date=2026-05-01&to_date=2026-05-31")).await;
    let line = |record: &UsageRecord| {
        format!("{},{}", record.ts.to_string().split_once('T').unwrap().0, record.user)
    };
    assert_eq!(table(&csv.expect(200).body), by(&all, line));
    let text = csv.text();
    let keys: Vec<_> = text.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>()).collect();
    assert!(keys.is_sorted_by_key(|key| (key[1], key[0])), "by user and day");
    // A time span without any usage.
    let none =
        server.admin().get(&format!("{REPORT}/daily/export?from_date=2025-05-01&to_date=2025-05-31")).await;
    assert_eq!(none.expect(200).text().lines().count(), 1);
}

#[tokio::test]
async fn export_covers_this_month_by_default() {
    let server = TestServer::start().await;
    within_one(DAY).await;
    let used = UsageRecord {
        ts: storage::Timestamp::now(),
        user: id(server.user_person()),
        cost_nanos: 5,
        billable: true,
        ..UsageRecord::default()
    };
    book(&server, tenant(server.user_person()), vec![used]).await;
    let lines = table(&server.admin().get(&format!("{REPORT}/daily/export")).await.expect(200).body);
    assert_eq!(lines.values().map(|line| line.cost_nanos).sum::<u64>(), 5);
}
