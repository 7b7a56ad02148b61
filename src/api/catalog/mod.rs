//! Packages: the catalog, installations, and adoption of existing resources.
//!
//! An installation and its resources belong to the user who installed the package: everything is created and changed by the same functions
//! that the requests of the other areas use, in one transaction.

mod adoption;
mod commit;
mod faults;
mod install;
mod installations;
mod installed;
pub(crate) mod kinds;
mod list;
pub(crate) mod merge;
mod plan;
mod prepared;
mod requirements;
mod resource_creation;
mod routes;
mod schema;
mod update;
mod view;

use crate::http::operations;

operations!(mod routes, installations, adoption);
