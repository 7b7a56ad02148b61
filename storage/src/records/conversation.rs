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
    /// It has no title.
    #[default]
    None,
    /// Made from the first exchange.
    Made,
    /// Set by the user; never replaced by a generated one.
    Given,
}

/// A conversation; its messages are records of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Conversation {
    pub title: Option<String>,
    /// Where the title comes from.
    pub title_source: TitleSource,
    /// The assistant that answers.
    pub assistant_id: Option<Uuid>,
    /// The project it belongs to.
    pub project_id: Option<Uuid>,
    /// Whose it is.
    pub owner: Uuid,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether the platform made it for its own purposes.
    pub is_system: bool,
    /// Whether it is put away.
    pub archived: bool,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The message at the end of the branch shown.
    pub current_message_id: Option<Uuid>,
    /// Data of clients.
    #[schema(value_type = Object)]
    pub user_data: Map<String, Value>,
    /// How many messages it has, on all branches.
    pub message_count: u64,
    /// Skills switched on in it.
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
