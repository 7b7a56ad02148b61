//! The arguments of filters and tests.

use std::collections::VecDeque;

use super::error::TemplateError;
use super::val::Val;

/// The arguments of a filter or test, in addition to its input.
#[derive(Clone, Default)]
pub(super) struct FilterArgs<'a> {
    positional: VecDeque<Val<'a>>,
    named: Vec<(&'a str, Val<'a>)>,
}

impl<'a> FilterArgs<'a> {
    pub fn push(&mut self, value: Val<'a>) {
        self.positional.push_back(value);
    }

    pub fn push_named(&mut self, name: &'a str, value: Val<'a>) {
        self.named.push((name, value));
    }

    /// Takes the next argument, by position or by name.
    pub fn take(&mut self, name: &str) -> Val<'a> {
        if let Some(value) = self.positional.pop_front() {
            return value;
        }
        self.named(name)
    }

    /// Takes an argument that can only be given by name.
    pub fn named(&mut self, name: &str) -> Val<'a> {
        match self.named.iter().position(|(known, _)| *known == name) {
            Some(at) => self.named.swap_remove(at).1,
            None => Val::Undefined,
        }
    }

    /// Fails if there are arguments that were not taken.
    pub fn finish(self) -> Result<(), TemplateError> {
        if let Some((name, _)) = self.named.first() {
            return Err(TemplateError(format!("there is no argument {name:?}")));
        }
        if self.positional.is_empty() {
            Ok(())
        } else {
            Err(TemplateError("there are too many arguments".into()))
        }
    }
}
