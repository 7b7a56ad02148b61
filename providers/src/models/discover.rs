use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Models;
use super::section::Section;
use super::source::{self, Source};
use crate::chat::{Keys, ProviderError};
use crate::config::ModelConfig;
use crate::upstream::ModelListing;

/// The first pause after a failure; it doubles up to [`MAX_PAUSE`].
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(5);
const MAX_PAUSE: Duration = Duration::from_secs(300);
/// How often a list is refreshed.
const REFRESH: Duration = Duration::from_secs(3_600);
/// Timeout of a model list request.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Periodically requests the model list of a provider that was configured without models.
pub(super) async fn run(models: Weak<Models>, rank: u32, source: Arc<dyn Source>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let wait = match source::list(&source, &Keys::default(), TIMEOUT).await {
            Ok(listed) => {
                let Some(registry) = models.upgrade() else {
                    return;
                };
                registry.put(section(rank, &source, listed, &models));
                pause = FIRST_PAUSE;
                REFRESH
            }
            Err(error) => {
                let provider = &source.host().name;
                let Some(registry) = models.upgrade() else {
                    return;
                };
                registry.note_trouble(provider, error.clone());
                if pause == FIRST_PAUSE {
                    tracing::warn!(provider, %error, "the models of a provider could not be listed");
                } else {
                    tracing::debug!(provider, %error, "the models of a provider still cannot be listed");
                }
                let wait = pause;
                pause = (pause * 2).min(MAX_PAUSE);
                wait
            }
        };
        tokio::time::sleep(wait).await;
        if models.strong_count() == 0 {
            return;
        }
    }
}

/// Builds a section from a model list. After an empty list, any model name is still tried.
pub(super) fn section(
    rank: u32,
    source: &Arc<dyn Source>,
    listed: Vec<ModelListing>,
    models: &Weak<Models>,
) -> Section {
    let any = listed.is_empty();
    let known: Vec<ModelConfig> =
        listed.into_iter().filter(|model| useful(&model.id)).map(ModelListing::config).collect();
    let mut section = Section::from_source(rank, source, known, models.clone());
    section.any = any;
    section.trouble = any.then(|| ProviderError::refused("it lists no models"));
    section
}

/// Whether a model of this name is supported. Lists do not state purposes, so models whose names indicate an
/// unsupported kind are left out; they can be configured explicitly.
fn useful(id: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "moderation",
        "realtime",
        "rerank",
        "davinci-002",
        "babbage-002",
        "bge-rerank",
        "-audio-preview",
        "lyria",
    ];
    let id = id.to_ascii_lowercase();
    !OTHERS.iter().any(|other| id.contains(other))
}

#[cfg(test)]
mod tests {
    use super::useful;

    #[test]
    fn useful_excludes_unsupported_models() {
        for id in ["gpt-4o", "llama3.2:latest", "Qwen/Qwen3-8B", "o3", "text-embedding-3-small", "whisper-1"]
        {
            assert!(useful(id), "{id}");
        }
        for id in ["omni-moderation-latest", "gpt-realtime", "bge-reranker-v2-m3", "davinci-002"] {
            assert!(!useful(id), "{id}");
        }
    }
}
