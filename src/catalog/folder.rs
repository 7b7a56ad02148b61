//! Folders that contain packages. A package is a folder with a manifest, or a `.zip` file, at most three levels deep.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::files::{self, MAX_BYTES};
use super::manifest::MANIFEST;
use super::package::Package;
use super::package_set::{MAX_PACKAGES, PackageSet};

/// The maximum number of folders around a package.
const MAX_DEPTH: usize = 3;
/// The maximum number of files of a package that are examined for changes.
const MAX_EXAMINED: usize = 1_000;

type ReadPackage = Result<Arc<Package>, Vec<String>>;

/// A folder that contains packages.
pub(super) struct Folder {
    root: PathBuf,
    cache: PackageCache,
}

/// Packages that have been read, by path, each with a fingerprint of its files.
#[derive(Default)]
pub(super) struct PackageCache(HashMap<PathBuf, (u64, ReadPackage)>);

impl Folder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, cache: PackageCache::default() }
    }

    /// Adds the current packages to the package set. Unchanged packages are not read again.
    pub(super) async fn refresh(&mut self, package_set: &mut PackageSet) {
        let (root, cache) = (self.root.clone(), std::mem::take(&mut self.cache));
        let source = root.display().to_string();
        let read = tasks::blocking(move || {
            let mut cache = cache;
            let read = refresh(&root, &mut cache);
            (cache, read)
        });
        // A panic would be a bug in the reader. In that case this refresh fails, and the cache is lost.
        let Ok((cache, read)) = read.await else {
            return package_set.fault(&source, "", vec!["the folder could not be read".to_owned()]);
        };
        self.cache = cache;
        match read {
            Ok(packages) => {
                packages.into_iter().for_each(|(place, read)| package_set.put(&source, &place, read));
            }
            Err(why) => package_set.fault(&source, "", vec![why]),
        }
    }
}

fn refresh(root: &Path, cache: &mut PackageCache) -> Result<Vec<(String, ReadPackage)>, String> {
    let bounds = root.canonicalize().map_err(|why| format!("the folder cannot be read: {why}"))?;
    let mut found = Vec::new();
    find(&bounds, 0, &mut found)?;
    found.sort();
    if found.len() > MAX_PACKAGES {
        return Err(format!("there are more than {MAX_PACKAGES} packages"));
    }
    cache.0.retain(|path, _| found.contains(path));
    let mut packages = Vec::with_capacity(found.len());
    for path in found {
        let place = path.strip_prefix(&bounds).unwrap_or(&path).display().to_string();
        packages.push((place, cache.read(&path, &bounds, &bounds.display().to_string())));
    }
    Ok(packages)
}

/// Collects the packages below a folder, which may itself be a package.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), String> {
    if folder.join(MANIFEST).is_file() {
        found.push(folder.to_owned());
        return Ok(());
    }
    let unreadable = |why: std::io::Error| format!("{} cannot be read: {why}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_archive = path.extension().is_some_and(|ending| ending == "zip");
        match () {
            () if is_hidden || found.len() > MAX_PACKAGES => {}
            () if is_archive && path.is_file() => found.push(path),
            () if path.is_dir() && depth < MAX_DEPTH => find(&path, depth + 1, found)?,
            () => {}
        }
    }
    Ok(())
}

impl PackageCache {
    /// Returns a package in the folder. It is read again if any of its files appears to have changed.
    pub(super) fn read(&mut self, path: &Path, bounds: &Path, source: &str) -> ReadPackage {
        let fingerprint = fingerprint_of(path);
        if let Some((before, read)) = self.0.get(path)
            && *before == fingerprint
        {
            return read.clone();
        }
        let read = read(path, bounds, source);
        self.0.insert(path.to_owned(), (fingerprint, read.clone()));
        read
    }
}

fn read(path: &Path, bounds: &Path, source: &str) -> ReadPackage {
    let real = path.canonicalize().map_err(|why| vec![format!("it cannot be read: {why}")])?;
    if !real.starts_with(bounds) {
        return Err(vec!["it is a link to a place outside the folder".to_owned()]);
    }
    let files = if real.is_dir() { files::from_folder(&real, bounds)? } else { archive(&real)? };
    Package::read(files, source).map(Arc::new)
}

fn archive(path: &Path) -> Result<files::Files, Vec<String>> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|why| vec![format!("it cannot be read: {why}")])?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(vec![format!("the archive has more than {MAX_BYTES} bytes")]);
    }
    files::from_archive(&bytes)
}

/// A fingerprint of the names, sizes and modification times of the files at a path.
fn fingerprint_of(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut remaining = MAX_EXAMINED;
    hash_path(path, &mut hasher, &mut remaining);
    hasher.finish()
}

fn hash_path(path: &Path, hasher: &mut DefaultHasher, remaining: &mut usize) {
    *remaining = remaining.saturating_sub(1);
    let Some(about) = fs::metadata(path).ok().filter(|_| *remaining > 0) else { return };
    path.hash(hasher);
    about.len().hash(hasher);
    about.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok()).hash(hasher);
    // The target of a link is examined, but not traversed.
    let is_folder = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    if let Some(entries) = is_folder.then(|| fs::read_dir(path).ok()).flatten() {
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths.iter().for_each(|path| hash_path(path, hasher, remaining));
    }
}
