//! The knowledge bases that are attached to an assistant.

use actix_web::web::Data;
use domain::assistants::access;
use domain::knowledge_bases::{Audience, access as bases, detach, readable, require_attached};
use storage::authority::Ground;
use storage::records::{Assistant, GrantLevel, KnowledgeBase, Shared};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use crate::App;
use crate::api::knowledge_bases;
use crate::api::knowledge_bases::documents::{self, KnowledgeBaseDocumentResponseList, ListDocuments};
use crate::api::knowledge_bases::schema::{
    KnowledgeBaseAttachBody, KnowledgeBaseCreateAndAttachBody, KnowledgeBaseUpdateBody,
};
use crate::api::knowledge_bases::view::{KnowledgeBaseResponse, KnowledgeBaseResponseList};
use crate::http::scopes::{AssistantsRead, AssistantsWrite, Both, KnowledgeWrite};
use crate::http::{
    Api, Caller, Created, Editor, IfMatch, Json, Loadable, Loaded, NoContent, Path, Query, Versioned,
    operations,
};

/// An assistant that the caller may change. Other callers are refused before the server receives the body of their request.
pub struct Changeable(pub Row<Assistant>);

impl Loadable for Changeable {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";
    const LEVEL: Option<GrantLevel> = Some(GrantLevel::Editor);

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(access::visible(reader, caller, id)?.map(Self))
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.0.body.grounds_of(caller))
    }
}

/// List the knowledge bases of an assistant.
///
/// Returns the knowledge bases that the caller may read, in the order in which they were attached. Requires the right to change the
/// assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/knowledge-bases")]
async fn list_assistant_knowledge_bases(
    assistant: Loaded<Changeable, AssistantsRead>,
    app: Data<App>,
) -> Api<Json<KnowledgeBaseResponseList>> {
    let (caller, row) = (assistant.auth.caller(), assistant.it.0);
    app.store.read(move |reader| attached(reader, &caller, &row)).await.map(Json)
}

/// Attach a knowledge base to an assistant.
///
/// Requires the right to change the assistant and to read the knowledge base. Answers of the assistant use the knowledge base for users who
/// may read it. The operation is idempotent.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/knowledge-bases")]
async fn attach_knowledge_base(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Json(request): Json<KnowledgeBaseAttachBody>,
) -> Api<Created<KnowledgeBaseResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.it.0.id);
    app.store.run(move |tx| attach(tx, &caller, id, request.knowledge_base_id)).await.map(Created)
}

/// Create a knowledge base and attach it to an assistant.
///
/// The knowledge base belongs to the caller. Requires the role `editor` and the right to change the assistant.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/knowledge-bases/create-and-attach")]
async fn create_and_attach_knowledge_base(
    assistant: Loaded<Changeable, AssistantsWrite, Editor>,
    app: Data<App>,
    Json(new): Json<KnowledgeBaseCreateAndAttachBody>,
) -> Api<Created<KnowledgeBaseResponse>> {
    let (caller, id, models) = (assistant.auth.caller(), assistant.it.0.id, app.models.clone());
    let created = app.store.run(move |tx| {
        let base = knowledge_bases::create(tx, &caller, &models, new.0.clone().into())?;
        attach(tx, &caller, id, base.id)
    });
    created.await.map(Created)
}

/// Detach a knowledge base from an assistant.
///
/// The knowledge base itself is not deleted.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/knowledge-bases/{knowledge_base_id}",
    params(("assistant_id" = Uuid, Path), ("knowledge_base_id" = Uuid, Path)))]
async fn detach_knowledge_base(
    assistant: Loaded<Changeable, AssistantsWrite>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
) -> Api<NoContent> {
    let (caller, id) = (assistant.auth.caller(), assistant.it.0.id);
    app.store.run(move |tx| detach(tx, &caller, id, path.1)).await.map(|()| NoContent)
}

/// Change a knowledge base of an assistant.
///
/// Requires the right to change both. Fields that are omitted stay unchanged; `null` restores the default.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/knowledge-bases/{knowledge_base_id}",
    params(("assistant_id" = Uuid, Path), ("knowledge_base_id" = Uuid, Path)))]
async fn update_assistant_knowledge_base(
    assistant: Loaded<Changeable, Both<AssistantsWrite, KnowledgeWrite>>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    if_match: IfMatch,
    Json(new): Json<KnowledgeBaseUpdateBody>,
) -> Api<Versioned<KnowledgeBaseResponse>> {
    require_attached(&assistant.it.0, path.1)?;
    let caller = assistant.auth.caller();
    knowledge_bases::patch(&app, &caller, path.1, if_match, new).await.map(Versioned)
}

/// List the documents of a knowledge base of an assistant.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/knowledge-bases/{knowledge_base_id}/documents",
    params(("assistant_id" = Uuid, Path), ("knowledge_base_id" = Uuid, Path), ListDocuments))]
async fn list_assistant_knowledge_base_documents(
    assistant: Loaded<Changeable, AssistantsRead>,
    app: Data<App>,
    Path(path): Path<(Uuid, Uuid)>,
    Query(params): Query<ListDocuments>,
) -> Api<Json<KnowledgeBaseDocumentResponseList>> {
    require_attached(&assistant.it.0, path.1)?;
    let caller = assistant.auth.caller();
    let list = move |reader: &Reader| {
        let base = bases::at_least(reader, &caller, path.1, GrantLevel::Viewer)?;
        documents::list(reader, caller.tenant, &base, &params, &[])
    };
    app.store.read(list).await.map(Json)
}

fn attached(reader: &Reader, caller: &Caller, assistant: &Assistant) -> Api<KnowledgeBaseResponseList> {
    let audience = Audience::from_assistant(reader, caller.tenant, assistant)?;
    let rows = readable(reader, caller, assistant)?.into_iter();
    let items = rows.map(|row| with_closed(reader, caller, row, &audience)).collect::<Result<Vec<_>, _>>()?;
    Ok(KnowledgeBaseResponseList { total: Some(items.len() as u64), items, next_cursor: None })
}

fn attach(tx: &mut Tx, caller: &Caller, assistant: Uuid, base: Uuid) -> Api<KnowledgeBaseResponse> {
    let (assistant, base) = domain::knowledge_bases::attach(tx, caller, assistant, base)?;
    let audience = Audience::from_assistant(tx, caller.tenant, &assistant)?;
    Ok(with_closed(tx, caller, base, &audience)?)
}

/// Converts a knowledge base of an assistant to its representation, including the principals among the assistant's users who may not read
/// it.
fn with_closed(
    reader: &Reader,
    caller: &Caller,
    base: Row<KnowledgeBase>,
    audience: &Audience,
) -> storage::Result<KnowledgeBaseResponse> {
    let closed_to = audience.without_access(reader, &base)?;
    Ok(KnowledgeBaseResponse { closed_to, ..KnowledgeBaseResponse::new(reader, base, caller)? })
}

operations!(
    list_assistant_knowledge_bases,
    attach_knowledge_base,
    create_and_attach_knowledge_base,
    detach_knowledge_base,
    update_assistant_knowledge_base,
    list_assistant_knowledge_base_documents
);
