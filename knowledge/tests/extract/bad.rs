//! Files that cannot be read, and the reported reasons.

use crate::support::*;
use encoding_rs::{SHIFT_JIS, UTF_16LE, WINDOWS_1251};
use knowledge::{ExtractErrorKind as Kind, ExtractorConfig};

crate::tests![
    nothing_is_empty,
    pictures_and_archives_are_not_read,
    wrong_beginnings_are_damaged,
    broken_encodings_are_read_as_well_as_can_be,
    every_encoding_that_is_common_is_found,
    locked_office_files_say_so,
    limits_on_text_pages_and_bytes_hold,
    cut_samples_get_an_answer,
    changed_samples_get_an_answer,
];

async fn nothing_is_empty() {
    for (bytes, name) in [
        ("", "a.txt"),
        ("", "a.pdf"),
        (" \n\t ", "a.txt"),
        ("\u{feff}", "a"),
        ("<p> </p>", "a.html"),
        ("\n\n", "a.csv"),
        ("", ""),
    ] {
        fails(bytes.as_bytes(), name, Kind::Empty, "").await;
    }
    fails(&docx(""), "a.docx", Kind::Empty, "no text").await;
    fails(&painted("BT ET"), "a.pdf", Kind::Empty, "images only").await;
}

async fn pictures_and_archives_are_not_read() {
    fails(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.png", Kind::Unsupported, "a picture").await;
    fails(b"\xff\xd8\xff\xe0\0\x10JFIF", "a.txt", Kind::Unsupported, "a picture").await;
    fails(b"GIF89a\x01\0\x01\0", "a", Kind::Unsupported, "a picture").await;
    fails(&archive(&[("a.txt", b"text"), ("b.docx", &docx("x"))]), "a.zip", Kind::Unsupported, "archive")
        .await;
    fails(&archive(&[("mimetype", b"application/epub+zip")]), "a.epub", Kind::Unsupported, "EPUB").await;
    let noise: Vec<u8> = (0..5000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fails(&noise, "a.bin", Kind::Unsupported, "not supported").await;
    fails(&noise, "a.txt", Kind::Unsupported, "not supported").await;
    fails(
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0",
        "a.rs",
        Kind::Unsupported,
        "not supported",
    )
    .await;
}

async fn wrong_beginnings_are_damaged() {
    fails(b"PK\x03\x04 and then nothing of an archive", "a.docx", Kind::Damaged, "archive").await;
    fails(b"%PDF-1.7\nand then nothing of a PDF", "a.pdf", Kind::Damaged, "PDF").await;
    fails(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and nothing", "a.doc", Kind::Unsupported, "old binary").await;
    let mut book = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    book.extend("Workbook".encode_utf16().flat_map(u16::to_le_bytes));
    fails(&book, "a.xls", Kind::Damaged, "").await;
    fails(&archive(&[("word/other.xml", b"<a/>")]), "a.docx", Kind::Damaged, "word/document.xml").await;
    fails(&archive(&[("word/document.xml", b"<a><!-- without an end")]), "a.docx", Kind::Damaged, "XML")
        .await;
    fails(&archive(&[("xl/workbook.xml", b"<a/>")]), "a.xlsx", Kind::Damaged, "").await;
    fails(b"{\\rtf1", "a.rtf", Kind::Empty, "").await;
    assert_eq!(words(b"{\\rtf1 text}}}}}{{", "a.rtf").await, "text");
}

async fn broken_encodings_are_read_as_well_as_can_be() {
    assert_eq!(words(b"\xff\xfea\0b\0\0\xd8c\0", "a.txt").await, "ab\u{fffd}c");
    assert_eq!(
        words("Grüße und Küsse, schöne Füße \u{fffd}".as_bytes(), "a.txt").await,
        "Grüße und Küsse, schöne Füße \u{fffd}"
    );
    let mut mostly = "Überall gültig, nur einmal nicht: für Ämter, Öfen, Übel ".as_bytes().to_vec();
    mostly.extend(b"\xff.");
    assert!(words(&mostly, "a.txt").await.starts_with("Überall gültig, nur einmal nicht: für Ämter"));
    let strays = ["nul\0byte and bell\x07".to_owned(), " in a longer text".repeat(10)].concat();
    assert!(words(strays.as_bytes(), "a.txt").await.starts_with("nulbyte and bell in a"));
    assert_eq!(words(b"one\rtwo\r\nthree\x0cfour", "a.txt").await, "one two three four");
}

async fn every_encoding_that_is_common_is_found() {
    let german = "Der Bürgermeister größter Städte ißt Äpfel und übt fröhlich das Flötenspiel.";
    let russian = "Маяк зажигают каждый вечер, и смотритель записывает погоду на рассвете.";
    let japanese = "灯台守は毎晩ランプに火をともします。霧の夜には鐘も鳴らします。";
    let wide =
        |text: &str, order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let latin: Vec<u8> = german.chars().map(|c| c as u8).collect();
    let marked = [&[0xFE, 0xFF][..], &wide(russian, u16::to_be_bytes)].concat();
    let cases = [
        (german, german.as_bytes().to_vec()),
        (german, latin),
        (german, wide(german, u16::to_le_bytes)),
        (german, wide(german, u16::to_be_bytes)),
        (russian, marked),
        (russian, WINDOWS_1251.encode(russian).0.into_owned()),
        (japanese, SHIFT_JIS.encode(japanese).0.into_owned()),
    ];
    for (text, bytes) in cases {
        assert_eq!(words(&bytes, "a.txt").await, text);
    }
    assert_eq!(UTF_16LE.name(), "UTF-16LE");
    let declared =
        [&b"<?xml version='1.0' encoding='windows-1251'?><a>"[..], &WINDOWS_1251.encode("Маяк").0, b"</a>"]
            .concat();
    assert!(words(&declared, "a.html").await.contains("Маяк"));
}

async fn locked_office_files_say_so() {
    let mut locked = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    locked.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    fails(&locked, "a.docx", Kind::Encrypted, "password").await;
    let odt = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", b"<m><manifest:encryption-data/></m>"),
        ("content.xml", b"\x01\x02\x03"),
    ]);
    fails(&odt, "a.odt", Kind::Encrypted, "password").await;
}

async fn limits_on_text_pages_and_bytes_hold() {
    let config =
        ExtractorConfig { text_bytes: 1000, pages: 2, file_bytes: 10_000, ..ExtractorConfig::default() };
    let long = "word ".repeat(300);
    fails_within(&[b'a'; 10_001], "a.txt", config.clone(), Kind::TooLarge, "10000 bytes").await;
    let paragraph = format!("<w:p><w:r><w:t>{long}</w:t></w:r></w:p>");
    for (bytes, name) in [
        (long.clone().into_bytes(), "a.txt"),
        (long.clone().into_bytes(), "a.md"),
        (long.clone().into_bytes(), "a.py"),
        (format!("<p>{long}").into_bytes(), "a.html"),
        (format!("a,{long}").into_bytes(), "a.csv"),
        (format!("{{\\rtf {long}}}").into_bytes(), "a.rtf"),
        (format!("From: a\nSubject: b\n\n{long}").into_bytes(), "a.eml"),
        (docx(&paragraph), "a.docx"),
        (painted(&format!("BT /F 1 Tf ({long}) Tj ET")), "a.pdf"),
    ] {
        fails_within(&bytes, name, config.clone(), Kind::TooLarge, "1000 bytes of text").await;
    }
    for name in [
        "regulations-reportlab.pdf",
        "catch-libreoffice.ods",
        "catch-libreoffice.xlsx",
        "ferry-libreoffice.odp",
        "harbour-pandoc.pptx",
    ] {
        let config = ExtractorConfig { pages: 2, ..ExtractorConfig::default() };
        let bytes = std::fs::read(sample(name)).unwrap();
        fails_within(&bytes, name, config.clone(), Kind::TooLarge, "more than 2 pages").await;
        let enough = ExtractorConfig { pages: 3, ..config };
        assert_eq!(read_within(&bytes, name, enough).await.unwrap().pages.len(), 3, "{name}");
    }
}

fn samples() -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(sample("")).unwrap().flatten();
    let mut all: Vec<_> = files
        .map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()))
        .collect();
    all.sort();
    all
}

async fn cut_samples_get_an_answer() {
    for (name, bytes) in samples() {
        for tenths in [1, 5, 9] {
            is_answered(&bytes[..bytes.len() * tenths / 10], &name).await;
        }
    }
}

async fn changed_samples_get_an_answer() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    for (name, bytes) in samples() {
        for _ in 0..3 {
            let mut changed = bytes.clone();
            for _ in 0..10 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let at = seed as usize % changed.len();
                changed[at] = (seed >> 32) as u8;
            }
            is_answered(&changed, &name).await;
        }
    }
}
