//! What administrators see of a tenant, and what they do to many assistants at once.
//!
//! Every assistant of the tenant is told of here, private ones too: its name and its owner, and how much it was used.
//! Whoever answers for what a tenant spends has to know on what, and to be able to stop it. What the assistant is told
//! to do, what it knows, and what is said to it stay with those it is shared with.

mod asked;
mod candidates;
mod change;
mod export;
mod handover;
mod kpis;
mod lines;
mod models;
mod overview;
mod routes;
mod schema;
mod users;
mod view;

use crate::http::operations;

operations!(mod kpis, overview, models, users, export, routes, candidates);
