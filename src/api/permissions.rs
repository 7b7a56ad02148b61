//! What the caller may do with an object that is shared by grants.

/// Declares the part of a response that shows what a [`GrantLevel`](storage::records::GrantLevel) permits. Each kind of
/// object has a type of its own, since the OpenAPI document names it.
macro_rules! permissions {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, serde::Serialize, utoipa::ToSchema)]
        pub struct $name {
            /// The caller's level.
            pub level: storage::records::GrantLevel,
            /// Change it and what belongs to it.
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
