use super::*;
use crate::models::Model;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};

const LIST: &str = "{\"data\":[{\"id\":\"llama\"}]}";
const PAGE: &str = "<html>";

fn names(config: &ProvidersConfig, known: &[(&str, &str)]) -> Vec<String> {
    let known: Vec<_> = known.iter().map(|(n, u)| ((*n).to_owned(), Url::parse(u).unwrap())).collect();
    let (_, targets) = targets(config, &known);
    targets.iter().map(|t| t.source.host().name.clone()).collect()
}

#[test]
fn targets_omits_excluded_and_configured_ports() {
    let mut config = ProvidersConfig::default();
    assert_eq!(names(&config, &[]).len(), 4);
    config.probe_exclude = vec![8_080];
    let known = [("mine", "http://localhost:11434/v1"), ("vllm", "http://gpu.example/v1")];
    assert_eq!(names(&config, &known), ["lm-studio"]);
    let elsewhere = [("mine", "http://gpu.example:11434/v1")];
    assert_eq!(names(&config, &elsewhere), ["ollama", "lm-studio", "vllm"]);
}

/// Serves one page on a port chosen by the system.
async fn serve(listener: TcpListener, body: &'static str) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut buffer = [0; 1_024];
        let _ = stream.read(&mut buffer).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n", body.len());
        let answer = format!("{head}connection: close\r\n\r\n{body}");
        let _ = stream.write_all(answer.as_bytes()).await;
    }
}

async fn port(body: Option<&'static str>) -> (u16, Option<tokio::task::JoinHandle<()>>) {
    let Some(body) = body else {
        // A bound socket that does not listen: the port is reserved, and connections are refused.
        let bound = TcpSocket::new_v4().unwrap();
        bound.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let port = bound.local_addr().unwrap().port();
        tokio::spawn(async move { (bound, std::future::pending::<()>().await) });
        return (port, None);
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, Some(tokio::spawn(serve(listener, body))))
}

fn found(models: &Models) -> Option<String> {
    models.list().into_iter().map(|m| m.id).find(|id| id.starts_with("ollama/"))
}

#[tokio::test]
async fn probe_adds_and_removes_a_local_server() {
    let models = Models::builtin();
    let weak = Arc::downgrade(&models);
    let (port, server) = port(Some(LIST)).await;
    let mut target = Target::new(FIRST_PROBED, "ollama", port);
    target.probe(&weak).await;
    assert_eq!(found(&models).as_deref(), Some("ollama/llama"));
    assert_eq!(models.default().info.id, "ollama/llama");
    assert!(models.find("ollama/other").is_none());

    let server = server.unwrap();
    server.abort();
    let _ = server.await;
    target.probe(&weak).await;
    assert!(found(&models).is_some(), "one miss is a restart");
    target.probe(&weak).await;
    assert_eq!(found(&models), None);
    assert_eq!(models.default().info.id, "builtin/scribe");
}

#[tokio::test]
async fn probe_skips_unrelated_servers_but_not_empty_ports() {
    let models = Models::builtin();
    let weak = Arc::downgrade(&models);
    let (stranger, _server) = port(Some(PAGE)).await;
    let mut target = Target::new(FIRST_PROBED, "vllm", stranger);
    target.probe(&weak).await;
    assert_eq!(target.skip, SKIPPED_ROUNDS);
    target.probe(&weak).await;
    assert_eq!(target.skip, SKIPPED_ROUNDS - 1);

    let (empty, _) = port(None).await;
    let mut target = Target::new(FIRST_PROBED, "vllm", empty);
    target.probe(&weak).await;
    assert_eq!((target.skip, target.present), (0, false));
}

#[tokio::test]
async fn find_prefers_configured_models_to_probed_ones() {
    let models = Models::builtin();
    let (port, _server) = port(Some(LIST)).await;
    Target::new(FIRST_PROBED, "ollama", port).probe(&Arc::downgrade(&models)).await;
    models.add(Model::new("acme", "m", Arc::new(crate::scribe::Scribe)));
    assert_eq!(models.default().info.id, "acme/m");
}

#[tokio::test]
async fn probe_run_ends_with_the_registry() {
    let models = Models::builtin();
    let every = Duration::from_millis(1);
    let looking = tokio::spawn(run(Arc::downgrade(&models), (every, Vec::new())));
    drop(models);
    let patience = Duration::from_secs(30);
    tokio::time::timeout(patience, looking).await.unwrap().unwrap();
}
