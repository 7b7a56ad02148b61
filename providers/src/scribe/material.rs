//! Collects the question and the sentences that can be quoted.

use super::split::sentences;
use crate::chat::{ChatMessage, Content, Role};

/// Maximum number of sentences that are searched.
const MAX_SENTENCES: usize = 100_000;

/// How the part of the system prompt begins that lists the user's memories, one per line.
const REMEMBERED: &str = "What you remember of the user";

/// A sentence and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sentence<'a> {
    /// The index of its source.
    pub(super) source: usize,
    pub(super) text: &'a str,
}

/// The sentences of a conversation from which an answer is composed.
#[derive(Debug, Default)]
pub(super) struct Material<'a> {
    /// The last question of the user.
    pub(super) question: String,
    /// The display names of the sources.
    pub(super) sources: Vec<String>,
    pub(super) sentences: Vec<Sentence<'a>>,
    /// The results of the tools that were called since the last question: name and text.
    pub(super) results: Vec<(&'a str, &'a str)>,
}

impl<'a> Material<'a> {
    pub(super) fn new(messages: &'a [ChatMessage]) -> Self {
        let mut material = Self::default();
        let last = messages.iter().rposition(|m| m.role == Role::User);
        for (at, message) in messages.iter().enumerate() {
            let is_last = Some(at) == last;
            let since = last.is_none_or(|last| at > last);
            for content in &message.content {
                match content {
                    Content::File { filename, text, .. } => {
                        material.add(filename.clone(), &sentences(text));
                    }
                    Content::Text(text) if is_last => material.ask(text),
                    Content::Text(text) if message.role == Role::User => {
                        material.add("You".to_owned(), &sentences(text));
                    }
                    Content::Text(text) if message.role == Role::Tool => {
                        let name = caller(messages, message);
                        if since {
                            material.results.push((name, text));
                        } else {
                            material.add(name.to_owned(), &sentences(text));
                        }
                    }
                    Content::Text(text) if message.role == Role::System => {
                        for line in remembered(text) {
                            material.add("What I remember of you".to_owned(), &sentences(line));
                        }
                    }
                    Content::Text(_) | Content::Image { .. } | Content::ImageUrl { .. } | Content::Raw(_) => {
                    }
                }
            }
        }
        material
    }

    /// Splits a message into the question and the context that it contains.
    fn ask(&mut self, text: &'a str) {
        const ALL_QUESTION: usize = 2;
        let all = sentences(text);
        let asks = |sentence: &str| sentence.ends_with(['?', '？']);
        let (questions, context): (Vec<&str>, Vec<&str>) = if all.len() <= ALL_QUESTION {
            (all, Vec::new())
        } else if all.iter().copied().any(asks) {
            all.into_iter().partition(|s| asks(s))
        } else {
            // The request comes first, as in "Sum this up: ...".
            (all[..1].to_vec(), all[1..].to_vec())
        };
        for sentence in questions {
            if !self.question.is_empty() {
                self.question.push(' ');
            }
            self.question.push_str(sentence);
        }
        self.add("Your message".to_owned(), &context);
    }

    fn add(&mut self, name: String, sentences: &[&'a str]) {
        if sentences.is_empty() {
            return;
        }
        let known = self.sources.iter().position(|source| *source == name);
        let source = known.unwrap_or_else(|| {
            self.sources.push(name);
            self.sources.len() - 1
        });
        let room = MAX_SENTENCES.saturating_sub(self.sentences.len());
        let add = sentences.iter().take(room).map(|text| Sentence { source, text });
        self.sentences.extend(add);
    }
}

/// Returns the lines with memories of the user: they are knowledge, not instructions.
fn remembered(instructions: &str) -> impl Iterator<Item = &str> {
    let list = instructions.split_once(REMEMBERED).map_or("", |(_, list)| list);
    list.lines().skip(1).map_while(|line| line.strip_prefix("- "))
}

/// Returns the name of the tool that produced a result.
fn caller<'a>(messages: &'a [ChatMessage], result: &ChatMessage) -> &'a str {
    let id = result.tool_call_id.as_deref();
    let mut calls = messages.iter().rev().flat_map(|m| &m.tool_calls);
    calls.find(|call| Some(call.call_id.as_str()) == id).map_or("The tool", |call| &call.name)
}
