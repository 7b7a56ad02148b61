//! An index: a list of packages with their checksums, in a file or on the web.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use parking_lot::Mutex;
use providers::web::{WebClient, WebRequest};
use reqwest::Url;
use serde::Deserialize;
use tokio::task::JoinHandle;

use super::files::{self, MAX_BYTES};
use super::folder::PackageCache;
use super::package::Package;
use super::package_set::{MAX_PACKAGES, PackageSet};

/// The pause between two fetches of an index, and the pause after a failed fetch of an index or a package.
const PAUSE: Duration = Duration::from_secs(300);
const RETRY: Duration = Duration::from_secs(30);
/// The time limit of a fetch.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The time that the first requests wait for a fetch; later requests do not wait.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// The maximum size of an index in bytes.
const MAX_INDEX_BYTES: u64 = 1 << 20;
/// The maximum total size in bytes of the packages fetched from an index, unpacked.
const MAX_FETCHED: usize = 128 << 20;
/// The number of packages that are fetched at once.
const MAX_CONCURRENT: usize = 4;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    packages: Vec<Entry>,
}

/// A package in the index.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    version: String,
    /// `sha256:` followed by the result of [`super::checksum`].
    checksum: String,
    /// The URL of its `.zip` file; may be relative to the URL of the index.
    url: Option<String>,
    /// Its path relative to the index file: a folder or a `.zip`.
    path: Option<String>,
}

/// The source of a package: its checksum and URL. Of two entries with the same checksum, one may have a wrong URL.
type PackageSource = (String, Option<String>);

impl Entry {
    fn source(&self) -> PackageSource {
        (self.checksum.clone(), self.url.clone())
    }
}

/// An index and its cached content.
pub struct Index {
    place: String,
    known: Arc<Mutex<IndexCache>>,
    /// The current or most recent fetch.
    job: Option<JoinHandle<()>>,
    /// The deadline of the wait for the first fetch.
    first: First,
    local: PackageCache,
}

/// The state of the first fetch.
#[derive(Clone, Copy)]
enum First {
    Ahead,
    Awaited(Instant),
    Over,
}

/// The content that was read and fetched so far, and the last failure.
#[derive(Default)]
struct IndexCache {
    listing: Option<Listing>,
    fault: Option<String>,
    last_fetch: Option<Instant>,
    fetched: HashMap<PackageSource, CachedPackage>,
}

struct CachedPackage {
    read: Result<Arc<Package>, Vec<String>>,
    at: Instant,
}

impl Index {
    pub fn new(place: &str) -> Self {
        Self {
            place: place.to_owned(),
            known: Arc::default(),
            job: None,
            first: First::Ahead,
            local: PackageCache::default(),
        }
    }

    /// Adds the listed packages to the package set. A package is fetched only once. If an index does not respond, its
    /// previous content remains. Only the first requests wait for a fetch, for a limited time.
    pub async fn refresh(&mut self, web: &WebClient, package_set: &mut PackageSet) {
        let address = self.address();
        if address.is_none() {
            let read = tokio::fs::read(&self.place).await.map_err(|why| format!("cannot be read: {why}"));
            self.known.lock().update(read);
        }
        self.fetch(web, address).await;
        let (listing, fault) = {
            let known = self.known.lock();
            (known.listing.clone(), known.fault.clone())
        };
        if let Some(fault) = fault {
            package_set.fault(&self.place, "", vec![fault]);
        }
        for entry in listing.into_iter().flat_map(|listing| listing.packages) {
            let place = format!("{} {}", entry.id, entry.version);
            let read = self.package(&entry).and_then(|package| verify(&entry, package));
            package_set.put(&self.place, &place, read);
        }
    }

    /// Lets the next refresh fetch again, even if the last fetch is recent.
    pub fn make_due(&self) {
        self.known.lock().last_fetch = None;
    }

    /// Whether a fetch runs in the background.
    pub fn is_fetching(&self) -> bool {
        self.job.as_ref().is_some_and(|job| !job.is_finished())
    }

    fn address(&self) -> Option<Url> {
        Url::parse(&self.place).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    }

    /// Starts to fetch outdated content in the background. Until this is done, requests use the known content. Directly
    /// after the start of the server there is none, so the first requests wait for it.
    async fn fetch(&mut self, web: &WebClient, address: Option<Url>) {
        if !self.is_fetching() && self.known.lock().is_due(address.is_some()) {
            self.job = Some(tasks::spawn(fetch_all(self.known.clone(), web.clone(), address)));
            self.first = match self.first {
                First::Ahead => First::Awaited(Instant::now() + FIRST_WAIT),
                First::Awaited(_) | First::Over => First::Over,
            };
        }
        let (First::Awaited(until), Some(job)) = (self.first, &mut self.job) else { return };
        if !job.is_finished() {
            let _ = tokio::time::timeout_at(until.into(), job).await;
        }
        self.first = First::Over;
    }

    fn package(&mut self, entry: &Entry) -> Result<Arc<Package>, Vec<String>> {
        let one = |why: &str| Err(vec![why.to_owned()]);
        match &entry.path {
            None => match self.known.lock().fetched.get(&entry.source()) {
                Some(known) => known.read.clone(),
                None => one("it is being fetched"),
            },
            Some(_) if entry.url.is_some() => {
                one("it has both a `url` and a `path`; exactly one is required")
            }
            Some(_) if self.address().is_some() => one("an index from the web cannot use `path`"),
            Some(path) => {
                let folder = Path::new(&self.place).parent().map(Path::to_owned).unwrap_or_default();
                let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
                let bounds = folder.canonicalize().map_err(|why| vec![format!("cannot be read: {why}")])?;
                self.local.read(&bounds.join(path), &bounds, &self.place)
            }
        }
    }
}

impl IndexCache {
    fn is_due(&self, of_the_web: bool) -> bool {
        let pause = if self.fault.is_some() { RETRY } else { PAUSE };
        let again = self.last_fetch.is_none_or(|at| at.elapsed() >= pause);
        (of_the_web && again) || !self.missing().is_empty()
    }

    /// Replaces the list, or records the failure.
    fn update(&mut self, read: Result<Vec<u8>, String>) {
        self.last_fetch = Some(Instant::now());
        let listing = read.and_then(|bytes| {
            let read = serde_json::from_slice::<Listing>(&bytes);
            read.map_err(|why| format!("is not a valid index: {why}"))
        });
        match listing {
            Ok(listing) if listing.packages.len() > MAX_PACKAGES => {
                self.fault = Some(format!("lists more than {MAX_PACKAGES} packages"));
            }
            Ok(listing) => {
                let listed =
                    |source: &PackageSource| listing.packages.iter().any(|at| at.source() == *source);
                self.fetched.retain(|source, _| listed(source));
                (self.listing, self.fault) = (Some(listing), None);
            }
            Err(why) => self.fault = Some(why),
        }
    }

    /// Listed packages with a URL that have not been fetched, and were not tried recently.
    fn missing(&self) -> Vec<Entry> {
        let is_missing = |entry: &&Entry| {
            let known = self.fetched.get(&entry.source());
            entry.path.is_none()
                && known.is_none_or(|known| known.read.is_err() && known.at.elapsed() >= RETRY)
        };
        let listed = self.listing.iter().flat_map(|listing| &listing.packages);
        listed.filter(is_missing).cloned().collect()
    }

    fn insert(&mut self, source: PackageSource, read: Result<Arc<Package>, Vec<String>>) {
        let stored: usize =
            self.fetched.values().filter_map(|known| known.read.as_ref().ok()).map(size).sum();
        let read = read.and_then(|package| match stored + size(&package) > MAX_FETCHED {
            true => Err(vec![format!("the packages of the index have more than {MAX_FETCHED} bytes")]),
            false => Ok(package),
        });
        self.fetched.insert(source, CachedPackage { read, at: Instant::now() });
    }
}

/// Fetches the list, if it is on the web, and then its missing packages.
async fn fetch_all(known: Arc<Mutex<IndexCache>>, web: WebClient, address: Option<Url>) {
    if let Some(url) = address.clone() {
        let read = get(&web, url, MAX_INDEX_BYTES).await;
        known.lock().update(read);
    }
    let missing = known.lock().missing();
    let fetch = |entry: Entry| {
        let (url, web) = (url(&entry, address.as_ref()), web.clone());
        async move {
            let read = match url {
                Ok(url) => fetch(&web, url).await,
                Err(why) => Err(vec![why]),
            };
            (entry.source(), read)
        }
    };
    let mut fetching = futures::stream::iter(missing.into_iter().map(fetch)).buffer_unordered(MAX_CONCURRENT);
    while let Some((source, read)) = fetching.next().await {
        known.lock().insert(source, read);
    }
}

fn size(package: &Arc<Package>) -> usize {
    package.files.values().map(bytes::Bytes::len).sum()
}

/// Compares a fetched package with its entry in the index.
fn verify(entry: &Entry, package: Arc<Package>) -> Result<Arc<Package>, Vec<String>> {
    let mut faults = Vec::new();
    let mut hold = |what: &str, said: &str, is: &str| {
        if said != is {
            faults.push(format!("the index names the {what} {said}, and the package has {is}"));
        }
    };
    hold("checksum", &entry.checksum, &package.checksum);
    hold("id", &entry.id, &package.manifest.id);
    hold("version", &entry.version, &package.version.to_string());
    if faults.is_empty() { Ok(package) } else { Err(faults) }
}

fn url(entry: &Entry, base: Option<&Url>) -> Result<Url, String> {
    let said = entry.url.as_deref().ok_or("it has neither a `url` nor a `path`")?;
    let url = base.map_or_else(|| Url::parse(said), |base| base.join(said));
    url.map_err(|why| format!("the address {said:?} is invalid: {why}"))
}

async fn fetch(web: &WebClient, url: Url) -> Result<Arc<Package>, Vec<String>> {
    let source = url.host_str().unwrap_or_default().to_owned();
    let bytes = get(web, url, MAX_BYTES).await.map_err(|why| vec![why])?;
    let read = move || {
        let files = files::from_archive(&bytes)?;
        Package::read(files, &source).map(Arc::new)
    };
    let read = tasks::blocking(read).await;
    read.unwrap_or_else(|_| Err(vec!["the archive cannot be read".to_owned()]))
}

async fn get(web: &WebClient, url: Url, max_bytes: u64) -> Result<Vec<u8>, String> {
    let last_fetch = WebRequest { max_bytes, timeout: TIMEOUT, ..WebRequest::new("GET", url) };
    let answer = web.send(last_fetch).await.map_err(|why| format!("cannot be fetched: {why}"))?;
    match answer.status {
        200 => Ok(answer.body.to_vec()),
        status => Err(format!("cannot be fetched: the server responded with {status}")),
    }
}
