//! Access control: every operation by every kind of caller, compared with one reviewed table, and random walks over the
//! ids of other tenants and users.
//!
//! `UNDERSTUDY_WRITE_TABLE=1` rewrites the table, `UNDERSTUDY_SEED` repeats a walk, and `UNDERSTUDY_SHOW_ANSWERS=1`
//! prints every response. `UNDERSTUDY_ONLY` restricts the test to operations whose ids start with its value.

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
