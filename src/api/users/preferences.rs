//! Preferences of users.

use actix_web::web::Data;
use assist::offer::ModelChoices;
use domain::accounts::profile::{self, UpdatePreferences};
use serde::{Deserialize, Serialize};
use storage::records::{ChannelChoice, User, UserPreferences};
use storage::{Row, TenantId, Tx};
use utoipa::ToSchema;

use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{
    Api, Auth, Faults, HasVersion, IfMatch, Json, Patch, Refusal, Validate, Versioned, operations,
};

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

impl From<UpdateUserPreferencesBody> for UpdatePreferences {
    fn from(body: UpdateUserPreferencesBody) -> Self {
        let UpdateUserPreferencesBody { theme, language, default_model, favourite_models, .. } = body;
        let UpdateUserPreferencesBody { use_memories, make_memories, notification_defaults, version, .. } =
            body;
        Self {
            theme,
            language,
            default_model,
            favourite_models,
            use_memories,
            make_memories,
            notification_defaults,
            version,
        }
    }
}

/// Whether a text is formed like a language tag: a language of letters, and then subtags of letters
/// and digits. No registry is consulted.
fn is_language(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let first = subtags.next().unwrap_or_default();
    let is_first = (2..=8).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_other =
        |sub: &str| (1..=8).contains(&sub.len()) && sub.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_first && subtags.all(is_other)
}

/// Show what the caller chose.
#[utoipa::path(get, path = "/api/users/preferences")]
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
#[utoipa::path(patch, path = "/api/users/preferences")]
async fn update_user_preferences(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateUserPreferencesBody>,
) -> Api<Versioned<UserPreferencesResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let (precondition, new) = (if_match.precondition(), UpdatePreferences::from(new));
    let update = move |tx: &mut Tx| {
        let choices = ModelChoices::read(tx, caller.tenant, caller.user)?;
        let find = |name: &str| choices.find(&models, name).map(|model| model.info.id.clone());
        profile::update_preferences(tx, &caller, find, &precondition, new.clone())
    };
    app.store.run(update).await.map(|row| Versioned(row.into()))
}

operations!(get_user_preferences, update_user_preferences);

#[cfg(test)]
mod tests {
    use super::is_language;

    #[test]
    fn language_tags_are_distinguished_from_other_texts() {
        for tag in ["en", "de-CH", "zh-Hant-TW", "sr-Latn", "es-419", "de-DE-u-co-phonebk"] {
            assert!(is_language(tag), "{tag}");
        }
        for text in ["", "e", "english language", "de_CH", "de-", "-de", "123", "de-CH-abcdefghi", "d\u{e9}"]
        {
            assert!(!is_language(text), "{text}");
        }
    }
}
