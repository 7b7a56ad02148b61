//! Endpoints of notifications: registering, listing, deleting.

use serde_json::{Value, json};

use super::push::Browser;
use super::{ENDPOINTS, endpoints, server, unregister, webhook};
use crate::harness::text;

#[tokio::test]
async fn endpoint_is_registered_once() {
    let server = server().await;
    let user = server.user();
    let url = "http://127.0.0.1:9/hook";
    let first = webhook(&user, url).await.created();
    let secret = text(&first["secret"]);
    assert!(secret.starts_with("whsec_") && secret.len() > 40, "{first}");
    let again = user.post(ENDPOINTS, json!({"kind": "webhook", "url": url, "label": " Mine "})).await.ok();
    assert_eq!(
        (&again["id"], &again["label"], &again["secret"]),
        (&first["id"], &json!("Mine"), &Value::Null)
    );
    let all = endpoints(&user).await;
    assert_eq!((all.len(), &all[0]["url"], &all[0]["secret"]), (1, &json!(url), &Value::Null));
    assert!(!user.get(ENDPOINTS).await.text().contains("whsec_"), "the secret is returned once");
    // Another user's endpoint with the same address has its own secret.
    let others = webhook(&server.editor(), url).await.created();
    assert_ne!(others["secret"], first["secret"]);

    unregister(&server.stranger(), json!({"kind": "webhook", "url": url})).await.not_found();
    unregister(&user, json!({"kind": "webhook", "url": "http://127.0.0.1:9/other"})).await.not_found();
    unregister(&user, json!({"kind": "email"})).await.not_found();
    unregister(&user, json!({"kind": "webhook", "url": url})).await.no_content();
    unregister(&user, json!({"kind": "webhook", "url": url})).await.not_found();
    assert_eq!(endpoints(&user).await, Vec::<Value>::new());
    assert_eq!(endpoints(&server.editor()).await.len(), 1);
    let again = webhook(&user, url).await.created();
    assert_ne!(again["secret"], first["secret"], "registering again changes the secret");
    server.stored().await;
}

#[tokio::test]
async fn register_refuses_unusable_endpoints() {
    let server = server().await;
    let user = server.user();
    let faults = async |body: Value| user.post(ENDPOINTS, body).await.faults();
    assert_eq!(faults(json!({})).await, ["body.kind"]);
    assert_eq!(faults(json!({"kind": "pigeon", "url": "https://a.example"})).await, ["body.kind"]);
    assert_eq!(faults(json!({"kind": "webhook"})).await, ["body.url"]);
    assert_eq!(
        faults(json!({"kind": "webhook", "endpoint": "https://a.example"})).await,
        ["body.endpoint", "body.url"]
    );
    assert_eq!(faults(json!({"kind": "email", "url": "https://a.example"})).await, ["body.url"]);
    for url in ["", "a", "ftp://a.example", "http://10.0.0.1/x", "http://[::1]/x", "http://169.254.169.254/x"]
    {
        assert_eq!(faults(json!({"kind": "webhook", "url": url})).await, ["body.url"], "{url}");
    }
    let long = format!("https://a.example/{}", "x".repeat(2_048));
    assert_eq!(
        faults(json!({"kind": "webhook", "url": long, "label": ""})).await,
        ["body.label", "body.url"]
    );
    let browser = Browser::new();
    let good = browser.body("https://push.example/1");
    let with = |name: &str, key: &str, value: &str| {
        let mut body = good.clone();
        body[name][key] = json!(value);
        body
    };
    assert_eq!(
        faults(json!({"kind": "web_push", "endpoint": "https://push.example/1"})).await,
        ["body.keys"]
    );
    for wrong in [with("keys", "auth", "AAAA"), with("keys", "p256dh", "AAAA"), with("keys", "auth", "&")] {
        assert_eq!(faults(wrong).await, ["body.keys"]);
    }
    let point = format!("B{}", "A".repeat(86));
    assert_eq!(faults(with("keys", "p256dh", &point)).await, ["body.keys"], "not a point on the curve");
    let mail = user.post(ENDPOINTS, json!({"kind": "email"})).await;
    mail.problem(409, "mail_missing");
    assert_eq!(endpoints(&user).await, Vec::<Value>::new());
}

#[tokio::test]
async fn endpoints_per_user_are_limited() {
    let server = server().await;
    let user = server.user();
    for at in 0..20 {
        webhook(&user, &format!("http://127.0.0.1:9/{at}")).await.created();
    }
    webhook(&user, "http://127.0.0.1:9/more").await.problem(409, "limit_reached");
    webhook(&user, "http://127.0.0.1:9/7").await.ok();
    unregister(&user, json!({"kind": "webhook", "url": "http://127.0.0.1:9/7"})).await.no_content();
    webhook(&user, "http://127.0.0.1:9/more").await.created();
}

#[tokio::test]
async fn register_is_refused_to_impersonations() {
    let server = server().await;
    let admin = server.admin();
    let made =
        admin.post("/api/tenant-admin/service-accounts", json!({"display_name": "Robot", "role": "user"}));
    let robot = text(&made.await.created()["id"]);
    let path = format!("/api/tenant-admin/service-accounts/{robot}/login-as");
    let session = admin.post(&path, json!({})).await.created();
    let acting = server.client(&text(&session["access_token"]));
    webhook(&acting, "http://127.0.0.1:9/x").await.problem(403, "impersonation_limited");
    let reader = server.token(&["notifications:read"]).await;
    webhook(&reader, "http://127.0.0.1:9/x").await.problem(403, "scope_missing");
    assert_eq!(endpoints(&reader).await, Vec::<Value>::new());
    server.anonymous().post(ENDPOINTS, json!({"kind": "email"})).await.problem(401, "credentials_missing");
}
