//! Disabling and enabling assistants, individually and in bulk: notifications, audit records and refusals.

use serde_json::{Value, json};
use uuid::Uuid;

use super::scene::{TOWER, assistant, at, audited, disable, told};
use crate::harness::{Client, TestServer, text};

async fn bulk(admin: &Client, what: &str, body: Value) -> Value {
    admin.post(&format!("{TOWER}/overview/bulk/{what}"), body).await.ok()
}

fn statuses(answer: &Value) -> Vec<(String, String)> {
    let results = answer["results"].as_array().expect("results").iter();
    results.map(|result| (text(&result["assistant_id"]), text(&result["status"]))).collect()
}

#[tokio::test]
async fn disable_notifies_the_owner_and_is_audited() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let one = disable(&admin, &ada).await;
    assert_eq!(one["disabled_reason"], "It talks too much.");
    let shown = server.user().get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!(shown["enabled"], false);
    let notices = told(&server, server.editor_person());
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].kind, "assistant.disabled");
    assert!(notices[0].title.contains("Ada") && notices[0].body.contains("It talks too much."));
    assert_eq!(notices[0].link.as_deref(), Some(format!("/assistants/{ada}").as_str()));
    assert_eq!(notices[0].data["assistant_id"], ada.as_str());

    // Repeating the same reason is no change; a different reason is one.
    let again = disable(&admin, &ada).await;
    assert_eq!((&again["changed"], &again["version"]), (&json!(false), &one["version"]));
    let other = admin.post(&at(&ada, "disable"), json!({"reason": "  Under review. "})).await.ok();
    assert_eq!((&other["changed"], &other["disabled_reason"]), (&json!(true), &json!("Under review.")));
    for changed in [true, false] {
        assert_eq!(admin.post(&at(&ada, "enable"), json!({})).await.ok()["changed"], changed);
    }
    let kinds: Vec<_> = told(&server, server.editor_person()).into_iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, ["assistant.disabled", "assistant.disabled", "assistant.enabled"]);
    assert!(told(&server, server.user_person()).is_empty());
    let entries = audited(&admin, &ada).await;
    let actions: Vec<_> = entries.iter().map(|entry| text(&entry["action"])).collect();
    assert_eq!(actions, ["assistant.disable", "assistant.disable", "assistant.enable"]);
    assert_eq!(entries[1]["detail"]["reason"], "Under review.");
    assert_eq!(entries[0]["actor"], server.admin_person().id.as_str());
}

#[tokio::test]
async fn disable_requires_a_reason_and_an_existing_assistant() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    for reason in ["", "  ", &"x".repeat(501)] {
        let answer = admin.post(&at(&ada, "disable"), json!({"reason": reason})).await;
        assert_eq!(answer.faults(), ["body.reason"]);
        let body = json!({"assistant_ids": [ada], "reason": reason});
        let answer = admin.post(&format!("{TOWER}/overview/bulk/disable"), body).await;
        assert_eq!(answer.faults(), ["body.reason"]);
    }
    assert_eq!(admin.post(&at(&ada, "disable"), json!({})).await.faults(), ["body.reason"]);
    let unknown = Uuid::now_v7().to_string();
    admin.post(&at(&unknown, "disable"), json!({"reason": "x"})).await.not_found();
    admin.post(&at(&unknown, "enable"), json!({})).await.not_found();
    assert!(told(&server, server.editor_person()).is_empty());
    assert!(audited(&admin, &ada).await.is_empty());
}

#[tokio::test]
async fn bulk_change_returns_one_result_per_assistant_in_order() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(assistant(&editor, name, json!({})).await);
    }
    let foreign = assistant(&server.stranger(), "theirs", json!({})).await;
    disable(&admin, &ids[1]).await;
    let asked = [ids[2].clone(), foreign.clone(), ids[1].clone(), Uuid::nil().to_string(), ids[0].clone()];
    let body = json!({"assistant_ids": asked, "reason": "It talks too much."});
    let answer = bulk(&admin, "disable", body.clone()).await;
    let wanted = ["ok", "not_found", "unchanged", "not_found", "ok"];
    let wanted: Vec<_> = asked.iter().cloned().zip(wanted.map(str::to_owned)).collect();
    assert_eq!(statuses(&answer), wanted);
    assert_eq!(answer["changed"], 2);
    let again = bulk(&admin, "disable", body).await;
    assert_eq!(again["changed"], 0);
    assert_eq!(told(&server, server.editor_person()).len(), 3);
    assert_eq!(server.stranger().get(&format!("/api/assistants/{foreign}")).await.ok()["enabled"], true);
    let answer = bulk(&admin, "enable", json!({"assistant_ids": ids})).await;
    assert_eq!(answer["changed"], 3);
    for id in &ids {
        assert_eq!(editor.get(&format!("/api/assistants/{id}")).await.ok()["enabled"], true);
    }
}

#[tokio::test]
async fn bulk_change_refuses_invalid_lists() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let many: Vec<_> = (0..501).map(|_| Uuid::now_v7().to_string()).collect();
    let owner = server.editor_person().id.clone();
    for (ids, fault) in [
        (json!([]), "body.assistant_ids"),
        (json!([ada, many[0], ada]), "body.assistant_ids.2"),
        (json!(many), "body.assistant_ids"),
        (json!([ada, "x"]), "body.assistant_ids.1"),
    ] {
        for (what, more) in [
            ("disable", json!({"reason": "x"})),
            ("enable", json!({})),
            ("transfer-ownership", json!({"new_owner_id": owner})),
        ] {
            let mut body = more.clone();
            body["assistant_ids"] = ids.clone();
            let answer = admin.post(&format!("{TOWER}/overview/bulk/{what}"), body).await;
            assert_eq!(answer.faults(), [fault], "{what}");
        }
    }
    let enabled = server.editor().get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!(enabled["enabled"], true);
    let most: Vec<_> = (0..500).map(|_| Uuid::now_v7().to_string()).collect();
    assert_eq!(bulk(&admin, "enable", json!({"assistant_ids": most})).await["changed"], 0);
}
