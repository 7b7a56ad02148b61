//! Vectors of data items.

use assist::data::{self, Change, Embedding};
use assist::library::Vectors;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use knowledge::Quantized;
use providers::EmbedPurpose;
use serde_json::{Map, Value};
use storage::accounting;
use storage::records::{DataItem, UsageRecord};
use storage::{Reader, Row, Timestamp, Tx};
use uuid::Uuid;

use crate::App;
use crate::http::{Api, Caller};

/// Maximum number of characters of an item's text that are embedded: models accept some thousand tokens.
const EMBEDDED: usize = 8_000;

/// Size of an item's text, in bytes, beyond which nothing is added.
const MAX_TEXT_BYTES: usize = 4 * data::MAX_BYTES;

/// Returns the text of an item: one line per value, with the path to the value. The search by words uses the whole text, and its beginning
/// is embedded.
pub fn text_of(data: &Map<String, Value>) -> String {
    // An item can be constructed so that the paths to its values are a thousand times as long as the item itself.
    let mut text = String::new();
    for (name, value) in data {
        write(&mut text, name, value);
    }
    text
}

fn write(text: &mut String, way: &str, value: &Value) {
    if text.len() > MAX_TEXT_BYTES {
        return;
    }
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| write(text, &format!("{way} {name}"), value));
        }
        Value::Array(values) => values.iter().for_each(|value| write(text, way, value)),
        Value::String(word) => text.push_str(&format!("{way}: {word}\n")),
        other => text.push_str(&format!("{way}: {other}\n")),
    }
}

/// Embeds texts of items. Returns `None` if that fails: writes do not wait for a provider, and the items can be found by words until they
/// have a vector.
pub async fn embed(app: &App, caller: &Caller, texts: Vec<String>) -> Option<Vectors> {
    let texts: Vec<String> = texts.iter().map(|text| text.chars().take(EMBEDDED).collect()).collect();
    if texts.is_empty() {
        return None;
    }
    let vectors = async {
        let model = app.run_context.library.default_embedder(caller.tenant, caller.user).await?;
        let who = (caller.tenant, caller.user);
        app.run_context.library.embed(who, &model, texts, EmbedPurpose::Document).await
    };
    vectors.await.inspect_err(|why| tracing::warn!(%why, "data items are stored without vectors")).ok()
}

/// Encodes a vector in the form in which an item stores it.
pub fn embedding(model: &str, vector: &[f32]) -> Embedding {
    let mut bytes = Vec::with_capacity(vector.len() + 4);
    Quantized::new(vector).write(&mut bytes);
    Embedding { model: model.to_owned(), vector: STANDARD.encode(bytes) }
}

/// Similarity of an item to a query, from -1 to 1. Returns `None` if the item has no vector of this model.
pub fn nearness(item: &DataItem, model: &str, question: &Quantized) -> Option<f32> {
    if item.embedding_model.as_deref() != Some(model) {
        return None;
    }
    let bytes = STANDARD.decode(item.vector.as_ref()?).ok()?;
    let vector = Quantized::read(&bytes, question.values.len())?.pop()?;
    let products = vector.values.iter().zip(&question.values).map(|(a, b)| i32::from(*a) * i32::from(*b));
    Some(products.sum::<i32>() as f32 * vector.scale * question.scale)
}

/// Changes to items, with the vectors of the changed items.
pub struct PreparedVectors {
    changes: Vec<(Uuid, Change)>,
    /// For each change, the item's version from which the vector was computed, and the vector.
    vectors: Vec<Option<(u64, Embedding)>>,
    /// Usage and cost of the embeddings.
    pub spent: Option<Vectors>,
}

impl PreparedVectors {
    /// Computes the vectors that the changes require: for items whose object changes, and for items without a vector of the current model.
    pub async fn make(
        app: &App,
        caller: &Caller,
        assistant: Uuid,
        changes: Vec<(Uuid, Change)>,
    ) -> Api<Self> {
        let tenant = caller.tenant;
        let model = app.run_context.library.default_embedder(tenant, caller.user).await?;
        let look = move |reader: &Reader| -> Api<_> {
            let mut texts = Vec::new();
            for (id, change) in &changes {
                let row = data::get(reader, tenant, assistant, *id)?;
                texts.push(row.and_then(|row| Some((row.version, wanted(&row, change, &model)?))));
            }
            Ok((changes, texts))
        };
        let (changes, texts) = app.store.read(look).await?;
        let spent = embed(app, caller, texts.iter().flatten().map(|(_, text)| text.clone()).collect()).await;
        let mut embeddings = spent
            .iter()
            .flat_map(|embeddings| embeddings.vectors.iter().map(|it| embedding(&embeddings.model, it)));
        let vectors = texts.iter().map(|text| Some((text.as_ref()?.0, embeddings.next()?))).collect();
        Ok(Self { changes, vectors, spent })
    }

    /// Returns the changes with their vectors. A vector is dropped if the item has changed since the vector was computed.
    pub fn changes(
        &self,
        reader: &Reader,
        caller: &Caller,
        assistant: Uuid,
    ) -> storage::Result<Vec<(Uuid, Change)>> {
        let mut changes = self.changes.clone();
        for ((id, change), vector) in changes.iter_mut().zip(&self.vectors) {
            let Some((version, vector)) = vector else { continue };
            let row = data::get(reader, caller.tenant, assistant, *id)?;
            if row.is_some_and(|row| row.version == *version) {
                change.embedding = Some(vector.clone());
            }
        }
        Ok(changes)
    }
}

/// Returns the text to embed for a change, if the change requires a new vector.
fn wanted(row: &Row<DataItem>, change: &Change, model: &str) -> Option<String> {
    let mut after = row.data.clone();
    match &change.data {
        Some(new) if change.merge => data::merge(&mut after, new),
        Some(new) => after = new.clone(),
        None => {}
    }
    let has = row.embedding_model.as_deref() == Some(model) && row.vector.is_some();
    (after != row.data || !has).then(|| text_of(&after).chars().take(EMBEDDED).collect())
}

/// Records the usage and cost of embeddings.
pub fn bill(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    assistant: Uuid,
    spent: Option<&Vectors>,
) -> storage::Result<()> {
    let Some(spent) = spent else { return Ok(()) };
    let provider = app.models.find_embedder(&spent.model).map(|model| model.info.provider.clone());
    let record = UsageRecord {
        ts: Timestamp::now(),
        user: caller.user,
        assistant_id: Some(assistant),
        model: spent.model.clone(),
        provider: provider.unwrap_or_default(),
        kind: "embedding".to_owned(),
        usage: spent.usage,
        cost_nanos: i64::try_from(spent.cost_nanos).unwrap_or(i64::MAX),
        billable: true,
        estimated: spent.estimated,
        token_id: caller.token_id,
        ..UsageRecord::default()
    };
    accounting::book(tx, caller.tenant, record)
}
