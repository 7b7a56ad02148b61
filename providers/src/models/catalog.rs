//! What is known of the models of common providers without asking them: `prices.toml`, which ships with us.

use std::sync::LazyLock;

use serde::Deserialize;

use super::prices::{PriceOrigin, PriceTable, prices_tokens};
use crate::config::{ModelConfig, ProviderKind};
use crate::upstream::Host;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    // A test reads it, so it is sound in whatever is built.
    toml::from_str(include_str!("../prices.toml")).unwrap_or_default()
});

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalog {
    providers: Vec<KnownProvider>,
}

/// A provider and its models.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownProvider {
    kind: ProviderKind,
    /// Where it is. What is known of the models of a kind that one company alone has goes for other hosts, too.
    host: String,
    models: Vec<ModelConfig>,
}

impl KnownProvider {
    fn is_at(&self, host: &Host) -> bool {
        self.kind == host.kind && host.base_url.host_str() == Some(self.host.as_str())
    }

    fn serves(&self, host: &Host) -> bool {
        self.is_at(host) || (self.kind == host.kind && self.kind != ProviderKind::Openai)
    }
}

/// The models to offer of a host that cannot tell any. Their prices are told by [`priced`]: they may be others by then.
pub(super) fn named(host: &Host) -> Vec<ModelConfig> {
    let there = CATALOG.providers.iter().filter(|known| known.is_at(host));
    let unpriced = |model: &ModelConfig| ModelConfig {
        input_price: None,
        output_price: None,
        cached_price: None,
        cache_write_price: None,
        unit_price: None,
        ..model.clone()
    };
    there.flat_map(|known| &known.models).map(unpriced).collect()
}

/// Whether the vendor of the models is asked, rather than another provider that serves them, too.
pub(super) fn is_home(host: &Host) -> bool {
    CATALOG.providers.iter().any(|known| known.serves(host))
}

/// What is known of a model, with what is not filled in from an imported table, and then from the catalogue; and who
/// says what it costs.
pub(super) fn priced(
    host: &Host,
    mut model: ModelConfig,
    imported: &PriceTable,
) -> (ModelConfig, PriceOrigin) {
    let has_price = |model: &ModelConfig| prices_tokens(model) || model.unit_price.is_some();
    let configured = has_price(&model);
    let imported = imported.complete(host, &mut model);
    let full = complete(host, model);
    let origin = match (configured, imported, has_price(&full)) {
        (true, ..) => PriceOrigin::Configured,
        (false, true, _) => PriceOrigin::Imported,
        (false, false, true) => PriceOrigin::Shipped,
        (false, false, false) => PriceOrigin::Unknown,
    };
    (full, origin)
}

/// What is known of a model, with what is not filled in from the catalogue.
fn complete(host: &Host, model: ModelConfig) -> ModelConfig {
    let models = CATALOG.providers.iter().filter(|known| known.serves(host)).flat_map(|known| &known.models);
    let entry = models.filter(|entry| is_version_of(&model.id, &entry.id)).max_by_key(|entry| entry.id.len());
    let Some(entry) = entry.cloned() else {
        return model;
    };
    let priced = prices_tokens(&model);
    let mut full = ModelConfig {
        context_window: model.context_window.or(entry.context_window),
        max_output_tokens: model.max_output_tokens.or(entry.max_output_tokens),
        unit_price: model.unit_price.or(entry.unit_price),
        max_batch: model.max_batch.or(entry.max_batch),
        ..model
    };
    // Prices belong together: one that is configured leaves none of ours beside it.
    if !priced {
        full.input_price = entry.input_price;
        full.output_price = entry.output_price;
        full.cached_price = entry.cached_price;
        full.cache_write_price = entry.cache_write_price;
    }
    if full.tags.is_empty() {
        full.tags = entry.tags;
    }
    // A dated version is not told under the name of the undated one.
    if full.id == entry.id {
        full.name = full.name.or(entry.name);
    }
    full
}

/// Whether an id is a model's own or that of a dated or numbered version of it: `gpt-4o-2024-08-06` is one of
/// `gpt-4o`, and `gpt-4o-realtime` is none.
pub(super) fn is_version_of(id: &str, model: &str) -> bool {
    let id = id.to_ascii_lowercase();
    let Some(rest) = id.strip_prefix(model) else {
        return false;
    };
    let mut parts = rest.split(['-', '@']);
    let digits = |part: &str, least: usize| part.len() >= least && part.bytes().all(|b| b.is_ascii_digit());
    let word = |part: &str| ["latest", "preview", "exp"].contains(&part);
    // A short number is another model: `claude-opus-5-5` is none of `claude-opus-5`.
    let mut next = || parts.next();
    match (next(), next()) {
        (Some(""), None) => true,
        (Some(""), Some(first)) => {
            (word(first) || digits(first, 3)) && parts.all(|part| word(part) || digits(part, 1))
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
