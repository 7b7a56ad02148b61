//! The command `prices import`: for a data folder, or for a running server.

use super::remote::{Remote, RemoteArgs};
use super::{Done, Failure, Locations, say};
use clap::{Args, Subcommand, ValueEnum};
use domain::administration::replace_price_list;
use providers::{PriceFormat, PriceImport, read_prices};
use serde_json::json;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(super) enum PricesCommand {
    /// Import a table of model prices, replacing the previous one
    Import(Import),
}

#[derive(Args)]
pub(super) struct Import {
    /// The file with the table: TOML, CSV or JSON
    file: PathBuf,
    /// The format of the file [default: detected from its content]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Only check whether the table is valid
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Toml,
    Csv,
    Json,
}

impl From<FormatArg> for PriceFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Toml => Self::Toml,
            FormatArg::Csv => Self::Csv,
            FormatArg::Json => Self::Json,
        }
    }
}

pub(super) fn prices(locations: &Locations, PricesCommand::Import(import): PricesCommand) -> Done {
    let text = std::fs::read_to_string(&import.file)
        .map_err(|error| Failure::usage_error(format!("{}: {error}", import.file.display())))?;
    let format = import.format.map(PriceFormat::from);
    let read = read_prices(&text, format).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(|fault| format!("\n  {fault}")).collect();
        Failure::usage_error(format!("{}: nothing was imported{}", import.file.display(), faults.concat()))
    })?;
    match Remote::from_args(&import.remote)? {
        Some(remote) => {
            let body = json!({"table": text, "format": format, "dry_run": import.dry_run});
            remote.put("/api/tenant-admin/price-table", &body)?;
        }
        None if import.dry_run => {}
        None => {
            let (_, store) = locations.open()?;
            store.run_blocking(|tx| replace_price_list(tx, crate::prices::list_of(&read), None))?;
        }
    }
    say(&summary(&read, import.dry_run));
    Ok(())
}

fn summary(read: &PriceImport, dry_run: bool) -> String {
    let PriceImport { prices, rounded, skipped } = read;
    let done = if dry_run { "would be imported" } else { "were imported" };
    let mut text = format!("prices of {} models {done}, {skipped} models have none\n", prices.len());
    for (model, field) in rounded {
        text += &format!("{model}: {field} was rounded up to a billionth of a dollar\n");
    }
    text
}
