//! Conversations.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// Where a conversation's title comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// The conversation has no title.
    #[default]
    None,
    /// Generated from the first exchange.
    Made,
    /// Set by the user. Never replaced by a generated one.
    Given,
}

/// A conversation. Its messages are separate records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Conversation {
    pub title: Option<String>,
    /// Where the title comes from.
    pub title_source: TitleSource,
    /// The assistant that responds.
    pub assistant_id: Option<Uuid>,
    /// The project that the conversation belongs to.
    pub project_id: Option<Uuid>,
    /// The user who owns the conversation.
    pub owner: Uuid,
    /// The model that responds.
    pub model: Option<String>,
    /// Whether the platform created the conversation for its own purposes.
    pub is_system: bool,
    /// Whether the conversation is archived.
    pub archived: bool,
    /// Whether the conversation is pinned.
    pub pinned: bool,
    /// The last message of the selected branch.
    pub current_message_id: Option<Uuid>,
    /// Arbitrary data of the client.
    #[schema(value_type = Object)]
    pub user_data: Map<String, Value>,
    /// Number of messages on all branches.
    pub message_count: u64,
    /// Skills that are enabled in the conversation.
    pub skills: Vec<Uuid>,
}

impl Record for Conversation {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"co";
    const NAME: &'static str = "conversation";
    const GROWTH: Growth<Self> = Growth::metered(
        |_, row| Owner::User(row.owner),
        "its messages, `limits.conversation_messages` and `limits.conversation_mib`",
    );
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"c1",
            name: "by_owner_updated",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.owner).moment(row.updated_at).done()],
        },
        Index {
            table: *b"c2",
            name: "by_assistant",
            unique: false,
            keys: |row| row.assistant_id.iter().map(|id| IndexKey::new().id(id).done()).collect(),
        },
        Index {
            table: *b"c3",
            name: "by_project",
            unique: false,
            keys: |row| {
                let key = |id| IndexKey::new().id(id).moment(row.updated_at).done();
                row.project_id.iter().map(key).collect()
            },
        },
    ];

    fn notifies(id: &Uuid, _body: &Self) -> Option<Uuid> {
        Some(*id)
    }
}
