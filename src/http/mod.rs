//! HTTP infrastructure shared by all areas: credentials, errors, reading requests and building responses.

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
mod error_codes;
mod head;
mod headers;
mod http2;
pub mod idempotency;
mod index;
pub(crate) mod join;
mod limits;
mod loadable;
pub(crate) mod media_type;
mod middleware;
mod page;
mod paging;
mod path_order;
mod problem;
mod query;
mod record_requests;
mod record_view;
pub(crate) mod reference;
mod register;
mod responders;
pub mod scopes;
pub mod serving;
mod state;
mod traced;
mod trailing_slash;
pub(crate) mod upload;
pub(crate) mod validation;
mod whole_reads;

pub use access::{Access, AccessRule, Argument, Arguments, Auth, Loads, Open, Signature};
pub use area::{Area, AreaEntry, OperationDescription, OperationEntry, operations};
pub use body::{EmptyBody, Json, LargeJson, OptionalJson, Path, PathValue, PathValues, read_json};
pub use browser::Browser;
pub use context::request_id;
pub use document::FULL_SCHEMA;
pub(crate) use domain::access::level_name;
pub use domain::{
    Caller, Code, Fault, Faults, Patch, Refusal, Scope, ScopeSet, Step, UNFIT_FOR_NAMES, Validate,
    is_unfit_for_names, is_unseen,
};
pub use download::{Download, StoredFile, download, send_file};
pub use error::{Api, ErrorResponse, RefusalResponse, status_of};
pub use index::Index;
pub use limits::Limits;
pub use loadable::{Checked, Loadable, Loaded, Unloaded};
pub(crate) use middleware::address_of;
pub use page::Page;
pub use paging::{DEFAULT_PAGE, MAX_PAGE, PAGE_BYTES, Paging};
pub use problem::{Problem, ValidationError};
pub(crate) use query::read as read_query;
pub use query::{Query, StrictQuery};
pub(crate) use record_requests::record_requests;
pub(crate) use record_view::record_view;
pub use register::Registered;
pub use responders::{Accepted, Created, HasVersion, IfMatch, NoContent, Versioned, streaming};
pub(crate) use responders::{DocumentedResponder, Schemas, document_json};
pub use scopes::{Admin, Editor, InPerson, InSession, Member, Own, Platform, ToEdit, ToOwn};
pub use state::HttpState;
pub use upload::{FormBody, Multipart, MultipartForm, UploadedFile};
pub(crate) use upload::{media_type as sniffed_type, plain_name};
pub use whole_reads::WholeReads;

pub use crate::list_of;
