//! What models cost, in the whole installation.

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

/// Longest table, in bytes.
const LARGEST: usize = 16 << 20;

/// A table of prices. It takes the place of the one that was imported before.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdatePriceTableRequest {
    /// The table, as a text.
    #[schema(example = "model,input_per_million,output_per_million\nlocal/large,0.15,0.60\n")]
    pub table: String,
    /// Which form it has; else that is seen from the text.
    pub format: Option<PriceFormat>,
    /// Only to look whether it is sound.
    pub dry_run: bool,
}

impl Validate for UpdatePriceTableRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.table.len() > LARGEST {
            faults.add(["table"], format!("has more than {LARGEST} bytes"), "too_long");
        }
    }
}

/// What a model costs, and who says so.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelPriceResponse {
    /// Its full id.
    #[schema(example = "local/large")]
    pub model: String,
    /// Its prices by tokens, where there are any.
    pub prices: Option<ModelPrices>,
    /// The price of a unit of what is made or heard, in billionths of a dollar.
    pub unit_price_nanos: Option<u64>,
    /// The same in dollars.
    #[schema(example = "0.006000000")]
    pub unit_price: Option<String>,
    /// Who says so.
    pub origin: PriceOrigin,
}

/// A price that was finer than we count.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoundedPrice {
    pub model: String,
    /// Which of its prices, as the table calls it.
    pub field: String,
}

/// The table that was imported.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportedPricesResponse {
    /// Models that it has prices of, whether they are here or not.
    pub models: u64,
    /// Who imported it; `null` where that was done beside the server.
    pub imported_by: Option<Uuid>,
    /// When.
    pub imported_at: Timestamp,
}

/// What the models that others run cost here.
#[derive(Debug, Serialize, ToSchema)]
pub struct PriceTableResponse {
    /// The imported table; `null` where there is none.
    pub imported: Option<ImportedPricesResponse>,
    /// Every model whose provider has told it.
    pub models: Vec<ModelPriceResponse>,
}

/// What became of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct PriceImportResponse {
    pub models: u64,
    /// Models in it without a price that we know of.
    pub skipped: u64,
    /// Prices that were rounded up to a billionth of a dollar a token.
    pub rounded: Vec<RoundedPrice>,
    /// Models that are here whose prices are the table's now.
    pub applied: u64,
}

/// Show what models cost, and who says so.
#[utoipa::path(get, path = "/api/tenant-admin/price-table")]
async fn get_price_table(_auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<PriceTableResponse>> {
    let stored = app.store.read::<_, Refusal>(|reader| Ok(price_list(reader)?)).await?;
    let models = app.models.price_list().into_iter().map(ModelPriceResponse::from).collect();
    Ok(Json(PriceTableResponse { imported: stored.and_then(imported), models }))
}

/// Import a table of prices.
///
/// Prices are those of the whole installation. The table is taken whole or not at all; it goes before the prices that
/// ship with the server, and behind those of the configuration. What begins from then on is paid by it.
#[utoipa::path(put, path = "/api/tenant-admin/price-table")]
async fn update_price_table(
    auth: Auth<AdminWrite, Platform<Admin>>,
    app: Data<App>,
    LargeJson(new): LargeJson<UpdatePriceTableRequest>,
) -> Api<Json<PriceImportResponse>> {
    let caller = auth.caller();
    import(&app, &caller, new).await.map(Json)
}

/// Take imported prices away.
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
