use understudy::parts::api::contradicting_type;

#[test]
fn speaks_against_reports_contradicting_types() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    assert_eq!(contradicting_type(png, "image/png"), None);
    assert_eq!(contradicting_type(png, "image/jpeg"), Some("image/png"));
    assert_eq!(contradicting_type(png, "text/plain"), Some("image/png"));
    assert_eq!(contradicting_type(b"plain words", "text/plain"), None);
    assert_eq!(contradicting_type(b"plain words", "image/png"), None);
    assert_eq!(contradicting_type(b"PK\x03\x04zip", "application/vnd.oasis.opendocument.text"), None);
    assert_eq!(contradicting_type(b"PK\x03\x04zip", "application/pdf"), Some("application/zip"));
}
