//! What servers said of themselves a short while ago.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use providers::oauth::{Authority, OAuth, OAuthError, ServerAccess};

/// How long what an authority says of itself is believed.
const AUTHORITY: Duration = Duration::from_secs(5 * 60);
/// How long the response of a tool server to a request without a token is believed.
const WELCOME: Duration = Duration::from_secs(60);
/// Of how many that is kept.
const MOST: usize = 1_000;

/// What servers said of themselves a short while ago. Failures are not kept.
#[derive(Default)]
pub struct MetadataCache {
    authorities: Mutex<HashMap<String, (Instant, Authority)>>,
    welcomes: Mutex<HashMap<String, (Instant, ServerAccess)>>,
}

impl MetadataCache {
    /// What an authority says of itself.
    pub(super) async fn authority(&self, oauth: &OAuth, issuer: &str) -> Result<Authority, OAuthError> {
        if let Some(known) = recent(&self.authorities, issuer, AUTHORITY) {
            return Ok(known);
        }
        let authority = oauth.authority(issuer).await?;
        insert(&self.authorities, issuer, authority.clone());
        Ok(authority)
    }

    /// The response of a tool server to a request without a token.
    pub(super) async fn welcome(&self, oauth: &OAuth, server: &str) -> Result<ServerAccess, OAuthError> {
        if let Some(known) = recent(&self.welcomes, server, WELCOME) {
            return Ok(known);
        }
        let welcome = oauth.probe(server).await?;
        insert(&self.welcomes, server, welcome.clone());
        Ok(welcome)
    }

    /// Forgets what was known of a tool server, since it is to be asked now.
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
    if entries.len() >= MOST {
        entries.retain(|_, (since, _)| since.elapsed() < WELCOME);
    }
    if entries.len() >= MOST {
        entries.clear();
    }
    entries.insert(name.to_owned(), (Instant::now(), value));
}
