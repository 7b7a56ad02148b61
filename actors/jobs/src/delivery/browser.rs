//! Delivery to browsers through push services.

use std::time::Duration;

use providers::push::{MAX_MESSAGE_BYTES, PushKey, Subscription, Urgency, message};
use providers::web::WebClient;
use serde_json::json;
use storage::TenantId;
use storage::records::{Delivery, Severity};

use super::sent::{Sent, post};

pub(super) async fn send(
    web: &WebClient,
    key: &PushKey,
    contact: &str,
    to: &Subscription,
    tenant: TenantId,
    delivery: &Delivery,
    patience: Duration,
) -> Sent {
    let text = text(tenant, delivery);
    // A repeated delivery replaces the first one if the browser has not received it yet.
    let topic = delivery.notice_id.simple().to_string();
    let request = match message(key, to, contact, &topic, urgency(delivery), text.as_bytes()) {
        Ok(request) => request,
        Err(why) => return Sent::Hopeless(why.to_string()),
    };
    match post(web, request, patience).await {
        Sent::Failed { error, .. } if ["it answered 400", "it answered 413"].contains(&error.as_str()) => {
            Sent::Hopeless(error)
        }
        sent => sent,
    }
}

fn urgency(delivery: &Delivery) -> Urgency {
    match (delivery.notice.severity, delivery.notice.kind.as_str()) {
        (Severity::Error, _) => Urgency::High,
        // Messages written by a person are not delayed.
        (Severity::Warning, _) | (_, "message" | "announcement") => Urgency::Normal,
        (Severity::Info, _) => Urgency::Low,
    }
}

/// Builds the payload for the service worker. The body is shortened if the payload would exceed the limit. Clients can load the
/// full notice by its id.
fn text(tenant: TenantId, delivery: &Delivery) -> String {
    let notice = &delivery.notice;
    let said = |body: &str| {
        json!({
            "id": delivery.notice_id, "tenant_id": tenant, "type": notice.kind, "severity": notice.severity,
            "title": notice.title, "body": body, "link": notice.link, "created_at": delivery.told_at,
        })
        .to_string()
    };
    let whole = said(&notice.body);
    if whole.len() <= MAX_MESSAGE_BYTES {
        return whole;
    }
    // A character takes one to six bytes in JSON. The longest prefix that fits is found by binary search, because the size grows
    // with the length.
    let cut = |end: usize| said(&format!("{}…", &notice.body[..end]));
    let ends: Vec<usize> = notice.body.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| cut(*end).len() <= MAX_MESSAGE_BYTES);
    fitting.checked_sub(1).map_or_else(|| said(""), |last| cut(ends[last]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use storage::records::Notice;

    fn delivery(body: &str) -> Delivery {
        let notice = Notice { title: "t".repeat(200), body: body.to_owned(), ..Notice::default() };
        Delivery { notice, ..Delivery::default() }
    }

    #[test]
    fn text_fits_the_limit_with_any_characters() {
        let tenant = TenantId(uuid::Uuid::nil());
        for letter in ["a", "ü", "\u{1}", "\"", "🦆"] {
            let long = letter.repeat(4_000);
            let payload = text(tenant, &delivery(&long));
            assert!(payload.len() <= MAX_MESSAGE_BYTES, "{letter:?} makes {}", payload.len());
            let payload: Value = serde_json::from_str(&payload).unwrap();
            let body = payload["body"].as_str().unwrap();
            assert!(body.ends_with('…') || body == long, "{letter:?}");
            assert!(body.len() > 400, "{letter:?} is cut to {}", body.len());
        }
        let short: Value = serde_json::from_str(&text(tenant, &delivery("short"))).unwrap();
        assert_eq!(short["body"], "short");
    }
}
