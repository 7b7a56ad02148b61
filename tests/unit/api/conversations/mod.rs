mod client_messages;
mod list;
mod receive;
mod signing;
