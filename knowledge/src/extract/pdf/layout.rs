//! Arranges positioned characters into words, lines, paragraphs and headings.

use crate::extract::flow::bulleted;
use std::collections::BTreeMap;

/// The minimum gap between words, in units of the font size.
const WORD: f32 = 0.17;
/// The minimum gap between table cells or columns, in units of the font size.
const CELL: f32 = 1.6;
/// The maximum distance between lines of one heading, in units of the font size.
const HEADING: f32 = 1.35;
/// The factor by which the line distance exceeds the usual one between paragraphs.
const APART: f32 = 1.2;

/// A run of text on a page.
pub(super) struct Run<'a> {
    pub text: &'a str,
    pub x: f32,
    pub y: f32,
    /// The direction of the text, as a unit vector.
    pub direction: (f32, f32),
    pub width: f32,
    pub size: f32,
}

/// A line of a page.
pub(super) struct Line {
    text: String,
    size: f32,
    direction: (f32, f32),
    /// The position perpendicular to the text direction, and the start and end along it.
    across: f32,
    start: f32,
    end: f32,
    last: (String, f32),
}

impl Line {
    pub fn bytes(&self) -> usize {
        self.text.len()
    }
}

/// Collects the lines of a page.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    bytes: usize,
}

impl Lines {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn add(&mut self, run: Run<'_>) {
        let finite = [run.x, run.y, run.direction.0, run.direction.1, run.width, run.size];
        if run.text.is_empty() || !finite.iter().all(|number| number.is_finite()) || run.size <= 0.0 {
            return;
        }
        self.bytes += run.text.len() + 1;
        let (dx, dy) = run.direction;
        let (along, across) = (run.x * dx + run.y * dy, run.y * dx - run.x * dy);
        if let Some(line) = self.lines.last_mut()
            && line.continues_with(&run, along, across)
        {
            line.add(&run, along);
            return;
        }
        if run.text.trim().is_empty() {
            return;
        }
        self.lines.push(Line {
            text: run.text.to_owned(),
            size: run.size,
            direction: run.direction,
            across,
            start: along,
            end: along + run.width,
            last: (run.text.to_owned(), along),
        });
    }

    pub fn finish(self) -> Vec<Line> {
        self.lines
    }
}

impl Line {
    /// Whether a run continues this line.
    fn continues_with(&self, run: &Run<'_>, along: f32, across: f32) -> bool {
        let turned = (self.direction.0 - run.direction.0).abs() + (self.direction.1 - run.direction.1).abs();
        let size = self.size.max(run.size);
        // Superscripts and subscripts are smaller, and closer to the line than another line.
        let same_height =
            (self.across - across).abs() < size * if run.size < self.size * 0.85 { 0.6 } else { 0.35 };
        turned < 0.02 && same_height && along > self.end - size * 1.2 && along > self.start - size
    }

    fn add(&mut self, run: &Run<'_>, along: f32) {
        // Some documents emulate bold letters by painting them twice.
        if self.last.0 == run.text && (self.last.1 - along).abs() < run.size * 0.12 {
            return;
        }
        let gap = along - self.end;
        let is_open = !self.text.ends_with([' ', '\t']) && !run.text.starts_with(' ');
        if gap > run.size * CELL {
            self.text.truncate(self.text.trim_end().len());
            self.text.push('\t');
        } else if gap > run.size * WORD && is_open {
            self.text.push(' ');
        }
        self.text.push_str(run.text);
        // Use the size of most of the text.
        if self.text.len() < 8 && run.size > self.size {
            self.size = run.size;
        }
        self.end = self.end.max(along + run.width);
        self.last = (run.text.to_owned(), along);
    }

    fn level(&self, sizes: &Sizes) -> Option<u8> {
        let text = self.text.trim();
        let is_short = text.chars().count() <= 150 && text.chars().any(char::is_alphabetic);
        match self.size / sizes.usual {
            ratio if !is_short || ratio < 1.15 => None,
            ratio if ratio >= 1.75 => Some(1),
            ratio if ratio >= 1.35 => Some(2),
            _ => Some(3),
        }
    }
}

/// Typical sizes of the text in a document.
pub(super) struct Sizes {
    /// The font size of most of the text.
    usual: f32,
    /// The most common distance between lines, in units of the font size.
    step: f32,
}

impl Sizes {
    pub fn new(pages: &[Vec<Line>]) -> Self {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for line in pages.iter().flatten() {
            *counts.entry((line.size * 2.0).round().min(1e6) as u32).or_default() += line.text.len();
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let mut steps: BTreeMap<u32, usize> = BTreeMap::new();
        for (last, next) in pages.iter().flat_map(|lines| lines.iter().zip(lines.iter().skip(1))) {
            let step = (last.across - next.across) / last.size.max(next.size);
            if (0.8..2.5).contains(&step) {
                *steps.entry((step * 20.0).round() as u32).or_default() +=
                    last.text.len().min(next.text.len());
            }
        }
        let step =
            steps.into_iter().max_by_key(|(_, count)| *count).map_or(1.2, |(step, _)| step as f32 / 20.0);
        Self { usual: most.map_or(10.0, |(size, _)| size as f32 / 2.0).max(0.5), step }
    }
}

/// The text of a page: its lines, with an empty line between paragraphs, and `#` before larger text.
pub(super) fn text(lines: &[Line], sizes: &Sizes) -> String {
    let mut all = String::new();
    let mut before: Option<(&Line, Option<u8>)> = None;
    for line in lines {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        let level = line.level(sizes);
        match before {
            None => {}
            Some((last, last_level)) if level == last_level && sizes.is_same_paragraph(last, line, level) => {
                match (level, split_word(&all, text)) {
                    (Some(_), _) => all.push(' '),
                    (None, true) => drop(all.pop()),
                    (None, false) => all.push('\n'),
                }
            }
            Some(_) => all.push_str("\n\n"),
        }
        if let Some(level) = level.filter(|_| all.is_empty() || all.ends_with("\n\n")) {
            all.push_str(&"#".repeat(usize::from(level)));
            all.push(' ');
        }
        match bulleted(text) {
            Some(item) => {
                all.push_str("- ");
                all.push_str(item);
            }
            None => all.push_str(text),
        }
        before = Some((line, level));
    }
    unligated(&all)
}

impl Sizes {
    fn is_same_paragraph(&self, last: &Line, next: &Line, level: Option<u8>) -> bool {
        let size = last.size.max(next.size);
        let down = (last.across - next.across) / size;
        let turned =
            (last.direction.0 - next.direction.0).abs() + (last.direction.1 - next.direction.1).abs();
        let alike = (last.size - next.size).abs() < size * 0.12;
        let most = if level.is_some() { HEADING } else { (self.step * APART).max(HEADING) };
        // A sentence may continue at the top of the next column.
        let goes_on = next.text.trim_start().starts_with(char::is_lowercase)
            && last.text.trim_end().ends_with(|c: char| c.is_alphabetic() || matches!(c, ',' | '-'));
        turned < 0.02 && alike && (down > -0.4 && down < most || level.is_none() && down < -0.4 && goes_on)
    }
}

/// Whether a word is split between the end of one line and the next line.
fn split_word(all: &str, next: &str) -> bool {
    let mut end = all.chars().rev();
    let hyphen = end.next().is_some_and(|c| matches!(c, '-' | '\u{2010}'));
    hyphen
        && end.next().is_some_and(char::is_alphabetic)
        && next.chars().next().is_some_and(char::is_lowercase)
}

/// Replaces ligatures with their letters.
fn unligated(text: &str) -> String {
    if !text.contains(|c| matches!(c, '\u{fb00}'..='\u{fb06}')) {
        return text.to_owned();
    }
    let mut all = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\u{fb00}' => all.push_str("ff"),
            '\u{fb01}' => all.push_str("fi"),
            '\u{fb02}' => all.push_str("fl"),
            '\u{fb03}' => all.push_str("ffi"),
            '\u{fb04}' => all.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => all.push_str("st"),
            letter => all.push(letter),
        }
    }
    all
}
