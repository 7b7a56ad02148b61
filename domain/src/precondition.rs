//! Preconditions on the version of a row.

use crate::{Code, Refusal, Result};

/// The versions of a row to which a change may be applied, so that a caller does not overwrite a change it has not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Any version.
    #[default]
    Any,
    /// One of these versions. An empty list allows no version.
    Versions(Vec<u64>),
}

impl Precondition {
    /// Checks the stored version of a row.
    ///
    /// # Errors
    /// `stale` if the version is not one of the allowed ones.
    pub fn check(&self, version: u64) -> Result<()> {
        match self {
            Self::Versions(versions) if !versions.contains(&version) => {
                Err(Refusal::new(Code::Stale).detail(format!("the version is now {version}")))
            }
            Self::Any | Self::Versions(_) => Ok(()),
        }
    }

    /// Checks the stored version of a row, and compares it with the version in the request's body if there is one.
    /// `record` is the kind of the row, for the error message.
    ///
    /// # Errors
    /// `stale` if one of the versions differs.
    pub fn check_both(&self, named: Option<u64>, record: &'static str, version: u64) -> Result<()> {
        self.check(version)?;
        match named {
            Some(named) if named != version => Err(storage::Error::Stale(record).into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_refuses_every_version_for_an_empty_list() {
        assert!(Precondition::Any.check(3).is_ok());
        assert!(Precondition::Versions(vec![2, 3]).check(3).is_ok());
        assert!(Precondition::Versions(vec![2]).check(3).is_err());
        assert!(Precondition::Versions(Vec::new()).check(3).is_err());
    }

    #[test]
    fn check_both_compares_the_version_in_the_body_like_the_header() {
        let three = Precondition::Versions(vec![3]);
        assert!(Precondition::Any.check_both(None, "team", 3).is_ok());
        assert!(Precondition::Any.check_both(Some(3), "team", 3).is_ok());
        assert!(Precondition::Any.check_both(Some(2), "team", 3).is_err());
        assert!(three.check_both(Some(3), "team", 3).is_ok());
        assert!(three.check_both(Some(3), "team", 4).is_err());
        assert!(three.check_both(Some(2), "team", 3).is_err());
    }
}
