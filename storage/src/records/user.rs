//! Users.

use super::ChannelChoice;
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::reader::Reader;
use crate::record::{Growth, Index, Record, Row};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;
use uuid::Uuid;

/// What a user is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// A person.
    #[default]
    Human,
    /// A program: no password, tokens only.
    ServiceAccount,
}

/// What a user chose for themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct UserPreferences {
    /// The look.
    pub theme: Option<String>,
    /// The language, as BCP 47 has it.
    pub language: Option<String>,
    /// The model used where neither request nor assistant names one.
    pub default_model: Option<String>,
    /// The full ids of the models that are offered first.
    pub favourite_models: Vec<String>,
    /// Whether models get memories; `null` is yes.
    pub use_memories: Option<bool>,
    /// Whether models may write down what they learn of the user; `null` is no.
    pub make_memories: Option<bool>,
    /// By which ways they are told things, in all tenants, where the preferences of a tenant leave it open; `null` is as
    /// usual.
    pub notification_defaults: Option<ChannelChoice>,
}

/// Someone who signs in. Kept in the system partition; the password's hash is a
/// [`PasswordHash`](super::PasswordHash).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct User {
    /// The address, in lower case and NFC; no two users have the same.
    pub email: String,
    /// The name shown.
    pub display_name: String,
    /// Person or program.
    pub kind: UserKind,
    /// Whether they may manage tenants.
    pub platform_admin: bool,
    /// Whether they are disabled.
    pub disabled: bool,
    /// A text added to the prompts of their conversations.
    pub custom_prompt: Option<String>,
    /// Their choices.
    pub preferences: UserPreferences,
}

impl Record for User {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"us";
    const NAME: &'static str = "user";
    const GROWTH: Growth<Self> = Growth::OnePer("person, with fields of bounded length");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"u3",
        name: "email",
        unique: true,
        keys: |row| vec![User::email_key(&row.email)],
    }];

    /// What users choose for themselves decides nothing.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| (row.email.clone(), row.kind, row.platform_admin, row.disabled);
        before.is_some() && before.map(facts) != after.map(facts)
    }
}

impl User {
    /// The spelling of an address that is stored: lower case, and composed characters (NFC), so that the two ways to
    /// write an accent are one address.
    pub fn normal_email(email: &str) -> String {
        // Lower case first: it may decompose. `İ` becomes two characters.
        email.to_lowercase().nfc().collect()
    }

    /// Whether two addresses are one.
    pub fn same_email(one: &str, other: &str) -> bool {
        Self::normal_email(one) == Self::normal_email(other)
    }

    /// The spellings of an address under which something may be stored, the one that is stored today first: older
    /// records have addresses as they were given.
    pub fn spellings(email: &str) -> Vec<String> {
        let normal = Self::normal_email(email);
        let (lowercase, decomposed) = (email.to_lowercase(), normal.nfd().collect::<String>());
        let mut spellings = vec![normal];
        for other in [lowercase, decomposed] {
            if !spellings.contains(&other) {
                spellings.push(other);
            }
        }
        spellings
    }

    /// The user of an address, however the address is spelt, and however it was spelt when the account was made.
    ///
    /// # Errors
    /// Those of the store.
    pub fn by_email(reader: &Reader, email: &str) -> Result<Option<Row<Self>>> {
        for spelling in Self::spellings(email) {
            let found = reader.by_unique::<Self>(TenantId::SYSTEM, "email", &Self::email_key(&spelling))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The value of the unique index `email`; letter case does not count.
    pub fn email_key(email: &str) -> Vec<u8> {
        IndexKey::new().text(&email.to_lowercase()).done()
    }
}
