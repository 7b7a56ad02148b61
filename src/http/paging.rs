//! Pagination of lists.

use domain::Refusal;
pub use domain::paging::PAGE_BYTES;
use domain::{Faults, Validate};
use serde::Deserialize;
use storage::{Cursor, Scan};
use utoipa::IntoParams;

/// The number of items on a page unless the caller sets a limit.
pub const DEFAULT_PAGE: u32 = 50;
/// The maximum number of items on a page.
pub const MAX_PAGE: u32 = 200;

/// Selects a page of a list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    /// The maximum number of items. A page of large items ends earlier, once the items take 4 MiB.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The position at which the page begins: the `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

fn default_page() -> u32 {
    DEFAULT_PAGE
}

impl Default for Paging {
    fn default() -> Self {
        Self { limit: DEFAULT_PAGE, cursor: None }
    }
}

impl Validate for Paging {
    fn validate(&self, faults: &mut Faults) {
        if self.cursor.as_deref().is_some_and(|cursor| Cursor::parse(cursor).is_err()) {
            faults.add(["cursor"], "is not a cursor of this list", "malformed");
        }
    }
}

impl Paging {
    /// The row after which the page begins.
    pub fn after(&self) -> Result<Option<Cursor>, Refusal> {
        Ok(self.cursor.as_deref().map(Cursor::parse).transpose()?)
    }

    /// Limits a scan to this page.
    pub fn scan(&self, scan: Scan) -> Result<Scan, Refusal> {
        Ok(scan.limit(self.limit as usize).bytes(PAGE_BYTES).after(self.after()?))
    }
}

/// Declares the response of a list operation: `{items, total?, next_cursor?}`.
#[macro_export]
macro_rules! list_of {
    ($(#[$meta:meta])* pub $list:ident of $item:ty) => {
        $(#[$meta])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        pub struct $list {
            pub items: Vec<$item>,
            /// The total number of items, if known.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            pub total: Option<u64>,
            /// The cursor of the next page; absent on the last page.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            pub next_cursor: Option<String>,
        }

        impl<T: Into<$item>> From<storage::Page<T>> for $list {
            fn from(page: storage::Page<T>) -> Self {
                let next_cursor = page.next.as_ref().map(ToString::to_string);
                Self { items: page.items.into_iter().map(Into::into).collect(), total: None, next_cursor }
            }
        }
    };
}
