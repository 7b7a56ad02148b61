//! Runs and steps per second.

use std::cell::Cell;
use std::time::Instant;

use serde_json::{Value, json};

use crate::flow::{Flow, Run, many};
use crate::graphs::{STEPS_A_ROUND, STEPS_BESIDE, plain, repeating};
use crate::server::{Outcome, Server, connect, own_cpu};
use crate::table::Table;
use crate::{Options, graphs};

/// Numbers of connections, each with one run at a time.
const AT_ONCE: [usize; 3] = [1, 64, 512];

/// Runs from start to end: the request that starts a run is answered when the run ends.
pub async fn runs(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("runs");
    let server = Server::start("").await?;
    let flow = Flow::save(&server, plain()).await?;
    for at_once in AT_ONCE {
        whole_runs(&flow, at_once, options.lasting(1.0)).await?;
        let (began, cpu, own) = (Instant::now(), server.process.cpu(), own_cpu());
        let done = whole_runs(&flow, at_once, options.lasting(5.0)).await?;
        let (seconds, cpu, own) =
            (began.elapsed().as_secs_f64(), server.process.cpu() - cpu, own_cpu() - own);
        table.add(&format!("runs/s of 5 nodes, start to end, {at_once} at once"), "", 0, done / seconds);
        let what = format!("processor time a run, {at_once} at once, µs");
        table.add(&what, "", 0, cpu.as_secs_f64() * 1e6 / done);
        table.add(
            &format!("the same of the load generator, {at_once} at once, µs"),
            "",
            0,
            own.as_secs_f64() * 1e6 / done,
        );
    }
    Ok(())
}

async fn whole_runs(flow: &Flow<'_>, at_once: usize, lasting: std::time::Duration) -> Outcome<f64> {
    let (end, done) = (Instant::now() + lasting, Cell::new(0.0));
    many(flow.server, at_once, at_once, async |connection, _| {
        while Instant::now() < end {
            let (_, state) = flow.ask(connection, &json!({}), "wait").await?;
            if state != "succeeded" {
                return Err(format!("a run is {state}").into());
            }
            done.set(done.get() + 1.0);
        }
        Ok(())
    })
    .await?;
    Ok(done.get())
}

/// Steps of runs that execute a loop. A step is the execution of a node whose `node.finished` event
/// can be read back. All steps of one run are counted. Of every other run only the last event is
/// read, which has to report success at the same position.
pub async fn steps(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("steps");
    let goals = ["≥ 3,000", "≥ 50,000", ""];
    for ((at_once, rounds), goal) in AT_ONCE.into_iter().zip([6_000, 1_500, 200]).zip(goals) {
        let server = Server::start("").await?;
        let flow = Flow::save(&server, repeating()).await?;
        let rounds = options.count(rounds);
        // One-time work, done here so that it is not part of the first measurement.
        let warm = flow.start(1, 1, &json!({"rounds": rounds / 10}), "wait", "succeeded").await?;
        flow.ended(&warm).await?;
        let (began, cpu) = (Instant::now(), server.process.cpu());
        let runs =
            flow.start(at_once, at_once.min(64), &json!({"rounds": rounds}), "async", "queued").await?;
        flow.ended(&runs).await?;
        let (seconds, cpu) = (began.elapsed().as_secs_f64(), server.process.cpu() - cpu);
        let done = durable_steps(&flow, &runs, rounds).await? as f64;
        table.add(&format!("durable steps/s, {at_once} runs at once"), goal, 0, done / seconds);
        let what = format!("processor time a step, {at_once} runs at once, µs");
        table.add(&what, "", 1, cpu.as_secs_f64() * 1e6 / done);
        let resident = server.process.resident() as f64 / 1e6;
        table.add(&format!("memory after {at_once} such runs, MB"), "", 0, resident);
    }
    Ok(())
}

async fn durable_steps(flow: &Flow<'_>, runs: &[Run], rounds: u64) -> Outcome<u64> {
    let mut connection = connect(flow.server.address).await?;
    let journal = flow.events(&mut connection, &runs[0], 0).await?;
    let steps = journal.iter().filter(|event| event["type"] == "node.finished").count() as u64;
    if steps != rounds * STEPS_A_ROUND + STEPS_BESIDE {
        return Err(format!("{steps} steps in {rounds} rounds").into());
    }
    let end = journal.len() as u64;
    many(flow.server, runs.len(), 16, async |connection, number| {
        let last = flow.events(connection, &runs[number], end - 1).await?;
        let succeeded = |event: &Value| {
            event["seq"] == end
                && event["type"] == "run.ended"
                && event["data"]["terminal"]["status"] == "succeeded"
        };
        match last.as_slice() {
            [event] if succeeded(event) => Ok(()),
            _ => Err(format!("a run does not end at {end}: {last:?}").into()),
        }
    })
    .await?;
    Ok(steps * runs.len() as u64)
}

/// Measures how long it takes after the process was killed until each of 1,000 runs has continued.
pub async fn recovery(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("recovery");
    let count = options.count(1_000) as usize;
    let mut server = Server::start("").await?;
    let flow = Flow::save(&server, graphs::pacing()).await?;
    let runs = flow.start(count, 16, &json!({}), "async", "queued").await?;
    tokio::time::sleep(options.lasting(5.0)).await;
    let seen = many(&server, count, 16, async |connection, number| {
        Ok(flow.active(connection, &runs[number]).await?["last_seq"].as_u64().ok_or("a run has ended")?)
    })
    .await?;
    let assistant = flow.assistant;
    let ready = server.crash().await?.as_secs_f64() * 1e3;
    let began = Instant::now();
    let flow = Flow { server: &server, assistant };
    let went_on: [&[u8]; 2] = [b"\"epoch\":2", b"\"type\":\"node.finished\""];
    many(&server, count, 32, async |_, number| flow.until(&runs[number], seen[number], &went_on).await)
        .await?;
    let all = ready + began.elapsed().as_secs_f64() * 1e3;
    table.add(&format!("ready after kill -9 with {count} runs at work, ms"), "≤ 2,000", 0, ready);
    table.add(&format!("until each of {count} has finished a further node, ms"), "", 0, all);
    Ok(())
}
