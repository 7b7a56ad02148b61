//! Errors: one table of codes, and what is shown of each.

use super::faults::Fault;
use super::problem;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Map, Value};
use std::fmt;

/// The member of an error that has a provider's own name for its failure.
pub const PROVIDER_CODE: &str = "provider_code";

/// What a handler answers.
pub type Api<T> = Result<T, ApiError>;

macro_rules! codes {
    ($($name:ident => $status:ident $code:literal, $title:literal;)*) => {
        /// What went wrong, as clients can rely on it. Codes are never renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The stable name that clients see.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }
            /// One sentence for people.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }
            /// The HTTP status.
            pub fn status(self) -> StatusCode {
                match self { $(Code::$name => StatusCode::$status,)* }
            }
        }
    };
}

codes! {
    BadRequest             => BAD_REQUEST            "bad_request",              "The request makes no sense";
    MalformedBody          => BAD_REQUEST            "malformed_body",           "The body does not parse";
    CredentialsMissing     => UNAUTHORIZED           "credentials_missing",      "This needs credentials";
    CookiesWithheld        => UNAUTHORIZED           "cookies_withheld",         "The browser has not sent the cookies of the login";
    CredentialsMalformed   => UNAUTHORIZED           "credentials_malformed",    "The credentials do not parse";
    CredentialsInvalid     => UNAUTHORIZED           "credentials_invalid",      "The credentials do not hold";
    CredentialsExpired     => UNAUTHORIZED           "credentials_expired",      "The credentials have expired";
    SessionEnded           => UNAUTHORIZED           "session_ended",            "The session has ended";
    TokenRevoked           => UNAUTHORIZED           "token_revoked",            "The API token was revoked";
    LoginFailed            => UNAUTHORIZED           "login_failed",             "Unknown e-mail address or wrong password";
    RefreshInvalid         => UNAUTHORIZED           "refresh_invalid",          "The refresh token does not hold";
    RefreshReused          => UNAUTHORIZED           "refresh_reused",           "The refresh token was used before; its session was ended";
    BudgetExceeded         => PAYMENT_REQUIRED       "budget_exceeded",          "The budget is used up";
    ScopeMissing           => FORBIDDEN              "scope_missing",            "The token lacks a scope for this";
    RoleMissing            => FORBIDDEN              "role_missing",             "This needs another role";
    NotAllowed             => FORBIDDEN              "not_allowed",              "You may see this and not do that";
    OriginRefused          => FORBIDDEN              "origin_refused",           "Requests with cookies must come from the same origin";
    SessionRequired        => FORBIDDEN              "session_required",         "This needs a session, not an API token";
    ImpersonationLimited   => FORBIDDEN              "impersonation_limited",    "An impersonated session cannot do this";
    NotImpersonating       => FORBIDDEN              "not_impersonating",        "This needs an impersonation token";
    FeatureDisabled        => FORBIDDEN              "feature_disabled",         "This feature is switched off";
    AssistantDisabled      => FORBIDDEN              "assistant_disabled",       "This assistant is disabled";
    InvitationRequired     => FORBIDDEN              "invitation_required",      "This takes an invitation";
    DomainNotAllowed       => FORBIDDEN              "domain_not_allowed",       "Addresses of this domain cannot sign up";
    NotInDirectory         => FORBIDDEN              "not_in_directory",         "The directory does not list this address";
    LoginMismatch          => FORBIDDEN              "login_mismatch",           "This is not the answer to a login that began here";
    LoginDenied            => FORBIDDEN              "login_denied",             "The authorization server did not let the user in";
    NotFound               => NOT_FOUND              "not_found",                "There is no such thing";
    RouteNotFound          => NOT_FOUND              "route_not_found",          "There is no such path";
    ModelNotFound          => NOT_FOUND              "model_not_found",          "There is no such model";
    MethodNotAllowed       => METHOD_NOT_ALLOWED     "method_not_allowed",       "This path does not answer that method";
    RequestTimeout         => REQUEST_TIMEOUT        "request_timeout",          "The request did not arrive in time";
    NameTaken              => CONFLICT               "name_taken",               "A thing of this name exists";
    Conflict               => CONFLICT               "conflict",                 "This clashes with what is there";
    LastOwner              => CONFLICT               "last_owner",               "Somebody has to own it";
    LimitReached           => CONFLICT               "limit_reached",            "There are as many as there may be";
    StorageQuotaReached    => CONFLICT               "storage_quota_reached",    "The stored data would exceed its quota";
    InUse                  => CONFLICT               "in_use",                   "Something else uses this";
    LastAdmin              => CONFLICT               "last_admin",               "The last administrator of a tenant stays one";
    MailMissing            => CONFLICT               "mail_missing",             "This needs mail, and none is configured";
    IsDefault              => CONFLICT               "is_default",               "A default cannot be hidden";
    SyncRunning            => CONFLICT               "sync_running",             "Groups are being synchronised already";
    NoDirectory            => CONFLICT               "no_directory",             "Nobody has said which directory groups come from";
    Reindexing             => CONFLICT               "reindexing",               "Its index is being built anew already";
    StreamActive           => CONFLICT               "stream_active",            "A stream is live in this conversation";
    NotWaiting             => CONFLICT               "not_waiting",              "The run waits for nothing of the kind";
    FormAnswered           => CONFLICT               "form_answered",            "The form was answered before";
    NotReady               => CONFLICT               "not_ready",                "It is not there, or not yet";
    NoRun                  => CONFLICT               "no_run",                   "There is no run to go by";
    AlreadyInstalled       => CONFLICT               "already_installed",        "You have this package already";
    RequirementsMissing    => CONFLICT               "requirements_missing",     "Something that the package needs is not there";
    UpdateConflict         => CONFLICT               "update_conflict",          "What was changed here is changed by the other version, too";
    ScanOutdated           => CONFLICT               "scan_outdated",            "Things have changed since they were scanned";
    ConfirmEffects         => CONFLICT               "confirm_effects",          "What cannot be undone would happen again";
    LoginNotRequired       => CONFLICT               "login_not_required",       "The server wants no login";
    LoginExpired           => GONE                   "login_expired",            "The login has expired, or was used before";
    StreamExpired          => GONE                   "stream_expired",           "The stream's journal is no longer kept";
    FormExpired            => GONE                   "form_expired",             "The form has expired";
    ResultExpired          => GONE                   "result_expired",           "The result has had its time";
    InvitationExpired      => GONE                   "invitation_expired",       "The link has expired";
    UploadExpired          => GONE                   "upload_expired",           "The upload's address has expired or was used";
    Stale                  => PRECONDITION_FAILED    "stale",                    "It was changed in the meantime";
    TooLarge               => PAYLOAD_TOO_LARGE      "too_large",                "The request is too large";
    WrongContentType       => UNSUPPORTED_MEDIA_TYPE "wrong_content_type",       "The content type is not one of those accepted";
    RangeNotSatisfiable    => RANGE_NOT_SATISFIABLE  "range_not_satisfiable",    "The part that is asked for lies behind the end";
    Invalid                => UNPROCESSABLE_ENTITY   "invalid",                  "The request has faults";
    IdempotencyMismatch    => UNPROCESSABLE_ENTITY   "idempotency_mismatch",     "The idempotency key was used for another request";
    CodeNeverPassed        => UNPROCESSABLE_ENTITY   "code_never_passed",        "The code that the model wrote does not pass";
    NotAWorkflow           => UNPROCESSABLE_ENTITY   "not_a_workflow",           "This assistant has no workflow";
    UpstreamRefused        => BAD_REQUEST            "upstream_refused",         "The provider will not have this request";
    RateLimited            => TOO_MANY_REQUESTS      "rate_limited",             "Too many requests";
    UpstreamRateLimited    => TOO_MANY_REQUESTS      "upstream_rate_limited",    "The provider asks for fewer requests";
    LoginThrottled         => TOO_MANY_REQUESTS      "login_throttled",          "Too many attempts to log in";
    QuotaExceeded          => TOO_MANY_REQUESTS      "quota_exceeded",           "The day's quota is used up";
    FunctionFailed         => INTERNAL_SERVER_ERROR  "function_failed",          "The function failed";
    Internal               => INTERNAL_SERVER_ERROR  "internal",                 "Something failed on our side";
    StorageFull            => INSUFFICIENT_STORAGE   "storage_full",             "The server's disk is nearly full";
    MailFailed             => BAD_GATEWAY            "mail_failed",              "The letter could not be sent";
    DirectoryFailed        => BAD_GATEWAY            "directory_failed",         "The directory did not tell";
    AuthorityFailed        => BAD_GATEWAY            "authority_failed",         "The authorization server did not do its part";
    UpstreamFailed         => BAD_GATEWAY            "upstream_failed",          "The provider answered with an error";
    Overloaded             => SERVICE_UNAVAILABLE    "overloaded",               "Too much is waiting; try again";
    ShuttingDown           => SERVICE_UNAVAILABLE    "shutting_down",            "The server is shutting down";
    StreamInterrupted      => SERVICE_UNAVAILABLE    "stream_interrupted",       "The answer was interrupted; what there was of it is kept";
    FunctionTimeout        => GATEWAY_TIMEOUT        "function_timeout",         "The function took too long";
    UpstreamTimeout        => GATEWAY_TIMEOUT        "upstream_timeout",         "The provider did not answer in time";
}

impl Code {
    /// Whether it tells of a failure elsewhere: at a provider, at an authorization server, in somebody's function.
    pub fn is_not_ours(self) -> bool {
        use Code::{
            AuthorityFailed, DirectoryFailed, FunctionFailed, FunctionTimeout, MailFailed, UpstreamFailed,
            UpstreamTimeout,
        };
        matches!(
            self,
            AuthorityFailed
                | DirectoryFailed
                | FunctionFailed
                | FunctionTimeout
                | MailFailed
                | UpstreamFailed
                | UpstreamTimeout
        )
    }
}

/// An error answer: what is shown and, apart from it, what is logged.
#[derive(Debug)]
pub struct ApiError(Box<Parts>);

#[derive(Debug)]
pub(super) struct Parts {
    pub code: Code,
    pub detail: Option<String>,
    pub faults: Vec<Fault>,
    pub extra: Map<String, Value>,
    pub retry_after: Option<u64>,
    pub allow: Option<String>,
    cause: Option<String>,
}

impl ApiError {
    /// An error of this code, with nothing more to say.
    pub fn new(code: Code) -> Self {
        let (faults, extra) = (Vec::new(), Map::new());
        Self(Box::new(Parts {
            code,
            detail: None,
            faults,
            extra,
            retry_after: None,
            allow: None,
            cause: None,
        }))
    }

    /// A 404 that names the kind of thing.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound).detail(format!("{what} not found"))
    }

    /// A 422 with one fault. `place` is `body`, `query` or `path`.
    pub fn invalid<'a>(
        place: &'static str,
        loc: impl IntoIterator<Item = &'a str>,
        msg: impl Into<String>,
        kind: &'static str,
    ) -> Self {
        Self::faulty(vec![Fault::new(place, loc, msg, kind)])
    }

    /// A 422 with these faults.
    pub fn faulty(faults: Vec<Fault>) -> Self {
        let mut error = Self::new(Code::Invalid);
        error.0.faults = faults;
        error
    }

    /// What happened this time, shown to the caller.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// A further member of the problem document.
    pub fn extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    /// The name that a provider itself has for its failure, where it tells one.
    pub fn provider_code(self, code: Option<&str>) -> Self {
        match code {
            Some(code) => self.extra(PROVIDER_CODE, code),
            None => self,
        }
    }

    /// What is logged and never shown.
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// When to try again, in seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// When to try again, where somebody has said so.
    pub fn retry_after_if(mut self, seconds: Option<u64>) -> Self {
        self.0.retry_after = seconds.or(self.0.retry_after);
        self
    }

    /// The methods a path answers (405).
    pub fn allow(mut self, methods: String) -> Self {
        self.0.allow = Some(methods);
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What to log beside the code, if anything.
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The faults of a 422.
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// Whether what was given is at fault, and not the server.
    pub fn is_about_input(&self) -> bool {
        self.0.code == Code::Invalid
    }

    /// What happened, as it is shown to the caller.
    pub fn shown_detail(&self) -> &str {
        self.0.detail.as_deref().unwrap_or(self.0.code.title())
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.0
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.code.as_str())?;
        if let Some(detail) = &self.0.detail {
            write!(f, ": {detail}")?;
        }
        if let Some(cause) = &self.0.cause {
            write!(f, " ({cause})")?;
        }
        Ok(())
    }
}

impl From<Code> for ApiError {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

impl From<storage::Error> for ApiError {
    fn from(error: storage::Error) -> Self {
        use storage::Error as E;
        match error {
            E::NotFound(what) => Self::not_found(what),
            E::Taken { record, index } => {
                Self::new(Code::NameTaken).detail(format!("a {record} with this {index} exists already"))
            }
            E::Stale(what) => {
                Self::new(Code::Stale).detail(format!("the {what} was changed in the meantime"))
            }
            E::LimitReached(reached) => {
                let is_quota = reached.unit == "bytes" && reached.of != "conversation";
                let code = if is_quota { Code::StorageQuotaReached } else { Code::LimitReached };
                Self::new(code)
                    .detail(reached.to_string())
                    .extra("limit_of", reached.of)
                    .extra("unit", reached.unit)
                    .extra("limit", reached.limit)
                    .extra("current", reached.current)
                    .extra("added", reached.added)
                    .extra("setting", reached.setting)
            }
            E::Invalid(why) => Self::new(Code::Invalid).detail(why),
            E::Conflict | E::Busy | E::Superseded => Self::new(Code::Overloaded).retry_after(1),
            E::Full => Self::new(Code::StorageFull)
                .detail(
                    "the disk of the server's data folder has too little free space for this; what is stored can be \
                     read. The server goes on by itself once an administrator has freed space",
                )
                .retry_after(60),
            E::Closed => Self::new(Code::ShuttingDown).retry_after(5),
            E::Io(ref io) if io.kind() == std::io::ErrorKind::StorageFull => E::Full.into(),
            E::Corrupt(_) | E::Engine(_) | E::Io(_) => Self::new(Code::Internal).because(error),
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.0.code.status()
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        problem::answer(self)
    }
}
