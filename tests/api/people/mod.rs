//! People: finding colleagues, one's teams, one's own prompt, services, and logging out.

mod account;
mod colleagues;
pub mod company;
