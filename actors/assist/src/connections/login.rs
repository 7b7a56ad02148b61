//! Logging in: finding out about the authority, and sending the user there.

use std::time::Duration;

use providers::Secret;
use providers::oauth::{Ask, Authority, Challenge, challenge_of_verifier, random};
use providers::web::origin_of;
use serde::{Deserialize, Serialize};
use storage::records::{LoginFlow, ServiceConnection, Tenant, User};
use storage::{IndexKey, Reader, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::{ConnectError, Connections, LoginKey, Registration, authorities, sha256_hex, shown_target};

/// How long a user has for a login.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// Logins of one user that may be under way.
const UNDER_WAY: usize = 20;
/// The scope by which authorities of OpenID Connect give tokens that last.
const LASTING: &str = "offline_access";
const SYSTEM: TenantId = TenantId::SYSTEM;

/// The tool server that a user logs in to.
#[derive(Clone, Debug)]
pub enum LoginTarget {
    /// At an external service, and for which assistant of another user, if for one.
    Service(String, Option<Uuid>),
    /// At the tool server of this name and address, of an assistant.
    Tool(Uuid, String, String),
}

/// A login that is to begin.
#[derive(Clone, Debug)]
pub struct NewLogin {
    pub tenant: TenantId,
    /// Whose login it will be.
    pub user: Uuid,
    /// Where.
    pub target: LoginTarget,
    /// What the browser was given that asks for it, if it keeps such things.
    pub browser: Option<String>,
    /// Where the browser is sent at the end, as a path of this server.
    pub return_to: Option<String>,
}

/// A login that has begun.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What opens it, once.
    pub nonce: String,
    /// The authority's page.
    pub authorization_url: String,
    /// Who the authority is; empty where only its endpoints are known.
    pub issuer: String,
    /// What the tokens will be for.
    pub resource: Option<String>,
    /// What the user is asked to allow.
    pub scopes: Vec<String>,
    /// How this server came to be known there.
    pub registration: Registration,
    /// Until when the user may come back.
    pub expires_at: Timestamp,
}

/// A login that is under way, for the check of whose it is.
#[derive(Clone, Debug)]
pub struct PendingLogin {
    /// The row.
    pub flow: LoginFlow,
    /// Where it is, in the user's words.
    pub name: String,
    /// The address of the user.
    pub email: String,
    /// The name of the tenant.
    pub tenant: String,
}

/// What of a login is not for the eye.
#[derive(Serialize, Deserialize)]
pub(super) struct LoginSecrets {
    pub verifier: String,
    authorization_url: String,
}

/// What is stored of a nonce, a state or a browser.
pub fn digest_of(secret: &str) -> String {
    sha256_hex(secret.as_bytes())
}

/// Everything that is known before the user is asked.
struct Plan {
    authority: Authority,
    client_id: String,
    registration: Registration,
    redirect_uri: String,
    scopes: Vec<String>,
    resource: Option<String>,
}

impl Connections {
    /// Begins a login: finds out about the authority, becomes its client where that is needed, and writes down that the
    /// user may come back.
    ///
    /// # Errors
    /// [`ConnectError`]; nothing is begun then.
    pub async fn prepare(&self, new: NewLogin) -> Result<Prepared, ConnectError> {
        let plan = match &new.target {
            LoginTarget::Service(name, _) => self.plan_service(name).await?,
            LoginTarget::Tool(assistant, server, url) => {
                let place = LoginKey::tool(new.tenant, new.user, *assistant, url);
                self.plan_tool(&place, server, url).await?
            }
        };
        let (state, nonce, verifier) = (random()?, random()?, Secret::from(random()?));
        let challenge = challenge_of_verifier(&verifier);
        let authorization_url = plan.authority.ask(&Ask {
            client_id: &plan.client_id,
            redirect_uri: &plan.redirect_uri,
            state: &state,
            challenge: &challenge,
            scopes: &plan.scopes,
            resource: plan.resource.as_deref(),
        })?;
        let expires_at = Timestamp::now() + PATIENCE;
        let flow = flow(&new, &plan, &nonce, expires_at)?;
        let hidden = LoginSecrets {
            verifier: verifier.expose().to_owned(),
            authorization_url: authorization_url.clone(),
        };
        let hidden = serde_json::to_vec(&hidden).map_err(storage_error)?;
        let id = digest_of(&state);
        let (this, tenant, issuer) = (self.clone(), new.tenant, plan.authority.issuer.clone());
        let begun = self.0.store.run(move |tx| {
            make_room(tx, flow.tenant, flow.user)?;
            this.note_login(tx, tenant, (&issuer, &flow.client_id), true)?;
            tx.put_secret(SYSTEM, &LoginFlow::secret(&id), &hidden)?;
            tx.insert(SYSTEM, id.clone(), flow.clone()).map(drop)
        });
        begun.await.map_err(ConnectError::Store)?;
        Ok(Prepared {
            nonce,
            authorization_url,
            issuer: plan.authority.issuer,
            resource: plan.resource,
            scopes: plan.scopes,
            registration: plan.registration,
            expires_at,
        })
    }

    async fn plan_service(&self, name: &str) -> Result<Plan, ConnectError> {
        let settings = self.0.settings.services.get(name).ok_or(ConnectError::NotFound("service"))?;
        let authority = authorities::authority(&self.0.oauth, &self.0.known, settings).await?;
        Ok(Plan {
            authority,
            client_id: settings.client.id.clone(),
            registration: Registration::Preregistered,
            redirect_uri: self.0.settings.callback(name, settings),
            scopes: settings.scopes.clone(),
            resource: settings.resource.clone(),
        })
    }

    async fn plan_tool(&self, place: &LoginKey, server: &str, url: &str) -> Result<Plan, ConnectError> {
        // A user who logs in needs the current state.
        self.0.known.forget(url);
        let (authority, resource, requested) = self.authority_of(server, url).await?;
        let (client, registration) = self.tool_client(place.tenant, url, &authority).await?;
        let redirect_uri = match registration {
            Registration::Dynamic => self.0.settings.tool_callback_of(&authority.issuer),
            Registration::Preregistered | Registration::MetadataDocument => self.0.settings.tool_callback(),
        };
        let (tenant, id) = (place.tenant, place.id.clone());
        let before = self.0.store.read(move |reader| reader.get::<ServiceConnection>(tenant, &id)).await?;
        let mut scopes = requested;
        // What was allowed before is asked for again together with what was lacking: an authority may replace the one
        // by the other.
        if let Some(before) = before.filter(|row| !row.wanted_scopes.is_empty()) {
            scopes.extend(before.body.wanted_scopes.into_iter().chain(before.body.scopes));
        }
        if authority.scopes_supported.iter().any(|scope| scope == LASTING) {
            scopes.push(LASTING.to_owned());
        }
        Ok(Plan {
            client_id: client.id,
            registration,
            redirect_uri,
            // Each once, and not too many for an address.
            scopes: providers::oauth::scopes(&scopes.join(" ")),
            resource: Some(resource),
            authority,
        })
    }

    /// Who gives tokens for a tool server, what they are for, and the scopes to ask for.
    async fn authority_of(
        &self,
        server: &str,
        url: &str,
    ) -> Result<(Authority, String, Vec<String>), ConnectError> {
        use providers::oauth::ServerAccess;
        let (oauth, known) = (&self.0.oauth, &self.0.known);
        let welcome = known.welcome(oauth, url).await?;
        let challenge = match &welcome {
            ServerAccess::Closed(challenge) => challenge.clone(),
            ServerAccess::Open => Challenge::default(),
        };
        let resource = oauth.resource(url, &challenge).await?;
        let (resource, issuers, default_scopes) = match resource {
            Some(resource) => (resource.resource, resource.authorities, resource.scopes),
            None if welcome == ServerAccess::Open => return Err(ConnectError::NotNeeded(server.to_owned())),
            // Servers from before there was such a document are their own authority.
            None => (url.to_owned(), origin_of(url).into_iter().collect(), Vec::new()),
        };
        let scopes = if challenge.scopes.is_empty() { default_scopes } else { challenge.scopes };
        let mine = |issuer: &&String| self.is_preregistered(issuer, url);
        let (known_here, others): (Vec<_>, Vec<_>) = issuers.iter().partition(mine);
        let mut first = None;
        for issuer in known_here.into_iter().chain(others).take(5) {
            match known.authority(oauth, issuer).await {
                Ok(authority) => {
                    authorities::require_s256(&authority)?;
                    return Ok((authority, resource, scopes));
                }
                Err(why) => first = first.or(Some(why)),
            }
        }
        Err(first.map_or(ConnectError::NotFound("authorization server"), ConnectError::Authority))
    }

    /// Spends a nonce: the authority's page that the browser is to be sent to.
    ///
    /// # Errors
    /// [`ConnectError::Gone`] where it was spent, or is over.
    pub async fn open(&self, nonce: &str) -> Result<String, ConnectError> {
        let key = IndexKey::new().text(&digest_of(nonce)).done();
        let opened = self.0.store.run(move |tx| {
            let row = tx.by_unique::<LoginFlow>(SYSTEM, "by_nonce", &key)?;
            let mut row = row.filter(|row| row.expires_at > Timestamp::now()).ok_or(ConnectError::Gone)?;
            let url = hidden(tx, &row.id)?.authorization_url;
            row.nonce_sha256.clear();
            tx.update(SYSTEM, row)?;
            Ok::<_, ConnectError>(url)
        });
        opened.await
    }

    /// The login that a state stands for, and whose it will be.
    ///
    /// # Errors
    /// [`ConnectError::Gone`] where it has ended, or is over.
    pub async fn under_way(&self, state: &str) -> Result<PendingLogin, ConnectError> {
        let id = digest_of(state);
        let read = self.0.store.read(move |reader| {
            let row = reader.get::<LoginFlow>(SYSTEM, &id)?;
            let row = row.filter(|row| row.expires_at > Timestamp::now()).ok_or(ConnectError::Gone)?;
            let user = reader.get::<User>(SYSTEM, &row.user)?.ok_or(ConnectError::Gone)?;
            let tenant = reader.get::<Tenant>(SYSTEM, &row.tenant)?.ok_or(ConnectError::Gone)?;
            Ok::<_, ConnectError>((row.body, user.body.email, tenant.body.name))
        });
        let (flow, email, tenant) = read.await?;
        Ok(PendingLogin { name: shown_target(&self.0.settings, &flow), flow, email, tenant })
    }
}

fn flow(new: &NewLogin, plan: &Plan, nonce: &str, expires_at: Timestamp) -> Result<LoginFlow, ConnectError> {
    let (service, assistant, server, url) = match &new.target {
        LoginTarget::Service(name, assistant) => (Some(name.clone()), *assistant, None, None),
        LoginTarget::Tool(assistant, server, url) => {
            (None, Some(*assistant), Some(server.clone()), Some(url.clone()))
        }
    };
    Ok(LoginFlow {
        tenant: new.tenant.0,
        user: new.user,
        service,
        assistant,
        server,
        url,
        redirect_uri: plan.redirect_uri.clone(),
        nonce_sha256: digest_of(nonce),
        browser_sha256: new.browser.as_deref().map(digest_of).unwrap_or_default(),
        return_to: new.return_to.clone(),
        scopes: plan.scopes.clone(),
        resource: plan.resource.clone(),
        client_id: plan.client_id.clone(),
        authority: serde_json::to_value(&plan.authority).map_err(storage_error)?,
        expires_at,
    })
}

/// Of too many logins that a user has begun, the oldest are over.
fn make_room(tx: &mut Tx, tenant: Uuid, user: Uuid) -> storage::Result<()> {
    let own = Scan::index("by_user").prefix(IndexKey::new().id(&tenant).id(&user).done());
    let rows = tx.scan::<LoginFlow>(SYSTEM, own)?.items;
    let over = (rows.len() + 1).saturating_sub(UNDER_WAY);
    for row in rows.iter().take(over) {
        tx.delete_secret(SYSTEM, &LoginFlow::secret(&row.id))?;
        tx.delete::<LoginFlow>(SYSTEM, &row.id)?;
    }
    Ok(())
}

pub(super) fn hidden(reader: &Reader, id: &str) -> Result<LoginSecrets, ConnectError> {
    let bytes = reader.get_secret(SYSTEM, &LoginFlow::secret(id))?.ok_or(ConnectError::Gone)?;
    serde_json::from_slice(&bytes).map_err(storage_error)
}

pub(super) fn storage_error(why: impl std::fmt::Display) -> ConnectError {
    ConnectError::Store(storage::Error::Corrupt(why.to_string()))
}
