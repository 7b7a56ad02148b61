//! How people join a tenant, their roles in it, and how they leave.

mod answers_alike;
mod invitations;
mod leaving;
mod letters;
mod provisioning;
mod register;
mod roles;
mod settings;

use crate::harness::fake_smtp::{FakeSmtp, token};
use crate::harness::{Answer, Client, PASSWORD, TestServer, text};
use serde_json::{Value, json};
use storage::records::{AuditRecord, User};
use storage::{Scan, TenantId};

pub const ADMIN: &str = "/api/tenant-admin";

/// Starts a server that sends emails, and the mail server that receives them.
pub async fn with_mail() -> (TestServer, FakeSmtp) {
    let smtp = FakeSmtp::start().await;
    let server = TestServer::start_with(|config| smtp.configure(config)).await;
    (server, smtp)
}

/// Invites one address as an administrator, and returns the result for it.
pub async fn invite(server: &TestServer, email: &str, role: &str) -> Value {
    let (admin, path) = (server.admin(), format!("{ADMIN}/invitations"));
    let made = admin.post(&path, json!({"emails": [email], "role": role}));
    made.await.ok()["items"][0].clone()
}

/// Returns the token in the link of an invitation.
pub fn link(invited: &Value) -> String {
    token(&text(&invited["link"]), "invitation")
}

pub async fn accept(client: &Client, token: &str, body: Value) -> Answer {
    client.post(&format!("/api/auth/invitations/{token}/accept"), body).await
}

/// The form that a new user fills in.
pub fn newcomer() -> Value {
    json!({"display_name": "Ada", "password": PASSWORD})
}

/// Sets the provisioning mode.
pub async fn provision(server: &TestServer, body: Value) -> Value {
    server.admin().put(&format!("{ADMIN}/provisioning-mode"), body).await.ok()
}

/// Signs up for the tenant of the tests.
pub async fn sign_up(server: &TestServer, email: &str, password: &str) -> Answer {
    let body = json!({"tenant": "default", "email": email, "password": password, "display_name": "Ada"});
    server.anonymous().post("/api/auth/register", body).await
}

pub async fn log_in(server: &TestServer, email: &str, password: &str) -> Answer {
    server.anonymous().post("/api/auth/login/", json!({"email": email, "password": password})).await
}

/// Returns a client with the session of a login response.
#[track_caller]
pub fn in_session(server: &TestServer, answer: &Answer) -> Client {
    server.client(&text(&answer.ok()["access_token"]))
}

/// Returns the actions in a tenant's audit record with their actors, oldest first.
pub fn audited(server: &TestServer, tenant: &str) -> Vec<(String, String)> {
    let tenant = TenantId(tenant.parse().expect("an id"));
    let read = |reader: &storage::Reader| reader.scan::<AuditRecord>(tenant, Scan::table());
    let rows = server.store().read_now::<_, storage::Error>(read).expect("the audit record").items;
    rows.into_iter().map(|row| (row.body.action, row.body.actor.to_string())).collect()
}

/// Returns the number of users with an address.
pub fn users_of(server: &TestServer, email: &str) -> usize {
    let read = |reader: &storage::Reader| reader.scan::<User>(TenantId::SYSTEM, Scan::table());
    let users = server.store().read_now::<_, storage::Error>(read).expect("users").items;
    users.iter().filter(|user| user.email == email).count()
}
