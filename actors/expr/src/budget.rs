//! Limits on the cost of evaluating a template.

use serde_json::{Map, Value};

use super::error::TemplateError;

/// Maximum nesting depth of a template and of its result. A journal's reader cannot parse JSON that is nested deeper
/// than 128 levels.
pub(crate) const DEPTH: usize = 100;

/// Steps of one evaluation: one for each part of an expression, for each item visited, and for each [`BYTES_A_STEP`]
/// bytes read or written. A million steps take less than a tenth of a second.
const FUEL: u64 = 1_000_000;
const BYTES_A_STEP: u64 = 64;
/// Bytes that one evaluation may allocate in total, including those that it frees again.
const MEMORY: u64 = 64 << 20;
/// Maximum size in bytes of a text that a template or a part of one produces.
pub(super) const TEXT: usize = 1 << 20;
/// Assumed size in bytes of a value without its texts.
const VALUE: u64 = 32;

/// The remaining budget of an evaluation.
pub(super) struct Budget {
    fuel: u64,
    memory: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { fuel: FUEL, memory: MEMORY }
    }
}

impl Budget {
    /// Creates a budget for work that has already been paid for.
    pub fn unlimited() -> Self {
        Self { fuel: u64::MAX, memory: u64::MAX }
    }

    /// Number of bytes that may still be allocated.
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }

    /// Pays for steps.
    pub fn steps(&mut self, steps: usize) -> Result<(), TemplateError> {
        match self.fuel.checked_sub(steps as u64) {
            Some(remaining) => {
                self.fuel = remaining;
                Ok(())
            }
            None => Err(TemplateError("the template ran too long".into())),
        }
    }

    /// Pays for reading a number of bytes.
    pub fn read(&mut self, bytes: usize) -> Result<(), TemplateError> {
        self.steps(bytes / BYTES_A_STEP as usize)
    }

    /// Pays for allocating a number of bytes.
    pub fn bytes(&mut self, bytes: usize) -> Result<(), TemplateError> {
        match self.memory.checked_sub(bytes as u64) {
            Some(remaining) => {
                self.memory = remaining;
                Ok(())
            }
            None => Err(TemplateError(format!("the template needs more than {} MiB", MEMORY >> 20))),
        }
    }

    /// Pays for creating a number of values.
    pub fn values(&mut self, values: usize) -> Result<(), TemplateError> {
        self.steps(values)?;
        self.bytes(values.saturating_mul(VALUE as usize))
    }

    /// Pays for a text that is about to be created.
    pub fn text(&mut self, bytes: usize) -> Result<(), TemplateError> {
        if bytes > TEXT {
            return Err(too_long());
        }
        self.read(bytes)?;
        self.bytes(bytes)
    }

    /// Copies a value and pays for its memory. Copying existing values takes no steps, because they may be large.
    pub fn copy(&mut self, value: &Value, depth: usize) -> Result<Value, TemplateError> {
        if depth > DEPTH {
            return Err(too_deep());
        }
        self.bytes(VALUE as usize)?;
        Ok(match value {
            Value::String(text) => {
                self.bytes(text.len())?;
                Value::String(text.clone())
            }
            Value::Array(items) => {
                let copies = items.iter().map(|item| self.copy(item, depth + 1));
                Value::Array(copies.collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let mut copy = Map::new();
                for (name, field) in fields {
                    self.bytes(name.len())?;
                    copy.insert(name.clone(), self.copy(field, depth + 1)?);
                }
                Value::Object(copy)
            }
            plain => plain.clone(),
        })
    }
}

/// Fails if a value is nested too deeply to be stored.
pub(super) fn check_depth(value: &Value, depth: usize) -> Result<(), TemplateError> {
    if depth > DEPTH {
        return Err(too_deep());
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| check_depth(item, depth + 1)),
        Value::Object(fields) => fields.values().try_for_each(|field| check_depth(field, depth + 1)),
        _ => Ok(()),
    }
}

/// The error of a text that is too long.
pub(super) fn too_long() -> TemplateError {
    TemplateError(format!("the template gives more than {} MiB of text", TEXT >> 20))
}

fn too_deep() -> TemplateError {
    TemplateError(format!("the template gives a value that is nested deeper than {DEPTH} levels"))
}
