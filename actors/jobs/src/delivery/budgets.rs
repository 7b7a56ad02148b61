//! Notifications about budgets that are exhausted or nearly exhausted. The committer adds up spending and sends no notifications.
//! The sums are therefore checked periodically. Sent notifications are recorded, so that each is sent once.

use serde_json::{Map, json};
use storage::records::usage::{Span, Spend};
use storage::records::{Budget, BudgetNotice, Measure, Notice, Severity, Tenant};
use storage::{Reader, Scan, TenantId, Timestamp, Tx, isolated, notices};
use uuid::Uuid;

use super::Deliveries;

/// The task name under which failures are counted.
const TASK: &str = "budget_notices";
/// Percentage of a monthly limit at which a warning is sent.
const WARNING_PERCENT: u8 = 80;

/// A notification about a limit.
#[derive(Clone, Debug)]
struct LimitNotice {
    /// The owner of the budget: the user, or nil for the tenant.
    budget: Uuid,
    measure: Measure,
    span: Span,
    limit: u64,
    spent: u64,
    /// The reached percentage: [`WARNING_PERCENT`] or 100.
    part: u8,
}

impl Deliveries {
    /// Checks budgets periodically until the deliverer is stopped.
    pub(super) async fn watch_budgets(self) {
        loop {
            if let Err(why) = self.check_budgets(Timestamp::now()).await {
                telemetry::metrics::table::SWEEP_FAILURES.add(["budgets"], 1);
                tracing::warn!(%why, "budgets could not be checked");
            }
            let rest = self.settings().budgets_every;
            if tokio::time::timeout(rest, self.0.stopped.cancelled()).await.is_ok() {
                return;
            }
        }
    }

    async fn check_budgets(&self, now: Timestamp) -> storage::Result<()> {
        let notices = self.store().read::<_, storage::Error>(move |reader| {
            let mut all = Vec::new();
            for row in reader.scan_readable::<Tenant>(TASK, TenantId::SYSTEM, Scan::table())? {
                if row.governed.budgets {
                    let found = due_notices(reader, TenantId(row.id), now, &mut all);
                    isolated(TASK, format_args!("tenant {}", row.id), found);
                }
            }
            Ok(all)
        });
        for (tenant, reached) in notices.await? {
            let said = self.store().run(move |tx| send(tx, tenant, &reached, now)).await;
            isolated(TASK, format_args!("tenant {}", tenant.0), said);
        }
        Ok(())
    }
}

/// Collects the notifications about budgets of a tenant that are due and were not sent yet.
fn due_notices(
    reader: &Reader,
    tenant: TenantId,
    now: Timestamp,
    to: &mut Vec<(TenantId, LimitNotice)>,
) -> storage::Result<()> {
    for row in reader.scan::<Budget>(tenant, Scan::table())?.items {
        let budget = row.id;
        let who = (!budget.is_nil()).then_some(budget);
        let said = reader.get::<BudgetNotice>(tenant, &budget)?.map(|row| row.body).unwrap_or_default();
        let limits = [
            (row.cost_nanos_month, Measure::Cost, Span::Month),
            (row.cost_nanos_day, Measure::Cost, Span::Day),
            (row.tokens_day, Measure::Tokens, Span::Day),
        ];
        for (limit, measure, span) in limits {
            // A limit of zero needs no notification.
            let Some(limit) = limit.filter(|limit| *limit > 0) else { continue };
            let spend = Spend::read(reader, tenant, who, span, now)?;
            let spent = if measure == Measure::Cost { spend.cost_nanos } else { spend.tokens() };
            let nearly = span == Span::Month
                && u128::from(spent) * 100 >= u128::from(limit) * u128::from(WARNING_PERCENT);
            let part = match (spent >= limit, nearly) {
                (true, _) => 100,
                (false, true) => WARNING_PERCENT,
                (false, false) => 0,
            };
            if part > said.reported_part(&BudgetNotice::limit(measure, span, limit), span.end(now)) {
                to.push((tenant, LimitNotice { budget, measure, span, limit, spent, part }));
            }
        }
    }
    Ok(())
}

/// Sends the notification, unless it has been sent by now.
fn send(tx: &mut Tx, tenant: TenantId, reached: &LimitNotice, now: Timestamp) -> storage::Result<()> {
    let (name, ends) =
        (BudgetNotice::limit(reached.measure, reached.span, reached.limit), reached.span.end(now));
    match tx.get::<BudgetNotice>(tenant, &reached.budget)? {
        Some(row) if row.reported_part(&name, ends) >= reached.part => return Ok(()),
        Some(mut row) => {
            row.note(&name, ends, reached.part, now);
            tx.update(tenant, row).map(drop)?;
        }
        None => {
            let mut body = BudgetNotice::default();
            body.note(&name, ends, reached.part, now);
            tx.insert(tenant, reached.budget, body).map(drop)?;
        }
    }
    let notice = notice(reached, ends);
    match reached.budget.is_nil() {
        true => notices::notify_administrators(tx, tenant, &notice),
        false => notices::notify(tx, tenant, Notice { user: reached.budget, ..notice }).map(drop),
    }
}

fn notice(reached: &LimitNotice, ends: Timestamp) -> Notice {
    let LimitNotice { budget, measure, span, limit, spent, part } = reached;
    let whose = if budget.is_nil() { "The tenant's budget" } else { "Your budget" };
    let time = if *span == Span::Day { "day" } else { "month" };
    let amount = |number: u64| match measure {
        Measure::Cost => format!("${:.2}", number as f64 / 1e9),
        Measure::Tokens => format!("{number} tokens"),
    };
    let (kind, severity, title) = match part {
        100 => ("budget.exhausted", Severity::Error, format!("{whose} for this {time} is used up")),
        _ => ("budget.low", Severity::Warning, format!("{whose} for this {time} is nearly used up")),
    };
    let used = (amount(*spent), amount(*limit));
    let mut data = Map::new();
    for (name, value) in [
        ("measure", json!(measure)),
        ("span", json!(span)),
        ("limit", json!(limit)),
        ("spent", json!(spent)),
        ("renews_at", json!(ends)),
    ] {
        data.insert(name.to_owned(), value);
    }
    Notice {
        kind: kind.to_owned(),
        severity,
        title,
        body: format!("{} of {} are spent. It is renewed at {ends}.", used.0, used.1),
        link: Some(if budget.is_nil() { "/tenant-admin/budgets" } else { "/usage" }.to_owned()),
        data,
        ..Notice::default()
    }
}
