//! Operations that need a peer (a directory, an authorization server, a mail server, a provider) or a scene of their
//! own to succeed, called with mutations of a valid request and answered by peers whose replies are mutated.
//!
//! For each operation the valid request succeeds as documented, before the mutations and after them: no mutation
//! leaves something behind that is in the way of others. For each answer holds what [`trial::Trial`] checks:
//!
//! - its status is documented for the operation;
//! - it is no 5xx, unless a peer's reply was mutated, and then it is 502, 503 or 504;
//! - an error is a problem document with a code, its status and the id of the request; a success is of a documented
//!   type;
//! - it comes in time;
//! - no secret is in it: not that of a client, a directory, a mail server or a provider, no token that a peer gave, no
//!   password that the caller sent.
//!
//! `UNDERSTUDY_MUTATIONS` sets the mutated requests of an operation (72), and `UNDERSTUDY_SEED` repeats a run.

mod adoption;
mod code_box;
mod debugging;
mod external;
mod fake_ldap;
mod groups;
mod logins;
mod passwords;
mod registration;
mod replies;
mod requests;
mod tool_servers;
mod trial;
mod values;
