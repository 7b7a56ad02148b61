//! Loads the functions and instructions of skills.

use std::sync::Arc;

use storage::records::{Assistant, Skill, SkillContent, SkillFunction, SkillUsableIn};
use storage::{Reader, TenantId};
use uuid::Uuid;

/// A function, together with the skill that it belongs to.
#[derive(Clone, Debug)]
pub struct LoadedFunction {
    pub skill_id: Uuid,
    /// Name of the skill that declares the function.
    pub skill_name: String,
    /// Current content of the skill.
    pub content: Arc<SkillContent>,
    pub function: SkillFunction,
}

/// Calls `found` for each of these skills that exists, once and in this order. [`SkillUsableIn::Both`] selects skills
/// for any place.
fn each(
    reader: &Reader,
    tenant: TenantId,
    skills: &[Uuid],
    place: SkillUsableIn,
    mut found: impl FnMut(Uuid, Skill, SkillContent),
) -> storage::Result<()> {
    for (at, id) in skills.iter().enumerate() {
        if skills[..at].contains(id) {
            continue;
        }
        // Skills that do not exist or cannot be used in this place are skipped.
        let Some(skill) = reader.get::<Skill>(tenant, id)? else { continue };
        if place != SkillUsableIn::Both && !skill.usable_in.covers(place) {
            continue;
        }
        if let Some(content) = reader.get::<SkillContent>(tenant, &(*id, skill.content_hash.clone()))? {
            found(*id, skill.body, content.body);
        }
    }
    Ok(())
}

/// The functions of these skills that can be used in this place, in the order of the skills and their declarations.
pub fn functions(
    reader: &Reader,
    tenant: TenantId,
    skills: &[Uuid],
    place: SkillUsableIn,
) -> storage::Result<Vec<LoadedFunction>> {
    let mut all = Vec::new();
    each(reader, tenant, skills, place, |skill_id, skill, content| {
        let content = Arc::new(content);
        all.extend(content.functions.iter().map(|function| LoadedFunction {
            skill_id,
            skill_name: skill.name.clone(),
            content: content.clone(),
            function: function.clone(),
        }));
    })?;
    Ok(all)
}

/// The instructions of these skills for models, as one section each.
pub fn instructions(
    reader: &Reader,
    tenant: TenantId,
    skills: &[Uuid],
    place: SkillUsableIn,
) -> storage::Result<Vec<String>> {
    let mut all = Vec::new();
    each(reader, tenant, skills, place, |_, skill, content| {
        let text = content.instructions.trim();
        if !text.is_empty() {
            all.push(format!("# Skill: {}\n\n{text}", skill.name));
        }
    })?;
    Ok(all)
}

/// Finds a function of an assistant's skills by name, in the given skill or otherwise in the first skill that has it.
/// Returns `None` if the assistant has no such function in this place.
pub fn find(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    skill: Option<Uuid>,
    function: &str,
    place: SkillUsableIn,
) -> storage::Result<Option<LoadedFunction>> {
    let Some(assistant) = reader.get::<Assistant>(tenant, &assistant)? else { return Ok(None) };
    let skills: Vec<Uuid> =
        assistant.skills.iter().filter(|id| skill.is_none_or(|skill| skill == **id)).copied().collect();
    let all = functions(reader, tenant, &skills, place)?;
    Ok(all.into_iter().find(|loaded| loaded.function.name == function))
}
