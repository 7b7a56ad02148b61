//! The SCIM protocol.

use serde_json::{Value, json};

use super::{DirectoryRequest, SECRET, State};

pub fn answer(state: &State, asked: &DirectoryRequest) -> (u16, Value) {
    if asked.bearer.as_deref() != Some(SECRET) {
        let told = format!("the token {} does not hold", asked.bearer.as_deref().unwrap_or_default());
        return (401, json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "detail": told}));
    }
    let parts: Vec<&str> = asked.path.trim_start_matches("/scim/").split('/').collect();
    match parts.as_slice() {
        ["Groups"] => {
            let groups = state.groups.lock();
            let all = groups.iter().map(|(id, group)| json!({"id": id, "displayName": group.name})).collect();
            (200, page(state, asked, all))
        }
        ["Groups", id] => match state.groups.lock().get(*id) {
            Some(group) => {
                let members = group.members.iter().map(|member| json!({"value": member})).collect::<Vec<_>>();
                (200, json!({"id": id, "displayName": group.name, "members": members}))
            }
            None => (404, json!({"detail": "no such group"})),
        },
        ["Users"] => {
            let people = state.people.lock().clone();
            let all = people.iter().map(|(id, person)| {
                let emails = person.mail.iter().map(|mail| json!({"value": mail, "primary": true}));
                json!({"id": id, "userName": id, "displayName": person.name, "active": person.enabled,
                    "emails": emails.collect::<Vec<_>>()})
            });
            let all = all.collect();
            let page = page(state, asked, all);
            if let Some(gone) = state.vanishing.lock().pop() {
                state.people.lock().remove(&gone);
            }
            (200, page)
        }
        _ => (404, json!({"detail": "no such path"})),
    }
}

/// A page, counted from 1; a server may return fewer entries than requested.
fn page(state: &State, asked: &DirectoryRequest, all: Vec<Value>) -> Value {
    let number = |name: &str| asked.query.get(name).and_then(|text| text.parse::<usize>().ok());
    let start = number("startIndex").unwrap_or(1).max(1);
    let count = number("count").unwrap_or(100).min(*state.page.lock());
    let some: Vec<&Value> = all.iter().skip(start - 1).take(count).collect();
    json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": all.len(),
        "startIndex": start, "itemsPerPage": some.len(), "Resources": some})
}
