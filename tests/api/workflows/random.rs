//! Random graphs run to their end, and reach the same outputs twice.

use serde_json::json;

use super::scene::{runs, workflow};
use crate::api::streams::reading::server;
use crate::harness::counting_server::CountingServer;
use crate::harness::random_graph::{GraphOptions, random_graph};

#[tokio::test]
async fn random_graphs_run_to_the_end_with_the_same_outputs() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    for seed in 0..60 {
        let races = seed % 3 == 0;
        let http = Some(web.url(&format!("/{seed}")));
        let options = GraphOptions {
            nodes: 4 + seed as usize % 30,
            http,
            races,
            code: seed % 5 == 0,
            ..GraphOptions::default()
        };
        let graph = random_graph(seed, &options);
        let assistant = workflow(&editor, graph.clone()).await;
        let first = editor.post(&runs(&assistant), json!({"mode": "wait"})).await.ok();
        assert_eq!(first["state"], "succeeded", "seed {seed}: {}\n{graph:#}", first["error"]);
        let second = editor.post(&runs(&assistant), json!({"mode": "wait"})).await.ok();
        assert_eq!(second["state"], "succeeded", "seed {seed}: {}", second["error"]);
        if !races {
            assert_eq!(first["outputs"], second["outputs"], "seed {seed}: {graph:#}");
        }
    }
}
