//! Who may call: the first argument of every handler.

use super::credentials::{Verdict, missing, refusal};
use super::error::ErrorResponse;
use super::scopes::{Identified, Member, RoleTag, ScopeTag};
use super::state::HttpState;
use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest};
use domain::access::policy::Requirement;
use domain::{Caller, Code, Refusal};
use futures::future::LocalBoxFuture;
use std::any::{Any, TypeId};
use std::cell::Cell;
use std::future::{Ready, poll_fn, ready};
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use storage::Reader;
use storage::authority::{Feature, Ground};
use storage::records::GrantLevel;
use uuid::Uuid;

/// What an argument says of who may call.
#[derive(Clone, Copy, Debug)]
pub struct AccessRule {
    /// Whether no credentials are needed.
    pub open: bool,
    /// What else is asked of the caller; the feature is the area's.
    pub demand: Requirement,
    /// What the path names, where something is loaded by it.
    pub loads: Option<Loads>,
}

/// Finds out why a caller may reach what an id names.
pub type GroundsOf = fn(&Reader, &Caller, Uuid) -> Result<Option<Vec<Ground>>, Refusal>;

/// What is loaded by a parameter of the path.
#[derive(Clone, Copy, Debug)]
pub struct Loads {
    /// The path parameter, for example `conversation_id`.
    pub param: &'static str,
    /// What it names, for example `conversation`.
    pub name: &'static str,
    /// The least right on it, where to see it is not enough.
    pub level: Option<GrantLevel>,
    /// Why the caller may reach one of this id: none where they may not even see it.
    pub grounds: GroundsOf,
}

/// An argument that says who may call an operation. Every handler has one, as its first.
pub trait Access {
    /// Whether it holds what it has loaded, which has to be that of the moment when the request is whole.
    const LOADED: bool = true;

    /// The requirement on callers.
    fn rule() -> AccessRule;
}

/// An argument of a handler beside the first.
pub trait Argument: FromRequest + 'static {}

impl<T: 'static> Argument for Data<T> {}
impl Argument for HttpRequest {}
impl Argument for actix_web::web::Payload {}

/// Extracts an argument, and notes whether it had to be waited for.
type Extract = for<'a> fn(
    &'a HttpRequest,
    &'a mut Payload,
    &'a Cell<bool>,
) -> LocalBoxFuture<'a, Result<Box<dyn Any>, Error>>;

/// The arguments of a handler, without their types.
#[derive(Clone, Copy)]
pub struct Signature {
    /// The requirement of the first argument, which is the one on callers.
    pub(super) rule: fn() -> AccessRule,
    /// Whether the first argument holds what it has loaded: [`Access::LOADED`].
    loaded: bool,
    /// In the order of the arguments.
    extract: &'static [Extract],
}

impl Signature {
    /// Extracts the arguments one after the other, so that a caller learns nothing about a body, or about anything else,
    /// before it is clear that they may call.
    pub(super) async fn extract(
        self,
        request: &HttpRequest,
        mut payload: Payload,
    ) -> Result<Vec<Box<dyn Any>>, Error> {
        let waited = Cell::new(false);
        let mut extracted = Vec::with_capacity(self.extract.len());
        for extract in self.extract {
            let is_first = extracted.is_empty();
            extracted.push(extract(request, &mut payload, &waited).await?);
            waited.set(waited.get() && !is_first);
        }
        if waited.get() {
            // The body may have taken its time: what the first argument has loaded, and the caller's rights on it, are
            // those of the moment when the request is whole.
            let changed = judge_again(request, (self.rule)()).await.map_err(ErrorResponse)?;
            if changed || self.loaded {
                extracted[0] = self.extract[0](request, &mut Payload::None, &waited).await?;
            }
        }
        Ok(extracted)
    }
}

/// The arguments of a handler, of which the first is an [`Access`].
pub trait Arguments: Sized + 'static {
    /// How they are extracted.
    const SIGNATURE: Signature;

    /// The requirement of the first argument, which is the one on callers.
    fn rule() -> AccessRule {
        (Self::SIGNATURE.rule)()
    }

    /// Whether one of them is a `T`.
    fn takes<T: 'static>() -> bool;

    /// Puts together what was extracted; none if that is something else.
    fn assemble(extracted: Vec<Box<dyn Any>>) -> Option<Self>;
}

macro_rules! arguments {
    ($($rest:ident)*) => {
        impl<First: Access + FromRequest + 'static, $($rest: Argument,)*> Arguments
            for (First, $($rest,)*)
        {
            const SIGNATURE: Signature = Signature {
                rule: First::rule,
                loaded: First::LOADED,
                extract: &[argument::<First>, $(argument::<$rest>,)*],
            };

            fn takes<T: 'static>() -> bool {
                [TypeId::of::<First>(), $(TypeId::of::<$rest>(),)*].contains(&TypeId::of::<T>())
            }

            fn assemble(extracted: Vec<Box<dyn Any>>) -> Option<Self> {
                let mut extracted = extracted.into_iter();
                Some((
                    *extracted.next()?.downcast::<First>().ok()?,
                    $(*extracted.next()?.downcast::<$rest>().ok()?,)*
                ))
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

fn argument<'a, T: FromRequest + 'static>(
    request: &'a HttpRequest,
    payload: &'a mut Payload,
    waited: &'a Cell<bool>,
) -> LocalBoxFuture<'a, Result<Box<dyn Any>, Error>> {
    Box::pin(async move {
        let mut extracted = pin!(T::from_request(request, payload));
        let extracted = poll_fn(|context| {
            let polled = extracted.as_mut().poll(context);
            waited.set(waited.get() || polled.is_pending());
            polled
        });
        match extracted.await {
            Ok(argument) => Ok(Box::new(argument) as Box<dyn Any>),
            Err(error) => Err(error.into()),
        }
    })
}

/// When the rights of a caller were looked up: see [`Store::rights_epoch`](storage::Store::rights_epoch).
#[derive(Clone, Copy)]
pub(super) struct RightsEpoch(pub u64);

/// Authorises a caller again, if rights have changed since. Reading a body may take long; a caller whose access was
/// removed during that time is refused. Returns whether they have.
pub(super) async fn judge_again(request: &HttpRequest, rule: AccessRule) -> Result<bool, Refusal> {
    let Some(state) = request.app_data::<Data<HttpState>>().cloned() else {
        return Err(Code::Internal.into());
    };
    let judged = request.extensions().get::<RightsEpoch>().copied();
    let epoch = state.store.rights_epoch();
    if rule.open || judged.is_none_or(|RightsEpoch(judged)| judged == epoch) {
        return Ok(false);
    }
    let caller = match request.extensions().get::<Verdict>() {
        Some(Verdict::Known(caller)) => caller.clone(),
        _ => return Ok(false),
    };
    let now = state.identity.still(&caller).await.ok_or(Code::CredentialsInvalid)?;
    let feature = request.app_data::<PartOf>().map(|PartOf(feature)| *feature);
    Requirement { feature, ..rule.demand }.check(&now)?;
    request.extensions_mut().insert(Verdict::Known(Arc::new(now)));
    request.extensions_mut().insert(RightsEpoch(epoch));
    Ok(true)
}

/// The feature that all operations of an area are part of; where the area is none, nothing is said.
#[derive(Clone, Copy)]
pub(super) struct PartOf(pub Feature);

/// An authenticated caller with the scope `S` and at least the role `R`. The only source of the
/// tenant.
pub struct Auth<S: ScopeTag, R: RoleTag = Member> {
    caller: Arc<Caller>,
    rights_epoch: u64,
    tags: PhantomData<fn() -> (S, R)>,
}

impl<S: ScopeTag, R: RoleTag> Auth<S, R> {
    /// The caller, to keep beyond the request.
    pub fn caller(&self) -> Arc<Caller> {
        self.caller.clone()
    }

    /// When the caller's rights were looked up: see [`Store::rights_epoch`](storage::Store::rights_epoch).
    pub fn rights_epoch(&self) -> u64 {
        self.rights_epoch
    }

    const DEMAND: Requirement = Requirement {
        scope: S::SCOPE,
        also: S::ALSO,
        bare: S::BARE,
        role: R::ROLE,
        feature: None,
        platform: R::PLATFORM,
        own_name: R::OWN_NAME,
        session: R::SESSION,
        in_person: R::IN_PERSON,
    };

    pub(super) fn authorize(request: &HttpRequest) -> Result<Self, Refusal> {
        let caller = match request.extensions().get::<Verdict>() {
            Some(Verdict::Known(caller)) => caller.clone(),
            Some(Verdict::Malformed(why)) => return Err(malformed::<S>(why)),
            Some(Verdict::Refused(code)) => return Err(refusal(*code)),
            Some(Verdict::Unavailable) => return Err(Refusal::new(Code::Overloaded).retry_after(1)),
            Some(Verdict::Anonymous) | None => {
                let state = request.app_data::<Data<HttpState>>().ok_or(Code::Internal)?;
                return Err(missing(request.headers(), &state.config));
            }
        };
        let feature = request.app_data::<PartOf>().map(|PartOf(feature)| *feature);
        Requirement { feature, ..Self::DEMAND }.check(&caller)?;
        let rights_epoch = request.extensions().get::<RightsEpoch>().map_or(0, |RightsEpoch(epoch)| *epoch);
        Ok(Self { caller, rights_epoch, tags: PhantomData })
    }
}

/// Credentials that do not parse: 401, except where a caller asks just that about them.
fn malformed<S: ScopeTag>(why: &str) -> Refusal {
    if TypeId::of::<S>() == TypeId::of::<Identified>() {
        return Refusal::invalid("header", ["authorization"], why, "malformed");
    }
    Refusal::new(Code::CredentialsMalformed).detail(why)
}

impl<S: ScopeTag, R: RoleTag> Deref for Auth<S, R> {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<S: ScopeTag, R: RoleTag> FromRequest for Auth<S, R> {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::authorize(request).map_err(ErrorResponse))
    }
}

impl<S: ScopeTag, R: RoleTag> Access for Auth<S, R> {
    fn rule() -> AccessRule {
        AccessRule { open: false, demand: Self::DEMAND, loads: None }
    }
}

/// Says that an operation needs no credentials.
pub struct Open;

impl FromRequest for Open {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

impl Access for Open {
    fn rule() -> AccessRule {
        AccessRule { open: true, demand: Requirement::default(), loads: None }
    }
}
