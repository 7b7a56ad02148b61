//! What administrators see of a tenant, and what they do to many things at once.

mod changes;
mod counted;
mod kpis;
mod lists;
mod races;
mod reports;
mod rights;
mod scene;
mod stopped;
mod tables;
mod transfer;
