//! `/api/auth`.

mod api_tokens;
mod cookies;
mod explain;
mod impersonation;
mod login;
mod members;
mod password;
mod refresh;
mod whoami;
