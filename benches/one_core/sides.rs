//! The sides that are compared: each is a process in front of the same provider.

use std::net::SocketAddr;
use std::rc::Rc;

use load::server::{Outcome, Process, Server};
use load::{Target, role, setup};

use crate::variant::Variant;
use crate::{on_actix, on_hyper};

/// All sides, in the order of the table: the bare proxy, the prototype by libraries and variants, and the server.
const NAMES: [&str; 9] = [
    "bare",
    "hyper/at-once",
    "hyper/one-task",
    "hyper/two-tasks",
    "hyper/two-threads",
    "actix/at-once",
    "actix/one-task",
    "actix/two-tasks",
    "understudy",
];

/// A side that is running.
pub struct Running {
    pub name: &'static str,
    pub target: Rc<Target>,
    process: Kind,
}

enum Kind {
    Role(Process),
    Server(Server),
}

impl Running {
    pub fn process(&self) -> &Process {
        match &self.process {
            Kind::Role(process) => process,
            Kind::Server(server) => &server.process,
        }
    }

    /// How often its threads have gone to sleep.
    pub fn sleeps(&self) -> u64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process().child.id()));
        let sleeps = threads.into_iter().flatten().flatten().filter_map(|thread| {
            let status = std::fs::read_to_string(thread.path().join("status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
            line.trim().parse::<u64>().ok()
        });
        sleeps.sum()
    }
}

/// The sides of a run, and the provider.
pub struct Sides {
    /// First, so that they end before the provider.
    pub all: Vec<Running>,
    _provider: Process,
}

impl Sides {
    /// Starts the provider and the named sides, separated by commas, or all of them.
    pub async fn start(names: Option<&str>) -> Outcome<Sides> {
        let (provider, at) = role::start("provider", &[])?;
        let is_chosen = |name: &str| names.is_none_or(|names| names.split(',').any(|one| one == name));
        let mut all = Vec::new();
        for name in NAMES.into_iter().filter(|name| is_chosen(name)) {
            all.push(start(name, at).await?);
        }
        if all.is_empty() {
            return Err(format!("the sides are {}", NAMES.join(", ")).into());
        }
        Ok(Sides { all, _provider: provider })
    }
}

async fn start(name: &'static str, provider: SocketAddr) -> Outcome<Running> {
    if name == "understudy" {
        let server = Server::start(&setup::provider("fake", provider, "", "")).await?;
        let target = Target::gateway(server.address, &server.authorization, "fake/bench");
        return Ok(Running { name, target: Rc::new(target), process: Kind::Server(server) });
    }
    let (role, variant) = name.split_once('/').unwrap_or((name, ""));
    let (process, address) = role::start(role, &[&provider.to_string(), variant])?;
    Ok(Running { name, target: Rc::new(Target::bare(address)), process: Kind::Role(process) })
}

/// Serves if the program was started as a side of this benchmark.
pub fn serve(arguments: &[String]) -> Option<Outcome<()>> {
    let [role, provider, variant] = arguments else { return None };
    let serve = match role.as_str() {
        "hyper" => on_hyper::serve,
        "actix" => on_actix::serve,
        _ => return None,
    };
    role::end_with_parent();
    Some(Variant::parse(variant).and_then(|variant| serve(provider, variant)))
}
