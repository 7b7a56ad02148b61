//! Manifests: what a package says of itself, as TOML.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{PackageKind, ResourceKind};
use utoipa::ToSchema;

/// The file name of the manifest of a package.
pub const MANIFEST: &str = "package.toml";

/// Fields that a package may set, by the type of the resource. The user who installs it decides who may see it.
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

/// What a package says of itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `publisher/name`.
    pub id: String,
    /// As semantic versioning has it.
    pub version: String,
    /// What it is installed for.
    pub kind: PackageKind,
    /// What it is called.
    pub name: String,
    /// What it does, and for whom.
    pub description: String,
    /// As an SPDX expression.
    #[serde(default)]
    pub license: Option<String>,
    /// Who publishes it, in words; else the first part of the id.
    #[serde(default)]
    pub publisher: Option<String>,
    /// Where to read more.
    #[serde(default)]
    pub homepage: Option<String>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it needs.
    #[serde(default)]
    pub requires: Requirements,
    /// The parameters of an installation.
    #[serde(default)]
    pub parameters: Vec<Setting>,
    /// What installing it makes, in this order.
    pub resources: Vec<ResourceManifest>,
}

/// What a package needs besides the areas that its resources belong to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Requirements {
    /// Versions of this server, for example `>=0.1`.
    pub understudy: Option<String>,
    /// Further features that have to be switched on.
    pub features: Vec<String>,
    /// What the model has to be able to do, as models say it in `capability_tags`.
    pub capabilities: Vec<String>,
    /// Other packages that have to be installed, each with the versions that will do.
    pub packages: BTreeMap<String, String>,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// A text.
    #[default]
    String,
    /// A whole number.
    Integer,
    Number,
    /// Yes or no.
    Boolean,
}

/// A parameter that an installation may, or must, set.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub name: String,
    /// Its type.
    #[serde(rename = "type", default)]
    pub kind: ParameterKind,
    #[serde(default)]
    pub description: String,
    /// The value if none is given; a parameter without a default is required.
    #[serde(default)]
    pub default: Option<Value>,
    /// The only values there are, if not any.
    #[serde(default)]
    pub choices: Vec<Value>,
    /// The least number.
    #[serde(default)]
    pub minimum: Option<f64>,
    /// The greatest number.
    #[serde(default)]
    pub maximum: Option<f64>,
}

/// Something that installing a package makes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceManifest {
    /// Its name within the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Its fields, as the request that makes one takes them; values may refer to files, parameters and other
    /// resources.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// Of a skill: the folder, or the one file, that is its bundle.
    #[serde(default)]
    pub bundle: Option<String>,
    /// Of a knowledge base: the folder with its documents.
    #[serde(default)]
    pub documents: Option<String>,
}

impl Manifest {
    /// Reads a manifest and holds it against all rules that need no look at the files.
    ///
    /// # Errors
    /// Every fault.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        let manifest: Self = toml::from_str(text).map_err(|why| vec![why.to_string().trim().to_owned()])?;
        let faults = manifest.faults();
        if faults.is_empty() { Ok(manifest) } else { Err(faults) }
    }

    /// The resource that the package is installed for.
    pub fn main(&self) -> Option<&ResourceManifest> {
        let wanted = match self.kind {
            PackageKind::Assistant | PackageKind::Workflow => ResourceKind::Assistant,
            PackageKind::Skill => ResourceKind::Skill,
            PackageKind::KnowledgeBase => ResourceKind::KnowledgeBase,
        };
        self.resources.iter().find(|resource| resource.kind == wanted)
    }

    /// Who publishes it.
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
            "an assistant of type `workflow` makes the package's kind `workflow`, and no other".to_owned(),
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
            format!("{key}: a skill, and no other, has a `bundle`"),
        );
        let good = self.documents.is_none() || is(ResourceKind::KnowledgeBase);
        hold(good, format!("{key}: a knowledge base, and no other, has `documents`"));
    }
}

fn is_key(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

/// Whether a text is of the form of a package's id: two to four parts of lower-case letters, digits and dashes.
pub fn is_package_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_' || c == '.';
    let good = |part: &str| {
        (1..=64).contains(&part.len()) && part.chars().all(plain) && !part.starts_with(['.', '-'])
    };
    let parts = id.split('/').count();
    (2..=4).contains(&parts) && id.split('/').all(good)
}
