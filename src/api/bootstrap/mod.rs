//! What a sign-in page needs to know before anyone has signed in.

mod logo;
mod routes;
mod view;

use crate::http::operations;

operations!(mod routes, logo);
