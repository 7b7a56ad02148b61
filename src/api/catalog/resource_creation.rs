//! Creates the resources of a package, in one transaction.

use std::collections::{HashMap, HashSet};

use assist::RunContext;
use assist::library::doc_keys;
use serde_json::{Value, json};
use storage::records::{CatalogMetadata, Installation, RequiredInstallation, Run, Visibility};
use storage::{BlobId, Row, Timestamp};
use uuid::Uuid;

use super::faults::{of_resource, placed};
use super::kinds::{self, Fields};
use super::prepared::PreparedResources;
use crate::App;
use crate::catalog::{Package, Reference, ResourceManifest, expand};
use crate::http::{Api, Caller};

/// The choices of a request that installs a package.
#[derive(Clone, Debug, Default)]
pub struct InstallOptions {
    /// Name for the main resource, instead of that of the package.
    pub name: Option<String>,
    /// Who may see the created resources.
    pub visibility: Visibility,
    /// The model of the created assistants.
    pub model: Option<String>,
    /// External services to approve for the created assistants.
    pub approve: Vec<String>,
}

/// Follow-up actions after the commit of the transaction.
#[derive(Default)]
pub struct Done {
    /// Runs that index documents.
    pub runs: Vec<Row<Run>>,
    /// Index entries of deleted documents, by knowledge base.
    pub removed: Vec<(Uuid, Vec<(Uuid, u32)>)>,
    /// Whether automations were created or changed.
    pub automations: bool,
    /// Files that rows now refer to and that must therefore be stored.
    pub files: HashSet<BlobId>,
}

impl Done {
    /// Performs the follow-up actions, except for the runs, which are launched with the commit.
    pub async fn follow(self, app: &App, caller: &Caller) {
        for (base, removed) in self.removed {
            app.run_context.library.forget(caller.tenant, base, doc_keys(removed)).await;
        }
        if self.automations {
            app.automations.ring();
        }
    }
}

/// State of the creation of a package's resources.
pub struct ResourceCreation<'a> {
    /// The owner of all created resources.
    pub caller: &'a Caller,
    /// Gives access to the available models and to the web.
    pub run_context: &'a RunContext,
    /// The current time, on the clock of the automations.
    pub now: Timestamp,
    pub package: &'a Package,
    pub prepared: &'a PreparedResources,
    /// The choices of the request.
    pub options: &'a InstallOptions,
    /// The value of every parameter.
    pub parameters: Fields,
    /// Ids of the existing resources, by key.
    pub ids: HashMap<String, Uuid>,
    /// Installations of the required packages, by package id.
    pub required: HashMap<String, Row<Installation>>,
    /// Follow-up actions after the commit.
    pub done: Done,
}

impl ResourceCreation<'_> {
    /// Returns the fields that the package sets for a resource, with all references resolved, in the form of the request that creates it.
    pub fn resolved(&self, resource: &ResourceManifest) -> Api<Fields> {
        let mut fields = Fields::new();
        for (field, value) in &resource.fields {
            let value = expand(value, &mut |reference| self.look_up(reference));
            let why = |why: String| of_resource(&resource.key, &format!("{field}: {why}"));
            fields.insert(field.clone(), value.map_err(why)?);
        }
        Ok(fields)
    }

    /// Returns the fields that the package sets for a resource, in the form in which the record stores them.
    pub fn wanted(&self, resource: &ResourceManifest) -> Api<Fields> {
        let mut fields = self.resolved(resource)?;
        fields.extend(self.prepared.fields(&resource.key));
        kinds::normal(resource.kind, &fields).map_err(|why| placed(&resource.key, why))
    }

    /// Returns the catalog metadata of an assistant or a skill of the package. Metadata that the package does not set is kept.
    pub fn metadata(&self, current: Option<CatalogMetadata>) -> CatalogMetadata {
        let manifest = &self.package.manifest;
        let current = current.unwrap_or_else(|| CatalogMetadata {
            tags: manifest.tags.clone(),
            homepage: manifest.homepage.clone(),
            ..CatalogMetadata::default()
        });
        CatalogMetadata {
            publisher: Some(manifest.publisher().to_owned()),
            version: Some(manifest.version.clone()),
            license: manifest.license.clone(),
            ..current
        }
    }

    fn look_up(&self, reference: Reference<'_>) -> Result<Value, String> {
        match reference {
            Reference::File(path) => self.package.text(path).map(Value::from),
            Reference::Json(path) => self.package.json(path),
            Reference::Parameter(name) => {
                let value = self.parameters.get(name).cloned();
                value.ok_or_else(|| format!("there is no parameter {name:?}"))
            }
            Reference::Resource(key) => {
                let id = self.ids.get(key).ok_or_else(|| format!("there is no resource {key:?}"))?;
                Ok(json!(id))
            }
            Reference::Package(id, key) => {
                let found = self.required.get(id).and_then(|row| row.resource(key));
                let found = found.ok_or_else(|| format!("the package {id} has no {key:?}"))?;
                Ok(json!(found.id))
            }
        }
    }
}

/// Converts installations of required packages to the form in which dependent installations store them.
pub fn required_installations(required: &HashMap<String, Row<Installation>>) -> Vec<RequiredInstallation> {
    let named = |row: &Row<Installation>| RequiredInstallation {
        package: row.package.clone(),
        package_version: row.package_version.clone(),
        installation_id: row.id,
        owner: row.owner,
    };
    let mut all: Vec<_> = required.values().map(named).collect();
    all.sort_by(|one, other| one.package.cmp(&other.package));
    all
}
