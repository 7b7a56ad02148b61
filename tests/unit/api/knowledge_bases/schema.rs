use understudy::parts::api::address;

#[test]
fn address_normalizes_and_rejects_invalid_urls() {
    assert_eq!(address(" HTTPS://Example.ORG/a#part ").as_deref(), Ok("https://example.org/a"));
    assert_eq!(address("http://example.org").as_deref(), Ok("http://example.org/"));
    let long = format!("https://example.org/{}", "a".repeat(2_000));
    for wrong in [
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "https://u:p@example.org",
        "https://u@x.org",
        &long,
    ] {
        assert!(address(wrong).is_err(), "{wrong}");
    }
}
