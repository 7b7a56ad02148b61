//! Permanent deletion of assistants with everything that belongs to them.

use serde_json::{Value, json};
use storage::records::{
    Assistant, AuditRecord, Chunk, ChunkKey, DataCount, DataItem, DebugSession, Document, DocumentStatus,
    KnowledgeBase, Memory, SkillDraft, SkillDraftState,
};
use storage::{Scan, TenantId, new_id};
use uuid::Uuid;

use super::basics::create;
use crate::api::knowledge_bases::scene::{form, post_form};
use crate::api::streams::reading::{ask, messages};
use crate::harness::{Client, TestServer, text};

fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.editor_person().tenant.parse().expect("an id"))
}

/// Stores by hand the rows that runs would create.
async fn furnish(server: &TestServer, assistant: Uuid) -> Uuid {
    let (tenant, base, document) = (tenant(server), new_id(), new_id());
    let user: Uuid = server.user_person().id.parse().expect("an id");
    let put = move |tx: &mut storage::Tx| -> storage::Result<()> {
        let own = KnowledgeBase { assistant_id: Some(assistant), documents: 1, ..KnowledgeBase::default() };
        tx.insert(tenant, base, own)?;
        let row = Document { status: DocumentStatus::Ready, ..Document::default() };
        tx.insert(tenant, (base, document), row)?;
        tx.insert(tenant, ChunkKey { document, generation: 1, number: 0 }, Chunk::default())?;
        let mut row = tx.require::<Assistant>(tenant, &assistant)?;
        row.own_knowledge = Some(base);
        tx.update(tenant, row)?;
        let memory = |assistant_id| Memory { content: "x".into(), assistant_id, ..Memory::default() };
        tx.insert(tenant, (user, new_id()), memory(Some(assistant)))?;
        tx.insert(tenant, (user, new_id()), memory(None))?;
        let draft = SkillDraft { state: SkillDraftState::Ready, ..SkillDraft::default() };
        tx.insert(tenant, (assistant, new_id()), draft)?;
        tx.insert(tenant, (user, assistant), DebugSession::default())?;
        Ok(())
    };
    server.store().run(put).await.expect("it is stored");
    base
}

/// Counts the rows of each kind in the tenant.
async fn counts(server: &TestServer) -> Vec<usize> {
    let tenant = tenant(server);
    let count = move |reader: &storage::Reader| -> storage::Result<Vec<usize>> {
        Ok(vec![
            reader.scan::<KnowledgeBase>(tenant, Scan::table())?.items.len(),
            reader.scan::<Document>(tenant, Scan::table())?.items.len(),
            reader.scan::<Chunk>(tenant, Scan::table())?.items.len(),
            reader.scan::<Memory>(tenant, Scan::table())?.items.len(),
            reader.scan::<SkillDraft>(tenant, Scan::table())?.items.len(),
            reader.scan::<DebugSession>(tenant, Scan::table())?.items.len(),
            reader.scan::<DataItem>(tenant, Scan::table())?.items.len(),
            reader.scan::<DataCount>(tenant, Scan::table())?.items.len(),
            reader.scan::<Assistant>(tenant, Scan::table())?.items.len(),
        ])
    };
    server.store().read(count).await.expect("it reads")
}

async fn items(client: &Client, assistant: &str, count: usize) {
    for n in 0..count {
        let path = format!("/api/assistants/{assistant}/data");
        client.post(&path, json!({"data": {"n": n}})).await.created();
    }
}

#[tokio::test]
async fn permanent_deletion_removes_exactly_what_belongs_to_the_assistant() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (gone, _) =
        create(&editor, json!({"name": "Gone", "visibility": "tenant", "model": "builtin/scribe"})).await;
    let (stays, _) = create(&editor, json!({"name": "Stays", "visibility": "tenant"})).await;
    for id in [&gone, &stays] {
        furnish(&server, id.parse().expect("an id")).await;
        items(&editor, id, 3).await;
        server.user().post(&format!("/api/assistants/{id}/favourite"), json!({})).await.ok();
    }
    let home = text(&editor.post("/api/conversations", json!({"assistant_id": gone})).await.created()["id"]);
    ask(&editor, &home, json!({"message": "Tides?"})).await.rest().await;
    let automation = json!({"name": "Daily", "assistant_id": gone, "prompt": "hello"});
    let automation = text(&editor.post("/api/automations", automation).await.created()["id"]);
    assert_eq!(counts(&server).await, [2, 2, 2, 4, 2, 2, 6, 2, 2]);

    let path = format!("/api/assistants/{gone}/permanent");
    server.user().delete(&path).await.problem(403, "not_allowed");
    server.stranger().delete(&path).await.not_found();
    assert!(text(&editor.delete(&path).await.ok()["message"]).contains("Gone"));
    let server = server.restart().await;
    let editor = server.editor();
    assert_eq!(counts(&server).await, [1, 1, 1, 3, 1, 1, 3, 1, 1]);
    server.stored().await;
    editor.delete(&path).await.not_found();
    editor.post(&format!("/api/assistants/{gone}/restore"), json!({})).await.not_found();
    assert_eq!(editor.get("/api/assistants/deleted").await.ok()["items"], json!([]));
    assert_eq!(messages(&editor, &home).await.len(), 2, "its conversations stay readable");
    let paused = editor.get(&format!("/api/automations/{automation}")).await.ok();
    assert_eq!((&paused["enabled"], &paused["paused_reason"]), (&json!(false), &json!("assistant_deleted")));
    let favourites = server.user().get("/api/assistants/favourites").await.ok();
    let favourites: Vec<&Value> =
        favourites["items"].as_array().expect("items").iter().map(|item| &item["name"]).collect();
    assert_eq!(favourites, ["Stays"]);
    let of_it = format!("assistant {gone}");
    let tenant = tenant(&server);
    let audit = server.store().read(move |reader| reader.scan::<AuditRecord>(tenant, Scan::table()));
    let audit = audit.await.map_err(|why: storage::Error| why).expect("it reads").items;
    let line = audit.iter().find(|row| row.target == of_it).expect("it was written down");
    assert_eq!(
        (&*line.action, line.actor.to_string()),
        ("assistant.delete", server.editor_person().id.clone())
    );
}

#[tokio::test]
async fn permanent_deletion_succeeds_once_among_concurrent_requests() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    items(&editor, &id, 2).await;
    editor.delete(&format!("/api/assistants/{id}")).await.ok();
    let path = format!("/api/assistants/{id}/permanent");
    let attempts = (0..4).map(|_| editor.delete(&path));
    let answers = futures::future::join_all(attempts).await;
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(done, 1, "{answers:?}");
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 404)), "{answers:?}");
    assert_eq!(counts(&server).await[6..], [0, 0, 0]);
}

#[tokio::test]
async fn permanent_deletion_removes_concurrent_additions() {
    let server = TestServer::start().await;
    let editor = server.editor();
    for round in 0..5 {
        let (id, _) = create(&editor, json!({"name": format!("Round {round}")})).await;
        items(&editor, &id, round).await;
        let data = format!("/api/assistants/{id}/data");
        let adding = async {
            loop {
                let answer = editor.post(&data, json!({"data": {"late": true}})).await;
                if answer.status != 201 {
                    return answer;
                }
            }
        };
        let path = format!("/api/assistants/{id}/permanent");
        let (refused, removed) = futures::future::join(adding, editor.delete(&path)).await;
        removed.ok();
        refused.not_found();
        assert_eq!(counts(&server).await[6..], [0, 0, 0], "round {round}");
    }
}

#[tokio::test]
async fn permanent_deletion_stops_running_ingests_first() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let page = "The moon pulls the sea. ".repeat(20_000);
    for n in 0..4 {
        let name = format!("{n}.md");
        let file = form(&[], &[(&name, "text/markdown", format!("# {n}\n\n{page}").as_bytes())]);
        post_form(&editor, &format!("/api/assistants/{id}/files"), file).await.created();
    }
    editor.delete(&format!("/api/assistants/{id}/permanent")).await.ok();
    assert_eq!(counts(&server).await, [0; 9]);
}
