//! Reads RTF: nested groups of control words that begin with a backslash.

use super::flow::Flow;
use super::pages::{Outcome, Pages};
use super::{ExtractError, ExtractErrorKind as Kind};
use encoding_rs::{Encoding, WINDOWS_1252};
use std::collections::HashMap;

/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 2000;

/// Reads a document as one page.
pub(super) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let mut reader = Rtf::new(bytes, pages.room());
    while reader.step()? {
        if reader.flow.is_full() {
            return Err(pages.too_much_text());
        }
    }
    reader.flush_bytes();
    pages.call(&reader.title);
    pages.push(None, reader.flow.finish())
}

/// The destination of a group's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Body,
    Nowhere,
    Title,
    Fonts,
    Styles,
    /// The bullet or number before a list item.
    Marker,
}

#[derive(Clone)]
struct Group {
    destination: Destination,
    encoding: &'static Encoding,
    /// The number of bytes that replace a Unicode character for old readers, and are skipped.
    stand_ins: usize,
    is_hidden: bool,
}

struct Rtf<'a> {
    bytes: &'a [u8],
    at: usize,
    group: Group,
    outer: Vec<Group>,
    flow: Flow,
    title: String,
    /// Bytes of text that have not been decoded yet.
    raw: Vec<u8>,
    /// The first half of a surrogate pair.
    half: Option<u16>,
    skip: usize,
    /// The encoding of the document, and the encodings of fonts.
    document: &'static Encoding,
    fonts: HashMap<i32, &'static Encoding>,
    font: i32,
    /// Heading levels by style number.
    headings: HashMap<i32, u8>,
    style: i32,
    name: String,
    in_table: bool,
    in_row: bool,
    marker: String,
}

impl<'a> Rtf<'a> {
    fn new(bytes: &'a [u8], room: usize) -> Self {
        let group =
            Group { destination: Destination::Body, encoding: WINDOWS_1252, stand_ins: 1, is_hidden: false };
        Self {
            bytes,
            at: 0,
            group,
            outer: Vec::new(),
            flow: Flow::new(room),
            title: String::new(),
            raw: Vec::new(),
            half: None,
            skip: 0,
            document: WINDOWS_1252,
            fonts: HashMap::new(),
            font: 0,
            headings: HashMap::new(),
            style: 0,
            name: String::new(),
            in_table: false,
            in_row: false,
            marker: String::new(),
        }
    }

    fn step(&mut self) -> Outcome<bool> {
        let Some(&byte) = self.bytes.get(self.at) else { return Ok(false) };
        self.at += 1;
        match byte {
            b'{' => {
                self.flush_bytes();
                if self.outer.len() >= MAX_DEPTH {
                    return Err(ExtractError::new(Kind::TooLarge, "the file nests too deeply"));
                }
                self.outer.push(self.group.clone());
                self.skip = 0;
            }
            b'}' => {
                self.flush_bytes();
                self.group_ends();
                self.skip = 0;
            }
            b'\\' => self.control()?,
            b'\r' | b'\n' => {}
            byte => self.byte(byte),
        }
        Ok(true)
    }

    fn group_ends(&mut self) {
        let Some(outer) = self.outer.pop() else { return };
        let ended = std::mem::replace(&mut self.group, outer);
        if ended.destination == Destination::Styles {
            let name = std::mem::take(&mut self.name);
            let name = name.trim().trim_end_matches(';').to_ascii_lowercase();
            let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
            if let Some(level) = level.or((name == "title").then_some(1)) {
                self.headings.insert(self.style, level);
            }
            self.style = 0;
        }
        if ended.destination == Destination::Marker && self.group.destination != Destination::Marker {
            let marker = std::mem::take(&mut self.marker);
            let digits: String = marker.trim().chars().take_while(char::is_ascii_digit).collect();
            self.flow.item(0, digits.parse().ok());
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            self.raw.push(byte);
        }
    }

    /// Decodes the pending bytes and writes them to the destination of the group.
    fn flush_bytes(&mut self) {
        if self.raw.is_empty() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        let text = self.group.encoding.decode_without_bom_handling(&raw).0.into_owned();
        self.text(&text);
    }

    fn text(&mut self, text: &str) {
        match self.group.destination {
            Destination::Body if !self.group.is_hidden => self.flow.text(text),
            Destination::Title if self.title.len() < 1000 => self.title.push_str(text),
            Destination::Styles if self.name.len() < 200 => self.name.push_str(text),
            Destination::Marker if self.marker.len() < 50 => self.marker.push_str(text),
            _ => {}
        }
    }

    fn control(&mut self) -> Outcome {
        let Some(&sign) = self.bytes.get(self.at) else { return Ok(()) };
        if !sign.is_ascii_alphabetic() {
            self.at += 1;
            match sign {
                b'\'' => {
                    let digits = self.bytes.get(self.at..self.at + 2).unwrap_or_default();
                    self.at = (self.at + 2).min(self.bytes.len());
                    let digits = std::str::from_utf8(digits).unwrap_or_default();
                    if let Ok(byte) = u8::from_str_radix(digits, 16) {
                        self.byte(byte);
                    }
                }
                b'\\' | b'{' | b'}' => self.byte(sign),
                b'~' => self.put("\u{a0}"),
                b'_' => self.put("-"),
                b'*' => self.group.destination = Destination::Nowhere,
                b'\r' | b'\n' => self.word("par", None)?,
                _ => {}
            }
            return Ok(());
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = String::from_utf8_lossy(&rest[..length]).into_owned();
        let rest = &rest[length..];
        let minus = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[minus..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let number = match digits {
            0 => None,
            _ => String::from_utf8_lossy(&rest[..minus + digits]).parse::<i32>().ok(),
        };
        self.at += length + if digits > 0 { minus + digits } else { 0 };
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.word(&word, number)
    }

    fn put(&mut self, text: &str) {
        self.flush_bytes();
        self.text(text);
    }

    fn word(&mut self, word: &str, number: Option<i32>) -> Outcome {
        // The text before a control word has the previous settings.
        if word != "u" {
            self.flush_bytes();
        }
        let value = number.unwrap_or(0);
        match word {
            "u" => self.unicode(value),
            "uc" => self.group.stand_ins = usize::try_from(value).unwrap_or(0).min(16),
            "bin" => {
                self.at = self.at.saturating_add(usize::try_from(value).unwrap_or(0)).min(self.bytes.len())
            }
            "ansicpg" => {
                self.document = code_page(value).unwrap_or(self.document);
                self.group.encoding = self.document;
            }
            "v" => self.group.is_hidden = number != Some(0),
            "plain" => (self.group.is_hidden, self.group.encoding) = (false, self.document),
            "f" if self.group.destination == Destination::Fonts => self.font = value,
            "f" => self.group.encoding = self.fonts.get(&value).copied().unwrap_or(self.document),
            "fcharset" => {
                if let Some(encoding) = charset(value) {
                    self.fonts.insert(self.font, encoding);
                }
            }
            "fonttbl" => self.group.destination = Destination::Fonts,
            "stylesheet" => self.group.destination = Destination::Styles,
            "title" => self.group.destination = Destination::Title,
            "listtext" | "pntext" => self.group.destination = Destination::Marker,
            // Groups that are marked as ignorable, but contain text.
            "shptxt" => self.group.destination = Destination::Body,
            _ if is_elsewhere(word) => self.group.destination = Destination::Nowhere,
            "s" if self.group.destination == Destination::Styles => self.style = value,
            _ if self.group.destination == Destination::Body => self.layout(word, value),
            "emdash" | "endash" | "tab" | "bullet" if self.group.destination == Destination::Marker => {
                self.text(" ")
            }
            _ => {}
        }
        Ok(())
    }

    fn unicode(&mut self, value: i32) {
        self.flush_bytes();
        self.skip = self.group.stand_ins;
        let unit = (value & 0xFFFF) as u16;
        let units: Vec<u16> = self.half.take().into_iter().chain([unit]).collect();
        if units.len() == 1 && (0xD800..0xDC00).contains(&unit) {
            self.half = Some(unit);
            return;
        }
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.text(&text);
    }

    fn layout(&mut self, word: &str, value: i32) {
        match word {
            "par" | "sect" | "page" if self.in_row && self.in_table => self.flow.block_within(),
            "par" | "sect" | "page" => self.end_table_then_block(),
            "pard" => self.in_table = false,
            "intbl" => self.enter_table(),
            "line" => self.flow.line_break(),
            "tab" => self.flow.text(" "),
            "cell" => {
                self.enter_table();
                self.flow.cell_end();
                self.flow.cell_begin();
            }
            "row" => {
                self.flow.cell_undo();
                self.flow.row_end();
                self.flow.cell_begin();
            }
            "s" => {
                if let Some(level) = self.headings.get(&value).copied() {
                    self.flow.heading(level);
                }
            }
            "outlinelevel" if (0..9).contains(&value) => self.flow.heading(value as u8 + 1),
            "emdash" => self.text("—"),
            "endash" => self.text("–"),
            "bullet" => self.text("•"),
            "lquote" => self.text("‘"),
            "rquote" => self.text("’"),
            "ldblquote" => self.text("“"),
            "rdblquote" => self.text("”"),
            "emspace" | "enspace" | "qmspace" => self.text(" "),
            _ => {}
        }
    }

    fn enter_table(&mut self) {
        self.in_table = true;
        if !self.in_row {
            self.in_row = true;
            self.flow.table_begin();
            self.flow.cell_begin();
        }
    }

    fn end_table_then_block(&mut self) {
        if self.in_row {
            self.in_row = false;
            let text = self.flow.take_line();
            self.flow.table_end();
            self.flow.text(&text);
        }
        self.flow.block();
    }
}

/// Groups whose text is not part of the document's text.
fn is_elsewhere(word: &str) -> bool {
    matches!(
        word,
        "colortbl"
            | "info"
            | "pict"
            | "object"
            | "header"
            | "headerl"
            | "headerr"
            | "headerf"
            | "footer"
            | "footerl"
            | "footerr"
            | "footerf"
            | "listtable"
            | "listoverridetable"
            | "revtbl"
            | "rsidtbl"
            | "generator"
            | "fldinst"
            | "bkmkstart"
            | "bkmkend"
            | "xe"
            | "tc"
            | "annotation"
            | "atnid"
            | "atnauthor"
            | "themedata"
            | "colorschememapping"
            | "latentstyles"
            | "datastore"
            | "xmlnstbl"
            | "filetbl"
            | "nonshppict"
            | "private"
    )
}

fn code_page(number: i32) -> Option<&'static Encoding> {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10000 => "macintosh".to_owned(),
        65001 => "utf-8".to_owned(),
        866 => "ibm866".to_owned(),
        874 | 1250..=1258 => format!("windows-{number}"),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

fn charset(number: i32) -> Option<&'static Encoding> {
    code_page(match number {
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
