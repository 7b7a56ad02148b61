//! Directories: external sources of groups and their members.
//!
//! The trait [`Directory`] has implementations for three protocols: LDAP, SCIM and Microsoft Graph. A directory
//! returns complete data or an error: a list that was cut off, or that changed while it was read, is an error.

mod error;
mod graph;
#[cfg(feature = "ldap")]
mod guarded;
mod http;
#[cfg(feature = "ldap")]
mod ldap;
mod reach;
mod scim;
mod settings;

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;

pub use error::{DirectoryError, DirectoryErrorKind};
pub use reach::Reach;
pub use settings::{DirectorySettings, GraphSettings, LdapSettings, ScimSettings};

use crate::config::Secret;

/// Maximum number of groups or people that are read of one directory.
const MAX_RESULTS: usize = 300_000;

/// Timeouts and limits for requests to a directory.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryLimits {
    /// Time to connect.
    pub connect: Duration,
    /// Timeout for one response, and between two pieces of it.
    pub request: Duration,
    /// Maximum number of retries of a request if the directory is busy or fails.
    pub retries: u32,
    /// The servers that may be used.
    pub reach: Reach,
}

impl Default for DirectoryLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_secs(30),
            retries: 4,
            reach: Reach::default(),
        }
    }
}

/// A group, as its directory describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedGroup {
    /// The directory's permanent id of the group.
    pub id: String,
    /// The group's display name.
    pub name: String,
    /// The group's description in the directory.
    pub description: Option<String>,
    /// Number of members, if the list of groups contains it.
    pub members: Option<u64>,
}

/// A member of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The email addresses, in lower case, the primary one first.
    pub addresses: Vec<String>,
    /// The display name.
    pub name: String,
}

/// The members of a group, including those of nested groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMembers {
    /// The group, as listed now.
    pub group: ListedGroup,
    /// The people, by the directory's id. People without an email address are omitted.
    pub people: BTreeMap<String, Person>,
    /// The directory's ids of nested groups, at any depth.
    pub nested: Vec<String>,
}

/// The changes in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The directory does not report changes.
    Untold,
    /// Anything may have changed; `next` requests the changes from now on.
    Anything {
        /// The token for the next request.
        next: String,
    },
    /// These groups have changed, by the directory's ids.
    Groups {
        /// Ids of the groups that changed.
        ids: Vec<String>,
        /// The token for the next request.
        next: String,
    },
}

/// A client of a directory. Dropping a future cancels its request immediately.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Tests whether the credentials are accepted and data is visible.
    ///
    /// # Errors
    /// Returns the directory's reason for the failure, without secrets.
    async fn test(&self) -> Result<(), DirectoryError>;

    /// Returns all groups, reading every page.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read completely.
    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError>;

    /// Returns the members of a group; `None` if the directory responds and the group does not exist.
    ///
    /// # Errors
    /// Returns an error if the members cannot be read completely.
    async fn roll(&self, id: &str) -> Result<Option<GroupMembers>, DirectoryError>;

    /// Whether the directory has any group. A directory without groups is treated as misconfigured.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be queried.
    async fn has_groups(&self) -> Result<bool, DirectoryError>;

    /// Returns the groups that have changed since the token `since` was issued. Changes of people's attributes are
    /// not included.
    ///
    /// # Errors
    /// Returns an error if the changes cannot be read.
    async fn changes(&self, _since: Option<&str>) -> Result<Changes, DirectoryError> {
        Ok(Changes::Untold)
    }
}

/// Creates the client of a directory without connecting to it.
///
/// # Errors
/// Returns an error if the settings or the secret cannot be used.
pub fn open(
    settings: &DirectorySettings,
    secret: &Secret,
    limits: DirectoryLimits,
) -> Result<Box<dyn Directory>, DirectoryError> {
    settings.check().map_err(|(_, why)| DirectoryError::invalid(why))?;
    Ok(match settings {
        #[cfg(not(feature = "ldap"))]
        DirectorySettings::Ldap(_) => return Err(DirectoryError::invalid(settings::NO_LDAP.to_owned())),
        #[cfg(feature = "ldap")]
        DirectorySettings::Ldap(settings) => {
            // ldap3 0.12.1 panics on malformed replies, for example on a bind result whose name is no octet string.
            Box::new(guarded::Guarded(ldap::Ldap::new(settings, secret, limits)?))
        }
        DirectorySettings::Scim(settings) => Box::new(scim::Scim::new(settings, secret, limits)?),
        DirectorySettings::MicrosoftGraph(settings) => Box::new(graph::Graph::new(settings, secret, limits)?),
    })
}

/// Returns the valid email addresses among these texts, in lower case, without duplicates.
fn addresses<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        let text = text.trim().to_lowercase();
        let plain = text.len() <= 254 && !text.contains(|c: char| c.is_whitespace() || c.is_control());
        let whole = text
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
        if plain && whole && !found.contains(&text) {
            found.push(text);
        }
    }
    found.truncate(3);
    found
}

/// Converts external text to a single line of at most `most` characters.
fn single_line(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}

fn described(id: &str, name: Option<&str>, description: Option<&str>) -> ListedGroup {
    let name = name.map(|name| single_line(name, 200)).filter(|name| !name.is_empty());
    let description = description.map(|text| single_line(text, 1_000)).filter(|text| !text.is_empty());
    ListedGroup { id: id.to_owned(), name: name.unwrap_or_else(|| id.to_owned()), description, members: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_returns_each_valid_address_once() {
        let texts =
            [" Ada@Example.com", "ada@example.com", "EXAMPLE\\ada", "a b@c", "@x", "x@", "a@b@c", "b@c"];
        assert_eq!(addresses(texts), ["ada@example.com", "b@c"]);
    }

    #[test]
    fn single_line_joins_lines() {
        assert_eq!(single_line(" a\n\tb\u{0}  c ", 100), "a b c");
        assert_eq!(described("7", Some(" \n"), Some("")).name, "7");
    }
}
