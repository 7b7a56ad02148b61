//! Tenants, users, their memberships, API tokens and passwords.

pub mod first_start;
pub mod invitations;
pub mod joining;
pub mod members;
pub mod passwords;
pub mod profile;
pub mod search;
pub mod service_accounts;
mod sweep;
pub mod tenants;
pub mod tokens;
pub mod users;

pub use sweep::sweep;
pub use tenants::{NewTenant, create_with_administrator};
pub use tokens::NewToken;
pub use users::NewUser;
