//! `/api/video`: videos, which take minutes. A request gives a job; its status tells how far it is, live where
//! that is asked for, and its file is downloaded until it expires.

mod download;
mod jobs;
mod routes;
mod schema;
mod view;

use storage::records::VideoJob;
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use crate::http::{Api, Refusal, operations};

operations!(mod routes, jobs, download);

/// A job of the caller's own; 404 for all others, and for names that are no ids.
fn own(reader: &Reader, tenant: TenantId, user: Uuid, job: &str) -> Api<Row<VideoJob>> {
    let job = job.parse::<Uuid>().ok();
    let job = job.map(|job| reader.get::<VideoJob>(tenant, &(user, job))).transpose()?;
    job.flatten().ok_or_else(|| Refusal::not_found("video job"))
}
