//! Requests of packages.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{PackageKind, Visibility};
use utoipa::{IntoParams, ToSchema};

use super::merge::OnConflict;
use crate::http::{Api, Faults, Validate};

/// Maximum number of parameters.
const PARAMETERS: usize = 100;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListPackages {
    /// Only packages of this kind.
    pub kind: Option<PackageKind>,
    /// Only packages whose id, name, description or tags contain all of these words.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Only packages that the caller has installed (`true`), or has not installed (`false`).
    pub installed: Option<bool>,
}

impl Validate for ListPackages {}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichVersion {
    /// The version to show; the newest by default.
    pub version: Option<String>,
}

impl Validate for WhichVersion {}

/// Options of an installation. All fields are optional unless the package has required parameters.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct InstallPackageBody {
    /// The version to install; the newest by default.
    #[schema(example = "1.0.0")]
    pub version: Option<String>,
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Name for the main resource, instead of that of the package.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Who may see the created resources; `private` by default.
    pub visibility: Option<Visibility>,
    /// Id of the model of the created assistants. Defaults to the model that the package names, otherwise to the default model.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// External services to approve for the created assistants, if the skills request them. Other services can be approved later.
    #[schema(max_items = 200, example = json!(["web:*"]))]
    pub approve_services: Vec<String>,
}

/// Options of an installation to validate, with the same fields as for the installation.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct ValidateInstallBody {
    /// The version to install; the newest by default.
    #[schema(example = "1.0.0")]
    pub version: Option<String>,
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Name for the main resource, instead of that of the package.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Who may see the created resources; `private` by default.
    pub visibility: Option<Visibility>,
    /// Id of the model of the created assistants. Defaults to the model that the package names, otherwise to the default model.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// External services to approve for the created assistants.
    #[schema(max_items = 200, example = json!(["web:*"]))]
    pub approve_services: Vec<String>,
}

impl From<ValidateInstallBody> for InstallPackageBody {
    fn from(body: ValidateInstallBody) -> Self {
        let ValidateInstallBody { version, parameters, name, visibility, model, approve_services } = body;
        Self { version, parameters, name, visibility, model, approve_services }
    }
}

impl Validate for InstallPackageBody {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.name {
            faults.name("name", name.trim());
        }
        faults.at_most("parameters", self.parameters.len(), PARAMETERS);
    }
}

impl Validate for ValidateInstallBody {
    const TRIMMED: &'static [&'static str] = InstallPackageBody::TRIMMED;

    fn validate(&self, faults: &mut Faults) {
        InstallPackageBody::from(self.clone()).validate(faults);
    }
}

/// Query parameters of an update.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToUpdate {
    /// The version to update to; the newest by default.
    pub version: Option<String>,
    /// What happens to fields that both sides changed; `keep` by default.
    #[param(inline)]
    pub on_conflict: Option<OnConflict>,
    /// Whether to report the changes without making them.
    pub dry_run: Option<bool>,
    /// Values of parameters, as a JSON object. Other parameters keep their values.
    #[param(example = "{\"hour\": 7}")]
    pub parameters: Option<String>,
}

impl Validate for HowToUpdate {
    fn validate(&self, faults: &mut Faults) {
        let read = self.parameters.as_deref().map(serde_json::from_str::<Map<String, Value>>);
        if read.is_some_and(|read| read.is_err()) {
            faults.add(["parameters"], "is not a JSON object", "malformed");
        }
    }
}

/// Options of an update. Each field can also be passed as a query parameter; a field in both must have the same value.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct UpdatePackageBody {
    /// The version to update to; the newest by default.
    #[schema(example = "1.1.0")]
    pub version: Option<String>,
    /// What happens to fields that both sides changed; `keep` by default.
    pub on_conflict: Option<OnConflict>,
    /// Whether to report the changes without making them.
    pub dry_run: Option<bool>,
    /// Values of parameters. Other parameters keep their values.
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Map<String, Value>>,
}

impl Validate for UpdatePackageBody {
    fn validate(&self, faults: &mut Faults) {
        faults.at_most("parameters", self.parameters.as_ref().map_or(0, Map::len), PARAMETERS);
    }
}

impl UpdatePackageBody {
    /// Combines the options of the body and the query. A field in both must have the same value.
    pub fn and(self, query: HowToUpdate) -> Api<Self> {
        let mut faults = Faults::new("body");
        let parameters = query.parameters.as_deref().and_then(|json| serde_json::from_str(json).ok());
        let both = Self {
            version: either("version", self.version, query.version, &mut faults),
            on_conflict: either("on_conflict", self.on_conflict, query.on_conflict, &mut faults),
            dry_run: either("dry_run", self.dry_run, query.dry_run, &mut faults),
            parameters: either("parameters", self.parameters, parameters, &mut faults),
        };
        faults.into_result().map(|()| both)
    }
}

fn either<T: PartialEq>(field: &str, body: Option<T>, query: Option<T>, faults: &mut Faults) -> Option<T> {
    if body.is_some() && query.is_some() && body != query {
        faults.add([field], "the query parameter has another value", "ambiguous");
    }
    body.or(query)
}
