//! Memory of live connections on which nothing happens.

use load::paced::{SETTLED, Stage};
use load::server::{Server, connect, find, request};
use load::setup::Interface;
use load::{Figure, Outcome, Row, Setup, Side, Workload};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

pub const WORKLOADS: [Workload<Stage>; 1] = [Workload {
    name: "live",
    sides: &[Side::Subject],
    checked: &[],
    measure: |stage, _| Box::pin(measure(stage)),
}];

/// Number of connections opened at once.
const STEP: usize = 100;
/// The event with which the feed of notifications begins.
const FIRST_EVENT: &[u8] = b"unread_count";

/// WebSockets with one subscription each, to the feed of notifications, in a process that has served no other.
async fn measure(stage: &Stage) -> Outcome<Vec<Figure>> {
    let count = stage.silent * 5;
    let limit = [("UNDERSTUDY_LIMITS__LIVE_CONNECTIONS", "1000000")];
    let setup = Setup::with(Interface::OpenAi, "", &limit).await?;
    // The first one loads what all others share.
    let mut open = vec![open_socket(&setup.server).await?];
    sleep(SETTLED).await;
    let before = setup.server.process.anonymous();
    while open.len() <= count {
        let step = STEP.min(count + 1 - open.len());
        open.extend(futures::future::try_join_all((0..step).map(|_| open_socket(&setup.server))).await?);
    }
    sleep(SETTLED).await;
    let each = setup.server.process.anonymous().saturating_sub(before) as f64 / 1e3 / count as f64;
    let what = format!("memory of an idle WebSocket with one subscription, {count}, KB");
    Ok(vec![Row::lower("live_memory", what, 1).goal("≤ 24").is(each)])
}

async fn open_socket(server: &Server) -> Outcome<TcpStream> {
    let handshake = request(
        "GET",
        "/api/live?sub=n,/api/notifications",
        &[
            ("authorization", &server.authorization),
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ],
        &[],
    );
    let mut connection = connect(server.address).await?;
    connection.write_all(&handshake).await?;
    let mut read = Vec::new();
    while find(&read, FIRST_EVENT).is_none() {
        if connection.read_buf(&mut read).await? == 0 {
            return Err(format!("no socket: {}", String::from_utf8_lossy(&read)).into());
        }
    }
    Ok(connection)
}
