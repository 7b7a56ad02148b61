//! Order, pages and search of the lists.

use serde_json::{Value, json};
use storage::records::{Usage, UsageRecord};
use uuid::Uuid;

use super::scene::{REPORTS, TOWER, assistant, report};
use crate::api::usage::scene::{book, id, past, tenant};
use crate::harness::{Client, TestServer, text};

const SPAN: &str = "from_date=2026-06-01T00:00:00Z&to_date=2026-07-01T00:00:00Z";

/// Thirteen assistants, several of which are equal in every sort key.
async fn scene() -> TestServer {
    let server = TestServer::start().await;
    let editor = server.editor();
    let mut records = Vec::new();
    for number in 0..10_u64 {
        let name = ["Tides", "moon", "Ebb"][(number % 3) as usize];
        let made = assistant(&editor, name, json!({})).await;
        records.push(UsageRecord {
            ts: "2026-06-07T00:00:00Z".parse().expect("a moment"),
            user: id([server.user_person(), server.editor_person()][(number % 2) as usize]),
            assistant_id: Some(made.parse().expect("an id")),
            model: format!("a/{}", number % 4),
            usage: Usage { input_tokens: number / 4, ..Usage::default() },
            cost_nanos: (number % 3) as i64,
            ..UsageRecord::default()
        });
    }
    let here = tenant(server.admin_person());
    book(&server, here, records).await;
    book(
        &server,
        here,
        past(
            9,
            60,
            &[Uuid::from_u128(3), Uuid::from_u128(4)],
            "2026-06-01T00:00:00Z",
            "2026-06-30T00:00:00Z",
        ),
    )
    .await;
    server
}

async fn all(admin: &Client, name: &str, query: &str) -> Vec<Value> {
    let told = report(admin, name, &format!("{SPAN}&limit=200&{query}")).await;
    told["items"].as_array().expect("items").clone()
}

#[tokio::test]
async fn lists_are_sorted_and_pages_are_contiguous() {
    let server = scene().await;
    let admin = server.admin();
    for (name, key) in REPORTS {
        for by in [
            "name",
            "users",
            "conversations",
            "messages",
            "errors",
            "requests",
            "tokens",
            "cost",
            "last_used_at",
        ] {
            if (name, by) == ("users", "users") {
                continue;
            }
            for order in ["asc", "desc"] {
                let query = format!("sort_by={by}&sort_order={order}");
                let whole = all(&admin, name, &query).await;
                assert!(whole.len() > 4, "{name}");
                let mut gathered = Vec::new();
                for offset in (0..whole.len() + 3).step_by(3) {
                    let part = report(&admin, name, &format!("{SPAN}&{query}&limit=3&offset={offset}")).await;
                    assert_eq!(part["total"], whole.len() as u64);
                    gathered.extend(part["items"].as_array().expect("items").clone());
                }
                assert_eq!(gathered, whole, "{name} {query}");
                let place = |line: &Value| place(line, by, key);
                let id = |line: &Value| line[key].as_str().unwrap_or_default().to_owned();
                for pair in whole.windows(2) {
                    let (one, two) = (place(&pair[0]), place(&pair[1]));
                    let in_order = if order == "asc" { one < two } else { one > two };
                    assert!(
                        in_order || (one == two && id(&pair[0]) < id(&pair[1])),
                        "{name} {query}: {pair:?}"
                    );
                }
            }
        }
    }
}

/// The sort key of a line.
fn place(line: &Value, by: &str, key: &str) -> (u64, String) {
    let name = |field: &str| line[field].as_str().unwrap_or_default().to_lowercase();
    match by {
        "name" if key == "model" => (0, name("model")),
        "name" if key == "user_id" => (0, name("display_name")),
        "name" | "last_used_at" => (0, name(by)),
        "cost" => (line["cost_nanos"].as_u64().expect("a number"), String::new()),
        by => (line[by].as_u64().unwrap_or_else(|| panic!("no {by} in {line}")), String::new()),
    }
}

#[tokio::test]
async fn lists_sort_names_ascending_and_numbers_descending_by_default() {
    let server = scene().await;
    let admin = server.admin();
    for (name, _) in REPORTS {
        for (query, same) in [
            ("", "sort_by=messages&sort_order=desc"),
            ("sort_by=name", "sort_by=name&sort_order=asc"),
            ("sort_by=cost", "sort_by=cost&sort_order=desc"),
        ] {
            assert_eq!(all(&admin, name, query).await, all(&admin, name, same).await, "{name} {query}");
        }
    }
}

#[tokio::test]
async fn lists_refuse_invalid_parameters() {
    let server = TestServer::start().await;
    let admin = server.admin();
    for (name, _) in REPORTS {
        let long = format!("search={}", "x".repeat(201));
        for (query, fault) in [
            ("sort_by=colour", "query.sort_by"),
            ("sort_order=up", "query.sort_order"),
            ("limit=0", "query.limit"),
            ("limit=201", "query.limit"),
            ("offset=-1", "query.offset"),
            (long.as_str(), "query.search"),
        ] {
            assert_eq!(
                admin.get(&format!("{TOWER}/{name}?{query}")).await.faults(),
                [fault],
                "{name} {query}"
            );
        }
    }
    for name in ["users", "users/export"] {
        assert_eq!(admin.get(&format!("{TOWER}/{name}?sort_by=users")).await.faults(), ["query.sort_by"]);
    }
    let beyond = report(&admin, "users", "offset=18446744073709551615").await;
    assert_eq!((&beyond["items"], &beyond["total"]), (&json!([]), &json!(3)));
}

#[tokio::test]
async fn search_finds_words_of_names() {
    let server = scene().await;
    let admin = server.admin();
    let found = all(&admin, "overview", "search=MOON").await;
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|line| line["name"] == "moon"));
    assert_eq!(all(&admin, "models", "search=a/2").await.len(), 1);
    let users = all(&admin, "users", "search=example.org editor").await;
    assert_eq!(users.iter().map(|line| text(&line["email"])).collect::<Vec<_>>(), ["editor@example.org"]);
    // Without a search, the totals cover all usage; with a search, only the lines found.
    let whole = report(&admin, "overview", SPAN).await;
    let part = report(&admin, "overview", &format!("{SPAN}&search=moon")).await;
    assert_eq!(whole["totals"]["requests"], 70);
    assert_eq!(part["totals"]["requests"], 3);
}

#[tokio::test]
async fn overview_lists_all_assistants_with_their_owners() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let private = text(&editor.post("/api/assistants", json!({"name": "Secret"})).await.created()["id"]);
    let binned = assistant(&editor, "Old", json!({})).await;
    editor.delete(&format!("/api/assistants/{binned}")).await;
    let told = report(&server.admin(), "overview", "sort_by=name").await;
    let lines = told["items"].as_array().expect("items");
    let names: Vec<_> = lines.iter().map(|line| text(&line["name"])).collect();
    assert_eq!(names, ["Old", "Secret"]);
    assert!(lines[0]["deleted_at"].is_string());
    assert_eq!(lines[1]["assistant_id"], private.as_str());
    assert_eq!(lines[1]["owner"]["email"], "editor@example.org");
    assert_eq!(
        (&lines[1]["visibility"], &lines[1]["enabled"], &lines[1]["type"]),
        (&json!("private"), &json!(true), &json!("chat"))
    );
    for hidden in ["system_prompt", "tools", "grants", "knowledge_bases"] {
        assert!(lines[1].get(hidden).is_none(), "{hidden}");
    }
}
