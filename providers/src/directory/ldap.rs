//! Groups and people from LDAP servers.
//!
//! People are read once, page by page, and groups individually: a group names its members by their distinguished
//! names. Referrals to other servers are not followed, since the password would be sent to them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use ldap3::{LdapConnAsync, LdapConnSettings, Scope, StdStream};
use reqwest::Url;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::net::TcpStream;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;

use super::{
    Directory, DirectoryError, DirectoryErrorKind, DirectoryLimits, GroupMembers, LdapSettings, ListedGroup,
    MAX_RESULTS, Person, addresses, described, single_line,
};
use crate::config::Secret;
use crate::upstream::Redactor;

mod entry;
mod search;

use entry::{Entry, fold_dn};

/// Maximum number of nested groups that are read to determine the members of a group.
const NESTED: usize = 10_000;
/// The attributes that contain the members of a group.
const MEMBERS: [&str; 3] = ["member", "uniqueMember", "memberUid"];

pub(super) struct Ldap {
    settings: LdapSettings,
    secret: Secret,
    limits: DirectoryLimits,
    secrets: Redactor,
    connection: Mutex<Option<ldap3::Ldap>>,
    everybody: OnceCell<Everybody>,
}

/// All people of the directory.
#[derive(Default)]
struct Everybody {
    /// By distinguished name; `None` for entries without an address, which are not members.
    by_dn: HashMap<String, Option<Person>>,
    /// Distinguished names by the user names that POSIX groups contain.
    by_uid: HashMap<String, String>,
}

impl Ldap {
    pub fn new(
        settings: &LdapSettings,
        secret: &Secret,
        limits: DirectoryLimits,
    ) -> Result<Self, DirectoryError> {
        if secret.expose().is_empty() {
            return Err(DirectoryError::invalid(
                "an empty password is not allowed: directories accept it as an anonymous login",
            ));
        }
        Ok(Self {
            settings: settings.clone(),
            secret: secret.clone(),
            limits,
            secrets: Redactor::new([secret.expose().to_owned()]),
            connection: Mutex::default(),
            everybody: OnceCell::new(),
        })
    }

    /// Returns an authenticated connection. A connection that failed is not reused.
    async fn connection(&self) -> Result<ldap3::Ldap, DirectoryError> {
        let mut connection_slot = self.connection.lock().await;
        if let Some(connection) = &mut *connection_slot
            && !connection.is_closed()
        {
            return Ok(connection.clone());
        }
        let fresh = self.connect().await.map_err(|why| self.cleaned(why))?;
        *connection_slot = Some(fresh.clone());
        Ok(fresh)
    }

    async fn connect(&self) -> Result<ldap3::Ldap, DirectoryError> {
        let mut settings = LdapConnSettings::new()
            .set_std_stream(StdStream::Tcp(self.stream().await?))
            .set_starttls(self.settings.starttls);
        if self.settings.starttls || self.settings.url.starts_with("ldaps:") {
            settings = settings.set_config(tls(self.settings.ca_pem.as_deref())?);
        }
        let opened = timeout(self.limits.connect, LdapConnAsync::with_settings(settings, &self.settings.url));
        let (connection, mut ldap) =
            opened.await.map_err(|_| late("a connection"))?.map_err(search::connection_error)?;
        // The connection runs in a separate task, which ends with the last handle; its errors do not affect requests.
        tasks::spawn(async move {
            if let Err(why) = connection.drive().await {
                tracing::debug!(%why, "a connection to a directory broke");
            }
        });
        let bound =
            timeout(self.limits.request, ldap.simple_bind(&self.settings.bind_dn, self.secret.expose()));
        let result = bound.await.map_err(|_| late("the login"))?.map_err(search::connection_error)?;
        search::check(&result, "refused the login")?;
        Ok(ldap)
    }

    /// Opens a connection to one of the permitted addresses.
    async fn stream(&self) -> Result<std::net::TcpStream, DirectoryError> {
        let url = Url::parse(&self.settings.url)
            .map_err(|why| DirectoryError::invalid(format!("the address cannot be used: {why}")))?;
        let connect = async {
            let addresses = self.limits.reach.addresses(&url).await?;
            let stream = TcpStream::connect(addresses.as_slice()).await.and_then(TcpStream::into_std);
            stream.map_err(|why| {
                DirectoryError::unreachable(format!("the directory could not be reached: {why}"))
            })
        };
        timeout(self.limits.connect, connect).await.map_err(|_| late("a connection"))?
    }

    /// Closes the connection; the next request opens a new one.
    async fn disconnect(&self) {
        *self.connection.lock().await = None;
    }

    /// Returns all entries below a base, page by page; retries over a new connection if one broke.
    async fn all(
        &self,
        base: &str,
        scope: Scope,
        filter: &str,
        attributes: &[&str],
    ) -> Result<Vec<Entry>, DirectoryError> {
        let mut tries = 0;
        loop {
            let connection = self.connection().await?;
            let request =
                search::Search { base, scope, filter, attributes, page_size: self.settings.page_size };
            match request.all(connection, self.limits.request).await {
                Ok(entries) => return Ok(entries),
                Err(why) => {
                    self.disconnect().await;
                    let again =
                        matches!(why.kind, DirectoryErrorKind::Unreachable | DirectoryErrorKind::Throttled);
                    if !again || tries >= self.limits.retries.min(2) {
                        return Err(self.cleaned(why));
                    }
                    tries += 1;
                    tokio::time::sleep(
                        self.limits.connect.min(std::time::Duration::from_millis(250)) * tries,
                    )
                    .await;
                }
            }
        }
    }

    /// Returns the entry with this distinguished name if it matches the filter.
    async fn at(&self, dn: &str, filter: &str, attributes: &[&str]) -> Result<Option<Entry>, DirectoryError> {
        Ok(self.all(dn, Scope::Base, filter, attributes).await?.into_iter().next())
    }

    async fn everybody(&self) -> Result<&Everybody, DirectoryError> {
        self.everybody.get_or_try_init(|| self.read_everybody()).await
    }

    async fn read_everybody(&self) -> Result<Everybody, DirectoryError> {
        let mail = self.settings.mail_attribute.as_str();
        let attributes = [mail, "userPrincipalName", "displayName", "cn", "uid"];
        let LdapSettings { base_dn, user_filter, .. } = &self.settings;
        let entries = self.all(base_dn, Scope::Subtree, user_filter, &attributes).await?;
        let mut everybody = Everybody::default();
        for entry in entries {
            let dn = fold_dn(&entry.dn);
            let texts = entry.values(mail).iter().chain(entry.values("userPrincipalName"));
            let addresses = addresses(texts.map(String::as_str));
            let name = entry.first("displayName").or(entry.first("cn")).unwrap_or_default();
            let person = (!addresses.is_empty()).then(|| Person { addresses, name: single_line(name, 200) });
            for uid in entry.values("uid") {
                everybody.by_uid.insert(uid.to_lowercase(), dn.clone());
            }
            everybody.by_dn.insert(dn, person);
        }
        Ok(everybody)
    }

    fn group_attributes(&self) -> Vec<&str> {
        let mut attributes = vec![self.settings.id_attribute.as_str(), "cn", "description"];
        attributes.extend(MEMBERS);
        attributes
    }

    /// Returns the members of an entry. Some servers return them in several ranges.
    async fn members(&self, entry: &Entry) -> Result<Vec<String>, DirectoryError> {
        let mut all = Vec::new();
        for attribute in MEMBERS {
            all.extend_from_slice(entry.values(attribute));
            let mut part = entry.range(attribute);
            while let Some((values, next)) = part {
                all.extend(values);
                if all.len() > MAX_RESULTS {
                    return Err(DirectoryError::incomplete(format!(
                        "a group has more than {MAX_RESULTS} members"
                    )));
                }
                let Some(next) = next else { break };
                let attribute_range = format!("{attribute};range={next}-*");
                let further = self.at(&entry.dn, "(objectClass=*)", &[&attribute_range]).await?;
                let further = further
                    .ok_or_else(|| DirectoryError::incomplete("a group disappeared while it was read"))?;
                part = further.range(attribute);
                if part.as_ref().is_none_or(|(values, _)| values.is_empty()) {
                    return Err(DirectoryError::incomplete(
                        "the directory listed only some of a group's members",
                    ));
                }
            }
        }
        Ok(all)
    }

    fn listed(&self, entry: &Entry) -> Option<ListedGroup> {
        let id = entry.id(&self.settings.id_attribute)?;
        Some(described(&id, entry.first("cn").or(Some(&entry.dn)), entry.first("description")))
    }

    fn cleaned(&self, why: DirectoryError) -> DirectoryError {
        DirectoryError::new(why.kind, self.secrets.clean(&why.message))
    }
}

#[async_trait]
impl Directory for Ldap {
    async fn test(&self) -> Result<(), DirectoryError> {
        let base = self.at(&self.settings.base_dn, "(objectClass=*)", &["1.1"]).await?;
        base.map(drop).ok_or_else(|| {
            DirectoryError::invalid("there is no entry at base_dn, or it is not visible to this account")
        })
    }

    async fn has_groups(&self) -> Result<bool, DirectoryError> {
        let LdapSettings { base_dn, group_filter, .. } = &self.settings;
        let connection = self.connection().await?;
        let query = search::Search {
            base: base_dn,
            scope: Scope::Subtree,
            filter: group_filter,
            attributes: &["1.1"],
            page_size: 1,
        };
        query.any(connection, self.limits.request).await.map_err(|why| self.cleaned(why))
    }

    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError> {
        let LdapSettings { base_dn, group_filter, id_attribute, .. } = &self.settings;
        let attributes = [id_attribute.as_str(), "cn", "description"];
        let entries = self.all(base_dn, Scope::Subtree, group_filter, &attributes).await?;
        let groups: Vec<ListedGroup> = entries.iter().filter_map(|entry| self.listed(entry)).collect();
        match groups.is_empty() && !entries.is_empty() {
            true => Err(DirectoryError::invalid(format!(
                "no group has the attribute {id_attribute}; see id_attribute"
            ))),
            false => Ok(groups),
        }
    }

    async fn roll(&self, id: &str) -> Result<Option<GroupMembers>, DirectoryError> {
        let LdapSettings { base_dn, group_filter, id_attribute, .. } = &self.settings;
        let Some(wanted) = entry::id_filter(id_attribute, id) else { return Ok(None) };
        let filter = format!("(&{group_filter}{wanted})");
        let attributes = self.group_attributes();
        let found = self.all(base_dn, Scope::Subtree, &filter, &attributes).await?;
        let Some((first, group)) = found.first().and_then(|entry| Some((entry, self.listed(entry)?))) else {
            return Ok(None);
        };
        let everybody = self.everybody().await?;
        let mut roll = GroupMembers { group, people: BTreeMap::new(), nested: Vec::new() };
        let mut seen = HashSet::from([fold_dn(&first.dn)]);
        let mut open = self.members(first).await?;
        while let Some(member) = open.pop() {
            let folded = match everybody.by_uid.get(&member.to_lowercase()) {
                Some(dn) if !member.contains('=') => dn.clone(),
                _ => fold_dn(&member),
            };
            match everybody.by_dn.get(&folded) {
                Some(Some(person)) => drop(roll.people.insert(folded, person.clone())),
                Some(None) => {}
                None if !member.contains('=') || !seen.insert(folded) => {}
                None if seen.len() > NESTED => {
                    return Err(DirectoryError::incomplete(format!(
                        "a group holds more than {NESTED} others"
                    )));
                }
                None => {
                    // A group; or neither a group nor a person, in which case there is no result.
                    let Some(inner) = self.at(&member, group_filter, &attributes).await? else { continue };
                    open.extend(self.members(&inner).await?);
                    roll.nested.extend(inner.id(id_attribute));
                }
            }
        }
        Ok(Some(roll))
    }
}

fn late(what: &str) -> DirectoryError {
    DirectoryError::new(DirectoryErrorKind::Timeout, format!("the directory took too long for {what}"))
}

/// Parses PEM certificates.
///
/// # Errors
/// Returns an error if the text contains no certificate or an invalid one.
pub(super) fn authorities(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let all = read.map_err(|why| format!("is not PEM: {why}"))?;
    match all.is_empty() {
        true => Err("has no certificate in it".to_owned()),
        false => Ok(all),
    }
}

/// Returns the TLS configuration, which trusts the system's certificate authorities and the configured one.
fn tls(pem: Option<&str>) -> Result<Arc<rustls::ClientConfig>, DirectoryError> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in rustls_native_certs::load_native_certs().certs {
        // An unreadable certificate is not trusted.
        let _ = roots.add(certificate);
    }
    for certificate in pem.map(authorities).transpose().map_err(DirectoryError::invalid)?.unwrap_or_default()
    {
        roots.add(certificate).map_err(|why| DirectoryError::invalid(format!("ca_pem: {why}")))?;
    }
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
    let config = config.map_err(|why| DirectoryError::failed(why.to_string()))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

#[cfg(test)]
mod tests;
