use understudy::parts::http::{media_type, plain_name, unquoted};

#[test]
fn plain_name_removes_folders() {
    assert_eq!(plain_name("../../etc/passwd"), "passwd");
    assert_eq!(plain_name(&unquoted("the %22best%22%0D%0A of 50%.txt")), "the \"best\" of 50%.txt");
    assert_eq!(plain_name("C:\\x\\r\u{0}eport.pdf"), "report.pdf");
    assert_eq!(plain_name("a/.."), "file");
    assert_eq!(plain_name(&"é".repeat(300)).chars().count(), 255);
}

#[test]
fn media_type_prefers_the_first_bytes() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    assert_eq!(media_type(png, Some("text/plain".into())), "image/png");
    assert_eq!(media_type(b"# Title", Some("text/markdown".into())), "text/markdown");
    assert_eq!(media_type(b"# Title", None), "text/plain");
    assert_eq!(media_type(b"# Title", Some("text/a\r\nb: c".into())), "text/plain");
    assert_eq!(media_type(b"\0\x01\x02", Some("text/plain".into())), "application/octet-stream");
}
