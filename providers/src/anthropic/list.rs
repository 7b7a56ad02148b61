//! The model list: `GET /models`.

use serde::Deserialize;

use crate::chat::ProviderError;
use crate::upstream::{Ask, Line, ModelListing};

/// Maximum size of a page in bytes.
const PAGE: usize = 8 << 20;
/// Maximum number of pages, with a thousand models each.
const PAGES: usize = 10;

/// Returns the models of the server, in its order.
pub(crate) async fn list(line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
    let (mut all, mut after) = (Vec::new(), None::<String>);
    for _ in 0..PAGES {
        let mut url = line.url("models");
        url.query_pairs_mut().append_pair("limit", "1000");
        if let Some(after) = &after {
            url.query_pairs_mut().append_pair("after_id", after);
        }
        let body = line.ask(Ask::get(url).once().unguarded()).await?.whole(PAGE).await?;
        let page: Page = serde_json::from_slice(&body).map_err(|_| line.rubbish(&body))?;
        all.extend(page.data.into_iter().map(ModelListing::from));
        after = page.last_id.filter(|_| page.has_more);
        if after.is_none() {
            break;
        }
    }
    Ok(all)
}

#[derive(Deserialize)]
struct Page {
    data: Vec<Entry>,
    #[serde(default)]
    has_more: bool,
    #[serde(default)]
    last_id: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    max_input_tokens: Option<u64>,
    #[serde(default)]
    max_tokens: Option<u64>,
}

impl From<Entry> for ModelListing {
    fn from(entry: Entry) -> Self {
        let Entry { id, display_name, max_input_tokens, max_tokens } = entry;
        Self {
            name: display_name,
            context_window: max_input_tokens,
            max_output_tokens: max_tokens,
            ..Self::id(id)
        }
    }
}
