//! Tests of the tools that models may call.

use crate::stage::{Stage, script};
use assist::skills;
use assist::toolbox::Toolbox;
use serde_json::{Value, json};
use storage::Scan;
use storage::records::{Memory, SkillUsableIn};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

crate::tests![
    tools_of_every_kind_are_called,
    clashing_names_are_told_apart,
    skills_are_for_their_place,
    a_cancelled_call_ends,
    memories_are_written_where_they_are_wanted,
    instructions_are_the_skills_own,
];

async fn open(stage: &Stage, named: &[&str], skills: &[Uuid], place: SkillUsableIn) -> Toolbox {
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    Toolbox::open(stage.run_context.clone(), stage.caller(place), &named, skills).await.unwrap()
}

fn names(tools: &Toolbox) -> Vec<String> {
    tools.specs().into_iter().map(|spec| spec.name).collect()
}

async fn call(tools: &Toolbox, name: &str, arguments: Value) -> Result<Value, String> {
    tools.call(name, &arguments, &CancellationToken::new(), &|_| ()).await.map_err(|why| why.to_string())
}

async fn tools_of_every_kind_are_called() {
    let stage = Stage::new().await;
    let skill = stage.skill("Sums", SkillUsableIn::Both, &script(&[], "return args.n + 1")).await;
    let tools = open(
        &stage,
        &["count_text", "gone", "count_text"],
        &[skill, skill, Uuid::nil()],
        SkillUsableIn::Workflow,
    )
    .await;
    assert_eq!(names(&tools), ["count_text", "f"]);
    assert_eq!(call(&tools, "f", json!({"n": 1})).await, Ok(json!(2)));
    assert_eq!(call(&tools, "count_text", json!({"text": "a b"})).await.unwrap()["words"], json!(2));
    for (name, words) in [("current_time", "no tool"), ("g", "no tool"), ("remember", "no tool")] {
        assert!(call(&tools, name, json!({})).await.unwrap_err().contains(words));
    }
    assert!(call(&tools, "f", json!("x")).await.unwrap_err().contains("have to be an object"));
    assert_eq!(tools.only(&["g".to_owned()]).err().as_deref(), Some("g"));
    let tools = open(&stage, &["count_text"], &[skill], SkillUsableIn::Workflow).await;
    assert_eq!(names(&tools.only(&["f".to_owned()]).unwrap_or_else(|name| panic!("{name}"))), ["f"]);
}

async fn clashing_names_are_told_apart() {
    let stage = Stage::new().await;
    let one = stage.skill("Add 1", SkillUsableIn::Both, &script(&[], "return 1")).await;
    let two = stage.skill("Add 2", SkillUsableIn::Both, &script(&[], "return 2")).await;
    let clock = "const functions = { current_time: { description: 'x', run: () => 'noon' } }";
    let clock = stage.skill("Clock", SkillUsableIn::Both, clock).await;
    let tools = open(&stage, &["current_time"], &[one, two, clock], SkillUsableIn::Workflow).await;
    assert_eq!(names(&tools), ["current_time", "add_1_f", "add_2_f", "clock_current_time"]);
    assert_eq!(call(&tools, "add_2_f", json!({})).await, Ok(json!(2)));
    assert_eq!(call(&tools, "clock_current_time", json!({})).await, Ok(json!("noon")));
    assert!(call(&tools, "current_time", json!({})).await.unwrap()["utc"].is_string());
}

async fn skills_are_for_their_place() {
    let stage = Stage::new().await;
    let chat = stage.skill("c", SkillUsableIn::Chat, &script(&[], "return 'chat'")).await;
    let work = stage.skill("w", SkillUsableIn::Workflow, &script(&[], "return 'workflow'")).await;
    for (place, expected) in [(SkillUsableIn::Chat, "chat"), (SkillUsableIn::Workflow, "workflow")] {
        let tools = open(&stage, &[], &[chat, work], place).await;
        assert_eq!(call(&tools, "f", json!({})).await, Ok(json!(expected)));
    }
    stage.change(move |assistant| assistant.skills = vec![chat, work]).await;
    let (tenant, assistant) = (stage.tenant, stage.assistant);
    let found = stage.run_context.store.read(move |reader| {
        let place = SkillUsableIn::Workflow;
        let any = skills::find(reader, tenant, assistant, None, "f", place)?.map(|it| it.skill_id);
        let named = skills::find(reader, tenant, assistant, Some(chat), "f", place)?.map(|it| it.skill_id);
        Ok::<_, storage::Error>((any, named))
    });
    assert_eq!(found.await.unwrap(), (Some(work), None));
}

async fn a_cancelled_call_ends() {
    let stage = Stage::new().await;
    let skill = stage.skill("s", SkillUsableIn::Both, &script(&[], "for (;;) {}")).await;
    let tools = open(&stage, &[], &[skill], SkillUsableIn::Workflow).await;
    let cancel = CancellationToken::new();
    let nothing = json!({});
    let called = tools.call("f", &nothing, &cancel, &|_| ());
    let (result, ()) = tokio::join!(called, async { cancel.cancel() });
    assert_eq!(result.map_err(|why| why.to_string()), Err("the call was cancelled".to_owned()));
}

async fn memories_are_written_where_they_are_wanted() {
    let stage = Stage::new().await;
    assert!(names(&open(&stage, &[], &[], SkillUsableIn::Workflow).await).is_empty());
    let tools = open(&stage, &[], &[], SkillUsableIn::Chat).await;
    assert_eq!(names(&tools), ["remember"]);
    assert_eq!(
        call(&tools, "remember", json!({"content": " likes tea "})).await.unwrap()["known_before"],
        json!(false)
    );
    assert_eq!(
        call(&tools, "remember", json!({"content": "likes tea"})).await.unwrap()["known_before"],
        json!(true)
    );
    for bad in [json!({}), json!({"content": ""}), json!({"content": "x".repeat(2_001)})] {
        assert!(call(&tools, "remember", bad).await.is_err());
    }
    let tenant = stage.tenant;
    let memories = stage
        .run_context
        .store
        .read(move |reader| reader.scan::<Memory>(tenant, Scan::table()))
        .await
        .unwrap();
    let memories: Vec<_> = memories.items.into_iter().map(|row| (row.id.0, row.body.content)).collect();
    assert_eq!(memories, [(stage.user, "likes tea".to_owned())]);
    // The user has changed the setting since the toolbox was opened.
    let user = stage.user;
    let unwanted = stage.run_context.store.run(move |tx| {
        let mut row = tx.require::<storage::records::User>(storage::TenantId::SYSTEM, &user)?;
        row.preferences.make_memories = Some(false);
        tx.update(storage::TenantId::SYSTEM, row)
    });
    unwanted.await.unwrap();
    assert!(
        call(&tools, "remember", json!({"content": "likes coffee"}))
            .await
            .unwrap_err()
            .contains("does not want")
    );
    assert!(names(&open(&stage, &[], &[], SkillUsableIn::Chat).await).is_empty());
}

async fn instructions_are_the_skills_own() {
    let stage = Stage::new().await;
    let code = "const skill = { instructions: 'Be brief.' }; const functions = { f: { description: 'x', run() {} } }";
    let skill = stage.skill("Brief", SkillUsableIn::Chat, code).await;
    let silent = stage.skill("Silent", SkillUsableIn::Chat, &script(&[], "")).await;
    let tenant = stage.tenant;
    for (place, expected) in
        [(SkillUsableIn::Chat, vec!["# Skill: Brief\n\nBe brief."]), (SkillUsableIn::Workflow, vec![])]
    {
        let read = stage
            .run_context
            .store
            .read(move |reader| skills::instructions(reader, tenant, &[silent, skill, skill], place));
        assert_eq!(read.await.unwrap(), expected);
    }
}
