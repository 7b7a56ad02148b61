//! Requests and responses about memories.

use domain::memories::{MemoryFilter, MemoryScope, NewMemory, UpdateMemory};
use serde::Deserialize;
use storage::records::{Memory, MemorySource};
use storage::{Cursor, Row, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{Api, DEFAULT_PAGE, Faults, Paging, Patch, Validate, list_of};

/// A memory is shown as it is stored.
pub type MemoryResponse = Row<Memory>;

list_of! {
    /// A page of memories, oldest first.
    #[derive(Debug)]
    pub MemoryResponseList of MemoryResponse
}

/// Something to be remembered of the caller.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateMemoryRequest {
    /// What is to be remembered.
    #[schema(min_length = 1, max_length = 2000)]
    pub content: String,
    /// The one assistant that is to know it; without one, all do.
    pub assistant_id: Option<Uuid>,
    /// Until when it is used; for ever, unless it says.
    pub expires_at: Option<Timestamp>,
}

impl Validate for CreateMemoryRequest {
    const TRIMMED: &'static [&'static str] = &["content"];

    fn validate(&self, faults: &mut Faults) {
        future(faults, self.expires_at);
    }
}

impl From<CreateMemoryRequest> for NewMemory {
    fn from(CreateMemoryRequest { content, assistant_id, expires_at }: CreateMemoryRequest) -> Self {
        Self { content, assistant_id, expires_at }
    }
}

/// What is to be changed of a memory; what is left out stays, and `null` clears.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateMemoryRequest {
    /// What is to be remembered.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 2000)]
    pub content: Patch<String>,
    /// The one assistant that is to know it; `null` for all.
    #[schema(value_type = Option<Uuid>)]
    pub assistant_id: Patch<Uuid>,
    /// Until when it is used; `null` for ever.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Patch<Timestamp>,
    /// The version that is changed; if it is another by now, the answer is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateMemoryRequest {
    const TRIMMED: &'static [&'static str] = &["content"];

    fn validate(&self, faults: &mut Faults) {
        if matches!(self.content, Patch::Clear) {
            faults.add(["content"], "cannot be empty", "too_short");
        }
        future(faults, self.expires_at.as_set().copied());
    }
}

impl From<UpdateMemoryRequest> for UpdateMemory {
    fn from(body: UpdateMemoryRequest) -> Self {
        let UpdateMemoryRequest { content, assistant_id, expires_at, version } = body;
        Self { content, assistant_id, expires_at, version }
    }
}

fn future(faults: &mut Faults, expires_at: Option<Timestamp>) {
    if expires_at.is_some_and(|at| at <= Timestamp::now()) {
        faults.add(["expires_at"], "is in the past", "out_of_range");
    }
}

/// Which of the caller's memories.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListMemories {
    /// Only those that the caller (`manual`) or a model (`auto`) wrote down.
    #[param(inline)]
    pub source: Option<MemorySource>,
    /// Also those that only one assistant knows.
    #[serde(default)]
    pub with_assistants: bool,
    /// How many at most.
    #[serde(default = "fifty")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
}

fn fifty() -> u32 {
    DEFAULT_PAGE
}

impl ListMemories {
    /// The filter of the caller's list.
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
