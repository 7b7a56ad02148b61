//! Packages: what there is, what is installed, and what could be under a manifest.

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
