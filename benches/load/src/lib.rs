//! Shared parts of the benchmarks: the server as a process, a fake provider and a bare proxy as processes beside it, a load
//! generator, and reports that compare two sides round by round.
//!
//! A benchmark is a list of [`Workload`]s. [`Report::measure`] runs each workload in rounds. Each round measures the
//! [`Side::Base`] (a bare proxy, or a small amount of data) first and the [`Side::Subject`] second, so that other load on the
//! machine affects both alike. A ratio is computed within each round; the report shows the median of the ratios.

pub mod ask;
pub mod bare;
pub mod client;
pub mod figure;
pub mod options;
pub mod paced;
pub mod provider;
pub mod recorded;
pub mod report;
pub mod results;
pub mod role;
pub mod run;
pub mod server;
pub mod setup;
pub mod stamp;
pub mod table;
pub mod target;

pub use ask::Ask;
pub use figure::{Better, Figure, Row, Side};
pub use options::Options;
pub use report::{Measure, Report, Workload};
pub use run::{Figures, Load, run};
pub use server::Outcome;
pub use setup::Setup;
pub use target::Target;
