//! Listing skills.

use std::cmp::Ordering;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::skills::{self, SkillFilter};
use serde::{Deserialize, Serialize};
use storage::records::{Skill, SkillUsableIn};
use storage::{Reader, Row};
use utoipa::IntoParams;
use uuid::Uuid;

use super::view::{SkillResponse, SkillResponseList};
use crate::http::{Api, Caller, Faults, Validate};

/// The fields by which skills can be sorted. A leading `-` reverses the order.
const ORDERS: [&str; 3] = ["name", "created_at", "updated_at"];

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListSkills {
    /// Returns only skills that contain all of these words in their name, their description or the names of
    /// their functions.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// The sort order: `name`, `created_at` or `updated_at`. A leading `-` reverses the order.
    #[param(default = "name", max_length = 20)]
    pub order_by: String,
    /// Returns only skills that can be used there.
    pub usable_in: Option<SkillUsableIn>,
    /// The maximum number of items to return.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page in the same sort order.
    pub cursor: Option<String>,
}

impl Default for ListSkills {
    fn default() -> Self {
        Self { search: None, order_by: "name".to_owned(), usable_in: None, limit: 50, cursor: None }
    }
}

impl Validate for ListSkills {
    fn validate(&self, faults: &mut Faults) {
        if !ORDERS.contains(&self.order()) {
            let known = ORDERS.join(", ");
            faults.add(
                ["order_by"],
                format!("must be one of {known}, optionally with a leading -"),
                "unknown",
            );
        }
        if self.cursor.is_some() && self.after().is_none() {
            faults.add(["cursor"], "is not a cursor of this list", "malformed");
        }
    }
}

/// The position of a cursor: after the skill with this key and id.
#[derive(Serialize, Deserialize)]
struct Place {
    order_by: String,
    key: Key,
    id: Uuid,
}

/// The sort key of a skill.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Key {
    Moment(i64),
    Name(String),
}

impl ListSkills {
    fn order(&self) -> &str {
        self.order_by.strip_prefix('-').unwrap_or(&self.order_by)
    }

    fn after(&self) -> Option<Place> {
        let bytes = HEXLOWER_PERMISSIVE.decode(self.cursor.as_deref()?.as_bytes()).ok()?;
        let place: Place = serde_json::from_slice(&bytes).ok()?;
        (place.order_by == self.order_by).then_some(place)
    }

    fn key(&self, row: &Row<Skill>) -> Key {
        match self.order() {
            "created_at" => Key::Moment(row.created_at.as_millis()),
            "updated_at" => Key::Moment(row.updated_at.as_millis()),
            _ => Key::Name(row.name.to_lowercase()),
        }
    }

    fn compare(&self, a: (&Key, Uuid), b: (&Key, Uuid)) -> Ordering {
        let order = a.cmp(&b);
        if self.order_by.starts_with('-') { order.reverse() } else { order }
    }
}

/// A page of the skills that the caller can see.
pub fn list(reader: &Reader, caller: &Caller, params: &ListSkills) -> Api<SkillResponseList> {
    let filter = SkillFilter { search: params.search.clone(), usable_in: params.usable_in };
    let rows = skills::list(reader, caller, &filter)?.into_iter();
    let mut found: Vec<_> = rows.map(|row| (params.key(&row), row)).collect();
    let total = Some(found.len() as u64);
    found.sort_by(|(a, left), (b, right)| params.compare((a, left.id), (b, right.id)));
    if let Some(place) = params.after() {
        found.retain(|(key, row)| params.compare((key, row.id), (&place.key, place.id)).is_gt());
    }
    let more = found.len() > params.limit as usize;
    found.truncate(params.limit as usize);
    let next_cursor = match found.pop() {
        Some((key, last)) if more => {
            let place = Place { order_by: params.order_by.clone(), key, id: last.id };
            let cursor = serde_json::to_vec(&place).unwrap_or_default();
            found.push((place.key, last));
            Some(HEXLOWER.encode(&cursor))
        }
        Some(last) => {
            found.push(last);
            None
        }
        None => None,
    };
    let items = found.into_iter().map(|(_, row)| SkillResponse::new(row, caller)).collect();
    Ok(SkillResponseList { items, total, next_cursor })
}
