//! The web pages that an assistant knows.

use std::sync::Arc;

use actix_web::web::Data;
use domain::knowledge_bases::{MAX_WEB_LINKS, readable};
use jobs::ingest::DocumentTarget;
use serde::Serialize;
use storage::records::{Assistant, Document, DocumentError, DocumentStatus, KnowledgeBase};
use storage::{Reader, Row, Scan, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::files::{of_own, own};
use super::knowledge::Changeable;
use crate::App;
use crate::api::knowledge_bases::add::Adding;
use crate::api::knowledge_bases::documents::{
    KnowledgeBaseDocumentResponse, KnowledgeBaseDocumentResponseList, ListDocuments,
};
use crate::api::knowledge_bases::files;
use crate::api::knowledge_bases::links::{KnowledgeBaseLinkResponse, LINKS};
use crate::api::knowledge_bases::schema::{self, AddKnowledgeBaseLinkBody, Waiting};
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{Api, Caller, Code, Created, Json, Loaded, NoContent, Path, Query, list_of, operations};

/// A web page that an assistant knows.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkResponse {
    pub document_id: Uuid,
    /// Id of the knowledge base that the page belongs to.
    pub knowledge_base_id: Uuid,
    /// Whether the page belongs to the assistant's own knowledge, not to an attached knowledge base.
    pub own: bool,
    /// Address of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Processing status of the page.
    pub status: DocumentStatus,
    /// Why the page could not be read.
    pub error: Option<DocumentError>,
    /// When the page was last fetched.
    pub fetched_at: Option<Timestamp>,
}

list_of! {
    /// The web pages that an assistant knows; its own pages come first.
    #[derive(Debug)]
    pub LinkResponseList of LinkResponse
}

/// List an assistant's own web pages.
///
/// Requires the right to change the assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/web-links", params(ListDocuments))]
async fn list_assistant_web_links(
    assistant: Loaded<Changeable, AssistantsRead>,
    app: Data<App>,
    Query(params): Query<ListDocuments>,
) -> Api<Json<KnowledgeBaseDocumentResponseList>> {
    let (tenant, row) = (assistant.auth.tenant, assistant.it.0);
    app.store.read(move |reader| of_own(reader, tenant, &row, &params, LINKS)).await.map(Json)
}

/// Add a web page to an assistant.
///
/// The assistant's answers can use the page. Adding the same address again fetches the page again.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/web-links", params(Waiting))]
async fn add_web_link_to_assistant(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Query(waiting): Query<Waiting>,
    Json(new): Json<AddKnowledgeBaseLinkBody>,
) -> Api<Created<KnowledgeBaseLinkResponse>> {
    room(&assistant.it.0, &new.url)?;
    let (caller, home) = (assistant.auth.caller(), DocumentTarget::Assistant(assistant.it.0.id));
    let link = Adding { app: &app, caller: &caller, home, waiting }.link(new).await?;
    Ok(Created(KnowledgeBaseLinkResponse { link }))
}

/// Remove a web page from an assistant.
///
/// When the response arrives, searches no longer find the page.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/web-links/{document_id}",
    params(("assistant_id" = Uuid, Path), ("document_id" = Uuid, Path)))]
async fn delete_web_link_from_assistant(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
) -> Api<NoContent> {
    let id = (own(&assistant.it.0)?, path.1);
    files::remove(&app, &assistant.auth, id, LINKS).await.map(|()| NoContent)
}

/// List all web pages that an assistant knows.
///
/// Includes its own pages, and those of attached knowledge bases that the caller may read. Requires the right to change the assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/links")]
async fn get_assistant_links(
    assistant: Loaded<Changeable, AssistantsRead>,
    app: Data<App>,
) -> Api<Json<LinkResponseList>> {
    let (caller, row) = (assistant.auth.caller(), assistant.it.0);
    let items = app.store.read(move |reader| known(reader, &caller, &row)).await?;
    Ok(Json(LinkResponseList { total: Some(items.len() as u64), items, next_cursor: None }))
}

fn known(reader: &Reader, caller: &Caller, assistant: &Assistant) -> storage::Result<Vec<LinkResponse>> {
    let mut links = Vec::new();
    let own = match assistant.own_knowledge {
        Some(id) => reader.get::<KnowledgeBase>(caller.tenant, &id)?,
        None => None,
    };
    for base in own.into_iter().chain(readable(reader, caller, assistant)?) {
        for row in pages(reader, caller, base.id)? {
            let own = base.assistant_id.is_some();
            let it = KnowledgeBaseDocumentResponse::new(row, &base);
            links.push(LinkResponse {
                document_id: it.id,
                knowledge_base_id: it.knowledge_base_id,
                own,
                url: it.url.unwrap_or_default(),
                title: it.title,
                status: it.status,
                error: it.error,
                fetched_at: it.fetched_at,
            });
        }
    }
    Ok(links)
}

fn pages(reader: &Reader, caller: &Caller, base: Uuid) -> storage::Result<Vec<Row<Document>>> {
    let documents = Scan::table().prefix(base.as_bytes().to_vec());
    let documents = reader.scan::<Document>(caller.tenant, documents)?.items;
    Ok(documents.into_iter().filter(|row| LINKS.contains(&row.source)).collect())
}

/// Refuses a page that would exceed the limit of pages.
fn room(assistant: &Assistant, url: &str) -> Api<()> {
    let known = schema::address(url).is_ok_and(|url| assistant.web_links.contains(&url));
    match known || assistant.web_links.len() < MAX_WEB_LINKS {
        true => Ok(()),
        false => Err(Code::LimitReached.into()),
    }
}

/// Sets the web pages that an assistant knows: adds missing pages and removes all pages that are not listed. This also updates the
/// `web_links` of the assistant, so code that changes an assistant leaves that field alone and calls this function after the change is
/// stored.
pub async fn set(app: &App, caller: &Arc<Caller>, assistant: Uuid, urls: &[String]) -> Api<()> {
    let urls: Vec<String> = urls.iter().filter_map(|url| schema::address(url).ok()).collect();
    let by = caller.clone();
    let there = app.store.read(move |reader| {
        let row = reader.require::<Assistant>(by.tenant, &assistant)?;
        match row.own_knowledge {
            Some(base) => pages(reader, &by, base),
            None => Ok(Vec::new()),
        }
    });
    let there = there.await?;
    let is_there = |url: &String| there.iter().any(|row| row.url.as_ref() == Some(url));
    let adding =
        Adding { app, caller, home: DocumentTarget::Assistant(assistant), waiting: Waiting::default() };
    for url in urls.iter().filter(|url| !is_there(url)) {
        adding.link(AddKnowledgeBaseLinkBody { url: url.clone(), title: None, description: None }).await?;
    }
    for row in there.iter().filter(|row| row.url.as_ref().is_none_or(|url| !urls.contains(url))) {
        jobs::ingest::remove_document(&app.actors, caller.tenant, caller.user, row.id.0, row.id.1).await?;
    }
    Ok(())
}

operations!(
    list_assistant_web_links,
    add_web_link_to_assistant,
    delete_web_link_from_assistant,
    get_assistant_links
);
