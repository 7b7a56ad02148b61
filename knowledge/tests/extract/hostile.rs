//! Files that were crafted to do harm.

use crate::support::*;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use knowledge::{ExtractErrorKind as Kind, ExtractorConfig};
use std::io::Write;

crate::tests![
    archives_that_unpack_without_end_are_stopped,
    sizes_that_lie_are_not_believed,
    an_archive_in_an_archive_is_not_entered,
    entities_are_not_expanded,
    deep_nesting_is_no_harm,
    pdfs_that_bite_their_tail_end,
    pdfs_that_promise_too_much_are_not_believed,
    streams_that_unpack_without_end_are_stopped,
    sheets_of_a_billion_cells_are_small,
    old_workbooks_that_bite_their_tail_end,
    mails_within_mails_end,
    memory_has_an_end,
];

/// Limits that save tests from unpacking half a gigabyte.
fn narrow() -> ExtractorConfig {
    ExtractorConfig { memory_bytes: 12 << 20, text_bytes: 1 << 20, ..ExtractorConfig::default() }
}

async fn archives_that_unpack_without_end_are_stopped() {
    let bomb = vec![b' '; 6 << 20];
    let word = archive(&[("word/document.xml", &bomb)]);
    assert!(word.len() < 100_000);
    fails_within(&word, "a.docx", narrow(), Kind::TooLarge, "unpacks to more than").await;
    // Many parts, each of them harmless.
    let part = &bomb[..1 << 20];
    let names: Vec<String> = (0..6).map(|at| format!("xl/worksheets/sheet{at}.xml")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), part)).collect();
    fails_within(&archive(&entries), "a.xlsx", narrow(), Kind::TooLarge, "unpacks to more than").await;
    let text = archive(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", &bomb)]);
    fails_within(&text, "a.odt", narrow(), Kind::TooLarge, "unpacks to more than").await;
    let many: Vec<String> = (0..20_001).map(|at| format!("word/{at}")).collect();
    let entries: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    fails(&archive(&entries), "a.docx", Kind::TooLarge, "entries").await;
}

async fn sizes_that_lie_are_not_believed() {
    let bomb = vec![b' '; 6 << 20];
    let mut word = archive(&[("word/document.xml", &bomb)]);
    let size = (bomb.len() as u32).to_le_bytes();
    let mut changed = 0;
    for at in 0..word.len() - 4 {
        if word[at..at + 4] == size {
            word[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
            changed += 1;
        }
    }
    assert!(changed > 0);
    let why = read_within(&word, "a.docx", narrow()).await.unwrap_err();
    assert!(matches!(why.kind, Kind::TooLarge | Kind::Damaged), "{why:?}");
}

async fn an_archive_in_an_archive_is_not_entered() {
    let mut inner = docx("<w:p><w:r><w:t>deep down</w:t></w:r></w:p>");
    for _ in 0..20 {
        inner = archive(&[("a.zip", &inner)]);
    }
    fails(&inner, "a.zip", Kind::Unsupported, "archive").await;
    // An archive that claims to be a document, but contains only an archive.
    let odd = archive(&[("word/document.xml", &inner)]);
    is_answered(&odd, "a.docx").await;
}

async fn entities_are_not_expanded() {
    let mut laughs = String::from("<!DOCTYPE lolz [<!ENTITY l0 \"lol\">");
    for level in 1..30 {
        let ten = format!("&l{};", level - 1).repeat(10);
        laughs.push_str(&format!("<!ENTITY l{level} \"{ten}\">"));
    }
    laughs.push_str("<!ENTITY file SYSTEM \"file:///etc/passwd\">]>");
    let document = format!(
        "{laughs}<w:document><w:p><w:r><w:t>ha &l29; &file; &amp; &#104;o</w:t></w:r></w:p></w:document>"
    );
    let word = archive(&[("word/document.xml", document.as_bytes())]);
    assert_eq!(words(&word, "a.docx").await, "ha & ho");
    let content = format!(
        "{laughs}<office:document-content><office:body><office:text><text:p>ha &l29; &file;</text:p></office:text></office:body></office:document-content>"
    );
    let odt = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", content.as_bytes()),
    ]);
    assert_eq!(words(&odt, "a.odt").await, "ha");
    let plain = format!("<?xml version=\"1.0\"?>{laughs}<a>&l29;</a>");
    assert!(words(plain.as_bytes(), "a.xml").await.ends_with("<a>&l29;</a>"));
}

async fn deep_nesting_is_no_harm() {
    const DEEP: usize = 200_000;
    let nested = |open: &str, close: &str| format!("{}core{}", open.repeat(DEEP), close.repeat(DEEP));
    for (open, close) in
        [("<div>", "</div>"), ("<ul><li>", ""), ("<table><tr><td>", "</table>"), ("<b>", ""), ("<pre>", "")]
    {
        let text = words(nested(open, close).as_bytes(), "a.html").await;
        assert!(text.ends_with("core") || text.contains("core"), "{open}: {text:.200}");
    }
    let json = nested("[", "]");
    assert!(words(json.as_bytes(), "a.json").await.contains("core"));
    fails(nested("{\\rtf ", "}").as_bytes(), "a.rtf", Kind::TooLarge, "nests too deeply").await;
    let table = format!("{}<w:p><w:r><w:t>core</w:t></w:r></w:p>", "<w:tbl><w:tr><w:tc>".repeat(DEEP));
    assert_eq!(words(&docx(&table), "a.docx").await, "| core | | --- |");
    let list = format!(
        "<office:body><office:text>{}<text:p>core</text:p></office:text>",
        "<text:list><text:list-item>".repeat(DEEP)
    );
    let odt = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", list.as_bytes()),
    ]);
    assert!(words(&odt, "a.odt").await.ends_with("core"));
    let arrays = painted(&format!("{}{} TJ", "[".repeat(DEEP), "]".repeat(DEEP)));
    is_answered(&arrays, "a.pdf").await;
    let object = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    is_answered(&pdf(&["<< /Type /Catalog /Pages 2 0 R >>", &object]), "a.pdf").await;
    is_answered(painted(&"q ".repeat(DEEP)).as_slice(), "a.pdf").await;
}

async fn pdfs_that_bite_their_tail_end() {
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>";
    let shown = stream("BT /F 10 Tf (seen once) Tj ET");
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    let loops = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R 3 0 R] /Parent 2 0 R >>",
        page,
        &shown,
        font,
    ]);
    assert_eq!(words(&loops, "a.pdf").await, "seen once");
    let itself = pdf(&["<< /Type /Catalog /Pages 2 0 R >>", "2 0 R"]);
    is_answered(&itself, "a.pdf").await;
    let length = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] >>",
        page,
        "<< /Length 4 0 R >>\nstream\nx\nendstream",
        font,
    ]);
    is_answered(&length, "a.pdf").await;
    let fonts = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] >>",
        page,
        &shown,
        "<< /Type /Font /Subtype /Type0 /Encoding 5 0 R /DescendantFonts 5 0 R /ToUnicode 5 0 R >>",
    ]);
    is_answered(&fonts, "a.pdf").await;
    // A form that paints itself.
    fails(&painted("/X Do"), "a.pdf", Kind::Empty, "").await;
    let xref = b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /Prev 9 /Root 1 0 R >>\nstartxref\n9\n%%EOF";
    is_answered(xref, "a.pdf").await;
}

async fn pdfs_that_promise_too_much_are_not_believed() {
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>";
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar -9999999999 /Widths [99999999999999999999999999999999999999.0 -99999999999999999999999999999999999999.0 /x] >>";
    let content = stream(
        "BT /F 9999999999999999999999999999.0 Tf 9999999999999999999999999999.0 0 0 9999999999999999999999999999.0 0 0 Tm (a) Tj ET BT /F 10 Tf 0 0 0 0 0 0 Tm (b) Tj ET BT /F 10 Tf 1 0 0 1 0 0 Tm (c) Tj ET",
    );
    let file = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>",
        page,
        &content,
        font,
    ]);
    assert!(words(&file, "a.pdf").await.contains('c'));
    let ranges = "1 begincodespacerange <00> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange ".repeat(1000);
    let wide = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] >>",
        page,
        &stream("BT /F 10 Tf <0001> Tj ET"),
        "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< /W [0 4294967295 500 0 65535 1 0 65535 1] >>] >>",
        &stream(&ranges),
    ]);
    is_answered(&wide, "a.pdf").await;
}

async fn streams_that_unpack_without_end_are_stopped() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(&vec![b' '; 6 << 20]).unwrap();
    let packed = zlib.finish().unwrap();
    let mut file = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page /Contents 4 0 R >>\nendobj\n".to_vec();
    file.extend(
        format!("4 0 obj\n<< /Length {} /Filter /FlateDecode >>\nstream\n", packed.len()).into_bytes(),
    );
    file.extend(&packed);
    file.extend(b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF");
    fails_within(&file, "a.pdf", narrow(), Kind::TooLarge, "unpacks to more than").await;
}

async fn sheets_of_a_billion_cells_are_small() {
    let rows = r#"<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="4000000000"/><table:table-row><table:table-cell table:number-columns-repeated="4294967295"/><table:table-cell><text:p>far</text:p></table:table-cell></table:table-row></table:table>"#;
    let content = format!("<office:body><office:spreadsheet>{rows}</office:spreadsheet></office:body>");
    let ods = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
    ]);
    let text = words(&ods, "a.ods").await;
    assert!(text.contains("far") && text.len() < 100_000, "{}", text.len());
    let sheet = |cells: &str| {
        archive(&[
            ("[Content_Types].xml", br#"<Types><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>"#),
            ("_rels/.rels", br#"<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
            ("xl/workbook.xml", br#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#),
            ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
            ("xl/worksheets/sheet1.xml", format!(r#"<worksheet><dimension ref="A1:XFD1048576"/><sheetData>{cells}</sheetData></worksheet>"#).as_bytes()),
        ])
    };
    let far =
        r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    assert_eq!(words(&sheet(far), "a.xlsx").await, "| 1 | | | --- | --- | | | 2 |");
    // Each cell has its own row and column: as a grid there would be nine million cells.
    let column = |mut at: u32| {
        let mut name = String::new();
        while at > 0 {
            name.insert(0, char::from(b'A' + ((at - 1) % 26) as u8));
            at = (at - 1) / 26;
        }
        name
    };
    let diagonal: String = (1..=3000)
        .map(|at| format!(r#"<row r="{at}"><c r="{}{at}"><v>{at}</v></c></row>"#, column(at)))
        .collect();
    let text = words(&sheet(&diagonal), "a.xlsx").await;
    assert!(text.contains("| 2999 |") && text.len() < 100_000, "{}", text.len());
    is_answered(
        &sheet(r#"<row r="99999999999"><c r="ZZZZZZZZ99999999999" t="s"><v>99999999</v></c></row>"#),
        "a.xlsx",
    )
    .await;
}

/// The sector chain of the directory leads back to its first sector, or to one that does not exist.
async fn old_workbooks_that_bite_their_tail_end() {
    let sound = std::fs::read(sample("catch-libreoffice.xls")).unwrap();
    let number = |at: usize| u32::from_le_bytes(sound[at..at + 4].try_into().unwrap()) as usize;
    let sector = 1 << u16::from_le_bytes([sound[30], sound[31]]);
    let (table, directory) = (number(76), number(48));
    let entry = (table + 1) * sector + directory * 4;
    for next in [directory as u32, 0x00ff_ffff, sound.len() as u32 / sector as u32] {
        let mut ring = sound.clone();
        ring[entry..entry + 4].copy_from_slice(&next.to_le_bytes());
        let why = read_within(&ring, "a.xls", ExtractorConfig::default()).await.unwrap_err();
        assert_eq!(why.kind, Kind::Damaged, "{why:?}");
    }
}

async fn mails_within_mails_end() {
    let mut mail = String::from("From: a@example.org\nSubject: innermost\n\nthe core\n");
    for at in 0..60 {
        mail = format!(
            "From: a@example.org\nSubject: level {at}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b{at}\"\n\n--b{at}\nContent-Type: text/plain\n\nhello\n--b{at}\nContent-Type: message/rfc822\n\n{mail}\n--b{at}--\n"
        );
    }
    assert!(words(mail.as_bytes(), "a.eml").await.contains("hello"));
    let parts = "--b\nContent-Type: multipart/mixed; boundary=b\n\n".repeat(50_000);
    is_answered(
        format!("From: a\nSubject: b\nContent-Type: multipart/mixed; boundary=b\n\n{parts}").as_bytes(),
        "a.eml",
    )
    .await;
}

async fn memory_has_an_end() {
    // Each parsed number takes about thirty bytes.
    let json = format!("[{}0]", "0,".repeat(5 << 20));
    let config = ExtractorConfig { memory_bytes: 16 << 20, ..ExtractorConfig::default() };
    fails_within(json.as_bytes(), "a.json", config, Kind::Memory, "bytes of memory").await;
    assert!(read_bytes(json.as_bytes(), "a.json").await.is_ok());
}
