//! Building skills with a model.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use jobs::skill_build::BuildStart;
use runs::{AttachError, RequestKey};
use storage::records::{Assistant, GrantLevel, Run, SkillDraft};
use storage::{Reader, Row};
use uuid::Uuid;

use super::drafts::{self, ListDrafts, SkillDraftDetailResponse, SkillDraftResponse, SkillDraftResponseList};
use super::received::draft_of;
use super::schema::BuildSkillRequest;
use crate::App;
use crate::api::run_streams::{self, RunSnapshot, StreamQuery, StreamReader};
use crate::http::credentials::sha256_hex;
use crate::http::encodings::{self, Rights, Wire};
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::{SkillsRead, SkillsWrite};
use crate::http::{
    Accepted, Api, Caller, Checked, Code, Json, Loaded, NoContent, Path, Query, Refusal, ToEdit, Unloaded,
    operations,
};
use domain::assistants::access;

/// Build a skill for an assistant with a model.
///
/// The build continues in the background, and the history lists its draft under the `job_id`. The draft is
/// checked like an upload, and each function is called once, without external services. The model is sent any
/// faults and may correct them up to twice. To publish a draft that is ready, upload it with
/// `draft_assistant_id` and `draft_job_id` in the form instead of a file. The built-in model writes no skills:
/// its draft repeats the prompt and says so. A repeated request with the same `Idempotency-Key` returns the
/// same build.
#[utoipa::path(post, path = "/api/skills/assistants/{assistant_id}/build",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "The idempotency key. A repeated request with the same key within 24 hours returns the same build.")))]
async fn build_skill_async(
    assistant: Checked<Row<Assistant>, SkillsWrite, ToEdit>,
    app: Data<App>,
    Json(request): Json<BuildSkillRequest>,
    key: IdempotencyHeader,
) -> Api<Accepted<SkillDraftResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let key = key.look_up(&app, &caller).await?;
    build(&app, &caller, id, key, request).await.map(Accepted)
}

async fn build(
    app: &App,
    caller: &Caller,
    assistant: Uuid,
    key: Option<RequestKey>,
    request: BuildSkillRequest,
) -> Api<SkillDraftResponse> {
    let content = serde_json::json!([assistant, request]);
    let started = jobs::skill_build::start(
        &app.actors,
        BuildStart {
            tenant: caller.tenant,
            user: caller.user,
            token_id: caller.token_id,
            assistant_id: assistant,
            prompt: request.prompt,
            skill_filename: request.skill_filename,
            base_skill_id: request.base_skill_id,
            model: request.model,
            idempotency_key: key,
            request_sha256: sha256_hex(content.to_string().as_bytes()),
        },
    );
    Ok(started.await?.into())
}

/// List the skill drafts of an assistant.
///
/// Returns the newest drafts first, until they are published or deleted. Requires an editor of the assistant.
#[utoipa::path(get, path = "/api/skills/assistant/{assistant_id}/build/history", params(ListDrafts))]
async fn get_skills_builder_history(
    assistant: Loaded<Row<Assistant>, SkillsRead, ToEdit>,
    app: Data<App>,
    Query(params): Query<ListDrafts>,
) -> Api<Json<SkillDraftResponseList>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    app.store.read(move |reader| drafts::list(reader, caller.tenant, id, &params)).await.map(Json)
}

/// Retrieve a draft of a skill with its files.
#[utoipa::path(get, path = "/api/skills/assistant/{assistant_id}/build/history/{job_id}",
    params(("assistant_id" = Uuid, Path), ("job_id" = String, Path)))]
async fn get_draft_skill(
    assistant: Loaded<Row<Assistant>, SkillsRead, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
) -> Api<Json<SkillDraftDetailResponse>> {
    let (caller, Path((_, job))) = (assistant.auth.caller(), path);
    let id = assistant.id;
    let draft = app.store.read(move |reader| shown(reader, &caller, id, &job)).await?;
    Ok(Json(draft.into()))
}

/// Stream the events of the build of a draft, live or ended.
///
/// The stream contains the output of the model, its usage, and a `skill.draft` event for each draft that was
/// checked. `Last-Event-ID` or `after` resumes the stream.
#[utoipa::path(get, path = "/api/skills/assistant/{assistant_id}/build/history/{job_id}/stream",
    params(("assistant_id" = Uuid, Path), ("job_id" = String, Path), StreamQuery),
    responses((status = 200, description = "The event stream.", content(
        (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson")))))]
async fn watch_skill_build(
    assistant: Unloaded<Row<Assistant>, SkillsRead, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let Path((_, job)) = path;
    let wire = how.wire(&request).unwrap_or(Wire::Events);
    let loaded = assistant.load(&app, move |reader, caller, assistant| {
        let draft = shown(reader, caller, assistant.id, &job)?;
        let run = reader.require::<Run>(caller.tenant, &draft.id.1)?;
        Ok((draft.id, RunSnapshot::read(reader, caller, None, run, wire)?))
    });
    let (assistant, (draft, snapshot)) = loaded.await?;
    let caller = assistant.auth.caller();
    let rights = draft_rights(&app, &caller, draft);
    let options = how.job_options(&request, wire)?;
    run_streams::attach(StreamReader { app, caller, rights }, snapshot, &options).await
}

/// Rights to the draft of an assistant and a job. They end when the caller may no longer change the assistant.
fn draft_rights(app: &Data<App>, caller: &Arc<Caller>, (assistant, job): (Uuid, Uuid)) -> Rights {
    let (app, caller) = (app.clone(), caller.clone());
    Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            let editor = caller.clone();
            let may = app.store.read(move |reader| draft_of(reader, &editor, assistant, job));
            // A failed read does not show that the rights have ended; the next check decides.
            let lost = |why: &Refusal| matches!(why.code(), Code::NotFound | Code::NotAllowed);
            app.identity.still(&caller).await.is_some() && !may.await.is_err_and(|why| lost(&why))
        })
    })
}

/// Delete a draft of a skill.
///
/// A build that is still running is cancelled first. A skill that was published from the draft is retained.
#[utoipa::path(delete, path = "/api/skills/assistant/{assistant_id}/build/history/{job_id}",
    params(("assistant_id" = Uuid, Path), ("job_id" = String, Path)))]
async fn delete_draft_skill(
    assistant: Loaded<Row<Assistant>, SkillsWrite, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
) -> Api<NoContent> {
    let (caller, Path((_, job))) = (assistant.auth.caller(), path);
    let (editor, id) = (caller.clone(), assistant.id);
    let draft = app.store.read(move |reader| shown(reader, &editor, id, &job)).await?;
    let (id, job) = draft.id;
    match jobs::skill_build::discard(&app.actors, caller.tenant, caller.user, id, job).await {
        // Another request has already deleted the draft.
        Ok(()) | Err(AttachError::NotFound) => Ok(NoContent),
        Err(why) => Err(why.into()),
    }
}

/// Loads a draft that the caller can see. Returns 404 if there is no such draft, and 403 if the caller may not
/// change the assistant.
fn shown(reader: &Reader, caller: &Caller, assistant: Uuid, job: &str) -> Api<Row<SkillDraft>> {
    access::at_least(reader, caller, assistant, GrantLevel::Editor)?;
    let job = job.parse::<Uuid>().map_err(|_| Refusal::not_found("draft"))?;
    let draft = draft_of(reader, caller, assistant, job)?;
    Ok(domain::skills::with_build_state(reader, caller.tenant, draft)?)
}

operations!(
    build_skill_async,
    get_skills_builder_history,
    get_draft_skill,
    watch_skill_build,
    delete_draft_skill
);
