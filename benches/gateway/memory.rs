//! Memory: idle, of streams that wait, and after many answers.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::load::{Tally, Until, ask};
use crate::run::{Extent, Load, run};
use crate::server::connect;
use crate::setup::Setup;
use crate::table::{SUBJECTS, Subject, Table};
use crate::{Ask, Options, Outcome};

/// One chunk, then silence.
const SILENT: Ask = Ask { chunks: 1, gap_us: 0, burst: 1, stall: true, stream: true };
/// Connections that are opened at once.
const STEP: u64 = 100;

pub async fn measure(options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("memory");
    // Processes that have served no request yet.
    let setup = Setup::set().await?;
    let streams = options.count(1_000);
    for subject in SUBJECTS.into_iter().filter(|&subject| subject != Subject::Direct) {
        let (process, target) = setup.of(subject);
        let before = process.resident();
        table.set("idle memory, MB", "", 1, subject, before as f64 / 1e6);
        let mut open: Vec<TcpStream> = Vec::with_capacity(streams as usize);
        let tally = Tally::default();
        for _ in 0..streams.div_ceil(STEP) {
            let opened =
                (0..STEP.min(streams)).filter_map(|_| target.completion(&SILENT)).map(|request| async {
                    let request = request;
                    let mut connection = connect(target.address).await?;
                    ask(&mut connection, &request, Until::Mark, &tally).await?;
                    std::io::Result::Ok(connection)
                });
            open.extend(futures::future::try_join_all(opened).await?);
        }
        // Buffers of opened connections are freed in this time.
        sleep(Duration::from_secs(2)).await;
        let each = process.resident().saturating_sub(before) as f64 / 1e3 / open.len().max(1) as f64;
        table.set(&format!("memory a silent stream, {streams} of them, KB"), "", 1, subject, each);
    }
    after_many(options, table).await
}

/// What is left in memory of answers that have been given.
async fn after_many(options: &Options, table: &mut Table) -> Outcome<()> {
    let setup = Setup::set().await?;
    let answers = options.count(20_000);
    let ask = Ask { stream: false, ..Ask::fast(10, 10) };
    for subject in SUBJECTS.into_iter().filter(|&subject| subject != Subject::Direct) {
        let (process, target) = setup.of(subject);
        let load = Load { connections: 50, ask, extent: Extent::Counted(answers) };
        table.faults += run(&target, process, load).await?.faults;
        let what = format!("memory after {answers} plain requests, MB");
        table.set(&what, "", 1, subject, process.resident() as f64 / 1e6);
    }
    Ok(())
}
