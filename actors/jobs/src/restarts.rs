//! Background loops that survive their own panics.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Runs a loop until `stopped` is cancelled. After a panic the loop is restarted after `pause`, so that a fault in one pass does
/// not end what the loop is responsible for. `name` identifies the loop in the log.
pub(crate) async fn run_with_restarts<F>(
    name: &'static str,
    pause: Duration,
    stopped: CancellationToken,
    start: impl Fn() -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    while !stopped.is_cancelled() {
        let work = stopped.clone().run_until_cancelled_owned(start());
        if let Err(error) = tasks::spawn(work).await {
            tracing::error!(name, %error, "a background loop failed; restarting it");
            stopped.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
    }
}
