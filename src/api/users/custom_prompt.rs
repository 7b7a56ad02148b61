//! The text that users add to the prompts of their conversations.

use actix_web::web::Data;
use domain::accounts::profile;
use serde::{Deserialize, Serialize};
use storage::records::User;
use storage::{Row, TenantId, Tx};
use utoipa::ToSchema;

use crate::App;
use crate::http::InPerson;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{Api, Auth, HasVersion, IfMatch, Json, Validate, Versioned, operations};

/// The text that the caller adds to prompts.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserCustomPromptResponse {
    /// The text, if one is set.
    pub custom_prompt: Option<String>,
    /// The version of the account, which starts at 1 and increases with every change.
    pub version: u64,
}

impl HasVersion for UserCustomPromptResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

impl From<Row<User>> for UserCustomPromptResponse {
    fn from(row: Row<User>) -> Self {
        Self { version: row.version, custom_prompt: row.body.custom_prompt }
    }
}

/// The text to add to prompts.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateUserCustomPromptBody {
    /// The text. `null`, or white space only, removes it.
    #[schema(max_length = 8000)]
    pub custom_prompt: Option<String>,
    /// The version to replace. If the current version differs, the response is 412. `If-Match` has the same
    /// effect.
    pub version: Option<u64>,
}

impl Validate for UpdateUserCustomPromptBody {}

/// Retrieve the text that the caller adds to the prompts of their conversations.
#[utoipa::path(get, path = "/api/users/custom-prompt")]
async fn get_user_custom_prompt(
    auth: Auth<AccountRead, InPerson>,
    app: Data<App>,
) -> Api<Versioned<UserCustomPromptResponse>> {
    let user = auth.user;
    let row = app.store.read(move |reader| reader.require::<User>(TenantId::SYSTEM, &user)).await?;
    Ok(Versioned(row.into()))
}

/// Replace the text that the caller adds to the prompts of their conversations.
///
/// The text follows the instructions of the assistant and the project. It applies from the next completion.
#[utoipa::path(put, path = "/api/users/custom-prompt")]
async fn update_user_custom_prompt(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateUserCustomPromptBody>,
) -> Api<Versioned<UserCustomPromptResponse>> {
    let (caller, precondition) = (auth.caller(), if_match.precondition());
    let UpdateUserCustomPromptBody { custom_prompt, version } = new;
    let set = move |tx: &mut Tx| {
        profile::set_custom_prompt(tx, &caller, &precondition, custom_prompt.clone(), version)
    };
    app.store.run(set).await.map(|row| Versioned(row.into()))
}

operations!(get_user_custom_prompt, update_user_custom_prompt);
