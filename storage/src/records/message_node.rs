//! Positions of messages in the tree of their conversation.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record, Row};
use crate::records::{Message, MessageRole, Part};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Maximum length of a preview, in characters.
const PREVIEW: usize = 120;

/// The position of a message in the tree of its conversation. Its id is that of the message. It is small, so that a
/// branch can be followed, and its siblings found, without reading messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageNode {
    /// The message that this one answers.
    pub parent_id: Option<Uuid>,
    /// An ancestor. These form a skip list, in which every ancestor is reached in a number of steps that is logarithmic
    /// in the depth. `None` for a first message.
    pub jump_id: Option<Uuid>,
    /// Number of ancestors.
    pub depth: u32,
    /// Number of messages of the user among the ancestors and the message itself.
    pub user_messages: u32,
    pub role: MessageRole,
    /// Time at which the message was created, which may be before the node was.
    pub message_created_at: Timestamp,
    /// Beginning of the text of a user's message, or the names of its files if it has no text.
    pub preview: String,
}

impl MessageNode {
    /// Creates the node of a message, without its position.
    pub(crate) fn unplaced(row: &Row<Message>) -> Self {
        Self {
            parent_id: row.parent_id,
            role: row.role,
            message_created_at: row.created_at,
            preview: if row.role == MessageRole::User { preview(row) } else { String::new() },
            user_messages: u32::from(row.role == MessageRole::User),
            ..Self::default()
        }
    }

    /// Places the node below its parent. `ancestor` returns the node of an ancestor.
    pub(crate) fn place<E>(
        &mut self,
        parent: Uuid,
        ancestor: impl Fn(Uuid) -> Result<Option<Self>, E>,
    ) -> Result<(), E> {
        let Some(above) = ancestor(parent)? else { return Ok(()) };
        // The jumps of a first message lead to itself.
        let jump = above.jump_id.unwrap_or(parent);
        let first = ancestor(jump)?;
        let next = first.as_ref().and_then(|node| node.jump_id).unwrap_or(jump);
        let second = if next == jump { first.clone() } else { ancestor(next)? };
        let depth = |node: &Option<Self>| node.as_ref().map_or(0, |node| node.depth);
        let equally_long = above.depth - depth(&first).min(above.depth) == depth(&first) - depth(&second);
        self.jump_id = Some(if equally_long { next } else { parent });
        self.depth = above.depth + 1;
        self.user_messages += above.user_messages;
        Ok(())
    }
}

/// Returns the beginning of the text of a message with single spaces, or the names of its files.
fn preview(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let text = shortened(texts.flat_map(str::split_whitespace), " ");
    match text.is_empty() {
        true => shortened(message.attachments.iter().map(|file| file.filename.as_str()), ", "),
        false => text,
    }
}

fn shortened<'a>(words: impl Iterator<Item = &'a str>, separator: &str) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for word in words {
        if length > 0 {
            text.push_str(separator);
            length += separator.len();
        }
        for character in word.chars() {
            if length >= PREVIEW {
                return text;
            }
            text.push(character);
            length += 1;
        }
    }
    text
}

impl Record for MessageNode {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"mt";
    const NAME: &'static str = "message_node";
    const GROWTH: Growth<Self> = Growth::OnePer("message");
    const HAS_OWN_WRITES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"m3",
        name: "by_parent",
        unique: false,
        // First messages are siblings of each other; no message has the nil id as its parent.
        keys: |row| {
            let parent = row.parent_id.unwrap_or_default();
            vec![IndexKey::new().id(&row.id.0).id(&parent).moment(row.message_created_at).done()]
        },
    }];
}
