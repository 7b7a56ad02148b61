//! Listing notifications, and loading a notification for a route.

use domain::notifications::{self, ListPosition, ReadState};
use storage::authority::Ground;
use storage::records::Notice;
use storage::{Cursor, Reader, Row};
use uuid::Uuid;

use super::schema::{ListNotifications, NotificationListFilter};
use super::view::NotificationResponseList;
use crate::http::{Api, Caller, Loadable};

/// A page of the caller's notifications, newest first.
pub fn page(reader: &Reader, caller: &Caller, query: &ListNotifications) -> Api<NotificationResponseList> {
    let state = match query.status.unwrap_or_default() {
        NotificationListFilter::All => None,
        NotificationListFilter::Unread => Some(ReadState::Unread),
        NotificationListFilter::Read => Some(ReadState::Read),
    };
    let after = query.cursor.as_deref().map(Cursor::parse).transpose()?;
    let position = ListPosition { limit: query.limit as usize, after };
    let (page, total) = notifications::list(reader, caller, state, position)?;
    Ok(NotificationResponseList { total: Some(total), ..page.into() })
}

impl Loadable for Row<Notice> {
    const PARAM: &'static str = "notification_id";
    const NAME: &'static str = "notification";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(notifications::own(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}
