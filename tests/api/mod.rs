//! One file an area, as in `src/api`.

mod assistants;
mod auth;
mod automations;
mod base;
mod chat;
mod conversations;
mod streams;
mod users;
mod workflows;
