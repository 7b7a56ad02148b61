//! The smallest parts that texts are cut into, and how good it is to cut before each.

use super::tokens::Counter;

/// The longest atom, in characters.
const LONGEST: usize = 32;
/// Characters of a heading that are kept.
const LONGEST_TITLE: usize = 200;

/// How good a place to cut is; the higher, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boundary {
    Inside,
    Word,
    Sentence,
    Line,
    Paragraph,
    Heading,
    /// Behind so many blanks that no passage goes across.
    Gap,
}

/// A word with the blanks before it, or a part of one.
pub(super) struct Atom {
    /// Bytes of the page's text.
    pub start: usize,
    pub end: usize,
    pub tokens: u32,
    /// How good it is to cut before it.
    pub cut: Boundary,
}

/// A heading of a page.
pub(super) struct Heading {
    /// Bytes of the page's text: of its line, or lines.
    pub start: usize,
    pub end: usize,
    /// The level, from 1 for the outermost.
    pub level: u8,
    pub title: String,
}

/// Cuts a page into atoms of at most `most` tokens, beside as many for blank lines before them, and finds its headings.
pub(super) fn atoms(text: &str, most: u32) -> (Vec<Atom>, Vec<Heading>) {
    let mut cutter = Cutter { text, most, atoms: Vec::new(), counter: Counter::default() };
    let headings = headings(text);
    let (mut next, mut at) = (0, 0);
    let (mut after_blank, mut after_heading) = (false, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        while headings.get(next).is_some_and(|heading| heading.end <= start) {
            next += 1;
        }
        let heading = headings.get(next).filter(|heading| heading.start <= start);
        if line.trim().is_empty() {
            // Blanks are the beginning of what follows.
            after_blank = true;
            continue;
        }
        let cut = match heading {
            Some(heading) if heading.start == start && after_heading => Boundary::Word,
            Some(heading) if heading.start == start => Boundary::Heading,
            // A heading and what it is above of stay together.
            _ if after_heading || heading.is_some() => Boundary::Word,
            None if after_blank => Boundary::Paragraph,
            _ => Boundary::Line,
        };
        cutter.after_gap(start, start + line.trim_end().len(), cut);
        (after_blank, after_heading) = (false, heading.is_some());
    }
    (cutter.atoms, headings)
}

struct Cutter<'a> {
    text: &'a str,
    most: u32,
    atoms: Vec<Atom>,
    counter: Counter<'a>,
}

impl Cutter<'_> {
    /// Cuts a line; the blanks between it and the line before count as part of it.
    fn after_gap(&mut self, start: usize, end: usize, cut: Boundary) {
        let first = self.atoms.len();
        let before = self.atoms.last().map_or(start, |last| last.end);
        let gap = &self.text[before..start];
        // Line ends go with the sign before them.
        let is_bare = gap.bytes().all(|byte| byte == b'\n');
        let is_free = is_bare && !self.text[..before].ends_with(char::is_alphanumeric);
        let tokens = if is_free { 0 } else { self.counter.count(gap) };
        let is_wide = tokens > self.most;
        self.line(start, end, if is_wide { Boundary::Gap } else { cut });
        if let Some(atom) = self.atoms.get_mut(first).filter(|_| !is_wide) {
            atom.tokens += tokens;
        }
    }

    /// Cuts a line, which ends where its last word does.
    fn line(&mut self, start: usize, end: usize, cut: Boundary) {
        let (mut cut, mut word_start, mut in_word, mut length) = (cut, start, false, 0);
        let (mut ended, mut last) = (false, ' ');
        for (at, letter) in self.text[start..end].char_indices() {
            let at = start + at;
            let blank = letter.is_whitespace();
            let begins = in_word && (blank || is_wide_end(last));
            if begins || length >= LONGEST {
                self.atom(word_start, at, cut);
                cut = match () {
                    () if !begins => Boundary::Inside,
                    () if ended || is_wide_end(last) => Boundary::Sentence,
                    () => Boundary::Word,
                };
                (word_start, length) = (at, 0);
            }
            (in_word, length) = (!blank, length + 1);
            if !blank {
                // Closing quotes and brackets belong to the sentence.
                ended = matches!(letter, '.' | '!' | '?' | '…' | ':') || ended && "\"')]»”’".contains(letter);
                last = letter;
            }
        }
        self.atom(word_start, end, cut);
    }

    fn atom(&mut self, start: usize, end: usize, cut: Boundary) {
        // Halves of halves: a character has at most four tokens, so this ends.
        let (mut start, mut cut) = (start, cut);
        while start < end {
            let mut stop = end;
            let mut tokens = self.counter.count(&self.text[start..stop]);
            while tokens > self.most {
                let half = self.text.floor_char_boundary(start + (stop - start) / 2);
                let first = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
                stop = half.max(first);
                tokens = self.counter.count(&self.text[start..stop]);
                if stop == first {
                    break;
                }
            }
            self.atoms.push(Atom { start, end: stop, tokens, cut });
            (start, cut) = (stop, Boundary::Inside);
        }
    }
}

/// Sentences that end without a blank behind them.
fn is_wide_end(letter: char) -> bool {
    matches!(letter, '。' | '！' | '？' | '｡')
}

/// The headings of a text: lines that begin with `#`, and lines that are underlined. None within fences of code.
fn headings(text: &str) -> Vec<Heading> {
    let (mut found, mut fence, mut at, mut after_blank) = (Vec::<Heading>::new(), None, 0, true);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let mark = fence_of(line);
        match (&fence, mark) {
            (Some((sign, length)), Some((other, longer)))
                if *sign == other && longer >= *length && is_only(bare, other) =>
            {
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => {
                if let Some((level, title)) = hashed(line) {
                    found.push(Heading { start, end: at, level, title: clip(title) });
                } else if after_blank
                    && is_title(bare)
                    && let Some(level) = lines.peek().and_then(|next| underline(next))
                {
                    let under = lines.next().map_or(0, str::len);
                    at += under;
                    found.push(Heading { start, end: at, level, title: clip(bare) });
                }
            }
        }
        after_blank = bare.is_empty();
    }
    found
}

fn clip(title: &str) -> String {
    title.chars().take(LONGEST_TITLE).collect()
}

/// The sign and length of a fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let bare = line.trim_start();
    let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == sign).count();
    // Code between words may begin a line, too, but then its end is on the line as well.
    let is_code = sign == '`' && bare[length..].contains('`');
    (length >= 3 && !is_code && line.len() - bare.len() <= 3).then_some((sign, length))
}

fn is_only(text: &str, sign: char) -> bool {
    text.chars().all(|c| c == sign)
}

/// `## Title` and, with an end, `## Title ##`.
fn hashed(line: &str) -> Option<(u8, &str)> {
    let bare = line.trim_start_matches(' ');
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &bare[level..];
    if !(1..=6).contains(&level) || line.len() - bare.len() > 3 || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let title = rest.trim();
    let unclosed = title.trim_end_matches('#');
    let title = if unclosed.is_empty() || unclosed.ends_with(' ') { unclosed.trim_end() } else { title };
    (!title.is_empty()).then_some((level as u8, title))
}

fn is_title(line: &str) -> bool {
    !line.is_empty()
        && line.len() <= 4 * LONGEST_TITLE
        && !line.starts_with(['|', '-', '*', '+', '>', '=', '`'])
}

fn underline(line: &str) -> Option<u8> {
    let bare = line.trim_end();
    match bare.len() >= 3 {
        true if is_only(bare, '=') => Some(1),
        true if is_only(bare, '-') => Some(2),
        _ => None,
    }
}
