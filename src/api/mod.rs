//! The areas, one folder each.

pub(crate) mod assistants;
pub(crate) mod auth;
pub(crate) mod automations;
pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod users;
pub(crate) mod workflows;
