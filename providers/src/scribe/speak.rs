//! Streams an answer word by word.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::compose::Text;
use super::settings::Settings;
use super::words;
use crate::chat::{ChatDelta, ChatStream, FinishReason, ProviderError, ToolCall, Usage};

/// Number of deltas emitted before the task yields, if there is no pace.
const BURST: u32 = 128;
/// Maximum delay of a slow reader for which the stream catches up.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// A stream of deltas at a fixed pace.
pub(super) struct Speech<D> {
    deltas: D,
    /// The next delta, which is not due yet.
    pending: Option<ChatDelta>,
    pace: Duration,
    next: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    burst: u32,
}

impl<D> Speech<D> {
    fn at_pace(deltas: D, pace: Duration) -> Self {
        Self { deltas, pending: None, pace, next: None, timer: None, burst: 0 }
    }

    /// Ready when the next delta is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.pace.is_zero() {
            self.burst += 1;
            if self.burst < BURST {
                return Poll::Ready(());
            }
            self.burst = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(due) = self.next {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if timer.deadline() != due {
                timer.as_mut().reset(due);
            }
            ready!(timer.as_mut().poll(cx));
        }
        let now = Instant::now();
        let due = self.next.filter(|due| *due + MAX_DELAY > now).unwrap_or(now);
        self.next = Some(due + self.pace);
        Poll::Ready(())
    }
}

impl Speech<WordStream> {
    /// Creates a stream of the words of an answer, without the first `written` words.
    pub(super) fn new(text: Text, written: u64, input_tokens: u64, settings: Settings) -> Self {
        let mut words = WordStream::new(text, input_tokens, settings);
        words.skip_said(written);
        Self::at_pace(words, settings.pace)
    }
}

/// Streams an answer that consists of tool calls.
pub(super) fn call_tools(calls: Vec<ToolCall>, input: u64, settings: Settings) -> ChatStream {
    let counted = calls.iter().map(|call| words(&call.name) + words(&call.arguments)).sum();
    let mut deltas = Vec::new();
    for (index, ToolCall { call_id, name, arguments }) in (0..).zip(calls) {
        deltas.push(ChatDelta::ToolCallStart { index, call_id, name });
        let pieces = arguments.split_inclusive([',', ':']);
        deltas.extend(pieces.map(|p| ChatDelta::ToolCallArguments { index, delta: p.to_owned() }));
    }
    deltas.push(ChatDelta::Usage(usage(input, counted)));
    deltas.push(ChatDelta::Finish(FinishReason::ToolCalls));
    Box::pin(Speech::at_pace(deltas.into_iter(), settings.pace))
}

impl<D: Iterator<Item = ChatDelta> + Unpin> Stream for Speech<D> {
    type Item = Result<ChatDelta, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.pending.is_none() {
            self.pending = self.deltas.next();
        }
        // The final deltas are not words and are emitted without a pause.
        if !matches!(self.pending, None | Some(ChatDelta::Usage(_) | ChatDelta::Finish(_))) {
            ready!(self.poll_due(cx));
        }
        Poll::Ready(self.pending.take().map(Ok))
    }
}

/// The words of a text, generated on demand, followed by the final deltas.
pub(super) struct WordStream {
    text: Text,
    /// Remaining words of the answer, if its length is fixed.
    left: Option<u64>,
    /// Maximum number of words, including skipped ones; `None` for no limit.
    room: Option<u64>,
    written: u64,
    /// Words that an earlier, incomplete answer already contained.
    before: u64,
    input_tokens: u64,
    paragraph: usize,
    at: usize,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Speaking,
    Counted(bool),
    Over,
}

impl WordStream {
    fn new(text: Text, input_tokens: u64, settings: Settings) -> Self {
        Self {
            text,
            left: settings.length,
            room: settings.limit,
            written: 0,
            before: 0,
            input_tokens,
            paragraph: 0,
            at: 0,
            state: State::Speaking,
        }
    }

    fn skip_said(&mut self, words: u64) {
        while self.before < words && self.next_word().is_some() {
            self.before += 1;
        }
    }

    /// Returns the next word with the white space before it, or `None` after the last.
    fn word(&mut self) -> Option<String> {
        if self.left == Some(0) {
            return None;
        }
        let own = self.text.paragraphs.len();
        loop {
            let paragraph = match self.text.paragraphs.get(self.paragraph) {
                Some(paragraph) => paragraph,
                None if self.left.is_none() || self.text.more.is_empty() => return None,
                None => &self.text.more[(self.paragraph - own) % self.text.more.len()],
            };
            let rest = paragraph[self.at..].trim_start();
            if rest.is_empty() {
                (self.paragraph, self.at) = (self.paragraph + 1, 0);
                continue;
            }
            let before = match (self.at, self.written) {
                (_, 0) => "",
                (0, _) => "\n\n",
                _ => " ",
            };
            let start = paragraph.len() - rest.len();
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            self.at = start + end;
            return Some([before, &rest[..end]].concat());
        }
    }

    fn next_word(&mut self) -> Option<String> {
        let word = self.word()?;
        self.written += 1;
        self.left = self.left.map(|left| left - 1);
        Some(word)
    }
}

impl Iterator for WordStream {
    type Item = ChatDelta;

    fn next(&mut self) -> Option<ChatDelta> {
        match self.state {
            State::Speaking => {
                let full = self.room == Some(self.written);
                let word = if full { None } else { self.next_word() };
                if let Some(word) = word {
                    return Some(ChatDelta::Text(word));
                }
                // The limit cut the answer only if there were more words.
                self.state = State::Counted(full && self.word().is_some());
                Some(ChatDelta::Usage(usage(self.input_tokens, self.written - self.before)))
            }
            State::Counted(cut) => {
                self.state = State::Over;
                let reason = if cut { FinishReason::Length } else { FinishReason::Stop };
                Some(ChatDelta::Finish(reason))
            }
            State::Over => None,
        }
    }
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}
