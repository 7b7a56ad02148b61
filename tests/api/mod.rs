//! One file an area, as in `src/api`.

mod assistants;
mod audio;
mod auth;
mod automations;
mod base;
mod chat;
mod conversations;
mod gateway;
mod knowledge_bases;
mod memories;
mod skills;
pub mod streams;
mod tenant_admin;
mod texts;
mod users;
mod video;
mod workflows;
