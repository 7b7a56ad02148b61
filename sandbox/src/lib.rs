//! Scripts of users, run where they can be killed.
//!
//! A script is ECMAScript with a function `main(inputs)`, which may be `async`; what it returns is the
//! result. It runs in a child process of this very program ([`serve`] is the child's side), one process a
//! script, with a QuickJS engine that has the language and nothing else: no files, no network, no modules, no
//! timers, only `console.log`, `info`, `warn` and `error`, and what functions of a [`Host`] it is given
//! ([`Sandbox::run_with`]). The engine's own limits end nearly every bad script
//! in good order; what it cannot see (a native loop, a regular expression that goes astray) ends with the
//! process, which [`Sandbox::run`] kills. Dropping the future of `run` kills it, too.
//!
//! What is returned is turned into JSON as `JSON.stringify` does: `undefined` and functions leave objects and
//! become `null` in lists (and by themselves), `NaN` and infinities become `null`, a `Date` its ISO text, a
//! `Map` or `Set` an empty object; a `BigInt` and a cycle are errors. Half of a surrogate pair becomes the
//! replacement character. Numbers are doubles: integers beyond 2^53 in the inputs lose their last digits.
//! `Math.random` and `Date` are there and tell what they tell: a script that uses them may give another result
//! the next time.

#![forbid(unsafe_code)]

mod child;
mod host;
mod inside;
mod pool;
mod script;
mod wire;

pub use host::Host;
pub use inside::serve;
pub use pool::{Sandbox, SandboxConfig};
pub use script::{Limits, Script, ScriptError, ScriptErrorKind, ScriptOutput};
