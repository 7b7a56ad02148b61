//! Whether a reader may still read a conversation.

use std::sync::Arc;

use actix_web::web::Data;
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::http::wires::Rights;
use crate::http::{Caller, Loadable};

/// The question that open connections ask again and again: does the credential still hold, and is
/// the conversation, if there is one, still there for this caller? Of guests it is asked whenever anyone's rights change,
/// too: others decide whether they may read.
pub fn rights(app: &Data<App>, caller: &Arc<Caller>, conversation: Option<Uuid>, guest: bool) -> Rights {
    let bell = guest.then(|| app.store.rights_bell());
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
