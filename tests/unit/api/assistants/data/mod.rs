mod rank;
mod vectors;
