//! What an answer rests on: passages of documents, numbered as the answer cites them.

use providers::{ChatRequest, Content};
use runs::{EventBody, EventData};
use storage::records::{Part, SourcePlace};
use uuid::Uuid;

use super::transcript::Transcript;
use crate::library::{FoundPassage, Search, SearchMode, SearchResult, Vectors, bases_of, closed_to};
use crate::run_context::RunWork;

/// Passages that one answer is given.
const PASSAGES: usize = 6;
/// A question with fewer words is looked for together with the one before it.
const SHORT: usize = 4;
/// The share of a model's window that passages may take, and characters of a token.
const SHARE: u64 = 3;
const CHARS: u64 = 4;
/// What models are told of passages.
const HOW_TO_CITE: &str = "The files whose names begin with a number in brackets are passages of documents that were \
                           found for this question. Where they answer it, answer from them and cite each as its \
                           number, like [1]. Where they do not, say that the documents do not answer it.";

/// A passage on its way to the model and to readers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    pub document_id: Option<Uuid>,
    pub url: Option<String>,
    pub title: String,
    pub text: String,
    pub place: SourcePlace,
}

/// Passages for an answer, with what finding them took.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub found: Vec<Source>,
    /// Whether readers have been told already, before a crash.
    pub told: bool,
    pub spent: Vec<EventData>,
    /// How many of the assistant's knowledge bases the asker may not read, where that is still to be told.
    pub closed: u32,
}

impl Sources {
    /// Leaves out those that would take more than their share of a model's window.
    pub fn limit(&mut self, window: Option<u64>) {
        let mut room = window.map_or(u64::MAX, |tokens| tokens / SHARE * CHARS);
        self.found.retain(|source| {
            let length = source.chars();
            let fits = length <= room;
            room = room.saturating_sub(if fits { length } else { 0 });
            fits
        });
    }

    /// How many characters they take.
    pub fn chars(&self) -> u64 {
        self.found.iter().map(Source::chars).sum()
    }

    /// What readers have not been told of yet.
    pub fn events(&self) -> Vec<EventBody> {
        let closed = (self.closed > 0).then_some(EventData::KnowledgeClosed { count: self.closed });
        let found = self.found.iter().filter(|_| !self.told).map(Source::event);
        closed.into_iter().chain(found).chain(self.spent.iter().cloned()).map(Into::into).collect()
    }
}

/// Finds passages for a question; after a crash, those that were found before it.
pub(super) async fn find(
    work: &RunWork,
    so_far: &Transcript,
    questions: &[String],
    more: &[Uuid],
) -> Sources {
    let before: Vec<Source> = so_far.parts.iter().filter_map(source_of).collect();
    if !before.is_empty() {
        return Sources { found: before, told: true, ..Sources::default() };
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
    let told_before = work.history.iter().any(|event| &*event.kind == "knowledge.closed");
    let closed = if told_before { 0 } else { closed };
    let nothing = Sources { closed, ..Sources::default() };
    if bases.is_empty() {
        return nothing;
    }
    let search = Search { tenant, user, bases, query, limit: PASSAGES, mode: SearchMode::Hybrid };
    match work.run_context.library.search(search).await {
        Ok(SearchResult { passages, spent, .. }) => {
            let found = (1..).zip(passages).map(|(number, passage)| source(number, passage)).collect();
            Sources { found, spent: spent.iter().filter_map(Vectors::bill).collect(), ..nothing }
        }
        Err(why) => {
            tracing::warn!(run = %work.run.id, %why, "answering without documents");
            nothing
        }
    }
}

/// What is looked for: the question, and the one before it where it is short ("and in winter?").
fn query(questions: &[String]) -> Option<String> {
    let (last, before) = questions.split_last()?;
    let short = last.split_whitespace().count() < SHORT;
    let query = match before.last().filter(|_| short) {
        Some(before) => format!("{before}\n{last}"),
        None => last.clone(),
    };
    Some(query).filter(|query| !query.trim().is_empty())
}

fn source(number: u32, passage: FoundPassage) -> Source {
    Source {
        document_id: Some(passage.document),
        url: passage.url,
        title: passage.title,
        text: passage.text,
        place: SourcePlace {
            number,
            knowledge_base_id: passage.base,
            page: passage.page,
            start: passage.start,
            end: passage.end,
            headings: passage.headings,
        },
    }
}

fn source_of(part: &Part) -> Option<Source> {
    match part {
        Part::Source { url, document_id, title, snippet, place: Some(place) } => Some(Source {
            document_id: *document_id,
            url: url.clone(),
            title: title.clone().unwrap_or_default(),
            text: snippet.clone().unwrap_or_default(),
            place: place.clone(),
        }),
        _ => None,
    }
}

impl Source {
    /// As readers are told of it.
    pub fn event(&self) -> EventData {
        EventData::Source {
            url: self.url.clone(),
            document_id: self.document_id,
            title: Some(self.title.clone()),
            snippet: Some(self.text.clone()),
            place: Some(self.place.clone()),
        }
    }

    fn chars(&self) -> u64 {
        self.text.chars().count() as u64
    }

    /// As the model reads it.
    fn content(&self) -> Content {
        let mut filename = format!("[{}] {}", self.place.number, self.title);
        if let Some(page) = self.place.page.filter(|_| self.has_pages()) {
            filename.push_str(&format!(", page {page}"));
        }
        if !self.place.headings.is_empty() {
            filename.push_str(&format!(" ({})", self.place.headings.join(" > ")));
        }
        Content::File { filename, media_type: "text/markdown".into(), text: self.text.clone() }
    }

    /// A document of one page is cited without it.
    fn has_pages(&self) -> bool {
        self.place.page.is_some_and(|page| page > 1) || self.title.to_lowercase().ends_with(".pdf")
    }
}

/// Puts the passages beside the question.
pub(super) fn put_in(request: &mut ChatRequest, sources: &Sources) {
    if sources.found.is_empty() {
        return;
    }
    let messages = &mut request.messages;
    let asked = messages.iter().rposition(|message| message.role == providers::Role::User);
    if let Some(asked) = asked {
        let contents = sources.found.iter().map(Source::content);
        messages[asked].content.splice(0..0, contents);
    }
    match messages.first_mut().filter(|first| first.role == providers::Role::System) {
        Some(first) => first.content.push(Content::Text(format!("\n\n{HOW_TO_CITE}"))),
        None => messages.insert(0, providers::ChatMessage::text(providers::Role::System, HOW_TO_CITE)),
    }
}
