//! Operations that need a peer (a directory, an authorization server, a mail server, a provider) or a specific setup
//! to succeed, called with mutations of a valid request and answered by peers whose replies are mutated.
//!
//! For each operation the valid request succeeds as documented, before and after the mutations: no mutation leaves a
//! state behind that makes other requests fail. [`trial::Trial`] checks for each response:
//!
//! - its status is documented for the operation;
//! - it is not a 5xx, unless a peer's reply was mutated; then 502, 503 and 504 are permitted;
//! - an error is a problem document with a code, its status and the id of the request; a success has a documented
//!   media type;
//! - it arrives in time;
//! - it contains no secret: no secret of a client, a directory, a mail server or a provider, no token that a peer
//!   issued, and no password that the caller sent.
//!
//! `UNDERSTUDY_MUTATIONS` sets the number of mutated requests per operation (72), and `UNDERSTUDY_SEED` repeats a run.

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
