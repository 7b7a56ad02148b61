//! Who may do what: every operation by every kind of caller, held against one reviewed table, and walks
//! at random over the ids of others.
//!
//! `UNDERSTUDY_WRITE_TABLE=1` rewrites the table, `UNDERSTUDY_SEED` repeats a walk, and with
//! `UNDERSTUDY_SHOW_ANSWERS=1` every answer is printed. `UNDERSTUDY_ONLY` tries only the operations whose ids begin so.

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
