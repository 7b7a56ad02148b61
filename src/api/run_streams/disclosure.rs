//! How much of a run a reader can see.

use std::sync::Arc;

use runs::{Cursor, FullAccessCheck};
use storage::records::RunKind;
use uuid::Uuid;
use workflow::sees_all_details;

use crate::App;
use crate::http::Caller;

/// Wraps a cursor so that it returns what this reader may see of a run of this kind: everything to editors of
/// its workflow, and the outline to all others. The reader's rights are checked again whenever they may have
/// changed. `known` is the result of an earlier check, with the rights epoch for which it is valid.
pub fn disclosed(
    app: &App,
    caller: &Caller,
    kind: RunKind,
    cursor: Cursor,
    known: Option<(u64, bool)>,
) -> Cursor {
    match kind {
        RunKind::Workflow => {
            let run = cursor.run();
            cursor.whole_while(editors_of(app, caller, run), known)
        }
        // Runs of these kinds contain nothing that is reserved for editors.
        RunKind::Completion
        | RunKind::Automation
        | RunKind::Video
        | RunKind::SkillBuild
        | RunKind::Ingest
        | RunKind::DirectorySync => cursor.whole(),
    }
}

fn editors_of(app: &App, caller: &Caller, run: Uuid) -> FullAccessCheck {
    let (identity, store, caller) = (app.identity.clone(), app.store.clone(), Arc::new(caller.clone()));
    Arc::new(move || {
        let (identity, store, caller) = (identity.clone(), store.clone(), caller.clone());
        Box::pin(async move {
            let Some(caller) = identity.still(&caller).await else { return false };
            let sees = store.read(move |reader| sees_all_details(reader, &caller.subject, run)).await;
            sees.unwrap_or_else(|why: storage::Error| {
                tracing::error!(%run, %why, "could not read the rights of a reader");
                false
            })
        })
    })
}
