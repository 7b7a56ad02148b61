//! Tests of runs from outside the crate, in one program: each program would contain all libraries once more.

mod completions;
mod recovery;
mod stage;
