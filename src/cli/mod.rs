//! The command line interface.

mod accounts;
mod ask;
mod config_check;
pub(crate) mod lists;
mod log;
mod people;
mod prices;
pub(crate) mod remote;
mod serve;
mod upkeep;

use crate::config::{self, Config, ConfigError};
use clap::{Args, Parser, Subcommand};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

/// The command failed because of the machine, the data folder or a server. Retrying may help.
const FAILED: u8 = 1;
/// The command line or the configuration is invalid. Retrying does not help. Clap uses the same code.
const MISUSED: u8 = 2;
/// The data folder is damaged: `doctor` found a problem, or no command can open it.
const UNSOUND: u8 = 3;

const EXIT_CODES: &str = "Exit codes:
  0  the command succeeded; the server was stopped by a signal
  1  the command failed: the machine, the data folder or a server is at fault
  2  the command line or the configuration is at fault: trying again does not help
  3  the data folder is damaged: see `understudy doctor`";

/// A self-hosted platform for AI assistants whose conversations survive everything.
#[derive(Parser)]
#[command(name = "understudy", version, about, args_conflicts_with_subcommands = false, after_help = EXIT_CODES)]
struct Line {
    #[command(flatten)]
    locations: Locations,
    #[command(flatten)]
    serve: ServeArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The locations of settings and data.
#[derive(Args, Clone, Default)]
struct Locations {
    /// The configuration file; `understudy config` prints one with all settings
    #[arg(long, global = true, env = "UNDERSTUDY_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// The data folder [default: ./understudy-data]
    #[arg(long, global = true, env = "UNDERSTUDY_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Args, Clone, Default)]
struct ServeArgs {
    /// The address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "UNDERSTUDY_LISTEN", value_name = "ADDR", value_parser = address)]
    listen: Option<SocketAddr>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server (the default command)
    Serve(ServeArgs),
    /// Ask a running server and print the answer as it streams
    Ask(Box<ask::AskArgs>),
    /// Manage users
    #[command(subcommand)]
    User(people::UserCommand),
    /// Manage tenants
    #[command(subcommand)]
    Tenant(people::TenantCommand),
    /// Manage API tokens
    #[command(subcommand)]
    Token(people::TokenCommand),
    /// Manage model prices
    #[command(subcommand)]
    Prices(prices::PricesCommand),
    /// Print the OpenAPI document
    Openapi {
        /// Leave out operations that only repeat others at further paths, for a generated client
        #[arg(long)]
        without_aliases: bool,
    },
    /// Print who may call which operation, in Markdown
    Access,
    /// Print every setting with its default, or check the current settings
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// Back up a data folder to a file, even while its server is running
    Backup {
        /// The file, which must not exist yet
        file: PathBuf,
    },
    /// Restore a backup into an empty data folder
    Restore {
        /// The file that `backup` wrote
        file: PathBuf,
    },
    /// Compact the database of a data folder that is not used by a server
    Compact,
    /// Check a data folder that is not used by a server; exits with 3 if there are problems
    Doctor {
        /// Repair problems that can be repaired without guessing. A database that cannot be opened is replaced by one
        /// with all readable data; a copy of the damaged database is kept, and losses are listed
        #[arg(long)]
        repair: bool,
    },
    /// Run one script from the standard input
    #[command(hide = true)]
    Sandbox,
    /// Print the text of a file from the standard input
    #[command(hide = true)]
    Extract,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Check the configuration file and the environment, and report all errors; exits with 2 if there are any
    Check {
        /// Print `{"valid", "errors"}` as JSON
        #[arg(long)]
        json: bool,
    },
}

struct Failure {
    words: String,
    code: u8,
}

impl Failure {
    fn new(words: impl ToString) -> Self {
        Self { words: words.to_string(), code: FAILED }
    }

    fn usage_error(words: impl ToString) -> Self {
        Self { words: words.to_string(), code: MISUSED }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage_error(error)
    }
}

impl From<storage::OpenError> for Failure {
    /// A damaged folder has its own exit code because starting again does not help.
    fn from(error: storage::OpenError) -> Self {
        let code = match &error {
            storage::OpenError::Damaged { .. } | storage::OpenError::SecretsKey(_) => UNSOUND,
            _ => FAILED,
        };
        Self { words: error.to_string(), code }
    }
}

impl From<storage::Error> for Failure {
    fn from(error: storage::Error) -> Self {
        Self::new(error)
    }
}

type Done<T = ()> = Result<T, Failure>;

impl Locations {
    fn settings(&self) -> Result<Config, ConfigError> {
        let mut config = Config::load(self.config.as_deref())?;
        self.adjust(&mut config);
        Ok(config)
    }

    /// Applies the command line, which takes precedence.
    fn adjust(&self, config: &mut Config) {
        if let Some(data) = &self.data {
            config.storage.data = data.clone();
        }
    }

    /// Opens an existing data folder.
    fn open(&self) -> Done<(Config, storage::Store)> {
        let config = self.settings()?;
        self.is_there(&config)?;
        let store = storage::Store::open(config.store()?)?;
        Ok((config, store))
    }

    /// Refuses a data folder that does not exist, so that a read-only command does not create it.
    fn is_there(&self, config: &Config) -> Done {
        let data = &config.storage.data;
        match data.is_dir() {
            true => Ok(()),
            false => Err(Failure::usage_error(format!(
                "there is no data folder {}; start the server once, or name it with --data",
                data.display()
            ))),
        }
    }
}

/// Parses the address to listen on; also accepts `localhost`.
fn address(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        "an address and a port are required: 127.0.0.1:8080, or 0.0.0.0:8080 for all addresses of this machine".to_owned()
    })
}

/// Parses the command line and runs the command. A server calls `when_serving` once it is ready.
pub fn main(when_serving: fn()) -> ExitCode {
    let Line { locations, serve, command } = Line::parse();
    match run(&locations, command.unwrap_or(Command::Serve(serve.clone())), serve, when_serving) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.words.lines() {
                eprintln!("understudy: {line}");
            }
            ExitCode::from(failure.code)
        }
    }
}

fn run(locations: &Locations, command: Command, outer: ServeArgs, when_serving: fn()) -> Done {
    match command {
        Command::Serve(inner) => serve::serve(locations, inner.listen.or(outer.listen), when_serving),
        Command::Ask(args) => ask::ask(&args),
        Command::User(command) => people::user(locations, command),
        Command::Tenant(command) => people::tenant(locations, command),
        Command::Token(command) => people::token(locations, command),
        Command::Prices(command) => prices::prices(locations, command),
        Command::Openapi { without_aliases } => print_openapi(without_aliases),
        Command::Access => {
            say(&crate::app::INDEX.access_page());
            Ok(())
        }
        Command::Config { command: None } => {
            say(config::DEFAULT);
            Ok(())
        }
        Command::Config { command: Some(ConfigCommand::Check { json }) } => {
            config_check::check(locations, outer.listen, json)
        }
        Command::Backup { file } => upkeep::backup(locations, &file),
        Command::Restore { file } => upkeep::restore(locations, &file),
        Command::Compact => upkeep::compact(locations),
        Command::Doctor { repair } => upkeep::doctor(locations, repair),
        Command::Sandbox => sandbox::serve().map_err(Failure::new),
        Command::Extract => knowledge::extract::serve().map_err(Failure::new),
    }
}

fn print_openapi(without_aliases: bool) -> Done {
    let document = match without_aliases {
        true => crate::app::INDEX.document_without_aliases(),
        false => crate::app::INDEX.document(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(Failure::new)?;
    say(&format!("{text}\n"));
    Ok(())
}

/// Prints to the standard output. A closed pipe (`| head -1`) is not an error.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
