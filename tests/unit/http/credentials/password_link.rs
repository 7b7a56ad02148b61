use storage::Timestamp;
use understudy::parts::http::PasswordLink;
use understudy::parts::http::SigningKeys;
use uuid::Uuid;

#[test]
fn matches_only_its_user_password_and_expiry() {
    let dir = tempfile::tempdir().unwrap();
    let keys = SigningKeys::open(dir.path()).unwrap();
    let (user, ends) = (Uuid::from_u128(7), Timestamp::from_millis(1_800_000_000_000));
    let text = PasswordLink::new(&keys, user, ends, "one").reveal();
    let read = PasswordLink::parse(&text).unwrap();
    assert_eq!((read.user(), read.ends()), (user, ends));
    assert!(read.matches(&keys, "one") && !read.matches(&keys, "two"));
    let later = PasswordLink::new(&keys, user, Timestamp::from_millis(1_800_000_000_001), "one").reveal();
    let mixed = format!("{}{}", &later[..54], &text[54..]);
    assert!(!PasswordLink::parse(&mixed).unwrap().matches(&keys, "one"));
    let other = text.replace(&user.simple().to_string(), &Uuid::from_u128(8).simple().to_string());
    assert!(!PasswordLink::parse(&other).unwrap().matches(&keys, "one"));
}

#[test]
fn parse_refuses_malformed_links() {
    let dir = tempfile::tempdir().unwrap();
    let keys = SigningKeys::open(dir.path()).unwrap();
    let text = PasswordLink::new(&keys, Uuid::nil(), Timestamp::from_millis(1), "one").reveal();
    let longer = format!("{text}_00");
    for wrong in ["", "unp_", "unp_a_b_c", &text[1..], &text[..text.len() - 1], &longer] {
        assert!(PasswordLink::parse(wrong).is_none(), "{wrong}");
    }
    assert!(PasswordLink::parse(&text.replace("_0000000000000001_", "_ffffffffffffffff_")).is_none());
    assert!(PasswordLink::parse(&format!("{}é", &text[..text.len() - 2])).is_none());
}
