//! Projects: their definition, their members, and access to their conversations.

mod basics;
mod conversations;
mod members;
mod open;
mod promotion;
mod prompts;
mod readers;
pub mod scene;
