//! Atoms: the smallest parts that texts are cut into, each with the quality of the boundary before it.

use super::tokens::Counter;

/// The maximum length of an atom in characters.
const MAX_ATOM_CHARS: usize = 32;
/// The maximum length of a heading's title in characters; longer titles are cut.
const MAX_TITLE_LENGTH: usize = 200;

/// The quality of a boundary as a place to cut; higher is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boundary {
    Inside,
    Word,
    Sentence,
    Line,
    Paragraph,
    Heading,
    /// Follows so much whitespace that no passage extends across it.
    Gap,
}

/// A word with the preceding whitespace, or a part of a word.
pub(super) struct Atom {
    /// The start and end, in bytes of the page's text.
    pub start: usize,
    pub end: usize,
    pub tokens: u32,
    /// The quality of the boundary before the atom.
    pub cut: Boundary,
}

/// A heading of a page.
pub(super) struct Heading {
    /// The start and end of its line or lines, in bytes of the page's text.
    pub start: usize,
    pub end: usize,
    /// The level, from 1 for the outermost.
    pub level: u8,
    pub title: String,
}

/// Cuts a page into atoms of at most `most` tokens, plus at most as many for blank lines before them, and finds its
/// headings.
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
            // Whitespace belongs to the text that follows it.
            after_blank = true;
            continue;
        }
        let cut = match heading {
            Some(heading) if heading.start == start && after_heading => Boundary::Word,
            Some(heading) if heading.start == start => Boundary::Heading,
            // A heading stays together with the text below it.
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
    /// Cuts a line. The whitespace between it and the previous line counts as part of it.
    fn after_gap(&mut self, start: usize, end: usize, cut: Boundary) {
        let first = self.atoms.len();
        let before = self.atoms.last().map_or(start, |last| last.end);
        let gap = &self.text[before..start];
        // Line ends are merged with the punctuation before them into one token.
        let is_bare = gap.bytes().all(|byte| byte == b'\n');
        let is_free = is_bare && !self.text[..before].ends_with(char::is_alphanumeric);
        let tokens = if is_free { 0 } else { self.counter.count(gap) };
        let is_wide = tokens > self.most;
        self.line(start, end, if is_wide { Boundary::Gap } else { cut });
        if let Some(atom) = self.atoms.get_mut(first).filter(|_| !is_wide) {
            atom.tokens += tokens;
        }
    }

    /// Cuts a line, which ends with its last word.
    fn line(&mut self, start: usize, end: usize, cut: Boundary) {
        let (mut cut, mut word_start, mut in_word, mut length) = (cut, start, false, 0);
        let (mut ended, mut last) = (false, ' ');
        for (at, letter) in self.text[start..end].char_indices() {
            let at = start + at;
            let blank = letter.is_whitespace();
            let begins = in_word && (blank || is_wide_end(last));
            if begins || length >= MAX_ATOM_CHARS {
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
        // Halve repeatedly. A character has at most four tokens, so this terminates.
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

/// Characters that end a sentence without a following space.
fn is_wide_end(letter: char) -> bool {
    matches!(letter, '。' | '！' | '？' | '｡')
}

/// Finds the headings of a text: lines that begin with `#`, and underlined lines. Code fences contain no headings.
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
    title.chars().take(MAX_TITLE_LENGTH).collect()
}

/// The character and length of a code fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let bare = line.trim_start();
    let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == sign).count();
    // Inline code may also begin a line, but then its end is on the same line.
    let is_code = sign == '`' && bare[length..].contains('`');
    (length >= 3 && !is_code && line.len() - bare.len() <= 3).then_some((sign, length))
}

fn is_only(text: &str, sign: char) -> bool {
    text.chars().all(|c| c == sign)
}

/// Parses `## Title`, or with a closing sequence, `## Title ##`.
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
        && line.len() <= 4 * MAX_TITLE_LENGTH
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
