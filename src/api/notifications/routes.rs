//! `/api/notifications`.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::notifications::{self, NewPreferences};
use storage::records::Notice;
use storage::{Row, Tx, notices};

use super::preferences::NotificationPreferencesResponse;
use super::schema::{
    ListNotifications, NotificationEndpointBody, NotificationListFilter, SendNotificationRequest,
    UpdateNotificationPreferencesBody,
};
use super::send::SentNotificationResponse;
use super::view::{
    MarkedReadResponse, NotificationEndpointResponse, NotificationEndpointResponseList, NotificationResponse,
    NotificationResponseList, UnreadCountResponse, VapidPublicKeyResponse,
};
use super::{endpoints, feed, list, preferences, send};
use crate::App;
use crate::http::scopes::{AdminWrite, NotificationsRead, NotificationsWrite};
use crate::http::{
    Admin, Api, Auth, Code, Created, EmptyBody, IfMatch, Json, Loaded, NoContent, Own, Query, Versioned,
    operations,
};

/// List the caller's notifications, or follow them.
///
/// The newest come first. With `Accept: text/event-stream` the answer is a feed of server-sent events instead:
/// `notification`, `read` and `deleted`, each with an `id` that counts up, and `unread_count`, which stands at the end of
/// what was missed and after each change. A feed begins with what comes from now on; with `Last-Event-ID`, or `after`,
/// it goes on behind that event, without a gap and without telling anything twice. Where that cannot be done any more, it
/// says `reset`: then list again. It ends when the caller's rights do.
#[utoipa::path(get, path = "/api/notifications",
    params(ListNotifications, ("Last-Event-ID" = Option<u64>, Header, description = "Where the feed goes on.")),
    responses((status = 200, description = "A page of notifications, or the feed.", content(
        (NotificationResponseList = "application/json"), (feed::NotificationEvent = "text/event-stream")))))]
async fn list_notifications(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
    request: HttpRequest,
    Query(params): Query<ListNotifications>,
) -> Api<HttpResponse> {
    if let Some(from) = feed::resume_after(&request, &params)? {
        return Ok(feed::answer(&app, auth.caller(), from));
    }
    let caller = auth.caller();
    let page = app.store.read(move |reader| list::page(reader, &caller, &params)).await?;
    Ok(HttpResponse::Ok().json(page))
}

/// Count the caller's notifications that were not read.
#[utoipa::path(get, path = "/api/notifications/unread-count")]
async fn get_unread_notifications_count(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<UnreadCountResponse>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let standing = app.store.read(move |reader| notices::standing(reader, tenant, user)).await?;
    Ok(Json(UnreadCountResponse { count: standing.unread }))
}

/// Mark a notification as read.
///
/// One that was read before stays as it was.
#[utoipa::path(put, path = "/api/notifications/{notification_id}/read")]
async fn mark_notification_read(
    notice: Loaded<Row<Notice>, NotificationsWrite>,
    app: Data<App>,
) -> Api<Json<NotificationResponse>> {
    let (tenant, user, id) = (notice.auth.tenant, notice.auth.user, notice.id);
    let read = app.store.run(move |tx| notices::mark_read(tx, tenant, user, id)).await?;
    Ok(Json(read.ok_or(Code::NotFound)?.into()))
}

/// Mark all notifications of the caller as read.
///
/// All that are there at that moment; what is told after it is not among them. There is no way to name some: a body
/// that does is refused.
#[utoipa::path(put, path = "/api/notifications/read-all")]
async fn mark_all_notifications_read(
    auth: Auth<NotificationsWrite>,
    app: Data<App>,
    _: EmptyBody,
) -> Api<Json<MarkedReadResponse>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let marked = app.store.run(move |tx| notices::mark_all_read(tx, tenant, user)).await?;
    Ok(Json(MarkedReadResponse { marked }))
}

/// Delete a notification.
///
/// What is on its way to endpoints is sent all the same.
#[utoipa::path(delete, path = "/api/notifications/{notification_id}")]
async fn delete_notification(
    notice: Loaded<Row<Notice>, NotificationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    let (tenant, user, id) = (notice.auth.tenant, notice.auth.user, notice.id);
    app.store.run(move |tx| notices::remove(tx, tenant, user, id)).await?;
    Ok(NoContent)
}

/// List the caller's endpoints, and how they fare.
///
/// Secrets are not shown.
#[utoipa::path(get, path = "/api/notifications/endpoints")]
async fn list_notification_endpoints(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<NotificationEndpointResponseList>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let all = app.store.read(move |reader| notices::endpoints_of(reader, tenant, user)).await?;
    Ok(Json(all.into()))
}

/// Have notifications sent to a browser, a webhook or the caller's own address.
///
/// 201 the first time; the same endpoint once more answers 200 and takes on the label and, of a browser, the keys. A
/// webhook is signed as Standard Webhooks says; its `secret` is shown the first time and never again, and another one is
/// had by deleting the endpoint and registering it again. A browser belongs to the user who registered it last. Up to 20.
#[utoipa::path(post, path = "/api/notifications/endpoints",
    responses((status = 201, description = "The endpoint, which is new.", body = NotificationEndpointResponse),
        (status = 200, description = "The endpoint, which was there.", body = NotificationEndpointResponse),
        (status = 409, description = "There are 20 already, or no mail can be sent to the caller.")))]
async fn register_notification_endpoint(
    auth: Auth<NotificationsWrite, Own>,
    app: Data<App>,
    Json(new): Json<NotificationEndpointBody>,
) -> Api<HttpResponse> {
    endpoints::register(&app, auth.caller(), new).await
}

/// Have notifications sent there no more.
///
/// What waits to be sent there goes with it. Kind and address are enough to name it.
#[utoipa::path(delete, path = "/api/notifications/endpoints",
    responses((status = 404, description = "The caller has no such endpoint.")))]
async fn delete_notification_endpoint(
    auth: Auth<NotificationsWrite, Own>,
    app: Data<App>,
    Json(it): Json<NotificationEndpointBody>,
) -> Api<NoContent> {
    let caller = auth.caller();
    let delete = move |tx: &mut Tx| notifications::delete_endpoint(tx, &caller, it.kind(), it.address());
    app.store.run(delete).await.map(|()| NoContent)
}

/// Show the key that a browser has to name when it subscribes to web push.
#[utoipa::path(get, path = "/api/notifications/vapid-public-key")]
async fn get_vapid_public_key(
    _auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<VapidPublicKeyResponse>> {
    Ok(Json(VapidPublicKeyResponse { public_key: app.deliveries.public_key() }))
}

/// Show by which ways the caller is told what.
#[utoipa::path(get, path = "/api/notifications/preferences")]
async fn get_notification_preferences(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Versioned<NotificationPreferencesResponse>> {
    let (tenant, user) = (auth.tenant, auth.user);
    app.store.read(move |reader| preferences::show(reader, tenant, user)).await.map(Versioned)
}

/// Choose by which ways the caller is told what.
///
/// This replaces all that was chosen before. `*` is for all types; what is left open for a type is as `*` says, else as
/// the user's own preferences say for all tenants, and else as is usual.
#[utoipa::path(put, path = "/api/notifications/preferences")]
async fn update_notification_preferences(
    auth: Auth<NotificationsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateNotificationPreferencesBody>,
) -> Api<Versioned<NotificationPreferencesResponse>> {
    let caller = auth.caller();
    let (precondition, new) = (if_match.precondition(), NewPreferences::from(new));
    let replace = move |tx: &mut Tx| {
        notifications::set_preferences(tx, &caller, &precondition, new.clone())?;
        preferences::show(tx, caller.tenant, caller.user)
    };
    app.store.run(replace).await.map(Versioned)
}

/// Tell people something.
///
/// To members of the tenant: by name, by group, by team, or all; up to 10,000 at once. They are all told, or, if anything
/// is wrong with the request, none. For administrators; at most 20 times a minute in a tenant. The
/// same request under the same `Idempotency-Key` gives the same answer for 24 hours, and no one is notified again.
#[utoipa::path(post, path = "/api/notifications/send",
    params(("Idempotency-Key" = Option<String>, Header, description = "Names this request.", max_length = 255)))]
async fn send_notification(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    request: HttpRequest,
    Json(new): Json<SendNotificationRequest>,
) -> Api<Created<SentNotificationResponse>> {
    send::send_once(&app, auth.caller(), &request, new).await.map(Created)
}

operations!(
    list_notifications, get_unread_notifications_count, mark_all_notifications_read, list_notification_endpoints,
    register_notification_endpoint, delete_notification_endpoint, get_vapid_public_key, get_notification_preferences,
    update_notification_preferences, send_notification, mark_notification_read, delete_notification;
    schemas NotificationListFilter
);
