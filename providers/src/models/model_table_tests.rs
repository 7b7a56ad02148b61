use super::super::section::is_plain;
use super::*;
use crate::config::ProviderKind;
use crate::models::Models;
use crate::scribe::Scribe;

fn add(models: &Models, provider: &str, name: &str) {
    models.add(Model::new(provider, name, Arc::new(Scribe)));
}

#[test]
fn model_table_without_providers_contains_only_the_scribe() {
    let models = Models::builtin();
    let all = models.list();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].id, "builtin/scribe");
    assert!(all[0].is_default);
    assert_eq!(models.default().info.id, "builtin/scribe");
    assert_eq!(models.find("scribe").unwrap().upstream_id, "scribe");
    assert!(models.find("builtin/other").is_none());
}

#[test]
fn find_accepts_an_unambiguous_bare_name() {
    let models = Models::builtin();
    add(&models, "a", "org/large");
    assert_eq!(models.find("org/large").unwrap().info.id, "a/org/large");
    add(&models, "b", "org/large");
    assert!(models.find("org/large").is_none());
    assert_eq!(models.find("b/org/large").unwrap().info.id, "b/org/large");
    add(&models, "org", "large");
    assert_eq!(models.find("org/large").unwrap().info.provider, "org", "a full id wins");
}

#[test]
fn find_accepts_one_spelling_of_an_unlisted_name() {
    let plain = |name| is_plain(name, ProviderKind::Openai);
    for name in ["plain", "org/plain:free", "ft:gpt-4o:org::id", "a.b/..c", "größer", "models/x"] {
        assert!(plain(name), "{name:?}");
    }
    for name in [
        "",
        "plain ",
        " plain",
        "pl ain",
        "plain\t",
        "plain\u{a0}",
        "plain\0",
        "/plain",
        "./plain",
        "../plain",
        "plain/",
        "a//plain",
        "a/./plain",
        "a/../plain",
        "plain/..",
        "pl%61in",
        "a\\plain",
        "plain?x",
        "plain#x",
    ] {
        assert!(!plain(name), "{name:?}");
    }
    assert!(!is_plain("models/plain", ProviderKind::Gemini));
}

#[test]
fn with_model_replaces_and_marks_one_default() {
    let models = Models::builtin();
    add(&models, "a", "m");
    add(&models, "a", "m");
    add(&models, "a", "n");
    let ids: Vec<_> = models.list().iter().map(|m| (m.id.clone(), m.is_default)).collect();
    let expected = [("a/m", true), ("a/n", false), ("builtin/scribe", false)];
    assert_eq!(ids, expected.map(|(id, d)| (id.to_owned(), d)));
    models.remove("a");
    assert_eq!(models.default().info.id, "builtin/scribe");
}

#[test]
fn default_is_the_configured_model_once_it_is_available() {
    let models = Models::empty(DefaultModels { chat: Some("b/m".to_owned()), ..DefaultModels::default() });
    add(&models, "a", "m");
    assert_eq!(models.default().info.id, "a/m");
    add(&models, "b", "m");
    assert_eq!(models.default().info.id, "b/m");
}
