//! Decides which addresses may be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use super::error::{WebError, WebErrorKind};
use crate::config::ConfigError;

/// IPv4 networks outside the public internet, and the address of a cloud metadata service (168.63.129.16) that looks
/// public.
const CLOSED: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// IPv6 networks inside 2000::/3 that are not on the public internet: protocol assignments (including Teredo),
/// documentation, and 6to4, which leads to any IPv4 address.
const CLOSED_6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The rules for addresses that may be reached.
pub(super) struct Guard {
    allow: Vec<Allow>,
}

/// A non-public destination that may be reached.
#[derive(Debug)]
pub(crate) struct Allow {
    what: What,
    port: Option<u16>,
}

#[derive(Debug)]
enum What {
    Name(String),
    Net(IpAddr, u32),
}

impl Guard {
    pub(super) fn read(allow: &[String]) -> Result<Self, ConfigError> {
        let read = |entry: &String| {
            Allow::read(entry).ok_or_else(|| {
                ConfigError(format!(
                    "web.allow: `{entry}` is neither a name nor an address nor a network, with or without a port"
                ))
            })
        };
        Ok(Self { allow: allow.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Whether a rule names this port.
    pub(super) fn names_port(&self, port: u16) -> bool {
        self.allow.iter().any(|allow| allow.port == Some(port))
    }

    /// Whether a host may be reached at an address; `port` is `None` if unknown.
    pub(super) fn admits(&self, host: &str, address: IpAddr, port: Option<u16>) -> bool {
        is_public(address) || self.allow.iter().any(|allow| allow.fits(host, address, port))
    }

    /// Whether the configuration names this server explicitly, by its name or its address.
    pub(super) fn names(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        let is_it = |allow: &&Allow| match (&allow.what, address) {
            (What::Name(name), _) => *name == plain(host),
            (What::Net(net, length), Some(address)) => within(address.to_canonical(), *net, *length),
            (What::Net(..), None) => false,
        };
        let at_port =
            |allow: &&Allow| allow.port.is_none_or(|only| Some(only) == url.port_or_known_default());
        self.allow.iter().filter(at_port).any(|allow| is_it(&allow))
    }

    /// Checks a URL as far as possible without a DNS lookup.
    pub(super) fn check_url(&self, url: &Url) -> Result<(), WebError> {
        let invalid = |message: &str| Err(WebError::unsent(WebErrorKind::Invalid, message));
        if !matches!(url.scheme(), "http" | "https") {
            return invalid("the address has to begin with http:// or https://");
        }
        let Some(host) = url.host_str() else { return invalid("the address names no server") };
        // A name is checked when it is resolved.
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) if !self.admits(host, address, url.port_or_known_default()) => Err(refused(host)),
            _ => Ok(()),
        }
    }
}

/// Returns the error for an address that may not be reached.
pub(super) fn refused(host: &str) -> WebError {
    let message =
        format!("{host} is not on the public internet, and the settings do not allow it (web.allow)");
    WebError::unsent(WebErrorKind::Refused, message)
}

impl Allow {
    pub(crate) fn read(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
        let (what, port) = if let Some(rest) = entry.strip_prefix('[') {
            let (what, after) = rest.split_once(']')?;
            let port = match after {
                "" => None,
                after => Some(port(after.strip_prefix(':')?)?),
            };
            (what, port)
        } else if entry.matches(':').count() == 1 {
            let (what, after) = entry.split_once(':')?;
            (what, Some(port(after)?))
        } else {
            (entry, None)
        };
        Some(Self { what: What::read(what)?, port })
    }

    /// Whether a host may match at some port after its name is resolved; `address` is set if the host is an IP
    /// address.
    pub(crate) fn may_fit(&self, host: &str, address: Option<IpAddr>) -> bool {
        match (&self.what, address) {
            (What::Name(name), _) => *name == plain(host),
            (What::Net(net, length), Some(address)) => within(address.to_canonical(), *net, *length),
            (What::Net(..), None) => true,
        }
    }

    pub(crate) fn fits(&self, host: &str, address: IpAddr, port: Option<u16>) -> bool {
        let at_port = self.port.is_none_or(|only| Some(only) == port);
        at_port
            && match &self.what {
                What::Name(name) => *name == plain(host),
                What::Net(net, length) => within(address.to_canonical(), *net, *length),
            }
    }
}

impl What {
    fn read(text: &str) -> Option<Self> {
        if let Some((net, length)) = text.split_once('/') {
            let (net, length) = (net.parse::<IpAddr>().ok()?, length.parse::<u32>().ok()?);
            let longest = if net.is_ipv4() { 32 } else { 128 };
            return (length <= longest).then_some(Self::Net(net, length));
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self::Net(address, if address.is_ipv4() { 32 } else { 128 }));
        }
        let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        (!text.is_empty() && text.chars().all(good)).then(|| Self::Name(plain(text)))
    }
}

/// Normalizes a host name for comparison.
fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_lowercase()
}

fn within(address: IpAddr, net: IpAddr, length: u32) -> bool {
    match (address, net) {
        (IpAddr::V4(address), IpAddr::V4(net)) => within_4(address, net, length),
        (IpAddr::V6(address), IpAddr::V6(net)) => within_6(address, net, length),
        _ => false,
    }
}

fn within_4(address: Ipv4Addr, net: Ipv4Addr, length: u32) -> bool {
    let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
    (u32::from(address) ^ u32::from(net)) & mask == 0
}

fn within_6(address: Ipv6Addr, net: Ipv6Addr, length: u32) -> bool {
    let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
    (u128::from(address) ^ u128::from(net)) & mask == 0
}

/// Whether an address is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_4(address),
        IpAddr::V6(address) => is_public_6(address),
    }
}

fn is_public_4(address: Ipv4Addr) -> bool {
    !CLOSED.iter().any(|(net, length)| within_4(address, *net, *length))
}

fn is_public_6(address: Ipv6Addr) -> bool {
    let translated = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
    if within_6(address, translated, 96) {
        // The last four bytes are the embedded IPv4 address.
        return is_public_4(Ipv4Addr::from(u128::from(address) as u32));
    }
    within_6(address, Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !CLOSED_6.iter().any(|(net, length)| within_6(address, *net, *length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(allow: &[&str]) -> Guard {
        Guard::read(&allow.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn admits(guard: &Guard, host: &str, address: &str, port: u16) -> bool {
        guard.admits(host, address.parse().unwrap(), Some(port))
    }

    #[test]
    fn is_public_accepts_only_the_public_internet() {
        for closed in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "168.63.129.16",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.0.0.1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
        ] {
            assert!(!is_public(closed.parse().unwrap()), "{closed}");
        }
        for open in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(open.parse().unwrap()), "{open}");
        }
    }

    #[test]
    fn admits_only_allowed_destinations() {
        let guard =
            guard(&["10.1.0.0/16", "localhost:8080", "127.0.0.1:9", "[fd00::/8]:80", "::1", "Nas.Local."]);
        assert!(admits(&guard, "x", "10.1.255.1", 1) && !admits(&guard, "x", "10.2.0.1", 1));
        assert!(
            admits(&guard, "LOCALHOST", "127.0.0.1", 8080) && !admits(&guard, "localhost", "127.0.0.1", 80)
        );
        assert!(admits(&guard, "x", "127.0.0.1", 9) && admits(&guard, "x", "::ffff:127.0.0.1", 9));
        assert!(admits(&guard, "x", "fd12::1", 80) && !admits(&guard, "x", "fd12::1", 81));
        assert!(admits(&guard, "x", "::1", 5) && admits(&guard, "nas.local", "192.168.0.9", 1));
        assert!(!guard.admits("localhost", "127.0.0.1".parse().unwrap(), None));
        assert!(guard.names_port(9) && !guard.names_port(1));
    }

    #[test]
    fn read_reports_invalid_entries() {
        for wrong in
            ["", "10.0.0.0/33", "a b", "host:port", "host:0", "[::1", "[::1]80", "http://x", "::/129"]
        {
            let error = Guard::read(&[wrong.to_owned()]).err().expect(wrong).to_string();
            assert!(error.contains(&format!("`{wrong}`")), "{error}");
        }
    }

    #[test]
    fn check_url_recognizes_every_spelling_of_an_address() {
        let guard = guard(&[]);
        let kind = |url: &str| guard.check_url(&Url::parse(url).unwrap()).err().map(|error| error.kind);
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://[::1]:8/",
            "http://[::ffff:7f00:1]/",
            "https://169.254.169.254/latest/meta-data",
            "http://127.1/",
        ] {
            assert_eq!(kind(url), Some(WebErrorKind::Refused), "{url}");
        }
        assert_eq!(kind("ftp://example.org/"), Some(WebErrorKind::Invalid));
        assert_eq!(kind("file:///etc/passwd"), Some(WebErrorKind::Invalid));
        assert_eq!(kind("https://example.org/"), None);
    }
}
