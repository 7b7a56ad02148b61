//! Searches the members of a tenant.

use storage::records::{Membership, User, UserKind};
use storage::{Cursor, Page, Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::members::{self, Member};
use crate::paging::filter_page;
use crate::{Caller, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// Which members to list.
#[derive(Clone, Debug, Default)]
pub struct MemberFilter {
    /// Words that the name or the email address contains, in any order and case.
    pub words: Vec<String>,
    /// Only people, or only service accounts.
    pub kind: Option<UserKind>,
}

impl MemberFilter {
    /// Creates a filter for the words of a text.
    pub fn new(text: &str, kind: Option<UserKind>) -> Self {
        Self { words: text.split_whitespace().map(str::to_lowercase).collect(), kind }
    }

    /// Only administrators find disabled users.
    fn matches(&self, user: &User, caller: &Caller) -> bool {
        let has_words = || {
            let text = format!("{}\n{}", user.display_name, user.email).to_lowercase();
            self.words.iter().all(|word| text.contains(word))
        };
        (caller.is_admin() || !user.disabled)
            && self.kind.is_none_or(|kind| user.kind == kind)
            && (self.words.is_empty() || has_words())
    }
}

/// Returns a page of the members of the caller's tenant, oldest account first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn search(
    reader: &Reader,
    caller: &Caller,
    filter: &MemberFilter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Member>> {
    let read = |after, limit| {
        let members = Scan::index("by_tenant").prefix(caller.tenant.0.as_bytes());
        reader.scan::<Membership>(SYSTEM, members.after(after).limit(limit))
    };
    let is_wanted = |row: &Row<Membership>| {
        let user = reader.get::<User>(SYSTEM, &row.id.0)?;
        Ok(user.is_some_and(|user| filter.matches(&user, caller)))
    };
    let page = filter_page(after, limit, read, is_wanted)?;
    let mut items = Vec::with_capacity(page.items.len());
    for row in &page.items {
        items.extend(members::find(reader, caller.tenant, row.id.0)?);
    }
    Ok(Page { items, next: page.next })
}

/// Returns those of the users `ids` who are members of the caller's tenant and match, in the order of `ids`.
///
/// # Errors
/// Returns an error if storage fails.
pub fn by_ids(reader: &Reader, caller: &Caller, filter: &MemberFilter, ids: &[Uuid]) -> Result<Vec<Member>> {
    let mut members = Vec::with_capacity(ids.len());
    for id in ids {
        let member = members::find(reader, caller.tenant, *id)?;
        members.extend(member.filter(|member| filter.matches(&member.user, caller)));
    }
    Ok(members)
}
