use understudy::parts::api::dollars;

#[test]
fn dollars_keeps_every_nano_dollar() {
    assert_eq!(dollars(0), "0.000000000");
    assert_eq!(dollars(1_250), "0.000001250");
    assert_eq!(dollars(12_000_000_001_i64), "12.000000001");
    assert_eq!(dollars(-1), "-0.000000001");
}
