//! Logins at tool servers.

use crate::http::Area;

/// The operations of the area.
pub fn operations(_area: &mut Area) {}
