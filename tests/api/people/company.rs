//! Further people of the tenant, and groups of a directory.

use serde_json::json;
use storage::TenantId;
use storage::records::{Governed, Group, GroupMember};
use uuid::Uuid;

use crate::harness::{Client, PASSWORD, Person, TestServer};

/// Adds a member and logs them in.
pub async fn join(server: &TestServer, name: &str) -> (Client, Person) {
    let email = format!("{name}@example.org");
    let body = json!({"email": email, "password": PASSWORD, "role": "user", "display_name": name});
    server.admin().post("/api/auth/users", body).await.created();
    let person = Person::log_in(&server.url(), &email, PASSWORD).await;
    (server.client(&person.access_token), person)
}

/// The tenant of everybody except the stranger.
pub fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.user_person().tenant.parse().expect("an id"))
}

fn id(person: &Person) -> Uuid {
    person.id.parse().expect("an id")
}

/// Stores a group as a synchronisation does, and returns its id.
pub async fn group(server: &TestServer, name: &str, people: &[&Person]) -> String {
    let (tenant, group, name) = (tenant(server), storage::new_id(), name.to_owned());
    let people: Vec<Uuid> = people.iter().map(|person| id(person)).collect();
    let put = server.store().run::<_, storage::Error>(move |tx| {
        let member_count = people.len() as u64;
        let body = Group { external_id: name.clone(), name: name.clone(), member_count, ..Group::default() };
        tx.insert(tenant, group, body)?;
        for user in &people {
            tx.insert(tenant, (*user, group), GroupMember {})?;
        }
        Governed::note(tx, tenant, |governed| governed.groups = true)
    });
    put.await.expect("stored");
    group.to_string()
}

/// Removes a person from a group, as a synchronisation does.
pub async fn leave(server: &TestServer, group: &str, person: &Person) {
    let (tenant, row) = (tenant(server), (id(person), group.parse().expect("an id")));
    let take = server.store().run::<_, storage::Error>(move |tx| tx.delete::<GroupMember>(tenant, &row));
    assert!(take.await.expect("stored"), "the person was a member");
}
