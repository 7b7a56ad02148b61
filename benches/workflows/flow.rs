//! A workflow on a server, and its runs.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::server::{Answer, Outcome, Server, connect, exchange, find, request};

/// Time limit for everything that is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time between two polls of a run that is waited for.
const LOOK: Duration = Duration::from_millis(5);

pub struct Flow<'a> {
    pub server: &'a Server,
    pub assistant: String,
}

/// A run that was accepted.
#[derive(Clone)]
pub struct Run {
    pub conversation: String,
    pub stream: String,
}

/// Performs a job `count` times, on this many connections at once.
pub async fn many<T>(
    server: &Server,
    count: usize,
    connections: usize,
    job: impl AsyncFn(&mut TcpStream, usize) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let (next, job) = (Cell::new(0), &job);
    let hands = (0..connections.min(count)).map(|_| async {
        let (mut connection, mut done) = (connect(server.address).await?, Vec::new());
        while next.get() < count {
            let number = next.replace(next.get() + 1);
            done.push((number, job(&mut connection, number).await?));
        }
        Outcome::Ok(done)
    });
    let mut done: Vec<_> = futures::future::try_join_all(hands).await?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

impl<'a> Flow<'a> {
    /// Saves an assistant with this workflow.
    pub async fn save(server: &'a Server, graph: Value) -> Outcome<Flow<'a>> {
        let body = json!({"name": "Bench", "type": "workflow", "workflow": graph});
        let answer = server.call("POST", "/api/assistants", &body).await?;
        let assistant = answer["id"].as_str().ok_or("an assistant without an id")?.to_owned();
        Ok(Flow { server, assistant })
    }

    /// Starts a run. With the mode `wait`, the response arrives when the run has ended or waits for
    /// input.
    pub async fn ask(&self, on: &mut TcpStream, inputs: &Value, mode: &str) -> Outcome<(Run, String)> {
        let path = format!("/api/workflows/{}/runs", self.assistant);
        let answer = self.server.call_on(on, "POST", &path, &json!({"inputs": inputs, "mode": mode})).await?;
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        Ok((Run { conversation: text("conversation_id"), stream: text("stream_id") }, text("state")))
    }

    /// Starts this many runs, each of which has to reach the given state.
    pub async fn start(
        &self,
        count: usize,
        at_once: usize,
        inputs: &Value,
        mode: &str,
        state: &str,
    ) -> Outcome<Vec<Run>> {
        many(self.server, count, at_once, async |connection, _| {
            let (run, came_to) = self.ask(connection, inputs, mode).await?;
            match came_to == state {
                true => Ok(run),
                false => Err(format!("a run became {came_to}, not {state}").into()),
            }
        })
        .await
    }

    /// State of a live run; null if it has ended.
    pub async fn active(&self, on: &mut TcpStream, run: &Run) -> Outcome<Value> {
        let path = format!("/api/conversations/{}/streams/active", run.conversation);
        self.server.call_on(on, "GET", &path, &Value::Null).await
    }

    /// Waits until these runs have ended, one after the other, so that few requests are sent.
    pub async fn ended(&self, runs: &[Run]) -> Outcome<()> {
        let mut connection = connect(self.server.address).await?;
        for run in runs {
            let ended = async {
                while !self.active(&mut connection, run).await?.is_null() {
                    sleep(LOOK).await;
                }
                Outcome::Ok(())
            };
            timeout(PATIENCE, ended).await.map_err(|_| "a run does not end")??;
        }
        Ok(())
    }

    fn attach(&self, run: &Run, after: u64) -> Vec<u8> {
        let Run { conversation, stream } = run;
        let path = format!("/api/conversations/{conversation}/streams/{stream}?after={after}&wire=ndjson");
        request("GET", &path, &[("authorization", &self.server.authorization)], &[])
    }

    /// The events of a run that has ended, starting after the given event.
    pub async fn events(&self, on: &mut TcpStream, run: &Run, after: u64) -> Outcome<Vec<Value>> {
        let (status, body) = exchange(on, &self.attach(run, after)).await?;
        let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        match status {
            200 => Ok(lines.map(serde_json::from_slice).collect::<Result<_, _>>()?),
            _ => Err(format!("{status} {}", String::from_utf8_lossy(&body)).into()),
        }
    }

    /// Reads the stream of a live run until one line contains all of the given texts, then disconnects.
    pub async fn until(&self, run: &Run, after: u64, said: &[&[u8]]) -> Outcome<()> {
        let mut connection = connect(self.server.address).await?;
        connection.write_all(&self.attach(run, after)).await?;
        let (mut answer, mut line, mut piece) = (Answer::default(), Vec::new(), vec![0; 16 * 1024]);
        while !answer.done {
            timeout(PATIENCE, connection.readable()).await.map_err(|_| "a run sends nothing")??;
            let read = match connection.try_read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => continue,
                Err(fault) => return Err(fault.into()),
            };
            for byte in answer.feed(&piece[..read])? {
                line.push(*byte);
                if *byte == b'\n' {
                    if said.iter().all(|what| find(&line, what).is_some()) {
                        return Ok(());
                    }
                    line.clear();
                }
            }
        }
        Err("a run has ended before it sent the expected text".into())
    }
}
