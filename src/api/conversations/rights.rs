//! Whether a reader may still read a conversation.

use std::sync::Arc;

use actix_web::web::Data;
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::http::encodings::Rights;
use crate::http::{Caller, Loadable};

/// The rights that open connections ask for again: the credential is valid, and the conversation is there for this caller.
/// For guests that is also checked whenever any rights change, since others decide whether they may read.
pub fn rights(app: &Data<App>, caller: &Arc<Caller>, conversation: Uuid, guest: bool) -> Rights {
    let changes = guest.then(|| app.store.subscribe_rights());
    let (app, caller) = (app.clone(), caller.clone());
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            // As they stand now: groups and teams may have changed.
            let Some(caller) = app.identity.still(&caller).await else { return false };
            let found = app.store.read(move |reader| Readable::load(reader, &caller, conversation));
            // A read that fails says nothing of rights; the next one will.
            !matches!(found.await, Ok(None))
        })
    });
    match changes {
        Some(changes) => rights.at_each(changes),
        None => rights,
    }
}
