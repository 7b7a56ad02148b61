//! Permission levels on shared objects.

use storage::records::GrantLevel;

use super::policy::{self, Rule};
use crate::{Code, Refusal};

/// Returns the refusal for a caller who may see an object but has less than the level `least` on it.
pub fn lacking(least: GrantLevel, level: Option<GrantLevel>) -> Refusal {
    let (needs, has) = (level_name(least), level.map_or("none", level_name));
    let detail = format!("this needs the level {needs} on it, and yours is {has}");
    Refusal::new(Code::NotAllowed).detail(detail).because(policy::cause(Rule::Grant, needs, has))
}

/// Returns the name of a level in responses and logs.
pub const fn level_name(level: GrantLevel) -> &'static str {
    match level {
        GrantLevel::Viewer => "viewer",
        GrantLevel::Editor => "editor",
        GrantLevel::Owner => "owner",
    }
}
