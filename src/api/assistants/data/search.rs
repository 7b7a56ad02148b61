//! Search among data items.

use std::ops::ControlFlow;
use std::sync::Arc;

use actix_web::web::Data;
use assist::data::{self, Filter, located};
use assist::library::{EmbedError, Vectors};
use knowledge::{DocKey, Hit, Quantized, fuse};
use providers::EmbedPurpose;
use storage::{Reader, Tx};
use uuid::Uuid;

use super::rank::Ranking;
use super::schema::{
    DataSearchMode, FoundDataItem, SearchAssistantDataRequest, SearchAssistantDataResponse, read_filter,
};
use super::vectors;
use crate::App;
use crate::http::{Api, Caller, Code, Refusal};

/// Number of results that each search method contributes to the combined ranking.
const LOOK: usize = 200;

/// Finds the items that match a query best.
pub async fn search(
    app: Data<App>,
    caller: Arc<Caller>,
    assistant: Uuid,
    request: SearchAssistantDataRequest,
) -> Api<SearchAssistantDataResponse> {
    let filter =
        read_filter(request.filter.as_ref()).map_err(|faults| Refusal::faulty(located("body", faults)))?;
    let (spent, degraded) = match question(&app, &caller, &request).await {
        Ok(spent) => (spent, None),
        Err(why) if request.mode == DataSearchMode::Hybrid => (None, Some(why.to_string())),
        Err(EmbedError::OverBudget(over)) => return Err(over.into()),
        Err(why) => {
            let failed = Refusal::new(Code::UpstreamFailed).detail(why.to_string());
            return Err(failed.provider_code(why.provider_code()));
        }
    };
    let (reader_of, vector) = (caller.clone(), spent.clone());
    let look = move |reader: &Reader| find(reader, &reader_of, assistant, &request, &filter, vector);
    // A search parses every item, so searches take turns.
    let turn = app.whole_reads.turn().await?;
    let mut found = app.store.read(look).await?;
    drop(turn);
    found.degraded = degraded;
    if spent.is_some() {
        let bill = app.clone();
        let bill = move |tx: &mut Tx| vectors::bill(tx, &bill, &caller, assistant, spent.as_ref());
        app.store.run(bill).await?;
    }
    Ok(found)
}

/// Embeds the query, unless the search is by words only.
async fn question(
    app: &App,
    caller: &Caller,
    request: &SearchAssistantDataRequest,
) -> Result<Option<Vectors>, EmbedError> {
    if request.mode == DataSearchMode::Text {
        return Ok(None);
    }
    let who = (caller.tenant, caller.user);
    let model = app.run_context.library.default_embedder(caller.tenant, caller.user).await?;
    app.run_context
        .library
        .embed(who, &model, vec![request.query.clone()], EmbedPurpose::Query)
        .await
        .map(Some)
}

fn find(
    reader: &Reader,
    caller: &Caller,
    assistant: Uuid,
    request: &SearchAssistantDataRequest,
    filter: &Filter,
    spent: Option<Vectors>,
) -> Api<SearchAssistantDataResponse> {
    let vector =
        spent.as_ref().and_then(|spent| Some((&*spent.model, Quantized::new(spent.vectors.first()?))));
    let (mut ids, mut near, mut without_vector) = (Vec::new(), Vec::new(), 0);
    let mut ranking = Ranking::new(&request.query);
    // Items may be large, so only the data that ranks an item is retained.
    data::each(reader, caller.tenant, assistant, |row| {
        if filter.fits(&row.data) {
            ranking.add(&vectors::text_of(&row.data));
            if let Some((model, vector)) = &vector {
                match vectors::nearness(&row, model, vector) {
                    Some(score) => near.push(hit(row.id.1, score)),
                    None => without_vector += 1,
                }
            }
            ids.push(row.id.1);
        }
        ControlFlow::Continue(())
    })?;
    let mut lists = Vec::new();
    if request.mode != DataSearchMode::Vector {
        let scores = ids.iter().zip(ranking.scores()).map(|(id, score)| hit(*id, score));
        lists.push(best(scores.filter(|hit| hit.score > 0.0).collect()));
    }
    if vector.is_some() {
        lists.push(best(near));
    }
    let ranked: Vec<_> = match &lists[..] {
        [one] => one.iter().map(|hit| (hit.document.document, hit.score)).collect(),
        several => fuse(several).into_iter().map(|fused| (fused.document.document, fused.score)).collect(),
    };
    let (mut items, mut bytes) = (Vec::new(), 0);
    for (id, score) in ranked.into_iter().take(request.limit as usize) {
        let Some(row) = data::get(reader, caller.tenant, assistant, id)? else { continue };
        bytes += data::written_bytes(&row);
        if bytes > data::PAGE_BYTES && !items.is_empty() {
            break;
        }
        items.push(FoundDataItem { item: row.into(), score });
    }
    Ok(SearchAssistantDataResponse { items, mode: request.mode, without_vector, degraded: None })
}

fn hit(item: Uuid, score: f32) -> Hit {
    Hit { document: DocKey { document: item, generation: 0 }, number: 0, score }
}

/// Returns the best hits, best first. Of two hits with the same score, the older item comes first.
fn best(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document)));
    hits.truncate(LOOK);
    hits
}
