//! The areas, one folder each.

pub(crate) mod assistants;
pub(crate) mod audio;
pub(crate) mod auth;
pub(crate) mod automations;
pub(crate) mod catalog;
pub(crate) mod chat;
pub(crate) mod client;
pub(crate) mod control_tower;
pub(crate) mod conversations;
pub(crate) mod external;
pub(crate) mod groups;
pub(crate) mod images;
pub(crate) mod knowledge_bases;
pub(crate) mod logins;
pub(crate) mod mcp;
pub(crate) mod memories;
pub(crate) mod notifications;
pub(crate) mod picked;
pub(crate) mod principals;
pub(crate) mod projects;
pub(crate) mod run_streams;
pub(crate) mod skills;
pub(crate) mod teams;
pub(crate) mod tenant_admin;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod utils;
pub(crate) mod video;
pub(crate) mod workflows;

pub(crate) use domain::sharing;
