//! Usage records, sums, and the usage that runs report are consistent.

use serde_json::json;
use storage::records::UsageRecord;
use storage::records::usage::{Span, Spend};
use storage::{Reader, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::{chat, converse, partner, with_provider};
use crate::api::streams::reading::terminal;
use crate::harness::text;

#[tokio::test]
async fn usage_adds_up_in_every_report() {
    let (server, _provider) = with_provider().await;
    let mut told = 0;
    for client in [server.user(), server.editor()] {
        for model in ["fake/talk", "builtin/scribe"] {
            let events = converse(&client, model).await;
            told += terminal(&events)["cost_nanos"].as_u64().expect("a cost");
            chat(&client, model).await.ok();
            partner(&client, model).await.ok();
        }
        client
            .post("/api/utils/improve-prompt", json!({"prompt": "Write.", "model": "fake/talk"}))
            .await
            .ok();
        let embed = json!({"model": "fake/embed", "input": ["one", "two"]});
        client.post("/api/chat/partner_compatible/v1/embeddings", embed).await.ok();
    }
    chat(&server.stranger(), "fake/talk").await.ok();
    let editor = server.editor();
    let ada = text(&editor.post("/api/assistants", json!({"name": "Ada"})).await.created()["id"]);
    editor.post(&format!("/api/assistants/{ada}/data"), json!({"data": {"town": "Ulm"}})).await.created();

    let now = Timestamp::now();
    for person in [server.admin_person(), server.stranger_person()] {
        let tenant = TenantId(person.tenant.parse().expect("an id"));
        let read = |reader: &Reader| {
            let records = reader.scan::<UsageRecord>(tenant, Scan::table())?.items;
            let sum = records.iter().fold(Spend::default(), |sum, row| sum.plus(Spend::from_record(row)));
            for span in [Span::Day, Span::Month] {
                assert_eq!(Spend::read(reader, tenant, None, span, now)?, sum);
                let users = Spend::of_users(reader, tenant, span, now)?;
                assert_eq!(users.iter().fold(Spend::default(), |all, (_, one)| all.plus(*one)), sum);
                for (user, spend) in users {
                    let own = records.iter().filter(|row| row.user == user);
                    assert_eq!(
                        own.fold(Spend::default(), |sum, row| sum.plus(Spend::from_record(row))),
                        spend
                    );
                }
            }
            Ok::<_, storage::Error>((records, sum))
        };
        let (records, sum) = server.store().read_now(read).expect("the store reads");
        assert!(sum.requests > 0);
        let of_runs = |row: &&storage::Row<UsageRecord>| row.run_id.is_some_and(|id| id != Uuid::nil());
        if person.tenant == server.user_person().tenant {
            let conversed = records.iter().filter(of_runs).filter(|row| row.conversation_id.is_some());
            assert_eq!(conversed.map(|row| row.cost_nanos as u64).sum::<u64>(), told);
        }
    }
    // The consistency check compares all of it with the records.
    server.stored().await;
}
