import { append, await_block, bind_checked, bind_this, child, comment, delegate, delegated, each, first_child, from_html, get, if_block, index, init_select, next, noop, only_child, pop, proxy, push, remove_input_defaults, reset, select_option, set, set_attribute, set_text, sibling, state, template_effect, text, tick, user_derived, user_effect } from "./vendor.js";
import { Button, Dialog, ProblemNote, StatePanel, call, cost, dateTime, t } from "./parts.js";
import { Prose } from "./open.js";
// src/text/difference.ts
var MOST_STEPS = 2e3;
function wordsOf(text) {
	return [...text.matchAll(/[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu)].map((match) => ({
		text: match[0],
		start: match.index,
		end: match.index + match[0].length
	}));
}
function difference(first, second) {
	let [a, b] = [wordsOf(first), wordsOf(second)], pairs = commonPairs(a, b);
	if (!pairs) return {
		removed: whole(a),
		added: whole(b),
		isTotal: !0
	};
	let kept = {
		a: new Set(pairs.map(([at]) => at)),
		b: new Set(pairs.map(([, at]) => at))
	};
	return {
		removed: changes(a, kept.a),
		added: changes(b, kept.b),
		isTotal: !1
	};
}
function merged(first, second) {
	let { removed, added } = difference(first, second), runs = [], [a, b, nextRemoved, nextAdded] = [
		0,
		0,
		0,
		0
	], push = (kind, text) => {
		text !== "" && runs.push({
			kind,
			text
		});
	}, [firstWords, secondWords] = [wordsOf(first), wordsOf(second)];
	for (; a < firstWords.length || b < secondWords.length;) {
		let [r, s] = [removed[nextRemoved], added[nextAdded]];
		if (r && firstWords[a]?.start === r.start) {
			for (push("removed", first.slice(r.start, r.end)); a < firstWords.length && firstWords[a].end <= r.end;) a++;
			nextRemoved++;
		} else if (s && secondWords[b]?.start === s.start) {
			let from = b === 0 ? 0 : secondWords[b - 1].end;
			for (push("same", second.slice(from, s.start)), push("added", second.slice(s.start, s.end)); b < secondWords.length && secondWords[b].end <= s.end;) b++;
			nextAdded++;
		} else {
			let word = secondWords[b];
			if (!word) break;
			let from = b === 0 ? 0 : secondWords[b - 1].end;
			push("same", second.slice(from, word.end)), a++, b++;
		}
	}
	return joinedRuns(runs);
}
function joinedRuns(runs) {
	let joined = [];
	for (let run of runs) {
		let last = joined.at(-1);
		last?.kind === run.kind ? joined[joined.length - 1] = {
			kind: run.kind,
			text: last.text + run.text
		} : joined.push(run);
	}
	return joined;
}
function whole(words) {
	let [first, last] = [words[0], words.at(-1)];
	return first && last ? [{
		start: first.start,
		end: last.end
	}] : [];
}
function changes(words, kept) {
	let found = [];
	return words.forEach(({ start, end }, at) => {
		if (kept.has(at)) return;
		let last = found.at(-1);
		last && last.at === at - 1 ? Object.assign(last, {
			end,
			at
		}) : found.push({
			start,
			end,
			at
		});
	}), found.map(({ start, end }) => ({
		start,
		end
	}));
}
function commonPairs(a, b) {
	let prefix = 0;
	for (; prefix < a.length && prefix < b.length && a[prefix].text === b[prefix].text;) prefix++;
	let suffix = 0;
	for (; suffix < a.length - prefix && suffix < b.length - prefix && a[a.length - 1 - suffix].text === b[b.length - 1 - suffix].text;) suffix++;
	let [n, m] = [a.length - prefix - suffix, b.length - prefix - suffix], middle = shortestEdit(a.slice(prefix, prefix + n), b.slice(prefix, prefix + m));
	if (!middle) return;
	let before = Array.from({ length: prefix }, (_, at) => [at, at]), after = Array.from({ length: suffix }, (_, at) => [prefix + n + at, prefix + m + at]);
	return [
		...before,
		...middle.map(([x, y]) => [x + prefix, y + prefix]),
		...after
	];
}
function shortestEdit(a, b) {
	let [n, m] = [a.length, b.length], most = Math.min(n + m, MOST_STEPS), reach = new Int32Array(2 * most + 3), zero = most + 1, history = [];
	for (let steps = 0; steps <= most; steps++) {
		history.push(reach.slice(zero - steps - 1, zero + steps + 2));
		for (let k = -steps; k <= steps; k += 2) {
			let x = comesFromAbove(reach, zero, k, steps) ? reach[zero + k + 1] : reach[zero + k - 1] + 1;
			for (; x < n && x - k < m && a[x].text === b[x - k].text;) x++;
			if (reach[zero + k] = x, x >= n && x - k >= m) return backtracked(history, n, m);
		}
	}
}
function comesFromAbove(reach, zero, k, steps) {
	return k === -steps || k !== steps && reach[zero + k - 1] < reach[zero + k + 1];
}
function backtracked(history, n, m) {
	let pairs = [], [x, y] = [n, m];
	for (let steps = history.length - 1; steps >= 0; steps--) {
		let reach = history[steps], zero = steps + 1, former = comesFromAbove(reach, zero, x - y, steps) ? x - y + 1 : x - y - 1, fromX = steps === 0 ? 0 : reach[zero + former], fromY = steps === 0 ? 0 : fromX - former;
		for (; x > fromX && y > fromY;) pairs.push([--x, --y]);
		[x, y] = [fromX, fromY];
	}
	return pairs.reverse();
}
// src/chat/compare.ts
function markDifferences(first, second) {
	let [left, right] = [new ShownText(first), new ShownText(second)], { removed, added, isTotal } = difference(left.text, right.text), count = {
		removed: removed.length,
		added: added.length,
		isTotal
	};
	return isTotal || typeof Highlight > "u" || !("highlights" in CSS) ? {
		count,
		remove: () => {}
	} : (CSS.highlights.set("compare-removed", new Highlight(...removed.flatMap((change) => left.ranges(change)))), CSS.highlights.set("compare-added", new Highlight(...added.flatMap((change) => right.ranges(change)))), {
		count,
		remove: () => {
			CSS.highlights.delete("compare-removed"), CSS.highlights.delete("compare-added");
		}
	});
}
var ShownText = class {
	text;
	nodes = [];
	constructor(element) {
		let walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), texts = [], start = 0;
		for (; walker.nextNode();) {
			let node = walker.currentNode;
			node.parentElement?.closest("button, figcaption") || (this.nodes.push({
				node,
				start,
				end: start + node.length
			}), texts.push(node.data), start += node.length + 1);
		}
		this.text = texts.join("\n");
	}
	ranges(change) {
		return this.nodes.filter(({ start, end }) => start < change.end && end > change.start).map(({ node, start, end }) => new StaticRange({
			startContainer: node,
			startOffset: Math.max(change.start, start) - start,
			endContainer: node,
			endOffset: Math.min(change.end, end) - start
		}));
	}
}, root = from_html("<option> </option>"), root_1 = from_html("<select class=\"input svelte-1t7prxd\"></select>"), root_2 = from_html("<strong> </strong>"), root_3 = from_html("<span> </span>"), root_4 = from_html("<p class=\"question svelte-1t7prxd\" dir=\"auto\"> </p>"), root_5 = from_html("<section class=\"svelte-1t7prxd\"><header class=\"svelte-1t7prxd\"><!> <!> <!></header> <div class=\"texts svelte-1t7prxd\"></div></section>"), root_6 = from_html("<del class=\"svelte-1t7prxd\"><span class=\"visually-hidden\"> </span> </del>"), root_7 = from_html("<ins class=\"svelte-1t7prxd\"><span class=\"visually-hidden\"> </span> </ins>"), root_8 = from_html("<div class=\"merged svelte-1t7prxd\" dir=\"auto\"></div>"), root_9 = from_html("<div class=\"bar svelte-1t7prxd\"><p role=\"status\"> </p> <label class=\"svelte-1t7prxd\"><input type=\"checkbox\"/> </label></div> <!> <div class=\"versions svelte-1t7prxd\"><!> <!></div>", 1);
function CompareDialog($$anchor, $$props) {
	push($$props, !0);
	let pane = ($$anchor, at = noop, messages = noop, choose = noop) => {
		let version = user_derived(() => messages()[0]);
		var section = root_5(), header = child(section), node = child(header), consequent = ($$anchor) => {
			var select = root_1();
			each(select, 22, () => $$props.versions, (id) => id, ($$anchor, id, index) => {
				var option = root(), text = only_child(option, !0), option_value = {};
				template_effect(($0) => {
					set_text(text, $0), option_value !== (option_value = get(index)) && (option.value = (option.__value = option_value) ?? "");
				}, [() => t.chat.versionNumber(get(index) + 1, $$props.versions.length)]), append($$anchor, option);
			}), reset(select);
			var select_value;
			init_select(select), template_effect(() => {
				set_attribute(select, "aria-label", t.chat.version), select_value !== (select_value = at()) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
			}), delegated("change", select, (event) => choose()(Number(event.currentTarget.value))), append($$anchor, select);
		}, alternate = ($$anchor) => {
			var strong = root_2(), text_1 = only_child(strong, !0);
			template_effect(($0) => set_text(text_1, $0), [() => t.chat.versionNumber(at() + 1, $$props.versions.length)]), append($$anchor, strong);
		};
		if_block(node, ($$render) => {
			$$props.versions.length > 2 ? $$render(consequent) : $$render(alternate, -1);
		});
		var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
			var span = root_3(), text_2 = only_child(span, !0);
			template_effect(($0) => set_text(text_2, $0), [() => [
				get(version).model,
				dateTime(get(version).created_at),
				get(version).role === "assistant" && cost(get(version).cost_nanos ?? 0)
			].filter(Boolean).join(" · ")]), append($$anchor, span);
		};
		if_block(node_1, ($$render) => {
			get(version) && $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
			var span_1 = root_3(), text_3 = only_child(span_1, !0);
			template_effect(() => set_text(text_3, t.chat.shown)), append($$anchor, span_1);
		}, consequent_3 = ($$anchor) => {
			Button($$anchor, {
				size: "small",
				onclick: () => {
					$$props.onchoose(get(version).id), $$props.onclose();
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_4 = text();
					template_effect(() => set_text(text_4, t.chat.showThis)), append($$anchor, text_4);
				},
				$$slots: { default: !0 }
			});
		};
		if_block(node_2, ($$render) => {
			get(version)?.id === $$props.current ? $$render(consequent_2) : get(version) && $$render(consequent_3, 1);
		}), reset(header);
		var div = sibling(header, 2);
		each(div, 21, messages, (message) => message.id, ($$anchor, message) => {
			var fragment_2 = comment(), node_3 = first_child(fragment_2), consequent_4 = ($$anchor) => {
				var p = root_4(), text_5 = only_child(p, !0);
				template_effect(($0) => {
					set_text(text_5, $0), p.dir = p.dir;
				}, [() => textOf(get(message))]), append($$anchor, p);
			}, alternate_1 = ($$anchor) => {
				{
					let $0 = user_derived(() => textOf(get(message)));
					Prose($$anchor, {
						get text() {
							return get($0);
						},
						open: !1
					});
				}
			};
			if_block(node_3, ($$render) => {
				get(message).role === "user" ? $$render(consequent_4) : $$render(alternate_1, -1);
			}), append($$anchor, fragment_2);
		}), reset(div), reset(section), template_effect(($0) => set_attribute(section, "aria-label", $0), [() => t.chat.versionNumber(at() + 1, $$props.versions.length)]), append($$anchor, section);
	}, start = Math.max(0, $$props.versions.indexOf($$props.current)), first = state(proxy(start === 0 ? 0 : start - 1)), second = state(proxy(start === 0 ? Math.min(1, $$props.versions.length - 1) : start)), asOneText = state(!1), count = state(proxy({
		removed: 0,
		added: 0,
		isTotal: !1
	})), panes = state(void 0), read = new Map(), both = user_derived(() => Promise.all([branch(get(first)), branch(get(second))]));
	function branch(at) {
		let known = read.get(at) ?? below($$props.versions[at] ?? "");
		return read.set(at, known), known;
	}
	async function below(version) {
		let messages = [], cursor;
		do {
			let leaf = version === $$props.current ? $$props.conversation.reader.leaf : void 0, query = {
				limit: 200,
				...leaf ? { leaf_id: leaf } : { through_id: version },
				...cursor ? { cursor } : {}
			}, page = await call("conversations.list_conversation_messages", {
				path: { conversation_id: $$props.conversation.id },
				query
			});
			messages.unshift(...page.items.toReversed());
			let at = messages.findIndex(({ id }) => id === version);
			if (at >= 0) return messages.slice(at, at + 20);
			cursor = page.next_cursor ?? void 0;
		} while (cursor);
		return messages.slice(0, 20);
	}
	let textOf = (message) => (message.parts ?? []).flatMap((part) => part.type === "text" ? part.text : []).join("\n\n"), wholeText = (messages) => messages.map(textOf).join("\n\n");
	user_effect(() => {
		let element = get(panes);
		if (!element) return;
		let remove = () => {}, mark = () => {
			remove();
			let [left, right] = element.querySelectorAll(".texts");
			if (!left || !right) return;
			let marks = markDifferences(left, right);
			remove = marks.remove, set(count, marks.count, !0);
		}, observer = new MutationObserver(mark);
		return observer.observe(element, {
			childList: !0,
			subtree: !0
		}), tick().then(mark), () => {
			observer.disconnect(), remove();
		};
	}), Dialog($$anchor, {
		get title() {
			return t.chat.compare;
		},
		width: "full",
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_5 = comment(), node_4 = first_child(fragment_5);
			await_block(node_4, () => get(both), ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var [left, right] = get($$source);
					return {
						left,
						right
					};
				}), left = user_derived(() => get($$value).left), right = user_derived(() => get($$value).right), fragment_6 = root_9(), div_1 = first_child(fragment_6), p_1 = child(div_1), text_6 = only_child(p_1, !0), label = sibling(p_1, 2), input = child(label);
				remove_input_defaults(input);
				var text_7 = sibling(input, 1, !0);
				reset(label), reset(div_1);
				var node_5 = sibling(div_1, 2), consequent_7 = ($$anchor) => {
					var div_2 = root_8();
					each(div_2, 21, () => merged(wholeText(get(left)), wholeText(get(right))), index, ($$anchor, run) => {
						var fragment_7 = comment(), node_6 = first_child(fragment_7), consequent_5 = ($$anchor) => {
							var del = root_6(), span_2 = child(del), text_8 = only_child(span_2, !0), text_9 = sibling(span_2, 1, !0);
							reset(del), template_effect(() => {
								set_text(text_8, `${t.chat.onlyFirst} `), set_text(text_9, get(run).text);
							}), append($$anchor, del);
						}, consequent_6 = ($$anchor) => {
							var ins = root_7(), span_3 = child(ins), text_10 = only_child(span_3, !0), text_11 = sibling(span_3, 1, !0);
							reset(ins), template_effect(() => {
								set_text(text_10, `${t.chat.onlySecond} `), set_text(text_11, get(run).text);
							}), append($$anchor, ins);
						}, alternate_2 = ($$anchor) => {
							var text_12 = text();
							template_effect(() => set_text(text_12, get(run).text)), append($$anchor, text_12);
						};
						if_block(node_6, ($$render) => {
							get(run).kind === "removed" ? $$render(consequent_5) : get(run).kind === "added" ? $$render(consequent_6, 1) : $$render(alternate_2, -1);
						}), append($$anchor, fragment_7);
					}), reset(div_2), template_effect(() => div_2.dir = div_2.dir), append($$anchor, div_2);
				};
				if_block(node_5, ($$render) => {
					get(asOneText) && $$render(consequent_7);
				});
				var div_3 = sibling(node_5, 2), node_7 = child(div_3);
				pane(node_7, () => get(first), () => get(left), () => (at) => set(first, at, !0));
				var node_8 = sibling(node_7, 2);
				pane(node_8, () => get(second), () => get(right), () => (at) => set(second, at, !0)), reset(div_3), bind_this(div_3, ($$value) => set(panes, $$value), () => get(panes)), template_effect(($0) => {
					set_text(text_6, $0), set_text(text_7, t.chat.asOneText), set_attribute(div_3, "hidden", get(asOneText));
				}, [() => get(count).isTotal ? t.chat.allDifferent : get(count).removed + get(count).added === 0 ? t.chat.noDifference : t.chat.differences(get(count).removed, get(count).added)]), bind_checked(input, () => get(asOneText), ($$value) => set(asOneText, $$value)), append($$anchor, fragment_6);
			}, ($$anchor, problem) => {
				ProblemNote($$anchor, { get problem() {
					return get(problem);
				} });
			}), append($$anchor, fragment_5);
		},
		$$slots: { default: !0 }
	}), pop();
}
delegate(["change"]);
export { CompareDialog as default };
