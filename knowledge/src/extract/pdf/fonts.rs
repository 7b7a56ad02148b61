//! Fonts: the text and widths of the codes in a string.

use super::cmap::CMap;
use super::widths::standard;
use encoding_rs::{BIG5, EUC_KR, Encoding as Charset, GBK, SHIFT_JIS, UTF_16BE};
use lopdf::{Dictionary, Document, Encoding, Object};
use std::collections::HashMap;
use std::rc::Rc;

/// The maximum number of codes with explicit widths in a font.
const MAX_WIDTHS: usize = 70_000;

/// The fonts of a document that have been used so far.
pub(super) struct Fonts<'a> {
    document: &'a Document,
    limit: usize,
    known: HashMap<*const Dictionary, Rc<Font<'a>>>,
}

impl<'a> Fonts<'a> {
    /// `limit` is the maximum unpacked size of a stream in bytes.
    pub fn new(document: &'a Document, limit: usize) -> Self {
        Self { document, limit, known: HashMap::new() }
    }

    /// Finds the font with this name in these resources.
    pub fn find(&mut self, resources: Option<&'a Dictionary>, name: &[u8]) -> Option<Rc<Font<'a>>> {
        let fonts = resources?.get_deref(b"Font", self.document).and_then(Object::as_dict).ok()?;
        let font = fonts.get_deref(name, self.document).and_then(Object::as_dict).ok()?;
        let known = self.known.entry(std::ptr::from_ref(font));
        Some(known.or_insert_with(|| Rc::new(Font::read(self.document, font, self.limit))).clone())
    }
}

pub(super) struct Font<'a> {
    name: String,
    unicode: CMap,
    codes: Codes<'a>,
    widths: HashMap<u32, f32>,
    /// The width of codes without their own, in thousandths of the font size.
    default: Option<f32>,
    /// The factor for widths in thousandths, for fonts whose glyphs are drawn by the document.
    scale: f32,
}

enum Codes<'a> {
    /// Codes of one byte.
    Simple(Option<Encoding<'a>>),
    /// Two-byte codes, whose meaning is given only by the font's own map.
    Pairs,
    /// The codes of a common character encoding.
    Known(&'static Charset),
}

/// The text and width of one code in a string.
pub(super) struct Glyph {
    pub text: String,
    /// The width in units of the font size.
    pub width: f32,
    /// Whether this is the one-byte code 32, to which word spacing applies.
    pub is_space: bool,
}

impl<'a> Font<'a> {
    fn read(document: &'a Document, font: &'a Dictionary, limit: usize) -> Self {
        let text =
            |dict: &Dictionary, key: &[u8]| match dict.get_deref(key, document).and_then(Object::as_name) {
                Ok(name) => String::from_utf8_lossy(name).into_owned(),
                Err(_) => String::new(),
            };
        let stream = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream);
        let unicode = stream.and_then(|stream| stream.get_plain_content_with_limit(limit));
        let unicode = unicode.map(|bytes| CMap::read(&bytes)).unwrap_or_default();
        let kind = text(font, b"Subtype");
        let mut read = Self {
            name: text(font, b"BaseFont"),
            unicode,
            codes: Codes::Pairs,
            widths: HashMap::new(),
            default: None,
            scale: 1.0,
        };
        if kind == "Type0" {
            read.codes = charset(&text(font, b"Encoding")).map_or(Codes::Pairs, Codes::Known);
            read.default = Some(1000.0);
            let below = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok();
            let below = below.and_then(|all| all.first()).and_then(|one| dictionary(document, one));
            if let Some(below) = below {
                read.default =
                    below.get_deref(b"DW", document).and_then(Object::as_float).ok().or(read.default);
                read.wide(document, below);
            }
            return read;
        }
        if kind == "Type3" {
            let matrix = font.get_deref(b"FontMatrix", document).and_then(Object::as_array).ok();
            let across = matrix.and_then(|matrix| matrix.first()).and_then(|one| one.as_float().ok());
            read.scale = across.unwrap_or(0.001) * 1000.0;
        }
        let has_own = !read.unicode.is_empty() && font.get(b"Encoding").is_err();
        let encoding = if has_own { None } else { font.get_font_encoding_with_limit(document, limit).ok() };
        read.codes = Codes::Simple(encoding);
        read.simple(document, font);
        read
    }

    /// Reads the widths of a font with one-byte codes.
    fn simple(&mut self, document: &Document, font: &Dictionary) {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or(0);
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else { return };
        for (code, width) in (first.clamp(0, 255) as u32..256).zip(widths) {
            let width = document.dereference(width).and_then(|(_, width)| width.as_float());
            self.widths.extend(width.ok().map(|width| (code, width)));
        }
        let missing = font.get_deref(b"FontDescriptor", document).and_then(Object::as_dict);
        let missing =
            missing.and_then(|about| about.get_deref(b"MissingWidth", document)).and_then(Object::as_float);
        self.default = Some(missing.unwrap_or(0.0)).filter(|width| *width > 0.0).or(Some(500.0));
    }

    /// Reads the widths of a font with two-byte codes: `first [w w w]` or `first last w`.
    fn wide(&mut self, document: &Document, font: &Dictionary) {
        let Ok(all) = font.get_deref(b"W", document).and_then(Object::as_array) else { return };
        let number = |at: usize| all.get(at).and_then(|one| one.as_float().ok());
        let mut at = 0;
        while let (Some(first), Some(second)) = (number(at), all.get(at + 1)) {
            let first = first.clamp(0.0, 65_535.0) as u32;
            let second = document.dereference(second).map_or(second, |(_, second)| second);
            if let Ok(widths) = second.as_array() {
                for (code, width) in (first..).zip(widths) {
                    self.widths.extend(width.as_float().ok().map(|width| (code, width)));
                }
                at += 2;
            } else {
                let last = second.as_float().unwrap_or(0.0).clamp(0.0, 65_535.0) as u32;
                if let Some(width) = number(at + 2) {
                    self.widths.extend((first..=last).map(|code| (code, width)));
                }
                at += 3;
            }
            if self.widths.len() > MAX_WIDTHS {
                return;
            }
        }
    }

    /// Decodes the codes of a string.
    pub fn glyphs(&self, bytes: &[u8]) -> Vec<Glyph> {
        if let (Codes::Known(charset), true) = (&self.codes, self.unicode.is_empty()) {
            let text = charset.decode_without_bom_handling(bytes).0;
            let width = |letter: char| if letter.is_ascii() { 0.5 } else { 1.0 };
            return text
                .chars()
                .map(|c| Glyph { text: c.into(), width: width(c), is_space: false })
                .collect();
        }
        let usual = if matches!(self.codes, Codes::Simple(_)) { 1 } else { 2 };
        let (mut rest, mut glyphs) = (bytes, Vec::new());
        while !rest.is_empty() {
            let own = if usual == 1 { None } else { self.unicode.length(rest) };
            let length = own.unwrap_or(usual).min(rest.len());
            let (code, after) = rest.split_at(length);
            rest = after;
            glyphs.push(self.glyph(code));
        }
        glyphs
    }

    fn glyph(&self, bytes: &[u8]) -> Glyph {
        let code = bytes.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        let mut text = self.unicode.get(bytes.len(), code).map(str::to_owned);
        if let (None, Codes::Simple(Some(encoding))) = (&text, &self.codes) {
            text = encoding.bytes_to_string(bytes).ok();
        }
        let text: String = text.unwrap_or_default().chars().filter(|c| is_text(*c)).collect();
        let letter = text.chars().next().unwrap_or('n');
        let width = self.widths.get(&code).copied().or(self.default);
        let width = width.unwrap_or_else(|| standard(&self.name, letter)) * self.scale / 1000.0;
        Glyph { text, width, is_space: bytes == b" " }
    }
}

/// Whether a character is text: not a control character, a replacement character or a private-use character.
fn is_text(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{ad}' | '\u{feff}')
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).and_then(|(_, object)| object.as_dict()).ok()
}

/// The common encodings of Chinese, Japanese and Korean fonts.
fn charset(name: &str) -> Option<&'static Charset> {
    let has = |part: &str| name.contains(part);
    match () {
        () if has("UCS2") || has("UTF16") => Some(UTF_16BE),
        () if has("GBK") || has("GB-EUC") || has("GBpc") => Some(GBK),
        () if has("RKSJ") => Some(SHIFT_JIS),
        () if has("B5") => Some(BIG5),
        () if has("KSC") && !has("Johab") => Some(EUC_KR),
        () => None,
    }
}
