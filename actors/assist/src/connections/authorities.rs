//! Authorities as the settings have them, and what is asked of those that have not been met before.

use providers::oauth::{Authority, OAuth, OAuthError, OAuthErrorKind};

use super::known::MetadataCache;
use super::settings::ServiceSettings;

/// The authority of an external service: as it says itself, with what the settings say in its place.
pub(super) async fn authority(
    oauth: &OAuth,
    known: &MetadataCache,
    settings: &ServiceSettings,
) -> Result<Authority, OAuthError> {
    let mut authority = match &settings.issuer {
        Some(issuer) => known.authority(oauth, issuer).await?,
        None => Authority {
            authorization_endpoint: settings.authorization_endpoint.clone().unwrap_or_default(),
            token_endpoint: settings.token_endpoint.clone().unwrap_or_default(),
            ..Authority::default()
        },
    };
    if settings.revocation_endpoint.is_some() {
        authority.revocation_endpoint.clone_from(&settings.revocation_endpoint);
    }
    Ok(authority)
}

/// Refuses an authority that does not say that it takes PKCE by `S256`: without it, a code that is overheard is as good
/// as a token. External services are exempt, since the operator has chosen them.
pub(super) fn require_s256(authority: &Authority) -> Result<(), OAuthError> {
    if authority.s256 {
        return Ok(());
    }
    let message = format!(
        "the authorization server {} does not say that it takes proofs (PKCE) by S256, so no user is sent there",
        authority.issuer
    );
    Err(OAuthError { kind: OAuthErrorKind::Unfit, message })
}

/// Refuses an authority that has users log in, or codes shown, at another host than its own, unless it says in each
/// answer who it is (RFC 9207): it may have users log in at another server, to be shown the code.
pub(super) fn require_own_endpoints(authority: &Authority) -> Result<(), OAuthError> {
    if authority.names_itself || authority.keeps_to_itself() {
        return Ok(());
    }
    let message = format!(
        "the authorization server {} has endpoints at another host and does not say that it names itself in its answers \
         (RFC 9207), so no user is sent there, unless the operator of this server names a client of it in the settings",
        authority.issuer
    );
    Err(OAuthError { kind: OAuthErrorKind::Unfit, message })
}
