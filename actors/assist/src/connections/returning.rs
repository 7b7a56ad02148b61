//! The end of a login: validates the authorization response, and stores the tokens.

use providers::Secret;
use providers::oauth::{Authority, Tokens};
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, LoginFlow, ServiceConnection, Shared, ToolServer};
use storage::{Reader, Row, TenantId, Timestamp};

use super::login::{hidden, storage_error};
use super::tokens::{StoredTokens, login, put_aside, set_life, store, supersede};
use super::{ConnectError, Connections, LoginKey, digest_of, shown_target};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// The parameters with which an authorization server redirects a browser back.
#[derive(Clone, Debug, Default)]
pub struct AuthorizationResponse {
    /// Identifies the login.
    pub state: String,
    /// Code to be exchanged for tokens.
    pub code: Option<String>,
    /// Error code, if there is no authorization code.
    pub error: Option<String>,
    /// Explanation of the error in words.
    pub error_description: Option<String>,
    /// Issuer that the authorization server claims to be (RFC 9207).
    pub iss: Option<String>,
    /// URL that the browser was redirected to, without the query.
    pub at: String,
}

/// The result of a login.
#[derive(Debug)]
pub struct Finished {
    /// Name of the server, as shown to the user.
    pub name: String,
    /// Path to which the browser is redirected.
    pub return_to: Option<String>,
    /// Whether the user is logged in now, or the reason why not.
    pub outcome: Result<(), ConnectError>,
}

impl Connections {
    /// Completes a login, whatever the response. The state is used up in any case.
    ///
    /// # Errors
    /// Returns an error if there is no such login. All other errors are in the outcome.
    pub async fn finish(&self, returned: AuthorizationResponse) -> Result<Finished, ConnectError> {
        let id = digest_of(&returned.state);
        let this = self.clone();
        let spent = self.0.store.run(move |tx| {
            let row = tx.get::<LoginFlow>(SYSTEM, &id)?.ok_or(ConnectError::Gone)?;
            this.note_login(tx, TenantId(row.tenant), (&issuer_of(&row), &row.client_id), false)?;
            let hidden = hidden(tx, &id)?;
            tx.delete::<LoginFlow>(SYSTEM, &id)?;
            tx.delete_secret(SYSTEM, &LoginFlow::secret(&id))?;
            Ok::<_, ConnectError>((row, hidden.verifier))
        });
        let (row, verifier) = spent.await?;
        if row.expires_at <= Timestamp::now() {
            return Err(ConnectError::Gone);
        }
        let (name, return_to) = (shown_target(&self.0.settings, &row), row.return_to.clone());
        // A disconnecting browser does not discard the response of the authorization server.
        let (this, verifier) = (self.clone(), Secret::from(verifier));
        let task = tasks::spawn(async move { this.conclude(row, &verifier, returned).await });
        let outcome = task.await.unwrap_or_else(|_| Err(storage_error("the login was interrupted")));
        Ok(Finished { name, return_to, outcome })
    }

    async fn conclude(
        &self,
        flow: Row<LoginFlow>,
        verifier: &Secret,
        returned: AuthorizationResponse,
    ) -> Result<(), ConnectError> {
        let authority: Authority = serde_json::from_value(flow.authority.clone()).map_err(storage_error)?;
        let code = answer_to(&flow, &authority, &returned)?;
        let (tenant, service) = (TenantId(flow.tenant), flow.service.clone());
        let checked = flow.body.clone();
        self.0.store.read(move |reader| still_allowed(reader, &checked)).await?;
        let server = Some(flow.url.as_deref().unwrap_or_default());
        let client = self.client_of(tenant, service.as_deref(), server, &authority, &flow.client_id).await?;
        let client = client.ok_or(ConnectError::Gone)?;
        let resource = flow.resource.as_deref();
        let got =
            self.0.oauth.exchange(&authority, &client, &code, verifier, &flow.redirect_uri, resource).await;
        let tokens = match got {
            Ok(tokens) => tokens,
            Err(why) => {
                if why.ends_client() && service.is_none() {
                    self.forget_client(tenant, &authority.issuer, &client.id).await?;
                }
                return Err(why.into());
            }
        };
        let account = match (&tokens.account, self.userinfo(service.as_deref(), &authority)) {
            (None, Some(endpoint)) => self.0.oauth.account(&endpoint, &tokens.access).await,
            (account, _) => account.clone(),
        };
        self.store_login(flow.body, tokens, account).await
    }

    fn userinfo(&self, service: Option<&str>, authority: &Authority) -> Option<String> {
        let service = self.0.settings.services.get(service?)?;
        service.userinfo_endpoint.clone().or_else(|| {
            let asks = service.scopes.iter().any(|scope| scope == "openid");
            authority.userinfo_endpoint.clone().filter(|_| asks)
        })
    }

    async fn store_login(
        &self,
        flow: LoginFlow,
        tokens: Tokens,
        account: Option<String>,
    ) -> Result<(), ConnectError> {
        let tenant = TenantId(flow.tenant);
        let stored = self.0.store.run(move |tx| {
            let (id, mut new) = (place_of(&flow).id, StoredTokens::from_response(&tokens, None));
            let now = Timestamp::now();
            let mut body = ServiceConnection {
                account: account.clone(),
                scopes: tokens.scopes.clone().unwrap_or_else(|| flow.scopes.clone()),
                connected_at: now,
                assistant: flow.assistant.filter(|_| flow.service.is_none()),
                server: flow.server.clone(),
                url: flow.url.clone(),
                issuer: issuer_of(&flow),
                resource: flow.resource.clone(),
                client_id: flow.client_id.clone(),
                authority: flow.authority.clone(),
                ..ServiceConnection::default()
            };
            if let Err(why) = still_allowed(tx, &flow) {
                // The tokens arrived too late and belong to no login.
                put_aside(tx, tenant, &id, body, &new)?;
                return Ok(Err(why));
            }
            let before = tx.get::<ServiceConnection>(tenant, &id)?;
            body.assistants = before.as_ref().map(|row| row.assistants.clone()).unwrap_or_default();
            if let Some(assistant) =
                flow.assistant.filter(|id| flow.service.is_some() && !body.assistants.contains(id))
            {
                body.assistants.push(assistant);
            }
            set_life(&mut body, tokens.expires_in, new.refresh.is_some(), now);
            if let Some((row, old)) = login(tx, tenant, &id)? {
                supersede(tx, tenant, &id, (row.body, old), (&body, &mut new))?;
            }
            store(tx, tenant, &id, before, body, &new).map(Ok).map_err(ConnectError::Store)
        });
        stored.await?
    }
}

/// The key of the login that a login in progress leads to.
fn place_of(flow: &LoginFlow) -> LoginKey {
    let tenant = TenantId(flow.tenant);
    match (&flow.service, flow.assistant, &flow.url) {
        (None, Some(assistant), Some(url)) => LoginKey::tool(tenant, flow.user, assistant, url),
        (service, ..) => LoginKey::service(tenant, flow.user, service.as_deref().unwrap_or_default()),
    }
}

fn issuer_of(flow: &LoginFlow) -> String {
    flow.authority.get("issuer").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the code in the response if the response matches the request.
fn answer_to(
    flow: &LoginFlow,
    authority: &Authority,
    returned: &AuthorizationResponse,
) -> Result<String, ConnectError> {
    let mismatch = |why: &str| Err(ConnectError::Mismatch(why.to_owned()));
    if returned.at != flow.redirect_uri {
        return mismatch("this answer belongs to a login somewhere else");
    }
    // Even an error is only accepted from the authorization server that was asked.
    match &returned.iss {
        Some(iss) if !authority.issuer.is_empty() && *iss != authority.issuer => {
            return mismatch("another authorization server has answered than was asked");
        }
        None if authority.names_itself => {
            return mismatch("the authorization server has not said who it is, and says that it always does");
        }
        _ => {}
    }
    if let Some(code) = &returned.error {
        let words = returned.error_description.as_deref().map(providers::oauth::printable);
        let code = providers::oauth::printable(code);
        return Err(ConnectError::Denied(match words.filter(|words| !words.is_empty()) {
            Some(words) => format!("{code}: {words}"),
            None => code,
        }));
    }
    match returned.code.as_deref().filter(|code| !code.is_empty()) {
        Some(code) => Ok(code.to_owned()),
        None => mismatch("the authorization server has sent neither a code nor a reason why there is none"),
    }
}

/// Fails if the user is no longer a member or the feature is switched off for them, or if the assistant has been
/// deleted, is no longer visible to the user or has a different server now.
fn still_allowed(reader: &Reader, flow: &LoginFlow) -> Result<(), ConnectError> {
    let no = |why: &str| Err(ConnectError::NotAllowed(why.to_owned()));
    let tenant = TenantId(flow.tenant);
    let Some(subject) = Subject::read(reader, tenant, flow.user)? else {
        return no("the user is no longer a member of the tenant");
    };
    let feature = if flow.service.is_some() { Feature::External } else { Feature::Mcp };
    if !FeatureSet::read(reader, &subject)?.contains(feature) {
        return no(&format!("{} is switched off", feature.key()));
    }
    let Some(id) = flow.assistant else { return Ok(()) };
    let row = reader.get::<Assistant>(tenant, &id)?.filter(|row| row.deleted_at.is_none());
    let Some(row) = row.filter(|row| !row.body.grounds_of(&subject).is_empty()) else {
        return no("the assistant is not there any more");
    };
    let Some(url) = &flow.url else { return Ok(()) };
    let names = |server: &ToolServer| Some(&server.name) == flow.server.as_ref() && server.url == *url;
    match row.tool_servers.iter().any(names) {
        true => Ok(()),
        false => no("the assistant has no such tool server any more"),
    }
}
