//! Maps the character codes of a font to text, as stated by the font.

use std::collections::HashMap;

/// The maximum number of entries of one map. Fonts have at most 65,536 characters.
const MAX_MAPPINGS: usize = 200_000;
/// The maximum number of code ranges.
const MAX_RANGES: usize = 100;

/// A mapping of character codes to text.
#[derive(Default)]
pub(super) struct CMap {
    map: HashMap<(u8, u32), String>,
    /// The lengths of codes, given by the bytes of the first and last code of each range.
    ranges: Vec<(Vec<u8>, Vec<u8>)>,
    /// The number of entries so far, including repeated ones: a small file can repeat entries many times.
    puts: usize,
}

enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Other(&'a [u8]),
}

impl CMap {
    /// Parses a `ToUnicode` stream; invalid parts are ignored.
    pub fn read(bytes: &[u8]) -> Self {
        let mut cmap = Self::default();
        let mut words = Tokens(bytes);
        let mut mode: &[u8] = b"";
        let mut row: Vec<Vec<u8>> = Vec::new();
        while let Some(word) = words.next() {
            match word {
                Token::Other(name @ (b"beginbfchar" | b"beginbfrange" | b"begincodespacerange")) => {
                    (mode, row) = (name, Vec::new());
                }
                Token::Other(b"endbfchar" | b"endbfrange" | b"endcodespacerange") => mode = b"",
                Token::Hex(hex) if !mode.is_empty() => row.push(hex),
                Token::Open if mode == b"beginbfrange" && row.len() == 2 => cmap.list(&row, &mut words),
                _ => continue,
            }
            let done = match mode {
                b"beginbfchar" | b"begincodespacerange" => row.len() == 2,
                b"beginbfrange" => row.len() >= 3,
                _ => false,
            };
            if done {
                cmap.row(mode, &row);
                row.clear();
            }
        }
        cmap
    }

    fn row(&mut self, mode: &[u8], row: &[Vec<u8>]) {
        match (mode, row) {
            (b"begincodespacerange", [low, high]) => {
                let is_sound = low.len() == high.len() && (1..=4).contains(&low.len());
                if is_sound && self.ranges.len() < MAX_RANGES {
                    self.ranges.push((low.clone(), high.clone()));
                }
            }
            (b"beginbfchar", [code, text]) => self.put(code.len(), number(code), utf16(text)),
            (b"beginbfrange", [low, high, text]) => {
                let (first, last) = (number(low), number(high));
                for code in first..=last.min(first.saturating_add(0xFFFF)) {
                    if self.puts >= MAX_MAPPINGS {
                        break;
                    }
                    let mut units = units(text);
                    if let Some(unit) = units.last_mut() {
                        *unit = unit.wrapping_add((code - first) as u16);
                    }
                    self.put(low.len(), code, String::from_utf16_lossy(&units));
                }
            }
            _ => {}
        }
    }

    /// Parses `<low> <high> [<a> <b> ...]`.
    fn list(&mut self, row: &[Vec<u8>], words: &mut Tokens<'_>) {
        let mut code = number(&row[0]);
        while let Some(word) = words.next() {
            match word {
                Token::Hex(text) => {
                    self.put(row[0].len(), code, utf16(&text));
                    code = code.saturating_add(1);
                }
                Token::Close => return,
                Token::Open | Token::Other(_) => {}
            }
        }
    }

    fn put(&mut self, length: usize, code: u32, text: String) {
        self.puts += 1;
        if self.puts <= MAX_MAPPINGS && (1..=4).contains(&length) {
            self.map.insert((length as u8, code), text);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The text of a code with this number of bytes.
    pub fn get(&self, length: usize, code: u32) -> Option<&str> {
        let exact = self.map.get(&(length as u8, code));
        // Some writers declare the codes of a font with a different length than they use.
        let other = || (1..=2).find_map(|length| self.map.get(&(length, code)));
        exact.or_else(other).map(String::as_str)
    }

    /// The number of bytes of the first code in `bytes`.
    pub fn length(&self, bytes: &[u8]) -> Option<usize> {
        let inside = |(low, high): &&(Vec<u8>, Vec<u8>)| {
            bytes.len() >= low.len()
                && bytes
                    .iter()
                    .zip(low.iter().zip(high))
                    .all(|(byte, (low, high))| (low..=high).contains(&byte))
        };
        self.ranges.iter().find(inside).map(|(low, _)| low.len())
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |all, byte| all << 8 | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [one] => vec![u16::from(*one)],
        bytes => bytes.chunks_exact(2).take(64).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}

fn utf16(bytes: &[u8]) -> String {
    String::from_utf16_lossy(&units(bytes))
}

struct Tokens<'a>(&'a [u8]);

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            let (&first, rest) = self.0.split_first()?;
            match first {
                b'%' => {
                    let end =
                        rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                    self.0 = &rest[end..];
                }
                b'<' if rest.first() == Some(&b'<') => self.0 = &rest[1..],
                b'>' => self.0 = rest,
                b'<' => {
                    let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                    self.0 = rest.get(end + 1..).unwrap_or_default();
                    return Some(Token::Hex(hex(&rest[..end])));
                }
                b'[' | b']' => {
                    self.0 = rest;
                    return Some(if first == b'[' { Token::Open } else { Token::Close });
                }
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"<>[]%".contains(byte);
                    let end = rest.iter().position(ends).map_or(self.0.len(), |end| end + 1);
                    let (word, rest) = self.0.split_at(end);
                    self.0 = rest;
                    return Some(Token::Other(word));
                }
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.iter().filter_map(|digit| char::from(*digit).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).take(512).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}
