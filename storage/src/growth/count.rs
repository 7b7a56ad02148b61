//! Limits on numbers of rows, each with its setting.

use super::LimitReached;
use crate::error::{Error, Result};
use crate::reader::Reader;

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $kind:ident $field:ident $most:literal: $unit:literal of $of:literal),+ $(,)?) => {
        /// The configured numbers; 0 means no limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct CountLimits {
            $($(#[doc = $doc])+ pub $field: u64,)+
        }

        impl Default for CountLimits {
            fn default() -> Self {
                Self { $($field: $most),+ }
            }
        }

        /// What is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counted {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl Counted {
            /// What is counted, of what, and the setting that holds the limit.
            const fn words(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Self::$kind => ($unit, $of, concat!("limits.", stringify!($field))),)+
                }
            }
        }

        impl CountLimits {
            fn of(&self, counted: Counted) -> u64 {
                match counted {
                    $(Counted::$kind => self.$field,)+
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
    /// Requests to join one tenant that wait for an answer.
    JoinRequests join_requests_per_tenant 1_000: "join requests" of "tenant",
    /// Memories of one user in one tenant.
    Memories memories_per_user 1_000: "memories" of "user",
    /// Addresses to which notifications of one user in one tenant are delivered.
    NotificationEndpoints notification_endpoints_per_user 20: "notification endpoints" of "user",
    /// Service accounts of one tenant.
    ServiceAccounts service_accounts_per_tenant 500: "service accounts" of "tenant",
}

impl Reader {
    /// How many there may be; `u64::MAX` where there is no limit.
    pub fn most(&self, counted: Counted) -> u64 {
        match self.counts.of(counted) {
            0 => u64::MAX,
            most => most,
        }
    }

    /// Refuses one more than `current` where that would exceed the limit, and counts the refusal.
    ///
    /// # Errors
    /// `LimitReached`.
    pub fn require_place(&self, counted: Counted, current: u64) -> Result<()> {
        let limit = self.most(counted);
        if current < limit {
            return Ok(());
        }
        let (unit, of, setting) = counted.words();
        telemetry::metrics::table::STORED_LIMIT_REFUSALS.add([setting], 1);
        Err(Error::LimitReached(Box::new(LimitReached { of, unit, limit, current, added: 1, setting })))
    }
}
