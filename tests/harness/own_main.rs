//! Tests in a program with its own `main`, because the program has a second purpose: with a certain argument, it is the
//! process that its tests start.

use std::process::ExitCode;

use futures::future::LocalBoxFuture;
use libtest_mimic::{Arguments, Trial};

/// A test: its name, and the function that starts it.
pub type Test = (&'static str, fn() -> LocalBoxFuture<'static, ()>);

/// Lists asynchronous functions as tests.
#[macro_export]
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub const TESTS: &[$crate::own_main::Test] = &[$((stringify!($name), || Box::pin($name()))),+];
    };
}

/// Runs the tests that the command line selects, one after the other, each after `before`.
pub fn run<const N: usize>(tests: [&[Test]; N], before: fn() -> LocalBoxFuture<'static, ()>) -> ExitCode {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trial = |(name, test): Test| {
        Trial::test(name, move || {
            block_on(async {
                before().await;
                test().await;
            });
            Ok(())
        })
    };
    libtest_mimic::run(&arguments, tests.concat().into_iter().map(trial).collect()).exit_code()
}

/// Runs a future in a new runtime.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(work)
}
