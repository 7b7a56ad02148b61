//! Installed packages.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// The main resource of a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackageKind {
    /// An assistant, possibly with the resources that it needs.
    #[default]
    Assistant,
    Skill,
    /// A knowledge base with documents.
    KnowledgeBase,
    /// A workflow assistant.
    Workflow,
}

/// The type of a resource that an installation creates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// An assistant, including workflows.
    #[default]
    Assistant,
    Skill,
    KnowledgeBase,
    Automation,
}

/// How an installation was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstallationOrigin {
    #[default]
    Installed,
    /// The resources existed before the installation.
    Adopted,
}

/// A package that a user has installed. Its resources belong to that user and may have been changed or
/// deleted since.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Installation {
    pub package: String,
    pub package_version: String,
    /// Checksum of the installed version; empty if the manifest was supplied without a package.
    pub checksum: String,
    /// The main resource of the package.
    pub kind: PackageKind,
    /// Display name of the package.
    pub name: String,
    /// The user who installed the package.
    pub owner: Uuid,
    /// How the installation was created.
    pub origin: InstallationOrigin,
    /// Values of the package's parameters.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Resources that the installation created or adopted.
    pub resources: Vec<InstalledResource>,
    /// Installations of other packages that this one depends on.
    pub requires: Vec<RequiredInstallation>,
    /// Hash of the scan that was last applied.
    pub scan_hash: Option<String>,
}

/// An installation that another one depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RequiredInstallation {
    pub package: String,
    pub package_version: String,
    /// The installation whose resources are used.
    pub installation_id: Uuid,
    /// The owner of that installation: the same user or an administrator.
    pub owner: Uuid,
}

/// A resource of an installed package.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct InstalledResource {
    /// Key of the resource in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    pub id: Uuid,
    /// Field values defined by the installed version. Later versions and local edits are compared with
    /// them.
    #[schema(value_type = Object)]
    pub base: Map<String, Value>,
}

impl Installation {
    /// Returns the key of the index `by_owner_package`.
    pub fn package_key(owner: &Uuid, package: &str) -> Vec<u8> {
        IndexKey::new().id(owner).text(package).done()
    }

    /// Returns the resource with this key, if the installation has one.
    pub fn resource(&self, key: &str) -> Option<&InstalledResource> {
        self.resources.iter().find(|resource| resource.key == key)
    }
}

impl Record for Installation {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"in";
    const NAME: &'static str = "installation";
    const GROWTH: Growth<Self> = Growth::metered(|_, row| Owner::User(row.owner), "one per user and package");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"i4",
            name: "by_owner_package",
            unique: true,
            keys: |row| vec![Installation::package_key(&row.owner, &row.package)],
        },
        Index {
            table: *b"i5",
            name: "by_resource",
            unique: false,
            keys: |row| {
                let ids = row.resources.iter().map(|resource| IndexKey::new().id(&resource.id).done());
                let mut keys: Vec<_> = ids.collect();
                keys.sort();
                keys.dedup();
                keys
            },
        },
    ];
}
