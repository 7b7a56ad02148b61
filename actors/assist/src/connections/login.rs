//! The start of a login: finds the authorization server, and sends the user there.

use std::time::Duration;

use providers::Secret;
use providers::oauth::{Ask, Authority, Challenge, challenge_of_verifier, random};
use providers::web::origin_of;
use serde::{Deserialize, Serialize};
use storage::records::{LoginFlow, ServiceConnection, Tenant, User};
use storage::{IndexKey, Reader, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::{ConnectError, Connections, LoginKey, Registration, authorities, sha256_hex, shown_target};

/// How long a user may take for a login.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Maximum number of logins in progress per user.
const UNDER_WAY: usize = 20;
/// The OpenID Connect scope for long-lived tokens.
const LASTING: &str = "offline_access";
const SYSTEM: TenantId = TenantId::SYSTEM;

/// The server that a user logs in to.
#[derive(Clone, Debug)]
pub enum LoginTarget {
    /// An external service, and the assistant of another user for which the login is made, if any.
    Service(String, Option<Uuid>),
    /// A tool server of an assistant: the assistant, the name and the URL of the server.
    Tool(Uuid, String, String),
}

/// A request to start a login.
#[derive(Clone, Debug)]
pub struct NewLogin {
    pub tenant: TenantId,
    /// The user who logs in.
    pub user: Uuid,
    /// The server that the user logs in to.
    pub target: LoginTarget,
    /// Secret that was given to the requesting browser, if the browser stores one.
    pub browser: Option<String>,
    /// Path on this server to which the browser is redirected at the end.
    pub return_to: Option<String>,
}

/// A login that has been started.
#[derive(Clone, Debug)]
pub struct PreparedLogin {
    /// Single-use secret that opens the login page.
    pub nonce: String,
    /// Login page of the authorization server.
    pub authorization_url: String,
    /// Issuer of the tokens; empty if only the endpoints are known.
    pub issuer: String,
    /// The resource that the tokens are for.
    pub resource: Option<String>,
    /// Scopes that the user is asked to grant.
    pub scopes: Vec<String>,
    /// How this server is registered at the authorization server.
    pub registration: Registration,
    /// When the login expires.
    pub expires_at: Timestamp,
}

/// A login in progress, with the data to check whom it belongs to.
#[derive(Clone, Debug)]
pub struct PendingLogin {
    /// The stored login.
    pub flow: LoginFlow,
    /// Name of the server, as shown to the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// Name of the tenant.
    pub tenant: String,
}

/// The secret part of a login in progress.
#[derive(Serialize, Deserialize)]
pub(super) struct LoginSecrets {
    pub verifier: String,
    authorization_url: String,
}

/// The stored form of a nonce, a state or a browser secret.
pub fn digest_of(secret: &str) -> String {
    sha256_hex(secret.as_bytes())
}

/// Everything that is determined before the user is sent to the authorization server.
struct Plan {
    authority: Authority,
    client_id: String,
    registration: Registration,
    redirect_uri: String,
    scopes: Vec<String>,
    resource: Option<String>,
}

impl Connections {
    /// Starts a login: fetches the metadata of the authorization server, registers as its client if necessary, and
    /// stores the pending login.
    ///
    /// # Errors
    /// [`ConnectError`]; nothing has been stored then.
    pub async fn prepare(&self, new: NewLogin) -> Result<PreparedLogin, ConnectError> {
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
        let expires_at = Timestamp::now() + LOGIN_TIMEOUT;
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
        Ok(PreparedLogin {
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
        // A user who logs in needs current data.
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
        // Previously granted scopes are requested again together with the missing ones: an authorization server may
        // replace the earlier grant.
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
            // Without duplicates, and limited in number because they become part of a URL.
            scopes: providers::oauth::scopes(&scopes.join(" ")),
            resource: Some(resource),
            authority,
        })
    }

    /// Determines who issues tokens for a tool server, the resource they are for, and the scopes to request.
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
            // Servers that predate the resource metadata document are their own authorization server.
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

    /// Uses up a nonce. Returns the page of the authorization server to which the browser is redirected.
    ///
    /// # Errors
    /// [`ConnectError::Gone`] if the nonce was used before or the login has expired.
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

    /// Returns the login in progress that a state belongs to.
    ///
    /// # Errors
    /// [`ConnectError::Gone`] if the login was completed or has expired.
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

/// Deletes a user's oldest pending logins if there are too many.
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
