//! Refusals as HTTP responses: the status of each code, and the body.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use domain::{Code, Refusal};

use super::problem;

/// What a handler returns.
pub type Api<T> = Result<T, Refusal>;

/// The HTTP status of an error code.
pub fn status_of(code: Code) -> StatusCode {
    match code {
        Code::BadRequest | Code::MalformedBody | Code::UpstreamRefused => StatusCode::BAD_REQUEST,
        Code::CredentialsMissing
        | Code::CookiesWithheld
        | Code::CredentialsMalformed
        | Code::CredentialsInvalid
        | Code::CredentialsExpired
        | Code::SessionEnded
        | Code::TokenRevoked
        | Code::LoginFailed
        | Code::RefreshInvalid
        | Code::RefreshReused => StatusCode::UNAUTHORIZED,
        Code::BudgetExceeded => StatusCode::PAYMENT_REQUIRED,
        Code::ScopeMissing
        | Code::RoleMissing
        | Code::NotAllowed
        | Code::OriginRefused
        | Code::SessionRequired
        | Code::ImpersonationLimited
        | Code::NotImpersonating
        | Code::FeatureDisabled
        | Code::AssistantDisabled
        | Code::InvitationRequired
        | Code::DomainNotAllowed
        | Code::NotInDirectory
        | Code::LoginMismatch
        | Code::LoginDenied => StatusCode::FORBIDDEN,
        Code::NotFound | Code::RouteNotFound | Code::ModelNotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::NameTaken
        | Code::Conflict
        | Code::LastOwner
        | Code::LimitReached
        | Code::StorageQuotaReached
        | Code::InUse
        | Code::LastAdmin
        | Code::MailMissing
        | Code::IsDefault
        | Code::SyncRunning
        | Code::NoDirectory
        | Code::Reindexing
        | Code::StreamActive
        | Code::NotWaiting
        | Code::FormAnswered
        | Code::NotReady
        | Code::NoRun
        | Code::AlreadyInstalled
        | Code::RequirementsMissing
        | Code::UpdateConflict
        | Code::ScanOutdated
        | Code::ConfirmEffects
        | Code::LoginNotRequired => StatusCode::CONFLICT,
        Code::LoginExpired
        | Code::StreamExpired
        | Code::FormExpired
        | Code::ResultExpired
        | Code::InvitationExpired
        | Code::UploadExpired => StatusCode::GONE,
        Code::Stale => StatusCode::PRECONDITION_FAILED,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::WrongContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::Invalid | Code::IdempotencyMismatch | Code::CodeNeverPassed | Code::NotAWorkflow => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::RateLimited | Code::UpstreamRateLimited | Code::LoginThrottled | Code::QuotaExceeded => {
            StatusCode::TOO_MANY_REQUESTS
        }
        Code::FunctionFailed | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        Code::MailFailed | Code::DirectoryFailed | Code::AuthorityFailed | Code::UpstreamFailed => {
            StatusCode::BAD_GATEWAY
        }
        Code::Overloaded | Code::Indexing | Code::ShuttingDown | Code::StreamInterrupted => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Code::FunctionTimeout | Code::UpstreamTimeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// Converts a refusal into a response.
pub trait RefusalResponse {
    /// Returns a problem document, or an error in the format of the OpenAI interface on its paths.
    fn error_response(&self) -> HttpResponse<BoxBody>;
}

impl RefusalResponse for Refusal {
    fn error_response(&self) -> HttpResponse<BoxBody> {
        problem::answer(self)
    }
}

/// A refusal in the form that actix-web's extractors return.
#[derive(Debug)]
pub struct ErrorResponse(pub Refusal);

impl From<Refusal> for ErrorResponse {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

impl From<Code> for ErrorResponse {
    fn from(code: Code) -> Self {
        Self(code.into())
    }
}

impl From<storage::Error> for ErrorResponse {
    fn from(error: storage::Error) -> Self {
        Self(error.into())
    }
}

impl std::fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for ErrorResponse {
    fn status_code(&self) -> StatusCode {
        status_of(self.0.code())
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        problem::answer(&self.0)
    }
}
