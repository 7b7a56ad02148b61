//! Looking for what a manifest expects.

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
use crate::api::catalog::making::Making;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller};

/// One thing that was looked for.
pub struct Found<'a> {
    /// What was expected.
    pub resource: &'a ResourceManifest,
    /// Its fields as they should be.
    pub wanted: Fields,
    /// All its fields as they are.
    pub current: Option<Fields>,
    /// What is told of it.
    pub told: ScannedResource,
}

/// Looks, and tells.
pub fn scan(reader: &Reader, caller: &Caller, expected: &Expected) -> Api<ScanResponse> {
    let row = earlier(reader, caller, &expected.manifest.package)?;
    let mut making = begin(reader, expected, row.as_ref())?;
    let found = look(reader, &mut making, expected, row.as_ref())?;
    Ok(response(expected, &found))
}

/// Begins to make what is expected; the parameters are those that are given, else those of the installation.
pub fn begin<'a>(
    reader: &Reader,
    expected: &'a Expected,
    row: Option<&Row<Installation>>,
) -> Api<Making<'a>> {
    let before = row.map(|row| row.parameters.clone()).unwrap_or_default();
    expected.plan.begin(reader, &before)
}

/// Looks for everything, in the manifest's order.
pub fn look<'a>(
    reader: &Reader,
    making: &mut Making<'_>,
    expected: &'a Expected,
    row: Option<&Row<Installation>>,
) -> Api<Vec<Found<'a>>> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for resource in &expected.plan.package.manifest.resources {
        let wanted = making.wanted(resource)?;
        let mut told = ScannedResource {
            key: resource.key.clone(),
            kind: resource.kind,
            status: ScanStatus::Missing,
            id: None,
            drifted: Vec::new(),
            candidates: Vec::new(),
            reason: None,
        };
        let current = match meant(reader, making.caller, expected, row, resource, &wanted)? {
            Meant::None => None,
            Meant::Several(ids) => {
                told.status = ScanStatus::Conflict;
                told.reason = Some("several have this name; say which is meant by its id".to_owned());
                told.candidates = ids;
                None
            }
            Meant::One(id) => {
                told.id = Some(id);
                let current = kinds::current(reader, making.caller, resource.kind, id, &[&wanted])?;
                let thing = (resource.kind, id);
                told.reason = refusal(reader, making.caller, expected, thing, !taken.insert(id))?;
                told.drifted = current.as_ref().map(|current| drifted(&wanted, current)).unwrap_or_default();
                told.status = match (&told.reason, told.drifted.is_empty()) {
                    (Some(_), _) => ScanStatus::Conflict,
                    (None, true) => ScanStatus::Matched,
                    (None, false) => ScanStatus::Drifted,
                };
                current
            }
        };
        // What refers to something that is missing has drifted.
        making.ids.insert(resource.key.clone(), told.id.unwrap_or_default());
        found.push(Found { resource, wanted, current, told });
    }
    Ok(found)
}

/// What is told of all that was found.
pub fn response(expected: &Expected, found: &[Found<'_>]) -> ScanResponse {
    let manifest = &expected.plan.package.manifest;
    let looked_at: Vec<_> = found
        .iter()
        .map(|found| {
            let values = found
                .current
                .as_ref()
                .map(|current| kinds::picked(&Value::Object(current.clone()), found.wanted.keys()));
            json!([
                found.told.key,
                found.told.status,
                found.told.id,
                found.told.candidates,
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
        ok: found.iter().all(|found| found.told.status != ScanStatus::Conflict),
        items: found.iter().map(|found| found.told.clone()).collect(),
    }
}

/// Which one is meant.
enum Meant {
    None,
    One(Uuid),
    Several(Vec<Uuid>),
}

fn meant(
    reader: &Reader,
    caller: &Caller,
    expected: &Expected,
    row: Option<&Row<Installation>>,
    resource: &ResourceManifest,
    wanted: &Fields,
) -> Api<Meant> {
    if let Some(id) = expected.said(&resource.key).and_then(|said| said.id) {
        return Ok(Meant::One(id));
    }
    let known = row.and_then(|row| row.resource(&resource.key)).filter(|known| known.kind == resource.kind);
    if let Some(known) = known
        && kinds::current(reader, caller, known.kind, known.id, &[])?.is_some()
    {
        return Ok(Meant::One(known.id));
    }
    let name = wanted.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut ids = kinds::of_name(reader, caller, resource.kind, name)?;
    Ok(match ids.len() {
        0 => Meant::None,
        1 => Meant::One(ids.remove(0)),
        _ => Meant::Several(ids),
    })
}

/// Why it cannot be taken.
fn refusal(
    reader: &Reader,
    caller: &Caller,
    expected: &Expected,
    (kind, id): (ResourceKind, Uuid),
    is_taken: bool,
) -> Api<Option<String>> {
    let why = |why: &str| Ok(Some(why.to_owned()));
    match kinds::level(reader, caller, kind, id)? {
        None | Some(GrantLevel::Viewer) => return why("there is none of this id that you may change"),
        Some(GrantLevel::Editor) => return why("only its owner may bring it under a manifest"),
        Some(GrantLevel::Owner) => {}
    }
    if is_taken {
        return why("another thing of the manifest is the same one");
    }
    let is_own = kinds::outline(reader, caller.tenant, kind, id)?.is_some_and(|it| it.owner == caller.user);
    for other in holders(reader, caller.tenant, id)? {
        if other.owner == caller.user {
            if other.package != expected.manifest.package {
                return Ok(Some(format!("it belongs to what you have installed of {}", other.package)));
            }
        } else if !is_own && counts(reader, caller.tenant, &other, kind, id)? {
            // Whose it is, is not told: only that it is somebody's.
            return why("it belongs to what somebody else has installed");
        }
    }
    Ok(None)
}

/// The installations that a thing belongs to.
pub fn holders(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Vec<Row<Installation>>> {
    let of_it = Scan::index("by_resource").prefix(IndexKey::new().id(&id).done());
    Ok(reader.scan::<Installation>(tenant, of_it)?.items)
}

/// Whether a thing belongs to an installation by right: whoever installed it is still here, and still has the thing.
fn counts(
    reader: &Reader,
    tenant: TenantId,
    row: &Installation,
    kind: ResourceKind,
    id: Uuid,
) -> storage::Result<bool> {
    let Some(standing) = Subject::read(reader, tenant, row.owner)? else { return Ok(false) };
    Ok(kinds::level(reader, &standing, kind, id)? == Some(GrantLevel::Owner))
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
