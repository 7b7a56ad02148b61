//! Browsers that return from another server: the user they belong to, and whether they are the browser that was sent
//! there.

use super::error::status_of;
use super::error::{ErrorResponse, RefusalResponse};
use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::ACCEPT;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder};

use super::credentials::Verdict;
use super::error::Api;
use super::page::Page;
use super::state::HttpState;
use domain::Caller;
use domain::{Code, Refusal};

/// Information about the browser that sends a request, with or without credentials.
pub struct Browser {
    /// The user who is logged in in this browser.
    pub caller: Option<Arc<Caller>>,
    /// The mark that the browser received when a login at another server began.
    pub mark: Option<String>,
    wants_page: bool,
}

impl Browser {
    /// Sets the cookie that identifies the browser for ten minutes, keeping an existing mark, and returns the mark.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn marked(&self, state: &HttpState, response: &mut HttpResponseBuilder) -> Api<String> {
        let mark = match &self.mark {
            Some(mark) => mark.clone(),
            None => providers::oauth::random().map_err(|why| Refusal::new(Code::Internal).because(why))?,
        };
        state.cookies.login(response, &mark);
        Ok(mark)
    }

    /// Shows an error as a page if the client is a browser.
    pub fn shown(&self, answer: Api<HttpResponse>) -> HttpResponse {
        match answer {
            Ok(response) => response,
            Err(error) if self.wants_page => {
                tracing::debug!(%error, "a browser was shown an error page");
                Page::of_error(&error).respond(status_of(error.code()))
            }
            Err(error) => error.error_response(),
        }
    }
}

impl super::access::Argument for Browser {}

impl FromRequest for Browser {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = match request.extensions().get::<Verdict>() {
            Some(Verdict::Known(caller)) => Some(caller.clone()),
            _ => None,
        };
        let mark = request.app_data::<Data<HttpState>>().and_then(|state| {
            let cookie = request.cookie(state.cookies.login_name())?;
            // Marks of this server have 43 characters; any other value is ignored.
            (cookie.value().len() == 43).then(|| cookie.value().to_owned())
        });
        ready(Ok(Self { caller, mark, wants_page: wants_page(request) }))
    }
}

/// Whether the client accepts HTML.
pub(super) fn wants_page(request: &HttpRequest) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("text/html")
}
