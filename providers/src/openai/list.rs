//! `GET /models`.

use serde::Deserialize;

use crate::chat::ProviderError;
use crate::models::Listed;
use crate::upstream::{Ask, Line};

/// What is read of a list of models, in bytes.
const LIST: usize = 8 << 20;

/// The models the server lists, in its order.
pub(crate) async fn list(line: &Line) -> Result<Vec<Listed>, ProviderError> {
    let body = line.ask(Ask::get(line.url("models")).once().unguarded()).await?.whole(LIST).await?;
    let list: List = serde_json::from_slice(&body).map_err(|_| line.rubbish(&body))?;
    Ok(list.data.into_iter().flatten().filter(|m| !m.id.is_empty()).map(Listed::from).collect())
}

/// Servers without any model write null.
#[derive(Deserialize)]
struct List {
    data: Option<Vec<Entry>>,
}

/// A model, with the names under which servers tell the size of its context.
#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    max_model_len: Option<u64>,
    #[serde(default)]
    context_length: Option<u64>,
    #[serde(default)]
    context_window: Option<u64>,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let context = entry.max_model_len.or(entry.context_length).or(entry.context_window);
        Self { context_window: context, ..Self::id(entry.id) }
    }
}
