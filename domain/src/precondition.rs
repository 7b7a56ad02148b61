//! Versions that a change may be applied to.

use crate::{Code, Refusal, Result};

/// The versions of a row that a change may be applied to, so that a caller does not overwrite a change it has not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Any version.
    #[default]
    Any,
    /// One of these versions; none of them when the list is empty.
    Versions(Vec<u64>),
}

impl Precondition {
    /// Checks the version of the row as it is stored.
    ///
    /// # Errors
    /// `stale` when the version is not one of those allowed.
    pub fn check(&self, version: u64) -> Result<()> {
        match self {
            Self::Versions(versions) if !versions.contains(&version) => {
                Err(Refusal::new(Code::Stale).detail(format!("the version is now {version}")))
            }
            Self::Any | Self::Versions(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_allows_no_version() {
        assert!(Precondition::Any.check(3).is_ok());
        assert!(Precondition::Versions(vec![2, 3]).check(3).is_ok());
        assert!(Precondition::Versions(vec![2]).check(3).is_err());
        assert!(Precondition::Versions(Vec::new()).check(3).is_err());
    }
}
