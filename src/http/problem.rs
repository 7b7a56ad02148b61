//! How errors look on the wire: `application/problem+json`, or the shape that clients of the
//! OpenAI-compatible paths expect.

use super::context;
use super::error::status_of;
use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use domain::Fault;
use domain::{Code, PROVIDER_CODE, Refusal};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// An error answer (RFC 9457).
#[derive(Serialize, ToSchema)]
pub struct Problem {
    /// `urn:understudy:error:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// One sentence for people.
    pub title: String,
    /// The HTTP status.
    #[schema(example = 404)]
    pub status: u16,
    /// A stable name of the error, for programs.
    #[schema(example = "not_found")]
    pub code: String,
    /// What happened this time.
    pub detail: Option<String>,
    /// The request's id, which the log lines of the request carry, too.
    pub request_id: String,
}

/// A 422: the request was understood and has faults, all of which are listed.
#[derive(Serialize, ToSchema)]
pub struct ValidationError {
    /// `urn:understudy:error:invalid`.
    #[serde(rename = "type")]
    pub kind: String,
    /// One sentence for people.
    pub title: String,
    /// 422.
    #[schema(example = 422)]
    pub status: u16,
    /// `invalid`, or a code that says more.
    #[schema(example = "invalid")]
    pub code: String,
    /// What happened this time.
    pub detail: Option<String>,
    /// The request's id, which the log lines of the request carry, too.
    pub request_id: String,
    /// Every fault that was found.
    pub errors: Vec<Fault>,
}

/// An error as the OpenAI interface has it.
#[derive(Serialize, ToSchema)]
pub struct PartnerError {
    pub error: PartnerErrorBody,
}

/// What an error of the OpenAI interface says.
#[derive(Serialize, ToSchema)]
pub struct PartnerErrorBody {
    /// What happened, for people.
    pub message: String,
    /// The kind of error, as the OpenAI libraries tell them apart.
    #[serde(rename = "type")]
    #[schema(example = "invalid_request_error")]
    pub kind: &'static str,
    /// The field that is meant, where one is: `messages.0.role`.
    pub param: Option<String>,
    /// A stable name of the error, for programs.
    #[schema(example = "not_found")]
    pub code: &'static str,
    /// A provider's own name for its failure, where it tells one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub provider_code: Option<Value>,
}

/// The answer for an error, with the id of the request that is being served.
pub(super) fn answer(error: &Refusal) -> HttpResponse<BoxBody> {
    let parts = error.parts();
    let status = status_of(parts.code);
    let (request_id, partner) = context::current(|c| (c.request_id.clone(), c.partner));
    let mut response = HttpResponse::build(status);
    if let Some(seconds) = parts.retry_after {
        response.insert_header((RETRY_AFTER, seconds));
    }
    if let Some(allow) = parts.allow.as_deref().and_then(|allow| HeaderValue::from_str(allow).ok()) {
        response.insert_header((ALLOW, allow));
    }
    if status == StatusCode::UNAUTHORIZED {
        response.insert_header((WWW_AUTHENTICATE, "Bearer"));
    }
    if partner {
        return response.json(partner_document(error));
    }
    response.content_type("application/problem+json").body(document(error, &request_id).to_string())
}

fn document(error: &Refusal, request_id: &str) -> Value {
    let parts = error.parts();
    let code = parts.code.as_str();
    // Clients show it, so there is always a sentence.
    let detail = match (&parts.detail, parts.code) {
        (Some(detail), _) => detail.clone(),
        (None, Code::Internal) => {
            "internal error; the reason is in the server's log under the request_id of this response"
                .to_owned()
        }
        (None, code) => code.title().to_owned(),
    };
    let mut document = json!({
        "type": format!("urn:understudy:error:{code}"),
        "title": parts.code.title(),
        "status": status_of(parts.code).as_u16(),
        "code": code,
        "detail": detail,
        "request_id": request_id,
    });
    if status_of(parts.code) == StatusCode::UNPROCESSABLE_ENTITY {
        document["errors"] = json!(parts.faults);
    }
    for (name, value) in &parts.extra {
        document[name] = value.clone();
    }
    document
}

fn partner_document(error: &Refusal) -> PartnerError {
    let parts = error.parts();
    let fault = parts.faults.first();
    let message = match (fault, &parts.detail) {
        (Some(fault), _) => format!("{}: {}", parameter(fault), fault.msg),
        (None, Some(detail)) => detail.clone(),
        (None, None) => parts.code.title().to_owned(),
    };
    let kind = match status_of(parts.code).as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    let code = match parts.code {
        Code::CredentialsInvalid | Code::CredentialsMalformed => "invalid_api_key",
        code => code.as_str(),
    };
    let provider_code = parts.extra.get(PROVIDER_CODE).cloned();
    PartnerError {
        error: PartnerErrorBody { message, kind, param: fault.map(parameter), code, provider_code },
    }
}

/// `messages.0.role`, without the leading `body`.
fn parameter(fault: &Fault) -> String {
    let steps = fault.loc.iter().skip(1).map(ToString::to_string);
    steps.collect::<Vec<_>>().join(".")
}
