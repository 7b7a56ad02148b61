//! Streams: reading them at any position and time and in every encoding, and stopping them.

mod active;
mod attach;
mod cancel;
mod idempotency;
mod instants;
mod load;
mod providers;
mod queue;
pub mod reading;
mod reads;
pub mod socket;
mod tools;
mod wires;
