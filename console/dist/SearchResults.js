import { append, child, comment, delegate, delegated, each, first_child, from_html, get, if_block, index, next, only_child, pop, push, reset, set, set_attribute, set_text, sibling, state, template_effect, text, user_derived, user_effect } from "./vendor.js";
import { Button, ProblemNote, StatePanel, call, conversations, date, href, searchMessages, t } from "./parts.js";
import { ConversationItem } from "./console.js";
import { pieces } from "./snippet.js";
// src/shell/search.svelte.ts
var DELAY = 250, PAGE = 30, PAGE_OF_TITLES = 10, ConversationSearch = class {
	archived;
	#titles = state([]);
	get titles() {
		return get(this.#titles);
	}
	set titles(value) {
		set(this.#titles, value);
	}
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
	#isSearchingTitles = state(!1);
	get isSearchingTitles() {
		return get(this.#isSearchingTitles);
	}
	set isSearchingTitles(value) {
		set(this.#isSearchingTitles, value, !0);
	}
	#progress = state();
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#problemOfTitles = state();
	get problemOfTitles() {
		return get(this.#problemOfTitles);
	}
	set problemOfTitles(value) {
		set(this.#problemOfTitles, value);
	}
	query = "";
	#cursor = state();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	#cursorOfTitles = state();
	get cursorOfTitles() {
		return get(this.#cursorOfTitles);
	}
	set cursorOfTitles(value) {
		set(this.#cursorOfTitles, value, !0);
	}
	timer;
	abort = new AbortController();
	constructor(archived) {
		this.archived = archived;
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	get hasMoreTitles() {
		return this.cursorOfTitles !== void 0;
	}
	close() {
		clearTimeout(this.timer), this.abort.abort();
	}
	search(text) {
		let query = text.trim().slice(0, 200);
		query !== this.query && (this.close(), this.abort = new AbortController(), this.query = query, this.cursor = this.cursorOfTitles = this.problem = this.problemOfTitles = void 0, this.state = query ? "searching" : "idle", this.isSearchingTitles = query !== "", query ? this.timer = setTimeout(() => this.start(), DELAY) : this.titles = this.messages = []);
	}
	start() {
		this.askForTitles([]), this.ask([]);
	}
	retry() {
		this.ask(this.cursor ? this.messages : []);
	}
	retryTitles() {
		this.askForTitles(this.cursorOfTitles ? this.titles : []);
	}
	async more() {
		this.cursor && this.state === "idle" && await this.ask(this.messages);
	}
	async moreTitles() {
		this.cursorOfTitles && !this.isSearchingTitles && await this.askForTitles(this.titles);
	}
	async askForTitles(former) {
		let { signal } = this.abort;
		this.isSearchingTitles = !0, this.problemOfTitles = void 0;
		try {
			let query = {
				search: this.query,
				search_in: "title",
				limit: PAGE_OF_TITLES,
				include_projects: !0,
				archived: this.archived
			}, found = former;
			do {
				let cursor = this.cursorOfTitles ? { cursor: this.cursorOfTitles } : {}, page = await call("conversations.conversations", {
					query: {
						...query,
						...cursor
					},
					signal
				});
				found = [...found, ...page.items], this.cursorOfTitles = page.next_cursor;
			} while (found.length === former.length && this.cursorOfTitles);
			this.titles = found;
		} catch (error) {
			signal.aborted || (this.problemOfTitles = error);
		} finally {
			signal.aborted || (this.isSearchingTitles = !1);
		}
	}
	async ask(former) {
		let { signal } = this.abort;
		this.state = "searching", this.problem = void 0;
		try {
			let query = {
				query: this.query,
				limit: PAGE,
				...this.cursor ? { cursor: this.cursor } : {}
			}, page = await searchMessages(query, signal, (progress) => {
				this.state = "indexing", this.progress = progress;
			});
			this.messages = [...former, ...page.items], this.cursor = page.next_cursor;
		} catch (error) {
			signal.aborted || (this.problem = error);
		} finally {
			signal.aborted || (this.state = "idle");
		}
	}
}, root = from_html("<section aria-labelledby=\"found-titles\" class=\"svelte-az0dgm\"><h2 id=\"found-titles\" class=\"svelte-az0dgm\"> </h2> <ul role=\"list\"></ul> <!></section>"), root_1 = from_html("<mark class=\"svelte-az0dgm\"> </mark>"), root_2 = from_html("<li><a class=\"found svelte-az0dgm\"><span class=\"title svelte-az0dgm\"> </span> <span class=\"snippet svelte-az0dgm\"></span> <span class=\"about svelte-az0dgm\"> </span></a></li>"), root_3 = from_html("<section aria-labelledby=\"found-messages\" class=\"svelte-az0dgm\"><h2 id=\"found-messages\" class=\"svelte-az0dgm\"> </h2> <ul role=\"list\"></ul></section>"), root_4 = from_html("<div class=\"results\"><!> <!> <!> <!> <!></div>");
function SearchResults($$anchor, $$props) {
	push($$props, !0);
	let search = new ConversationSearch($$props.archived), titles = user_derived(() => search.titles.map((item) => conversations.find(item.id) ?? item).filter(({ id }) => !conversations.isRemoved(id))), isEmpty = user_derived(() => get(titles).length === 0 && search.messages.length === 0 && !search.isSearchingTitles);
	user_effect(() => search.search($$props.query)), user_effect(() => () => search.close());
	function press(event) {
		if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
		let links = [...event.currentTarget.querySelectorAll("a")], at = links.indexOf(document.activeElement), next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
		at < 0 || !next || (event.preventDefault(), next.focus());
	}
	var div = root_4(), node = child(div), consequent_1 = ($$anchor) => {
		var section = root(), h2 = child(section), text$1 = only_child(h2, !0), ul = sibling(h2, 2);
		each(ul, 21, () => get(titles), (conversation) => conversation.id, ($$anchor, conversation) => {
			ConversationItem($$anchor, { get conversation() {
				return get(conversation);
			} });
		}), reset(ul);
		var node_1 = sibling(ul, 2), consequent = ($$anchor) => {
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get busy() {
					return search.isSearchingTitles;
				},
				onclick: () => void search.moreTitles(),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.shell.moreTitles)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			});
		};
		if_block(node_1, ($$render) => {
			search.hasMoreTitles && $$render(consequent);
		}), reset(section), template_effect(() => set_text(text$1, t.shell.titles)), append($$anchor, section);
	};
	if_block(node, ($$render) => {
		get(titles).length > 0 && $$render(consequent_1);
	});
	var node_2 = sibling(node, 2), consequent_2 = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return search.problemOfTitles;
			},
			retry: () => search.retryTitles()
		});
	};
	if_block(node_2, ($$render) => {
		search.problemOfTitles && $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2), consequent_4 = ($$anchor) => {
		var section_1 = root_3(), h2_1 = child(section_1), text_2 = only_child(h2_1, !0), ul_1 = sibling(h2_1, 2);
		each(ul_1, 21, () => search.messages, (found) => found.message_id, ($$anchor, found) => {
			var li = root_2(), a = child(li), span = child(a), text_3 = only_child(span, !0), span_1 = sibling(span, 2);
			each(span_1, 21, () => pieces(get(found).snippet), index, ($$anchor, piece) => {
				var fragment_4 = comment(), node_4 = first_child(fragment_4), consequent_3 = ($$anchor) => {
					var mark = root_1(), text_4 = only_child(mark, !0);
					template_effect(() => set_text(text_4, get(piece).text)), append($$anchor, mark);
				}, alternate = ($$anchor) => {
					var text_5 = text();
					template_effect(() => set_text(text_5, get(piece).text)), append($$anchor, text_5);
				};
				if_block(node_4, ($$render) => {
					get(piece).isMatch ? $$render(consequent_3) : $$render(alternate, -1);
				}), append($$anchor, fragment_4);
			}), reset(span_1);
			var span_2 = sibling(span_1, 2), text_6 = only_child(span_2);
			reset(a), reset(li), template_effect(($0, $1) => {
				set_attribute(a, "href", $0), set_text(text_3, get(found).conversation_title ?? t.shell.untitled), set_text(text_6, `${(get(found).role === "user" ? t.chat.you : t.chat.response) ?? ""} · ${$1 ?? ""}`);
			}, [() => href(`/conversations/${get(found).conversation_id}?m=${get(found).message_id}`), () => date(get(found).created_at)]), append($$anchor, li);
		}), reset(ul_1), reset(section_1), template_effect(() => set_text(text_2, t.shell.inMessages)), append($$anchor, section_1);
	};
	if_block(node_3, ($$render) => {
		search.messages.length > 0 && $$render(consequent_4);
	});
	var node_5 = sibling(node_3, 2), consequent_5 = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return search.problem;
			},
			retry: () => search.retry()
		});
	};
	if_block(node_5, ($$render) => {
		search.problem && $$render(consequent_5);
	});
	var node_6 = sibling(node_5, 2), consequent_6 = ($$anchor) => {
		{
			let $0 = user_derived(() => t.shell.indexing(search.progress));
			StatePanel($$anchor, {
				kind: "loading",
				get title() {
					return get($0);
				},
				get text() {
					return t.shell.indexingText;
				}
			});
		}
	}, consequent_7 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.shell.searching;
			}
		});
	}, consequent_8 = ($$anchor) => {
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
					var text_7 = text();
					template_effect(() => set_text(text_7, t.shell.loadMore)), append($$anchor, text_7);
				},
				$$slots: { default: !0 }
			});
		}
	}, consequent_9 = ($$anchor) => {
		StatePanel($$anchor, {
			get title() {
				return t.shell.noMatch;
			},
			get text() {
				return t.shell.noMatchHint;
			}
		});
	};
	if_block(node_6, ($$render) => {
		search.state === "indexing" ? $$render(consequent_6) : search.state === "searching" && search.messages.length === 0 ? $$render(consequent_7, 1) : search.hasMore ? $$render(consequent_8, 2) : get(isEmpty) && !search.problem && !search.problemOfTitles && $$render(consequent_9, 3);
	}), reset(div), delegated("keydown", div, press), append($$anchor, div), pop();
}
delegate(["keydown"]);
export { SearchResults as default };
