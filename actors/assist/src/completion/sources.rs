//! The sources of an answer: passages of documents, numbered as the answer cites them.

use providers::{ChatRequest, Content};
use runs::{EventBody, EventData};
use storage::records::{Part, Source};
use uuid::Uuid;

use super::transcript::Transcript;
use crate::library::{Search, SearchMode, SearchResult, Vectors, bases_of, closed_to};
use crate::run_context::RunWork;

/// Maximum number of passages for one answer.
const PASSAGES: usize = 6;
/// A question with fewer words is searched together with the previous question.
const SHORT: usize = 4;
/// Divisor for the share of a model's window that passages may use, and characters per token.
const SHARE: u64 = 3;
const CHARS: u64 = 4;
/// Instructions for models about citing passages.
const HOW_TO_CITE: &str = "The files whose names begin with a number in brackets are passages of documents that were \
                           found for this question. Where they answer it, answer from them and cite each as its \
                           number, like [1]. Where they do not, say that the documents do not answer it.";

/// The passages for an answer, and the usage of finding them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub passages: Vec<Source>,
    /// Whether their events were already written before a crash.
    pub written: bool,
    pub spent: Vec<EventData>,
    /// Number of the assistant's knowledge bases that the user may not read, if no event has reported it yet.
    pub closed: u32,
}

impl Sources {
    /// Removes passages that would exceed their share of a model's window.
    pub fn limit(&mut self, window: Option<u64>) {
        let mut room = window.map_or(u64::MAX, |tokens| tokens / SHARE * CHARS);
        self.passages.retain(|source| {
            let length = chars(source);
            let fits = length <= room;
            room = room.saturating_sub(if fits { length } else { 0 });
            fits
        });
    }

    /// Total number of characters of the passages.
    pub fn chars(&self) -> u64 {
        self.passages.iter().map(chars).sum()
    }

    /// The events that are not written yet.
    pub fn events(&self) -> Vec<EventBody> {
        let closed = (self.closed > 0).then_some(EventData::KnowledgeClosed { count: self.closed });
        let unwritten = self.passages.iter().filter(|_| !self.written).cloned().map(EventData::Source);
        closed.into_iter().chain(unwritten).chain(self.spent.iter().cloned()).map(Into::into).collect()
    }
}

/// Finds passages for a question. After a crash, returns the passages that were found before.
pub(super) async fn find(
    work: &RunWork,
    so_far: &Transcript,
    questions: &[String],
    more: &[Uuid],
) -> Sources {
    let before: Vec<Source> = so_far.parts.iter().filter_map(passage).collect();
    if !before.is_empty() {
        return Sources { passages: before, written: true, ..Sources::default() };
    }
    let Some(query) = query(questions) else { return Sources::default() };
    let (tenant, user, assistant) = (work.tenant, work.run.user, work.run.assistant_id);
    let known = work.store.read_now(|reader| {
        Ok((bases_of(reader, tenant, user, assistant, more)?, closed_to(reader, tenant, user, assistant)?))
    });
    let (bases, closed) = known.unwrap_or_else(|why: storage::Error| {
        tracing::warn!(run = %work.run.id, %why, "answering without documents");
        (Vec::new(), 0)
    });
    let announced = work.history.iter().any(|event| &*event.kind == "knowledge.closed");
    let closed = if announced { 0 } else { closed };
    let nothing = Sources { closed, ..Sources::default() };
    if bases.is_empty() {
        return nothing;
    }
    let search = Search { tenant, user, bases, query, limit: PASSAGES, mode: SearchMode::Hybrid };
    match work.run_context.library.search(search).await {
        Ok(SearchResult { passages, spent, .. }) => {
            let passages = passages.into_iter().map(|passage| passage.source).collect();
            Sources { passages, spent: spent.iter().filter_map(Vectors::bill).collect(), ..nothing }
        }
        Err(why) => {
            tracing::warn!(run = %work.run.id, %why, "answering without documents");
            nothing
        }
    }
}

/// The search query: the question, preceded by the previous question if it is short ("and in winter?").
fn query(questions: &[String]) -> Option<String> {
    let (last, before) = questions.split_last()?;
    let short = last.split_whitespace().count() < SHORT;
    let query = match before.last().filter(|_| short) {
        Some(before) => format!("{before}\n{last}"),
        None => last.clone(),
    };
    Some(query).filter(|query| !query.trim().is_empty())
}

/// A passage among the parts of an answer. Pages that a provider cited have no place and are not passages.
fn passage(part: &Part) -> Option<Source> {
    match part {
        Part::Source(source) if source.place.is_some() => Some(source.clone()),
        _ => None,
    }
}

fn chars(passage: &Source) -> u64 {
    passage.snippet.iter().map(|text| text.chars().count() as u64).sum()
}

/// Converts a passage to the form that the model reads.
fn content(passage: &Source) -> Content {
    let title = passage.title.as_deref().unwrap_or_default();
    let place = passage.place.clone().unwrap_or_default();
    // A document with one page is cited without a page number.
    let has_pages = place.page.is_some_and(|page| page > 1) || title.to_lowercase().ends_with(".pdf");
    let mut filename = format!("[{}] {title}", place.number);
    if let Some(page) = place.page.filter(|_| has_pages) {
        filename.push_str(&format!(", page {page}"));
    }
    if !place.headings.is_empty() {
        filename.push_str(&format!(" ({})", place.headings.join(" > ")));
    }
    let text = passage.snippet.clone().unwrap_or_default();
    Content::File { filename, media_type: "text/markdown".into(), text }
}

/// Adds the passages to the question, and the citation instructions to the system prompt.
pub(super) fn add_to_request(request: &mut ChatRequest, sources: &Sources) {
    if sources.passages.is_empty() {
        return;
    }
    let messages = &mut request.messages;
    let question = messages.iter().rposition(|message| message.role == providers::Role::User);
    if let Some(question) = question {
        let contents = sources.passages.iter().map(content);
        messages[question].content.splice(0..0, contents);
    }
    match messages.first_mut().filter(|first| first.role == providers::Role::System) {
        Some(first) => first.content.push(Content::Text(format!("\n\n{HOW_TO_CITE}"))),
        None => messages.insert(0, providers::ChatMessage::text(providers::Role::System, HOW_TO_CITE)),
    }
}
