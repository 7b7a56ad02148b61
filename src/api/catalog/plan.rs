//! A package to be installed, with all that has to be known before the transaction.

use std::collections::HashMap;
use std::sync::Arc;

use assist::RunContext;
use storage::records::Visibility;
use storage::{Reader, Timestamp};

use super::kinds::Fields;
use super::making::{Done, InstallOptions, Making};
use super::prepared::Prepared;
use super::requirements;
use super::schema::InstallPackageBody;
use crate::App;
use crate::catalog::{Package, Shelf};
use crate::http::{Api, Caller, Faults, Refusal};

/// A package to be installed.
pub struct Plan {
    /// Who.
    pub caller: Arc<Caller>,
    pub package: Arc<Package>,
    pub prepared: Prepared,
    /// What the request chose.
    pub options: InstallOptions,
    /// Parameters that were given.
    pub parameters: Fields,
    /// All packages that there are.
    shelf: Arc<Shelf>,
    run_context: Arc<RunContext>,
    now: Timestamp,
}

/// This version of a package, or its newest one.
pub fn find(shelf: &Shelf, id: &str, version: Option<&str>) -> Api<Arc<Package>> {
    let found = shelf.find(id, version).cloned();
    found.ok_or_else(|| match shelf.newest(id) {
        Some(newest) => Refusal::not_found("version").detail(format!(
            "there is no version {} of {id}; the newest is {}",
            version.unwrap_or_default(),
            newest.version
        )),
        None => Refusal::not_found("package"),
    })
}

impl Plan {
    /// A plan, not yet prepared.
    pub fn new(
        app: &App,
        caller: Arc<Caller>,
        shelf: Arc<Shelf>,
        package: Arc<Package>,
        parameters: Fields,
        options: InstallOptions,
    ) -> Self {
        let (prepared, run_context, now) =
            (Prepared::default(), app.run_context.clone(), app.automations.now());
        Self { caller, package, prepared, options, parameters, shelf, run_context, now }
    }

    /// The plan of a request to install.
    pub async fn from_request(
        app: &App,
        caller: &Arc<Caller>,
        id: &str,
        body: InstallPackageBody,
    ) -> Api<Self> {
        let shelf = app.catalog.shelf().await;
        let package = find(&shelf, id, body.version.as_deref())?;
        let options = InstallOptions {
            name: body.name.map(|name| name.trim().to_owned()),
            visibility: body.visibility.unwrap_or(Visibility::Private),
            model: body.model,
            approve: body.approve_services,
        };
        Ok(Self::new(app, caller.clone(), shelf, package, body.parameters, options))
    }

    /// Does what has to be done before the transaction; nothing is kept yet.
    pub async fn prepare(mut self, app: &App) -> Api<Self> {
        self.prepared = Prepared::prepare(app, &self.caller, &self.package).await?;
        Ok(self)
    }

    /// Refuses where the caller may not make what the package makes.
    pub fn admit(&self) -> Api<()> {
        match requirements::demands(&self.caller, &self.package).into_iter().next() {
            Some(refusal) => Err(refusal),
            None => Ok(()),
        }
    }

    /// Begins to make what it makes: all that it needs is there, and every parameter has its value. `before` are
    /// parameters that were given earlier.
    pub fn begin(&self, reader: &Reader, before: &Fields) -> Api<Making<'_>> {
        let (required, problems) = self.requirements(reader)?;
        requirements::refuse(&problems)?;
        let parameters = self.parameters(before)?;
        Ok(Making {
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

    /// Packages that it requires, and what is not there.
    pub fn requirements(&self, reader: &Reader) -> Api<requirements::Required> {
        let model = self.options.model.as_deref();
        requirements::check(reader, &self.caller, &self.run_context.models, &self.shelf, &self.package, model)
    }

    /// The value of every parameter; 422 with all faults.
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
