import { append, bind_this, bind_value, child, delegate, delegated, first_child, from_html, get, if_block, onMount, only_child, pop, push, remove_input_defaults, reset, set, set_attribute, set_text, sibling, state, template_effect, user_derived, user_effect } from "./vendor.js";
import { Button, ChevronDown, ChevronUp, ProblemNote, X, searchMessages, t } from "./parts.js";
// src/chat/matches.ts
function merged(...lists) {
	let matches = new Map();
	for (let list of lists) for (let match of list) matches.has(match.id) || matches.set(match.id, match);
	return [...matches.values()].sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id));
}
function compare(a, b) {
	return a < b ? -1 : +(a > b);
}
// src/chat/find.svelte.ts
var DELAY = 250, PAGE = 100, Find = class {
	conversation;
	#matches = state([]);
	get matches() {
		return get(this.#matches);
	}
	set matches(value) {
		set(this.#matches, value);
	}
	#at = state(0);
	get at() {
		return get(this.#at);
	}
	set at(value) {
		set(this.#at, value, !0);
	}
	#state = state("idle");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#cursor = state();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	query = "";
	timer;
	abort = new AbortController();
	constructor(conversation) {
		this.conversation = conversation;
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	get current() {
		return this.matches[this.at];
	}
	close() {
		clearTimeout(this.timer), this.abort.abort();
	}
	search(text) {
		this.close(), this.abort = new AbortController(), this.query = text.trim().slice(0, 200), this.problem = this.cursor = void 0, this.state = "idle", this.at = 0, this.matches = this.loaded(), this.query && !this.conversation.reader.isComplete && (this.state = "searching", this.timer = setTimeout(() => void this.ask(), DELAY));
	}
	loaded() {
		let text = this.query.toLowerCase(), { branch } = this.conversation, matches = [];
		for (let place = branch.total - 1; text && place >= 0; place--) {
			let message = branch.at(place);
			message?.parts?.some((part) => part.type === "text" && part.text.toLowerCase().includes(text)) && matches.push(message);
		}
		return merged(matches);
	}
	async ask() {
		let { signal } = this.abort;
		this.problem = void 0, this.state = "searching";
		try {
			let query = {
				query: this.query,
				conversation_id: this.conversation.id,
				limit: PAGE,
				...this.cursor ? { cursor: this.cursor } : {}
			}, page = await searchMessages(query, signal, () => this.state = "indexing"), shown = this.current?.id;
			this.matches = merged(this.matches, page.items.map(({ message_id, created_at }) => ({
				id: message_id,
				created_at
			}))), this.at = Math.max(0, this.matches.findIndex(({ id }) => id === shown)), this.cursor = page.next_cursor;
		} catch (error) {
			signal.aborted || (this.problem = error);
		} finally {
			signal.aborted || (this.state = "idle");
		}
	}
	async step(by) {
		by > 0 && this.at === this.matches.length - 1 && this.hasMore && await this.ask(), this.at = (this.at + by + this.matches.length) % Math.max(1, this.matches.length);
	}
	remove(id) {
		let at = this.matches.findIndex((match) => match.id === id);
		this.matches = this.matches.filter((match) => match.id !== id), (at < this.at || this.at >= this.matches.length) && (this.at = Math.max(0, this.at - 1));
	}
}, root = from_html("<div class=\"find svelte-zn1emm\" role=\"search\"><input class=\"input svelte-zn1emm\" type=\"search\"/> <span role=\"status\" class=\"svelte-zn1emm\"> </span> <!> <!> <!></div> <!>", 1);
function FindBar($$anchor, $$props) {
	push($$props, !0);
	let find = new Find($$props.conversation), query = state(""), field, status = user_derived(() => {
		if (!get(query).trim()) return "";
		let { matches, hasMore, state } = find;
		return state === "indexing" ? t.shell.indexing : state === "searching" && matches.length === 0 ? t.shell.searching : t.chat.foundAt(matches.length === 0 ? 0 : find.at + 1, matches.length, hasMore);
	});
	onMount(() => {
		let former = document.activeElement;
		return field.focus(), () => {
			find.close(), CSS.highlights?.delete("found"), former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	let shown;
	async function reveal(by = 1) {
		for (let match = find.current; match && match.id !== shown && (shown = match.id, !(await $$props.onreveal(match.id) || shown !== match.id)); match = find.current) find.remove(match.id), by < 0 && find.matches.length > 0 && await find.step(by);
		requestAnimationFrame(highlight);
	}
	async function go(by) {
		find.matches.length !== 0 && (await find.step(by), await reveal(by));
	}
	user_effect(() => {
		find.matches.length > 0 && shown === void 0 && reveal();
	});
	function highlight() {
		let text = get(query).trim().toLowerCase(), ranges = [];
		for (let article of document.querySelectorAll("[data-message]")) {
			let found = occurrences(article, text);
			ranges.push(...found.length > 0 ? found : text.split(/\s+/).flatMap((word) => occurrences(article, word)));
		}
		CSS.highlights?.set("found", new Highlight(...ranges));
	}
	function occurrences(article, text) {
		let ranges = [], walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); text && node; node = walker.nextNode()) {
			let content = node.textContent?.toLowerCase() ?? "";
			for (let start = content.indexOf(text); start >= 0; start = content.indexOf(text, start + text.length)) {
				let range = new Range();
				range.setStart(node, start), range.setEnd(node, start + text.length), ranges.push(range);
			}
		}
		return ranges;
	}
	function press(event) {
		if (event.key === "Escape") $$props.onclose();
		else if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault(), event.stopPropagation();
	}
	function search() {
		shown = void 0, CSS.highlights?.delete("found"), find.search(get(query));
	}
	var fragment = root(), div = first_child(fragment), input = child(div);
	remove_input_defaults(input), bind_this(input, ($$value) => field = $$value, () => field);
	var span = sibling(input, 2), text_1 = only_child(span, !0), node_1 = sibling(span, 2);
	{
		let $0 = user_derived(() => find.matches.length === 0 ? t.keys.nothing : void 0);
		Button(node_1, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronUp;
			},
			get label() {
				return t.chat.findOlder;
			},
			get refused() {
				return get($0);
			},
			onclick: () => void go(1)
		});
	}
	var node_2 = sibling(node_1, 2);
	{
		let $0 = user_derived(() => find.matches.length === 0 ? t.keys.nothing : void 0);
		Button(node_2, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronDown;
			},
			get label() {
				return t.chat.findNewer;
			},
			get refused() {
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
	}), reset(div);
	var node_4 = sibling(div, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return find.problem;
			},
			retry: () => void find.ask()
		});
	};
	if_block(node_4, ($$render) => {
		find.problem && $$render(consequent);
	}), template_effect(() => {
		set_attribute(input, "aria-label", t.keys.find), set_attribute(input, "placeholder", t.keys.find), set_text(text_1, get(status));
	}), delegated("input", input, search), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), append($$anchor, fragment), pop();
}
delegate(["input", "keydown"]);
export { FindBar as default };
