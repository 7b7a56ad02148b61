//! A tenant's own provider keys.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::ProviderKey;

use super::models::audited;
use super::{ADMIN, chat, converse, partner, with_provider};
use crate::harness::keyed_provider::{CONFIGURED_KEY, KeyedProvider};
use crate::harness::{Answer, TestServer};

const OURS: &str = "sk-good-tenant-fedcba9876543210";
const THEIRS: &str = "sk-good-others-00000000ffffffff";

async fn set(server: &TestServer, keys: Value) -> Answer {
    server.admin().put(&format!("{ADMIN}/provider-api-keys"), json!({"keys": keys})).await
}

/// Returns the distinct keys with which the provider was called.
fn keys(provider: &KeyedProvider) -> Vec<String> {
    let mut keys: Vec<_> = provider.seen().into_iter().map(|(_, key)| key).collect();
    keys.sort();
    keys.dedup();
    keys
}

#[tokio::test]
async fn tenant_key_is_used_for_its_own_users_only() {
    let (server, provider) = with_provider().await;
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [CONFIGURED_KEY]);
    let answer = set(&server, json!({"fake": OURS})).await.ok();
    let item = json!({"provider": "fake", "masked": "…3210", "result": "works", "detail": null});
    assert_eq!(answer["items"], json!([item]));
    assert_eq!(keys(&provider), [OURS], "the key was tested");

    let user = server.user();
    chat(&user, "fake/talk").await.ok();
    partner(&user, "fake/talk").await.ok();
    converse(&user, "fake/talk").await;
    let improve = json!({"prompt": "Write.", "model": "fake/talk"});
    user.post("/api/utils/improve-prompt", improve).await.ok();
    let embed = json!({"model": "fake/embed", "input": "words"});
    user.post("/api/chat/partner_compatible/v1/embeddings", embed).await.ok();
    assert_eq!(keys(&provider), [OURS]);
    // Users of another tenant use the key of the installation, or their tenant's own once it has one.
    let stranger = server.stranger();
    chat(&stranger, "fake/talk").await.ok();
    assert_eq!(keys(&provider), [CONFIGURED_KEY]);
    let body = json!({"keys": {"fake": THEIRS}});
    stranger.put(&format!("{ADMIN}/provider-api-keys"), body).await.ok();
    chat(&stranger, "fake/talk").await.ok();
    assert_eq!(keys(&provider), [THEIRS]);

    let server = server.restart().await;
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [OURS]);
    let removed = set(&server, json!({"fake": null})).await.ok();
    assert_eq!(removed["items"][0]["result"], "removed");
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [CONFIGURED_KEY]);
    chat(&server.stranger(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [THEIRS]);
}

#[tokio::test]
async fn tenant_key_is_used_to_embed_documents() {
    let (server, provider) = with_provider().await;
    set(&server, json!({"fake": OURS})).await.ok();
    keys(&provider);
    let editor = server.editor();
    let made = json!({"name": "Ada", "data_schema": null});
    let ada = crate::harness::text(&editor.post("/api/assistants", made).await.created()["id"]);
    editor.post(&format!("/api/assistants/{ada}/data"), json!({"data": {"town": "Ulm"}})).await.created();
    assert_eq!(keys(&provider), [OURS]);
}

#[tokio::test]
async fn key_that_the_provider_refuses_changes_nothing() {
    let (server, provider) = with_provider().await;
    let bad = "sk-bad-0123456789abcdef0123";
    let refused = set(&server, json!({"fake": bad})).await;
    assert_eq!(refused.faults(), ["body.keys.fake"]);
    assert!(!refused.text().contains(bad), "{refused:?}");
    let wrong = json!({"fake": OURS, "none": OURS, "also none": null});
    assert_eq!(set(&server, wrong).await.faults(), ["body.keys.none"]);
    for malformed in ["", "two words", "line\nbreak", "ümlaut"] {
        assert_eq!(set(&server, json!({"fake": malformed})).await.faults(), ["body.keys.fake"]);
    }
    assert_eq!(set(&server, json!({"fake": "x".repeat(4_097)})).await.faults(), ["body.keys.fake"]);
    keys(&provider);
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [CONFIGURED_KEY]);
    let tenant = TenantId(server.admin_person().tenant.parse().expect("an id"));
    let row = server.store().read_now(|reader| reader.get::<ProviderKey>(tenant, &"fake".to_owned()));
    assert_eq!(row.expect("the store reads"), None);
}

#[tokio::test]
async fn key_can_be_set_while_the_provider_does_not_respond() {
    let (server, provider) = with_provider().await;
    // A bound socket that does not listen: the port is reserved, and connections are refused.
    let unused = tokio::net::TcpSocket::new_v4().expect("a socket");
    unused.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let mut config = provider.config();
    config.base_url = format!("http://{}", unused.local_addr().expect("an address"));
    let server = server.restart_with(|settings| settings.providers = vec![config]).await;
    let answer = set(&server, json!({"fake": OURS})).await.ok();
    assert_eq!(answer["items"][0]["result"], "untested");
    assert!(answer["items"][0]["detail"].is_string());
}

#[tokio::test]
async fn key_is_sent_only_to_the_address_it_was_set_for() {
    let (server, provider) = with_provider().await;
    set(&server, json!({"fake": OURS})).await.ok();
    let own = |listed: Value| listed["items"][0]["own_key"]["stale"].clone();
    assert_eq!(own(server.admin().get(&format!("{ADMIN}/providers")).await.ok()), false);
    let elsewhere = KeyedProvider::start().await;
    let config = elsewhere.config();
    let server = server.restart_with(|settings| settings.providers = vec![config]).await;
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&elsewhere), [CONFIGURED_KEY]);
    assert_eq!(own(server.admin().get(&format!("{ADMIN}/providers")).await.ok()), true);
    // If only the tenant's own key opens a provider, a key for another address opens nothing.
    let mut keyless = elsewhere.config();
    (keyless.kind, keyless.api_key) = (providers::ProviderKind::Anthropic, None);
    let server = server.restart_with(|settings| settings.providers = vec![keyless]).await;
    let listed = server.user().get("/api/chat/models").await;
    assert!(!listed.text().contains("fake/talk"), "{listed:?}");
    assert_eq!(keys(&elsewhere), [""; 0]);
    let config = elsewhere.config();
    let server = server.restart_with(|settings| settings.providers = vec![config]).await;
    // Setting the key again confirms it for the new address.
    set(&server, json!({"fake": OURS})).await.ok();
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&elsewhere), [OURS]);
    let config = provider.config();
    let server = server.restart_with(|settings| settings.providers = vec![config]).await;
    keys(&provider);
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [CONFIGURED_KEY], "the key is not sent to the old address");
    // A row from before the address was stored: the key is used unchanged.
    let tenant = TenantId(server.admin_person().tenant.parse().expect("an id"));
    let write = server.store().run(move |tx| {
        let mut row = tx.require::<ProviderKey>(tenant, &"fake".to_owned())?;
        row.origin = None;
        tx.update(tenant, row).map(drop)
    });
    let write: storage::Result<()> = write.await;
    write.expect("the row is written");
    chat(&server.user(), "fake/talk").await.ok();
    assert_eq!(keys(&provider), [OURS]);
}

#[tokio::test]
async fn key_is_never_returned() {
    let (server, _provider) = with_provider().await;
    let answer = set(&server, json!({"fake": OURS})).await;
    let listed = server.admin().get(&format!("{ADMIN}/providers")).await;
    let own = listed.ok()["items"][0].clone();
    assert_eq!((&own["provider"], &own["own_key"]["masked"]), (&json!("fake"), &json!("…3210")));
    assert_eq!(own["own_key"]["set_by"], json!(server.admin_person().id));
    assert_eq!(
        server.stranger().get(&format!("{ADMIN}/providers")).await.ok()["items"][0]["own_key"],
        json!(null)
    );
    let said: Vec<_> = audited(&server).iter().map(|row| serde_json::to_string(row).expect("JSON")).collect();
    assert!(said.iter().any(|record| record.contains("tenant.provider_keys")));
    for text in said.into_iter().chain([answer.text(), listed.text()]) {
        assert!(!text.contains(&OURS[8..]), "{text}");
    }
    // Nor in an impersonation session.
    let body = json!({"user_id": server.editor_person().id});
    let act = server.admin().post("/api/auth/impersonate", body).await;
    if act.status < 300 {
        let token = crate::harness::text(&act.json()["access_token"]);
        let refused =
            server.client(&token).put(&format!("{ADMIN}/provider-api-keys"), json!({"keys": {}})).await;
        assert_eq!(refused.status, 403);
    }
}
