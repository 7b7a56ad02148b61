//! Webhooks: the requests they receive, and endpoints that fail, hang, disappear or give false answers.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::{Value, json};

use super::{PATH, endpoints, quick, server, titles, told, until, webhook, write};
use crate::harness::counting_server::{CountingServer, ReceivedRequest, Reply};
use crate::harness::{Client, TestServer, text};

/// Registers a webhook at a path of the fake server, and returns its secret.
async fn hook(client: &Client, hooks: &CountingServer, path: &str) -> String {
    text(&webhook(client, &hooks.url(path)).await.created()["secret"])
}

/// Verifies the sender of a request as the receiver of a webhook does.
#[track_caller]
fn verify(secret: &str, seen: &ReceivedRequest) {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let header = |name: &str| seen.headers.get(name).unwrap_or_else(|| panic!("no {name}: {seen:?}")).clone();
    let signed = header("webhook-signature");
    let signature = STANDARD.decode(signed.strip_prefix("v1,").expect("version 1")).expect("base64");
    let start = format!("{}.{}.", header("webhook-id"), header("webhook-timestamp"));
    hmac::verify(&key, &[start.as_bytes(), &seen.body].concat(), &signature).expect("the signature holds");
    let sent: i64 = header("webhook-timestamp").parse().expect("seconds");
    let now = storage::Timestamp::now().as_millis() / 1_000;
    assert!((sent - now).abs() < 300, "{sent} is not close to {now}");
}

/// Waits until the endpoint reports no error, and returns it.
async fn well(client: &Client) -> Value {
    until("an endpoint in order", async || {
        endpoints(client)
            .await
            .pop()
            .filter(|it| it["last_error"].is_null() && it["last_delivered_at"].is_string())
    })
    .await
}

#[tokio::test]
async fn webhook_request_is_signed_and_contains_the_notification() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    let secret = hook(&user, &hooks, "/hook").await;
    write(&server, &person, "Tides").await;
    hooks.wait_for("/hook", 1).await;
    let seen = hooks.seen_at("/hook").remove(0);
    verify(&secret, &seen);
    assert_eq!((seen.method.as_str(), seen.headers["content-type"].as_str()), ("POST", "application/json"));
    let listed = super::listed(&user, "").await.remove(0);
    let body = seen.json();
    assert_eq!((&body["type"], &body["timestamp"]), (&json!("message"), &listed["created_at"]));
    for field in ["id", "title", "body", "severity", "link", "data", "created_at"] {
        assert_eq!(body["data"][field], listed[field], "{field}");
    }
    assert_eq!(
        (&body["data"]["tenant_id"], &body["data"]["user_id"]),
        (&json!(person.tenant), &json!(person.id))
    );
    assert_eq!(json!(seen.headers["webhook-id"]), listed["id"]);
    let it = well(&user).await;
    assert_eq!((&it["failing_since"], &it["given_up"]), (&Value::Null, &json!(0)));
    server.stored().await;
}

#[tokio::test]
async fn failed_delivery_is_retried_under_the_same_id() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    let secret = hook(&user, &hooks, "/hook").await;
    // The endpoint fails, hangs up, redirects, and then accepts.
    let elsewhere = Reply::redirect(307, &hooks.url("/elsewhere"));
    hooks.script("/hook", [Reply::status(500), Reply::hang_up(), elsewhere, Reply::status(204)]);
    write(&server, &person, "Tides").await;
    hooks.wait_for("/hook", 4).await;
    well(&user).await;
    let seen = hooks.seen_at("/hook");
    assert_eq!((seen.len(), hooks.count("/elsewhere")), (4, 0), "redirects are not followed");
    for one in &seen {
        verify(&secret, one);
        assert_eq!((&one.headers["webhook-id"], &one.body), (&seen[0].headers["webhook-id"], &seen[0].body));
    }
}

#[tokio::test]
async fn delivery_that_keeps_failing_is_given_up_and_reported() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    hook(&user, &hooks, "/hook").await;
    hooks.always("/hook", Reply::status(503));
    write(&server, &person, "Tides").await;
    let it = until("giving up", async || endpoints(&user).await.pop().filter(|it| it["given_up"] == 1)).await;
    assert_eq!(hooks.count("/hook"), 5, "once, and once after each of four pauses");
    assert_eq!(it["last_error"], "it answered 503");
    assert!(it["failing_since"].is_string() && it["last_delivered_at"].is_null(), "{it}");
    // Later notifications are still tried, and a success clears the error.
    hooks.always("/hook", Reply::status(200));
    write(&server, &person, "Ebb").await;
    let it = well(&user).await;
    assert_eq!((&it["failing_since"], &it["given_up"]), (&Value::Null, &json!(1)));
    assert_eq!(titles(&user, "").await, ["Ebb", "Tides"], "notifications are listed regardless");
    server.stored().await;
}

#[tokio::test]
async fn endpoint_that_is_gone_is_removed() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    hook(&user, &hooks, "/410").await;
    hook(&user, &hooks, "/404").await;
    hook(&user, &hooks, "/stays").await;
    hooks.always("/410", Reply::status(410));
    hooks.always("/404", Reply::status(404));
    write(&server, &person, "Tides").await;
    let left =
        until("two to be gone", async || Some(endpoints(&user).await).filter(|all| all.len() == 1)).await;
    assert_eq!(left[0]["url"], json!(hooks.url("/stays")));
    let dropped = told(&user, "endpoint.dropped").await;
    assert_eq!(dropped["severity"], "warning");
    // The remaining endpoint also receives this notification.
    hooks.wait_for("/stays", 3).await;
    write(&server, &person, "Ebb").await;
    hooks.wait_for("/stays", 4).await;
    assert_eq!((hooks.count("/410"), hooks.count("/404")), (1, 1));
    server.stored().await;
}

#[tokio::test]
async fn hanging_endpoint_does_not_delay_others() {
    // Longer than the whole test: the hanging request must not time out before its end.
    let patient = |config: &mut understudy::Config| {
        quick(config);
        config.notifications.request_seconds = 120.0;
    };
    let (server, hooks) = (TestServer::start_with(patient).await, CountingServer::start().await);
    hooks.always("/hang", Reply::hang());
    hooks.always("/half", Reply::half("never the whole of it"));
    let (user, person) = (server.user(), server.user_person().clone());
    hook(&user, &hooks, "/hang").await;
    hook(&user, &hooks, "/half").await;
    hook(&user, &hooks, "/fine").await;
    hook(&server.editor(), &hooks, "/other").await;
    for at in 0..5 {
        write(&server, &person, &format!("{at}")).await;
    }
    write(&server, server.editor_person(), "to another").await;
    hooks.wait_for("/fine", 5).await;
    hooks.wait_for("/other", 1).await;
    // The response counts as soon as its head has arrived; the body does not matter.
    hooks.wait_for("/half", 5).await;
    hooks.wait_for("/hang", 1).await;
    assert_eq!((hooks.count("/hang"), hooks.busy() >= 1), (1, true), "only this endpoint hangs");
    let ids: Vec<_> = hooks.seen_at("/fine").iter().map(|seen| seen.headers["webhook-id"].clone()).collect();
    let mut once = ids.clone();
    once.sort();
    once.dedup();
    assert_eq!((ids.len(), once.len()), (5, 5), "each is sent once");
}

#[tokio::test]
async fn delivery_that_times_out_is_retried() {
    let slow = |config: &mut understudy::Config| {
        quick(config);
        config.notifications.request_seconds = 0.2;
        // On a slow machine even the good response may come too late now and then.
        config.notifications.retry_seconds = vec![0.02; 20];
    };
    let (server, hooks) = (TestServer::start_with(slow).await, CountingServer::start().await);
    let user = server.user();
    let secret = hook(&user, &hooks, "/hook").await;
    hooks.script("/hook", [Reply::hang(), Reply::status(200)]);
    write(&server, server.user_person(), "Tides").await;
    hooks.wait_for("/hook", 2).await;
    well(&user).await;
    hooks.seen_at("/hook").iter().for_each(|seen| verify(&secret, seen));
}

#[tokio::test]
async fn delivery_respects_retry_after() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    hook(&user, &hooks, "/busy").await;
    hook(&user, &hooks, "/fine").await;
    hooks.always("/busy", Reply::status(429).header("retry-after", "3600"));
    write(&server, &person, "one").await;
    until("the refusal", async || {
        endpoints(&user).await.into_iter().find(|it| it["last_error"] == "it answered 429")
    })
    .await;
    write(&server, &person, "two").await;
    hooks.wait_for("/fine", 2).await;
    let tenant = storage::TenantId(person.tenant.parse().expect("an id"));
    // A delivery is recorded a moment after it was sent.
    let queues = until("nothing waits but for the one that asked for time", async || {
        let waiting = server.store().read(move |reader| {
            let queues = reader
                .scan::<storage::records::DeliveryQueue>(storage::TenantId::SYSTEM, storage::Scan::table())?;
            let waiting = reader.scan::<storage::records::Delivery>(tenant, storage::Scan::table())?.items;
            Ok::<_, storage::Error>((queues.items, waiting.len()))
        });
        let (queues, waiting) = waiting.await.expect("read");
        (queues.len() == 1 && waiting == 2).then_some(queues)
    })
    .await;
    assert_eq!(hooks.count("/busy"), 1, "no second attempt");
    let pause = queues[0].due_at.since(storage::Timestamp::now());
    assert!((Duration::from_secs(3_000)..=Duration::from_secs(3_600)).contains(&pause), "{pause:?}");
}

#[tokio::test]
async fn queued_deliveries_survive_a_restart() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    let secret = hook(&user, &hooks, "/hook").await;
    hooks.always("/hook", Reply::hang());
    for at in 0..3 {
        write(&server, &person, &format!("{at}")).await;
    }
    hooks.wait_for("/hook", 1).await;
    let first = hooks.seen_at("/hook")[0].headers["webhook-id"].clone();
    hooks.always("/hook", Reply::status(200));
    // The attempt in progress is aborted and repeated.
    let server = server.restart().await;
    hooks.wait_for("/hook", 4).await;
    well(&server.user()).await;
    let mut ids: Vec<_> =
        hooks.seen_at("/hook").iter().map(|seen| seen.headers["webhook-id"].clone()).collect();
    hooks.seen_at("/hook").iter().for_each(|seen| verify(&secret, seen));
    assert_eq!(ids[1], first, "under the same key");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
    server.stored().await;
}

#[tokio::test]
async fn webhook_receives_only_notifications_after_its_registration() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (user, person) = (server.user(), server.user_person().clone());
    write(&server, &person, "before").await;
    hook(&user, &hooks, "/hook").await;
    write(&server, &person, "after").await;
    // A notification that is deleted in the product is still sent.
    let one = super::listed(&user, "").await.remove(0);
    user.delete(&format!("{PATH}/{}", text(&one["id"]))).await.no_content();
    hooks.wait_for("/hook", 1).await;
    well(&user).await;
    let sent: Vec<_> =
        hooks.seen_at("/hook").iter().map(|seen| text(&seen.json()["data"]["title"])).collect();
    assert_eq!(sent, ["after"]);
}
