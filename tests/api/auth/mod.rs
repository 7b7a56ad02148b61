//! `/api/auth`.

mod api_tokens;
mod cookies;
mod explain;
mod impersonation;
mod lockout;
mod login;
mod members;
mod password;
mod races;
mod refresh;
mod spelling;
mod whoami;
