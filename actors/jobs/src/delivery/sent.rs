//! The result of a delivery attempt.

use std::time::Duration;

use providers::web::{WebClient, WebRequest};

/// The result of a delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Taken,
    /// The receiver reports that the endpoint no longer exists.
    Gone(String),
    /// The attempt failed and may be repeated.
    Failed {
        /// The reason, suitable for display to users.
        error: String,
        /// The pause that the receiver asks for.
        wait: Option<Duration>,
    },
    /// The delivery can never succeed.
    Hopeless(String),
}

/// Sends a request and reads only the head of the response.
pub(super) async fn post(web: &WebClient, request: WebRequest, patience: Duration) -> Sent {
    let request = WebRequest { max_bytes: u64::MAX, timeout: patience, redirects: false, ..request };
    match web.open(request).await {
        Ok(answer) => read(answer.status, answer.retry_after()),
        Err(why) => Sent::Failed { error: why.message, wait: None },
    }
}

fn read(status: u16, wait: Option<Duration>) -> Sent {
    match status {
        200..=299 => Sent::Taken,
        404 | 410 => Sent::Gone(format!("it answered {status}")),
        300..=399 => {
            Sent::Failed { error: format!("it answered {status}, and redirects are not followed"), wait }
        }
        _ => Sent::Failed { error: format!("it answered {status}"), wait },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_maps_statuses_to_results() {
        assert_eq!(read(204, None), Sent::Taken);
        assert!(matches!(read(404, None), Sent::Gone(_)) && matches!(read(410, None), Sent::Gone(_)));
        for status in [301, 308, 400, 401, 429, 500, 503] {
            let wait = Some(Duration::from_secs(7));
            assert!(matches!(read(status, wait), Sent::Failed { wait: Some(_), .. }), "{status}");
        }
    }
}
