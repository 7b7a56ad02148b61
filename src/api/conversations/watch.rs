//! Whether a reader may still read a conversation.

use std::sync::Arc;

use actix_web::web::Data;
use storage::Row;
use storage::records::Conversation;
use uuid::Uuid;

use crate::App;
use crate::http::wires::Rights;
use crate::http::{Caller, Loadable};

/// The question that open connections ask again and again: does the credential still hold, and is
/// the conversation, if there is one, still there for this caller?
pub fn rights(app: &Data<App>, caller: &Arc<Caller>, conversation: Option<Uuid>) -> Rights {
    let (app, caller) = (app.clone(), caller.clone());
    Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            if !caller.still_valid(&app).await {
                return false;
            }
            let Some(conversation) = conversation else { return true };
            let found =
                app.store.read(move |reader| Row::<Conversation>::load(reader, &caller, conversation));
            // A read that fails says nothing of rights; the next one will.
            !matches!(found.await, Ok(None))
        })
    })
}
