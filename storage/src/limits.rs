//! Limits on stored data: their configuration, and the error of a transaction that would exceed one.

use std::fmt;

/// The configured limits; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredLimits {
    /// Messages of one conversation, on all branches.
    pub conversation_messages: u64,
    /// Bytes of the messages of one conversation, including their attachments.
    pub conversation_bytes: u64,
    /// Bytes stored for one user in one tenant.
    pub user_bytes: u64,
    pub tenant_bytes: u64,
    /// Limits on numbers of rows.
    pub counts: CountLimits,
}

/// A limit that a transaction would have exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The limited object, such as `conversation`, `user` or `tenant`.
    pub of: &'static str,
    /// The unit: `messages`, `bytes`, or the unit of a [`CountedResource`].
    pub unit: &'static str,
    pub limit: u64,
    /// The amount stored now.
    pub current: u64,
    /// The amount that the transaction would have added.
    pub added: u64,
    /// The setting that holds the limit.
    pub setting: &'static str,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, unit, limit, current, added, setting } = self;
        let remedy = match *of {
            _ if !["messages", "bytes"].contains(unit) => {
                "delete some, or ask the operator to raise the limit"
            }
            "conversation" => "start another conversation, or remove messages from this one",
            "user" => "delete conversations, files or other data, or ask the operator to raise the limit",
            _ => "delete data of the tenant, or ask the operator to raise the limit",
        };
        write!(
            f,
            "the {of} has {current} {unit}, and {added} more would exceed the limit of {limit} ({setting}); {remedy}"
        )
    }
}

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $kind:ident $field:ident $most:literal: $unit:literal of $of:literal),+ $(,)?) => {
        /// The configured limits on numbers of rows; 0 means no limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct CountLimits {
            $($(#[doc = $doc])+ pub $field: u64,)+
        }

        impl Default for CountLimits {
            fn default() -> Self {
                Self { $($field: $most),+ }
            }
        }

        /// A kind of row whose number is limited.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CountedResource {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl CountedResource {
            /// The unit, the limited object, and the setting that holds the limit.
            pub(crate) const fn words(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Self::$kind => ($unit, $of, concat!("limits.", stringify!($field))),)+
                }
            }
        }

        impl CountLimits {
            pub(crate) fn limit(&self, counted: CountedResource) -> u64 {
                match counted {
                    $(CountedResource::$kind => self.$field,)+
                }
            }
        }
    };
}

counts! {
    /// API tokens of one user in one tenant that are neither revoked nor expired.
    ApiTokens api_tokens_per_user 1_000: "API tokens" of "user",
    /// Automations of one user in one tenant.
    Automations automations_per_user 1_000: "automations" of "user",
    /// Data items of one assistant.
    DataItems data_items_per_assistant 10_000: "data items" of "assistant",
    /// Documents of one knowledge base.
    Documents documents_per_knowledge_base 100_000: "documents" of "knowledge base",
    /// Pending requests to join one tenant.
    JoinRequests join_requests_per_tenant 1_000: "join requests" of "tenant",
    /// Memories of one user in one tenant.
    Memories memories_per_user 1_000: "memories" of "user",
    /// Addresses to which notifications of one user in one tenant are delivered.
    NotificationEndpoints notification_endpoints_per_user 20: "notification endpoints" of "user",
    /// Service accounts of one tenant.
    ServiceAccounts service_accounts_per_tenant 500: "service accounts" of "tenant",
}
