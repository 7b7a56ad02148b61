//! The package that a manifest describes: a package of the catalog, or one built from the manifest itself.

use std::sync::Arc;

use storage::records::{PackageKind, ResourceKind};

use super::schema::{Absent, AdoptedResource, AdoptionManifest, Drift};
use crate::App;
use crate::api::catalog::plan::{self, Plan};
use crate::api::catalog::resource_creation::InstallOptions;
use crate::catalog::{FIELDS, Files, Manifest, Package, ResourceManifest};
use crate::http::{Api, Caller, Faults, Refusal};

/// Fields of a skill that a manifest may compare. A skill is not created from them.
const OF_SKILLS: [&str; 4] = ["name", "description", "usable_in", "content"];

/// The package and the options of an adoption.
pub struct Expected {
    /// The package, as a plan for its installation.
    pub plan: Plan,
    /// The manifest of the request.
    pub manifest: AdoptionManifest,
}

impl Expected {
    /// Reads a manifest. Responds with 422 and all its faults if it is invalid.
    pub async fn from_manifest(app: &App, caller: &Arc<Caller>, manifest: AdoptionManifest) -> Api<Self> {
        let package_set = app.catalog.package_set().await;
        let package = match package_set.newest(&manifest.package).is_some() {
            true => {
                let package = plan::find(&package_set, &manifest.package, manifest.version.as_deref())?;
                only_named(&manifest, &package)?;
                package
            }
            false => Arc::new(made_of(&manifest)?),
        };
        let parameters = manifest.parameters.clone();
        let plan =
            Plan::new(app, caller.clone(), package_set, package, parameters, InstallOptions::default());
        plan.admit()?;
        Ok(Self { plan: plan.prepare(app).await?, manifest })
    }

    /// Returns the entry of the manifest for a resource, which contains everything except the expected fields.
    pub fn resource(&self, key: &str) -> Option<&AdoptedResource> {
        self.manifest.resources.iter().find(|entry| entry.key == key)
    }

    /// Returns what happens to the fields of a resource that differ.
    pub fn drift(&self, key: &str) -> Drift {
        self.resource(key).and_then(|entry| entry.drift).unwrap_or(self.manifest.drift)
    }

    /// Returns what happens if a resource is missing.
    pub fn absent(&self, key: &str) -> Absent {
        self.resource(key).and_then(|entry| entry.absent).unwrap_or(self.manifest.absent)
    }
}

fn fault(faults: &mut Faults, at: usize, field: &str, why: &str, kind: &'static str) {
    faults.add(["manifest", "resources", &at.to_string(), field], why, kind);
}

/// If the catalog has the package, the package defines the expected fields, and the manifest only identifies existing resources.
fn only_named(manifest: &AdoptionManifest, package: &Package) -> Api<()> {
    let mut faults = Faults::new("body");
    for (at, entry) in manifest.resources.iter().enumerate() {
        let known = package.manifest.resources.iter().find(|known| known.key == entry.key);
        match known {
            None => fault(&mut faults, at, "key", "the package has no such resource", "not_found"),
            Some(known) if entry.kind.is_some_and(|kind| kind != known.kind) => {
                fault(&mut faults, at, "type", "has another value in the package", "conflicting");
            }
            Some(_) if entry.fields.is_some() => {
                fault(&mut faults, at, "fields", "are set by the package", "conflicting");
            }
            Some(_) => {}
        }
    }
    faults.into_result()
}

/// Builds a package from the manifest itself.
fn made_of(manifest: &AdoptionManifest) -> Api<Package> {
    let mut faults = Faults::new("body");
    let version = manifest.version.clone().unwrap_or_default();
    let parsed = semver::Version::parse(&version);
    if manifest.version.is_none() {
        let why = "is required: the catalog has no such package";
        faults.add(["manifest", "version"], why, "missing");
    }
    if manifest.resources.is_empty() {
        let why = "are required: the catalog has no such package";
        faults.add(["manifest", "resources"], why, "missing");
    }
    if !manifest.parameters.is_empty() {
        faults.add(["manifest", "parameters"], "are only for packages of the catalog", "conflicting");
    }
    let mut resources = Vec::new();
    for (at, entry) in manifest.resources.iter().enumerate() {
        let Some(kind) = entry.kind else {
            fault(&mut faults, at, "type", "is needed", "missing");
            continue;
        };
        let fields = entry.fields.clone().unwrap_or_default();
        if !fields.contains_key("name") {
            fault(&mut faults, at, "fields", "must contain the field `name`", "missing");
        }
        let allowed = match kind {
            ResourceKind::Skill => &OF_SKILLS[..],
            kind => FIELDS.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, fields)| *fields),
        };
        for field in fields.keys().filter(|field| !allowed.contains(&field.as_str())) {
            fault(&mut faults, at, "fields", &format!("cannot hold {field:?}"), "unknown");
        }
        let (bundle, documents) = (None, None);
        resources.push(ResourceManifest { key: entry.key.clone(), kind, fields, bundle, documents });
    }
    faults.into_result()?;
    let version = parsed
        .map_err(|why| Refusal::invalid("body", ["manifest", "version"], why.to_string(), "malformed"))?;
    let manifest = Manifest {
        id: manifest.package.clone(),
        version: version.to_string(),
        kind: kind_of(&resources),
        name: manifest.name.clone().unwrap_or_else(|| manifest.package.clone()),
        description: String::new(),
        license: None,
        publisher: None,
        homepage: None,
        tags: Vec::new(),
        requires: Default::default(),
        parameters: Vec::new(),
        resources,
    };
    let (files, checksum, source) = (Files::new(), String::new(), "manifest".to_owned());
    Ok(Package { manifest, version, files, checksum, source, services: Vec::new() })
}

/// Derives the package kind from the first resource, for resources that are not part of a catalog package.
fn kind_of(resources: &[ResourceManifest]) -> PackageKind {
    match resources.first() {
        Some(first) if first.kind == ResourceKind::Skill => PackageKind::Skill,
        Some(first) if first.kind == ResourceKind::KnowledgeBase => PackageKind::KnowledgeBase,
        Some(first) if first.fields.get("type").is_some_and(|kind| kind == "workflow") => {
            PackageKind::Workflow
        }
        _ => PackageKind::Assistant,
    }
}
