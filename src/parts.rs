//! Functions and types that the tests below `tests/unit` call directly.
//!
//! Unit tests inside this crate would compile all of it a second time, which takes longer than all tests in them. They are
//! part of the test program `it` instead, and this module is what they can reach. The list contains only what cannot be
//! tested through HTTP with the same precision: parsers with many forms of input, limits that take long to reach, and
//! races. Modules stay private, so that the compiler still reports what is unused in them.

/// Packages.
pub mod catalog {
    pub use crate::catalog::builtin::packages;
    pub use crate::catalog::files::{Files, checksum, from_folder};
    pub use crate::catalog::index::Index;
    pub use crate::catalog::package_set::PackageSet;
    pub use crate::catalog::references::{Reference, expand};
}

/// Settings.
pub mod config {
    pub use crate::config::external::{ExternalServiceConfig, client, origin_of};
    pub use crate::config::layers::{merge, variable};
    pub use crate::config::own_paths::{contain_base_path, is_screen};
    pub use crate::config::telemetry::TelemetryConfig;
    pub use crate::config::tool_servers::{ToolServerClient, ToolServersConfig, plain_host};
}

/// Requests, responses and credentials.
pub mod http {
    pub use crate::http::area::without_patterns;
    pub use crate::http::base_path::{with_base, without_base};
    pub use crate::http::context::{CURRENT, Context};
    pub use crate::http::credentials::keys::{Claims, FILE, SigningKeys};
    pub use crate::http::credentials::password::Passwords;
    pub use crate::http::credentials::password_link::PasswordLink;
    pub use crate::http::credentials::throttle::{ENTRIES, LoginThrottle, SignUpThrottle};
    pub use crate::http::credentials::tokens::RefreshSecret;
    pub use crate::http::csv::{CsvPart, neutral};
    pub use crate::http::dispatch::{Dispatcher, Origin};
    pub use crate::http::document::schemas::correct as correct_schemas;
    pub use crate::http::download::range::{Part, part};
    pub use crate::http::encodings::fold::Fold;
    pub use crate::http::encodings::rights::{ASKED_EACH, HEARTBEAT, Rights};
    pub use crate::http::encodings::wire::Wire;
    pub use crate::http::inline_policy::of as inline_policy;
    pub use crate::http::limits::Limits;
    pub use crate::http::media_type::{UNKNOWN, content_type, is_media_type};
    pub use crate::http::middleware::{address, panicked, request_id, without_secrets};
    pub use crate::http::page::Page;
    pub use crate::http::path_order::Sorted;
    pub use crate::http::responders::IfMatch;
    pub use crate::http::upload::{media_type, plain_name, unquoted};
    pub use crate::http::validation::objects::SCHEMAS;
    pub use crate::http::validation::schema::of_body;
    pub use crate::http::validation::{MAX_FAULTS, MAX_THOROUGH, read};
    pub use crate::http::websocket::frames::Heads;
    pub use crate::located::Mode;
}

/// The areas of the API.
pub mod api {
    pub use crate::api::assistants::content::beginning;
    pub use crate::api::assistants::data::rank::Ranking;
    pub use crate::api::assistants::data::vectors::{embedding, nearness, text_of};
    pub use crate::api::audio::captions::{srt, vtt};
    pub use crate::api::audio::received::media_type;
    pub use crate::api::catalog::kinds::Fields;
    pub use crate::api::catalog::merge::{OnConflict, merge};
    pub use crate::api::chat::view::per_million;
    pub use crate::api::conversations::client_messages::File;
    pub use crate::api::conversations::list::before;
    pub use crate::api::conversations::receive::contradicting_type;
    pub use crate::api::conversations::signing::{Allowed, Signer};
    pub use crate::api::images::{Cut, MAX_BYTES, MAX_SIDE_LENGTH, Picture, SIDE, decode};
    pub use crate::api::knowledge_bases::schema::address;
    pub use crate::api::live::event_reader::{EventReader, StreamedEvent};
    pub use crate::api::live::positions::Positions;
    pub use crate::api::live::requests::Requests;
    pub use crate::api::live::source::{STREAM_OPERATIONS, Source};
    pub use crate::api::live::subscription::Update;
    pub use crate::api::live::subscriptions::{Request, Subscriptions};
    pub use crate::api::money::dollars;
    pub use crate::api::notifications::schema::is_link;
    pub use crate::api::users::preferences::is_language;
    pub use crate::api::utils::arrange::{HONEST, arrange};
    pub use crate::api::utils::filter::{
        DocumentToFilter, KeptDocument, LLMFilterDocumentsRequest, kept_documents, shorten,
    };
    pub use crate::api::utils::improve::improved_prompt;
    pub use crate::api::utils::share::sharing;
    pub use crate::api::video::schema::size_of;
}

/// The command line.
pub mod cli {
    pub use crate::cli::lists::{MAX_WIDTH, table};
    pub use crate::cli::remote::in_words;
}

/// The server as a process.
pub mod server {
    pub use crate::liveness::{Workers, check};
}
