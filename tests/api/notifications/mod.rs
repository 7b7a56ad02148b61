//! What users are told, and by which ways.
