use understudy::parts::http::{CsvPart, neutral};

#[test]
fn neutral_turns_formulas_into_text() {
    for text in ["=1+1", "+41 44", "-3", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u{ff1d}1"] {
        assert_eq!(neutral(text), format!("'{text}"));
    }
    for text in ["", "Ada", "a=b", "1-2", "2026-11-22", "ada@example.org", "'x"] {
        assert_eq!(neutral(text), text);
    }
}

#[test]
fn line_quotes_cells_if_required() {
    let mut part = CsvPart::default();
    part.line(["a,b", "say \"so\"", "=x\ny"]).unwrap();
    assert_eq!(part.into_bytes().unwrap(), b"\"a,b\",\"say \"\"so\"\"\",\"'=x\ny\"\r\n");
}
