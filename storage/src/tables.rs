//! The key prefixes of all tables, two bytes each. Records use lower-case letters; their indexes use the first letter
//! of the record and a digit or another letter. A test checks the list.

/// Events of runs.
pub(crate) const JOURNAL: [u8; 2] = *b"jl";
/// Epochs of runs.
pub(crate) const EPOCH: [u8; 2] = *b"je";
/// Terminal records of runs.
pub(crate) const TERMINAL: [u8; 2] = *b"jt";
/// Encrypted secrets.
pub(crate) const SECRET: [u8; 2] = *b"zs";
/// Sums of usage.
pub(crate) const SPEND: [u8; 2] = *b"sp";
/// Usage by quarter hour.
pub(crate) const LEDGER: [u8; 2] = *b"lg";
/// Activity by quarter hour.
pub(crate) const ACTIVITY: [u8; 2] = *b"la";
/// Activity, summed up by day.
pub(crate) const ACTIVITY_DAYS: [u8; 2] = *b"ld";
/// Active users by month.
pub(crate) const ACTIVITY_USERS: [u8; 2] = *b"lp";
/// Time of the last activity.
pub(crate) const ACTIVITY_LAST: [u8; 2] = *b"lu";
/// Counters of stored bytes and rows.
pub(crate) const STORED: [u8; 2] = *b"qs";
/// Messages whose last change is not in the index for searches.
pub(crate) const UNINDEXED: [u8; 2] = *b"mi";
/// Metadata of the store: the data format.
pub(crate) const META: [u8; 2] = *b"00";

/// Every table in use with a description of its content.
pub const TABLES: &[([u8; 2], &str)] = &[
    (META, "the data format"),
    (*b"as", "assistant"),
    (*b"a1", "assistant by_owner"),
    (*b"au", "audit_record"),
    (*b"am", "automation"),
    (*b"a2", "automation by_owner"),
    (*b"a3", "automation by_assistant"),
    (*b"an", "automation_schedule"),
    (*b"a4", "automation_schedule by_due"),
    (*b"ar", "automation_run"),
    (*b"a5", "automation_run by_automation"),
    (*b"a6", "automation_run by_owner"),
    (*b"a7", "automation_run live"),
    (*b"a8", "automation_run by_tick"),
    (*b"bu", "budget"),
    (*b"ch", "chunk"),
    (*b"co", "conversation"),
    (*b"c1", "conversation by_owner_updated"),
    (*b"c2", "conversation by_assistant"),
    (*b"c3", "conversation by_project"),
    (*b"cv", "chunk_vectors"),
    (*b"dc", "document"),
    (*b"d1", "document by_content"),
    (*b"d2", "document by_document"),
    (*b"di", "data_item"),
    (*b"dn", "data_count"),
    (*b"dp", "directory_person"),
    (*b"d3", "directory_person by_group"),
    (*b"ds", "debug_session"),
    (*b"dy", "directory_source"),
    (*b"fa", "favourites"),
    (*b"fr", "feature_rule"),
    (*b"gc", "directory_group"),
    (*b"g3", "directory_group by_name"),
    (*b"gl", "group_listing"),
    (*b"gm", "group_member"),
    (*b"g2", "group_member by_group"),
    (*b"gr", "group"),
    (*b"g1", "group by_external"),
    (*b"gs", "group_sync"),
    (*b"ik", "idempotency_key"),
    (*b"i1", "idempotency_key by_expiry"),
    (*b"in", "installation"),
    (*b"i4", "installation by_owner_package"),
    (*b"i5", "installation by_resource"),
    (*b"iv", "invitation"),
    (*b"i2", "invitation by_address"),
    (*b"i3", "invitation by_tenant"),
    (EPOCH, "run epochs"),
    (JOURNAL, "run journals"),
    (TERMINAL, "run terminal records"),
    (*b"jr", "join_request"),
    (*b"j1", "join_request by_tenant"),
    (*b"j2", "join_request by_address"),
    (*b"kb", "knowledge_base"),
    (*b"k1", "knowledge_base by_owner"),
    (ACTIVITY, "activity by quarter hours"),
    (ACTIVITY_DAYS, "activity by days"),
    (LEDGER, "the ledger of what was used"),
    (ACTIVITY_USERS, "users of assistants and models by months"),
    (ACTIVITY_LAST, "when assistants, models and users were last busy"),
    (*b"mm", "memory"),
    (*b"m2", "memory by_assistant"),
    (UNINDEXED, "messages that the index for searches lacks"),
    (*b"mk", "memory_mark"),
    (*b"me", "membership"),
    (*b"m1", "membership by_tenant"),
    (*b"mr", "model_rule"),
    (*b"ms", "message"),
    (*b"mt", "message_node"),
    (*b"m3", "message_node by_parent"),
    (*b"no", "notice"),
    (*b"n1", "notice by_user"),
    (*b"nb", "notice_box"),
    (*b"nd", "delivery"),
    (*b"n4", "delivery by_due"),
    (*b"ne", "notification_endpoint"),
    (*b"n2", "notification_endpoint by_user"),
    (*b"n3", "notification_endpoint by_address"),
    (*b"nf", "notice_event"),
    (*b"np", "notification_preferences"),
    (*b"nq", "delivery_queue"),
    (*b"n5", "delivery_queue by_due"),
    (*b"nw", "budget_notice"),
    (*b"pk", "provider_key"),
    (*b"pn", "project_count"),
    (*b"pr", "project"),
    (*b"p1", "project by_principal"),
    (*b"pt", "price_list"),
    (*b"pw", "password_hash"),
    (STORED, "counters of stored bytes and rows"),
    (*b"ru", "run"),
    (*b"r1", "run live"),
    (*b"r2", "run by_conversation"),
    (*b"r3", "run by_expiry"),
    (*b"r4", "run live_by_conversation"),
    (*b"r5", "run awake"),
    (*b"r6", "run by_wake"),
    (*b"r7", "run unloaded_by_user"),
    (*b"rb", "run_blob"),
    (*b"ri", "run_input"),
    (*b"se", "session"),
    (*b"s1", "session by_user"),
    (*b"sc", "skill_content"),
    (*b"sd", "skill_draft"),
    (*b"sk", "skill"),
    (*b"s2", "skill by_content"),
    (SPEND, "sums of what was used"),
    (*b"te", "tenant"),
    (*b"tm", "team"),
    (*b"t2", "team by_principal"),
    (*b"to", "api_token"),
    (*b"t1", "api_token by_user"),
    (*b"up", "upload"),
    (*b"u1", "upload by_expiry"),
    (*b"ur", "usage_record"),
    (*b"u2", "usage_record by_user_day"),
    (*b"us", "user"),
    (*b"u3", "user by_email"),
    (*b"vj", "video_job"),
    (*b"v1", "video_job by_expiry"),
    (*b"v2", "video_job in_work"),
    (*b"xc", "service_connection"),
    (*b"x3", "service_connection by_assistant"),
    (*b"xg", "client_registration"),
    (*b"xl", "login_flow"),
    (*b"x1", "login_flow by_expiry"),
    (*b"x2", "login_flow by_nonce"),
    (*b"x4", "login_flow by_user"),
    (*b"xr", "revocation"),
    (SECRET, "secrets"),
];

/// Tables that older versions wrote and this version does not use.
pub const RETIRED: &[[u8; 2]] = &[];
