//! Tenants whose members are determined by the directory.

use serde_json::json;
use storage::TenantId;
use storage::records::{DirectoryPerson, Membership, MembershipOrigin, Provisioning, Role, Tenant};

use super::{choose, members, people, stage, sync, tenant};
use crate::harness::fake_directory::{Act, FakeDirectory};
use crate::harness::{PASSWORD, Person, TestServer, text};

async fn provision(server: &TestServer) {
    let tenant = tenant(server);
    let change = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        row.provisioning = Provisioning::Directory;
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run(change).await.expect("a change");
}

/// Creates an account in another tenant for a user whose address the directory lists.
async fn account(server: &TestServer, email: &str) -> Person {
    let body = json!({"email": email, "password": PASSWORD, "role": "user"});
    server.admin_elsewhere().await.post("/api/auth/users", body).await.created();
    Person::log_in(&server.url(), email, PASSWORD).await
}

/// Records that a user joined the other tenant by signing up, with a verified address or not.
async fn came(server: &TestServer, person: &Person, proved: bool) {
    let id = (person.id.parse().expect("an id"), server.stranger_person().tenant.parse().expect("an id"));
    let change = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<Membership>(TenantId::SYSTEM, &id)?;
        (row.origin, row.proved) = (MembershipOrigin::SignedUp, proved);
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run(change).await.expect("a change");
}

/// Has the effect of a sign-up for the tenant after the address was verified by email and found in the directory.
async fn signs_up(server: &TestServer, person: &Person) {
    let (user, tenant): (uuid::Uuid, _) = (person.id.parse().expect("an id"), tenant(server));
    let email = person.email.clone();
    let join = move |tx: &mut storage::Tx| {
        let listed = DirectoryPerson::find(tx, tenant, &email)?;
        assert!(listed.is_some(), "{email} is not listed");
        let given = Membership { role: Role::User, origin: MembershipOrigin::Directory, proved: true };
        tx.insert(TenantId::SYSTEM, (user, tenant.0), given)?;
        DirectoryPerson::enrol(tx, tenant, user, &email)
    };
    server.store().run(join).await.expect("a change");
}

async fn membership(server: &TestServer, person: &Person) -> Option<Membership> {
    let (user, tenant) = (person.id.parse().expect("an id"), tenant(server));
    let read = move |reader: &storage::Reader| reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0));
    server.store().read(read).await.expect("the store reads").map(|row| row.body)
}

#[tokio::test]
async fn listed_people_may_join_and_leave_with_the_directory() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["ada", "editor"]);
    directory.group("other", &["bob"]);
    let (server, admin) = stage(&directory.graph()).await;
    let (ada, bob) =
        (account(&server, "ada@elsewhere.example").await, account(&server, "bob@elsewhere.example").await);
    came(&server, &ada, true).await;
    came(&server, &bob, true).await;
    choose(&admin, &["staff"]).await;
    // Membership requires a sign-up, whatever the provisioning mode.
    let plain = sync(&admin, json!({})).await;
    assert_eq!(
        (&plain["counts"]["users_joined"], &plain["counts"]["members_unknown"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(membership(&server, &ada).await, None);
    provision(&server).await;
    let dry = sync(&admin, json!({"full": true, "dry_run": true})).await;
    assert_eq!((&dry["counts"]["users_joined"], membership(&server, &ada).await), (&json!(0), None));
    let listed = sync(&admin, json!({"full": true})).await;
    assert_eq!(
        (&listed["counts"]["users_joined"], &listed["counts"]["members_unknown"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(membership(&server, &ada).await, None);
    server.client(&ada.access_token).get("/api/users/me").await.ok();
    signs_up(&server, &ada).await;
    let given = Membership { role: Role::User, origin: MembershipOrigin::Directory, proved: true };
    assert_eq!(membership(&server, &ada).await, Some(given));
    assert_eq!(membership(&server, &bob).await, None);
    assert_eq!(members(&server, "Group staff").await, ["ada@elsewhere.example", "editor@example.org"]);
    // A run that could not read everything ends no membership.
    directory.group("staff", &[]);
    choose(&admin, &["staff", "other"]).await;
    directory.next("groups/other/", 9, Act::Status(400, None));
    let partial = sync(&admin, json!({})).await;
    assert_eq!(
        (&partial["status"], &partial["counts"]["users_left"]),
        (&json!("partial"), &json!(0)),
        "{partial}"
    );
    assert!(membership(&server, &ada).await.is_some());
    directory.calm();
    let left = sync(&admin, json!({})).await;
    assert_eq!((&left["status"], &left["counts"]["users_left"]), (&json!("succeeded"), &json!(1)), "{left}");
    assert_eq!(membership(&server, &ada).await, None);
    assert_eq!(membership(&server, &bob).await, None);
    // A member whom an administrator added stays, whether listed or not.
    server.editor().get("/api/assistants").await.ok();
    server.stored().await;
}

#[tokio::test]
async fn administrators_stay_whether_listed_or_not() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["ada", "bob"]);
    let (server, admin) = stage(&directory.scim()).await;
    let (ada, bob) =
        (account(&server, "ada@elsewhere.example").await, account(&server, "bob@elsewhere.example").await);
    came(&server, &ada, true).await;
    came(&server, &bob, true).await;
    provision(&server).await;
    choose(&admin, &["staff"]).await;
    assert_eq!(sync(&admin, json!({})).await["counts"]["users_joined"], 0);
    signs_up(&server, &ada).await;
    signs_up(&server, &bob).await;
    let (user, tenant) = (ada.id.parse().expect("an id"), tenant(&server));
    let promote = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
        row.role = Role::TenantAdmin;
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run(promote).await.expect("a change");
    directory.group("staff", &["editor"]);
    assert_eq!(sync(&admin, json!({})).await["counts"]["users_left"], 1);
    assert!(membership(&server, &ada).await.is_some());
    assert_eq!(membership(&server, &bob).await, None);
}

#[tokio::test]
async fn listed_people_are_stored_before_they_have_an_account() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["ada"]);
    directory.group("more", &["ada", "bob"]);
    let (server, admin) = stage(&directory.scim()).await;
    choose(&admin, &["staff", "more"]).await;
    sync(&admin, json!({})).await;
    let tenant = tenant(&server);
    let listed = async |email: &'static str| {
        let read = move |reader: &storage::Reader| DirectoryPerson::find(reader, tenant, email);
        server
            .store()
            .read(read)
            .await
            .expect("the store reads")
            .map(|row| (row.name.clone(), row.groups.len()))
    };
    assert_eq!(listed("Ada@Elsewhere.example").await, Some(("The ada".to_owned(), 2)));
    assert_eq!(listed("bob@elsewhere.example").await.map(|(_, groups)| groups), Some(1));
    assert_eq!(listed("unknown@elsewhere.example").await, None);
    // A new member is added to the groups that list them.
    let ada = account(&server, "ada@elsewhere.example").await;
    let user: uuid::Uuid = ada.id.parse().expect("an id");
    let enrol = move |tx: &mut storage::Tx| {
        tx.insert(TenantId::SYSTEM, (user, tenant.0), Membership::default())?;
        DirectoryPerson::enrol(tx, tenant, user, "ada@elsewhere.example")
    };
    server.store().run(enrol).await.expect("a change");
    let again = sync(&admin, json!({})).await;
    assert_eq!(again["counts"]["members_added"], 0, "{again}");
    assert_eq!(members(&server, "Group more").await, ["ada@elsewhere.example"]);
    // A group that is no longer selected lists no members.
    choose(&admin, &["staff"]).await;
    assert_eq!(listed("bob@elsewhere.example").await, None);
    assert_eq!(listed("ada@elsewhere.example").await.map(|(_, groups)| groups), Some(1));
    server.stored().await;
}

#[tokio::test]
async fn unverified_address_gives_no_group_membership() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["ada", "bob", "user"]);
    let (server, admin) = stage(&directory.scim()).await;
    provision(&server).await;
    // An administrator of another tenant, or a sign-up there, can give an account any address.
    let ada = account(&server, "ada@elsewhere.example").await;
    let bob = account(&server, "bob@elsewhere.example").await;
    came(&server, &bob, false).await;
    // A member who signed up with an address that was never verified.
    let (user, tenant) = (server.user_person().id.parse().expect("an id"), tenant(&server));
    let unproved = move |proved: bool| {
        move |tx: &mut storage::Tx| {
            let mut row = tx.require::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
            (row.origin, row.proved) = (MembershipOrigin::SignedUp, proved);
            tx.update(TenantId::SYSTEM, row).map(drop)
        }
    };
    server.store().run(unproved(false)).await.expect("a change");
    choose(&admin, &["staff"]).await;
    let done = sync(&admin, json!({})).await;
    assert_eq!(done["counts"]["members_unknown"], 3, "{done}");
    let warnings = done["warnings"].as_array().expect("warnings");
    assert!(warnings.len() == 1 && done["status"] == "succeeded", "{done}");
    assert!(
        text(&warnings[0]).starts_with("Group staff: user@example.org signed up here without a proof"),
        "{done}"
    );
    assert!(members(&server, "Group staff").await.is_empty());
    assert_eq!((membership(&server, &ada).await, membership(&server, &bob).await), (None, None));
    // The verified address counts.
    server.store().run(unproved(true)).await.expect("a change");
    let done = sync(&admin, json!({})).await;
    assert_eq!(done["warnings"], json!([]));
    assert_eq!(members(&server, "Group staff").await, ["user@example.org"]);
}
