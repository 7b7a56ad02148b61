//! Queries for data items.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::records::DataItem;
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::fields::{compare, field};
use super::{DataError, Fault, Filter, MAX_LISTED};

/// Number of candidates beyond the requested ones that are collected before the list is truncated.
const SPARE: usize = 200;
/// Size of JSON in bytes at which a page ends regardless of its limit. A page has at least one item.
pub const PAGE_BYTES: usize = 4 << 20;
/// Maximum number of fields to order by.
const MAX_FIELDS: usize = 5;
/// Number of characters of a value that are significant for the order.
const COUNTED: usize = 200;
/// Maximum number of characters of a cursor.
const MAX_CURSOR_LENGTH: usize = 32 << 10;

/// A query for data items: filter, order and limit.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Conditions that the items have to meet.
    pub filter: Filter,
    /// Field paths separated by commas, each prefixed with `-` for descending order; `$id`, `$created_at` and
    /// `$updated_at` are attributes of the item itself. Items that compare equal, and all items if this is empty, are
    /// ordered from oldest to newest. The first 200 characters of a value are significant.
    pub order_by: String,
    /// Maximum number of items, from 1 to [`MAX_LISTED`]; 0 means 50. A page ends earlier when its items reach
    /// [`PAGE_BYTES`].
    pub limit: usize,
    /// `next` of the previous page.
    pub after: Option<String>,
}

/// One page of the items that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct DataPage {
    pub items: Vec<Row<DataItem>>,
    /// Cursor of the next page; absent on the last page.
    pub next: Option<String>,
}

/// Returns the item with this ID.
pub fn get(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    item: Uuid,
) -> storage::Result<Option<Row<DataItem>>> {
    reader.get(tenant, &(assistant, item))
}

/// Visits every item of an assistant, oldest first, until `look` stops it.
pub fn each(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    mut look: impl FnMut(Row<DataItem>) -> ControlFlow<()>,
) -> storage::Result<()> {
    let scan = Scan::table().prefix(assistant.as_bytes().to_vec());
    reader.visit::<DataItem>(tenant, scan, |row| look(row).is_continue())
}

/// Returns one page of the matching items.
///
/// # Errors
/// `Invalid` for an invalid order, limit or cursor, located at `order_by`, `limit` and `cursor`.
pub fn query(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    query: &Query,
) -> Result<DataPage, DataError> {
    let order = Order::read(&query.order_by)?;
    let limit = if query.limit == 0 { 50 } else { query.limit };
    if limit > MAX_LISTED {
        let message = format!("has to be at most {MAX_LISTED}");
        return Err(DataError::Invalid(vec![Fault::new(["limit"], "out_of_range", message)]));
    }
    let after = query.after.as_deref().map(|text| Mark::read(text, &query.order_by)).transpose()?;
    // Items may be large: only their sort keys are retained, and the items of the page are read again.
    let mut matching: Vec<(Vec<Option<Value>>, Uuid)> = Vec::new();
    each(reader, tenant, assistant, |row| {
        if !query.filter.fits(&row.data) {
            return ControlFlow::Continue(());
        }
        let key = order.key(&row);
        let comes = |mark: &Mark| order.compare((&key, row.id.1), (&mark.key, mark.id)).is_gt();
        if after.as_ref().is_none_or(comes) {
            matching.push((key, row.id.1));
        }
        // In the order of IDs, all further items come later. Otherwise surplus candidates are removed periodically.
        if order.0.is_empty() {
            return if matching.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        if matching.len() > 2 * limit + SPARE {
            order.sort(&mut matching);
            matching.truncate(limit + 1);
        }
        ControlFlow::Continue(())
    })?;
    order.sort(&mut matching);
    let mut more = matching.len() > limit;
    matching.truncate(limit);
    let (mut items, mut bytes, mut last) = (Vec::with_capacity(matching.len()), 0, None);
    for (key, id) in matching {
        // The item was deleted in between.
        let Some(row) = get(reader, tenant, assistant, id)? else { continue };
        bytes += written_bytes(&row);
        if bytes > PAGE_BYTES && !items.is_empty() {
            more = true;
            break;
        }
        items.push(row);
        last = Some((key, id));
    }
    let next = last.filter(|_| more).map(|(key, id)| Mark { by: query.order_by.clone(), key, id }.write());
    Ok(DataPage { items, next })
}

/// Size of an item as JSON in bytes.
pub fn written_bytes(row: &DataItem) -> usize {
    storage::json_bytes(&row.data) + storage::json_bytes(&row.metadata)
}

/// Fields by which items are ordered, and whether in descending order.
struct Order(Vec<(String, bool)>);

impl Order {
    fn read(text: &str) -> Result<Self, DataError> {
        let fields = text.split(',').map(str::trim).filter(|_| !text.trim().is_empty());
        let fields: Vec<_> = fields
            .map(|field| match field.strip_prefix('-') {
                Some(field) => (field.to_owned(), true),
                None => (field.to_owned(), false),
            })
            .collect();
        let strange = |(field, _): &(String, bool)| {
            let own = ["$id", "$created_at", "$updated_at"].contains(&field.as_str());
            field.is_empty() || field.chars().count() > COUNTED || (field.starts_with('$') && !own)
        };
        if fields.len() > MAX_FIELDS || fields.iter().any(strange) {
            let message = format!("has to be at most {MAX_FIELDS} paths of fields with commas between them");
            return Err(DataError::Invalid(vec![Fault::new(["order_by"], "malformed", message)]));
        }
        Ok(Self(fields))
    }

    fn key(&self, row: &Row<DataItem>) -> Vec<Option<Value>> {
        let value = |path: &str| match path {
            "$id" => Some(row.id.1.to_string().into()),
            "$created_at" => Some(row.created_at.to_string().into()),
            "$updated_at" => Some(row.updated_at.to_string().into()),
            path => field(&row.data, path).map(counted),
        };
        self.0.iter().map(|(path, _)| value(path)).collect()
    }

    fn compare(&self, one: (&[Option<Value>], Uuid), other: (&[Option<Value>], Uuid)) -> Ordering {
        let by_fields = self.0.iter().zip(one.0.iter().zip(other.0)).map(|((_, falling), (one, other))| {
            let order = compare(one.as_ref(), other.as_ref());
            if *falling { order.reverse() } else { order }
        });
        let mut different = by_fields.filter(|order| order.is_ne());
        different.next().unwrap_or_else(|| one.1.cmp(&other.1))
    }

    fn sort(&self, matching: &mut [(Vec<Option<Value>>, Uuid)]) {
        matching.sort_by(|one, other| self.compare((&one.0, one.1), (&other.0, other.1)));
    }
}

/// Truncates a value to its significant part, which a cursor has to contain.
fn counted(value: &Value) -> Value {
    let cut = |text: &str| text.chars().take(COUNTED).collect::<String>();
    match value {
        Value::String(text) => cut(text).into(),
        Value::Array(_) => json!([cut(&value.to_string())]),
        Value::Object(_) => json!({"": cut(&value.to_string())}),
        other => other.clone(),
    }
}

/// A position in an ordered list, as encoded in a cursor.
#[derive(Serialize, Deserialize)]
struct Mark {
    by: String,
    #[serde(with = "optional")]
    key: Vec<Option<Value>>,
    id: Uuid,
}

impl Mark {
    fn write(&self) -> String {
        use base64::Engine;
        let json = serde_json::to_vec(self).unwrap_or_default();
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json)
    }

    fn read(text: &str, order_by: &str) -> Result<Self, DataError> {
        use base64::Engine;
        let bytes = Some(text).filter(|text| text.len() <= MAX_CURSOR_LENGTH);
        let bytes = bytes.and_then(|text| base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).ok());
        let mark = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let mark = mark.filter(|mark| mark.by == order_by);
        let malformed = || vec![Fault::new(["cursor"], "malformed", "is not a cursor of this list")];
        mark.ok_or_else(|| DataError::Invalid(malformed()))
    }
}

/// Serializes optional values as arrays of one value or none, because an absent value differs from `null`.
mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(all: &[Option<Value>], to: S) -> Result<S::Ok, S::Error> {
        all.iter().map(|one| one.iter().collect::<Vec<_>>()).collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Option<Value>>, D::Error> {
        let all = Vec::<Vec<Value>>::deserialize(from)?;
        Ok(all.into_iter().map(|one| one.into_iter().next()).collect())
    }
}
