use understudy::parts::http::IfMatch;

#[test]
fn if_match_names_versions() {
    let check = |header: Option<&str>, version| {
        IfMatch::new(header.map(str::to_owned)).precondition().check(version).is_ok()
    };
    assert!(check(None, 3));
    assert!(check(Some("*"), 3));
    assert!(check(Some("\"2\", \"3\""), 3));
    assert!(check(Some("W/\"3\""), 3));
    assert!(!check(Some("\"2\""), 3));
    assert!(!check(Some("3"), 3));
    assert!(!check(Some("\"03\", \"+3\""), 3));
    assert!(check(Some("\"x\", *"), 3));
}
