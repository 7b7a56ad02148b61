//! Automations: their definitions, their runs, who may do what with them.

pub mod acting;
mod definitions;
mod faults;
mod killed;
mod lists;
mod people;
mod runs;
mod workflows;
