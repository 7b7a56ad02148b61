//! How messages are shown.

use serde::Serialize;
use storage::Row;
use storage::records::Message;
use utoipa::ToSchema;

/// A message as it is kept.
pub type Kept = Row<Message>;

/// A message of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationMessage {
    /// The message as it is kept.
    #[serde(flatten)]
    pub message: Kept,
    /// What it cost, in dollars.
    #[schema(example = "0.000001250")]
    pub cost: String,
}

impl From<Row<Message>> for ConversationMessage {
    fn from(message: Row<Message>) -> Self {
        Self { cost: dollars(message.cost_nanos), message }
    }
}

/// Nano-dollars as dollars, exactly.
pub fn dollars(nanos: impl Into<i128>) -> String {
    let nanos: i128 = nanos.into();
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn money_is_exact() {
        assert_eq!(dollars(0), "0.000000000");
        assert_eq!(dollars(1_250), "0.000001250");
        assert_eq!(dollars(12_000_000_001_i64), "12.000000001");
        assert_eq!(dollars(-1), "-0.000000001");
    }
}
