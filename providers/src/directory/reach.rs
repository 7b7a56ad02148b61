//! Restricts the servers of directories: administrators of tenants choose the address, the operator configures which
//! addresses may be chosen.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::DirectoryError;
use crate::config::ConfigError;
use crate::web::guard::{Allow, is_public};

/// The servers that directories may use. Names are resolved here, every address is checked, and connections are made
/// only to checked addresses.
///
/// The value belongs to the settings of the process; it is copied with them and never freed.
#[derive(Clone, Copy, Debug)]
pub struct Reach(&'static [Entry]);

#[derive(Debug)]
enum Entry {
    /// Any server.
    Any,
    /// Any server on the public internet.
    Public,
    /// Names with this suffix, including the leading dot, at any address.
    Suffix(String),
    /// A name, an address or a network, with or without a port.
    One(Allow),
}

impl Default for Reach {
    fn default() -> Self {
        Self(&[Entry::Public])
    }
}

impl Reach {
    /// Parses the entries of the setting: `public`, `*`, `*.example.org`, names, addresses and networks.
    ///
    /// # Errors
    /// Returns the first invalid entry.
    pub fn read(entries: &[String]) -> Result<Self, ConfigError> {
        let read = |entry: &String| {
            let entry = entry.trim().to_lowercase();
            Some(match entry.strip_prefix('*') {
                Some("") => Entry::Any,
                Some(end) if end.starts_with('.') && end.len() > 1 => Entry::Suffix(end.to_owned()),
                Some(_) => return None,
                None if entry == "public" => Entry::Public,
                None => Entry::One(Allow::read(&entry)?),
            })
        };
        let read = |entry: &String| {
            read(entry).ok_or_else(|| {
                ConfigError(format!(
                    "directories.hosts: `{entry}` is none of: public, *, a name, *. and what names end in, an address, \
                     a network"
                ))
            })
        };
        let entries: Vec<_> = entries.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self(entries.leak()))
    }

    /// Whether a host may be configured, as far as this can be determined without a DNS lookup and without the port.
    pub fn may_name(&self, host: &str) -> bool {
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        self.0.iter().any(|entry| match entry {
            Entry::Any => true,
            Entry::Public => address.is_none_or(is_public),
            Entry::Suffix(end) => host.to_lowercase().ends_with(end.as_str()),
            Entry::One(one) => one.may_fit(host, address),
        })
    }

    fn admits(&self, host: &str, address: IpAddr, port: Option<u16>) -> bool {
        self.0.iter().any(|entry| match entry {
            Entry::Any => true,
            Entry::Public => is_public(address),
            Entry::Suffix(end) => host.to_lowercase().ends_with(end.as_str()),
            Entry::One(one) => one.fits(host, address, port),
        })
    }

    /// Resolves the addresses of a server that connections may use.
    ///
    /// # Errors
    /// Returns an error if no address is permitted or the name is unknown.
    pub(super) async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, DirectoryError> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(match url.scheme() {
            "ldaps" => 636,
            _ => 389,
        });
        let bare = host.trim_matches(['[', ']']).to_owned();
        let found = tokio::net::lookup_host((bare, port)).await.map_err(|why| {
            DirectoryError::unreachable(format!("the directory could not be reached: {why}"))
        })?;
        let (good, closed): (Vec<_>, Vec<_>) =
            found.partition(|address| self.admits(host, address.ip(), Some(port)));
        match good.is_empty() && !closed.is_empty() {
            true => Err(DirectoryError::invalid(refused(host))),
            false => Ok(good),
        }
    }

    /// Returns a DNS resolver for a client of one server.
    pub(super) fn resolver(self, url: &Url) -> Arc<dyn Resolve> {
        Arc::new(Resolver { reach: self, port: url.port_or_known_default() })
    }
}

fn refused(host: &str) -> String {
    format!("this server may not connect to {host} for groups; the operator can allow it (directories.hosts)")
}

struct Resolver {
    reach: Reach,
    port: Option<u16>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, port) = (self.reach, self.port);
        Box::pin(async move {
            let host = name.as_str();
            let found = tokio::net::lookup_host((host, 0)).await?;
            let good: Vec<SocketAddr> =
                found.filter(|address| reach.admits(host, address.ip(), port)).collect();
            match good.is_empty() {
                true => Err(refused(host).into()),
                false => Ok(Box::new(good.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(entries: &[&str]) -> Reach {
        Reach::read(&entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn admits(reach: Reach, host: &str, address: &str) -> bool {
        reach.admits(host, address.parse().unwrap(), Some(443))
    }

    #[test]
    fn reach_defaults_to_the_public_internet() {
        let reach = Reach::default();
        assert!(admits(reach, "graph.example", "8.8.8.8"));
        for closed in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"] {
            assert!(!admits(reach, "graph.example", closed), "{closed}");
            assert!(!reach.may_name(closed), "{closed}");
        }
        assert!(reach.may_name("graph.example"));
    }

    #[test]
    fn reach_allows_named_hosts_at_any_address() {
        let reach = reach(&["*.corp.example", "ldap.local", "10.1.0.0/16", "192.168.0.5:636"]);
        assert!(admits(reach, "LDAP.corp.example", "10.9.9.9") && admits(reach, "ldap.local", "127.0.0.1"));
        assert!(admits(reach, "x", "10.1.2.3") && !admits(reach, "x", "10.2.2.3"));
        assert!(!admits(reach, "x", "192.168.0.5") && !admits(reach, "graph.example", "8.8.8.8"));
        assert!(!admits(reach, "corp.example.evil", "10.9.9.9"));
        assert!(self::reach(&["*"]).may_name("127.0.0.1"));
        assert!(!self::reach(&["corp.example"]).may_name("graph.example"));
        for wrong in ["", "*x", "*.", "a b", "http://x"] {
            assert!(Reach::read(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
