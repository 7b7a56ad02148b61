//! Scripts, good and bad, in real processes. This program is its own sandbox: called with `sandbox`, it serves.

mod bad;
mod good;
mod hosts;
mod processes;
mod support;

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::process::ExitCode;

/// A test: its name, and how it is begun.
pub type Test = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

/// Lists asynchronous functions as tests.
#[macro_export]
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub const TESTS: &[$crate::Test] = &[$((stringify!($name), || Box::pin($name()))),+];
    };
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("sandbox") => return ExitCode::from(u8::from(sandbox::serve().is_err())),
        Some("orphan-maker") => return block_on(processes::make_an_orphan()),
        _ => {}
    }
    let filters: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let all = [good::TESTS, bad::TESTS, hosts::TESTS, processes::TESTS].concat();
    let wanted =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let chosen: Vec<Test> = all.into_iter().filter(|(name, _)| wanted(name)).collect();
    if args.iter().any(|arg| arg == "--list") {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (name, test) in &chosen {
        // Tests count processes, so each begins without those of the one before.
        let whole = async {
            support::until("no process", || support::children().is_empty()).await;
            test().await;
        };
        let passed = std::panic::catch_unwind(AssertUnwindSafe(|| block_on(whole))).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += usize::from(!passed);
    }
    println!("\ntest result: {} passed; {failed} failed", chosen.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(work)
}
