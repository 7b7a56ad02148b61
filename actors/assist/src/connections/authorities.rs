//! Authorization servers from the settings, and requirements for authorization servers that are not in them.

use providers::oauth::{Authority, OAuth, OAuthError, OAuthErrorKind};

use super::known::MetadataCache;
use super::settings::ServiceSettings;

/// The authorization server of an external service: its own metadata, overridden by the settings.
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

/// Rejects an authorization server whose metadata do not declare PKCE with `S256`: without it, an intercepted code is
/// as good as a token. External services are exempt, because the operator has chosen them.
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

/// Rejects an authorization server whose login or token endpoints are on a host other than its own, unless it
/// identifies itself in each response (RFC 9207): it could have users log in at another server and obtain that server's
/// code.
pub(super) fn require_own_endpoints(authority: &Authority) -> Result<(), OAuthError> {
    if authority.names_itself || authority.uses_only_issuer_origin() {
        return Ok(());
    }
    let message = format!(
        "the authorization server {} has endpoints at another host and does not say that it names itself in its answers \
         (RFC 9207), so no user is sent there, unless the operator of this server names a client of it in the settings",
        authority.issuer
    );
    Err(OAuthError { kind: OAuthErrorKind::Unfit, message })
}
