//! A cache of server metadata.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use providers::oauth::{Authority, OAuth, OAuthError, ServerAccess};

/// How long the metadata of an authorization server are cached.
const AUTHORITY: Duration = Duration::from_secs(5 * 60);
/// How long the response of a tool server to a request without a token is cached.
const WELCOME: Duration = Duration::from_secs(60);
/// Maximum number of entries of each kind.
const MAX_KNOWN: usize = 1_000;

/// Recently fetched metadata of servers. Failures are not cached.
#[derive(Default)]
pub struct MetadataCache {
    authorities: Mutex<HashMap<String, (Instant, Authority)>>,
    welcomes: Mutex<HashMap<String, (Instant, ServerAccess)>>,
}

impl MetadataCache {
    /// Returns the metadata of an authorization server.
    pub(super) async fn authority(&self, oauth: &OAuth, issuer: &str) -> Result<Authority, OAuthError> {
        if let Some(known) = recent(&self.authorities, issuer, AUTHORITY) {
            return Ok(known);
        }
        let authority = oauth.authority(issuer).await?;
        insert(&self.authorities, issuer, authority.clone());
        Ok(authority)
    }

    /// Returns the response of a tool server to a request without a token.
    pub(super) async fn welcome(&self, oauth: &OAuth, server: &str) -> Result<ServerAccess, OAuthError> {
        if let Some(known) = recent(&self.welcomes, server, WELCOME) {
            return Ok(known);
        }
        let welcome = oauth.probe(server).await?;
        insert(&self.welcomes, server, welcome.clone());
        Ok(welcome)
    }

    /// Removes the cached response of a tool server, so that the server is called again.
    pub(super) fn forget(&self, server: &str) {
        self.welcomes.lock().remove(server);
    }
}

fn recent<T: Clone>(entries: &Mutex<HashMap<String, (Instant, T)>>, name: &str, life: Duration) -> Option<T> {
    let entries = entries.lock();
    entries.get(name).filter(|(since, _)| since.elapsed() < life).map(|(_, value)| value.clone())
}

fn insert<T>(entries: &Mutex<HashMap<String, (Instant, T)>>, name: &str, value: T) {
    let mut entries = entries.lock();
    if entries.len() >= MAX_KNOWN {
        entries.retain(|_, (since, _)| since.elapsed() < WELCOME);
    }
    if entries.len() >= MAX_KNOWN {
        entries.clear();
    }
    entries.insert(name.to_owned(), (Instant::now(), value));
}
