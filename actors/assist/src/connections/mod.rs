//! Logins of users at other servers: external services, and the tool servers of assistants.
//!
//! A login starts with a row that waits for the user to come back from the authorization server ([`LoginFlow`]), and
//! ends in a [`ServiceConnection`] whose tokens are a secret in the store. They are stored nowhere else: code that
//! needs a token requests it each time, and it is renewed before it expires, by one task at a time per login. Deleting
//! the object that a login belongs to (the user's membership, the assistant) deletes the login; its tokens are then
//! revoked in the background (`ending.rs`).
//!
//! If an authorization server invalidates a refresh token on use, and a crash occurs between its response and our commit,
//! the login cannot be renewed: the user has to log in again. Nothing else is affected.

mod authorities;
mod bearer;
mod clients;
mod ending;
mod error;
mod known;
mod login;
mod login_status;
mod outbound;
mod renewal;
mod returning;
mod settings;
mod tokens;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use providers::oauth::OAuth;
use providers::web::WebClient;
use ring::digest::{SHA256, digest};
use storage::records::{LoginFlow, ServiceConnection};
use storage::{Store, TenantId};
use uuid::Uuid;

pub use bearer::ToolLogin;
pub use clients::Registration;
pub use ending::Disconnected;
pub use error::ConnectError;
pub use known::MetadataCache;
pub use login::{LoginTarget, NewLogin, PendingLogin, PreparedLogin, digest_of};
pub use login_status::{ServerStanding, ServerState};
pub use outbound::{OnBehalfOf, OutboundError};
pub use returning::{AuthorizationResponse, Finished};
pub use settings::{ClientSettings, ConnectionSettings, ServiceSettings, ToolClientSettings};

/// The logins of all users. Cheap to clone.
#[derive(Clone)]
pub struct Connections(Arc<Inner>);

struct Inner {
    store: Store,
    oauth: OAuth,
    settings: ConnectionSettings,
    known: MetadataCache,
    /// Named locks, held while the corresponding row changes: logins during renewal, clients during registration.
    locks: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").finish_non_exhaustive()
    }
}

/// Identifies a login: its user and its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginKey {
    pub tenant: TenantId,
    /// The user, and the name of the service or the key of the tool server.
    pub id: (Uuid, String),
}

impl LoginKey {
    /// A login at an external service.
    pub fn service(tenant: TenantId, user: Uuid, service: &str) -> Self {
        Self { tenant, id: (user, service.to_owned()) }
    }

    /// A login at a tool server of an assistant.
    pub fn tool(tenant: TenantId, user: Uuid, assistant: Uuid, url: &str) -> Self {
        let digest = &sha256_hex(url.as_bytes())[..32];
        Self { tenant, id: (user, ServiceConnection::tool_key(assistant, digest)) }
    }
}

impl Connections {
    /// Creates the logins on top of a store and a web client.
    pub fn new(store: Store, web: WebClient, settings: ConnectionSettings) -> Self {
        let (known, locks) = (MetadataCache::default(), Mutex::default());
        Self(Arc::new(Inner { store, oauth: OAuth::new(web), settings, known, locks }))
    }

    /// The login of a user at a tool server of an assistant, for calls to that server.
    pub fn tool_login(&self, server: crate::tool_servers::UserToolServer) -> ToolLogin {
        ToolLogin::new(self.clone(), server)
    }

    pub fn settings(&self) -> &ConnectionSettings {
        &self.0.settings
    }

    /// Returns the lock with this name. It exists for as long as it is held or awaited.
    fn lock(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.locks.lock();
        if let Some(lock) = locks.get(name).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(name.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

/// SHA-256 as 64 hex digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

/// The server's name as shown to the user, for a login.
fn shown_name(settings: &ConnectionSettings, row: &ServiceConnection, key: &str) -> String {
    match (&row.server, settings.services.get(key)) {
        (Some(server), _) => server.clone(),
        (None, Some(service)) => service.display_name.clone(),
        (None, None) => key.to_owned(),
    }
}

/// The server's name like [`shown_name`], for a login in progress.
fn shown_target(settings: &ConnectionSettings, flow: &LoginFlow) -> String {
    let service = flow.service.as_deref().unwrap_or_default();
    let display = settings.services.get(service).map(|service| service.display_name.clone());
    flow.server.clone().or(display).unwrap_or_else(|| service.to_owned())
}
