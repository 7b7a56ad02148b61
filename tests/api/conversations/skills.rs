//! Skills of a conversation. There is no operation that makes skills yet, so they are put into the
//! store while the server is down.

use serde_json::json;
use storage::records::{Skill, SkillUsableIn};
use storage::{Store, TenantId};
use uuid::Uuid;

use crate::api::streams::reading::conversation;
use crate::harness::TestServer;

/// Adds skills to the tenant of the users.
async fn with_skills(server: TestServer, skills: Vec<(Uuid, Skill)>) -> TestServer {
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    server
        .restart_with(move |config| {
            let options = config.store().expect("options");
            let store = loop {
                match Store::open(options.clone()) {
                    Ok(store) => break store,
                    Err(storage::OpenError::Locked { .. }) => {
                        std::thread::sleep(std::time::Duration::from_millis(10))
                    }
                    Err(why) => panic!("{why}"),
                }
            };
            let insert = |tx: &mut storage::Tx| {
                skills.iter().try_for_each(|(id, skill)| tx.insert(tenant, *id, skill.clone()).map(drop))
            };
            store.run_blocking::<_, storage::Error>(insert).expect("inserted");
            store.close();
        })
        .await
}

#[tokio::test]
async fn skills_are_switched_on_and_off() {
    let server = TestServer::start().await;
    let (chat, flow) = (storage::new_id(), storage::new_id());
    let skill = |name: &str, usable_in| Skill { name: name.into(), usable_in, ..Skill::default() };
    let skills = vec![
        (chat, skill("Weather", SkillUsableIn::Chat)),
        (flow, skill("Invoice", SkillUsableIn::Workflow)),
    ];
    let server = with_skills(server, skills).await;
    let user = server.user();
    let path = format!("/api/conversations/{}/skills", conversation(&user).await);
    assert_eq!(user.get(&path).await.ok()["items"], json!([]));
    for _ in 0..2 {
        let on = user.post(&format!("{path}/{chat}"), json!({})).await.ok();
        assert_eq!(on["items"][0]["name"], "Weather");
        assert_eq!(on["items"].as_array().expect("items").len(), 1, "twice changes nothing");
    }
    assert_eq!(user.get(&path).await.ok()["items"][0]["id"], json!(chat));
    user.post(&format!("{path}/{flow}"), json!({})).await.problem(409, "conflict");
    let unknown = Uuid::from_u128(7);
    user.post(&format!("{path}/{unknown}"), json!({})).await.not_found();
    assert_eq!(user.post(&format!("{path}/x"), json!({})).await.faults(), ["path.skill_id"]);
    server.editor().get(&path).await.not_found();
    assert_eq!(user.delete(&format!("{path}/{chat}")).await.ok()["items"], json!([]));
    user.delete(&format!("{path}/{chat}")).await.not_found();
}
