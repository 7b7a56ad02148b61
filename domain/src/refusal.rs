//! The error type of business rules.

use std::fmt;

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::code::Code;
use crate::fault::Fault;

/// The member of a problem document that contains the provider's own error code.
pub const PROVIDER_CODE: &str = "provider_code";

/// Why a request is refused: the part that the caller sees and, separately, the part that is logged.
#[derive(Debug)]
pub struct Refusal(Box<Parts>);

/// The parts of a [`Refusal`], from which a response is built.
#[derive(Debug)]
pub struct Parts {
    pub code: Code,
    pub detail: Option<String>,
    pub faults: Vec<Fault>,
    pub extra: Map<String, Value>,
    pub retry_after: Option<u64>,
    pub allow: Option<String>,
    cause: Option<String>,
}

impl Refusal {
    /// Returns a refusal with this code and without details.
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

    /// Returns a 404 that names the kind of object.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound).detail(format!("{what} not found"))
    }

    /// Returns a 409: a run with this stream is active.
    pub fn stream_active(stream: Uuid) -> Self {
        Self::new(Code::StreamActive).extra("stream_id", stream.to_string())
    }

    /// Returns the refusal for a disabled assistant, with the reason.
    pub fn assistant_disabled(reason: Option<&str>) -> Self {
        let refusal = Self::new(Code::AssistantDisabled);
        match reason {
            Some(reason) => refusal.detail(format!("{}: {reason}", Code::AssistantDisabled.title())),
            None => refusal,
        }
    }

    /// Returns a 422 with one fault. `place` is `body`, `query` or `path`.
    pub fn invalid<'a>(
        place: &'static str,
        loc: impl IntoIterator<Item = &'a str>,
        msg: impl Into<String>,
        kind: &'static str,
    ) -> Self {
        Self::faulty(vec![Fault::new(place, loc, msg, kind)])
    }

    /// Returns a 422 with these faults.
    pub fn faulty(faults: Vec<Fault>) -> Self {
        let mut error = Self::new(Code::Invalid);
        error.0.faults = faults;
        error
    }

    /// Sets the description of this occurrence, which is shown to the caller.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds a member to the problem document.
    pub fn extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    /// Adds the provider's own error code, if it sent one.
    pub fn provider_code(self, code: Option<&str>) -> Self {
        match code {
            Some(code) => self.extra(PROVIDER_CODE, code),
            None => self,
        }
    }

    /// Sets the cause, which is logged and never shown.
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// Sets the number of seconds after which the caller may retry.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Sets the number of seconds after which the caller may retry, if it is known.
    pub fn retry_after_if(mut self, seconds: Option<u64>) -> Self {
        self.0.retry_after = seconds.or(self.0.retry_after);
        self
    }

    /// Sets the methods that a path supports (405).
    pub fn allow(mut self, methods: String) -> Self {
        self.0.allow = Some(methods);
        self
    }

    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns the cause to log beside the code, if any.
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// Returns the faults of a 422.
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// Returns whether the input is at fault, and not the server.
    pub fn is_about_input(&self) -> bool {
        self.0.code == Code::Invalid
    }

    /// Returns the description that is shown to the caller.
    pub fn shown_detail(&self) -> &str {
        self.0.detail.as_deref().unwrap_or(self.0.code.title())
    }

    pub fn parts(&self) -> &Parts {
        &self.0
    }
}

impl fmt::Display for Refusal {
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

impl From<Code> for Refusal {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

impl From<storage::Error> for Refusal {
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
                     read. The server resumes automatically once an administrator has freed space",
                )
                .retry_after(60),
            E::Closed => Self::new(Code::ShuttingDown).retry_after(5),
            E::Io(ref io) if io.kind() == std::io::ErrorKind::StorageFull => E::Full.into(),
            E::Corrupt(_) | E::Engine(_) | E::Io(_) => Self::new(Code::Internal).because(error),
        }
    }
}
