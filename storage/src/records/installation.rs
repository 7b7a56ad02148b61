//! Installed packages.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// What a package is installed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackageKind {
    /// An assistant, perhaps with what it needs.
    #[default]
    Assistant,
    Skill,
    /// Documents.
    KnowledgeBase,
    /// An assistant that is a workflow.
    Workflow,
}

/// What installing a package makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// An assistant, be it a workflow or not.
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
    /// It was there before.
    Adopted,
}

/// A package that a user has installed. What was made belongs to that person, and may have been changed or
/// deleted since.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Installation {
    pub package: String,
    pub package_version: String,
    /// The checksum of that version; empty where a manifest came without a package.
    pub checksum: String,
    /// What it is installed for.
    pub kind: PackageKind,
    /// What the package is called.
    pub name: String,
    /// Whose it is.
    pub owner: Uuid,
    /// How it was created.
    pub origin: InstallationOrigin,
    /// The parameters that were given.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// What it consists of.
    pub resources: Vec<InstalledResource>,
    /// Installations of other packages that it builds upon.
    pub requires: Vec<RequiredInstallation>,
    /// The scan that was last applied to it.
    pub scan_hash: Option<String>,
}

/// An installation that another one builds upon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RequiredInstallation {
    pub package: String,
    pub package_version: String,
    /// The installation whose resources are used.
    pub installation_id: Uuid,
    /// Whose that is: the same person's, or an administrator's.
    pub owner: Uuid,
}

/// A resource of an installed package.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct InstalledResource {
    /// Its key in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    pub id: Uuid,
    /// Its fields as the installed version wants them: what later versions, and edits, are held against.
    #[schema(value_type = Object)]
    pub base: Map<String, Value>,
}

impl Installation {
    /// The value of the index `by_owner_package`.
    pub fn package_key(owner: &Uuid, package: &str) -> Vec<u8> {
        IndexKey::new().id(owner).text(package).done()
    }

    /// The resource of this key.
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
