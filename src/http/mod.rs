//! What all areas share: credentials, errors, reading requests, answering them.

mod access;
mod answers;
mod area;
mod body;
mod browser;
mod context;
pub mod credentials;
pub(crate) mod csv;
pub mod decision;
mod document;
mod download;
mod entrance;
mod error;
mod faults;
mod head;
mod headers;
mod health;
mod http2;
mod join;
mod limits;
pub(crate) mod media_type;
mod metrics;
mod page;
mod paging;
mod patch;
mod problem;
mod reading;
mod reference;
pub mod register;
pub mod repetition;
pub mod scopes;
pub mod serving;
mod slash;
mod traced;
pub(crate) mod upload;
mod whole_reads;
pub mod wires;

pub use access::{Access, AccessRule, Argument, Arguments, Auth, Found, Loadable, Loads, Open};
pub(crate) use access::{lacking, level_name};
pub use answers::{Accepted, Created, HasVersion, IfMatch, NoContent, Versioned, streaming};
pub use area::{Area, Described, operations};
pub use body::{
    Json, LargeJson, NoBody, OnlyQuery, OptionalJson, Path, PathValue, PathValues, Query, read_json,
};
pub use browser::Browser;
pub use context::request_id;
pub use credentials::Caller;
pub use document::{ambiguous_schemas, document};
pub use download::{Download, download};
pub(crate) use entrance::address_of;
pub use error::{Api, ApiError, Code};
pub use faults::{Fault, Faults, Limit, Step, UNFIT_FOR_NAMES, Validate, is_unfit_for_names, is_unseen};
pub use limits::Limits;
pub(crate) use metrics::{current as current_metrics, upkeep as metrics_upkeep};
pub use page::Page;
pub use paging::{DEFAULT_PAGE, LARGEST_PAGE, PAGE_BYTES, Paging};
pub use patch::Patch;
pub use problem::{Problem, ValidationError};
pub use scopes::{Admin, Editor, InPerson, InSession, Member, Own, Platform, Scope, ScopeSet, ToEdit, ToOwn};
pub use upload::{Multipart, MultipartForm, UploadedFile};
pub(crate) use upload::{media_type as sniffed_type, plain_name};
pub use whole_reads::WholeReads;

pub use crate::list_of;
