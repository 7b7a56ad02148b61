//! The error codes of responses as types of the OpenAPI document: their names, and the members that a problem document
//! has in addition for some of them.

use actix_web::http::StatusCode;
use domain::Code;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, extensions::ExtensionsBuilder};
use utoipa::{PartialSchema, ToSchema};

use super::error::status_of;
use super::validation::objects::SCHEMAS;

/// The codes of all refusals.
pub struct ErrorCode;

/// The codes of 422 responses.
pub struct ValidationErrorCode;

/// The codes of refusals in the format of the OpenAI interface.
pub struct PartnerErrorCode;

/// The code of a refusal in the format of the OpenAI interface, whose libraries know the one for invalid credentials.
pub(super) fn partner_code(code: Code) -> &'static str {
    match code {
        Code::CredentialsInvalid | Code::CredentialsMalformed => "invalid_api_key",
        code => code.as_str(),
    }
}

/// Describes an enumeration of codes, with their titles.
fn enumeration(
    description: &str,
    codes: impl Iterator<Item = (&'static str, &'static str)>,
) -> RefOr<Schema> {
    let mut titles: Vec<(&str, &str)> = Vec::new();
    for (name, title) in codes {
        if titles.iter().all(|(known, _)| *known != name) {
            titles.push((name, title));
        }
    }
    let descriptions: Vec<_> = titles.iter().map(|(_, title)| *title).collect();
    let extensions = ExtensionsBuilder::new().add("x-enum-descriptions", json!(descriptions)).build();
    let names = titles.iter().map(|(name, _)| *name);
    let object = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    object.enum_values(Some(names)).extensions(Some(extensions)).into()
}

macro_rules! code_schema {
    ($($name:ident: $description:literal, $codes:expr;)+) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                enumeration($description, $codes)
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )+};
}

code_schema! {
    ErrorCode: "The stable error code, for programs. Later versions may add codes.",
        Code::ALL.iter().map(|code| (code.as_str(), code.title()));
    ValidationErrorCode: "The stable code of a 422 response, for programs. Later versions may add codes.",
        of_validation().map(|code| (code.as_str(), code.title()));
    PartnerErrorCode: "The stable error code, for programs. Later versions may add codes.",
        Code::ALL.iter().map(|code| (partner_code(*code), code.title()));
}

fn of_validation() -> impl Iterator<Item = Code> {
    Code::ALL.iter().copied().filter(|code| status_of(*code) == StatusCode::UNPROCESSABLE_ENTITY)
}

/// A member of a problem document beyond those that all have.
struct Member {
    /// The codes of the problems that have it.
    codes: &'static [Code],
    name: &'static str,
    /// Whether every problem with one of these codes has it.
    always: bool,
    schema: Value,
}

/// All members beyond those that all problems have. A test compares their names with those that the code sets.
fn members() -> Vec<Member> {
    use Code::*;
    let text = |about: &str| json!({"type": "string", "description": about});
    let count =
        |about: &str| json!({"type": "integer", "format": "int64", "minimum": 0, "description": about});
    let id = |about: &str| json!({"type": "string", "format": "uuid", "description": about});
    let of = |name: &str, about: &str| json!({"$ref": format!("{SCHEMAS}{name}"), "description": about});
    let list = |items: Value, about: &str| json!({"type": "array", "items": items, "description": about});
    let list_of = |name: &str, about: &str| list(json!({"$ref": format!("{SCHEMAS}{name}")}), about);
    let texts = |names: &[&str]| {
        let fields: Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": fields, "required": names})
    };
    let always = |codes, name, schema| Member { codes, name, always: true, schema };
    let sometimes = |codes, name, schema| Member { codes, name, always: false, schema };
    const BUDGET: &[Code] = &[BudgetExceeded, QuotaExceeded];
    const LIMIT: &[Code] = &[LimitReached, StorageQuotaReached];
    const RUN: &[Code] = &[BudgetExceeded, UpstreamFailed, UpstreamTimeout, Internal, StreamInterrupted];
    const PROVIDER: &[Code] = &[
        BudgetExceeded,
        UpstreamRefused,
        UpstreamRateLimited,
        UpstreamFailed,
        UpstreamTimeout,
        Internal,
        StreamInterrupted,
        ModelNotFound,
    ];
    const REASON: &[Code] = &[
        BudgetExceeded,
        UpstreamFailed,
        UpstreamTimeout,
        Internal,
        StreamInterrupted,
        ModelNotFound,
        DirectoryFailed,
        NotReady,
    ];
    const IN_USE: &[Code] = &[InUse];
    const NEVER_PASSED: &[Code] = &[CodeNeverPassed];
    let user = json!({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
        "name": {"type": "string"}}, "required": ["id", "name"], "additionalProperties": true});
    vec![
        sometimes(
            BUDGET,
            "budget_of",
            json!({"type": "string", "enum": ["tenant", "user"],
            "description": "Whose budget was reached."}),
        ),
        sometimes(
            BUDGET,
            "renews_at",
            json!({"type": "string", "format": "date-time",
            "description": "When the budget renews."}),
        ),
        sometimes(LIMIT, "limit_of", text("What is limited, such as `user`, `tenant` or `conversation`.")),
        sometimes(LIMIT, "unit", text("What is counted, such as `bytes` or `messages`.")),
        sometimes(LIMIT, "limit", count("The limit, in this unit.")),
        sometimes(LIMIT, "current", count("The amount that is stored.")),
        sometimes(LIMIT, "added", count("The amount that the request would add.")),
        sometimes(LIMIT, "setting", text("The setting that holds the limit.")),
        sometimes(
            REASON,
            "reason",
            json!({"type": ["string", "null"],
            "description": "Why there is no result, for programs."}),
        ),
        sometimes(RUN, "upstream_code", text("The code of the failure, as in the run's terminal record.")),
        sometimes(
            PROVIDER,
            "provider_code",
            text("The provider's own name for its failure, if it reported one."),
        ),
        always(&[StreamActive], "stream_id", id("The stream that is active.")),
        sometimes(&[NotWaiting], "waits_for", list_of("WorkflowWait", "What the run waits for instead.")),
        always(&[FormAnswered], "first", of("FormSubmitted", "The first answer, which counts.")),
        always(
            &[ConfirmEffects],
            "effects",
            list_of("Repeated", "The irreversible effects that would be repeated."),
        ),
        always(&[ConfirmEffects], "forecast", of("Forecast", "The expected consequences of the restart.")),
        always(NEVER_PASSED, "code_written", text("The code of the last attempt.")),
        always(NEVER_PASSED, "checks", list_of("Check", "The checks of the last attempt.")),
        always(NEVER_PASSED, "attempts", count("The number of attempts.")),
        always(NEVER_PASSED, "usage", of("Usage", "The tokens that all attempts used.")),
        always(NEVER_PASSED, "cost_nanos", count("The cost of all attempts, in billionths of a dollar.")),
        always(&[FunctionFailed], "file", text("The file of the function.")),
        always(
            &[FunctionFailed],
            "line",
            json!({"type": ["integer", "null"], "format": "int32", "minimum": 0,
            "description": "The line at which the function failed, if it is known."}),
        ),
        always(
            &[FunctionFailed, FunctionTimeout],
            "logs",
            list(json!({"type": "string"}), "The lines that the function logged."),
        ),
        always(&[SyncRunning], "sync_id", id("The synchronisation that is running.")),
        sometimes(
            &[NotReady, Indexing],
            "progress",
            json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 100,
            "description": "The progress of the job, in per cent."}),
        ),
        always(&[AlreadyInstalled], "installation_id", id("The installation of the package.")),
        always(&[RequirementsMissing], "missing", list_of("PackageProblem", "What the package requires.")),
        always(
            &[UpdateConflict],
            "conflicts",
            list(texts(&["resource", "field"]), "The fields that were changed on both sides."),
        ),
        always(&[ScanOutdated], "scan", of("ScanResponse", "The current scan.")),
        sometimes(&[Conflict], "scan", of("ScanResponse", "The scan with the conflicts.")),
        sometimes(&[Conflict], "skill_id", id("The skill that has the same content.")),
        sometimes(
            IN_USE,
            "assistants",
            list(user, "The assistants that use the object and that the caller may see."),
        ),
        sometimes(IN_USE, "others", count("The number of further assistants that use the object.")),
        sometimes(IN_USE, "other_assistants", count("The number of further assistants that use the object.")),
        sometimes(
            IN_USE,
            "conversations",
            list(
                json!({"type": "object", "additionalProperties": true}),
                "The caller's conversations that use the object.",
            ),
        ),
        sometimes(
            IN_USE,
            "other_conversations",
            count("The number of further conversations that use the object."),
        ),
    ]
}

/// Adds to the schemas of problems the members that depend on the code, and a schema for each code that has any, so that
/// a client can distinguish problems by their code.
pub(super) fn add_members(schemas: &mut Map<String, Value>) {
    let members = members();
    for (schema, codes) in [("Problem", Code::ALL.to_vec()), ("ValidationError", of_validation().collect())] {
        let mut fields: Map<String, Value> = Map::new();
        for member in &members {
            let own: Vec<_> = member.codes.iter().filter(|code| codes.contains(code)).collect();
            let same = members.iter().filter(|it| it.name == member.name);
            if own.is_empty() || fields.contains_key(member.name) {
                continue;
            }
            let named: Vec<_> =
                same.flat_map(|it| it.codes).map(|code| format!("`{}`", code.as_str())).collect();
            let mut schema = member.schema.clone();
            let about = schema["description"].as_str().unwrap_or_default();
            schema["description"] = format!("{about} With the code {}.", named.join(", ")).into();
            fields.insert(member.name.to_owned(), schema);
        }
        if let Some(known) = schemas.get_mut(schema).and_then(|it| it["properties"].as_object_mut()) {
            known.extend(fields);
        }
    }
    let by_code = by_code(schemas, &members);
    schemas.extend(by_code);
}

/// `ProblemByCode`, a choice by code, and its variants.
fn by_code(schemas: &Map<String, Value>, members: &[Member]) -> Map<String, Value> {
    let base = schemas.get("Problem").cloned().unwrap_or_default();
    let names: Vec<&str> = members.iter().map(|member| member.name).collect();
    let mut plain = base["properties"].as_object().cloned().unwrap_or_default();
    plain.retain(|name, _| !names.contains(&name.as_str()));
    let variant = |codes: &[&str], description: String, own: &[&Member]| {
        let (mut fields, mut required) =
            (plain.clone(), base["required"].as_array().cloned().unwrap_or_default());
        fields.insert("code".into(), json!({"type": "string", "enum": codes}));
        for member in own {
            fields.insert(member.name.to_owned(), member.schema.clone());
            required.extend(member.always.then(|| member.name.into()));
        }
        json!({"type": "object", "description": description, "properties": fields, "required": required})
    };
    let (mut variants, mut mapping, mut all, mut others) = (Map::new(), Map::new(), Vec::new(), Vec::new());
    for code in Code::ALL {
        let own: Vec<_> = members.iter().filter(|member| member.codes.contains(code)).collect();
        if own.is_empty() {
            others.push(code.as_str());
            continue;
        }
        let name = format!("Problem{}", pascal(code.as_str()));
        all.push(json!({"$ref": format!("{SCHEMAS}{name}")}));
        mapping.insert(code.as_str().to_owned(), format!("{SCHEMAS}{name}").into());
        variants.insert(name, variant(&[code.as_str()], format!("{}.", code.title()), &own));
    }
    let other = format!("{SCHEMAS}ProblemOther");
    all.push(json!({"$ref": other}));
    mapping.extend(others.iter().map(|code| ((*code).to_owned(), other.clone().into())));
    variants
        .insert("ProblemOther".into(), variant(&others, "A problem without further members.".into(), &[]));
    let choice = json!({
        "description": "A problem, distinguished by its code. Every `Problem` matches.",
        "oneOf": all,
        "discriminator": {"propertyName": "code", "mapping": mapping},
    });
    variants.insert("ProblemByCode".into(), choice);
    variants
}

/// `NameTaken` for `name_taken`.
fn pascal(code: &str) -> String {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    code.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}
