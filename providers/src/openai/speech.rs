//! Speech: the `/audio/speech` endpoint.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use crate::chat::ProviderError;
use crate::media::speech::{AudioFormat, AudioStream, SpeechModel, SpeechRequest};
use crate::upstream::{Ask, Host};

/// Maximum size in bytes of an error response.
const WORDS: usize = 64 << 10;
/// The default voice; compatible servers of other vendors support this name too.
const DEFAULT_VOICE: &str = "alloy";
/// The documented voices of `api.openai.com`; the last four only work with its newer models.
const VOICES: [&str; 13] = [
    "alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "ballad", "verse", "marin",
    "cedar",
];
const VOICES_OF_ALL: usize = 9;

/// Returns the speech model of a server with this id.
pub(crate) fn speech(host: &Arc<Host>, id: &str) -> Arc<dyn SpeechModel> {
    let voices = match (host.is_openai(), id.starts_with("tts-1")) {
        (true, true) => &VOICES[..VOICES_OF_ALL],
        (true, false) => &VOICES[..],
        (false, _) => &[],
    };
    Arc::new(OpenAiSpeech { host: host.clone(), voices })
}

struct OpenAiSpeech {
    host: Arc<Host>,
    voices: &'static [&'static str],
}

#[async_trait]
impl SpeechModel for OpenAiSpeech {
    fn formats(&self) -> &[AudioFormat] {
        &AudioFormat::ALL
    }

    fn voices(&self) -> &[&'static str] {
        self.voices
    }

    async fn speak(&self, request: SpeechRequest) -> Result<AudioStream, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let mut body = json!({
            "model": request.model,
            "input": request.text,
            "voice": request.voice.as_deref().unwrap_or(DEFAULT_VOICE),
            "response_format": request.format.name(),
        });
        // The default values are omitted, since servers without these parameters would reject them.
        if request.speed != 1.0 {
            body["speed"] = json!(request.speed);
        }
        if let Some(instructions) = &request.instructions {
            body["instructions"] = json!(instructions);
        }
        let reply = line.ask(Ask::json(line.url("audio/speech"), &request.model, body.to_string())).await?;
        if reply.kind.starts_with("application/json") {
            let error_body = reply.whole(WORDS).await?;
            return Err(line.cleaned(line.reported(&error_body)));
        }
        if reply.first.is_empty() {
            return Err(ProviderError::protocol(format!("{} sent no sound", line.name())));
        }
        Ok(Box::pin(reply.pieces()))
    }
}
