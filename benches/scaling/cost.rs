//! The cost of an operation for the server.

use std::time::Instant;

use load::figure::median;
use load::server::{Server, connect, exchange};
use load::{Figure, Outcome, Row};
use tokio::net::TcpStream;

const GOAL: &str = "≤ 2 times";

/// Processor time and elapsed time of one operation.
pub struct Cost {
    cpu_us: f64,
    ms: f64,
}

/// Performs an operation this many times, one after the other.
pub async fn cost(
    server: &Server,
    times: usize,
    mut operation: impl AsyncFnMut(&mut TcpStream) -> Outcome<()>,
) -> Outcome<Cost> {
    let mut connection = connect(server.address).await?;
    // The first operation is not measured, because it creates or loads what the later ones reuse.
    operation(&mut connection).await?;
    let (mut took, before) = (Vec::with_capacity(times), server.process.cpu());
    for _ in 0..times {
        let began = Instant::now();
        operation(&mut connection).await?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let cpu = server.process.cpu().saturating_sub(before).as_secs_f64();
    Ok(Cost { cpu_us: cpu * 1e6 / times as f64, ms: median(&took).unwrap_or_default() })
}

impl Cost {
    /// The cost per part, for example per message that the operation reads.
    pub fn per(self, parts: u64) -> Cost {
        Cost { cpu_us: self.cpu_us / parts as f64, ms: self.ms / parts as f64 }
    }

    /// The cost as two rows.
    pub fn rows(self, name: &str, what: &str) -> [Figure; 2] {
        let decimals = if self.ms < 0.1 { 4 } else { 2 };
        [
            Row::lower(format!("{name}_cpu"), format!("{what}, CPU, µs"), 1).goal(GOAL).is(self.cpu_us),
            Row::lower(format!("{name}_time"), format!("{what}, p50, ms"), decimals).goal(GOAL).is(self.ms),
        ]
    }
}

/// Sends a request that has to succeed and returns the body of the response.
pub async fn succeed(connection: &mut TcpStream, request: &[u8]) -> Outcome<Vec<u8>> {
    let (status, body) = exchange(connection, request).await?;
    match status {
        200..300 => Ok(body),
        _ => Err(format!("{status} {}", String::from_utf8_lossy(&body)).into()),
    }
}
