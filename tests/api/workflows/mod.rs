//! Workflows: graphs, runs, forms, debugging.

mod cancel;
mod cancel_nodes;
mod code;
mod code_box;
mod containers;
pub mod debug;
mod disclosure;
mod durability;
mod effects;
mod examples;
mod files;
mod graph;
mod graph_cases;
mod graph_faults;
mod nodes;
mod pages;
mod random;
mod references;
mod restart;
mod resume;
mod review;
mod rubbish;
mod run;
pub mod scene;
mod telling;
mod uncertain;
