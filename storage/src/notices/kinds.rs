//! What people are told of.

use crate::records::Channels;

/// Stands for all types in preferences.
pub const EVERY: &str = "*";

/// A type of notification.
#[derive(Clone, Copy, Debug)]
pub struct NoticeKind {
    /// Its name: the object and what happened to it.
    pub name: &'static str,
    /// When it is sent, and to whom.
    pub sentence: &'static str,
    /// Whether it goes by mail where the user has not chosen.
    pub by_mail: bool,
}

const fn kind(name: &'static str, by_mail: bool, sentence: &'static str) -> NoticeKind {
    NoticeKind { name, sentence, by_mail }
}

/// All types, in alphabetical order.
#[rustfmt::skip]
pub const KINDS: &[NoticeKind] = &[
    kind("announcement",          false, "An administrator told everybody, or some, something."),
    kind("assistant.disabled",    true,  "An administrator disabled one of your assistants."),
    kind("assistant.enabled",     false, "An administrator enabled one of your assistants again."),
    kind("assistant.transferred", true,  "An assistant was transferred to you or to another user."),
    kind("automation.failed",     true,  "A run of your automation failed, for the first time since one succeeded."),
    kind("automation.paused",     true,  "Your automation was switched off because it failed too often."),
    kind("automation.recovered",  false, "Your automation works again."),
    kind("budget.exhausted",      true,  "A budget is used up: yours, or, for administrators, the tenant's."),
    kind("budget.low",            false, "Four fifths of a budget are used: of yours, or, for administrators, of the tenant's."),
    kind("connection.expired",    true,  "A service does not accept your login any more; log in there again."),
    kind("directory.failed",      true,  "For administrators: groups could not be synchronised; told once until it works again."),
    kind("document.failed",       false, "A document that you added could not be read."),
    kind("endpoint.dropped",      true,  "A webhook of yours answered that it is gone, and is not called any more."),
    kind("member.requested",      true,  "For administrators: a person asks to become a member."),
    kind("message",               true,  "An administrator wrote to you."),
    kind("video.completed",       false, "Your video is ready."),
    kind("video.failed",          false, "Your video could not be made."),
    kind("workflow.waiting",      true,  "A workflow that you started waits for you."),
];

/// The type of this name.
pub fn kind_of(name: &str) -> Option<&'static NoticeKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

impl NoticeKind {
    /// The channels by default.
    pub const fn usual(&self) -> Channels {
        Channels { in_product: true, web_push: true, webhook: true, email: self.by_mail }
    }
}

/// The channels of a type if the user has not chosen.
pub(super) fn usual(name: &str) -> Channels {
    let fallback = NoticeKind { name: EVERY, sentence: "", by_mail: false };
    kind_of(name).unwrap_or(&fallback).usual()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_order_and_each_once() {
        assert!(KINDS.is_sorted_by(|one, next| one.name < next.name));
    }
}
