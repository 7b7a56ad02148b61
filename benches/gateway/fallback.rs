//! Latency of a model whose first provider is unreachable: while each request detects the failure again, and after
//! the circuit has opened.

use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;

use load::paced::Stage;
use load::run::{Extent, run};
use load::server::Server;
use load::setup::provider;
use load::{Ask, Figure, Load, Outcome, Row, Side, Target, Workload, role};

/// The models: name, name of the row, and how a response is obtained.
const MODELS: [(&str, &str, &str); 3] = [
    ("fake/bench", "direct", "of the provider itself"),
    ("refused/bench", "refused", "of a fallback, the first provider refuses connections, no retries"),
    ("open/bench", "open", "of a fallback, the first provider's circuit is open"),
];
const WARM_UP: u64 = 50;

pub const WORKLOADS: [Workload<Stage>; 1] = [Workload {
    name: "fallback",
    sides: &[Side::Subject],
    checked: &[],
    measure: |stage, _| Box::pin(measure(stage)),
}];

async fn measure(stage: &Stage) -> Outcome<Vec<Figure>> {
    let fake = role::start("provider", &[])?;
    let chain = r#", fallbacks = ["fake/bench"]"#;
    let unreachable = refusing()?;
    let settings = [
        provider("fake", fake.1, "", ""),
        provider("refused", unreachable, "retries = 0\ncircuit = { failures = 0 }", chain),
        provider(
            "open",
            unreachable,
            "retries = 0\ncircuit = { failures = 1, pause_s = 3600.0, longest_pause_s = 3600.0 }",
            chain,
        ),
    ];
    let server = Server::start(&settings.concat()).await?;
    let mut rows = Vec::new();
    for (model, name, what) in MODELS {
        let target = Rc::new(Target::gateway(server.address, &server.authorization, model));
        let load = |answers| Load::new(1, Ask::fast(1, 1), Extent::Counted(answers));
        // The first request of the last model opens the circuit.
        run(&target, &server.process, load(WARM_UP)).await?;
        let figures = run(&target, &server.process, load(stage.silent as u64)).await?;
        let first = format!("time to first chunk {what}, p50, ms");
        rows.push(Row::lower(format!("fallback_{name}"), first, 2).is(figures.first_ms(0.5)));
    }
    Ok(rows)
}

/// An address that refuses connections.
fn refusing() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
