//! Notifications that the server sends about events.

use serde_json::{Value, json};
use storage::accounting::book;
use storage::records::{UsageRecord, VideoJob};
use storage::{TenantId, Timestamp};

use super::{listed, server, told, until, webhook};
use crate::api::joining::{provision, sign_up};
use crate::api::people::company::tenant;
use crate::api::usage::scene::{DAY, within_one};
use crate::api::workflows::scene::{Run, approval, workflow_for};
use crate::harness::counting_server::CountingServer;
use crate::harness::fake_directory::{Act, FakeDirectory};
use crate::harness::{Client, PASSWORD, Person, TestServer, text};

/// Returns the number of a user's notifications of a type.
async fn count(client: &Client, kind: &str) -> usize {
    listed(client, "").await.iter().filter(|one| one["type"] == kind).count()
}

#[tokio::test]
async fn join_request_notifies_administrators() {
    let server = server().await;
    provision(&server, json!({"mode": "approval"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await;
    let one = told(&server.admin(), "member.requested").await;
    assert!(text(&one["title"]).contains("ada@example.org"), "{one}");
    let waiting = server.admin().get("/api/tenant-admin/join-requests").await.ok();
    assert_eq!(one["data"]["join_request_id"], waiting["items"][0]["id"]);
    // A second sign-up is not another request, and other users are not notified.
    sign_up(&server, "ada@example.org", PASSWORD).await;
    assert_eq!(count(&server.admin(), "member.requested").await, 1);
    for other in [server.editor(), server.user(), server.stranger()] {
        assert_eq!(listed(&other, "").await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn unreadable_document_notifies_the_user_who_added_it() {
    let server = server().await;
    let editor = server.editor();
    let base = text(&editor.post("/api/knowledge-bases", json!({"name": "Handbook"})).await.created()["id"]);
    let (boundary, png) = ("a-boundary", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xff");
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
         content-type: image/png\r\n\r\n"
    );
    let body = [head.as_bytes(), png, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
    let path = format!("/api/knowledge-bases/{base}/files?wait=true");
    let request = editor.request(reqwest::Method::POST, &path);
    let request =
        request.header("content-type", format!("multipart/form-data; boundary={boundary}")).body(body);
    let failed = Client::send(request).await.created()["items"][0].clone();
    assert_eq!(failed["status"], "failed", "{failed}");
    let one = told(&editor, "document.failed").await;
    assert_eq!(
        (&one["data"]["document_id"], &one["data"]["knowledge_base_id"]),
        (&failed["id"], &json!(base))
    );
    assert_eq!((&one["body"], &one["severity"]), (&failed["error"]["message"], &json!("warning")));
    assert_eq!(count(&server.admin(), "document.failed").await, 0);
}

#[tokio::test]
async fn end_of_a_video_job_notifies_its_user() {
    let server = server().await;
    let user = server.user();
    let asked = json!({"prompt": "A lighthouse", "model": "builtin/clip", "size": "320x180", "seconds": 1});
    let job = user.post("/api/video/generate", asked).await.expect(202).json();
    let one = told(&user, "video.completed").await;
    assert_eq!(one["data"]["job_id"], job["job_id"]);
    assert!(text(&one["body"]).contains("A lighthouse"), "{one}");
    let (here, owner) = (tenant(&server), server.user_person().id.parse().expect("an id"));
    let id = text(&job["job_id"]).parse().expect("an id");
    let row = server.store().read(move |reader| reader.require::<VideoJob>(here, &(owner, id))).await;
    let row = row.map_err(|why: storage::Error| why).expect("the job");
    assert_eq!(json!(row.finished_at.is_some()), json!(true), "sent at the end of the job, not before");
    assert_eq!(count(&server.admin(), "video.completed").await, 0);
}

#[tokio::test]
async fn waiting_workflow_notifies_its_starter_unless_it_is_being_read() {
    let (server, hooks) = (server().await, CountingServer::start().await);
    let (editor, user) = (server.editor(), server.user());
    webhook(&user, &hooks.url("/hook")).await.created();
    let flow = workflow_for(&editor, approval(None), "tenant").await;
    let run = Run::start(&user, &flow, json!({})).await;
    run.until_state(&user, "waiting").await;
    let one = told(&user, "workflow.waiting").await;
    assert_eq!(one["data"]["conversation_id"], json!(run.conversation));
    assert_eq!(one["body"], "May it go out?\n\nSee the draft.");
    assert_eq!(one["link"], json!(format!("/conversations/{}", run.conversation)));
    hooks.wait_for("/hook", 1).await;
    // A restart does not count as a new wait.
    let server = server.restart().await;
    let user = server.user();
    let form = run.form(&user).await;
    assert_eq!(count(&user, "workflow.waiting").await, 1);
    Client::send(run.answering(&user, &form, "approve", json!({"note": "good"}))).await.ok();
    run.events(&user).await;
    assert_eq!(
        count(&server.editor(), "workflow.waiting").await,
        0,
        "the owner of the workflow is not notified"
    );

    // A user who is reading the stream has seen the form.
    let asked = user.request(reqwest::Method::POST, &crate::api::workflows::scene::runs(&flow));
    let asked = asked.header("accept", "text/event-stream").json(&json!({"inputs": {}}));
    let mut reading = crate::api::streams::reading::Stream::open(asked).await;
    reading.until("run.waiting").await;
    assert_eq!(count(&user, "workflow.waiting").await, 1);
}

#[tokio::test]
async fn failed_synchronisation_notifies_administrators_once() {
    const SYNC: &str = "/api/groups/sync";
    let directory = FakeDirectory::start().await;
    directory.person("user@example.org");
    directory.group("staff", &["user"]);
    let server = TestServer::start_with(|config| {
        super::quick(config);
        config.directories.retries = 0;
    })
    .await;
    let admin = server.admin();
    admin.put(&format!("{SYNC}/credential"), directory.graph()).await.ok();
    admin.post(&format!("{SYNC}/available/refresh"), json!({})).await.ok();
    admin.put(&format!("{SYNC}/selections"), json!({"group_ids": ["staff"]})).await.ok();
    let sync = async || admin.post(SYNC, json!({"wait": true})).await.ok();
    assert_eq!(sync().await["status"], "succeeded");
    directory.next("/", 10_000, Act::Status(403, None));
    let failed = sync().await;
    assert_eq!(failed["status"], "failed", "{failed}");
    let one = told(&admin, "directory.failed").await;
    assert_eq!(one["data"]["sync_id"], failed["sync_id"]);
    sync().await;
    assert_eq!(count(&admin, "directory.failed").await, 1, "repeated failures notify once");
    directory.calm();
    assert_eq!(sync().await["status"], "succeeded");
    directory.next("/", 10_000, Act::Status(403, None));
    sync().await;
    assert_eq!(count(&admin, "directory.failed").await, 2, "a success in between resets the notification");
    assert_eq!(count(&server.editor(), "directory.failed").await, 0);
}

/// Records the spending of a person.
async fn spend(server: &TestServer, person: &Person, cost_nanos: i64) {
    let here = TenantId(person.tenant.parse().expect("an id"));
    let user = person.id.parse().expect("an id");
    let record = UsageRecord { ts: Timestamp::now(), user, cost_nanos, ..UsageRecord::default() };
    let booked: Result<_, storage::Error> =
        server.store().run(move |tx| book(tx, here, record.clone())).await;
    booked.expect("booked");
}

#[tokio::test]
async fn budget_that_runs_out_notifies_once() {
    let server = server().await;
    within_one(DAY).await;
    let (user, person, admin) = (server.user(), server.user_person().clone(), server.admin());
    let limit = async |body: Value| admin.put("/api/tenant-admin/budgets", body).await.ok();
    limit(json!({"user_id": person.id, "cost_nanos_month": 1_000})).await;
    limit(json!({"cost_nanos_month": 10_000})).await;
    spend(&server, &person, 799).await;
    spend(&server, &person, 1).await;
    let one = told(&user, "budget.low").await;
    assert_eq!((&one["data"]["limit"], &one["data"]["spent"]), (&json!(1_000), &json!(800)));
    spend(&server, &person, 200).await;
    told(&user, "budget.exhausted").await;
    spend(&server, &person, 9_000).await;
    told(&admin, "budget.exhausted").await;
    // A user who passes eighty and a hundred percent at once is notified of the hundred only.
    assert_eq!((count(&admin, "budget.low").await, count(&admin, "budget.exhausted").await), (0, 1));
    let server = server.restart().await;
    let (user, admin) = (server.user(), server.admin());
    // A higher limit counts as a new limit.
    admin
        .put("/api/tenant-admin/budgets", json!({"user_id": person.id, "cost_nanos_month": 10_001}))
        .await
        .ok();
    let low = until("the new limit", async || {
        let all = listed(&user, "").await;
        all.into_iter().find(|one| one["type"] == "budget.low" && one["data"]["limit"] == 10_001)
    });
    low.await;
    assert_eq!((count(&user, "budget.low").await, count(&user, "budget.exhausted").await), (2, 1));
    assert_eq!(count(&admin, "budget.exhausted").await, 1);
    assert_eq!(count(&server.editor(), "budget.exhausted").await, 0);
}
