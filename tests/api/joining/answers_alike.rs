//! With mail configured, signing up does not reveal whether an address has an account.

use super::{provision, sign_up, with_mail};
use crate::harness::PASSWORD;
use serde_json::{Value, json};

/// Returns a response without the parts that always differ.
fn told(answer: &crate::harness::Answer) -> (u16, Value, Vec<(String, String)>) {
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "date" | "x-request-id"))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .collect();
    headers.sort();
    (answer.status, answer.json(), headers)
}

#[tokio::test]
async fn sign_up_returns_the_same_response_for_every_address() {
    let (server, smtp) = with_mail().await;
    for mode in ["open", "approval", "directory"] {
        provision(&server, json!({"mode": mode})).await;
        let unknown = sign_up(&server, &format!("unknown-{mode}@example.org"), PASSWORD).await;
        assert_eq!(unknown.status, 202, "{unknown:?}");
        // A member and a user of another tenant, each with the right password and with a wrong one.
        for email in ["user@example.org", "stranger@example.com"] {
            for password in [PASSWORD, "another long password"] {
                let answer = sign_up(&server, email, password).await;
                assert_eq!(told(&answer), told(&unknown), "{mode}: {email}");
            }
        }
    }
    // The emails are alike as well, except for the token in the link.
    let plain = |email: &str| {
        let letter = smtp.taken().into_iter().find(|letter| letter.to == email).expect("a letter");
        let secret = letter.token("confirm");
        letter.text.replace(&secret, "..")
    };
    assert_eq!(plain("user@example.org"), plain("unknown-open@example.org"));
}
