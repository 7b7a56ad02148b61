//! User accounts.

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

/// The kind of a user account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// A person.
    #[default]
    Human,
    /// A program: no password, only API tokens.
    ServiceAccount,
}

/// The user's own settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct UserPreferences {
    /// Theme of the user interface.
    pub theme: Option<String>,
    /// Language, as a BCP 47 tag.
    pub language: Option<String>,
    /// The model used if neither the request nor the assistant specifies one.
    pub default_model: Option<String>,
    /// Full ids of the models that are offered first.
    pub favourite_models: Vec<String>,
    /// Whether memories are passed to models; `null` means yes.
    pub use_memories: Option<bool>,
    /// Whether models may create memories about the user; `null` means no.
    pub make_memories: Option<bool>,
    /// Notification channels for all tenants, unless the preferences in a tenant specify otherwise; `null` means the
    /// default channels.
    pub notification_defaults: Option<ChannelChoice>,
}

/// A user account. Stored in the system partition. The password hash is a [`PasswordHash`](super::PasswordHash).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct User {
    /// The email address, in lower case and NFC; unique.
    pub email: String,
    /// Name shown to other users.
    pub display_name: String,
    /// Person or program.
    pub kind: UserKind,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// Whether the account is disabled.
    pub disabled: bool,
    /// Text that is added to the prompts of the user's conversations.
    pub custom_prompt: Option<String>,
    /// The user's own settings.
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

    /// The user's own settings do not affect permissions.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| (row.email.clone(), row.kind, row.platform_admin, row.disabled);
        before.is_some() && before.map(facts) != after.map(facts)
    }
}

impl User {
    /// Returns the stored form of an email address: lower case with composed characters (NFC), so that both ways to
    /// write an accent are the same address.
    pub fn normal_email(email: &str) -> String {
        // Convert to lower case first, because that may decompose a character: `İ` becomes two characters.
        email.to_lowercase().nfc().collect()
    }

    /// Returns whether two strings denote the same email address.
    pub fn same_email(one: &str, other: &str) -> bool {
        Self::normal_email(one) == Self::normal_email(other)
    }

    /// Returns the forms in which an email address may be stored, the current form first. Older records contain
    /// addresses as they were entered.
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

    /// Returns the user with an email address, regardless of how the address is spelled now and was spelled when the
    /// account was created.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn by_email(reader: &Reader, email: &str) -> Result<Option<Row<Self>>> {
        for spelling in Self::spellings(email) {
            let found = reader.by_unique::<Self>(TenantId::SYSTEM, "email", &Self::email_key(&spelling))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the key of the unique index `email`. Letter case is ignored.
    pub fn email_key(email: &str) -> Vec<u8> {
        IndexKey::new().text(&email.to_lowercase()).done()
    }
}
