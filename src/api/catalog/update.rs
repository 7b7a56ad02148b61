//! Updates installations to another version by a three-way merge, which keeps changes that were made here apart from changes of the other
//! version.

use std::sync::Arc;

use serde_json::json;
use storage::records::{Installation, InstalledResource};
use storage::{Row, Tx};

use super::commit::commit;
use super::faults::placed;
use super::install::earlier;
use super::kinds::{self, Fields};
use super::merge::{MergedField, OnConflict, merge};
use super::plan::{Plan, find};
use super::resource_creation::{Done, InstallOptions, ResourceCreation, required_installations};
use super::schema::UpdatePackageBody;
use super::view::{ResourceOutcome, UpdateResponse, UpdatedResource};
use crate::App;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller, Code, Refusal};
use domain::audit::{Actor, audit};

/// Updates the caller's installation of a package.
pub async fn update(
    app: &App,
    caller: &Arc<Caller>,
    id: &str,
    how: UpdatePackageBody,
) -> Api<UpdateResponse> {
    let (reader, package) = (caller.clone(), id.to_owned());
    let row = app.store.read(move |store| earlier(store, &reader, &package)).await?;
    let row = row.ok_or_else(not_installed)?;
    let package_set = app.catalog.package_set().await;
    let package = find(&package_set, id, how.version.as_deref())?;
    // Resources that are new in this version get the visibility of the installation.
    let reader = caller.clone();
    let visibility = app.store.read(move |store| kinds::visibility_of(store, &reader, &row)).await?;
    let options = InstallOptions { visibility, ..InstallOptions::default() };
    let plan =
        Plan::new(app, caller.clone(), package_set, package, how.parameters.unwrap_or_default(), options);
    plan.admit()?;
    let plan = Arc::new(plan.prepare(app).await?);
    let (on_conflict, dry_run) = (how.on_conflict.unwrap_or_default(), how.dry_run.unwrap_or_default());
    if dry_run {
        let ((report, _), ..) = app.store.prepare(|tx| plan.update(tx, on_conflict, true))?;
        return Ok(report);
    }
    let (plan, creation) = (plan.clone(), plan);
    commit(app, caller, &plan.prepared, move |tx| creation.update(tx, on_conflict, false)).await
}

fn not_installed() -> Refusal {
    Refusal::not_found("installation").detail("you have not installed this package")
}

impl Plan {
    /// Updates the installation to this version.
    fn update(&self, tx: &mut Tx, on_conflict: OnConflict, dry_run: bool) -> Api<(UpdateResponse, Done)> {
        let manifest = &self.package.manifest;
        let row = earlier(tx, &self.caller, &manifest.id)?.ok_or_else(not_installed)?;
        let installed = semver::Version::parse(&row.package_version).ok();
        if installed.is_some_and(|installed| installed > self.package.version) {
            let why =
                format!("{} is installed, which is newer than {}", row.package_version, manifest.version);
            return Err(Refusal::new(Code::Conflict).detail(why));
        }
        let mut creation = self.begin(tx, &row.parameters)?;
        creation.ids.extend(row.resources.iter().map(|known| (known.key.clone(), known.id)));
        let (mut resources, mut report) = (Vec::new(), Vec::new());
        for resource in &manifest.resources {
            let known = row.resource(&resource.key).filter(|known| known.kind == resource.kind);
            let (now, outcome) = match known {
                Some(known) => self.bring(tx, &mut creation, resource, known, on_conflict)?,
                None => {
                    let added = self.make(tx, &mut creation, resource)?;
                    let outcome = UpdatedResource::new(&added, ResourceOutcome::Added, Vec::new());
                    (added, outcome)
                }
            };
            resources.push(now);
            report.push(outcome);
        }
        let is_left = |known: &&InstalledResource| {
            !resources.iter().any(|now| now.key == known.key && now.kind == known.kind)
        };
        let released = row.resources.iter().filter(is_left);
        report
            .extend(released.map(|known| UpdatedResource::new(known, ResourceOutcome::Released, Vec::new())));
        let response = UpdateResponse::new(&row, &self.package, dry_run, report);
        if on_conflict == OnConflict::Fail && response.conflicts > 0 {
            return Err(conflicting(&response));
        }
        let done = std::mem::take(&mut creation.done);
        let body = Installation {
            package_version: manifest.version.clone(),
            checksum: self.package.checksum.clone(),
            kind: manifest.kind,
            name: manifest.name.clone(),
            requires: required_installations(&creation.required),
            parameters: creation.parameters,
            resources,
            ..row.body.clone()
        };
        self.write(tx, row, body, &response)?;
        Ok((response, done))
    }

    /// Updates one resource to this version.
    fn bring(
        &self,
        tx: &mut Tx,
        creation: &mut ResourceCreation<'_>,
        resource: &ResourceManifest,
        known: &InstalledResource,
        on_conflict: OnConflict,
    ) -> Api<(InstalledResource, UpdatedResource)> {
        let (kind, id) = (known.kind, known.id);
        let wanted = creation.wanted(resource)?;
        let now = InstalledResource { base: wanted.clone(), ..known.clone() };
        let Some(current) = kinds::current(tx, &self.caller, kind, id, &[&known.base, &wanted])? else {
            // Deleting the resource was a decision of the user. Installing the package again restores it.
            let outcome = UpdatedResource::new(&now, ResourceOutcome::Missing, Vec::new());
            return Ok((now, outcome));
        };
        let (base, theirs) =
            (complete(resource, &known.base, &wanted), complete(resource, &wanted, &known.base));
        let ours = kinds::select_fields(&serde_json::Value::Object(current.clone()), theirs.keys());
        let (changed, fields) = merge(&base, &ours, &theirs, on_conflict);
        if !changed.is_empty() {
            let written = kinds::change(tx, creation, resource, id, &current, &changed);
            written.map_err(|why| placed(&resource.key, why))?;
        }
        kinds::label(tx, creation, kind, id)?;
        let outcome = if changed.is_empty() { ResourceOutcome::Unchanged } else { ResourceOutcome::Updated };
        Ok((now, UpdatedResource::new(known, outcome, fields)))
    }

    /// Stores the installation, if it has changed.
    fn write(
        &self,
        tx: &mut Tx,
        row: Row<Installation>,
        body: Installation,
        report: &UpdateResponse,
    ) -> Api<()> {
        if row.body == body {
            return Ok(());
        }
        let row = tx.update(self.caller.tenant, Row { body, ..row })?;
        let actor = Actor::from(&*self.caller);
        let detail = json!({"from": report.from_version, "to": report.to_version, "checksum": row.checksum,
            "conflicts": report.conflicts, "installation": row.id});
        audit(tx, self.caller.tenant, actor, "catalog.update", format!("package {}", row.package), detail)?;
        Ok(())
    }
}

/// Returns the fields of both versions, with this version's values. A field that this version does not set has its default.
fn complete(resource: &ResourceManifest, own: &Fields, other: &Fields) -> Fields {
    let both = own.keys().chain(other.keys()).filter(|field| !kinds::is_settled(resource.kind, field));
    let value = |field: &String| match own.get(field) {
        Some(value) => value.clone(),
        None => kinds::default_of(resource.kind, field),
    };
    both.map(|field| (field.clone(), value(field))).collect()
}

fn conflicting(report: &UpdateResponse) -> Refusal {
    let conflicts = report.resources.iter().flat_map(|resource| {
        let fields = resource.fields.iter().filter(|field: &&MergedField| field.outcome.is_conflict());
        fields.map(|field| json!({"resource": resource.key, "field": field.field}))
    });
    let conflicts: Vec<_> = conflicts.collect();
    let changed = match conflicts.len() {
        1 => "1 field is".to_owned(),
        several => format!("{several} fields are"),
    };
    Refusal::new(Code::UpdateConflict)
        .detail(format!("{changed} changed on both sides; nothing was done"))
        .extra("conflicts", conflicts)
}
