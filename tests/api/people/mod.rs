//! People: searching colleagues, the user's teams, custom prompt and external services, and logging out.

mod account;
mod colleagues;
pub mod company;
