//! The types of notifications.

use crate::records::Channels;

/// Stands for all types in preferences.
pub const EVERY: &str = "*";

/// A type of notification.
#[derive(Clone, Copy, Debug)]
pub struct NoticeKind {
    /// The name of the type: the object and what happened to it.
    pub name: &'static str,
    /// When and to whom a notification of this type is sent.
    pub sentence: &'static str,
    /// Whether it is sent by email by default.
    pub by_mail: bool,
}

const fn kind(name: &'static str, by_mail: bool, sentence: &'static str) -> NoticeKind {
    NoticeKind { name, sentence, by_mail }
}

/// All types, in alphabetical order.
#[rustfmt::skip]
pub const KINDS: &[NoticeKind] = &[
    kind("announcement",          false, "An administrator sent an announcement to all members or to some of them."),
    kind("assistant.disabled",    true,  "An administrator disabled one of your assistants."),
    kind("assistant.enabled",     false, "An administrator enabled one of your assistants again."),
    kind("assistant.transferred", true,  "An assistant was transferred to you or to another user."),
    kind("automation.failed",     true,  "A run of your automation failed, for the first time since one succeeded."),
    kind("automation.paused",     true,  "Your automation was switched off because it failed too often."),
    kind("automation.recovered",  false, "Your automation works again."),
    kind("budget.exhausted",      true,  "A budget is used up: yours, or, for administrators, the tenant's."),
    kind("budget.low",            false, "Four fifths of a budget are used: of yours, or, for administrators, of the tenant's."),
    kind("connection.expired",    true,  "A service does not accept your login any more; log in there again."),
    kind("directory.failed",      true,  "For administrators: groups could not be synchronised; sent once until it works again."),
    kind("document.failed",       false, "A document that you added could not be read."),
    kind("endpoint.dropped",      true,  "A webhook of yours answered that it is gone, and is not called any more."),
    kind("member.requested",      true,  "For administrators: a person asks to become a member."),
    kind("message",               true,  "An administrator wrote to you."),
    kind("video.completed",       false, "Your video is ready."),
    kind("video.failed",          false, "Your video could not be made."),
    kind("workflow.waiting",      true,  "A workflow that you started waits for you."),
];

/// Returns the type with this name.
pub fn kind_of(name: &str) -> Option<&'static NoticeKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

impl NoticeKind {
    /// The default channels of the type.
    pub const fn usual(&self) -> Channels {
        Channels { in_product: true, web_push: true, webhook: true, email: self.by_mail }
    }
}

/// The channels of a type for users without a preference.
pub(super) fn usual(name: &str) -> Channels {
    let fallback = NoticeKind { name: EVERY, sentence: "", by_mail: false };
    kind_of(name).unwrap_or(&fallback).usual()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_unique() {
        assert!(KINDS.is_sorted_by(|one, next| one.name < next.name));
    }
}
