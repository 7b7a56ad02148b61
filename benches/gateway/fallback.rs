//! The cost in time of a model whose first provider is unreachable: while each request detects it again, and once the
//! circuit is open.

use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;

use crate::role;
use crate::run::{Extent, Load, run};
use crate::server::Server;
use crate::setup::provider;
use crate::table::{Subject, Table};
use crate::target::Target;
use crate::{Ask, Options, Outcome};

/// The models, and what is to be said of the way to an answer of each.
const MODELS: [(&str, &str); 3] = [
    ("fake/bench", "of the provider itself"),
    ("refused/bench", "of a fallback, the first provider refuses connections, no retries"),
    ("open/bench", "of a fallback, the first provider's circuit is open"),
];

pub async fn measure(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("fallback");
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
    for (model, what) in MODELS {
        let target = Rc::new(Target::gateway(server.address, &server.authorization, model));
        let load = |answers| Load { connections: 1, ask: Ask::fast(1, 1), extent: Extent::Counted(answers) };
        // The first request of the last model opens the circuit.
        let warm = run(&target, &server.process, load(50)).await?;
        let figures = run(&target, &server.process, load(options.count(500))).await?;
        table.faults += warm.faults + figures.faults;
        for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
            let first = figures.firsts.value_at_quantile(quantile) as f64 / 1e3;
            table.set(&format!("time to first chunk {what}, {name}, ms"), "", 2, Subject::Understudy, first);
        }
    }
    Ok(())
}

/// An address that refuses connections.
fn refusing() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
