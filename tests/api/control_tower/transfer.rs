//! Transferring assistants to another owner.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::{KnowledgeBase, User};
use storage::{Reader, Scan};
use uuid::Uuid;

use super::scene::{TOWER, assistant, at, audited, told};
use crate::api::automations::acting;
use crate::api::skills::scene::{Field, change, upload};
use crate::api::usage::scene::{id, tenant};
use crate::harness::{Client, PASSWORD, Person, TestServer, text};

/// Adds a member to the tenant and logs them in.
async fn member(server: &TestServer, name: &str, role: &str) -> Person {
    let email = format!("{name}@example.org");
    let body = json!({"email": email, "password": PASSWORD, "role": role, "display_name": name});
    server.admin().post("/api/auth/users", body).await.created();
    Person::log_in(&server.url(), &email, PASSWORD).await
}

async fn give(admin: &Client, assistant: &str, to: &str) -> crate::harness::Answer {
    admin.post(&at(assistant, "transfer-ownership"), json!({"new_owner_id": to})).await
}

async fn candidates(admin: &Client, query: &str) -> Vec<String> {
    let told = admin.get(&format!("{TOWER}/ownership-candidates?{query}")).await.ok();
    let items = told["items"].as_array().expect("items");
    items.iter().map(|item| text(&item["user_id"])).collect()
}

async fn keep_out(server: &TestServer, person: &Person) {
    let user = id(person);
    let kept = server.store().run(move |tx| {
        let mut row = tx.require::<User>(TenantId::SYSTEM, &user)?;
        row.disabled = true;
        tx.update(TenantId::SYSTEM, row).map(drop)
    });
    kept.await.map_err(|why: storage::Error| why).expect("it is written");
}

#[tokio::test]
async fn transfer_accepts_exactly_the_listed_candidates() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let (other, out) = (member(&server, "Zoe", "editor").await, member(&server, "Out", "editor").await);
    let chief = member(&server, "Amy", "tenant_admin").await;
    keep_out(&server, &out).await;
    let body = json!({"display_name": "Robot", "role": "editor"});
    let robot = text(&admin.post("/api/tenant-admin/service-accounts", body).await.created()["id"]);
    let people = [
        server.admin_person().id.clone(),
        server.editor_person().id.clone(),
        server.user_person().id.clone(),
        server.stranger_person().id.clone(),
        other.id.clone(),
        out.id.clone(),
        chief.id.clone(),
        robot,
        Uuid::now_v7().to_string(),
    ];
    let listed = candidates(&admin, "").await;
    for person in &people {
        let answer = give(&admin, &ada, person).await;
        match listed.contains(person) {
            true => assert_eq!(answer.ok()["owner"], person.as_str()),
            false => {
                assert_eq!(answer.faults(), ["body.new_owner_id"]);
                assert_eq!(answer.json()["errors"][0]["type"], "not_eligible");
                let body = json!({"assistant_ids": [ada], "new_owner_id": person});
                let answer = admin.post(&format!("{TOWER}/overview/bulk/transfer-ownership"), body).await;
                assert_eq!(answer.faults(), ["body.new_owner_id"]);
            }
        }
    }
    assert_eq!(listed.len(), 4);
    assert_eq!(candidates(&admin, "search=zoe").await, std::slice::from_ref(&other.id));
    assert_eq!(candidates(&admin, "search=EXAMPLE.org zo").await, std::slice::from_ref(&other.id));
    assert_eq!(candidates(&admin, "search=unknown").await, [] as [String; 0]);
    // The pages are contiguous.
    let parts = [candidates(&admin, "limit=3").await, candidates(&admin, "limit=3&offset=3").await];
    assert_eq!(parts.concat(), listed);
    // The creator of the other tenant is one of its administrators, too.
    let mut theirs = candidates(&server.stranger(), "").await;
    theirs.sort();
    let mut both = vec![server.admin_person().id.clone(), server.stranger_person().id.clone()];
    both.sort();
    assert_eq!(theirs, both);
}

#[tokio::test]
async fn transfer_moves_own_knowledge_and_not_automations() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let made =
        editor.post("/api/assistants", json!({"name": "Ada", "model": "builtin/scribe"})).await.created();
    let ada = text(&made["id"]);
    let body = json!({"title": "Tides", "content": "High water comes twice a day."});
    let added = editor.post(&format!("/api/assistants/{ada}/content"), body).await;
    assert!(added.status < 300, "{added:?}");
    let automation = acting::make(&editor, acting::by_hand(&ada)).await;
    let zoe = member(&server, "Zoe", "editor").await;
    let hers = server.client(&zoe.access_token);
    hers.get(&format!("/api/assistants/{ada}")).await.not_found();

    let answer = give(&admin, &ada, &zoe.id).await.ok();
    assert_eq!(
        (&answer["owner"], &answer["changed"], &answer["stopped_runs"]),
        (&json!(zoe.id), &json!(true), &json!(0))
    );
    // The assistant is private: the previous owner no longer sees it.
    editor.get(&format!("/api/assistants/{ada}")).await.not_found();
    let shown = hers.get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!(shown["permissions"], made["permissions"]);
    hers.get(&format!("/api/assistants/{ada}/files")).await.ok();
    let bases = |reader: &Reader| reader.scan::<KnowledgeBase>(tenant(server.admin_person()), Scan::table());
    let bases = server.store().read_now::<_, storage::Error>(bases).expect("the store reads").items;
    let own: Vec<_> = bases.iter().filter(|base| base.assistant_id.is_some()).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].owner, id(&zoe));
    assert_eq!(editor.get(&acting::path(&automation)).await.ok()["owner"], automation["owner"]);

    let (given, taken) = (told(&server, &zoe), told(&server, server.editor_person()));
    assert_eq!((given.len(), taken.len()), (1, 1));
    assert!(given.iter().chain(&taken).all(|notice| notice.kind == "assistant.transferred"));
    assert!(given[0].title.contains("yours"), "{}", given[0].title);
    let entries = audited(&admin, &ada).await;
    assert_eq!(entries[0]["detail"], json!({"from": server.editor_person().id, "to": zoe.id}));
    // Repeating the transfer changes nothing.
    assert_eq!(give(&admin, &ada, &zoe.id).await.ok()["changed"], false);
    assert_eq!(told(&server, &zoe).len(), 1);
    server.stored().await;
}

#[tokio::test]
async fn transfer_keeps_the_grants_of_others() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let zoe = member(&server, "Zoe", "editor").await;
    let user = server.user_person().id.clone();
    let grant = |id: &str, level: &str| json!({"principal": {"kind": "user", "id": id}, "level": level});
    let grants = json!([grant(&zoe.id, "viewer"), grant(&user, "editor")]);
    let body = json!({"name": "Ada", "visibility": "shared", "grants": grants});
    let ada = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let answer = admin
        .post(
            &format!("{TOWER}/overview/bulk/transfer-ownership"),
            json!({"assistant_ids": [ada], "new_owner_id": zoe.id}),
        )
        .await
        .ok();
    assert_eq!(answer["results"], json!([{"assistant_id": ada, "status": "ok"}]));
    let hers = server.client(&zoe.access_token).get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!(hers["grants"], json!([grant(&user, "editor")]));
    server.user().get(&format!("/api/assistants/{ada}")).await.ok();
    editor.get(&format!("/api/assistants/{ada}")).await.not_found();
    assert_eq!(
        admin.get(&format!("{TOWER}/overview/{ada}")).await.ok()["owner"]["display_name"],
        Value::from("Zoe")
    );
}

/// References that the new owner may not see are removed, and approvals have to be granted again.
#[tokio::test]
async fn transfer_removes_references_that_the_new_owner_may_not_see() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let zoe = member(&server, "Zoe", "editor").await;
    let base = async |visibility: &str| {
        let body = json!({"name": "Papers", "visibility": visibility});
        text(&editor.post("/api/knowledge-bases", body).await.created()["id"])
    };
    let (open, closed) = (base("tenant").await, base("private").await);
    let skill = async |name: &str| {
        let script = format!(
            "const skill = {{ name: \"{name}\", description: \"Reaches.\", services: [\"web:*\"] }};\n\
             const functions = {{ reach: {{ description: \"Reaches.\", run: () => 1 }} }};\n"
        );
        let made = upload(&editor, &format!("{name}.js"), script.as_bytes()).await.created();
        text(&made["id"])
    };
    let (shared, own) = (skill("shared").await, skill("own").await);
    for (skill, visibility) in [(&shared, "tenant"), (&own, "private")] {
        change(&editor, skill, &[Field::Text("visibility", visibility)]).await.ok();
    }
    let body = json!({"name": "Ada", "skills": [own, shared], "knowledge_bases": [closed, open]});
    let ada = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let approvals = format!("/api/assistants/{ada}/approved-external-services");
    let approved = editor.put(&approvals, json!({"services": ["web:*"]})).await.ok();
    assert_eq!(approved["approved_by"], server.editor_person().id);

    give(&admin, &ada, &zoe.id).await.ok();
    let shown = server.client(&zoe.access_token).get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!((&shown["skills"], &shown["knowledge_bases"]), (&json!([shared]), &json!([open])));
    assert_eq!((&shown["approved_external_services"], &shown["approved_by"]), (&json!([]), &Value::Null));
    let taken = json!({"skills": [own], "knowledge_bases": [closed]});
    assert_eq!(audited(&admin, &ada).await[0]["detail"]["taken_off"], taken);
    // The removed objects still belong to their owners.
    editor.get(&format!("/api/knowledge-bases/{closed}")).await.ok();
    editor.get(&format!("/api/skills/global/{own}")).await.ok();
}
