//! Listing skills.

use storage::records::{Skill, SkillUsableIn};
use storage::{Reader, Row, Scan};

use crate::{Caller, Result, sharing};

/// Which skills to list.
#[derive(Clone, Debug, Default)]
pub struct SkillFilter {
    /// Words that the name, the description or the names of the functions contain, in any order and case.
    pub search: Option<String>,
    /// Only skills that can be used there.
    pub usable_in: Option<SkillUsableIn>,
}

impl SkillFilter {
    fn matches(&self, skill: &Skill) -> bool {
        self.usable_in.is_none_or(|usable_in| skill.usable_in.covers(usable_in)) && self.has_words(skill)
    }

    fn has_words(&self, skill: &Skill) -> bool {
        let search = self.search.as_deref().unwrap_or_default().to_lowercase();
        if search.trim().is_empty() {
            return true;
        }
        let texts = [&skill.name, &skill.description].into_iter().chain(&skill.functions);
        let text = texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join("\n");
        search.split_whitespace().all(|word| text.contains(word))
    }
}

/// Returns all skills that the caller may see and that match, in no particular order.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(reader: &Reader, caller: &Caller, filter: &SkillFilter) -> Result<Vec<Row<Skill>>> {
    let mut rows = reader.scan::<Skill>(caller.tenant, Scan::table())?.items;
    rows.retain(|row| sharing::level(&row.body, caller).is_some() && filter.matches(row));
    Ok(rows)
}
