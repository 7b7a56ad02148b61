//! Making what a package consists of, in one transaction.

use std::collections::{HashMap, HashSet};

use assist::RunContext;
use assist::library::doc_keys;
use serde_json::{Value, json};
use storage::records::{CatalogMetadata, Installation, RequiredInstallation, Run, Visibility};
use storage::{BlobId, Row, Timestamp};
use uuid::Uuid;

use super::faults::{of_resource, placed};
use super::kinds::{self, Fields};
use super::prepared::Prepared;
use crate::App;
use crate::catalog::{Package, Reference, ResourceManifest, expand};
use crate::http::{Api, Caller};

/// The choices of a request that installs a package.
#[derive(Clone, Debug, Default)]
pub struct InstallOptions {
    /// Another name for what it is installed for.
    pub name: Option<String>,
    /// Who may see what it makes.
    pub visibility: Visibility,
    /// The model of its assistants.
    pub model: Option<String>,
    /// External services that its assistants may use at once.
    pub approve: Vec<String>,
}

/// What is to be done once the transaction is committed.
#[derive(Default)]
pub struct Done {
    /// Runs that make documents findable.
    pub runs: Vec<Row<Run>>,
    /// What indexes hold of documents that are gone, by their base.
    pub gone: Vec<(Uuid, Vec<(Uuid, u32)>)>,
    /// Whether automations were created or changed.
    pub automations: bool,
    /// Files that rows name now, and that so have to be kept.
    pub files: HashSet<BlobId>,
}

impl Done {
    /// Does it, but for the runs, which are launched with the commit.
    pub async fn follow(self, app: &App, caller: &Caller) {
        for (base, gone) in self.gone {
            app.run_context.library.forget(caller.tenant, base, doc_keys(gone)).await;
        }
        if self.automations {
            app.automations.ring();
        }
    }
}

/// A package on its way to what it makes.
pub struct Making<'a> {
    /// Whose all of it will be.
    pub caller: &'a Caller,
    /// The models there are, and the way to other servers.
    pub run_context: &'a RunContext,
    /// The time, as automations count it.
    pub now: Timestamp,
    pub package: &'a Package,
    pub prepared: &'a Prepared,
    /// What the request chose.
    pub options: &'a InstallOptions,
    /// The value of every parameter.
    pub parameters: Fields,
    /// What is there of it, by keys.
    pub ids: HashMap<String, Uuid>,
    /// Installations of packages that it requires, by their ids.
    pub required: HashMap<String, Row<Installation>>,
    /// What is to be done after the commit.
    pub done: Done,
}

impl Making<'_> {
    /// The fields that the package gives a resource, as the request that makes one takes them.
    pub fn resolved(&self, resource: &ResourceManifest) -> Api<Fields> {
        let mut fields = Fields::new();
        for (field, value) in &resource.fields {
            let value = expand(value, &mut |reference| self.look_up(reference));
            let why = |why: String| of_resource(&resource.key, &format!("{field}: {why}"));
            fields.insert(field.clone(), value.map_err(why)?);
        }
        Ok(fields)
    }

    /// The fields that the package gives a resource, as its record is to hold them.
    pub fn wanted(&self, resource: &ResourceManifest) -> Api<Fields> {
        let mut fields = self.resolved(resource)?;
        fields.extend(self.prepared.fields(&resource.key));
        kinds::normal(resource.kind, &fields).map_err(|why| placed(&resource.key, why))
    }

    /// The catalog metadata of an assistant or a skill of the package; other metadata stays.
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
                let found = found.ok_or_else(|| format!("the package {id} has made no {key:?}"))?;
                Ok(json!(found.id))
            }
        }
    }
}

/// How the installations of required packages are named by what builds upon them.
pub fn builds_upon(required: &HashMap<String, Row<Installation>>) -> Vec<RequiredInstallation> {
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
