//! Reports on the usage of models.

use storage::records::activity::{OfModel, Window, last_busy};
use storage::{Reader, TenantId};

use super::query::ReportQuery;
use super::report::{Report, ReportRow};
use crate::Result;

/// Reports the usage of all models that were used in the period. The subject of a row is the full id of the model. It is
/// `None` for answers of workflows, which are counted without a model.
///
/// # Errors
/// `invalid` for a period that is too long.
pub fn model_report(
    reader: &Reader,
    tenant: TenantId,
    query: &ReportQuery,
) -> Result<Report<Option<String>>> {
    let period = query.period(reader, tenant)?;
    let counted = Window::open(reader, tenant, &period.span)?.with_users::<OfModel>()?;
    let last_uses = last_busy::<OfModel>(reader, tenant)?;
    let rows = counted.into_iter().filter(|(OfModel(id), _)| query.matches(&[id]));
    let rows = rows.map(|(model, counted)| {
        let last_used_at = last_uses.get(&model).copied();
        let OfModel(id) = model;
        let subject = (!id.is_empty()).then(|| id.clone());
        ReportRow { name: id.clone(), id, counted, last_used_at, subject }
    });
    Ok(Report::new(period, rows.collect(), query))
}
