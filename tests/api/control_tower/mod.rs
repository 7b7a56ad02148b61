//! What administrators see of a tenant, and what they do to many things at once.
