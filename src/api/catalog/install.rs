//! Installation of packages, and validation without installing.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;
use storage::records::{Installation, InstallationOrigin, InstalledResource, ResourceKind};
use storage::{Row, Tx};

use super::commit::commit;
use super::faults::placed;
use super::installed::InstallationResponse;
use super::kinds::{self, Fields};
use super::plan::Plan;
use super::requirements::{self, Problem};
use super::resource_creation::{Done, ResourceCreation, required_installations};
use super::schema::InstallPackageBody;
use super::view::{ToBeMade, ValidateInstallResponse};
use crate::App;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller, Code, Refusal};
use domain::audit::{Actor, audit};

/// Installs a package: all of its resources, or none.
pub async fn install(
    app: &App,
    caller: &Arc<Caller>,
    id: &str,
    body: InstallPackageBody,
) -> Api<InstallationResponse> {
    let plan = Plan::from_request(app, caller, id, body).await?;
    plan.admit()?;
    let plan = Arc::new(plan.prepare(app).await?);
    let (plan, creation) = (plan.clone(), plan);
    let row = commit(app, caller, &plan.prepared, move |tx| creation.install(tx)).await?;
    InstallationResponse::read(app, caller, row).await
}

/// Reports everything that prevents the installation of a package, and the resources that it would create.
pub async fn validate(
    app: &App,
    caller: &Arc<Caller>,
    id: &str,
    body: InstallPackageBody,
) -> Api<ValidateInstallResponse> {
    let plan = Plan::from_request(app, caller, id, body).await?;
    let mut problems: Vec<Problem> =
        requirements::demands(caller, &plan.package).iter().flat_map(Problem::from_refusal).collect();
    // A problem that several resources share is reported once.
    problems.sort_by(|a, b| (&a.code, &a.message).cmp(&(&b.code, &b.message)));
    problems.dedup();
    let (required, missing) = app.store.read_now(|reader| plan.requirements(reader))?;
    problems.extend(missing);
    let mut requested = app.store.read_now(|reader| requirements::services(reader, caller, &required))?;
    requested.extend(plan.package.services.iter().cloned());
    if let Err(why) = app.store.read_now(|reader| plan.settled(reader)) {
        problems.extend(Problem::from_refusal(&why));
    }
    let package = plan.package.clone();
    // With known problems, the trial run would only report them again.
    if problems.is_empty() {
        let trial = match plan.prepare(app).await {
            Ok(plan) => app.store.prepare(|tx| plan.install(tx)).map(drop),
            Err(why) => Err(why),
        };
        problems.extend(trial.err().iter().flat_map(Problem::from_refusal));
    }
    let manifest = &package.manifest;
    let resources = manifest.resources.iter().map(|resource| ToBeMade {
        key: resource.key.clone(),
        kind: resource.kind,
        name: resource.fields.get("name").and_then(|name| name.as_str()).map(str::to_owned),
    });
    Ok(ValidateInstallResponse {
        ok: problems.is_empty(),
        package: manifest.id.clone(),
        package_version: manifest.version.clone(),
        checksum: package.checksum.clone(),
        problems,
        resources: resources.collect(),
        services: requested.into_iter().collect(),
        requires: required_installations(&required),
    })
}

impl Plan {
    /// Returns the resolved parameters, including those of an earlier installation.
    fn settled(&self, reader: &storage::Reader) -> Api<Fields> {
        let row = earlier(reader, &self.caller, &self.package.manifest.id)?;
        self.parameters(&row.map(|row| row.body.parameters).unwrap_or_default())
    }

    /// Creates the missing resources of the package. Returns an error if none is missing.
    pub fn install(&self, tx: &mut Tx) -> Api<(Row<Installation>, Done)> {
        let manifest = &self.package.manifest;
        let row = earlier(tx, &self.caller, &manifest.id)?;
        let there = match &row {
            Some(row) => self.still_there(tx, row)?,
            None => HashSet::new(),
        };
        if let Some(row) = row.as_ref().filter(|_| !there.is_empty()) {
            let wanted = row.resources.len();
            if there.len() == wanted || row.package_version != manifest.version {
                return Err(already(row, wanted - there.len()));
            }
        }
        let before = row.as_ref().map(|row| row.parameters.clone()).unwrap_or_default();
        let mut creation = self.begin(tx, &before)?;
        let installed_resource = row
            .iter()
            .flat_map(|row| &row.resources)
            .filter(|installed_resource| there.contains(&installed_resource.key));
        let mut resources: Vec<InstalledResource> = installed_resource.cloned().collect();
        creation.ids.extend(
            resources
                .iter()
                .map(|installed_resource| (installed_resource.key.clone(), installed_resource.id)),
        );
        for resource in &manifest.resources {
            if !there.contains(&resource.key) {
                resources.push(self.make(tx, &mut creation, resource)?);
            }
        }
        self.approve(tx, &resources)?;
        let body = Installation {
            package: manifest.id.clone(),
            package_version: manifest.version.clone(),
            checksum: self.package.checksum.clone(),
            kind: manifest.kind,
            name: manifest.name.clone(),
            owner: self.caller.user,
            origin: InstallationOrigin::Installed,
            parameters: creation.parameters.clone(),
            requires: required_installations(&creation.required),
            resources,
            scan_hash: None,
        };
        let row = match row {
            Some(row) => tx.update(self.caller.tenant, Row { body, ..row })?,
            None => tx.insert(self.caller.tenant, storage::new_id(), body)?,
        };
        let actor = Actor::from(&*self.caller);
        let detail =
            json!({"version": row.package_version, "checksum": row.checksum, "installation": row.id});
        audit(tx, self.caller.tenant, actor, "catalog.install", format!("package {}", row.package), detail)?;
        Ok((row, creation.done))
    }

    /// Creates one resource.
    pub fn make(
        &self,
        tx: &mut Tx,
        creation: &mut ResourceCreation<'_>,
        resource: &ResourceManifest,
    ) -> Api<InstalledResource> {
        let key = &resource.key;
        let base = creation.wanted(resource)?;
        let mut fields = creation.resolved(resource)?;
        let is_main = self.package.manifest.main().is_some_and(|main| main.key == *key);
        if let Some(name) = self.options.name.as_ref().filter(|_| is_main) {
            fields.insert("name".to_owned(), json!(name));
        }
        let id = kinds::create(tx, creation, resource, fields).map_err(|why| placed(key, why))?;
        kinds::label(tx, creation, resource.kind, id)?;
        creation.ids.insert(key.clone(), id);
        Ok(InstalledResource { key: key.clone(), kind: resource.kind, id, base })
    }

    /// Approves the requested services. Returns an error if no assistant of the package requests one of them.
    fn approve(&self, tx: &mut Tx, resources: &[InstalledResource]) -> Api<()> {
        let mut granted = HashSet::new();
        for resource in resources.iter().filter(|resource| resource.kind == ResourceKind::Assistant) {
            granted.extend(kinds::approve(tx, &self.caller, resource.id, &self.options.approve)?);
        }
        let mut services = self.options.approve.iter().enumerate();
        match services.find(|(_, service)| !granted.contains(*service)) {
            None => Ok(()),
            Some((at, service)) => {
                let why = format!("no assistant of the package asks for {service:?}");
                Err(Refusal::invalid("body", ["approve_services", &at.to_string()], why, "not_asked"))
            }
        }
    }

    /// Returns the keys of an installation's resources that still exist.
    fn still_there(&self, tx: &Tx, row: &Installation) -> Api<HashSet<String>> {
        let mut there = HashSet::new();
        for resource in &row.resources {
            let (kind, id) = (resource.kind, resource.id);
            if kinds::current(tx, &self.caller, kind, id, &[&resource.base])?.is_some() {
                there.insert(resource.key.clone());
            }
        }
        Ok(there)
    }
}

/// Returns the caller's installation of a package.
pub fn earlier(
    reader: &storage::Reader,
    caller: &Caller,
    package: &str,
) -> storage::Result<Option<Row<Installation>>> {
    let key = Installation::package_key(&caller.user, package);
    reader.by_unique::<Installation>(caller.tenant, "by_owner_package", &key)
}

fn already(row: &Row<Installation>, missing: usize) -> Refusal {
    let version = &row.package_version;
    let detail = match missing {
        0 => format!("version {version} of it is installed"),
        _ => format!(
            "version {version} of it is installed, without some of it; install that version again, or update"
        ),
    };
    Refusal::new(Code::AlreadyInstalled).detail(detail).extra("installation_id", row.id.to_string())
}
