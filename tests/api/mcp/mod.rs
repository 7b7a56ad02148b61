//! Logins at tool servers.
