//! Attaching to the stream of a run over a WebSocket.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use std::sync::Arc;
use storage::records::RunKind;
use uuid::Uuid;

use super::attach::{StreamReader, attach};
use super::cancel::cancel;
use super::disclosure::disclosed;
use super::query::ReadOptions;
use super::snapshot::RunSnapshot;
use crate::App;
use crate::http::encodings::{RunSession, SocketRefusal, Steering};
use crate::http::{Api, Caller, Code, Refusal, websocket};
use domain::Scope;

/// The conditions for cancelling a run over the socket.
#[derive(Clone, Copy, Debug)]
pub struct CancelRule {
    pub scope: Scope,
    /// Whether the run belongs to another user, so that the reader may not cancel it.
    pub read_only: bool,
}

/// Returns the stream of a run, over a WebSocket if the request asks for an upgrade.
///
/// # Errors
/// 410 if the stream has expired.
pub async fn attach_or_open(
    reader: StreamReader,
    snapshot: RunSnapshot,
    options: &ReadOptions,
    rule: CancelRule,
    (request, payload): (&HttpRequest, Payload),
) -> Api<HttpResponse> {
    match request.head().upgrade() {
        true => open(reader, snapshot, options.after, rule, (request, payload)).await,
        false => attach(reader, snapshot, options).await,
    }
}

/// Responds to an upgrade with a WebSocket whose stream starts after sequence number `after`.
async fn open(
    reader: StreamReader,
    snapshot: RunSnapshot,
    after: u64,
    rule: CancelRule,
    (request, payload): (&HttpRequest, Payload),
) -> Api<HttpResponse> {
    let StreamReader { app, caller, rights } = reader;
    let RunSnapshot { run, sees_all, .. } = snapshot;
    let cursor = app.actors.attach_to(caller.tenant, &run, after).await?;
    let cursor = disclosed(&app, &caller, run.kind, cursor, sees_all);
    let steering = steering(&app, &caller, (run.id, run.kind), rule);
    let session = RunSession::new(cursor, steering, rights);
    Ok(websocket::open(session, request, payload, app.drained.subscribe()))
}

/// The commands that the client of a WebSocket may send, with the rights of its own credential.
fn steering(
    app: &Data<App>,
    caller: &Arc<Caller>,
    (run, kind): (Uuid, RunKind),
    rule: CancelRule,
) -> Steering {
    let (own, reader) = (app.clone(), caller.clone());
    let attach = move |after| -> futures::future::LocalBoxFuture<'static, _> {
        let (app, caller) = (own.clone(), reader.clone());
        Box::pin(async move {
            let attached = app.actors.attach(caller.tenant, run, after).await;
            let attached = attached.map_err(|why| refused(&why.into()))?;
            Ok(disclosed(&app, &caller, kind, attached, None))
        })
    };
    let (own, reader) = (app.clone(), caller.clone());
    let cancel = move || -> futures::future::LocalBoxFuture<'static, _> {
        let (app, caller) = (own.clone(), reader.clone());
        Box::pin(async move {
            if !caller.may(rule.scope) {
                return Err(refused(&Code::ScopeMissing.into()));
            }
            if rule.read_only {
                return Err(refused(&Code::NotAllowed.into()));
            }
            cancel(&app, &caller, kind, run).await.map(drop).map_err(|why| refused(&why))
        })
    };
    Steering { attach: Box::new(attach), cancel: Box::new(cancel) }
}

fn refused(why: &Refusal) -> SocketRefusal {
    let (code, message) = (why.code().as_str(), why.code().title().to_owned());
    SocketRefusal { code, message }
}
