//! Connections to addresses that were checked.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Url};

use super::error::{Guarded, WebError, WebErrorKind, of_transport};
use super::guard::{Guard, refused};

/// Opens connections to permitted addresses only.
pub(super) struct Connector {
    guard: Arc<Guard>,
    timeout: Duration,
    /// One for each port that rules name, since a look-up is not told the port, and one for all
    /// others; each with certificates and without. Made when first needed: reading the machine's
    /// certificates takes a while.
    clients: Mutex<HashMap<(Option<u16>, bool), Client>>,
}

impl Connector {
    pub(super) fn new(guard: Arc<Guard>, timeout: Duration) -> Self {
        Self { guard, timeout, clients: Mutex::default() }
    }

    /// The client for an address.
    pub(super) fn client(&self, url: &Url) -> Result<Client, WebError> {
        let port = url.port_or_known_default().filter(|port| self.guard.names_port(*port));
        let key = (port, url.scheme() == "https");
        if let Some(client) = self.clients.lock().get(&key) {
            return Ok(client.clone());
        }
        let client = self.build(key).map_err(|error| {
            WebError::unsent(
                WebErrorKind::Connect,
                format!("no connection can be made: {}", of_transport(error)),
            )
        })?;
        Ok(self.clients.lock().entry(key).or_insert(client).clone())
    }

    fn build(&self, (port, secure): (Option<u16>, bool)) -> reqwest::Result<Client> {
        // Without effect if the process has chosen a provider of cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("understudy/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.timeout)
            .dns_resolver(Checked { guard: Arc::clone(&self.guard), port })
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            // A request on a kept connection that dies may have arrived or not; on a new one we know.
            .pool_max_idle_per_host(0)
            .http1_only();
        if !secure {
            // No certificate will be checked, so none need be read.
            client = client.tls_certs_only([]);
        }
        client.build()
    }
}

/// Looks names up and gives the addresses that may be reached.
struct Checked {
    guard: Arc<Guard>,
    port: Option<u16>,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, port) = (Arc::clone(&self.guard), self.port);
        Box::pin(async move {
            let host = name.as_str();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
            let known = !found.is_empty();
            let good: Vec<SocketAddr> =
                found.into_iter().filter(|address| guard.admits(host, address.ip(), port)).collect();
            if known && good.is_empty() {
                return Err(Guarded(refused(host)).into());
            }
            Ok(Box::new(good.into_iter()) as Addrs)
        })
    }
}
