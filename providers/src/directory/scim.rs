//! Groups and people from SCIM 2.0 servers.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use super::http::{PageResponse, Site};
use super::{
    Directory, DirectoryError, DirectoryLimits, GroupMembers, ListedGroup, MAX_RESULTS, Person, ScimSettings,
    addresses, described, single_line,
};
use crate::config::Secret;

/// Maximum number of attempts to read a list that changes while it is read.
const READINGS: u32 = 3;
/// Maximum number of nested groups that are read to determine the members of a group.
const NESTED: usize = 10_000;

pub(super) struct Scim {
    site: Site,
    page_size: u32,
    /// All people, read once: groups contain only the ids of their members.
    everybody: OnceCell<HashMap<String, Option<Person>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    #[serde(default)]
    total_results: usize,
    #[serde(rename = "Resources", default = "Vec::new")]
    resources: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    id: String,
    display_name: Option<String>,
    #[serde(default)]
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member {
    value: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(rename = "$ref")]
    place: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct User {
    id: String,
    user_name: Option<String>,
    display_name: Option<String>,
    name: Option<Name>,
    active: Option<bool>,
    #[serde(default)]
    emails: Vec<Email>,
}

#[derive(Deserialize)]
struct Name {
    formatted: Option<String>,
}

#[derive(Deserialize)]
struct Email {
    value: Option<String>,
    #[serde(default)]
    primary: bool,
}

trait Identified {
    fn id(&self) -> &str;
}

impl Identified for Group {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Identified for User {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Scim {
    pub fn new(
        settings: &ScimSettings,
        secret: &Secret,
        limits: DirectoryLimits,
    ) -> Result<Self, DirectoryError> {
        let site = Site::new(&settings.base_url, Some(secret.expose()), &[], limits)?;
        Ok(Self { site, page_size: settings.page_size, everybody: OnceCell::new() })
    }

    /// Reads a whole list. Pages are addressed by index from 1. An entry that is deleted while the list is read moves
    /// all later entries up by one, so the reader could miss one; a list whose length changes is therefore read
    /// again.
    async fn list<T: DeserializeOwned + Identified>(&self, what: &str) -> Result<Vec<T>, DirectoryError> {
        for _ in 0..READINGS {
            if let Some(all) = self.reading(what).await? {
                return Ok(all);
            }
        }
        Err(DirectoryError::incomplete(format!(
            "the directory's /{what} changed again and again while it was read"
        )))
    }

    /// Reads the list once; returns `None` if it changed.
    async fn reading<T: DeserializeOwned + Identified>(
        &self,
        what: &str,
    ) -> Result<Option<Vec<T>>, DirectoryError> {
        let (mut all, mut seen, mut total, mut read) = (Vec::new(), HashSet::new(), None, 0_usize);
        let count = self.page_size.to_string();
        loop {
            let start = (read + 1).to_string();
            let mut query = vec![("startIndex", start.as_str()), ("count", count.as_str())];
            if what == "Groups" {
                query.push(("excludedAttributes", "members"));
            }
            let page: Page<T> = self.site.must(self.site.url(&[what], &query)).await?;
            if *total.get_or_insert(page.total_results) != page.total_results {
                return Ok(None);
            }
            if page.total_results > MAX_RESULTS {
                return Err(DirectoryError::incomplete(format!(
                    "the directory's /{what} has more than {MAX_RESULTS} entries"
                )));
            }
            let got = page.resources.len();
            read += got;
            all.extend(page.resources.into_iter().filter(|entry| seen.insert(entry.id().to_owned())));
            if read >= page.total_results {
                break;
            }
            if got == 0 {
                let stated_total = page.total_results;
                let why = format!("the directory's /{what} ends after {read} of {stated_total} entries");
                return Err(DirectoryError::incomplete(why));
            }
        }
        // A duplicate means that entries moved, so others may have been missed.
        Ok((all.len() == read).then_some(all))
    }

    async fn everybody(&self) -> Result<&HashMap<String, Option<Person>>, DirectoryError> {
        let read = async || {
            let users: Vec<User> = self.list("Users").await?;
            Ok::<_, DirectoryError>(users.into_iter().map(|user| (user.id.clone(), person(user))).collect())
        };
        self.everybody.get_or_try_init(read).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, DirectoryError> {
        Ok(match self.site.page::<Group>(self.site.url(&["Groups", id], &[])).await? {
            PageResponse::Page(group) => Some(group),
            PageResponse::Nothing | PageResponse::TooOld => None,
        })
    }
}

#[async_trait]
impl Directory for Scim {
    async fn test(&self) -> Result<(), DirectoryError> {
        self.has_groups().await.map(drop)
    }

    async fn has_groups(&self) -> Result<bool, DirectoryError> {
        let url = self.site.url(&["Groups"], &[("startIndex", "1"), ("count", "1")]);
        let page: Page<Group> = self.site.must(url).await?;
        Ok(!page.resources.is_empty() || page.total_results > 0)
    }

    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError> {
        let groups: Vec<Group> = self.list("Groups").await?;
        Ok(groups.iter().map(|group| described(&group.id, group.display_name.as_deref(), None)).collect())
    }

    async fn roll(&self, id: &str) -> Result<Option<GroupMembers>, DirectoryError> {
        let Some(first) = self.group(id).await? else { return Ok(None) };
        let group = described(&first.id, first.display_name.as_deref(), None);
        let mut roll = GroupMembers { group, people: BTreeMap::new(), nested: Vec::new() };
        let everybody = self.everybody().await?;
        let (mut seen, mut open) = (HashSet::from([first.id]), first.members);
        while let Some(member) = open.pop() {
            match (everybody.get(&member.value), member.is_group()) {
                (Some(Some(person)), _) => drop(roll.people.insert(member.value, person.clone())),
                // Deactivated, or without an email address.
                (Some(None), _) => {}
                (None, Some(false)) => {}
                (None, _) if seen.insert(member.value.clone()) => {
                    if seen.len() > NESTED {
                        let why = format!("a group holds more than {NESTED} others");
                        return Err(DirectoryError::incomplete(why));
                    }
                    if let Some(inner) = self.group(&member.value).await? {
                        roll.nested.push(inner.id);
                        open.extend(inner.members);
                    }
                }
                (None, _) => {}
            }
        }
        Ok(Some(roll))
    }
}

impl Member {
    /// Whether the member is a group; `None` if the entry does not say.
    fn is_group(&self) -> Option<bool> {
        if let Some(kind) = &self.kind {
            return Some(kind.eq_ignore_ascii_case("group"));
        }
        self.place.as_deref().map(|place| place.contains("/Groups/"))
    }
}

fn person(user: User) -> Option<Person> {
    if user.active == Some(false) {
        return None;
    }
    let mut emails: Vec<&Email> = user.emails.iter().collect();
    emails.sort_by_key(|email| !email.primary);
    let texts = emails.iter().filter_map(|email| email.value.as_deref()).chain(user.user_name.as_deref());
    let addresses = addresses(texts);
    let name = user.display_name.or(user.name.and_then(|name| name.formatted)).unwrap_or_default();
    (!addresses.is_empty()).then(|| Person { addresses, name: single_line(&name, 200) })
}
