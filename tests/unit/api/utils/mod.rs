mod arrange;
mod filter;
mod improve;
mod share;
