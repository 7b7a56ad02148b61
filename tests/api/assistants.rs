//! Assistants: their records, access rights, knowledge, data, skills and deletion.

mod avatars;
mod basics;
mod catalog;
mod closed;
mod data;
mod data_search;
mod favourites;
mod functions;
mod indirect_access;
mod knowledge;
mod lifecycle;
mod removal;
