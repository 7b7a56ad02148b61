use std::sync::{Arc, Weak};
use std::time::Duration;

use super::{Model, Models, Section};
use crate::embed::{Embedder, name_embeds};
use crate::openai::{Listed, OpenAi};

/// The first pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// How often a list that was obtained is looked at again.
const REFRESH: Duration = Duration::from_secs(3_600);
/// How long a server may take for its list.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a provider that was configured without models for its list, again and again.
pub(super) async fn run(models: Weak<Models>, rank: u32, openai: Arc<OpenAi>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let wait = match openai.list(PATIENCE).await {
            Ok(listed) => {
                let Some(models) = models.upgrade() else {
                    return;
                };
                models.put(section(rank, &openai, listed));
                pause = FIRST_PAUSE;
                REFRESH
            }
            Err(error) => {
                let provider = openai.name();
                if pause == FIRST_PAUSE {
                    tracing::warn!(provider, %error, "a provider did not tell its models");
                } else {
                    tracing::debug!(provider, %error, "it still does not");
                }
                let wait = pause;
                pause = (pause * 2).min(LONGEST_PAUSE);
                wait
            }
        };
        tokio::time::sleep(wait).await;
        if models.strong_count() == 0 {
            return;
        }
    }
}

/// The chat and embedding models of a list. An empty list tells nothing, so any name is still tried then.
pub(super) fn section(rank: u32, openai: &Arc<OpenAi>, listed: Vec<Listed>) -> Section {
    let mut section = Section::new(rank, openai.name());
    section.any = listed.is_empty().then(|| Arc::clone(openai));
    let embeds = listed.iter().filter(|model| name_embeds(&model.id));
    section.embedders = embeds.map(|model| Arc::new(Embedder::served(openai, &model.id))).collect();
    let chat = listed.into_iter().filter(|model| answers(&model.id));
    section.models = chat.map(|model| Arc::new(Model::listed(openai, model))).collect();
    section
}

/// Whether a model of this name may answer a chat. Lists name no purposes, so the names of the
/// common kinds that cannot are left out; whoever needs one of them configures it.
fn answers(id: &str) -> bool {
    const OTHERS: [&str; 13] = [
        "whisper",
        "tts",
        "dall-e",
        "moderation",
        "transcribe",
        "realtime",
        "gpt-image",
        "sora",
        "rerank",
        "davinci-002",
        "babbage-002",
        "bge-",
        "stable-diffusion",
    ];
    let id = id.to_ascii_lowercase();
    !name_embeds(&id) && !OTHERS.iter().any(|other| id.contains(other))
}

#[cfg(test)]
mod tests {
    use super::answers;

    #[test]
    fn models_that_cannot_chat_are_left_out() {
        for id in ["gpt-4o", "llama3.2:latest", "Qwen/Qwen3-8B", "o3"] {
            assert!(answers(id), "{id}");
        }
        for id in ["text-embedding-3-small", "nomic-embed-text", "whisper-1", "gpt-4o-mini-tts"] {
            assert!(!answers(id), "{id}");
        }
    }
}
