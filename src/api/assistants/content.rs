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

/// Characters of a title that is made of the text.
const TITLE: usize = 80;

/// A text for an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddAssistantContentRequest {
    /// The text; Markdown keeps its headings, lists and tables.
    #[schema(min_length = 1, max_length = 1_000_000)]
    pub content: String,
    /// What it is called; else as it begins.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// What people keep with it.
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

/// A text that an assistant got.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantMessageResponse {
    /// In words.
    pub message: String,
    pub document: AddedDocument,
}

/// Give a text to an assistant.
///
/// Its answers rest on it, as on a file. The same text again is the same document.
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
    Ok(Created(AssistantMessageResponse { message: "the text is kept".to_owned(), document }))
}

/// The first line with anything in it, without the marks of a heading.
fn beginning(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim_start_matches(['#', ' ', '\t']).trim());
    let first = lines.find(|line| !line.is_empty()).unwrap_or("text");
    first.chars().filter(|char| !char.is_control()).take(TITLE).collect()
}

operations!(add_assistant_content);

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_text_is_called_as_it_begins() {
        assert_eq!(beginning("\n## Opening hours\nFrom nine."), "Opening hours");
        assert_eq!(beginning(&"ä".repeat(200)).chars().count(), 80);
        assert_eq!(beginning("#\n \n"), "text");
    }
}
