//! Requests and responses of adoption.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::ResourceKind;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::catalog::is_package_id;
use crate::http::{Faults, UNFIT_FOR_NAMES, Validate, is_unfit_for_names};

/// Maximum numbers of resources and of parameters in a manifest.
const RESOURCES: usize = 20;
const PARAMETERS: usize = 100;
/// Maximum length of a name, in characters.
const NAME: usize = 100;

/// A manifest, and the scan to apply.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptionManifestBody {
    /// The resources that are expected to exist.
    pub manifest: AdoptionManifest,
    /// The `scan_hash` of the scan. Required to apply a manifest; ignored by a scan.
    pub scan_hash: Option<String>,
}

/// What happens to fields that differ from the manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// The fields keep their values, as edits.
    #[default]
    Keep,
    /// The fields are set to the expected values.
    Take,
}

/// What happens to missing resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// Missing resources are not created.
    #[default]
    Leave,
    Create,
}

/// The expected resources: those of a package of the catalog, or a list with their fields.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptionManifest {
    /// Id of the package: `publisher/name`. If the catalog has this package, it defines the expected fields, and `resources` only
    /// identifies the existing resources.
    #[schema(example = "understudy/document-analyst")]
    pub package: String,
    /// Version of the package; the newest by default. If the catalog does not have the package, the version to record.
    pub version: Option<String>,
    /// Name of the package, if it is not in the catalog.
    #[schema(max_length = 100)]
    pub name: Option<String>,
    /// Values of the package's parameters.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    #[schema(max_items = 20)]
    pub resources: Vec<AdoptedResource>,
    /// What happens to fields that differ from the manifest.
    #[serde(default)]
    pub drift: Drift,
    /// What happens to missing resources.
    #[serde(default)]
    pub absent: Absent,
}

/// An expected resource.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct AdoptedResource {
    /// Key of the resource in the manifest.
    #[schema(max_length = 64)]
    pub key: String,
    /// Type of the resource. Set by the package if it is in the catalog.
    #[serde(rename = "type")]
    pub kind: Option<ResourceKind>,
    /// Id of the existing resource; needed if its name is ambiguous.
    pub id: Option<Uuid>,
    /// Expected fields. Set by the package if it is in the catalog.
    #[schema(value_type = Option<Object>)]
    pub fields: Option<Map<String, Value>>,
    /// What happens to fields of this resource that differ. Defaults to the setting of the manifest.
    pub drift: Option<Drift>,
    /// What happens if this resource is missing. Defaults to the setting of the manifest.
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
                add(&["resources", &at, "key"], "appears more than once", "duplicate");
            }
        }
    }
}

/// The state of an expected resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanStatus {
    /// The resource exists, with the expected fields.
    Matched,
    /// The resource exists, but some fields differ.
    Drifted,
    /// The resource does not exist.
    Missing,
    /// The resource is ambiguous or cannot be adopted.
    Conflict,
}

/// A field that differs from the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DriftedField {
    /// Name of the field.
    pub field: String,
    /// Value that the manifest expects.
    #[schema(value_type = Value)]
    pub expected: Value,
    #[schema(value_type = Value)]
    pub actual: Value,
}

/// The result for one expected resource.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ScannedResource {
    /// Key of the resource in the manifest.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// State of the resource.
    pub status: ScanStatus,
    pub id: Option<Uuid>,
    /// Fields that differ from the manifest.
    pub drifted: Vec<DriftedField>,
    /// Ids of the possible resources, if there are several.
    pub candidates: Vec<Uuid>,
    /// Why the resource cannot be adopted.
    pub reason: Option<String>,
}

/// The result of a scan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ScanResponse {
    /// Hash that is required to apply the scan. It changes if anything that the scan compared changes.
    pub scan_hash: String,
    /// Id of the package.
    pub package: String,
    pub package_version: String,
    /// Whether the scan can be applied, which requires that there are no conflicts.
    pub ok: bool,
    /// The results, in the order of the manifest.
    pub items: Vec<ScannedResource>,
}
