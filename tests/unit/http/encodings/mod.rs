mod recorded;
mod rights;
mod streamed;
mod wire;
