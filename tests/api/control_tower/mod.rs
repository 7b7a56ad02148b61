//! `/api/control-tower`: what administrators see of a tenant, and their bulk operations.

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
