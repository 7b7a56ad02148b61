//! Doing something with a package: tried first, so that what is refused leaves nothing, and only those files are kept
//! that rows come to name.

use std::sync::Arc;

use storage::Tx;

use super::making::Done;
use super::prepared::Prepared;
use crate::App;
use crate::http::{Api, Caller, Refusal};

/// Why nothing came of a transaction.
enum Undone {
    Refused(Refusal),
    /// It would name files that the trial did not: somebody deleted meanwhile what had them.
    Unkept(Done),
}

impl<E: Into<Refusal>> From<E> for Undone {
    fn from(why: E) -> Self {
        Self::Refused(why.into())
    }
}

/// Commits what `work` does, with all that follows.
pub async fn commit<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    prepared: &Prepared,
    work: impl Fn(&mut Tx) -> Api<(T, Done)> + Send + Sync + 'static,
) -> Api<T> {
    let work = Arc::new(work);
    let ((_, tried), ..) = app.store.prepare(|tx| work(tx))?;
    let mut kept = tried.files;
    loop {
        prepared.keep(app, caller, &kept).await?;
        let (work, known) = (work.clone(), kept.clone());
        let (store, actors, tenant) = (app.store.clone(), app.actors.clone(), caller.tenant);
        // What is accepted is launched, also where the caller has gone.
        let went = app.actors.see_through(async move {
            let went = store.run(move |tx| {
                let (told, done) = work(tx)?;
                match done.files.is_subset(&known) {
                    true => Ok((told, done)),
                    false => Err(Undone::Unkept(done)),
                }
            });
            let (told, mut done) = went.await?;
            jobs::ingest::launch_documents(&actors, tenant, std::mem::take(&mut done.runs));
            Ok((told, done))
        });
        match went.await {
            Ok((told, done)) => {
                done.follow(app, caller).await;
                return Ok(told);
            }
            Err(Undone::Refused(why)) => return Err(why),
            Err(Undone::Unkept(done)) => kept.extend(done.files),
        }
    }
}
