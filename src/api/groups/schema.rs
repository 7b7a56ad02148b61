//! Requests about groups and directories.

use std::collections::BTreeSet;

use domain::groups::MAX_SELECTED;
use jobs::directory_sync::{LONGEST_MINUTES, NewSource, SHORTEST_MINUTES, SyncAsk};
use providers::Secret;
use providers::directory::DirectorySettings;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::{DEFAULT_PAGE, Faults, Validate};

/// Longest text that is looked for, and longest id of a directory, in characters.
const LONGEST: usize = 512;
/// Longest secret, in bytes.
const SECRET: usize = 4_096;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GroupQuery {
    /// A part of the name; letter case does not count.
    #[serde(default)]
    #[param(max_length = 512)]
    pub query: Option<String>,
}

impl Validate for GroupQuery {}

/// Which part of a list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Part {
    /// How many items at most.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// How many are passed over.
    #[serde(default)]
    #[param(required = false, default = 0)]
    pub offset: u64,
}

const fn default_page() -> u32 {
    DEFAULT_PAGE
}

impl Validate for Part {}

/// A directory, and what opens it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SyncCredentialRequest {
    /// Where it is and what is looked for there.
    pub directory: DirectorySettings,
    /// What opens it: the password of `bind_dn` (LDAP), the bearer token (SCIM), the client secret (Microsoft
    /// Graph). It is stored encrypted, and returned by no operation.
    pub secret: String,
    /// Minutes between two synchronisations by the clock; without it, each has to be requested.
    #[serde(default)]
    #[schema(minimum = 15, maximum = 10080)]
    pub every_minutes: Option<u32>,
}

impl Validate for SyncCredentialRequest {
    fn validate(&self, faults: &mut Faults) {
        self.check(&[], faults);
    }
}

impl SyncCredentialRequest {
    fn check(&self, at: &[&str], faults: &mut Faults) {
        let place = |inner: &[&'static str]| [at, inner].concat();
        if let Err((field, msg)) = self.directory.check() {
            faults.add(place(&["directory", field]), msg, "malformed");
        }
        let sent = matches!(self.directory, DirectorySettings::Ldap(_))
            || self.secret.bytes().all(|byte| byte.is_ascii_graphic());
        if self.secret.is_empty() || self.secret.len() > SECRET || !sent {
            let msg = format!("must be 1 to {SECRET} bytes that can be sent");
            faults.add(place(&["secret"]), msg, "malformed");
        }
        if self.every_minutes.is_some_and(|minutes| !(SHORTEST_MINUTES..=LONGEST_MINUTES).contains(&minutes))
        {
            let msg = format!("must be between {SHORTEST_MINUTES} and {LONGEST_MINUTES}");
            faults.add(place(&["every_minutes"]), msg, "out_of_range");
        }
    }

    /// The directory, to be tried and then stored.
    pub fn source(self) -> NewSource {
        let (settings, secret) = (self.directory, Secret::from(self.secret));
        NewSource { settings, secret, every_minutes: self.every_minutes }
    }
}

/// The options of a synchronisation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct SyncGroupsRequest {
    /// The directory that is to be the tenant's from now on; it is tried first. Without it, the one there is.
    #[serde(default)]
    pub credential: Option<SyncCredentialRequest>,
    /// Whether everything is read, even what the directory says has not changed.
    #[serde(default)]
    pub full: bool,
    /// Whether it is only counted what would be done.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether groups that lost all of their many members at once, or are gone all together, are emptied.
    #[serde(default)]
    pub force: bool,
    /// Whether the answer waits for the end, half a minute at most.
    #[serde(default)]
    pub wait: bool,
}

impl Validate for SyncGroupsRequest {
    fn validate(&self, faults: &mut Faults) {
        if let Some(credential) = &self.credential {
            credential.check(&["credential"], faults);
        }
    }
}

impl SyncGroupsRequest {
    /// What is asked of the run.
    pub fn ask(&self) -> SyncAsk {
        SyncAsk { full: self.full, dry_run: self.dry_run, force: self.force }
    }
}

/// Which groups are to be synchronised.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateGroupSelectionsRequest {
    /// What the directory calls them (`external_id`); all others are not chosen any more.
    #[schema(max_items = 2000)]
    pub group_ids: Vec<String>,
}

impl Validate for UpdateGroupSelectionsRequest {
    fn validate(&self, faults: &mut Faults) {
        let mut seen = BTreeSet::new();
        for (at, id) in self.group_ids.iter().enumerate().take(MAX_SELECTED) {
            let at = at.to_string();
            if id.is_empty() || id.chars().count() > LONGEST {
                faults.add(["group_ids", &at], "is not the id of a group", "malformed");
            } else if !seen.insert(id) {
                faults.add(["group_ids", &at], "is named twice", "duplicate");
            }
        }
    }
}
