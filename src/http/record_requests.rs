//! Requests that create, replace and patch a record, declared from one list of fields.

/// Declares the request that creates a record, the one that replaces it (if there is one) and the one that patches it,
/// and their conversions into the input of the domain function. Each field, its limits and its documentation are stated
/// once:
///
/// - `required`: must be present in a request that creates or replaces; a patch cannot clear it, which its `Validate`
///   enforces;
/// - `default`: if absent, the field has the default of its type; `objects` are documented as JSON objects;
/// - `optional`: if absent, a new record has the default, and a replaced record has none; `optional_objects` likewise,
///   and `optional_as`, which are documented as another type;
/// - `separate`: like `default`, but not part of the input.
///
/// `Validate` is written only for the patch. A request that creates or replaces is validated as a patch of all its
/// fields.
macro_rules! record_requests {
    (
        create { $(#[$create_doc:meta])* $create:ident }
        $(replace { $(#[$replace_doc:meta])* $replace:ident })?
        patch { $(#[$patch_doc:meta])* $patch:ident } into $input:ident $fields:tt
    ) => {
        $crate::http::record_requests! { @whole $patch Keep $(#[$create_doc])* $create {} $fields }
        $($crate::http::record_requests! { @whole $patch Clear $(#[$replace_doc])* $replace {
            /// The version to be changed. If the current version differs, the response is 412. `If-Match` has the same
            /// effect.
            version: Option<u64>
        } $fields })?
        $crate::http::record_requests! { @patch $input $(#[$patch_doc])* $patch $fields }

        impl From<$create> for $input {
            fn from(request: $create) -> Self {
                $patch::from(request).into()
            }
        }
    };
    (
        @whole $patch:ident $left_out:ident $(#[$doc:meta])* $name:ident
        { $($(#[$version_doc:meta])* $version:ident: $version_type:ty)? }
        {
            $(required { $($(#[$r:meta])* $required:ident: $r_type:ty,)* })?
            $(default { $($(#[$d:meta])* $default:ident: $d_type:ty,)* })?
            $(objects { $($(#[$o:meta])* $object:ident: $o_type:ty,)* })?
            $(optional { $($(#[$p:meta])* $optional:ident: $p_type:ty,)* })?
            $(optional_as { $($(#[$t:meta])* $described:ident: $t_type:ty as $t_schema:ty,)* })?
            $(optional_objects { $($(#[$q:meta])* $optional_object:ident: $q_type:ty,)* })?
            $(separate { $($(#[$s:meta])* $separate:ident: $s_type:ty,)* })?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, serde::Deserialize, utoipa::ToSchema)]
        pub struct $name {
            $($($(#[$r])* pub $required: $r_type,)*)?
            $($($(#[$d])* #[serde(default)] pub $default: $d_type,)*)?
            $($($(#[$o])* #[serde(default)] #[schema(value_type = Object)] pub $object: $o_type,)*)?
            $($($(#[$p])* pub $optional: Option<$p_type>,)*)?
            $($($(#[$t])* #[schema(value_type = Option<$t_schema>)] pub $described: Option<$t_type>,)*)?
            $($($(#[$q])* #[schema(value_type = Option<Object>)] pub $optional_object: Option<$q_type>,)*)?
            $($($(#[$s])* #[serde(default)] pub $separate: $s_type,)*)?
            $($(#[$version_doc])* pub $version: $version_type,)?
        }

        impl From<$name> for $patch {
            fn from(request: $name) -> Self {
                use $crate::http::Patch;
                Self {
                    $($($required: Patch::Set(request.$required),)*)?
                    $($($default: Patch::Set(request.$default),)*)?
                    $($($object: Patch::Set(request.$object),)*)?
                    $($($optional: request.$optional.map_or(Patch::$left_out, Patch::Set),)*)?
                    $($($described: request.$described.map_or(Patch::$left_out, Patch::Set),)*)?
                    $($($optional_object: request.$optional_object.map_or(Patch::$left_out, Patch::Set),)*)?
                    $($($separate: Patch::Set(request.$separate),)*)?
                    version: None$(.or(request.$version))?,
                }
            }
        }

        impl $crate::http::Validate for $name {
            const TRIMMED: &'static [&'static str] = <$patch as $crate::http::Validate>::TRIMMED;

            fn validate(&self, faults: &mut $crate::http::Faults) {
                $crate::http::Validate::validate(&$patch::from(self.clone()), faults);
            }

            fn validate_refused(body: &serde_json::Value, faults: &mut $crate::http::Faults) {
                <$patch as $crate::http::Validate>::validate_refused(body, faults);
            }
        }
    };
    (
        @patch $input:ident $(#[$doc:meta])* $name:ident
        {
            $(required { $($(#[$r:meta])* $required:ident: $r_type:ty,)* })?
            $(default { $($(#[$d:meta])* $default:ident: $d_type:ty,)* })?
            $(objects { $($(#[$o:meta])* $object:ident: $o_type:ty,)* })?
            $(optional { $($(#[$p:meta])* $optional:ident: $p_type:ty,)* })?
            $(optional_as { $($(#[$t:meta])* $described:ident: $t_type:ty as $t_schema:ty,)* })?
            $(optional_objects { $($(#[$q:meta])* $optional_object:ident: $q_type:ty,)* })?
            $(separate { $($(#[$s:meta])* $separate:ident: $s_type:ty,)* })?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($($(#[$r])* #[schema(value_type = Option<$r_type>)] pub $required: $crate::http::Patch<$r_type>,)*)?
            $($($(#[$d])* #[schema(value_type = Option<$d_type>)] pub $default: $crate::http::Patch<$d_type>,)*)?
            $($($(#[$o])* #[schema(value_type = Option<Object>)] pub $object: $crate::http::Patch<$o_type>,)*)?
            $($($(#[$p])* #[schema(value_type = Option<$p_type>)] pub $optional: $crate::http::Patch<$p_type>,)*)?
            $($(
                $(#[$t])* #[schema(value_type = Option<$t_schema>)] pub $described: $crate::http::Patch<$t_type>,
            )*)?
            $($(
                $(#[$q])* #[schema(value_type = Option<Object>)] pub $optional_object: $crate::http::Patch<$q_type>,
            )*)?
            $($($(#[$s])* #[schema(value_type = Option<$s_type>)] pub $separate: $crate::http::Patch<$s_type>,)*)?
            /// The version to be changed. If the current version differs, the response is 412. `If-Match` has the same
            /// effect.
            pub version: Option<u64>,
        }

        /// Omits the version and the separate fields.
        impl From<$name> for $input {
            fn from(request: $name) -> Self {
                Self {
                    $($($required: request.$required,)*)?
                    $($($default: request.$default,)*)?
                    $($($object: request.$object,)*)?
                    $($($optional: request.$optional,)*)?
                    $($($described: request.$described,)*)?
                    $($($optional_object: request.$optional_object,)*)?
                }
            }
        }
    };
}

pub(crate) use record_requests;
