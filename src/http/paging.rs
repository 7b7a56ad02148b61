//! Lists, page by page.

use domain::Refusal;
pub use domain::paging::PAGE_BYTES;
use domain::{Faults, Validate};
use serde::Deserialize;
use storage::{Cursor, Scan};
use utoipa::IntoParams;

/// How many items a page has unless the caller says.
pub const DEFAULT_PAGE: u32 = 50;
/// How many items a page has at most.
pub const LARGEST_PAGE: u32 = 200;

/// Which page of a list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    /// How many items at most. A page of large items ends earlier, once they take 4 MiB.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Where to go on: the `next_cursor` of the page before.
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
    /// The row that the page begins after.
    pub fn after(&self) -> Result<Option<Cursor>, Refusal> {
        Ok(self.cursor.as_deref().map(Cursor::parse).transpose()?)
    }

    /// Limits a scan to this page.
    pub fn scan(&self, scan: Scan) -> Result<Scan, Refusal> {
        Ok(scan.limit(self.limit as usize).bytes(PAGE_BYTES).after(self.after()?))
    }
}

/// Declares the answer of a list operation: `{items, total?, next_cursor?}`.
#[macro_export]
macro_rules! list_of {
    ($(#[$meta:meta])* pub $list:ident of $item:ty) => {
        $(#[$meta])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        pub struct $list {
            pub items: Vec<$item>,
            /// How many there are in all, where that is known.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub total: Option<u64>,
            /// Where the next page begins; absent at the end.
            #[serde(skip_serializing_if = "Option::is_none")]
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
