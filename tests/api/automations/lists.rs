//! Lists of automations and of runs.

use serde_json::{Value, json};

use super::acting::{assistant, by_hand, failing, make, path, quick, run_to};
use crate::harness::{Client, TestServer, text};

fn ids(list: &Value) -> Vec<String> {
    list["items"].as_array().expect("items").iter().map(|item| text(&item["id"])).collect()
}

async fn pages(client: &Client, first: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("{first}{cursor}")).await.ok();
        all.extend(ids(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

#[tokio::test]
async fn automation_list_is_filtered_by_assistant_and_type_and_paged() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (ada, bob) = (assistant(&editor, quick()).await, assistant(&editor, quick()).await);
    let mut made = Vec::new();
    for at in 0..5 {
        let of = if at % 2 == 0 { &ada } else { &bob };
        made.push(text(&make(&editor, by_hand(of)).await["id"]));
    }
    assert_eq!(ids(&editor.get("/api/automations").await.ok()), made);
    assert_eq!(pages(&editor, "/api/automations?limit=2").await, made);
    let of_ada = [&made[0], &made[2], &made[4]].map(String::clone);
    assert_eq!(ids(&editor.get(&format!("/api/automations?assistant_id={ada}")).await.ok()), of_ada);
    assert_eq!(ids(&editor.get(&format!("/api/assistants/{ada}/automations")).await.ok()), of_ada);
    assert_eq!(pages(&editor, &format!("/api/assistants/{ada}/automations?limit=1")).await, of_ada);
    assert_eq!(ids(&editor.get("/api/automations?type=chat").await.ok()), made);
    assert_eq!(editor.get("/api/automations?type=workflow").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn run_list_is_newest_first_filtered_by_state_and_paged() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let good = make(&editor, by_hand(&assistant(&editor, quick()).await)).await;
    let bad = make(&editor, by_hand(&assistant(&editor, failing()).await)).await;
    let mut made = Vec::new();
    for at in 0..5 {
        let run = match at % 2 {
            0 => run_to(&editor, &good, "succeeded").await,
            _ => run_to(&editor, &bad, "failed").await,
        };
        made.insert(0, text(&run["id"]));
    }
    assert_eq!(pages(&editor, "/api/automations/runs?limit=2").await, made);
    let failed = [&made[1], &made[3]].map(String::clone);
    assert_eq!(pages(&editor, "/api/automations/runs?limit=1&state=failed").await, failed);
    assert_eq!(pages(&editor, &format!("{}/runs?limit=1", path(&bad))).await, failed);
    assert_eq!(editor.get(&format!("{}/runs?state=succeeded", path(&bad))).await.ok()["items"], json!([]));
    assert_eq!(server.user().get("/api/automations/runs").await.ok()["items"], json!([]));
}
