//! Requests with a user's login at an external service, for functions of skills and `http` nodes. The token is added to
//! the request here and removed from the response, so that neither scripts nor graphs see it.

use providers::Secret;
use providers::web::{WebAnswer, WebError, WebRequest, host_of, origin_of};
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, ServiceConnection};
use storage::{Reader, TenantId};
use uuid::Uuid;

use super::error::TokenError;
use super::{Connections, LoginKey};

/// The user whose login is used, and the assistant that uses it.
#[derive(Clone, Copy, Debug)]
pub struct OnBehalfOf {
    /// The user's tenant.
    pub tenant: TenantId,
    /// The user whose login is used.
    pub user: Uuid,
    /// The assistant that acts on behalf of the user.
    pub assistant: Option<Uuid>,
}

/// Why a request with a login was not sent or got no response.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The login may not be used this way.
    #[error("{0}")]
    NotAllowed(String),
    /// The user has to log in.
    #[error("the user has to log in at {0} (POST /api/external/login/{0}/prepare/)")]
    LoginRequired(String),
    /// The login could not be renewed at this time.
    #[error("the login cannot be used just now: {0}")]
    Unavailable(String),
    /// The request failed.
    #[error(transparent)]
    Web(#[from] WebError),
}

impl Connections {
    /// Sends a request with the user's login at a service. If the service rejects the token, it is renewed and the
    /// request repeated once.
    pub async fn send(
        &self,
        behalf: OnBehalfOf,
        service: &str,
        mut request: WebRequest,
    ) -> Result<WebAnswer, OutboundError> {
        self.check_address(service, &request.url)?;
        let name = service.to_owned();
        let checked = self.0.store.read(move |reader| Ok::<_, storage::Error>(check(reader, behalf, &name)));
        checked.await.map_err(|why| OutboundError::Unavailable(why.to_string()))??;
        let place = LoginKey::service(behalf.tenant, behalf.user, service);
        let token = self.token(&place).await.map_err(|why| refused(service, why))?;
        request.bearer = Some(token.clone());
        request.hosts = Some(host_of(&request.url).into_iter().collect());
        let answer = self.0.oauth.web().send(request.clone()).await?;
        if answer.status != 401 {
            return Ok(answer);
        }
        let challenge = answer.headers.get("www-authenticate").and_then(|value| value.to_str().ok());
        match self.renew(&place, Some(&token), challenge).await {
            Ok(token) => self.again(request, token).await,
            // The service's own response is more informative, and the next request reports that a login is required.
            Err(TokenError::LoginRequired) => Ok(answer),
            Err(why) => Err(refused(service, why)),
        }
    }

    async fn again(&self, mut request: WebRequest, token: Secret) -> Result<WebAnswer, OutboundError> {
        request.bearer = Some(token);
        Ok(self.0.oauth.web().send(request).await?)
    }

    /// Tokens are sent only to the origins in the settings.
    fn check_address(&self, service: &str, url: &str) -> Result<(), OutboundError> {
        let no = |why: String| Err(OutboundError::NotAllowed(why));
        let Some(settings) = self.0.settings.services.get(service) else {
            return no(format!("there is no external service {service:?}"));
        };
        match origin_of(url).filter(|origin| settings.origins.contains(origin)) {
            Some(_) => Ok(()),
            None => no(format!("the login at {service} may not be used at this address")),
        }
    }
}

/// Checks whether the assistant may use the user's login. The assistant has to be approved for the service; in
/// addition, either the user owns it and made the approval, or the user has shared the login with it. An approval by
/// another person, such as a previous owner or an administrator, does not permit the use of this user's login.
fn check(reader: &Reader, behalf: OnBehalfOf, service: &str) -> Result<(), OutboundError> {
    let no = |why: &str| Err(OutboundError::NotAllowed(why.to_owned()));
    let failed = |why: storage::Error| OutboundError::Unavailable(why.to_string());
    let OnBehalfOf { tenant, user, assistant } = behalf;
    let Some(subject) = Subject::read(reader, tenant, user).map_err(failed)? else {
        return no("the user is no longer a member of the tenant");
    };
    if !FeatureSet::read(reader, &subject).map_err(failed)?.contains(Feature::External) {
        return no("external services are switched off");
    }
    let Some(id) = assistant else { return no("logins at services are used by assistants only") };
    let row = reader.get::<Assistant>(tenant, &id).map_err(failed)?.filter(|row| row.deleted_at.is_none());
    let Some(row) = row else { return no("there is no such assistant any more") };
    if !row.enabled {
        return no("the assistant is disabled");
    }
    if !row.approved_external_services.iter().any(|it| it.strip_prefix("service:") == Some(service)) {
        return Err(OutboundError::NotAllowed(format!(
            "the assistant is not approved for service:{service}"
        )));
    }
    if row.has_approval_of(user) {
        return Ok(());
    }
    let login = reader.get::<ServiceConnection>(tenant, &(user, service.to_owned())).map_err(failed)?;
    match login.is_some_and(|login| login.assistants.contains(&id)) {
        true => Ok(()),
        // Reported as a missing login, because logging in for this assistant solves the problem.
        false => Err(OutboundError::LoginRequired(service.to_owned())),
    }
}

fn refused(service: &str, why: TokenError) -> OutboundError {
    match why {
        TokenError::LoginRequired => OutboundError::LoginRequired(service.to_owned()),
        TokenError::Unavailable(why) => OutboundError::Unavailable(why),
    }
}
