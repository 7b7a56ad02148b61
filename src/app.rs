//! The application: maps every path of the server to the area that serves it.

use actix_web::web::{self, Data, ServiceConfig};
use storage::authority::Feature;

use crate::http::{Area, AreaEntry, Index, console, reference};
use crate::{api, health, metrics};

/// The areas. Busy ones come first because requests are matched in this order.
#[rustfmt::skip]
const AREAS: &[AreaEntry] = &[
    area("conversations", "/api/conversations", Some(Feature::Conversations), api::conversations::operations),
    area("chat", "/api/chat", Some(Feature::Chat), api::chat::operations),
    area("assistants", "/api/assistants", Some(Feature::Assistants), api::assistants::operations),
    area("automations", "/api/automations", Some(Feature::Automations), api::automations::operations),
    area("knowledge-bases", "/api/knowledge-bases", Some(Feature::KnowledgeBases), api::knowledge_bases::operations),
    area("workflows", "/api/workflows", Some(Feature::Workflows), api::workflows::operations),
    area("skills", "/api/skills", Some(Feature::Skills), api::skills::operations),
    area("audio", "/api/audio", Some(Feature::Audio), api::audio::operations),
    area("memories", "/api/memories", Some(Feature::Memories), api::memories::operations),
    area("utils", "/api/utils", Some(Feature::Utils), api::utils::operations),
    area("video", "/api/video", Some(Feature::Video), api::video::operations),
    area("projects", "/api/projects", Some(Feature::Projects), api::projects::operations),
    area("teams", "/api/teams", Some(Feature::Teams), api::teams::operations),
    area("auth", "/api/auth", None, api::auth::operations),
    area("bootstrap", "/api/bootstrap", None, api::bootstrap::operations),
    area("users", "/api/users", None, api::users::operations),
    area("groups", "/api/groups", None, api::groups::operations),
    area("tenant-admin", "/api/tenant-admin", None, api::tenant_admin::operations),
    area("control-tower", "/api/control-tower", None, api::control_tower::operations),
    area("catalog", "/api/catalog", Some(Feature::Catalog), api::catalog::operations),
    area("notifications", "/api/notifications", None, api::notifications::operations),
    area("live", "/api/live", None, api::live::operations),
    area("mcp", "/api/mcp/oauth", Some(Feature::Mcp), api::mcp::operations),
    area("external", "/api/external", Some(Feature::External), api::external::operations),
];

const fn area(
    area: &'static str,
    prefix: &'static str,
    feature: Option<Feature>,
    operations: fn(&mut Area),
) -> AreaEntry {
    AreaEntry { area, prefix, feature, operations }
}

/// The index of all operations in all areas.
pub static INDEX: Index = Index::new(AREAS);

/// Serves every path of the server.
pub(crate) fn routes(config: &mut ServiceConfig) {
    INDEX.mount(config);
    config
        .app_data(Data::new(&INDEX))
        .route("/", web::get().to(console::page))
        .route("/health", web::get().to(health::healthz))
        .route("/healthz", web::get().to(health::healthz))
        .route("/readyz", web::get().to(health::readyz))
        .route("/metrics", web::get().to(metrics::show))
        .route("/api/openapi.json", web::get().to(reference::openapi))
        .route("/api/docs", web::get().to(reference::page))
        .route("/api/docs/", web::get().to(reference::page))
        .route("/console/{digest}/{path:.*}", web::get().to(console::asset));
}
