import { append, child, comment, delegate, delegated, each, first_child, from_html, get, if_block, index, next, only_child, pop, push, reset, set, set_attribute, set_text, sibling, state, template_effect, text, user_derived, user_effect } from "./vendor.js";
import { Button, ProblemNote, StatePanel, call, conversations, date, everyPage, href, searchMessages, t } from "./parts.js";
import { ConversationItem } from "./console.js";
// src/shell/search.svelte.ts
var DELAY = 250, PAGE = 30, MOST_TITLES = 1e3, MOST_TITLES_SHOWN = 10, ConversationSearch = class {
	#messages = state([]);
	get messages() {
		return get(this.#messages);
	}
	set messages(value) {
		set(this.#messages, value);
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
	#all = state([]);
	get all() {
		return get(this.#all);
	}
	set all(value) {
		set(this.#all, value);
	}
	#query = state("");
	get query() {
		return get(this.#query);
	}
	set query(value) {
		set(this.#query, value, !0);
	}
	#cursor = state();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	timer;
	abort = new AbortController();
	constructor(archived) {
		everyPage((cursor) => call("conversations.conversations", { query: {
			limit: 200,
			include_projects: !0,
			archived,
			...cursor ? { cursor } : {}
		} }), MOST_TITLES).then((all) => this.all = all, (error) => this.problem = error);
	}
	#titles = user_derived(() => {
		let words = this.query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
		return words.length === 0 ? [] : this.all.filter(({ title }) => words.every((word) => title?.toLocaleLowerCase().includes(word))).slice(0, MOST_TITLES_SHOWN);
	});
	get titles() {
		return get(this.#titles);
	}
	set titles(value) {
		set(this.#titles, value);
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	close() {
		clearTimeout(this.timer), this.abort.abort();
	}
	search(text) {
		let query = text.trim().slice(0, 200);
		query !== this.query && (this.close(), this.abort = new AbortController(), this.query = query, this.cursor = this.problem = void 0, this.state = query ? "searching" : "idle", query ? this.timer = setTimeout(() => void this.ask([]), DELAY) : this.messages = []);
	}
	retry() {
		this.ask(this.cursor ? this.messages : []);
	}
	async more() {
		this.cursor && this.state === "idle" && await this.ask(this.messages);
	}
	async ask(former) {
		let { signal } = this.abort;
		this.state = "searching", this.problem = void 0;
		try {
			let query = {
				query: this.query,
				limit: PAGE,
				...this.cursor ? { cursor: this.cursor } : {}
			}, page = await searchMessages(query, signal, () => this.state = "indexing");
			this.messages = [...former, ...page.items], this.cursor = page.next_cursor;
		} catch (error) {
			signal.aborted || (this.problem = error);
		} finally {
			signal.aborted || (this.state = "idle");
		}
	}
}, MARKS = /\*\*|__|~~|`+|(?<=^|\s)#{1,6}\s/g;
function pieces({ text, ranges }) {
	let characters = [...text], found = [], at = 0, add = (end, isMatch) => {
		let text = characters.slice(at, end).join("").replace(MARKS, "");
		text && found.push({
			text,
			isMatch
		}), at = Math.max(at, end);
	};
	for (let { start, end } of ranges) add(Math.min(start, characters.length), !1), add(Math.min(end, characters.length), !0);
	return add(characters.length, !1), found;
}
// src/shell/SearchResults.svelte
var root = from_html("<section aria-labelledby=\"found-titles\" class=\"svelte-az0dgm\"><h2 id=\"found-titles\" class=\"svelte-az0dgm\"> </h2> <ul role=\"list\"></ul></section>"), root_1 = from_html("<mark class=\"svelte-az0dgm\"> </mark>"), root_2 = from_html("<li><a class=\"found svelte-az0dgm\"><span class=\"title svelte-az0dgm\"> </span> <span class=\"snippet svelte-az0dgm\"></span> <span class=\"about svelte-az0dgm\"> </span></a></li>"), root_3 = from_html("<section aria-labelledby=\"found-messages\" class=\"svelte-az0dgm\"><h2 id=\"found-messages\" class=\"svelte-az0dgm\"> </h2> <ul role=\"list\"></ul></section>"), root_4 = from_html("<div class=\"results\"><!> <!> <!> <!></div>");
function SearchResults($$anchor, $$props) {
	push($$props, !0);
	let search = new ConversationSearch($$props.archived), titles = user_derived(() => search.titles.map((item) => conversations.find(item.id) ?? item).filter(({ id }) => !conversations.isRemoved(id))), isEmpty = user_derived(() => get(titles).length === 0 && search.messages.length === 0);
	user_effect(() => search.search($$props.query)), user_effect(() => () => search.close());
	function press(event) {
		if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
		let links = [...event.currentTarget.querySelectorAll("a")], at = links.indexOf(document.activeElement), next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
		at < 0 || !next || (event.preventDefault(), next.focus());
	}
	var div = root_4(), node = child(div), consequent = ($$anchor) => {
		var section = root(), h2 = child(section), text = only_child(h2, !0), ul = sibling(h2, 2);
		each(ul, 21, () => get(titles), (conversation) => conversation.id, ($$anchor, conversation) => {
			ConversationItem($$anchor, { get conversation() {
				return get(conversation);
			} });
		}), reset(ul), reset(section), template_effect(() => set_text(text, t.shell.titles)), append($$anchor, section);
	};
	if_block(node, ($$render) => {
		get(titles).length > 0 && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_2 = ($$anchor) => {
		var section_1 = root_3(), h2_1 = child(section_1), text_1 = only_child(h2_1, !0), ul_1 = sibling(h2_1, 2);
		each(ul_1, 21, () => search.messages, (found) => found.message_id, ($$anchor, found) => {
			var li = root_2(), a = child(li), span = child(a), text_2 = only_child(span, !0), span_1 = sibling(span, 2);
			each(span_1, 21, () => pieces(get(found).snippet), index, ($$anchor, piece) => {
				var fragment_1 = comment(), node_2 = first_child(fragment_1), consequent_1 = ($$anchor) => {
					var mark = root_1(), text_3 = only_child(mark, !0);
					template_effect(() => set_text(text_3, get(piece).text)), append($$anchor, mark);
				}, alternate = ($$anchor) => {
					var text_4 = text();
					template_effect(() => set_text(text_4, get(piece).text)), append($$anchor, text_4);
				};
				if_block(node_2, ($$render) => {
					get(piece).isMatch ? $$render(consequent_1) : $$render(alternate, -1);
				}), append($$anchor, fragment_1);
			}), reset(span_1);
			var span_2 = sibling(span_1, 2), text_5 = only_child(span_2);
			reset(a), reset(li), template_effect(($0, $1) => {
				set_attribute(a, "href", $0), set_text(text_2, get(found).conversation_title ?? t.shell.untitled), set_text(text_5, `${(get(found).role === "user" ? t.chat.you : t.chat.response) ?? ""} · ${$1 ?? ""}`);
			}, [() => href(`/conversations/${get(found).conversation_id}?m=${get(found).message_id}`), () => date(get(found).created_at)]), append($$anchor, li);
		}), reset(ul_1), reset(section_1), template_effect(() => set_text(text_1, t.shell.inMessages)), append($$anchor, section_1);
	};
	if_block(node_1, ($$render) => {
		search.messages.length > 0 && $$render(consequent_2);
	});
	var node_3 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return search.problem;
			},
			retry: () => search.retry()
		});
	};
	if_block(node_3, ($$render) => {
		search.problem && $$render(consequent_3);
	});
	var node_4 = sibling(node_3, 2), consequent_4 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.shell.indexing;
			},
			get text() {
				return t.shell.indexingText;
			}
		});
	}, consequent_5 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.shell.searching;
			}
		});
	}, consequent_6 = ($$anchor) => {
		{
			let $0 = user_derived(() => search.state === "searching");
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get busy() {
					return get($0);
				},
				onclick: () => void search.more(),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_6 = text();
					template_effect(() => set_text(text_6, t.shell.loadMore)), append($$anchor, text_6);
				},
				$$slots: { default: !0 }
			});
		}
	}, consequent_7 = ($$anchor) => {
		StatePanel($$anchor, {
			get title() {
				return t.shell.noMatch;
			},
			get text() {
				return t.shell.noMatchHint;
			}
		});
	};
	if_block(node_4, ($$render) => {
		search.state === "indexing" ? $$render(consequent_4) : search.state === "searching" && search.messages.length === 0 ? $$render(consequent_5, 1) : search.hasMore ? $$render(consequent_6, 2) : get(isEmpty) && !search.problem && $$render(consequent_7, 3);
	}), reset(div), delegated("keydown", div, press), append($$anchor, div), pop();
}
delegate(["keydown"]);
export { SearchResults as default };
