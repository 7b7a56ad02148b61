//! Texts of an assistant's own knowledge.

use actix_web::web::Data;
use jobs::ingest::DocumentTarget;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::knowledge::Changeable;
use crate::App;
use crate::api::knowledge_bases::add::Adding;
use crate::api::knowledge_bases::documents::AddedDocument;
use crate::api::knowledge_bases::schema::Waiting;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, Created, Faults, Json, Loaded, Query, Validate, operations};

/// Maximum number of characters of a title that is derived from the text.
const TITLE: usize = 80;

/// A text to add to an assistant's knowledge.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddAssistantContentRequest {
    /// The text. Headings, lists and tables in Markdown are preserved.
    #[schema(min_length = 1, max_length = 1_000_000)]
    pub content: String,
    /// Title of the text. Defaults to the beginning of the text.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// Description for people who manage the assistant's knowledge.
    #[schema(max_length = 2000)]
    pub description: Option<String>,
}

impl Validate for AddAssistantContentRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        if self.content.trim().is_empty() {
            faults.add(["content"], "is empty", "too_short");
        }
        faults.name("title", self.title.as_deref().unwrap_or_default().trim());
    }
}

/// Confirmation that a text was added.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantMessageResponse {
    /// Confirmation in words.
    pub message: String,
    pub document: AddedDocument,
}

/// Add a text to an assistant.
///
/// The assistant's answers can use the text, as they can use a file. Adding the same text again returns the same document.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/content", params(Waiting))]
async fn add_assistant_content(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Query(waiting): Query<Waiting>,
    Json(new): Json<AddAssistantContentRequest>,
) -> Api<Created<AssistantMessageResponse>> {
    let (caller, home) = (assistant.auth.caller(), DocumentTarget::Assistant(assistant.it.0.id));
    let title = new.title.unwrap_or_else(|| beginning(&new.content));
    let adding = Adding { app: &app, caller: &caller, home, waiting };
    let document = adding.text(&title, new.description.unwrap_or_default(), new.content).await?;
    Ok(Created(AssistantMessageResponse { message: "the text was added".to_owned(), document }))
}

/// Returns the first line that is not empty, without heading markers.
pub fn beginning(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim_start_matches(['#', ' ', '\t']).trim());
    let first = lines.find(|line| !line.is_empty()).unwrap_or("text");
    first.chars().filter(|char| !char.is_control()).take(TITLE).collect()
}

operations!(add_assistant_content);
