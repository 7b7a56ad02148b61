//! Reading the input items of a response.

use serde_json::{Value, json};

use super::{V1, with_provider};
use crate::harness::{Client, text};

async fn list(user: &Client, id: &str, query: &str) -> Value {
    user.get(&format!("{V1}/responses/{id}/input_items?{query}")).await.ok()
}

fn ids(listed: &Value) -> Vec<String> {
    listed["data"].as_array().expect("items").iter().map(|item| text(&item["id"])).collect()
}

#[tokio::test]
async fn input_items_are_returned_unchanged() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let content = json!([
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="},
    ]);
    let body = json!({"model": "fake/echo", "input": [{"role": "user", "content": content}]});
    let response = user.post(&format!("{V1}/responses"), body).await.ok();
    let listed = list(&user, &text(&response["id"]), "").await;
    assert_eq!(listed["data"][0]["content"], content);
}

#[tokio::test]
async fn input_item_pages_are_contiguous_in_any_size_and_order() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let input: Vec<Value> = (0..7).map(|at| json!({"role": "user", "content": format!("{at}")})).collect();
    let response =
        user.post(&format!("{V1}/responses"), json!({"model": "fake/echo", "input": input})).await.ok();
    let id = text(&response["id"]);
    let newest_first = ids(&list(&user, &id, "").await);
    assert_eq!(newest_first.len(), 7);
    for order in ["asc", "desc"] {
        for limit in [1, 3, 7, 100] {
            let (mut read, mut after) = (Vec::new(), String::new());
            loop {
                let page = list(&user, &id, &format!("order={order}&limit={limit}{after}")).await;
                read.extend(ids(&page));
                assert!(ids(&page).len() <= limit);
                assert_eq!(page["last_id"].as_str(), read.last().map(String::as_str));
                if page["has_more"] == false {
                    break;
                }
                after = format!("&after={}", text(&page["last_id"]));
            }
            if order == "asc" {
                read.reverse();
            }
            assert_eq!(read, newest_first, "{order} by {limit}");
        }
    }
    for odd in ["limit=0", "limit=101", "order=up", "after=msg_1"] {
        let answer = user.get(&format!("{V1}/responses/{id}/input_items?{odd}")).await;
        let named = odd.split('=').next().expect("a name");
        assert_eq!(answer.expect(422).json()["error"]["param"], named);
    }
}
