//! `/api/video`: routes, schemas and views of videos, which take minutes to make. A request returns a job; its status shows
//! the progress, as a stream if requested, and its file can be downloaded until it expires.

mod download;
mod jobs;
mod routes;
mod schema;
mod view;

use crate::http::operations;

operations!(mod routes, jobs, download);
