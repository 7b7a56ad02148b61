//! What a package needs, and whether it is there.

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
use crate::catalog::{Package, Shelf};
use crate::http::{Api, Caller, Code, Fault, Refusal};
use domain::access::policy::Requirement;

/// The version of this server.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Something that keeps a package from being installed.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = PackageProblem)]
pub struct Problem {
    /// What sort it is of: the code that installing it would be refused with, or `understudy_version`,
    /// `capability_missing`, `package_missing`.
    pub code: String,
    /// What is meant: a feature, a package, a parameter, a place in a resource.
    pub subject: Option<String>,
    /// What is wrong, in words.
    pub message: String,
}

impl Problem {
    /// A problem of this code.
    pub fn new(code: &str, subject: impl Into<Option<String>>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), subject: subject.into(), message: message.into() }
    }

    /// The problems that an error tells of.
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

/// What the caller lacks to make what the package makes: each as the refusal of it.
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
    let all = resource_kinds.into_iter().map(kinds::demand).chain(features);
    all.filter_map(|demand| demand.check(caller).err()).collect()
}

/// Installations of packages that one requires, by their ids; and what it needs that is not there.
pub type Required = (HashMap<String, Row<Installation>>, Vec<Problem>);

/// Packages that this one requires, as they are installed, and what it needs that is not there.
pub fn check(
    reader: &Reader,
    caller: &Caller,
    models: &Arc<Models>,
    shelf: &Shelf,
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
        match installed(reader, caller, shelf, id, range)? {
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

/// Refuses with all that is not there.
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

/// What the model that would answer cannot do.
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
        // Making the assistant tells that there is no such model.
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

/// Services that the skills of these installations ask for.
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

/// A resource of a required package, as installed by the caller or else by an administrator.
///
/// What others have installed is run and read as if the caller had made it. So of them it is only administrators', and
/// of those only what is still what the catalog has under that name.
fn installed(
    reader: &Reader,
    caller: &Caller,
    shelf: &Shelf,
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
        let package = shelf.find(id, Some(&row.package_version));
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

/// Whether all that an installation consists of is still its owner's, and the caller can refer to it.
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

/// Whether all that an installation consists of is as its package has it.
fn is_untouched(reader: &Reader, caller: &Caller, row: &Installation) -> Api<bool> {
    for resource in &row.resources {
        if kinds::edited(reader, caller.tenant, resource)?.is_none_or(|edited| !edited.is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}
