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

    /// Checks the version of the row as it is stored, also against the version that the request's body names, if it names
    /// one. `record` is the row's kind in words.
    ///
    /// # Errors
    /// `stale` when one of them is another version.
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
    fn an_empty_list_allows_no_version() {
        assert!(Precondition::Any.check(3).is_ok());
        assert!(Precondition::Versions(vec![2, 3]).check(3).is_ok());
        assert!(Precondition::Versions(vec![2]).check(3).is_err());
        assert!(Precondition::Versions(Vec::new()).check(3).is_err());
    }

    #[test]
    fn a_version_in_the_body_counts_like_one_in_the_header() {
        let three = Precondition::Versions(vec![3]);
        assert!(Precondition::Any.check_both(None, "team", 3).is_ok());
        assert!(Precondition::Any.check_both(Some(3), "team", 3).is_ok());
        assert!(Precondition::Any.check_both(Some(2), "team", 3).is_err());
        assert!(three.check_both(Some(3), "team", 3).is_ok());
        assert!(three.check_both(Some(3), "team", 4).is_err());
        assert!(three.check_both(Some(2), "team", 3).is_err());
    }
}
