//! Manifests: the description of a package, as TOML.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{PackageKind, ResourceKind};
use utoipa::ToSchema;

/// The file name of the manifest of a package.
pub const MANIFEST: &str = "package.toml";

/// Fields that a package may set, by resource type. The visibility is decided by the user who installs the package.
pub const FIELDS: &[(ResourceKind, &[&str])] = &[
    (
        ResourceKind::Assistant,
        &[
            "name",
            "description",
            "type",
            "model",
            "model_parameters",
            "system_prompt",
            "conversation_starters",
            "skills",
            "tools",
            "tool_servers",
            "knowledge_bases",
            "workflow",
            "recovery",
            "category",
            "data_schema",
        ],
    ),
    (ResourceKind::KnowledgeBase, &["name", "description", "chunk_tokens", "overlap"]),
    (
        ResourceKind::Automation,
        &[
            "name",
            "assistant_id",
            "prompt",
            "inputs",
            "trigger",
            "enabled",
            "overlap",
            "catch_up",
            "pause_after_failures",
            "notify",
        ],
    ),
    (ResourceKind::Skill, &[]),
];

/// The manifest of a package.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The id of the package, as `publisher/name`.
    pub id: String,
    /// The version of the package, following semantic versioning.
    pub version: String,
    /// The kind of package, which determines its main resource.
    pub kind: PackageKind,
    /// The displayed name of the package.
    pub name: String,
    /// A description of what the package does and for whom.
    pub description: String,
    /// The license, as an SPDX expression.
    #[serde(default)]
    pub license: Option<String>,
    /// The displayed name of the publisher; by default the first part of the id.
    #[serde(default)]
    pub publisher: Option<String>,
    /// The URL of a page with more information.
    #[serde(default)]
    pub homepage: Option<String>,
    /// Keywords for searching.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The requirements for installing the package.
    #[serde(default)]
    pub requires: Requirements,
    /// The parameters that an installation can set.
    #[serde(default)]
    pub parameters: Vec<Setting>,
    /// The resources that an installation creates, in this order.
    pub resources: Vec<ResourceManifest>,
}

/// The requirements of a package, in addition to the areas that its resources belong to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Requirements {
    /// The supported versions of this server, for example `>=0.1`.
    pub understudy: Option<String>,
    /// Additional features that must be enabled.
    pub features: Vec<String>,
    /// The capabilities that the model must have, with the names used in `capability_tags` of models.
    pub capabilities: Vec<String>,
    /// Other packages that must be installed, each with its supported versions.
    pub packages: BTreeMap<String, String>,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// A string of at most 10,000 characters.
    #[default]
    String,
    /// A whole number.
    Integer,
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A parameter that can or must be set for an installation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub name: String,
    /// The type of the parameter's value.
    #[serde(rename = "type", default)]
    pub kind: ParameterKind,
    #[serde(default)]
    pub description: String,
    /// The value if none is given; a parameter without a default is required.
    #[serde(default)]
    pub default: Option<Value>,
    /// The allowed values; if empty, all values are allowed.
    #[serde(default)]
    pub choices: Vec<Value>,
    /// The minimum value of a number.
    #[serde(default)]
    pub minimum: Option<f64>,
    /// The maximum value of a number.
    #[serde(default)]
    pub maximum: Option<f64>,
}

/// A resource that is created when the package is installed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceManifest {
    /// The key that identifies the resource within the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// The fields, in the format of the request that creates such a resource. Values may refer to files, parameters and
    /// other resources.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// For a skill: the folder or single file that contains its bundle.
    #[serde(default)]
    pub bundle: Option<String>,
    /// For a knowledge base: the folder that contains its documents.
    #[serde(default)]
    pub documents: Option<String>,
}

impl Manifest {
    /// Parses a manifest and checks all rules that do not depend on the files.
    ///
    /// # Errors
    /// All faults that were found.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        let manifest: Self = toml::from_str(text).map_err(|why| vec![why.to_string().trim().to_owned()])?;
        let faults = manifest.faults();
        if faults.is_empty() { Ok(manifest) } else { Err(faults) }
    }

    /// The main resource, which the package is installed for.
    pub fn main(&self) -> Option<&ResourceManifest> {
        let wanted = match self.kind {
            PackageKind::Assistant | PackageKind::Workflow => ResourceKind::Assistant,
            PackageKind::Skill => ResourceKind::Skill,
            PackageKind::KnowledgeBase => ResourceKind::KnowledgeBase,
        };
        self.resources.iter().find(|resource| resource.kind == wanted)
    }

    /// The displayed name of the publisher.
    pub fn publisher(&self) -> &str {
        self.publisher.as_deref().or_else(|| self.id.split('/').next()).unwrap_or_default()
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut hold = |good: bool, why: String| {
            if !good {
                faults.push(why);
            }
        };
        hold(is_package_id(&self.id), format!("`id` {:?} must have the form publisher/name", self.id));
        if let Err(why) = Version::parse(&self.version) {
            hold(false, format!("`version` {:?} is not a semantic version: {why}", self.version));
        }
        for (field, text, most) in [("name", &self.name, 100), ("description", &self.description, 2_000)] {
            let length = text.trim().chars().count();
            hold((1..=most).contains(&length), format!("`{field}` must have 1 to {most} characters"));
        }
        let good = self.tags.len() <= 20 && self.tags.iter().all(|tag| (1..=40).contains(&tag.trim().len()));
        hold(good, "`tags` may contain up to 20 tags of 1 to 40 bytes each".to_owned());
        for (field, text) in
            [("license", &self.license), ("publisher", &self.publisher), ("homepage", &self.homepage)]
        {
            let good = text.as_ref().is_none_or(|text| (1..=200).contains(&text.trim().len()));
            hold(good, format!("`{field}` must have 1 to 200 bytes"));
        }
        let web = |homepage: &String| homepage.starts_with("https://") || homepage.starts_with("http://");
        hold(self.homepage.as_ref().is_none_or(web), "`homepage` is not a web address".to_owned());
        for feature in &self.requires.features {
            let known = storage::authority::Feature::parse(feature).is_some();
            hold(known, format!("`requires.features`: there is no feature {feature:?}"));
        }
        let ranges = self.requires.packages.iter().map(|(id, range)| (id.as_str(), range));
        let own = self.requires.understudy.iter().map(|range| ("understudy", range));
        for (what, range) in ranges.chain(own) {
            let good = VersionReq::parse(range).is_ok();
            hold(good, format!("`requires`: {range:?} is not a version range for {what}"));
        }
        for id in self.requires.packages.keys() {
            hold(
                is_package_id(id) && *id != self.id,
                format!("`requires.packages`: {id:?} cannot be required"),
            );
        }
        for (at, setting) in self.parameters.iter().enumerate() {
            let known = self.parameters[..at].iter().any(|other| other.name == setting.name);
            hold(
                is_key(&setting.name) && !known,
                format!("the parameter name {:?} is used twice or invalid", setting.name),
            );
            if let Some(default) = &setting.default
                && let Err(why) = setting.check(default)
            {
                hold(false, format!("the default of {:?} {why}", setting.name));
            }
        }
        hold(
            !self.resources.is_empty() && self.resources.len() <= 20,
            "`resources` must contain 1 to 20 resources".to_owned(),
        );
        hold(self.main().is_some(), "no resource has the package's kind".to_owned());
        let is_workflow =
            |main: &ResourceManifest| main.fields.get("type").is_some_and(|kind| kind == "workflow");
        let fits = self.main().is_none_or(|main| {
            main.kind != ResourceKind::Assistant || is_workflow(main) == (self.kind == PackageKind::Workflow)
        });
        hold(
            fits,
            "the package kind `workflow` requires an assistant of type `workflow`, and vice versa".to_owned(),
        );
        for (at, resource) in self.resources.iter().enumerate() {
            let known = self.resources[..at].iter().any(|other| other.key == resource.key);
            hold(
                is_key(&resource.key) && !known,
                format!("the resource key {:?} is used twice or invalid", resource.key),
            );
            resource.faults(&mut hold);
        }
        faults
    }
}

impl ResourceManifest {
    fn faults(&self, hold: &mut impl FnMut(bool, String)) {
        let key = &self.key;
        let allowed =
            FIELDS.iter().find(|(kind, _)| *kind == self.kind).map_or(&[][..], |(_, fields)| *fields);
        for field in self.fields.keys() {
            hold(allowed.contains(&field.as_str()), format!("{key}: `{field}` cannot be set by a package"));
        }
        let is = |kind| self.kind == kind;
        let named = is(ResourceKind::Skill) || self.fields.contains_key("name");
        hold(named, format!("{key}: `fields.name` is missing"));
        hold(
            is(ResourceKind::Skill) == self.bundle.is_some(),
            format!("{key}: `bundle` is required for a skill, and not allowed for other types"),
        );
        let good = self.documents.is_none() || is(ResourceKind::KnowledgeBase);
        hold(good, format!("{key}: `documents` is allowed only for a knowledge base"));
    }
}

fn is_key(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

/// Whether a text has the form of a package id: two to four parts of lower-case letters, digits, dashes, underscores
/// and dots.
pub fn is_package_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_' || c == '.';
    let good = |part: &str| {
        (1..=64).contains(&part.len()) && part.chars().all(plain) && !part.starts_with(['.', '-'])
    };
    let parts = id.split('/').count();
    (2..=4).contains(&parts) && id.split('/').all(good)
}
