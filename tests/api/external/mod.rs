//! Logins at external services.
