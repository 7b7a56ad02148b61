//! Lists of notifications.

use storage::authority::Ground;
use storage::notices::{self, NoticeCounts};
use storage::records::Notice;
use storage::{Cursor, IndexKey, Reader, Row, Scan};
use uuid::Uuid;

use super::schema::{ListNotifications, NotificationListFilter};
use super::view::NotificationResponseList;
use crate::api::conversations::sift;
use crate::http::{Api, Caller, Loadable};

/// A page of the caller's notifications, the newest first.
pub fn page(reader: &Reader, caller: &Caller, asked: &ListNotifications) -> Api<NotificationResponseList> {
    let (paging, status) = (asked.paging(), asked.status.unwrap_or_default());
    let after = paging.cursor.as_deref().map(Cursor::parse).transpose()?;
    let own = Scan::index("by_user").prefix(IndexKey::new().id(&caller.user).done()).reverse();
    let read = |after, limit| reader.scan::<Notice>(caller.tenant, own.clone().after(after).limit(limit));
    let wanted = |row: &Row<Notice>| {
        Ok(match status {
            NotificationListFilter::All => true,
            NotificationListFilter::Unread => row.read_at.is_none(),
            NotificationListFilter::Read => row.read_at.is_some(),
        })
    };
    let page = sift(after, paging.limit as usize, read, wanted)?;
    let NoticeCounts { listed, unread, .. } = notices::standing(reader, caller.tenant, caller.user)?;
    let total = match status {
        NotificationListFilter::All => listed,
        NotificationListFilter::Unread => unread,
        NotificationListFilter::Read => listed.saturating_sub(unread),
    };
    Ok(NotificationResponseList { total: Some(total), ..page.into() })
}

impl Loadable for Row<Notice> {
    const PARAM: &'static str = "notification_id";
    const NAME: &'static str = "notification";

    /// One of the caller's own.
    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Notice>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.user == caller.user))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}
