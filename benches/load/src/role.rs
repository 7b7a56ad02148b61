//! The processes of a benchmark beside the server: the benchmark's own program, started again in another role.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};

use crate::server::{Process, raise_open_files, two_cores};
use crate::{Outcome, bare, provider};

/// Starts this program again as `role` and waits for the address that it prints.
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

/// The `main` of a benchmark. Serves if the program was started in a role, and measures otherwise. `measure` returns
/// whether every check passed.
pub fn main(name: &str, measure: impl AsyncFnOnce(&[String]) -> Outcome<bool>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match perform(&arguments, measure) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("{name}: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: &[String], measure: impl AsyncFnOnce(&[String]) -> Outcome<bool>) -> Outcome<bool> {
    match arguments.first().map(String::as_str) {
        Some("provider") => {
            end_with_parent();
            provider::serve()?;
        }
        Some("bare") => {
            end_with_parent();
            bare::serve(arguments.get(1).ok_or("a bare proxy needs its provider's address")?)?;
        }
        _ => {
            raise_open_files();
            two_cores();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            return runtime.block_on(measure(arguments));
        }
    }
    Ok(true)
}

/// Ends a role when the load generator that started it ends for any reason: the load generator's end of the pipe closes.
pub fn end_with_parent() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
