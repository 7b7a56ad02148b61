//! Reports of known past usage, in many time zones.

use chrono::NaiveDate;
use serde_json::Value;
use storage::calendar::Zone;
use storage::records::usage::Spend;
use storage::records::{Group, GroupMember, Membership, UsageRecord};
use storage::{Error, TenantId, Timestamp, new_id};
use uuid::Uuid;

use super::scene::{
    COSTS, REPORT, book, by, equal_reports, id, parts, past, plain, records, set_zone, spend, sum, table,
    tenant, total,
};
use crate::api::streams::reading::unlimited;
use crate::harness::TestServer;

/// Offsets of half and quarter hours, daylight saving changes, also at midnight, and the extreme offsets.
const ZONES: [&str; 7] = [
    "UTC",
    "Europe/Zurich",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Africa/Cairo",
    "Pacific/Kiritimati",
    "America/Santiago",
];

async fn server() -> TestServer {
    TestServer::start_with(unlimited).await
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("a moment")
}

#[tokio::test]
async fn every_report_adds_up_to_the_records_in_any_zone() {
    let server = server().await;
    let home = tenant(server.admin_person());
    let gone = Uuid::from_u128(77);
    let people = [server.admin_person(), server.editor_person(), server.user_person()].map(id);
    let users = [people[0], people[1], people[2], gone];
    let past = past(1, 400, &users, "2026-01-02T00:00:00Z", "2026-12-30T00:00:00Z");
    book(&server, home, past.clone()).await;
    // Usage of another tenant does not count.
    let elsewhere = tenant(server.stranger_person());
    book(&server, elsewhere, past[..50].to_vec()).await;

    let admin = server.admin();
    let span = "from_date=2026-01-01T00:00:00Z&to_date=2027-01-15T00:00:00Z";
    for name in ZONES {
        set_zone(&server, name).await;
        let zone = Zone::parse(name).expect("a zone");
        assert_eq!(
            equal_reports(&admin, &users, ["2026-01-01", "2027-01-15"]).await,
            plain(sum(&past)),
            "{name}"
        );

        let day = |record: &UsageRecord| zone.day(record.ts).to_string();
        let report = async |by: &str| admin.get(&format!("{REPORT}?group_by={by}&{span}")).await.ok();
        let days = report("day").await;
        assert_eq!(days["time_zone"], name);
        assert_eq!(parts(&days["items"], "key"), by(&past, day));
        let told: Vec<_> = days["items"].as_array().expect("days").iter().map(|day| &day["key"]).collect();
        assert!(told.is_sorted_by_key(|day| day.as_str()), "days come in their order");
        assert_eq!(parts(&report("user").await["items"], "key"), by(&past, |record| record.user.to_string()));
        assert_eq!(parts(&report("model").await["items"], "key"), by(&past, |record| record.model.clone()));
        assert_eq!(parts(&report("kind").await["items"], "key"), by(&past, |record| record.kind.clone()));
        let assistant =
            |record: &UsageRecord| record.assistant_id.map(|id| id.to_string()).unwrap_or_default();
        assert_eq!(parts(&report("assistant").await["items"], "key"), by(&past, assistant));

        let csv = admin.get(&format!("{REPORT}/daily/export?from_date=2026-03-01&to_date=2026-04-30")).await;
        let within = |record: &&UsageRecord| {
            (NaiveDate::from_ymd_opt(2026, 3, 1)..=NaiveDate::from_ymd_opt(2026, 4, 30))
                .contains(&Some(zone.day(record.ts)))
        };
        let spring =
            admin.get(&format!("{REPORT}?group_by=day&from_date=2026-03-01&to_date=2026-04-30")).await.ok();
        assert_eq!(
            spend(&spring["total"]),
            plain(sum(past.iter().filter(within))),
            "dates without a time use the tenant's time zone"
        );
        let line = |record: &UsageRecord| format!("{},{}", zone.day(record.ts), record.user);
        assert_eq!(table(&csv.expect(200).body), by(past.iter().filter(within), line));
    }
}

#[tokio::test]
async fn month_and_year_sums_equal_their_parts() {
    let server = server().await;
    let user = id(server.user_person());
    let past =
        past(2, 300, &[user, id(server.editor_person())], "2026-01-02T00:00:00Z", "2026-12-30T00:00:00Z");
    book(&server, tenant(server.user_person()), past.clone()).await;
    let own: Vec<_> = past.iter().filter(|record| record.user == user).cloned().collect();
    let client = server.user();
    for name in ZONES {
        set_zone(&server, name).await;
        let zone = Zone::parse(name).expect("a zone");
        let mut year = Spend::default();
        for month in 1..=12 {
            let month = format!("2026-{month:02}");
            let within = |record: &&UsageRecord| zone.day(record.ts).to_string().starts_with(&month);
            let usage = client.get(&format!("/api/users/usage?month={month}")).await.ok();
            let detail = client.get(&format!("/api/users/usage-detail?month={month}")).await.ok();
            let all = spend(&usage["total"]);
            assert_eq!(all, plain(sum(own.iter().filter(within))), "{name} {month}");
            assert_eq!(spend(&detail["total"]), all);
            assert_eq!(detail["user_id"], server.user_person().id);
            let lists = [
                (&usage, "by_day", "day"),
                (&usage, "by_model", "model"),
                (&detail, "by_day", "day"),
                (&detail, "by_model", "model"),
                (&detail, "by_assistant", "assistant_id"),
                (&detail, "by_kind", "kind"),
            ];
            for (answer, list, key) in lists {
                assert_eq!(total(&parts(&answer[list], key)), all, "{name} {month} {list}");
            }
            // Quantities are reported by kind, where they have a meaning.
            for kind in detail["by_kind"].as_array().expect("kinds") {
                let of_kind = own.iter().filter(within).filter(|record| kind["kind"] == record.kind.as_str());
                assert_eq!(kind["quantity"], of_kind.map(|record| record.quantity).sum::<u64>());
            }
            // The costs of the month can also be queried by its exact times.
            let (from, to) = (usage["from_date"].as_str().unwrap(), usage["to_date"].as_str().unwrap());
            let costs = client.get(&format!("{COSTS}?from_date={from}&to_date={to}")).await.ok();
            assert_eq!(spend(&costs["total"]), all);
            assert_eq!(costs["by_day"], usage["by_day"]);
            year = year.plus(all);
        }
        assert_eq!(year, plain(sum(&own)), "{name}");
    }
}

#[tokio::test]
async fn reports_can_be_limited_to_billable_usage_and_one_model() {
    let server = server().await;
    let user = id(server.user_person());
    let past = past(3, 200, &[user], "2026-02-01T00:00:00Z", "2026-06-30T00:00:00Z");
    book(&server, tenant(server.user_person()), past.clone()).await;
    let client = server.user();
    let span = "from_date=2026-01-01T00:00:00Z&to_date=2026-08-01T00:00:00Z";
    let ask = async |more: &str| spend(&client.get(&format!("{COSTS}?{span}{more}")).await.ok()["total"]);
    let of = |takes: fn(&&UsageRecord) -> bool| plain(sum(past.iter().filter(takes)));
    assert_eq!(ask("").await, of(|_| true));
    assert_eq!(ask("&include_only_billable=true").await, of(|record| record.billable));
    assert_eq!(ask("&include_only_billable=false").await, of(|_| true));
    assert_eq!(ask("&model=fake%2Fa").await, of(|record| record.model == "fake/a"));
    let both = "&model=other%2Fa&include_only_billable=true";
    assert_eq!(ask(both).await, of(|record| record.model == "other/a" && record.billable));
    assert_eq!(ask("&model=fake").await, Spend::default(), "a model is named in full");
    let paid = of(|record| record.billable);
    assert_eq!(paid.cost_nanos, paid.billable_nanos);
    assert_eq!(paid.cost_nanos, ask("").await.billable_nanos);
}

#[tokio::test]
async fn summary_covers_the_present_and_all_time() {
    let server = server().await;
    let (user, home) = (id(server.user_person()), tenant(server.user_person()));
    let client = server.user();
    let summary = client.get("/api/users/usage-summary").await.ok();
    for part in ["today", "this_month", "last_month", "all_time"] {
        assert_eq!(spend(&summary[part]), Spend::default());
    }
    assert_eq!(client.get("/api/users/usage/first-month").await.ok()["month"], Value::Null);

    set_zone(&server, "Asia/Kathmandu").await;
    let zone = Zone::parse("Asia/Kathmandu").expect("a zone");
    let mut all = past(4, 100, &[user], "2024-03-01T00:00:00Z", "2026-10-01T00:00:00Z");
    // Around the current time, and around the start of its day and month.
    let now = Timestamp::now();
    let today = zone.span(zone.day(now));
    let month = zone.month_span(zone.day(now));
    for at in [now, today.start, month.start] {
        for ms in [-1, 0] {
            let ts = Timestamp::from_millis(at.as_millis() + ms);
            all.push(UsageRecord { ts, billable: ms == 0, ..all[all.len() - 1].clone() });
        }
    }
    book(&server, home, all.clone()).await;
    let last = zone.month_span(storage::calendar::month_before(zone.day(now)));
    for only in [false, true] {
        let summary =
            client.get(&format!("/api/users/usage-summary?include_only_billable={only}")).await.ok();
        // The day may have ended during the test.
        if zone.day(Timestamp::now()) != zone.day(now) {
            return;
        }
        let of = |from: Timestamp, to: Timestamp| {
            let within =
                |record: &&UsageRecord| (from..to).contains(&record.ts) && (record.billable || !only);
            plain(sum(all.iter().filter(within)))
        };
        assert_eq!(spend(&summary["today"]), of(today.start, today.end));
        assert_eq!(spend(&summary["this_month"]), of(month.start, month.end));
        assert_eq!(spend(&summary["last_month"]), of(last.start, last.end));
        assert_eq!(spend(&summary["all_time"]), of(at("1970-01-01T00:00:00Z"), at("2100-01-01T00:00:00Z")));
        let first =
            all.iter().filter(|record| record.billable || !only).map(|record| zone.day(record.ts)).min();
        let told =
            client.get(&format!("/api/users/usage/first-month?include_only_billable={only}")).await.ok();
        assert_eq!(told["month"].as_str().unwrap(), &first.unwrap().to_string()[..7]);
    }
}

#[tokio::test]
async fn adjacent_spans_count_every_record_once() {
    let server = server().await;
    let past = past(5, 300, &[id(server.user_person())], "2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z");
    book(&server, tenant(server.user_person()), past.clone()).await;
    let client = server.user();
    // Times that are not on a quarter hour.
    let cuts = [
        "2026-04-30T00:00:00Z",
        "2026-05-01T07:07:07.007Z",
        "2026-05-01T07:14:59.999Z",
        "2026-05-01T07:15:00Z",
        "2026-05-02T23:59:59.999%2B02:00",
        "2026-05-03T00:00:01Z",
    ];
    let mut parts = Spend::default();
    for pair in cuts.windows(2) {
        let costs = client.get(&format!("{COSTS}?from_date={}&to_date={}", pair[0], pair[1])).await.ok();
        let (from, to) = (&costs["from_date"], &costs["to_date"]);
        let within = |record: &&UsageRecord| {
            (at(from.as_str().unwrap())..at(to.as_str().unwrap())).contains(&record.ts)
        };
        assert_eq!(spend(&costs["total"]), plain(sum(past.iter().filter(within))), "{from} {to}");
        parts = parts.plus(spend(&costs["total"]));
    }
    assert_eq!(parts, plain(sum(&past)));
}

#[tokio::test]
async fn disjoint_groups_add_up_including_former_members() {
    let server = server().await;
    let home = tenant(server.admin_person());
    let [admin, editor, user] = [server.admin_person(), server.editor_person(), server.user_person()].map(id);
    let all = past(6, 120, &[admin, editor, user], "2026-05-01T00:00:00Z", "2026-07-01T00:00:00Z");
    book(&server, home, all.clone()).await;
    let (east, west) = (new_id(), new_id());
    let grouped = move |tx: &mut storage::Tx| {
        for (group, member) in [(east, editor), (west, user)] {
            tx.insert(home, group, Group { external_id: format!("g{member}"), ..Group::default() })?;
            tx.insert(home, (member, group), GroupMember::default())?;
        }
        Ok(())
    };
    server.store().run::<_, Error>(grouped).await.expect("it is written");
    let group = |record: &UsageRecord| match record.user {
        one if one == editor => east.to_string(),
        one if one == user => west.to_string(),
        _ => String::new(),
    };
    let path = format!("{REPORT}?group_by=group&from_date=2026-05-01T00:00:00Z&to_date=2026-08-01T00:00:00Z");
    let report = server.admin().get(&path).await.ok();
    assert_eq!(parts(&report["items"], "key"), by(&all, group));
    assert_eq!(total(&parts(&report["items"], "key")), spend(&report["total"]));

    // The editor leaves: their cost stays in the report, without their name.
    let leave =
        move |tx: &mut storage::Tx| tx.delete::<Membership>(TenantId::SYSTEM, &(editor, home.0)).map(drop);
    server.store().run::<_, Error>(leave).await.expect("it is written");
    let path =
        format!("{COSTS}?user_ids={editor}&from_date=2026-05-01T00:00:00Z&to_date=2026-08-01T00:00:00Z");
    let costs = server.admin().get(&path).await.ok();
    let own = records(&server, home).into_iter().filter(|record| record.user == editor).collect::<Vec<_>>();
    assert_eq!(spend(&costs["total"]), plain(sum(&own)));
    assert_eq!(costs["by_user"][0]["email"], Value::Null);
    let csv =
        server.admin().get(&format!("{REPORT}/daily/export?from_date=2026-05-01&to_date=2026-07-01")).await;
    assert_eq!(total(&table(&csv.expect(200).body)), plain(sum(&all)));
    assert!(!csv.text().contains("editor@example.org"));
    assert!(csv.text().contains("user@example.org"));
}
