//! Composes the answer as a list of paragraphs.

use serde_json::Value;

use super::material::{Material, Sentence};
use super::rank::search;
use crate::chat::ChatMessage;

/// Maximum length of a quoted sentence in words; longer sentences are cut.
const MAX_SENTENCE_WORDS: usize = 60;
/// Maximum length of a quoted tool result in characters.
const RESULT: usize = 2_000;

const SELF_DESCRIPTION: &str = "This is Scribe, the built-in model: it does not think, it quotes.";

/// An answer that can be extended to any length.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) paragraphs: Vec<String>,
    /// Paragraphs that are repeated at the end if a longer answer is requested. Never without a word.
    pub(super) more: Vec<String>,
}

/// Composes the answer to a conversation. `note` precedes everything else; `long` means that more than the answer
/// itself may be needed.
pub(super) fn compose(messages: &[ChatMessage], note: Option<&str>, long: bool) -> Text {
    let material = Material::new(messages);
    let mut paragraphs: Vec<String> = note.map(str::to_owned).into_iter().collect();
    if !material.results.is_empty() {
        paragraphs.extend(results(&material));
    } else if material.sentences.is_empty() {
        paragraphs.push(nothing(&material.question));
    } else {
        paragraphs.extend(quotes(&material));
    }
    let more = if long { everything(&material, &paragraphs) } else { Vec::new() };
    Text { paragraphs, more }
}

fn results(material: &Material<'_>) -> Vec<String> {
    let shown = material.results.iter().map(|(name, text)| {
        let shown = plain(text);
        if shown.is_empty() { format!("{name} answered nothing.") } else { format!("{name}: {shown}") }
    });
    shown.chain([SELF_DESCRIPTION.to_owned()]).collect()
}

/// Formats a tool result for readers: the fields of a flat object, or the text unchanged.
fn plain(text: &str) -> String {
    let field = |(key, value): (&String, &Value)| match value {
        Value::Object(_) | Value::Array(_) => None,
        Value::String(text) => Some(format!("{key} {text}")),
        value => Some(format!("{key} {value}")),
    };
    let shown = match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => {
            let all: Option<Vec<String>> = fields.iter().map(field).collect();
            all.map_or_else(|| text.trim().to_owned(), |all| all.join(", "))
        }
        Ok(Value::String(text)) => text.trim().to_owned(),
        _ => text.trim().to_owned(),
    };
    match shown.char_indices().nth(RESULT) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

fn nothing(question: &str) -> String {
    let advice = "Attach a file or paste a text with your question and it will look up what fits \
                  best; for a model that thinks, configure a provider.";
    if question.is_empty() {
        return format!("{SELF_DESCRIPTION} Nothing came with your message. {advice}");
    }
    let question = cut(question);
    format!("{SELF_DESCRIPTION} Nothing came with your question, “{question}” {advice}")
}

fn quotes(material: &Material<'_>) -> Vec<String> {
    let found = search(material);
    let lead = if found.fits {
        format!("{SELF_DESCRIPTION} Closest to your question:")
    } else {
        format!(
            "{SELF_DESCRIPTION} Nothing here shares a word with your question; this is what it is mostly \
             about:"
        )
    };
    let mut paragraphs = vec![lead];
    let mut rest = &found.best[..];
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|s| s.source == first.source).count();
        let quoted: Vec<String> = rest[..same].iter().map(|s| cut(s.text)).collect();
        paragraphs.push(format!("{}: “{}”", material.sources[first.source], quoted.join(" ")));
        rest = &rest[same..];
    }
    paragraphs
}

/// Returns the whole material, one paragraph per source; if there is none, the paragraphs already quoted.
fn everything(material: &Material<'_>, already_quoted: &[String]) -> Vec<String> {
    if material.sentences.is_empty() {
        return already_quoted.to_vec();
    }
    let of_source = |source: usize| {
        let mine = |s: &&Sentence<'_>| s.source == source;
        let texts: Vec<&str> = material.sentences.iter().filter(mine).map(|s| s.text).collect();
        format!("{}: {}", material.sources[source], texts.join(" "))
    };
    (0..material.sources.len()).map(of_source).collect()
}

/// Returns a sentence on one line, cut after `MAX_SENTENCE_WORDS` words.
fn cut(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut cut = words.by_ref().take(MAX_SENTENCE_WORDS).collect::<Vec<_>>().join(" ");
    if words.next().is_some() {
        cut.push('…');
    }
    cut
}
