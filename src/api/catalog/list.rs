//! Lists the packages of the catalog.

use std::collections::HashMap;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use storage::records::{Installation, Role};
use storage::{Reader, Row, Scan};

use super::schema::ListPackages;
use super::view::{PackageList, PackageResponse, PackageSummary};
use crate::catalog::{Package, PackageSet};
use crate::http::{Api, Caller, Paging, Refusal};

/// Returns a page of packages, sorted by id.
pub fn packages(
    reader: &Reader,
    caller: &Caller,
    package_set: &PackageSet,
    query: &ListPackages,
    paging: &Paging,
) -> Api<PackageList> {
    let after = paging.cursor.as_deref().map(position).transpose()?;
    let own = own_installations(reader, caller)?;
    let words: Vec<String> =
        query.search.iter().flat_map(|search| search.split_whitespace()).map(str::to_lowercase).collect();
    let fits = |package: &&Package| {
        let installed = own.contains_key(package.manifest.id.as_str());
        query.kind.is_none_or(|kind| package.manifest.kind == kind)
            && query.installed.is_none_or(|wanted| wanted == installed)
            && words.iter().all(|word| matches_search(package, word))
    };
    let all: Vec<&Package> = package_set.newest_of_all().map(AsRef::as_ref).filter(fits).collect();
    let from = all.iter().position(|package| after.as_ref().is_none_or(|after| package.manifest.id > *after));
    let rest = from.map_or(&[][..], |from| &all[from..]);
    let page = &rest[..rest.len().min(paging.limit as usize)];
    let last = page.last().filter(|_| page.len() < rest.len());
    let item =
        |package: &&Package| PackageSummary::new(package, package_set, own.get(package.manifest.id.as_str()));
    let faults = (caller.role == Role::TenantAdmin && after.is_none()).then(|| package_set.faults().to_vec());
    Ok(PackageList {
        items: page.iter().map(item).collect(),
        total: all.len() as u64,
        next_cursor: last.map(|package| cursor(&package.manifest.id)),
        faults: faults.unwrap_or_default(),
    })
}

pub fn package(
    reader: &Reader,
    caller: &Caller,
    package_set: &PackageSet,
    id: &str,
    version: Option<&str>,
) -> Api<PackageResponse> {
    let package = package_set.find(id, version).ok_or_else(|| match package_set.newest(id) {
        Some(_) => Refusal::not_found("version"),
        None => missing(caller, package_set, id),
    })?;
    let own = super::install::earlier(reader, caller, id)?;
    Ok(PackageResponse::new(package, package_set, own.as_ref()))
}

/// Returns the problem for an unknown package. If the index lists the package but it cannot be used, administrators also get its faults.
fn missing(caller: &Caller, package_set: &PackageSet, id: &str) -> Refusal {
    let is_it = |place: &str| place.split(' ').next() == Some(id);
    let mut known = package_set.faults().iter().filter(|_| caller.role == Role::TenantAdmin);
    let error = Refusal::not_found("package");
    match known.find(|fault| is_it(&fault.place)) {
        Some(fault) => error.detail(format!("{} cannot be used: {}", fault.place, fault.faults.join("; "))),
        None => error,
    }
}

/// Returns the caller's installations, by package.
fn own_installations(
    reader: &Reader,
    caller: &Caller,
) -> storage::Result<HashMap<String, Row<Installation>>> {
    let scan = Scan::index("by_owner_package").prefix(caller.user.as_bytes());
    let rows = reader.scan::<Installation>(caller.tenant, scan)?.items;
    Ok(rows.into_iter().map(|row| (row.package.clone(), row)).collect())
}

fn matches_search(package: &Package, word: &str) -> bool {
    let manifest = &package.manifest;
    let texts = [&manifest.id, &manifest.name, &manifest.description];
    texts.into_iter().chain(&manifest.tags).any(|text| text.to_lowercase().contains(word))
}

/// Returns the cursor of the page after a package.
fn cursor(id: &str) -> String {
    HEXLOWER.encode(id.as_bytes())
}

fn position(cursor: &str) -> Api<String> {
    let bytes = HEXLOWER_PERMISSIVE.decode(cursor.as_bytes()).ok();
    let id = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    id.ok_or_else(|| Refusal::invalid("query", ["cursor"], "is not a cursor of this list", "malformed"))
}
