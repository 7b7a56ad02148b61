//! The users of a test server.

use super::answer::text;
use super::client::Client;
use super::process::Process;
use serde_json::{Value, json};

/// The password of all people except the administrator.
pub const PASSWORD: &str = "correct horse battery";

/// A user who is logged in.
#[derive(Clone, Debug)]
pub struct Person {
    pub id: String,
    pub email: String,
    pub password: String,
    pub tenant: String,
    pub access_token: String,
    pub refresh_token: String,
}

pub struct People {
    pub admin: Person,
    pub editor: Person,
    pub user: Person,
    pub stranger: Person,
}

impl People {
    /// Adds all people to a server that was just started for the first time.
    pub async fn arrive(process: &Process) -> Self {
        let url = format!("http://{}", process.addr);
        let first = process.first.as_ref().expect("a new folder");
        let password = first.password.clone().expect("UNDERSTUDY_ADMIN_PASSWORD is not set");
        let admin = Person::log_in(&url, &first.email, &password).await;
        let as_admin = Client::new(url.clone(), Some(admin.access_token.clone()));
        let add = async |client: &Client, email: &str, role: &str| {
            let body = json!({"email": email, "password": PASSWORD, "role": role});
            client.post("/api/auth/users", body).await.created();
        };
        add(&as_admin, "editor@example.org", "editor").await;
        add(&as_admin, "user@example.org", "user").await;
        let other = as_admin.post("/api/auth/tenants", json!({"name": "Elsewhere"})).await.created();
        let there = as_admin.post("/api/auth/switch-tenant", json!({"tenant_id": other["id"]})).await.ok();
        let as_admin_there = Client::new(url.clone(), Some(text(&there["access_token"])));
        add(&as_admin_there, "stranger@example.com", "tenant_admin").await;
        as_admin_there.post("/api/auth/switch-tenant", json!({"tenant_id": admin.tenant})).await.ok();
        Self {
            admin,
            editor: Person::log_in(&url, "editor@example.org", PASSWORD).await,
            user: Person::log_in(&url, "user@example.org", PASSWORD).await,
            stranger: Person::log_in(&url, "stranger@example.com", PASSWORD).await,
        }
    }
}

impl Person {
    pub async fn log_in(url: &str, email: &str, password: &str) -> Self {
        let body = json!({"email": email, "password": password});
        let answer = Client::new(url.to_owned(), None).post("/api/auth/login/", body).await.ok();
        Self::of(&answer, password)
    }

    fn of(answer: &Value, password: &str) -> Self {
        Self {
            id: text(&answer["user"]["id"]),
            email: text(&answer["user"]["email"]),
            password: password.to_owned(),
            tenant: text(&answer["tenant"]["id"]),
            access_token: text(&answer["access_token"]),
            refresh_token: text(&answer["refresh_token"]),
        }
    }
}
