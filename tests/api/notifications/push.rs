//! Web push: the messages that a browser decrypts, and responses of push services.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use super::{ENDPOINTS, PATH, endpoints, listed, server, unregister, until, write};
use crate::harness::counting_server::{CountingServer, ReceivedRequest, Reply};
use crate::harness::{Client, TestServer, text};

/// A subscribed browser that can decrypt one message.
pub struct Browser {
    key: EphemeralPrivateKey,
    public: Vec<u8>,
    auth: [u8; 16],
}

impl Browser {
    pub fn new() -> Self {
        let key = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("a key");
        let public = key.compute_public_key().expect("its public half").as_ref().to_vec();
        Self { key, public, auth: rand::random() }
    }

    /// The body of its registration: `PushSubscription.toJSON()` with the kind of the endpoint.
    pub fn body(&self, endpoint: &str) -> Value {
        let keys = json!({
            "p256dh": URL_SAFE_NO_PAD.encode(&self.public), "auth": URL_SAFE_NO_PAD.encode(self.auth),
        });
        json!({"kind": "web_push", "endpoint": endpoint, "expirationTime": null, "keys": keys})
    }

    /// Decrypts a message as RFC 8291 and RFC 8188 specify.
    fn open(self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        let (record, rest) = rest.split_at(4);
        assert!(u32::from_be_bytes(record.try_into().expect("four")) as usize >= rest.len());
        let (theirs, sealed) = rest[1..].split_at(usize::from(rest[0]));
        let peer = UnparsedPublicKey::new(&ECDH_P256, theirs);
        let (auth, public) = (self.auth, self.public);
        let text = agree_ephemeral(self.key, &peer, |secret| {
            let info = [b"WebPush: info\0".as_slice(), &public, theirs].concat();
            let shared = derive(&auth, secret, &info, 32);
            let key = derive(salt, &shared, b"Content-Encoding: aes128gcm\0", 16);
            let nonce = derive(salt, &shared, b"Content-Encoding: nonce\0", 12);
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).expect("a key"));
            let nonce = Nonce::try_assume_unique_for_key(&nonce).expect("twelve bytes");
            let mut text = sealed.to_vec();
            let opened = key.open_in_place(nonce, Aad::empty(), &mut text).expect("it is for this browser");
            let end = opened.iter().rposition(|byte| *byte != 0).expect("a mark");
            assert_eq!(opened[end], 2, "the delimiter of the last record");
            opened[..end].to_vec()
        });
        serde_json::from_slice(&text.expect("keys agree")).expect("JSON")
    }
}

struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive(salt: &[u8], secret: &[u8], info: &[u8], count: usize) -> Vec<u8> {
    let mut out = vec![0; count];
    let info = [info];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(&info, Bytes(count)).expect("derived").fill(&mut out).expect("filled");
    out
}

/// Verifies what a push service requires of a sender: a signature with the key that the browser was given.
#[track_caller]
fn known(public: &str, origin: &str, seen: &ReceivedRequest) -> Value {
    let header = seen.headers.get("authorization").expect("a word");
    let (word, key) = header.strip_prefix("vapid t=").expect("VAPID").split_once(", k=").expect("a key");
    assert_eq!(key, public);
    let point = URL_SAFE_NO_PAD.decode(key).expect("base64");
    let half = |range: std::ops::Range<usize>| URL_SAFE_NO_PAD.encode(&point[range]);
    let key = DecodingKey::from_ec_components(&half(1..33), &half(33..65)).expect("a point");
    let mut rules = Validation::new(Algorithm::ES256);
    rules.set_audience(&[origin]);
    rules.set_required_spec_claims(&["exp", "aud", "sub"]);
    decode::<Value>(word, &key, &rules).expect("a valid token").claims
}

async fn subscribe(client: &Client, browser: &Browser, service: &CountingServer, path: &str) {
    client.post(ENDPOINTS, browser.body(&service.url(path))).await.created();
}

async fn public_key(server: &TestServer) -> String {
    text(&server.user().get(&format!("{PATH}/vapid-public-key")).await.ok()["public_key"])
}

#[tokio::test]
async fn browser_can_decrypt_a_notification() {
    let (server, service, browser) = (server().await, CountingServer::start().await, Browser::new());
    let (user, person) = (server.user(), server.user_person().clone());
    let public = public_key(&server).await;
    subscribe(&user, &browser, &service, "/push/secret-of-the-browser").await;
    service.always("/push/secret-of-the-browser", Reply::status(201));
    write(&server, &person, "Tides").await;
    service.wait_for("/push/secret-of-the-browser", 1).await;
    let seen = service.seen().remove(0);
    let claims = known(&public, &service.url(""), &seen);
    assert!(text(&claims["sub"]).starts_with("mailto:"), "{claims}");
    let header = |name: &str| seen.headers[name].as_str();
    let one = listed(&user, "").await.remove(0);
    let id = text(&one["id"]).replace('-', "");
    assert_eq!((header("content-encoding"), header("topic")), ("aes128gcm", id.as_str()));
    assert_eq!(
        (header("ttl"), header("urgency")),
        ("86400", "normal"),
        "a message of a person is not urgent"
    );
    let read = browser.open(&seen.body);
    for field in ["id", "type", "severity", "title", "body", "link", "created_at"] {
        assert_eq!(read[field], one[field], "{field}");
    }
    assert_eq!(read["tenant_id"], json!(person.tenant));
    // The key is permanent: browsers have stored it.
    let server = server.restart().await;
    assert_eq!(public_key(&server).await, public);
    assert_eq!(URL_SAFE_NO_PAD.decode(public).expect("base64").len(), 65);
    server.stored().await;
}

#[tokio::test]
async fn long_texts_are_truncated_to_the_limit_of_push_services() {
    let (server, service, browser) = (server().await, CountingServer::start().await, Browser::new());
    let user = server.user();
    subscribe(&user, &browser, &service, "/push").await;
    let body = "The tide is high. \u{1F30A}\"".repeat(190);
    let said = json!({
        "user_ids": [server.user_person().id], "title": "Long", "body": body, "severity": "error",
        "link": "/tides",
    });
    server.admin().post(&format!("{PATH}/send"), said).await.created();
    service.wait_for("/push", 1).await;
    let seen = service.seen().remove(0);
    assert!(seen.body.len() <= 4_096, "{}", seen.body.len());
    assert_eq!(seen.headers["urgency"], "high");
    let read = browser.open(&seen.body);
    let cut = text(&read["body"]);
    assert!(cut.ends_with('…') && body.starts_with(cut.trim_end_matches('…')) && cut.len() > 2_000);
    assert_eq!(read["link"], "/tides");
    assert_eq!(listed(&user, "").await[0]["body"], json!(body));
}

#[tokio::test]
async fn expired_subscription_is_removed_without_a_notification() {
    let (server, service) = (server().await, CountingServer::start().await);
    let user = server.user();
    for (path, status) in [("/404", 404), ("/410", 410)] {
        subscribe(&user, &Browser::new(), &service, path).await;
        service.always(path, Reply::status(status));
    }
    write(&server, server.user_person(), "Tides").await;
    until("both to be gone", async || Some(()).filter(|()| service.seen().len() == 2)).await;
    until("both to be gone", async || endpoints(&user).await.is_empty().then_some(())).await;
    assert_eq!(listed(&user, "").await.len(), 1, "no notification about the removed endpoint");
    server.stored().await;
}

#[tokio::test]
async fn message_that_a_push_service_refuses_is_not_sent_again() {
    let (server, service) = (server().await, CountingServer::start().await);
    let user = server.user();
    subscribe(&user, &Browser::new(), &service, "/push").await;
    service.script("/push", [Reply::status(413), Reply::status(500), Reply::status(201)]);
    write(&server, server.user_person(), "refused").await;
    until("the refusal", async || endpoints(&user).await.pop().filter(|it| it["given_up"] == 1)).await;
    write(&server, server.user_person(), "taken").await;
    service.wait_for("/push", 3).await;
    until("its good end", async || endpoints(&user).await.pop().filter(|it| it["last_error"].is_null()))
        .await;
    let topics: Vec<_> = service.seen().iter().map(|seen| seen.headers["topic"].clone()).collect();
    assert_eq!((topics.len(), topics[1] == topics[2], topics[0] == topics[1]), (3, true, false));
}

#[tokio::test]
async fn subscription_belongs_to_its_current_user() {
    let (server, service, browser) = (server().await, CountingServer::start().await, Browser::new());
    let body = browser.body(&service.url("/push"));
    server.user().post(ENDPOINTS, body.clone()).await.created();
    server.user().post(ENDPOINTS, body.clone()).await.ok();
    server.editor().post(ENDPOINTS, body.clone()).await.created();
    assert_eq!(endpoints(&server.user()).await, Vec::<Value>::new());
    write(&server, server.user_person(), "not for the editor").await;
    write(&server, server.editor_person(), "for the editor").await;
    service.wait_for("/push", 1).await;
    let read = browser.open(&service.seen()[0].body);
    assert_eq!(read["title"], "for the editor");
    unregister(&server.user(), body).await.not_found();
    let name = json!({"kind": "web_push", "endpoint": service.url("/push")});
    unregister(&server.editor(), name).await.no_content();
    assert_eq!(service.seen().len(), 1);
}
