//! `understudy ask`: asks a running server, prints the answer as it streams, and continues after interruptions.

mod follow;
mod printer;
mod server;
mod state;

use super::{Done, Failure};
use clap::{Args, ValueEnum};
use follow::Follower;
use serde::Serialize;
use serde_json::{Map, Value};
use server::{Credentials, Server};
use state::LastQuestion;
use std::time::Duration;
use uuid::Uuid;

/// The default URL of a server on this machine.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// The exit code after Ctrl-C, by shell convention: 128 plus the number of the signal.
const INTERRUPTED: u8 = 130;

const EXAMPLES: &str = "Credentials, in this order: --login, UNDERSTUDY_TOKEN, and the administrator's e-mail address and \
password (UNDERSTUDY_ADMIN_EMAIL, by default admin@localhost, and UNDERSTUDY_ADMIN_PASSWORD).

The answer continues on the server when this command ends: Ctrl-C detaches, and --attach prints the rest. For that, the
ids of the conversation and its stream and the number of the last printed event are stored in
$XDG_STATE_HOME/understudy/ask.json, by default ~/.local/state/understudy/ask.json.

Exit codes:
  0    the answer is complete
  1    the run failed, the server refused or could not be reached, or there is nothing to attach to
  2    the command line is at fault
  130  detached by Ctrl-C";

/// A question, or a stream to attach to.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AskArgs {
    /// The question
    #[arg(required_unless_present = "attach", conflicts_with = "attach")]
    question: Option<String>,
    /// Print the rest of the last answer, starting after the last printed event
    #[arg(long)]
    attach: bool,
    /// Ask in this conversation, or attach to its newest stream [default: a new one; with --attach the last one]
    #[arg(long, value_name = "ID")]
    conversation: Option<Uuid>,
    /// Print every event as one line of JSON instead of the text
    #[arg(long)]
    json: bool,
    /// The model [default: the server's default]
    #[arg(long, conflicts_with = "attach")]
    model: Option<String>,
    /// The assistant that answers
    #[arg(long, value_name = "ID", conflicts_with = "attach")]
    assistant: Option<Uuid>,
    /// Parameters of the model, a JSON object such as '{"temperature": 0.2}'
    #[arg(long, value_name = "JSON", value_parser = parameters, conflicts_with = "attach")]
    parameters: Option<Map<String, Value>>,
    /// How the server recovers the answer if it crashes while the answer is being written
    #[arg(long, value_enum, default_value_t = RecoveryArg::Continue, conflicts_with = "attach")]
    recovery: RecoveryArg,
    /// Seconds to keep retrying while the server is not reachable
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    reconnect_seconds: u32,
    /// The server [default: http://127.0.0.1:8080; with --attach the server of the last question]
    #[arg(long, env = "UNDERSTUDY_URL", value_name = "URL")]
    url: Option<String>,
    /// An access or API token
    #[arg(long, env = "UNDERSTUDY_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    token: Option<String>,
    /// Log in with this email address; the password is prompted for, or read from the first line of the standard input
    #[arg(long, value_name = "EMAIL")]
    login: Option<String>,
}

/// The values of `recovery` in a completion request.
#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum RecoveryArg {
    /// Keep the text so far and end as interrupted
    Keep,
    /// Continue from the text so far
    Continue,
    /// Restart the answer
    Retry,
}

fn parameters(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("is not a JSON object: {error}"))
}

/// Asks or attaches, and prints until the run has ended or Ctrl-C detaches.
pub(super) fn ask(args: &AskArgs) -> Done {
    let last = LastQuestion::load();
    let stored = last.as_ref().filter(|_| args.attach).map(|last| last.url.as_str());
    let url = super::remote::base_url(args.url.as_deref().or(stored).unwrap_or(DEFAULT_URL))?;
    let credentials = Credentials::find(args.login.as_deref(), args.token.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let server = Server::new(url, credentials)?;
    let patience = Duration::from_secs(u64::from(args.reconnect_seconds));
    let mut follower = Follower::new(server, args.json, patience);
    runtime.block_on(async {
        let interrupted = tokio::select! {
            done = follower.run(args, last) => return done,
            interrupted = tokio::signal::ctrl_c() => interrupted,
        };
        interrupted.map_err(Failure::new)?;
        Err(Failure { words: follower.farewell(), code: INTERRUPTED })
    })
}
