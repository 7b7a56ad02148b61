//! Skills: reading bundles, asking scripts, calling functions with what they may reach; and data items. This program
//! is its own sandbox: called with `sandbox`, it serves.

mod bundles;
#[path = "../../../tests/harness/counting_server.rs"]
mod counting_server;
mod data;
mod functions;
mod inspecting;
mod nodes;
mod stage;
mod tools;

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
    if args.first().is_some_and(|arg| arg == "sandbox") {
        return ExitCode::from(u8::from(sandbox::serve().is_err()));
    }
    let filters: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let all = [bundles::TESTS, inspecting::TESTS, data::TESTS, functions::TESTS, tools::TESTS, nodes::TESTS]
        .concat();
    let wanted =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let chosen: Vec<Test> = all.into_iter().filter(|(name, _)| wanted(name)).collect();
    if args.iter().any(|arg| arg == "--list") {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (name, test) in &chosen {
        let passed = std::panic::catch_unwind(AssertUnwindSafe(|| block_on(test()))).is_ok();
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
