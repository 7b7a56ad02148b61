//! Changes that users make to their own accounts: display name, custom prompt, preferences.

use storage::records::{ChannelChoice, User};
use storage::{Row, TenantId, Tx};

use crate::{Caller, Faults, Patch, Precondition, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A change to the preferences of a user. Clearing a field restores its default.
#[derive(Clone, Debug, Default)]
pub struct UpdatePreferences {
    pub theme: Patch<String>,
    /// A language tag as defined by BCP 47.
    pub language: Patch<String>,
    /// The name of a chat model.
    pub default_model: Patch<String>,
    /// The names of chat models, in order.
    pub favourite_models: Patch<Vec<String>>,
    pub use_memories: Patch<bool>,
    pub make_memories: Patch<bool>,
    pub notification_defaults: Patch<ChannelChoice>,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// Changes the caller's display name. Setting the same name changes nothing.
///
/// # Errors
/// `stale` for another version.
pub fn rename(
    tx: &mut Tx,
    caller: &Caller,
    precondition: &Precondition,
    display_name: Option<&str>,
    version: Option<u64>,
) -> Result<Row<User>> {
    let mut row = current(tx, caller, precondition, version)?;
    if let Some(name) = display_name
        && name != row.display_name
    {
        row.display_name = name.to_owned();
        row = tx.update(SYSTEM, row)?;
    }
    Ok(row)
}

/// Replaces the text that is added to the caller's prompts. A text of only white space removes it.
///
/// # Errors
/// `stale` for another version.
pub fn set_custom_prompt(
    tx: &mut Tx,
    caller: &Caller,
    precondition: &Precondition,
    text: Option<String>,
    version: Option<u64>,
) -> Result<Row<User>> {
    let mut row = current(tx, caller, precondition, version)?;
    row.custom_prompt = text.filter(|text| !text.trim().is_empty());
    Ok(tx.update(SYSTEM, row)?)
}

/// Changes the caller's preferences. `find_model` returns the full id of a chat model that the caller may use.
///
/// # Errors
/// `stale` for another version; `invalid` for models that the caller may not use.
pub fn update_preferences(
    tx: &mut Tx,
    caller: &Caller,
    find_model: impl Fn(&str) -> Option<String>,
    precondition: &Precondition,
    mut new: UpdatePreferences,
) -> Result<Row<User>> {
    let mut row = current(tx, caller, precondition, new.version)?;
    if let Patch::Set(model) = &mut new.default_model {
        let missing = || Refusal::invalid("body", ["default_model"], "there is no such model", "not_found");
        *model = find_model(model).ok_or_else(missing)?;
    }
    if let Patch::Set(models) = &mut new.favourite_models {
        *models = favourites(find_model, &row.preferences.favourite_models, models)?;
    }
    let preferences = &mut row.preferences;
    new.theme.apply(&mut preferences.theme);
    new.language.apply(&mut preferences.language);
    new.default_model.apply(&mut preferences.default_model);
    new.favourite_models.apply_or_default(&mut preferences.favourite_models);
    new.use_memories.apply(&mut preferences.use_memories);
    new.make_memories.apply(&mut preferences.make_memories);
    new.notification_defaults.apply(&mut preferences.notification_defaults);
    Ok(tx.update(SYSTEM, row)?)
}

/// Returns the full ids of favourite models, without duplicates. A model of `before` that the caller may no
/// longer use is retained.
fn favourites(
    find_model: impl Fn(&str) -> Option<String>,
    before: &[String],
    names: &[String],
) -> Result<Vec<String>> {
    let (mut faults, mut ids) = (Faults::new("body"), Vec::new());
    for (at, name) in names.iter().enumerate() {
        match find_model(name).or_else(|| before.contains(name).then(|| name.clone())) {
            Some(id) if ids.contains(&id) => {}
            Some(id) => ids.push(id),
            None => faults.add(["favourite_models", &at.to_string()], "there is no such model", "not_found"),
        }
    }
    faults.into_result()?;
    Ok(ids)
}

fn current(tx: &Tx, caller: &Caller, precondition: &Precondition, version: Option<u64>) -> Result<Row<User>> {
    let row = tx.require::<User>(SYSTEM, &caller.user)?;
    precondition.check_both(version, "user", row.version)?;
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn favourites_returns_full_ids_without_duplicates() {
        let find =
            |name: &str| (name != "gone").then(|| format!("acme/{}", name.trim_start_matches("acme/")));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let ids = favourites(find, &[], &names(&["a", "acme/a", "b"])).expect("known models");
        assert_eq!(ids, ["acme/a", "acme/b"]);
        assert!(favourites(find, &[], &names(&["gone"])).is_err());
        let stored =
            favourites(find, &names(&["gone"]), &names(&["gone", "a"])).expect("a favourite of before");
        assert_eq!(stored, ["gone", "acme/a"]);
    }
}
