//! The OAuth client as which this server is known to an authorization server: from the settings, from a metadata
//! document, or registered dynamically.

use providers::Secret;
use providers::oauth::{
    Ask, AuthMethod, Authority, Client, OAuthError, OAuthErrorKind, challenge_of_verifier, random,
};
use providers::web::host_of;
use serde::Serialize;
use storage::records::ClientRegistration;
use storage::{TenantId, Timestamp, Tx};
use utoipa::ToSchema;

use super::{ConnectError, Connections, authorities, sha256_hex};

/// A client's secret is not used in the last minute before it expires.
const MARGIN_MS: i64 = 60_000;

/// How this server is registered as a client of an authorization server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Registration {
    /// The settings name the client.
    Preregistered,
    /// The authorization server reads a metadata document, whose URL is the client ID.
    MetadataDocument,
    /// The authorization server created the client dynamically.
    Dynamic,
}

impl Connections {
    /// The client for the authorization server of a tool server. In order of preference: the one from the settings, the
    /// metadata document, and a dynamically registered one, which is registered now if there is none.
    pub(super) async fn tool_client(
        &self,
        tenant: TenantId,
        server: &str,
        authority: &Authority,
    ) -> Result<(Client, Registration), ConnectError> {
        let settings = &self.0.settings;
        if let Some(client) = self.preregistered(authority, Some(server)) {
            return Ok((client, Registration::Preregistered));
        }
        authorities::require_own_endpoints(authority)?;
        // All authorization servers that read the document redirect to the same URL, so they have to identify
        // themselves: a hostile one could redirect users to another one, and would receive the code that comes back
        // from there.
        if authority.client_documents && authority.names_itself && settings.base.starts_with("https://") {
            return Ok((self.documented(), Registration::MetadataDocument));
        }
        if authority.registration_endpoint.is_none() {
            let message = format!(
                "the authorization server {} does not let clients register by themselves: the operator of this server has \
                 to register it there, and to name the client and the host of the tool server in its settings",
                authority.issuer
            );
            return Err(OAuthError { kind: OAuthErrorKind::Unfit, message }.into());
        }
        Ok((self.registered(tenant, authority).await?, Registration::Dynamic))
    }

    /// Whether the settings name a client at this issuer for a tool server.
    pub(super) fn is_preregistered(&self, issuer: &str, server: &str) -> bool {
        let host = host_of(server);
        let known = self.0.settings.clients.get(issuer);
        known.is_some_and(|known| host.is_some_and(|host| known.hosts.contains(&host)))
    }

    /// The client from the settings for a tool server, or for any server.
    fn preregistered(&self, authority: &Authority, server: Option<&str>) -> Option<Client> {
        if server.is_some_and(|server| !self.is_preregistered(&authority.issuer, server)) {
            return None;
        }
        let known = &self.0.settings.clients.get(&authority.issuer)?.client;
        let method = AuthMethod::with(known.secret.as_ref(), &authority.token_auth_methods);
        Some(Client { id: known.id.clone(), secret: known.secret.clone(), method })
    }

    fn documented(&self) -> Client {
        Client { id: self.0.settings.client_document(), secret: None, method: AuthMethod::None }
    }

    /// The client that the authorization server has registered for the tenant. Registers one if there is none.
    async fn registered(&self, tenant: TenantId, authority: &Authority) -> Result<Client, ConnectError> {
        let settings = &self.0.settings;
        let about = settings.about(settings.tool_callback_of(&authority.issuer));
        let id = self.registration_id(&authority.issuer);
        let lock = self.lock(&format!("client/{tenant}/{id}"));
        let _held = lock.lock().await;
        if let Some((client, pending)) = self.stored_registration(tenant, &id).await? {
            if !pending || !self.is_forgotten(authority, &client, &about.redirect_uri).await? {
                return Ok(client);
            }
            tracing::info!(
                issuer = authority.issuer,
                "the authorization server has forgotten its client; registering again"
            );
        }
        let registration = self.0.oauth.register(authority, &about).await?;
        let row = ClientRegistration {
            issuer: authority.issuer.clone(),
            redirect_uri: about.redirect_uri,
            client_id: registration.client.id.clone(),
            auth_method: registration.client.method.as_str().to_owned(),
            secret_expires_at: registration
                .secret_ends
                .map(|end| Timestamp::from_millis(end.saturating_mul(1_000))),
            login_pending: false,
        };
        let secret = registration.client.secret.clone();
        let stored = self.0.store.run(move |tx| {
            tx.delete::<ClientRegistration>(tenant, &id)?;
            tx.insert(tenant, id.clone(), row.clone())?;
            let name = ClientRegistration::secret(&id);
            match &secret {
                Some(secret) => tx.put_secret(tenant, &name, secret.expose().as_bytes()),
                None => tx.delete_secret(tenant, &name).map(drop),
            }
        });
        stored.await?;
        Ok(registration.client)
    }

    /// Whether the authorization server rejects a login with this client at its authorization endpoint. Checked only
    /// after a login that never came back: the rejection is a page that only the user sees, so nothing else would
    /// reveal it.
    async fn is_forgotten(
        &self,
        authority: &Authority,
        client: &Client,
        redirect_uri: &str,
    ) -> Result<bool, ConnectError> {
        let (state, verifier) = (random()?, Secret::from(random()?));
        let url = authority.ask(&Ask {
            client_id: &client.id,
            redirect_uri,
            state: &state,
            challenge: &challenge_of_verifier(&verifier),
            scopes: &[],
            resource: None,
        })?;
        Ok(self.0.oauth.refuses_login(&url).await?)
    }

    /// Records on the registration of a dynamic client whether a login with it is pending.
    pub(super) fn note_login(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        (issuer, client): (&str, &str),
        pending: bool,
    ) -> storage::Result<()> {
        let id = self.registration_id(issuer);
        match tx.get::<ClientRegistration>(tenant, &id)? {
            Some(mut row) if row.client_id == client && row.login_pending != pending => {
                row.login_pending = pending;
                tx.update(tenant, row).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The registered client, and whether a login with it is pending.
    async fn stored_registration(
        &self,
        tenant: TenantId,
        id: &str,
    ) -> Result<Option<(Client, bool)>, ConnectError> {
        let id = id.to_owned();
        let read = self.0.store.read(move |reader| {
            let Some(row) = reader.get::<ClientRegistration>(tenant, &id)? else { return Ok(None) };
            let soon = Timestamp::from_millis(Timestamp::now().as_millis() + MARGIN_MS);
            if row.secret_expires_at.is_some_and(|end| end <= soon) {
                return Ok(None);
            }
            let secret = reader.get_secret(tenant, &ClientRegistration::secret(&id))?;
            let secret = secret.map(|bytes| Secret::from(String::from_utf8_lossy(&bytes).into_owned()));
            let method = AuthMethod::parse(&row.auth_method).unwrap_or_default();
            let pending = row.login_pending;
            Ok::<_, storage::Error>(Some((Client { id: row.body.client_id, secret, method }, pending)))
        });
        Ok(read.await?)
    }

    /// The client with this ID, with which a login was started. `None` if it is no longer known, or not for the tool
    /// server `server`. The tool server does not matter (`None`) when tokens are revoked.
    pub(super) async fn client_of(
        &self,
        tenant: TenantId,
        service: Option<&str>,
        server: Option<&str>,
        authority: &Authority,
        id: &str,
    ) -> Result<Option<Client>, ConnectError> {
        if let Some(service) = service {
            let client = self.0.settings.services.get(service).map(|it| &it.client).filter(|it| it.id == id);
            return Ok(client.map(|client| {
                let method = AuthMethod::with(client.secret.as_ref(), &authority.token_auth_methods);
                Client { id: client.id.clone(), secret: client.secret.clone(), method }
            }));
        }
        if let Some(client) = self.preregistered(authority, server).filter(|client| client.id == id) {
            return Ok(Some(client));
        }
        if id == self.0.settings.client_document() {
            return Ok(Some(self.documented()));
        }
        let registration = self.registration_id(&authority.issuer);
        let registered = self.stored_registration(tenant, &registration).await?;
        Ok(registered.map(|(client, _)| client).filter(|client| client.id == id))
    }

    /// Deletes a client that the authorization server no longer knows, so that the next login registers a new one.
    pub(super) async fn forget_client(
        &self,
        tenant: TenantId,
        issuer: &str,
        client: &str,
    ) -> storage::Result<()> {
        let id = self.registration_id(issuer);
        let client = client.to_owned();
        let forgotten = self.0.store.run(move |tx| {
            let row = tx.get::<ClientRegistration>(tenant, &id)?;
            if row.is_some_and(|row| row.client_id == client) {
                tx.delete::<ClientRegistration>(tenant, &id)?;
                tx.delete_secret(tenant, &ClientRegistration::secret(&id))?;
            }
            Ok(())
        });
        forgotten.await
    }

    fn registration_id(&self, issuer: &str) -> String {
        let redirect_uri = self.0.settings.tool_callback_of(issuer);
        sha256_hex(format!("{issuer}\n{redirect_uri}").as_bytes())
    }
}
