//! The packages that are built into the binary.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::{Files, MANIFEST, Package};

/// All files of the packages by path.
const ALL: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// The path of a package in the sources, with the package or its faults.
type Shipped = (String, Result<Arc<Package>, Vec<String>>);

/// Reads all packages that are built in.
pub fn packages() -> Vec<Shipped> {
    let end = format!("/{MANIFEST}");
    let folders = ALL.iter().filter_map(|(path, _)| path.strip_suffix(end.as_str()));
    let mut packages: BTreeMap<&str, Files> = folders.map(|folder| (folder, Files::new())).collect();
    for (path, content) in ALL {
        let mut homes = packages.iter_mut();
        let home = homes.find_map(|(folder, files)| {
            let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
            Some((files, rest))
        });
        if let Some((files, rest)) = home {
            files.insert(rest.to_owned(), Bytes::from_static(content));
        }
    }
    let read =
        |(folder, files): (&str, Files)| (folder.to_owned(), Package::read(files, "builtin").map(Arc::new));
    packages.into_iter().map(read).collect()
}
