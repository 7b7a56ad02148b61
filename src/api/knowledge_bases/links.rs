//! Web pages in knowledge bases.

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

/// The sources that count as links.
pub const LINKS: &[DocumentSource] = &[DocumentSource::Link];

/// A web page in a knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseLinkResponse {
    #[serde(flatten)]
    pub link: AddedDocument,
}

/// Add a web page to a knowledge base.
///
/// The page is fetched once. Adding the same URL again fetches the page again, and the response is 200.
/// `robots.txt` is respected. Addresses outside the public internet are refused unless the configuration allows
/// them. The document reports the reason if the fetch fails.
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

/// Delete a web page from a knowledge base.
///
/// Searches no longer return the page once the response is sent.
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
