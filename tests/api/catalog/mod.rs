//! Packages: the catalog, installations, and adoption of existing resources.

mod adoption;
mod claims;
mod install;
mod killed;
mod listing;
mod people;
pub mod scene;
mod shipped;
mod sources;
mod trust;
mod update;
mod update_laws;
