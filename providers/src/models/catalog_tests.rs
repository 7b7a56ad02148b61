use super::*;
use crate::config::CheckedProvider;

fn host(kind: ProviderKind, url: &str) -> Host {
    Host::new(CheckedProvider { kind, ..CheckedProvider::new("p", crate::config::base_url(url).unwrap()) })
}

fn openai() -> Host {
    host(ProviderKind::Openai, "https://api.openai.com/v1")
}

#[test]
fn catalog_parses_with_exact_prices() {
    let read: Catalog = toml::from_str(include_str!("../prices.toml")).unwrap();
    assert!(read.providers.len() >= 5);
    for provider in &read.providers {
        for (at, model) in provider.models.iter().enumerate() {
            let priced = model.prices().unwrap().is_some() || model.unit_price_nanos().unwrap().is_some();
            assert!(priced && !model.tags.is_empty(), "{}", model.id);
            let twice = provider.models[..at].iter().any(|other| other.id == model.id);
            assert!(!twice, "{} stands there twice", model.id);
        }
    }
}

#[test]
fn catalog_knows_dated_versions_but_not_other_models() {
    assert!(is_version_of("gpt-4o", "gpt-4o"));
    for id in ["gpt-4o-2024-08-06", "gpt-4o-latest", "gpt-4o-001", "gpt-4o-preview-05-20", "gpt-4o@20240806"]
    {
        assert!(is_version_of(id, "gpt-4o"), "{id}");
    }
    for id in ["gpt-4o-mini", "gpt-4", "gpt-4o-", "gpt-4om", "gpt-4o-5", "gpt-4o-audio-2024-08-06"] {
        assert!(!is_version_of(id, "gpt-4o"), "{id}");
    }
}

#[test]
fn catalog_does_not_override_configured_values() {
    let id = "gpt-4o-mini-2024-07-18";
    let known = complete(&openai(), ModelConfig::id(id));
    assert_eq!((known.input_price, known.context_window), (Some(0.15), Some(128_000)));
    assert_eq!(known.name, None, "a dated version keeps its own name");
    let configured =
        ModelConfig { output_price: Some(9.0), tags: vec!["chat".into()], ..ModelConfig::id(id) };
    let known = complete(&openai(), configured);
    assert_eq!((known.input_price, known.output_price), (None, Some(9.0)), "prices belong together");
    assert_eq!(known.tags, ["chat"]);
}

#[test]
fn catalog_applies_to_the_hosts_that_serve_a_model() {
    let free = complete(&host(ProviderKind::Openai, "http://localhost:8000/v1"), ModelConfig::id("gpt-4o"));
    assert_eq!(free.input_price, None, "a third-party server has its own prices");
    let proxy = host(ProviderKind::Anthropic, "http://proxy/v1");
    assert_eq!(complete(&proxy, ModelConfig::id("claude-haiku-4-5-20251001")).output_price, Some(5.0));
    assert!(named(&proxy).is_empty() && !named(&openai()).is_empty());
}
