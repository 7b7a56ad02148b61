//! Messages in responses.

use serde::Serialize;
use storage::Row;
use storage::records::Message;
use utoipa::ToSchema;

use crate::api::money::dollars;

/// A stored message. An alias, since the derived schema of a flattened field cannot have a generic type.
pub type StoredMessage = Row<Message>;

/// A message of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationMessage {
    #[serde(flatten)]
    pub message: StoredMessage,
    /// Cost of the message, in dollars.
    #[schema(example = "0.000001250")]
    pub cost: String,
}

impl From<Row<Message>> for ConversationMessage {
    fn from(message: Row<Message>) -> Self {
        Self { cost: dollars(message.cost_nanos), message }
    }
}
