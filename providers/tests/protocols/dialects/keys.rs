use std::collections::BTreeMap;

use providers::{
    ChatRequest, Keys, Models, ProviderConfig, ProviderErrorKind, ProviderKind, ProvidersConfig, Secret,
};

use super::wire::*;
use crate::fake::*;

const OWN: &str = "tenants-own-key-1";

fn keys(provider: &str) -> Keys {
    Keys::new(BTreeMap::from([(provider.to_owned(), Secret::from(OWN))]), Default::default())
}

const KINDS: [(ProviderKind, &str); 3] = [
    (ProviderKind::Openai, "authorization: bearer "),
    (ProviderKind::Anthropic, "x-api-key: "),
    (ProviderKind::Gemini, "x-goog-api-key: "),
];

#[tokio::test]
async fn keys_own_key_replaces_the_configured_one_and_stays_secret() {
    for (kind, header) in KINDS {
        let parrot = format!(
            "{{\"error\":{{\"message\":\"bad {OWN} not {KEY}\",\"type\":\"authentication_error\"}}}}"
        );
        let mut fake = Fake::always(crate::fake::json("401 Unauthorized", &parrot)).await;
        let model = model(provider(&fake, kind)).await;
        let request = ChatRequest { keys: keys("fake"), ..hello() };
        let fault = asked(&model, request).await.1.unwrap();
        assert_eq!(fault.kind, ProviderErrorKind::Auth);
        assert!(!fault.message.contains(OWN) && !fault.message.contains(KEY), "{fault}");
        let head = fake.request().await.head.to_lowercase();
        assert!(head.contains(&format!("{header}{OWN}\r\n")) && !head.contains(KEY), "{head}");

        let of_another = ChatRequest { keys: keys("another"), ..hello() };
        asked(&model, of_another).await;
        let head = fake.request().await.head.to_lowercase();
        assert!(head.contains(&format!("{header}{KEY}\r\n")) && !head.contains(OWN), "{head}");
    }
}

#[tokio::test]
async fn keys_own_key_enables_a_provider_without_one() {
    for kind in [ProviderKind::Anthropic, ProviderKind::Gemini] {
        let mut fake = Fake::always(crate::fake::json("400 Bad Request", "{}")).await;
        let keyless = ProviderConfig { api_key: None, ..provider(&fake, kind) };
        let models = load(keyless).await;
        assert!(models.needs_key("fake"));
        let model = models.find("fake/m").unwrap();
        assert!(model.info.info_tags.contains(&"own_key".to_owned()));
        assert_eq!(
            models.default().info.id,
            "builtin/scribe",
            "a model that cannot be asked is not the default"
        );
        let fault = collect(&model).await.1.unwrap();
        assert_eq!((&fault.kind, fake.unread()), (&ProviderErrorKind::Auth, 0));
        assert!(fault.message.contains("fake has no key"), "{fault}");
        asked(&model, ChatRequest { keys: keys("fake"), ..hello() }).await;
        assert!(fake.request().await.head.contains(OWN));
    }
}

#[tokio::test]
async fn try_key_lists_the_models() {
    let list = "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}";
    let good = crate::fake::json("200 OK", list);
    let bad = crate::fake::json("401 Unauthorized", &format!("{{\"error\":\"bad {OWN}\"}}"));
    let mut fake =
        Fake::start(move |n| vec![Step::Send(if n == 0 { good.clone() } else { bad.clone() })]).await;
    let models = load(provider(&fake, ProviderKind::Anthropic)).await;
    let key = Secret::from(OWN);
    assert_eq!(models.try_key("fake", &key).await, Some(Ok(2)));
    let head = fake.request().await.head.to_lowercase();
    assert!(head.starts_with("get /v1/models?limit=1000") && head.contains(OWN), "{head}");
    let fault = models.try_key("fake", &key).await.unwrap().unwrap_err();
    assert_eq!(fault.kind, ProviderErrorKind::Auth);
    assert!(!fault.message.contains(OWN), "{fault}");
    assert_eq!(models.try_key("unknown", &key).await, None);
    assert_eq!(models.providers(), ["fake"]);
}

#[tokio::test]
async fn keys_own_key_gives_access_to_catalog_models() {
    let claude = ProviderConfig { kind: ProviderKind::Anthropic, ..ProviderConfig::openai("anthropic", "") };
    let config =
        ProvidersConfig { providers: vec![claude], probe_local: false, ..ProvidersConfig::default() };
    let models = Models::load(&config).await.unwrap();
    let named = models.find("anthropic/claude-haiku-4-5").unwrap();
    assert_eq!(named.info.prices.output_nanos_per_token, 5_000);
    assert!(models.list().iter().any(|model| model.id == "anthropic/claude-haiku-4-5"));
    assert!(models.find("anthropic/any-other").is_some(), "and any other name is tried");
    for odd in ["anthropic/", "anthropic//any", "anthropic/./any", "anthropic/../any", "anthropic/any "] {
        assert!(models.find(odd).is_none() && models.find_embedder(odd).is_none(), "{odd:?}");
    }
    let capital = models.find("anthropic/Claude-Haiku-4-5").unwrap();
    assert_eq!(capital.info.id, named.info.id, "one that is offered is known in any case");
    let dated = models.find("anthropic/Claude-Haiku-4-5-20251001").unwrap();
    assert_eq!(dated.info.prices.output_nanos_per_token, 5_000);
    assert_eq!(models.default().info.id, "builtin/scribe");
}
