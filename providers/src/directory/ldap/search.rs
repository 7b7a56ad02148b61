//! A paged search.

use std::time::Duration;

use ldap3::asn1::{PL, StructureTag, parse_tag};
use ldap3::controls::{Control, PagedResults};
use ldap3::{LdapError, LdapResult, Scope, SearchResult};
use tokio::time::timeout;

use super::super::{DirectoryError, DirectoryErrorKind, MAX_RESULTS};
use super::entry::Entry;

/// The OID of the paged results control (RFC 2696).
const PAGED: &str = "1.2.840.113556.1.4.319";
/// Maximum number of pages of a search; a longer search is treated as endless.
const PAGES: usize = 300_000;

mod rc {
    pub const SUCCESS: u32 = 0;
    pub const SIZE_LIMIT: u32 = 4;
    pub const REFERRAL: u32 = 10;
    pub const ADMIN_LIMIT: u32 = 11;
    pub const NO_SUCH_OBJECT: u32 = 32;
    pub const INVALID_DN: u32 = 34;
    pub const TIME_LIMIT: u32 = 3;
    pub const AUTH: [u32; 5] = [7, 8, 48, 49, 50];
    pub const BUSY: [u32; 2] = [51, 52];
}

pub(super) struct Search<'a> {
    pub base: &'a str,
    pub scope: Scope,
    pub filter: &'a str,
    pub attributes: &'a [&'a str],
    pub page_size: u32,
}

impl Search<'_> {
    /// Returns all entries, page by page.
    pub async fn all(&self, mut ldap: ldap3::Ldap, patience: Duration) -> Result<Vec<Entry>, DirectoryError> {
        let (mut all, mut cookie) = (Vec::new(), Vec::new());
        for _ in 0..PAGES {
            let SearchResult(entries, result) = self.page(&mut ldap, cookie.clone(), patience).await?;
            if result.rc == rc::NO_SUCH_OBJECT && all.is_empty() {
                return Ok(all);
            }
            check(&result, "would not tell")?;
            for entry in entries {
                if entry.is_ref() || entry.is_intermediate() {
                    continue;
                }
                all.push(Entry::read(entry.0).ok_or_else(unreadable)?);
            }
            if all.len() > MAX_RESULTS {
                let why =
                    format!("the directory has more than {MAX_RESULTS} entries of a kind; narrow the filter");
                return Err(DirectoryError::incomplete(why));
            }
            let next = next(&result)?;
            if next.is_empty() {
                return Ok(all);
            }
            cookie = next;
        }
        Err(DirectoryError::incomplete(format!("a search has more than {PAGES} pages")))
    }

    /// Whether there is any entry.
    pub async fn any(&self, mut ldap: ldap3::Ldap, patience: Duration) -> Result<bool, DirectoryError> {
        let SearchResult(entries, result) = self.page(&mut ldap, Vec::new(), patience).await?;
        let some = entries.iter().any(|entry| !entry.is_ref() && !entry.is_intermediate());
        if result.rc == rc::NO_SUCH_OBJECT {
            return Ok(false);
        }
        // One entry is enough, even if the directory would not return all of them.
        if !some {
            check(&result, "would not tell")?;
        }
        Ok(some)
    }

    async fn page(
        &self,
        ldap: &mut ldap3::Ldap,
        cookie: Vec<u8>,
        patience: Duration,
    ) -> Result<SearchResult, DirectoryError> {
        let size = i32::try_from(self.page_size).unwrap_or(500);
        ldap.with_controls(PagedResults { size, cookie });
        let page = timeout(patience, ldap.search(self.base, self.scope, self.filter, self.attributes)).await;
        match page {
            Ok(page) => page.map_err(connection_error),
            Err(_) => Err(super::late("one page")),
        }
    }
}

/// Returns the cookie of the next page; empty at the end, and from servers without paging.
fn next(result: &LdapResult) -> Result<Vec<u8>, DirectoryError> {
    let paged = result.ctrls.iter().find_map(|Control(_, raw)| (raw.ctype == PAGED).then_some(raw));
    let Some(paged) = paged else { return Ok(Vec::new()) };
    let value = paged.val.as_deref().unwrap_or_default();
    let tag = parse_tag(value).map_err(|_| unreadable())?.1;
    let StructureTag { payload: PL::C(mut parts), .. } = tag else { return Err(unreadable()) };
    match parts.pop() {
        Some(StructureTag { payload: PL::P(cookie), .. }) if parts.len() == 1 => Ok(cookie),
        _ => Err(unreadable()),
    }
}

fn unreadable() -> DirectoryError {
    DirectoryError::failed("the directory sent an invalid response")
}

/// Returns an error if the result code is not success.
pub(super) fn check(result: &LdapResult, what: &str) -> Result<(), DirectoryError> {
    let kind = match result.rc {
        rc::SUCCESS => return Ok(()),
        rc::SIZE_LIMIT | rc::ADMIN_LIMIT | rc::TIME_LIMIT => DirectoryErrorKind::Incomplete,
        rc::REFERRAL => DirectoryErrorKind::Incomplete,
        rc::INVALID_DN => DirectoryErrorKind::Invalid,
        code if rc::AUTH.contains(&code) => DirectoryErrorKind::Refused,
        code if rc::BUSY.contains(&code) => DirectoryErrorKind::Throttled,
        _ => DirectoryErrorKind::Failed,
    };
    let diagnostic = match result.text.trim() {
        "" => meaning(result.rc).to_owned(),
        text => format!("{}: {text}", meaning(result.rc)),
    };
    Err(DirectoryError::new(kind, format!("the directory {what}: {diagnostic} (result {})", result.rc)))
}

fn meaning(code: u32) -> &'static str {
    match code {
        rc::TIME_LIMIT => "its time limit was exceeded",
        rc::SIZE_LIMIT => "its size limit was exceeded",
        rc::ADMIN_LIMIT => "an administrative limit was exceeded",
        rc::REFERRAL => "it redirects to another server",
        rc::NO_SUCH_OBJECT => "there is no such entry",
        rc::INVALID_DN => "the name is not valid",
        13 => "it requires an encrypted connection",
        48 | 49 => "wrong name or password",
        50 => "access denied",
        51 => "it is busy",
        52 => "it is not available",
        53 => "it refused to perform the request",
        _ => "it failed",
    }
}

pub(super) fn connection_error(why: LdapError) -> DirectoryError {
    let kind = match &why {
        LdapError::Timeout { .. } => return super::late("an answer"),
        LdapError::LdapResult { result } => {
            let fallback = || DirectoryError::failed(format!("the directory failed: {why}"));
            return check(result, "would not").err().unwrap_or_else(fallback);
        }
        LdapError::Io { .. }
        | LdapError::OpSend { .. }
        | LdapError::ResultRecv { .. }
        | LdapError::IdScrubSend { .. }
        | LdapError::MiscSend { .. }
        | LdapError::EndOfStream
        | LdapError::Rustls { .. } => DirectoryErrorKind::Unreachable,
        _ => DirectoryErrorKind::Failed,
    };
    let text = match &why {
        LdapError::Io { source } => format!("the directory could not be reached: {source}"),
        LdapError::Rustls { source } => {
            format!("the directory's certificate or encryption is not valid: {source}")
        }
        LdapError::OpSend { .. } | LdapError::ResultRecv { .. } | LdapError::EndOfStream => {
            "the directory closed the connection during a response".to_owned()
        }
        other => format!("the directory failed: {other}"),
    };
    DirectoryError::new(kind, text)
}
