//! Objects named by the path: loaded before an operation, together with it, or only to check the caller.

use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};
use domain::access::lacking;
use domain::{Caller, Code, Refusal};
use futures::future::LocalBoxFuture;
use storage::Reader;
use storage::authority::Ground;
use storage::records::GrantLevel;
use uuid::Uuid;

use super::access::{Access, AccessRule, Auth, Loads};
use super::error::ErrorResponse;
use super::scopes::{Member, RoleTag, ScopeTag};
use super::state::HttpState;

/// An object that is named by an id in the path.
pub trait Loadable: Sized + Send + 'static {
    /// The path parameter, for example `conversation_id`.
    const PARAM: &'static str;
    /// The type of the object in a 404 response, for example `conversation`.
    const NAME: &'static str;
    /// The minimum grant level on the object, unless an operation sets another one.
    const LEVEL: Option<GrantLevel> = None;

    /// Loads the object within the caller's tenant. Returns `None` only for objects that the caller may not see, which
    /// results in 404.
    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Option<Self>, Refusal>;

    /// The grounds on which the caller may access the object, with their levels. Empty if scope and role alone decide.
    fn grounds(&self, reader: &Reader, caller: &Caller) -> Result<Vec<Ground>, Refusal> {
        let _ = (reader, caller);
        Ok(Vec::new())
    }
}

/// Refuses callers with 403 if no ground gives the required level.
fn enough<T: Loadable>(it: &T, least: GrantLevel, reader: &Reader, caller: &Caller) -> Result<(), Refusal> {
    let level = it.grounds(reader, caller)?.into_iter().map(|ground| ground.level).max();
    match level >= Some(least) {
        true => Ok(()),
        false => Err(lacking(least, level)),
    }
}

/// An object that is being loaded, with its id.
type Loading<T, S, R> = LocalBoxFuture<'static, Result<(Uuid, Loaded<T, S, R>), Refusal>>;

/// The object that the path names, not loaded yet, for a caller with the scope `S` and at least the role `R`. For
/// operations that also read other data: they read everything in one transaction.
pub struct Unloaded<T: Loadable, S: ScopeTag, R: RoleTag = Member> {
    /// The caller, with verified scope and role.
    pub auth: Auth<S, R>,
    id: Uuid,
    kind: PhantomData<fn() -> T>,
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Unloaded<T, S, R> {
    fn from_path(request: &HttpRequest) -> Result<Self, Refusal> {
        let auth = Auth::<S, R>::authorize(request)?;
        let id = request.match_info().get(T::PARAM).unwrap_or_default().parse::<Uuid>();
        let id = id.map_err(|_| Refusal::invalid("path", [T::PARAM], "is not a UUID", "malformed"))?;
        Ok(Self { auth, id, kind: PhantomData })
    }

    /// Extracts and loads the object, and also returns its id.
    fn loading(request: &HttpRequest) -> Loading<T, S, R> {
        let prepared = Self::from_path(request).and_then(|unloaded| {
            let state = request.app_data::<Data<HttpState>>().ok_or(Code::Internal)?.clone();
            Ok((unloaded, state))
        });
        Box::pin(async move {
            let (unloaded, state) = prepared?;
            let id = unloaded.id;
            let (found, ()) = unloaded.load(&state, |_, _, _| Ok(())).await?;
            Ok((id, found))
        })
    }

    /// Loads the object, checks the caller's level on it, and reads `more` in the same transaction.
    ///
    /// # Errors
    /// 404 if the caller may not see the object, 403 if their level is too low, and the errors of `more`.
    pub async fn load<M: Send + 'static>(
        self,
        state: &HttpState,
        more: impl FnOnce(&Reader, &Caller, &T) -> Result<M, Refusal> + Send + 'static,
    ) -> Result<(Loaded<T, S, R>, M), Refusal> {
        let Self { auth, id, .. } = self;
        let caller = auth.caller();
        let loaded = state.store.read(move |reader| {
            let found = T::load(reader, &caller, id)?;
            let it = found.ok_or_else(|| Refusal::not_found(T::NAME))?;
            if let Some(least) = R::LEVEL.or(T::LEVEL) {
                enough(&it, least, reader, &caller)?;
            }
            let more = more(reader, &caller, &it)?;
            Ok::<_, Refusal>((it, more))
        });
        let (it, more) = loaded.await?;
        Ok((Loaded { auth, it }, more))
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> FromRequest for Unloaded<T, S, R> {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::from_path(request).map_err(ErrorResponse))
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Access for Unloaded<T, S, R> {
    const LOADED: bool = false;

    fn rule() -> AccessRule {
        Loaded::<T, S, R>::rule()
    }
}

/// The object that the path names, for a caller with the scope `S` and at least the role `R`. It is loaded only to
/// check the caller before the body is read. For operations that load it again in their transaction, which makes the
/// final decision.
pub struct Checked<T: Loadable, S: ScopeTag, R: RoleTag = Member> {
    /// The caller, with verified scope and role.
    pub auth: Auth<S, R>,
    pub id: Uuid,
    kind: PhantomData<fn() -> T>,
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> FromRequest for Checked<T, S, R> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let loading = Unloaded::<T, S, R>::loading(request);
        Box::pin(async move {
            let (id, found) = loading.await?;
            Ok(Self { auth: found.auth, id, kind: PhantomData })
        })
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Access for Checked<T, S, R> {
    const LOADED: bool = false;

    fn rule() -> AccessRule {
        Loaded::<T, S, R>::rule()
    }
}

/// The loaded object that the path names, for a caller with the scope `S` and at least the role `R`.
pub struct Loaded<T: Loadable, S: ScopeTag, R: RoleTag = Member> {
    /// The caller, with verified scope and role.
    pub auth: Auth<S, R>,
    /// The loaded object.
    pub it: T,
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Deref for Loaded<T, S, R> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.it
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> FromRequest for Loaded<T, S, R> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let loading = Unloaded::<T, S, R>::loading(request);
        Box::pin(async move { Ok(loading.await?.1) })
    }
}

impl<T: Loadable, S: ScopeTag, R: RoleTag> Access for Loaded<T, S, R> {
    fn rule() -> AccessRule {
        let grounds = |reader: &Reader, caller: &Caller, id: Uuid| {
            let found = T::load(reader, caller, id)?;
            found.map(|it| it.grounds(reader, caller)).transpose()
        };
        let level = R::LEVEL.or(T::LEVEL);
        let loads = Loads { param: T::PARAM, name: T::NAME, level, grounds };
        AccessRule { loads: Some(loads), ..Auth::<S, R>::rule() }
    }
}
