//! Groups and users from Microsoft Graph.

use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;
use parking_lot::Mutex;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::http::{PageResponse, Site};
use super::{
    Changes, Directory, DirectoryError, DirectoryErrorKind, DirectoryLimits, GraphSettings, GroupMembers,
    ListedGroup, MAX_RESULTS, Person, addresses, described, single_line,
};
use crate::config::Secret;

/// Entries per page; the maximum that Graph supports.
const TOP: &str = "999";
/// Maximum number of pages of a list; a longer list is treated as endless.
const PAGES: usize = 10_000;
/// A token is renewed when less than this time remains before it expires.
const MARGIN: Duration = Duration::from_secs(120);
/// The fields of a group that are requested.
const GROUP: (&str, &str) = ("$select", "id,displayName,description");

pub(super) struct Graph {
    settings: GraphSettings,
    secret: Secret,
    limits: DirectoryLimits,
    login: Site,
    /// The site with a token, and when the token expires.
    site: Mutex<Option<(Arc<Site>, Instant)>>,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

#[derive(Deserialize)]
struct Page<T> {
    value: Vec<T>,
    #[serde(rename = "@odata.nextLink")]
    next: Option<String>,
    #[serde(rename = "@odata.deltaLink")]
    delta: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    #[serde(rename = "@odata.type")]
    kind: Option<String>,
    display_name: Option<String>,
    description: Option<String>,
    mail: Option<String>,
    user_principal_name: Option<String>,
    account_enabled: Option<bool>,
}

impl Graph {
    pub fn new(
        settings: &GraphSettings,
        secret: &Secret,
        limits: DirectoryLimits,
    ) -> Result<Self, DirectoryError> {
        let login = Site::new(&settings.login_url, None, &[secret.expose()], limits)?;
        let (settings, secret) = (settings.clone(), secret.clone());
        Ok(Self { settings, secret, limits, login, site: Mutex::default() })
    }

    /// Returns the site with a valid token.
    async fn site(&self) -> Result<Arc<Site>, DirectoryError> {
        if let Some((site, until)) = &*self.site.lock()
            && *until > Instant::now()
        {
            return Ok(site.clone());
        }
        let url = self.login.url(&[&self.settings.tenant_id, "oauth2", "v2.0", "token"], &[]);
        let graph = Url::parse(&self.settings.base_url).map(|url| url.origin().ascii_serialization());
        let scope = format!("{}/.default", graph.unwrap_or_default());
        let fields = [
            ("client_id", self.settings.client_id.as_str()),
            ("client_secret", self.secret.expose()),
            ("scope", &scope),
            ("grant_type", "client_credentials"),
        ];
        let token: Token = self.login.post_form(url, &fields).await?;
        let secrets = [self.secret.expose()];
        let site = Site::new(&self.settings.base_url, Some(&token.access_token), &secrets, self.limits)?;
        let site = Arc::new(site);
        let until = Instant::now() + life(token.expires_in);
        *self.site.lock() = Some((site.clone(), until));
        Ok(site)
    }

    /// Fetches a page. If the token is rejected, fetches it again with a new token.
    async fn page<T: DeserializeOwned>(&self, url: &Url) -> Result<PageResponse<T>, DirectoryError> {
        match self.site().await?.page(url.clone()).await {
            Err(why) if why.kind == DirectoryErrorKind::Refused && why.message.contains("401") => {
                *self.site.lock() = None;
                self.site().await?.page(url.clone()).await
            }
            result => result,
        }
    }

    async fn url(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Url, DirectoryError> {
        Ok(self.site().await?.url(path, query))
    }

    /// Fetches all pages of a list, and the link for later changes. `Nothing` if the first page does not exist;
    /// `TooOld` if Graph no longer has the changes since that time.
    async fn list<T: DeserializeOwned>(
        &self,
        first: Url,
    ) -> Result<PageResponse<(Vec<T>, Option<String>)>, DirectoryError> {
        let (mut all, mut url, mut seen) = (Vec::new(), first, HashSet::new());
        for _ in 0..PAGES {
            let page: Page<T> = match self.page(&url).await? {
                PageResponse::Page(page) => page,
                PageResponse::Nothing if seen.is_empty() => return Ok(PageResponse::Nothing),
                PageResponse::Nothing => {
                    return Err(DirectoryError::incomplete("the directory returned an incomplete list"));
                }
                PageResponse::TooOld => return Ok(PageResponse::TooOld),
            };
            all.extend(page.value);
            if all.len() > MAX_RESULTS {
                return Err(DirectoryError::incomplete(format!(
                    "the directory lists more than {MAX_RESULTS} entries"
                )));
            }
            let Some(next) = page.next else { return Ok(PageResponse::Page((all, page.delta))) };
            if !seen.insert(next.clone()) {
                return Err(DirectoryError::failed("the directory's pages refer to each other in a loop"));
            }
            url = self.site().await?.same_origin(&next)?;
        }
        Err(DirectoryError::incomplete(format!("a list of the directory has more than {PAGES} pages")))
    }
}

#[async_trait]
impl Directory for Graph {
    async fn test(&self) -> Result<(), DirectoryError> {
        self.has_groups().await.map(drop)
    }

    async fn has_groups(&self) -> Result<bool, DirectoryError> {
        let url = self.url(&["groups"], &[GROUP, ("$top", "1")]).await?;
        let page: Page<Entry> = self.site().await?.must(url).await?;
        Ok(!page.value.is_empty() || page.next.is_some())
    }

    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError> {
        let url = self.url(&["groups"], &[GROUP, ("$top", TOP)]).await?;
        match self.list::<Entry>(url).await? {
            PageResponse::Page((entries, _)) => Ok(entries.iter().map(listed).collect()),
            _ => Err(DirectoryError::failed("the directory has no groups endpoint; check base_url")),
        }
    }

    async fn roll(&self, id: &str) -> Result<Option<GroupMembers>, DirectoryError> {
        let url = self.url(&["groups", id], &[GROUP]).await?;
        let group = match self.page::<Entry>(&url).await? {
            PageResponse::Page(entry) => listed(&entry),
            PageResponse::Nothing | PageResponse::TooOld => return Ok(None),
        };
        let select = "id,displayName,mail,userPrincipalName,accountEnabled";
        let url =
            self.url(&["groups", id, "transitiveMembers"], &[("$select", select), ("$top", TOP)]).await?;
        let entries = match self.list::<Entry>(url).await? {
            PageResponse::Page((entries, _)) => entries,
            // The group was deleted between the two requests.
            PageResponse::Nothing | PageResponse::TooOld => return Ok(None),
        };
        let mut roll = GroupMembers { group, people: BTreeMap::new(), nested: Vec::new() };
        for entry in entries {
            match entry.kind.as_deref() {
                Some("#microsoft.graph.group") => roll.nested.push(entry.id),
                Some("#microsoft.graph.user") | None => add(&mut roll.people, entry),
                // Devices, contacts and service principals cannot sign in.
                Some(_) => {}
            }
        }
        roll.nested.sort_unstable();
        roll.nested.dedup();
        Ok(Some(roll))
    }

    async fn changes(&self, since: Option<&str>) -> Result<Changes, DirectoryError> {
        #[derive(Deserialize)]
        struct Changed {
            id: String,
        }
        let select = ("$select", "displayName,description,members");
        let lost = || DirectoryError::failed("the directory does not report changes");
        if let Some(since) = since {
            let url = self.site().await?.same_origin(since)?;
            match self.list::<Changed>(url).await? {
                PageResponse::Page((changed, next)) => {
                    let ids = changed.into_iter().map(|group| group.id).collect();
                    return Ok(Changes::Groups { ids, next: next.ok_or_else(lost)? });
                }
                PageResponse::Nothing => return Err(lost()),
                PageResponse::TooOld => {}
            }
        }
        // Changes are recorded from now on: everything is read after this, so no change is missed.
        let url = self.url(&["groups", "delta"], &[select, ("$deltatoken", "latest")]).await?;
        match self.list::<Changed>(url).await? {
            PageResponse::Page((_, next)) => Ok(Changes::Anything { next: next.ok_or_else(lost)? }),
            PageResponse::Nothing | PageResponse::TooOld => Err(lost()),
        }
    }
}

fn listed(entry: &Entry) -> ListedGroup {
    described(&entry.id, entry.display_name.as_deref(), entry.description.as_deref())
}

fn add(people: &mut BTreeMap<String, Person>, entry: Entry) {
    if entry.account_enabled == Some(false) {
        return;
    }
    let texts = [entry.mail.as_deref(), entry.user_principal_name.as_deref()];
    let addresses = addresses(texts.into_iter().flatten());
    if !addresses.is_empty() {
        let name = single_line(entry.display_name.as_deref().unwrap_or_default(), 200);
        people.insert(entry.id, Person { addresses, name });
    }
}

/// How long a token is used, given its lifetime in seconds. Limited to a day, so that the clock arithmetic cannot
/// overflow.
fn life(seconds: u64) -> Duration {
    Duration::from_secs(seconds.min(24 * 60 * 60)).saturating_sub(MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn life_limits_the_lifetime_of_a_token() {
        for (expires_in, used) in [(0, 0), (60, 0), (3_600, 3_480), (u64::MAX, 86_280)] {
            assert_eq!(life(expires_in).as_secs(), used);
            assert!(Instant::now().checked_add(life(expires_in)).is_some());
        }
    }
}
