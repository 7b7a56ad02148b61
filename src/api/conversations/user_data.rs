//! Data that clients store with a conversation: a JSON object of up to 32 KiB.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::Conversation;
use storage::{Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::ConversationsWrite;
use crate::http::{Api, Caller, Faults, Json, Loaded, Path, Refusal, Validate, operations};
use domain::conversations;

/// Maximum length of a key, in characters.
const KEY: usize = 100;

/// All user data of a conversation.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateConversationUserDataRequest {
    /// The new data, which replaces the stored data. Up to 32 KiB.
    #[schema(value_type = Object)]
    pub user_data: Map<String, Value>,
}

impl Validate for UpdateConversationUserDataRequest {
    fn validate(&self, faults: &mut Faults) {
        validate(&self.user_data, faults);
    }
}

/// One value of the user data of a conversation.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateConversationUserDataKeyRequest {
    /// The new value; `null` removes the key.
    #[schema(value_type = Option<Value>)]
    pub value: Value,
}

impl Validate for UpdateConversationUserDataKeyRequest {}

/// The user data of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationUserDataResponse {
    #[schema(value_type = Object)]
    pub user_data: Map<String, Value>,
    /// Version of the conversation after the change.
    pub version: u64,
}

/// Adds a fault for each key that is too long or empty.
pub fn validate(data: &Map<String, Value>, faults: &mut Faults) {
    for key in data.keys().filter(|key| !key_fits(key)) {
        let key = key.chars().take(KEY).collect::<String>();
        faults.add(["user_data", &key], format!("keys must have 1 to {KEY} characters"), "wrong_length");
    }
}

fn key_fits(key: &str) -> bool {
    !key.is_empty() && key.chars().take(KEY + 1).count() <= KEY
}

/// Replace the user data of a conversation.
#[utoipa::path(post, path = "/api/conversations/{conversation_id}/user_data")]
async fn update_conversation_user_data(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    Json(new): Json<UpdateConversationUserDataRequest>,
) -> Api<Json<ConversationUserDataResponse>> {
    let (caller, id) = (conversation.auth.caller(), conversation.id);
    let set = move |tx: &mut Tx| update(tx, &caller, id, |data| *data = new.user_data.clone());
    app.store.run(set).await.map(Json)
}

/// Set one value of the user data of a conversation.
#[utoipa::path(post, path = "/api/conversations/{conversation_id}/user_data/{key}",
    params(("conversation_id" = Uuid, Path), ("key" = String, Path, max_length = 100)))]
async fn update_conversation_user_data_key(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    Json(new): Json<UpdateConversationUserDataKeyRequest>,
) -> Api<Json<ConversationUserDataResponse>> {
    let (caller, id) = (conversation.auth.caller(), conversation.id);
    let Path((_, key)) = path;
    checked_key(&key)?;
    let set = move |tx: &mut Tx| update(tx, &caller, id, |data| put(data, &key, &new.value));
    app.store.run(set).await.map(Json)
}

fn checked_key(key: &str) -> Api<()> {
    let fault =
        || Refusal::invalid("path", ["key"], format!("must have 1 to {KEY} characters"), "wrong_length");
    key_fits(key).then_some(()).ok_or_else(fault)
}

fn put(data: &mut Map<String, Value>, key: &str, value: &Value) {
    match value {
        Value::Null => drop(data.remove(key)),
        value => drop(data.insert(key.to_owned(), value.clone())),
    }
}

fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    change: impl Fn(&mut Map<String, Value>),
) -> Api<ConversationUserDataResponse> {
    let row = conversations::update_user_data(tx, caller, id, change)?;
    Ok(ConversationUserDataResponse { version: row.version, user_data: row.body.user_data })
}

operations!(update_conversation_user_data, update_conversation_user_data_key);
