//! `understudy config check`.

use super::{Done, Failure, Locations, say};
use crate::config::Config;
use serde_json::json;
use std::net::SocketAddr;

/// Validates the settings that a start would use, without accessing the data folder or the network.
pub(super) fn check(locations: &Locations, listen: Option<SocketAddr>, as_json: bool) -> Done {
    let faults = Config::examine(locations.config.as_deref(), |config| {
        locations.adjust(config);
        if let Some(listen) = listen {
            config.server.listen = listen;
        }
    });
    for name in Config::unknown_variables() {
        eprintln!(
            "understudy: warning: {name} is not a variable of this program; settings are UNDERSTUDY_<SECTION>__<KEY>"
        );
    }
    if as_json {
        say(&format!("{}\n", json!({"valid": faults.is_empty(), "errors": faults})));
    }
    match faults.is_empty() {
        true => {
            if !as_json {
                say("the configuration is valid\n");
            }
            Ok(())
        }
        false => Err(Failure::usage_error(faults.join("\n"))),
    }
}
