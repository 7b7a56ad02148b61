//! The areas, one folder each.

pub(crate) mod assistants;
pub(crate) mod audio;
pub(crate) mod auth;
pub(crate) mod automations;
pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod groups;
pub(crate) mod knowledge_bases;
pub(crate) mod memories;
pub(crate) mod picked;
pub(crate) mod pictures;
pub(crate) mod principals;
pub(crate) mod projects;
pub(crate) mod sharing;
pub(crate) mod skills;
pub(crate) mod teams;
pub(crate) mod tenant_admin;
pub(crate) mod texts;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod video;
pub(crate) mod workflows;
