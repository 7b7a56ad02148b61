//! Listing skills.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{Field, SKILLS, bundle, change, form, names, skill, upload, words};
use crate::harness::{Client, TestServer, text};

async fn list(client: &Client, query: &str) -> Value {
    client.get(&format!("{SKILLS}?{query}")).await.ok()
}

async fn made(client: &Client, name: &str, description: &str, usable_in: &str) {
    let words = words(name);
    let fields = [
        Field::File("SKILL.md", words.as_bytes()),
        Field::Text("description", description),
        Field::Text("usable_in", usable_in),
    ];
    form(client, Method::POST, SKILLS, &fields).await.created();
}

#[tokio::test]
async fn skill_list_can_be_searched_and_filtered() {
    let server = TestServer::start().await;
    let editor = server.editor();
    upload(&editor, "double.skill", &bundle()).await.created();
    made(&editor, "Invoices", "Reads INVOICES of suppliers.", "workflow").await;
    made(&editor, "Manners", "How to talk to suppliers.", "chat").await;
    let user = server.user();
    for (query, found) in [
        ("", &["Doubling", "Invoices", "Manners"][..]),
        ("search=suppliers", &["Invoices", "Manners"]),
        ("search=Suppliers%20reads", &["Invoices"]),
        ("search=twice", &["Doubling"]),
        ("search=%20", &["Doubling", "Invoices", "Manners"]),
        ("search=nothing", &[]),
        ("usable_in=chat", &["Doubling", "Manners"]),
        ("usable_in=workflow&search=suppliers", &["Invoices"]),
        ("usable_in=both", &["Doubling"]),
    ] {
        let listed = list(&user, query).await;
        assert_eq!(names(&listed), found, "{query}");
        assert_eq!(listed["total"], found.len(), "{query}");
    }
    assert_eq!(list(&server.stranger(), "").await["total"], 0);
}

#[tokio::test]
async fn skill_list_is_sorted_and_paged() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let mut ids = Vec::new();
    for name in ["delta", "Alpha", "charlie", "Bravo", "Alpha again"] {
        ids.push(skill(&editor, name, &[]).await);
    }
    change(&editor, &ids[0], &[Field::Text("description", "Changed.")]).await.ok();
    for (order, wanted) in [
        ("name", ["Alpha", "Alpha again", "Bravo", "charlie", "delta"]),
        ("-name", ["delta", "charlie", "Bravo", "Alpha again", "Alpha"]),
        ("created_at", ["delta", "Alpha", "charlie", "Bravo", "Alpha again"]),
        ("-created_at", ["Alpha again", "Bravo", "charlie", "Alpha", "delta"]),
        ("-updated_at", ["delta", "Alpha again", "Bravo", "charlie", "Alpha"]),
    ] {
        let (mut found, mut query) = (Vec::new(), format!("order_by={order}&limit=2"));
        loop {
            let page = list(&editor, &query).await;
            assert_eq!(page["total"], 5);
            found.extend(names(&page));
            let Some(next) = page["next_cursor"].as_str() else { break };
            query = format!("order_by={order}&limit=2&cursor={next}");
        }
        assert_eq!(found, wanted, "{order}");
    }
}

#[tokio::test]
async fn skill_list_pages_continue_after_deletions() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(skill(&editor, name, &[]).await);
    }
    let first = list(&editor, "limit=2").await;
    editor.delete(&format!("{SKILLS}/{}", ids[1])).await.no_content();
    let rest = list(&editor, &format!("limit=2&cursor={}", text(&first["next_cursor"]))).await;
    assert_eq!(names(&rest), ["c", "d"]);
    assert!(rest["next_cursor"].is_null(), "{rest}");
}

#[tokio::test]
async fn skill_list_refuses_faulty_queries() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let bad = editor.get(&format!("{SKILLS}?order_by=owner&limit=0&cursor=zz")).await;
    assert_eq!(bad.faults(), ["query.cursor", "query.limit", "query.order_by"]);
    assert_eq!(editor.get(&format!("{SKILLS}?usable_in=nowhere")).await.faults(), ["query.usable_in"]);
    for name in ["a", "b"] {
        skill(&editor, name, &[]).await;
    }
    let next = text(&list(&editor, "limit=1").await["next_cursor"]);
    let other = editor.get(&format!("{SKILLS}?order_by=created_at&cursor={next}")).await;
    assert_eq!(other.faults(), ["query.cursor"], "a cursor belongs to its order");
    assert_eq!(json!(names(&list(&editor, &format!("cursor={next}")).await)), json!(["b"]));
}
