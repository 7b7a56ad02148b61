//! Conversations: the records, their messages, files, skills and feeds. Streams have a module of their own.

mod basics;
mod branch;
mod feed;
mod form;
mod knowledge;
mod limits;
mod list;
mod media_types;
mod remove;
mod search;
mod search_index;
mod skills;
mod tree;
mod uploads;
