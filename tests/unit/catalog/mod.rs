mod builtin;
mod files;
mod index;
mod references;
