use super::{ConfigError, ModelConfig, ProvidersConfig};

/// Maximum number of fallbacks of a model.
const MAX_FALLBACKS: usize = 5;

/// Validates the fallbacks of all models: full ids of possible chat models, without duplicates or cycles.
///
/// # Errors
/// Returns the first fault, with the model that causes it.
pub(super) fn check(config: &ProvidersConfig) -> Result<(), ConfigError> {
    for (id, model) in all(config) {
        let fault = |why: String| Err(ConfigError(format!("model {id}: fallbacks: {why}")));
        if model.fallbacks.len() > MAX_FALLBACKS {
            return fault(format!("at most {MAX_FALLBACKS}"));
        }
        for (at, fallback) in model.fallbacks.iter().enumerate() {
            if model.fallbacks[..at].contains(fallback) {
                return fault(format!("{fallback:?} is named twice"));
            }
            if let Err(why) = possible(config, fallback) {
                return fault(format!("{fallback:?}: {why}"));
            }
        }
        if let Some(round) = fallback_cycle(config, &id) {
            return fault(format!("they lead back to it: {}", round.join(" -> ")));
        }
    }
    Ok(())
}

fn all(config: &ProvidersConfig) -> impl Iterator<Item = (String, &ModelConfig)> {
    let of = |provider: &'_ str, model: &ModelConfig| format!("{provider}/{}", model.id);
    config.providers.iter().flat_map(move |p| p.models.iter().map(move |m| (of(&p.name, m), m)))
}

/// Whether a chat model of this id may exist.
fn possible(config: &ProvidersConfig, id: &str) -> Result<(), &'static str> {
    let Some((provider, model)) = id.split_once('/').filter(|(_, model)| !model.is_empty()) else {
        return Err("must be the full id, <provider>/<model>");
    };
    if let Some(provider) = config.providers.iter().find(|p| p.name == provider) {
        return match provider.models.iter().find(|m| m.id == model) {
            Some(model) if !model.chats() => Err("it does not chat"),
            None if !provider.models.is_empty() => Err("its provider is configured without this model"),
            _ => Ok(()),
        };
    }
    let builtin = provider == "builtin" && model == crate::scribe::NAME;
    let probed = config.probe_local && super::is_probed_name(provider);
    if builtin || probed { Ok(()) } else { Err("there is no such provider") }
}

/// Returns the path from a model over its fallbacks back to itself, if there is one.
fn fallback_cycle(config: &ProvidersConfig, start: &str) -> Option<Vec<String>> {
    let (mut ways, mut seen) = (vec![vec![start.to_owned()]], Vec::new());
    while let Some(way) = ways.pop() {
        let last = way.last().map(String::as_str).unwrap_or_default();
        let Some((_, model)) = all(config).find(|(id, _)| id == last) else {
            continue;
        };
        for next in &model.fallbacks {
            let mut longer = way.clone();
            longer.push(next.clone());
            if next == start {
                return Some(longer);
            }
            if !seen.contains(next) {
                seen.push(next.clone());
                ways.push(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProviderConfig;

    fn fault(models: &[(&str, &[&str])]) -> Option<String> {
        let model = |(id, fallbacks): &(&str, &[&str])| ModelConfig {
            fallbacks: fallbacks.iter().map(|id| (*id).to_owned()).collect(),
            ..ModelConfig::id(*id)
        };
        let mut provider = ProviderConfig::openai("a", "http://x/v1");
        provider.models = models.iter().map(model).collect();
        let open = ProviderConfig::openai("open", "http://x/v1");
        let config = ProvidersConfig {
            providers: vec![provider, open],
            probe_local: false,
            ..ProvidersConfig::default()
        };
        check(&config).err().map(|fault| fault.to_string())
    }

    #[test]
    fn check_accepts_valid_chains() {
        assert_eq!(fault(&[("m", &["a/n", "open/any", "builtin/scribe"]), ("n", &["builtin/scribe"])]), None);
    }

    #[test]
    fn check_reports_the_model_and_the_fault() {
        for (models, why) in [
            (&[("m", &["n"][..])][..], "full id"),
            (&[("m", &["nowhere/n"])], "no such provider"),
            (&[("m", &["a/n"])], "without this model"),
            (&[("m", &["a/m"])], "lead back"),
            (&[("m", &["a/n"]), ("n", &["a/o"]), ("o", &["a/m"])], "a/m -> a/n -> a/o -> a/m"),
            (&[("m", &["open/x", "open/x"])], "twice"),
            (&[("m", &["a/tts-1"]), ("tts-1", &[])], "does not chat"),
            (&[("m", &["open/1", "open/2", "open/3", "open/4", "open/5", "open/6"])], "at most 5"),
        ] {
            let fault = fault(models).expect("a fault");
            assert!(fault.contains("model a/m") && fault.contains(why), "{fault}");
        }
    }
}
