//! The pages of the web in knowledge bases.

use actix_web::web::Data;
use jobs::ingest::DocumentTarget;
use serde::Serialize;
use storage::records::DocumentSource;
use utoipa::ToSchema;
use uuid::Uuid;

use super::add::{Adding, Put};
use super::documents::AddedDocument;
use super::schema::{AddKnowledgeBaseLinkBody, Waiting};
use super::{Changeable, files};
use crate::App;
use crate::http::scopes::KnowledgeWrite;
use crate::http::{Api, Json, Loaded, NoContent, Path, Query, operations};

/// What counts as a link.
pub const LINKS: &[DocumentSource] = &[DocumentSource::Link];

/// A page of the web in a knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseLinkResponse {
    #[serde(flatten)]
    pub link: AddedDocument,
}

/// Add a page of the web to a knowledge base.
///
/// It is fetched once; the same address again is fetched again, and the answer is 200. Servers that
/// ask programs not to fetch it (`robots.txt`) are heeded, and addresses that are not on the public
/// internet are refused unless the settings allow them; the document then says why it failed.
#[utoipa::path(post, path = "/api/knowledge-bases/{knowledge_base_id}/links", params(Waiting))]
async fn add_link_to_knowledge_base(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    Query(waiting): Query<Waiting>,
    Json(new): Json<AddKnowledgeBaseLinkBody>,
) -> Api<Put<KnowledgeBaseLinkResponse>> {
    let (caller, home) = (base.auth.caller(), DocumentTarget::Base(base.it.0.id));
    let link = Adding { app: &app, caller: &caller, home, waiting }.link(new).await?;
    Ok(Put { new: !link.existing, it: KnowledgeBaseLinkResponse { link } })
}

/// Delete a page of the web from a knowledge base.
///
/// It is not found any more when the answer comes.
#[utoipa::path(delete, path = "/api/knowledge-bases/{knowledge_base_id}/links/{document_id}",
    params(("knowledge_base_id" = Uuid, Path), ("document_id" = Uuid, Path)))]
async fn delete_link_from_knowledge_base(
    base: Loaded<Changeable, KnowledgeWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
) -> Api<NoContent> {
    files::remove(&app, &base.auth, (base.it.0.id, path.1), LINKS).await.map(|()| NoContent)
}

operations!(add_link_to_knowledge_base, delete_link_from_knowledge_base);
