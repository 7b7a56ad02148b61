//! Adding, listing, changing and deleting data items, and the rights that each operation requires.

use serde_json::{Value, json};

use super::basics::create;
use crate::harness::{Client, TestServer, text};

fn of(assistant: &str) -> String {
    format!("/api/assistants/{assistant}/data")
}

/// Adds an item and returns its id.
pub async fn add(client: &Client, assistant: &str, data: Value) -> String {
    text(&client.post(&of(assistant), json!({"data": data})).await.created()["id"])
}

async fn listed(client: &Client, assistant: &str, query: &str) -> Vec<Value> {
    let page = client.get(&format!("{}{query}", of(assistant))).await.ok();
    page["items"].as_array().expect("items").iter().map(|item| item["data"]["n"].clone()).collect()
}

/// Builds a query string with this filter.
fn fitting(filter: &Value) -> String {
    let text = filter.to_string();
    let escaped: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
    format!("?filter={escaped}")
}

#[tokio::test]
async fn data_items_are_stored_unchanged() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let data =
        json!({"name": "Größe", "deep": {"list": [1, 2.5, null, {"x": true}]}, "big": 9007199254740993_u64});
    let body = json!({"data": data, "metadata": {"source": "test"}});
    let made = editor.post(&of(&id), body).await.created();
    assert_eq!((&made["data"], &made["metadata"]), (&data, &json!({"source": "test"})));
    assert_eq!((&made["version"], &made["created_by"]), (&json!(1), &json!(server.editor_person().id)));
    assert_eq!(made["embedding_model"], "builtin/hash");
    assert!(made.get("vector").is_none());
    let server = server.restart().await;
    let editor = server.editor();
    assert_eq!(editor.get(&of(&id)).await.ok()["items"], json!([made]));
    for (body, want) in [
        (json!({}), vec!["body.data"]),
        (json!({"data": [1]}), vec!["body.data"]),
        (json!({"data": {}, "metadata": "x", "hat": 1}), vec!["body.hat", "body.metadata"]),
        (json!({"data": {"x": "y".repeat(64 << 10)}}), vec!["body.data"]),
        (
            json!({"data": {"x": "y".repeat(40 << 10)}, "metadata": {"x": "y".repeat(40 << 10)}}),
            vec!["body.data"],
        ),
    ] {
        assert_eq!(editor.post(&of(&id), body).await.faults(), want);
    }
    assert_eq!(editor.get(&of(&id)).await.ok()["items"], json!([made]), "nothing was added");
}

#[tokio::test]
async fn data_items_are_accessible_to_editors_of_the_assistant() {
    let server = TestServer::start().await;
    let (editor, user, stranger) = (server.editor(), server.user(), server.stranger());
    let (id, _) = create(&editor, json!({"name": "Ada", "visibility": "tenant"})).await;
    let item = add(&editor, &id, json!({"n": 1})).await;
    let (path, one) = (of(&id), format!("{}/{item}", of(&id)));
    let search = format!("/api/assistants/{id}/search");
    let reader = server.token(&["assistants:read"]).await;
    let all = [&user, &stranger, &reader];
    let body = |method: &str| match method {
        "POST" => json!({"data": {"n": 2}}),
        "PUT" => json!({"filter": [], "set": {"n": 2}}),
        _ => json!({"filter": []}),
    };
    for client in all {
        let (status, code) = match std::ptr::eq(client, &user) {
            true => (403, "not_allowed"),
            false if std::ptr::eq(client, &reader) => (403, "scope_missing"),
            false => (404, "not_found"),
        };
        for method in ["POST", "PUT", "DELETE"] {
            let request = client.request(method.parse().expect("a method"), &path).json(&body(method));
            Client::send(request).await.problem(status, code);
        }
        client.put(&one, json!({"data": {}})).await.problem(status, code);
        client.delete(&one).await.problem(status, code);
    }
    for (client, status, code) in [(&user, 403, "not_allowed"), (&stranger, 404, "not_found")] {
        client.get(&path).await.problem(status, code);
        client.post(&search, json!({"query": "x"})).await.problem(status, code);
    }
    assert_eq!(listed(&editor, &id, "").await, [1], "nothing was changed");
    let (other, _) = create(&editor, json!({"name": "Bea"})).await;
    editor.put(&format!("{}/{item}", of(&other)), json!({"data": {}})).await.not_found();
    editor.delete(&format!("{}/{item}", of(&other))).await.not_found();
    assert_eq!(listed(&editor, &other, "").await, Vec::<Value>::new(), "items of one assistant only");
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    editor.patch(&format!("/api/assistants/{id}"), json!({"grants": grants})).await.ok();
    assert_eq!(listed(&user, &id, "").await, [1]);
}

#[tokio::test]
async fn data_schema_applies_to_all_items() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let schema = json!({"type": "object", "required": ["n"], "additionalProperties": false,
        "properties": {"n": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}});
    let (id, _) = create(&editor, json!({"name": "Ada", "data_schema": schema})).await;
    let item = add(&editor, &id, json!({"n": 1, "tags": ["a"]})).await;
    let wrong = json!({"data": {"n": "x", "tags": ["a", 2, 3]}});
    let want = ["body.data.n", "body.data.tags.1", "body.data.tags.2"];
    assert_eq!(editor.post(&of(&id), wrong.clone()).await.faults(), want);
    assert_eq!(editor.put(&format!("{}/{item}", of(&id)), wrong).await.faults(), want);
    let merged = json!({"data": {"hat": 1}, "merge": true});
    assert_eq!(editor.put(&format!("{}/{item}", of(&id)), merged).await.faults(), ["body.data"]);
    let several = json!({"updates": [{"id": item, "data": {"n": 2}}, {"id": id, "data": {"n": 2}}]});
    assert_eq!(editor.put(&of(&id), several).await.faults(), ["body.updates.1.id"]);
    let set = json!({"filter": [], "set": {"n": null}});
    assert_eq!(editor.put(&of(&id), set).await.faults(), ["body.set.0.data"]);

    let path = format!("/api/assistants/{id}");
    let strict = json!({"data_schema": {"type": "object", "properties": {"n": {"minimum": 5}}}});
    let refused = editor.patch(&path, strict.clone()).await;
    assert_eq!(refused.faults(), ["body.data_schema"]);
    assert!(refused.text().contains(&item), "the item is named: {refused:?}");
    let put = json!({"name": "Ada", "data_schema": strict["data_schema"]});
    assert_eq!(editor.put(&path, put).await.faults(), ["body.data_schema"]);
    for no_schema in
        [json!({"type": "robot"}), json!({"$ref": "http://127.0.0.1/x"}), json!({"pattern": "("})]
    {
        assert_eq!(
            editor.patch(&path, json!({"data_schema": no_schema})).await.faults(),
            ["body.data_schema"]
        );
    }
    editor.put(&format!("{}/{item}", of(&id)), json!({"data": {"n": 7}})).await.created();
    editor.patch(&path, strict).await.ok();
    assert_eq!(editor.post(&of(&id), json!({"data": {"n": 4}})).await.faults(), ["body.data.n"]);
    editor.patch(&path, json!({"data_schema": null})).await.ok();
    add(&editor, &id, json!({"n": 4})).await;
}

#[tokio::test]
async fn data_list_supports_filters_order_and_pages() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    for n in 0..7 {
        let kind = if n % 2 == 0 { "even" } else { "odd" };
        add(
            &editor,
            &id,
            json!({"n": n, "kind": kind, "deep": [{"rest": n % 3}], "name": format!("item {n}")}),
        )
        .await;
    }
    for (filter, want) in [
        (json!([{"field": "kind", "op": "eq", "value": "odd"}]), json!([1, 3, 5])),
        (json!([{"field": "deep.0.rest", "op": "eq", "value": 0}]), json!([0, 3, 6])),
        (
            json!([{"field": "n", "op": "gte", "value": 2}, {"field": "n", "op": "lt", "value": 4.5}]),
            json!([2, 3, 4]),
        ),
        (json!([{"field": "n", "op": "in", "value": [6, 1]}]), json!([1, 6])),
        (json!([{"field": "name", "op": "starts_with", "value": "item 5"}]), json!([5])),
        (json!([{"field": "name", "op": "contains", "value": "m 4"}]), json!([4])),
        (json!([{"field": "gone", "op": "exists", "value": true}]), json!([])),
        (json!([]), json!([0, 1, 2, 3, 4, 5, 6])),
    ] {
        assert_eq!(json!(listed(&editor, &id, &fitting(&filter)).await), want, "{filter}");
    }
    for (query, want) in [
        ("?order_by=-n", vec![6, 5, 4, 3, 2, 1, 0]),
        ("?order_by=deep.0.rest,-n", vec![6, 3, 0, 4, 1, 5, 2]),
        ("?order_by=-$created_at", vec![6, 5, 4, 3, 2, 1, 0]),
        ("", vec![0, 1, 2, 3, 4, 5, 6]),
    ] {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let join = if query.is_empty() { "?" } else { "&" };
            let page = editor.get(&format!("{}{query}{join}limit=2{cursor}", of(&id))).await.ok();
            let items = page["items"].as_array().expect("items");
            assert!(items.len() <= 2);
            all.extend(items.iter().map(|item| item["data"]["n"].as_i64().expect("a number")));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(all, want, "{query}");
    }
    for (query, want) in [
        ("?limit=0&filter=x", vec!["query.filter", "query.limit"]),
        ("?limit=201", vec!["query.limit"]),
        ("?cursor=x", vec!["query.cursor"]),
        ("?order_by=,", vec!["query.order_by"]),
    ] {
        assert_eq!(editor.get(&format!("{}{query}", of(&id))).await.faults(), want, "{query}");
    }
    let wrong = json!([{"field": "n", "op": "like", "value": 1}, {"op": "eq"}]);
    let want = ["query.filter.0.op", "query.filter.1.field", "query.filter.1.value"];
    assert_eq!(editor.get(&format!("{}{}", of(&id), fitting(&wrong))).await.faults(), want);
}

#[tokio::test]
async fn data_item_is_replaced_or_merged_at_a_version() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let item = add(&editor, &id, json!({"a": {"b": 1, "c": 2}, "n": 1})).await;
    let path = format!("{}/{item}", of(&id));
    let merged = json!({"data": {"a": {"b": null, "d": 3}}, "merge": true, "version": 1});
    let answer = editor.put(&path, merged.clone()).await.created();
    assert_eq!(answer["updated"], 1);
    let now = &answer["items"][0];
    assert_eq!((&now["data"], &now["version"]), (&json!({"a": {"c": 2, "d": 3}, "n": 1}), &json!(2)));
    assert_eq!(now["embedding_model"], "builtin/hash");
    editor.put(&path, merged).await.problem(412, "stale");
    let replaced = editor.put(&path, json!({"data": {"n": 2}, "metadata": {"x": 1}})).await.created();
    assert_eq!(replaced["items"][0]["data"], json!({"n": 2}));
    let noted = editor.put(&path, json!({"metadata": {}})).await.created();
    assert_eq!((&noted["items"][0]["data"], &noted["items"][0]["metadata"]), (&json!({"n": 2}), &json!({})));
    editor.put(&format!("{}/{id}", of(&id)), json!({"data": {}})).await.not_found();
    assert_eq!(
        editor.put(&path, json!({"data": 3, "merg": true})).await.faults(),
        ["body.data", "body.merg"]
    );

    // Of concurrent changes that name the same version, one succeeds.
    let version = noted["items"][0]["version"].clone();
    let change = |n: u32| json!({"data": {"n": n}, "version": version});
    let bodies: Vec<_> = (10..16).map(change).collect();
    let answers = futures::future::join_all(bodies.iter().map(|body| editor.put(&path, body.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer.status == 412).count(), 5, "{answers:?}");

    assert_eq!(editor.delete(&path).await.created(), json!({"deleted": 1}));
    editor.delete(&path).await.not_found();
}

#[tokio::test]
async fn bulk_change_of_data_items_is_atomic() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let mut items = Vec::new();
    for n in 0..4 {
        items.push(add(&editor, &id, json!({"n": n, "keep": true})).await);
    }
    let before = editor.get(&of(&id)).await.ok();
    let gone = json!({"updates": [{"id": items[0], "data": {"n": 9}}, {"id": id, "data": {}},
        {"id": items[1], "data": {"n": 9}, "version": 7}]});
    assert_eq!(editor.put(&of(&id), gone).await.faults(), ["body.updates.1.id", "body.updates.2.version"]);
    for (wrong, want) in [
        (json!({}), vec!["body.updates"]),
        (json!({"filter": []}), vec!["body.updates"]),
        (json!({"updates": [], "set": {}}), vec!["body.updates"]),
        (json!({"updates": [{"id": items[0]}, {"id": items[0]}]}), vec!["body.updates.1.id"]),
        (json!({"filter": [{"op": "eq", "value": 1}], "set": {}}), vec!["body.filter.0.field"]),
    ] {
        assert_eq!(editor.put(&of(&id), wrong.clone()).await.faults(), want, "{wrong}");
    }
    assert_eq!(editor.get(&of(&id)).await.ok(), before, "nothing was changed");

    let merge = json!({"merge": true, "updates": [{"id": items[0], "data": {"n": 9}}, {"id": items[1], "data": {"n": 8}}]});
    let done = editor.put(&of(&id), merge).await.ok();
    assert_eq!((&done["updated"], &done["items"][0]["data"]), (&json!(2), &json!({"n": 9, "keep": true})));
    let set =
        json!({"filter": [{"field": "n", "op": "lt", "value": 9}], "set": {"keep": null, "small": true}});
    assert_eq!(editor.put(&of(&id), set).await.ok()["updated"], 3);
    assert_eq!(listed(&editor, &id, "").await, [9, 8, 2, 3]);
    let small = fitting(&json!([{"field": "small", "value": true}]));
    assert_eq!(listed(&editor, &id, &small).await, [8, 2, 3]);

    let delete =
        async |body: Value| Client::send(editor.request(reqwest::Method::DELETE, &of(&id)).json(&body)).await;
    assert_eq!(delete(json!({"ids": [items[0], id]})).await.created(), json!({"deleted": 1}));
    assert_eq!(delete(json!({})).await.faults(), ["body.ids"]);
    assert_eq!(delete(json!({"ids": [], "filter": []})).await.faults(), ["body.ids"]);
    let fit = json!({"filter": [{"field": "n", "op": "gt", "value": 2}]});
    assert_eq!(delete(fit).await.created(), json!({"deleted": 2}));
    assert_eq!(delete(json!({"filter": []})).await.created(), json!({"deleted": 1}));
    assert_eq!(listed(&editor, &id, "").await, Vec::<Value>::new());
}

#[tokio::test]
async fn data_list_ends_a_page_by_bytes() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let mut made = Vec::new();
    for number in 0..100 {
        made.push(json!(add(&editor, &id, json!({"n": number, "x": "y".repeat(60 << 10)})).await));
    }
    for order in ["", "-n"] {
        let (mut seen, mut pages, mut cursor) = (Vec::new(), 0, String::new());
        loop {
            let path = format!("{}?limit=200&order_by={order}{cursor}", of(&id));
            let answer = editor.get(&path).await;
            assert!(answer.text().len() < 5 << 20, "{} bytes", answer.text().len());
            let page = answer.ok();
            seen.extend(page["items"].as_array().expect("items").iter().map(|item| item["id"].clone()));
            pages += 1;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(pages, 2, "a page takes 4 MiB");
        if order == "-n" {
            seen.reverse();
        }
        assert_eq!(seen, made);
    }
}
