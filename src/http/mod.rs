//! What all areas share: credentials, errors, reading requests, answering them.

mod access;
mod area;
mod body;
mod browser;
mod context;
pub mod credentials;
pub(crate) mod csv;
mod document;
mod download;
pub mod encodings;
mod endpoint;
mod error;
mod head;
mod headers;
mod health;
mod http2;
pub mod idempotency;
mod join;
mod limits;
mod loadable;
pub(crate) mod media_type;
mod metrics;
mod middleware;
mod page;
mod paging;
mod problem;
mod query;
mod reference;
pub mod register;
mod responders;
pub mod scopes;
pub mod serving;
mod traced;
mod trailing_slash;
pub(crate) mod upload;
pub(crate) mod validation;
mod whole_reads;

pub use access::{Access, AccessRule, Argument, Arguments, Auth, Loads, Open};
pub use area::{Area, Described, operations};
pub use body::{Json, LargeJson, NoBody, OptionalJson, Path, PathValue, PathValues, read_json};
pub use browser::Browser;
pub use context::request_id;
pub use document::{ambiguous_schemas, document};
pub(crate) use domain::access::level_name;
pub use domain::{
    Caller, Code, Fault, Faults, Patch, Refusal, Scope, ScopeSet, Step, UNFIT_FOR_NAMES, Validate,
    is_unfit_for_names, is_unseen,
};
pub use download::{Download, download};
pub use error::{Api, ErrorResponse, RefusalResponse, status_of};
pub use limits::Limits;
pub use loadable::{Checked, Found, Loadable, Unloaded};
pub(crate) use metrics::{current as current_metrics, upkeep as metrics_upkeep};
pub(crate) use middleware::address_of;
pub use page::Page;
pub use paging::{DEFAULT_PAGE, LARGEST_PAGE, PAGE_BYTES, Paging};
pub use problem::{Problem, ValidationError};
pub(crate) use query::read as read_query;
pub use query::{OnlyQuery, Query};
pub use responders::{Accepted, Created, HasVersion, IfMatch, NoContent, Versioned, streaming};
pub use scopes::{Admin, Editor, InPerson, InSession, Member, Own, Platform, ToEdit, ToOwn};
pub use upload::{Multipart, MultipartForm, UploadedFile};
pub(crate) use upload::{media_type as sniffed_type, plain_name};
pub use whole_reads::WholeReads;

pub use crate::list_of;
