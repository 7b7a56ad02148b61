mod lists;
mod remote;
