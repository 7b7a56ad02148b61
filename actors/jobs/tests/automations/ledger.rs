//! Every tick gets one ledger entry, in the order of the ticks.

use std::time::Duration;

use storage::TenantId;
use storage::authority::Feature;
use storage::records::AutomationRunState::{Skipped, Succeeded};
use storage::records::{
    Assistant, Audience, AutomationRun, CatchUp, CatchUpPolicy, FeatureRule, Governed, Membership,
    SkipReason, Trigger, TriggerKind, User,
};

use crate::scene::{START, Scene, moment, quick, reasons};

#[actix::test]
async fn tick_runs_once_in_a_separate_conversation() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |automation| {
        automation.trigger = Trigger {
            kind: TriggerKind::Cron,
            cron: Some("30 7 * * *".into()),
            timezone: Some("Europe/Berlin".into()),
            ..Trigger::default()
        };
    });
    let id = id.await;
    scene.to(moment("2026-03-02T06:29:59.999Z"));
    scene.settle().await;
    assert!(scene.lines(id).await.is_empty());
    scene.to(moment("2026-03-02T06:30:00Z"));
    let line = scene.until_states(id, &[Succeeded]).await.remove(0);
    assert_eq!((line.tick, line.ticks), (Some(moment("2026-03-02T06:30:00Z")), 1));
    assert!(line.usage.output_tokens > 0 && line.started_at.is_some() && line.finished_at.is_some());
    let home = scene.conversation(line.conversation_id.unwrap()).await.unwrap();
    assert_eq!(home.title.as_deref(), Some("Daily · 2026-03-02 07:30"));
    assert!(home.is_system && home.owner == scene.stage.user);
    let messages = scene.messages(home.id).await;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1].run_id, line.stream_id);
    scene.settle().await;
    assert_eq!(scene.lines(id).await.len(), 1);
    // Setting the clock back does not repeat a tick.
    scene.to(moment("2026-03-02T06:29:00Z"));
    scene.to(moment("2026-03-02T06:31:00Z"));
    scene.settle().await;
    assert_eq!(scene.lines(id).await.len(), 1);
}

#[actix::test]
async fn ledger_has_an_entry_for_every_tick_of_a_week() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let daily = |automation: &mut storage::records::Automation| {
        automation.trigger =
            Trigger { kind: TriggerKind::Cron, cron: Some("0 9 * * *".into()), ..Trigger::default() };
    };
    let id = scene.automation(assistant, daily).await;
    for day in 2..=8 {
        scene.to(moment(&format!("2026-03-0{day}T09:00:03Z")));
        scene.until_states(id, &vec![Succeeded; day - 1]).await;
    }
    let ticks: Vec<_> = scene.lines(id).await.iter().map(|line| line.tick.unwrap().to_string()).collect();
    let want: Vec<_> = (2..=8).map(|day| format!("2026-03-0{day}T09:00:00.000Z")).collect();
    assert_eq!(ticks, want);
}

fn policy(policy: CatchUpPolicy) -> impl FnOnce(&mut storage::records::Automation) {
    move |automation| automation.catch_up = CatchUp { window_s: 300, policy }
}

#[actix::test]
async fn catch_up_policy_decides_which_ticks_run_after_downtime() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let latest = scene.automation(assistant, policy(CatchUpPolicy::Latest)).await;
    let all = scene.automation(assistant, policy(CatchUpPolicy::All)).await;
    let none = scene.automation(assistant, policy(CatchUpPolicy::None)).await;
    // Ten ticks. The window contains the ticks from the sixth minute on.
    let late = Duration::from_secs(600);
    let scene = scene.restart_at(moment(START) + late).await;
    let missed = |count: usize| vec![Some(SkipReason::MissedWindow); count];
    let lines = scene.until(latest, |lines| lines.len() == 10 && lines[9].state == Succeeded).await;
    assert_eq!(reasons(&lines[..9]), missed(9));
    let lines = scene.until(none, |lines| lines.len() == 10 && lines[9].state == Succeeded).await;
    assert_eq!(reasons(&lines[..9]), missed(9));
    let ended = |lines: &[storage::Row<AutomationRun>]| {
        lines.len() == 10 && lines.iter().all(|line| line.state.is_terminal())
    };
    let lines = scene.until(all, ended).await;
    assert_eq!(reasons(&lines[..4]), missed(4));
    assert!(lines[4..].iter().all(|line| line.state == Succeeded), "{lines:#?}");
    // Ticks run one after another in order, although overlaps are skipped.
    for pair in lines[4..].windows(2) {
        assert!(pair[0].tick < pair[1].tick && pair[0].finished_at <= pair[1].started_at);
    }
    scene.settle().await;
    assert_eq!(scene.lines(all).await.len(), 10);
}

#[actix::test]
async fn tick_outside_the_window_is_recorded_and_does_not_run() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |automation| {
        automation.catch_up = CatchUp { window_s: 3_600, policy: CatchUpPolicy::All };
        automation.trigger = Trigger {
            kind: TriggerKind::Once,
            at: Some(moment(START) + Duration::from_secs(60)),
            ..Trigger::default()
        };
    });
    let id = id.await;
    let scene = scene.restart_at(moment(START) + Duration::from_secs(3_700)).await;
    let lines = scene.until_states(id, &[Skipped]).await;
    assert_eq!(reasons(&lines), [Some(SkipReason::MissedWindow)]);
}

#[actix::test]
async fn paused_automation_records_ticks_and_does_not_catch_up() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |automation| automation.enabled = false).await;
    scene.to_minute(3);
    let lines = scene.until_states(id, &[Skipped; 3]).await;
    assert_eq!(reasons(&lines), [Some(SkipReason::Paused); 3]);
    // A long pause has many ticks and few entries.
    scene.to_minute(1_000);
    let counts =
        |lines: &[storage::Row<AutomationRun>]| lines.iter().map(|line| line.ticks).sum::<u32>() == 1_000;
    assert!(scene.until(id, counts).await.len() <= 103);
    scene.to_minute(1_200);
    let counts =
        |lines: &[storage::Row<AutomationRun>]| lines.iter().map(|line| line.ticks).sum::<u32>() == 1_200;
    assert!(scene.until(id, counts).await.len() <= 103);
    let before = scene.lines(id).await.len();
    scene.change(id, |automation| automation.enabled = true).await;
    scene.settle().await;
    assert_eq!(scene.lines(id).await.len(), before);
    scene.to_minute(1_201);
    let lines = scene.until(id, |lines| lines.last().is_some_and(|line| line.state == Succeeded)).await;
    assert_eq!(lines.len(), before + 1);
}

#[actix::test]
async fn tick_runs_with_the_rights_of_the_owner_at_that_time() {
    let scene = Scene::new().await;
    let (tenant, user) = (scene.stage.tenant, scene.stage.user);
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |_| ()).await;
    let set_user = async |disabled: bool| {
        let set = scene.store().run(move |tx| {
            let mut row = tx.require::<User>(TenantId::SYSTEM, &user)?;
            row.disabled = disabled;
            tx.update(TenantId::SYSTEM, row).map(drop)
        });
        set.await.map_err(|why: storage::Error| why).unwrap();
    };
    let set_assistant = async |change: fn(&mut Assistant)| {
        let set = scene.store().run(move |tx| {
            let mut row = tx.require::<Assistant>(tenant, &assistant)?;
            change(&mut row);
            tx.update(tenant, row).map(drop)
        });
        set.await.map_err(|why: storage::Error| why).unwrap();
    };
    set_user(true).await;
    scene.to_minute(1);
    scene.until_states(id, &[Skipped]).await;
    set_user(false).await;
    set_assistant(|assistant| assistant.enabled = false).await;
    scene.to_minute(2);
    scene.until_states(id, &[Skipped; 2]).await;
    set_assistant(|assistant| (assistant.enabled, assistant.owner) = (true, Default::default())).await;
    scene.to_minute(3);
    scene.until_states(id, &[Skipped; 3]).await;
    let gone = scene.store().run(move |tx| tx.delete::<Membership>(TenantId::SYSTEM, &(user, tenant.0)));
    gone.await.unwrap();
    scene.to_minute(4);
    let lines = scene.until_states(id, &[Skipped; 4]).await;
    let (owner, assistant) = (Some(SkipReason::OwnerDisabled), Some(SkipReason::AssistantDisabled));
    assert_eq!(reasons(&lines), [owner, assistant, assistant, owner]);
    assert!(scene.runs().await.is_empty());
}

#[actix::test]
async fn tick_requires_the_features_of_the_owner_at_that_time() {
    let scene = Scene::new().await;
    let (tenant, user) = (scene.stage.tenant, scene.stage.user);
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |_| ()).await;
    let decide = async |feature: Feature, audience: Audience| {
        let decided = scene.store().run(move |tx| {
            let key = feature.key().to_owned();
            tx.delete::<FeatureRule>(tenant, &key)?;
            tx.insert(tenant, key, FeatureRule { audience: audience.clone() })?;
            Governed::note(tx, tenant, |governed| governed.features = true)
        });
        decided.await.map_err(|why: storage::Error| why).unwrap();
    };
    let only = |users| Audience::Only { users, groups: Vec::new() };
    let mut expected = Vec::new();
    for (minute, feature) in [Feature::Automations, Feature::Assistants].into_iter().enumerate() {
        decide(feature, only(Vec::new())).await;
        scene.to_minute(minute as u64 + 1);
        expected.push(Skipped);
        scene.until_states(id, &expected).await;
        decide(feature, only(vec![user])).await;
    }
    // A chat assistant does not require the workflow feature.
    decide(Feature::Workflows, Audience::NoOne).await;
    scene.to_minute(3);
    expected.push(Succeeded);
    let lines = scene.until_states(id, &expected).await;
    let off = Some(SkipReason::FeatureDisabled);
    assert_eq!(reasons(&lines), [off, off, None]);
}

#[actix::test]
async fn upkeep_removes_old_entries_with_their_conversations() {
    let scene = Scene::with(|settings| {
        settings.keep_runs = 3;
        settings.upkeep_every = Duration::from_millis(50);
    });
    let scene = scene.await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |_| ()).await;
    let mut homes = Vec::new();
    for minute in 1..=6 {
        scene.to_minute(minute);
        let tick = Some(moment(START) + Duration::from_secs(60 * minute));
        let ended = |lines: &[storage::Row<AutomationRun>]| {
            lines.last().is_some_and(|line| line.tick == tick && line.state == Succeeded)
        };
        homes.extend(scene.until(id, ended).await.last().unwrap().conversation_id);
    }
    let lines = scene.until(id, |lines| lines.len() == 3).await;
    assert_eq!(lines[0].tick, Some(moment(START) + Duration::from_secs(240)));
    for (at, home) in homes.into_iter().enumerate() {
        assert_eq!(scene.conversation(home).await.is_some(), at >= 3);
    }
    assert_eq!(scene.runs().await.len(), 6, "three lines, two runs each");
}

#[actix::test]
async fn tick_with_an_existing_entry_is_skipped() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |_| ()).await;
    let (tenant, owner) = (scene.stage.tenant, scene.stage.user);
    let tick = Some(moment(START) + Duration::from_secs(60));
    let line = AutomationRun { automation_id: id, owner, tick, state: Succeeded, ..AutomationRun::default() };
    let insert = scene.store().run(move |tx| tx.insert(tenant, storage::new_id(), line.clone()));
    insert.await.unwrap();
    scene.to_minute(1);
    scene.settle().await;
    scene.to_minute(2);
    let lines = scene.until_states(id, &[Succeeded; 2]).await;
    assert_eq!(lines[0].run_id, None, "the line is the one that was there");
    assert_eq!(scene.runs().await.len(), 2);
}
