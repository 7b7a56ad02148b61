//! Image generation: the `/images/generations` endpoint.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use crate::chat::{ProviderError, ProviderErrorKind, Usage};
use crate::media::image::{GeneratedImage, ImageModel, ImageRequest};
use crate::upstream::{Ask, Host, Line};

/// Maximum size of a response in bytes: an image in base64 and some metadata.
const MAX_BYTES: usize = 48 << 20;
/// Models that support only three sizes: square, landscape and portrait.
const THREE_SIZES: [(&str, [&str; 3]); 2] = [
    ("gpt-image", ["1024x1024", "1536x1024", "1024x1536"]),
    ("dall-e-3", ["1024x1024", "1792x1024", "1024x1792"]),
];

/// Returns the image model of a server with this id.
pub(crate) fn image(host: &Arc<Host>, id: &str) -> Arc<dyn ImageModel> {
    let sizes = THREE_SIZES.iter().find(|(name, _)| id.contains(name)).map(|(_, sizes)| *sizes);
    // These models always return the image itself and reject `response_format`.
    let plain = id.contains("gpt-image");
    Arc::new(OpenAiImage { host: host.clone(), sizes, plain })
}

struct OpenAiImage {
    host: Arc<Host>,
    sizes: Option<[&'static str; 3]>,
    plain: bool,
}

#[async_trait]
impl ImageModel for OpenAiImage {
    async fn draw(&self, request: ImageRequest) -> Result<GeneratedImage, ProviderError> {
        let line = self.host.line(&request.keys)?;
        match self.generate(&line, &request, self.plain).await {
            Err(error) if !self.plain && dislikes_the_form(&error) => {
                self.generate(&line, &request, true).await
            }
            drawn => drawn,
        }
    }
}

fn dislikes_the_form(error: &ProviderError) -> bool {
    let refused = matches!(error.kind, ProviderErrorKind::Refused | ProviderErrorKind::Status(400..=499));
    refused && error.message.contains("response_format")
}

impl OpenAiImage {
    async fn generate(
        &self,
        line: &Line,
        request: &ImageRequest,
        plain: bool,
    ) -> Result<GeneratedImage, ProviderError> {
        let mut body = json!({
            "model": request.model, "prompt": request.prompt, "n": 1, "size": self.size(request.size),
        });
        if !plain {
            body["response_format"] = json!("b64_json");
        }
        let ask = Ask::json(line.url("images/generations"), &request.model, body.to_string());
        let whole = line.ask(ask).await?.whole(MAX_BYTES).await?;
        let answer: Value = serde_json::from_slice(&whole).map_err(|_| line.rubbish(&whole))?;
        let Some(first) = answer["data"].get(0) else {
            return Err(line.cleaned(line.reported(&whole)));
        };
        // If the response contains only a URL, it is not fetched, since it may point anywhere.
        let data = first["b64_json"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
        let drawn = data.and_then(|data| Some((media_type(&data)?, data)));
        let Some((media_type, data)) = drawn else {
            let text = format!("{} sent no image, or one that is not PNG, JPEG or WebP", line.name());
            return Err(ProviderError::protocol(text));
        };
        let count = |name: &str| answer["usage"][name].as_u64();
        let usage = count("input_tokens").zip(count("output_tokens"));
        let usage = usage.map(|(input_tokens, output_tokens)| Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        });
        Ok(GeneratedImage { media_type: media_type.to_owned(), data: Bytes::from(data), usage })
    }

    fn size(&self, (width, height): (u32, u32)) -> String {
        match self.sizes {
            Some([square, ..]) if width == height => square.to_owned(),
            Some([_, wide, _]) if width > height => wide.to_owned(),
            Some([.., high]) => high.to_owned(),
            None => format!("{width}x{height}"),
        }
    }
}

fn media_type(data: &[u8]) -> Option<&'static str> {
    match data {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
