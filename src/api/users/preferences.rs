//! What users chose for themselves.

use actix_web::web::Data;
use assist::offer::ModelChoices;
use providers::Models;
use serde::{Deserialize, Serialize};
use storage::records::{ChannelChoice, User, UserPreferences};
use storage::{Row, TenantId, Tx};
use utoipa::ToSchema;

use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{
    Api, Auth, Caller, Faults, HasVersion, IfMatch, Json, Patch, Refusal, Validate, Versioned, operations,
};

/// Longest language tag, in characters.
const LANGUAGE: usize = 35;

/// What the caller chose; `null` is the default.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserPreferencesResponse {
    /// The choices.
    #[serde(flatten)]
    pub preferences: UserPreferences,
    /// How often the account was written, from 1.
    pub version: u64,
}

impl HasVersion for UserPreferencesResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

impl From<Row<User>> for UserPreferencesResponse {
    fn from(row: Row<User>) -> Self {
        Self { version: row.version, preferences: row.body.preferences }
    }
}

/// What is to be chosen; what is left out stays, and `null` brings back the default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateUserPreferencesBody {
    /// The look.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 50, example = "dark")]
    pub theme: Patch<String>,
    /// The language, as BCP 47 has it.
    #[schema(value_type = Option<String>, min_length = 2, max_length = 35, example = "de-CH")]
    pub language: Patch<String>,
    /// The model that answers where neither request nor assistant names one.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200, example = "builtin/scribe")]
    pub default_model: Patch<String>,
    /// The models that are offered first, in this order; `null` is none.
    #[schema(value_type = Option<Vec<String>>, max_items = 200, example = json!(["builtin/scribe"]))]
    pub favourite_models: Patch<Vec<String>>,
    /// Whether memories are told to models; `null` is yes.
    #[schema(value_type = Option<bool>)]
    pub use_memories: Patch<bool>,
    /// Whether models may write down what they learn of the user; `null` is no.
    #[schema(value_type = Option<bool>)]
    pub make_memories: Patch<bool>,
    /// By which ways to be told things, in all tenants, where the preferences of a tenant's notifications leave it open;
    /// `null` is as usual.
    #[schema(value_type = Option<ChannelChoice>)]
    pub notification_defaults: Patch<ChannelChoice>,
    /// The version that is changed; if it is another by now, the answer is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateUserPreferencesBody {
    const TRIMMED: &'static [&'static str] = &["theme"];

    fn validate(&self, faults: &mut Faults) {
        if self.language.as_set().is_some_and(|language| !is_language(language)) {
            faults.add(["language"], "is no language tag of BCP 47, such as `en` or `de-CH`", "malformed");
        }
    }
}

/// Whether a text is formed like a language tag: a language of letters, and then subtags of letters
/// and digits. Whether anybody speaks it is not looked up.
fn is_language(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let first = subtags.next().unwrap_or_default();
    let is_first = (2..=8).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_other =
        |sub: &str| (1..=8).contains(&sub.len()) && sub.bytes().all(|byte| byte.is_ascii_alphanumeric());
    tag.len() <= LANGUAGE && is_first && subtags.all(is_other)
}

/// Show what the caller chose.
#[utoipa::path(get, path = "/api/users/preferences", operation_id = "users.get_user_preferences")]
async fn get_user_preferences(
    auth: Auth<AccountRead>,
    app: Data<App>,
) -> Api<Versioned<UserPreferencesResponse>> {
    let user = auth.user;
    let row =
        app.store.read::<_, Refusal>(move |reader| Ok(reader.require::<User>(TenantId::SYSTEM, &user)?));
    Ok(Versioned(row.await?.into()))
}

/// Change what the caller chose.
///
/// What is left out stays; `null` brings back the default.
#[utoipa::path(patch, path = "/api/users/preferences", operation_id = "users.update_user_preferences")]
async fn update_user_preferences(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateUserPreferencesBody>,
) -> Api<Versioned<UserPreferencesResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let patch = move |tx: &mut Tx| patch(tx, &caller, &models, &if_match, new.clone());
    app.store.run(patch).await.map(|row| Versioned(row.into()))
}

fn patch(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    if_match: &IfMatch,
    mut new: UpdateUserPreferencesBody,
) -> Api<Row<User>> {
    let mut row = tx.require::<User>(TenantId::SYSTEM, &caller.user)?;
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("user").into());
    }
    let terms = ModelChoices::read(tx, caller.tenant, caller.user)?;
    if let Patch::Set(model) = &mut new.default_model {
        let found = terms.find(models, model).ok_or_else(|| {
            Refusal::invalid("body", ["default_model"], "there is no such model", "not_found")
        })?;
        model.clone_from(&found.info.id);
    }
    if let Patch::Set(marked) = &mut new.favourite_models {
        *marked = favourites(&terms, models, &row.preferences.favourite_models, marked)?;
    }
    let chosen = &mut row.preferences;
    new.theme.apply(&mut chosen.theme);
    new.language.apply(&mut chosen.language);
    new.default_model.apply(&mut chosen.default_model);
    new.favourite_models.apply_or_default(&mut chosen.favourite_models);
    new.use_memories.apply(&mut chosen.use_memories);
    new.make_memories.apply(&mut chosen.make_memories);
    new.notification_defaults.apply(&mut chosen.notification_defaults);
    Ok(tx.update(TenantId::SYSTEM, row)?)
}

/// Marked models by their full ids, each once. One that was marked before may be gone, or hidden, by now.
fn favourites(
    terms: &ModelChoices,
    models: &Models,
    before: &[String],
    marked: &[String],
) -> Api<Vec<String>> {
    let (mut faults, mut kept) = (Faults::of("body"), Vec::new());
    for (at, name) in marked.iter().enumerate() {
        let found = terms.find(models, name).map(|model| model.info.id.clone());
        match found.or_else(|| before.contains(name).then(|| name.clone())) {
            Some(id) if kept.contains(&id) => {}
            Some(id) => kept.push(id),
            None => faults.add(["favourite_models", &at.to_string()], "there is no such model", "not_found"),
        }
    }
    let faults = faults.into_vec();
    if faults.is_empty() { Ok(kept) } else { Err(Refusal::faulty(faults)) }
}

operations!(get_user_preferences, update_user_preferences);

#[cfg(test)]
mod tests {
    use super::is_language;

    #[test]
    fn language_tags_are_told_from_other_texts() {
        for tag in ["en", "de-CH", "zh-Hant-TW", "sr-Latn", "es-419", "de-DE-u-co-phonebk"] {
            assert!(is_language(tag), "{tag}");
        }
        for text in ["", "e", "english language", "de_CH", "de-", "-de", "123", "de-CH-abcdefghi", "d\u{e9}"]
        {
            assert!(!is_language(text), "{text}");
        }
    }
}
