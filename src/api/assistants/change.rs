//! Creation and change of assistants by requests, including the web pages that an assistant knows.

use std::sync::Arc;

use assist::RunContext;
use domain::assistants::{self, AssistantInput};
use storage::Tx;
use uuid::Uuid;

use super::environment::RunEnvironment;
use super::links;
use super::schema::PatchAssistantRequest;
use super::view::AssistantResponse;
use crate::App;
use crate::http::{Api, Caller, IfMatch, Patch, Refusal};

/// Creates an assistant that the caller owns, and returns its representation.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    run_context: &RunContext,
    input: AssistantInput,
) -> Api<AssistantResponse> {
    let row = assistants::create(tx, caller, &RunEnvironment(run_context), input)?;
    Ok(AssistantResponse::new(tx, row, caller)?)
}

/// Changes an assistant, and returns its new representation.
pub fn patch(
    tx: &mut Tx,
    caller: &Caller,
    run_context: &RunContext,
    id: Uuid,
    if_match: &IfMatch,
    request: PatchAssistantRequest,
) -> Api<AssistantResponse> {
    let (precondition, version) = (if_match.precondition(), request.version);
    let environment = RunEnvironment(run_context);
    let row = assistants::change(tx, caller, &environment, id, (&precondition, version), request.into())?;
    Ok(AssistantResponse::new(tx, row, caller)?)
}

/// Sets the web pages that an assistant knows, if the request contains any. Each page is a document of the assistant's own knowledge that a
/// run adds, so this is called after the change itself is stored.
pub async fn with_links(
    app: &App,
    caller: &Arc<Caller>,
    changed: AssistantResponse,
    links: Patch<Vec<String>>,
) -> Api<AssistantResponse> {
    let links = match links {
        Patch::Keep => return Ok(changed),
        Patch::Clear => Vec::new(),
        Patch::Set(links) => links,
    };
    if links == changed.assistant.web_links {
        return Ok(changed);
    }
    let id = changed.assistant.id;
    links::set(app, caller, id, &links).await?;
    let reader = caller.clone();
    let shown = app.store.read::<_, Refusal>(move |store| {
        let row = assistants::access::visible(store, &reader, id)?;
        let row = row.ok_or_else(|| Refusal::not_found("assistant"))?;
        Ok(AssistantResponse::new(store, row, &reader)?)
    });
    shown.await
}
