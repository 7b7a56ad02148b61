//! Lists of assistants.

use domain::assistants::{self, AssistantFilter};
use serde::Deserialize;
use storage::records::AssistantType;
use storage::{Cursor, Reader};
use utoipa::IntoParams;

use super::view::{AssistantPublicResponse, AssistantPublicResponseList};
use crate::http::{Api, Caller, Faults, Validate};

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAssistants {
    /// Only assistants of this type.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// Only assistants that contain all of these words, in any order and case, in the name, the description or the category.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Maximum number of assistants per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for ListAssistants {
    fn default() -> Self {
        Self { kind: None, search: None, limit: 50, cursor: None }
    }
}

impl Validate for ListAssistants {
    fn validate(&self, faults: &mut Faults) {
        if self.cursor.as_deref().is_some_and(|cursor| Cursor::parse(cursor).is_err()) {
            faults.add(["cursor"], "is not a cursor of this list", "malformed");
        }
    }
}

impl ListAssistants {
    fn filter(&self) -> Api<AssistantFilter> {
        Ok(AssistantFilter {
            kind: self.kind,
            search: self.search.clone(),
            limit: self.limit as usize,
            after: self.cursor.as_deref().map(Cursor::parse).transpose()?,
        })
    }
}

/// Returns a page of the assistants that the caller may see.
pub fn list(reader: &Reader, caller: &Caller, query: &ListAssistants) -> Api<AssistantPublicResponseList> {
    let page = assistants::list(reader, caller, &query.filter()?)?;
    Ok(page.map(|row| AssistantPublicResponse::new(row, caller)).into())
}

/// Returns a page of the assistants in the bin that the caller may restore.
pub fn binned(reader: &Reader, caller: &Caller, query: &ListAssistants) -> Api<AssistantPublicResponseList> {
    let page = assistants::list_bin(reader, caller, &query.filter()?)?;
    Ok(page.map(|row| AssistantPublicResponse::new(row, caller)).into())
}
