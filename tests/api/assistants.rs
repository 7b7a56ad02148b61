//! Assistants: what they are, who may do what with them, and all that belongs to them.

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
