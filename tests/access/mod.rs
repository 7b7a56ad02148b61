//! Who may do what: every operation by every kind of caller, held against one reviewed table, and walks
//! at random over the ids of others.

mod bodies;
mod callers;
mod crawl;
mod matrix;
mod requests;
mod table;
mod things;
mod walk;
mod walker;
mod world;
