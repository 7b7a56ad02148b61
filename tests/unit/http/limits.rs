use std::net::IpAddr;
use understudy::parts::http::Limits;

#[test]
fn charge_address_limits_each_network() {
    let mut config = understudy::Config::default().limits;
    (config.address_per_second, config.address_burst) = (1, 3);
    let limits = Limits::new(&config);
    let there: IpAddr = "2001:db8::1".parse().unwrap();
    for _ in 0..3 {
        limits.charge_address(there).unwrap();
    }
    // An address in the same network shares the limit; another network does not.
    assert!(limits.charge_address("2001:db8::2".parse().unwrap()).is_err());
    limits.charge_address("2001:db8:0:1::1".parse().unwrap()).unwrap();
    for _ in 0..10 {
        limits.charge_address("::ffff:127.0.0.1".parse().unwrap()).unwrap();
    }
}
