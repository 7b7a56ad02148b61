//! What became of an attempt.

use std::time::Duration;

use providers::web::{WebClient, WebRequest};

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Taken,
    /// The receiver says that it is no more.
    Gone(String),
    /// It was not taken this time.
    Failed {
        /// Why not, fit to be shown.
        error: String,
        /// How long the receiver asks to wait.
        wait: Option<Duration>,
    },
    /// It will never be taken.
    Hopeless(String),
}

/// Sends a request and looks at nothing but the head of the answer.
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
    fn statuses_say_what_to_do() {
        assert_eq!(read(204, None), Sent::Taken);
        assert!(matches!(read(404, None), Sent::Gone(_)) && matches!(read(410, None), Sent::Gone(_)));
        for status in [301, 308, 400, 401, 429, 500, 503] {
            let wait = Some(Duration::from_secs(7));
            assert!(matches!(read(status, wait), Sent::Failed { wait: Some(_), .. }), "{status}");
        }
    }
}
