//! Logins at external services: prepared, opened, and ended by the callback or by logging out.

use reqwest::Url;
use serde_json::json;

use super::logins::{SECRETS, begin, opening, preparing, settings};
use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::api::streams::reading::unlimited;
use crate::harness::TestServer;
use crate::harness::fake_authority::FakeAuthority;
use crate::harness::reply::Reply;

/// A server with a service that has its own callback, `tracker`, a service that uses the shared callback,
/// `forge`, and other services.
async fn server(authority: &FakeAuthority, others: &[FakeAuthority]) -> TestServer {
    let own =
        [("tracker".to_owned(), settings(authority, false)), ("forge".to_owned(), settings(authority, true))];
    let others = others.iter().enumerate().map(|(n, one)| (format!("other-{n}"), settings(one, false)));
    let all: Vec<_> = own.into_iter().chain(others).collect();
    let configure = |config: &mut understudy::Config| {
        unlimited(config);
        for (name, settings) in all {
            let settings = serde_json::from_value(settings).expect("the settings of a service");
            config.external_services.insert(name, settings);
        }
    };
    TestServer::start_with(configure).await
}

/// Checks that a login at a service succeeds and can be ended.
async fn works(server: &TestServer, authority: &FakeAuthority) {
    for service in ["tracker", "forge"] {
        let back = begin(server, &server.user(), authority, service).await;
        let request = back.build(&crate::harness::client(), &server.url());
        crate::harness::Client::send(request).await.expect(200);
        let ended = server.user().post(&format!("/api/external/logout/{service}/"), json!({})).await.ok();
        assert_eq!(ended, json!({"logged_out": true, "revoked": true}));
    }
    server.stored().await;
}

#[tokio::test]
async fn prepare_login_handles_mutated_requests() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority, &[]).await;
    let mut trial = Trial::of(&server, "external.prepare_login", &SECRETS);
    let valid = preparing("tracker", &server.user());
    trial.valid(&valid, 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
    }
    trial.cut_on_the_wire(&valid).await;
    trial.valid(&valid, 200).await;
    works(&server, &authority).await;
    trial.end();
}

#[tokio::test]
async fn login_handles_mutated_requests() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority, &[]).await;
    let mut trial = Trial::of(&server, "external.login", &SECRETS);
    let fresh =
        async || opening(&server.user().post("/api/external/login/tracker/prepare/", json!({})).await.ok());
    trial.valid(&fresh().await, 302).await;
    for round in 0..trial.rounds {
        trial.mutated(&fresh().await, round).await;
    }
    trial.valid(&fresh().await, 302).await;
    works(&server, &authority).await;
    trial.end();
}

async fn coming_back_takes_mutated_requests(id: &'static str, service: &str) {
    let authority = FakeAuthority::start().await;
    let server = server(&authority, &[]).await;
    let mut trial = Trial::of(&server, id, &SECRETS);
    let fresh = async || begin(&server, &server.user(), &authority, service).await;
    trial.valid(&fresh().await, 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&fresh().await, round).await;
    }
    trial.valid(&fresh().await, 200).await;
    works(&server, &authority).await;
    trial.end();
}

#[tokio::test]
async fn auth_callback_handles_mutated_requests() {
    coming_back_takes_mutated_requests("external.auth_callback", "tracker").await;
}

#[tokio::test]
async fn unified_oauth_callback_handles_mutated_requests() {
    coming_back_takes_mutated_requests("external.unified_oauth_callback", "forge").await;
}

#[tokio::test]
async fn logout_handles_mutated_requests() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority, &[]).await;
    let mut trial = Trial::of(&server, "external.logout", &SECRETS);
    let valid = Request::post_without_body("/api/external/logout/{tracker}/").by(&server.user());
    for round in 0..=trial.rounds {
        if round % 12 == 0 {
            let back = begin(&server, &server.user(), &authority, "tracker").await;
            let request = back.build(&crate::harness::client(), &server.url());
            crate::harness::Client::send(request).await.expect(200);
            assert_eq!(trial.valid(&valid, 200).await.json()["logged_out"], true);
        }
        trial.mutated(&valid, round).await;
    }
    works(&server, &authority).await;
    trial.end();
}

/// Replies of an authority to a code, to a request for the user, and to the revocation of tokens.
#[tokio::test]
async fn callbacks_and_logout_handle_mutated_replies() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority, &[]).await;
    let mut back_trial = Trial::of(&server, "external.auth_callback", &SECRETS);
    let mut out_trial = Trial::of(&server, "external.logout", &SECRETS);
    let logout = Request::post_without_body("/api/external/logout/{tracker}/").by(&server.user());
    for round in 0..back_trial.rounds {
        let back = begin(&server, &server.user(), &authority, "tracker").await;
        let asked = if round % 4 == 3 { "GET /me" } else { "POST /token" };
        back_trial.mutate_reply(&authority.alteration, asked, 0, round);
        back_trial.checked(asked, &back, Mutates::Reply).await;
        out_trial.mutate_reply(&authority.alteration, "POST /revoke", 0, round);
        let out = out_trial.checked("POST /revoke", &logout, Mutates::Reply).await;
        // A logout removes the login regardless of the authority's reply.
        if out.is_some_and(|out| out.status != 200) {
            out_trial.note("POST /revoke", "the login is not ended".to_owned());
        }
        authority.alteration.clear();
    }
    // A message of the authority that contains the client secret is not repeated.
    let blurts = json!({"error": "invalid_client", "error_description": format!("the secret {} is wrong", SECRETS[0])});
    for status in [400, 401, 200] {
        let back = begin(&server, &server.user(), &authority, "tracker").await;
        authority.behave(|behaviour| behaviour.token_answer = Some((status, blurts.to_string())));
        back_trial.checked("the secret is repeated", &back, Mutates::Reply).await;
        authority.behave(|behaviour| behaviour.token_answer = None);
    }
    for status in [400, 403] {
        let back = begin(&server, &server.user(), &authority, "tracker").await;
        back_trial.valid(&back, 200).await;
        let blurts = blurts.to_string().into_bytes();
        authority.alteration.set(move |request, reply| match request.ends_with("/revoke") {
            true => Reply { status, body: blurts.clone(), ..reply },
            false => reply,
        });
        out_trial.checked("the secret is repeated", &logout, Mutates::Reply).await;
        authority.alteration.clear();
    }
    works(&server, &authority).await;
    back_trial.include(out_trial);
    back_trial.end();
}

/// Metadata of an authority. Accepted metadata is cached for a while, so each round uses another authority.
#[tokio::test]
async fn prepare_login_handles_mutated_metadata() {
    let authority = FakeAuthority::start().await;
    let mut others = Vec::new();
    for _ in 0..60 {
        others.push(FakeAuthority::start().await);
    }
    let server = server(&authority, &others).await;
    let mut trial = Trial::of(&server, "external.prepare_login", &SECRETS);
    let mut open_trial = Trial::of(&server, "external.login", &SECRETS);
    let mut left = others.iter().enumerate();
    let mut next = left.next();
    for round in 0..trial.rounds {
        let Some((number, other)) = next else { break };
        trial.mutate_reply(&other.alteration, "/.well-known/", 0, round);
        let request = preparing(&format!("other-{number}"), &server.user());
        let answer = trial.checked("metadata", &request, Mutates::Reply).await;
        other.alteration.clear();
        let Some(answer) = answer.filter(|answer| answer.status == 200) else { continue };
        open_trial.told_by(&trial);
        let opened = open_trial.checked("metadata", &opening(&answer.json()), Mutates::Reply).await;
        let place = opened.as_ref().and_then(|opened| opened.header("location")).unwrap_or_default();
        if !Url::parse(place).is_ok_and(|place| place.scheme() == "http") {
            open_trial.note("metadata", format!("the browser is sent to {place:?}"));
        }
        next = left.next();
    }
    works(&server, &authority).await;
    trial.include(open_trial);
    trial.end();
}
