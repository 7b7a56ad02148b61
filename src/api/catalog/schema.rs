//! What packages are asked for with.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{PackageKind, Visibility};
use utoipa::{IntoParams, ToSchema};

use super::merge::OnConflict;
use crate::http::{Api, Faults, Validate};

/// Most parameters.
const PARAMETERS: usize = 100;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListPackages {
    /// Only of this kind.
    pub kind: Option<PackageKind>,
    /// Only packages whose id, name, description or tags contain all of these words.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Only those that the caller has installed, or has not.
    pub installed: Option<bool>,
}

impl Validate for ListPackages {}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichVersion {
    /// That version; by default the newest.
    pub version: Option<String>,
}

impl Validate for WhichVersion {}

/// Options of an installation. All fields are optional unless the package has required parameters.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct InstallPackageBody {
    /// The version; by default the newest.
    #[schema(example = "1.0.0")]
    pub version: Option<String>,
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Another name for what it is installed for.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Who may see the created resources: `private` by default.
    pub visibility: Option<Visibility>,
    /// The model of its assistants; by default the one that the package names, or the default model.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// External services that its assistants may use at once, as far as its skills ask for them. What is not named here
    /// can be approved later.
    #[schema(max_items = 200, example = json!(["web:*"]))]
    pub approve_services: Vec<String>,
}

/// How a package would be installed: as [`InstallPackageBody`].
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct ValidateInstallBody {
    /// The version; by default the newest.
    #[schema(example = "1.0.0")]
    pub version: Option<String>,
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Another name for what it is installed for.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Who may see the created resources: `private` by default.
    pub visibility: Option<Visibility>,
    /// The model of its assistants; by default the one that the package names, or the default model.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// External services that its assistants may use at once.
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

/// How an installed package is to be updated.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToUpdate {
    /// The version to go to; by default the newest.
    pub version: Option<String>,
    /// What happens to fields that both sides have changed; `keep` by default.
    #[param(inline)]
    pub on_conflict: Option<OnConflict>,
    /// Only report the changes.
    pub dry_run: Option<bool>,
    /// Values of parameters, as a JSON object; others keep their values.
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

/// How an installed package is to be updated. Each field can be a query parameter instead, or in both with the same value.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct UpdatePackageBody {
    /// The version to go to; by default the newest.
    #[schema(example = "1.1.0")]
    pub version: Option<String>,
    /// What happens to fields that both sides have changed; `keep` by default.
    pub on_conflict: Option<OnConflict>,
    /// Only report the changes.
    pub dry_run: Option<bool>,
    /// Values of parameters; others keep their values.
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Map<String, Value>>,
}

impl Validate for UpdatePackageBody {
    fn validate(&self, faults: &mut Faults) {
        faults.at_most("parameters", self.parameters.as_ref().map_or(0, Map::len), PARAMETERS);
    }
}

impl UpdatePackageBody {
    /// The options of the body and the query together; a field in both must have the same value.
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
