//! `/api/video`: routes, schemas and views for generating videos, which takes minutes. A request returns a job.
//! The status of the job shows its progress, as a stream if requested, and its file can be downloaded until it
//! expires.

mod download;
mod jobs;
mod routes;
pub(crate) mod schema;
mod view;

use crate::http::operations;

operations!(mod routes, jobs, download);
