//! Files produced by common programs.

use crate::support::{flat, painted, pdf, read, read_bytes, stream, words};
use knowledge::ExtractErrorKind as Kind;

crate::tests![
    every_sample_says_what_is_known_of_it,
    every_sample_is_of_the_type_it_is_said_to_be,
    structure_is_kept,
    sheets_and_slides_have_names,
    titles_are_found,
    locked_and_blank_samples_are_told_apart,
    the_content_counts_for_more_than_the_name,
    mails_bring_their_attachments,
    code_is_fenced,
    rtf_knows_its_characters,
    html_leaves_out_what_is_not_shown,
    tables_find_their_separator,
    painted_text_finds_its_order,
];

const KEEPER: &str = "The keeper of the Kilbrannan lighthouse winds the clockwork every four hours, and writes down the weather at dawn.";
const OIL: &str = "Öl für die Lampe wird dienstags geliefert.";
const OFFICE: &str = "Orders go to the harbour office in Campbeltown before the fifteenth of each month.";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const SLIDES: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const SHEETS: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A sample, its type, its number of pages, and its text.
type Known = (&'static str, &'static str, usize, &'static [&'static str]);

const KNOWN: &[Known] = &[
    ("handbook-libreoffice.pdf", "application/pdf", 1, &[KEEPER, OIL, OFFICE, "- Trim the wick", "Lamp oil"]),
    (
        "paper-pdflatex.pdf",
        "application/pdf",
        2,
        &[
            "The chief officer of the fleet offers a sufficient definition of traffic: five fishermen find a flagged buoy",
            "Fluffy waffles affect the coffee, as an affluent office staff would confirm in difficult situations.",
            "die Fährverbindung öffnet täglich um acht Uhr, außer an Feiertagen. Naïve façades",
            "Herring are caught at night with drift nets along the western banks, and landed before the market opens at six.",
            "Mackerel are caught by day with feathered lines, and smoked over oak chips in the sheds behind the pier.",
        ],
    ),
    (
        "regulations-reportlab.pdf",
        "application/pdf",
        3,
        &[
            "No vessel shall exceed five knots within the breakwater, except the lifeboat on service.",
            "Oily rags are to be put into the red bins behind the ice house, never into the water.",
            "between noon and one o'clock; Übungen sind anzumelden.",
        ],
    ),
    ("regulations-linearized-qpdf.pdf", "application/pdf", 3, &["Oily rags are to be put into the red bins"]),
    (
        "weather-fpdf2.pdf",
        "application/pdf",
        2,
        &["nine hundred and sixty-one millibars before the gale arrived from"],
    ),
    ("weather-owner-qpdf.pdf", "application/pdf", 2, &["The gale lasted for thirty hours."]),
    ("handbook-libreoffice.docx", WORD, 1, &[KEEPER, OIL, OFFICE]),
    ("handbook-pandoc.docx", WORD, 1, &[KEEPER, OIL, OFFICE, "The office is closed on Sundays."]),
    (
        "minutes-python-docx.docx",
        WORD,
        1,
        &[
            "met in the boathouse on the ninth of May, with seven members present.",
            "Signed by Morag MacLeod, who keeps",
        ],
    ),
    ("handbook-libreoffice.odt", "application/vnd.oasis.opendocument.text", 1, &[KEEPER, OIL, OFFICE]),
    (
        "handbook-pandoc.odt",
        "application/vnd.oasis.opendocument.text",
        1,
        &[KEEPER, OIL, "closed on Sundays."],
    ),
    ("handbook-libreoffice.rtf", "application/rtf", 1, &[KEEPER, OIL, OFFICE]),
    ("handbook-pandoc.rtf", "application/rtf", 1, &[KEEPER, OIL, OFFICE]),
    ("handbook-pandoc.html", "text/html", 1, &[KEEPER, OIL, OFFICE]),
    ("handbook.md", "text/markdown", 1, &[KEEPER, OIL, OFFICE]),
    (
        "ferry-python-pptx.pptx",
        SLIDES,
        3,
        &["The first ferry leaves Ardrossan at seven in the morning", "dogs travel free"],
    ),
    (
        "ferry-libreoffice.pptx",
        SLIDES,
        3,
        &["The first ferry leaves Ardrossan at seven in the morning", "dogs travel free"],
    ),
    (
        "harbour-pandoc.pptx",
        SLIDES,
        3,
        &["Spring tides come twice a month", "the tide gauge at the north pier is broken."],
    ),
    (
        "ferry-libreoffice.odp",
        "application/vnd.oasis.opendocument.presentation",
        3,
        &["The first ferry leaves Ardrossan", "Say that dogs travel free of charge.", "| £ 8.40 | £ 4.20 |"],
    ),
    (
        "catch-openpyxl.xlsx",
        SHEETS,
        3,
        &["| 2024-03-01 | Calliope | Herring | 412.5 | 0.85 |", "| =D4*2 |", "Ailsa Müller"],
    ),
    (
        "catch-libreoffice.xlsx",
        SHEETS,
        3,
        &["| 2024-03-02 14:30 | Merganser | Mackerel | 198 | 1.1 |", "| 154.5 |"],
    ),
    (
        "catch-libreoffice.xls",
        "application/vnd.ms-excel",
        3,
        &["| 2024-03-05 | Calliope | Haddock | 77.25 | 154.5 |"],
    ),
    (
        "catch-libreoffice.ods",
        "application/vnd.oasis.opendocument.spreadsheet",
        3,
        &["| 2024-03-02 14:30:00 | Merganser | Mackerel | 198 | 1.1 |", "A note far away from the table"],
    ),
    ("prices-semicolons.csv", "text/csv", 1, &["| Seil, 10 m | 12,50 | enthält \"Haken\" |"]),
    ("prices-utf16.csv", "text/csv", 1, &["| Leuchtkäfer | 3,20 |"]),
    ("prices-latin1.csv", "text/csv", 1, &["| Törnschuhe | 42 | Jürgen Großmann aus Lübeck |"]),
    ("station.json", "application/json", 1, &["the thermometer was moved into the shade"]),
    ("events.ndjson", "application/json", 1, &["buoy recovered by the tender Speedwell"]),
    ("tide.py", "text/plain", 1, &["def height(hours, mean=2.1, range_=3.4):"]),
    ("config.yaml", "text/plain", 1, &["note: two blasts, then silence"]),
    ("letter-windows1252.txt", "text/plain", 1, &["„Täglich“ heißt wirklich täglich – auch an Feiertagen."]),
    ("letter-shiftjis.txt", "text/plain", 1, &["灯台守は毎晩ランプに火をともします。"]),
    (
        "ferry-mail.eml",
        "message/rfc822",
        5,
        &["weil die Schleuse umgebaut wird und deshalb nur noch vormittags geöffnet ist."],
    ),
    ("html-mail.eml", "message/rfc822", 1, &["The regatta starts at the yellow buoy."]),
];

async fn every_sample_says_what_is_known_of_it() {
    for (name, _, pages, says) in KNOWN {
        let read = read(name).await.unwrap_or_else(|why| panic!("{name}: {why:?}"));
        let text = flat(&read);
        says.iter().for_each(|words| assert!(text.contains(words), "{name} does not say {words:?}:\n{text}"));
        assert_eq!(read.pages.len(), *pages, "{name}");
        let numbers: Vec<u32> = read.pages.iter().map(|page| page.number).collect();
        assert_eq!(numbers, (1..=*pages as u32).collect::<Vec<_>>(), "{name}");
    }
}

async fn every_sample_is_of_the_type_it_is_said_to_be() {
    for (name, media_type, ..) in KNOWN {
        assert_eq!(read(name).await.unwrap().media_type, *media_type, "{name}");
    }
    let folder = std::fs::read_dir(crate::support::sample("")).unwrap();
    let refused =
        ["README.md", "scan-reportlab.pdf", "weather-encrypted-qpdf.pdf", "handbook-libreoffice.doc"];
    for file in folder.flatten() {
        let name = file.file_name().into_string().unwrap();
        let is_known = KNOWN.iter().any(|known| known.0 == name) || refused.contains(&name.as_str());
        assert!(is_known, "nothing is known of the sample {name}");
    }
}

async fn structure_is_kept() {
    let table = "| Item | Quantity | Shelf |\n| --- | --- | --- |\n| Wicks | 48 | B2 |\n| Lamp oil | 120 litres | A1 |";
    let list = "- Trim the wick\n- Clean the lens with vinegar\n  - never with sand\n- Close the shutters";
    let numbers = "1. Light the lamp\n2. Start the clockwork";
    let headings = ["# Lighthouse Handbook\n", "\n## Lamps\n", "\n## Supplies\n", "\n### Ordering\n"];
    let names = ["libreoffice.docx", "pandoc.docx", "libreoffice.odt", "pandoc.odt", "pandoc.html"];
    for name in names.map(|name| format!("handbook-{name}")) {
        let text = read(&name).await.unwrap().pages.remove(0).text;
        for part in headings.iter().copied().chain([table, list, numbers]) {
            assert!(text.contains(part), "{name} lacks {part:?}:\n{text}");
        }
    }
    for name in ["handbook-libreoffice.rtf", "handbook-pandoc.rtf"] {
        let text = read(name).await.unwrap().pages.remove(0).text;
        for part in headings[1..].iter().copied().chain([table, "- Trim the wick\n"]) {
            assert!(text.contains(part), "{name} lacks {part:?}:\n{text}");
        }
    }
    let text = read("handbook-libreoffice.pdf").await.unwrap().pages.remove(0).text;
    headings.iter().for_each(|heading| assert!(text.contains(heading), "{heading:?}:\n{text}"));
}

async fn sheets_and_slides_have_names() {
    let names = |read: knowledge::Extracted| {
        read.pages.into_iter().map(|page| page.name.unwrap_or_default()).collect::<Vec<_>>()
    };
    for name in
        ["catch-openpyxl.xlsx", "catch-libreoffice.xlsx", "catch-libreoffice.ods", "catch-libreoffice.xls"]
    {
        assert_eq!(names(read(name).await.unwrap()), ["Catch", "Crew", "Empty"], "{name}");
    }
    for name in ["ferry-python-pptx.pptx", "ferry-libreoffice.pptx", "ferry-libreoffice.odp"] {
        assert_eq!(names(read(name).await.unwrap()), ["Ferry Timetable", "Crossings", "Fares"], "{name}");
    }
}

async fn titles_are_found() {
    let titles = [
        ("handbook-libreoffice.pdf", "Lighthouse Handbook"),
        ("regulations-reportlab.pdf", "Harbour Regulations"),
        ("minutes-python-docx.docx", "Minutes of the Pier Committee"),
        ("handbook-pandoc.odt", "Lighthouse Handbook"),
        ("handbook-pandoc.html", "Lighthouse Handbook"),
        ("handbook-libreoffice.rtf", "Lighthouse Handbook"),
        ("handbook.md", "Lighthouse Handbook"),
        ("harbour-pandoc.pptx", "Harbour Meeting"),
        ("catch-openpyxl.xlsx", "Catch of March"),
        ("ferry-mail.eml", "Fährplan für Juni: Änderungen"),
    ];
    for (name, title) in titles {
        assert_eq!(read(name).await.unwrap().title.as_deref(), Some(title), "{name}");
    }
}

async fn locked_and_blank_samples_are_told_apart() {
    let why = read("weather-encrypted-qpdf.pdf").await.unwrap_err();
    assert_eq!(why.kind, Kind::Encrypted, "{why:?}");
    let why = read("scan-reportlab.pdf").await.unwrap_err();
    assert_eq!(why.kind, Kind::Empty, "{why:?}");
    assert!(why.message.contains("images only"), "{why:?}");
    let why = read("handbook-libreoffice.doc").await.unwrap_err();
    assert_eq!(why.kind, Kind::Unsupported, "{why:?}");
    assert!(why.message.contains(".docx"), "{why:?}");
}

async fn the_content_counts_for_more_than_the_name() {
    let pdf = std::fs::read(crate::support::sample("regulations-reportlab.pdf")).unwrap();
    assert!(words(&pdf, "regulations.txt").await.contains("No vessel shall exceed five knots"));
    let docx = std::fs::read(crate::support::sample("handbook-pandoc.docx")).unwrap();
    assert!(words(&docx, "data.csv").await.contains(KEEPER));
    let read = read_bytes(b"just words, whatever the name says", "words.pdf").await.unwrap();
    assert_eq!(
        (read.media_type.as_str(), flat(&read).as_str()),
        ("text/plain", "just words, whatever the name says")
    );
    let html = b"<!DOCTYPE html><title>T</title><p>A <b>bold</b> claim";
    let read = read_bytes(html, "no-ending").await.unwrap();
    assert_eq!((read.media_type.as_str(), flat(&read).as_str()), ("text/html", "A bold claim"));
}

async fn mails_bring_their_attachments() {
    let read = read("ferry-mail.eml").await.unwrap();
    let mail = &read.pages[0].text;
    for line in [
        "From: Käthe Möller <kaethe@example.org>\n",
        "To: crew@example.org, Tom <tom@example.org>\n",
        "Date: 2024-05-28T09:15:00Z\n",
        "Attachments: Fang im März.xlsx, key.txt, map.png",
    ] {
        assert!(mail.contains(line), "{line:?}:\n{mail}");
    }
    assert_eq!(read.pages[1].name.as_deref(), Some("Fang im März.xlsx: Catch"));
    assert!(read.pages[1].text.contains("| 2024-03-01 | Calliope |"));
    assert_eq!(read.pages[4].name.as_deref(), Some("key.txt"));
    assert_eq!(read.pages[4].text.trim(), "The lock keeper has the spare key.");
}

async fn code_is_fenced() {
    let text = read("tide.py").await.unwrap().pages.remove(0).text;
    assert!(text.starts_with("```python\n# How high the tide is.\n") && text.ends_with("\n```"), "{text}");
    let text = words(b"cat <<E\n```\nE\n# end", "a.sh").await;
    assert!(text.starts_with("````sh ") && text.ends_with(" ````"), "{text}");
}

async fn rtf_knows_its_characters() {
    let rtf = br"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset0 B;}}{\info{\title The \'cc Title}}{\*\secret hidden}\f0 \'cc\'ee\'f0\'e5 \f1 Stra\u223\'dfe \uc2\u8364 xx\uc1 9 \{x\}\emdash y{\v invisible}\par next\line line{\pict 00ff00}}";
    let read = read_bytes(rtf, "a").await.unwrap();
    assert_eq!(read.pages[0].text, "Море Straße €9 {x}—y\n\nnext\nline");
    assert_eq!(read.title.as_deref(), Some("The М Title"));
}

async fn html_leaves_out_what_is_not_shown() {
    let html = b"<html><head><meta charset=iso-8859-1><title>Sp\xe4t</title><style>p{}</style></head><body><nav><a>Menu</a></nav>\
        <script>var a = '<p>no</p>';</script><noscript>no</noscript><div hidden>no<div>no</div></div><p>M\xfchle &amp; Bach &#8212; <a href=x>link</a>\
        <pre>a\n  b</pre><template>no</template><svg><text>no</text></svg><ul><li>one<li>two<ol start=3><li>three</ol></ul>\
        <table><tr><td>x|y<td><p>1<p>2<tr><td>z</table></body></html>";
    let read = read_bytes(html, "a.html").await.unwrap();
    assert_eq!(read.title.as_deref(), Some("Spät"));
    let expected = "Mühle & Bach — link\n\n```\na\n  b\n```\n\n- one\n- two\n  3. three\n\n| x\\|y | 1 2 |\n| --- | --- |\n| z |";
    assert_eq!(read.pages[0].text, expected);
    let only_menu = b"<html><body><nav>All there is</nav></body></html>";
    assert_eq!(words(only_menu, "a.html").await, "All there is");
}

async fn tables_find_their_separator() {
    let row = "| a | b, c |";
    for csv in [
        "a;b, c\nd;e",
        "a\tb, c\nd\te",
        "a|b, c\nd|e",
        "sep=;\na;b, c\nd;e",
        "\"a\",\"b, c\"\nd,e",
        "\u{feff}a;b, c\r\nd;e\r\n",
    ] {
        let text = words(csv.as_bytes(), "x.csv").await;
        assert!(text.starts_with(row) && text.ends_with("| d | e |"), "{csv:?}: {text}");
    }
    let ragged = words(b"a,b,c\n1\n\n1,2,3,4\n", "x.csv").await;
    assert_eq!(ragged, "| a | b | c | | --- | --- | --- | | 1 | | 1 | 2 | 3 | 4 |");
}

async fn painted_text_finds_its_order() {
    let content = "BT /F 10 Tf 50 700 Td (Hello) Tj 27 0 Td (world) Tj BI /W 2 /H 2 /BPC 8 /CS /G ID (ET( EI -27 -12 Td [(Wo) -20 (rds) -2000 (apart, hy-)] TJ T* ET \
        BT /F 10 Tf 1 0 0 1 50 676 Tm (phenated.) Tj ET BT /F 10 Tf 50 600 Td (\\344 new paragraph) Tj ET \
        BT /F 10 Tf 0 1 -1 0 300 300 Tm (upright) Tj ET";
    let read = read_bytes(&painted(content), "a.pdf").await.unwrap();
    assert_eq!(read.pages[0].text, "Hello world\nWords\tapart, hyphenated.\n\nä new paragraph\n\nupright");
    let cmap = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0001> <0003> <0041> <0010> <0011> [<00660066> <d83dde00>] endbfrange 1 beginbfchar <0020> <20ac> endbfchar";
    let file = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F 5 0 R >> >> >>",
        "<< /Type /Page /Parent 2 0 R /Contents [4 0 R] >>",
        &stream("BT /F 10 Tf <000100020003001000110020> Tj ET"),
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /DW 600 >>] /ToUnicode 6 0 R >>",
        &stream(cmap),
    ]);
    assert_eq!(words(&file, "a.pdf").await, "ABCff😀€");
}
