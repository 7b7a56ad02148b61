//! One file an area, as in `src/api`.

mod assistants;
mod audio;
mod auth;
mod automations;
mod base;
mod chat;
mod conversations;
mod gateway;
mod groups;
mod joining;
mod knowledge_bases;
mod memories;
pub mod people;
mod projects;
pub mod skills;
pub mod streams;
mod teams;
mod tenant_admin;
mod texts;
pub mod usage;
mod users;
mod video;
pub mod workflows;
