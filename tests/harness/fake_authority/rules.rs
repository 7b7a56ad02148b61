//! The strict rules by which the server responds.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;
use reqwest::Url;
use serde_json::{Value, json};

use super::{Client, Code, Grant, ReceivedRequest, State};

type Answer = Response<Full<Bytes>>;

pub fn answer(state: &mut State, seen: &ReceivedRequest) -> Answer {
    match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/.well-known/oauth-authorization-server") => json_of(200, &metadata(state)),
        ("GET", path) if path == place_of_resource(state) => json_of(200, &resource(state)),
        ("GET", "/authorize") => authorize(state, seen),
        ("POST", "/token") => token(state, seen),
        ("POST", "/register") => register(state, seen),
        ("POST", "/revoke") => revoke(state, seen),
        ("GET", "/me") => guarded(state, seen, &json!({"login": "ada@tracker.example"})),
        (_, "/api/issues") => {
            guarded(state, seen, &json!({"issues": ["one"], "you sent": seen.authorization}))
        }
        ("POST", "/mcp") => tool_server(state, seen),
        // Many servers send a page in response to any request.
        _ => plain(200, "<html>hello</html>"),
    }
}

fn plain(status: u16, text: &str) -> Answer {
    let body = Full::new(Bytes::from(text.to_owned()));
    Response::builder().status(status).header("content-type", "text/html").body(body).expect("an answer")
}

fn json_of(status: u16, value: &Value) -> Answer {
    let body = Full::new(Bytes::from(value.to_string()));
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(body)
        .expect("an answer")
}

fn no(error: &str, why: &str) -> Answer {
    let status = if error == "invalid_client" { 401 } else { 400 };
    json_of(status, &json!({"error": error, "error_description": why}))
}

fn metadata(state: &State) -> Value {
    let (it, behaviour) = (&state.issuer, &state.behaviour);
    let mut metadata = json!({
        "issuer": behaviour.issuer.as_ref().unwrap_or(it),
        "authorization_endpoint": behaviour.authorization_endpoint.clone().unwrap_or(format!("{it}/authorize")),
        "token_endpoint": format!("{it}/token"),
        "response_types_supported": ["code"], "token_endpoint_auth_methods_supported": behaviour.methods,
        "authorization_response_iss_parameter_supported": behaviour.names.is_some(),
        "client_id_metadata_document_supported": behaviour.documents,
    });
    if behaviour.s256 {
        metadata["code_challenge_methods_supported"] = json!(["plain", "S256"]);
    }
    if behaviour.registers {
        metadata["registration_endpoint"] = format!("{it}/register").into();
    }
    if behaviour.revokes.is_some() {
        metadata["revocation_endpoint"] = format!("{it}/revoke").into();
    }
    metadata
}

fn place_of_resource(state: &State) -> &'static str {
    match state.behaviour.at_root {
        true => "/.well-known/oauth-protected-resource",
        false => "/.well-known/oauth-protected-resource/mcp",
    }
}

fn resource(state: &State) -> Value {
    let own = format!("{}/mcp", state.issuer);
    json!({
        "resource": state.behaviour.resource.as_ref().unwrap_or(&own), "authorization_servers": [state.issuer],
        "scopes_supported": ["tools:use"],
    })
}

/// The page at which the user is asked for consent, and grants or denies it immediately. An invalid request is
/// reported on the page itself and not to the redirect address.
fn authorize(state: &mut State, seen: &ReceivedRequest) -> Answer {
    let field = |name: &str| seen.fields.get(name).cloned().unwrap_or_default();
    let (client, redirect) = (field("client_id"), field("redirect_uri"));
    let document = state.behaviour.documents && client.starts_with("http");
    let known = state.clients.get(&client);
    let fits = |known: &Client| known.redirects.as_ref().is_none_or(|all| all.contains(&redirect));
    if !document && !known.is_some_and(fits) {
        return plain(400, "unknown client, or it may not send people there");
    }
    if field("response_type") != "code"
        || field("code_challenge_method") != "S256"
        || field("state").len() < 32
    {
        return plain(400, "neither code nor S256, or no state");
    }
    if field("code_challenge").len() != 43 {
        return plain(400, "that is no challenge");
    }
    let resource = seen.fields.get("resource").cloned();
    let mut back = Url::parse(&redirect).expect("an address");
    back.query_pairs_mut().append_pair("state", &field("state"));
    if let Some(name) = &state.behaviour.names {
        back.query_pairs_mut().append_pair("iss", name);
    }
    if state.behaviour.denies {
        let words = "the <b>user</b> said no";
        back.query_pairs_mut().append_pair("error", "access_denied").append_pair("error_description", words);
    } else {
        let code = secret(state, "code");
        let (challenge, scope) = (field("code_challenge"), field("scope"));
        let given = Code { client, redirect, challenge, resource, scope, spent: None };
        state.codes.insert(code.clone(), given);
        back.query_pairs_mut().append_pair("code", &code);
    }
    let builder = Response::builder().status(302).header("location", back.as_str());
    builder.body(Full::default()).expect("an answer")
}

/// The client that a request comes from, if the request authenticates it correctly.
fn client_of(state: &State, seen: &ReceivedRequest) -> Option<String> {
    let basic = seen.authorization.strip_prefix("Basic ").map(|text| {
        let pair = String::from_utf8(STANDARD.decode(text).expect("base64")).expect("text");
        let (id, secret) = pair.split_once(':').expect("a pair");
        (id.to_owned(), Some(secret.to_owned()))
    });
    let (id, shown) = match basic {
        Some(pair) => pair,
        None => (seen.fields.get("client_id")?.clone(), seen.fields.get("client_secret").cloned()),
    };
    if state.behaviour.documents && id.starts_with("http") && shown.is_none() {
        return Some(id);
    }
    (state.clients.get(&id)?.secret == shown).then_some(id)
}

fn token(state: &mut State, seen: &ReceivedRequest) -> Answer {
    if let Some((status, body)) = &state.behaviour.token_answer {
        return json_of(*status, &serde_json::from_str(body).unwrap_or_else(|_| json!(body)));
    }
    let Some(client) = client_of(state, seen) else { return no("invalid_client", "who are you") };
    let field = |name: &str| seen.fields.get(name).cloned().unwrap_or_default();
    match field("grant_type").as_str() {
        "authorization_code" => exchange(state, seen, &client, &field),
        "refresh_token" => refresh(state, seen, &client, &field("refresh_token")),
        _ => no("unsupported_grant_type", "no"),
    }
}

fn exchange(
    state: &mut State,
    seen: &ReceivedRequest,
    client: &str,
    field: &dyn Fn(&str) -> String,
) -> Answer {
    let Some(code) = state.codes.get(&field("code")).cloned() else {
        return no("invalid_grant", "no such code");
    };
    if let Some(grant) = code.spent {
        // A code that is presented again may be stolen.
        state.grants[grant].over = true;
        return no("invalid_grant", &format!("the code {} was used before", field("code")));
    }
    let digest = ring::digest::digest(&ring::digest::SHA256, field("code_verifier").as_bytes());
    if URL_SAFE_NO_PAD.encode(digest) != code.challenge {
        return no("invalid_grant", "the proof is wrong");
    }
    if code.client != client || code.redirect != field("redirect_uri") {
        return no("invalid_grant", "that is not who was given the code");
    }
    if code.resource.as_ref() != seen.fields.get("resource") {
        return no("invalid_target", "that is not what was asked for");
    }
    let grant = state.grants.len();
    let Code { resource, scope, .. } = code;
    state.grants.push(Grant { client: client.to_owned(), resource, scope, over: false });
    if let Some(code) = state.codes.get_mut(&field("code")) {
        code.spent = Some(grant);
    }
    tokens(state, grant)
}

fn refresh(state: &mut State, seen: &ReceivedRequest, client: &str, token: &str) -> Answer {
    let Some((grant, used)) = state.refresh.get(token).copied() else {
        return no("invalid_grant", &format!("there is no {token}"));
    };
    if used {
        state.grants[grant].over = true;
        return no("invalid_grant", &format!("{token} was used before"));
    }
    let it = &state.grants[grant];
    if it.over || it.client != client {
        return no("invalid_grant", "it is over");
    }
    if it.resource.as_ref() != seen.fields.get("resource") {
        return no("invalid_target", "that is not what was asked for");
    }
    if state.behaviour.rotates
        && let Some(entry) = state.refresh.get_mut(token)
    {
        entry.1 = true;
    }
    tokens(state, grant)
}

fn tokens(state: &mut State, grant: usize) -> Answer {
    let access = secret(state, "access");
    state.access.insert(access.clone(), grant);
    let mut answer = json!({
        "access_token": access, "token_type": "bearer", "expires_in": state.behaviour.life,
        "scope": state.grants[grant].scope,
    });
    let has_one = state.refresh.values().any(|(of, used)| *of == grant && !used);
    if state.behaviour.rotates || !has_one {
        let refresh = secret(state, "refresh");
        state.refresh.insert(refresh.clone(), (grant, false));
        answer["refresh_token"] = refresh.into();
    }
    json_of(200, &answer)
}

fn register(state: &mut State, seen: &ReceivedRequest) -> Answer {
    let redirects: Vec<String> =
        serde_json::from_value(seen.json["redirect_uris"].clone()).unwrap_or_default();
    let grants: Vec<String> = serde_json::from_value(seen.json["grant_types"].clone()).unwrap_or_default();
    let method = seen.json["token_endpoint_auth_method"].as_str().unwrap_or("client_secret_basic");
    if redirects.is_empty() || !grants.iter().any(|grant| grant == "refresh_token") {
        return no("invalid_redirect_uri", "where to, and for how long?");
    }
    if !state.behaviour.methods.contains(&method) {
        return no("invalid_client_metadata", "not by that method");
    }
    state.made += 1;
    let id = format!("client-{}", state.made);
    let mut answer = seen.json.clone();
    let secret = (method != "none").then(|| secret(state, "client-secret"));
    if let Some(secret) = &secret {
        (answer["client_secret"], answer["client_secret_expires_at"]) = (secret.as_str().into(), 0.into());
    }
    answer["client_id"] = id.as_str().into();
    state.clients.insert(id, Client { secret, redirects: Some(redirects) });
    json_of(201, &answer)
}

fn revoke(state: &mut State, seen: &ReceivedRequest) -> Answer {
    let Some(status) = state.behaviour.revokes else { return plain(404, "no") };
    if status != 200 {
        return plain(status, "not now");
    }
    let Some(client) = client_of(state, seen) else { return no("invalid_client", "who are you") };
    let token = seen.fields.get("token").cloned().unwrap_or_default();
    let grant = state.refresh.get(&token).map(|(grant, _)| *grant).or(state.access.get(&token).copied());
    match grant {
        Some(grant) if state.grants[grant].client == client => state.grants[grant].over = true,
        _ => {}
    }
    plain(200, "")
}

/// The grant of the request's access token, if the token is valid.
fn bearer(state: &State, seen: &ReceivedRequest) -> Option<usize> {
    let token = seen.authorization.strip_prefix("Bearer ")?;
    state.access.get(token).copied().filter(|grant| !state.grants[*grant].over)
}

fn guarded(state: &State, seen: &ReceivedRequest, answer: &Value) -> Answer {
    match bearer(state, seen) {
        Some(_) => json_of(200, answer),
        None => json_of(401, &json!({"error": "invalid_token"})),
    }
}

fn tool_server(state: &State, seen: &ReceivedRequest) -> Answer {
    let own = format!("{}/mcp", state.issuer);
    let resource = state.behaviour.resource.as_ref().unwrap_or(&own);
    let grant = bearer(state, seen).map(|grant| &state.grants[grant]);
    if let Some(grant) = grant.filter(|grant| grant.resource.as_ref() == Some(resource)) {
        let lacks = |wanted: &&String| !grant.scope.split(' ').any(|scope| scope == wanted.as_str());
        if let Some(wanted) = state.behaviour.wants.as_ref().filter(lacks) {
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{wanted}\"");
            let builder = Response::builder().status(403).header("www-authenticate", challenge);
            return builder.body(Full::default()).expect("an answer");
        }
        return json_of(
            200,
            &json!({"jsonrpc": "2.0", "id": seen.json["id"], "result": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "fake", "version": "1"}}}),
        );
    }
    let mut challenge = "Bearer error=\"invalid_token\"".to_owned();
    if state.behaviour.points {
        let place = format!("{}{}", state.issuer, place_of_resource(state));
        challenge.push_str(&format!(", resource_metadata=\"{place}\""));
    }
    if let Some(scope) = &state.behaviour.challenge_scope {
        challenge.push_str(&format!(", scope=\"{scope}\""));
    }
    let builder = Response::builder().status(401).header("www-authenticate", challenge);
    builder.body(Full::default()).expect("an answer")
}

fn secret(state: &mut State, kind: &str) -> String {
    state.made += 1;
    let secret = format!("{kind}-{:04}-3f9a7c51e2b84d06", state.made);
    state.secrets.insert(secret.clone());
    secret
}
