//! Workflows: graphs, runs, forms, debugging.

mod cancel;
mod code;
mod code_box;
mod debug;
mod examples;
mod graph;
mod graph_cases;
mod graph_faults;
mod nodes;
mod random;
mod restart;
mod resume;
mod run;
pub mod scene;
