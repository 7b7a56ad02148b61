//! `cargo bench --bench gateway`: the OpenAI-compatible interface under load, with authentication, usage records and
//! journals, beside bare pass-through proxies before the same fake provider, in one run and one table.
//!
//! Provider, proxies and load are those of `benches/streams`; each is a process of its own, and all of them
//! share the machine.
//!
//! `-- --quick` for a fifth of everything, `-- --only stream,plain` for some of the parts `stream`, `plain`, `memory` and
//! `fallback`.

#[path = "../streams/ask.rs"]
mod ask;
mod fallback;
mod flow;
#[path = "../streams/load.rs"]
mod load;
mod memory;
#[path = "../streams/provider.rs"]
mod provider;
#[path = "../streams/proxies.rs"]
mod proxies;
#[path = "../streams/role.rs"]
mod role;
#[path = "../streams/run.rs"]
#[allow(dead_code)]
mod run;
#[path = "../server/mod.rs"]
#[allow(dead_code)]
mod server;
mod setup;
#[path = "../streams/table.rs"]
mod table;
mod target;
#[path = "../streams/wire.rs"]
mod wire;

use std::process::ExitCode;

pub use ask::Ask;
pub use server::Outcome;
use server::raise_open_files;
use setup::Setup;
use table::Table;

#[derive(Default)]
pub struct Options {
    pub quick: bool,
    only: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Outcome<Options> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--only" => {
                    let parts = rest.next().ok_or("--only needs a value")?;
                    options.only = parts.split(',').map(str::to_owned).collect();
                }
                "--bench" => {} // cargo adds it
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }

    /// A count, or a fifth of it in a quick run.
    pub fn count(&self, number: u64) -> u64 {
        if self.quick { number.div_ceil(5) } else { number }
    }
}

async fn measure(options: &Options) -> Outcome<Table> {
    let mut table = Table::default();
    if options.wants("stream") || options.wants("plain") {
        let setup = Setup::set().await?;
        if options.wants("stream") {
            flow::stream(&setup, options, &mut table).await?;
        }
        if options.wants("plain") {
            flow::plain(&setup, options, &mut table).await?;
        }
    }
    if options.wants("memory") {
        memory::measure(options, &mut table).await?;
    }
    if options.wants("fallback") {
        fallback::measure(options, &mut table).await?;
    }
    Ok(table)
}

fn perform(arguments: &[String]) -> Outcome<ExitCode> {
    let role = arguments.first().map(String::as_str);
    if matches!(role, Some("provider" | "actix" | "hyper")) {
        role::end_with_parent();
    }
    match role {
        Some("provider") => provider::serve()?,
        Some("actix") => proxies::actix(&arguments[1], &arguments[2])?,
        Some("hyper") => proxies::hyper(&arguments[1])?,
        _ => {
            let options = Options::parse(arguments)?;
            raise_open_files();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let table = runtime.block_on(measure(&options))?;
            table.print();
            if table.faults > 0 {
                println!("{} answers failed: the figures above are not to be shown.", table.faults);
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    perform(&arguments).unwrap_or_else(|fault| {
        eprintln!("gateway: {fault}");
        ExitCode::FAILURE
    })
}
