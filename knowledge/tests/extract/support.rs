//! Functions shared by the tests.

use knowledge::{ExtractError, ExtractErrorKind, Extracted, Extractor, ExtractorConfig, Hint};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The path of a sample file.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples").join(name)
}

/// A separate extractor that uses this program.
pub fn extractor() -> Extractor {
    Extractor::new(ExtractorConfig::default())
}

pub fn named(filename: &str) -> Hint {
    Hint { filename: filename.into(), media_type: String::new() }
}

pub async fn read(name: &str) -> Result<Extracted, ExtractError> {
    extractor().extract(&sample(name), &named(name)).await
}

/// Reads bytes as a file with this name.
pub async fn read_bytes(bytes: &[u8], name: &str) -> Result<Extracted, ExtractError> {
    read_within(bytes, name, ExtractorConfig::default()).await
}

/// Reads bytes as a file with this name, within limits.
pub async fn read_within(
    bytes: &[u8],
    name: &str,
    config: ExtractorConfig,
) -> Result<Extracted, ExtractError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    Extractor::new(config).extract(file.path(), &named(name)).await
}

/// The text of a readable file, with whitespace normalized to single spaces.
pub async fn words(bytes: &[u8], name: &str) -> String {
    match read_bytes(bytes, name).await {
        Ok(read) => flat(&read),
        Err(why) => panic!("{name}: {why:?}"),
    }
}

/// The text of all pages, with whitespace normalized to single spaces.
pub fn flat(extracted: &Extracted) -> String {
    let all: Vec<&str> = extracted.pages.iter().flat_map(|page| page.text.split_whitespace()).collect();
    all.join(" ")
}

/// Checks that a file is refused with this kind of error, and that the message contains `says`.
pub async fn fails(bytes: &[u8], name: &str, kind: ExtractErrorKind, says: &str) {
    fails_within(bytes, name, ExtractorConfig::default(), kind, says).await;
}

/// Checks within limits that a file is refused with this kind of error, and that the message contains `says`.
pub async fn fails_within(
    bytes: &[u8],
    name: &str,
    config: ExtractorConfig,
    kind: ExtractErrorKind,
    says: &str,
) {
    match read_within(bytes, name, config).await {
        Ok(read) => panic!("{name} was read: {:.300}", flat(&read)),
        Err(why) => {
            assert_eq!(why.kind, kind, "{name}: {why:?}");
            assert!(why.message.contains(says), "{name}: {why:?}");
        }
    }
}

/// Checks that reading returns any result: no crash, and no exceeded time or memory limit.
pub async fn is_answered(bytes: &[u8], name: &str) {
    if let Err(why) = read_bytes(bytes, name).await {
        use ExtractErrorKind::{Damaged, Empty, Encrypted, TooLarge, Unsupported};
        let fair = [Damaged, Empty, Encrypted, TooLarge, Unsupported].contains(&why.kind);
        assert!(fair, "{name}: {why:?}");
    }
}

/// Creates an archive with these entries.
pub fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Creates a Word file with this body.
pub fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    archive(&[("word/document.xml", document.as_bytes())])
}

/// Creates a PDF of these objects, the first of which is the catalogue, with a correct cross-reference table.
pub fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let table = out.len();
    out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    places.iter().for_each(|place| out.push_str(&format!("{place:010} 00000 n \n")));
    let size = objects.len() + 1;
    out.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    out.into_bytes()
}

/// Creates a stream object.
pub fn stream(content: &str) -> String {
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// Creates a PDF with one page that has this content.
pub fn painted(content: &str) -> Vec<u8> {
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>",
        &stream(content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >> /Length 18 >>\nstream\n/X Do /X Do /X Do \nendstream",
    ])
}

/// Process ids of this process's children, including dead ones that have not been reaped.
pub fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let told = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    told.collect::<Vec<_>>().join(" ").split_whitespace().map(|id| id.parse().unwrap()).collect()
}

/// Waits for a condition.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited in vain: {what}");
}
