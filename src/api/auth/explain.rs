//! Explains why the caller may or may not call an operation, by evaluating its access rules one after the other.

use crate::http::status_of;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::Reader;
use storage::authority::{FeatureState, Ground};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::http::scopes::Any;
use crate::http::{
    Api, Auth, Caller, Code, Index, Json, Loads, Query, Refusal, Registered, Validate, level_name, operations,
};
use domain::access::policy::{Check, Rule};

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExplainAccess {
    /// Id of an operation.
    #[param(example = "assistants.update_assistant")]
    pub operation: String,
    /// Id of the object that the path of the operation names.
    pub id: Option<Uuid>,
}

impl Validate for ExplainAccess {}

impl ExplainAccess {
    fn operation(&self, index: &'static Index) -> Api<&'static Registered> {
        let invalid = |field: &'static str, msg: &'static str, kind: &'static str| {
            Err(Refusal::invalid("query", [field], msg, kind))
        };
        match index.operation(&self.operation) {
            None => invalid("operation", "is not an operation of this server", "not_found"),
            Some(one) if self.id.is_some() && one.rule.loads.is_none() => {
                invalid("id", "is for operations that load something by an id", "unexpected")
            }
            Some(one) => Ok(one),
        }
    }
}

/// One access rule, and whether the caller passes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExplainedCheck {
    pub rule: Rule,
    pub needs: String,
    /// What the caller has; `null` if the rule was not evaluated.
    pub has: Option<String>,
    /// Whether the caller passes the rule; `null` if it was not evaluated because an earlier rule already refuses the caller.
    pub passes: Option<bool>,
    /// Explanation of the result.
    pub why: String,
}

/// Whether the caller may call an operation, and why.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExplanationResponse {
    pub operation: String,
    /// HTTP method of the operation, in lower case.
    pub method: &'static str,
    pub path: String,
    /// Whether the caller may call the operation. Without an `id`, only rules that do not depend on an object are considered.
    pub allowed: bool,
    /// HTTP status of the refusal, if the operation would be refused.
    pub status: Option<u16>,
    /// Error code of the refusal, if the operation would be refused.
    pub code: Option<&'static str>,
    /// All rules, in the order in which they are evaluated.
    pub checks: Vec<ExplainedCheck>,
    /// Everything that gives the caller a right to the object. Only with an `id` of an object that the caller may see.
    pub grounds: Vec<Ground>,
}

/// Explain whether the caller may call an operation.
///
/// The response contains all rules, not only the first one that fails. If the caller may not see the object, it is reported as 404 here as
/// well, without further details.
#[utoipa::path(get, path = "/api/auth/check/", params(ExplainAccess))]
async fn explain_access(
    auth: Auth<Any>,
    app: Data<App>,
    Query(params): Query<ExplainAccess>,
) -> Api<Json<ExplanationResponse>> {
    let operation = params.operation(app.index)?;
    let caller = auth.caller();
    app.store.read(move |reader| explain(reader, &caller, operation, params.id)).await.map(Json)
}

fn explain(reader: &Reader, caller: &Caller, one: &Registered, id: Option<Uuid>) -> Api<ExplanationResponse> {
    let Registered { id: operation, method, path, rule } = one;
    let mut explanation = ExplanationResponse {
        operation: operation.clone(),
        method,
        path: path.clone(),
        allowed: true,
        status: None,
        code: None,
        checks: vec![credential(caller, rule.open)],
        grounds: Vec::new(),
    };
    if rule.open {
        return Ok(explanation);
    }
    for check in rule.requirement.checks() {
        explanation.checks.push(explained(reader, caller, check)?);
        explanation.refuse_unless(check.passes(caller), check.code());
    }
    if let Some(loads) = rule.loads {
        explanation.look_at(reader, caller, loads, id)?;
    }
    Ok(explanation)
}

impl ExplanationResponse {
    /// Records the first refusal, which is the one that the operation would respond with.
    fn refuse_unless(&mut self, passes: bool, code: Code) {
        if !passes && self.allowed {
            self.allowed = false;
            (self.status, self.code) = (Some(status_of(code).as_u16()), Some(code.as_str()));
        }
    }

    /// Evaluates the right to the object itself. It is not evaluated for a caller who may not call the operation at all: a token without
    /// the scope to read objects must not learn anything about them here.
    fn look_at(&mut self, reader: &Reader, caller: &Caller, loads: Loads, id: Option<Uuid>) -> Api<()> {
        let needs = loads.level.map_or("to see it", level_name).to_owned();
        let mut check =
            ExplainedCheck { rule: Rule::Grant, needs, has: None, passes: None, why: String::new() };
        let Some(id) = id.filter(|_| self.allowed) else {
            check.why = match self.allowed {
                true => format!("the {} was not named", loads.name),
                false => "an earlier rule already refuses the caller".to_owned(),
            };
            self.checks.push(check);
            return Ok(());
        };
        let (passes, code) = match (loads.grounds)(reader, caller, id) {
            Ok(None) => {
                (check.has, check.why) = (Some("nothing".to_owned()), format!("{} not found", loads.name));
                (false, Code::NotFound)
            }
            Ok(Some(grounds)) => {
                let level = grounds.iter().map(|ground| ground.level).max();
                check.has = Some(level.map_or("nothing", level_name).to_owned());
                check.why = grounds.iter().map(sentence).collect::<Vec<_>>().join("; ");
                self.grounds = grounds;
                (level >= loads.level, Code::NotAllowed)
            }
            Err(error) if status_of(error.code()).is_client_error() => {
                check.why = error.shown_detail().to_owned();
                (false, error.code())
            }
            Err(error) => return Err(error),
        };
        check.passes = Some(passes);
        self.checks.push(check);
        self.refuse_unless(passes, code);
        Ok(())
    }
}

fn sentence(ground: &Ground) -> String {
    format!("{}, because {}", level_name(ground.level), ground.reason.sentence())
}

fn credential(caller: &Caller, open: bool) -> ExplainedCheck {
    let has = match caller.token_id {
        Some(_) => "an API token",
        None => "a session",
    };
    ExplainedCheck {
        rule: Rule::Credential,
        needs: if open { "nothing" } else { "valid credentials" }.to_owned(),
        has: Some(has.to_owned()),
        passes: Some(true),
        why: "the credentials of this request are valid".to_owned(),
    }
}

fn explained(reader: &Reader, caller: &Caller, check: Check) -> Api<ExplainedCheck> {
    let (has, passes) = (check.has(caller), check.passes(caller));
    let why = match check {
        Check::Feature(feature) => {
            let all = FeatureState::all(reader, caller)?;
            let one = all.into_iter().find(|one| one.feature == feature);
            one.map(|one| one.because.sentence()).unwrap_or_default()
        }
        Check::SomeScope | Check::Scope(_) if caller.scopes.is_none() => {
            "the credential is not limited to scopes".to_owned()
        }
        Check::SomeScope | Check::Scope(_) => "the API token is limited to these scopes".to_owned(),
        Check::Role(_) => "this is the current role in the tenant".to_owned(),
        Check::Platform => "platform administrators are appointed on the command line".to_owned(),
        Check::OwnName => "impersonated sessions cannot create credentials or read personal data".to_owned(),
        Check::Personal => {
            "conversations, creations, memories and accounts are private to their users".to_owned()
        }
        Check::Session => "it begins or ends a session".to_owned(),
    };
    Ok(ExplainedCheck { rule: check.rule(), needs: check.needs(), has: Some(has), passes: Some(passes), why })
}

operations!(explain_access);
