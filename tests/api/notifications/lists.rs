//! Listing, reading and deleting notifications.

use serde_json::{Value, json};

use super::{PATH, listed, server, titles, unread, write};
use crate::harness::{TestServer, text};

#[tokio::test]
async fn notification_is_listed_read_and_deleted() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    assert_eq!((listed(&user, "").await, unread(&user).await), (vec![], 0));
    for title in ["one", "two", "three"] {
        write(&server, &person, title).await;
    }
    assert_eq!(titles(&user, "").await, ["three", "two", "one"]);
    let first = listed(&user, "").await.pop().expect("one");
    let keys: Vec<_> = first.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut wanted =
        ["id", "type", "severity", "title", "body", "link", "data", "read_at", "created_at"].to_vec();
    wanted.sort_unstable();
    assert_eq!(keys, wanted);
    assert_eq!((&first["type"], &first["severity"]), (&json!("message"), &json!("info")));
    assert_eq!((&first["read_at"], &first["data"]), (&Value::Null, &json!({})));

    let path = format!("{PATH}/{}", text(&first["id"]));
    let read = user.put(&format!("{path}/read"), json!({})).await.ok();
    assert!(read["read_at"].is_string(), "{read}");
    assert_eq!(user.put(&format!("{path}/read"), json!({})).await.ok(), read, "reading is idempotent");
    assert_eq!(unread(&user).await, 2);
    assert_eq!(titles(&user, "?status=unread").await, ["three", "two"]);
    assert_eq!(titles(&user, "?status=read").await, ["one"]);
    assert_eq!(titles(&user, "?status=all").await.len(), 3);
    assert_eq!(user.get(&format!("{PATH}?status=some")).await.faults(), ["query.status"]);

    let server = server.restart().await;
    let user = server.user();
    user.delete(&path).await.no_content();
    user.delete(&path).await.not_found();
    user.put(&format!("{path}/read"), json!({})).await.not_found();
    assert_eq!((titles(&user, "").await.len(), unread(&user).await), (2, 2));
    let some = user.put(&format!("{PATH}/read-all"), json!({"ids": [first["id"]]})).await;
    assert_eq!((some.faults(), unread(&user).await), (vec!["body.ids".to_owned()], 2), "nothing is marked");
    assert_eq!(user.put(&format!("{PATH}/read-all"), json!({})).await.ok(), json!({"marked": 2}));
    assert_eq!(user.put(&format!("{PATH}/read-all"), json!({})).await.ok(), json!({"marked": 0}));
    assert_eq!(unread(&user).await, 0);
    write(&server, &person, "four").await;
    assert_eq!((unread(&user).await, titles(&user, "?status=unread").await), (1, vec!["four".to_owned()]));
    server.stored().await;
}

#[tokio::test]
async fn pages_are_consistent_while_notifications_arrive() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    for at in 0..7 {
        write(&server, &person, &format!("{at}")).await;
    }
    let (mut seen, mut query) = (Vec::new(), "?limit=3".to_owned());
    loop {
        let page = user.get(&format!("{PATH}{query}")).await.ok();
        let items = page["items"].as_array().expect("items");
        seen.extend(items.iter().map(|one| text(&one["title"])));
        // A notification that arrives between two page requests is on neither page.
        write(&server, &person, "later").await;
        match page["next_cursor"].as_str() {
            Some(next) => query = format!("?limit=3&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"]);
    assert_eq!(user.get(&format!("{PATH}?limit=0")).await.faults(), ["query.limit"]);
    user.get(&format!("{PATH}?cursor=zz")).await.expect(422);
}

#[tokio::test]
async fn notifications_of_others_are_not_visible() {
    let server = server().await;
    write(&server, server.user_person(), "for the user alone").await;
    let one = listed(&server.user(), "").await.pop().expect("one");
    let path = format!("{PATH}/{}", text(&one["id"]));
    // Not even to administrators of this or another tenant.
    for other in [server.editor(), server.admin(), server.stranger()] {
        assert_eq!(listed(&other, "").await, Vec::<Value>::new());
        other.put(&format!("{path}/read"), json!({})).await.not_found();
        other.delete(&path).await.not_found();
        assert_eq!(other.put(&format!("{PATH}/read-all"), json!({})).await.ok()["marked"], 0);
    }
    assert_eq!(unread(&server.user()).await, 1);
    server.anonymous().get(PATH).await.problem(401, "credentials_missing");
}

#[tokio::test]
async fn notification_operations_require_scopes() {
    let server = server().await;
    write(&server, server.admin_person(), "to the administrator").await;
    let one = listed(&server.admin(), "").await.pop().expect("one");
    let read = format!("{PATH}/{}/read", text(&one["id"]));
    let reader = server.token(&["notifications:read"]).await;
    let writer = server.token(&["notifications:write"]).await;
    assert_eq!(unread(&reader).await, 1);
    reader.put(&read, json!({})).await.problem(403, "scope_missing");
    writer.get(PATH).await.problem(403, "scope_missing");
    writer.put(&read, json!({})).await.ok();
    assert_eq!(unread(&reader).await, 0);
    let said = json!({"user_ids": [server.user_person().id], "title": "x"});
    writer.post(&format!("{PATH}/send"), said).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn oldest_notifications_are_removed_at_the_limit() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let tenant = storage::TenantId(person.tenant.parse().expect("an id"));
    let to: uuid::Uuid = person.id.parse().expect("an id");
    let many = server.store().run(move |tx| {
        for at in 0..1_003 {
            let title = format!("{at}");
            let notice = storage::records::Notice { user: to, title, ..Default::default() };
            storage::notices::notify(tx, tenant, notice)?;
        }
        Ok::<_, storage::Error>(())
    });
    many.await.expect("told");
    let page = user.get(&format!("{PATH}?limit=1")).await.ok();
    assert_eq!((&page["total"], &page["items"][0]["title"]), (&json!(1_000), &json!("1002")));
    assert_eq!(unread(&user).await, 1_000);
    assert_eq!(user.put(&format!("{PATH}/read-all"), json!({})).await.ok()["marked"], 1_000);
    server.stored().await;
}

#[tokio::test]
async fn notifications_are_removed_with_the_membership() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    write(&server, &person, "before").await;
    super::webhook(&user, "http://127.0.0.1:9/gone").await.created();
    write(&server, &person, "unread").await;
    server.admin().delete(&format!("/api/tenant-admin/users/{}", person.id)).await.no_content();
    let tenant = storage::TenantId(person.tenant.parse().expect("an id"));
    let left = server.store().read(move |reader| {
        let all = storage::Scan::table;
        let system = storage::TenantId::SYSTEM;
        let notices = reader.scan::<storage::records::Notice>(tenant, all())?.items.len();
        let endpoints = reader.scan::<storage::records::NotificationEndpoint>(tenant, all())?.items.len();
        let deliveries = reader.scan::<storage::records::Delivery>(tenant, all())?.items.len();
        let queues = reader.scan::<storage::records::DeliveryQueue>(system, all())?.items.len();
        let changes = reader.scan::<storage::records::NoticeEvent>(tenant, all())?.items.len();
        Ok::<_, storage::Error>([notices, endpoints, deliveries, queues, changes])
    });
    assert_eq!(left.await.expect("read"), [0; 5]);
    server.stored().await;
    told_no_more(&server, tenant, person.id.parse().expect("an id")).await;
}

/// Former members are not notified, whatever the cause.
async fn told_no_more(server: &TestServer, tenant: storage::TenantId, user: uuid::Uuid) {
    let told = server.store().run(move |tx| {
        storage::notices::notify(tx, tenant, storage::records::Notice { user, ..Default::default() })?;
        Ok::<_, storage::Error>(tx.scan::<storage::records::Notice>(tenant, storage::Scan::table())?.items)
    });
    assert_eq!(told.await.expect("told nothing"), []);
}
