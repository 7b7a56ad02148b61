//! Mutations of JSON documents. The results are bytes, because they need not be valid JSON.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

/// A way to change a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonMutation {
    /// A value has another type.
    OtherType,
    /// A field of an object is left out.
    MissingField,
    /// An object has an unknown field.
    ExtraField,
    /// An object has a field twice, with different values.
    RepeatedField,
    /// A text is empty, huge, or consists of unusual characters.
    OddText,
    /// A number at a limit or beyond it, in place of any value.
    OddNumber,
    /// Nested lists or objects, in place of any value.
    DeepNesting,
    /// Bytes that are not valid UTF-8.
    BrokenUtf8,
    /// The end is missing.
    Cut,
    /// A different document.
    OtherDocument,
}

impl JsonMutation {
    pub const ALL: [Self; 10] = [
        Self::OtherType,
        Self::MissingField,
        Self::ExtraField,
        Self::RepeatedField,
        Self::OddText,
        Self::OddNumber,
        Self::DeepNesting,
        Self::BrokenUtf8,
        Self::Cut,
        Self::OtherDocument,
    ];
}

/// A placeholder for a value. When the document is written, it is replaced by text that need not be
/// JSON.
const PLACE: &str = "the place of a value";

/// JSON texts of each type.
const TYPES: [&str; 9] =
    ["null", "true", "1", "-2.5", "\"text\"", "[]", "{}", "[null,\"a\",{}]", "{\"a\":[1]}"];

/// JSON texts of numbers at limits and beyond them.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "-0.0",
    "1.5",
    "1e400",
    "-1e400",
    "1e-400",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "00",
];

/// JSON texts that are documents, or nearly so.
const DOCUMENTS: [&str; 12] = [
    "null",
    "[]",
    "{}",
    "0",
    "\"\"",
    "true",
    "[{}]",
    " \r\n\t ",
    "{} {}",
    "\u{feff}{}",
    "{\"a\":NaN}",
    "<html><body>no</body></html>",
];

/// Unusual texts. Texts for queries and paths are short, because the length of URLs is limited.
pub fn odd_text(dice: &mut StdRng, longest: usize) -> String {
    let length = [255, 256, 1_000, 4_096, 70_000][dice.random_range(0..5)].min(longest);
    match dice.random_range(0..20) {
        0 => String::new(),
        1 => " ".to_owned(),
        2 => "a\0b".to_owned(),
        3 => "x\r\nInjected: yes\r\n\r\n".to_owned(),
        4 => "\u{202e}gnp.exe\u{2066}\u{2069}".to_owned(),
        5 => "\u{feff}\u{200b}\u{200d}".to_owned(),
        6 => "e\u{301}\u{e9}\u{212b}".to_owned(),
        7 => "\u{1f469}\u{200d}\u{1f680}".repeat(length / 44),
        8 => "x".repeat(length),
        9 => "\u{fdfa}".repeat(length / 3),
        10 => "../../../../etc/passwd".to_owned(),
        11 => "%00%0d%0a%ff".to_owned(),
        12 => "{{ 7 * 7 }}${7*7}<script>alert(1)</script>".to_owned(),
        13 => "' OR '1'='1' --".to_owned(),
        14 => "\u{1b}[31m\u{7}\u{8}".to_owned(),
        15 => "00000000-0000-0000-0000-000000000000".to_owned(),
        16 => "http://[::1]:1/\\@127.0.0.1#?".to_owned(),
        17 => "1e999".to_owned(),
        18 => "\u{10ffff}\u{e000}\u{fffe}".to_owned(),
        _ => "-1".to_owned(),
    }
}

/// Changes a document in this way. Returns a description, and the bytes.
pub fn mutate(document: &Value, way: JsonMutation, dice: &mut StdRng) -> (String, Vec<u8>) {
    let of = |kind: fn(&Value) -> bool| pointers(document, kind);
    let objects = of(|value| value.as_object().is_some_and(|fields| !fields.is_empty()));
    let inner: Vec<_> = of(|_| true).into_iter().filter(|at| !at.is_empty()).collect();
    let texts: Vec<_> = of(Value::is_string).into_iter().filter(|at| !at.is_empty()).collect();
    let any = inner.choose(dice).cloned().unwrap_or_default();
    let object = objects.choose(dice).cloned();
    let whole = document.to_string();
    match (way, object) {
        (JsonMutation::OtherType, _) => placed(document, &any, TYPES.choose(dice).expect("types")),
        (JsonMutation::OddNumber, _) => placed(document, &any, NUMBERS.choose(dice).expect("numbers")),
        (JsonMutation::OddText, _) => {
            let at = texts.choose(dice).cloned().unwrap_or(any);
            let lone = dice.random_ratio(1, 12).then(|| "\"\\ud800\"".to_owned());
            let text = lone.unwrap_or_else(|| json!(odd_text(dice, 70_000)).to_string());
            placed(document, &at, &text)
        }
        (JsonMutation::DeepNesting, _) => {
            let (open, close) = [("[", "]"), ("{\"a\":", "}")][dice.random_range(0..2)];
            let levels = [20, 126, 129, 5_000][dice.random_range(0..4)];
            let inner = if open == "[" { "" } else { "1" };
            placed(document, &any, &format!("{}{inner}{}", open.repeat(levels), close.repeat(levels)))
        }
        (JsonMutation::MissingField, Some(at)) => without_field(document, &at, dice),
        (JsonMutation::ExtraField, Some(at)) => {
            let name = ["id", "tenant_id", "__proto__", "", "\u{202e}", "role", "scan"].choose(dice);
            let value = TYPES.choose(dice).expect("types");
            with_field_first(document, &at, name.expect("names"), value)
        }
        (JsonMutation::RepeatedField, Some(at)) => {
            let fields = document.pointer(&at).and_then(Value::as_object).expect("an object");
            let name = fields.keys().nth(dice.random_range(0..fields.len())).expect("a field");
            with_field_first(document, &at, name, TYPES.choose(dice).expect("types"))
        }
        (JsonMutation::BrokenUtf8, _) => {
            let mut bytes = whole.into_bytes();
            let broken: &[u8] =
                [&b"\xff"[..], b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"]
                    [dice.random_range(0..5)];
            let at = dice.random_range(0..=bytes.len());
            bytes.splice(at..at, broken.iter().copied());
            (format!("bytes {broken:x?} at {at}"), bytes)
        }
        (JsonMutation::Cut, _) => {
            let at = dice.random_range(0..whole.len().max(1));
            (format!("cut at {at}"), whole.into_bytes()[..at].to_vec())
        }
        (JsonMutation::OtherDocument | _, _) => {
            let other = DOCUMENTS.choose(dice).expect("documents");
            (format!("the document {other:?}"), other.as_bytes().to_vec())
        }
    }
}

/// The pointers of all values of a kind, the whole document first.
fn pointers(value: &Value, kind: fn(&Value) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((at, value)) = open.pop() {
        if kind(value) {
            found.push(at.clone());
        }
        match value {
            Value::Object(fields) => {
                let step = |name: &str| name.replace('~', "~0").replace('/', "~1");
                open.extend(fields.iter().map(|(name, value)| (format!("{at}/{}", step(name)), value)));
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(n, value)| (format!("{at}/{n}"), value)));
            }
            _ => {}
        }
    }
    found
}

/// The document with this text in place of a value.
fn placed(document: &Value, at: &str, text: &str) -> (String, Vec<u8>) {
    let mut other = document.clone();
    if let Some(value) = other.pointer_mut(at) {
        *value = json!(PLACE);
    }
    let shown: String = text.chars().take(60).collect();
    let bytes = other.to_string().replacen(&json!(PLACE).to_string(), text, 1).into_bytes();
    (format!("{at:?} is {shown:?} ({} bytes)", text.len()), bytes)
}

fn without_field(document: &Value, at: &str, dice: &mut StdRng) -> (String, Vec<u8>) {
    let mut other = document.clone();
    let fields = other.pointer_mut(at).and_then(Value::as_object_mut).expect("an object");
    let name = fields.keys().nth(dice.random_range(0..fields.len())).expect("a field").clone();
    fields.remove(&name);
    (format!("{at:?} without {name:?}"), other.to_string().into_bytes())
}

/// The document with an additional field at the beginning of an object.
fn with_field_first(document: &Value, at: &str, name: &str, value: &str) -> (String, Vec<u8>) {
    let object = document.pointer(at).expect("an object").to_string();
    let text = format!("{{{}:{value},{}", json!(name), &object[1..]);
    let (_, bytes) = placed(document, at, &text);
    (format!("{at:?} with {name:?}: {value}"), bytes)
}
