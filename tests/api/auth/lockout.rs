//! Failed logins from one network do not lock out other networks.

use serde_json::json;

use crate::api::joining::log_in;
use crate::harness::{Answer, Client, PASSWORD, TestServer, client};

const EMAIL: &str = "user@example.org";

/// Starts a server behind a proxy, so that requests can come from any address.
async fn behind_a_proxy(per_account: u32, everywhere: u32, per_address: u32) -> TestServer {
    TestServer::start_with(|config| {
        config.server.trust_forwarded = true;
        config.auth.failures_per_account = per_account;
        config.auth.failures_per_account_everywhere = everywhere;
        config.auth.failures_per_address = per_address;
    })
    .await
}

async fn from(server: &TestServer, address: &str, email: &str, password: &str) -> Answer {
    let request = client().post(format!("{}/api/auth/login/", server.url()));
    let body = json!({"email": email, "password": password});
    Client::send(request.header("x-forwarded-for", address).json(&body)).await
}

/// Sends `many` guesses and returns how many were checked; the others were throttled.
async fn guesses(server: &TestServer, address: &str, email: &str, many: usize) -> usize {
    let mut taken = 0;
    for _ in 0..many {
        let answer = from(server, address, email, "a guess of no use").await;
        match answer.status {
            401 => taken += 1,
            _ => drop(answer.problem(429, "login_throttled")),
        }
    }
    taken
}

#[tokio::test]
async fn attack_from_many_addresses_does_not_lock_out_the_owner() {
    let server = behind_a_proxy(3, 12, 1_000).await;
    from(&server, "198.51.100.7", EMAIL, PASSWORD).await.ok();
    for n in 0..4 {
        assert_eq!(guesses(&server, &format!("192.0.2.{n}"), EMAIL, 6).await, 3);
    }
    // The account is under attack: each further network gets one guess.
    for n in 0..10 {
        assert_eq!(guesses(&server, &format!("203.0.113.{n}"), EMAIL, 4).await, 1);
    }
    // The owner can log in from a known network, even after a few mistyped passwords, and from any other network at
    // once.
    assert_eq!(guesses(&server, "198.51.100.7", EMAIL, 2).await, 2);
    from(&server, "198.51.100.7", EMAIL, PASSWORD).await.ok();
    from(&server, "198.51.100.8", EMAIL, PASSWORD).await.ok();
    // Other accounts are not affected.
    from(&server, "192.0.2.0", "editor@example.org", PASSWORD).await.ok();
}

#[tokio::test]
async fn guesses_from_one_network_are_throttled() {
    let server = behind_a_proxy(3, 1_000, 1_000).await;
    assert_eq!(guesses(&server, "192.0.2.1", EMAIL, 10).await, 3);
    from(&server, "192.0.2.1", EMAIL, PASSWORD).await.problem(429, "login_throttled");
    // A /64 IPv6 prefix counts as one network.
    assert_eq!(guesses(&server, "2001:db8::1", EMAIL, 2).await, 2);
    assert_eq!(guesses(&server, "2001:db8::2", EMAIL, 3).await, 1);
    assert_eq!(guesses(&server, "2001:db8:0:1::2", EMAIL, 5).await, 3);
}

#[tokio::test]
async fn failures_on_one_account_do_not_use_up_the_limit_of_the_network() {
    let server = behind_a_proxy(3, 1_000, 5).await;
    from(&server, "192.0.2.1", EMAIL, PASSWORD).await.ok();
    assert_eq!(guesses(&server, "192.0.2.1", "unknown@example.org", 20).await, 3);
    from(&server, "192.0.2.1", "editor@example.org", PASSWORD).await.ok();
    // Failures on many accounts use up the limit. Users who have logged in from this network before are not affected.
    assert_eq!(guesses(&server, "192.0.2.1", "x1@example.org", 1).await, 1);
    assert_eq!(guesses(&server, "192.0.2.1", "x2@example.org", 1).await, 1);
    assert_eq!(guesses(&server, "192.0.2.1", "x3@example.org", 1).await, 0);
    from(&server, "192.0.2.1", EMAIL, PASSWORD).await.ok();
}

/// An attempt that is refused because too many are queued does not count as a failure.
#[tokio::test]
async fn undecided_login_attempts_do_not_count_as_failures() {
    let server = TestServer::start_with(|config| config.auth.failures_per_account = 3).await;
    for _ in 0..10 {
        log_in(&server, EMAIL, PASSWORD).await.ok();
    }
}
