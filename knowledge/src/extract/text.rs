//! Decodes bytes in any encoding; reads plain text, code, Markdown and JSON.

use super::flow::fenced;
use super::pages::{Outcome, Pages};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The number of bytes that determine the encoding of a text.
const SAMPLE_BYTES: usize = 256 << 10;

/// Decodes a text. The encoding is determined by a byte order mark, then valid UTF-8, then UTF-16 without a mark, then
/// the encoding named by `label`, and finally a guess. Invalid bytes become replacement characters.
pub(super) fn decode(bytes: &[u8], label: Option<&str>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return clean(&encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return clean(text);
    }
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes())).filter(|named| *named != UTF_8);
    let encoding = bare_utf16(bytes).or(named).unwrap_or_else(|| guess(bytes));
    clean(&encoding.decode_without_bom_handling(bytes).0)
}

/// Detects UTF-16 without a byte order mark by its zero bytes.
fn bare_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let look = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros = |at: usize| look.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
    let (high, low, pairs) = (zeros(0), zeros(1), look.len() / 2);
    if pairs < 2 || high.max(low) * 10 < pairs * 4 {
        return None;
    }
    match (high > low * 8, low > high * 8) {
        (true, _) => Some(UTF_16BE),
        (_, true) => Some(UTF_16LE),
        _ => None,
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let look = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    // A text that is UTF-8 except for a few stray bytes is still treated as UTF-8.
    let broken = look.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let letters = look.utf8_chunks().map(|chunk| chunk.valid().chars().filter(|c| !c.is_ascii()).count());
    if letters.sum::<usize>() > broken * 4 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(look, look.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// Normalizes line ends to `\n`, and removes control characters that do not belong in a text.
fn clean(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => {
                letters.next_if_eq(&'\n');
                all.push('\n');
            }
            '\n' | '\t' => all.push(letter),
            '\u{c}' => all.push('\n'),
            '\u{feff}' => {}
            c if c.is_control() => {}
            c => all.push(c),
        }
    }
    all
}

/// Decodes an XML or HTML file, which may declare its own encoding.
pub(super) fn decode_xml(bytes: &[u8]) -> String {
    decode(bytes, declared(bytes).as_deref())
}

/// The encoding declared at the beginning of a file: `encoding="x"` or `charset=x`.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_ascii_lowercase();
    let after = |word: &str| head.split_once(word).map(|(_, rest)| rest.to_owned());
    let rest = after("encoding=").or_else(|| after("charset="))?;
    let label = rest.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.".contains(c)).unwrap_or(label.len());
    Some(label[..end].to_owned()).filter(|label| !label.is_empty())
}

/// Whether the bytes do not look like text in any encoding.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let look = &bytes[..bytes.len().min(8192)];
    if Encoding::for_bom(look).is_some() || bare_utf16(look).is_some() {
        return false;
    }
    let odd = |byte: &&u8| matches!(byte, 0..=6 | 14..=26 | 28..=31);
    let odd = look.iter().filter(odd).count();
    odd * 50 > look.len()
}

pub(super) fn plain(bytes: &[u8], pages: &mut Pages) -> Outcome {
    pages.push(None, decode(bytes, None))
}

/// Reads code. A fence keeps it together so that its comments are not interpreted as headings.
pub(super) fn code(bytes: &[u8], language: &str, pages: &mut Pages) -> Outcome {
    let text = decode(bytes, None);
    if text.trim().is_empty() {
        return pages.push(None, String::new());
    }
    pages.push(None, fenced(text.trim_end(), language))
}

/// Reads Markdown unchanged. Its title is stated in its front matter, or is otherwise its first heading.
pub(super) fn markdown(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let text = decode(bytes, None);
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")).map(|(head, _)| head);
    let named = head.and_then(|head| head.lines().find_map(|line| line.strip_prefix("title:")));
    let first = || text.lines().find_map(|line| line.strip_prefix("# "));
    if let Some(title) = named.map(|title| title.trim().trim_matches(['"', '\''])).or_else(first) {
        pages.call(title);
    }
    pages.push(None, text)
}

/// Reads JSON and lines of JSON: unchanged, or formatted if a line is very long.
pub(super) fn json(bytes: &[u8], pages: &mut Pages) -> Outcome {
    const LONG: usize = 2000;
    let text = decode(bytes, None);
    if text.lines().all(|line| line.len() <= LONG) {
        return pages.push(None, text);
    }
    // A text that is not valid JSON, or is nested too deeply, is used as plain text.
    let spread = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(value) => serde_json::to_string_pretty(&value).unwrap_or(text),
        Err(_) => text,
    };
    pages.push(None, spread)
}
