//! Passages: pages cut into pieces with a limited number of tokens.

mod atoms;
mod tokens;

use crate::extract::Page;
use atoms::{Atom, Boundary, Heading, atoms};

pub use tokens::{count_tokens, text_of_tokens};

/// The minimum limit of tokens per passage. A lower limit would cut words into fragments.
pub const MIN_TOKENS: u32 = 16;

/// The maximum number of bytes per token of a passage. Words have about five; whitespace can have any number.
const BYTES: u64 = 64;

/// The limits on the sizes of passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSettings {
    /// The maximum number of tokens of a passage, not counting its headings; at least [`MIN_TOKENS`].
    pub tokens: u32,
    /// The maximum number of tokens repeated from the previous passage; at most half of `tokens`.
    pub overlap: u32,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self { tokens: 512, overlap: 64 }
    }
}

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text: the characters from `start` to `end` of the page's text.
    pub text: String,
    /// The number of tokens in the text.
    pub tokens: u32,
    /// The number of the page that contains the passage.
    pub page: u32,
    /// The offset at which the passage begins, in characters of the page's text.
    pub start: u32,
    /// The offset at which the passage ends, in characters of the page's text.
    pub end: u32,
    /// The headings above the passage, the outermost first, including headings at its beginning.
    pub headings: Vec<String>,
}

/// Cuts pages into passages: preferably at headings, then paragraphs, lines, sentences and words. The result depends
/// only on the pages and settings. Pages are not joined.
///
/// Settings out of range are replaced by the nearest valid ones. A passage does not repeat text of another section: if
/// it begins with a heading, there is no overlap.
pub fn chunk(pages: &[Page], settings: ChunkSettings) -> Vec<Piece> {
    let most = settings.tokens.max(MIN_TOKENS);
    let overlap = settings.overlap.min(most / 2);
    pages.iter().flat_map(|page| Cutting::new(page, most, overlap).pieces()).collect()
}

/// A page that is being cut.
struct Cutting<'a> {
    page: &'a Page,
    most: u32,
    overlap: u32,
    atoms: Vec<Atom>,
    headings: Vec<Heading>,
    /// The number of headings before the passage, and those among them that apply to it.
    passed: usize,
    above: Vec<(u8, String)>,
    /// A position in the text, in bytes and in characters.
    place: (usize, usize),
}

impl<'a> Cutting<'a> {
    fn new(page: &'a Page, most: u32, overlap: u32) -> Self {
        // Stay well below the limit, because an atom without the whitespace before it may have one more token.
        let (atoms, headings) = atoms(&page.text, most / 2);
        Self { page, most, overlap, atoms, headings, passed: 0, above: Vec::new(), place: (0, 0) }
    }

    fn pieces(mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // Atoms from `from` on are in the passage; atoms before `fresh` were in the previous passage.
        let (mut from, mut fresh) = (0, 0);
        while fresh < self.atoms.len() {
            let (begin, mut to) = self.reach(from, fresh);
            from = begin;
            let mut tokens = self.count(from, to);
            // So far, tokens are counted word by word, which differs slightly from the count of the whole text.
            while tokens > self.most && (to > fresh + 1 || from < fresh) {
                // Remove atoms in proportion to the excess. Removing them one by one, with a new count each time, takes
                // minutes if there are hundreds of blank lines between words.
                let share = u64::from(self.most) * (to - fresh) as u64 / u64::from(tokens);
                let fewer = (share as usize).clamp(1, (to - fresh - 1).max(1));
                (from, to) = if to > fresh + 1 { (from, fresh + fewer) } else { (fresh, to) };
                tokens = self.count(from, to);
            }
            // Excessive whitespace within a line: it is cut too, but does not form a passage.
            if self.text(fresh, to).1.is_empty() {
                (from, fresh) = (to, to);
                continue;
            }
            pieces.push(self.piece(from, to, tokens));
            from = self.back(from, to);
            fresh = to;
        }
        pieces
    }

    /// Where the passage begins, and how far it can extend.
    fn reach(&self, from: usize, fresh: usize) -> (usize, usize) {
        let sum = |range: &[Atom]| range.iter().map(|atom| u64::from(atom.tokens)).sum::<u64>();
        let most = u64::from(self.most);
        let repeated = sum(&self.atoms[from..fresh]);
        let fits = repeated + u64::from(self.atoms[fresh].tokens) <= most;
        let (from, mut tokens) = if fits { (from, repeated) } else { (fresh, 0) };
        let (mut to, mut half) = (fresh, None);
        while let Some(atom) = self.atoms.get(to) {
            // Start a new section, unless the current one is too short for a passage.
            let is_own = atom.cut == Boundary::Heading
                && (tokens >= most / 4 || self.atoms[from].cut != Boundary::Heading);
            if to > fresh && (is_own || atom.cut == Boundary::Gap) {
                return (from, to);
            }
            // Single spaces add no tokens, but long whitespace does.
            let bytes = (atom.end - self.atoms[from].start) as u64;
            if tokens + u64::from(atom.tokens) > most || (to > fresh && bytes > most * BYTES) {
                break;
            }
            tokens += u64::from(atom.tokens);
            to += 1;
            if half.is_none() && tokens >= most / 2 {
                half = Some(to);
            }
        }
        if to == self.atoms.len() {
            return (from, to);
        }
        // The best boundary in the second half of the possible text; the last one of equally good boundaries.
        let least = half.unwrap_or(to).max(fresh + (to - fresh).div_ceil(2)).min(to);
        let best = (least..=to).max_by_key(|at| (self.atoms[*at].cut, *at));
        (from, best.unwrap_or(to))
    }

    fn text(&self, from: usize, to: usize) -> (usize, &'a str) {
        let (start, end) = (self.atoms[from].start, self.atoms[to - 1].end);
        let text = &self.page.text[start..end];
        let bare = text.trim_start();
        (start + text.len() - bare.len(), bare.trim_end())
    }

    fn count(&self, from: usize, to: usize) -> u32 {
        count_tokens(self.text(from, to).1)
    }

    fn piece(&mut self, from: usize, to: usize, tokens: u32) -> Piece {
        let (start, text) = self.text(from, to);
        let before = self.page.text[self.place.0..start].chars().count();
        self.place = (start, self.place.1 + before);
        let begin = self.place.1;
        let end = begin + text.chars().count();
        let wide = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Piece {
            text: text.to_owned(),
            tokens,
            page: self.page.number,
            start: wide(begin),
            end: wide(end),
            headings: self.headings_at(start),
        }
    }

    /// The headings that apply to a passage that begins at `start`.
    fn headings_at(&mut self, start: usize) -> Vec<String> {
        let mut behind = start;
        while let Some(heading) = self.headings.get(self.passed) {
            // Headings at the beginning of a passage may only be separated by whitespace.
            let leads = heading.start >= behind && self.page.text[behind..heading.start].trim().is_empty();
            if heading.start > start && !leads {
                break;
            }
            self.above.retain(|(level, _)| *level < heading.level);
            self.above.push((heading.level, heading.title.clone()));
            behind = behind.max(heading.end);
            self.passed += 1;
        }
        self.above.iter().map(|(_, title)| title.clone()).collect()
    }

    /// Where the next passage begins: at the best boundary within the text that may be repeated.
    fn back(&self, from: usize, to: usize) -> usize {
        if self.atoms.get(to).is_none_or(|next| next.cut >= Boundary::Heading) {
            return to;
        }
        let (mut tokens, mut best) = (0, to);
        for at in (from + 1..to).rev() {
            tokens += self.atoms[at].tokens;
            if tokens > self.overlap {
                break;
            }
            let cut = self.atoms[at].cut;
            // Of equally good boundaries the first one, which repeats most.
            if cut > Boundary::Inside
                && (best == to || cut.min(Boundary::Sentence) >= self.atoms[best].cut.min(Boundary::Sentence))
            {
                best = at;
            }
            if cut >= Boundary::Heading {
                break;
            }
        }
        best
    }
}
