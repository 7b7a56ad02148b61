//! Fills a tenant with three months of usage.

use std::path::Path;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::accounting::{book, count};
use storage::records::activity::{Activity, ActivityContext};
use storage::records::usage::Spend;
use storage::records::{Assistant, Membership, Role, Tenant, Usage, UsageRecord, User, Visibility};
use storage::{Error, Reader, Scan, Store, StoreOptions, TenantId, Timestamp, Tx};
use uuid::Uuid;

use load::server::Outcome;

const USERS: usize = 500;
const ASSISTANTS: usize = 50;
const MODELS: usize = 8;
const DAYS: i64 = 90;
const DAY_MS: i64 = 86_400_000;
/// Number of responses stored in one transaction.
const TOGETHER: u64 = 500;
/// Number of records read at a time.
const PAGE: usize = 2_000;

/// Summary of the stored data.
pub struct Filled {
    pub assistant: Uuid,
    /// Time of the first response.
    pub from: Timestamp,
    /// Time it took to count and book all responses.
    pub took: Duration,
    /// Time it takes to read all records once and to add them up.
    pub scan: Duration,
    /// Size of the data folder in bytes.
    pub bytes: u64,
}

/// The tenant, users and assistants of the data.
struct Cast {
    tenant: TenantId,
    users: Vec<Uuid>,
    assistants: Vec<Uuid>,
}

/// Fills a store that no server has open. Each response counts as two messages.
pub async fn fill(data: &Path, messages: u64) -> Outcome<Filled> {
    let store = Store::open(StoreOptions::new(data))?;
    let cast = store.run(cast).await?;
    let now = Timestamp::now();
    let from = Timestamp::from_millis(now.as_millis() - DAYS * DAY_MS);
    let began = Instant::now();
    let mut answers = 0;
    while answers < messages / 2 {
        // There are no concurrent writers, so each transaction usually runs once; if it is retried,
        // its seed makes the result the same.
        let (seed, tenant) = (answers, cast.tenant);
        let (users, assistants) = (cast.users.clone(), cast.assistants.clone());
        let some = move |tx: &mut Tx| {
            let mut dice = StdRng::seed_from_u64(seed);
            (0..TOGETHER).try_for_each(|_| answer(tx, tenant, &users, &assistants, from, &mut dice))
        };
        store.run::<_, Error>(some).await?;
        answers += TOGETHER;
        if answers % 50_000 == 0 {
            eprintln!("  {answers} answers after {:.0?}", began.elapsed());
        }
    }
    let took = began.elapsed();
    let began = Instant::now();
    let tenant = cast.tenant;
    let sum = store.read(move |reader| scan(reader, tenant)).await?;
    let scan = began.elapsed();
    assert!(sum.requests >= answers, "every answer was booked");
    drop(store);
    let files = std::fs::read_dir(data.join("engine/log"))?;
    let bytes = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum();
    Ok(Filled { assistant: cast.assistants[0], from, took, scan, bytes })
}

fn cast(tx: &mut Tx) -> Result<Cast, Error> {
    let tenants = tx.scan::<Tenant>(TenantId::SYSTEM, Scan::table().limit(1))?.items;
    let tenant = TenantId(tenants.first().ok_or(Error::NotFound("tenant"))?.id);
    let mut users = Vec::new();
    for number in 0..USERS {
        let (email, display_name) = (format!("user{number}@example.org"), format!("User {number}"));
        let user =
            tx.insert(TenantId::SYSTEM, storage::new_id(), User { email, display_name, ..User::default() })?;
        let role = if number % 5 == 0 { Role::Editor } else { Role::User };
        tx.insert(TenantId::SYSTEM, (user.id, tenant.0), Membership { role, ..Membership::default() })?;
        users.push(user.id);
    }
    let mut assistants = Vec::new();
    for (number, owner) in users.iter().take(ASSISTANTS).enumerate() {
        let assistant = Assistant {
            name: format!("Assistant {number}"),
            // A realistic length for a system prompt.
            system_prompt: "Answer in the tone of our company. ".repeat(60),
            owner: *owner,
            visibility: Visibility::Tenant,
            ..Assistant::default()
        };
        assistants.push(tx.insert(tenant, storage::new_id(), assistant)?.id);
    }
    Ok(Cast { tenant, users, assistants })
}

/// Records a response: counts it as if it were accepted, and books it as if it had ended.
fn answer(
    tx: &mut Tx,
    tenant: TenantId,
    users: &[Uuid],
    assistants: &[Uuid],
    from: Timestamp,
    dice: &mut StdRng,
) -> Result<(), Error> {
    let record = UsageRecord {
        ts: Timestamp::from_millis(from.as_millis() + dice.random_range(0..DAYS * DAY_MS)),
        user: users[dice.random_range(0..users.len())],
        assistant_id: Some(assistants[dice.random_range(0..assistants.len())]),
        conversation_id: Some(storage::new_id()),
        run_id: Some(storage::new_id()),
        model: format!("acme/model-{}", dice.random_range(0..MODELS)),
        provider: "acme".into(),
        kind: "chat".into(),
        usage: Usage {
            input_tokens: dice.random_range(100..4_000),
            output_tokens: dice.random_range(10..800),
            ..Usage::default()
        },
        cost_nanos: dice.random_range(0..20_000_000),
        billable: true,
        ..UsageRecord::default()
    };
    let deed = ActivityContext {
        at: record.ts,
        user: record.user,
        assistant_id: record.assistant_id,
        model: record.model.clone(),
    };
    let told = Activity {
        messages: 2,
        conversations: u64::from(dice.random_ratio(1, 4)),
        errors: u64::from(dice.random_ratio(1, 50)),
        ..Activity::default()
    };
    count(tx, tenant, &deed, &told);
    book(tx, tenant, record)
}

fn scan(reader: &Reader, tenant: TenantId) -> Result<Spend, Error> {
    let (mut sum, mut after) = (Spend::default(), None);
    loop {
        let page = reader.scan::<UsageRecord>(tenant, Scan::table().limit(PAGE).after(after))?;
        sum = page.items.iter().fold(sum, |sum, row| sum.plus(Spend::from_record(row)));
        after = page.next;
        if after.is_none() {
            return Ok(sum);
        }
    }
}
