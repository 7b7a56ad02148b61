//! Commits the changes of a package. A trial run comes first, so that a refused change leaves nothing behind, and only files that rows
//! refer to are stored.

use std::sync::Arc;

use storage::Tx;

use super::prepared::PreparedResources;
use super::resource_creation::Done;
use crate::App;
use crate::http::{Api, Caller, Refusal};

/// Why a transaction was not committed.
enum Failed {
    Refused(Refusal),
    /// The transaction would refer to files that the trial run did not: the resource that contained them was deleted in between.
    MissingFiles(Done),
}

impl<E: Into<Refusal>> From<E> for Failed {
    fn from(why: E) -> Self {
        Self::Refused(why.into())
    }
}

/// Commits the changes that `work` makes, and performs the follow-up actions.
pub async fn commit<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    prepared: &PreparedResources,
    work: impl Fn(&mut Tx) -> Api<(T, Done)> + Send + Sync + 'static,
) -> Api<T> {
    let work = Arc::new(work);
    let ((_, trial), ..) = app.store.prepare(|tx| work(tx))?;
    let mut files = trial.files;
    loop {
        prepared.store(app, caller, &files).await?;
        let (work, stored) = (work.clone(), files.clone());
        let (store, actors, tenant) = (app.store.clone(), app.actors.clone(), caller.tenant);
        // The runs of a committed change are launched even if the client has disconnected.
        let committed = app.actors.run_uninterrupted(async move {
            let committed = store.run(move |tx| {
                let (output, done) = work(tx)?;
                match done.files.is_subset(&stored) {
                    true => Ok((output, done)),
                    false => Err(Failed::MissingFiles(done)),
                }
            });
            let (output, mut done) = committed.await?;
            jobs::ingest::launch_documents(&actors, tenant, std::mem::take(&mut done.runs));
            Ok((output, done))
        });
        match committed.await {
            Ok((output, done)) => {
                done.follow(app, caller).await;
                return Ok(output);
            }
            Err(Failed::Refused(why)) => return Err(why),
            Err(Failed::MissingFiles(done)) => files.extend(done.files),
        }
    }
}
