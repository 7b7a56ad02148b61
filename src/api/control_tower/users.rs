//! Users, and what they did.

use actix_web::web::Data;
use storage::authority::{Ground, Reason};
use storage::records::activity::{Counted, OfUser, Window, last_busy};
use storage::records::{GrantLevel, Membership, Role, User, UserKind, ledger};
use storage::{Reader, Scan, Stored, TenantId};
use uuid::Uuid;

use super::asked::{Between, Part, Sifted};
use super::lines::{Line, Lines};
use super::view::{NamedUser, ReportSpan, UserReportItem, UserReportResponse};
use crate::App;
use crate::api::usage::Period;
use crate::api::users::usage::{ControlTowerUserUsageResponse, DetailAsked, detail};
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Caller, Found, Json, Loadable, Query, operations};

/// Members that are read together.
const TOGETHER: usize = 200;

/// Somebody of whom the tenant's reports tell: a member, or somebody who was one and has used something.
pub struct Reported(pub Uuid);

impl Loadable for Reported {
    const PARAM: &'static str = "user_id";
    const NAME: &'static str = "user";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let is_member = reader.get::<Membership>(TenantId::SYSTEM, &(id, caller.tenant.0))?.is_some();
        let known = is_member || ledger::first(reader, caller.tenant, id, false)?.is_some();
        Ok((known && caller.is_admin()).then_some(Self(id)))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground { reason: Reason::Administers, level: GrantLevel::Viewer }])
    }
}

/// Show what the tenant's users did.
///
/// All members are told, those who did nothing too; and whoever has left, without a name, where they did anything in
/// the span. So without a search the lines come to all that was done.
#[utoipa::path(
    get,
    path = "/api/control-tower/users",
    operation_id = "control-tower.get_users",
    params(Part, Between, Sifted)
)]
async fn get_users(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<Part>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<Json<UserReportResponse>> {
    let (tenant, asked) = (auth.tenant, asked.of_users()?);
    let report = app.store.read(move |reader| {
        let period = span.period(reader, tenant)?;
        let lines = lines(reader, tenant, &period, &asked)?;
        let (total, totals) = (lines.count(), lines.totals());
        let items = part.of(lines.0).into_iter().map(item).collect();
        Api::Ok(UserReportResponse { items, total, totals, span: ReportSpan::from(&period) })
    });
    report.await.map(Json)
}

/// Show for what a user has used models in a month, and with which assistants.
///
/// The same as that user is shown; of a member, and of somebody who was one.
#[utoipa::path(
    get,
    path = "/api/control-tower/users/{user_id}/usage",
    operation_id = "control-tower.get_user_usage_detail",
    params(DetailAsked)
)]
async fn get_user_usage_detail(
    user: Found<Reported, AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<DetailAsked>,
) -> Api<Json<ControlTowerUserUsageResponse>> {
    let (caller, user) = (user.auth.caller(), user.it.0);
    app.store.read(move |reader| detail(reader, &caller, user, &asked)).await.map(Json)
}

/// What a line tells of a user beside numbers.
#[derive(Clone, Debug)]
pub struct Who {
    user: NamedUser,
    seat: Option<(UserKind, Role, bool)>,
    stored_bytes: u64,
}

/// The lines of a period, in the order that is asked for.
pub fn lines(reader: &Reader, tenant: TenantId, period: &Period, asked: &Sifted) -> Api<Lines<Who>> {
    let mut counted = Window::open(reader, tenant, &period.span)?.by::<OfUser>()?;
    let last = last_busy::<OfUser>(reader, tenant)?;
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let members = Scan::index("by_tenant").prefix(tenant.0.as_bytes()).limit(TOGETHER).after(after);
        let page = reader.scan::<Membership>(TenantId::SYSTEM, members)?;
        for member in page.items {
            let user_id = member.id.0;
            let sum = counted.remove(&OfUser(user_id)).unwrap_or_default();
            let Some(user) = reader.get::<User>(TenantId::SYSTEM, &user_id)? else { continue };
            let User { email, display_name, kind, disabled, .. } = user.body;
            if asked.finds(&[&display_name, &email]) {
                let user = NamedUser { user_id, email: Some(email), display_name: Some(display_name) };
                let stored_bytes = Stored::of_user(reader, tenant, user_id)?.bytes;
                let seat = Some((kind, member.role, disabled));
                found.push((Who { user, seat, stored_bytes }, sum));
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if !asked.searches() {
        for (OfUser(user_id), sum) in counted {
            let stored_bytes = Stored::of_user(reader, tenant, user_id)?.bytes;
            let user = NamedUser { user_id, email: None, display_name: None };
            found.push((Who { user, seat: None, stored_bytes }, sum));
        }
    }
    let lines = found.into_iter().map(|(of, activity)| Line {
        id: of.user.user_id.to_string(),
        name: of.user.display_name.clone().unwrap_or_default(),
        counted: Counted { activity, users: 1 },
        last: last.get(&OfUser(of.user.user_id)).copied(),
        of,
    });
    Ok(Lines::sorted(lines.collect(), asked))
}

/// How a line is shown.
pub fn item(line: Line<Who>) -> UserReportItem {
    let Who { user, seat, stored_bytes } = line.of;
    UserReportItem {
        user,
        kind: seat.map(|(kind, ..)| kind),
        role: seat.map(|(_, role, _)| role),
        disabled: seat.map(|(.., disabled)| disabled),
        figures: line.counted.activity.into(),
        last_used_at: line.last,
        stored_bytes,
    }
}

operations!(get_users, get_user_usage_detail);
