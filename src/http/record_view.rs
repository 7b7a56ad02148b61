//! Responses that show fields of a stored record.

/// Declares a response that shows fields of a record, and its conversion from its source. A field without a value is
/// copied from the field of the same name:
///
/// ```ignore
/// record_view! {
///     /// A team.
///     #[derive(Serialize, ToSchema)]
///     pub struct TeamResponse from row: Row<Team>, row.body => {
///         /// The team.
///         id: Uuid = row.id,
///         /// The name shown to users.
///         name: String,
///     }
/// }
/// ```
///
/// Values are evaluated in the order of the fields, so one that borrows the whole record comes before fields that are
/// moved out of it.
macro_rules! record_view {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident from $source:tt: $source_type:ty, $record:expr => {
            $($(#[$field_meta:meta])* $field:ident: $type:ty $(= $value:expr)?,)+
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        impl From<$source_type> for $name {
            fn from($source: $source_type) -> Self {
                Self { $($field: $crate::http::record_view!(@value $record, $field $(, $value)?),)+ }
            }
        }
    };
    (@value $record:expr, $field:ident) => { $record.$field };
    (@value $record:expr, $field:ident, $value:expr) => { $value };
}

pub(crate) use record_view;
