//! Time until the server is ready after a stop and after a crash.

use load::paced::Stage;
use load::{Ask, Figure, Outcome, Row, Side, Workload};

pub const WORKLOADS: [Workload<Stage>; 1] = [Workload {
    name: "boot",
    sides: &[Side::Subject],
    checked: &[],
    measure: |stage, _| Box::pin(measure(stage)),
}];

async fn measure(stage: &Stage) -> Outcome<Vec<Figure>> {
    let mut setup = stage.fresh().await?;
    let started = setup.server.restart().await?;
    setup.stalled_runs(stage.silent, Ask::silent()).await?;
    let crashed = setup.server.crash().await?;
    let what = format!("ready after kill -9 with {} live runs, ms", stage.silent);
    Ok(vec![
        Row::lower("ready", "ready after a start, ms", 0).goal("≤ 300").is(started.as_secs_f64() * 1e3),
        Row::lower("ready_after_kill", what, 0).goal("≤ 2,000").is(crashed.as_secs_f64() * 1e3),
    ])
}
