//! Listing assistants.

use serde::Deserialize;
use storage::records::{Assistant, AssistantType, GrantLevel};
use storage::{Cursor, Reader, Row, Scan};
use utoipa::IntoParams;

use super::access;
use super::view::{AssistantPublicResponse, AssistantPublicResponseList};
use crate::api::conversations::sift;
use crate::http::{Api, Caller, Faults, Validate};

/// Which assistants to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAssistants {
    /// Only those of this type.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// Only those with these words, in whatever order and case, in the name, the description or the category.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
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

/// A page of the assistants that the caller may see.
pub fn list(reader: &Reader, caller: &Caller, asked: &ListAssistants) -> Api<AssistantPublicResponseList> {
    page(reader, caller, asked, |row| row.deleted_at.is_none() && access::level(row, caller).is_some())
}

/// A page of the assistants in the bin that the caller may take out of it.
pub fn binned(reader: &Reader, caller: &Caller, asked: &ListAssistants) -> Api<AssistantPublicResponseList> {
    let owned = |row: &Row<Assistant>| access::level(row, caller) == Some(GrantLevel::Owner);
    page(reader, caller, asked, |row| row.deleted_at.is_some() && owned(row))
}

fn page(
    reader: &Reader,
    caller: &Caller,
    asked: &ListAssistants,
    wanted: impl Fn(&Row<Assistant>) -> bool,
) -> Api<AssistantPublicResponseList> {
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let words = asked.search.as_deref().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let fits = |row: &Row<Assistant>| asked.kind.is_none_or(|kind| row.kind == kind) && has(row, &words);
    let wanted = |row: &Row<Assistant>| Ok(wanted(row) && fits(row));
    let page = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    let page = sift(after, asked.limit as usize, page, wanted)?;
    Ok(page.map(|row| AssistantPublicResponse::of(row, caller)).into())
}

/// Whether each word stands in what a list shows of it.
fn has(assistant: &Assistant, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let category = assistant.category.as_deref().unwrap_or_default();
    let shown = [assistant.name.as_str(), &assistant.description, category].join("\n").to_lowercase();
    words.iter().all(|word| shown.contains(word))
}
