//! Directories: where groups and the people in them come from.
//!
//! One trait, [`Directory`], over three protocols: LDAP, the JSON of SCIM, and Microsoft Graph. A directory answers
//! in full or with an error: a list that was cut off, or that changed while it was read, is none.

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

/// Groups, or people, that are read of one directory at most.
const MOST: usize = 300_000;

/// How long a directory may take, and how often it is asked again.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryLimits {
    /// Time to connect.
    pub connect: Duration,
    /// For one answer, and between two pieces of it.
    pub request: Duration,
    /// How often a request is repeated that met a directory that is busy or broken.
    pub retries: u32,
    /// Which servers it may be at.
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
    /// What the directory calls it, for as long as it exists.
    pub id: String,
    /// The group's display name.
    pub name: String,
    /// The group's description in the directory.
    pub description: Option<String>,
    /// How many members it has, where a list of groups tells that.
    pub members: Option<u64>,
}

/// A member of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// Their addresses, in lower case, the most usual one first.
    pub addresses: Vec<String>,
    /// The display name.
    pub name: String,
}

/// Who is in a group, those in groups within it among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roll {
    /// The group, as listed now.
    pub group: ListedGroup,
    /// The people, by what the directory calls them. Who has no address is not among them.
    pub people: BTreeMap<String, Person>,
    /// What the directory calls the groups in it, at any depth.
    pub nested: Vec<String>,
}

/// What has changed in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The directory does not tell.
    Untold,
    /// Anything may have; from now on `next` asks.
    Anything {
        /// What to give back the next time.
        next: String,
    },
    /// These groups have, by what the directory calls them.
    Groups {
        /// Ids of the groups that changed.
        ids: Vec<String>,
        /// What to give back the next time.
        next: String,
    },
}

/// A directory that can be asked. Dropping a future ends its request at once.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Whether it lets us in and has anything to show.
    ///
    /// # Errors
    /// Why it does not, in its own words and without secrets.
    async fn test(&self) -> Result<(), DirectoryError>;

    /// Every group, page after page.
    ///
    /// # Errors
    /// What kept it from telling all of them.
    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError>;

    /// Who is in a group; none where the directory answers and has no such group.
    ///
    /// # Errors
    /// What kept it from telling all of them.
    async fn roll(&self, id: &str) -> Result<Option<Roll>, DirectoryError>;

    /// Whether it has any group at all: one without any is not believed.
    ///
    /// # Errors
    /// What kept it from telling.
    async fn has_groups(&self) -> Result<bool, DirectoryError>;

    /// Which groups have changed since it gave out `since`. What changed within people is not told by it.
    ///
    /// # Errors
    /// What kept it from telling.
    async fn changes(&self, _since: Option<&str>) -> Result<Changes, DirectoryError> {
        Ok(Changes::Untold)
    }
}

/// A directory that is not asked yet.
///
/// # Errors
/// The settings, or the secret, cannot be used.
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

/// The addresses among these texts, in lower case, each once.
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

/// A text from outside as a name: one line of 200 characters at most.
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
    fn only_addresses_are_taken_each_once() {
        let texts =
            [" Ada@Example.com", "ada@example.com", "EXAMPLE\\ada", "a b@c", "@x", "x@", "a@b@c", "b@c"];
        assert_eq!(addresses(texts), ["ada@example.com", "b@c"]);
    }

    #[test]
    fn names_are_one_line() {
        assert_eq!(single_line(" a\n\tb\u{0}  c ", 100), "a b c");
        assert_eq!(described("7", Some(" \n"), Some("")).name, "7");
    }
}
