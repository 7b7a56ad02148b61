//! Usage and costs: all reports are computed from one ledger and equal the sum of its records.

mod acting;
mod export;
mod live;
mod prices;
mod reports;
mod rules;
pub mod scene;
