//! Requests about groups and directories.

use std::collections::BTreeSet;

use domain::groups::MAX_SELECTED;
use jobs::directory_sync::{MAX_MINUTES, MIN_MINUTES, NewSource, SyncAsk};
use providers::Secret;
use providers::directory::DirectorySettings;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::{DEFAULT_PAGE, Faults, Validate};

/// Maximum length of a search text and of a directory's group id, in characters.
const MAX_TEXT_CHARS: usize = 512;
/// Maximum length of a secret, in bytes.
const SECRET: usize = 4_096;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GroupQuery {
    /// Text that the name must contain. Not case-sensitive.
    #[serde(default)]
    #[param(max_length = 512)]
    pub query: Option<String>,
}

impl Validate for GroupQuery {}

/// Pagination of a list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Part {
    /// The maximum number of items to return.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The number of items to skip.
    #[serde(default)]
    #[param(required = false, default = 0)]
    pub offset: u64,
}

const fn default_page() -> u32 {
    DEFAULT_PAGE
}

impl Validate for Part {}

/// A directory and its secret.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SyncCredentialRequest {
    /// The connection and search settings of the directory.
    pub directory: DirectorySettings,
    /// The password of `bind_dn` (LDAP), the bearer token (SCIM) or the client secret (Microsoft Graph). It is
    /// stored encrypted, and no operation returns it.
    pub secret: String,
    /// Interval between scheduled synchronisations, in minutes. If omitted, synchronisations run only on
    /// request.
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
        if self.every_minutes.is_some_and(|minutes| !(MIN_MINUTES..=MAX_MINUTES).contains(&minutes)) {
            let msg = format!("must be between {MIN_MINUTES} and {MAX_MINUTES}");
            faults.add(place(&["every_minutes"]), msg, "out_of_range");
        }
    }

    /// Converts the request into a directory that can be tested and stored.
    pub fn source(self) -> NewSource {
        let (settings, secret) = (self.directory, Secret::from(self.secret));
        NewSource { settings, secret, every_minutes: self.every_minutes }
    }
}

/// Options of a synchronisation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct SyncGroupsRequest {
    /// Replaces the tenant's directory before the synchronisation, once its connection test succeeds. If
    /// omitted, the current directory is used.
    #[serde(default)]
    pub credential: Option<SyncCredentialRequest>,
    /// Whether to read all groups, including groups that the directory reports as unchanged.
    #[serde(default)]
    pub full: bool,
    /// Whether to only count the changes, without making them.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether to empty groups even if a group with many members has lost all of them at once, or all groups
    /// have disappeared at once.
    #[serde(default)]
    pub force: bool,
    /// Whether to wait for the end of the synchronisation before responding, for at most 30 seconds.
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
    /// The options of the run.
    pub fn ask(&self) -> SyncAsk {
        SyncAsk { full: self.full, dry_run: self.dry_run, force: self.force }
    }
}

/// The groups to synchronise.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateGroupSelectionsRequest {
    /// The ids of the groups in the directory (`external_id`). All other groups are deselected.
    #[schema(max_items = 2000)]
    pub group_ids: Vec<String>,
}

impl Validate for UpdateGroupSelectionsRequest {
    fn validate(&self, faults: &mut Faults) {
        let mut seen = BTreeSet::new();
        for (at, id) in self.group_ids.iter().enumerate().take(MAX_SELECTED) {
            let at = at.to_string();
            if id.is_empty() || id.chars().count() > MAX_TEXT_CHARS {
                faults.add(["group_ids", &at], "is not the id of a group", "malformed");
            } else if !seen.insert(id) {
                faults.add(["group_ids", &at], "is named twice", "duplicate");
            }
        }
    }
}
