//! Packages: what there is, what is installed, and what could be under a manifest.
