//! How refusals of documents are told over HTTP.

use jobs::ingest::IngestError;

use crate::http::{ApiError, Code};

impl From<IngestError> for ApiError {
    fn from(why: IngestError) -> Self {
        match why {
            IngestError::NotFound(what) => Self::not_found(what),
            IngestError::Reindexing => Code::Reindexing.into(),
            IngestError::UnknownEmbedder(model) => Self::new(Code::Conflict).detail(format!(
                "there is no embedding model {model:?}; choose another one for the knowledge base"
            )),
            IngestError::TooMany => {
                Self::new(Code::RateLimited).detail("too many of your runs are waiting").retry_after(5)
            }
            IngestError::Busy => Self::new(Code::Overloaded).retry_after(1),
            IngestError::ShuttingDown => Self::new(Code::ShuttingDown).retry_after(5),
            IngestError::Storage(why) => why.into(),
        }
    }
}
