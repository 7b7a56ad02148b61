//! What all areas share: credentials, errors, reading requests, answering them.

mod access;
mod answers;
mod area;
mod body;
mod context;
pub mod credentials;
mod document;
mod entrance;
mod error;
mod faults;
mod headers;
mod health;
mod limits;
mod metrics;
mod paging;
mod patch;
mod problem;
mod reading;
mod reference;
pub mod scopes;
pub mod serving;
mod upload;
pub mod wires;

pub use access::{Access, AccessRule, Arguments, Auth, Found, Loadable, Open};
pub use answers::{Accepted, Created, HasVersion, IfMatch, NoContent, Versioned, streaming};
pub use area::{Area, Described, operations};
pub use body::{Json, LargeJson, Path, PathValue, PathValues, Query, read_json};
pub use context::request_id;
pub use credentials::Caller;
pub use document::document;
pub(crate) use entrance::address_of;
pub use error::{Api, ApiError, Code};
pub use faults::{Fault, Faults, Step, Validate};
pub use limits::Limits;
pub(crate) use metrics::{install as install_metrics, upkeep as metrics_upkeep};
pub use paging::{DEFAULT_PAGE, LARGEST_PAGE, Paging};
pub use patch::Patch;
pub use problem::{Problem, ValidationError};
pub use scopes::{Admin, Editor, Member, Scope, ScopeSet};
pub use upload::{Multipart, MultipartForm, UploadedFile};

pub use crate::list_of;
