use understudy::parts::http::{with_base, without_base};

#[test]
fn without_base_removes_whole_segments_only() {
    let without = |uri: &str| without_base(&uri.parse().expect("a URI"), "/ai").map(|uri| uri.to_string());
    assert_eq!(without("/ai/api/x?a=/ai/").as_deref(), Some("/api/x?a=/ai/"));
    assert_eq!(without("/ai").as_deref(), Some("/"));
    assert_eq!(without("/ai?a").as_deref(), Some("/?a"));
    assert_eq!(without("http://h/ai/x").as_deref(), Some("http://h/x"));
    for other in ["/aid/x", "/api/x", "/", "/x/ai/y"] {
        assert_eq!(without(other), None, "{other}");
    }
}

#[test]
fn with_base_changes_only_paths_that_lack_it() {
    assert_eq!(with_base("/api/x", "/ai").as_deref(), Some("/ai/api/x"));
    for other in ["/ai/api/x", "https://example.org/x", "//example.org", "x"] {
        assert_eq!(with_base(other, "/ai"), None, "{other}");
    }
}
