//! `cargo bench --bench reports`: how long the reports of the control tower take at a million messages over ninety days,
//! of 500 users with 50 assistants and 8 models, requested from the real server over HTTP. For comparison, it also
//! measures how long it takes to read the records of the same messages once.
//!
//! The user, assistant and model of each message are drawn evenly, so that each user meets nearly every assistant and
//! model: the largest number of entries that this many messages can produce. The entries are written by the transactions
//! that book usage and count responses; the text of the messages is not stored. A second table shows the cost of counting:
//! responses booked per second.
//!
//! `-- --messages 100000` uses fewer messages.

mod fill;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use load::server::{Outcome, Server, connect, exchange, number, request};

/// Default number of messages.
const MESSAGES: u64 = 1_000_000;
/// Number of requests per report.
const TIMES: usize = 15;

const REPORTS: [(&str, &str); 9] = [
    ("key figures, 30 days", "kpis"),
    ("overview, 30 days", "overview"),
    ("overview, 90 days, by cost", "overview?sort_by=cost&FROM"),
    ("one assistant, 90 days", "overview/ASSISTANT?FROM"),
    ("models, 90 days", "models?FROM"),
    ("users, 30 days", "users"),
    ("users, 90 days", "users?FROM"),
    ("assistants as a table, 90 days", "overview/export?FROM"),
    ("users as a table, 90 days", "users/export?FROM"),
];

fn messages() -> Outcome<u64> {
    let mut rest = std::env::args().skip(1).filter(|argument| argument != "--bench");
    match (rest.next().as_deref(), rest.next()) {
        (None, _) => Ok(MESSAGES),
        (Some("--messages"), Some(count)) => Ok(count.parse()?),
        (Some(other), _) => Err(format!("unknown argument {other}").into()),
    }
}

/// Returns the durations of one report, in ascending order.
async fn time(server: &Server, path: &str) -> Outcome<Vec<Duration>> {
    let mut connection = connect(server.address).await?;
    let headers = [("authorization", server.authorization.as_str())];
    let asked = request("GET", &format!("/api/control-tower/{path}"), &headers, &[]);
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let began = Instant::now();
        let (status, body) = exchange(&mut connection, &asked).await?;
        times.push(began.elapsed());
        if status != 200 {
            return Err(format!("{path}: {status} {}", String::from_utf8_lossy(&body)).into());
        }
    }
    times.sort();
    Ok(times)
}

async fn perform() -> Outcome<()> {
    let messages = messages()?;
    let mut server = Server::start("").await?;
    let mut filled = None;
    let opened = server
        .between(async |data| {
            filled = Some(fill::fill(&data, messages).await?);
            Ok(())
        })
        .await?;
    let filled = filled.ok_or("nothing was filled")?;
    let millis = |time: Duration| number(time.as_secs_f64() * 1e3, 1);
    println!("\n{} messages\n", number(messages as f64, 0));
    println!("| report | p50 ms | slowest ms |");
    println!("|---|--:|--:|");
    for (name, path) in REPORTS {
        let path = path.replace("ASSISTANT", &filled.assistant.to_string());
        let path = path.replace("FROM", &format!("from_date={}", filled.from));
        let times = time(&server, &path).await?;
        println!("| {name} | {} | {} |", millis(times[TIMES / 2]), millis(times[TIMES - 1]));
    }
    println!("| reading the records of the same once | {} | |", millis(filled.scan));
    println!("\n| | |");
    println!("|---|--:|");
    println!(
        "| answers counted and booked /s | {} |",
        number(messages as f64 / 2.0 / filled.took.as_secs_f64(), 0)
    );
    println!("| the data on disk, MB | {} |", number(filled.bytes as f64 / 1e6, 0));
    println!("| opened again in ms | {} |", millis(opened));
    Ok(())
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(perform()));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("reports: {why}");
            ExitCode::FAILURE
        }
    }
}
