//! State that the tests share: a store, an assistant, and skills.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use assist::RunContext;
use assist::connections::Connections;
use assist::library::{Library, LibraryConfig};
use assist::skills::{self, Bill, BundleInspection, FunctionError, FunctionRan, bundle};
use assist::tool_servers::ToolServers;
use providers::Models;
use providers::web::{WebClient, WebConfig};
use runs::Caller;
use sandbox::Sandbox;
use serde_json::Value;
use std::io::{Cursor, Write};
use std::sync::Arc;
use storage::records::{
    Assistant, Membership, Role, Skill, SkillContent, SkillUsableIn, User, UserPreferences,
};
use storage::{Store, StoreOptions, TenantId, new_id};
use tempfile::TempDir;
use uuid::Uuid;
use zip::write::SimpleFileOptions;

/// A skill that belongs to the assistant. [`Stage::call`] calls functions as part of it.
pub const OWN: Uuid = Uuid::from_u128(9);

pub struct Stage {
    _dir: TempDir,
    pub run_context: Arc<RunContext>,
    pub tenant: TenantId,
    pub user: Uuid,
    pub assistant: Uuid,
}

impl Stage {
    pub async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(StoreOptions::new(dir.path())).unwrap();
        let models = Models::builtin();
        let config = LibraryConfig {
            extractor: Default::default(),
            index_dir: store.dir().join("index"),
            vector_bytes: 64 << 20,
            link_bytes: 1 << 20,
        };
        let web = WebConfig { allow: vec!["127.0.0.1".into()], ..WebConfig::default() };
        let run_context = RunContext {
            library: Library::new(store.clone(), models.clone(), config),
            connections: Connections::new(store.clone(), WebClient::new(&web).unwrap(), Default::default()),
            store,
            models,
            sandbox: Sandbox::new(Default::default()),
            web: WebClient::new(&web).unwrap(),
            tool_servers: ToolServers::without_logins(WebClient::new(&web).unwrap()),
            max_turns: 3,
        };
        let (tenant, user, assistant) = (TenantId(new_id()), new_id(), new_id());
        let run = run_context.store.run(move |tx| {
            let preferences = UserPreferences { make_memories: Some(true), ..Default::default() };
            let someone = User { email: "someone@example.org".into(), preferences, ..User::default() };
            tx.insert(TenantId::SYSTEM, user, someone)?;
            let member = Membership { role: Role::Editor, ..Membership::default() };
            tx.insert(TenantId::SYSTEM, (user, tenant.0), member)?;
            tx.insert(tenant, assistant, Assistant { owner: user, skills: vec![OWN], ..Assistant::default() })
        });
        run.await.unwrap();
        Self { _dir: dir, run_context: Arc::new(run_context), tenant, user, assistant }
    }

    pub fn caller(&self, place: SkillUsableIn) -> Caller {
        Caller {
            tenant: self.tenant,
            user: self.user,
            assistant_id: Some(self.assistant),
            conversation_id: None,
            run_id: None,
            place,
            fence: None,
        }
    }

    pub async fn change(&self, change: impl Fn(&mut Assistant) + Send + 'static) {
        let (tenant, id) = (self.tenant, self.assistant);
        let run = self.run_context.store.run(move |tx| {
            let mut row = tx.require::<Assistant>(tenant, &id)?;
            change(&mut row.body);
            tx.update(tenant, row)
        });
        run.await.unwrap();
    }

    pub async fn approve(&self, services: &[&str]) {
        let services: Vec<String> = services.iter().map(|it| (*it).to_owned()).collect();
        self.change(move |assistant| assistant.approved_external_services = services.clone()).await;
    }

    /// Inspects a skill that consists of one script, like an upload.
    pub async fn inspected(&self, code: &str) -> BundleInspection {
        let read = bundle::read("trial.js", code.as_bytes()).expect(code);
        skills::inspect(&self.run_context.sandbox, read).await.expect(code)
    }

    pub async fn skill(&self, name: &str, usable_in: SkillUsableIn, code: &str) -> Uuid {
        let (tenant, id, inspected) = (self.tenant, new_id(), self.inspected(code).await);
        let (name, hash) = (name.to_owned(), inspected.content_hash);
        let content: SkillContent = inspected.content;
        let run = self.run_context.store.run(move |tx| {
            let (name, content_hash) = (name.clone(), hash.clone());
            tx.insert(tenant, id, Skill { name, usable_in, content_hash, ..Skill::default() })?;
            tx.insert(tenant, (id, hash.clone()), content.clone())
        });
        run.await.unwrap();
        id
    }

    /// Calls the function `f` of a script.
    pub async fn call(&self, code: &str, arguments: Value) -> Result<FunctionRan, FunctionError> {
        let content = self.inspected(code).await.content;
        let caller = self.caller(SkillUsableIn::Both);
        skills::execute(&self.run_context, &caller, Some(OWN), &content, "f", &arguments, &Bill::default())
            .await
    }

    pub async fn result(&self, code: &str, arguments: Value) -> Value {
        match self.call(code, arguments).await {
            Ok(ran) => ran.result,
            Err(why) => panic!("{code}\n{why:?}"),
        }
    }
}

/// A script with a function `f` that has this body, in a skill that requires these services.
pub fn script(services: &[&str], body: &str) -> String {
    let services: Vec<_> = services.iter().map(|it| format!("'{it}'")).collect();
    format!(
        "const skill = {{ services: [{}] }};\n\
         const functions = {{ f: {{ description: 'does it', async run(args, host) {{ {body} }} }} }};",
        services.join(", ")
    )
}

/// Creates an archive of these files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        zip.start_file(*path, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
