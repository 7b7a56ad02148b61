//! Automations: their definitions, their runs, and the rights that they require.

pub mod acting;
mod definitions;
mod faults;
mod killed;
mod lists;
mod people;
mod runs;
mod workflows;
