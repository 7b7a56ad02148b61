//! What adoption is asked for with, and what a scan answers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::ResourceKind;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::catalog::is_package_id;
use crate::http::{Faults, UNFIT_FOR_NAMES, Validate, is_unfit_for_names};

/// Most resources of a manifest, and most of its parameters.
const RESOURCES: usize = 20;
const PARAMETERS: usize = 100;
/// Longest key and name, in characters.
const NAME: usize = 100;

/// A manifest, and the scan of it that is to be applied.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptionManifestBody {
    /// What is expected to be there.
    pub manifest: AdoptionManifest,
    /// The `scan_hash` of the scan; required to apply, ignored by a scan.
    pub scan_hash: Option<String>,
}

/// What becomes of fields that are not as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// They stay, as edits.
    #[default]
    Keep,
    /// They become as expected.
    Take,
}

/// What happens to missing resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// They stay away.
    #[default]
    Leave,
    Create,
}

/// The expected resources: those of a package of the catalog, or listed with their fields.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptionManifest {
    /// The id of the package: `publisher/name`. If the catalog has such a package, it defines what is expected, and
    /// `resources` only says which existing resources are meant.
    #[schema(example = "understudy/document-analyst")]
    pub package: String,
    /// The version of the package, by default the newest; without a package in the catalog, the version to record.
    pub version: Option<String>,
    /// Its name, if it is not a package of the catalog.
    #[schema(max_length = 100)]
    pub name: Option<String>,
    /// The values of the package's parameters.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    #[schema(max_items = 20)]
    pub resources: Vec<AdoptedResource>,
    /// What becomes of fields that are not as expected.
    #[serde(default)]
    pub drift: Drift,
    /// What happens to missing resources.
    #[serde(default)]
    pub absent: Absent,
}

/// An expected resource.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptedResource {
    /// Its key in the manifest.
    #[schema(max_length = 64)]
    pub key: String,
    /// Its type; set by the package if the catalog has one.
    #[serde(rename = "type")]
    pub kind: Option<ResourceKind>,
    /// The existing resource, if its name is ambiguous.
    pub id: Option<Uuid>,
    /// Its expected fields; set by the package if the catalog has one.
    #[schema(value_type = Option<Object>)]
    pub fields: Option<Map<String, Value>>,
    /// What happens to its fields that differ; by default as in the manifest.
    pub drift: Option<Drift>,
    /// What happens if it is missing; by default as in the manifest.
    pub absent: Option<Absent>,
}

impl Validate for AdoptionManifestBody {
    fn validate(&self, faults: &mut Faults) {
        let manifest = &self.manifest;
        let mut add = |loc: &[&str], why: &str, kind| {
            faults.add(std::iter::once("manifest").chain(loc.iter().copied()), why, kind);
        };
        if !is_package_id(&manifest.package) {
            add(&["package"], "must have the form publisher/name", "malformed");
        }
        if let Some(version) = &manifest.version
            && semver::Version::parse(version).is_err()
        {
            add(&["version"], "is not a semantic version", "malformed");
        }
        if manifest.name.as_ref().is_some_and(|name| !(1..=NAME).contains(&name.trim().chars().count())) {
            add(&["name"], "must have 1 to 100 characters", "wrong_length");
        }
        if manifest.name.as_ref().is_some_and(|name| name.contains(is_unfit_for_names)) {
            add(&["name"], UNFIT_FOR_NAMES, "malformed");
        }
        if manifest.parameters.len() > PARAMETERS {
            add(&["parameters"], "has more than 100 items", "too_many");
        }
        if manifest.resources.len() > RESOURCES {
            add(&["resources"], "has more than 20 items", "too_many");
        }
        let mut known = HashSet::new();
        for (at, resource) in manifest.resources.iter().enumerate() {
            let at = at.to_string();
            if resource.key.is_empty() || resource.key.len() > 64 {
                add(&["resources", &at, "key"], "must have 1 to 64 bytes", "wrong_length");
            }
            if !known.insert(&resource.key) {
                add(&["resources", &at, "key"], "stands twice", "duplicate");
            }
        }
    }
}

/// The state of an expected resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanStatus {
    /// It is there, as expected.
    Matched,
    /// It is there, with other fields than expected.
    Drifted,
    /// It is not there.
    Missing,
    /// It is ambiguous, or cannot be adopted.
    Conflict,
}

/// A field that is not as expected.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DriftedField {
    /// Its name.
    pub field: String,
    /// As it should be.
    #[schema(value_type = Value)]
    pub expected: Value,
    #[schema(value_type = Value)]
    pub actual: Value,
}

/// The result for one expected resource.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ScannedResource {
    /// Its key in the manifest.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Its state.
    pub status: ScanStatus,
    pub id: Option<Uuid>,
    /// Fields that are not as expected.
    pub drifted: Vec<DriftedField>,
    /// Those that could be meant, where there are several.
    pub candidates: Vec<Uuid>,
    /// Why it cannot be adopted.
    pub reason: Option<String>,
}

/// What a scan found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ScanResponse {
    /// What applying it needs. It changes with everything that the scan looked at.
    pub scan_hash: String,
    /// The id of the package.
    pub package: String,
    pub package_version: String,
    /// Whether it can be applied: there is no conflict.
    pub ok: bool,
    /// What was found, in the manifest's order.
    pub items: Vec<ScannedResource>,
}
