//! The tool by which a model writes down what it learns of its user, where that user wants it to.

use domain::memories;
use providers::ToolSpec;
use serde_json::{Value, json};
use storage::records::SkillUsableIn;
use storage::{Reader, Store};

use super::Caller;

/// What models call it.
pub(super) const NAME: &str = "remember";

/// Whether this user wants memories to be written, and this is a conversation.
pub(super) fn is_wanted(reader: &Reader, caller: &Caller) -> storage::Result<bool> {
    Ok(caller.place == SkillUsableIn::Chat && memories::permissions(reader, caller.user)?.write)
}

/// The description for models.
pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.into(),
        description:
            "Writes down, for later conversations, a lasting fact about the user or a wish of theirs, in \
                      one sentence. Not for what matters only now, and not for secrets."
                .into(),
        parameters: json!({"type": "object", "properties": {
            "content": {"type": "string", "description": "What is to be remembered, in one sentence."}},
            "required": ["content"], "additionalProperties": false}),
        ..ToolSpec::default()
    }
}

/// Writes a memory down. The same words again change nothing.
pub(super) async fn call(store: &Store, caller: &Caller, arguments: &Value) -> Result<Value, String> {
    let content = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
    let (caller, content) = (*caller, content.to_owned());
    let stored = store.run(move |tx| {
        caller.fence.map_or(Ok(()), |fence| fence.check(tx))?;
        // Read again: the user may have changed their mind since the run began.
        if !is_wanted(tx, &caller)? {
            return Ok::<_, storage::Error>(None);
        }
        memories::remember(tx, caller.tenant, caller.user, caller.conversation_id, &content).map(Some)
    });
    match stored.await {
        Ok(Some(new)) => Ok(json!({"remembered": true, "known_before": !new})),
        Ok(None) => Err("the user does not want memories to be written down".to_owned()),
        Err(why) => Err(why.to_string()),
    }
}
