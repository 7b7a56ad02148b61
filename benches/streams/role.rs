//! This program again, in another role, as a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use crate::Outcome;
use crate::server::Process;

/// Runs this very program again as `role`, and waits for the address that it prints.
pub fn start(role: &str, arguments: &[&str]) -> Outcome<(Process, SocketAddr)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(role).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process::spawn(&mut command)?;
    let printed = process.child.stdout.take().ok_or("no standard output")?;
    let mut line = String::new();
    BufReader::new(printed).read_line(&mut line)?;
    let address = line.trim().parse().map_err(|_| format!("{role} said {line:?} in place of its address"))?;
    Ok((process, address))
}

/// Ends a role with the load generator that began it, however that one ended: its end of the pipe
/// closes.
pub fn end_with_parent() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
