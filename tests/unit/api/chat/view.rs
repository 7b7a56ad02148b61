use understudy::parts::api::per_million;

#[test]
fn per_million_is_exact() {
    assert_eq!(per_million(0), "0.000");
    assert_eq!(per_million(150), "0.150");
    assert_eq!(per_million(15_000), "15.000");
}
