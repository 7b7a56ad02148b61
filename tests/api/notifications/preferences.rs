//! Preferences for the channels through which users are notified.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PATH, listed, server, titles, unread, until, webhook, write};
use crate::harness::counting_server::CountingServer;
use crate::harness::{Client, text};

const PREFERENCES: &str = "/api/notifications/preferences";

async fn choose(client: &Client, preferences: Value) -> Value {
    client.put(PREFERENCES, json!({"preferences": preferences})).await.ok()
}

/// Returns the channels through which a user receives notices of a type.
fn ways(shown: &Value, kind: &str) -> Value {
    let types = shown["types"].as_array().expect("types");
    types.iter().find(|one| one["type"] == kind).expect("the type")["channels"].clone()
}

#[tokio::test]
async fn preferences_list_all_types_with_their_defaults() {
    let server = server().await;
    let user = server.user();
    let shown = user.get(PREFERENCES).await.ok();
    assert_eq!((&shown["preferences"], &shown["version"]), (&json!({}), &json!(0)));
    let types = shown["types"].as_array().expect("types");
    for kind in ["automation.failed", "workflow.waiting", "video.completed", "message", "member.requested"] {
        assert!(types.iter().any(|one| one["type"] == kind), "{kind}");
    }
    assert!(types.iter().all(|one| one["channels"] == one["usual"] && !text(&one["description"]).is_empty()));
    let usual = |email| json!({"in_product": true, "web_push": true, "webhook": true, "email": email});
    assert_eq!(ways(&shown, "automation.failed"), usual(true));
    assert_eq!(ways(&shown, "automation.recovered"), usual(false));
}

#[tokio::test]
async fn most_specific_preference_takes_precedence() {
    let server = server().await;
    let user = server.user();
    // For all tenants, for all types, and for one type.
    let everywhere = json!({"notification_defaults": {"email": false, "web_push": false, "webhook": false}});
    let mine = user.patch("/api/users/preferences", everywhere).await.ok();
    assert_eq!(mine["notification_defaults"]["email"], false);
    let chosen =
        json!({"*": {"web_push": true, "in_product": null}, "message": {"email": true, "web_push": false}});
    let shown = choose(&user, chosen).await;
    assert_eq!(
        ways(&shown, "message"),
        json!({"in_product": true, "web_push": false, "webhook": false, "email": true})
    );
    assert_eq!(
        ways(&shown, "automation.failed"),
        json!({"in_product": true, "web_push": true, "webhook": false, "email": false})
    );
    assert_eq!(shown["preferences"]["*"]["web_push"], true);
    // A PUT replaces the preferences; omitted ones are removed.
    let shown = choose(&user, json!({"*": {}})).await;
    assert_eq!((&shown["preferences"], &shown["version"]), (&json!({}), &json!(2)));
    assert_eq!(ways(&shown, "message")["web_push"], false, "the default for all tenants applies");
    user.patch("/api/users/preferences", json!({"notification_defaults": null})).await.ok();
    assert_eq!(ways(&user.get(PREFERENCES).await.ok(), "message")["web_push"], true);
    // Preferences are personal.
    assert_eq!(server.editor().get(PREFERENCES).await.ok()["version"], 0);
}

#[tokio::test]
async fn faulty_preferences_change_nothing() {
    let server = server().await;
    let user = server.user();
    choose(&user, json!({"message": {"email": false}})).await;
    let wrong =
        json!({"preferences": {"tide.high": {"email": true}, "message": {"pigeon": true, "email": 1}}});
    assert_eq!(
        user.put(PREFERENCES, wrong).await.faults(),
        ["body.preferences.message.email", "body.preferences.message.pigeon", "body.preferences.tide.high"]
    );
    let unknown = json!({"preferences": {"tide.high": {"email": true}}});
    assert_eq!(user.put(PREFERENCES, unknown).await.faults(), ["body.preferences.tide.high"]);
    let stale = json!({"preferences": {}, "version": 7});
    user.put(PREFERENCES, stale).await.problem(412, "stale");
    let stale =
        user.request(Method::PUT, PREFERENCES).header("if-match", "\"0\"").json(&json!({"preferences": {}}));
    Client::send(stale).await.problem(412, "stale");
    let answer = user.get(PREFERENCES).await;
    assert_eq!(answer.header("etag"), Some("\"1\""));
    assert_eq!(answer.ok()["preferences"]["message"]["email"], false);
}

#[tokio::test]
async fn disabled_channels_are_not_used() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    webhook(&user, &hooks.url("/hook")).await.created();
    choose(&user, json!({"message": {"in_product": false}})).await;
    write(&server, &person, "sent and not listed").await;
    hooks.wait_for("/hook", 1).await;
    assert_eq!((listed(&user, "").await.len(), unread(&user).await), (0, 0));
    choose(&user, json!({"message": {"webhook": false}})).await;
    write(&server, &person, "listed and not sent").await;
    choose(&user, json!({"*": {"webhook": false}, "message": {"webhook": true}})).await;
    write(&server, &person, "both").await;
    hooks.wait_for("/hook", 2).await;
    assert_eq!(titles(&user, "").await, ["both", "listed and not sent"]);
    let sent: Vec<_> = hooks.seen().iter().map(|seen| text(&seen.json()["data"]["title"])).collect();
    assert_eq!(sent, ["sent and not listed", "both"]);
    choose(&user, json!({"*": {"webhook": false, "in_product": false}})).await;
    write(&server, &person, "nowhere").await;
    let queues = until("empty queues", async || {
        let read = server.store().read(move |reader| {
            let (system, all) = (storage::TenantId::SYSTEM, storage::Scan::table());
            reader.scan::<storage::records::DeliveryQueue>(system, all)
        });
        Some(read.await.expect("read").items).filter(Vec::is_empty)
    });
    assert_eq!((queues.await, user.get(PATH).await.ok()["total"].clone()), (vec![], json!(2)));
}
