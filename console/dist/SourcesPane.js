import { append, await_block, bind_this, child, comment, delegate, delegated, each, first_child, from_html, get, if_block, key, onMount, only_child, pop, push, reset, set, set_attribute, set_text, sibling, state, template_effect, tick, user_derived, user_effect } from "./vendor.js";
import { ArrowLeft, Button, ExternalLink, Icon, ProblemNote, StatePanel, X, call, t } from "./parts.js";
import { originalOf, pageOf, sourcesPane, titleOf } from "./open.js";
// src/chat/Passage.svelte
var root$1 = from_html("<p class=\"text svelte-p82fx2\"> <mark class=\"svelte-p82fx2\"> </mark> </p>"), root_1$1 = from_html("<blockquote class=\"svelte-p82fx2\"> </blockquote>"), root_2$1 = from_html("<!> <!>", 1);
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
			var p = root$1(), text_1 = child(p, !0), mark_1 = sibling(text_1), text_2 = only_child(mark_1, !0);
			bind_this(mark_1, ($$value) => set(mark, $$value), () => get(mark));
			var text_3 = sibling(mark_1, 1, !0);
			reset(p), template_effect(() => {
				set_text(text_1, get(text).before), set_text(text_2, get(text).passage), set_text(text_3, get(text).after);
			}), append($$anchor, p);
		}, consequent_1 = ($$anchor) => {
			var blockquote = root_1$1(), text_4 = only_child(blockquote, !0);
			template_effect(() => set_text(text_4, $$props.source.snippet)), append($$anchor, blockquote);
		};
		if_block(node_1, ($$render) => {
			get(text) ? $$render(consequent) : $$props.source.snippet && $$render(consequent_1, 1);
		}), append($$anchor, fragment_1);
	}, ($$anchor, problem) => {
		var fragment_2 = root_2$1(), node_2 = first_child(fragment_2), consequent_2 = ($$anchor) => {
			var blockquote_1 = root_1$1(), text_5 = only_child(blockquote_1, !0);
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
var root = from_html("<p class=\"place svelte-vj0n9q\"> </p>"), root_1 = from_html("<a target=\"_blank\" rel=\"noopener noreferrer\"> </a>"), root_2 = from_html("<a> </a>"), root_3 = from_html("<!> <!> <!> <!>", 1), root_4 = from_html("<span class=\"place svelte-vj0n9q\"> </span>"), root_5 = from_html("<span class=\"snippet svelte-vj0n9q\"> </span>"), root_6 = from_html("<a class=\"external svelte-vj0n9q\" target=\"_blank\" rel=\"noopener noreferrer\"><!></a>"), root_7 = from_html("<li class=\"svelte-vj0n9q\"><button type=\"button\" class=\"svelte-vj0n9q\"><span class=\"number svelte-vj0n9q\"> </span> <span class=\"about svelte-vj0n9q\"><strong class=\"svelte-vj0n9q\"> </strong> <!> <!></span></button> <!></li>"), root_8 = from_html("<ol role=\"list\"></ol>"), root_9 = from_html("<aside tabindex=\"-1\" class=\"svelte-vj0n9q\"><header class=\"svelte-vj0n9q\"><!> <h2 class=\"svelte-vj0n9q\"> </h2> <!></header> <div class=\"body svelte-vj0n9q\"><!></div></aside>");
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
	var aside = root_9(), header = child(aside), node = child(header), consequent = ($$anchor) => {
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
	var div = sibling(header, 2), node_2 = child(div), consequent_4 = ($$anchor) => {
		let page = user_derived(() => pageOf(get(open))), original = user_derived(() => originalOf(get(open)));
		var fragment_1 = root_3(), node_3 = first_child(fragment_1), consequent_1 = ($$anchor) => {
			var p = root(), text_1 = only_child(p, !0);
			template_effect(($0) => set_text(text_1, $0), [() => placeOf(get(open))]), append($$anchor, p);
		}, d = user_derived(() => placeOf(get(open)));
		if_block(node_3, ($$render) => {
			get(d) && $$render(consequent_1);
		});
		var node_4 = sibling(node_3, 2), consequent_2 = ($$anchor) => {
			var a = root_1(), text_2 = only_child(a, !0);
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
		});
		var node_6 = sibling(node_5, 2), consequent_3 = ($$anchor) => {
			var a_1 = root_2(), text_3 = only_child(a_1, !0);
			template_effect(($0) => {
				set_attribute(a_1, "href", get(original)), set_attribute(a_1, "download", $0), set_text(text_3, t.chat.downloadDocument);
			}, [() => titleOf(get(open))]), append($$anchor, a_1);
		};
		if_block(node_6, ($$render) => {
			get(original) && $$render(consequent_3);
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		var ol = root_8();
		each(ol, 23, () => $$props.sources, (source) => source.id, ($$anchor, source, index) => {
			let page = user_derived(() => pageOf(get(source)));
			var li = root_7(), button = child(li), span = child(button), text_4 = only_child(span, !0), span_1 = sibling(span, 2), strong = child(span_1), text_5 = only_child(strong, !0), node_7 = sibling(strong, 2), consequent_5 = ($$anchor) => {
				var span_2 = root_4(), text_6 = only_child(span_2, !0);
				template_effect(($0) => set_text(text_6, $0), [() => placeOf(get(source))]), append($$anchor, span_2);
			}, d_1 = user_derived(() => placeOf(get(source)));
			if_block(node_7, ($$render) => {
				get(d_1) && $$render(consequent_5);
			});
			var node_8 = sibling(node_7, 2), consequent_6 = ($$anchor) => {
				var span_3 = root_5(), text_7 = only_child(span_3, !0);
				template_effect(() => set_text(text_7, get(source).source.snippet)), append($$anchor, span_3);
			};
			if_block(node_8, ($$render) => {
				get(source).source.snippet && $$render(consequent_6);
			}), reset(span_1), reset(button);
			var node_9 = sibling(button, 2), consequent_7 = ($$anchor) => {
				var a_2 = root_6(), node_10 = child(a_2);
				Icon(node_10, {
					get of() {
						return ExternalLink;
					},
					size: 16
				}), reset(a_2), template_effect(($0) => {
					set_attribute(a_2, "href", get(page)), set_attribute(a_2, "aria-label", $0);
				}, [() => t.chat.openPage(titleOf(get(source)))]), append($$anchor, a_2);
			};
			if_block(node_9, ($$render) => {
				get(page) && $$render(consequent_7);
			}), reset(li), template_effect(($0) => {
				set_text(text_4, get(source).number ?? get(index) + 1), set_text(text_5, $0);
			}, [() => titleOf(get(source))]), delegated("click", button, () => sourcesPane.select(get(index))), append($$anchor, li);
		}), reset(ol), append($$anchor, ol);
	};
	if_block(node_2, ($$render) => {
		get(open) ? $$render(consequent_4) : $$render(alternate, -1);
	}), reset(div), reset(aside), bind_this(aside, ($$value) => pane = $$value, () => pane), template_effect(($0) => {
		set_attribute(aside, "aria-label", t.chat.sources), set_text(text, $0);
	}, [() => get(open) ? titleOf(get(open)) : t.chat.sources]), delegated("keydown", aside, press), append($$anchor, aside), pop();
}
delegate(["keydown", "click"]);
export { SourcesPane as default };
