const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./settings.js","./rolldown-runtime.js","./vendor.js","./parts.js"])))=>i.map(i=>d[i]);
import { __exportAll } from "./rolldown-runtime.js";
import { $document, $window, append, attach, autofocus, await_block, bind_this, bind_value, child, comment, component, deferred_template_effect, delegate, delegated, each, event, first_child, flushSync, from_html, get, head, if_block, index, init_select, key, next, noop, onMount, only_child, pop, prop, props_id, proxy, push, remove_input_defaults, remove_textarea_child, reset, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, snippet, spread_props, state, template_effect, text, tick, to_array, update, user_derived, user_effect, user_pre_effect } from "./vendor.js";
import { Brain, MessageSquare, Pencil, SquarePen, Trash, projects } from "./settings.js";
import { ApiProblem, Button, Check, ChevronDown, CircleAlert, Combobox, Dialog, Field, Icon, Logo, Menu, ProblemNote, ProblemPanel, SearchX, StatePanel, Submission, X, __vitePreload, addressOf, bytes, call, connection, cost, dateTime, everyPage, href, look, match, navigate, number, renewCredentials, request, root as root$34, router, session, signOut, t, toasts, why } from "./parts.js";
// node_modules/lucide/dist/esm/icons/archive-arrow-up.mjs
var ArchiveArrowUp = [
	["rect", {
		width: "20",
		height: "5",
		x: "2",
		y: "3",
		rx: "1"
	}],
	["path", { d: "M4 8v11a2 2 0 0 0 2 2h2" }],
	["path", { d: "M20 8v11a2 2 0 0 1-2 2h-2" }],
	["path", { d: "m9 15 3-3 3 3" }],
	["path", { d: "M12 12v9" }]
], Archive = [
	["rect", {
		width: "20",
		height: "5",
		x: "2",
		y: "3",
		rx: "1"
	}],
	["path", { d: "M4 8v11a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8" }],
	["path", { d: "M10 12h4" }]
], ArrowDown = [["path", { d: "M12 5v14" }], ["path", { d: "m19 12-7 7-7-7" }]], ArrowLeft = [["path", { d: "m12 19-7-7 7-7" }], ["path", { d: "M19 12H5" }]], ArrowUp = [["path", { d: "m5 12 7-7 7 7" }], ["path", { d: "M12 19V5" }]], BookOpen = [["path", { d: "M12 5v16" }], ["path", { d: "M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z" }]], ChevronLeft = [["path", { d: "m15 18-6-6 6-6" }]], ChevronRight = [["path", { d: "m9 18 6-6-6-6" }]], ChevronUp = [["path", { d: "m18 15-6-6-6 6" }]], ChevronsUpDown = [["path", { d: "m7 15 5 5 5-5" }], ["path", { d: "m7 9 5-5 5 5" }]], CircleStop = [["circle", {
	cx: "12",
	cy: "12",
	r: "10"
}], ["rect", {
	x: "9",
	y: "9",
	width: "6",
	height: "6",
	rx: "1"
}]], Copy = [["rect", {
	width: "14",
	height: "14",
	x: "8",
	y: "8",
	rx: "2",
	ry: "2"
}], ["path", { d: "M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2" }]], Download = [
	["path", { d: "M12 15V3" }],
	["path", { d: "M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4" }],
	["path", { d: "m7 10 5 5 5-5" }]
], Ellipsis = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "1"
	}],
	["circle", {
		cx: "19",
		cy: "12",
		r: "1"
	}],
	["circle", {
		cx: "5",
		cy: "12",
		r: "1"
	}]
], ExternalLink = [
	["path", { d: "M15 3h6v6" }],
	["path", { d: "M10 14 21 3" }],
	["path", { d: "M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6" }]
], File = [["path", { d: "M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z" }], ["path", { d: "M14 2v5a1 1 0 0 0 1 1h5" }]], FolderInput = [
	["path", { d: "M2 9V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H20a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-1" }],
	["path", { d: "M2 13h10" }],
	["path", { d: "m9 16 3-3-3-3" }]
], FolderMinus = [["path", { d: "M9 13h6" }], ["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]], FolderPlus = [
	["path", { d: "M12 10v6" }],
	["path", { d: "M9 13h6" }],
	["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]
], Folder = [["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]], Hourglass = [
	["path", { d: "M5 22h14" }],
	["path", { d: "M5 2h14" }],
	["path", { d: "M17 22v-4.172a2 2 0 0 0-.586-1.414L12 12l-4.414 4.414A2 2 0 0 0 7 17.828V22" }],
	["path", { d: "M7 2v4.172a2 2 0 0 0 .586 1.414L12 12l4.414-4.414A2 2 0 0 0 17 6.172V2" }]
], Info = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "10"
	}],
	["path", { d: "M12 16v-4" }],
	["path", { d: "M12 8h.01" }]
], Keyboard = [
	["path", { d: "M10 8h.01" }],
	["path", { d: "M12 12h.01" }],
	["path", { d: "M14 8h.01" }],
	["path", { d: "M16 12h.01" }],
	["path", { d: "M18 8h.01" }],
	["path", { d: "M6 8h.01" }],
	["path", { d: "M7 16h10" }],
	["path", { d: "M8 12h.01" }],
	["rect", {
		width: "20",
		height: "16",
		x: "2",
		y: "4",
		rx: "2"
	}]
], Lightbulb = [
	["path", { d: "M15 14c.2-1 .7-1.7 1.5-2.5 1-.9 1.5-2.2 1.5-3.5A6 6 0 0 0 6 8c0 1 .2 2.2 1.5 3.5.7.7 1.3 1.5 1.5 2.5" }],
	["path", { d: "M9 18h6" }],
	["path", { d: "M10 22h4" }]
], LogOut = [
	["path", { d: "m16 17 5-5-5-5" }],
	["path", { d: "M21 12H9" }],
	["path", { d: "M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4" }]
], Moon = [["path", { d: "M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401" }]], PanelLeftClose = [
	["rect", {
		width: "18",
		height: "18",
		x: "3",
		y: "3",
		rx: "2"
	}],
	["path", { d: "M9 3v18" }],
	["path", { d: "m16 15-3-3 3-3" }]
], PanelLeft = [["rect", {
	width: "18",
	height: "18",
	x: "3",
	y: "3",
	rx: "2"
}], ["path", { d: "M9 3v18" }]], Paperclip = [["path", { d: "m16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551" }]], PinOff = [
	["path", { d: "M12 17v5" }],
	["path", { d: "M15 9.34V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H7.89" }],
	["path", { d: "m2 2 20 20" }],
	["path", { d: "M9 9v1.76a2 2 0 0 1-1.11 1.79l-1.78.9A2 2 0 0 0 5 15.24V16a1 1 0 0 0 1 1h11" }]
], Pin = [["path", { d: "M12 17v5" }], ["path", { d: "M9 10.76a2 2 0 0 1-1.11 1.79l-1.78.9A2 2 0 0 0 5 15.24V16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-.76a2 2 0 0 0-1.11-1.79l-1.78-.9A2 2 0 0 1 15 10.76V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H8a2 2 0 0 0 0 4 1 1 0 0 1 1 1z" }]], RefreshCw = [
	["path", { d: "M3 12a9 9 0 0 1 9-9 9.75 9.75 0 0 1 6.74 2.74L21 8" }],
	["path", { d: "M21 3v5h-5" }],
	["path", { d: "M21 12a9 9 0 0 1-9 9 9.75 9.75 0 0 1-6.74-2.74L3 16" }],
	["path", { d: "M8 16H3v5" }]
], RotateCcwClock = [
	["path", { d: "M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8" }],
	["path", { d: "M3 3v5h5" }],
	["path", { d: "M12 7v5l4 2" }]
], Search = [["path", { d: "m21 21-4.34-4.34" }], ["circle", {
	cx: "11",
	cy: "11",
	r: "8"
}]], Settings = [["path", { d: "M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915" }], ["circle", {
	cx: "12",
	cy: "12",
	r: "3"
}]], Sun = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "4"
	}],
	["path", { d: "M12 2v2" }],
	["path", { d: "M12 20v2" }],
	["path", { d: "m4.93 4.93 1.41 1.41" }],
	["path", { d: "m17.66 17.66 1.41 1.41" }],
	["path", { d: "M2 12h2" }],
	["path", { d: "M20 12h2" }],
	["path", { d: "m6.34 17.66-1.41 1.41" }],
	["path", { d: "m19.07 4.93-1.41 1.41" }]
], ThumbsDown = [["path", { d: "M9 18.12 10 14H4.17a2 2 0 0 1-1.92-2.56l2.33-8A2 2 0 0 1 6.5 2H20a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-2.76a2 2 0 0 0-1.79 1.11L12 22a3.13 3.13 0 0 1-3-3.88Z" }], ["path", { d: "M17 14V2" }]], ThumbsUp = [["path", { d: "M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z" }], ["path", { d: "M7 10v12" }]], TriangleAlert = [
	["path", { d: "m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3" }],
	["path", { d: "M12 9v4" }],
	["path", { d: "M12 17h.01" }]
], Wrench = [["path", { d: "M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z" }]], Choices = class {
	#models = state([]);
	get models() {
		return get(this.#models);
	}
	set models(value) {
		set(this.#models, value);
	}
	#assistants = state([]);
	get assistants() {
		return get(this.#assistants);
	}
	set assistants(value) {
		set(this.#assistants, value);
	}
	#loaded = state(!1);
	get loaded() {
		return get(this.#loaded);
	}
	set loaded(value) {
		set(this.#loaded, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	loading;
	load(withAssistants) {
		return this.loading ??= this.read(withAssistants).finally(() => this.loading = void 0), this.loading;
	}
	async read(withAssistants) {
		try {
			let [models, assistants] = await Promise.all([call("chat.get_models"), withAssistants ? everyPage((cursor) => call("assistants.get_assistants", { query: {
				limit: 100,
				...cursor ? { cursor } : {}
			} })) : []]);
			this.models = models.items.filter((model) => model.capability_tags.includes("chat")), this.assistants = assistants, this.problem = void 0, this.loaded = !0;
		} catch (error) {
			this.problem = error;
		}
	}
	get fallback() {
		return this.model(session.user?.preferences.default_model) ?? this.models.find(({ is_default }) => is_default);
	}
	model(id) {
		return this.models.find((model) => model.id === id);
	}
	assistant(id) {
		return this.assistants.find((assistant) => assistant.id === id);
	}
	modelOptions(chosen) {
		let groupOf = (model) => model.is_favourite ? t.chat.favourites : model.provider, order = (model) => `${+!model.is_favourite}${model.provider}`, options = [...this.models].sort((a, b) => order(a) < order(b) ? -1 : 1).map((model) => ({
			value: model.id,
			label: model.name,
			description: [model.id, ...model.capability_tags.filter((tag) => tag !== "chat")].join(" · "),
			group: groupOf(model),
			note: priceOf(model),
			unavailable: model.info_tags.includes("own_key") ? t.chat.ownKey : void 0
		}));
		return chosen && this.loaded && !this.model(chosen) && options.unshift({
			value: chosen,
			label: chosen,
			unavailable: t.chat.modelGone
		}), options;
	}
	assistantOptions(chosen) {
		let options = [{
			value: "",
			label: t.chat.noAssistant,
			description: t.chat.noAssistantText
		}, ...this.assistants.map((assistant) => ({
			value: assistant.id,
			label: assistant.name,
			description: assistant.description,
			group: assistant.type === "workflow" ? t.chat.workflows : t.chat.assistants,
			unavailable: assistant.enabled ? void 0 : assistant.disabled_reason ?? t.chat.assistantDisabled
		})).sort((a, b) => a.group < b.group ? -1 : +(a.group > b.group))];
		return chosen && this.loaded && !this.assistant(chosen) && options.splice(1, 0, {
			value: chosen,
			label: t.chat.assistantGone,
			unavailable: t.chat.assistantGoneText
		}), options;
	}
};
function priceOf({ prices }) {
	let perMillion = prices.output_nanos_per_token * 1e6;
	return perMillion > 0 ? t.chat.perMillion(cost(perMillion)) : void 0;
}
var choices = new Choices(), UNDO = 7e3, PAGE = 50, tabs = new BroadcastChannel("understudy.conversations"), conversations = new class {
	#items = state([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	#loading = state(!1);
	get loading() {
		return get(this.#loading);
	}
	set loading(value) {
		set(this.#loading, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#search = state("");
	get search() {
		return get(this.#search);
	}
	set search(value) {
		set(this.#search, value, !0);
	}
	#archived = state(!1);
	get archived() {
		return get(this.#archived);
	}
	set archived(value) {
		set(this.#archived, value, !0);
	}
	#cursor = state();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	request = 0;
	deletions = new Map();
	constructor() {
		tabs.addEventListener("message", () => void this.load()), addEventListener("pagehide", () => this.deleteNow());
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	find(id) {
		return this.items.find((item) => item.id === id);
	}
	async load() {
		let request = ++this.request;
		this.loading = !0;
		try {
			let first = await this.read({}), pinned = first.next_cursor && !this.search && !this.archived ? await this.read({
				pinned: !0,
				limit: 200
			}) : void 0;
			if (request !== this.request) return;
			let known = new Set(first.items.map((item) => item.id));
			this.items = [...first.items, ...(pinned?.items ?? []).filter((item) => !known.has(item.id))], this.cursor = first.next_cursor ?? void 0, this.problem = void 0;
		} catch (error) {
			request === this.request && (this.problem = error);
		} finally {
			request === this.request && (this.loading = !1);
		}
	}
	async loadMore() {
		if (!this.cursor || this.loading) return;
		let request = this.request;
		this.loading = !0;
		try {
			let page = await this.read({ cursor: this.cursor });
			if (request !== this.request) return;
			let known = new Set(this.items.map((item) => item.id));
			this.items = [...this.items, ...page.items.filter((item) => !known.has(item.id))], this.cursor = page.next_cursor ?? void 0;
		} catch (error) {
			this.problem = error;
		} finally {
			this.loading = !1;
		}
	}
	async read(query) {
		let filters = {
			include_projects: !0,
			archived: this.archived,
			...this.search ? { search: this.search } : {}
		}, page = await call("conversations.conversations", { query: {
			limit: PAGE,
			...filters,
			...query
		} });
		return {
			...page,
			items: page.items.filter((item) => !this.deletions.has(item.id))
		};
	}
	put(conversation) {
		let { messages: _, ...item } = conversation;
		item.archived === this.archived ? this.find(item.id) ? this.items = this.items.map((other) => other.id === item.id ? item : other) : this.search || (this.items = [item, ...this.items]) : this.items = this.items.filter((other) => other.id !== item.id);
	}
	patch(id, fields) {
		this.items = this.items.map((item) => item.id === id ? {
			...item,
			...fields
		} : item);
	}
	async change(id, body) {
		let changed = await call("conversations.patch_conversation", {
			path: { conversation_id: id },
			body
		});
		return this.put(changed), this.tellOtherTabs(), changed;
	}
	async move(conversation, project) {
		let path = { conversation_id: conversation.id };
		project ? await call("projects.add_conversation_to_project", { path: {
			project_id: project,
			...path
		} }) : conversation.project_id && await call("projects.remove_conversation_from_project", { path: {
			project_id: conversation.project_id,
			...path
		} }), this.patch(conversation.id, { project_id: project }), this.tellOtherTabs();
	}
	remove(conversation) {
		let before = this.items;
		this.items = before.filter((item) => item.id !== conversation.id), this.deletions.set(conversation.id, setTimeout(() => void this.deletePermanently(conversation.id), UNDO)), toasts.show(t.shell.deleted, { action: {
			label: t.common.undo,
			run: () => {
				clearTimeout(this.deletions.get(conversation.id)), this.deletions.delete(conversation.id), this.load();
			}
		} });
	}
	isRemoved(id) {
		return this.deletions.has(id);
	}
	async deletePermanently(id) {
		try {
			await call("conversations.delete_conversation", { path: { conversation_id: id } });
		} catch (error) {
			toasts.show(error instanceof Error ? error.message : String(error), { tone: "problem" });
		} finally {
			this.deletions.delete(id), await this.load(), this.tellOtherTabs();
		}
	}
	deleteNow() {
		for (let [id, timer] of this.deletions) clearTimeout(timer), fetch(addressOf("conversations.delete_conversation", { path: { conversation_id: id } }), {
			method: "DELETE",
			keepalive: !0
		});
		this.deletions.clear();
	}
	tellOtherTabs() {
		tabs.postMessage("changed");
	}
}();
function grouped(items, now = new Date()) {
	let midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime(), day = 864e5, groupOf = (item) => {
		if (item.pinned) return "pinned";
		let changed = new Date(item.updated_at).getTime();
		return changed >= midnight ? "today" : changed >= midnight - day ? "yesterday" : changed >= midnight - 7 * day ? "week" : changed >= midnight - 30 * day ? "month" : "older";
	}, groups = new Map();
	for (let item of items) {
		let group = groupOf(item);
		groups.set(group, [...groups.get(group) ?? [], item]);
	}
	return [
		"pinned",
		"today",
		"yesterday",
		"week",
		"month",
		"older"
	].flatMap((group) => groups.has(group) ? [[group, groups.get(group) ?? []]] : []);
}
// src/chat/AttachmentDraft.svelte
var root$33 = from_html("<img alt=\"\" class=\"svelte-5z7rpq\"/>"), root_1$26 = from_html("<span class=\"error svelte-5z7rpq\" role=\"alert\"> </span>"), root_2$17 = from_html("<progress max=\"1\" class=\"svelte-5z7rpq\"></progress>"), root_3$13 = from_html("<span class=\"size svelte-5z7rpq\"> </span>"), root_4$9 = from_html("<div><!> <span class=\"about svelte-5z7rpq\"><span class=\"name svelte-5z7rpq\"> </span> <!></span> <!></div>");
function AttachmentDraft($$anchor, $$props) {
	push($$props, !0);
	var div = root_4$9();
	let classes;
	var node = child(div), consequent = ($$anchor) => {
		var img = root$33();
		template_effect(() => set_attribute(img, "src", $$props.upload.preview)), append($$anchor, img);
	}, alternate = ($$anchor) => {
		Icon($$anchor, { get of() {
			return File;
		} });
	};
	if_block(node, ($$render) => {
		$$props.upload.preview ? $$render(consequent) : $$render(alternate, -1);
	});
	var span = sibling(node, 2), span_1 = child(span), text = only_child(span_1, !0), node_1 = sibling(span_1, 2), consequent_1 = ($$anchor) => {
		var span_2 = root_1$26(), text_1 = only_child(span_2, !0);
		template_effect(() => set_text(text_1, $$props.upload.error)), append($$anchor, span_2);
	}, consequent_2 = ($$anchor) => {
		var progress = root_2$17();
		template_effect(($0) => {
			set_value(progress, $$props.upload.progress), set_attribute(progress, "aria-label", $0);
		}, [() => t.chat.uploading($$props.upload.file.name)]), append($$anchor, progress);
	}, alternate_1 = ($$anchor) => {
		var span_3 = root_3$13(), text_2 = only_child(span_3, !0);
		template_effect(($0) => set_text(text_2, $0), [() => bytes($$props.upload.file.size)]), append($$anchor, span_3);
	};
	if_block(node_1, ($$render) => {
		$$props.upload.error ? $$render(consequent_1) : $$props.upload.state === "sending" ? $$render(consequent_2, 1) : $$render(alternate_1, -1);
	}), reset(span);
	var node_2 = sibling(span, 2);
	{
		let $0 = user_derived(() => t.chat.removeFile($$props.upload.file.name));
		Button(node_2, {
			variant: "quiet",
			size: "small",
			get icon() {
				return X;
			},
			get label() {
				return get($0);
			},
			get onclick() {
				return $$props.onremove;
			}
		});
	}
	reset(div), template_effect(() => {
		classes = set_class(div, 1, "draft svelte-5z7rpq", null, classes, { failed: $$props.upload.state === "failed" }), set_text(text, $$props.upload.file.name);
	}), append($$anchor, div), pop();
}
// src/chat/drafts.ts
var PREFIX = "understudy.draft.", LONGEST = 1e5, drafts = {
	read(key) {
		return sessionStorage.getItem(PREFIX + key) ?? "";
	},
	write(key, text) {
		try {
			text && text.length <= LONGEST ? sessionStorage.setItem(PREFIX + key, text) : sessionStorage.removeItem(PREFIX + key);
		} catch {}
	}
}, LARGEST = 33554432, MOST = 20, Upload = class {
	file;
	#progress = state(0);
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value, !0);
	}
	#state = state("waiting");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value, !0);
	}
	#error = state();
	get error() {
		return get(this.#error);
	}
	set error(value) {
		set(this.#error, value, !0);
	}
	#id = state();
	get id() {
		return get(this.#id);
	}
	set id(value) {
		set(this.#id, value, !0);
	}
	preview;
	request;
	constructor(file) {
		this.file = file, this.preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : void 0, file.size > LARGEST ? this.fail(t.chat.fileTooLarge) : file.size === 0 && this.fail(t.chat.fileEmpty);
	}
	fail(error) {
		this.state = "failed", this.error = error;
	}
	async send(conversation) {
		if (this.state === "waiting") {
			this.state = "sending";
			try {
				let body = {
					filename: this.file.name,
					media_type: this.file.type || "application/octet-stream",
					size: this.file.size
				}, place = await call("conversations.get_signed_upload_url", {
					path: { conversation_id: conversation },
					body
				});
				await this.put(place.url, place.method, place.headers), this.id = place.upload_id, this.progress = 1, this.state = "done";
			} catch (error) {
				this.state === "sending" && this.fail(error instanceof Error ? error.message : String(error));
			}
		}
	}
	put(address, method, headers) {
		return new Promise((resolve, reject) => {
			let request = new XMLHttpRequest();
			this.request = request, request.open(method, withinServer(address));
			for (let [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
			request.upload.onprogress = (event) => this.progress = event.lengthComputable ? event.loaded / event.total : 0, request.onload = () => request.status < 300 ? resolve() : reject(Error(detailOf(request.responseText) ?? t.chat.uploadFailed)), request.onerror = () => reject(Error(t.state.unreachable)), request.send(this.file);
		});
	}
	discard() {
		this.request?.abort(), this.preview && URL.revokeObjectURL(this.preview);
	}
};
function withinServer(address) {
	let { pathname, search } = new URL(address, location.href), path = pathname.slice(pathname.indexOf("/api/") + 1);
	return root$34 + path + search;
}
function detailOf(body) {
	try {
		return JSON.parse(body).detail;
	} catch {
		return;
	}
}
var Attachments = class {
	#list = state([]);
	get list() {
		return get(this.#list);
	}
	set list(value) {
		set(this.#list, value);
	}
	#refusal = state();
	get refusal() {
		return get(this.#refusal);
	}
	set refusal(value) {
		set(this.#refusal, value, !0);
	}
	get settled() {
		return this.list.every(({ state }) => state === "done" || state === "failed");
	}
	get usable() {
		return this.list.filter(({ state }) => state !== "failed");
	}
	add(files, conversation) {
		let added = [...files].map((file) => new Upload(file)), room = MOST - this.list.length;
		this.refusal = added.length > room ? t.chat.tooManyFiles(MOST) : void 0, added.slice(room).forEach((upload) => upload.discard()), this.list = [...this.list, ...added.slice(0, room)], conversation && this.send(conversation);
	}
	async send(conversation) {
		await Promise.all(this.list.map((upload) => upload.send(conversation)));
	}
	remove(upload) {
		upload.discard(), this.list = this.list.filter((other) => other !== upload);
	}
	clear() {
		this.list.forEach((upload) => upload.discard()), this.list = [], this.refusal = void 0;
	}
}, root$32 = from_html("<p class=\"drop svelte-117i28w\" role=\"status\"> </p>"), root_1$25 = from_html("<li class=\"svelte-117i28w\"><!></li>"), root_2$16 = from_html("<ul role=\"list\" class=\"files svelte-117i28w\"></ul>"), root_3$12 = from_html("<p class=\"refusal svelte-117i28w\" role=\"alert\"> </p>"), root_4$8 = from_html("<form><!> <!> <!> <label class=\"visually-hidden\" for=\"message-field\"> </label> <textarea id=\"message-field\" rows=\"1\" class=\"svelte-117i28w\"></textarea> <div class=\"bar svelte-117i28w\"><input type=\"file\" multiple=\"\" hidden=\"\"/> <!> <div class=\"pickers svelte-117i28w\"><!></div> <!></div></form>");
function Composer($$anchor, $$props) {
	push($$props, !0);
	let draft = $$props.conversation ?? "new", text = state(proxy(drafts.read(draft))), sending = state(!1), dragging = state(0), attachments = new Attachments(), field, picker, canSend = user_derived(() => (get(text).trim() !== "" || attachments.usable.length > 0) && !get(sending) && !$$props.responding);
	onMount(() => (matchMedia("(pointer: fine)").matches && field.focus(), grow(), () => attachments.clear())), user_effect(() => drafts.write(draft, get(text)));
	function grow() {
		CSS.supports("field-sizing", "content") || (field.style.setProperty("block-size", "auto"), field.style.setProperty("block-size", `${field.scrollHeight}px`));
	}
	function insert(value) {
		set(text, value, !0), tick().then(() => {
			grow(), field.focus();
		});
	}
	async function send() {
		if (!get(canSend)) return;
		set(sending, !0);
		let [former, files] = [get(text), [...attachments.list]];
		set(text, "");
		let sent = await $$props.onsend(former, attachments);
		set(sending, !1), sent ? attachments.clear() : (attachments.list = files, set(text, former, !0)), await tick(), grow();
	}
	function press(event) {
		event.key === "Enter" && !event.shiftKey && !event.isComposing ? (event.preventDefault(), send()) : event.key === "Escape" && $$props.responding ? (event.preventDefault(), $$props.onstop()) : event.key === "ArrowUp" && get(text) === "" && (event.preventDefault(), $$props.oneditlast());
	}
	function paste(event) {
		let files = event.clipboardData?.files;
		files?.length && (event.preventDefault(), attachments.add(files, $$props.conversation));
	}
	function drop(event) {
		set(dragging, 0), event.dataTransfer?.files.length && (event.preventDefault(), attachments.add(event.dataTransfer.files, $$props.conversation));
	}
	let hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? !1;
	var $$exports = { insert }, form = root_4$8();
	event("dragenter", $window, (event) => {
		hasFiles(event) && update(dragging);
	}), event("dragleave", $window, (event) => {
		hasFiles(event) && set(dragging, Math.max(0, get(dragging) - 1), !0);
	}), event("dragover", $window, (event) => {
		hasFiles(event) && event.preventDefault();
	}), event("drop", $window, drop);
	let classes;
	var node = child(form), consequent = ($$anchor) => {
		var p = root$32(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, t.chat.dropHere)), append($$anchor, p);
	};
	if_block(node, ($$render) => {
		get(dragging) > 0 && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		var ul = root_2$16();
		each(ul, 20, () => attachments.list, (upload) => upload, ($$anchor, upload) => {
			var li = root_1$25();
			AttachmentDraft(child(li), {
				get upload() {
					return upload;
				},
				onremove: () => attachments.remove(upload)
			}), reset(li), append($$anchor, li);
		}), reset(ul), template_effect(() => set_attribute(ul, "aria-label", t.chat.attachments)), append($$anchor, ul);
	};
	if_block(node_1, ($$render) => {
		attachments.list.length > 0 && $$render(consequent_1);
	});
	var node_3 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
		var p_1 = root_3$12(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, attachments.refusal)), append($$anchor, p_1);
	};
	if_block(node_3, ($$render) => {
		attachments.refusal && $$render(consequent_2);
	});
	var label = sibling(node_3, 2), text_3 = only_child(label, !0), textarea = sibling(label, 2);
	remove_textarea_child(textarea), bind_this(textarea, ($$value) => field = $$value, () => field);
	var div = sibling(textarea, 2), input = child(div);
	bind_this(input, ($$value) => picker = $$value, () => picker);
	var node_4 = sibling(input, 2);
	Button(node_4, {
		variant: "quiet",
		get icon() {
			return Paperclip;
		},
		get label() {
			return t.chat.attach;
		},
		onclick: () => picker.click()
	});
	var div_1 = sibling(node_4, 2), node_5 = child(div_1);
	snippet(node_5, () => $$props.pickers), reset(div_1);
	var node_6 = sibling(div_1, 2), consequent_3 = ($$anchor) => {
		{
			let $0 = user_derived(() => $$props.stopping ? t.chat.stopping : t.chat.stop);
			Button($$anchor, {
				variant: "primary",
				get icon() {
					return CircleStop;
				},
				get label() {
					return get($0);
				},
				get busy() {
					return $$props.stopping;
				},
				get onclick() {
					return $$props.onstop;
				}
			});
		}
	}, alternate = ($$anchor) => {
		{
			let $0 = user_derived(() => !get(canSend) && !get(sending));
			Button($$anchor, {
				variant: "primary",
				type: "submit",
				get icon() {
					return ArrowUp;
				},
				get label() {
					return t.chat.send;
				},
				get busy() {
					return get(sending);
				},
				get disabled() {
					return get($0);
				}
			});
		}
	};
	return if_block(node_6, ($$render) => {
		$$props.responding ? $$render(consequent_3) : $$render(alternate, -1);
	}), reset(div), reset(form), template_effect(() => {
		classes = set_class(form, 1, "composer svelte-117i28w", null, classes, { dragging: get(dragging) > 0 }), set_text(text_3, t.chat.message), set_attribute(textarea, "placeholder", t.chat.placeholder);
	}), event("submit", form, (event) => {
		event.preventDefault(), send();
	}), delegated("input", textarea, grow), delegated("keydown", textarea, press), event("paste", textarea, paste), bind_value(textarea, () => get(text), ($$value) => set(text, $$value)), delegated("change", input, () => {
		attachments.add(picker.files ?? [], $$props.conversation), picker.value = "";
	}), append($$anchor, form), pop($$exports);
}
delegate([
	"input",
	"keydown",
	"change"
]);
// src/live/answer.ts
var NO_ANSWER = {
	run_id: null,
	seq: 0,
	epoch: 0,
	state: "queued",
	model: null,
	replaced_model: null,
	message_id: null,
	parent_id: null,
	parts: [],
	title: null,
	usage: {
		input_tokens: 0,
		output_tokens: 0,
		cached_tokens: 0,
		reasoning_tokens: 0
	},
	cost_nanos: 0,
	estimated: !1,
	waiting: null,
	paused: null,
	cancelled_by: null,
	recoveries: [],
	steps: [],
	closed_knowledge: 0,
	tool_servers: [],
	terminal: null
}, HIDDEN_FRAME_MS = 250, browserClock = {
	now: () => Date.now(),
	random: () => Math.random(),
	after(delayMs, run) {
		let timer = setTimeout(run, delayMs);
		return () => clearTimeout(timer);
	},
	frame(run) {
		let once = () => {
			cancel(), run();
		}, frame = requestAnimationFrame(once), timer = setTimeout(once, HIDDEN_FRAME_MS), cancel = () => {
			cancelAnimationFrame(frame), clearTimeout(timer);
		};
		return cancel;
	},
	onWake(run) {
		let visible = () => document.visibilityState === "visible" && run();
		return addEventListener("online", run), document.addEventListener("visibilitychange", visible), () => {
			removeEventListener("online", run), document.removeEventListener("visibilitychange", visible);
		};
	}
}, Draft = class {
	next;
	parts = null;
	steps = null;
	constructor(former) {
		this.next = { ...former };
	}
	finish() {
		return this.parts && (this.next.parts = this.parts), this.steps && (this.next.steps = this.steps), this.next;
	}
	apply(event) {
		let { next } = this;
		if (next.run_id ??= event.run_id, next.seq = event.seq, next.epoch = Math.max(next.epoch, event.epoch), isAboutStep(event)) return this.applyToStep(event);
		switch (event.type) {
			case "text.start":
			case "text.delta":
			case "text.end": return this.applyToText(event);
			case "reasoning.start":
			case "reasoning.delta":
			case "reasoning.end": return this.applyToReasoning(event);
			case "tool.call.start":
			case "tool.call.delta":
			case "tool.call.ready":
			case "tool.started":
			case "tool.progress":
			case "tool.result": return this.applyToTool(event);
			case "form.required":
			case "form.submitted":
			case "form.expired": return this.applyToForm(event);
			case "source": return this.addSource(event, event.data);
			case "file": {
				let { blob_id, media_type } = event.data;
				return this.add({
					kind: "file",
					id: `file-${event.seq}`,
					step: stepOf(event),
					blob_id,
					media_type,
					filename: null
				});
			}
			default: return this.applyToRun(event);
		}
	}
	applyToRun(event) {
		let { next } = this;
		switch (event.type) {
			case "run.started": return next.model = event.data.model, next.message_id = event.data.message_id ?? null, next.parent_id = event.data.parent_id ?? null, this.enter("running");
			case "run.waiting": return next.waiting = event.data, this.enter("waiting");
			case "run.paused": return next.paused = event.data, this.enter("paused");
			case "run.resumed": return this.enter("running");
			case "run.recovered": return next.recoveries = [...next.recoveries, {
				seq: event.seq,
				epoch: event.data.epoch,
				continued: !0
			}], this.enter("running");
			case "run.reset": return next.recoveries = [...next.recoveries, {
				seq: event.seq,
				epoch: event.epoch,
				continued: !1
			}], this.parts = [], this.enter("running");
			case "run.cancelling": return next.cancelled_by = event.data.by, this.enter("cancelling");
			case "run.ended": return this.end(event.data);
			case "title":
				next.title = event.data.title;
				return;
			case "model.answering":
				next.replaced_model ??= next.model, next.model = event.data.model;
				return;
			case "usage": return this.addUsage(event.data);
			case "knowledge.closed":
				next.closed_knowledge = event.data.count;
				return;
			case "tool.server": {
				let issue = event.data;
				next.tool_servers = [...next.tool_servers.filter((other) => other.server !== issue.server || other.code !== issue.code), issue];
				return;
			}
		}
	}
	enter(state) {
		let { next } = this;
		state !== "waiting" && (next.waiting = null), state !== "paused" && (next.paused = null), next.state = next.state === "cancelling" ? "cancelling" : state;
	}
	end({ terminal }) {
		let { next } = this;
		next.waiting = next.paused = null, next.terminal = terminal, next.state = terminal.status, next.usage = terminal.usage, next.cost_nanos = terminal.cost_nanos, next.cancelled_by = terminal.cancelled_by ?? null;
		for (let part of this.parts ?? next.parts) (part.kind === "text" || part.kind === "reasoning") && part.open && this.replace(part, {
			...part,
			open: !1
		});
	}
	addUsage(data) {
		let { next } = this, sum = (name) => (next.usage[name] ?? 0) + (data[name] ?? 0);
		next.usage = {
			input_tokens: sum("input_tokens"),
			output_tokens: sum("output_tokens"),
			cached_tokens: sum("cached_tokens"),
			reasoning_tokens: sum("reasoning_tokens")
		}, next.cost_nanos += data.cost_nanos, next.estimated ||= data.estimated === !0;
	}
	applyToText(event) {
		let id = event.data.part;
		if (event.type === "text.start") return this.add({
			kind: "text",
			id,
			step: stepOf(event),
			text: "",
			open: !0
		});
		let part = this.find("text", id);
		if (event.type === "text.end") return part && this.replace(part, {
			...part,
			open: !1
		});
		let known = part ?? this.added({
			kind: "text",
			id,
			step: stepOf(event),
			text: "",
			open: !0
		});
		this.replace(known, {
			...known,
			text: known.text + event.data.text
		});
	}
	applyToReasoning(event) {
		let id = event.data.part;
		if (event.type === "reasoning.start") return this.add(reasoning(id, event));
		let part = this.find("reasoning", id);
		if (event.type === "reasoning.end") return part && this.replace(part, {
			...part,
			open: !1,
			ended_at: event.ts
		});
		let known = part ?? this.added(reasoning(id, event));
		this.replace(known, {
			...known,
			text: known.text + (event.data.text ?? "")
		});
	}
	applyToTool(event) {
		let id = event.data.call_id, part = this.find("tool", id) ?? this.added(toolPart$1(event)), changed = { ...part };
		switch (event.type) {
			case "tool.call.start": return;
			case "tool.call.delta":
				changed.input += event.data.arguments;
				break;
			case "tool.call.ready":
				changed.name = event.data.name, changed.arguments = event.data.arguments, changed.state = "ready";
				break;
			case "tool.started":
				changed.server = {
					name: event.data.server,
					tool: event.data.tool
				}, changed.state = "running";
				break;
			case "tool.progress": {
				let { progress, total, message } = event.data;
				changed.progress = {
					done: progress,
					total: total ?? null,
					message: message ?? null
				}, changed.state = "running";
				break;
			}
			case "tool.result": changed.output = event.data.output ?? null, changed.error = event.data.error ?? null, changed.state = changed.error === null ? "succeeded" : "failed";
		}
		this.replace(part, changed);
	}
	applyToForm(event) {
		let { form_id: id = "" } = event.data;
		if (event.type === "form.required") return this.add({
			kind: "form",
			id,
			step: stepOf(event),
			form: event.data,
			state: "open",
			submission: null
		});
		let form = this.find("form", id);
		if (!form) return;
		let closed = event.type === "form.submitted" ? {
			...form,
			state: "submitted",
			submission: event.data
		} : {
			...form,
			state: "expired"
		};
		this.replace(form, closed);
	}
	addSource(event, source) {
		let number = source.place?.number || null;
		this.add({
			kind: "source",
			id: `source-${event.seq}`,
			step: stepOf(event),
			source,
			number
		});
	}
	applyToStep(event) {
		let id = event.exec_id ?? "", steps = this.steps ??= [...this.next.steps], at = steps.findLastIndex((step) => step.id === id), step = changedStep(steps[at] ?? {
			id,
			node: event.node_id ?? id,
			state: "ready",
			attempt: 0,
			started_at: null,
			ended_at: null
		}, event);
		at >= 0 ? steps[at] = step : steps.push(step), steps.length > 500 && steps.shift();
	}
	find(kind, id) {
		return (this.parts ?? this.next.parts).findLast((part) => part.kind === kind && part.id === id);
	}
	add(part) {
		(this.parts ??= [...this.next.parts]).push(part);
	}
	added(part) {
		return this.add(part), part;
	}
	replace(former, changed) {
		let parts = this.parts ??= [...this.next.parts];
		parts[parts.lastIndexOf(former)] = changed;
	}
};
function isAboutStep(event) {
	return /^node\.(ready|started|retry|waiting|finished|skipped)$/.test(event.type);
}
function stepOf(event) {
	return event.exec_id ?? null;
}
function reasoning(id, event) {
	return {
		kind: "reasoning",
		id,
		step: stepOf(event),
		text: "",
		open: !0,
		started_at: event.ts,
		ended_at: null
	};
}
function toolPart$1(event) {
	let { data } = event;
	return {
		kind: "tool",
		id: data.call_id,
		step: stepOf(event),
		name: "name" in data ? data.name : "",
		state: "writing",
		client: "client" in data && data.client === !0,
		input: "",
		arguments: void 0,
		server: null,
		progress: null,
		output: void 0,
		error: null
	};
}
function changedStep(step, event) {
	switch (event.type) {
		case "node.ready": return {
			...step,
			state: "ready"
		};
		case "node.started": return {
			...step,
			state: "running",
			attempt: event.data.attempt ?? 1,
			started_at: step.started_at ?? event.ts
		};
		case "node.retry": return {
			...step,
			state: "waiting"
		};
		case "node.waiting": return {
			...step,
			state: "waiting"
		};
		case "node.finished": return {
			...step,
			state: event.data.status ?? "succeeded",
			ended_at: event.ts
		};
		case "node.skipped": return {
			...step,
			state: "skipped",
			ended_at: event.ts
		};
	}
}
// src/live/fold.ts
function fold(answer, events, options = {}) {
	let draft = null, seq = answer.seq;
	for (let event of events) {
		if (event.seq <= seq || answer.terminal !== null || answer.run_id !== null && event.run_id !== answer.run_id) continue;
		let isMerged = options.folded === !0 && isDelta(event);
		if (event.seq !== seq + 1 && !isMerged) return {
			answer: draft?.finish() ?? answer,
			gap: !0
		};
		draft ??= new Draft(answer), draft.apply(event), seq = event.seq;
	}
	return {
		answer: draft?.finish() ?? answer,
		gap: !1
	};
}
function isDelta(event) {
	return event.type === "text.delta" || event.type === "reasoning.delta" || event.type === "tool.call.delta";
}
// src/live/problem.ts
async function problemOf(response) {
	let fallback = {
		status: response.status,
		title: response.statusText || `The server responded with ${response.status}`
	};
	try {
		return asProblem(await response.json(), fallback);
	} catch {
		return asProblem(null, fallback);
	}
}
function asProblem(value, fallback) {
	let given = typeof value == "object" && value ? value : {}, { status, title } = fallback;
	return {
		type: "about:blank",
		title,
		status,
		code: `http_${status}`,
		request_id: "",
		...given
	};
}
function isTemporary(status) {
	return status === 408 || status === 425 || status === 429 || status >= 500;
}
function retryAfterMs(response) {
	let seconds = Number(response.headers.get("retry-after"));
	return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 300) * 1e3 : 0;
}
// src/live/follow.ts
var GAP_ATTEMPTS = 3, AnswerFollower = class {
	transport;
	target;
	options;
	answer;
	pending = [];
	cancelFrame = null;
	gaps = 0;
	closed = !1;
	clock;
	subscription = null;
	constructor(transport, target, options) {
		this.transport = transport, this.target = target, this.options = options, this.answer = options.answer ?? NO_ANSWER, this.clock = options.clock ?? browserClock, this.subscribe();
	}
	close() {
		this.closed || (this.closed = !0, this.cancelFrame?.(), this.subscription?.close());
	}
	subscribe() {
		let { options } = this;
		this.subscription = this.transport.subscribe(this.target, {
			deliver: (events) => this.buffer(events),
			ended: () => this.finish(),
			refused: (problem) => this.refuse(problem),
			connection: (connection) => options.onConnection?.(connection)
		}, {
			after: this.answer.seq,
			fold: !0
		});
	}
	buffer(events) {
		for (let event of events) this.pending.push(event);
		this.cancelFrame ??= this.clock.frame(() => this.flush());
	}
	flush() {
		this.cancelFrame?.(), this.cancelFrame = null;
		let { pending, answer: former } = this;
		this.pending = [];
		let { answer, gap } = fold(former, pending, { folded: !0 });
		return this.answer = answer, answer !== former && (this.gaps = 0, this.options.onAnswer(answer)), !gap || this.closed ? !1 : (this.subscription?.close(), ++this.gaps > GAP_ATTEMPTS ? this.refuse(missingEvent(answer.seq + 1)) : this.subscribe(), !0);
	}
	finish() {
		this.closed || this.flush() || this.close();
	}
	refuse(problem) {
		this.closed || (this.closed = !0, this.flush(), this.subscription?.close(), this.options.onRefused(problem));
	}
};
function missingEvent(seq) {
	return asProblem({
		code: "stream_gap",
		detail: `Event ${seq} of the stream is missing.`
	}, {
		status: 500,
		title: "A part of the answer could not be read"
	});
}
// src/live/transport.ts
var LiveProblem = class extends Error {
	problem;
	constructor(problem) {
		super(problem.detail ?? problem.title), this.problem = problem, this.name = "LiveProblem";
	}
};
function pathOf(target) {
	switch (target.to) {
		case "stream": return `api/conversations/${encodeURIComponent(target.conversation_id)}/streams/${encodeURIComponent(target.stream_id)}`;
		case "conversation": return `api/conversations/${encodeURIComponent(target.conversation_id)}`;
		case "notifications": return "api/notifications";
	}
}
// src/live/api.ts
async function cancelRun(api, target) {
	let response = await api.fetch(pathOf(target), { method: "DELETE" });
	if (!response.ok) throw new LiveProblem(await problemOf(response));
	await response.body?.cancel();
}
async function checkLogin(api) {
	let response = await api.fetch("api/users/me");
	if (response.ok) return response.body?.cancel();
	let problem = await problemOf(response);
	throw isTemporary(response.status) ? Error(problem.title) : new LiveProblem(problem);
}
// src/live/retry.ts
var FIRST_MS = 500, MAX_MS = 3e4, Backoff = class {
	clock;
	failures = 0;
	constructor(clock) {
		this.clock = clock;
	}
	get attempt() {
		return this.failures;
	}
	next(leastMs = 0) {
		let ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.failures, 16));
		return this.failures += 1, Math.max(leastMs, ceiling / 2 + this.clock.random() * ceiling / 2);
	}
	reset() {
		this.failures = 0;
	}
};
function afterDelayOrWake(clock, delayMs, run) {
	let once = () => {
		cancel(), run();
	}, cancelTimer = clock.after(delayMs, once), cancelWake = clock.onWake(once), cancel = () => {
		cancelTimer(), cancelWake();
	};
	return cancel;
}
// src/live/sse.ts
var MAX_EVENT_CHARS = 33554432, EventStreamParser = class {
	decoder = new TextDecoder();
	rest = [];
	restChars = 0;
	data = [];
	id = "";
	push(chunk) {
		let events = [], text = this.decoder.decode(chunk, { stream: !0 }), start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			this.rest.push(text.slice(start, end)), start = end + 1;
			let line = this.rest.length === 1 ? this.rest[0] : this.rest.join("");
			this.rest = [], this.restChars = 0;
			let event = this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
			event && events.push(event);
		}
		if (start < text.length && (this.rest.push(text.slice(start)), this.restChars += text.length - start, this.restChars > MAX_EVENT_CHARS)) throw Error("an event of the stream is too long");
		return events;
	}
	line(line) {
		if (line === "") {
			if (this.data.length === 0) return null;
			let event = {
				id: this.id,
				data: this.data.join("\n")
			};
			return this.data = [], event;
		}
		let colon = line.indexOf(":");
		if (colon === 0) return null;
		let name = colon < 0 ? line : line.slice(0, colon), value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
		return name === "data" ? this.data.push(value) : name === "id" && !value.includes("\0") && (this.id = value), null;
	}
}, SILENCE_MS = 45e3, CONNECTIONS = 4, PRIORITY = {
	stream: 0,
	conversation: 1,
	notifications: 2
}, HttpTransport = class {
	api;
	clock;
	readers = new Set();
	constructor(api, clock = browserClock) {
		this.api = api, this.clock = clock;
	}
	subscribe(target, subscriber, options = {}) {
		let reader = new Reader(this.api, this.clock, target, subscriber, options, () => {
			this.readers.delete(reader), this.admit();
		});
		return this.readers.add(reader), this.admit(), reader;
	}
	cancel(target) {
		return cancelRun(this.api, target);
	}
	close() {
		let readers = [...this.readers];
		this.readers.clear();
		for (let reader of readers) reader.close();
	}
	admit() {
		let readers = [...this.readers], free = CONNECTIONS - readers.filter((reader) => reader.started).length, waiting = readers.filter((reader) => !reader.started);
		waiting.sort((a, b) => PRIORITY[a.target.to] - PRIORITY[b.target.to]);
		for (let reader of waiting) {
			if (free-- <= 0) return;
			reader.start();
		}
	}
}, Reader = class {
	api;
	clock;
	target;
	subscriber;
	options;
	onClosed;
	started = !1;
	position;
	closed = !1;
	attempt = null;
	cancelWait = () => {};
	backoff;
	constructor(api, clock, target, subscriber, options, onClosed) {
		this.api = api, this.clock = clock, this.target = target, this.subscriber = subscriber, this.options = options, this.onClosed = onClosed, this.position = options.after, this.backoff = new Backoff(clock);
	}
	start() {
		this.started = !0, this.read();
	}
	close() {
		this.closed || (this.closed = !0, this.stop(), this.onClosed());
	}
	stop() {
		this.cancelWait(), this.attempt?.abort(), this.attempt = null;
	}
	async read() {
		let attempt = new AbortController();
		this.attempt = attempt;
		let isCurrent = () => this.attempt === attempt;
		this.subscriber.connection?.({ state: "connecting" });
		let leastDelayMs = 0;
		try {
			let response = await this.request(attempt.signal);
			if (!isCurrent()) return;
			if (response.status === 204) return this.end(() => this.subscriber.ended());
			if (response.ok) response.body && (this.subscriber.connection?.({ state: "open" }), await this.readBody(response.body, attempt));
			else {
				let problem = await problemOf(response);
				if (!isCurrent()) return;
				if (!isTemporary(response.status)) return this.end(() => this.subscriber.refused(problem));
				leastDelayMs = retryAfterMs(response);
			}
		} catch {}
		isCurrent() && this.wait(this.backoff.next(leastDelayMs));
	}
	request(signal) {
		let headers = { accept: "text/event-stream" };
		this.position !== void 0 && (headers["last-event-id"] = String(this.position));
		let query = this.options.fold && this.target.to === "stream" ? "?fold=true" : "";
		return this.api.fetch(pathOf(this.target) + query, {
			headers,
			signal,
			cache: "no-store"
		});
	}
	async readBody(body, attempt) {
		let parser = new EventStreamParser(), reader = body.getReader(), cancelWatch = () => {};
		try {
			for (;;) {
				cancelWatch = this.clock.after(SILENCE_MS, () => attempt.abort());
				let { done, value } = await reader.read();
				if (cancelWatch(), done || this.attempt !== attempt) return;
				if (this.deliver(parser.push(value))) return this.end(() => this.subscriber.ended());
			}
		} finally {
			cancelWatch(), reader.cancel().catch(() => {});
		}
	}
	deliver(events) {
		if (events.length === 0) return !1;
		let parsed = events.map((event) => JSON.parse(event.data)), { id } = events[events.length - 1];
		return this.position = this.target.to === "conversation" ? id : Number(id), this.backoff.reset(), this.subscriber.deliver(parsed, this.position), this.target.to === "stream" && parsed[parsed.length - 1].type === "run.ended";
	}
	wait(delayMs) {
		if (this.closed) return;
		this.attempt = null;
		let retry_at = this.clock.now() + delayMs;
		this.subscriber.connection?.({
			state: "waiting",
			attempt: this.backoff.attempt,
			retry_at
		}), this.cancelWait = afterDelayOrWake(this.clock, delayMs, () => void this.read());
	}
	end(report) {
		this.closed || (this.close(), report());
	}
};
// src/live/frames.ts
function readFrame(text) {
	if (typeof text != "string") return null;
	let frame;
	try {
		frame = JSON.parse(text);
	} catch {
		return null;
	}
	if (!isObject(frame)) return null;
	if (frame.pong === !0) return { kind: "pong" };
	let id = typeof frame.id == "string" ? frame.id : null;
	return isObject(frame.problem) ? {
		kind: "problem",
		id,
		problem: frame.problem
	} : id === null ? null : isObject(frame.event) ? {
		kind: "event",
		id,
		event: frame.event,
		position: positionIn(frame)
	} : frame.ended === !0 ? {
		kind: "ended",
		id
	} : "subscribed" in frame ? {
		kind: "subscribed",
		id
	} : null;
}
function positionIn(frame) {
	let event = frame.event, position = frame.position ?? event.seq;
	return typeof position == "string" || typeof position == "number" ? position : void 0;
}
function isObject(value) {
	return typeof value == "object" && !!value && !Array.isArray(value);
}
// src/live/socket.ts
var PING_MS = 2e4, ANSWER_MS = 15e3, OPEN_MS = 15e3, IDLE_MS = 6e4, HANDSHAKES = 2, OPEN = 1, SocketTransport = class {
	api;
	options;
	clock;
	backoff;
	open;
	subscriptions = new Map();
	socket = null;
	lastId = 0;
	failedHandshakes = 0;
	closed = !1;
	cancelTimers = [];
	cancelWait = null;
	cancelIdle = () => {};
	heard = !1;
	constructor(api, options = {}) {
		this.api = api, this.options = options, this.clock = options.clock ?? browserClock, this.backoff = new Backoff(this.clock), this.open = options.open ?? ((url) => new WebSocket(url));
	}
	subscribe(target, subscriber, options = {}) {
		let subscription = new SocketSubscription(this, target, subscriber, options.after);
		return this.add(subscription), subscription;
	}
	cancel(target) {
		return cancelRun(this.api, target);
	}
	close() {
		this.closed = !0, this.subscriptions.clear(), this.disconnect(), this.cancelWait?.(), this.cancelIdle();
	}
	add(subscription) {
		this.closed || (this.cancelIdle(), subscription.id = String(++this.lastId), this.subscriptions.set(subscription.id, subscription), this.socket?.readyState === OPEN ? this.request(subscription) : !this.socket && !this.cancelWait && this.connect());
	}
	remove(subscription) {
		this.subscriptions.delete(subscription.id) && (this.socket?.readyState === OPEN && this.send({
			op: "unsubscribe",
			id: subscription.id
		}), this.closeIfIdle());
	}
	connect() {
		this.cancelWait = null, this.notify((subscription) => subscription.subscriber.connection?.({ state: "connecting" }));
		let url = new URL("api/live", new URL(this.api.base, globalThis.location?.href));
		url.protocol = url.protocol.replace("http", "ws");
		let socket = this.open(url.href);
		this.socket = socket;
		let wasOpen = !1, cancelOpen = this.clock.after(OPEN_MS, () => this.lost(socket, wasOpen));
		this.cancelTimers = [cancelOpen], socket.onopen = () => {
			wasOpen = !0, this.failedHandshakes = 0, cancelOpen(), this.watch(socket);
			for (let subscription of this.subscriptions.values()) this.request(subscription);
		}, socket.onmessage = (message) => this.receive(socket, message.data), socket.onclose = () => this.lost(socket, wasOpen);
	}
	watch(socket) {
		this.heard = !1;
		let ping = this.clock.after(PING_MS, () => {
			if (this.heard) return this.watch(socket);
			this.send({ op: "ping" }), this.cancelTimers = [this.clock.after(ANSWER_MS, () => this.heard ? this.watch(socket) : this.lost(socket, !0))];
		});
		this.cancelTimers = [ping];
	}
	lost(socket, wasOpen) {
		this.socket === socket && (this.disconnect(), this.closed || this.subscriptions.size === 0 || this.retryLater(wasOpen));
	}
	async reconnect(wasOpen) {
		try {
			await checkLogin(this.api);
		} catch (error) {
			return this.closed ? void 0 : error instanceof LiveProblem ? this.refuseAll(error.problem) : this.retryLater(wasOpen);
		}
		if (!this.closed) {
			if (!wasOpen && ++this.failedHandshakes >= HANDSHAKES) return this.giveUp();
			this.connect();
		}
	}
	retryLater(wasOpen) {
		let delayMs = this.backoff.next(), retry_at = this.clock.now() + delayMs, { attempt } = this.backoff;
		this.notify(({ subscriber }) => subscriber.connection?.({
			state: "waiting",
			attempt,
			retry_at
		})), this.cancelWait = afterDelayOrWake(this.clock, delayMs, () => void this.reconnect(wasOpen));
	}
	giveUp() {
		this.closed = !0, this.options.onUnavailable?.();
	}
	refuseAll(problem) {
		let refused = [...this.subscriptions.values()];
		this.subscriptions.clear(), this.cancelWait = null;
		for (let { subscriber } of refused) subscriber.refused(problem);
	}
	disconnect() {
		for (let cancel of this.cancelTimers) cancel();
		this.cancelTimers = [];
		let { socket } = this;
		this.socket = null, socket && (socket.onopen = socket.onmessage = socket.onclose = null, socket.close());
	}
	closeIfIdle() {
		this.subscriptions.size > 0 || (this.cancelIdle(), this.cancelIdle = this.clock.after(IDLE_MS, () => this.disconnect()));
	}
	receive(socket, text) {
		if (this.socket !== socket) return;
		this.heard = !0;
		let frame = readFrame(text);
		if (!frame || frame.kind === "pong" || frame.id === null) return;
		let subscription = this.subscriptions.get(frame.id);
		subscription && this.dispatch(subscription, frame);
	}
	dispatch(subscription, frame) {
		let { subscriber } = subscription;
		switch (frame.kind) {
			case "subscribed": return subscriber.connection?.({ state: "open" });
			case "event": return this.backoff.reset(), subscription.position = frame.position ?? subscription.position, subscriber.deliver([frame.event], subscription.position ?? 0);
			case "ended": return this.forget(subscription), subscriber.ended();
			case "problem": {
				this.forget(subscription);
				let problem = asProblem(frame.problem, {
					status: 500,
					title: "The subscription was refused"
				});
				return subscriber.refused(problem);
			}
		}
	}
	forget(subscription) {
		this.subscriptions.delete(subscription.id), this.closeIfIdle();
	}
	request({ id, target, position }) {
		this.send({
			op: "subscribe",
			id,
			...target,
			...position === void 0 ? {} : { after: position }
		});
	}
	send(frame) {
		this.socket?.send(JSON.stringify(frame));
	}
	notify(report) {
		for (let subscription of [...this.subscriptions.values()]) report(subscription);
	}
}, SocketSubscription = class {
	transport;
	target;
	subscriber;
	position;
	id = "";
	constructor(transport, target, subscriber, position) {
		this.transport = transport, this.target = target, this.subscriber = subscriber, this.position = position;
	}
	close() {
		this.transport.remove(this);
	}
}, LiveTransport = class {
	current;
	subscriptions = new Set();
	constructor(api, options = {}) {
		let clock = options.clock ?? browserClock, http = () => new HttpTransport(api, clock);
		this.current = options.open === null ? http() : new SocketTransport(api, {
			clock,
			...options.open ? { open: options.open } : {},
			onUnavailable: () => {
				options.onUnavailable?.(), this.move(http());
			}
		});
	}
	subscribe(target, subscriber, options = {}) {
		let movable = new MovableSubscription(target, subscriber, options, () => this.subscriptions.delete(movable));
		return this.subscriptions.add(movable), movable.subscribeTo(this.current), movable;
	}
	cancel(target) {
		return this.current.cancel(target);
	}
	close() {
		this.subscriptions.clear(), this.current.close();
	}
	move(next) {
		this.current.close(), this.current = next;
		for (let subscription of [...this.subscriptions]) subscription.subscribeTo(next);
	}
}, MovableSubscription = class {
	target;
	subscriber;
	options;
	onClosed;
	inner = null;
	after;
	constructor(target, subscriber, options, onClosed) {
		this.target = target, this.subscriber = subscriber, this.options = options, this.onClosed = onClosed, this.after = options.after;
	}
	subscribeTo(transport) {
		let { subscriber } = this, options = {
			...this.options,
			...this.after === void 0 ? {} : { after: this.after }
		}, tracking = {
			deliver: (events, position) => {
				this.after = position, subscriber.deliver(events, position);
			},
			ended: () => {
				this.onClosed(), subscriber.ended();
			},
			refused: (problem) => {
				this.onClosed(), subscriber.refused(problem);
			},
			connection: (connection) => subscriber.connection?.(connection)
		};
		this.inner = transport.subscribe(this.target, tracking, options);
	}
	close() {
		this.onClosed(), this.inner?.close();
	}
}, UNAVAILABLE_UNTIL = "understudy.no-websocket-until", UNAVAILABLE_MS = 6e5, live = new LiveTransport({
	base: new URL(href("/"), location.href).href,
	async fetch(path, options) {
		let send = () => fetch(new URL(path, this.base), {
			credentials: "same-origin",
			...options
		}), response = await send();
		return response.status === 401 && await renewCredentials() ? send() : response;
	}
}, {
	...Number(sessionStorage.getItem(UNAVAILABLE_UNTIL)) > Date.now() ? { open: null } : {},
	onUnavailable: () => sessionStorage.setItem(UNAVAILABLE_UNTIL, String(Date.now() + UNAVAILABLE_MS))
}), MessageTree = class {
	messages = new Map();
	below = new Map();
	constructor(messages = []) {
		for (let message of messages) this.put(message);
	}
	get size() {
		return this.messages.size;
	}
	get(id) {
		return id ? this.messages.get(id) : void 0;
	}
	values() {
		return this.messages.values();
	}
	put(message) {
		if (!this.messages.has(message.id)) {
			let parent = message.parent_id ?? null, siblings = this.below.get(parent);
			siblings ? siblings.push(message.id) : this.below.set(parent, [message.id]);
		}
		this.messages.set(message.id, message);
	}
	delete(id) {
		let message = this.messages.get(id);
		if (!message) return;
		this.messages.delete(id);
		let parent = message.parent_id ?? null;
		this.below.set(parent, (this.below.get(parent) ?? []).filter((other) => other !== id));
	}
	branch(leaf) {
		let branch = [], seen = new Set();
		for (let message = this.get(leaf); message && !seen.has(message.id); message = this.get(message.parent_id)) seen.add(message.id), branch.push(message);
		return branch.reverse();
	}
	versions(message) {
		return (this.below.get(message.parent_id ?? null) ?? []).flatMap((id) => this.messages.get(id) ?? []).filter(({ role }) => role === message.role);
	}
	leafBelow(id) {
		let seen = new Set(), leaf = id;
		for (; !seen.has(leaf);) seen.add(leaf), leaf = this.below.get(leaf)?.at(-1) ?? leaf;
		return leaf;
	}
}, OpenConversation = class {
	id;
	#meta = state();
	get meta() {
		return get(this.#meta);
	}
	set meta(value) {
		set(this.#meta, value);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#live = state();
	get live() {
		return get(this.#live);
	}
	set live(value) {
		set(this.#live, value);
	}
	#pending = state();
	get pending() {
		return get(this.#pending);
	}
	set pending(value) {
		set(this.#pending, value);
	}
	#refusal = state();
	get refusal() {
		return get(this.#refusal);
	}
	set refusal(value) {
		set(this.#refusal, value);
	}
	#revision = state(0);
	get revision() {
		return get(this.#revision);
	}
	set revision(value) {
		set(this.#revision, value, !0);
	}
	tree = new MessageTree();
	feed;
	follower;
	closed = !1;
	#branch = user_derived(() => (this.revision, this.tree.branch(this.meta?.current_message_id)));
	get branch() {
		return get(this.#branch);
	}
	set branch(value) {
		set(this.#branch, value);
	}
	constructor(id) {
		this.id = id;
	}
	async open() {
		try {
			let response = await request("conversations.get_conversation", { path: { conversation_id: this.id } }), conversation = await response.json();
			if (this.closed) return;
			this.take(conversation), this.problem = void 0, this.subscribe(response.headers.get("x-feed-id") ?? void 0);
		} catch (error) {
			this.closed || (this.problem = error);
		}
	}
	close() {
		this.closed = !0, this.feed?.close(), this.follower?.close(), connection.forget(this);
	}
	take({ messages, ...meta }) {
		this.tree = new MessageTree(messages ?? []), this.meta = meta, this.revision++, meta.active_stream ? this.follow(meta.active_stream.stream_id, meta.active_stream.message_id ?? void 0) : this.settle();
	}
	subscribe(after) {
		this.feed?.close(), this.feed = live.subscribe({
			to: "conversation",
			conversation_id: this.id
		}, {
			deliver: (events) => events.forEach((event) => this.apply(event)),
			ended: () => {},
			refused: (problem) => this.problem = new ApiProblem("conversations.get_conversation", problem, this.id),
			connection: (state) => connection.report(this, state)
		}, after === void 0 ? {} : { after });
	}
	apply({ type, data }) {
		let content = data;
		switch (type) {
			case "stream.started": {
				let stream = content;
				return this.follow(stream.stream_id, stream.message_id ?? void 0);
			}
			case "message.created":
			case "message.updated": return this.put(content.message);
			case "message.deleted":
				this.tree.delete(String(content.message_id ?? content.id)), this.revision++;
				return;
			case "title.updated":
			case "conversation.updated": return this.patch(content);
			case "stream.ended":
				conversations.patch(this.id, { active_stream: null }), conversations.tellOtherTabs();
				return;
			case "feed.reset":
				this.open();
				return;
		}
	}
	patch(fields) {
		this.meta && (this.meta = {
			...this.meta,
			...fields
		}, conversations.patch(this.id, fields));
	}
	put(message) {
		message.role === "user" && (this.pending = void 0), this.tree.put(message), this.revision++, message.status !== "streaming" && message.id === this.live?.message && this.settle();
	}
	settle() {
		this.follower?.close(), this.follower = void 0, this.live = void 0, this.pending = void 0;
	}
	follow(stream, message) {
		this.live?.stream === stream ? message && !this.live.message && (this.live = {
			...this.live,
			message
		}) : (this.follower?.close(), this.live = {
			stream,
			message,
			answer: NO_ANSWER,
			stopping: !1
		}, conversations.patch(this.id, { active_stream: { stream_id: stream } }), this.follower = new AnswerFollower(live, {
			to: "stream",
			conversation_id: this.id,
			stream_id: stream
		}, {
			onAnswer: (answer) => this.show(stream, answer),
			onRefused: () => void this.open()
		}));
	}
	show(stream, answer) {
		if (this.live?.stream !== stream) return;
		this.live = {
			...this.live,
			answer,
			message: this.live.message ?? answer.message_id ?? void 0
		}, answer.title && !this.meta?.title && this.patch({ title: answer.title });
		let stored = this.tree.get(this.live.message);
		answer.terminal && stored && stored.status !== "streaming" && this.settle();
	}
	answerOf(message) {
		return message.status === "streaming" && message.id === this.live?.message ? this.live : void 0;
	}
	versionsOf(message) {
		return this.revision, this.tree.versions(message);
	}
	async send(question) {
		return this.pending = {
			text: question.text,
			files: question.files
		}, this.complete({
			message: question.text,
			uploads: question.uploads
		}, crypto.randomUUID());
	}
	async regenerate(message, model) {
		return this.complete({
			regenerate_message_id: message.id,
			...model ? { model } : {}
		}, crypto.randomUUID());
	}
	async edit(message, content) {
		return this.attempt(async () => {
			let edited = await call("conversations.update_conversation_message", {
				path: { conversation_id: this.id },
				body: {
					message_id: message.id,
					content
				}
			});
			this.put(edited), message.role === "user" && await this.complete({ regenerate_message_id: edited.id }, crypto.randomUUID());
		});
	}
	async complete(fields, idempotencyKey) {
		let sent = await this.attempt(async () => {
			let form = new FormData();
			for (let [name, value] of Object.entries(fields)) for (let item of Array.isArray(value) ? value : [value]) item !== void 0 && form.append(name, String(item));
			let options = {
				path: { conversation_id: this.id },
				query: { wire: "ndjson" },
				form,
				idempotencyKey,
				accept: "application/x-ndjson"
			}, response = await request("conversations.conversation_completion", options), stream = response.headers.get("x-stream-id");
			await response.body?.cancel(), stream && this.follow(stream, void 0);
		});
		return sent || (this.pending = void 0), sent;
	}
	async stop() {
		let { live: active } = this;
		active && !active.stopping && (this.live = {
			...active,
			stopping: !0
		}, !await this.attempt(async () => {
			await call("conversations.cancel_stream", { path: {
				conversation_id: this.id,
				stream_id: active.stream
			} });
		}) && this.live?.stream === active.stream && (this.live = {
			...this.live,
			stopping: !1
		}));
	}
	async select(message) {
		let leaf = this.tree.leafBelow(message.id), former = this.meta?.current_message_id ?? null;
		this.patch({ current_message_id: leaf }), await this.attempt(async () => {
			await call("conversations.patch_conversation", {
				path: { conversation_id: this.id },
				body: { current_message_id: leaf }
			});
		}) || this.patch({ current_message_id: former });
	}
	async change(body) {
		let { meta: former } = this;
		this.patch(body), !await this.attempt(async () => {
			await call("conversations.patch_conversation", {
				path: { conversation_id: this.id },
				body
			});
		}) && former && (this.meta = former);
	}
	async rate(message, feedback) {
		await this.attempt(async () => {
			this.put(await call("conversations.update_conversation_message", {
				path: { conversation_id: this.id },
				body: {
					message_id: message.id,
					feedback
				}
			}));
		});
	}
	async attempt(action) {
		this.refusal = void 0;
		try {
			return await action(), !0;
		} catch (error) {
			return this.refusal = error, !1;
		}
	}
}, handedOver;
function handOver(conversation) {
	handedOver?.close(), handedOver = conversation;
}
function conversationFor(id) {
	if (handedOver?.id === id) {
		let conversation = handedOver;
		return handedOver = void 0, conversation;
	}
	let conversation = new OpenConversation(id);
	return conversation.open(), conversation;
}
// src/chat/Pickers.svelte
var root$31 = from_html("<!> <!>", 1);
function Pickers($$anchor, $$props) {
	push($$props, !0);
	let disabled = prop($$props, "disabled", 3, !1), chosen = user_derived(() => choices.assistant($$props.assistant)), implied = user_derived(() => get(chosen)?.model ?? choices.fallback?.id);
	var fragment = root$31(), node = first_child(fragment);
	{
		let $0 = user_derived(() => choices.modelOptions($$props.model)), $1 = user_derived(() => $$props.model ?? get(implied));
		Combobox(node, {
			get label() {
				return t.chat.model;
			},
			get options() {
				return get($0);
			},
			get value() {
				return get($1);
			},
			get placeholder() {
				return t.chat.chooseModel;
			},
			get disabled() {
				return disabled();
			},
			onchoose: (value) => $$props.onmodel(value === get(implied) && value !== $$props.model ? null : value),
			onexplain: (option) => why.ask("chat.chat_completion", option.value)
		});
	}
	var node_1 = sibling(node, 2), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => choices.assistantOptions($$props.assistant)), $1 = user_derived(() => $$props.assistant ?? "");
			Combobox($$anchor, {
				get label() {
					return t.chat.assistant;
				},
				get options() {
					return get($0);
				},
				get value() {
					return get($1);
				},
				get placeholder() {
					return t.chat.noAssistant;
				},
				get disabled() {
					return disabled();
				},
				onchoose: (value) => $$props.onassistant(value || null),
				onexplain: (option) => why.ask("assistants.get_public_assistant", option.value)
			});
		}
	}, d = user_derived(() => session.has("assistants") && (choices.assistants.length > 0 || $$props.assistant));
	if_block(node_1, ($$render) => {
		get(d) && $$render(consequent);
	}), append($$anchor, fragment), pop();
}
// src/chat/Welcome.svelte
var root$30 = from_html("<p class=\"svelte-11xq9iy\"> </p>"), root_1$24 = from_html("<li><button type=\"button\" class=\"svelte-11xq9iy\"> </button></li>"), root_2$15 = from_html("<ul role=\"list\" class=\"svelte-11xq9iy\"></ul>"), root_3$11 = from_html("<div class=\"welcome svelte-11xq9iy\"><h1 class=\"svelte-11xq9iy\"> </h1> <!> <!> <!></div>");
function Welcome($$anchor, $$props) {
	push($$props, !0);
	let chosen = user_derived(() => choices.assistant($$props.assistant)), hour = new Date().getHours(), greeting = user_derived(() => hour < 5 || hour >= 18 ? t.chat.evening($$props.user.display_name) : hour < 12 ? t.chat.morning($$props.user.display_name) : t.chat.afternoon($$props.user.display_name));
	var div = root_3$11(), h1 = child(div), text = only_child(h1, !0), node = sibling(h1, 2), consequent = ($$anchor) => {
		var p = root$30(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, get(chosen).description)), append($$anchor, p);
	}, consequent_1 = ($$anchor) => {
		var p_1 = root$30(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, t.projects.newIn)), append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		get(chosen)?.description ? $$render(consequent) : $$props.project && $$render(consequent_1, 1);
	});
	var node_1 = sibling(node, 2), consequent_2 = ($$anchor) => {
		var p_2 = root$30(), text_3 = only_child(p_2, !0);
		template_effect(() => set_text(text_3, t.chat.noModels)), append($$anchor, p_2);
	};
	if_block(node_1, ($$render) => {
		choices.loaded && choices.models.length === 0 && $$render(consequent_2);
	});
	var node_2 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
		var ul = root_2$15();
		each(ul, 20, () => get(chosen).conversation_starters, (starter) => starter, ($$anchor, starter) => {
			var li = root_1$24(), button = child(li), text_4 = only_child(button, !0);
			reset(li), template_effect(() => set_text(text_4, starter)), delegated("click", button, () => $$props.onstart(starter)), append($$anchor, li);
		}), reset(ul), append($$anchor, ul);
	};
	if_block(node_2, ($$render) => {
		get(chosen) && get(chosen).conversation_starters.length > 0 && $$render(consequent_3);
	}), reset(div), template_effect(() => set_text(text, get(chosen)?.name ?? $$props.project?.name ?? get(greeting))), append($$anchor, div), pop();
}
delegate(["click"]);
// src/chat/NewConversation.svelte
var root$29 = from_html("<p class=\"refused svelte-12yavmj\"> <!></p>"), root_1$23 = from_html("<header class=\"svelte-12yavmj\"><!></header> <main class=\"svelte-12yavmj\"><!> <!> <!></main>", 1);
function NewConversation($$anchor, $$props) {
	push($$props, !0);
	let model = state(null), assistant = state(proxy(router.location.query.get("assistant"))), problem = state(void 0), composer = state(void 0), project = user_derived(() => projects.find(router.location.query.get("project")));
	async function send(text, attachments) {
		set(problem, void 0);
		try {
			let body = {
				...get(model) ? { model: get(model) } : {},
				...get(assistant) ? { assistant_id: get(assistant) } : {},
				...get(project) ? { project_id: get(project).id } : {}
			}, created = await call("conversations.create_conversation", { body }), conversation = new OpenConversation(created.id);
			await attachments.send(created.id), await conversation.open();
			let uploads = attachments.usable.flatMap((upload) => upload.id ?? []);
			return await conversation.send({
				text,
				uploads,
				files: attachments.usable.map(({ file }) => file.name)
			}) ? (conversations.put(created), conversations.tellOtherTabs(), handOver(conversation), navigate(`/conversations/${created.id}`), !0) : (set(problem, conversation.refusal), conversation.close(), call("conversations.delete_conversation", { path: { conversation_id: created.id } }).catch(() => {}), !1);
		} catch (error) {
			return set(problem, error), !1;
		}
	}
	var fragment = root_1$23();
	head("12yavmj", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${t.shell.newChat ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var header = first_child(fragment), node = child(header);
	snippet(node, () => $$props.opener), reset(header);
	var main = sibling(header, 2), node_1 = child(main);
	Welcome(node_1, {
		get user() {
			return $$props.user;
		},
		get assistant() {
			return get(assistant);
		},
		get project() {
			return get(project);
		},
		onstart: (text) => get(composer)?.insert(text)
	});
	var node_2 = sibling(node_1, 2), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => get(problem) ?? choices.problem);
			ProblemNote($$anchor, { get problem() {
				return get($0);
			} });
		}
	};
	if_block(node_2, ($$render) => {
		(get(problem) || choices.problem) && $$render(consequent);
	});
	var node_3 = sibling(node_2, 2), consequent_1 = ($$anchor) => {
		bind_this(Composer($$anchor, {
			conversation: void 0,
			responding: !1,
			stopping: !1,
			onsend: send,
			onstop: () => {},
			oneditlast: () => {},
			pickers: ($$anchor) => {
				Pickers($$anchor, {
					get model() {
						return get(model);
					},
					get assistant() {
						return get(assistant);
					},
					onmodel: (value) => set(model, value, !0),
					onassistant: (value) => {
						set(assistant, value, !0), set(model, null);
					}
				});
			},
			$$slots: { pickers: !0 }
		}), ($$value) => set(composer, $$value, !0), () => get(composer));
	}, d = user_derived(() => session.may("llm:use") && session.has("conversations")), alternate = ($$anchor) => {
		var p = root$29(), text_1 = child(p), node_4 = sibling(text_1);
		Button(node_4, {
			size: "small",
			onclick: () => why.ask("conversations.conversation_completion"),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_2 = text();
				template_effect(() => set_text(text_2, t.common.why)), append($$anchor, text_2);
			},
			$$slots: { default: !0 }
		}), reset(p), template_effect(() => set_text(text_1, `${t.chat.notAllowed ?? ""} `)), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		get(d) ? $$render(consequent_1) : $$render(alternate, -1);
	}), reset(main), append($$anchor, fragment), pop();
}
// src/shell/keys.svelte.ts
var added = state([]), keys = proxy({
	palette: !1,
	help: !1
}), screenCommands = {
	get list() {
		return get(added);
	},
	add(commands) {
		return set(added, commands), () => {
			get(added) === commands && set(added, []);
		};
	}
}, isMac = navigator.platform.startsWith("Mac"), MOD = isMac ? "⌘" : "Ctrl";
function hasMod(event) {
	return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}
function isTyping(event) {
	let element = event.target;
	return element instanceof HTMLElement && (element.isContentEditable || element.matches("input, textarea, select, dialog *, [popover] *"));
}
// src/chat/Announcer.svelte
var root$28 = from_html("<p class=\"visually-hidden\" role=\"status\"> </p>");
function Announcer($$anchor, $$props) {
	push($$props, !0);
	let status = user_derived(() => $$props.answer ? $$props.answer.terminal ? t.chat.finished : t.chat.responding : "");
	var p = root$28(), text = only_child(p, !0);
	template_effect(() => set_text(text, get(status))), append($$anchor, p), pop();
}
// src/chat/FindBar.svelte
var root$27 = from_html("<div class=\"find svelte-zn1emm\" role=\"search\"><input class=\"input svelte-zn1emm\" type=\"search\"/> <span role=\"status\" class=\"svelte-zn1emm\"> </span> <!> <!> <!></div>");
function FindBar($$anchor, $$props) {
	push($$props, !0);
	let query = state(""), at = state(0), field, found = user_derived(() => {
		let text = get(query).trim().toLowerCase();
		return text ? $$props.messages.filter(({ parts }) => (parts ?? []).some((part) => part.type === "text" && part.text.toLowerCase().includes(text))).map(({ id }) => id).reverse() : [];
	});
	onMount(() => {
		let former = document.activeElement;
		return field.focus(), () => {
			CSS.highlights?.delete("found"), former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	async function go(step) {
		get(found).length !== 0 && (set(at, (get(at) + step + get(found).length) % get(found).length), $$props.onreveal(get(found)[get(at)] ?? ""), await tick(), requestAnimationFrame(highlight));
	}
	function highlight() {
		let text = get(query).trim().toLowerCase(), ranges = [];
		for (let article of document.querySelectorAll("[data-message]")) {
			let walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
			for (let node = walker.nextNode(); node; node = walker.nextNode()) {
				let content = node.textContent?.toLowerCase() ?? "";
				for (let start = content.indexOf(text); text && start >= 0; start = content.indexOf(text, start + text.length)) {
					let range = new Range();
					range.setStart(node, start), range.setEnd(node, start + text.length), ranges.push(range);
				}
			}
		}
		CSS.highlights?.set("found", new Highlight(...ranges));
	}
	function press(event) {
		if (event.key === "Escape") $$props.onclose();
		else if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault(), event.stopPropagation();
	}
	function search() {
		set(at, 0), go(0), get(found).length === 0 && CSS.highlights?.delete("found");
	}
	var div = root$27(), input = child(div);
	remove_input_defaults(input), bind_this(input, ($$value) => field = $$value, () => field);
	var span = sibling(input, 2), text_1 = only_child(span, !0), node_1 = sibling(span, 2);
	{
		let $0 = user_derived(() => get(found).length === 0);
		Button(node_1, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronUp;
			},
			get label() {
				return t.chat.findOlder;
			},
			get disabled() {
				return get($0);
			},
			onclick: () => void go(1)
		});
	}
	var node_2 = sibling(node_1, 2);
	{
		let $0 = user_derived(() => get(found).length === 0);
		Button(node_2, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronDown;
			},
			get label() {
				return t.chat.findNewer;
			},
			get disabled() {
				return get($0);
			},
			onclick: () => void go(-1)
		});
	}
	var node_3 = sibling(node_2, 2);
	Button(node_3, {
		variant: "quiet",
		size: "small",
		get icon() {
			return X;
		},
		get label() {
			return t.common.close;
		},
		get onclick() {
			return $$props.onclose;
		}
	}), reset(div), template_effect(($0) => {
		set_attribute(input, "aria-label", t.keys.find), set_attribute(input, "placeholder", t.keys.find), set_text(text_1, $0);
	}, [() => get(query).trim() ? t.chat.foundAt(get(found).length === 0 ? 0 : get(at) + 1, get(found).length) : ""]), delegated("input", input, search), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), append($$anchor, div), pop();
}
delegate(["input", "keydown"]);
// src/chat/window.ts
var Heights = class {
	measured = new Map();
	ids = [];
	estimates = [];
	tops = [0];
	setItems(ids, estimates) {
		this.ids = ids, this.estimates = estimates, this.place(0);
	}
	measure(id, height) {
		let at = this.indexOf(id), before = at === void 0 ? this.measured.get(id) : this.heightAt(at);
		return this.measured.set(id, height), at === void 0 || before === height ? !1 : (this.place(at), !0);
	}
	index;
	indexOf(id) {
		return this.index ??= new Map(this.ids.map((id, at) => [id, at])), this.index.get(id);
	}
	heightAt(at) {
		return this.measured.get(this.ids[at] ?? "") ?? this.estimates[at] ?? 0;
	}
	place(from) {
		from === 0 && (this.index = void 0, this.tops = [0]);
		for (let at = from; at < this.ids.length; at++) this.tops[at + 1] = (this.tops[at] ?? 0) + this.heightAt(at);
	}
	get total() {
		return this.tops[this.ids.length] ?? 0;
	}
	top(id) {
		let at = this.indexOf(id);
		return at === void 0 ? void 0 : this.tops[at];
	}
	at(y) {
		let low = 0, high = this.ids.length - 1;
		for (; low < high;) {
			let middle = low + high + 1 >> 1;
			(this.tops[middle] ?? 0) <= y ? low = middle : high = middle - 1;
		}
		return Math.max(0, low);
	}
	anchor(scrollTop) {
		let id = this.ids[this.at(scrollTop)];
		return id === void 0 ? void 0 : {
			id,
			offset: scrollTop - (this.top(id) ?? 0)
		};
	}
	range(scrollTop, viewHeight, margin) {
		if (this.ids.length === 0) return {
			start: 0,
			end: 0,
			before: 0,
			after: 0
		};
		let start = this.at(Math.max(0, scrollTop - margin)), end = this.at(scrollTop + viewHeight + margin) + 1;
		return {
			start,
			end,
			before: this.tops[start] ?? 0,
			after: this.total - (this.tops[end] ?? this.total)
		};
	}
};
function estimateHeight(characters, width) {
	let perLine = Math.max(20, width / 8);
	return 90 + Math.ceil(characters / perLine) * 26;
}
// src/chat/MessageList.svelte
var root$26 = from_html("<div class=\"message svelte-13qqq9h\"><!></div>"), root_1$22 = from_html("<div class=\"to-end svelte-13qqq9h\"><!></div>"), root_2$14 = from_html("<div class=\"scroller svelte-13qqq9h\" tabindex=\"0\" role=\"region\"><div class=\"column svelte-13qqq9h\"><div></div> <!> <div></div> <div><!></div></div></div> <!>", 1);
function MessageList($$anchor, $$props) {
	push($$props, !0);
	let scroller, heights = new Heights(), range = state({
		start: 0,
		end: 0,
		before: 0,
		after: 0
	}), away = state(!1), following = !0, lastTop = 0, anchor, shown = user_derived(() => $$props.messages.slice(get(range).start, get(range).end)), estimates = new WeakMap();
	function estimate(message) {
		let height = estimates.get(message);
		return height === void 0 && (height = estimateHeight((message.parts ?? []).reduce((sum, part) => sum + ("text" in part && part.type === "text" ? part.text.length : 40), 0), Math.min(scroller.clientWidth, 736)), estimates.set(message, height)), height;
	}
	function update() {
		let view = scroller.clientHeight, next = heights.range(scroller.scrollTop, view, view);
		(next.start !== get(range).start || next.end !== get(range).end || next.before !== get(range).before || next.after !== get(range).after) && set(range, next);
	}
	function restore() {
		if (update(), flushSync(), following) scroller.scrollTop = scroller.scrollHeight;
		else if (anchor) {
			let top = heights.top(anchor.id);
			top !== void 0 && Math.abs(scroller.scrollTop - top - anchor.offset) > .5 && (scroller.scrollTop = top + anchor.offset);
		}
		lastTop = scroller.scrollTop, update();
	}
	function scrolled() {
		let { scrollTop, scrollHeight, clientHeight } = scroller, atEnd = scrollHeight - scrollTop - clientHeight < 40;
		scrollTop < lastTop - 2 && !atEnd ? following = !1 : atEnd && (following = !0), lastTop = scrollTop, anchor = heights.anchor(scrollTop), set(away, !atEnd), update();
	}
	let observer = new ResizeObserver((entries) => {
		let changed = !1;
		for (let { target, borderBoxSize } of entries) {
			let id = target.dataset.message, height = borderBoxSize[0]?.blockSize ?? 0;
			id === void 0 ? changed = !0 : height > 0 && (changed = heights.measure(id, height) || changed);
		}
		changed && restore();
	});
	function observe(element) {
		return observer.observe(element), () => observer.unobserve(element);
	}
	function toEnd() {
		following = !0, restore(), set(away, !1);
	}
	async function reveal(id) {
		let top = heights.top(id);
		top !== void 0 && (following = !1, anchor = {
			id,
			offset: -16
		}, scroller.scrollTop = top - 16, restore(), await tick());
	}
	user_pre_effect(() => {
		$$props.messages, scroller && (heights.setItems($$props.messages.map(({ id }) => id), $$props.messages.map(estimate)), tick().then(restore));
	}), onMount(() => {
		heights.setItems($$props.messages.map(({ id }) => id), $$props.messages.map(estimate));
		let start = $$props.initial && heights.top($$props.initial) !== void 0 ? $$props.initial : void 0;
		if (start) reveal(start);
		else {
			let view = scroller.clientHeight;
			set(range, heights.range(Math.max(0, heights.total - view), view, view)), flushSync(), restore();
		}
		return () => observer.disconnect();
	});
	var $$exports = {
		toEnd,
		reveal
	}, fragment = root_2$14(), div = first_child(fragment), div_1 = child(div), div_2 = child(div_1);
	let styles;
	var node = sibling(div_2, 2);
	each(node, 19, () => get(shown), (message) => message.id, ($$anchor, message, at) => {
		var div_3 = root$26(), node_1 = child(div_3);
		snippet(node_1, () => $$props.item, () => get(message), () => get(range).start + get(at) === $$props.messages.length - 1), reset(div_3), attach(div_3, () => observe), template_effect(() => set_attribute(div_3, "data-message", get(message).id)), append($$anchor, div_3);
	});
	var div_4 = sibling(node, 2);
	let styles_1;
	var div_5 = sibling(div_4, 2), node_2 = child(div_5);
	snippet(node_2, () => $$props.footer), reset(div_5), attach(div_5, () => observe), reset(div_1), reset(div), bind_this(div, ($$value) => scroller = $$value, () => scroller), attach(div, () => observe);
	var node_3 = sibling(div, 2), consequent = ($$anchor) => {
		var div_6 = root_1$22(), node_4 = child(div_6);
		Button(node_4, {
			get icon() {
				return ArrowDown;
			},
			get label() {
				return t.chat.toEnd;
			},
			onclick: toEnd
		}), reset(div_6), append($$anchor, div_6);
	};
	return if_block(node_3, ($$render) => {
		get(away) && $$render(consequent);
	}), template_effect(() => {
		set_attribute(div, "aria-label", t.chat.messages), styles = set_style(div_2, "", styles, { "block-size": `${get(range).before ?? ""}px` }), styles_1 = set_style(div_4, "", styles_1, { "block-size": `${get(range).after ?? ""}px` });
	}), event("scroll", div, scrolled), append($$anchor, fragment), pop($$exports);
}
// src/live/stored.ts
function partsOf(message) {
	let calls = new Map((message.tool_calls ?? []).map((call) => [call.call_id ?? "", call]));
	return (message.parts ?? []).map((part, at) => answerPart(part, at, calls));
}
function answerPart(part, at, calls) {
	let id = `${part.type}-${at}`;
	switch (part.type) {
		case "text": return {
			kind: "text",
			id,
			step: null,
			text: part.text,
			open: !1
		};
		case "reasoning": return {
			kind: "reasoning",
			id,
			step: null,
			text: part.text,
			open: !1,
			started_at: null,
			ended_at: null
		};
		case "tool_call": return toolPart(part.call_id, calls.get(part.call_id));
		case "source": {
			let { type: _, ...source } = part;
			return {
				kind: "source",
				id,
				step: null,
				source,
				number: part.place?.number || null
			};
		}
		case "file": return {
			kind: "file",
			id,
			step: null,
			blob_id: part.blob_id,
			media_type: part.media_type,
			filename: part.filename ?? null
		};
	}
}
function toolPart(id, call) {
	let error = call?.error ?? null;
	return {
		kind: "tool",
		id,
		step: null,
		name: call?.name ?? "",
		state: error === null ? "succeeded" : "failed",
		client: !1,
		input: "",
		arguments: call?.arguments,
		server: null,
		progress: null,
		output: call?.output ?? null,
		error
	};
}
// src/chat/Attachment.svelte
var root$25 = from_html("<a class=\"image svelte-3l0hhl\" target=\"_blank\" rel=\"noopener\"><img loading=\"lazy\" class=\"svelte-3l0hhl\"/></a>"), root_1$21 = from_html("<audio controls=\"\" preload=\"metadata\" class=\"svelte-3l0hhl\"></audio>"), root_2$13 = from_html("<video controls=\"\" preload=\"metadata\" class=\"svelte-3l0hhl\"></video>", 2), root_3$10 = from_html("<span class=\"size svelte-3l0hhl\"> </span>"), root_4$7 = from_html("<a class=\"file svelte-3l0hhl\"><!> <span class=\"name svelte-3l0hhl\"> </span> <!></a>");
function Attachment($$anchor, $$props) {
	push($$props, !0);
	let address = user_derived(() => addressOf("conversations.get_conversation_file", { path: {
		conversation_id: $$props.conversation,
		blob_id: $$props.blob
	} })), label = user_derived(() => $$props.name ?? t.chat.file), isImage = user_derived(() => /^image\/(png|jpeg|gif|webp|avif)$/.test($$props.mediaType));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var a = root$25(), img = only_child(a);
		template_effect(() => {
			set_attribute(a, "href", get(address)), set_attribute(img, "src", get(address)), set_attribute(img, "alt", get(label));
		}), append($$anchor, a);
	}, consequent_1 = ($$anchor) => {
		var audio = root_1$21();
		template_effect(() => {
			set_attribute(audio, "src", get(address)), set_attribute(audio, "aria-label", get(label));
		}), append($$anchor, audio);
	}, d = user_derived(() => $$props.mediaType.startsWith("audio/")), consequent_2 = ($$anchor) => {
		var video = root_2$13();
		template_effect(() => {
			set_attribute(video, "src", get(address)), set_attribute(video, "aria-label", get(label));
		}), append($$anchor, video);
	}, d_1 = user_derived(() => $$props.mediaType.startsWith("video/")), alternate = ($$anchor) => {
		var a_1 = root_4$7(), node_1 = child(a_1);
		Icon(node_1, { get of() {
			return File;
		} });
		var span = sibling(node_1, 2), text = only_child(span, !0), node_2 = sibling(span, 2), consequent_3 = ($$anchor) => {
			var span_1 = root_3$10(), text_1 = only_child(span_1, !0);
			template_effect(($0) => set_text(text_1, $0), [() => bytes($$props.size)]), append($$anchor, span_1);
		};
		if_block(node_2, ($$render) => {
			$$props.size !== void 0 && $$render(consequent_3);
		}), reset(a_1), template_effect(() => {
			set_attribute(a_1, "href", get(address)), set_attribute(a_1, "download", get(label)), set_text(text, get(label));
		}), append($$anchor, a_1);
	};
	if_block(node, ($$render) => {
		get(isImage) ? $$render(consequent) : get(d) ? $$render(consequent_1, 1) : get(d_1) ? $$render(consequent_2, 2) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/chat/Editor.svelte
var root$24 = from_html("<div class=\"editor svelte-10qhk29\"><textarea class=\"input svelte-10qhk29\"></textarea> <div class=\"actions svelte-10qhk29\"><span class=\"hint svelte-10qhk29\"> </span> <!> <!></div></div>");
function Editor($$anchor, $$props) {
	push($$props, !0);
	let value = state(proxy($$props.text)), field;
	onMount(() => {
		field.focus(), field.setSelectionRange(get(value).length, get(value).length);
	});
	function press(event) {
		if (event.key === "Escape") $$props.oncancel();
		else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) save();
		else return;
		event.preventDefault(), event.stopPropagation();
	}
	function save() {
		get(value).trim() && $$props.onsave(get(value));
	}
	var div = root$24(), textarea = child(div);
	remove_textarea_child(textarea), bind_this(textarea, ($$value) => field = $$value, () => field);
	var div_1 = sibling(textarea, 2), span = child(div_1), text_1 = only_child(span, !0), node = sibling(span, 2);
	Button(node, {
		size: "small",
		get onclick() {
			return $$props.oncancel;
		},
		children: ($$anchor, $$slotProps) => {
			next();
			var text_2 = text();
			template_effect(() => set_text(text_2, t.common.cancel)), append($$anchor, text_2);
		},
		$$slots: { default: !0 }
	});
	var node_1 = sibling(node, 2);
	{
		let $0 = user_derived(() => !get(value).trim());
		Button(node_1, {
			size: "small",
			variant: "primary",
			get disabled() {
				return get($0);
			},
			onclick: save,
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.chat.send)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		});
	}
	reset(div_1), reset(div), template_effect(($0) => {
		set_attribute(textarea, "aria-label", t.chat.editMessage), set_attribute(textarea, "rows", $0), set_text(text_1, t.chat.editHint);
	}, [() => Math.min(12, get(value).split("\n").length + 1)]), delegated("keydown", textarea, press), bind_value(textarea, () => get(value), ($$value) => set(value, $$value)), append($$anchor, div), pop();
}
delegate(["keydown"]);
// src/chat/CommentDialog.svelte
var root$23 = from_html("<!> <!>", 1), root_1$20 = from_html("<form><!></form>");
function CommentDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let comment = state(proxy($$props.message.feedback?.comment ?? ""));
	function save(event) {
		event.preventDefault();
		let rating = $$props.message.feedback?.rating;
		rating && get(comment).trim() && $$props.conversation.rate($$props.message, {
			rating,
			comment: get(comment).trim()
		}), $$props.onclose();
	}
	Dialog($$anchor, {
		get title() {
			return t.chat.thanks;
		},
		get onclose() {
			return $$props.onclose;
		},
		actions: ($$anchor) => {
			var fragment_1 = root$23(), node = first_child(fragment_1);
			Button(node, {
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text$6 = text();
					template_effect(() => set_text(text$6, t.common.close)), append($$anchor, text$6);
				},
				$$slots: { default: !0 }
			});
			var node_1 = sibling(node, 2);
			Button(node_1, {
				type: "submit",
				get form() {
					return id;
				},
				variant: "primary",
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.save)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1$20(), node_2 = child(form);
			{
				let $0 = user_derived(() => $$props.message.feedback?.rating === "down" ? t.chat.whatWasBad : t.chat.whatWasGood);
				Field(node_2, {
					get label() {
						return get($0);
					},
					rows: 3,
					maxlength: 2e3,
					get value() {
						return get(comment);
					},
					set value($$value) {
						set(comment, $$value, !0);
					}
				});
			}
			reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, save), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
// src/chat/Prose.svelte
var root$22 = from_html("<div class=\"prose svelte-1dr62ip\"> </div>");
function Prose($$anchor, $$props) {
	var div = root$22(), text_1 = only_child(div, !0);
	template_effect(() => set_text(text_1, $$props.text)), append($$anchor, div);
}
// src/chat/CompareDialog.svelte
var root$21 = from_html("<span> </span>"), root_1$19 = from_html("<section class=\"svelte-1t7prxd\"><header class=\"svelte-1t7prxd\"><strong> </strong> <span> </span> <!></header> <!></section>"), root_2$12 = from_html("<div class=\"versions svelte-1t7prxd\"></div>");
function CompareDialog($$anchor, $$props) {
	push($$props, !0);
	let textOf = (message) => (message.parts ?? []).flatMap((part) => part.type === "text" ? part.text : []).join("\n\n");
	Dialog($$anchor, {
		get title() {
			return t.chat.compare;
		},
		width: "wide",
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var div = root_2$12();
			each(div, 23, () => $$props.versions, (version) => version.id, ($$anchor, version, at) => {
				var section = root_1$19(), header = child(section), strong = child(header), text$5 = only_child(strong), span = sibling(strong, 2), text_1 = only_child(span), node = sibling(span, 2), consequent = ($$anchor) => {
					var span_1 = root$21(), text_2 = only_child(span_1, !0);
					template_effect(() => set_text(text_2, t.chat.shown)), append($$anchor, span_1);
				}, alternate = ($$anchor) => {
					Button($$anchor, {
						size: "small",
						onclick: () => {
							$$props.onchoose(get(version)), $$props.onclose();
						},
						children: ($$anchor, $$slotProps) => {
							next();
							var text_3 = text();
							template_effect(() => set_text(text_3, t.chat.showThis)), append($$anchor, text_3);
						},
						$$slots: { default: !0 }
					});
				};
				if_block(node, ($$render) => {
					get(version).id === $$props.current ? $$render(consequent) : $$render(alternate, -1);
				}), reset(header);
				var node_1 = sibling(header, 2);
				{
					let $0 = user_derived(() => textOf(get(version)));
					Prose(node_1, {
						get text() {
							return get($0);
						},
						open: !1,
						oncite: () => {}
					});
				}
				reset(section), template_effect(($0, $1, $2) => {
					set_attribute(section, "aria-label", $0), set_text(text$5, `${get(at) + 1}/${$$props.versions.length ?? ""}`), set_text(text_1, `${get(version).model ?? "" ?? ""} ${$1 ?? ""} ${$2 ?? ""}`);
				}, [
					() => t.chat.versionOf(get(at) + 1, $$props.versions.length),
					() => dateTime(get(version).created_at),
					() => get(version).role === "assistant" ? cost(get(version).cost_nanos ?? 0) : ""
				]), append($$anchor, section);
			}), reset(div), append($$anchor, div);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/chat/UsageDialog.svelte
var root$20 = from_html("<dt class=\"svelte-3cfnhl\"> </dt><dd class=\"svelte-3cfnhl\"> </dd>", 1), root_1$18 = from_html("<dl class=\"svelte-3cfnhl\"></dl>");
function UsageDialog($$anchor, $$props) {
	push($$props, !0);
	let usage = user_derived(() => $$props.message.usage), rows = user_derived(() => [
		[t.chat.model, $$props.message.model ?? "–"],
		[t.chat.written, dateTime($$props.message.created_at)],
		[t.chat.cost, cost($$props.message.cost_nanos ?? 0)],
		[t.chat.inputTokens, number(get(usage)?.input_tokens ?? 0)],
		[t.chat.cachedTokens, number(get(usage)?.cached_tokens ?? 0)],
		[t.chat.outputTokens, number(get(usage)?.output_tokens ?? 0)],
		[t.chat.reasoningTokens, number(get(usage)?.reasoning_tokens ?? 0)],
		[t.chat.run, $$props.message.run_id ?? "–"]
	]);
	Dialog($$anchor, {
		get title() {
			return t.chat.usage;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var dl = root_1$18();
			each(dl, 21, () => get(rows), ([label, value]) => label, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 2));
				let label = () => get($$array)[0], value = () => get($$array)[1];
				var fragment_1 = root$20(), dt = first_child(fragment_1), text = only_child(dt, !0), dd = sibling(dt), text_1 = only_child(dd, !0);
				template_effect(() => {
					set_text(text, label()), set_text(text_1, value());
				}), append($$anchor, fragment_1);
			}), reset(dl), append($$anchor, dl);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/chat/MessageActions.svelte
var root$19 = from_html("<span class=\"versions svelte-1w39l4\"><!> <button class=\"count svelte-1w39l4\" type=\"button\"> </button> <!></span>"), root_1$17 = from_html("<!> <!> <!>", 1), root_2$11 = from_html("<div role=\"group\"><!> <!> <!> <!></div> <!> <!> <!>", 1);
function MessageActions($$anchor, $$props) {
	push($$props, !0);
	let isUser = user_derived(() => $$props.message.role === "user"), versions = user_derived(() => $$props.conversation.versionsOf($$props.message)), at = user_derived(() => get(versions).findIndex(({ id }) => id === $$props.message.id)), rating = user_derived(() => $$props.message.feedback?.rating), copied = state(!1), dialog = state(void 0);
	async function copy() {
		let text = ($$props.message.parts ?? []).flatMap((part) => part.type === "text" ? part.text : []).join("");
		await navigator.clipboard.writeText(text), set(copied, !0), setTimeout(() => set(copied, !1), 1500);
	}
	function rate(value) {
		get(rating) === value ? $$props.conversation.rate($$props.message, null) : ($$props.conversation.rate($$props.message, { rating: value }), set(dialog, "comment"));
	}
	function show(step) {
		let version = get(versions)[get(at) + step];
		version && $$props.conversation.select(version);
	}
	var fragment = root_2$11(), div = first_child(fragment);
	let classes;
	var node = child(div), consequent = ($$anchor) => {
		var span = root$19(), node_1 = child(span);
		{
			let $0 = user_derived(() => get(at) === 0);
			Button(node_1, {
				variant: "quiet",
				size: "small",
				get icon() {
					return ChevronLeft;
				},
				get label() {
					return t.chat.previousVersion;
				},
				get disabled() {
					return get($0);
				},
				onclick: () => show(-1)
			});
		}
		var button = sibling(node_1, 2), text_1 = only_child(button), node_2 = sibling(button, 2);
		{
			let $0 = user_derived(() => get(at) === get(versions).length - 1);
			Button(node_2, {
				variant: "quiet",
				size: "small",
				get icon() {
					return ChevronRight;
				},
				get label() {
					return t.chat.nextVersion;
				},
				get disabled() {
					return get($0);
				},
				onclick: () => show(1)
			});
		}
		reset(span), template_effect(($0) => {
			set_attribute(button, "title", t.chat.compare), set_attribute(button, "aria-label", $0), set_text(text_1, `${get(at) + 1}/${get(versions).length ?? ""}`);
		}, [() => t.chat.versionOf(get(at) + 1, get(versions).length)]), delegated("click", button, () => set(dialog, "compare")), append($$anchor, span);
	};
	if_block(node, ($$render) => {
		get(versions).length > 1 && $$render(consequent);
	});
	var node_3 = sibling(node, 2);
	{
		let $0 = user_derived(() => get(copied) ? Check : Copy), $1 = user_derived(() => get(copied) ? t.common.copied : t.common.copy);
		Button(node_3, {
			variant: "quiet",
			size: "small",
			get icon() {
				return get($0);
			},
			get label() {
				return get($1);
			},
			onclick: copy
		});
	}
	var node_4 = sibling(node_3, 2), consequent_2 = ($$anchor) => {
		var fragment_1 = comment(), node_5 = first_child(fragment_1), consequent_1 = ($$anchor) => {
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get icon() {
					return Pencil;
				},
				get label() {
					return t.common.edit;
				},
				get onclick() {
					return $$props.onedit;
				}
			});
		}, alternate = ($$anchor) => {
			var fragment_3 = root_1$17(), node_6 = first_child(fragment_3);
			Button(node_6, {
				variant: "quiet",
				size: "small",
				get icon() {
					return RefreshCw;
				},
				get label() {
					return t.chat.regenerate;
				},
				onclick: () => void $$props.conversation.regenerate($$props.message)
			});
			var node_7 = sibling(node_6, 2);
			{
				let $0 = user_derived(() => get(rating) === "up");
				Button(node_7, {
					variant: "quiet",
					size: "small",
					get icon() {
						return ThumbsUp;
					},
					get label() {
						return t.chat.good;
					},
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => rate("up")
				});
			}
			var node_8 = sibling(node_7, 2);
			{
				let $0 = user_derived(() => get(rating) === "down");
				Button(node_8, {
					variant: "quiet",
					size: "small",
					get icon() {
						return ThumbsDown;
					},
					get label() {
						return t.chat.bad;
					},
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => rate("down")
				});
			}
			append($$anchor, fragment_3);
		};
		if_block(node_5, ($$render) => {
			get(isUser) ? $$render(consequent_1) : $$render(alternate, -1);
		}), append($$anchor, fragment_1);
	};
	if_block(node_4, ($$render) => {
		$$props.meta.read_only || $$render(consequent_2);
	});
	var node_9 = sibling(node_4, 2), consequent_3 = ($$anchor) => {
		Button($$anchor, {
			variant: "quiet",
			size: "small",
			get icon() {
				return Info;
			},
			get label() {
				return t.chat.usage;
			},
			onclick: () => set(dialog, "usage")
		});
	};
	if_block(node_9, ($$render) => {
		get(isUser) || $$render(consequent_3);
	}), reset(div);
	var node_10 = sibling(div, 2), consequent_4 = ($$anchor) => {
		UsageDialog($$anchor, {
			get message() {
				return $$props.message;
			},
			onclose: () => set(dialog, void 0)
		});
	};
	if_block(node_10, ($$render) => {
		get(dialog) === "usage" && $$render(consequent_4);
	});
	var node_11 = sibling(node_10, 2), consequent_5 = ($$anchor) => {
		CommentDialog($$anchor, {
			get message() {
				return $$props.message;
			},
			get conversation() {
				return $$props.conversation;
			},
			onclose: () => set(dialog, void 0)
		});
	};
	if_block(node_11, ($$render) => {
		get(dialog) === "comment" && $$render(consequent_5);
	});
	var node_12 = sibling(node_11, 2), consequent_6 = ($$anchor) => {
		CompareDialog($$anchor, {
			get versions() {
				return get(versions);
			},
			get current() {
				return $$props.message.id;
			},
			onchoose: (version) => void $$props.conversation.select(version),
			onclose: () => set(dialog, void 0)
		});
	};
	if_block(node_12, ($$render) => {
		get(dialog) === "compare" && $$render(consequent_6);
	}), template_effect(() => {
		classes = set_class(div, 1, "actions svelte-1w39l4", null, classes, {
			last: $$props.isLast,
			user: get(isUser)
		}), set_attribute(div, "aria-label", t.chat.actions);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
// src/chat/MessageStatus.svelte
var root$18 = from_html("<p class=\"note svelte-j4curr\"><!> </p>"), root_1$16 = from_html("<p class=\"note progress svelte-j4curr\"><!><span> </span></p>"), root_2$10 = from_html("<span class=\"caret svelte-j4curr\" aria-hidden=\"true\"></span>"), root_3$9 = from_html("<!> <!> <!> <!> <!>", 1), root_4$6 = from_html("<div class=\"failed svelte-j4curr\" role=\"group\"><!> <p class=\"svelte-j4curr\"> </p> <!></div>");
function MessageStatus($$anchor, $$props) {
	push($$props, !0);
	let answer = user_derived(() => $$props.live?.answer), hasText = user_derived(() => (get(answer)?.parts.length ?? 0) > 0), note = user_derived(() => {
		if (get(answer) && $$props.live) return $$props.live.stopping || get(answer).state === "cancelling" ? t.chat.stopping : get(answer).paused ? t.chat.paused : get(answer).waiting ? get(answer).waiting.until ? t.chat.waitingUntil(get(answer).waiting.on ?? "", dateTime(get(answer).waiting.until)) : t.chat.waitingFor(get(answer).waiting.on ?? "") : get(answer).state === "queued" ? t.chat.queued : get(hasText) ? void 0 : t.chat.thinking;
	});
	var fragment = comment(), node = first_child(fragment), consequent_3 = ($$anchor) => {
		var fragment_1 = root_3$9(), node_1 = first_child(fragment_1);
		each(node_1, 17, () => get(answer).recoveries, (recovery) => recovery.seq, ($$anchor, recovery) => {
			var p = root$18(), node_2 = child(p);
			Icon(node_2, {
				get of() {
					return RotateCcwClock;
				},
				size: 16
			});
			var text = sibling(node_2, 1, !0);
			reset(p), template_effect(() => set_text(text, get(recovery).continued ? t.chat.recovered : t.chat.restarted)), append($$anchor, p);
		});
		var node_3 = sibling(node_1, 2), consequent = ($$anchor) => {
			var p_1 = root$18(), node_4 = child(p_1);
			Icon(node_4, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_1 = sibling(node_4, 1, !0);
			reset(p_1), template_effect(($0) => set_text(text_1, $0), [() => t.chat.replaced(get(answer).replaced_model, get(answer).model ?? "")]), append($$anchor, p_1);
		};
		if_block(node_3, ($$render) => {
			get(answer).replaced_model && $$render(consequent);
		});
		var node_5 = sibling(node_3, 2);
		each(node_5, 17, () => get(answer).tool_servers, (server) => server.server + server.code, ($$anchor, server) => {
			var p_2 = root$18(), node_6 = child(p_2);
			Icon(node_6, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_2 = sibling(node_6, 1, !0);
			reset(p_2), template_effect(($0) => set_text(text_2, $0), [() => t.chat.toolServer(get(server).server)]), append($$anchor, p_2);
		});
		var node_7 = sibling(node_5, 2), consequent_1 = ($$anchor) => {
			var p_3 = root$18(), node_8 = child(p_3);
			Icon(node_8, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_3 = sibling(node_8, 1, !0);
			reset(p_3), template_effect(($0) => set_text(text_3, $0), [() => t.chat.closedKnowledge(get(answer).closed_knowledge)]), append($$anchor, p_3);
		};
		if_block(node_7, ($$render) => {
			get(answer).closed_knowledge > 0 && $$render(consequent_1);
		});
		var node_9 = sibling(node_7, 2), consequent_2 = ($$anchor) => {
			var p_4 = root_1$16(), node_10 = child(p_4);
			Icon(node_10, {
				get of() {
					return Hourglass;
				},
				size: 16
			});
			var span = sibling(node_10), text_4 = only_child(span, !0);
			reset(p_4), template_effect(() => set_text(text_4, get(note))), append($$anchor, p_4);
		}, alternate = ($$anchor) => {
			var span_1 = root_2$10();
			append($$anchor, span_1);
		};
		if_block(node_9, ($$render) => {
			get(note) ? $$render(consequent_2) : $$render(alternate, -1);
		}), append($$anchor, fragment_1);
	}, consequent_4 = ($$anchor) => {
		var p_5 = root_1$16(), node_11 = child(p_5);
		Icon(node_11, {
			get of() {
				return Hourglass;
			},
			size: 16
		});
		var span_2 = sibling(node_11), text_5 = only_child(span_2, !0);
		reset(p_5), template_effect(() => set_text(text_5, t.chat.thinking)), append($$anchor, p_5);
	}, consequent_5 = ($$anchor) => {
		var p_6 = root$18(), node_12 = child(p_6);
		Icon(node_12, {
			get of() {
				return CircleStop;
			},
			size: 16
		});
		var text_6 = sibling(node_12, 1, !0);
		reset(p_6), template_effect(() => set_text(text_6, t.chat.stopped)), append($$anchor, p_6);
	}, consequent_6 = ($$anchor) => {
		var div = root_4$6(), node_13 = child(div);
		Icon(node_13, {
			get of() {
				return TriangleAlert;
			},
			size: 18
		});
		var p_7 = sibling(node_13, 2), text_7 = only_child(p_7), node_14 = sibling(p_7, 2);
		Button(node_14, {
			size: "small",
			onclick: () => void $$props.conversation.regenerate($$props.message),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_8 = text();
				template_effect(() => set_text(text_8, t.common.retry)), append($$anchor, text_8);
			},
			$$slots: { default: !0 }
		}), reset(div), template_effect(() => {
			set_attribute(div, "aria-label", t.chat.failed), set_text(text_7, `${($$props.message.status === "interrupted" ? t.chat.interrupted : t.chat.failed) ?? ""} ${$$props.message.error?.message ?? "" ?? ""}`);
		}), append($$anchor, div);
	};
	if_block(node, ($$render) => {
		get(answer) ? $$render(consequent_3) : $$props.message.status === "streaming" ? $$render(consequent_4, 1) : $$props.message.status === "stopped" ? $$render(consequent_5, 2) : ($$props.message.status === "failed" || $$props.message.status === "interrupted") && $$render(consequent_6, 3);
	}), append($$anchor, fragment), pop();
}
// src/chat/FormView.svelte
var root$17 = from_html("<h3 class=\"svelte-154uiwf\"> </h3>"), root_1$15 = from_html("<p class=\"message svelte-154uiwf\"> </p>"), root_2$9 = from_html("<label class=\"check svelte-154uiwf\"><input type=\"checkbox\"/> </label>"), root_3$8 = from_html("<option> </option>"), root_4$5 = from_html("<p class=\"fault svelte-154uiwf\"> </p>"), root_5$2 = from_html("<label class=\"select svelte-154uiwf\"> <select class=\"input\"><option></option><!></select></label> <!>", 1), root_6$2 = from_html("<p class=\"hint svelte-154uiwf\"> </p>"), root_7$2 = from_html("<!> <!> <div class=\"actions svelte-154uiwf\"></div> <!>", 1), root_8$2 = from_html("<section class=\"form svelte-154uiwf\"><!> <!> <!></section>");
function FormView($$anchor, $$props) {
	push($$props, !0);
	let form = user_derived(() => $$props.part.form), values = proxy(Object.fromEntries(($$props.part.form.fields ?? []).map((field) => [field.name ?? "", initial(field.type, field.default)]))), submission = new Submission(), faults = state(proxy({})), actions = user_derived(() => (get(form).actions ?? []).length > 0 ? get(form).actions ?? [] : [{
		name: "submit",
		label: t.chat.submit
	}]);
	function initial(type, value) {
		return type === "boolean" ? value === !0 : value == null ? "" : typeof value == "string" ? value : JSON.stringify(value);
	}
	function parsed(type, value) {
		if (typeof value == "boolean" || type === "string") return value;
		if (value.trim() === "") return null;
		if (type === "number" || type === "integer") {
			let number = Number(value);
			return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? number : void 0;
		}
		try {
			return JSON.parse(value);
		} catch {
			return type === "any" ? value : void 0;
		}
	}
	function answer(action) {
		let fields = {};
		set(faults, {}, !0);
		for (let { name = "", type, required } of get(form).fields ?? []) {
			let value = parsed(type, values[name] ?? "");
			value === void 0 ? get(faults)[name] = t.chat.invalidValue(String(type)) : required && (value === null || value === "") ? get(faults)[name] = t.common.required : value !== null && (fields[name] = value);
		}
		Object.keys(get(faults)).length > 0 || submission.run(async () => {
			let path = {
				assistant_id: $$props.meta.assistant_id ?? "",
				conversation_id: $$props.conversation.id
			};
			await call("workflows.resume_workflow_run", {
				path,
				body: {
					form_id: get(form).form_id,
					action,
					fields
				}
			});
		});
	}
	var section = root_8$2(), node = child(section), consequent = ($$anchor) => {
		var h3 = root$17(), text = only_child(h3, !0);
		template_effect(() => set_text(text, get(form).title)), append($$anchor, h3);
	};
	if_block(node, ($$render) => {
		get(form).title && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		var p = root_1$15(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, get(form).message)), append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		get(form).message && $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2), consequent_7 = ($$anchor) => {
		var fragment = root_7$2(), node_3 = first_child(fragment);
		each(node_3, 17, () => get(form).fields ?? [], (field) => field.name, ($$anchor, field) => {
			let name = user_derived(() => get(field).name ?? ""), label = user_derived(() => get(field).label || get(name)), options = user_derived(() => get(field).options ?? []);
			var fragment_1 = comment(), node_4 = first_child(fragment_1), consequent_2 = ($$anchor) => {
				var label_1 = root_2$9(), input = child(label_1);
				remove_input_defaults(input);
				var text_2 = sibling(input, 1, !0);
				reset(label_1), template_effect(() => {
					set_checked(input, values[get(name)] === !0), set_text(text_2, get(label));
				}), delegated("change", input, (event) => values[get(name)] = event.currentTarget.checked), append($$anchor, label_1);
			}, consequent_4 = ($$anchor) => {
				var fragment_2 = root_5$2(), label_2 = first_child(fragment_2), text_3 = child(label_2), select = sibling(text_3), option_1 = child(select);
				option_1.value = option_1.__value = "";
				var node_5 = sibling(option_1);
				each(node_5, 17, () => get(options), index, ($$anchor, option) => {
					let value = user_derived(() => typeof get(option) == "string" ? get(option) : JSON.stringify(get(option)));
					var option_2 = root_3$8(), text_4 = only_child(option_2, !0), option_2_value = {};
					template_effect(() => {
						set_text(text_4, get(value)), option_2_value !== (option_2_value = get(value)) && (option_2.value = (option_2.__value = option_2_value) ?? "");
					}), append($$anchor, option_2);
				}), reset(select);
				var select_value;
				init_select(select), reset(label_2);
				var node_6 = sibling(label_2, 2), consequent_3 = ($$anchor) => {
					var p_1 = root_4$5(), text_5 = only_child(p_1, !0);
					template_effect(() => set_text(text_5, get(faults)[get(name)])), append($$anchor, p_1);
				};
				if_block(node_6, ($$render) => {
					get(faults)[get(name)] && $$render(consequent_3);
				}), template_effect(() => {
					set_text(text_3, `${get(label) ?? ""} `), select_value !== (select_value = values[get(name)]) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
				}), delegated("change", select, (event) => values[get(name)] = event.currentTarget.value), append($$anchor, fragment_2);
			}, alternate = ($$anchor) => {
				var bind_get = () => String(values[get(name)] ?? ""), bind_set = (value) => values[get(name)] = value;
				{
					let $0 = user_derived(() => get(field).required === !0), $1 = user_derived(() => get(field).type === "number" ? "decimal" : get(field).type === "integer" ? "numeric" : void 0);
					Field($$anchor, spread_props({
						get label() {
							return get(label);
						},
						get required() {
							return get($0);
						},
						get error() {
							return get(faults)[get(name)];
						},
						get value() {
							return bind_get();
						},
						set value($$value) {
							bind_set($$value);
						}
					}, () => get(field).type === "object" || get(field).type === "array" ? { rows: 4 } : {}, { get inputmode() {
						return get($1);
					} }));
				}
			};
			if_block(node_4, ($$render) => {
				get(field).type === "boolean" ? $$render(consequent_2) : get(options).length > 0 ? $$render(consequent_4, 1) : $$render(alternate, -1);
			}), append($$anchor, fragment_1);
		});
		var node_7 = sibling(node_3, 2), consequent_5 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return submission.problem;
			} });
		};
		if_block(node_7, ($$render) => {
			submission.problem && $$render(consequent_5);
		});
		var div = sibling(node_7, 2);
		each(div, 23, () => get(actions), (action) => action.name, ($$anchor, action, at) => {
			{
				let $0 = user_derived(() => get(at) === 0 ? "primary" : "secondary");
				Button($$anchor, {
					get variant() {
						return get($0);
					},
					get busy() {
						return submission.busy;
					},
					onclick: () => answer(get(action).name ?? ""),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_6 = text();
						template_effect(() => set_text(text_6, get(action).label || get(action).name)), append($$anchor, text_6);
					},
					$$slots: { default: !0 }
				});
			}
		}), reset(div);
		var node_8 = sibling(div, 2), consequent_6 = ($$anchor) => {
			var p_2 = root_6$2(), text_7 = only_child(p_2, !0);
			template_effect(($0) => set_text(text_7, $0), [() => t.chat.formExpires(dateTime(get(form).expires_at))]), append($$anchor, p_2);
		};
		if_block(node_8, ($$render) => {
			get(form).expires_at && $$render(consequent_6);
		}), append($$anchor, fragment);
	}, consequent_8 = ($$anchor) => {
		var p_3 = root_6$2(), text_8 = only_child(p_3, !0);
		template_effect(($0) => set_text(text_8, $0), [() => t.chat.formAnswered((get(form).actions ?? []).find(({ name }) => name === $$props.part.submission?.action)?.label || $$props.part.submission?.action || "")]), append($$anchor, p_3);
	}, consequent_9 = ($$anchor) => {
		var p_4 = root_6$2(), text_9 = only_child(p_4, !0);
		template_effect(() => set_text(text_9, t.chat.formExpired)), append($$anchor, p_4);
	};
	if_block(node_2, ($$render) => {
		$$props.part.state === "open" && !$$props.meta.read_only ? $$render(consequent_7) : $$props.part.state === "submitted" ? $$render(consequent_8, 1) : $$props.part.state === "expired" && $$render(consequent_9, 2);
	}), reset(section), template_effect(() => set_attribute(section, "aria-label", get(form).title || t.chat.form)), append($$anchor, section), pop();
}
delegate(["change"]);
// src/chat/Reasoning.svelte
var root$16 = from_html("<details class=\"svelte-1r9k6f2\"><summary><!><span> </span><span class=\"chevron svelte-1r9k6f2\"><!></span></summary> <div class=\"text svelte-1r9k6f2\"> </div></details>");
function Reasoning($$anchor, $$props) {
	push($$props, !0);
	let seconds = user_derived(() => $$props.part.started_at && $$props.part.ended_at ? Math.round((Date.parse($$props.part.ended_at) - Date.parse($$props.part.started_at)) / 1e3) : void 0), label = user_derived(() => $$props.part.open ? t.chat.reasoning : get(seconds) ? t.chat.reasonedFor(get(seconds)) : t.chat.reasoned);
	var details = root$16(), summary = child(details);
	let classes;
	var node = child(summary);
	Icon(node, {
		get of() {
			return Lightbulb;
		},
		size: 16
	});
	var span = sibling(node), text = only_child(span, !0), span_1 = sibling(span), node_1 = child(span_1);
	Icon(node_1, {
		get of() {
			return ChevronRight;
		},
		size: 14
	}), reset(span_1), reset(summary);
	var div = sibling(summary, 2), text_1 = only_child(div, !0);
	reset(details), template_effect(() => {
		classes = set_class(summary, 1, "svelte-1r9k6f2", null, classes, { active: $$props.part.open }), set_text(text, get(label)), set_text(text_1, $$props.part.text);
	}), append($$anchor, details), pop();
}
// src/chat/ToolCallView.svelte
var root$15 = from_html("<h4 class=\"svelte-17fp0wv\"> </h4> <pre class=\"svelte-17fp0wv\"> </pre>", 1), root_1$14 = from_html("<progress></progress>"), root_2$8 = from_html("<p class=\"progress svelte-17fp0wv\"><!> </p>"), root_3$7 = from_html("<p class=\"progress svelte-17fp0wv\"><a> </a></p>"), root_4$4 = from_html("<details class=\"svelte-17fp0wv\"><summary><!> <span class=\"svelte-17fp0wv\"> </span> <span class=\"chevron svelte-17fp0wv\"><!></span></summary> <div class=\"body svelte-17fp0wv\"><h4 class=\"svelte-17fp0wv\"> </h4> <pre class=\"svelte-17fp0wv\"> </pre> <!></div></details> <!> <!>", 1);
function ToolCallView($$anchor, $$props) {
	push($$props, !0);
	let isMemory = user_derived(() => $$props.part.name === "remember"), running = user_derived(() => $$props.part.state === "writing" || $$props.part.state === "ready" || $$props.part.state === "running"), label = user_derived(() => {
		if (get(isMemory) && $$props.part.state === "succeeded") return t.chat.remembered;
		let name = $$props.part.server ? `${$$props.part.server.name}: ${$$props.part.server.tool}` : $$props.part.name;
		return get(running) ? t.chat.toolRunning(name) : $$props.part.state === "failed" ? t.chat.toolFailed(name) : t.chat.toolDone(name);
	}), progress = user_derived(() => $$props.part.progress);
	function text(value) {
		return typeof value == "string" ? value : JSON.stringify(value, null, 2) ?? "";
	}
	var fragment = root_4$4(), details = first_child(fragment), summary = child(details);
	let classes;
	var node = child(summary);
	{
		let $0 = user_derived(() => $$props.part.state === "failed" ? CircleAlert : get(isMemory) ? Brain : Wrench);
		Icon(node, {
			get of() {
				return get($0);
			},
			size: 16
		});
	}
	var span = sibling(node, 2), text_1 = only_child(span, !0), span_1 = sibling(span, 2), node_1 = child(span_1);
	Icon(node_1, {
		get of() {
			return ChevronRight;
		},
		size: 14
	}), reset(span_1), reset(summary);
	var div = sibling(summary, 2), h4 = child(div), text_2 = only_child(h4, !0), pre = sibling(h4, 2), text_3 = only_child(pre, !0), node_2 = sibling(pre, 2), consequent = ($$anchor) => {
		var fragment_1 = root$15(), h4_1 = first_child(fragment_1), text_4 = only_child(h4_1, !0), pre_1 = sibling(h4_1, 2), text_5 = only_child(pre_1, !0);
		template_effect(() => {
			set_text(text_4, t.chat.toolError), set_text(text_5, $$props.part.error);
		}), append($$anchor, fragment_1);
	}, consequent_1 = ($$anchor) => {
		var fragment_2 = root$15(), h4_2 = first_child(fragment_2), text_6 = only_child(h4_2, !0), pre_2 = sibling(h4_2, 2), text_7 = only_child(pre_2, !0);
		template_effect(($0) => {
			set_text(text_6, t.chat.toolOutput), set_text(text_7, $0);
		}, [() => text($$props.part.output)]), append($$anchor, fragment_2);
	};
	if_block(node_2, ($$render) => {
		$$props.part.error ? $$render(consequent) : get(running) || $$render(consequent_1, 1);
	}), reset(div), reset(details);
	var node_3 = sibling(details, 2), consequent_3 = ($$anchor) => {
		var p = root_2$8(), node_4 = child(p), consequent_2 = ($$anchor) => {
			var progress_1 = root_1$14();
			template_effect(() => {
				set_attribute(progress_1, "max", get(progress).total), set_value(progress_1, get(progress).done), set_attribute(progress_1, "aria-label", get(label));
			}), append($$anchor, progress_1);
		};
		if_block(node_4, ($$render) => {
			get(progress).total && $$render(consequent_2);
		});
		var text_8 = sibling(node_4);
		reset(p), template_effect(() => set_text(text_8, ` ${get(progress).message ?? "" ?? ""}`)), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		get(running) && get(progress) && $$render(consequent_3);
	});
	var node_5 = sibling(node_3, 2), consequent_4 = ($$anchor) => {
		var p_1 = root_3$7(), a = child(p_1), text_9 = only_child(a, !0);
		reset(p_1), template_effect(($0) => {
			set_attribute(a, "href", $0), set_text(text_9, t.chat.seeMemories);
		}, [() => href("/memories")]), append($$anchor, p_1);
	};
	if_block(node_5, ($$render) => {
		get(isMemory) && $$props.part.state === "succeeded" && $$render(consequent_4);
	}), template_effect(($0) => {
		classes = set_class(summary, 1, "svelte-17fp0wv", null, classes, {
			failed: $$props.part.state === "failed",
			active: get(running)
		}), set_text(text_1, get(label)), set_text(text_2, t.chat.toolInput), set_text(text_3, $0);
	}, [() => $$props.part.arguments === void 0 ? $$props.part.input : text($$props.part.arguments)]), append($$anchor, fragment), pop();
}
// src/chat/Parts.svelte
function Parts($$anchor, $$props) {
	push($$props, !0);
	var fragment = comment(), node = first_child(fragment);
	each(node, 17, () => $$props.parts, (part) => part.id, ($$anchor, part) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1), consequent = ($$anchor) => {
			Prose($$anchor, {
				get text() {
					return get(part).text;
				},
				get open() {
					return get(part).open;
				},
				get oncite() {
					return $$props.oncite;
				}
			});
		}, consequent_1 = ($$anchor) => {
			Reasoning($$anchor, { get part() {
				return get(part);
			} });
		}, consequent_2 = ($$anchor) => {
			ToolCallView($$anchor, { get part() {
				return get(part);
			} });
		}, consequent_3 = ($$anchor) => {
			Attachment($$anchor, {
				get conversation() {
					return $$props.meta.id;
				},
				get blob() {
					return get(part).blob_id;
				},
				get name() {
					return get(part).filename;
				},
				get mediaType() {
					return get(part).media_type;
				}
			});
		}, consequent_4 = ($$anchor) => {
			FormView($$anchor, {
				get part() {
					return get(part);
				},
				get conversation() {
					return $$props.conversation;
				},
				get meta() {
					return $$props.meta;
				}
			});
		};
		if_block(node_1, ($$render) => {
			get(part).kind === "text" ? $$render(consequent) : get(part).kind === "reasoning" ? $$render(consequent_1, 1) : get(part).kind === "tool" ? $$render(consequent_2, 2) : get(part).kind === "file" ? $$render(consequent_3, 3) : get(part).kind === "form" && $$render(consequent_4, 4);
		}), append($$anchor, fragment_1);
	}), append($$anchor, fragment), pop();
}
// src/chat/sources.svelte.ts
var shown = state(void 0), sourcesPane = {
	get shown() {
		return get(shown);
	},
	show(message, sources, number) {
		let at = sources.findIndex((source) => source.number === number);
		set(shown, {
			message,
			sources,
			at: at >= 0 ? at : number !== void 0 && sources[number - 1] ? number - 1 : void 0
		});
	},
	select(at) {
		get(shown) && set(shown, {
			...get(shown),
			at
		});
	},
	close() {
		set(shown, void 0);
	}
};
function titleOf({ source }) {
	if (source.title) return source.title;
	try {
		return source.url ? new URL(source.url).hostname : source.document_id ?? "";
	} catch {
		return source.url ?? "";
	}
}
function pageOf({ source }) {
	return source.url && /^https?:\/\//i.test(source.url) ? source.url : void 0;
}
// src/chat/SourceChips.svelte
var root$14 = from_html("<li class=\"svelte-1s4gy6e\"><button type=\"button\" class=\"svelte-1s4gy6e\"><span class=\"number svelte-1s4gy6e\"> </span><span class=\"title svelte-1s4gy6e\"> </span></button></li>"), root_1$13 = from_html("<ul role=\"list\" class=\"svelte-1s4gy6e\"></ul>");
function SourceChips($$anchor, $$props) {
	push($$props, !0);
	var ul = root_1$13();
	each(ul, 23, () => $$props.sources, (source) => source.id, ($$anchor, source, at) => {
		var li = root$14(), button = child(li), span = child(button), text = only_child(span, !0), span_1 = sibling(span), text_1 = only_child(span_1, !0);
		reset(button), reset(li), template_effect(($0) => {
			set_text(text, get(source).number ?? get(at) + 1), set_text(text_1, $0);
		}, [() => titleOf(get(source))]), delegated("click", button, () => $$props.onopen(get(source).number ?? get(at) + 1)), append($$anchor, li);
	}), reset(ul), template_effect(() => set_attribute(ul, "aria-label", t.chat.sources)), append($$anchor, ul), pop();
}
delegate(["click"]);
// src/chat/MessageView.svelte
var root$13 = from_html("<div class=\"attachments svelte-jb948k\"></div>"), root_1$12 = from_html("<p class=\"question svelte-jb948k\"> </p>"), root_2$7 = from_html("<!> <!> <!>", 1), root_3$6 = from_html("<div class=\"content svelte-jb948k\"><!> <!></div> <!>", 1), root_4$3 = from_html("<article><!></article>");
function MessageView($$anchor, $$props) {
	push($$props, !0);
	let editing = state(!1), isUser = user_derived(() => $$props.message.role === "user"), live = user_derived(() => $$props.conversation.answerOf($$props.message)), parts = user_derived(() => get(live) ? get(live).answer.parts : partsOf($$props.message)), sources = user_derived(() => get(parts).filter((part) => part.kind === "source"));
	async function edit(text) {
		set(editing, !1), await $$props.conversation.edit($$props.message, text);
	}
	var article = root_4$3();
	let classes;
	var node = child(article), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => get(parts).flatMap((part) => part.kind === "text" ? part.text : []).join(""));
			Editor($$anchor, {
				get text() {
					return get($0);
				},
				onsave: edit,
				oncancel: () => set(editing, !1)
			});
		}
	}, alternate_1 = ($$anchor) => {
		var fragment_1 = root_3$6(), div = first_child(fragment_1), node_1 = child(div), consequent_1 = ($$anchor) => {
			var div_1 = root$13();
			each(div_1, 21, () => $$props.message.attachments ?? [], (file) => file.blob_id + file.filename, ($$anchor, file) => {
				Attachment($$anchor, {
					get conversation() {
						return $$props.meta.id;
					},
					get blob() {
						return get(file).blob_id;
					},
					get name() {
						return get(file).filename;
					},
					get mediaType() {
						return get(file).media_type;
					},
					get size() {
						return get(file).size;
					}
				});
			}), reset(div_1), append($$anchor, div_1);
		};
		if_block(node_1, ($$render) => {
			($$props.message.attachments ?? []).length > 0 && $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
			var fragment_3 = comment(), node_3 = first_child(fragment_3);
			each(node_3, 17, () => get(parts), (part) => part.id, ($$anchor, part) => {
				var fragment_4 = comment(), node_4 = first_child(fragment_4), consequent_2 = ($$anchor) => {
					var p = root_1$12(), text_1 = only_child(p, !0);
					template_effect(() => set_text(text_1, get(part).text)), append($$anchor, p);
				};
				if_block(node_4, ($$render) => {
					get(part).kind === "text" && $$render(consequent_2);
				}), append($$anchor, fragment_4);
			}), append($$anchor, fragment_3);
		}, alternate = ($$anchor) => {
			var fragment_5 = root_2$7(), node_5 = first_child(fragment_5);
			Parts(node_5, {
				get parts() {
					return get(parts);
				},
				get conversation() {
					return $$props.conversation;
				},
				get meta() {
					return $$props.meta;
				},
				oncite: (number) => sourcesPane.show($$props.message.id, get(sources), number)
			});
			var node_6 = sibling(node_5, 2), consequent_4 = ($$anchor) => {
				SourceChips($$anchor, {
					get sources() {
						return get(sources);
					},
					onopen: (number) => sourcesPane.show($$props.message.id, get(sources), number)
				});
			};
			if_block(node_6, ($$render) => {
				get(sources).length > 0 && $$render(consequent_4);
			}), MessageStatus(sibling(node_6, 2), {
				get message() {
					return $$props.message;
				},
				get live() {
					return get(live);
				},
				get conversation() {
					return $$props.conversation;
				}
			}), append($$anchor, fragment_5);
		};
		if_block(node_2, ($$render) => {
			get(isUser) ? $$render(consequent_3) : $$render(alternate, -1);
		}), reset(div);
		var node_8 = sibling(div, 2), consequent_5 = ($$anchor) => {
			MessageActions($$anchor, {
				get message() {
					return $$props.message;
				},
				get conversation() {
					return $$props.conversation;
				},
				get meta() {
					return $$props.meta;
				},
				get isLast() {
					return $$props.isLast;
				},
				onedit: () => set(editing, !0)
			});
		};
		if_block(node_8, ($$render) => {
			!get(live) && $$props.message.status !== "streaming" && $$render(consequent_5);
		}), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		get(editing) ? $$render(consequent) : $$render(alternate_1, -1);
	}), reset(article), template_effect(() => {
		set_attribute(article, "aria-label", get(isUser) ? t.chat.you : t.chat.response), set_attribute(article, "aria-busy", get(live) ? "true" : void 0), classes = set_class(article, 1, "svelte-jb948k", null, classes, { user: get(isUser) });
	}), append($$anchor, article), pop();
}
// src/chat/Passage.svelte
var root$12 = from_html("<p class=\"text svelte-p82fx2\"> <mark class=\"svelte-p82fx2\"> </mark> </p>"), root_1$11 = from_html("<blockquote class=\"svelte-p82fx2\"> </blockquote>"), root_2$6 = from_html("<!> <!>", 1);
function Passage($$anchor, $$props) {
	push($$props, !0);
	let page = user_derived(() => read($$props.source)), mark = state(void 0);
	async function read({ document_id, place }) {
		if (!document_id || !place?.knowledge_base_id) return;
		let path = {
			knowledge_base_id: place.knowledge_base_id,
			document_id
		}, { pages } = await call("knowledge-bases.get_knowledge_base_document_text", {
			path,
			query: place.page ? { page: place.page } : {}
		}), characters = Array.from(pages.find(({ number }) => number === (place.page ?? number))?.text ?? ""), [start, end] = [place.start ?? 0, place.end ?? 0];
		return {
			before: characters.slice(0, start).join(""),
			passage: characters.slice(start, end).join(""),
			after: characters.slice(end).join("")
		};
	}
	user_effect(() => {
		get(page).then(() => tick()).then(() => get(mark)?.scrollIntoView({ block: "center" })).catch(() => {});
	});
	var fragment = comment(), node = first_child(fragment);
	await_block(node, () => get(page), ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	}, ($$anchor, text) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1), consequent = ($$anchor) => {
			var p = root$12(), text_1 = child(p, !0), mark_1 = sibling(text_1), text_2 = only_child(mark_1, !0);
			bind_this(mark_1, ($$value) => set(mark, $$value), () => get(mark));
			var text_3 = sibling(mark_1, 1, !0);
			reset(p), template_effect(() => {
				set_text(text_1, get(text).before), set_text(text_2, get(text).passage), set_text(text_3, get(text).after);
			}), append($$anchor, p);
		}, consequent_1 = ($$anchor) => {
			var blockquote = root_1$11(), text_4 = only_child(blockquote, !0);
			template_effect(() => set_text(text_4, $$props.source.snippet)), append($$anchor, blockquote);
		};
		if_block(node_1, ($$render) => {
			get(text) ? $$render(consequent) : $$props.source.snippet && $$render(consequent_1, 1);
		}), append($$anchor, fragment_1);
	}, ($$anchor, problem) => {
		var fragment_2 = root_2$6(), node_2 = first_child(fragment_2), consequent_2 = ($$anchor) => {
			var blockquote_1 = root_1$11(), text_5 = only_child(blockquote_1, !0);
			template_effect(() => set_text(text_5, $$props.source.snippet)), append($$anchor, blockquote_1);
		};
		if_block(node_2, ($$render) => {
			$$props.source.snippet && $$render(consequent_2);
		});
		var node_3 = sibling(node_2, 2);
		ProblemNote(node_3, { get problem() {
			return get(problem);
		} }), append($$anchor, fragment_2);
	}), append($$anchor, fragment), pop();
}
// src/chat/SourcesPane.svelte
var root$11 = from_html("<p class=\"place svelte-vj0n9q\"> </p>"), root_1$10 = from_html("<a target=\"_blank\" rel=\"noopener noreferrer\"> </a>"), root_2$5 = from_html("<!> <!> <!>", 1), root_3$5 = from_html("<span class=\"place svelte-vj0n9q\"> </span>"), root_4$2 = from_html("<span class=\"snippet svelte-vj0n9q\"> </span>"), root_5$1 = from_html("<a class=\"external svelte-vj0n9q\" target=\"_blank\" rel=\"noopener noreferrer\"><!></a>"), root_6$1 = from_html("<li class=\"svelte-vj0n9q\"><button type=\"button\" class=\"svelte-vj0n9q\"><span class=\"number svelte-vj0n9q\"> </span> <span class=\"about svelte-vj0n9q\"><strong class=\"svelte-vj0n9q\"> </strong> <!> <!></span></button> <!></li>"), root_7$1 = from_html("<ol role=\"list\"></ol>"), root_8$1 = from_html("<aside tabindex=\"-1\" class=\"svelte-vj0n9q\"><header class=\"svelte-vj0n9q\"><!> <h2 class=\"svelte-vj0n9q\"> </h2> <!></header> <div class=\"body svelte-vj0n9q\"><!></div></aside>");
function SourcesPane($$anchor, $$props) {
	push($$props, !0);
	let pane, open = user_derived(() => $$props.at === void 0 ? void 0 : $$props.sources[$$props.at]);
	onMount(() => {
		let former = document.activeElement;
		return pane.focus(), () => {
			former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	function press(event) {
		event.key === "Escape" && (event.preventDefault(), event.stopPropagation(), sourcesPane.close());
	}
	let placeOf = ({ source }) => [...source.place?.headings ?? [], source.place?.page ? t.chat.page(source.place.page) : ""].filter(Boolean).join(" › ");
	var aside = root_8$1(), header = child(aside), node = child(header), consequent = ($$anchor) => {
		Button($$anchor, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ArrowLeft;
			},
			get label() {
				return t.common.back;
			},
			onclick: () => sourcesPane.select(void 0)
		});
	};
	if_block(node, ($$render) => {
		get(open) && $$render(consequent);
	});
	var h2 = sibling(node, 2), text = only_child(h2, !0), node_1 = sibling(h2, 2);
	Button(node_1, {
		variant: "quiet",
		size: "small",
		get icon() {
			return X;
		},
		get label() {
			return t.common.close;
		},
		get onclick() {
			return sourcesPane.close;
		}
	}), reset(header);
	var div = sibling(header, 2), node_2 = child(div), consequent_3 = ($$anchor) => {
		let page = user_derived(() => pageOf(get(open)));
		var fragment_1 = root_2$5(), node_3 = first_child(fragment_1), consequent_1 = ($$anchor) => {
			var p = root$11(), text_1 = only_child(p, !0);
			template_effect(($0) => set_text(text_1, $0), [() => placeOf(get(open))]), append($$anchor, p);
		}, d = user_derived(() => placeOf(get(open)));
		if_block(node_3, ($$render) => {
			get(d) && $$render(consequent_1);
		});
		var node_4 = sibling(node_3, 2), consequent_2 = ($$anchor) => {
			var a = root_1$10(), text_2 = only_child(a, !0);
			template_effect(() => {
				set_attribute(a, "href", get(page)), set_text(text_2, get(page));
			}), append($$anchor, a);
		};
		if_block(node_4, ($$render) => {
			get(page) && $$render(consequent_2);
		});
		var node_5 = sibling(node_4, 2);
		key(node_5, () => get(open).id, ($$anchor) => {
			Passage($$anchor, { get source() {
				return get(open).source;
			} });
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		var ol = root_7$1();
		each(ol, 23, () => $$props.sources, (source) => source.id, ($$anchor, source, index) => {
			let page = user_derived(() => pageOf(get(source)));
			var li = root_6$1(), button = child(li), span = child(button), text_3 = only_child(span, !0), span_1 = sibling(span, 2), strong = child(span_1), text_4 = only_child(strong, !0), node_6 = sibling(strong, 2), consequent_4 = ($$anchor) => {
				var span_2 = root_3$5(), text_5 = only_child(span_2, !0);
				template_effect(($0) => set_text(text_5, $0), [() => placeOf(get(source))]), append($$anchor, span_2);
			}, d_1 = user_derived(() => placeOf(get(source)));
			if_block(node_6, ($$render) => {
				get(d_1) && $$render(consequent_4);
			});
			var node_7 = sibling(node_6, 2), consequent_5 = ($$anchor) => {
				var span_3 = root_4$2(), text_6 = only_child(span_3, !0);
				template_effect(() => set_text(text_6, get(source).source.snippet)), append($$anchor, span_3);
			};
			if_block(node_7, ($$render) => {
				get(source).source.snippet && $$render(consequent_5);
			}), reset(span_1), reset(button);
			var node_8 = sibling(button, 2), consequent_6 = ($$anchor) => {
				var a_1 = root_5$1(), node_9 = child(a_1);
				Icon(node_9, {
					get of() {
						return ExternalLink;
					},
					size: 16
				}), reset(a_1), template_effect(($0) => {
					set_attribute(a_1, "href", get(page)), set_attribute(a_1, "aria-label", $0);
				}, [() => t.chat.openPage(titleOf(get(source)))]), append($$anchor, a_1);
			};
			if_block(node_8, ($$render) => {
				get(page) && $$render(consequent_6);
			}), reset(li), template_effect(($0) => {
				set_text(text_3, get(source).number ?? get(index) + 1), set_text(text_4, $0);
			}, [() => titleOf(get(source))]), delegated("click", button, () => sourcesPane.select(get(index))), append($$anchor, li);
		}), reset(ol), append($$anchor, ol);
	};
	if_block(node_2, ($$render) => {
		get(open) ? $$render(consequent_3) : $$render(alternate, -1);
	}), reset(div), reset(aside), bind_this(aside, ($$value) => pane = $$value, () => pane), template_effect(($0) => {
		set_attribute(aside, "aria-label", t.chat.sources), set_text(text, $0);
	}, [() => get(open) ? titleOf(get(open)) : t.chat.sources]), delegated("keydown", aside, press), append($$anchor, aside), pop();
}
delegate(["keydown", "click"]);
// src/chat/export.ts
function exported(title, messages) {
	let sections = messages.map(({ role, model, parts }) => {
		let text = (parts ?? []).flatMap((part) => part.type === "text" ? part.text : []).join("\n\n");
		return `## ${role}${model ? ` (${model})` : ""}\n\n${text}\n`;
	});
	return [`# ${title}\n`, ...sections].join("\n");
}
// src/chat/Conversation.svelte
var root$10 = from_html("<a class=\"project svelte-1y42rzv\"> </a>"), root_1$9 = from_html("<div class=\"pending svelte-1y42rzv\"><p class=\"svelte-1y42rzv\"> </p><span class=\"svelte-1y42rzv\"> </span></div>"), root_2$4 = from_html("<p class=\"refused svelte-1y42rzv\"> <!></p>"), root_3$4 = from_html("<main class=\"svelte-1y42rzv\"><!> <div class=\"bottom svelte-1y42rzv\"><!> <!></div></main> <!>", 1), root_4$1 = from_html("<div class=\"split svelte-1y42rzv\"><div class=\"main svelte-1y42rzv\"><header class=\"svelte-1y42rzv\"><!> <h1 class=\"svelte-1y42rzv\"> </h1> <!> <!></header> <!> <!></div> <!></div>");
function Conversation($$anchor, $$props) {
	push($$props, !0);
	let conversation = conversationFor($$props.id), list = state(void 0), finding = state(!1), meta = user_derived(() => conversation.meta), title = user_derived(() => get(meta)?.title ?? t.shell.untitled), responding = user_derived(() => conversation.live !== void 0 && conversation.live.answer.terminal === null), project = user_derived(() => projects.find(get(meta)?.project_id));
	onMount(() => {
		let remove = screenCommands.add([
			{
				id: "find",
				label: t.keys.find,
				icon: Search,
				keys: `${MOD} F`,
				run: () => set(finding, !0)
			},
			{
				id: "export",
				label: t.chat.download,
				icon: Download,
				run: download
			},
			{
				id: "stop",
				label: t.chat.stop,
				icon: CircleStop,
				run: () => void conversation.stop()
			}
		]);
		return () => {
			remove(), sourcesPane.close(), conversation.close();
		};
	});
	async function send(text, attachments) {
		await attachments.send($$props.id), get(list)?.toEnd();
		let usable = attachments.usable;
		return conversation.send({
			text,
			uploads: usable.flatMap((upload) => upload.id ?? []),
			files: usable.map(({ file }) => file.name)
		});
	}
	function editLast() {
		let question = conversation.branch.findLast(({ role }) => role === "user"), actions = question && document.querySelector(`[data-message="${question.id}"] [role="group"]`);
		(actions && [...actions.querySelectorAll("button")].find((button) => button.title === t.common.edit))?.click();
	}
	function download() {
		if (!get(meta)) return;
		let link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([exported(get(title), conversation.branch)], { type: "text/markdown" })), link.download = `${get(title).replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 80) || "conversation"}.md`, link.click(), URL.revokeObjectURL(link.href);
	}
	function press(event) {
		hasMod(event) && event.key.toLowerCase() === "f" && !event.shiftKey && (event.preventDefault(), set(finding, !0));
	}
	var div = root_4$1();
	event("keydown", $window, press), head("1y42rzv", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${get(title) ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var div_1 = child(div), header = child(div_1), node = child(header);
	snippet(node, () => $$props.opener);
	var h1 = sibling(node, 2), text_1 = only_child(h1, !0), node_1 = sibling(h1, 2), consequent = ($$anchor) => {
		var a = root$10(), text_2 = only_child(a, !0);
		template_effect(($0) => {
			set_attribute(a, "href", $0), set_text(text_2, get(project).name);
		}, [() => href(`/projects/${get(project).id}`)]), append($$anchor, a);
	};
	if_block(node_1, ($$render) => {
		get(project) && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	{
		let $0 = user_derived(() => !get(meta));
		Button(node_2, {
			variant: "quiet",
			get icon() {
				return Search;
			},
			get label() {
				return t.keys.find;
			},
			get disabled() {
				return get($0);
			},
			onclick: () => set(finding, !0)
		});
	}
	reset(header);
	var node_3 = sibling(header, 2), consequent_1 = ($$anchor) => {
		FindBar($$anchor, {
			get messages() {
				return conversation.branch;
			},
			onreveal: (message) => void get(list)?.reveal(message),
			onclose: () => set(finding, !1)
		});
	};
	if_block(node_3, ($$render) => {
		get(finding) && $$render(consequent_1);
	});
	var node_4 = sibling(node_3, 2), consequent_6 = ($$anchor) => {
		var fragment_1 = root_3$4(), main = first_child(fragment_1), node_5 = child(main), consequent_2 = ($$anchor) => {
			StatePanel($$anchor, {
				get title() {
					return t.chat.empty;
				},
				get text() {
					return t.chat.emptyText;
				}
			});
		}, alternate = ($$anchor) => {
			{
				let item = ($$anchor, message = noop, isLast = noop) => {
					MessageView($$anchor, {
						get message() {
							return message();
						},
						get conversation() {
							return conversation;
						},
						get meta() {
							return get(meta);
						},
						get isLast() {
							return isLast();
						}
					});
				}, footer = ($$anchor) => {
					var fragment_5 = comment(), node_6 = first_child(fragment_5), consequent_3 = ($$anchor) => {
						var div_2 = root_1$9(), p = child(div_2), text_3 = only_child(p, !0), span = sibling(p), text_4 = only_child(span, !0);
						reset(div_2), template_effect(() => {
							set_text(text_3, conversation.pending.text), set_text(text_4, t.chat.sending);
						}), append($$anchor, div_2);
					};
					if_block(node_6, ($$render) => {
						conversation.pending && $$render(consequent_3);
					}), append($$anchor, fragment_5);
				}, $0 = user_derived(() => router.location.query.get("m") ?? void 0);
				bind_this(MessageList($$anchor, {
					get messages() {
						return conversation.branch;
					},
					get initial() {
						return get($0);
					},
					item,
					footer,
					$$slots: {
						item: !0,
						footer: !0
					}
				}), ($$value) => set(list, $$value, !0), () => get(list));
			}
		};
		if_block(node_5, ($$render) => {
			conversation.branch.length === 0 && !conversation.pending ? $$render(consequent_2) : $$render(alternate, -1);
		});
		var div_3 = sibling(node_5, 2), node_7 = child(div_3), consequent_4 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return conversation.refusal;
			} });
		};
		if_block(node_7, ($$render) => {
			conversation.refusal && $$render(consequent_4);
		});
		var node_8 = sibling(node_7, 2), consequent_5 = ($$anchor) => {
			var p_1 = root_2$4(), text_5 = child(p_1), node_9 = sibling(text_5);
			Button(node_9, {
				size: "small",
				onclick: () => why.ask("conversations.conversation_completion", $$props.id),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_6 = text();
					template_effect(() => set_text(text_6, t.common.why)), append($$anchor, text_6);
				},
				$$slots: { default: !0 }
			}), reset(p_1), template_effect(() => set_text(text_5, `${t.chat.readOnly ?? ""} `)), append($$anchor, p_1);
		}, alternate_1 = ($$anchor) => {
			{
				let pickers = ($$anchor) => {
					Pickers($$anchor, {
						get model() {
							return get(meta).model;
						},
						get assistant() {
							return get(meta).assistant_id;
						},
						onmodel: (model) => void conversation.change({ model }),
						onassistant: (assistant_id) => void conversation.change({ assistant_id })
					});
				}, $0 = user_derived(() => conversation.live?.stopping ?? !1);
				Composer($$anchor, {
					get conversation() {
						return $$props.id;
					},
					get responding() {
						return get(responding);
					},
					get stopping() {
						return get($0);
					},
					onsend: send,
					onstop: () => void conversation.stop(),
					oneditlast: editLast,
					pickers,
					$$slots: { pickers: !0 }
				});
			}
		};
		if_block(node_8, ($$render) => {
			get(meta).read_only ? $$render(consequent_5) : $$render(alternate_1, -1);
		}), reset(div_3), reset(main);
		var node_10 = sibling(main, 2);
		{
			let $0 = user_derived(() => conversation.live?.answer);
			Announcer(node_10, { get answer() {
				return get($0);
			} });
		}
		append($$anchor, fragment_1);
	}, consequent_7 = ($$anchor) => {
		ProblemPanel($$anchor, {
			get problem() {
				return conversation.problem;
			},
			retry: () => void conversation.open()
		});
	}, alternate_2 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	};
	if_block(node_4, ($$render) => {
		get(meta) ? $$render(consequent_6) : conversation.problem ? $$render(consequent_7, 1) : $$render(alternate_2, -1);
	}), reset(div_1);
	var node_11 = sibling(div_1, 2), consequent_8 = ($$anchor) => {
		SourcesPane($$anchor, {
			get sources() {
				return sourcesPane.shown.sources;
			},
			get at() {
				return sourcesPane.shown.at;
			}
		});
	};
	if_block(node_11, ($$render) => {
		sourcesPane.shown && $$render(consequent_8);
	}), reset(div), template_effect(() => set_text(text_1, get(title))), append($$anchor, div), pop();
}
// src/chat/Chat.svelte
var Chat_exports = __exportAll({ default: () => Chat });
function Chat($$anchor, $$props) {
	push($$props, !0), onMount(() => void choices.load(session.has("assistants")));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		key(node_1, () => $$props.parameters.id, ($$anchor) => {
			Conversation($$anchor, {
				get id() {
					return $$props.parameters.id;
				},
				get opener() {
					return $$props.opener;
				}
			});
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		NewConversation($$anchor, {
			get user() {
				return $$props.user;
			},
			get opener() {
				return $$props.opener;
			}
		});
	};
	if_block(node, ($$render) => {
		$$props.parameters.id ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/shell/Help.svelte
var root$9 = from_html("<span class=\"svelte-i3zs4r\">+</span>"), root_1$8 = from_html("<!><kbd> </kbd>", 1), root_2$3 = from_html("<dt> </dt> <dd class=\"svelte-i3zs4r\"></dd>", 1), root_3$3 = from_html("<dl class=\"svelte-i3zs4r\"></dl>");
function Help($$anchor, $$props) {
	push($$props, !0);
	let shortcuts = user_derived(() => [
		[t.keys.palette, [MOD, "K"]],
		[t.keys.newChat, [
			MOD,
			"Shift",
			"O"
		]],
		[t.keys.sidebar, [MOD, "B"]],
		[t.keys.focus, ["/"]],
		[t.keys.send, ["Enter"]],
		[t.keys.newline, ["Shift", "Enter"]],
		[t.keys.editLast, ["↑"]],
		[t.keys.stop, ["Esc"]],
		[t.keys.find, [MOD, "F"]],
		[t.keys.help, ["?"]]
	]);
	Dialog($$anchor, {
		get title() {
			return t.shell.shortcuts;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var dl = root_3$3();
			each(dl, 21, () => get(shortcuts), ([label, parts]) => label, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 2));
				let label = () => get($$array)[0], parts = () => get($$array)[1];
				var fragment_1 = root_2$3(), dt = first_child(fragment_1), text = only_child(dt, !0), dd = sibling(dt, 2);
				each(dd, 22, parts, (part) => part, ($$anchor, part, at) => {
					var fragment_2 = root_1$8(), node = first_child(fragment_2), consequent = ($$anchor) => {
						var span = root$9();
						append($$anchor, span);
					};
					if_block(node, ($$render) => {
						get(at) > 0 && $$render(consequent);
					});
					var kbd = sibling(node), text_1 = only_child(kbd, !0);
					template_effect(() => set_text(text_1, part)), append($$anchor, fragment_2);
				}), reset(dd), template_effect(() => set_text(text, label())), append($$anchor, fragment_1);
			}), reset(dl), append($$anchor, dl);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/shell/Palette.svelte
var root$8 = from_html("<li class=\"group svelte-pb2lb5\" role=\"presentation\"> </li>"), root_1$7 = from_html("<kbd> </kbd>"), root_2$2 = from_html("<!> <li class=\"command svelte-pb2lb5\" role=\"option\"><!> <span class=\"svelte-pb2lb5\"> </span> <!></li>", 1), root_3$2 = from_html("<dialog class=\"svelte-pb2lb5\"><input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <ul role=\"listbox\" class=\"svelte-pb2lb5\"></ul></dialog>");
function Palette($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let dialog, query = state(""), active = state(0), commands = user_derived(() => [
		...screenCommands.list,
		{
			id: "new",
			label: t.shell.newChat,
			icon: SquarePen,
			keys: `${MOD} Shift O`,
			run: () => navigate("/")
		},
		{
			id: "sidebar",
			label: t.keys.sidebar,
			icon: PanelLeft,
			keys: `${MOD} B`,
			run: $$props.ontoggle
		},
		{
			id: "theme",
			label: t.settings.switchTheme,
			icon: look.theme === "dark" ? Sun : Moon,
			run: () => look.theme = look.theme === "dark" ? "light" : "dark"
		},
		{
			id: "settings",
			label: t.shell.settings,
			icon: Settings,
			run: () => navigate("/settings")
		},
		...$$props.user.features.includes("memories") ? [{
			id: "memories",
			label: t.shell.memories,
			icon: Brain,
			run: () => navigate("/memories")
		}] : [],
		{
			id: "help",
			label: t.shell.shortcuts,
			icon: Keyboard,
			keys: "?",
			run: () => keys.help = !0
		},
		...projects.items.map((project) => ({
			id: project.id,
			label: project.name,
			group: t.shell.projects,
			run: () => navigate(`/projects/${project.id}`)
		})),
		...conversations.items.map((item) => ({
			id: item.id,
			label: item.title ?? t.shell.untitled,
			icon: MessageSquare,
			group: t.shell.conversations,
			run: () => navigate(`/conversations/${item.id}`)
		}))
	]), found = user_derived(() => {
		let words = get(query).toLowerCase().split(/\s+/).filter(Boolean);
		return get(commands).filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))).slice(0, 30);
	});
	onMount(() => {
		let former = document.activeElement;
		return dialog.showModal(), () => {
			former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	function run(command) {
		command && ($$props.onclose(), tick().then(command.run));
	}
	function press(event) {
		if (event.key === "ArrowDown") set(active, (get(active) + 1) % Math.max(1, get(found).length));
		else if (event.key === "ArrowUp") set(active, (get(active) - 1 + get(found).length) % Math.max(1, get(found).length));
		else if (event.key === "Enter") run(get(found)[get(active)]);
		else return;
		event.preventDefault(), tick().then(() => document.getElementById(`${id}-${get(active)}`)?.scrollIntoView({ block: "nearest" }));
	}
	var dialog_1 = root_3$2(), input = child(dialog_1);
	remove_input_defaults(input), autofocus(input, !0);
	var ul = sibling(input, 2);
	each(ul, 23, () => get(found), (command) => command.id, ($$anchor, command, at) => {
		var fragment = root_2$2(), node = first_child(fragment), consequent = ($$anchor) => {
			var li = root$8(), text = only_child(li, !0);
			template_effect(() => set_text(text, get(command).group)), append($$anchor, li);
		};
		if_block(node, ($$render) => {
			get(command).group && get(command).group !== get(found)[get(at) - 1]?.group && $$render(consequent);
		});
		var li_1 = sibling(node, 2), node_1 = child(li_1), consequent_1 = ($$anchor) => {
			Icon($$anchor, {
				get of() {
					return get(command).icon;
				},
				size: 16
			});
		};
		if_block(node_1, ($$render) => {
			get(command).icon && $$render(consequent_1);
		});
		var span = sibling(node_1, 2), text_1 = only_child(span, !0), node_2 = sibling(span, 2), consequent_2 = ($$anchor) => {
			var kbd = root_1$7(), text_2 = only_child(kbd, !0);
			template_effect(() => set_text(text_2, get(command).keys)), append($$anchor, kbd);
		};
		if_block(node_2, ($$render) => {
			get(command).keys && $$render(consequent_2);
		}), reset(li_1), template_effect(() => {
			set_attribute(li_1, "id", `${id}-${get(at) ?? ""}`), set_attribute(li_1, "aria-selected", get(at) === get(active)), set_text(text_1, get(command).label);
		}), delegated("click", li_1, () => run(get(command))), delegated("pointermove", li_1, () => set(active, get(at), !0)), append($$anchor, fragment);
	}, ($$anchor) => {
		var li_2 = root$8(), text_3 = only_child(li_2, !0);
		template_effect(() => set_text(text_3, t.keys.nothing)), append($$anchor, li_2);
	}), reset(ul), reset(dialog_1), bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog), template_effect(() => {
		set_attribute(dialog_1, "aria-label", t.shell.commands), set_attribute(input, "aria-controls", `${id}-list`), set_attribute(input, "aria-activedescendant", get(found)[get(active)] ? `${id}-${get(active)}` : void 0), set_attribute(input, "aria-label", t.shell.commands), set_attribute(input, "placeholder", t.keys.placeholder), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", t.shell.commands);
	}), event("cancel", dialog_1, (event) => {
		event.preventDefault(), $$props.onclose();
	}), delegated("click", dialog_1, (event) => {
		event.target === dialog && $$props.onclose();
	}), delegated("input", input, () => set(active, 0)), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), append($$anchor, dialog_1), pop();
}
delegate([
	"click",
	"input",
	"keydown",
	"pointermove"
]);
// src/shell/Keys.svelte
var root$7 = from_html("<!> <!>", 1);
function Keys($$anchor, $$props) {
	push($$props, !0);
	function press(event) {
		let key = event.key.toLowerCase();
		if (hasMod(event) && key === "k") keys.palette = !keys.palette;
		else if (hasMod(event) && event.shiftKey && key === "o") navigate("/");
		else if (hasMod(event) && !event.shiftKey && key === "b") $$props.ontoggle();
		else if (event.key === "?" && !isTyping(event)) keys.help = !0;
		else if (event.key === "/" && !isTyping(event)) document.getElementById("message-field")?.focus();
		else return;
		event.preventDefault();
	}
	var fragment = root$7();
	event("keydown", $window, press);
	var node = first_child(fragment), consequent = ($$anchor) => {
		Palette($$anchor, {
			get user() {
				return $$props.user;
			},
			onclose: () => keys.palette = !1,
			get ontoggle() {
				return $$props.ontoggle;
			}
		});
	};
	if_block(node, ($$render) => {
		keys.palette && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		Help($$anchor, { onclose: () => keys.help = !1 });
	};
	if_block(node_1, ($$render) => {
		keys.help && $$render(consequent_1);
	}), append($$anchor, fragment), pop();
}
// src/shell/screens.ts
var chat = () => __vitePreload(() => Promise.resolve().then(() => Chat_exports), void 0, import.meta.url), SCREENS = [
	{
		pattern: "/",
		load: chat
	},
	{
		pattern: "/conversations/:id",
		load: chat
	},
	{
		pattern: "/projects/:id",
		load: () => __vitePreload(() => import("./settings.js").then((n) => n.ProjectScreen_exports), __vite__mapDeps([0,1,2,3]), import.meta.url)
	},
	{
		pattern: "/memories",
		load: () => __vitePreload(() => import("./settings.js").then((n) => n.Memories_exports), __vite__mapDeps([0,1,2,3]), import.meta.url)
	},
	{
		pattern: "/settings",
		load: () => __vitePreload(() => import("./settings.js").then((n) => n.Settings_exports), __vite__mapDeps([0,1,2,3]), import.meta.url)
	},
	{
		pattern: "/settings/:section",
		load: () => __vitePreload(() => import("./settings.js").then((n) => n.Settings_exports), __vite__mapDeps([0,1,2,3]), import.meta.url)
	},
	{
		pattern: "/why",
		load: () => __vitePreload(() => import("./settings.js").then((n) => n.WhyScreen_exports), __vite__mapDeps([0,1,2,3]), import.meta.url)
	}
];
function screenAt(path) {
	for (let screen of SCREENS) {
		let parameters = match(screen.pattern, path);
		if (parameters) return {
			screen,
			parameters
		};
	}
}
// src/shell/Screen.svelte
var root$6 = from_html("<a> </a>"), root_1$6 = from_html("<header class=\"svelte-1lcw4bo\"><!></header> <!>", 1);
function Screen_1($$anchor, $$props) {
	push($$props, !0);
	let found = user_derived(() => screenAt(router.location.path)), load = user_derived(() => get(found)?.screen.load), loaded = user_derived(() => get(load)?.());
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		await_block(node_1, () => get(loaded), ($$anchor) => {
			StatePanel($$anchor, {
				kind: "loading",
				get title() {
					return t.common.loading;
				}
			});
		}, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Content } = get($$source);
				return { Content };
			}), Content = user_derived(() => get($$value).Content);
			let Screen = user_derived(() => get(Content));
			var fragment_2 = comment(), node_2 = first_child(fragment_2);
			component(node_2, () => get(Screen), ($$anchor, Screen_2) => {
				Screen_2($$anchor, {
					get user() {
						return $$props.user;
					},
					get opener() {
						return $$props.opener;
					},
					get parameters() {
						return get(found).parameters;
					}
				});
			}), append($$anchor, fragment_2);
		}, ($$anchor) => {
			StatePanel($$anchor, {
				kind: "problem",
				get icon() {
					return SearchX;
				},
				get title() {
					return t.state.outdated;
				},
				get text() {
					return t.state.outdatedText;
				},
				children: ($$anchor, $$slotProps) => {
					Button($$anchor, {
						variant: "primary",
						onclick: () => location.reload(),
						children: ($$anchor, $$slotProps) => {
							next();
							var text$4 = text();
							template_effect(() => set_text(text$4, t.state.reload)), append($$anchor, text$4);
						},
						$$slots: { default: !0 }
					});
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		var fragment_7 = root_1$6(), header = first_child(fragment_7), node_3 = child(header);
		snippet(node_3, () => $$props.opener), reset(header);
		var node_4 = sibling(header, 2);
		StatePanel(node_4, {
			get icon() {
				return SearchX;
			},
			get title() {
				return t.state.notFound;
			},
			get text() {
				return t.state.notFoundText;
			},
			children: ($$anchor, $$slotProps) => {
				var a = root$6(), text_1 = only_child(a, !0);
				template_effect(($0) => {
					set_attribute(a, "href", $0), set_text(text_1, t.shell.newChat);
				}, [() => href("/")]), append($$anchor, a);
			},
			$$slots: { default: !0 }
		}), append($$anchor, fragment_7);
	};
	if_block(node, ($$render) => {
		get(found) && get(loaded) ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/shell/MoveDialog.svelte
var root$5 = from_html("<li><!></li>"), root_1$5 = from_html("<!> <!> <ul role=\"list\" class=\"svelte-1pvramt\"></ul>", 1);
function MoveDialog($$anchor, $$props) {
	push($$props, !0);
	let submission = new Submission();
	async function move(project) {
		await submission.run(() => conversations.move($$props.conversation, project)) && $$props.onclose();
	}
	Dialog($$anchor, {
		get title() {
			return t.shell.moveTo;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_1$5(), node = first_child(fragment_1), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			};
			if_block(node, ($$render) => {
				submission.problem && $$render(consequent);
			});
			var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
				StatePanel($$anchor, {
					get icon() {
						return FolderPlus;
					},
					get title() {
						return t.projects.none;
					},
					get text() {
						return t.projects.noneText;
					}
				});
			};
			if_block(node_1, ($$render) => {
				projects.items.length === 0 && $$render(consequent_1);
			});
			var ul = sibling(node_1, 2);
			each(ul, 21, () => projects.items, (project) => project.id, ($$anchor, project) => {
				let allowed = user_derived(() => get(project).permissions.add_conversations);
				var li = root$5(), node_2 = child(li);
				{
					let $0 = user_derived(() => !get(allowed)), $1 = user_derived(() => get(project).id === $$props.conversation.project_id || void 0);
					Button(node_2, {
						variant: "quiet",
						get icon() {
							return Folder;
						},
						get "aria-disabled"() {
							return get($0);
						},
						get "aria-current"() {
							return get($1);
						},
						onclick: () => get(allowed) ? void move(get(project).id) : why.ask("projects.add_conversation_to_project", get(project).id),
						children: ($$anchor, $$slotProps) => {
							next();
							var text$3 = text();
							template_effect(() => set_text(text$3, get(project).name)), append($$anchor, text$3);
						},
						$$slots: { default: !0 }
					});
				}
				reset(li), append($$anchor, li);
			}), reset(ul), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/shell/RenameDialog.svelte
var root$4 = from_html("<!> <!>", 1), root_1$4 = from_html("<form><!> <!></form>");
function RenameDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let title = state(proxy($$props.conversation.title ?? "")), submission = new Submission();
	async function rename(event) {
		event.preventDefault(), await submission.run(async () => void await conversations.change($$props.conversation.id, { title: get(title).trim() || null })) && $$props.onclose();
	}
	Dialog($$anchor, {
		get title() {
			return t.shell.renameTitle;
		},
		get onclose() {
			return $$props.onclose;
		},
		actions: ($$anchor) => {
			var fragment_1 = root$4(), node = first_child(fragment_1);
			Button(node, {
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text$2 = text();
					template_effect(() => set_text(text$2, t.common.cancel)), append($$anchor, text$2);
				},
				$$slots: { default: !0 }
			});
			var node_1 = sibling(node, 2);
			Button(node_1, {
				type: "submit",
				get form() {
					return id;
				},
				variant: "primary",
				get busy() {
					return submission.busy;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.save)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1$4(), node_2 = child(form);
			{
				let $0 = user_derived(() => submission.fault("title"));
				Field(node_2, {
					get label() {
						return t.shell.title;
					},
					maxlength: 200,
					get error() {
						return get($0);
					},
					get value() {
						return get(title);
					},
					set value($$value) {
						set(title, $$value, !0);
					}
				});
			}
			var node_3 = sibling(node_2, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			}, d = user_derived(() => submission.besides("title"));
			if_block(node_3, ($$render) => {
				get(d) && $$render(consequent);
			}), reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, rename), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
// src/shell/ConversationItem.svelte
var root$3 = from_html("<span class=\"live svelte-fjs4kg\"><span class=\"visually-hidden\"> </span></span>"), root_1$3 = from_html("<li class=\"svelte-fjs4kg\"><a class=\"svelte-fjs4kg\"><!> <span class=\"cut svelte-fjs4kg\"> </span></a> <div class=\"menu svelte-fjs4kg\"><!></div></li> <!> <!>", 1);
function ConversationItem($$anchor, $$props) {
	push($$props, !0);
	let path = user_derived(() => `/conversations/${$$props.conversation.id}`), title = user_derived(() => $$props.conversation.title ?? t.shell.untitled), dialog = state(void 0);
	async function attempt(change) {
		await change.catch((error) => toasts.show(error.message, { tone: "problem" }));
	}
	function remove() {
		conversations.remove($$props.conversation), router.location.path === get(path) && navigate("/");
	}
	function archive(archived) {
		attempt(conversations.change($$props.conversation.id, { archived }).then(() => {
			let undo = {
				label: t.common.undo,
				run: () => void attempt(conversations.change($$props.conversation.id, { archived: !archived }))
			};
			archived && toasts.show(t.shell.archivedDone, { action: undo });
		}));
	}
	let items = user_derived(() => [
		{
			label: t.common.rename,
			icon: Pencil,
			action: () => set(dialog, "rename")
		},
		$$props.conversation.pinned ? {
			label: t.shell.unpin,
			icon: PinOff,
			action: () => void attempt(conversations.change($$props.conversation.id, { pinned: !1 }))
		} : {
			label: t.shell.pin,
			icon: Pin,
			action: () => void attempt(conversations.change($$props.conversation.id, { pinned: !0 }))
		},
		{
			label: t.shell.moveTo,
			icon: FolderInput,
			action: () => set(dialog, "move")
		},
		...$$props.conversation.project_id ? [{
			label: t.shell.leaveProject,
			icon: FolderMinus,
			action: () => void attempt(conversations.move($$props.conversation, null))
		}] : [],
		$$props.conversation.archived ? {
			label: t.shell.unarchive,
			icon: ArchiveArrowUp,
			action: () => archive(!1)
		} : {
			label: t.shell.archive,
			icon: Archive,
			action: () => archive(!0)
		},
		{
			label: t.common.delete,
			icon: Trash,
			danger: !0,
			action: remove
		}
	]);
	var fragment = root_1$3(), li = first_child(fragment), a = child(li), node = child(a), consequent = ($$anchor) => {
		var span = root$3(), span_1 = child(span), text = only_child(span_1, !0);
		reset(span), template_effect(() => set_text(text, t.shell.responding)), append($$anchor, span);
	};
	if_block(node, ($$render) => {
		$$props.conversation.active_stream && $$render(consequent);
	});
	var span_2 = sibling(node, 2), text_1 = only_child(span_2, !0);
	reset(a);
	var div = sibling(a, 2), node_1 = child(div);
	{
		let $0 = user_derived(() => t.shell.actionsFor(get(title)));
		Menu(node_1, {
			get label() {
				return get($0);
			},
			get icon() {
				return Ellipsis;
			},
			get items() {
				return get(items);
			}
		});
	}
	reset(div), reset(li);
	var node_2 = sibling(li, 2), consequent_1 = ($$anchor) => {
		RenameDialog($$anchor, {
			get conversation() {
				return $$props.conversation;
			},
			onclose: () => set(dialog, void 0)
		});
	};
	if_block(node_2, ($$render) => {
		get(dialog) === "rename" && $$render(consequent_1);
	});
	var node_3 = sibling(node_2, 2), consequent_2 = ($$anchor) => {
		MoveDialog($$anchor, {
			get conversation() {
				return $$props.conversation;
			},
			onclose: () => set(dialog, void 0)
		});
	};
	if_block(node_3, ($$render) => {
		get(dialog) === "move" && $$render(consequent_2);
	}), template_effect(($0) => {
		set_attribute(a, "href", $0), set_attribute(a, "aria-current", router.location.path === get(path) ? "page" : void 0), set_attribute(a, "title", get(title)), set_text(text_1, get(title));
	}, [() => href(get(path))]), append($$anchor, fragment), pop();
}
// src/shell/NewProjectDialog.svelte
var root$2 = from_html("<!> <!>", 1), root_1$2 = from_html("<form><!> <!></form>");
function NewProjectDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let name = state(""), submission = new Submission();
	function create(event) {
		event.preventDefault(), submission.run(async () => {
			let project = await projects.create(get(name).trim());
			$$props.onclose(), navigate(`/projects/${project.id}`);
		});
	}
	Dialog($$anchor, {
		get title() {
			return t.shell.newProject;
		},
		get onclose() {
			return $$props.onclose;
		},
		actions: ($$anchor) => {
			var fragment_1 = root$2(), node = first_child(fragment_1);
			Button(node, {
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text$1 = text();
					template_effect(() => set_text(text$1, t.common.cancel)), append($$anchor, text$1);
				},
				$$slots: { default: !0 }
			});
			var node_1 = sibling(node, 2);
			Button(node_1, {
				type: "submit",
				get form() {
					return id;
				},
				variant: "primary",
				get busy() {
					return submission.busy;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.create)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1$2(), node_2 = child(form);
			{
				let $0 = user_derived(() => submission.fault("name"));
				Field(node_2, {
					get label() {
						return t.shell.projectName;
					},
					required: !0,
					maxlength: 200,
					get error() {
						return get($0);
					},
					get value() {
						return get(name);
					},
					set value($$value) {
						set(name, $$value, !0);
					}
				});
			}
			var node_3 = sibling(node_2, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			}, d = user_derived(() => submission.besides("name"));
			if_block(node_3, ($$render) => {
				get(d) && $$render(consequent);
			}), reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, create), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
// src/shell/Sidebar.svelte
var root$1 = from_html("<img alt=\"\" width=\"24\" height=\"24\"/>"), root_1$1 = from_html("<div class=\"search svelte-1h3hqd4\"><input class=\"input\" type=\"search\"/> <!></div>"), root_2$1 = from_html("<button class=\"row svelte-1h3hqd4\" type=\"button\"><!> </button>"), root_3$1 = from_html("<li><a class=\"row svelte-1h3hqd4\"><!><span class=\"cut svelte-1h3hqd4\"> </span></a></li>"), root_4 = from_html("<section aria-labelledby=\"projects-title\" class=\"svelte-1h3hqd4\"><div class=\"heading svelte-1h3hqd4\"><h2 id=\"projects-title\" class=\"svelte-1h3hqd4\"> </h2> <!></div> <ul role=\"list\"></ul></section>"), root_5 = from_html("<section class=\"svelte-1h3hqd4\"><div class=\"heading svelte-1h3hqd4\"><h2 class=\"svelte-1h3hqd4\"> </h2></div> <ul role=\"list\"></ul></section>"), root_6 = from_html("<p class=\"empty svelte-1h3hqd4\"> </p>"), root_7 = from_html("<span class=\"avatar svelte-1h3hqd4\" aria-hidden=\"true\"> </span> <span class=\"cut svelte-1h3hqd4\"> </span> <!>", 1), root_8 = from_html("<nav class=\"svelte-1h3hqd4\"><div class=\"top svelte-1h3hqd4\"><a class=\"brand svelte-1h3hqd4\"><!><span class=\"svelte-1h3hqd4\"> </span></a> <!></div> <div class=\"actions svelte-1h3hqd4\"><a class=\"row new svelte-1h3hqd4\"><!> </a> <!></div> <div class=\"list svelte-1h3hqd4\"><!> <!> <!> <!></div> <div class=\"account svelte-1h3hqd4\"><!></div></nav> <!>", 1);
function Sidebar($$anchor, $$props) {
	push($$props, !0);
	let searching = state(conversations.search !== ""), field = state(void 0), creatingProject = state(!1), delay, groups = user_derived(() => grouped(conversations.items));
	async function openSearch() {
		set(searching, !0), await tick(), get(field)?.focus();
	}
	function search(text) {
		conversations.search = text, clearTimeout(delay), delay = setTimeout(() => void conversations.load(), 200);
	}
	function closeSearch() {
		set(searching, !1), conversations.search && search("");
	}
	let account = user_derived(() => [
		{
			label: t.shell.settings,
			icon: Settings,
			href: href("/settings")
		},
		{
			label: t.shell.memories,
			icon: Brain,
			href: href("/memories")
		},
		{
			label: t.shell.shortcuts,
			icon: Keyboard,
			action: () => keys.help = !0
		},
		{
			label: t.shell.reference,
			icon: BookOpen,
			href: href("/api/docs")
		},
		{
			label: t.shell.signOut,
			icon: LogOut,
			action: () => void signOut().catch((error) => toasts.show(error.message, { tone: "problem" }))
		}
	]);
	var fragment = root_8(), nav = first_child(fragment), div = child(nav), a = child(div), node = child(a), consequent = ($$anchor) => {
		var img = root$1();
		template_effect(() => set_attribute(img, "src", $$props.user.tenant.logo_url)), append($$anchor, img);
	}, alternate = ($$anchor) => {
		Logo($$anchor, { size: 24 });
	};
	if_block(node, ($$render) => {
		$$props.user.tenant.logo_url ? $$render(consequent) : $$render(alternate, -1);
	});
	var span = sibling(node), text_1 = only_child(span, !0);
	reset(a);
	var node_1 = sibling(a, 2);
	Button(node_1, {
		variant: "quiet",
		get icon() {
			return PanelLeftClose;
		},
		get label() {
			return t.shell.closeMenu;
		},
		"aria-expanded": "true",
		get onclick() {
			return $$props.onclose;
		}
	}), reset(div);
	var div_1 = sibling(div, 2), a_1 = child(div_1), node_2 = child(a_1);
	Icon(node_2, { get of() {
		return SquarePen;
	} });
	var text_2 = sibling(node_2, 1, !0);
	reset(a_1);
	var node_3 = sibling(a_1, 2), consequent_1 = ($$anchor) => {
		var div_2 = root_1$1(), input = child(div_2);
		remove_input_defaults(input), bind_this(input, ($$value) => set(field, $$value), () => get(field));
		var node_4 = sibling(input, 2);
		Button(node_4, {
			variant: "quiet",
			size: "small",
			get icon() {
				return X;
			},
			get label() {
				return t.common.close;
			},
			onclick: closeSearch
		}), reset(div_2), template_effect(() => {
			set_attribute(input, "aria-label", t.shell.searchPlaceholder), set_attribute(input, "placeholder", t.shell.searchPlaceholder), set_value(input, conversations.search);
		}), delegated("input", input, (event) => search(event.currentTarget.value)), delegated("keydown", input, (event) => {
			event.key === "Escape" && (event.stopPropagation(), closeSearch());
		}), append($$anchor, div_2);
	}, alternate_1 = ($$anchor) => {
		var button = root_2$1(), node_5 = child(button);
		Icon(node_5, { get of() {
			return Search;
		} });
		var text_3 = sibling(node_5, 1, !0);
		reset(button), template_effect(() => set_text(text_3, t.shell.searchPlaceholder)), delegated("click", button, openSearch), append($$anchor, button);
	};
	if_block(node_3, ($$render) => {
		get(searching) ? $$render(consequent_1) : $$render(alternate_1, -1);
	}), reset(div_1);
	var div_3 = sibling(div_1, 2), node_6 = child(div_3), consequent_2 = ($$anchor) => {
		var section = root_4(), div_4 = child(section), h2 = child(div_4), text_4 = only_child(h2, !0), node_7 = sibling(h2, 2);
		Button(node_7, {
			variant: "quiet",
			size: "small",
			get icon() {
				return FolderPlus;
			},
			get label() {
				return t.shell.newProject;
			},
			onclick: () => set(creatingProject, !0)
		}), reset(div_4);
		var ul = sibling(div_4, 2);
		each(ul, 21, () => projects.items, (project) => project.id, ($$anchor, project) => {
			let path = user_derived(() => `/projects/${get(project).id}`);
			var li = root_3$1(), a_2 = child(li), node_8 = child(a_2);
			Icon(node_8, {
				get of() {
					return Folder;
				},
				size: 16
			});
			var span_1 = sibling(node_8), text_5 = only_child(span_1, !0);
			reset(a_2), reset(li), template_effect(($0) => {
				set_attribute(a_2, "href", $0), set_attribute(a_2, "aria-current", router.location.path === get(path) ? "page" : void 0), set_text(text_5, get(project).name);
			}, [() => href(get(path))]), append($$anchor, li);
		}), reset(ul), reset(section), template_effect(() => set_text(text_4, t.shell.projects)), append($$anchor, section);
	}, d = user_derived(() => !conversations.search && session.has("projects"));
	if_block(node_6, ($$render) => {
		get(d) && $$render(consequent_2);
	});
	var node_9 = sibling(node_6, 2);
	each(node_9, 17, () => get(groups), ([group, items]) => group, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let group = () => get($$array)[0], items = () => get($$array)[1];
		var section_1 = root_5(), div_5 = child(section_1), h2_1 = child(div_5), text_6 = only_child(h2_1, !0);
		reset(div_5);
		var ul_1 = sibling(div_5, 2);
		each(ul_1, 21, items, (conversation) => conversation.id, ($$anchor, conversation) => {
			ConversationItem($$anchor, { get conversation() {
				return get(conversation);
			} });
		}), reset(ul_1), reset(section_1), template_effect(() => {
			set_attribute(section_1, "aria-labelledby", `group-${group() ?? ""}`), set_attribute(h2_1, "id", `group-${group() ?? ""}`), set_text(text_6, t.shell[group()]);
		}), append($$anchor, section_1);
	});
	var node_10 = sibling(node_9, 2), consequent_3 = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return conversations.problem;
			},
			retry: () => void conversations.load()
		});
	}, consequent_5 = ($$anchor) => {
		var fragment_4 = comment(), node_11 = first_child(fragment_4), consequent_4 = ($$anchor) => {
			StatePanel($$anchor, {
				kind: "loading",
				get title() {
					return t.common.loading;
				}
			});
		}, alternate_2 = ($$anchor) => {
			var p = root_6(), text_7 = only_child(p, !0);
			template_effect(() => set_text(text_7, conversations.search ? t.shell.noMatch : t.shell.empty)), append($$anchor, p);
		};
		if_block(node_11, ($$render) => {
			conversations.loading ? $$render(consequent_4) : $$render(alternate_2, -1);
		}), append($$anchor, fragment_4);
	};
	if_block(node_10, ($$render) => {
		conversations.problem ? $$render(consequent_3) : conversations.items.length === 0 && $$render(consequent_5, 1);
	});
	var node_12 = sibling(node_10, 2), consequent_6 = ($$anchor) => {
		Button($$anchor, {
			variant: "quiet",
			size: "small",
			get busy() {
				return conversations.loading;
			},
			onclick: () => void conversations.loadMore(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_8 = text();
				template_effect(() => set_text(text_8, t.shell.loadMore)), append($$anchor, text_8);
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_12, ($$render) => {
		conversations.hasMore && $$render(consequent_6);
	}), reset(div_3);
	var div_6 = sibling(div_3, 2), node_13 = child(div_6);
	Menu(node_13, {
		get label() {
			return t.shell.account;
		},
		get items() {
			return get(account);
		},
		size: "medium",
		align: "start",
		children: ($$anchor, $$slotProps) => {
			var fragment_8 = root_7(), span_2 = first_child(fragment_8), text_9 = only_child(span_2, !0), span_3 = sibling(span_2, 2), text_10 = only_child(span_3, !0), node_14 = sibling(span_3, 2);
			Icon(node_14, {
				get of() {
					return ChevronsUpDown;
				},
				size: 14
			}), template_effect(($0) => {
				set_text(text_9, $0), set_text(text_10, $$props.user.display_name);
			}, [() => $$props.user.display_name.slice(0, 1).toUpperCase()]), append($$anchor, fragment_8);
		},
		$$slots: { default: !0 }
	}), reset(div_6), reset(nav);
	var node_15 = sibling(nav, 2), consequent_7 = ($$anchor) => {
		NewProjectDialog($$anchor, { onclose: () => set(creatingProject, !1) });
	};
	if_block(node_15, ($$render) => {
		get(creatingProject) && $$render(consequent_7);
	}), template_effect(($0, $1) => {
		set_attribute(nav, "aria-label", t.shell.conversations), set_attribute(a, "href", $0), set_text(text_1, $$props.user.tenant.name === "Default" ? t.common.product : $$props.user.tenant.name), set_attribute(a_1, "href", $1), set_attribute(a_1, "aria-current", router.location.path === "/" ? "page" : void 0), set_text(text_2, t.shell.newChat);
	}, [() => href("/"), () => href("/")]), append($$anchor, fragment), pop();
}
delegate([
	"input",
	"keydown",
	"click"
]);
// src/shell/Shell.svelte
var Shell_exports = __exportAll({ default: () => Shell }), root = from_html("<button class=\"cover svelte-e16qsm\" type=\"button\"></button>"), root_1 = from_html("<!> <!>", 1), root_2 = from_html("<p class=\"offline svelte-e16qsm\" role=\"status\"><strong> </strong> </p>"), root_3 = from_html("<div><a class=\"skip svelte-e16qsm\" href=\"#content\"> </a> <!> <div class=\"content svelte-e16qsm\" id=\"content\" tabindex=\"-1\"><!> <!></div></div> <!>", 1);
function Shell($$anchor, $$props) {
	push($$props, !0);
	let narrow = matchMedia("(max-width: 52rem)"), covers = state(proxy(narrow.matches)), open = state(!narrow.matches);
	onMount(() => {
		conversations.load(), projects.load().catch(() => {});
		let follow = () => {
			set(covers, narrow.matches, !0), set(open, !narrow.matches);
		}, refresh = () => {
			document.visibilityState === "visible" && conversations.load();
		};
		return narrow.addEventListener("change", follow), document.addEventListener("visibilitychange", refresh), () => {
			narrow.removeEventListener("change", follow), document.removeEventListener("visibilitychange", refresh);
		};
	}), user_effect(() => {
		router.location.path, get(covers) && set(open, !1);
	});
	function closeOnEscape(event) {
		event.key === "Escape" && get(covers) && get(open) && !event.defaultPrevented && set(open, !1);
	}
	var fragment = root_3();
	event("keydown", $window, closeOnEscape);
	var div = first_child(fragment);
	let classes;
	var a = child(div), text = only_child(a, !0), node = sibling(a, 2), consequent_1 = ($$anchor) => {
		var fragment_1 = root_1(), node_1 = first_child(fragment_1);
		Sidebar(node_1, {
			get user() {
				return $$props.user;
			},
			onclose: () => set(open, !1)
		});
		var node_2 = sibling(node_1, 2), consequent = ($$anchor) => {
			var button = root();
			template_effect(() => set_attribute(button, "aria-label", t.shell.closeMenu)), delegated("click", button, () => set(open, !1)), append($$anchor, button);
		};
		if_block(node_2, ($$render) => {
			get(covers) && $$render(consequent);
		}), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		get(open) && $$render(consequent_1);
	});
	var div_1 = sibling(node, 2), node_3 = child(div_1), consequent_2 = ($$anchor) => {
		var p = root_2(), strong = child(p), text_1 = only_child(strong, !0), text_2 = sibling(strong);
		reset(p), template_effect(() => {
			set_text(text_1, t.state.offline), set_text(text_2, ` ${t.state.offlineText ?? ""}`);
		}), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		connection.reachable || $$render(consequent_2);
	}), Screen_1(sibling(node_3, 2), {
		get user() {
			return $$props.user;
		},
		opener: ($$anchor) => {
			var fragment_2 = comment(), node_5 = first_child(fragment_2), consequent_3 = ($$anchor) => {
				Button($$anchor, {
					variant: "quiet",
					get icon() {
						return PanelLeft;
					},
					get label() {
						return t.shell.openMenu;
					},
					"aria-expanded": "false",
					onclick: () => set(open, !0)
				});
			};
			if_block(node_5, ($$render) => {
				get(open) || $$render(consequent_3);
			}), append($$anchor, fragment_2);
		},
		$$slots: { opener: !0 }
	}), reset(div_1), reset(div), Keys(sibling(div, 2), {
		get user() {
			return $$props.user;
		},
		ontoggle: () => set(open, !get(open))
	}), template_effect(() => {
		classes = set_class(div, 1, "shell svelte-e16qsm", null, classes, {
			open: get(open),
			covers: get(covers)
		}), set_text(text, t.common.skip), div_1.inert = get(covers) && get(open);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
export { Shell_exports };
