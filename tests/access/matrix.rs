//! Every operation, called by every kind of caller.

use std::collections::BTreeSet;
use std::fmt::Write;

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::callers::{SCOPES, Who};
use super::requests::{base_of, id_of, outcome, place, request, send};
use super::table::{Line, Table, row};
use super::world::{SERVICE, World};
use crate::harness::{Answer, Client, Person, TestServer};
use crate::sweep::Called;

/// Operations that end the session that calls them.
const ENDING: [&str; 2] = ["auth.logout", "users.logout"];

/// A server whose rate limits are too high for the callers of this test to reach, and whose sessions
/// outlive it.
pub async fn server() -> TestServer {
    TestServer::start_with(|config| {
        config.auth.access_minutes = 24 * 60;
        config.auth.impersonation_minutes = 24 * 60;
        config.auth.impersonation_hours = 24;
        config.limits.credential_per_second = 1_000_000;
        config.limits.credential_burst = 1_000_000;
        config.runs.per_user = 1_000;
        // The disk usage of runs does not change during a walk.
        config.runs.unload_after_seconds = 24.0 * 60.0 * 60.0;
        let service = json!({"client_id": "understudy", "authorization_endpoint": "http://127.0.0.1:9/authorize",
            "token_endpoint": "http://127.0.0.1:9/token"});
        let service = serde_json::from_value(service).expect("a service");
        config.external_services.insert(SERVICE.to_owned(), service);
    })
    .await
}

struct Trial {
    document: Value,
    world: World,
    stranger: Person,
    of_owner: Vec<(&'static str, Client)>,
    of_admin: Vec<(&'static str, Client)>,
    /// Outcomes that must not occur at all.
    faults: Vec<String>,
}

impl Trial {
    async fn begin(server: &TestServer) -> Self {
        let world = World::made(server, &server.admin(), "Zibeline").await;
        let of_owner = world.cast.tokens(&world.owner).await;
        let of_admin = world.cast.tokens(&world.admin).await;
        let document = understudy::INDEX.document();
        Self {
            document,
            world,
            stranger: server.stranger_person().clone(),
            of_owner,
            of_admin,
            faults: Vec::new(),
        }
    }

    /// The line of an operation.
    async fn line(&mut self, called: &Called) -> Line {
        let mut cells = Vec::new();
        for who in Who::ALL {
            cells.push(self.cell(called, who).await);
        }
        let by_admin = cells[5] == "role";
        let scope = self.scope(called, by_admin).await;
        Line { cells, scope }
    }

    async fn cell(&mut self, called: &Called, who: Who) -> String {
        let Some(mut client) = self.world.cast.find(who) else { return "-".to_owned() };
        if ENDING.contains(&base_of(id_of(called))) {
            client = self.world.cast.throwaway(who, &self.stranger).await;
        }
        let answer = send(called, request(&client, called, &self.document, &self.world)).await;
        self.note(called, who.name(), &answer).await;
        outcome(&answer)
    }

    /// Records outcomes that must not occur, and restores what a call has changed.
    async fn note(&mut self, called: &Called, who: &str, answer: &Answer) {
        if std::env::var_os("UNDERSTUDY_SHOW_ANSWERS").is_some() {
            let said: String = answer.text().chars().take(200).collect();
            println!("{} {who}: {} {said}", id_of(called), answer.status);
        }
        if answer.status >= 500 {
            self.faults.push(format!("{} by {who}: {answer:?}", id_of(called)));
        }
        if answer.status < 300 && called.method != Method::GET {
            self.world.mend(place(&called.path)).await;
        }
    }

    /// The scopes that are each sufficient for a token not to be refused.
    async fn scope(&mut self, called: &Called, by_admin: bool) -> String {
        if called.is_open() {
            return "open".to_owned();
        }
        let tokens = if by_admin { &self.of_admin } else { &self.of_owner };
        let tries = tokens.iter().map(|(scope, client)| {
            let request = request(client, called, &self.document, &self.world);
            async move { (*scope, send(called, request).await) }
        });
        let answers = join_all(tries).await;
        let taken: Vec<_> = answers
            .iter()
            .filter(|(_, answer)| outcome(answer) != "scope")
            .map(|(scope, _)| *scope)
            .collect();
        for (scope, answer) in &answers {
            if answer.status >= 500 {
                self.faults.push(format!("{} with {scope}: {answer:?}", id_of(called)));
            }
        }
        if let Some((scope, answer)) = answers.iter().find(|(_, answer)| answer.status < 300) {
            self.note(called, scope, answer).await;
        }
        match taken.as_slice() {
            all if all.len() == SCOPES.len() + 1 => "none needed".to_owned(),
            all if all.len() == SCOPES.len() && !all.contains(&"") => "any".to_owned(),
            [] => "no single one".to_owned(),
            some => some.join(", "),
        }
    }
}

/// The operations, grouped by area in the order of their paths.
fn operations(document: &Value) -> Vec<Called> {
    let mut all = Called::all(document);
    all.sort_by_key(|called| called.operation["tags"][0].as_str().unwrap_or_default().to_owned());
    all
}

#[tokio::test]
async fn every_operation_by_every_caller() {
    let server = server().await;
    let mut trial = Trial::begin(&server).await;
    let only = std::env::var("UNDERSTUDY_ONLY").unwrap_or_default();
    let (mut seen, mut order) = (Table::default(), Vec::new());
    let mut area = String::new();
    for called in operations(&trial.document) {
        if !id_of(&called).starts_with(&only) {
            continue;
        }
        let of = called.operation["tags"][0].as_str().unwrap_or_default();
        if of != std::mem::replace(&mut area, of.to_owned()) {
            trial.world.mend_all().await;
        }
        let began = std::time::Instant::now();
        let line = trial.line(&called).await;
        if std::env::var_os("UNDERSTUDY_SHOW_ANSWERS").is_some() {
            println!("{} took {:?}", id_of(&called), began.elapsed());
        }
        order.push(id_of(&called).to_owned());
        seen.lines.insert(id_of(&called).to_owned(), line);
    }
    let reviewed = Table::reviewed();
    let seen = seen.with_remarks_of(&reviewed);
    if std::env::var_os("UNDERSTUDY_WRITE_TABLE").is_some() && only.is_empty() {
        seen.write(&order);
    }
    let mut told = String::new();
    for operation in &order {
        let (now, before) = (&seen.lines[operation], reviewed.lines.get(operation));
        if before != Some(now) {
            let _ = writeln!(told, "{operation}\n  is  {}", row(&now.cells, &now.scope));
            let _ = match before {
                Some(line) => writeln!(told, "  was {}", row(&line.cells, &line.scope)),
                None => writeln!(told, "  has no line"),
            };
        }
    }
    assert!(trial.faults.is_empty(), "failed:\n{}", trial.faults.join("\n"));
    assert!(told.is_empty(), "not as in tests/access/table.txt:\n{told}");
}

#[test]
fn access_table_has_one_line_per_operation() {
    let document = understudy::INDEX.document();
    let there: BTreeSet<_> = operations(&document).iter().map(|called| id_of(called).to_owned()).collect();
    let lines: BTreeSet<_> = Table::reviewed().lines.into_keys().collect();
    let missing: Vec<_> = there.difference(&lines).collect();
    assert!(missing.is_empty(), "no line in tests/access/table.txt: {missing:?}");
    let spare: Vec<_> = lines.difference(&there).collect();
    assert!(spare.is_empty(), "no operation for: {spare:?}");
}

#[test]
fn access_table_has_the_scopes_of_the_document() {
    let reviewed = Table::reviewed();
    for called in operations(&understudy::INDEX.document()) {
        let Some(line) = reviewed.lines.get(id_of(&called)) else { continue };
        let scopes = called.operation["security"][0]["bearer"].as_array().cloned().unwrap_or_default();
        let said = match scopes.as_slice() {
            [] => ["open", "any", "none needed"].contains(&line.scope.as_str()),
            [scope] => line.scope == *scope,
            _ => line.scope == "no single one",
        };
        assert!(said, "{}: {} and {scopes:?}", id_of(&called), line.scope);
        assert_eq!(called.is_open(), line.scope == "open", "{}", id_of(&called));
    }
}
