//! Registration of notification endpoints: their secrets, and the check that this server can deliver to them.

use std::sync::Arc;

use actix_web::HttpResponse;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::notifications;
use jobs::delivery::{SECRET_PREFIX, SIGNING_BYTES};
use providers::push::Subscription;
use ring::rand::{SecureRandom, SystemRandom};
use storage::Tx;
use storage::notices::NewEndpoint;
use storage::records::{EndpointKind, NotificationEndpoint};

use super::schema::NotificationEndpointBody;
use super::view::NotificationEndpointResponse;
use crate::App;
use crate::http::{Api, Caller, Code, Refusal};

/// Registers an endpoint of the caller. Responds with 201 for a new endpoint and 200 for a known one.
pub async fn register(app: &App, caller: Arc<Caller>, new: NotificationEndpointBody) -> Api<HttpResponse> {
    let (address, label) = (new.address().to_owned(), new.label.as_deref().map(|it| it.trim().to_owned()));
    let p256dh = new.keys.as_ref().map(|keys| keys.p256dh.clone());
    let secret = secret(app, &new)?;
    let endpoint =
        NotificationEndpoint { kind: new.kind(), address, p256dh, label, ..NotificationEndpoint::default() };
    let new = NewEndpoint { endpoint, secret };
    let shown = new.secret.as_ref().filter(|_| new.endpoint.kind == EndpointKind::Webhook);
    let shown = shown.map(|secret| format!("{SECRET_PREFIX}{}", STANDARD.encode(secret)));
    let register = move |tx: &mut Tx| notifications::register_endpoint(tx, &caller, new.clone());
    let (row, is_new) = app.store.run(register).await?;
    let answer = NotificationEndpointResponse { secret: shown.filter(|_| is_new), ..row.into() };
    Ok(if is_new { HttpResponse::Created() } else { HttpResponse::Ok() }.json(answer))
}

/// Returns the secret of an endpoint, if its kind has one. Refuses an endpoint to which this server cannot
/// deliver.
fn secret(app: &App, new: &NotificationEndpointBody) -> Api<Option<Vec<u8>>> {
    let fault = |field: &str, why: String| Refusal::invalid("body", [field], why, "malformed");
    match new.kind() {
        EndpointKind::Email => match app.deliveries.has_mail() {
            true => Ok(None),
            false => Err(Code::MailMissing.into()),
        },
        EndpointKind::Webhook => {
            app.run_context.web.check(new.address()).map_err(|why| fault("url", why.message))?;
            let mut secret = vec![0; SIGNING_BYTES];
            let filled = SystemRandom::new().fill(&mut secret);
            filled.map_err(|_| Refusal::new(Code::Internal).because("no randomness"))?;
            Ok(Some(secret))
        }
        EndpointKind::WebPush => {
            app.run_context.web.check(new.address()).map_err(|why| fault("endpoint", why.message))?;
            let missing = || Refusal::invalid("body", ["keys"], "are needed for this kind", "missing");
            let keys = new.keys.as_ref().ok_or_else(missing)?;
            let read = Subscription::read(new.address(), &keys.p256dh, &keys.auth);
            read.map(|read| Some(read.auth)).map_err(|why| fault("keys", why.to_string()))
        }
    }
}
