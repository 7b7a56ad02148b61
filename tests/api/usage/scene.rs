//! Tenants with past usage, and their reports as numbers.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use storage::accounting;
use storage::records::usage::Spend;
use storage::records::{Tenant, Usage, UsageRecord};
use storage::{Error, Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use crate::harness::{Client, Person, TestServer};

/// The report for administrators.
pub const REPORT: &str = "/api/tenant-admin/usage-report";
/// The report for every user.
pub const COSTS: &str = "/api/users/costs";

pub const DAY: Duration = Duration::from_secs(86_400);
/// The interval by which the ledger counts.
pub const QUARTER: Duration = Duration::from_secs(900);

/// Waits for the next day or quarter of an hour if the current one is about to end, so that a test is counted within
/// one.
pub async fn within_one(span: Duration) {
    let left = span - Duration::from_millis((Timestamp::now().as_millis() as u128 % span.as_millis()) as u64);
    if left < Duration::from_secs(60) {
        tokio::time::sleep(left).await;
    }
}

pub fn tenant(person: &Person) -> TenantId {
    TenantId(person.tenant.parse().expect("an id"))
}

pub fn id(person: &Person) -> Uuid {
    person.id.parse().expect("an id")
}

/// Sets the time zone of the tenant.
pub async fn set_zone(server: &TestServer, zone: &str) {
    let (tenant, zone) = (tenant(server.admin_person()), zone.to_owned());
    let set = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        row.body.time_zone = Some(zone.clone());
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run::<_, Error>(set).await.expect("it is written");
}

/// Books usage records as runs do at their end.
pub async fn book(server: &TestServer, tenant: TenantId, records: Vec<UsageRecord>) {
    let book = move |tx: &mut storage::Tx| {
        records.iter().try_for_each(|record| accounting::book(tx, tenant, record.clone()))
    };
    server.store().run::<_, Error>(book).await.expect("it is booked");
}

/// Generates usage of some users, models, kinds and assistants in a time span, always the same for a seed.
pub fn past(seed: u64, count: usize, users: &[Uuid], from: &str, to: &str) -> Vec<UsageRecord> {
    let mut dice = StdRng::seed_from_u64(seed);
    let at = |text: &str| text.parse::<Timestamp>().expect("a moment").as_millis();
    let span = at(from)..at(to);
    let one = |_| {
        let tokens = dice.random_range(0..10_000);
        UsageRecord {
            ts: Timestamp::from_millis(dice.random_range(span.clone())),
            user: users[dice.random_range(0..users.len())],
            assistant_id: dice.random_ratio(1, 3).then(|| Uuid::from_u128(dice.random_range(1..4))),
            model: ["fake/a", "fake/a/b", "other/a"][dice.random_range(0..3)].to_owned(),
            kind: ["chat", "embedding", "speech"][dice.random_range(0..3)].to_owned(),
            usage: Usage {
                input_tokens: tokens,
                output_tokens: dice.random_range(0..900),
                cached_tokens: tokens / 3,
                reasoning_tokens: 1,
            },
            quantity: dice.random_range(0..50),
            cost_nanos: dice.random_range(0..5_000_000_000),
            billable: dice.random_ratio(3, 4),
            ..UsageRecord::default()
        }
    };
    (0..count).map(one).collect()
}

/// Returns every usage record of a tenant.
pub fn records(server: &TestServer, tenant: TenantId) -> Vec<UsageRecord> {
    let read = |reader: &Reader| reader.scan::<UsageRecord>(tenant, Scan::table());
    let page = server.store().read_now(read).expect("the store reads");
    page.items.into_iter().map(|row: Row<UsageRecord>| row.body).collect()
}

pub fn sum<'a>(records: impl IntoIterator<Item = &'a UsageRecord>) -> Spend {
    records.into_iter().fold(Spend::default(), |sum, record| sum.plus(Spend::from_record(record)))
}

/// Returns the numbers of a part of a report, without the quantity. Checks the decimals beside them.
pub fn spend(part: &Value) -> Spend {
    let number = |name: &str| part[name].as_u64().unwrap_or_else(|| panic!("no {name} in {part}"));
    let dollars = |nanos: u64| format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    let spend = Spend {
        requests: number("requests"),
        input_tokens: number("input_tokens"),
        output_tokens: number("output_tokens"),
        cached_tokens: number("cached_tokens"),
        reasoning_tokens: number("reasoning_tokens"),
        cost_nanos: number("cost_nanos"),
        billable_nanos: number("billable_nanos"),
        quantity: 0,
    };
    assert_eq!(part["cost"], dollars(spend.cost_nanos));
    assert_eq!(part["billable_cost"], dollars(spend.billable_nanos));
    spend
}

/// Removes the quantity, which some reports leave out.
pub fn plain(spend: Spend) -> Spend {
    Spend { quantity: 0, ..spend }
}

/// Returns the parts of a list by their keys.
pub fn parts(list: &Value, key: &str) -> BTreeMap<String, Spend> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    let part = |part: &Value| (part[key].as_str().unwrap_or_default().to_owned(), spend(part));
    let parts: BTreeMap<_, _> = list.iter().map(part).collect();
    assert_eq!(parts.len(), list.len(), "a key comes twice");
    parts
}

pub fn total(parts: &BTreeMap<String, Spend>) -> Spend {
    parts.values().fold(Spend::default(), |sum, one| sum.plus(*one))
}

/// Sums records by a key.
pub fn by<'a>(
    records: impl IntoIterator<Item = &'a UsageRecord>,
    key: impl Fn(&UsageRecord) -> String,
) -> BTreeMap<String, Spend> {
    let mut sums = BTreeMap::<String, Spend>::new();
    for record in records {
        let sum = sums.entry(key(record)).or_default();
        *sum = plain(sum.plus(Spend::from_record(record)));
    }
    sums
}

/// Parses a table into its numbers by `day,user`.
pub fn table(csv: &[u8]) -> BTreeMap<String, Spend> {
    let mut reader = csv::Reader::from_reader(csv);
    let names = reader.headers().expect("a head").clone();
    let mut lines = BTreeMap::new();
    for row in reader.records() {
        let row = row.expect("a row");
        let cell = |name: &str| &row[names.iter().position(|other| other == name).expect("a column")];
        let number = |name: &str| cell(name).parse().expect("a number");
        let line = Spend {
            requests: number("requests"),
            input_tokens: number("input_tokens"),
            output_tokens: number("output_tokens"),
            cached_tokens: number("cached_tokens"),
            reasoning_tokens: number("reasoning_tokens"),
            cost_nanos: number("cost_nanos"),
            billable_nanos: number("billable_nanos"),
            quantity: 0,
        };
        let twice = lines.insert(format!("{},{}", cell("day"), cell("user_id")), line);
        assert_eq!(twice, None, "a line comes twice");
    }
    lines
}

/// Fetches every report of the usage of these users between two days in the caller's tenant, and checks that all have
/// the same sum. The caller administers the tenant, and there is no other usage in or around these days.
pub async fn equal_reports(admin: &Client, users: &[Uuid], days: [&str; 2]) -> Spend {
    let [from, to] = days;
    let span = format!("from_date={from}T00:00:00Z&to_date={to}T00:00:00Z");
    let ids: String = users.iter().map(|id| format!("&user_ids={id}")).collect();
    let costs = admin.get(&format!("{COSTS}?{span}{ids}")).await.ok();
    let all = spend(&costs["total"]);
    for (list, key) in [("by_day", "day"), ("by_model", "model"), ("by_user", "user_id")] {
        assert_eq!(total(&parts(&costs[list], key)), all, "{list}");
    }
    for by in ["user", "model", "group", "assistant", "day", "kind"] {
        let report = admin.get(&format!("{REPORT}?group_by={by}&{span}")).await.ok();
        assert_eq!(spend(&report["total"]), all, "{by}");
        assert_eq!(total(&parts(&report["items"], "key")), all, "{by}");
    }
    let days = format!("from_date={from}&to_date={to}");
    let csv = admin.get(&format!("{REPORT}/daily/export?{days}")).await;
    assert_eq!(total(&table(&csv.expect(200).body)), all, "the table");
    all
}
