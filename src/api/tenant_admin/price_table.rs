//! The prices of models, for the whole installation.

use actix_web::web::Data;
use providers::{PriceFault, PriceFormat, PriceImport, PriceOrigin, PricedModel, read_prices};
use serde::{Deserialize, Serialize};
use storage::records::PriceList;
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::chat::ModelPrices;
use crate::api::money::dollars;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Caller, Faults, Json, LargeJson, Platform, Refusal, Validate, operations,
};
use crate::prices;
use domain::administration::{import_price_list, price_list};

/// Maximum size of a table, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// A price table to import. It replaces the table that was imported before.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdatePriceTableRequest {
    /// The text of the table.
    #[schema(example = "model,input_per_million,output_per_million\nlocal/large,0.15,0.60\n")]
    pub table: String,
    /// The format of the table. If omitted, it is detected from the text.
    pub format: Option<PriceFormat>,
    /// Whether to only validate the table, without importing it.
    pub dry_run: bool,
}

impl Validate for UpdatePriceTableRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.table.len() > MAX_BYTES {
            faults.add(["table"], format!("has more than {MAX_BYTES} bytes"), "too_long");
        }
    }
}

/// The price of a model and its origin.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelPriceResponse {
    /// The full id of the model.
    #[schema(example = "local/large")]
    pub model: String,
    /// The prices per token, if the model has any.
    pub prices: Option<ModelPrices>,
    /// The price of a unit of generated or transcribed media, in billionths of a dollar.
    pub unit_price_nanos: Option<u64>,
    /// The price of a unit, in dollars.
    #[schema(example = "0.006000000")]
    pub unit_price: Option<String>,
    /// Where the price comes from.
    pub origin: PriceOrigin,
}

/// A price that was more precise than this server can store.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoundedPrice {
    pub model: String,
    /// The price, as the table names it.
    pub field: String,
}

/// The imported price table.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportedPricesResponse {
    /// The number of models in the table, including models that are not installed.
    pub models: u64,
    /// The user who imported the table. `null` if it was imported outside the API.
    pub imported_by: Option<Uuid>,
    /// When the table was imported.
    pub imported_at: Timestamp,
}

/// The prices of models from providers.
#[derive(Debug, Serialize, ToSchema)]
pub struct PriceTableResponse {
    /// The imported table. `null` if there is none.
    pub imported: Option<ImportedPricesResponse>,
    /// The external models with their prices.
    pub models: Vec<ModelPriceResponse>,
}

/// The result of an import.
#[derive(Debug, Serialize, ToSchema)]
pub struct PriceImportResponse {
    pub models: u64,
    /// The number of models without a supported price.
    pub skipped: u64,
    /// Prices that were rounded up to a billionth of a dollar per token.
    pub rounded: Vec<RoundedPrice>,
    /// The number of installed models whose prices now come from the table.
    pub applied: u64,
}

/// List the prices of models and their origins.
#[utoipa::path(get, path = "/api/tenant-admin/price-table")]
async fn get_price_table(_auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<PriceTableResponse>> {
    let stored = app.store.read::<_, Refusal>(|reader| Ok(price_list(reader)?)).await?;
    let models = app.models.price_list().into_iter().map(ModelPriceResponse::from).collect();
    Ok(Json(PriceTableResponse { imported: stored.and_then(imported), models }))
}

/// Import a price table.
///
/// Prices apply to the whole installation. The table is imported completely or not at all. Its prices take
/// precedence over those that ship with the server, but not over those of the configuration. They apply to work
/// that starts after the import.
#[utoipa::path(put, path = "/api/tenant-admin/price-table")]
async fn update_price_table(
    auth: Auth<AdminWrite, Platform<Admin>>,
    app: Data<App>,
    LargeJson(new): LargeJson<UpdatePriceTableRequest>,
) -> Api<Json<PriceImportResponse>> {
    let caller = auth.caller();
    import(&app, &caller, new).await.map(Json)
}

/// Delete the imported prices.
#[utoipa::path(delete, path = "/api/tenant-admin/price-table")]
async fn delete_price_table(
    auth: Auth<AdminWrite, Platform<Admin>>,
    app: Data<App>,
) -> Api<Json<PriceImportResponse>> {
    let caller = auth.caller();
    keep(&app, &caller, PriceImport::default()).await.map(Json)
}

async fn import(app: &App, caller: &Caller, new: UpdatePriceTableRequest) -> Api<PriceImportResponse> {
    let UpdatePriceTableRequest { table, format, dry_run } = new;
    let read = actix_web::web::block(move || read_prices(&table, format)).await;
    let read = read.map_err(|error| Refusal::new(crate::http::Code::Internal).because(error))?;
    let read = read.map_err(faulty)?;
    match dry_run {
        true => Ok(response(app, read)),
        false => keep(app, caller, read).await,
    }
}

async fn keep(app: &App, caller: &Caller, read: PriceImport) -> Api<PriceImportResponse> {
    let (caller, import) = (caller.clone(), read.clone());
    let row = app
        .store
        .run(move |tx| import_price_list(tx, &caller, prices::list_of(&import), import.rounded.len()));
    let row = row.await?;
    prices::apply(&app.models, &row);
    Ok(response(app, read))
}

fn response(app: &App, read: PriceImport) -> PriceImportResponse {
    let list = app.models.price_list();
    PriceImportResponse {
        models: read.prices.len() as u64,
        skipped: read.skipped,
        rounded: read.rounded.into_iter().map(|(model, field)| RoundedPrice { model, field }).collect(),
        applied: list.iter().filter(|model| model.origin == PriceOrigin::Imported).count() as u64,
    }
}

fn imported(row: Row<PriceList>) -> Option<ImportedPricesResponse> {
    let models = row.prices.len() as u64;
    let imported = ImportedPricesResponse { models, imported_by: row.by, imported_at: row.updated_at };
    (models > 0).then_some(imported)
}

fn faulty(found: Vec<PriceFault>) -> Refusal {
    let mut faults = Faults::new("body");
    for fault in found {
        let line = fault.line.map(|line| line.to_string());
        let place = [line.as_deref(), fault.model.as_deref(), fault.field.as_deref()];
        let place = std::iter::once("table").chain(place.into_iter().flatten());
        faults.add(place.collect::<Vec<_>>(), fault.what, "malformed");
    }
    Refusal::faulty(faults.into_vec())
}

impl From<PricedModel> for ModelPriceResponse {
    fn from(priced: PricedModel) -> Self {
        let PricedModel { model, prices, unit_price_nanos, origin } = priced;
        let unit_price = unit_price_nanos.map(dollars);
        Self { model, prices: prices.map(ModelPrices::from), unit_price_nanos, unit_price, origin }
    }
}

operations!(get_price_table, update_price_table, delete_price_table);
