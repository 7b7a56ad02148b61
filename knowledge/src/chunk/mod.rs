//! Passages: pages cut into pieces of so many tokens.

mod atoms;
mod tokens;

use crate::extract::Page;
use atoms::{Atom, Boundary, Heading, atoms};

pub use tokens::{count_tokens, text_of_tokens};

/// The fewest tokens that a passage may be limited to: less would cut words to bits.
pub const FEWEST_TOKENS: u32 = 16;

/// Bytes that a passage may have for each of its tokens; words have five or so, blanks any number.
const BYTES: u64 = 64;

/// The sizes of passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSettings {
    /// The most tokens of a passage, its headings not counted; at least [`FEWEST_TOKENS`].
    pub tokens: u32,
    /// The most tokens that a passage repeats of the one before it; at most half of `tokens`.
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
    /// The number of its tokens.
    pub tokens: u32,
    /// The number of the page.
    pub page: u32,
    /// Where it begins in the page's text, in characters.
    pub start: u32,
    /// The offset at which it ends, in characters of the page.
    pub end: u32,
    /// The headings that it stands under, the outermost first. Those that it begins with are among them.
    pub headings: Vec<String>,
}

/// Cuts pages into passages, at headings, paragraphs, lines, sentences, words, in this order of
/// preference. The same pages and settings give the same passages. Pages are not joined.
///
/// Settings out of bounds count as the nearest ones within. A passage repeats nothing of another section: where it
/// begins with a heading, it does not overlap.
pub fn chunk(pages: &[Page], settings: ChunkSettings) -> Vec<Piece> {
    let most = settings.tokens.max(FEWEST_TOKENS);
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
    /// Headings that are before the passage, and those of them that it stands under.
    passed: usize,
    above: Vec<(u8, String)>,
    /// A place in the text, in bytes and in characters.
    place: (usize, usize),
}

impl<'a> Cutting<'a> {
    fn new(page: &'a Page, most: u32, overlap: u32) -> Self {
        // Far below, as an atom without the blanks before it may have a token more.
        let (atoms, headings) = atoms(&page.text, most / 2);
        Self { page, most, overlap, atoms, headings, passed: 0, above: Vec::new(), place: (0, 0) }
    }

    fn pieces(mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // Atoms from `from` on are in the passage; those before `fresh` have been in the one before it.
        let (mut from, mut fresh) = (0, 0);
        while fresh < self.atoms.len() {
            let (begin, mut to) = self.reach(from, fresh);
            from = begin;
            let mut tokens = self.count(from, to);
            // Tokens are counted word by word so far, which is not quite what they are together.
            while tokens > self.most && (to > fresh + 1 || from < fresh) {
                // As many fewer as there are tokens too many: one by one, each of them counted again, takes
                // minutes where hundreds of blank lines stand between the words.
                let share = u64::from(self.most) * (to - fresh) as u64 / u64::from(tokens);
                let fewer = (share as usize).clamp(1, (to - fresh - 1).max(1));
                (from, to) = if to > fresh + 1 { (from, fresh + fewer) } else { (fresh, to) };
                tokens = self.count(from, to);
            }
            // Blanks without end within a line: they are cut, too, but are no passage.
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

    /// Where the passage begins and how far it goes.
    fn reach(&self, from: usize, fresh: usize) -> (usize, usize) {
        let sum = |range: &[Atom]| range.iter().map(|atom| u64::from(atom.tokens)).sum::<u64>();
        let most = u64::from(self.most);
        let repeated = sum(&self.atoms[from..fresh]);
        let fits = repeated + u64::from(self.atoms[fresh].tokens) <= most;
        let (from, mut tokens) = if fits { (from, repeated) } else { (fresh, 0) };
        let (mut to, mut half) = (fresh, None);
        while let Some(atom) = self.atoms.get(to) {
            // A section of its own, unless the one that was begun here is hardly worth a passage.
            let is_own = atom.cut == Boundary::Heading
                && (tokens >= most / 4 || self.atoms[from].cut != Boundary::Heading);
            if to > fresh && (is_own || atom.cut == Boundary::Gap) {
                return (from, to);
            }
            // Blanks cost nothing by themselves, and something together.
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
        // The best place in the second half of what would fit, the last one of equals.
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

    /// The headings that a passage stands under which begins there.
    fn headings_at(&mut self, start: usize) -> Vec<String> {
        let mut behind = start;
        while let Some(heading) = self.headings.get(self.passed) {
            // The first ones of a passage are at its beginning or have only blanks between.
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

    /// Where the passage after this one begins: at the best place within what may be repeated.
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
            // Of equals the first, which repeats most.
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
