mod content;
mod data;
