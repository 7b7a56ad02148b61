//! Adopts the resources that a scan found.

use std::sync::Arc;

use serde_json::json;
use storage::records::{Installation, InstallationOrigin, InstalledResource};
use storage::{Row, Tx};
use uuid::Uuid;

use super::expected::Expected;
use super::scan::{Scanned, begin, holders, response, scan_resources};
use super::schema::{Absent, AdoptionManifestBody, Drift, ScanStatus};
use crate::App;
use crate::api::catalog::commit::commit;
use crate::api::catalog::faults::placed;
use crate::api::catalog::install::earlier;
use crate::api::catalog::installed::InstallationResponse;
use crate::api::catalog::kinds::{self, Fields};
use crate::api::catalog::resource_creation::{Done, ResourceCreation, required_installations};
use crate::http::{Api, Caller, Code, Refusal};
use domain::audit::{Actor, audit};

/// Applies a scan: adopts its resources in one transaction.
pub async fn apply(app: &App, caller: &Arc<Caller>, body: AdoptionManifestBody) -> Api<InstallationResponse> {
    let AdoptionManifestBody { manifest, scan_hash } = body;
    let missing = || Refusal::invalid("body", ["scan_hash"], "is required: scan first", "missing");
    let scan_hash = scan_hash.ok_or_else(missing)?;
    let expected = Arc::new(Expected::from_manifest(app, caller, manifest).await?);
    let applied = expected.clone();
    let work = move |tx: &mut Tx| applied.apply(tx, &scan_hash);
    let row = commit(app, caller, &expected.plan.prepared, work).await?;
    InstallationResponse::read(app, caller, row).await
}

impl Expected {
    fn apply(&self, tx: &mut Tx, scan_hash: &str) -> Api<(Row<Installation>, Done)> {
        let caller = &self.plan.caller;
        let row = earlier(tx, caller, &self.manifest.package)?;
        if let Some(row) = row.as_ref().filter(|row| row.scan_hash.as_deref() == Some(scan_hash)) {
            return Ok((row.clone(), Done::default()));
        }
        let mut creation = begin(tx, self, row.as_ref())?;
        let found = scan_resources(tx, &mut creation, self, row.as_ref())?;
        let now = response(self, &found);
        let shown = serde_json::to_value(&now).unwrap_or_default();
        if now.scan_hash != scan_hash {
            let why = "the manifest is not the one that was scanned (`drift` and `absent` belong to it), or what it \
                       names has changed; `scan` is the current scan";
            return Err(Refusal::new(Code::ScanOutdated).detail(why).extra("scan", shown));
        }
        if !now.ok {
            let why = "the scan has conflicts; name the intended resources by their ids";
            return Err(Refusal::new(Code::Conflict).detail(why).extra("scan", shown));
        }
        let mut resources = Vec::new();
        for found in &found {
            resources.extend(self.adopt(tx, &mut creation, found)?);
        }
        if resources.is_empty() {
            return Err(Refusal::new(Code::Conflict).detail("none of the resources of the manifest exists"));
        }
        let row = self.write(tx, row, resources, &creation, scan_hash)?;
        Ok((row, creation.done))
    }

    /// Adopts one resource. Returns `None` if it is missing and is not to be created.
    fn adopt(
        &self,
        tx: &mut Tx,
        creation: &mut ResourceCreation<'_>,
        found: &Scanned<'_>,
    ) -> Api<Option<InstalledResource>> {
        let (key, kind) = (&found.resource.key, found.resource.kind);
        if found.report.status == ScanStatus::Missing {
            return match self.absent(key) {
                Absent::Leave => Ok(None),
                Absent::Create => self.plan.make(tx, creation, found.resource).map(Some),
            };
        }
        let (Some(id), Some(current)) = (found.report.id, &found.current) else { return Ok(None) };
        // A resource that this one refers to may have been created since the scan.
        let base = creation.wanted(found.resource)?;
        let differs = |(field, value): &(&String, &serde_json::Value)| {
            current.get(*field) != Some(*value) && !kinds::is_settled(kind, field)
        };
        let changed: Fields =
            base.iter().filter(differs).map(|(field, value)| (field.clone(), value.clone())).collect();
        if self.drift(key) == Drift::Take && !changed.is_empty() {
            let written = kinds::change(tx, creation, found.resource, id, current, &changed);
            written.map_err(|why| placed(key, why))?;
        }
        Ok(Some(InstalledResource { key: key.clone(), kind, id, base }))
    }

    fn write(
        &self,
        tx: &mut Tx,
        row: Option<Row<Installation>>,
        resources: Vec<InstalledResource>,
        creation: &ResourceCreation<'_>,
        scan_hash: &str,
    ) -> Api<Row<Installation>> {
        let (caller, package) = (&self.plan.caller, &self.plan.package);
        let taken_from = take_over(tx, caller, &resources)?;
        let body = Installation {
            package: package.manifest.id.clone(),
            package_version: package.manifest.version.clone(),
            checksum: package.checksum.clone(),
            kind: package.manifest.kind,
            name: package.manifest.name.clone(),
            owner: caller.user,
            origin: row.as_ref().map_or(InstallationOrigin::Adopted, |row| row.origin),
            parameters: creation.parameters.clone(),
            requires: required_installations(&creation.required),
            resources,
            scan_hash: Some(scan_hash.to_owned()),
        };
        let row = match row {
            Some(row) => tx.update(caller.tenant, Row { body, ..row })?,
            None => tx.insert(caller.tenant, storage::new_id(), body)?,
        };
        let actor = Actor::from(&**caller);
        let ids: Vec<_> = row.resources.iter().map(|resource| resource.id).collect();
        let detail = json!({"version": row.package_version, "installation": row.id, "resources": ids,
            "taken_from": taken_from});
        audit(tx, caller.tenant, actor, "catalog.adopt", format!("package {}", row.package), detail)?;
        Ok(row)
    }
}

/// Removes resources from the installations of other users, whose claim is no longer valid (otherwise the scan reports a conflict). Returns
/// the ids of these installations.
fn take_over(tx: &mut Tx, caller: &Caller, resources: &[InstalledResource]) -> Api<Vec<Uuid>> {
    let mut taken_from = Vec::new();
    for resource in resources {
        for mut other in holders(tx, caller.tenant, resource.id)? {
            if other.owner == caller.user {
                continue;
            }
            taken_from.push(other.id);
            other.resources.retain(|theirs| theirs.id != resource.id);
            match other.resources.is_empty() {
                true => drop(tx.delete::<Installation>(caller.tenant, &other.id)?),
                false => drop(tx.update(caller.tenant, other)?),
            }
        }
    }
    taken_from.sort_unstable();
    taken_from.dedup();
    Ok(taken_from)
}
