//! Favourite assistants.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A user's favourite assistants in a tenant. Its id is the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Favourites {
    /// In display order.
    pub assistants: Vec<Uuid>,
}

impl Record for Favourites {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"fa";
    const NAME: &'static str = "favourites";
    const GROWTH: Growth<Self> = Growth::OnePer("user, with 200 assistants");
}
