//! Whether a reader may still read a conversation, and how much of a run.

use std::sync::Arc;

use actix_web::web::Data;
use runs::{Cursor, MaySeeAll};
use storage::records::RunKind;
use uuid::Uuid;
use workflow::sees_everything;

use super::reach::Readable;
use crate::App;
use crate::http::encodings::Rights;
use crate::http::{Caller, Loadable};

/// The question that open connections ask again and again: does the credential still hold, and is
/// the conversation, if there is one, still there for this caller? Of guests it is asked whenever anyone's rights change,
/// too: others decide whether they may read.
pub fn rights(app: &Data<App>, caller: &Arc<Caller>, conversation: Option<Uuid>, guest: bool) -> Rights {
    let bell = guest.then(|| app.store.subscribe_rights());
    let (app, caller) = (app.clone(), caller.clone());
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            // As they stand now: groups and teams may have changed.
            let Some(caller) = app.identity.still(&caller).await else { return false };
            let Some(conversation) = conversation else { return true };
            let found = app.store.read(move |reader| Readable::load(reader, &caller, conversation));
            // A read that fails says nothing of rights; the next one will.
            !matches!(found.await, Ok(None))
        })
    });
    match bell {
        Some(bell) => rights.at_each(bell),
        None => rights,
    }
}

/// A cursor that gives this reader what they may see of a run of this kind: everything to editors of its workflow, the
/// outline to everyone else. Their rights are checked again whenever they may have changed.
pub fn disclosed(app: &App, caller: &Caller, kind: RunKind, cursor: Cursor) -> Cursor {
    match kind {
        RunKind::Workflow => {
            let run = cursor.run();
            cursor.whole_while(editors_of(app, caller, run))
        }
        // Nothing in these runs is for editors only.
        RunKind::Completion
        | RunKind::Automation
        | RunKind::Video
        | RunKind::SkillBuild
        | RunKind::Ingest
        | RunKind::DirectorySync => cursor,
    }
}

fn editors_of(app: &App, caller: &Caller, run: Uuid) -> MaySeeAll {
    let (identity, store, caller) = (app.identity.clone(), app.store.clone(), Arc::new(caller.clone()));
    Arc::new(move || {
        let (identity, store, caller) = (identity.clone(), store.clone(), caller.clone());
        Box::pin(async move {
            let Some(caller) = identity.still(&caller).await else { return false };
            let sees = store.read(move |reader| sees_everything(reader, &caller.standing, run)).await;
            sees.unwrap_or_else(|why: storage::Error| {
                tracing::error!(%run, %why, "the rights of a reader could not be read");
                false
            })
        })
    })
}
