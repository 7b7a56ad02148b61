//! Connections to checked addresses.

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
    /// One client for each port that has its own rules, since a DNS resolver does not know the port, and one for all
    /// other ports; each with and without certificates. Created when first needed, since loading the system's
    /// certificates is slow.
    clients: Mutex<HashMap<(Option<u16>, bool), Client>>,
}

impl Connector {
    pub(super) fn new(guard: Arc<Guard>, timeout: Duration) -> Self {
        Self { guard, timeout, clients: Mutex::default() }
    }

    /// Returns the HTTP client for a URL.
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
        // Has no effect if the process has already installed a crypto provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("understudy/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.timeout)
            .dns_resolver(Checked { guard: Arc::clone(&self.guard), port })
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            // If a reused connection breaks, it is unknown whether the request arrived; with a new connection it is
            // known.
            .pool_max_idle_per_host(0)
            .http1_only();
        if !secure {
            // No certificates are checked over HTTP, so none have to be loaded.
            client = client.tls_certs_only([]);
        }
        client.build()
    }
}

/// A DNS resolver that returns only permitted addresses.
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
