//! The tool with which a model stores what it learns about its user, if that user wants it.

use domain::memories::{self, Remembered};
use providers::ToolSpec;
use serde_json::{Value, json};
use storage::records::SkillUsableIn;
use storage::{Reader, Store};

use super::Caller;

/// Name of the tool for models.
pub(super) const NAME: &str = "remember";

/// Whether the caller works in a conversation and the user wants memories to be stored.
pub(super) fn is_wanted(reader: &Reader, caller: &Caller) -> storage::Result<bool> {
    Ok(caller.place == SkillUsableIn::Chat && memories::permissions(reader, caller.user)?.write)
}

/// The description of the tool for models.
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

/// Stores a memory. Storing the same text again changes nothing.
pub(super) async fn call(store: &Store, caller: &Caller, arguments: &Value) -> Result<Value, String> {
    let content = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
    let (caller, content) = (*caller, content.to_owned());
    let stored = store.run(move |tx| {
        caller.fence.map_or(Ok(()), |fence| fence.check(tx))?;
        // Checked again, because the user may have changed the setting since the run began.
        if !is_wanted(tx, &caller)? {
            return Ok::<_, storage::Error>(None);
        }
        memories::remember(tx, caller.tenant, caller.user, caller.conversation_id, &content).map(Some)
    });
    match stored.await {
        Ok(Some(memory)) => {
            let Remembered { memory_id, is_new } = memory;
            Ok(json!({"remembered": true, "known_before": !is_new, "memory_id": memory_id}))
        }
        Ok(None) => Err("the user does not want memories to be written down".to_owned()),
        Err(why) => Err(why.to_string()),
    }
}
