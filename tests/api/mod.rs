//! One file an area, as in `src/api`.

mod assistants;
mod auth;
mod automations;
mod base;
mod chat;
mod conversations;
mod knowledge_bases;
mod memories;
mod skills;
mod streams;
mod texts;
mod users;
mod workflows;
