use std::sync::{Arc, Weak};
use std::time::Duration;

use reqwest::Url;

use super::section::FIRST_PROBED;
use super::source::{self, Source};
use super::{Models, discover};
use crate::chat::Keys;
use crate::config::{LOCAL_SERVERS, ProvidersConfig};
use crate::openai::OpenAi;
use crate::upstream::{Host, is_loopback};

/// Timeout of a local server's model list.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Number of rounds for which a port is skipped after an unrelated server answered on it, so that we do not fill its
/// log with our requests.
const SKIPPED_ROUNDS: u32 = 20;
/// Number of failed rounds after which a server's models are removed; a restart takes less time.
const MAX_MISSES: u32 = 2;

/// A port to probe.
pub(super) struct Target {
    rank: u32,
    source: Arc<dyn Source>,
    present: bool,
    misses: u32,
    skip: u32,
}

/// Returns the interval and the ports to probe. Ports that are excluded or already configured, by name or by address,
/// are left out.
pub(super) fn targets(config: &ProvidersConfig, known: &[(String, Url)]) -> (Duration, Vec<Target>) {
    let free = |name: &str, port: u16| {
        !config.probe_exclude.contains(&port)
            && !known.iter().any(|(n, url)| n == name || is_local_port(url, port))
    };
    let targets = (FIRST_PROBED..).zip(LOCAL_SERVERS).filter(|(_, (name, port))| free(name, *port));
    let target = |(rank, (name, port))| Target::new(rank, name, port);
    (Duration::from_secs_f64(config.probe_every_s), targets.map(target).collect())
}

fn is_local_port(url: &Url, port: u16) -> bool {
    is_loopback(url) && url.port_or_known_default() == Some(port)
}

/// Probes the ports while the registry exists.
pub(super) async fn run(models: Weak<Models>, (every, mut targets): (Duration, Vec<Target>)) {
    loop {
        futures::future::join_all(targets.iter_mut().map(|t| t.probe(&models))).await;
        tokio::time::sleep(every).await;
        if models.strong_count() == 0 {
            return;
        }
    }
}

impl Target {
    fn new(rank: u32, name: &str, port: u16) -> Self {
        let source = Arc::new(Arc::new(OpenAi::new(Arc::new(Host::local(name, port)))));
        Self { rank, source, present: false, misses: 0, skip: 0 }
    }

    async fn probe(&mut self, models: &Weak<Models>) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        let name = self.source.host().name.as_str();
        match source::list(&self.source, &Keys::default(), TIMEOUT).await {
            Ok(listed) => {
                let Some(registry) = models.upgrade() else {
                    return;
                };
                if !self.present {
                    tracing::info!(provider = name, models = listed.len(), "found a local server");
                }
                let mut section = discover::section(self.rank, &self.source, listed, models);
                // A local server can answer only with models that it has loaded.
                section.any = false;
                registry.put(section);
                (self.present, self.misses) = (true, 0);
            }
            Err(error) => {
                tracing::trace!(provider = name, %error, "no local server");
                self.misses += 1;
                if self.present && self.misses >= MAX_MISSES {
                    tracing::info!(provider = name, "a local server is no longer available");
                    if let Some(models) = models.upgrade() {
                        models.remove(name);
                    }
                    self.present = false;
                }
                if !self.present && error.kind != crate::ProviderErrorKind::Connect {
                    self.skip = SKIPPED_ROUNDS;
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
