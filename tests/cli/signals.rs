//! The effects of signals on a server process.

use super::process::ServerProcess;
use crate::harness::{Client, PASSWORD, client, text, until};
use serde_json::Value;

const PROVIDER: &str =
    "[[providers]]\nname = \"NAME\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"one\"]\n";

fn provider(name: &str) -> String {
    PROVIDER.replace("NAME", name)
}

async fn model_ids(client: &Client) -> Vec<String> {
    let models = client.get("/api/chat/models").await.ok();
    let items = models["items"].as_array().or_else(|| models.as_array()).expect("a list");
    items.iter().map(|model: &Value| text(&model["id"])).collect()
}

#[tokio::test]
async fn sighup_reloads_providers_and_log_level_or_keeps_what_is_in_effect() {
    let dir = tempfile::tempdir().unwrap();
    let (file, data) = (dir.path().join("my.toml"), dir.path().join("data"));
    let write = |text: String| std::fs::write(&file, text).unwrap();
    write(format!("[log]\nlevel = \"error\"\n{}{}", provider("first"), provider("second")));
    let config = file.to_str().unwrap();
    let given = [("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD), ("UNDERSTUDY_CONFIG", config)];
    let server = ServerProcess::start(&data, &given).await;
    let token = text(&server.log_in(PASSWORD).await.ok()["access_token"]);
    let admin = Client::new(server.url(), Some(token));
    let has = async |id: &str| model_ids(&admin).await.iter().any(|known| known == id);
    assert!(has("first/one").await && has("second/one").await);
    assert!(!server.log().contains("answered"), "{}", server.log());

    // Another provider in place of one, another log level, and a section that needs a restart.
    write(format!(
        "[log]\nlevel = \"info\"\n[runs]\nper_user = 7\n[telemetry]\nsample_ratio = 0.5\n{}{}",
        provider("first"),
        provider("third")
    ));
    server.signal("HUP");
    server.until_logged("the configuration was reloaded").await;
    until("the new provider is available", async || has("third/one").await).await;
    assert!(has("first/one").await && !has("second/one").await);
    server.until_logged("answered").await;
    let log = server.log();
    assert!(
        log.contains("providers_opened=[\"third\"]") && log.contains("providers_closed=[\"second\"]"),
        "{log}"
    );
    assert!(log.contains("providers_kept=[\"first\"]"), "{log}");
    assert!(
        log.contains("these sections have changed") && log.contains("[\"runs\", \"telemetry\"]"),
        "{log}"
    );

    // A faulty configuration changes nothing, and all of its faults are reported.
    write(format!(
        "[log]\nlevel = \"error\"\n[web]\nallow = [\"no host\"]\n[models]\ndefault = \"x/y\"\n{}",
        provider("fourth")
    ));
    server.signal("HUP");
    server.until_logged("the configuration was not reloaded").await;
    let log = server.log();
    assert!(log.contains("web.allow") && log.contains("models.default"), "{log}");
    assert!(has("third/one").await && !has("fourth/one").await);
    assert!(server.stop().await.success());
}

#[tokio::test]
async fn other_signals_do_not_end_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(dir.path(), &[]).await;
    for signal in ["USR1", "USR2", "ALRM", "IO", "PIPE", "WINCH"] {
        server.signal(signal);
    }
    for signal in ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGIO"] {
        server.until_logged(signal).await;
    }
    assert!(!server.has_ended(), "{}", server.log());
    for path in ["/health", "/healthz", "/readyz"] {
        Client::send(client().get(format!("{}{path}", server.url()))).await.ok();
    }
    assert!(server.stop().await.success());
}

#[tokio::test]
async fn sigquit_stops_without_grace() {
    let dir = tempfile::tempdir().unwrap();
    let mut server =
        ServerProcess::start(dir.path(), &[("UNDERSTUDY_RUNS__SHUTDOWN_GRACE_SECONDS", "600")]).await;
    server.signal("QUIT");
    assert!(server.until_ended().await.success());
    assert!(server.log().contains("SIGQUIT"), "{}", server.log());
}

/// Regression test: shutting down the listener sometimes made the HTTP server log an error.
#[tokio::test]
async fn sigterm_stops_without_logging_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..10 {
        let mut server = ServerProcess::start(dir.path(), &[]).await;
        server.signal("TERM");
        assert!(server.until_ended().await.success());
        let log = server.log();
        assert!(log.contains("stopped") && !log.contains("ERROR"), "{log}");
    }
}
