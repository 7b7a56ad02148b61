mod event_reader;
mod positions;
mod pulled;
mod source;
