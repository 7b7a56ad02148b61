//! Skills and their builder.

pub mod builder;
mod builder_people;
mod documented;
mod listing;
mod people;
pub mod scene;
mod update;
mod upload;
mod usage;
