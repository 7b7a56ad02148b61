use understudy::parts::http::{UNKNOWN, content_type, is_media_type};

#[test]
fn is_media_type_requires_a_type_and_a_subtype() {
    for good in ["text/plain", "application/vnd.ms-excel.sheet+xml", "x/y"] {
        assert!(is_media_type(good), "{good}");
    }
    let long = format!("text/{}", "a".repeat(128));
    for bad in
        ["", "text", "text/", "/plain", "text/plain; a=b", "text/pl ain", "text/plain\r\nX: y", "é/a", &long]
    {
        assert!(!is_media_type(bad), "{bad:?}");
    }
}

#[test]
fn content_type_is_always_a_valid_header() {
    assert_eq!(content_type("text/plain; charset=utf-8"), "text/plain; charset=utf-8");
    for bad in ["text/plain\r\nSet-Cookie: a=b", "", "plain", "text/plain\0"] {
        assert_eq!(content_type(bad), UNKNOWN, "{bad:?}");
    }
}
