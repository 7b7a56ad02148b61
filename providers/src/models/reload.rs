//! Applies a new configuration while requests are in progress.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::model_table::DefaultModels;
use super::section::{FIRST_CONFIGURED, Section};
use super::{Models, catalog, discover, names_scribe, probe, source};
use crate::chat::{ProviderError, ProviderErrorKind};
use crate::config::{ConfigError, ProviderConfig, ProvidersConfig, ScribeUse, check};

/// The effect of a reload on the configured providers, by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Reloaded {
    /// Providers that were added or whose settings have changed.
    pub opened: Vec<String>,
    /// Providers that were removed.
    pub closed: Vec<String>,
    /// Providers that are unchanged; their circuits and model lists are preserved.
    pub unchanged: Vec<String>,
}

/// The current configuration and its background tasks.
#[derive(Default)]
pub(super) struct Running {
    /// `None` before the first configuration.
    config: Option<ProvidersConfig>,
    /// The tasks that request model lists, by the provider's name.
    discovery: Vec<(String, JoinHandle<()>)>,
    probe: Option<JoinHandle<()>>,
}

impl Running {
    pub(super) fn abort(&mut self) {
        for (_, task) in self.discovery.drain(..) {
            task.abort();
        }
        if let Some(task) = self.probe.take() {
            task.abort();
        }
    }
}

impl Models {
    /// Applies a new configuration. Providers whose settings and position are unchanged are preserved; requests in
    /// progress to other providers finish with the old settings.
    ///
    /// # Errors
    /// Returns all faults if the configuration is invalid; the previous configuration then remains in effect.
    pub async fn reload(self: &Arc<Self>, config: &ProvidersConfig) -> Result<Reloaded, ConfigError> {
        let checked = check(config)?;
        let mut running = self.running.lock().await;
        let before = running.config.replace(config.clone());
        let probes_alike = before.as_ref().is_some_and(|before| probing(before) == probing(config));
        let before = before.map(|before| before.providers).unwrap_or_default();
        let same = |(at, provider): (usize, &ProviderConfig)| before.get(at) == Some(provider);
        let unchanged: BTreeSet<String> = config
            .providers
            .iter()
            .enumerate()
            .filter(|provider| same(*provider))
            .map(|(_, provider)| provider.name.clone())
            .collect();

        // The discovery tasks of changed providers must end before their sections are removed; otherwise they would
        // add them again.
        let mut ending = Vec::new();
        for (name, task) in std::mem::take(&mut running.discovery) {
            match unchanged.contains(&name) {
                true => running.discovery.push((name, task)),
                false => ending.push(task),
            }
        }
        if !probes_alike {
            ending.extend(running.probe.take());
        }
        for task in ending {
            task.abort();
            let _ = task.await;
        }

        let weak = Arc::downgrade(self);
        let (mut known, mut sections, mut discovered) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, provider) in (FIRST_CONFIGURED..).zip(checked) {
            known.push((provider.name.clone(), provider.base_url.clone()));
            if unchanged.contains(&provider.name) {
                continue;
            }
            let (name, configured) = (provider.name.clone(), provider.models.clone());
            let source = source::open(provider);
            let has_configured = !configured.is_empty();
            // A provider lists nothing without a key, so the catalogue's models are offered.
            let keyless = source.host().needs_key();
            let models = if !has_configured && keyless { catalog::named(source.host()) } else { configured };
            let mut section = Section::from_source(rank, &source, models, weak.clone());
            section.any = !has_configured;
            if !has_configured && !keyless {
                let waits = ProviderErrorKind::Unavailable { retry_after: Some(discover::FIRST_PAUSE) };
                section.trouble = Some(ProviderError::new(waits, "its models have not been listed yet"));
            }
            sections.push(section);
            if !has_configured && !keyless {
                discovered.push((name, rank, source));
            }
        }
        let closed: Vec<String> = before
            .iter()
            .map(|provider| provider.name.clone())
            .filter(|name| config.providers.iter().all(|provider| provider.name != *name))
            .collect();
        let opened: Vec<String> = sections.iter().map(|section| section.provider.clone()).collect();
        let wanted =
            DefaultModels { chat: config.default_model.clone(), embedding: config.default_embedding.clone() };
        {
            let mut model_table = self.model_table.write();
            let stays = |section: &Section| {
                unchanged.contains(&section.provider) || section.is_probed() && probes_alike
            };
            let next = model_table.reconfigured(stays, sections, wanted);
            let scribe = match config.scribe {
                ScribeUse::On => true,
                ScribeUse::Off => false,
                ScribeUse::Auto => !next.chats_for_all() || names_scribe(config),
            };
            *model_table = Arc::new(next.with(Self::built_in(scribe)));
        }
        for (name, rank, source) in discovered {
            running.discovery.push((name, tasks::spawn(discover::run(weak.clone(), rank, source))));
        }
        if config.probe_local && !probes_alike {
            running.probe = Some(tasks::spawn(probe::run(weak, probe::targets(config, &known))));
        }
        Ok(Reloaded { opened, closed, unchanged: unchanged.into_iter().collect() })
    }
}

/// Returns all settings that probing depends on.
fn probing(config: &ProvidersConfig) -> (bool, Vec<u16>, f64, Vec<(&str, &str)>) {
    let known = config.providers.iter().map(|provider| (provider.name.as_str(), provider.base_url.as_str()));
    (config.probe_local, config.probe_exclude.clone(), config.probe_every_s, known.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ModelConfig;

    fn config(providers: &[(&str, &str)]) -> ProvidersConfig {
        let provider = |(name, model): &(&str, &str)| {
            let mut provider = ProviderConfig::openai(*name, "http://127.0.0.1:9/v1");
            provider.models = vec![ModelConfig::id(*model)];
            provider
        };
        let providers = providers.iter().map(provider).collect();
        ProvidersConfig { providers, probe_local: false, ..ProvidersConfig::default() }
    }

    fn names(reloaded: &Reloaded) -> [Vec<&str>; 3] {
        [&reloaded.opened, &reloaded.closed, &reloaded.unchanged]
            .map(|names| names.iter().map(String::as_str).collect())
    }

    #[tokio::test]
    async fn reload_opens_new_providers_and_keeps_unchanged_ones() {
        let models = Models::load(&config(&[("a", "1"), ("b", "1"), ("c", "1")])).await.unwrap();
        let (unchanged, replaced) =
            (models.model_table().source("a").unwrap(), models.model_table().source("b").unwrap());
        let mut new = config(&[("a", "1"), ("b", "2"), ("d", "1")]);
        new.default_model = Some("d/1".to_owned());
        let reloaded = models.reload(&new).await.unwrap();
        assert_eq!(names(&reloaded), [vec!["b", "d"], vec!["c"], vec!["a"]]);
        assert!(
            Arc::ptr_eq(&unchanged, &models.model_table().source("a").unwrap()),
            "its circuit and connections stay"
        );
        assert!(!Arc::ptr_eq(&replaced, &models.model_table().source("b").unwrap()));
        for (id, there) in [("a/1", true), ("b/1", false), ("b/2", true), ("c/1", false), ("d/1", true)] {
            assert_eq!(models.find(id).is_some(), there, "{id}");
        }
        assert_eq!(models.default().info.id, "d/1");
        assert_eq!(models.providers(), ["a", "b", "d"]);
    }

    #[tokio::test]
    async fn reload_of_a_faulty_configuration_changes_nothing() {
        let models = Models::load(&config(&[("a", "1")])).await.unwrap();
        let mut faulty = config(&[("b", "1")]);
        faulty.default_model = Some("nowhere/1".to_owned());
        assert!(models.reload(&faulty).await.is_err());
        assert_eq!(models.providers(), ["a"]);
        let same = models.reload(&config(&[("a", "1")])).await.unwrap();
        assert_eq!(names(&same), [vec![], vec![], vec!["a"]]);
    }
}
