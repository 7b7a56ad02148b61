//! Scans a tenant for the resources of a manifest.

use std::collections::HashSet;

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use storage::authority::Subject;
use storage::records::{GrantLevel, Installation, ResourceKind};
use storage::{IndexKey, Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::expected::Expected;
use super::schema::{DriftedField, ScanResponse, ScanStatus, ScannedResource};
use crate::api::catalog::install::earlier;
use crate::api::catalog::kinds::{self, Fields};
use crate::api::catalog::resource_creation::ResourceCreation;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller};

/// A resource of the manifest, and what was found for it.
pub struct Scanned<'a> {
    pub resource: &'a ResourceManifest,
    /// The expected fields.
    pub wanted: Fields,
    /// All current fields; `None` if the resource does not exist.
    pub current: Option<Fields>,
    /// The entry of the resource in the response.
    pub report: ScannedResource,
}

/// Scans a tenant for the resources of a manifest, and returns the report.
pub fn scan(reader: &Reader, caller: &Caller, expected: &Expected) -> Api<ScanResponse> {
    let row = earlier(reader, caller, &expected.manifest.package)?;
    let mut creation = begin(reader, expected, row.as_ref())?;
    let found = scan_resources(reader, &mut creation, expected, row.as_ref())?;
    Ok(response(expected, &found))
}

/// Prepares the creation of the expected resources. Parameters that the request omits are those of the installation.
pub fn begin<'a>(
    reader: &Reader,
    expected: &'a Expected,
    row: Option<&Row<Installation>>,
) -> Api<ResourceCreation<'a>> {
    let before = row.map(|row| row.parameters.clone()).unwrap_or_default();
    expected.plan.begin(reader, &before)
}

/// Scans for all resources, in the order of the manifest.
pub fn scan_resources<'a>(
    reader: &Reader,
    creation: &mut ResourceCreation<'_>,
    expected: &'a Expected,
    row: Option<&Row<Installation>>,
) -> Api<Vec<Scanned<'a>>> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for resource in &expected.plan.package.manifest.resources {
        let wanted = creation.wanted(resource)?;
        let mut report = ScannedResource {
            key: resource.key.clone(),
            kind: resource.kind,
            status: ScanStatus::Missing,
            id: None,
            drifted: Vec::new(),
            candidates: Vec::new(),
            reason: None,
        };
        let current = match find_match(reader, creation.caller, expected, row, resource, &wanted)? {
            Match::None => None,
            Match::Several(ids) => {
                report.status = ScanStatus::Conflict;
                report.reason = Some("several resources have this name; name one by its id".to_owned());
                report.candidates = ids;
                None
            }
            Match::One(id) => {
                report.id = Some(id);
                let current = kinds::current(reader, creation.caller, resource.kind, id, &[&wanted])?;
                let target = (resource.kind, id);
                report.reason = refusal(reader, creation.caller, expected, target, !taken.insert(id))?;
                report.drifted =
                    current.as_ref().map(|current| drifted(&wanted, current)).unwrap_or_default();
                report.status = match (&report.reason, report.drifted.is_empty()) {
                    (Some(_), _) => ScanStatus::Conflict,
                    (None, true) => ScanStatus::Matched,
                    (None, false) => ScanStatus::Drifted,
                };
                current
            }
        };
        // A resource that refers to a missing resource counts as drifted.
        creation.ids.insert(resource.key.clone(), report.id.unwrap_or_default());
        found.push(Scanned { resource, wanted, current, report });
    }
    Ok(found)
}

/// Builds the response from all results. The scan hash covers everything that the scan compared.
pub fn response(expected: &Expected, found: &[Scanned<'_>]) -> ScanResponse {
    let manifest = &expected.plan.package.manifest;
    let looked_at: Vec<_> = found
        .iter()
        .map(|found| {
            let values = found
                .current
                .as_ref()
                .map(|current| kinds::select_fields(&Value::Object(current.clone()), found.wanted.keys()));
            json!([
                found.report.key,
                found.report.status,
                found.report.id,
                found.report.candidates,
                found.wanted,
                values
            ])
        })
        .collect();
    let all = json!([expected.manifest, manifest.version, expected.plan.package.checksum, looked_at]);
    let hash = digest(&SHA256, all.to_string().as_bytes());
    ScanResponse {
        scan_hash: HEXLOWER.encode(hash.as_ref()),
        package: manifest.id.clone(),
        package_version: manifest.version.clone(),
        ok: found.iter().all(|found| found.report.status != ScanStatus::Conflict),
        items: found.iter().map(|found| found.report.clone()).collect(),
    }
}

/// The existing resources that may correspond to a resource of the manifest.
enum Match {
    None,
    One(Uuid),
    Several(Vec<Uuid>),
}

fn find_match(
    reader: &Reader,
    caller: &Caller,
    expected: &Expected,
    row: Option<&Row<Installation>>,
    resource: &ResourceManifest,
    wanted: &Fields,
) -> Api<Match> {
    if let Some(id) = expected.resource(&resource.key).and_then(|entry| entry.id) {
        return Ok(Match::One(id));
    }
    let known = row.and_then(|row| row.resource(&resource.key)).filter(|known| known.kind == resource.kind);
    if let Some(known) = known
        && kinds::current(reader, caller, known.kind, known.id, &[])?.is_some()
    {
        return Ok(Match::One(known.id));
    }
    let name = wanted.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut ids = kinds::of_name(reader, caller, resource.kind, name)?;
    Ok(match ids.len() {
        0 => Match::None,
        1 => Match::One(ids.remove(0)),
        _ => Match::Several(ids),
    })
}

/// Returns why a resource cannot be adopted, or `None` if it can.
fn refusal(
    reader: &Reader,
    caller: &Caller,
    expected: &Expected,
    (kind, id): (ResourceKind, Uuid),
    is_taken: bool,
) -> Api<Option<String>> {
    let why = |why: &str| Ok(Some(why.to_owned()));
    match kinds::level(reader, caller, kind, id)? {
        None | Some(GrantLevel::Viewer) => return why("you may not change a resource with this id"),
        Some(GrantLevel::Editor) => return why("only its owner may adopt it"),
        Some(GrantLevel::Owner) => {}
    }
    if is_taken {
        return why("another entry of the manifest names the same resource");
    }
    let is_own = kinds::outline(reader, caller.tenant, kind, id)?.is_some_and(|it| it.owner == caller.user);
    for other in holders(reader, caller.tenant, id)? {
        if other.owner == caller.user {
            if other.package != expected.manifest.package {
                return Ok(Some(format!("it belongs to your installation of {}", other.package)));
            }
        } else if !is_own && is_valid_holder(reader, caller.tenant, &other, kind, id)? {
            // The identity of the other user is not disclosed.
            return why("it belongs to an installation of another user");
        }
    }
    Ok(None)
}

/// Returns the installations that a resource belongs to.
pub fn holders(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Vec<Row<Installation>>> {
    let of_it = Scan::index("by_resource").prefix(IndexKey::new().id(&id).done());
    Ok(reader.scan::<Installation>(tenant, of_it)?.items)
}

/// Whether an installation still has a valid claim to a resource: the user who installed it still exists and still owns the resource.
fn is_valid_holder(
    reader: &Reader,
    tenant: TenantId,
    row: &Installation,
    kind: ResourceKind,
    id: Uuid,
) -> storage::Result<bool> {
    let Some(subject) = Subject::read(reader, tenant, row.owner)? else { return Ok(false) };
    Ok(kinds::level(reader, &subject, kind, id)? == Some(GrantLevel::Owner))
}

fn drifted(wanted: &Fields, current: &Fields) -> Vec<DriftedField> {
    let differs = |(field, expected): (&String, &Value)| {
        let actual = current.get(field).cloned().unwrap_or_default();
        (actual != *expected).then(|| DriftedField {
            field: field.clone(),
            expected: expected.clone(),
            actual,
        })
    };
    wanted.iter().filter_map(differs).collect()
}
