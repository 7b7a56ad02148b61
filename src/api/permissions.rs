//! The part of a response that lists what the caller may do with an object that is shared by grants.

/// Declares the response type that lists what a [`GrantLevel`](storage::records::GrantLevel) permits. Each kind
/// of object gets a type of its own because the OpenAPI document names the type.
macro_rules! permissions {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, serde::Serialize, utoipa::ToSchema)]
        pub struct $name {
            /// The caller's grant level.
            pub level: storage::records::GrantLevel,
            /// Whether the caller may change the object and its parts.
            pub edit: bool,
            pub share: bool,
            pub delete: bool,
        }

        impl From<storage::records::GrantLevel> for $name {
            fn from(level: storage::records::GrantLevel) -> Self {
                use storage::records::GrantLevel::{Editor, Owner};
                let is_owner = level >= Owner;
                Self { level, edit: level >= Editor, share: is_owner, delete: is_owner }
            }
        }
    };
}

pub(crate) use permissions;
