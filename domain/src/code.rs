//! The table of error codes.

macro_rules! codes {
    ($($name:ident => $code:literal, $title:literal;)*) => {
        /// The error code of a refusal, which clients can rely on. Codes are never renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the stable name that clients see.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// Returns a sentence for people.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }
        }
    };
}

codes! {
    BadRequest           => "bad_request",           "The request is malformed";
    MalformedBody        => "malformed_body",        "The body cannot be parsed";
    CredentialsMissing   => "credentials_missing",   "Authentication required";
    CookiesWithheld      => "cookies_withheld",      "The browser did not send the login cookies";
    CredentialsMalformed => "credentials_malformed", "Malformed credentials";
    CredentialsInvalid   => "credentials_invalid",   "Invalid credentials";
    CredentialsExpired   => "credentials_expired",   "The credentials have expired";
    SessionEnded         => "session_ended",         "The session has ended";
    TokenRevoked         => "token_revoked",         "The API token has been revoked";
    LoginFailed          => "login_failed",          "Unknown e-mail address or wrong password";
    RefreshInvalid       => "refresh_invalid",       "Invalid refresh token";
    RefreshReused        => "refresh_reused",        "The refresh token has already been used; its session was ended";
    BudgetExceeded       => "budget_exceeded",       "Budget exceeded";
    ScopeMissing         => "scope_missing",         "The token lacks a required scope";
    RoleMissing          => "role_missing",          "This operation requires a different role";
    NotAllowed           => "not_allowed",           "Not allowed";
    OriginRefused        => "origin_refused",        "Requests with cookies must come from the same origin";
    SessionRequired      => "session_required",      "This operation requires a session, not an API token";
    ImpersonationLimited => "impersonation_limited", "An impersonated session cannot do this";
    NotImpersonating     => "not_impersonating",     "This operation requires an impersonation token";
    FeatureDisabled      => "feature_disabled",      "This feature is disabled";
    AssistantDisabled    => "assistant_disabled",    "This assistant is disabled";
    InvitationRequired   => "invitation_required",   "An invitation is required";
    DomainNotAllowed     => "domain_not_allowed",    "Addresses of this domain cannot sign up";
    NotInDirectory       => "not_in_directory",      "The directory does not list this address";
    LoginMismatch        => "login_mismatch",        "This response does not belong to a login that was started here";
    LoginDenied          => "login_denied",          "The authorization server denied the login";
    NotFound             => "not_found",             "Not found";
    RouteNotFound        => "route_not_found",       "Path not found";
    ModelNotFound        => "model_not_found",       "Model not found";
    MethodNotAllowed     => "method_not_allowed",    "Method not allowed";
    RequestTimeout       => "request_timeout",       "The request timed out";
    NameTaken            => "name_taken",            "The name is already in use";
    Conflict             => "conflict",              "The request conflicts with the current state";
    LastOwner            => "last_owner",            "At least one owner is required";
    LimitReached         => "limit_reached",         "Limit reached";
    StorageQuotaReached  => "storage_quota_reached", "Storage quota exceeded";
    InUse                => "in_use",                "The object is in use";
    LastAdmin            => "last_admin",            "A tenant must keep at least one administrator";
    MailMissing          => "mail_missing",          "No mail server is configured";
    IsDefault            => "is_default",            "A default cannot be hidden";
    SyncRunning          => "sync_running",          "A group synchronisation is already running";
    NoDirectory          => "no_directory",          "No directory is configured";
    Reindexing           => "reindexing",            "The index is already being rebuilt";
    StreamActive         => "stream_active",         "A stream is active in this conversation";
    NotWaiting           => "not_waiting",           "The run is not waiting for this";
    FormAnswered         => "form_answered",         "The form has already been answered";
    NotReady             => "not_ready",             "Not ready";
    NoRun                => "no_run",                "No run available";
    AlreadyInstalled     => "already_installed",     "The package is already installed";
    RequirementsMissing  => "requirements_missing",  "A requirement of the package is missing";
    UpdateConflict       => "update_conflict",       "Local changes conflict with the update";
    ScanOutdated         => "scan_outdated",         "The scan is outdated";
    ConfirmEffects       => "confirm_effects",       "Irreversible effects must be confirmed";
    LoginNotRequired     => "login_not_required",    "The server requires no login";
    LoginExpired         => "login_expired",         "The login has expired or has already been used";
    StreamExpired        => "stream_expired",        "The stream has expired";
    FormExpired          => "form_expired",          "The form has expired";
    ResultExpired        => "result_expired",        "The result has expired";
    InvitationExpired    => "invitation_expired",    "The link has expired";
    UploadExpired        => "upload_expired",        "The upload URL has expired or has already been used";
    Stale                => "stale",                 "The object has been modified";
    TooLarge             => "too_large",             "The request is too large";
    WrongContentType     => "wrong_content_type",    "Unsupported content type";
    RangeNotSatisfiable  => "range_not_satisfiable", "Range not satisfiable";
    Invalid              => "invalid",               "The request is invalid";
    IdempotencyMismatch  => "idempotency_mismatch",  "The idempotency key was used for a different request";
    CodeNeverPassed      => "code_never_passed",     "The generated code did not pass its checks";
    NotAWorkflow         => "not_a_workflow",        "This assistant has no workflow";
    UpstreamRefused      => "upstream_refused",      "The provider rejected the request";
    RateLimited          => "rate_limited",          "Too many requests";
    UpstreamRateLimited  => "upstream_rate_limited", "The provider's rate limit was reached";
    LoginThrottled       => "login_throttled",       "Too many login attempts";
    QuotaExceeded        => "quota_exceeded",        "Daily quota exceeded";
    FunctionFailed       => "function_failed",       "The function failed";
    Internal             => "internal",              "Internal error";
    StorageFull          => "storage_full",          "The server is running out of disk space";
    MailFailed           => "mail_failed",           "The e-mail could not be sent";
    DirectoryFailed      => "directory_failed",      "The directory could not be queried";
    AuthorityFailed      => "authority_failed",      "The authorization server failed";
    UpstreamFailed       => "upstream_failed",       "The provider returned an error";
    Overloaded           => "overloaded",            "The server is overloaded; try again later";
    Indexing             => "indexing",              "The messages are being indexed; try again later";
    ShuttingDown         => "shutting_down",         "The server is shutting down";
    StreamInterrupted    => "stream_interrupted",    "The response was interrupted; the partial response is kept";
    FunctionTimeout      => "function_timeout",      "The function timed out";
    UpstreamTimeout      => "upstream_timeout",      "The provider timed out";
}

impl Code {
    /// Returns whether the failure is outside this server: at a provider, at an authorization server, or in
    /// a user's function.
    pub fn is_external(self) -> bool {
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
