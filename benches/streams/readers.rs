//! Memory of additional readers of streams that wait.

use load::paced::{SETTLED, Stage, hold};
use load::{Ask, Figure, Outcome, Row, Side, Workload};
use tokio::time::sleep;

pub const WORKLOADS: [Workload<Stage>; 1] = [Workload {
    name: "readers",
    sides: &[Side::Subject],
    checked: &[],
    measure: |stage, _| Box::pin(measure(stage)),
}];

/// Silent runs whose initial clients have disconnected, with ten times as many readers attached.
async fn measure(stage: &Stage) -> Outcome<Vec<Figure>> {
    let setup = stage.fresh().await?;
    let attaches = setup.stalled_runs(stage.silent / 2, Ask::silent()).await?;
    let before = setup.server.process.anonymous();
    let requests = attaches.iter().cycle().take(stage.silent * 5).map(|one| one.after(&setup.server, 0));
    let open = hold(setup.server.address, requests.collect()).await?;
    sleep(SETTLED).await;
    let each = setup.server.process.anonymous().saturating_sub(before) as f64 / 1e3 / open.len() as f64;
    let what = format!("memory of a further reader of a waiting stream, {}, KB", open.len());
    Ok(vec![Row::lower("reader_memory", what, 1).goal("≤ 16").is(each)])
}
