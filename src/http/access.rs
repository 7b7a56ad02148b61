//! Access rules: the first argument of every handler states who may call it.

use super::credentials::{Verdict, missing, refusal};
use super::error::ErrorResponse;
use super::form_body::FormBody;
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

/// What a handler argument requires of the caller.
#[derive(Clone, Copy, Debug)]
pub struct AccessRule {
    /// Whether no credentials are needed.
    pub open: bool,
    /// Further requirements on the caller. The feature is added by the area.
    pub requirement: Requirement,
    /// The object that the path names, if the argument loads one.
    pub loads: Option<Loads>,
}

/// Determines the grounds on which a caller may access the object with an id.
pub type GroundsOf = fn(&Reader, &Caller, Uuid) -> Result<Option<Vec<Ground>>, Refusal>;

/// An object that is loaded through a path parameter.
#[derive(Clone, Copy, Debug)]
pub struct Loads {
    /// The path parameter, for example `conversation_id`.
    pub param: &'static str,
    /// The type of the object, for example `conversation`.
    pub name: &'static str,
    /// The minimum grant level on the object, if seeing it is not sufficient.
    pub level: Option<GrantLevel>,
    /// Returns the grounds on which the caller may access the object with this id; `None` if the caller may not see it.
    pub grounds: GroundsOf,
}

/// A handler argument that states who may call an operation. It is the first argument of every handler.
pub trait Access {
    /// Whether the argument contains loaded data, which must reflect the moment when the request is complete.
    const LOADED: bool = true;

    /// The requirements on callers.
    fn rule() -> AccessRule;
}

/// A handler argument other than the first.
pub trait Argument: FromRequest + 'static {
    /// The form that the argument is read from, if it is one.
    fn form() -> Option<FormBody> {
        None
    }
}

impl<T: 'static> Argument for Data<T> {}
impl Argument for HttpRequest {}
impl Argument for actix_web::web::Payload {}

/// Extracts an argument, and records whether the extraction had to wait.
type Extract = for<'a> fn(
    &'a HttpRequest,
    &'a mut Payload,
    &'a Cell<bool>,
) -> LocalBoxFuture<'a, Result<Box<dyn Any>, Error>>;

/// The arguments of a handler, with their types erased.
#[derive(Clone, Copy)]
pub struct Signature {
    /// The rule of the first argument, which states the requirements on callers.
    pub(super) rule: fn() -> AccessRule,
    /// Whether the first argument contains loaded data: [`Access::LOADED`].
    loaded: bool,
    /// The extractors, in the order of the arguments.
    extract: &'static [Extract],
}

impl Signature {
    /// Extracts the arguments one after the other, so that a caller learns nothing about the body, or about anything
    /// else, before authorization has succeeded.
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
            // Reading the body may have taken a long time. The data that the first argument loaded, and the caller's
            // rights on it, must reflect the moment when the request is complete.
            let changed = recheck_access(request, (self.rule)()).await.map_err(ErrorResponse)?;
            if changed || self.loaded {
                extracted[0] = self.extract[0](request, &mut Payload::None, &waited).await?;
            }
        }
        Ok(extracted)
    }
}

/// The arguments of a handler, the first of which is an [`Access`].
pub trait Arguments: Sized + 'static {
    /// How the arguments are extracted.
    const SIGNATURE: Signature;

    /// The rule of the first argument, which states the requirements on callers.
    fn rule() -> AccessRule {
        (Self::SIGNATURE.rule)()
    }

    /// Whether one of the arguments has the type `T`.
    fn takes<T: 'static>() -> bool;

    /// The form that one of the arguments is read from.
    fn form() -> Option<FormBody>;

    /// Builds the arguments from the extracted values; `None` if a value has an unexpected type.
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

            fn form() -> Option<FormBody> {
                None$(.or_else($rest::form))*
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

/// The epoch in which the rights of a caller were looked up: see [`Store::rights_epoch`](storage::Store::rights_epoch).
#[derive(Clone, Copy)]
pub(super) struct RightsEpoch(pub u64);

/// Authorizes a caller again if rights have changed since the first check. Reading a body may take long, and a caller
/// whose access was removed during that time is refused. Returns whether rights have changed.
pub(super) async fn recheck_access(request: &HttpRequest, rule: AccessRule) -> Result<bool, Refusal> {
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
    Requirement { feature, ..rule.requirement }.check(&now)?;
    request.extensions_mut().insert(Verdict::Known(Arc::new(now)));
    request.extensions_mut().insert(RightsEpoch(epoch));
    Ok(true)
}

/// The feature that all operations of an area belong to. Not set for areas without a feature.
#[derive(Clone, Copy)]
pub(super) struct PartOf(pub Feature);

/// An authenticated caller with the scope `S` and at least the role `R`. This is the only source of the tenant.
pub struct Auth<S: ScopeTag, R: RoleTag = Member> {
    caller: Arc<Caller>,
    rights_epoch: u64,
    tags: PhantomData<fn() -> (S, R)>,
}

impl<S: ScopeTag, R: RoleTag> Auth<S, R> {
    /// Returns the caller in a form that can outlive the request.
    pub fn caller(&self) -> Arc<Caller> {
        self.caller.clone()
    }

    /// The epoch in which the caller's rights were looked up: see
    /// [`Store::rights_epoch`](storage::Store::rights_epoch).
    pub fn rights_epoch(&self) -> u64 {
        self.rights_epoch
    }

    const REQUIREMENT: Requirement = Requirement {
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
        Requirement { feature, ..Self::REQUIREMENT }.check(&caller)?;
        let rights_epoch = request.extensions().get::<RightsEpoch>().map_or(0, |RightsEpoch(epoch)| *epoch);
        Ok(Self { caller, rights_epoch, tags: PhantomData })
    }
}

/// The refusal for credentials that do not parse: 401, or 422 from the operation that examines credentials.
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
        AccessRule { open: false, requirement: Self::REQUIREMENT, loads: None }
    }
}

/// States that an operation needs no credentials.
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
        AccessRule { open: true, requirement: Requirement::default(), loads: None }
    }
}
