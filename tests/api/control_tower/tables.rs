//! Reports exported as tables.

use serde_json::{Value, json};

use super::scene::{REPORTS, TOWER, assistant, report};
use crate::api::usage::scene::{book, id, past, tenant};
use crate::harness::TestServer;

const SPAN: &str = "from_date=2026-06-01T00:00:00Z&to_date=2026-07-01T00:00:00Z";

#[tokio::test]
async fn export_contains_all_lines_of_the_report() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    for name in ["=HYPERLINK(\"http://x\")", "@cmd", "plain, and \"quoted\"\nname"] {
        let body = json!({"name": name});
        editor.post("/api/assistants", body).await;
    }
    for number in 0..60 {
        assistant(&editor, &format!("Number {number}"), json!({})).await;
    }
    let users = [id(server.user_person()), id(server.editor_person()), uuid::Uuid::from_u128(5)];
    book(
        &server,
        tenant(server.admin_person()),
        past(5, 80, &users, "2026-06-01T00:00:00Z", "2026-06-30T00:00:00Z"),
    )
    .await;
    for (name, key) in REPORTS {
        let query = format!("{SPAN}&sort_by=cost");
        let table = admin.get(&format!("{TOWER}/{name}/export?{query}")).await;
        table.expect(200);
        assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"));
        let disposition = table.header("content-disposition").expect("a name").to_owned();
        assert!(disposition.contains("-2026-06-01-2026-06-30.csv"), "{disposition}");
        let told = report(&admin, name, &format!("{query}&limit=200")).await;
        let lines = told["items"].as_array().expect("items");
        let mut reader = csv::Reader::from_reader(&table.body[..]);
        let columns = reader.headers().expect("a head").clone();
        let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len() as u64, told["total"].as_u64().expect("a number"));
        for (row, line) in rows.iter().zip(lines) {
            let cell = |name: &str| &row[columns.iter().position(|other| other == name).expect(name)];
            assert_eq!(cell(key), line[key].as_str().unwrap_or_default());
            for number in [
                "conversations",
                "messages",
                "errors",
                "requests",
                "input_tokens",
                "cost_nanos",
                "billable_nanos",
            ] {
                assert_eq!(cell(number), line[number].to_string(), "{name} {number}");
            }
            assert_eq!(cell("cost"), line["cost"].as_str().expect("decimals"));
            assert_eq!(cell("last_used_at"), line["last_used_at"].as_str().unwrap_or_default());
            assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{row:?}");
        }
    }
}

#[tokio::test]
async fn export_escapes_names_that_look_like_formulas() {
    let server = TestServer::start().await;
    server.editor().post("/api/assistants", json!({"name": "=1+1"})).await.created();
    let table = server.admin().get(&format!("{TOWER}/overview/export")).await;
    assert!(table.expect(200).text().contains(",'=1+1,"), "{table:?}");
    let found = server.admin().get(&format!("{TOWER}/overview/export?search=nothing")).await;
    assert_eq!(found.expect(200).text().lines().count(), 1, "only the header line");
    let elsewhere = server.stranger().get(&format!("{TOWER}/overview/export")).await;
    assert_eq!(elsewhere.expect(200).text().lines().count(), 1);
    assert_eq!(report(&server.stranger(), "overview", "").await["items"], Value::Array(Vec::new()));
}
