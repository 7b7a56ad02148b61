//! The table of error codes.

macro_rules! codes {
    ($($name:ident => $code:literal, $title:literal;)*) => {
        /// Why a request is refused, as clients can rely on it. Codes are never renamed.
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
        }
    };
}

codes! {
    BadRequest           => "bad_request",           "The request makes no sense";
    MalformedBody        => "malformed_body",        "The body does not parse";
    CredentialsMissing   => "credentials_missing",   "This needs credentials";
    CookiesWithheld      => "cookies_withheld",      "The browser has not sent the cookies of the login";
    CredentialsMalformed => "credentials_malformed", "The credentials do not parse";
    CredentialsInvalid   => "credentials_invalid",   "The credentials do not hold";
    CredentialsExpired   => "credentials_expired",   "The credentials have expired";
    SessionEnded         => "session_ended",         "The session has ended";
    TokenRevoked         => "token_revoked",         "The API token was revoked";
    LoginFailed          => "login_failed",          "Unknown e-mail address or wrong password";
    RefreshInvalid       => "refresh_invalid",       "The refresh token does not hold";
    RefreshReused        => "refresh_reused",        "The refresh token was used before; its session was ended";
    BudgetExceeded       => "budget_exceeded",       "The budget is used up";
    ScopeMissing         => "scope_missing",         "The token lacks a scope for this";
    RoleMissing          => "role_missing",          "This needs another role";
    NotAllowed           => "not_allowed",           "You may see this and not do that";
    OriginRefused        => "origin_refused",        "Requests with cookies must come from the same origin";
    SessionRequired      => "session_required",      "This needs a session, not an API token";
    ImpersonationLimited => "impersonation_limited", "An impersonated session cannot do this";
    NotImpersonating     => "not_impersonating",     "This needs an impersonation token";
    FeatureDisabled      => "feature_disabled",      "This feature is switched off";
    AssistantDisabled    => "assistant_disabled",    "This assistant is disabled";
    InvitationRequired   => "invitation_required",   "This takes an invitation";
    DomainNotAllowed     => "domain_not_allowed",    "Addresses of this domain cannot sign up";
    NotInDirectory       => "not_in_directory",      "The directory does not list this address";
    LoginMismatch        => "login_mismatch",        "This is not the answer to a login that began here";
    LoginDenied          => "login_denied",          "The authorization server did not let the user in";
    NotFound             => "not_found",             "There is no such thing";
    RouteNotFound        => "route_not_found",       "There is no such path";
    ModelNotFound        => "model_not_found",       "There is no such model";
    MethodNotAllowed     => "method_not_allowed",    "This path does not answer that method";
    RequestTimeout       => "request_timeout",       "The request did not arrive in time";
    NameTaken            => "name_taken",            "A thing of this name exists";
    Conflict             => "conflict",              "This clashes with what is there";
    LastOwner            => "last_owner",            "Somebody has to own it";
    LimitReached         => "limit_reached",         "There are as many as there may be";
    StorageQuotaReached  => "storage_quota_reached", "The stored data would exceed its quota";
    InUse                => "in_use",                "Something else uses this";
    LastAdmin            => "last_admin",            "The last administrator of a tenant stays one";
    MailMissing          => "mail_missing",          "This needs mail, and none is configured";
    IsDefault            => "is_default",            "A default cannot be hidden";
    SyncRunning          => "sync_running",          "Groups are being synchronised already";
    NoDirectory          => "no_directory",          "Nobody has said which directory groups come from";
    Reindexing           => "reindexing",            "Its index is being built anew already";
    StreamActive         => "stream_active",         "A stream is live in this conversation";
    NotWaiting           => "not_waiting",           "The run waits for nothing of the kind";
    FormAnswered         => "form_answered",         "The form was answered before";
    NotReady             => "not_ready",             "It is not there, or not yet";
    NoRun                => "no_run",                "There is no run to go by";
    AlreadyInstalled     => "already_installed",     "You have this package already";
    RequirementsMissing  => "requirements_missing",  "Something that the package needs is not there";
    UpdateConflict       => "update_conflict",       "What was changed here is changed by the other version, too";
    ScanOutdated         => "scan_outdated",         "Things have changed since they were scanned";
    ConfirmEffects       => "confirm_effects",       "What cannot be undone would happen again";
    LoginNotRequired     => "login_not_required",    "The server wants no login";
    LoginExpired         => "login_expired",         "The login has expired, or was used before";
    StreamExpired        => "stream_expired",        "The stream's journal is no longer kept";
    FormExpired          => "form_expired",          "The form has expired";
    ResultExpired        => "result_expired",        "The result has had its time";
    InvitationExpired    => "invitation_expired",    "The link has expired";
    UploadExpired        => "upload_expired",        "The upload's address has expired or was used";
    Stale                => "stale",                 "It was changed in the meantime";
    TooLarge             => "too_large",             "The request is too large";
    WrongContentType     => "wrong_content_type",    "The content type is not one of those accepted";
    RangeNotSatisfiable  => "range_not_satisfiable", "The part that is asked for lies behind the end";
    Invalid              => "invalid",               "The request has faults";
    IdempotencyMismatch  => "idempotency_mismatch",  "The idempotency key was used for another request";
    CodeNeverPassed      => "code_never_passed",     "The code that the model wrote does not pass";
    NotAWorkflow         => "not_a_workflow",        "This assistant has no workflow";
    UpstreamRefused      => "upstream_refused",      "The provider will not have this request";
    RateLimited          => "rate_limited",          "Too many requests";
    UpstreamRateLimited  => "upstream_rate_limited", "The provider asks for fewer requests";
    LoginThrottled       => "login_throttled",       "Too many attempts to log in";
    QuotaExceeded        => "quota_exceeded",        "The day's quota is used up";
    FunctionFailed       => "function_failed",       "The function failed";
    Internal             => "internal",              "Something failed on our side";
    StorageFull          => "storage_full",          "The server's disk is nearly full";
    MailFailed           => "mail_failed",           "The letter could not be sent";
    DirectoryFailed      => "directory_failed",      "The directory did not tell";
    AuthorityFailed      => "authority_failed",      "The authorization server did not do its part";
    UpstreamFailed       => "upstream_failed",       "The provider answered with an error";
    Overloaded           => "overloaded",            "Too much is waiting; try again";
    ShuttingDown         => "shutting_down",         "The server is shutting down";
    StreamInterrupted    => "stream_interrupted",    "The answer was interrupted; what there was of it is kept";
    FunctionTimeout      => "function_timeout",      "The function took too long";
    UpstreamTimeout      => "upstream_timeout",      "The provider did not answer in time";
}

impl Code {
    /// Whether the failure is outside this server: at a provider, at an authorization server, in a user's function.
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
