//! Metrics: typed handles for the entries of one table, and the process-wide recorder behind them.

mod definition;
mod handles;
mod recorder;
pub mod table;

pub use definition::{Definition, Type};
pub use handles::{Counter, Gauge, Histogram, Open};
pub use recorder::{UPKEEP_INTERVAL, install, render, upkeep};
pub use table::ALL;
