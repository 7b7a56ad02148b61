//! The operations of `/api/notifications`.

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

/// List the caller's notifications, or subscribe to them.
///
/// Returns the newest notifications first. With `Accept: text/event-stream`, the response is a feed of
/// server-sent events instead: `notification`, `read` and `deleted`, each with an increasing `id`, and
/// `unread_count`, which follows the missed events and every change. By default a feed starts with new events.
/// With `Last-Event-ID` or `after`, it resumes after that event, without gaps or duplicates. If it cannot
/// resume there, it sends `reset`, and the client must list the notifications again. The feed ends when the
/// caller's rights end.
#[utoipa::path(get, path = "/api/notifications",
    params(ListNotifications, ("Last-Event-ID" = Option<u64>, Header,
        description = "The id of the last event that the client received. The feed continues after it.")),
    responses((status = 200, description = "A page of notifications, or the event stream of the feed.", content(
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

/// Count the caller's unread notifications.
#[utoipa::path(get, path = "/api/notifications/unread-count")]
async fn get_unread_notifications_count(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<UnreadCountResponse>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let notice_counts = app.store.read(move |reader| notices::notice_counts(reader, tenant, user)).await?;
    Ok(Json(UnreadCountResponse { count: notice_counts.unread }))
}

/// Mark a notification as read.
///
/// A notification that was already read does not change.
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
/// Applies to the notifications that exist at the time of the request, but not to later ones. Individual
/// notifications cannot be selected: a request with a body that names some is refused.
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
/// Deliveries to endpoints that are already queued are still sent.
#[utoipa::path(delete, path = "/api/notifications/{notification_id}")]
async fn delete_notification(
    notice: Loaded<Row<Notice>, NotificationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    let (tenant, user, id) = (notice.auth.tenant, notice.auth.user, notice.id);
    app.store.run(move |tx| notices::remove(tx, tenant, user, id)).await?;
    Ok(NoContent)
}

/// List the caller's endpoints with their delivery status.
///
/// Secrets are not returned.
#[utoipa::path(get, path = "/api/notifications/endpoints")]
async fn list_notification_endpoints(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<NotificationEndpointResponseList>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let all = app.store.read(move |reader| notices::endpoints_of(reader, tenant, user)).await?;
    Ok(Json(all.into()))
}

/// Register an endpoint for notifications: a browser, a webhook or the caller's email address.
///
/// Responds with 201 for a new endpoint. Registering a known endpoint responds with 200 and updates its label
/// and, for a browser, its keys. Webhook deliveries are signed as defined by Standard Webhooks. The `secret` is
/// returned only when the endpoint is created; to get a new one, delete the endpoint and register it again. A
/// browser belongs to the user who registered it last. A user can have up to 20 endpoints.
#[utoipa::path(post, path = "/api/notifications/endpoints",
    responses((status = 201, description = "The endpoint was registered.", body = NotificationEndpointResponse),
        (status = 200, description = "The endpoint was already registered, and has been updated.", body = NotificationEndpointResponse),
        (status = 409, description = "The caller already has 20 endpoints, or no email can be sent to the caller.")))]
async fn register_notification_endpoint(
    auth: Auth<NotificationsWrite, Own>,
    app: Data<App>,
    Json(new): Json<NotificationEndpointBody>,
) -> Api<HttpResponse> {
    endpoints::register(&app, auth.caller(), new).await
}

/// Delete an endpoint.
///
/// Deliveries that are queued for the endpoint are discarded. The kind and address are sufficient to identify
/// it.
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

/// Retrieve the key that a browser needs to subscribe to web push.
#[utoipa::path(get, path = "/api/notifications/vapid-public-key")]
async fn get_vapid_public_key(
    _auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Json<VapidPublicKeyResponse>> {
    Ok(Json(VapidPublicKeyResponse { public_key: app.deliveries.public_key() }))
}

/// Retrieve the caller's notification preferences.
#[utoipa::path(get, path = "/api/notifications/preferences")]
async fn get_notification_preferences(
    auth: Auth<NotificationsRead>,
    app: Data<App>,
) -> Api<Versioned<NotificationPreferencesResponse>> {
    let (tenant, user) = (auth.tenant, auth.user);
    app.store.read(move |reader| preferences::show(reader, tenant, user)).await.map(Versioned)
}

/// Replace the caller's notification preferences.
///
/// Replaces all preferences in this tenant. `*` applies to all types. For each channel, the preference for the
/// type takes precedence over the one for `*`, then over the user's own defaults for all tenants, and then over
/// the default of the type.
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

/// Send a notification to members of the tenant.
///
/// Addresses users, groups, teams or everyone, up to 10,000 users at once. If any part of the request is
/// invalid, no notification is sent. Requires an administrator; limited to 20 requests a minute in a tenant. A
/// repeated request with the same `Idempotency-Key` returns the same response for 24 hours and notifies no one
/// again.
#[utoipa::path(post, path = "/api/notifications/send",
    params(("Idempotency-Key" = Option<String>, Header, description = "The idempotency key of this request.", max_length = 255)))]
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
