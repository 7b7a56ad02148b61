//! What was used and what it cost: all reports are of one ledger, and add up to its records.

mod acting;
mod export;
mod live;
mod prices;
mod reports;
mod rules;
pub mod scene;
