//! Packages: what there is, what is installed, and what could be under a manifest.
//!
//! An installation belongs to whoever made it, and so does what it consists of: everything is made and changed by the
//! very functions that the other areas' requests go through, in one transaction.

mod adoption;
mod commit;
mod faults;
mod install;
mod installations;
mod installed;
mod kinds;
mod list;
mod making;
mod merge;
mod plan;
mod prepared;
mod requirements;
mod routes;
mod schema;
mod update;
mod view;

use crate::http::operations;

operations!(mod routes, installations, adoption);
