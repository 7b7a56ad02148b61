//! Checks whether a reader may still read a conversation.

use std::sync::Arc;

use actix_web::web::Data;
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::http::encodings::Rights;
use crate::http::{Caller, Loadable};

/// Returns the rights that open connections check repeatedly: the credential is valid, and the conversation exists for this caller. For
/// guests, they are also checked whenever any rights change, because others decide whether guests may read.
pub fn rights(app: &Data<App>, caller: &Arc<Caller>, conversation: Uuid, guest: bool) -> Rights {
    let changes = guest.then(|| app.store.subscribe_rights());
    let (app, caller) = (app.clone(), caller.clone());
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            // Reads the caller's current state: groups and teams may have changed.
            let Some(caller) = app.identity.still(&caller).await else { return false };
            let found = app.store.read(move |reader| Readable::load(reader, &caller, conversation));
            // A failed read says nothing about rights; the next check repeats it.
            !matches!(found.await, Ok(None))
        })
    });
    match changes {
        Some(changes) => rights.at_each(changes),
        None => rights,
    }
}
