//! The settings of a directory.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The connection and search settings of a directory. They contain no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DirectorySettings {
    /// An LDAP server, including Active Directory.
    Ldap(LdapSettings),
    /// A SCIM 2.0 server.
    Scim(ScimSettings),
    MicrosoftGraph(GraphSettings),
}

/// An LDAP server. The secret is the password of `bind_dn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LdapSettings {
    /// The URL: `ldap://` or `ldaps://`, the host, and the port if it is not the default.
    #[schema(example = "ldaps://directory.example.com")]
    pub url: String,
    /// Whether to upgrade an `ldap://` connection to TLS before anything else is sent.
    #[serde(default)]
    pub starttls: bool,
    /// PEM certificates of the authority that issued the server's certificate, if the system does not trust it.
    #[serde(default)]
    pub ca_pem: Option<String>,
    /// The distinguished name of the account that reads the directory.
    #[schema(example = "cn=reader,dc=example,dc=com")]
    pub bind_dn: String,
    /// The entry below which people and groups are searched.
    #[schema(example = "dc=example,dc=com")]
    pub base_dn: String,
    /// The LDAP filter that selects groups.
    #[serde(default = "group_filter")]
    pub group_filter: String,
    /// The LDAP filter that selects people; use it to exclude locked accounts.
    #[serde(default = "user_filter")]
    pub user_filter: String,
    /// The attribute that identifies a group permanently, even after it is renamed: `entryUUID`, `objectGUID`,
    /// `nsUniqueId`.
    #[serde(default = "id_attribute")]
    pub id_attribute: String,
    /// The attribute with a person's email address; `userPrincipalName` is also used.
    #[serde(default = "mail_attribute")]
    pub mail_attribute: String,
    /// Number of entries per page.
    #[serde(default = "page_size")]
    pub page_size: u32,
}

/// A SCIM 2.0 server. The secret is the bearer token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScimSettings {
    /// The base URL of `/Groups` and `/Users`.
    #[schema(example = "https://id.example.com/scim/v2")]
    pub base_url: String,
    /// Number of entries per page.
    #[serde(default = "page_size")]
    pub page_size: u32,
}

/// Microsoft Graph. The secret is a client secret of the application, which needs the permissions
/// `Group.Read.All` and `User.Read.All`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphSettings {
    /// The id or a domain of the Microsoft Entra tenant.
    pub tenant_id: String,
    /// The id of the registered application.
    pub client_id: String,
    /// The URL of the login service, for national clouds.
    #[serde(default = "login_url")]
    pub login_url: String,
    /// The base URL of Microsoft Graph, including the version.
    #[serde(default = "graph_url")]
    pub base_url: String,
}

fn group_filter() -> String {
    "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup)(objectClass=group))"
        .into()
}

fn user_filter() -> String {
    "(|(objectClass=person)(objectClass=inetOrgPerson)(objectClass=posixAccount))".into()
}

fn id_attribute() -> String {
    "entryUUID".into()
}

fn mail_attribute() -> String {
    "mail".into()
}

const fn page_size() -> u32 {
    500
}

fn login_url() -> String {
    "https://login.microsoftonline.com".into()
}

fn graph_url() -> String {
    "https://graph.microsoft.com/v1.0".into()
}

/// The name of a field and what is wrong with it.
type Fault = (&'static str, String);

impl DirectorySettings {
    /// The value of `kind` in the configuration.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Ldap(_) => "ldap",
            Self::Scim(_) => "scim",
            Self::MicrosoftGraph(_) => "microsoft_graph",
        }
    }

    /// The address of the directory's server.
    pub fn url(&self) -> &str {
        match self {
            Self::Ldap(settings) => &settings.url,
            Self::Scim(settings) => &settings.base_url,
            Self::MicrosoftGraph(settings) => &settings.base_url,
        }
    }

    /// Returns the host names of all servers that are connected to, in lower case, each with its field.
    pub fn hosts(&self) -> Vec<(&'static str, String)> {
        let addresses = match self {
            Self::Ldap(settings) => vec![("url", &settings.url)],
            Self::Scim(settings) => vec![("base_url", &settings.base_url)],
            Self::MicrosoftGraph(settings) => {
                vec![("login_url", &settings.login_url), ("base_url", &settings.base_url)]
            }
        };
        let host = |text: &str| Url::parse(text).ok()?.host_str().map(str::to_lowercase);
        addresses.into_iter().filter_map(|(field, text)| Some((field, host(text)?))).collect()
    }

    /// Validates the settings without sending requests.
    ///
    /// # Errors
    /// Returns the first invalid field and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        match self {
            Self::Ldap(settings) => ldap(settings),
            Self::Scim(settings) => {
                web("base_url", &settings.base_url)?;
                pages(settings.page_size)
            }
            Self::MicrosoftGraph(settings) => {
                let plain = |text: &str| {
                    (1..=200).contains(&text.len())
                        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
                };
                if !plain(&settings.tenant_id) {
                    return Err(("tenant_id", "must be an id or a domain".into()));
                }
                if !plain(&settings.client_id) {
                    return Err(("client_id", "must be an id".into()));
                }
                web("login_url", &settings.login_url)?;
                web("base_url", &settings.base_url)
            }
        }
    }
}

/// The error if LDAP is not available in this build.
#[cfg(not(feature = "ldap"))]
pub(super) const NO_LDAP: &str = "LDAP is not part of this build, which lacks the feature `ldap`";

#[cfg(not(feature = "ldap"))]
fn ldap(_: &LdapSettings) -> Result<(), Fault> {
    Err(("url", NO_LDAP.to_owned()))
}

#[cfg(feature = "ldap")]
fn ldap(settings: &LdapSettings) -> Result<(), Fault> {
    let url = Url::parse(&settings.url).ok();
    let named = |url: &Url| url.host_str().is_some_and(|host| !host.is_empty());
    let fits = |url: &Url| matches!(url.scheme(), "ldap" | "ldaps") && named(url) && bare(url);
    let Some(url) = url.filter(fits) else {
        return Err(("url", "must be ldap:// or ldaps:// with a name, and nothing else but a port".into()));
    };
    if settings.starttls && url.scheme() == "ldaps" {
        return Err(("starttls", "requires ldap://; ldaps:// is already encrypted".into()));
    }
    if settings.bind_dn.trim().is_empty() {
        return Err((
            "bind_dn",
            "must name an entry: without one, a directory accepts an anonymous login".into(),
        ));
    }
    for (field, text) in [("bind_dn", &settings.bind_dn), ("base_dn", &settings.base_dn)] {
        if text.len() > 1_000 || text.contains('\0') {
            return Err((field, "must be 1000 bytes at most".into()));
        }
    }
    for (field, filter) in [("group_filter", &settings.group_filter), ("user_filter", &settings.user_filter)]
    {
        if filter.len() > 4_000 || ldap3::parse_filter(filter).is_err() {
            return Err((field, "is not a filter, such as (objectClass=group)".into()));
        }
    }
    for (field, name) in
        [("id_attribute", &settings.id_attribute), ("mail_attribute", &settings.mail_attribute)]
    {
        let plain = (1..=100).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        if !plain {
            return Err((field, "must be the name of an attribute".into()));
        }
    }
    if let Some(pem) = &settings.ca_pem {
        super::ldap::authorities(pem).map_err(|why| ("ca_pem", why))?;
    }
    pages(settings.page_size)
}

fn web(field: &'static str, text: &str) -> Result<(), Fault> {
    let fits = |url: &Url| {
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some() && bare_but_path(url)
    };
    match Url::parse(text).ok().filter(fits) {
        Some(_) => Ok(()),
        None => Err((
            field,
            "must be an address that begins with https:// or http://, without user or query".into(),
        )),
    }
}

fn bare_but_path(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none()
}

#[cfg(feature = "ldap")]
fn bare(url: &Url) -> bool {
    bare_but_path(url) && matches!(url.path(), "" | "/")
}

fn pages(size: u32) -> Result<(), Fault> {
    match (1..=1_000).contains(&size) {
        true => Ok(()),
        false => Err(("page_size", "must be from 1 to 1000".into())),
    }
}
