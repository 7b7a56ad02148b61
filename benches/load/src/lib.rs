//! What the benchmarks share: the server as a process, a fake provider and a bare proxy as processes beside it, a load
//! generator, and reports that compare two sides round by round.
//!
//! A benchmark is a list of [`Workload`]s. [`Report::measure`] runs each of them in rounds, and in each round first the
//! [`Side::Base`] (a bare proxy, or a small amount of data) and then the [`Side::Subject`], so that other load of the machine
//! affects both alike. A ratio is taken within each round; what is shown is the median of the ratios.

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
