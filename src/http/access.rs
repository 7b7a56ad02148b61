//! Who may call: the first argument of every handler.

use super::credentials::{Caller, Verdict};
use super::error::{ApiError, Code};
use super::scopes::{Identified, Member, RoleTag, Scope, ScopeTag};
use crate::App;
use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest};
use futures::future::LocalBoxFuture;
use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use storage::Reader;
use storage::authority::Feature;
use storage::records::Role;
use uuid::Uuid;

/// What an argument says of who may call.
#[derive(Clone, Copy, Debug)]
pub struct AccessRule {
    /// Whether no credentials are needed.
    pub open: bool,
    /// The scope that is needed.
    pub scope: Option<Scope>,
    /// The least role.
    pub role: Role,
    /// The path parameter that is loaded, with what it names.
    pub loads: Option<(&'static str, &'static str)>,
}

/// An argument that says who may call an operation. Every handler has one, as its first.
pub trait Access {
    /// What it says.
    fn rule() -> AccessRule;
}

/// The arguments of a handler, of which the first is an [`Access`].
///
/// They are extracted one after the other, so that nobody is told about a body, or about anything
/// else, before it is clear that they may call.
pub trait Arguments: Sized + 'static {
    /// What the first says.
    fn rule() -> AccessRule;

    /// Extracts them, in their order.
    fn extract(request: HttpRequest, payload: Payload) -> LocalBoxFuture<'static, Result<Self, Error>>;
}

macro_rules! arguments {
    ($($rest:ident)*) => {
        impl<First: Access + FromRequest + 'static, $($rest: FromRequest + 'static,)*> Arguments
            for (First, $($rest,)*)
        {
            fn rule() -> AccessRule {
                First::rule()
            }

            #[allow(non_snake_case)]
            fn extract(request: HttpRequest, mut payload: Payload) -> LocalBoxFuture<'static, Result<Self, Error>> {
                Box::pin(async move {
                    let first = First::from_request(&request, &mut payload).await.map_err(Into::into)?;
                    $(let $rest = $rest::from_request(&request, &mut payload).await.map_err(Into::into)?;)*
                    Ok((first, $($rest,)*))
                })
            }
        }
    };
}
arguments! {}
arguments! { A }
arguments! { A B }
arguments! { A B C }
arguments! { A B C D }
arguments! { A B C D E }
arguments! { A B C D E F }
arguments! { A B C D E F G }

/// Arguments on their way to a handler.
pub(super) struct InTurn<T>(pub T);

impl<T: Arguments> FromRequest for InTurn<T> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self, Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = T::extract(request.clone(), payload.take());
        Box::pin(async move { extracted.await.map(Self) })
    }
}

/// The feature that all operations of an area are part of; where the area is none, nothing is said.
#[derive(Clone, Copy)]
pub(super) struct PartOf(pub Feature);

/// An authenticated caller with the scope `S` and at least the role `R`. The only source of the
/// tenant.
pub struct Auth<S: ScopeTag, R: RoleTag = Member> {
    caller: Arc<Caller>,
    tags: PhantomData<fn() -> (S, R)>,
}

impl<S: ScopeTag, R: RoleTag> Auth<S, R> {
    /// The caller, to keep beyond the request.
    pub fn caller(&self) -> Arc<Caller> {
        self.caller.clone()
    }

    fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let caller = match request.extensions().get::<Verdict>() {
            Some(Verdict::Known(caller)) => caller.clone(),
            Some(Verdict::Malformed(why)) => return Err(malformed::<S>(why)),
            Some(Verdict::Refused(code)) => return Err((*code).into()),
            Some(Verdict::Unavailable) => return Err(ApiError::new(Code::Overloaded).retry_after(1)),
            Some(Verdict::Anonymous) | None => return Err(Code::CredentialsMissing.into()),
        };
        caller.require(S::SCOPE, S::BARE, R::ROLE)?;
        if let Some(PartOf(feature)) = request.app_data::<PartOf>() {
            caller.require_feature(*feature)?;
        }
        Ok(Self { caller, tags: PhantomData })
    }
}

/// Credentials that do not parse: 401, except where a caller asks just that about them.
fn malformed<S: ScopeTag>(why: &str) -> ApiError {
    if std::any::TypeId::of::<S>() == std::any::TypeId::of::<Identified>() {
        return ApiError::invalid("header", ["authorization"], why, "malformed");
    }
    ApiError::new(Code::CredentialsMalformed).detail(why)
}

impl<S: ScopeTag, R: RoleTag> Deref for Auth<S, R> {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<S: ScopeTag, R: RoleTag> FromRequest for Auth<S, R> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}

impl<S: ScopeTag, R: RoleTag> Access for Auth<S, R> {
    fn rule() -> AccessRule {
        AccessRule { open: false, scope: S::SCOPE, role: R::ROLE, loads: None }
    }
}

/// Says that an operation needs no credentials.
pub struct Open;

impl FromRequest for Open {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

impl Access for Open {
    fn rule() -> AccessRule {
        AccessRule { open: true, scope: None, role: Role::User, loads: None }
    }
}

/// Something that is named by an id in the path.
pub trait Loadable: Sized + Send + 'static {
    /// The path parameter, for example `conversation_id`.
    const PARAM: &'static str;
    /// What a 404 calls it, for example `conversation`.
    const NAME: &'static str;

    /// Loads it within the caller's tenant. `None`, and nothing else, for what the caller may not
    /// see: it answers 404.
    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Option<Self>, ApiError>;
}

/// What the path names, loaded, for a caller with the scope `S` and at least the role `R`.
pub struct Found<T: Loadable, S: ScopeTag, R: RoleTag = Member> {
    /// The caller.
    pub auth: Auth<S, R>,
    /// What was found.
    pub it: T,
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Deref for Found<T, S, R> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.it
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> FromRequest for Found<T, S, R> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let prepared = Auth::<S, R>::of(request).and_then(|auth| {
            let id = request.match_info().get(T::PARAM).unwrap_or_default().parse::<Uuid>();
            let id = id.map_err(|_| ApiError::invalid("path", [T::PARAM], "is not a UUID", "malformed"))?;
            let app = request.app_data::<Data<App>>().ok_or(Code::Internal)?.clone();
            Ok((auth, id, app))
        });
        Box::pin(async move {
            let (auth, id, app) = prepared?;
            let caller = auth.caller();
            let found = app.store.read(move |reader| T::load(reader, &caller, id)).await?;
            let it = found.ok_or_else(|| ApiError::not_found(T::NAME))?;
            Ok(Self { auth, it })
        })
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Access for Found<T, S, R> {
    fn rule() -> AccessRule {
        AccessRule { loads: Some((T::PARAM, T::NAME)), ..Auth::<S, R>::rule() }
    }
}
