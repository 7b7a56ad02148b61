//! Runs that wait for people: their memory, the time until a resumed run continues, and the time
//! until the server has restarted.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::Options;
use crate::flow::{Flow, Run, many};
use crate::graphs::asking;
use crate::server::{Outcome, Server, connect, micros};
use crate::table::Table;

/// Number of runs that are resumed, one after the other.
const RESUMED: usize = 200;
/// Number of starts whose median memory is reported. A single start differs from the next by up to 2 MB: how much of the
/// memory that it has used and freed the allocator has returned depends on the moment.
const STARTS: usize = 5;
/// Time until a server has finished its background work after a load.
const SETTLED: Duration = Duration::from_secs(3);
/// Time limit until all runs have been unloaded from memory.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two polls of the number of unloaded runs.
const LOOK: Duration = Duration::from_millis(100);

pub async fn measure(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("waiting");
    let mut server = Server::start("").await?;
    let flow = Flow::save(&server, asking()).await?;
    let count = options.count(10_000) as usize;
    flow.start(1, 1, &json!({}), "wait", "waiting").await?;
    let assistant = flow.assistant;
    let (idle, _) = after_starts(&mut server, 1).await?;
    let flow = Flow { server: &server, assistant };
    let runs = flow.start(count, 256, &json!({}), "wait", "waiting").await?;
    parked(&server, count + 1).await?;
    let grown = server.process.anonymous();
    let assistant = flow.assistant;
    let (loaded, ready) = after_starts(&mut server, count + 1).await?;
    let mut memory = |what: &str, goal: &'static str, bytes: u64| {
        table.add(&format!("memory {what}, MB"), goal, 1, bytes.saturating_sub(idle) as f64 / 1e6);
    };
    memory(&format!("of {count} runs that wait for a form, after a start"), "≤ 5", loaded);
    memory(&format!("of the same server after it has started {count} such runs"), "", grown);
    table.add(&format!("ready after a stop and a start with {count} of them, ms"), "≤ 300", 0, ready);
    let flow = Flow { server: &server, assistant };
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
    Ok(())
}

/// Starts the server [`STARTS`] times with this many unloaded runs. Returns the median of the anonymous memory in bytes,
/// and of the time in milliseconds until it was ready.
async fn after_starts(server: &mut Server, count: usize) -> Outcome<(u64, f64)> {
    let (mut memory, mut ready) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        ready.push(server.restart().await?.as_secs_f64() * 1e3);
        parked(server, count).await?;
        memory.push(server.process.anonymous() as f64);
    }
    Ok((quantile(memory, 0.5) as u64, quantile(ready, 0.5)))
}

/// Waits until this many runs are unloaded from memory, and a moment longer.
async fn parked(server: &Server, count: usize) -> Outcome<()> {
    let are_parked = async {
        while server.metric("understudy_runs_parked").await? != count as f64 {
            sleep(LOOK).await;
        }
        Outcome::Ok(())
    };
    timeout(PATIENCE, are_parked).await.map_err(|_| "the runs stay in memory")??;
    sleep(SETTLED).await;
    Ok(())
}

/// Submits the form that a run waits for.
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
