//! Requirements of packages, and checks whether they are met.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use assist::offer::ModelAccess;
use providers::Models;
use semver::{Version, VersionReq};
use serde::Serialize;
use storage::authority::{Feature, Subject};
use storage::records::{Installation, InstalledResource, PackageKind, ResourceKind, Skill};
use storage::{Reader, Row, Scan};
use utoipa::ToSchema;

use super::install::earlier;
use super::kinds;
use crate::catalog::{Package, PackageSet};
use crate::http::{Api, Caller, Code, Fault, Refusal};
use domain::access::policy::Requirement;

/// The version of this server.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A problem that prevents the installation of a package.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = PackageProblem)]
pub struct Problem {
    /// Code of the problem: the code with which an installation would be refused, or `understudy_version`, `capability_missing` or
    /// `package_missing`.
    pub code: String,
    /// What the problem refers to: a feature, a package, a parameter, or a field of a resource.
    pub subject: Option<String>,
    /// Description of the problem.
    pub message: String,
}

impl Problem {
    /// Creates a problem with this code.
    pub fn new(code: &str, subject: impl Into<Option<String>>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), subject: subject.into(), message: message.into() }
    }

    /// Converts an error to problems: one per fault, or one for the whole error.
    pub fn from_refusal(error: &Refusal) -> Vec<Self> {
        let code = error.code().as_str();
        if error.faults().is_empty() {
            return vec![Self::new(code, None, error.shown_detail())];
        }
        let message = |fault: &Fault| {
            let place: Vec<_> = fault.loc.iter().skip(1).map(ToString::to_string).collect();
            Self::new(code, place.join("."), &fault.msg)
        };
        error.faults().iter().map(message).collect()
    }
}

/// Returns the permissions that the caller lacks to create the package's resources, each as the corresponding refusal.
pub fn demands(caller: &Caller, package: &Package) -> Vec<Refusal> {
    let manifest = &package.manifest;
    let mut resource_kinds: Vec<ResourceKind> =
        manifest.resources.iter().map(|resource| resource.kind).collect();
    resource_kinds.sort_unstable();
    resource_kinds.dedup();
    let workflows = (manifest.kind == PackageKind::Workflow).then_some(Feature::Workflows);
    let named = manifest.requires.features.iter().filter_map(|feature| Feature::parse(feature));
    let features = workflows.into_iter().chain(named);
    let features =
        features.map(|feature| Requirement { feature: Some(feature), bare: true, ..Requirement::default() });
    let all = resource_kinds.into_iter().map(kinds::requirement).chain(features);
    all.filter_map(|requirement| requirement.check(caller).err()).collect()
}

/// Installations of the required packages, by package id, and the problems with missing requirements.
pub type Required = (HashMap<String, Row<Installation>>, Vec<Problem>);

/// Checks the requirements of a package. Returns the installations of the packages that it requires, and the problems.
pub fn check(
    reader: &Reader,
    caller: &Caller,
    models: &Arc<Models>,
    package_set: &PackageSet,
    package: &Package,
    model: Option<&str>,
) -> Api<Required> {
    let requires = &package.manifest.requires;
    let mut problems = Vec::new();
    if let Some(range) = &requires.understudy
        && !fits(range, OWN_VERSION)
    {
        let message = format!("it is for versions {range} of this server, which is {OWN_VERSION}");
        problems.push(Problem::new("understudy_version", range.clone(), message));
    }
    if !requires.capabilities.is_empty() {
        problems.extend(incapable(reader, caller, models, package, model)?);
    }
    let mut required = HashMap::new();
    for (id, range) in &requires.packages {
        match installed(reader, caller, package_set, id, range)? {
            Some(row) => drop(required.insert(id.clone(), row)),
            None => {
                let message = format!(
                    "the package {id}, in a version {range}, must be installed first: by you, or for everybody by an \
                     administrator, and unedited"
                );
                problems.push(Problem::new("package_missing", id.clone(), message));
            }
        }
    }
    Ok((required, problems))
}

/// Returns one error for all problems.
pub fn refuse(problems: &[Problem]) -> Api<()> {
    if problems.is_empty() {
        return Ok(());
    }
    let message: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let missing = serde_json::to_value(problems).unwrap_or_default();
    Err(Refusal::new(Code::RequirementsMissing).detail(message.join("; ")).extra("missing", missing))
}

fn fits(range: &str, version: &str) -> bool {
    let parsed = VersionReq::parse(range).ok().zip(Version::parse(version).ok());
    parsed.is_some_and(|(range, version)| range.matches(&version))
}

/// Returns a problem for each capability that the model of the package lacks.
fn incapable(
    reader: &Reader,
    caller: &Caller,
    models: &Arc<Models>,
    package: &Package,
    model: Option<&str>,
) -> Api<Vec<Problem>> {
    let offer = ModelAccess::read(reader, models, caller.tenant, caller.user)?;
    let manifest_model = package.manifest.main().and_then(|main| main.fields.get("model")?.as_str());
    let Some(model) = model.or(manifest_model).map_or_else(|| Some(offer.default()), |id| offer.find(id))
    else {
        // An unknown model is reported when the assistant is created.
        return Ok(Vec::new());
    };
    let wanted = package.manifest.requires.capabilities.iter();
    let lacking = wanted.filter(|capability| !model.info.capability_tags.contains(capability));
    let problem = |capability: &String| {
        let message =
            format!("its model has to have {capability:?}, which {} has not; name another", model.info.id);
        Problem::new("capability_missing", capability.clone(), message)
    };
    Ok(lacking.map(problem).collect())
}

/// Returns the services that the skills of these installations request.
pub fn services(
    reader: &Reader,
    caller: &Caller,
    required: &HashMap<String, Row<Installation>>,
) -> storage::Result<BTreeSet<String>> {
    let mut services = BTreeSet::new();
    for resource in required.values().flat_map(|row| &row.resources) {
        if resource.kind == ResourceKind::Skill {
            let skill = reader.get::<Skill>(caller.tenant, &resource.id)?;
            services.extend(skill.into_iter().flat_map(|row| row.body.services));
        }
    }
    Ok(services)
}

/// Returns the installation of a required package: the caller's own, otherwise one of an administrator.
///
/// Resources that other users installed are run and read as if the caller had created them. Therefore only installations of administrators
/// are accepted, and only if they still match the package in the catalog.
fn installed(
    reader: &Reader,
    caller: &Caller,
    package_set: &PackageSet,
    id: &str,
    range: &str,
) -> Api<Option<Row<Installation>>> {
    let good = |row: &Row<Installation>| row.package == id && fits(range, &row.package_version);
    let own = earlier(reader, caller, id)?.filter(good);
    if let Some(own) = own
        && all_there(reader, caller, &own)?
    {
        return Ok(Some(own));
    }
    for row in reader.scan::<Installation>(caller.tenant, Scan::table())?.items {
        let package = package_set.find(id, Some(&row.package_version));
        if good(&row)
            && package.is_some_and(|package| package.checksum == row.checksum)
            && Subject::read(reader, caller.tenant, row.owner)?.is_some_and(|owner| owner.is_admin())
            && all_there(reader, caller, &row)?
            && is_untouched(reader, caller, &row)?
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Whether all resources of an installation still belong to its owner, and the caller can refer to them.
fn all_there(reader: &Reader, caller: &Caller, row: &Installation) -> Api<bool> {
    for InstalledResource { kind, id, .. } in &row.resources {
        let outline = kinds::outline(reader, caller.tenant, *kind, *id)?;
        let is_theirs = outline.is_some_and(|it| it.owner == row.owner);
        if !is_theirs || kinds::level(reader, caller, *kind, *id)?.is_none() {
            return Ok(false);
        }
    }
    Ok(!row.resources.is_empty())
}

/// Whether all resources of an installation are as the package defines them.
fn is_untouched(reader: &Reader, caller: &Caller, row: &Installation) -> Api<bool> {
    for resource in &row.resources {
        if kinds::edited(reader, caller.tenant, resource)?.is_none_or(|edited| !edited.is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}
