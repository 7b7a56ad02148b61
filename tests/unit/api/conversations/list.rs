use understudy::parts::api::before;

#[test]
fn before_accepts_seconds_and_milliseconds() {
    assert_eq!(before(1_767_323_045.678).as_millis(), 1_767_323_045_677);
    assert_eq!(before(1_767_323_045_678.0).as_millis(), 1_767_323_045_677);
    assert_eq!(before(0.0).as_millis(), -1);
}
