//! The model list: `GET /models`.

use serde::Deserialize;

use crate::chat::ProviderError;
use crate::upstream::{Ask, Line, ModelListing};

/// Maximum size of a page in bytes.
const PAGE: usize = 8 << 20;
/// Maximum number of pages, with up to a thousand models each.
const PAGES: usize = 10;

/// Returns the chat and embedding models of the server, in its order.
pub(crate) async fn list(line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
    let (mut all, mut token) = (Vec::new(), None::<String>);
    for _ in 0..PAGES {
        let mut url = line.url("models");
        url.query_pairs_mut().append_pair("pageSize", "1000");
        if let Some(token) = &token {
            url.query_pairs_mut().append_pair("pageToken", token);
        }
        let body = line.ask(Ask::get(url).once().unguarded()).await?.whole(PAGE).await?;
        let page: Page = serde_json::from_slice(&body).map_err(|_| line.rubbish(&body))?;
        all.extend(page.models.into_iter().filter_map(Entry::listed));
        token = page.next_page_token.filter(|token| !token.is_empty());
        if token.is_none() {
            break;
        }
    }
    Ok(all)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    models: Vec<Entry>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    input_token_limit: Option<u64>,
    #[serde(default)]
    output_token_limit: Option<u64>,
    #[serde(default)]
    supported_generation_methods: Vec<String>,
}

impl Entry {
    fn listed(self) -> Option<ModelListing> {
        let can = |method: &str| self.supported_generation_methods.iter().any(|one| one == method);
        let id = self.name.strip_prefix("models/").unwrap_or(&self.name).to_owned();
        let embeds = can("embedContent") || can("batchEmbedContents");
        if !embeds && !can("generateContent") {
            return None;
        }
        Some(ModelListing {
            name: self.display_name,
            context_window: self.input_token_limit,
            max_output_tokens: self.output_token_limit,
            tags: if embeds { vec!["embedding".to_owned()] } else { Vec::new() },
            ..ModelListing::id(id)
        })
    }
}
