//! `groups.sync_groups`, with directories that use SCIM and Microsoft Graph.

use rand::Rng;
use serde_json::{Value, json};

use super::fake_ldap::{self, FakeLdap};
use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::api::streams::reading::unlimited;
use crate::harness::fake_directory::{FakeDirectory, SECRET};
use crate::harness::{Client, TestServer, text, until};

const SYNC: &str = "/api/groups/sync";
const HISTORY: &str = "/api/groups/sync/history";

/// The protocols that directories use over HTTP.
#[derive(Clone, Copy)]
enum Language {
    Scim,
    Graph,
}

/// A directory with a group of two members of the tenant and two other people, and a server that synchronises it.
struct Scene {
    directory: FakeDirectory,
    server: TestServer,
    credential: Value,
}

impl Scene {
    async fn set(language: Language) -> Self {
        let directory = FakeDirectory::start().await;
        for mail in
            ["editor@example.org", "user@example.org", "ada@elsewhere.example", "bob@elsewhere.example"]
        {
            directory.person(mail);
        }
        directory.group("inner", &["editor", "bob"]);
        directory.group("staff", &["user", "ada", "inner"]);
        let credential = match language {
            Language::Scim => directory.scim(),
            Language::Graph => directory.graph(),
        };
        let settings = |config: &mut understudy::Config| {
            unlimited(config);
            // No waiting for retries, and no scheduled synchronisations.
            config.directories.retries = 0;
            config.directories.connect_seconds = 5.0;
            config.directories.sweep_seconds = 3_600.0;
        };
        let server = TestServer::start_with(settings).await;
        let scene = Self { directory, server, credential };
        scene.server.admin().put("/api/groups/sync/credential", scene.credential.clone()).await.ok();
        scene.choose().await;
        scene
    }

    async fn choose(&self) {
        let admin = self.server.admin();
        admin.post("/api/groups/sync/available/refresh", json!({})).await.ok();
        admin.put("/api/groups/sync/selections", json!({"group_ids": ["staff"]})).await.ok();
    }

    fn valid(&self) -> Request {
        let body = json!({"credential": self.credential, "full": true, "dry_run": false, "force": false, "wait": true});
        Request::post(SYNC, &body).by(&self.server.admin())
    }

    /// Checks that the valid request imports both members, regardless of the previous state.
    async fn works(&self, trial: &mut Trial) {
        idle(&self.server.admin()).await;
        let valid = self.valid();
        let done = trial.valid(&valid, 200).await.json();
        assert_eq!(done["status"], "succeeded", "{done}");
        let groups = self.server.admin().get("/api/groups").await.ok();
        let staff =
            groups["items"].as_array().expect("items").iter().find(|group| group["name"] == "Group staff");
        assert_eq!(staff.expect("the group")["member_count"], 2, "{groups}");
    }

    /// Checks that the history of synchronisations contains no secret, and that each synchronisation has ended.
    async fn end(self, mut trial: Trial) {
        self.works(&mut trial).await;
        let history = self.server.admin().get(&format!("{HISTORY}?limit=200")).await.ok();
        assert!(!history.to_string().contains(SECRET), "{history}");
        for item in history["items"].as_array().expect("items") {
            let status = text(&item["status"]);
            assert!(["succeeded", "partial", "failed"].contains(&status.as_str()), "{item}");
        }
        self.server.settled().await;
        self.server.stored().await;
        trial.end();
    }
}

/// Waits until no synchronisation is in progress. A mutated request may not wait for its synchronisation, because
/// the mutation removed `wait`.
async fn idle(admin: &Client) {
    until("no synchronisation is under way", async || {
        let history = admin.get(&format!("{HISTORY}?limit=1")).await.ok();
        history["items"].as_array().expect("items").iter().all(|item| !item["finished_at"].is_null())
    })
    .await;
}

async fn takes_mutated_requests(language: Language) {
    let scene = Scene::set(language).await;
    let mut trial = Trial::of(&scene.server, "groups.sync_groups", &[SECRET]);
    scene.works(&mut trial).await;
    let valid = scene.valid();
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
        idle(&scene.server.admin()).await;
    }
    trial.cut_on_the_wire(&valid).await;
    idle(&scene.server.admin()).await;
    scene.choose().await;
    scene.end(trial).await;
}

/// An accepted synchronisation fails or succeeds on its own: whatever the directory replies, the request is
/// answered with the outcome.
async fn takes_mutated_replies(language: Language) {
    let scene = Scene::set(language).await;
    let mut trial = Trial::of(&scene.server, "groups.sync_groups", &[SECRET]);
    scene.works(&mut trial).await;
    let kept = Request::post(SYNC, &json!({"full": true, "wait": true})).by(&scene.server.admin());
    let tried = scene.valid();
    for round in 0..trial.rounds {
        let nth = round % 8;
        trial.mutate_reply(&scene.directory.state.alteration, "", nth, round);
        let request = if round % 3 == 0 { &tried } else { &kept };
        let what = format!("reply {nth}");
        if let Some(answer) = trial.checked(&what, request, Mutates::Reply).await
            && answer.status == 200
        {
            let done = answer.json();
            let is_told = done["finished_at"].is_string()
                && match done["status"].as_str() {
                    Some("succeeded") => done["error_code"].is_null(),
                    Some("partial") => true,
                    Some("failed") => done["error_code"].is_string(),
                    _ => false,
                };
            if !is_told {
                trial.note(&what, format!("ended so: {done}"));
            }
        }
        scene.directory.state.alteration.clear();
        idle(&scene.server.admin()).await;
    }
    scene.end(trial).await;
}

/// Whatever is at the address of an LDAP server, the request is answered in time. No server in this test accepts
/// the login and also has groups, so nothing is imported.
#[tokio::test]
async fn sync_groups_handles_mutated_replies_of_ldap() {
    let mut scene = Scene::set(Language::Scim).await;
    let ldap = FakeLdap::start().await;
    ldap.obey();
    let body = json!({"credential": ldap.credential(), "full": true, "wait": true});
    let empty = scene.server.admin().post(SYNC, body.clone()).await.ok();
    assert_eq!(
        (&empty["status"], &empty["error_code"]),
        (&json!("failed"), &json!("directory_empty")),
        "{empty}"
    );
    // Do not wait long for a server that sends nothing.
    scene.server = scene.server.restart_with(|config| config.directories.request_seconds = 0.1).await;
    let mut trial = Trial::of(&scene.server, "groups.sync_groups", &[SECRET, fake_ldap::PASSWORD]);
    let request = Request::post(SYNC, &body).by(&scene.server.admin());
    for round in 0..trial.rounds {
        let what = ldap.mutate(round, trial.dice.random());
        if let Some(answer) = trial.checked(&what, &request, Mutates::Reply).await
            && answer.status == 200
            && answer.json()["status"] != "failed"
        {
            trial.note(&what, format!("a synchronisation with nothing: {answer:?}"));
        }
        idle(&scene.server.admin()).await;
    }
    scene.server = scene.server.restart_with(|config| config.directories.request_seconds = 30.0).await;
    let mut last = Trial::of(&scene.server, "groups.sync_groups", &[SECRET, fake_ldap::PASSWORD]);
    let request = Request::post(SYNC, &body).by(&scene.server.admin());
    // A server that accepted the login once and then sends unreadable responses fails the synchronisation, and
    // nothing else.
    ldap.obey();
    let kept = last.checked("nothing is mutated", &request, Mutates::Reply).await;
    assert_eq!(kept.map(|answer| answer.status), Some(200));
    ldap.break_all();
    let again = Request::post(SYNC, &json!({"full": true, "wait": true})).by(&scene.server.admin());
    if let Some(answer) = last.checked("a name that is no text", &again, Mutates::Reply).await
        && answer.json()["status"] != "failed"
    {
        last.note("a name that is no text", format!("the synchronisation has not failed: {answer:?}"));
    }
    idle(&scene.server.admin()).await;
    last.include(trial);
    scene.end(last).await;
}

#[tokio::test]
async fn sync_groups_handles_mutated_requests_with_scim() {
    takes_mutated_requests(Language::Scim).await;
}

#[tokio::test]
async fn sync_groups_handles_mutated_requests_with_graph() {
    takes_mutated_requests(Language::Graph).await;
}

#[tokio::test]
async fn sync_groups_handles_mutated_replies_of_scim() {
    takes_mutated_replies(Language::Scim).await;
}

#[tokio::test]
async fn sync_groups_handles_mutated_replies_of_graph() {
    takes_mutated_replies(Language::Graph).await;
}
