//! Disk space used by complete responses, and memory used after they have expired.

use std::time::Duration;

use load::paced::Stage;
use load::run::Extent;
use load::setup::Interface;
use load::{Ask, Figure, Load, Outcome, Row, Setup, Side, Workload};
use tokio::time::sleep;

/// Time until the writes of a load have reached the database.
const WRITTEN: Duration = Duration::from_secs(5);
/// Completions expire after three seconds, the shortest time that can be set, and are removed every
/// fifteen seconds.
const EXPIRING: (&str, &str) = ("UNDERSTUDY_RUNS__CHAT_TTL_MINUTES", "0.05");
const EXPIRED: Duration = Duration::from_secs(40);
/// Bytes of the log that are live.
const LIVE: &str = "understudy_store_live_bytes";

pub const WORKLOADS: [Workload<Stage>; 2] = [
    Workload {
        name: "disk",
        sides: &[Side::Subject],
        checked: &[],
        measure: |stage, _| Box::pin(disk(stage)),
    },
    Workload {
        name: "expired",
        sides: &[Side::Subject],
        checked: &[],
        measure: |stage, _| Box::pin(expired(stage)),
    },
];

/// Number of responses whose disk space is measured. The shorter forms request a tenth as many.
fn answers(stage: &Stage) -> u64 {
    20 * stage.silent as u64
}

fn load(answers: u64) -> Load {
    Load::new(32, Ask::plain(), Extent::Counted(answers))
}

async fn disk(stage: &Stage) -> Outcome<Vec<Figure>> {
    let fresh = stage.fresh().await?;
    let (server, count) = (&fresh.server, answers(stage));
    // Make the engine create the files that it creates only once.
    fresh.run(Side::Subject, load(count / 4)).await?;
    sleep(WRITTEN).await;
    let (disk, written) = (server.disk()?, server.device_written()?);
    fresh.run(Side::Subject, load(count)).await?;
    sleep(WRITTEN).await;
    let each = |after: u64, before: u64| after.saturating_sub(before) as f64 / 1e3 / count as f64;
    let mut figures = vec![
        Row::lower("disk_per_completion", "disk taken by a complete answer, KB", 2)
            .goal("≤ 2")
            .is(each(server.disk()?, disk)),
    ];
    if let (Some(after), Some(before)) = (server.device_written()?, written) {
        figures.push(
            Row::lower("written_per_completion", "written to disk for it, KB", 2).is(each(after, before)),
        );
    }
    Ok(figures)
}

async fn expired(stage: &Stage) -> Outcome<Vec<Figure>> {
    let fresh = Setup::with(Interface::OpenAi, "", &[EXPIRING]).await?;
    let (server, count) = (&fresh.server, stage.expiring);
    let before = server.metric(LIVE).await?;
    fresh.run(Side::Subject, load(count)).await?;
    let after = server.process.resident() as f64 / 1e6;
    sleep(EXPIRED).await;
    let expired = server.process.resident() as f64 / 1e6;
    let permanent = (server.metric(LIVE).await? - before) / 1e3 / count as f64;
    Ok(vec![
        Row::lower("memory_after", format!("memory after {count} complete answers, MB"), 1).is(after),
        Row::lower("memory_expired", "memory once they have expired, MB", 1).goal("≤ 100").is(expired),
        Row::lower("disk_expired", "the data folder then, MB", 1).is(server.disk()? as f64 / 1e6),
        Row::lower("permanent", "permanent data of each, KB", 2).goal("≤ 0.4").is(permanent),
    ])
}
