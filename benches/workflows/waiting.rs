//! Runs that wait for people: their memory, how soon one goes on, and how soon the server is back.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::Options;
use crate::flow::{Flow, Run, many};
use crate::graphs::asking;
use crate::server::{Outcome, Server, connect, micros};
use crate::table::Table;

/// Runs that are resumed, one after the other.
const RESUMED: usize = 200;
/// Until a server has tidied up behind a load.
const SETTLED: Duration = Duration::from_secs(3);

pub async fn measure(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("waiting");
    let mut server = Server::start("").await?;
    let flow = Flow::save(&server, asking()).await?;
    let count = options.count(10_000) as usize;
    flow.start(1, 1, &json!({}), "wait", "waiting").await?;
    sleep(SETTLED).await;
    let before = server.process.resident();
    let runs = flow.start(count, 256, &json!({}), "wait", "waiting").await?;
    sleep(SETTLED).await;
    let after = server.process.resident();
    let each = after.saturating_sub(before) as f64 / 1e3 / count as f64;
    table.add(&format!("memory of {count} runs that wait for a form, a run, KB"), "", 1, each);
    table.add("the same, the whole process, MB", "", 0, after as f64 / 1e6);
    let mut connection = connect(server.address).await?;
    let (mut answered, mut ended) = (Vec::new(), Vec::new());
    for run in runs.iter().step_by((count / RESUMED).max(1)) {
        let began = micros();
        resume(&flow, &mut connection, run).await?;
        answered.push((micros() - began) as f64 / 1e3);
        flow.until(run, 0, &[b"\"type\":\"run.ended\"", b"succeeded"]).await?;
        ended.push((micros() - began) as f64 / 1e3);
    }
    for (what, times) in
        [("resume of one of them until the answer", answered), ("until its end is read", ended)]
    {
        for (name, share) in [("median", 0.5), ("99th percentile", 0.99)] {
            table.add(&format!("{what}, {name}, ms"), "", 2, quantile(times.clone(), share));
        }
    }
    let assistant = flow.assistant;
    let ready = server.crash().await?.as_secs_f64() * 1e3;
    let began = Instant::now();
    let flow = Flow { server: &server, assistant };
    let waiting: Vec<_> = runs.iter().skip(1).step_by((count / RESUMED).max(2)).cloned().collect();
    many(&server, waiting.len(), 16, async |connection, number| {
        resume(&flow, connection, &waiting[number]).await
    })
    .await?;
    let resumed = ready + began.elapsed().as_secs_f64() * 1e3;
    table.add(&format!("ready after kill -9 with {count} of them, ms"), "≤ 2,000", 0, ready);
    let what = format!("until {} of all over them were resumed after that, ms", waiting.len());
    table.add(&what, "", 0, resumed);
    sleep(SETTLED).await;
    table.add("the whole process then, MB", "", 0, server.process.resident() as f64 / 1e6);
    let ready = server.restart().await?.as_secs_f64() * 1e3;
    table.add("ready after a stop and a start, ms", "", 0, ready);
    Ok(())
}

/// Answers the form that a run waits on.
async fn resume(flow: &Flow<'_>, on: &mut TcpStream, run: &Run) -> Outcome<()> {
    let path = format!("/api/workflows/{}/runs/{}/resume", flow.assistant, run.conversation);
    let body = json!({"action": "approve", "fields": {"note": "It is good."}});
    let answer = flow.server.call_on(on, "POST", &path, &body).await?;
    match answer["executions"][0] == "ask" {
        true => Ok(()),
        false => Err(format!("not resumed: {answer}").into()),
    }
}

fn quantile(mut times: Vec<f64>, share: f64) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share).round() as usize).copied().unwrap_or_default()
}
