//! Delivery to servers with signed requests: Standard Webhooks, <https://www.standardwebhooks.com>.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use providers::web::{WebClient, WebRequest};
use ring::hmac;
use serde_json::json;
use std::time::Duration;
use storage::records::Delivery;
use storage::{TenantId, Timestamp};

use super::sent::{Sent, post};

/// The prefix of a secret in its displayed form.
pub const SECRET_PREFIX: &str = "whsec_";
/// Length of a secret, in bytes.
pub const SIGNING_BYTES: usize = 32;

pub(super) async fn send(
    web: &WebClient,
    address: &str,
    secret: &[u8],
    tenant: TenantId,
    delivery: &Delivery,
    patience: Duration,
) -> Sent {
    let (id, body) = (delivery.notice_id.to_string(), body(tenant, delivery));
    let seconds = (Timestamp::now().as_millis() / 1_000).to_string();
    let header = |name: &str, value: String| (name.to_owned(), value);
    let headers = vec![
        header("content-type", "application/json".to_owned()),
        header("webhook-signature", sign(secret, &id, &seconds, &body)),
        header("webhook-id", id),
        header("webhook-timestamp", seconds),
    ];
    let request = WebRequest { headers, body: Some(body.into()), ..WebRequest::new("POST", address) };
    post(web, request, patience).await
}

/// Builds the request body. It is identical for every attempt.
fn body(tenant: TenantId, delivery: &Delivery) -> String {
    let notice = &delivery.notice;
    let said = json!({
        "type": notice.kind,
        "timestamp": delivery.told_at,
        "data": {
            "id": delivery.notice_id, "tenant_id": tenant, "user_id": notice.user, "type": notice.kind,
            "severity": notice.severity, "title": notice.title, "body": notice.body, "link": notice.link,
            "data": notice.data, "created_at": delivery.told_at,
        },
    });
    said.to_string()
}

fn sign(secret: &[u8], id: &str, seconds: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let signature = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(signature.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_matches_an_independent_implementation() {
        // Computed with `openssl dgst -sha256 -mac HMAC` over the same bytes.
        let secret = b"0123456789abcdef0123456789abcdef";
        let signed = sign(secret, "msg_1", "1700000000", r#"{"a":1}"#);
        assert_eq!(signed, "v1,rkwp5YuvdrMkcu0ZhuMsXoTg44mHAr1Q0+FFgFpXsjY=");
    }
}
