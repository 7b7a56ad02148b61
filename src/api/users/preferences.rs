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

/// The preferences of the caller. `null` stands for the default.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserPreferencesResponse {
    /// The preferences that are set.
    #[serde(flatten)]
    pub preferences: UserPreferences,
    /// The version of the account, which starts at 1 and increases with every change.
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

/// Changes to preferences. Omitted fields do not change; `null` restores the default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateUserPreferencesBody {
    /// The color theme.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 50, example = "dark")]
    pub theme: Patch<String>,
    /// The language, as a BCP 47 language tag.
    #[schema(value_type = Option<String>, min_length = 2, max_length = 35, example = "de-CH")]
    pub language: Patch<String>,
    /// The model that answers if neither the request nor the assistant names one.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200, example = "builtin/scribe")]
    pub default_model: Patch<String>,
    /// The models to offer first, in this order. `null` stands for none.
    #[schema(value_type = Option<Vec<String>>, max_items = 200, example = json!(["builtin/scribe"]))]
    pub favourite_models: Patch<Vec<String>>,
    /// Whether memories are included in prompts. `null` stands for yes.
    #[schema(value_type = Option<bool>)]
    pub use_memories: Patch<bool>,
    /// Whether models may store what they learn about the user. `null` stands for no.
    #[schema(value_type = Option<bool>)]
    pub make_memories: Patch<bool>,
    /// The notification channels for all tenants. They apply if the notification preferences of a tenant do not
    /// set a channel. `null` restores the defaults.
    #[schema(value_type = Option<ChannelChoice>)]
    pub notification_defaults: Patch<ChannelChoice>,
    /// The version to change. If the current version differs, the response is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateUserPreferencesBody {
    const TRIMMED: &'static [&'static str] = &["theme"];

    fn validate(&self, faults: &mut Faults) {
        if self.language.as_set().is_some_and(|language| !is_language(language)) {
            faults.add(["language"], "is not a BCP 47 language tag, such as `en` or `de-CH`", "malformed");
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

/// Whether a text has the form of a language tag: a language of letters, followed by subtags of letters and
/// digits. No registry is consulted.
pub fn is_language(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let first = subtags.next().unwrap_or_default();
    let is_first = (2..=8).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_other =
        |sub: &str| (1..=8).contains(&sub.len()) && sub.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_first && subtags.all(is_other)
}

/// Retrieve the caller's preferences.
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

/// Update the caller's preferences.
///
/// Omitted fields do not change; `null` restores the default.
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
