//! `/api/video`: videos, which take minutes. A request gives a job; its status tells how far it is, live where
//! that is asked for, and its file is downloaded until it expires.

mod download;
mod jobs;
mod routes;
mod schema;
mod view;

use storage::Reader;
use storage::Row;
use storage::records::VideoJob;

use crate::App;
use crate::http::{Api, Caller, Refusal, operations};

operations!(mod routes, jobs, download);

/// A job of the caller's own; 404 for all others. Names that are none of ours are those of no job.
async fn own(app: &App, caller: &Caller, job: &str) -> Api<Row<VideoJob>> {
    let (tenant, user, job) = (caller.tenant, caller.user, job.parse::<uuid::Uuid>());
    let found = move |reader: &Reader| match job {
        Ok(job) => reader.get::<VideoJob>(tenant, &(user, job)),
        Err(_) => Ok(None),
    };
    app.store.read(found).await?.ok_or_else(|| Refusal::not_found("video job"))
}
