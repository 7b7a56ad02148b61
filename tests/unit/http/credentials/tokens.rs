use understudy::parts::http::RefreshSecret;
use understudy::parts::http::SigningKeys;
use uuid::Uuid;

#[test]
fn parse_accepts_only_tokens_of_this_server() {
    let dir = tempfile::tempdir().unwrap();
    let keys = SigningKeys::open(dir.path()).unwrap();
    let token = RefreshSecret::new(&keys, Uuid::from_u128(9)).unwrap();
    let text = token.reveal();
    assert!(RefreshSecret::parse(&keys, &text).unwrap().matches(&token.hash()));
    // A token that was forged for a session with a known id.
    let forged = text.replace(&text[text.len() - 8..], "00000000");
    assert!(RefreshSecret::parse(&keys, &forged).is_none());
    let moved = text.replace("00000000000000000000000000000009", "0000000000000000000000000000000a");
    assert!(RefreshSecret::parse(&keys, &moved).is_none());
}
