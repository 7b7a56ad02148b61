//! Runs scripts of users in processes that can be killed.
//!
//! A script is ECMAScript with a function `main(inputs)`, which may be `async`; its return value is the result. It runs
//! in a child process of the same program ([`serve`] is the child's side), one process per script, with a QuickJS
//! engine that provides only the language: no files, no network, no modules, no timers, only `console.log`, `info`,
//! `warn` and `error`, and the functions of a [`Host`], if one is given ([`Sandbox::run_with`]). The engine's own
//! limits end nearly every bad script in an orderly way. What it cannot detect (a native loop, a regular expression
//! with excessive backtracking) ends with the process, which [`Sandbox::run`] kills. Dropping the future of `run` kills
//! it too.
//!
//! The returned value is converted to JSON like `JSON.stringify` does: `undefined` and functions are omitted from
//! objects and become `null` in lists (and by themselves), `NaN` and infinities become `null`, a `Date` its ISO text, a
//! `Map` or `Set` an empty object; a `BigInt` and a cycle are errors. Half of a surrogate pair becomes the replacement
//! character. Numbers are doubles: integers beyond 2^53 in the inputs lose their last digits. `Math.random` and `Date`
//! work as usual, so a script that uses them may have a different result the next time.

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
