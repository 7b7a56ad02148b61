//! Access tokens of logins, renewed by one task at a time.

use providers::Secret;
use providers::oauth::{Authority, Challenge, OAuthError};
use serde_json::json;
use storage::records::{Notice, ServiceConnection, Severity};
use storage::{Row, Timestamp, notices};

use super::error::TokenError;
use super::tokens::{self, StoredTokens, login, put_aside, store, supersede};
use super::{Connections, LoginKey, shown_name};

/// Maximum number of scopes that are remembered for the next login.
const WANTED: usize = 50;

type Login = (Row<ServiceConnection>, StoredTokens);

impl Connections {
    /// Returns the access token of a login. Renews it ahead of its expiry.
    pub(crate) async fn token(&self, place: &LoginKey) -> Result<Secret, TokenError> {
        let (row, held) = self.login(place).await?;
        let now = Timestamp::now();
        if row.renew_at.is_some_and(|due| due <= now) {
            return self.renew_alone(place, None, true).await;
        }
        match row.is_over(now) {
            true => self.end(place, &held.access, "the token has expired, and cannot be renewed").await,
            false => Ok(held.access()),
        }
    }

    /// Renews a token that a server has rejected. `challenge` is the `WWW-Authenticate` header of that response.
    pub(crate) async fn renew(
        &self,
        place: &LoginKey,
        stale: Option<&Secret>,
        challenge: Option<&str>,
    ) -> Result<Secret, TokenError> {
        let challenge = challenge.and_then(Challenge::read).unwrap_or_default();
        if challenge.error.as_deref() == Some("insufficient_scope") {
            self.want(place, challenge.scopes).await?;
            return Err(TokenError::LoginRequired);
        }
        self.renew_alone(place, stale, false).await
    }

    /// Renews the token unless another task has already done so. A renewal that has started is completed even if no
    /// caller waits for it any more: an authorization server that has issued a new refresh token rejects the old one.
    async fn renew_alone(
        &self,
        place: &LoginKey,
        stale: Option<&Secret>,
        ahead: bool,
    ) -> Result<Secret, TokenError> {
        let (this, place) = (self.clone(), place.clone());
        let stale = stale.map(|token| token.expose().to_owned());
        let task = tasks::spawn(async move {
            let lock = this.lock(&format!("login/{}/{}/{}", place.tenant, place.id.0, place.id.1));
            let _held = lock.lock().await;
            let login = this.login(&place).await?;
            let renewed = match ahead {
                true => login.0.renew_at.is_none_or(|due| due > Timestamp::now()),
                false => stale.as_ref() != Some(&login.1.access),
            };
            if renewed {
                return Ok(login.1.access());
            }
            this.refresh(&place, login, ahead).await
        });
        let broken = |_| Err(TokenError::Unavailable("the renewal of the login was interrupted".to_owned()));
        task.await.unwrap_or_else(broken)
    }

    async fn refresh(&self, place: &LoginKey, (row, old): Login, ahead: bool) -> Result<Secret, TokenError> {
        let Some(refresh) = &old.refresh else {
            return self
                .end(place, &old.access, "the token is not taken any more, and cannot be renewed")
                .await;
        };
        let authority: Authority = serde_json::from_value(row.authority.clone())
            .map_err(|why| TokenError::Unavailable(why.to_string()))?;
        let service = row.assistant.is_none().then_some(place.id.1.as_str());
        let server = Some(row.url.as_deref().unwrap_or_default());
        let client = self.client_of(place.tenant, service, server, &authority, &row.client_id).await;
        let client = client.map_err(|why| TokenError::Unavailable(why.to_string()))?;
        let Some(client) = client else {
            return self
                .end(place, &old.access, "this server is known to the authority by another name now")
                .await;
        };
        let (token, resource) = (Secret::from(refresh.as_str()), row.resource.as_deref());
        let got = self.0.oauth.refresh(&authority, &client, &token, resource).await;
        let got = match got {
            Ok(got) => got,
            Err(why) if why.ends_grant() || why.ends_client() => {
                if why.ends_client() && service.is_none() {
                    self.forget_client(place.tenant, &authority.issuer, &client.id).await?;
                }
                return self.end(place, &old.access, &why.message).await;
            }
            Err(why) => return self.use_remaining_token(&row, &old, ahead, &why),
        };
        let (place, new, now) =
            (place.clone(), StoredTokens::from_response(&got, Some(&old)), Timestamp::now());
        let (access, before) = (new.access(), row.body);
        let stored = self.0.store.run(move |tx| {
            // If the login has been deleted or replaced in between, these tokens belong to no login.
            let Some((mut row, mut there)) = login(tx, place.tenant, &place.id)? else {
                put_aside(tx, place.tenant, &place.id, before.clone(), &new.alone())?;
                return Ok(false);
            };
            if there.access != old.access {
                let (late, body) = ((before.clone(), new.alone()), row.body.clone());
                supersede(tx, place.tenant, &place.id, late, (&body, &mut there))?;
                return store(tx, place.tenant, &place.id, Some(row), body, &there).map(|()| false);
            }
            tokens::set_life(&mut row.body, got.expires_in, new.refresh.is_some(), now);
            if let Some(scopes) = &got.scopes {
                row.body.scopes.clone_from(scopes);
            }
            let body = row.body.clone();
            store(tx, place.tenant, &place.id, Some(row), body, &new).map(|()| true)
        });
        match stored.await {
            Ok(true) => Ok(access),
            Ok(false) => Err(TokenError::LoginRequired),
            Err(why) => Err(why.into()),
        }
    }

    /// Uses a token that is still valid if the authorization server is unavailable.
    fn use_remaining_token(
        &self,
        row: &ServiceConnection,
        old: &StoredTokens,
        ahead: bool,
        why: &OAuthError,
    ) -> Result<Secret, TokenError> {
        let holds = row.token_expires_at.is_some_and(|end| end > Timestamp::now());
        match ahead && holds {
            true => Ok(old.access()),
            false => Err(TokenError::Unavailable(why.message.clone())),
        }
    }

    /// Ends a login that cannot be renewed: records it in the row and notifies the user, once.
    async fn end(&self, place: &LoginKey, access: &str, why: &str) -> Result<Secret, TokenError> {
        let (this, place) = (self.clone(), place.clone());
        let (access, why) = (access.to_owned(), why.to_owned());
        let ended = self.0.store.run(move |tx| {
            let Some((mut row, there)) = login(tx, place.tenant, &place.id)? else { return Ok(()) };
            if there.access != access {
                return Ok(());
            }
            let now = Timestamp::now();
            tx.delete_secret(place.tenant, &ServiceConnection::secret(&place.id))?;
            if !there.earlier.is_empty() {
                put_aside(tx, place.tenant, &place.id, row.body.clone(), &there)?;
            }
            row.expires_at = Some(row.expires_at.map_or(now, |end| end.min(now)));
            row.ended_because = Some(why.clone());
            (row.renew_at, row.token_expires_at) = (None, None);
            let notice = this.ended_notice(&place, &row);
            tx.update(place.tenant, row)?;
            notices::notify(tx, place.tenant, notice)?;
            Ok::<_, storage::Error>(())
        });
        ended.await?;
        Err(TokenError::LoginRequired)
    }

    fn ended_notice(&self, place: &LoginKey, row: &ServiceConnection) -> Notice {
        let name = shown_name(&self.0.settings, row, &place.id.1);
        let data = match row.assistant {
            Some(assistant) => json!({"assistant_id": assistant, "server": row.server}),
            None => json!({"service": place.id.1}),
        };
        let why = row.ended_because.as_deref().unwrap_or_default();
        Notice {
            user: place.id.0,
            kind: "connection.expired".to_owned(),
            severity: Severity::Warning,
            title: format!("Your login at {name} is over"),
            body: format!(
                "Assistants cannot use {name} for you until you log in again. What was said: {why}."
            ),
            data: data.as_object().cloned().unwrap_or_default(),
            ..Notice::default()
        }
    }

    /// Remembers scopes that the next login has to request.
    async fn want(&self, place: &LoginKey, scopes: Vec<String>) -> Result<(), TokenError> {
        let place = place.clone();
        let wanted = self.0.store.run(move |tx| {
            let Some(mut row) = tx.get::<ServiceConnection>(place.tenant, &place.id)? else { return Ok(()) };
            let mut lacking = scopes.clone();
            lacking.retain(|scope| !row.scopes.contains(scope) && !row.wanted_scopes.contains(scope));
            if lacking.is_empty() {
                return Ok(());
            }
            row.wanted_scopes.extend(lacking);
            row.wanted_scopes.truncate(WANTED);
            tx.update(place.tenant, row)?;
            Ok::<_, storage::Error>(())
        });
        Ok(wanted.await?)
    }

    async fn login(&self, place: &LoginKey) -> Result<Login, TokenError> {
        let LoginKey { tenant, id } = place.clone();
        let read = self.0.store.read(move |reader| login(reader, tenant, &id)).await?;
        read.ok_or(TokenError::LoginRequired)
    }
}
