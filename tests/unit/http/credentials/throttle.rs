use domain::Code;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use understudy::parts::http::{ENTRIES, LoginThrottle, SignUpThrottle};

fn throttle(per_pair: u32, per_account: u32, per_network: u32) -> LoginThrottle {
    let mut config = understudy::Config::default().auth;
    config.failures_per_account = per_pair;
    config.failures_per_account_everywhere = per_account;
    config.failures_per_address = per_network;
    LoginThrottle::new(&config)
}

fn at(n: u32) -> Option<IpAddr> {
    Some(Ipv4Addr::from(0x0a00_0000 + n).into())
}

fn fail(throttle: &LoginThrottle, email: &str, address: Option<IpAddr>) -> bool {
    throttle.begin(email, address).is_ok()
}

fn succeed(throttle: &LoginThrottle, email: &str, address: Option<IpAddr>) {
    throttle.begin(email, address).unwrap().decide(Ok(Some(()))).unwrap();
}

#[test]
fn begin_counts_failures_per_network() {
    let throttle = throttle(3, 1_000, 1_000);
    assert_eq!((0..10).filter(|_| fail(&throttle, "a@b", at(1))).count(), 3);
    assert_eq!(throttle.begin("A@b", at(1)).err().unwrap().code(), Code::LoginThrottled);
    succeed(&throttle, "a@b", at(2));
    succeed(&throttle, "c@d", at(1));
}

#[test]
fn begin_admits_networks_without_failures_to_an_attacked_account() {
    let throttle = throttle(5, 20, 1_000);
    succeed(&throttle, "a@b", at(0));
    let guesses = |n: u32| (0..10).filter(|_| fail(&throttle, "a@b", at(n))).count();
    assert_eq!((1..=4).map(guesses).sum::<usize>(), 20);
    // From here on, a network without an earlier login gets one attempt, and a network with one gets all attempts.
    assert_eq!((5..105).map(guesses).sum::<usize>(), 100);
    succeed(&throttle, "a@b", at(200));
    assert_eq!(guesses(0), 5);
}

#[test]
fn begin_does_not_count_refused_attempts() {
    let throttle = throttle(3, 1_000, 5);
    for _ in 0..100 {
        fail(&throttle, "a@b", at(1));
    }
    // The account used 3 of the 5 attempts of the network, not 100.
    assert!(fail(&throttle, "x", at(1)) && fail(&throttle, "y", at(1)) && !fail(&throttle, "z", at(1)));
    let throttle = self::throttle(3, 3, 0);
    for _ in 0..100 {
        fail(&throttle, "a@b", at(1));
    }
    assert_eq!(throttle.counted()[..2], [0, 0]);
}

#[test]
fn begin_admits_known_accounts_in_a_throttled_network() {
    let throttle = throttle(3, 1_000, 5);
    succeed(&throttle, "a@b", at(1));
    for n in 0..20 {
        fail(&throttle, &format!("x{n}"), at(1));
    }
    succeed(&throttle, "a@b", at(1));
    assert!(!fail(&throttle, "c@d", at(1)));
}

#[test]
fn decide_takes_back_attempts_that_failed_with_an_error() {
    let throttle = throttle(3, 3, 3);
    for _ in 0..20 {
        let attempt = throttle.begin("a@b", at(1)).unwrap();
        attempt.decide::<()>(Err(Code::Overloaded.into())).unwrap_err();
    }
    succeed(&throttle, "a@b", at(1));
}

#[test]
fn begin_counts_ipv6_addresses_by_64_bit_network() {
    let throttle = throttle(3, 1_000, 1_000);
    let within = |n: u32| Some(format!("2001:db8::{n:x}").parse().unwrap());
    assert_eq!((1..50).filter(|n| fail(&throttle, "a@b", within(*n))).count(), 3);
    assert!(fail(&throttle, "a@b", Some("2001:db8:0:1::1".parse().unwrap())));
}

#[test]
fn throttle_tables_are_bounded() {
    let throttle = throttle(3, 1_000, 1_000);
    for n in 0..200_000 {
        fail(&throttle, &format!("{n}@b"), at(n));
    }
    assert_eq!(throttle.counted(), [ENTRIES.get(); 3]);
}

#[test]
fn sign_up_throttle_counts_by_address_in_all_networks() {
    let mut config = understudy::Config::default().auth;
    (config.failures_per_account, config.failures_per_address) = (3, 5);
    let throttle = SignUpThrottle::new(&config);
    assert_eq!((0..50).filter(|n| throttle.begin("a@b", at(*n)).is_ok()).count(), 3);
    assert_eq!((0..50).filter(|n| throttle.begin(&format!("{n}@b"), at(99)).is_ok()).count(), 5);
}
