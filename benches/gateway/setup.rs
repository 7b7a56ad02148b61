//! The processes before which all is measured: the provider, two bare proxies, and this server.

use std::net::SocketAddr;
use std::rc::Rc;

use crate::Outcome;
use crate::role;
use crate::server::{Process, Server};
use crate::table::Subject;
use crate::target::Target;

pub struct Setup {
    provider: (Process, SocketAddr),
    actix: (Process, SocketAddr),
    hyper: (Process, SocketAddr),
    pub server: Server,
}

/// A provider of the server's, as a setting. `more` are further settings of it and of its model `bench`.
pub fn provider(name: &str, address: SocketAddr, more: &str, model: &str) -> String {
    format!(
        r#"
[[providers]]
name = "{name}"
base_url = "http://{address}/v1"
models = [{{ id = "bench"{model} }}]
timeouts = {{ first_byte_s = 600, idle_s = 600 }}
{more}
"#
    )
}

impl Setup {
    pub async fn set() -> Outcome<Setup> {
        let at = role::start("provider", &[])?;
        let upstream = at.1.to_string();
        // The proxy's file is for other figures.
        let actix = role::start("actix", &[&upstream, ""])?;
        let hyper = role::start("hyper", &[&upstream])?;
        let server = Server::start(&provider("fake", at.1, "", "")).await?;
        Ok(Setup { provider: at, actix, hyper, server })
    }

    /// The process of a subject, whose processor time and memory count, and how it is asked.
    pub fn of(&self, subject: Subject) -> (&Process, Rc<Target>) {
        let (process, address) = match subject {
            Subject::Direct => &self.provider,
            Subject::Actix => &self.actix,
            Subject::Hyper => &self.hyper,
            Subject::Understudy => {
                let target = Target::gateway(self.server.address, &self.server.authorization, "fake/bench");
                return (&self.server.process, Rc::new(target));
            }
        };
        (process, Rc::new(Target::bare(*address)))
    }
}
