import { append, autofocus, bind_element_size, bind_this, bind_value, child, comment, delegate, delegated, each, event, first_child, from_html, get, if_block, only_child, pop, prop, props_id, push, remove_input_defaults, reset, set, set_attribute, set_style, set_text, sibling, state, template_effect, tick, user_derived, user_effect } from "./vendor.js";
import { Dialog, ProblemNote, StatePanel, call, date, t } from "./parts.js";
// src/chat/outline.svelte.ts
var PAGE = 200, Outline = class {
	conversation;
	leaf;
	#items = state([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	#total = state();
	get total() {
		return get(this.#total);
	}
	set total(value) {
		set(this.#total, value, !0);
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
	cursor;
	constructor(conversation, leaf) {
		this.conversation = conversation, this.leaf = leaf;
	}
	get isComplete() {
		return this.total !== void 0 && this.items.length >= this.total;
	}
	async more() {
		if (!(this.loading || this.isComplete)) {
			this.loading = !0, this.problem = void 0;
			try {
				let selection = this.cursor ? { cursor: this.cursor } : this.leaf ? { leaf_id: this.leaf } : {}, page = await call("conversations.get_conversation_outline", {
					path: { conversation_id: this.conversation },
					query: {
						limit: PAGE,
						...selection
					}
				});
				this.items = [...page.items.toReversed(), ...this.items], this.cursor = page.next_cursor, this.total = page.next_cursor ? page.user_messages : this.items.length;
			} catch (error) {
				this.problem = error;
			} finally {
				this.loading = !1;
			}
		}
	}
	rowAt(place) {
		return this.items.findLastIndex(({ position }) => position - 1 <= place);
	}
}, root = from_html("<li role=\"presentation\"></li>"), root_1 = from_html("<span class=\"cut svelte-aovo54\"> </span><time class=\"svelte-aovo54\"> </time>", 1), root_2 = from_html("<span class=\"waiting svelte-aovo54\"> </span>"), root_3 = from_html("<li class=\"row svelte-aovo54\" role=\"option\"><!></li>"), root_4 = from_html("<input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <p class=\"count svelte-aovo54\" role=\"status\"> </p> <!> <!> <ul role=\"listbox\" class=\"svelte-aovo54\"><!> <!> <!></ul>", 1);
function OutlineDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let at = prop($$props, "at", 3, Infinity), outline = new Outline($$props.conversation.id, $$props.conversation.reader.leaf), query = state(""), list = state(void 0), top = state(0), height = state(0), selected = state(void 0), text = user_derived(() => get(query).trim().toLowerCase()), found = user_derived(() => get(text) ? outline.items.filter(({ preview }) => preview.toLowerCase().includes(get(text))) : outline.items), missing = user_derived(() => get(text) ? 0 : (outline.total ?? 0) - outline.items.length), count = user_derived(() => get(missing) + get(found).length), first = user_derived(() => Math.max(0, Math.floor(get(top) / 44) - 6)), rows = user_derived(() => Array.from({ length: Math.max(0, Math.min(get(count), Math.ceil((get(top) + get(height)) / 44) + 6) - get(first)) }, (_, row) => get(first) + row)), current = user_derived(() => outline.items[outline.rowAt(at())]?.id), active = user_derived(() => Math.min(get(selected) ?? get(count) - 1, get(count) - 1)), itemAt = (row) => get(found)[row - get(missing)];
	user_effect(() => {
		(outline.total === void 0 || get(text) !== "" || get(selected) === void 0 || get(first) < get(missing) || get(active) < get(missing)) && !outline.loading && !outline.problem && !outline.isComplete && outline.more();
	}), user_effect(() => {
		if (get(selected) !== void 0 || outline.total === void 0 || get(text)) return;
		let row = outline.rowAt(at());
		row < 0 && !outline.isComplete || select(get(missing) + Math.max(0, row), "center");
	});
	function select(row, block = "nearest") {
		set(selected, Math.max(0, Math.min(get(count) - 1, row)), !0);
		let start = get(selected) * 44;
		tick().then(() => {
			get(list) && (block === "center" ? get(list).scrollTop = start - (get(list).clientHeight - 44) / 2 : get(list).scrollTop = Math.max(start + 44 - get(list).clientHeight, Math.min(get(list).scrollTop, start)));
		});
	}
	function choose(row) {
		let item = itemAt(row);
		item && ($$props.onclose(), $$props.onchoose(item.id));
	}
	function press(event) {
		let edge = event.ctrlKey || event.metaKey || get(query) === "";
		if (event.key === "ArrowDown") select(get(active) + 1);
		else if (event.key === "ArrowUp") select(get(active) - 1);
		else if (event.key === "PageDown") select(get(active) + 8);
		else if (event.key === "PageUp") select(get(active) - 8);
		else if (event.key === "Home" && edge) select(0);
		else if (event.key === "End" && edge) select(get(count) - 1);
		else if (event.key === "Enter") choose(get(active));
		else return;
		event.preventDefault();
	}
	function filter() {
		tick().then(() => select(get(count) - 1));
	}
	Dialog($$anchor, {
		get title() {
			return t.chat.outline;
		},
		width: "wide",
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_4(), input = first_child(fragment_1);
			remove_input_defaults(input), autofocus(input, !0);
			var p = sibling(input, 2), text_1 = only_child(p, !0), node = sibling(p, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, {
					get problem() {
						return outline.problem;
					},
					retry: () => void outline.more()
				});
			};
			if_block(node, ($$render) => {
				outline.problem && $$render(consequent);
			});
			var node_1 = sibling(node, 2), consequent_2 = ($$anchor) => {
				var fragment_3 = comment(), node_2 = first_child(fragment_3), consequent_1 = ($$anchor) => {
					StatePanel($$anchor, {
						kind: "loading",
						get title() {
							return t.common.loading;
						}
					});
				};
				if_block(node_2, ($$render) => {
					outline.problem || $$render(consequent_1);
				}), append($$anchor, fragment_3);
			}, consequent_3 = ($$anchor) => {
				{
					let $0 = user_derived(() => get(text) ? outline.loading ? t.shell.searching : t.common.none : t.chat.outlineEmpty);
					StatePanel($$anchor, { get title() {
						return get($0);
					} });
				}
			};
			if_block(node_1, ($$render) => {
				outline.total === void 0 ? $$render(consequent_2) : get(count) === 0 && $$render(consequent_3, 1);
			});
			var ul = sibling(node_1, 2), node_3 = child(ul), consequent_4 = ($$anchor) => {
				var li = root();
				let styles;
				template_effect(() => styles = set_style(li, "", styles, { "block-size": `${get(first) * 44}px` })), append($$anchor, li);
			};
			if_block(node_3, ($$render) => {
				get(first) > 0 && $$render(consequent_4);
			});
			var node_4 = sibling(node_3, 2);
			each(node_4, 16, () => get(rows), (row) => row, ($$anchor, row) => {
				let item = user_derived(() => itemAt(row));
				var li_1 = root_3();
				set_style(li_1, "", {}, { "block-size": "44px" });
				var node_5 = child(li_1), consequent_5 = ($$anchor) => {
					var fragment_6 = root_1(), span = first_child(fragment_6), text_2 = only_child(span, !0), time = sibling(span), text_3 = only_child(time, !0);
					template_effect(($0) => {
						set_text(text_2, get(item).preview), set_attribute(time, "datetime", get(item).created_at), set_text(text_3, $0);
					}, [() => date(get(item).created_at)]), append($$anchor, fragment_6);
				}, alternate = ($$anchor) => {
					var span_1 = root_2(), text_4 = only_child(span_1, !0);
					template_effect(() => set_text(text_4, t.common.loading)), append($$anchor, span_1);
				};
				if_block(node_5, ($$render) => {
					get(item) ? $$render(consequent_5) : $$render(alternate, -1);
				}), reset(li_1), template_effect(() => {
					set_attribute(li_1, "id", `${id}-${row ?? ""}`), set_attribute(li_1, "aria-selected", row === get(active)), set_attribute(li_1, "aria-current", get(item) && get(item).id === get(current) ? "true" : void 0), set_attribute(li_1, "aria-setsize", get(count)), set_attribute(li_1, "aria-posinset", row + 1), set_attribute(li_1, "aria-disabled", get(item) ? void 0 : "true");
				}), delegated("click", li_1, () => choose(row)), delegated("pointermove", li_1, () => {
					get(item) && set(selected, row, !0);
				}), append($$anchor, li_1);
			});
			var node_6 = sibling(node_4, 2), consequent_6 = ($$anchor) => {
				var li_2 = root();
				let styles_1;
				template_effect(() => styles_1 = set_style(li_2, "", styles_1, { "block-size": `${(get(count) - get(first) - get(rows).length) * 44}px` })), append($$anchor, li_2);
			};
			if_block(node_6, ($$render) => {
				get(first) + get(rows).length < get(count) && $$render(consequent_6);
			}), reset(ul), bind_this(ul, ($$value) => set(list, $$value), () => get(list)), template_effect(($0, $1) => {
				set_attribute(input, "aria-controls", `${id}-list`), set_attribute(input, "aria-activedescendant", $0), set_attribute(input, "aria-label", t.chat.outlineHint), set_attribute(input, "placeholder", t.chat.outlineHint), set_text(text_1, $1), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", t.chat.outline), set_attribute(ul, "aria-busy", outline.loading || void 0);
			}, [() => itemAt(get(active)) ? `${id}-${get(active)}` : void 0, () => outline.total === void 0 ? "" : get(text) ? t.chat.questionsOf(get(found).length, outline.total) : t.chat.questions(outline.total)]), delegated("input", input, filter), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), event("scroll", ul, () => set(top, get(list)?.scrollTop ?? 0, !0)), bind_element_size(ul, "clientHeight", ($$value) => set(height, $$value)), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
delegate([
	"input",
	"keydown",
	"click",
	"pointermove"
]);
export { OutlineDialog as default };
