//! The serialization of errors: `application/problem+json`, or the format that clients of the OpenAI-compatible paths
//! expect.

use super::context;
use super::error::status_of;
use super::error_codes::{ErrorCode, PartnerErrorCode, ValidationErrorCode, partner_code};
use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use domain::Fault;
use domain::{Code, PROVIDER_CODE, Refusal};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// An error response (RFC 9457).
#[derive(Serialize, ToSchema)]
pub struct Problem {
    /// `urn:understudy:error:` followed by the error code.
    #[serde(rename = "type")]
    pub kind: String,
    /// A one-sentence description of the error for people.
    pub title: String,
    /// The HTTP status.
    #[schema(example = 404)]
    pub status: u16,
    /// The stable error code, for programs.
    #[schema(value_type = ErrorCode)]
    pub code: String,
    /// What happened in this case.
    pub detail: String,
    /// The id of the request, which also appears in its log lines.
    pub request_id: String,
}

/// A 422 response: the request was understood, but contains errors, all of which are listed.
#[derive(Serialize, ToSchema)]
pub struct ValidationError {
    /// `urn:understudy:error:invalid`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A one-sentence description of the error for people.
    pub title: String,
    /// 422.
    #[schema(example = 422)]
    pub status: u16,
    /// `invalid`, or a more specific code.
    #[schema(value_type = ValidationErrorCode)]
    pub code: String,
    /// What happened in this case.
    pub detail: String,
    /// The id of the request, which also appears in its log lines.
    pub request_id: String,
    /// All errors that were found.
    pub errors: Vec<Fault>,
}

/// An error in the format of the OpenAI interface.
#[derive(Serialize, ToSchema)]
pub struct PartnerError {
    pub error: PartnerErrorBody,
}

/// The content of an error in the format of the OpenAI interface.
#[derive(Serialize, ToSchema)]
pub struct PartnerErrorBody {
    /// What happened, for people.
    pub message: String,
    /// The kind of error, by which the OpenAI libraries distinguish errors.
    #[serde(rename = "type")]
    #[schema(example = "invalid_request_error")]
    pub kind: &'static str,
    /// The field that caused the error, if any: `messages.0.role`.
    pub param: Option<String>,
    /// The stable error code, for programs.
    #[schema(value_type = PartnerErrorCode)]
    pub code: &'static str,
    /// The provider's own name for its failure, if it reported one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    pub provider_code: Option<Value>,
}

/// The response for an error, with the id of the current request.
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

/// The problem document of an error that concerns this request.
pub(crate) fn document(error: &Refusal, request_id: &str) -> Value {
    let parts = error.parts();
    let code = parts.code.as_str();
    // Clients show the detail to users, so there is always a sentence.
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
    let code = partner_code(parts.code);
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
