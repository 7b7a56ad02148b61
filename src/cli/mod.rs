//! The command line.

mod accounts;
mod ask;
mod config_check;
mod lists;
mod log;
mod people;
mod prices;
mod remote;
mod serve;
mod upkeep;

use crate::config::{self, Config, ConfigError};
use clap::{Args, Parser, Subcommand};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

/// The command could not be carried out: the machine, the data folder or a server is at fault. Trying again may help.
const FAILED: u8 = 1;
/// The command line or the configuration is at fault. Trying again does not help. Clap uses the same.
const MISUSED: u8 = 2;
/// The data folder is damaged: `doctor` found something, or no command can open it.
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

/// Where settings and data are.
#[derive(Args, Clone, Default)]
struct Locations {
    /// A file with settings; `understudy config` prints one with all of them
    #[arg(long, global = true, env = "UNDERSTUDY_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// The data folder [default: ./understudy-data]
    #[arg(long, global = true, env = "UNDERSTUDY_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Args, Clone, Default)]
struct ServeArgs {
    /// Where to listen, an address and a port [default: 127.0.0.1:8080]
    #[arg(long, env = "UNDERSTUDY_LISTEN", value_name = "ADDR", value_parser = address)]
    listen: Option<SocketAddr>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server (also without any command)
    Serve(ServeArgs),
    /// Ask a running server and print the answer as it streams
    Ask(Box<ask::AskArgs>),
    /// Users
    #[command(subcommand)]
    User(people::UserCommand),
    /// Tenants
    #[command(subcommand)]
    Tenant(people::TenantCommand),
    /// API tokens
    #[command(subcommand)]
    Token(people::TokenCommand),
    /// What models cost
    #[command(subcommand)]
    Prices(prices::PricesCommand),
    /// Print the OpenAPI document
    Openapi,
    /// Print who may call which operation, in Markdown
    Access,
    /// Print every setting with its default, or check those that are in effect
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// Write everything of a data folder to a file, also while its server runs
    Backup {
        /// The file, which must not exist yet
        file: PathBuf,
    },
    /// Bring a backup back, into an empty data folder
    Restore {
        /// The file that `backup` wrote
        file: PathBuf,
    },
    /// Make the database of a data folder that no server uses as small as what is in it
    Compact,
    /// Examine a data folder that no server uses; exits with 3 if something is wrong
    Doctor {
        /// Repair what can be repaired without guessing. A database that cannot be opened is replaced by one with
        /// everything that can be read; a copy of the damaged one is kept, and what is lost is listed
        #[arg(long)]
        repair: bool,
    },
    /// Run one script that comes by standard input
    #[command(hide = true)]
    Sandbox,
    /// Tell the text of the one file that comes by standard input
    #[command(hide = true)]
    Extract,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Examine the configuration file and the environment, and say all that is wrong with them; exits with 2 then
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

    fn misuse(words: impl ToString) -> Self {
        Self { words: words.to_string(), code: MISUSED }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::misuse(error)
    }
}

impl From<storage::OpenError> for Failure {
    /// A damaged folder has a code of its own: starting again does not help.
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

    /// What the command line says wins.
    fn adjust(&self, config: &mut Config) {
        if let Some(data) = &self.data {
            config.storage.data = data.clone();
        }
    }

    /// Opens a data folder that is there.
    fn open(&self) -> Done<(Config, storage::Store)> {
        let config = self.settings()?;
        self.is_there(&config)?;
        let store = storage::Store::open(config.store()?)?;
        Ok((config, store))
    }

    /// Refuses where no server has been started yet, so that a read-only command does not create the folder.
    fn is_there(&self, config: &Config) -> Done {
        let data = &config.storage.data;
        match data.is_dir() {
            true => Ok(()),
            false => Err(Failure::misuse(format!(
                "there is no data folder {}; start the server once, or name it with --data",
                data.display()
            ))),
        }
    }
}

/// Where to listen; the name that every machine has for itself is taken, too.
fn address(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        "an address and a port are required: 127.0.0.1:8080, or 0.0.0.0:8080 for all addresses of this machine".to_owned()
    })
}

/// Reads the command line and does what it says. A server calls `when_serving` once it is ready.
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
        Command::Openapi => print_openapi(),
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

fn print_openapi() -> Done {
    let text = serde_json::to_string_pretty(&crate::app::INDEX.document()).map_err(Failure::new)?;
    say(&format!("{text}\n"));
    Ok(())
}

/// Prints. A closed pipe (`| head -1`) is not an error.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
