//! Projects: what they are, who is in them, and who reads what is said in them.

mod basics;
mod conversations;
mod members;
mod open;
mod promotion;
mod prompts;
mod readers;
pub mod scene;
