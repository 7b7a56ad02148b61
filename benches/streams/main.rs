//! `cargo bench --bench streams`: the whole server under load, beside bare pass-through proxies,
//! before the same fake provider, in one run and one table.
//!
//! Each part runs as a process of its own (this program again, in another role, and the real
//! `understudy` binary), so that processor time and memory are told apart. All of them, the load
//! generator too, share the machine: full speed is what is left for the proxy.
//!
//! `-- --bare` for the proxies alone, `-- --quick` for short windows, `-- --only latency,idle` for some of the parts `first`,
//! `latency`, `cpu`, `speed`, `plain`, `idle`, `replay` and `boot`, `-- --wire openai` for another wire.

mod ask;
mod idle;
mod load;
mod paced;
mod provider;
mod proxies;
mod replay;
mod role;
mod run;
#[path = "../server/mod.rs"]
#[allow(dead_code)]
mod server;
mod table;
mod target;
mod understudy;
mod wire;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

pub use ask::Ask;
pub use server::Outcome;
use server::{Process, raise_open_files};
use table::{SUBJECTS, Subject, Table};
use target::Target;

pub struct Options {
    pub quick: bool,
    /// Whether to leave this server out.
    pub bare: bool,
    only: Vec<String>,
    pub wire: String,
    /// How many files a process may have open; half of it is how many streams a proxy can carry.
    pub open_files: u64,
}

impl Options {
    fn parse(arguments: &[String]) -> Outcome<Options> {
        let open_files = raise_open_files();
        let mut options =
            Options { quick: false, bare: false, only: Vec::new(), wire: "events".to_owned(), open_files };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--bare" => options.bare = true,
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                "--wire" => options.wire = value()?.to_owned(),
                "--bench" => {} // cargo adds it
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, part: &str) -> bool {
        let needs_server = matches!(part, "replay" | "boot");
        !(needs_server && self.bare) && (self.only.is_empty() || self.only.iter().any(|name| name == part))
    }

    /// A length of time, or a fifth of it in a quick run.
    pub fn lasting(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(if self.quick { seconds / 5.0 } else { seconds })
    }

    /// A count, or a fifth of it in a quick run.
    pub fn count(&self, number: u64) -> u64 {
        if self.quick { number / 5 } else { number }
    }
}

/// The processes before which all is measured.
pub struct Setup {
    pub options: Options,
    pub provider: (Process, SocketAddr),
    pub actix: (Process, SocketAddr),
    pub hyper: (Process, SocketAddr),
    /// Served by the bare actix-web proxy at `/file`.
    pub file: tempfile::NamedTempFile,
}

impl Setup {
    fn set(options: Options) -> Outcome<Setup> {
        let file = tempfile::NamedTempFile::new()?;
        let provider = role::start("provider", &[])?;
        let upstream = provider.1.to_string();
        let path = file.path().to_string_lossy();
        let actix = role::start("actix", &[&upstream, &path])?;
        let hyper = role::start("hyper", &[&upstream, &path])?;
        Ok(Setup { options, provider, actix, hyper, file })
    }

    /// What is measured in this run.
    pub fn subjects(&self) -> impl Iterator<Item = Subject> {
        let bare = self.options.bare;
        SUBJECTS.into_iter().filter(move |&subject| !bare || subject != Subject::Understudy)
    }

    /// A bare proxy that has served no request yet.
    pub fn fresh(&self, subject: Subject) -> Outcome<(Process, Target)> {
        let role = if subject == Subject::Hyper { "hyper" } else { "actix" };
        let (upstream, file) = (self.provider.1.to_string(), self.file.path().to_string_lossy());
        let (process, address) = role::start(role, &[&upstream, &file])?;
        Ok((process, Target::openai(address)))
    }

    /// The process and address of a subject that needs no conversations.
    pub fn bare(&self, subject: Subject) -> (&Process, Rc<Target>) {
        let (process, address) = match subject {
            Subject::Direct | Subject::Understudy => &self.provider,
            Subject::Actix => &self.actix,
            Subject::Hyper => &self.hyper,
        };
        (process, Rc::new(Target::openai(*address)))
    }
}

async fn measure(options: Options) -> Outcome<Table> {
    let (setup, mut table) = (Setup::set(options)?, Table::default());
    if ["first", "latency", "cpu", "speed", "plain"].iter().any(|part| setup.options.wants(part)) {
        paced::measure(&setup, &mut table).await?;
    }
    if setup.options.wants("idle") {
        idle::measure(&setup, &mut table).await?;
    }
    if setup.options.wants("replay") {
        replay::measure(&setup, &mut table).await?;
    }
    if setup.options.wants("boot") {
        idle::boot(&setup, &mut table).await?;
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
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let table = runtime.block_on(measure(options))?;
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
        eprintln!("streams: {fault}");
        ExitCode::FAILURE
    })
}
