//! A tenant with many messages, in a data folder of gigabytes.

use std::time::Instant;

use futures::future::try_join_all;
use load::run::Extent;
use load::server::{connect, request};
use load::setup::{Interface, fill_on};
use load::target::form;
use load::{Ask, Figure, Load, Outcome, Report, Row, Setup, Side, Workload};
use serde_json::json;

use crate::cost::{cost, succeed};
use crate::{Pair, Sizes};

/// Messages per conversation, and number of conversations of the small tenant.
const MESSAGES: u64 = 100;
const SMALL: usize = 100;
/// Number of connections that create the data.
const HANDS: usize = 4;
const TIMES: usize = 200;
/// Number of responses before a crash, which the next start finds in the log.
const WRITES: u64 = 2_000;

const OPERATIONS: Workload<Pair<Setup>> = Workload {
    name: "tenant",
    sides: &Side::BOTH,
    checked: &[],
    measure: |tenants, side| Box::pin(operations(tenants.of(side))),
};

const START: Workload<Pair<Setup>> = Workload {
    name: "start",
    sides: &Side::BOTH,
    checked: &[],
    measure: |tenants, side| Box::pin(start(tenants.of_mut(side))),
};

pub async fn measure(report: &mut Report, sizes: &Sizes) -> Outcome<()> {
    if !report.wants(&OPERATIONS) && !report.wants(&START) {
        return Ok(());
    }
    let conversations = (sizes.messages / MESSAGES) as usize;
    let mut tenants = Pair {
        small: tenant(SMALL.min(conversations), sizes.message_bytes).await?,
        large: tenant(conversations, sizes.message_bytes).await?,
    };
    report.measure(&mut tenants, &OPERATIONS).await?;
    report.measure(&mut tenants, &START).await
}

async fn tenant(conversations: usize, message_bytes: usize) -> Outcome<Setup> {
    let (setup, began) = (Setup::start(Interface::OpenAi).await?, Instant::now());
    let ids = setup.conversations(conversations).await?;
    let hands = ids.chunks(conversations.div_ceil(HANDS)).map(|some| {
        let server = &setup.server;
        async move {
            let mut connection = connect(server.address).await?;
            for id in some {
                fill_on(server, &mut connection, id, MESSAGES, message_bytes).await?;
            }
            Outcome::Ok(())
        }
    });
    try_join_all(hands).await?;
    let bytes = setup.server.disk()? as f64 / 1e9;
    eprintln!("{conversations} conversations in {:.0?}, {bytes:.2} GB", began.elapsed());
    Ok(setup)
}

async fn operations(setup: &Setup) -> Outcome<Vec<Figure>> {
    let server = &setup.server;
    let headers = [("authorization", server.authorization.as_str())];
    let get = |path: &str| request("GET", path, &headers, &[]);
    let list = get("/api/conversations?limit=50");
    let list = cost(server, TIMES, async |connection| succeed(connection, &list).await.map(drop)).await?;
    let target = setup.target(Side::Subject, 0).await?;
    let plain = target.completion(&Ask::plain()).ok_or("no request")?;
    let complete =
        cost(server, TIMES, async |connection| succeed(connection, &plain).await.map(drop)).await?;
    let talk = cost(server, TIMES, async |connection| {
        let made = server.call_on(connection, "POST", "/api/conversations", &json!({})).await?;
        let id = made["id"].as_str().ok_or("no id")?;
        let ask = form(id, &server.authorization, "events", &Ask::plain());
        succeed(connection, &ask).await.map(drop)
    });
    let talk = talk.await?;
    let gigabytes = server.disk()? as f64 / 1e9;
    let rows = [
        list.rows("tenant_list", "a page of conversations of a large tenant"),
        complete.rows("tenant_completion", "complete answer, OpenAI interface, of a large tenant"),
        talk.rows("tenant_conversation", "new conversation and its complete answer, of a large tenant"),
    ];
    let folder = [Row::lower("tenant_disk", "its data folder, GB", 2).is(gigabytes)];
    Ok(rows.into_iter().flatten().chain(folder).collect())
}

/// Kills the server under load, then stops it gracefully. Measures both restarts.
async fn start(setup: &mut Setup) -> Outcome<Vec<Figure>> {
    setup.run(Side::Subject, Load::new(32, Ask::plain(), Extent::Counted(WRITES))).await?;
    let killed = setup.server.crash().await?;
    let restarted = setup.server.restart().await?;
    let memory = setup.server.process.resident() as f64 / 1e6;
    let ms = |name: &str, what: &str| Row::lower(name, what, 0).goal("≤ 300");
    let what = format!("ready after kill -9, {WRITES} complete answers after the last start, ms");
    Ok(vec![
        ms("start_after_kill", &what).is(killed.as_secs_f64() * 1e3),
        ms("start", "ready after a stop and a start, ms").is(restarted.as_secs_f64() * 1e3),
        Row::lower("start_memory", "memory then, MB", 1).goal("≤ 2 times").is(memory),
    ])
}
