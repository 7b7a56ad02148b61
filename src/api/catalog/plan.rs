//! The plan of an installation: the package, and everything that must be known before the transaction.

use std::collections::HashMap;
use std::sync::Arc;

use assist::RunContext;
use storage::records::Visibility;
use storage::{Reader, Timestamp};

use super::kinds::Fields;
use super::prepared::PreparedResources;
use super::requirements;
use super::resource_creation::{Done, InstallOptions, ResourceCreation};
use super::schema::InstallPackageBody;
use crate::App;
use crate::catalog::{Package, PackageSet};
use crate::http::{Api, Caller, Faults, Refusal};

/// The plan of an installation.
pub struct Plan {
    /// The user who installs the package.
    pub caller: Arc<Caller>,
    pub package: Arc<Package>,
    pub prepared: PreparedResources,
    /// The choices of the request.
    pub options: InstallOptions,
    /// Parameters of the request.
    pub parameters: Fields,
    /// All packages of the catalog.
    package_set: Arc<PackageSet>,
    run_context: Arc<RunContext>,
    now: Timestamp,
}

/// Finds a version of a package; the newest if no version is given.
pub fn find(package_set: &PackageSet, id: &str, version: Option<&str>) -> Api<Arc<Package>> {
    let found = package_set.find(id, version).cloned();
    found.ok_or_else(|| match package_set.newest(id) {
        Some(newest) => Refusal::not_found("version").detail(format!(
            "there is no version {} of {id}; the newest is {}",
            version.unwrap_or_default(),
            newest.version
        )),
        None => Refusal::not_found("package"),
    })
}

impl Plan {
    /// Creates a plan that is not prepared yet.
    pub fn new(
        app: &App,
        caller: Arc<Caller>,
        package_set: Arc<PackageSet>,
        package: Arc<Package>,
        parameters: Fields,
        options: InstallOptions,
    ) -> Self {
        let (prepared, run_context, now) =
            (PreparedResources::default(), app.run_context.clone(), app.automations.now());
        Self { caller, package, prepared, options, parameters, package_set, run_context, now }
    }

    /// Creates the plan for a request to install a package.
    pub async fn from_request(
        app: &App,
        caller: &Arc<Caller>,
        id: &str,
        body: InstallPackageBody,
    ) -> Api<Self> {
        let package_set = app.catalog.package_set().await;
        let package = find(&package_set, id, body.version.as_deref())?;
        let options = InstallOptions {
            name: body.name.map(|name| name.trim().to_owned()),
            visibility: body.visibility.unwrap_or(Visibility::Private),
            model: body.model,
            approve: body.approve_services,
        };
        Ok(Self::new(app, caller.clone(), package_set, package, body.parameters, options))
    }

    /// Does the work that must precede the transaction. Nothing is stored yet.
    pub async fn prepare(mut self, app: &App) -> Api<Self> {
        self.prepared = PreparedResources::prepare(app, &self.caller, &self.package).await?;
        Ok(self)
    }

    /// Returns an error if the caller may not create the resources of the package.
    pub fn admit(&self) -> Api<()> {
        match requirements::demands(&self.caller, &self.package).into_iter().next() {
            Some(refusal) => Err(refusal),
            None => Ok(()),
        }
    }

    /// Starts the creation of the resources. Returns an error if a requirement is missing or a parameter has no value. `before` are
    /// parameters of an earlier installation.
    pub fn begin(&self, reader: &Reader, before: &Fields) -> Api<ResourceCreation<'_>> {
        let (required, problems) = self.requirements(reader)?;
        requirements::refuse(&problems)?;
        let parameters = self.parameters(before)?;
        Ok(ResourceCreation {
            caller: &self.caller,
            run_context: &self.run_context,
            now: self.now,
            package: &self.package,
            prepared: &self.prepared,
            options: &self.options,
            parameters,
            ids: HashMap::new(),
            required,
            done: Done::default(),
        })
    }

    /// Returns the required packages, and the problems with missing requirements.
    pub fn requirements(&self, reader: &Reader) -> Api<requirements::Required> {
        let model = self.options.model.as_deref();
        requirements::check(
            reader,
            &self.caller,
            &self.run_context.models,
            &self.package_set,
            &self.package,
            model,
        )
    }

    /// Resolves the value of every parameter. Responds with 422 and all faults if any is invalid.
    pub fn parameters(&self, before: &Fields) -> Api<Fields> {
        let known = |name: &String| self.package.manifest.parameters.iter().any(|known| known.name == *name);
        let mut parameters: Fields =
            before.iter().filter(|(name, _)| known(name)).map(|(k, v)| (k.clone(), v.clone())).collect();
        parameters.extend(self.parameters.clone());
        self.package.manifest.settle(&parameters).map_err(|wrong| {
            let mut faults = Faults::new("body");
            for (name, why, kind) in wrong {
                faults.add(["parameters", name.as_str()], why, kind);
            }
            Refusal::faulty(faults.into_vec())
        })
    }
}
