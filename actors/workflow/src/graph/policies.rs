//! Reads the policies of nodes.

use serde_json::Value;

use super::config::NodeKind;
use super::faults::Fields;
use super::policy::{Effect, OnError, Policy, Retry};

/// Maximum timeout and maximum pause between attempts, in milliseconds.
pub(super) const TIMEOUT: u64 = 86_400_000;
const PAUSE: u64 = 3_600_000;

/// Reads the policy of a node. The name of the node that undoes it is returned separately.
pub(super) fn read<'v>(kind: &NodeKind, mut fields: Fields<'v, '_>) -> (Policy, Option<&'v str>) {
    let spec = kind.spec();
    let timeout_ms = fields.integer("timeout_ms", 0, TIMEOUT).unwrap_or(spec.timeout_ms);
    let retry = retry(&mut fields);
    let on_error = on_error(kind, &mut fields);
    let default = fields.object("default").cloned().map(Value::Object);
    let effects = [
        ("pure", Effect::Pure),
        ("idempotent", Effect::Idempotent),
        ("once", Effect::Once),
        ("irreversible", Effect::Irreversible),
    ];
    let effect = fields.one_of("effect", &effects);
    if effect == Some(Effect::Pure) && matches!(kind, NodeKind::Http(_)) {
        fields.fault("effect", "not_allowed", "a request to another server is never pure");
    }
    let compensate = fields.string("compensate");
    fields.finish();
    let effect = effect.unwrap_or_else(|| kind.default_effect());
    (Policy { timeout_ms, retry, on_error, default, effect, compensate: None }, compensate)
}

fn retry(fields: &mut Fields<'_, '_>) -> Retry {
    let mut retry = Retry::default();
    let (settings, loc) = (fields.get("retry"), fields.loc.at("retry"));
    let mut settings = Fields::read(settings, loc, fields.faults);
    retry.max = settings.integer("max", 0, 10).map_or(retry.max, |max| max as u32);
    retry.base_ms = settings.integer("base_ms", 0, 60_000).unwrap_or(retry.base_ms);
    retry.factor = settings.number("factor", 1.0, 10.0).unwrap_or(retry.factor);
    retry.max_ms = settings.integer("max_ms", 0, PAUSE).unwrap_or(retry.max_ms);
    retry.jitter = settings.number("jitter", 0.0, 1.0).unwrap_or(retry.jitter);
    if settings.get("on").is_some() {
        retry.on = settings.strings("on");
        for (at, name) in retry.on.iter().enumerate().filter(|(_, name)| !is_failure(name)) {
            let loc = settings.loc.at("on").at(at);
            let why =
                format!("{name:?} is not a status, a class of statuses such as `5xx`, or an error code");
            settings.faults.add(&loc, "malformed", why);
        }
    }
    settings.finish();
    retry
}

/// Whether a name can denote a failure: `429`, `5xx`, `timeout`, `code_memory`, ...
fn is_failure(name: &str) -> bool {
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    match name.strip_suffix("xx") {
        Some(class) if class.len() == 1 && digits(class) => matches!(class, "4" | "5"),
        _ if digits(name) => name.parse::<u16>().is_ok_and(|status| (400..600).contains(&status)),
        _ => {
            name.len() <= 64 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        }
    }
}

fn on_error(kind: &NodeKind, fields: &mut Fields<'_, '_>) -> OnError {
    let ways = [("fail", OnError::Fail), ("continue", OnError::Continue), ("branch", OnError::Branch)];
    let on_error = fields.one_of("on_error", &ways).unwrap_or_default();
    let refused = match on_error {
        OnError::Fail => None,
        _ if matches!(kind, NodeKind::Start | NodeKind::End | NodeKind::Fail | NodeKind::Break) => {
            Some("a node of this type cannot continue after a failure")
        }
        OnError::Continue if !kind.spec().ports.contains(&"out") => {
            Some("a node with several ports cannot continue as if nothing had happened; use `branch`")
        }
        _ => None,
    };
    if let Some(why) = refused {
        fields.fault("on_error", "not_allowed", why);
        return OnError::Fail;
    }
    on_error
}
