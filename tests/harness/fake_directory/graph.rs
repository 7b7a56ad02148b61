//! The Microsoft Graph protocol.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{DirectoryRequest, SECRET, State};

pub fn answer(state: &State, url: &str, asked: &DirectoryRequest) -> (u16, Value) {
    if asked.path.ends_with("/oauth2/v2.0/token") {
        return token(state, asked);
    }
    if !asked.bearer.as_ref().is_some_and(|bearer| state.tokens.lock().contains(bearer)) {
        return (
            401,
            json!({"error": {"code": "InvalidAuthenticationToken", "message": "Access token has expired."}}),
        );
    }
    let parts: Vec<&str> = asked.path.trim_start_matches("/v1.0/").split('/').collect();
    match parts.as_slice() {
        ["groups"] => {
            let all = state.groups.lock().iter().map(|(id, group)| listed(id, &group.name)).collect();
            (200, page(state, url, asked, all, None))
        }
        ["groups", "delta"] => delta(state, url, asked),
        ["groups", id] => match state.groups.lock().get(*id) {
            Some(group) => (200, listed(id, &group.name)),
            None => missing(id),
        },
        ["groups", id, "transitiveMembers"] => {
            let there = state.groups.lock().contains_key(*id);
            if there { (200, page(state, url, asked, members(state, id), None)) } else { missing(id) }
        }
        _ => (400, json!({"error": {"message": "no such segment"}})),
    }
}

fn token(state: &State, asked: &DirectoryRequest) -> (u16, Value) {
    if !asked.body.contains(&format!("client_secret={SECRET}"))
        || !asked.body.contains("grant_type=client_credentials")
    {
        // Like the real service, the error repeats the request body.
        let told = format!("AADSTS7000215: Invalid client secret provided. You sent {}", asked.body);
        return (400, json!({"error": "invalid_client", "error_description": told}));
    }
    let mut tokens = state.tokens.lock();
    let token = format!("graph-token-{}", uuid::Uuid::new_v4());
    tokens.push(token.clone());
    (200, json!({"token_type": "Bearer", "expires_in": 3_600, "access_token": token}))
}

fn missing(id: &str) -> (u16, Value) {
    let message = format!("Resource '{id}' does not exist or one of its queried references is not present.");
    (404, json!({"error": {"code": "Request_ResourceNotFound", "message": message}}))
}

fn listed(id: &str, name: &str) -> Value {
    json!({"id": id, "displayName": name, "description": null})
}

/// A page of a list, with an opaque link to the next one.
fn page(state: &State, url: &str, asked: &DirectoryRequest, all: Vec<Value>, delta: Option<String>) -> Value {
    let size = *state.page.lock();
    let from: usize = asked.query.get("$skiptoken").and_then(|at| at.parse().ok()).unwrap_or(0);
    let mut body = json!({"value": all.iter().skip(from).take(size).collect::<Vec<_>>()});
    if from + size < all.len() {
        let mark =
            asked.query.get("$deltatoken").map(|mark| format!("$deltatoken={mark}&")).unwrap_or_default();
        body["@odata.nextLink"] = json!(format!("{url}{}?{mark}$skiptoken={}", asked.path, from + size));
    } else if let Some(delta) = delta {
        body["@odata.deltaLink"] = json!(delta);
    }
    body
}

fn delta(state: &State, url: &str, asked: &DirectoryRequest) -> (u16, Value) {
    let changes = state.changes.lock();
    let link = format!("{url}/v1.0/groups/delta?$deltatoken={}", changes.len());
    let since = match asked.query.get("$deltatoken").map(String::as_str) {
        Some("latest") => changes.len(),
        Some(mark) if *state.forgot.lock() => {
            let message = format!("the sync state {mark} is not found");
            return (410, json!({"error": {"code": "syncStateNotFound", "message": message}}));
        }
        Some(mark) => mark.parse().unwrap_or(0),
        None => 0,
    };
    let changed: BTreeSet<&String> = changes.iter().skip(since).collect();
    let there = state.groups.lock();
    let told = changed.into_iter().map(|id| match there.get(id) {
        Some(group) => listed(id, &group.name),
        None => json!({"id": id, "@removed": {"reason": "deleted"}}),
    });
    let all = told.collect();
    drop(there);
    (200, page(state, url, asked, all, Some(link)))
}

/// All people in a group and in its nested groups.
fn members(state: &State, id: &str) -> Vec<Value> {
    let (groups, people) = (state.groups.lock(), state.people.lock());
    let (mut seen, mut open, mut all) = (BTreeSet::new(), vec![id.to_owned()], Vec::new());
    while let Some(group) = open.pop().and_then(|id| groups.get(&id)) {
        for member in &group.members {
            if !seen.insert(member.clone()) {
                continue;
            }
            if let Some(inner) = groups.get(member) {
                all.push(
                    json!({"@odata.type": "#microsoft.graph.group", "id": member, "displayName": inner.name}),
                );
                open.push(member.clone());
            } else if let Some(person) = people.get(member) {
                all.push(
                    json!({"@odata.type": "#microsoft.graph.user", "id": member, "displayName": person.name,
                    "mail": person.mail, "userPrincipalName": format!("{member}@contoso.example"),
                    "accountEnabled": person.enabled}),
                );
            }
        }
    }
    all
}
