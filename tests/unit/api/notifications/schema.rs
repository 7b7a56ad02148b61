use understudy::parts::api::is_link;

#[test]
fn is_link_accepts_only_paths_and_https_urls() {
    for good in ["/", "/automations/1?tab=runs#last", "https://example.org/a"] {
        assert!(is_link(good), "{good}");
    }
    for bad in [
        "",
        "automations",
        "//evil.example",
        "/\\evil.example",
        "http://example.org",
        "javascript:alert(1)",
        "https://",
        "https://bank.example@evil.example/",
        "/a b",
        "/a\nb",
        "data:text/html,x",
    ] {
        assert!(!is_link(bad), "{bad}");
    }
}
