//! Detects the format of a file by its content, and otherwise by its name and declared type.

use super::office::package::Package;
use super::pages::Outcome;
use super::text::is_binary;
use super::{ExtractError, ExtractErrorKind as Kind, Hint};

/// The supported formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Xlsb,
    Xls,
    Odt,
    Ods,
    Odp,
    Html,
    Markdown,
    Csv,
    Tsv,
    Json,
    Rtf,
    Mail,
    Xml,
    Code(&'static str),
    Plain,
}

impl Format {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Xlsb => "application/vnd.ms-excel.sheet.binary.macroenabled.12",
            Self::Xls => "application/vnd.ms-excel",
            Self::Odt => "application/vnd.oasis.opendocument.text",
            Self::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            Self::Odp => "application/vnd.oasis.opendocument.presentation",
            Self::Html => "text/html",
            Self::Markdown => "text/markdown",
            Self::Csv => "text/csv",
            Self::Tsv => "text/tab-separated-values",
            Self::Json => "application/json",
            Self::Rtf => "application/rtf",
            Self::Mail => "message/rfc822",
            Self::Xml => "application/xml",
            Self::Code(_) | Self::Plain => "text/plain",
        }
    }
}

fn unsupported(message: impl Into<String>) -> ExtractError {
    ExtractError::new(Kind::Unsupported, message)
}

/// Detects the format of a file by its content, with its name as a hint.
pub(super) fn sniff(bytes: &[u8], hint: &Hint) -> Outcome<Format> {
    let head = &bytes[..bytes.len().min(1024)];
    if let Some(format) = by_magic(bytes, head)? {
        return Ok(format);
    }
    if let Some(picture) = picture(head) {
        return Err(unsupported(format!("the file is {picture}, which contains no text")));
    }
    if is_binary(bytes) {
        return Err(unsupported("the file format is not supported"));
    }
    let claimed = by_name(&hint.filename).or_else(|| by_type(&hint.media_type));
    // For texts, the name may be more precise than the first bytes.
    Ok(match claimed.filter(|format| *format != Format::Plain) {
        Some(format) => format,
        None => by_looks(head).unwrap_or(Format::Plain),
    })
}

fn by_magic(bytes: &[u8], head: &[u8]) -> Outcome<Option<Format>> {
    let find = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return in_zip(bytes).map(Some);
    }
    if head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return in_compound(bytes).map(Some);
    }
    if head.starts_with(b"{\\rtf") {
        return Ok(Some(Format::Rtf));
    }
    // Some PDFs have stray bytes before their header.
    Ok(find(b"%PDF-").then_some(Format::Pdf))
}

fn in_zip(bytes: &[u8]) -> Outcome<Format> {
    let mut package = Package::open(bytes)?;
    if let Some(kind) = package.small("mimetype") {
        let kind = String::from_utf8_lossy(&kind).trim().to_owned();
        let kind = kind.trim_end_matches("-template");
        for format in [Format::Odt, Format::Ods, Format::Odp] {
            if kind == format.media_type() {
                return Ok(format);
            }
        }
        if kind == "application/epub+zip" {
            return Err(unsupported("EPUB books are not supported"));
        }
    }
    let has = |prefix: &str| package.names().any(|name| name.starts_with(prefix));
    match () {
        () if has("word/") => Ok(Format::Docx),
        () if has("ppt/") => Ok(Format::Pptx),
        () if has("xl/workbook.bin") => Ok(Format::Xlsb),
        () if has("xl/") => Ok(Format::Xlsx),
        () => Err(unsupported("the file is an archive; upload the files it contains one by one")),
    }
}

/// The old binary formats of Office, and encrypted new ones.
fn in_compound(bytes: &[u8]) -> Outcome<Format> {
    let wide = |name: &str| name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let has = |name: &str| {
        let name = wide(name);
        bytes.windows(name.len()).any(|window| window == name)
    };
    if has("EncryptedPackage") {
        return Err(ExtractError::encrypted());
    }
    if has("WordDocument") {
        return Err(unsupported("old Word files (.doc) are not supported; save it as .docx and try again"));
    }
    if has("PowerPoint Document") {
        return Err(unsupported(
            "old PowerPoint files (.ppt) are not supported; save it as .pptx and try again",
        ));
    }
    if has("Workbook") || has("Book") {
        return Ok(Format::Xls);
    }
    Err(unsupported("the file is in an old binary format that is not supported"))
}

fn picture(head: &[u8]) -> Option<&'static str> {
    let webp = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP");
    let heic = head.get(4..8) == Some(b"ftyp");
    match () {
        () if head.starts_with(b"\x89PNG") || head.starts_with(b"\xFF\xD8\xFF") => Some("a picture"),
        () if head.starts_with(b"GIF8") || webp => Some("a picture"),
        () if head.starts_with(b"II*\0") || head.starts_with(b"MM\0*") => Some("a picture"),
        () if heic => Some("a picture or a film"),
        () if head.starts_with(b"ID3") || head.starts_with(b"OggS") || head.starts_with(b"fLaC") => {
            Some("a recording")
        }
        () => None,
    }
}

fn by_name(name: &str) -> Option<Format> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    Some(match ending.as_str() {
        "html" | "htm" | "xhtml" => Format::Html,
        "md" | "markdown" | "mdx" => Format::Markdown,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "json" | "ndjson" | "jsonl" | "geojson" => Format::Json,
        "eml" => Format::Mail,
        "xml" | "svg" | "xsd" | "rss" | "atom" => Format::Xml,
        "txt" | "text" | "log" => Format::Plain,
        other => Format::Code(CODE.iter().find(|(known, _)| *known == other)?.1),
    })
}

/// File extensions of code, with the names of the languages.
const CODE: &[(&str, &str)] = &[
    ("bash", "bash"),
    ("bat", "bat"),
    ("c", "c"),
    ("cc", "cpp"),
    ("cfg", "ini"),
    ("clj", "clojure"),
    ("conf", "conf"),
    ("cpp", "cpp"),
    ("cs", "csharp"),
    ("css", "css"),
    ("cxx", "cpp"),
    ("dart", "dart"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("go", "go"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("hs", "haskell"),
    ("ini", "ini"),
    ("java", "java"),
    ("jl", "julia"),
    ("js", "javascript"),
    ("jsx", "jsx"),
    ("kt", "kotlin"),
    ("lua", "lua"),
    ("m", "matlab"),
    ("ml", "ocaml"),
    ("php", "php"),
    ("pl", "perl"),
    ("properties", "properties"),
    ("ps1", "powershell"),
    ("py", "python"),
    ("r", "r"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("scala", "scala"),
    ("scss", "scss"),
    ("sh", "sh"),
    ("sql", "sql"),
    ("swift", "swift"),
    ("toml", "toml"),
    ("ts", "typescript"),
    ("tsx", "tsx"),
    ("vue", "vue"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zig", "zig"),
];

fn by_type(media_type: &str) -> Option<Format> {
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(match bare.as_str() {
        "text/html" | "application/xhtml+xml" => Format::Html,
        "text/markdown" | "text/x-markdown" => Format::Markdown,
        "text/csv" | "application/csv" => Format::Csv,
        "text/tab-separated-values" => Format::Tsv,
        "application/json" | "application/x-ndjson" | "application/ld+json" => Format::Json,
        "message/rfc822" => Format::Mail,
        "application/xml" | "text/xml" => Format::Xml,
        "application/yaml" | "application/x-yaml" | "text/yaml" => Format::Code("yaml"),
        "application/javascript" | "text/javascript" => Format::Code("javascript"),
        "application/x-sh" | "text/x-shellscript" => Format::Code("sh"),
        "text/x-python" | "text/x-script.python" => Format::Code("python"),
        "text/x-rust" => Format::Code("rust"),
        "text/css" => Format::Code("css"),
        _ => return None,
    })
}

/// The format of a text without a helpful name or type.
fn by_looks(head: &[u8]) -> Option<Format> {
    let text = super::text::decode(head, None);
    let start = text.trim_start().get(..200.min(text.trim_start().len())).unwrap_or(text.trim_start());
    let lower = start.to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        return Some(Format::Html);
    }
    if lower.starts_with("<?xml") {
        return Some(if text.contains("<html") { Format::Html } else { Format::Xml });
    }
    let heads = ["return-path:", "received:", "from:", "mime-version:", "delivered-to:", "message-id:"];
    let is_mail =
        heads.iter().any(|head| lower.starts_with(head)) && text.to_ascii_lowercase().contains("\nsubject:");
    is_mail.then_some(Format::Mail)
}
