//! Requests and responses about memories.

use domain::memories::{MemoryFilter, MemoryInput, MemoryScope};
use serde::Deserialize;
use storage::records::{Memory, MemorySource};
use storage::{Cursor, Row, Timestamp};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::http::{Api, DEFAULT_PAGE, Faults, Paging, Patch, Validate, list_of, record_requests};

/// A memory as it is stored.
pub type MemoryResponse = Row<Memory>;

list_of! {
    /// A page of memories, oldest first.
    #[derive(Debug)]
    pub MemoryResponseList of MemoryResponse
}

record_requests! {
    create {
        /// A memory of the caller to create.
        CreateMemoryRequest
    }
    patch {
        /// Changes to a memory. Omitted fields do not change; `null` clears a field.
        UpdateMemoryRequest
    } into MemoryInput {
        required {
            /// The text of the memory.
            #[schema(min_length = 1, max_length = 2000)]
            content: String,
        }
        optional {
            /// The assistant to which the memory is limited. If omitted or `null`, the memory applies to all
            /// assistants.
            assistant_id: Uuid,
            /// When the memory expires. If omitted or `null`, it does not expire.
            expires_at: Timestamp,
        }
    }
}

impl Validate for UpdateMemoryRequest {
    const TRIMMED: &'static [&'static str] = &["content"];

    fn validate(&self, faults: &mut Faults) {
        if matches!(self.content, Patch::Clear) {
            faults.add(["content"], "cannot be empty", "too_short");
        }
        if self.expires_at.as_set().is_some_and(|at| *at <= Timestamp::now()) {
            faults.add(["expires_at"], "is in the past", "out_of_range");
        }
    }
}

/// Which of the caller's memories to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListMemories {
    /// Returns only memories that the caller (`manual`) or a model (`auto`) wrote.
    #[param(inline)]
    pub source: Option<MemorySource>,
    /// Whether to include memories that are limited to one assistant.
    #[serde(default)]
    pub with_assistants: bool,
    /// Returns only the memories with these ids, whatever their source and assistant, in this order and without paging. Repeat the
    /// parameter for several.
    #[param(max_items = 100)]
    pub ids: Option<Vec<Uuid>>,
    /// The maximum number of items to return.
    #[serde(default = "fifty")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

fn fifty() -> u32 {
    DEFAULT_PAGE
}

impl ListMemories {
    /// The filter for the caller's list of memories.
    pub fn filter(&self) -> Api<MemoryFilter> {
        let scope = if self.with_assistants { MemoryScope::Any } else { MemoryScope::AllAssistants };
        let after = self.cursor.as_deref().map(Cursor::parse).transpose()?;
        Ok(MemoryFilter { source: self.source, scope, limit: self.limit as usize, after })
    }
}

impl Validate for ListMemories {
    fn validate(&self, faults: &mut Faults) {
        Paging { limit: self.limit, cursor: self.cursor.clone() }.validate(faults);
    }
}
