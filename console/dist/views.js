// src/overview/views.ts
var ENUMERATED = new Set([
	"kind",
	"paused_reason",
	"provisioning_mode",
	"status",
	"visibility"
]), updated = ["updated_at", "updated"], created = ["created_at", "created"], assistantRows = {
	in: "items",
	id: "id",
	title: "name",
	facts: [
		["model", "model"],
		["enabled", "enabled"],
		updated
	],
	at: "/assistants/"
}, VIEWS = {
	"/assistants": {
		title: "assistants",
		operation: "assistants.get_assistants",
		rows: assistantRows
	},
	"/assistants/:id": {
		title: "assistant",
		operation: "assistants.get_public_assistant",
		parameter: "assistant_id",
		name: "name",
		text: "description",
		starts: !0,
		facts: [
			["model", "model"],
			["enabled", "enabled"],
			["disabled_reason", "reason"],
			["visibility", "visibility"],
			created,
			updated
		]
	},
	"/audio": {
		title: "audio",
		operation: "audio.get_speech_models",
		rows: {
			in: "items",
			id: "id",
			title: "name",
			facts: [
				["id", "model"],
				["provider", "provider"],
				["voices", "voices"]
			]
		}
	},
	"/automations": {
		title: "automations",
		operation: "automations.list_automations",
		rows: {
			in: "items",
			id: "id",
			title: "name",
			facts: [
				["enabled", "enabled"],
				["next_run_at", "next"],
				["failures_in_row", "failures"]
			],
			at: "/automations/"
		}
	},
	"/automations/:id": {
		title: "automation",
		operation: "automations.get_automation",
		parameter: "automation_id",
		name: "name",
		text: "prompt",
		facts: [
			["enabled", "enabled"],
			["paused_reason", "reason"],
			["next_run_at", "next"],
			["failures_in_row", "failures"],
			created,
			updated
		]
	},
	"/catalog": {
		title: "catalog",
		operation: "catalog.list_packages",
		rows: {
			in: "items",
			id: "id",
			title: "name",
			facts: [
				["version", "version"],
				["publisher", "publisher"],
				["license", "licence"]
			]
		}
	},
	"/control-tower": {
		title: "reports",
		operation: "control-tower.get_kpis",
		facts: [
			["from_date", "from"],
			["to_date", "to"],
			["active_users.value", "users"],
			["conversations.value", "conversations"],
			["messages.value", "messages"],
			["errors.value", "failures"],
			["cost_nanos.value", "cost"]
		]
	},
	"/groups/sync/history": {
		title: "groups",
		operation: "groups.get_sync_history",
		rows: {
			in: "items",
			id: "sync_id",
			title: "status",
			facts: [
				["created_at", "created"],
				["finished_at", "finished"],
				["error", "error"]
			]
		}
	},
	"/knowledge-bases": {
		title: "bases",
		operation: "knowledge-bases.list_knowledge_bases",
		rows: {
			in: "items",
			id: "id",
			title: "name",
			facts: [
				["documents", "documents"],
				["status", "status"],
				updated
			],
			at: "/knowledge-bases/"
		}
	},
	"/knowledge-bases/:id": {
		title: "base",
		operation: "knowledge-bases.get_knowledge_base",
		parameter: "knowledge_base_id",
		name: "name",
		text: "description",
		facts: [
			["documents", "documents"],
			["status", "status"],
			["embedding_model", "model"],
			["visibility", "visibility"],
			created,
			updated
		]
	},
	"/notifications/endpoints": {
		title: "endpoints",
		operation: "notifications.list_notification_endpoints",
		rows: {
			in: "items",
			id: "id",
			title: "label",
			facts: [
				["kind", "kind"],
				["url", "address"],
				["last_delivered_at", "delivered"],
				["last_error", "error"]
			]
		}
	},
	"/skills": {
		title: "skills",
		operation: "skills.list_global_skills",
		rows: {
			in: "items",
			id: "id",
			title: "name",
			facts: [["description", "description"], updated],
			at: "/skills/"
		}
	},
	"/skills/:id": {
		title: "skill",
		operation: "skills.get_global_skill",
		parameter: "skill_id",
		name: "name",
		text: "description",
		facts: [
			["functions", "functions"],
			["visibility", "visibility"],
			created,
			updated
		]
	},
	"/tenant-admin": {
		title: "tenant",
		operation: "tenant-admin.get_settings",
		name: "name",
		facts: [
			["slug", "slug"],
			["provisioning_mode", "admission"],
			["time_zone", "timeZone"],
			created,
			updated
		]
	},
	"/tenant-admin/budgets": {
		title: "budgets",
		operation: "tenant-admin.get_budgets",
		facts: [
			["tenant.month.cost_nanos", "month"],
			["tenant.cost_nanos_month", "monthLimit"],
			["tenant.day.cost_nanos", "today"],
			["tenant.cost_nanos_day", "dayLimit"]
		],
		rows: {
			in: "users",
			id: "user_id",
			title: "display_name",
			facts: [
				["month.cost_nanos", "month"],
				["cost_nanos_month", "monthLimit"],
				["day.cost_nanos", "today"],
				["cost_nanos_day", "dayLimit"]
			]
		}
	},
	"/tenant-admin/join-requests": {
		title: "joinRequests",
		operation: "tenant-admin.list_join_requests",
		rows: {
			in: "items",
			id: "id",
			title: "display_name",
			facts: [
				["email", "email"],
				["proved", "verified"],
				["created_at", "created"],
				["expires_at", "expires"]
			]
		}
	},
	"/usage": {
		title: "usage",
		operation: "users.get_user_usage_summary",
		facts: [
			["today.cost_nanos", "today"],
			["this_month.cost_nanos", "month"],
			["last_month.cost_nanos", "lastMonth"],
			["all_time.cost_nanos", "total"],
			["budget.cost_nanos_month", "monthLimit"],
			["budget.cost_nanos_day", "dayLimit"]
		]
	},
	"/video": {
		title: "videos",
		operation: "video.list_jobs",
		rows: {
			in: "items",
			id: "job_id",
			title: "prompt",
			facts: [
				["status", "status"],
				["created_at", "created"],
				["cost_nanos", "cost"]
			],
			at: "/video/"
		}
	},
	"/video/:id": {
		title: "video",
		operation: "video.get_job_status",
		parameter: "job_id",
		text: "prompt",
		file: "video.get_job_result",
		facts: [
			["status", "status"],
			["progress", "progress"],
			["error.message", "error"],
			["model", "model"],
			["seconds", "seconds"],
			["size", "size"],
			["cost_nanos", "cost"],
			created,
			["finished_at", "finished"],
			["expires_at", "expires"]
		]
	},
	"/workflows": {
		title: "workflows",
		operation: "assistants.get_assistants",
		query: { type: "workflow" },
		rows: assistantRows
	}
};
export { ENUMERATED, VIEWS };
