//! The built-in catalogue of models of common providers: `prices.toml`, which is compiled into the binary.

use std::sync::LazyLock;

use serde::Deserialize;

use super::prices::{PriceOrigin, PriceTable, prices_tokens};
use crate::config::{ModelConfig, ProviderKind};
use crate::upstream::Host;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    // A test parses the file, so it is valid in every build.
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
    /// The host of the provider. Models of a kind that only one vendor offers are also recognized at other hosts.
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

/// Returns the models to offer for a host that cannot list its models, without prices. [`priced`] determines the
/// prices, which may change in between.
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

/// Whether requests go to the vendor of the models rather than to a third party that also serves them.
pub(super) fn is_home(host: &Host) -> bool {
    CATALOG.providers.iter().any(|known| known.serves(host))
}

/// Completes a model's configuration from an imported price table and then from the catalogue. Also returns the
/// origin of its price.
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

/// Completes a model's configuration from the catalogue.
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
    // Prices belong together: if one is configured, none of the catalogue's prices is used.
    if !priced {
        full.input_price = entry.input_price;
        full.output_price = entry.output_price;
        full.cached_price = entry.cached_price;
        full.cache_write_price = entry.cache_write_price;
    }
    if full.tags.is_empty() {
        full.tags = entry.tags;
    }
    // A dated version does not get the display name of the undated one.
    if full.id == entry.id {
        full.name = full.name.or(entry.name);
    }
    full
}

/// Whether an id is the model's own or that of a dated or numbered version of it: `gpt-4o-2024-08-06` is a version of
/// `gpt-4o`, and `gpt-4o-realtime` is not.
pub(super) fn is_version_of(id: &str, model: &str) -> bool {
    let id = id.to_ascii_lowercase();
    let Some(rest) = id.strip_prefix(model) else {
        return false;
    };
    let mut parts = rest.split(['-', '@']);
    let digits = |part: &str, least: usize| part.len() >= least && part.bytes().all(|b| b.is_ascii_digit());
    let word = |part: &str| ["latest", "preview", "exp"].contains(&part);
    // A short number denotes another model: `claude-opus-5-5` is not a version of `claude-opus-5`.
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
