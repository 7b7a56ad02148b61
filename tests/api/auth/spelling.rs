//! The spelling of email addresses and names.

use serde_json::json;
use storage::TenantId;
use storage::records::User;

use crate::api::joining::{log_in, users_of};
use crate::harness::{PASSWORD, TestServer, text};

const COMPOSED: &str = "zo\u{eb}@example.org";
const DECOMPOSED: &str = "zoe\u{308}@example.org";

#[tokio::test]
async fn composed_and_decomposed_addresses_are_one_account() {
    let server = TestServer::start().await;
    let add = async |email: &str| {
        let body = json!({"email": email, "password": PASSWORD, "role": "user"});
        server.admin().post("/api/auth/users", body).await
    };
    assert_eq!(add(DECOMPOSED).await.created()["email"], COMPOSED);
    add(COMPOSED).await.problem(409, "name_taken");
    add("ZO\u{cb}@example.org").await.problem(409, "name_taken");
    for email in [COMPOSED, DECOMPOSED, "ZOE\u{308}@Example.org"] {
        log_in(&server, email, PASSWORD).await.ok();
    }
    let invited = json!({"emails": [DECOMPOSED, COMPOSED], "role": "user"});
    let invited = server.admin().post("/api/tenant-admin/invitations", invited).await.ok();
    assert_eq!(invited["items"].as_array().map(Vec::len), Some(1), "{invited}");
    assert_eq!(users_of(&server, COMPOSED), 1);
}

/// Accounts of older servers are stored with the address as it was entered.
#[tokio::test]
async fn account_with_a_decomposed_address_stays_reachable() {
    let server = TestServer::start().await;
    let id: uuid::Uuid = server.user_person().id.parse().unwrap();
    let change = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<User>(TenantId::SYSTEM, &id)?;
        row.email = DECOMPOSED.to_owned();
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run::<_, storage::Error>(change).await.unwrap();
    for email in [COMPOSED, DECOMPOSED] {
        assert_eq!(log_in(&server, email, PASSWORD).await.ok()["user"]["id"], json!(id));
    }
    let body = json!({"email": COMPOSED, "password": PASSWORD, "role": "user"});
    server.admin().post("/api/auth/users", body).await.problem(409, "name_taken");
    server.stored().await;
}

#[tokio::test]
async fn addresses_with_invisible_characters_are_refused() {
    let server = TestServer::start().await;
    for email in
        ["us\u{200b}er@example.org", "\u{202e}user@example.org", "user@exam\u{ad}ple.org", "a\u{0}@b"]
    {
        let body = json!({"email": email, "password": PASSWORD, "role": "user"});
        assert_eq!(server.admin().post("/api/auth/users", body).await.faults(), ["body.email"], "{email:?}");
        let body = json!({"emails": [email], "role": "user"});
        let invited = server.admin().post("/api/tenant-admin/invitations", body).await;
        assert_eq!(invited.faults(), ["body.emails.0"], "{email:?}");
    }
}

/// The same rule applies to every field that names something.
#[tokio::test]
async fn names_are_limited_to_one_line_of_visible_characters() {
    let server = TestServer::start().await;
    let (admin, editor) = (server.admin(), server.editor());
    let named = [
        (&admin, "/api/auth/tenants", "name"),
        (&editor, "/api/assistants", "name"),
        (&editor, "/api/knowledge-bases", "name"),
        (&editor, "/api/projects", "name"),
        (&editor, "/api/teams", "name"),
        (&editor, "/api/auth/api-tokens", "name"),
        (&editor, "/api/conversations", "title"),
        (&admin, "/api/tenant-admin/service-accounts", "display_name"),
    ];
    for (client, path, field) in named {
        for bad in ["a\u{0}b", "a\r\nb", "a\u{202e}b", "a\u{2066}b", "a\u{2028}b", "a\u{7f}b", "a\tb"] {
            let mut body = json!({});
            if path == "/api/tenant-admin/service-accounts" {
                body = json!({"role": "user"});
            }
            body[field] = json!(bad);
            let answer = client.post(path, body).await;
            assert_eq!(answer.faults(), [format!("body.{field}")], "{path} {bad:?}");
        }
        // Right-to-left scripts, joiners and emoji are allowed in names.
        for good in
            ["\u{5d3}\u{5d5}\u{5d3} \u{200f}", "\u{1f468}\u{200d}\u{1f4bb}", "\u{645}\u{6cc}\u{200c}\u{62e}"]
        {
            let mut body = json!({});
            if path == "/api/tenant-admin/service-accounts" {
                body = json!({"role": "user"});
            }
            body[field] = json!(good);
            assert_eq!(client.post(path, body).await.status, 201, "{path} {good:?}");
        }
    }
    let me = json!({"display_name": "A\u{202e}da"});
    let before = text(&editor.get("/api/users/me").await.ok()["display_name"]);
    assert_eq!(editor.patch("/api/users/me", me).await.faults(), ["body.display_name"]);
    assert_eq!(editor.get("/api/users/me").await.ok()["display_name"], before);
}
