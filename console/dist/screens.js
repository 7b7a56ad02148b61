import { $document, append, await_block, bind_group, bind_this, child, clsx, comment, deferred_template_effect, delegate, delegated, each, event, first_child, from_html, get, head, if_block, init_select, next, noop, onMount, only_child, pop, props_id, proxy, push, remove_input_defaults, reset, select_option, set, set_attribute, set_checked, set_class, set_text, set_value, sibling, snippet, state, template_effect, text, tick, to_array, user_derived, user_effect } from "./vendor.js";
import { Bell, Brain, Button, Check, CheckCheck, CircleAlert, Copy, Dialog, Download, Field, FileText, Icon, Info, KeyRound, LANGUAGES, LogOut, MailCheck, MessageSquare, Pencil, ProblemNote, ProblemPanel, SearchX, Settings as Settings$1, SquarePen, StatePanel, Submission, Table, Trash, TriangleAlert, UserPlus, Users, X, addressOf, call, copyText, cost, date, dateTime, enter, everyPage, href, installation, locale, look, navigate, number, projects, reloadUser, restoreMemory, router, session, signOut, t, toasts, useLanguage, why } from "./parts.js";
import { withoutMarks } from "./snippet.js";
import { notifications, patternAt } from "./console.js";
import { ENUMERATED, VIEWS } from "./views.js";
// src/account/Page.svelte
var root$12 = from_html("<div class=\"actions svelte-12lmdug\"><!></div>"), root_1$10 = from_html("<p class=\"text svelte-12lmdug\"> </p>"), root_2$10 = from_html("<header class=\"svelte-12lmdug\"><!></header> <main tabindex=\"0\" class=\"svelte-12lmdug\"><div class=\"page svelte-12lmdug\"><div class=\"heading svelte-12lmdug\"><h1 class=\"svelte-12lmdug\"> </h1><!></div> <!> <!></div></main>", 1);
function Page($$anchor, $$props) {
	push($$props, !0);
	var fragment = root_2$10();
	head("12lmdug", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${$$props.title ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var header = first_child(fragment), node = child(header);
	snippet(node, () => $$props.opener), reset(header);
	var main = sibling(header, 2), div = child(main), div_1 = child(div), h1 = child(div_1), text_1 = only_child(h1, !0), node_1 = sibling(h1), consequent = ($$anchor) => {
		var div_2 = root$12(), node_2 = child(div_2);
		snippet(node_2, () => $$props.actions), reset(div_2), append($$anchor, div_2);
	};
	if_block(node_1, ($$render) => {
		$$props.actions && $$render(consequent);
	}), reset(div_1);
	var node_3 = sibling(div_1, 2), consequent_1 = ($$anchor) => {
		var p = root_1$10(), text_2 = only_child(p, !0);
		template_effect(() => set_text(text_2, $$props.text)), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		$$props.text && $$render(consequent_1);
	});
	var node_4 = sibling(node_3, 2);
	snippet(node_4, () => $$props.children), reset(div), reset(main), template_effect(() => {
		set_attribute(main, "aria-label", $$props.title), set_text(text_1, $$props.title);
	}), append($$anchor, fragment), pop();
}
// src/account/Memories.svelte
var root$11 = from_html("<p class=\"off svelte-1fwh45c\"> <!></p>"), root_1$9 = from_html("<form class=\"edit svelte-1fwh45c\"><!> <!> <div class=\"actions svelte-1fwh45c\"><!><!></div></form>"), root_2$9 = from_html("· <a> </a>", 1), root_3$5 = from_html("<div class=\"about svelte-1fwh45c\"><p class=\"svelte-1fwh45c\"> </p> <p class=\"origin svelte-1fwh45c\"> <!></p></div> <!> <!>", 1), root_4$4 = from_html("<li tabindex=\"-1\" class=\"svelte-1fwh45c\"><!></li>"), root_5$4 = from_html("<ul role=\"list\"></ul>"), root_6$3 = from_html("<!> <form class=\"svelte-1fwh45c\"><!> <!> <!></form> <!>", 1);
function Memories($$anchor, $$props) {
	push($$props, !0);
	let LONGEST = 2e3, memories = state(void 0), problem = state(void 0), text$9 = state(""), editing = state(void 0), edited = state(""), adding = new Submission(), saving = new Submission();
	async function load() {
		set(problem, void 0);
		try {
			set(memories, await everyPage((cursor) => call("memories.list_user_memories", { query: {
				with_assistants: !0,
				limit: 100,
				...cursor ? { cursor } : {}
			} })));
		} catch (error) {
			set(problem, error);
		}
	}
	async function reveal() {
		let named = router.location.query.get("m");
		await tick();
		let item = named ? document.getElementById(`memory-${named}`) : null;
		item?.scrollIntoView({ block: "center" }), item?.focus();
	}
	let tabs = new BroadcastChannel("understudy.memories");
	onMount(() => (tabs.addEventListener("message", () => void load()), load().then(reveal), () => tabs.close()));
	function add(event) {
		event.preventDefault(), adding.run(async () => {
			let memory = await call("memories.create_memory", { body: { content: get(text$9).trim() } });
			set(memories, [memory, ...get(memories) ?? []]), tabs.postMessage("changed"), set(text$9, "");
		});
	}
	function save(memory) {
		saving.run(async () => {
			let changed = await call("memories.update_memory", {
				path: { memory_id: memory.id },
				body: {
					content: get(edited).trim(),
					version: memory.version
				}
			});
			set(memories, get(memories)?.map((other) => other.id === changed.id ? changed : other)), set(editing, void 0), tabs.postMessage("changed");
		});
	}
	async function remove(memory) {
		try {
			await call("memories.delete_memory", { path: { memory_id: memory.id } }), set(memories, get(memories)?.filter((other) => other.id !== memory.id)), tabs.postMessage("changed"), toasts.show(t.memories.deleted, { action: {
				label: t.common.undo,
				run: () => void restore(memory)
			} });
		} catch (error) {
			why.report(error);
		}
	}
	async function restore(memory) {
		await restoreMemory(memory).then(load).then(() => tabs.postMessage("changed")).catch(why.report);
	}
	async function use() {
		await call("users.update_user_preferences", { body: { use_memories: !0 } }).then(reloadUser).catch(why.report);
	}
	Page($$anchor, {
		get title() {
			return t.memories.title;
		},
		get text() {
			return t.memories.text;
		},
		get opener() {
			return $$props.opener;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_6$3(), node = first_child(fragment_1), consequent = ($$anchor) => {
				var p = root$11(), text_1 = child(p), node_1 = sibling(text_1);
				Button(node_1, {
					size: "small",
					onclick: use,
					children: ($$anchor, $$slotProps) => {
						next();
						var text_2 = text();
						template_effect(() => set_text(text_2, t.memories.turnOn)), append($$anchor, text_2);
					},
					$$slots: { default: !0 }
				}), reset(p), template_effect(() => set_text(text_1, `${t.memories.off ?? ""} `)), append($$anchor, p);
			};
			if_block(node, ($$render) => {
				$$props.user.preferences.use_memories === !1 && $$render(consequent);
			});
			var form = sibling(node, 2), node_2 = child(form);
			{
				let $0 = user_derived(() => adding.fault("content"));
				Field(node_2, {
					get label() {
						return t.memories.add;
					},
					get placeholder() {
						return t.memories.placeholder;
					},
					required: !0,
					maxlength: LONGEST,
					get error() {
						return get($0);
					},
					get value() {
						return get(text$9);
					},
					set value($$value) {
						set(text$9, $$value, !0);
					}
				});
			}
			var node_3 = sibling(node_2, 2), consequent_1 = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return adding.problem;
				} });
			}, d = user_derived(() => adding.besides("content"));
			if_block(node_3, ($$render) => {
				get(d) && $$render(consequent_1);
			});
			var node_4 = sibling(node_3, 2);
			Button(node_4, {
				type: "submit",
				variant: "primary",
				get busy() {
					return adding.busy;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_3 = text();
					template_effect(() => set_text(text_3, t.common.add)), append($$anchor, text_3);
				},
				$$slots: { default: !0 }
			}), reset(form);
			var node_5 = sibling(form, 2), consequent_2 = ($$anchor) => {
				ProblemPanel($$anchor, {
					get problem() {
						return get(problem);
					},
					retry: () => void load()
				});
			}, consequent_3 = ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, consequent_4 = ($$anchor) => {
				StatePanel($$anchor, {
					get icon() {
						return Brain;
					},
					get title() {
						return t.memories.empty;
					},
					get text() {
						return t.memories.emptyText;
					}
				});
			}, alternate_1 = ($$anchor) => {
				var ul = root_5$4();
				each(ul, 21, () => get(memories), (memory) => memory.id, ($$anchor, memory) => {
					var li = root_4$4(), node_6 = child(li), consequent_6 = ($$anchor) => {
						var form_1 = root_1$9(), node_7 = child(form_1);
						{
							let $0 = user_derived(() => saving.fault("content"));
							Field(node_7, {
								get label() {
									return t.memories.content;
								},
								rows: 3,
								required: !0,
								maxlength: LONGEST,
								get error() {
									return get($0);
								},
								get value() {
									return get(edited);
								},
								set value($$value) {
									set(edited, $$value, !0);
								}
							});
						}
						var node_8 = sibling(node_7, 2), consequent_5 = ($$anchor) => {
							ProblemNote($$anchor, { get problem() {
								return saving.problem;
							} });
						}, d_1 = user_derived(() => saving.besides("content"));
						if_block(node_8, ($$render) => {
							get(d_1) && $$render(consequent_5);
						});
						var div = sibling(node_8, 2), node_9 = child(div);
						Button(node_9, {
							size: "small",
							onclick: () => set(editing, void 0),
							children: ($$anchor, $$slotProps) => {
								next();
								var text_4 = text();
								template_effect(() => set_text(text_4, t.common.cancel)), append($$anchor, text_4);
							},
							$$slots: { default: !0 }
						});
						var node_10 = sibling(node_9);
						Button(node_10, {
							size: "small",
							type: "submit",
							variant: "primary",
							get busy() {
								return saving.busy;
							},
							children: ($$anchor, $$slotProps) => {
								next();
								var text_5 = text();
								template_effect(() => set_text(text_5, t.common.save)), append($$anchor, text_5);
							},
							$$slots: { default: !0 }
						}), reset(div), reset(form_1), event("submit", form_1, (event) => {
							event.preventDefault(), save(get(memory));
						}), append($$anchor, form_1);
					}, alternate = ($$anchor) => {
						var fragment_11 = root_3$5(), div_1 = first_child(fragment_11), p_1 = child(div_1), text_6 = only_child(p_1, !0), p_2 = sibling(p_1, 2), text_7 = child(p_2), node_11 = sibling(text_7), consequent_7 = ($$anchor) => {
							var fragment_12 = root_2$9(), a = sibling(first_child(fragment_12)), text_8 = only_child(a, !0);
							template_effect(($0) => {
								set_attribute(a, "href", $0), set_text(text_8, t.memories.conversation);
							}, [() => href(`/conversations/${get(memory).conversation_id}`)]), append($$anchor, fragment_12);
						};
						if_block(node_11, ($$render) => {
							get(memory).conversation_id && $$render(consequent_7);
						}), reset(p_2), reset(div_1);
						var node_12 = sibling(div_1, 2);
						Button(node_12, {
							variant: "quiet",
							size: "small",
							get icon() {
								return Pencil;
							},
							get label() {
								return t.common.edit;
							},
							onclick: () => {
								set(editing, get(memory).id, !0), set(edited, get(memory).content ?? "", !0);
							}
						});
						var node_13 = sibling(node_12, 2);
						Button(node_13, {
							variant: "quiet",
							size: "small",
							get icon() {
								return Trash;
							},
							get label() {
								return t.common.delete;
							},
							onclick: () => void remove(get(memory))
						}), template_effect(($0) => {
							set_text(text_6, get(memory).content), set_text(text_7, `${(get(memory).source === "auto" ? t.memories.byModel : t.memories.byYou) ?? ""} · ${$0 ?? ""} `);
						}, [() => date(get(memory).created_at)]), append($$anchor, fragment_11);
					};
					if_block(node_6, ($$render) => {
						get(editing) === get(memory).id ? $$render(consequent_6) : $$render(alternate, -1);
					}), reset(li), template_effect(() => set_attribute(li, "id", `memory-${get(memory).id ?? ""}`)), append($$anchor, li);
				}), reset(ul), append($$anchor, ul);
			};
			if_block(node_5, ($$render) => {
				get(problem) ? $$render(consequent_2) : get(memories) ? get(memories).length === 0 ? $$render(consequent_4, 2) : $$render(alternate_1, -1) : $$render(consequent_3, 1);
			}), event("submit", form, add), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/account/Notifications.svelte
var root$10 = from_html("<span class=\"visually-hidden\"> </span>"), root_1$8 = from_html("<a rel=\"noopener\"> </a>"), root_2$8 = from_html("<p class=\"body svelte-q333tf\"> </p>"), root_3$4 = from_html("<li><span class=\"icon svelte-q333tf\"><!></span> <div class=\"about svelte-q333tf\"><p class=\"title svelte-q333tf\"><!> <!></p> <!> <time class=\"svelte-q333tf\"> </time></div> <!> <!></li>"), root_4$3 = from_html("<ul role=\"list\"></ul> <!>", 1), root_5$3 = from_html("<div class=\"filter svelte-q333tf\" role=\"group\"><!> <!> <a class=\"endpoints svelte-q333tf\"><!> </a></div> <!>", 1);
function Notifications($$anchor, $$props) {
	push($$props, !0);
	let ICONS = {
		info: Info,
		warning: TriangleAlert,
		error: CircleAlert
	}, status = state("all"), items = state(void 0), cursor = state(void 0), problem = state(void 0), request = 0;
	async function load(more = !1) {
		let current = ++request;
		try {
			let page = await call("notifications.list_notifications", { query: {
				status: get(status),
				limit: 50,
				...more && get(cursor) ? { cursor: get(cursor) } : {}
			} });
			if (current !== request) return;
			let former = more ? get(items) ?? [] : [], known = new Set(former.map(({ id }) => id));
			set(items, [...former, ...page.items.filter(({ id }) => !known.has(id))]), set(cursor, page.next_cursor ?? void 0, !0), set(problem, void 0);
		} catch (error) {
			current === request && set(problem, error);
		}
	}
	function follow(event) {
		get(items) && (event.type === "reset" ? load() : event.type === "notification" ? set(items, [event.data, ...get(items).filter(({ id }) => id !== event.data.id)]) : event.type === "read" ? markRead(event.data.notification_ids, event.data.read_at) : event.type === "deleted" && drop(event.data.notification_ids));
	}
	function markRead(ids, read_at) {
		set(items, get(items)?.map((item) => ids.includes(item.id) ? {
			...item,
			read_at
		} : item));
	}
	function drop(ids) {
		set(items, get(items)?.filter(({ id }) => !ids.includes(id)));
	}
	onMount(() => (load(), notifications.listen(follow)));
	function choose(chosen) {
		set(status, chosen, !0), set(items, void 0), load();
	}
	let path = ({ id }) => ({ notification_id: id });
	async function read(item) {
		item.read_at || await call("notifications.mark_notification_read", { path: path(item) }).then(() => markRead([item.id], new Date().toISOString()), why.report);
	}
	async function readAll() {
		await call("notifications.mark_all_notifications_read").then(() => load(), why.report);
	}
	async function remove(item) {
		await call("notifications.delete_notification", { path: path(item) }).then(() => drop([item.id]), why.report);
	}
	let isOwnPath = (link) => link.startsWith("/");
	Page($$anchor, {
		get title() {
			return t.notifications.title;
		},
		get text() {
			return t.notifications.text;
		},
		get opener() {
			return $$props.opener;
		},
		actions: ($$anchor) => {
			{
				let $0 = user_derived(() => notifications.unread > 0 ? void 0 : t.notifications.noUnread);
				Button($$anchor, {
					get icon() {
						return CheckCheck;
					},
					get refused() {
						return get($0);
					},
					onclick: () => void readAll(),
					children: ($$anchor, $$slotProps) => {
						next();
						var text$8 = text();
						template_effect(() => set_text(text$8, t.notifications.readAll)), append($$anchor, text$8);
					},
					$$slots: { default: !0 }
				});
			}
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_3 = root_5$3(), div = first_child(fragment_3), node = child(div);
			{
				let $0 = user_derived(() => get(status) === "all");
				Button(node, {
					size: "small",
					variant: "quiet",
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => choose("all"),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_1 = text();
						template_effect(() => set_text(text_1, t.notifications.all)), append($$anchor, text_1);
					},
					$$slots: { default: !0 }
				});
			}
			var node_1 = sibling(node, 2);
			{
				let $0 = user_derived(() => get(status) === "unread");
				Button(node_1, {
					size: "small",
					variant: "quiet",
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => choose("unread"),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_2 = text();
						template_effect(() => set_text(text_2, t.notifications.onlyUnread)), append($$anchor, text_2);
					},
					$$slots: { default: !0 }
				});
			}
			var a = sibling(node_1, 2), node_2 = child(a);
			Icon(node_2, {
				get of() {
					return Settings$1;
				},
				size: 16
			});
			var text_3 = sibling(node_2, 1, !0);
			reset(a), reset(div);
			var node_3 = sibling(div, 2), consequent = ($$anchor) => {
				ProblemPanel($$anchor, {
					get problem() {
						return get(problem);
					},
					retry: () => void load()
				});
			}, consequent_1 = ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, consequent_2 = ($$anchor) => {
				{
					let $0 = user_derived(() => get(status) === "unread" ? t.notifications.noUnread : t.notifications.empty);
					StatePanel($$anchor, {
						get icon() {
							return Bell;
						},
						get title() {
							return get($0);
						},
						get text() {
							return t.notifications.emptyText;
						}
					});
				}
			}, alternate_1 = ($$anchor) => {
				var fragment_9 = root_4$3(), ul = first_child(fragment_9);
				each(ul, 21, () => get(items), (item) => item.id, ($$anchor, item) => {
					var li = root_3$4();
					let classes;
					var span = child(li), node_4 = child(span);
					Icon(node_4, { get of() {
						return ICONS[get(item).severity];
					} }), reset(span);
					var div_1 = sibling(span, 2), p = child(div_1), node_5 = child(p), consequent_3 = ($$anchor) => {
						var span_1 = root$10(), text_4 = only_child(span_1, !0);
						template_effect(() => set_text(text_4, t.notifications.isUnread)), append($$anchor, span_1);
					};
					if_block(node_5, ($$render) => {
						get(item).read_at || $$render(consequent_3);
					});
					var node_6 = sibling(node_5, 2), consequent_4 = ($$anchor) => {
						var a_1 = root_1$8(), text_5 = only_child(a_1, !0);
						template_effect(($0) => {
							set_attribute(a_1, "href", $0), set_text(text_5, get(item).title);
						}, [() => isOwnPath(get(item).link) ? href(get(item).link) : get(item).link]), delegated("click", a_1, () => void read(get(item))), append($$anchor, a_1);
					}, alternate = ($$anchor) => {
						var text_6 = text();
						template_effect(() => set_text(text_6, get(item).title)), append($$anchor, text_6);
					};
					if_block(node_6, ($$render) => {
						get(item).link ? $$render(consequent_4) : $$render(alternate, -1);
					}), reset(p);
					var node_7 = sibling(p, 2), consequent_5 = ($$anchor) => {
						var p_1 = root_2$8(), text_7 = only_child(p_1, !0);
						template_effect(($0) => set_text(text_7, $0), [() => withoutMarks(get(item).body)]), append($$anchor, p_1);
					};
					if_block(node_7, ($$render) => {
						get(item).body && $$render(consequent_5);
					});
					var time = sibling(node_7, 2), text_8 = only_child(time, !0);
					reset(div_1);
					var node_8 = sibling(div_1, 2), consequent_6 = ($$anchor) => {
						{
							let $0 = user_derived(() => t.notifications.read(get(item).title));
							Button($$anchor, {
								variant: "quiet",
								size: "small",
								get icon() {
									return MailCheck;
								},
								get label() {
									return get($0);
								},
								onclick: () => void read(get(item))
							});
						}
					};
					if_block(node_8, ($$render) => {
						get(item).read_at || $$render(consequent_6);
					});
					var node_9 = sibling(node_8, 2);
					{
						let $0 = user_derived(() => t.notifications.remove(get(item).title));
						Button(node_9, {
							variant: "quiet",
							size: "small",
							get icon() {
								return Trash;
							},
							get label() {
								return get($0);
							},
							onclick: () => void remove(get(item))
						});
					}
					reset(li), template_effect(($0) => {
						classes = set_class(li, 1, clsx(get(item).severity), "svelte-q333tf", classes, { unread: !get(item).read_at }), set_attribute(time, "datetime", get(item).created_at), set_text(text_8, $0);
					}, [() => dateTime(get(item).created_at)]), append($$anchor, li);
				}), reset(ul);
				var node_10 = sibling(ul, 2), consequent_7 = ($$anchor) => {
					Button($$anchor, {
						onclick: () => void load(!0),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_9 = text();
							template_effect(() => set_text(text_9, t.shell.loadMore)), append($$anchor, text_9);
						},
						$$slots: { default: !0 }
					});
				};
				if_block(node_10, ($$render) => {
					get(cursor) && $$render(consequent_7);
				}), template_effect(() => set_attribute(ul, "aria-label", t.notifications.title)), append($$anchor, fragment_9);
			};
			if_block(node_3, ($$render) => {
				get(problem) ? $$render(consequent) : get(items) ? get(items).length === 0 ? $$render(consequent_2, 2) : $$render(alternate_1, -1) : $$render(consequent_1, 1);
			}), template_effect(($0) => {
				set_attribute(div, "aria-label", t.notifications.show), set_attribute(a, "href", $0), set_text(text_3, t.overview.titles.endpoints);
			}, [() => href("/notifications/endpoints")]), append($$anchor, fragment_3);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
delegate(["click"]);
// src/overview/member.ts
function memberOf(object, path) {
	return path.split(".").reduce((value, name) => typeof value == "object" && value ? value[name] : void 0, object);
}
// src/overview/value.ts
var wordsOf = (value) => t.overview.values[value] ?? value;
function textOf(path, value) {
	if (value != null && value !== "") {
		if (typeof value == "boolean") return value ? t.overview.yes : t.overview.no;
		if (typeof value == "number") return path.includes("_nanos") ? cost(value) : number(value);
		if (Array.isArray(value)) return number(value.length);
		if (typeof value == "string") return ENUMERATED.has(path) ? wordsOf(value) : /_(at|date)$/.test(path) ? dateTime(value) : value;
	}
}
// src/overview/Overview.svelte
var reference = ($$anchor, operation = noop) => {
	var p = root$9(), node = child(p);
	Icon(node, {
		get of() {
			return FileText;
		},
		size: 16
	});
	var span = sibling(node, 2), text_1 = child(span), a = sibling(text_1), text_2 = only_child(a, !0);
	reset(span), reset(p), template_effect(($0, $1) => {
		set_text(text_1, `${t.overview.noScreen ?? ""} `), set_attribute(a, "href", $0), set_text(text_2, $1);
	}, [() => href(`/api/docs#${operation()}`), () => t.overview.reference(operation())]), append($$anchor, p);
}, root$9 = from_html("<p class=\"note svelte-1a91rwq\"><!> <span class=\"svelte-1a91rwq\"> <a> </a></span></p>"), root_1$7 = from_html("<p class=\"text svelte-1a91rwq\"> </p>"), root_2$7 = from_html("<div><dt class=\"svelte-1a91rwq\"> </dt><dd class=\"svelte-1a91rwq\"> </dd></div>"), root_3$3 = from_html("<dl class=\"svelte-1a91rwq\"></dl>"), root_4$2 = from_html("<a> </a>"), root_5$2 = from_html("<td class=\"svelte-1a91rwq\"> </td>"), root_6$2 = from_html("<td class=\"svelte-1a91rwq\"><!></td> <!>", 1), root_7$1 = from_html("<a class=\"action svelte-1a91rwq\"><!> </a>"), root_8 = from_html("<a class=\"action svelte-1a91rwq\" download=\"\"><!> </a>"), root_9 = from_html("<!> <!> <!> <!> <!> <!>", 1), root_10 = from_html("<!> <!>", 1);
function Overview($$anchor, $$props) {
	push($$props, !0);
	let view = user_derived(() => VIEWS[patternAt(router.location.path) ?? ""]), optionsOf = (id) => ({
		...get(view)?.parameter && id ? { path: { [get(view).parameter]: id } } : {},
		...get(view)?.query ? { query: get(view).query } : {}
	}), attempt = state(0), loading = user_derived(() => (get(attempt), get(view) ? call(get(view).operation, optionsOf($$props.parameters.id)) : void 0)), kind = user_derived(() => get(view) ? t.overview.titles[get(view).title] : ""), factsOf = (object, facts) => facts.flatMap(([path, label]) => {
		let text = textOf(path, memberOf(object, path));
		return text === void 0 ? [] : [{
			label: t.overview.labels[label],
			text
		}];
	}), rowsOf = (object, member, id) => {
		let list = memberOf(object, member);
		return Array.isArray(list) ? list.map((item, at) => ({
			id: String(memberOf(item, id) ?? at),
			item
		})) : [];
	};
	var fragment = comment(), node_1 = first_child(fragment), consequent_7 = ($$anchor) => {
		var fragment_1 = comment(), node_2 = first_child(fragment_1);
		await_block(node_2, () => get(loading), ($$anchor) => {
			Page($$anchor, {
				get title() {
					return get(kind);
				},
				get opener() {
					return $$props.opener;
				},
				children: ($$anchor, $$slotProps) => {
					StatePanel($$anchor, {
						kind: "loading",
						get title() {
							return t.common.loading;
						}
					});
				},
				$$slots: { default: !0 }
			});
		}, ($$anchor, object) => {
			let name = user_derived(() => get(view).name ? String(memberOf(get(object), get(view).name)) : get(kind)), text$7 = user_derived(() => get(view).text ? textOf(get(view).text, memberOf(get(object), get(view).text)) : void 0);
			{
				let $0 = user_derived(() => get(view).name ? get(kind) : void 0);
				Page($$anchor, {
					get title() {
						return get(name);
					},
					get text() {
						return get($0);
					},
					get opener() {
						return $$props.opener;
					},
					children: ($$anchor, $$slotProps) => {
						var fragment_3 = root_9(), node_3 = first_child(fragment_3), consequent = ($$anchor) => {
							var p_1 = root_1$7(), text_3 = only_child(p_1, !0);
							template_effect(() => set_text(text_3, get(text$7))), append($$anchor, p_1);
						};
						if_block(node_3, ($$render) => {
							get(text$7) && $$render(consequent);
						});
						var node_4 = sibling(node_3, 2), consequent_1 = ($$anchor) => {
							var dl = root_3$3();
							each(dl, 21, () => factsOf(get(object), get(view).facts), ({ label, text }) => label, ($$anchor, $$item, $$index, $$array) => {
								let label = () => get($$item).label, text = () => get($$item).text;
								var div = root_2$7(), dt = child(div), text_4 = only_child(dt, !0), dd = sibling(dt), text_5 = only_child(dd, !0);
								reset(div), template_effect(() => {
									set_text(text_4, label()), set_text(text_5, text());
								}), append($$anchor, div);
							}), reset(dl), append($$anchor, dl);
						};
						if_block(node_4, ($$render) => {
							get(view).facts && $$render(consequent_1);
						});
						var node_5 = sibling(node_4, 2), consequent_4 = ($$anchor) => {
							let rows = user_derived(() => get(view).rows), list = user_derived(() => rowsOf(get(object), get(rows).in, get(rows).id));
							var fragment_4 = comment(), node_6 = first_child(fragment_4), consequent_2 = ($$anchor) => {
								StatePanel($$anchor, {
									get icon() {
										return SearchX;
									},
									get title() {
										return t.overview.empty;
									}
								});
							}, alternate_1 = ($$anchor) => {
								{
									let row = ($$anchor, $$arg0) => {
										let id = () => ($$arg0?.()).id, item = () => ($$arg0?.()).item, title = user_derived(() => textOf(get(rows).title, memberOf(item(), get(rows).title)) ?? id());
										var fragment_7 = root_6$2(), td = first_child(fragment_7), node_7 = child(td), consequent_3 = ($$anchor) => {
											var a_1 = root_4$2(), text_6 = only_child(a_1, !0);
											template_effect(($0) => {
												set_attribute(a_1, "href", $0), set_text(text_6, get(title));
											}, [() => href(get(rows).at + id())]), append($$anchor, a_1);
										}, alternate = ($$anchor) => {
											var text_7 = text();
											template_effect(() => set_text(text_7, get(title))), append($$anchor, text_7);
										};
										if_block(node_7, ($$render) => {
											get(rows).at ? $$render(consequent_3) : $$render(alternate, -1);
										}), reset(td);
										var node_8 = sibling(td, 2);
										each(node_8, 17, () => get(rows).facts, ([path]) => path, ($$anchor, $$item) => {
											var $$array_1 = user_derived(() => to_array(get($$item), 1));
											let path = () => get($$array_1)[0];
											var td_1 = root_5$2(), text_8 = only_child(td_1, !0);
											template_effect(($0) => set_text(text_8, $0), [() => textOf(path(), memberOf(item(), path())) ?? "–"]), append($$anchor, td_1);
										}), append($$anchor, fragment_7);
									}, $0 = user_derived(() => [t.overview.labels.name, ...get(rows).facts.map(([, label]) => t.overview.labels[label])]);
									Table($$anchor, {
										get caption() {
											return get(kind);
										},
										get columns() {
											return get($0);
										},
										get rows() {
											return get(list);
										},
										row,
										$$slots: { row: !0 }
									});
								}
							};
							if_block(node_6, ($$render) => {
								get(list).length === 0 ? $$render(consequent_2) : $$render(alternate_1, -1);
							}), append($$anchor, fragment_4);
						};
						if_block(node_5, ($$render) => {
							get(view).rows && $$render(consequent_4);
						});
						var node_9 = sibling(node_5, 2), consequent_5 = ($$anchor) => {
							var a_2 = root_7$1(), node_10 = child(a_2);
							Icon(node_10, {
								get of() {
									return SquarePen;
								},
								size: 16
							});
							var text_9 = sibling(node_10, 1, !0);
							reset(a_2), template_effect(($0) => {
								set_attribute(a_2, "href", $0), set_text(text_9, t.shell.newChat);
							}, [() => href(`/?assistant=${$$props.parameters.id}`)]), append($$anchor, a_2);
						}, d = user_derived(() => get(view).starts && memberOf(get(object), "enabled") === !0);
						if_block(node_9, ($$render) => {
							get(d) && $$render(consequent_5);
						});
						var node_11 = sibling(node_9, 2), consequent_6 = ($$anchor) => {
							var a_3 = root_8(), node_12 = child(a_3);
							Icon(node_12, {
								get of() {
									return Download;
								},
								size: 16
							});
							var text_10 = sibling(node_12, 1, !0);
							reset(a_3), template_effect(($0) => {
								set_attribute(a_3, "href", $0), set_text(text_10, t.overview.download);
							}, [() => addressOf(get(view).file, optionsOf($$props.parameters.id))]), append($$anchor, a_3);
						}, d_1 = user_derived(() => get(view).file && memberOf(get(object), "result"));
						if_block(node_11, ($$render) => {
							get(d_1) && $$render(consequent_6);
						}), reference(sibling(node_11, 2), () => get(view).operation), append($$anchor, fragment_3);
					},
					$$slots: { default: !0 }
				});
			}
		}, ($$anchor, problem) => {
			Page($$anchor, {
				get title() {
					return get(kind);
				},
				get opener() {
					return $$props.opener;
				},
				children: ($$anchor, $$slotProps) => {
					var fragment_10 = root_10(), node_14 = first_child(fragment_10);
					ProblemPanel(node_14, {
						get problem() {
							return get(problem);
						},
						retry: () => set(attempt, get(attempt) + 1)
					}), reference(sibling(node_14, 2), () => get(view).operation), append($$anchor, fragment_10);
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_1);
	};
	if_block(node_1, ($$render) => {
		get(view) && $$render(consequent_7);
	}), append($$anchor, fragment), pop();
}
// src/account/MembersDialog.svelte
var root$8 = from_html("<span class=\"text svelte-5secxe\"> </span>"), root_1$6 = from_html("<option> </option>"), root_2$6 = from_html("<select class=\"input svelte-5secxe\"></select>"), root_3$2 = from_html("<li class=\"svelte-5secxe\"><span class=\"who svelte-5secxe\"><strong class=\"svelte-5secxe\"> </strong><!></span> <!> <!></li>"), root_4$1 = from_html("<li class=\"svelte-5secxe\"><span class=\"who svelte-5secxe\"><strong class=\"svelte-5secxe\"> </strong><span class=\"text svelte-5secxe\"> </span></span> <!></li>"), root_5$1 = from_html("<!> <ul role=\"list\" class=\"svelte-5secxe\"></ul>", 1), root_6$1 = from_html("<p class=\"text svelte-5secxe\"> </p> <!> <ul role=\"list\" class=\"svelte-5secxe\"></ul> <!>", 1);
function MembersDialog($$anchor, $$props) {
	push($$props, !0);
	let LEVELS = [
		"viewer",
		"editor",
		"owner"
	], members = state([]), found = state([]), query = state(""), delay, submission = new Submission(), path = user_derived(() => ({ project_id: $$props.project.id })), manages = user_derived(() => $$props.project.permissions.manage), refusal = user_derived(() => get(manages) ? void 0 : {
		operation: "projects.add_project_members",
		object: $$props.project.id
	}), isSelf = (member) => member.id === session.user?.id;
	async function load() {
		set(members, (await call("projects.list_project_members", { path: get(path) })).items);
	}
	onMount(() => (submission.inTurn(load), () => clearTimeout(delay)));
	function search(text) {
		set(query, text, !0), clearTimeout(delay), text.trim().length < 2 ? set(found, []) : delay = setTimeout(() => void submission.inTurn(async () => {
			let { items } = await call("users.query_users", { query: {
				query: text.trim(),
				limit: 8
			} }), known = new Set(get(members).map(({ id }) => id));
			get(query) === text && set(found, items.filter(({ id }) => !known.has(id)));
		}), 200);
	}
	function put(kind, id, level) {
		kind !== "tenant" && submission.inTurn(async () => {
			await call("projects.add_project_members", {
				path: get(path),
				body: { members: [{
					kind,
					id,
					level
				}] }
			}), search(""), await load();
		});
	}
	function remove(member) {
		submission.inTurn(async () => {
			if (await call("projects.remove_project_member", { path: {
				...get(path),
				member_user_id: member.id
			} }), !isSelf(member)) return load();
			projects.drop($$props.project.id), $$props.onclose(), navigate("/");
		});
	}
	Dialog($$anchor, {
		get title() {
			return t.projects.members;
		},
		width: "wide",
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_6$1(), p = first_child(fragment_1), text_1 = only_child(p, !0), node = sibling(p, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			};
			if_block(node, ($$render) => {
				submission.problem && $$render(consequent);
			});
			var ul = sibling(node, 2);
			each(ul, 21, () => get(members), (member) => member.id, ($$anchor, member) => {
				var li = root_3$2(), span = child(li), strong = child(span), text_2 = only_child(strong, !0), node_1 = sibling(strong), consequent_1 = ($$anchor) => {
					var span_1 = root$8(), text_3 = only_child(span_1, !0);
					template_effect(() => set_text(text_3, get(member).email)), append($$anchor, span_1);
				};
				if_block(node_1, ($$render) => {
					get(member).email && $$render(consequent_1);
				}), reset(span);
				var node_2 = sibling(span, 2), consequent_2 = ($$anchor) => {
					var select = root_2$6();
					each(select, 20, () => LEVELS, (level) => level, ($$anchor, level) => {
						var option = root_1$6(), text_4 = only_child(option, !0), option_value = {};
						template_effect(() => {
							set_text(text_4, t.projects[level]), option_value !== (option_value = level) && (option.value = (option.__value = option_value) ?? "");
						}), append($$anchor, option);
					}), reset(select);
					var select_value;
					init_select(select), template_effect(($0) => {
						set_attribute(select, "aria-label", $0), select_value !== (select_value = get(member).level) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
					}, [() => t.projects.level(get(member).name)]), delegated("change", select, (event) => put(get(member).kind, get(member).id, event.currentTarget.value)), append($$anchor, select);
				}, alternate = ($$anchor) => {
					var span_2 = root$8(), text_5 = only_child(span_2, !0);
					template_effect(() => set_text(text_5, t.projects[get(member).level])), append($$anchor, span_2);
				};
				if_block(node_2, ($$render) => {
					get(manages) ? $$render(consequent_2) : $$render(alternate, -1);
				});
				var node_3 = sibling(node_2, 2);
				{
					let $0 = user_derived(() => isSelf(get(member)) ? LogOut : X), $1 = user_derived(() => isSelf(get(member)) ? t.projects.leave : t.projects.removeMember(get(member).name)), $2 = user_derived(() => isSelf(get(member)) ? void 0 : get(refusal));
					Button(node_3, {
						variant: "quiet",
						size: "small",
						get icon() {
							return get($0);
						},
						get label() {
							return get($1);
						},
						get refused() {
							return get($2);
						},
						onclick: () => remove(get(member))
					});
				}
				reset(li), template_effect(() => set_text(text_2, get(member).name)), append($$anchor, li);
			}), reset(ul);
			var node_4 = sibling(ul, 2), consequent_3 = ($$anchor) => {
				var fragment_3 = root_5$1(), node_5 = first_child(fragment_3), bind_get = () => get(query), bind_set = search;
				Field(node_5, {
					get label() {
						return t.projects.addMember;
					},
					get placeholder() {
						return t.projects.findPerson;
					},
					autocomplete: "off",
					get value() {
						return bind_get();
					},
					set value($$value) {
						bind_set($$value);
					}
				});
				var ul_1 = sibling(node_5, 2);
				each(ul_1, 21, () => get(found), (person) => person.id, ($$anchor, person) => {
					var li_1 = root_4$1(), span_3 = child(li_1), strong_1 = child(span_3), text_6 = only_child(strong_1, !0), span_4 = sibling(strong_1), text_7 = only_child(span_4, !0);
					reset(span_3);
					var node_6 = sibling(span_3, 2);
					Button(node_6, {
						size: "small",
						get icon() {
							return UserPlus;
						},
						onclick: () => put("user", get(person).id, "viewer"),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_8 = text();
							template_effect(() => set_text(text_8, t.common.add)), append($$anchor, text_8);
						},
						$$slots: { default: !0 }
					}), reset(li_1), template_effect(() => {
						set_text(text_6, get(person).display_name), set_text(text_7, get(person).email);
					}), append($$anchor, li_1);
				}), reset(ul_1), append($$anchor, fragment_3);
			}, alternate_1 = ($$anchor) => {
				Button($$anchor, {
					size: "small",
					get icon() {
						return UserPlus;
					},
					get refused() {
						return get(refusal);
					},
					children: ($$anchor, $$slotProps) => {
						next();
						var text_9 = text();
						template_effect(() => set_text(text_9, t.projects.addMember)), append($$anchor, text_9);
					},
					$$slots: { default: !0 }
				});
			};
			if_block(node_4, ($$render) => {
				get(manages) ? $$render(consequent_3) : $$render(alternate_1, -1);
			}), template_effect(() => set_text(text_1, t.projects.membersText)), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
delegate(["change"]);
// src/account/ProjectDialog.svelte
var root$7 = from_html("<!> <!> <!>", 1), root_1$5 = from_html("<p> </p>"), root_2$5 = from_html("<form class=\"svelte-18jb3t0\"><!> <!> <!> <!> <!></form>");
function ProjectDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let former = $$props.project, name = state(proxy(former.name)), description = state(proxy(former.description ?? "")), instructions = state(proxy(former.instructions)), confirming = state(!1), submission = new Submission();
	function save(event) {
		event.preventDefault(), submission.run(async () => {
			let body = {
				name: get(name).trim(),
				description: get(description).trim() || null,
				instructions: get(instructions),
				version: former.version
			};
			$$props.onsave(await call("projects.update_project", {
				path: { project_id: former.id },
				body
			})), $$props.onclose();
		});
	}
	function remove() {
		get(confirming) ? submission.run(async () => {
			await call("projects.delete_project", { path: { project_id: $$props.project.id } }), projects.drop($$props.project.id), $$props.onclose(), navigate("/"), toasts.show(t.projects.deleted);
		}) : set(confirming, !0);
	}
	Dialog($$anchor, {
		get title() {
			return t.projects.edit;
		},
		width: "wide",
		get onclose() {
			return $$props.onclose;
		},
		actions: ($$anchor) => {
			var fragment_1 = root$7(), node = first_child(fragment_1);
			{
				let $0 = user_derived(() => get(confirming) ? "danger" : "quiet"), $1 = user_derived(() => $$props.project.permissions.manage ? void 0 : {
					operation: "projects.delete_project",
					object: $$props.project.id
				});
				Button(node, {
					get variant() {
						return get($0);
					},
					get refused() {
						return get($1);
					},
					onclick: remove,
					children: ($$anchor, $$slotProps) => {
						next();
						var text$6 = text();
						template_effect(() => set_text(text$6, t.projects.delete)), append($$anchor, text$6);
					},
					$$slots: { default: !0 }
				});
			}
			var node_1 = sibling(node, 2);
			Button(node_1, {
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.cancel)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			});
			var node_2 = sibling(node_1, 2);
			Button(node_2, {
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
					var text_2 = text();
					template_effect(() => set_text(text_2, t.common.save)), append($$anchor, text_2);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_2$5(), node_3 = child(form);
			{
				let $0 = user_derived(() => submission.fault("name"));
				Field(node_3, {
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
			var node_4 = sibling(node_3, 2);
			{
				let $0 = user_derived(() => submission.fault("description"));
				Field(node_4, {
					get label() {
						return t.projects.description;
					},
					maxlength: 2e3,
					get error() {
						return get($0);
					},
					get value() {
						return get(description);
					},
					set value($$value) {
						set(description, $$value, !0);
					}
				});
			}
			var node_5 = sibling(node_4, 2);
			{
				let $0 = user_derived(() => submission.fault("instructions"));
				Field(node_5, {
					get label() {
						return t.projects.instructions;
					},
					get hint() {
						return t.projects.instructionsHint;
					},
					rows: 8,
					get error() {
						return get($0);
					},
					get value() {
						return get(instructions);
					},
					set value($$value) {
						set(instructions, $$value, !0);
					}
				});
			}
			var node_6 = sibling(node_5, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			}, d = user_derived(() => submission.besides("name", "description", "instructions"));
			if_block(node_6, ($$render) => {
				get(d) && $$render(consequent);
			});
			var node_7 = sibling(node_6, 2), consequent_1 = ($$anchor) => {
				var p = root_1$5(), text_3 = only_child(p, !0);
				template_effect(() => set_text(text_3, t.projects.deleteText)), append($$anchor, p);
			};
			if_block(node_7, ($$render) => {
				get(confirming) && $$render(consequent_1);
			}), reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, save), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
// src/account/ProjectScreen.svelte
var root$6 = from_html("<header class=\"svelte-1i3s8zc\"><!></header> <!>", 1), root_1$4 = from_html("<!> <!>", 1), root_2$4 = from_html("<section class=\"svelte-1i3s8zc\"><h2 class=\"svelte-1i3s8zc\"> </h2><p class=\"instructions svelte-1i3s8zc\"> </p></section>"), root_3$1 = from_html("<a class=\"new svelte-1i3s8zc\"><!> </a>"), root_4 = from_html("<li class=\"svelte-1i3s8zc\"><a class=\"svelte-1i3s8zc\"><span class=\"svelte-1i3s8zc\"> </span><time class=\"svelte-1i3s8zc\"> </time></a></li>"), root_5 = from_html("<ul role=\"list\"></ul>"), root_6 = from_html("<p class=\"members svelte-1i3s8zc\"> </p> <!> <section class=\"svelte-1i3s8zc\"><div class=\"heading svelte-1i3s8zc\"><h2 class=\"svelte-1i3s8zc\"> </h2> <!></div> <!></section>", 1), root_7 = from_html("<!> <!> <!>", 1);
function ProjectScreen($$anchor, $$props) {
	push($$props, !0);
	let project = state(void 0), conversations = state([]), problem = state(void 0), hidden = state(void 0), editing = state(!1), sharing = state(!1), refusal = user_derived(() => get(project)?.permissions.edit ? void 0 : {
		operation: "projects.update_project",
		object: $$props.parameters.id
	});
	async function load(id) {
		set(problem, void 0);
		try {
			let path = { project_id: id }, listing = everyPage((cursor) => call("projects.get_project_conversations", {
				path,
				query: {
					limit: 100,
					...cursor ? { cursor } : {}
				}
			}), 500), refused = listing.then(() => void 0, (error) => error), loaded = await call("projects.get_project", { path });
			if (set(hidden, await refused), id !== $$props.parameters.id) return;
			set(project, loaded), set(conversations, get(hidden) ? [] : await listing);
		} catch (error) {
			set(problem, error);
		}
	}
	user_effect(() => {
		let listed = projects.find($$props.parameters.id);
		listed && get(project) && listed.version > get(project).version && set(project, listed);
	}), user_effect(() => {
		set(project, void 0), load($$props.parameters.id);
	});
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = root$6(), header = first_child(fragment_1), node_1 = child(header);
		snippet(node_1, () => $$props.opener), reset(header);
		var node_2 = sibling(header, 2);
		ProblemPanel(node_2, {
			get problem() {
				return get(problem);
			},
			retry: () => void load($$props.parameters.id)
		}), append($$anchor, fragment_1);
	}, consequent_1 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	}, alternate_2 = ($$anchor) => {
		var fragment_3 = root_7(), node_3 = first_child(fragment_3);
		{
			let actions = ($$anchor) => {
				var fragment_4 = root_1$4(), node_4 = first_child(fragment_4);
				Button(node_4, {
					get icon() {
						return Users;
					},
					onclick: () => set(sharing, !0),
					children: ($$anchor, $$slotProps) => {
						next();
						var text$5 = text();
						template_effect(() => set_text(text$5, t.projects.share)), append($$anchor, text$5);
					},
					$$slots: { default: !0 }
				});
				var node_5 = sibling(node_4, 2);
				Button(node_5, {
					get icon() {
						return Pencil;
					},
					get refused() {
						return get(refusal);
					},
					onclick: () => set(editing, !0),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_1 = text();
						template_effect(() => set_text(text_1, t.projects.edit)), append($$anchor, text_1);
					},
					$$slots: { default: !0 }
				}), append($$anchor, fragment_4);
			}, $0 = user_derived(() => get(project).description ?? void 0);
			Page(node_3, {
				get title() {
					return get(project).name;
				},
				get text() {
					return get($0);
				},
				get opener() {
					return $$props.opener;
				},
				actions,
				children: ($$anchor, $$slotProps) => {
					var fragment_7 = root_6(), p = first_child(fragment_7), text_2 = only_child(p, !0), node_6 = sibling(p, 2), consequent_2 = ($$anchor) => {
						var section = root_2$4(), h2 = child(section), text_3 = only_child(h2, !0), p_1 = sibling(h2), text_4 = only_child(p_1, !0);
						reset(section), template_effect(() => {
							set_text(text_3, t.projects.instructions), set_text(text_4, get(project).instructions);
						}), append($$anchor, section);
					};
					if_block(node_6, ($$render) => {
						get(project).instructions && $$render(consequent_2);
					});
					var section_1 = sibling(node_6, 2), div = child(section_1), h2_1 = child(div), text_5 = only_child(h2_1, !0), node_7 = sibling(h2_1, 2), consequent_3 = ($$anchor) => {
						var a = root_3$1(), node_8 = child(a);
						Icon(node_8, {
							get of() {
								return SquarePen;
							},
							size: 16
						});
						var text_6 = sibling(node_8, 1, !0);
						reset(a), template_effect(($0) => {
							set_attribute(a, "href", $0), set_text(text_6, t.shell.newChat);
						}, [() => href(`/?project=${get(project).id}`)]), append($$anchor, a);
					}, alternate = ($$anchor) => {
						{
							let $0 = user_derived(() => ({
								operation: "projects.add_conversation_to_project",
								object: get(project).id,
								reason: get(project).permissions.member ? void 0 : t.projects.notMember
							}));
							Button($$anchor, {
								variant: "quiet",
								size: "small",
								get icon() {
									return SquarePen;
								},
								get refused() {
									return get($0);
								},
								children: ($$anchor, $$slotProps) => {
									next();
									var text_7 = text();
									template_effect(() => set_text(text_7, t.shell.newChat)), append($$anchor, text_7);
								},
								$$slots: { default: !0 }
							});
						}
					};
					if_block(node_7, ($$render) => {
						get(project).permissions.add_conversations ? $$render(consequent_3) : $$render(alternate, -1);
					}), reset(div);
					var node_9 = sibling(div, 2), consequent_4 = ($$anchor) => {
						ProblemNote($$anchor, { get problem() {
							return get(hidden);
						} });
					}, consequent_5 = ($$anchor) => {
						StatePanel($$anchor, {
							get icon() {
								return MessageSquare;
							},
							get title() {
								return t.projects.empty;
							},
							get text() {
								return t.projects.emptyText;
							}
						});
					}, alternate_1 = ($$anchor) => {
						var ul = root_5();
						each(ul, 21, () => get(conversations), (conversation) => conversation.id, ($$anchor, conversation) => {
							var li = root_4(), a_1 = child(li), span = child(a_1), text_8 = only_child(span, !0), time = sibling(span), text_9 = only_child(time, !0);
							reset(a_1), reset(li), template_effect(($0, $1) => {
								set_attribute(a_1, "href", $0), set_text(text_8, get(conversation).title ?? t.shell.untitled), set_attribute(time, "datetime", get(conversation).updated_at), set_text(text_9, $1);
							}, [() => href(`/conversations/${get(conversation).id}`), () => dateTime(get(conversation).updated_at)]), append($$anchor, li);
						}), reset(ul), append($$anchor, ul);
					};
					if_block(node_9, ($$render) => {
						get(hidden) ? $$render(consequent_4) : get(conversations).length === 0 ? $$render(consequent_5, 1) : $$render(alternate_1, -1);
					}), reset(section_1), template_effect(($0) => {
						set_text(text_2, $0), set_text(text_5, t.shell.conversations);
					}, [() => t.projects.shared(get(project).member_count)]), append($$anchor, fragment_7);
				},
				$$slots: {
					actions: !0,
					default: !0
				}
			});
		}
		var node_10 = sibling(node_3, 2), consequent_6 = ($$anchor) => {
			MembersDialog($$anchor, {
				get project() {
					return get(project);
				},
				onclose: () => {
					set(sharing, !1), load($$props.parameters.id);
				}
			});
		};
		if_block(node_10, ($$render) => {
			get(sharing) && $$render(consequent_6);
		});
		var node_11 = sibling(node_10, 2), consequent_7 = ($$anchor) => {
			ProjectDialog($$anchor, {
				get project() {
					return get(project);
				},
				onclose: () => set(editing, !1),
				onsave: (saved) => {
					set(project, saved), projects.put(saved);
				}
			});
		};
		if_block(node_11, ($$render) => {
			get(editing) && $$render(consequent_7);
		}), append($$anchor, fragment_3);
	};
	if_block(node, ($$render) => {
		get(problem) ? $$render(consequent) : get(project) ? $$render(alternate_2, -1) : $$render(consequent_1, 1);
	}), append($$anchor, fragment), pop();
}
// src/account/preferences.ts
var PreferenceSaver = class {
	submission = new Submission();
	unsaved = {};
	get isUnsaved() {
		return Object.keys(this.unsaved).length > 0;
	}
	save(chosen) {
		this.unsaved = {
			...this.unsaved,
			...chosen
		}, this.submission.run(async () => {
			do {
				let body = this.unsaved;
				this.unsaved = {}, await call("users.update_user_preferences", { body }), this.isUnsaved || await reloadUser();
			} while (this.isUnsaved);
		});
	}
}, root$5 = from_html("<label class=\"svelte-ggfsst\"><input type=\"radio\" name=\"theme\" class=\"svelte-ggfsst\"/> </label>"), root_1$3 = from_html("<option class=\"svelte-ggfsst\"> </option>"), root_2$3 = from_html("<fieldset class=\"svelte-ggfsst\"><legend class=\"svelte-ggfsst\"> </legend> <div class=\"choices svelte-ggfsst\"></div></fieldset> <label class=\"language svelte-ggfsst\"> <select class=\"input svelte-ggfsst\"></select></label> <!>", 1);
function LookSettings($$anchor, $$props) {
	push($$props, !0);
	let saver = new PreferenceSaver(), themes = [
		"system",
		"light",
		"dark"
	];
	function setTheme(theme) {
		look.theme = theme, saver.save({ theme });
	}
	function setLanguage(language) {
		useLanguage(language), saver.save({ language });
	}
	var fragment = root_2$3(), fieldset = first_child(fragment), legend = child(fieldset), text = only_child(legend, !0), div = sibling(legend, 2);
	each(div, 20, () => themes, (theme) => theme, ($$anchor, theme) => {
		var label = root$5(), input = child(label);
		remove_input_defaults(input);
		var text_1 = sibling(input, 1, !0);
		reset(label), template_effect(() => {
			set_value(input, theme), set_checked(input, look.theme === theme), set_text(text_1, t.settings[theme]);
		}), delegated("change", input, () => setTheme(theme)), append($$anchor, label);
	}), reset(div), reset(fieldset);
	var label_1 = sibling(fieldset, 2), text_2 = child(label_1), select = sibling(text_2);
	each(select, 21, () => Object.entries(LANGUAGES), ([tag, name]) => tag, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let tag = () => get($$array)[0], name = () => get($$array)[1];
		var option = root_1$3(), text_3 = only_child(option, !0), option_value = {};
		template_effect(() => {
			set_attribute(option, "lang", tag()), set_text(text_3, name()), option_value !== (option_value = tag()) && (option.value = (option.__value = option_value) ?? "");
		}), append($$anchor, option);
	}), reset(select);
	var select_value;
	init_select(select), reset(label_1);
	var node = sibling(label_1, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return saver.submission.problem;
		} });
	};
	if_block(node, ($$render) => {
		saver.submission.problem && $$render(consequent);
	}), template_effect(($0) => {
		set_text(text, t.settings.theme), set_text(text_2, `${t.settings.language ?? ""} `), select_value !== (select_value = $0) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
	}, [() => $$props.user.preferences.language ?? locale()]), delegated("change", select, (event) => setLanguage(event.currentTarget.value)), append($$anchor, fragment), pop();
}
delegate(["change"]);
// src/account/ProfileSettings.svelte
var root$4 = from_html("<option> </option>"), root_1$2 = from_html("<label class=\"tenant svelte-1isnsuv\"> <select class=\"input\"></select></label> <!>", 1), root_2$2 = from_html("<form class=\"svelte-1isnsuv\"><!> <!> <!> <!></form> <!>", 1);
function ProfileSettings($$anchor, $$props) {
	push($$props, !0);
	let name = state(proxy($$props.user.display_name)), submission = new Submission(), switching = new Submission();
	function save(event) {
		event.preventDefault(), submission.run(async () => {
			await call("users.update_current_user", { body: { display_name: get(name).trim() } }), await reloadUser(), toasts.show(t.common.saved);
		});
	}
	function switchTo(tenant) {
		switching.run(async () => enter(await call("auth.switch_tenant", { body: { tenant_id: tenant } })));
	}
	var fragment = root_2$2(), form = first_child(fragment), node = child(form);
	{
		let $0 = user_derived(() => submission.fault("display_name"));
		Field(node, {
			get label() {
				return t.settings.name;
			},
			required: !0,
			maxlength: 100,
			autocomplete: "name",
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
	var node_1 = sibling(node, 2);
	Field(node_1, {
		get label() {
			return t.signIn.email;
		},
		get value() {
			return $$props.user.email;
		},
		readonly: !0
	});
	var node_2 = sibling(node_1, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return submission.problem;
		} });
	}, d = user_derived(() => submission.besides("display_name"));
	if_block(node_2, ($$render) => {
		get(d) && $$render(consequent);
	});
	var node_3 = sibling(node_2, 2);
	Button(node_3, {
		type: "submit",
		variant: "primary",
		get busy() {
			return submission.busy;
		},
		children: ($$anchor, $$slotProps) => {
			next();
			var text$4 = text();
			template_effect(() => set_text(text$4, t.common.save)), append($$anchor, text$4);
		},
		$$slots: { default: !0 }
	}), reset(form);
	var node_4 = sibling(form, 2), consequent_2 = ($$anchor) => {
		var fragment_3 = root_1$2(), label = first_child(fragment_3), text_1 = child(label), select = sibling(text_1);
		each(select, 21, () => $$props.user.tenants, (tenant) => tenant.id, ($$anchor, tenant) => {
			var option = root$4(), text_2 = only_child(option, !0), option_value = {};
			template_effect(() => {
				set_text(text_2, get(tenant).name), option_value !== (option_value = get(tenant).id) && (option.value = (option.__value = option_value) ?? "");
			}), append($$anchor, option);
		}), reset(select);
		var select_value;
		init_select(select), reset(label);
		var node_5 = sibling(label, 2), consequent_1 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return switching.problem;
			} });
		};
		if_block(node_5, ($$render) => {
			switching.problem && $$render(consequent_1);
		}), template_effect(() => {
			set_text(text_1, `${t.settings.tenant ?? ""} `), select_value !== (select_value = $$props.user.tenant.id) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
		}), delegated("change", select, (event) => switchTo(event.currentTarget.value)), append($$anchor, fragment_3);
	};
	if_block(node_4, ($$render) => {
		$$props.user.tenants.length > 1 && $$render(consequent_2);
	}), event("submit", form, save), append($$anchor, fragment), pop();
}
delegate(["change"]);
// src/account/ResponseSettings.svelte
var root$3 = from_html("<form class=\"svelte-1s19bcp\"><!> <!> <!></form> <div class=\"switches svelte-1s19bcp\"><label class=\"svelte-1s19bcp\"><input type=\"checkbox\" class=\"svelte-1s19bcp\"/> </label> <label class=\"svelte-1s19bcp\"><input type=\"checkbox\" class=\"svelte-1s19bcp\"/> </label> <!></div>", 1);
function ResponseSettings($$anchor, $$props) {
	push($$props, !0);
	let prompt = state(proxy($$props.user.custom_prompt ?? "")), saving = new Submission(), saver = new PreferenceSaver();
	function save(event) {
		event.preventDefault(), saving.run(async () => {
			await call("users.update_user_custom_prompt", { body: { custom_prompt: get(prompt).trim() || null } }), await reloadUser(), toasts.show(t.common.saved);
		});
	}
	var fragment = root$3(), form = first_child(fragment), node = child(form);
	{
		let $0 = user_derived(() => saving.fault("custom_prompt"));
		Field(node, {
			get label() {
				return t.settings.customPrompt;
			},
			get hint() {
				return t.settings.customPromptHint;
			},
			rows: 6,
			get error() {
				return get($0);
			},
			get value() {
				return get(prompt);
			},
			set value($$value) {
				set(prompt, $$value, !0);
			}
		});
	}
	var node_1 = sibling(node, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return saving.problem;
		} });
	}, d = user_derived(() => saving.besides("custom_prompt"));
	if_block(node_1, ($$render) => {
		get(d) && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	Button(node_2, {
		type: "submit",
		variant: "primary",
		get busy() {
			return saving.busy;
		},
		children: ($$anchor, $$slotProps) => {
			next();
			var text$3 = text();
			template_effect(() => set_text(text$3, t.common.save)), append($$anchor, text$3);
		},
		$$slots: { default: !0 }
	}), reset(form);
	var div = sibling(form, 2), label = child(div), input = child(label);
	remove_input_defaults(input);
	var text_1 = sibling(input, 1, !0);
	reset(label);
	var label_1 = sibling(label, 2), input_1 = child(label_1);
	remove_input_defaults(input_1);
	var text_2 = sibling(input_1, 1, !0);
	reset(label_1);
	var node_3 = sibling(label_1, 2), consequent_1 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return saver.submission.problem;
		} });
	};
	if_block(node_3, ($$render) => {
		saver.submission.problem && $$render(consequent_1);
	}), reset(div), template_effect(() => {
		set_checked(input, $$props.user.preferences.use_memories !== !1), set_text(text_1, t.settings.useMemories), set_checked(input_1, $$props.user.preferences.make_memories === !0), set_text(text_2, t.settings.makeMemories);
	}), event("submit", form, save), delegated("change", input, (event) => saver.save({ use_memories: event.currentTarget.checked })), delegated("change", input_1, (event) => saver.save({ make_memories: event.currentTarget.checked })), append($$anchor, fragment), pop();
}
delegate(["change"]);
// src/account/SecuritySettings.svelte
var root$2 = from_html("<form class=\"svelte-ho7e74\"><!> <!> <!> <!></form> <section aria-labelledby=\"sessions\" class=\"svelte-ho7e74\"><h2 id=\"sessions\" class=\"svelte-ho7e74\"> </h2> <p class=\"svelte-ho7e74\"> </p> <!> <!></section>", 1);
function SecuritySettings($$anchor, $$props) {
	push($$props, !0);
	let current = state(""), next$1 = state(""), changing = new Submission(), ending = new Submission();
	function change(event) {
		event.preventDefault(), changing.run(async () => {
			await call("auth.change_password", { body: {
				current_password: get(current),
				new_password: get(next$1)
			} }), set(current, set(next$1, ""), !0), toasts.show(t.settings.passwordChanged);
		});
	}
	var fragment = root$2(), form = first_child(fragment), node = child(form);
	{
		let $0 = user_derived(() => changing.fault("current_password"));
		Field(node, {
			get label() {
				return t.settings.currentPassword;
			},
			type: "password",
			autocomplete: "current-password",
			required: !0,
			get error() {
				return get($0);
			},
			get value() {
				return get(current);
			},
			set value($$value) {
				set(current, $$value, !0);
			}
		});
	}
	var node_1 = sibling(node, 2);
	{
		let $0 = user_derived(() => changing.fault("new_password"));
		Field(node_1, {
			get label() {
				return t.password.new;
			},
			type: "password",
			autocomplete: "new-password",
			required: !0,
			minlength: 12,
			get hint() {
				return t.password.hint;
			},
			get error() {
				return get($0);
			},
			get value() {
				return get(next$1);
			},
			set value($$value) {
				set(next$1, $$value, !0);
			}
		});
	}
	var node_2 = sibling(node_1, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return changing.problem;
		} });
	}, d = user_derived(() => changing.besides("current_password", "new_password"));
	if_block(node_2, ($$render) => {
		get(d) && $$render(consequent);
	});
	var node_3 = sibling(node_2, 2);
	Button(node_3, {
		type: "submit",
		variant: "primary",
		get busy() {
			return changing.busy;
		},
		children: ($$anchor, $$slotProps) => {
			next();
			var text$2 = text();
			template_effect(() => set_text(text$2, t.settings.changePassword)), append($$anchor, text$2);
		},
		$$slots: { default: !0 }
	}), reset(form);
	var section = sibling(form, 2), h2 = child(section), text_1 = only_child(h2, !0), p = sibling(h2, 2), text_2 = only_child(p, !0), node_4 = sibling(p, 2), consequent_1 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return ending.problem;
		} });
	};
	if_block(node_4, ($$render) => {
		ending.problem && $$render(consequent_1);
	});
	var node_5 = sibling(node_4, 2);
	Button(node_5, {
		get busy() {
			return ending.busy;
		},
		onclick: () => void ending.run(() => signOut(!0)),
		children: ($$anchor, $$slotProps) => {
			next();
			var text_3 = text();
			template_effect(() => set_text(text_3, t.settings.endAll)), append($$anchor, text_3);
		},
		$$slots: { default: !0 }
	}), reset(section), template_effect(() => {
		set_text(text_1, t.settings.sessions), set_text(text_2, t.settings.sessionsText);
	}), event("submit", form, change), append($$anchor, fragment), pop();
}
// src/account/TokenSettings.svelte
var root$1 = from_html("<label class=\"svelte-eyo8a7\"><input type=\"checkbox\" class=\"svelte-eyo8a7\"/><span class=\"svelte-eyo8a7\"><code> </code><span class=\"svelte-eyo8a7\"> </span></span></label>"), root_1$1 = from_html("<div class=\"secret svelte-eyo8a7\" role=\"status\"><p> </p><code class=\"svelte-eyo8a7\"> </code><!></div>"), root_2$1 = from_html("<td> <code class=\"svelte-eyo8a7\"> </code></td> <td> </td> <td> </td> <td> </td> <td><!></td>", 1), root_3 = from_html("<p class=\"text svelte-eyo8a7\"> </p> <p class=\"text svelte-eyo8a7\"> <code> </code></p> <form class=\"svelte-eyo8a7\"><!> <fieldset class=\"svelte-eyo8a7\"><legend class=\"svelte-eyo8a7\"> </legend> <!></fieldset> <!> <!></form> <!> <!> <!>", 1);
function TokenSettings($$anchor, $$props) {
	push($$props, !0);
	let binding_group = [], tokens = state(void 0), scopes = state([]), chosen = state(proxy(["llm:use"])), name = state(""), secret = state(void 0), copied = state(!1), loading = new Submission(), creating = new Submission(), revoking = new Submission(), address = new URL(href("/api/chat/partner_compatible/v1"), location.href).href;
	onMount(() => void loading.run(async () => {
		let [list, all] = await Promise.all([call("auth.get_api_tokens"), call("auth.get_token_scopes")]);
		set(tokens, list.items), set(scopes, all.items.filter(({ available }) => available));
	}));
	function create(event) {
		event.preventDefault(), creating.run(async () => {
			let { token, ...created } = await call("auth.create_api_token", { body: {
				name: get(name).trim(),
				scopes: get(chosen)
			} });
			set(tokens, [created, ...get(tokens) ?? []]), set(secret, token, !0), set(copied, !1), set(name, "");
		});
	}
	async function copy() {
		set(copied, await copyText(get(secret) ?? ""), !0), get(copied) || toasts.show(t.common.notCopied, { tone: "problem" });
	}
	function revoke(token) {
		revoking.run(async () => {
			let revoked = await call("auth.revoke_api_token", { path: { token_id: token.id } });
			set(tokens, get(tokens)?.map((other) => other.id === revoked.id ? revoked : other));
		});
	}
	let stateOf = (token) => token.revoked_at ? t.settings.revoked : token.expires_at && Date.parse(token.expires_at) < Date.now() ? t.settings.expired : t.settings.active;
	var fragment = root_3(), p = first_child(fragment), text$1 = only_child(p, !0), p_1 = sibling(p, 2), text_1 = child(p_1), code = sibling(text_1), text_2 = only_child(code, !0);
	reset(p_1);
	var form = sibling(p_1, 2), node = child(form);
	{
		let $0 = user_derived(() => creating.fault("name"));
		Field(node, {
			get label() {
				return t.settings.tokenName;
			},
			required: !0,
			maxlength: 100,
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
	var fieldset = sibling(node, 2), legend = child(fieldset), text_3 = only_child(legend, !0), node_1 = sibling(legend, 2);
	each(node_1, 17, () => get(scopes), (scope) => scope.scope, ($$anchor, scope) => {
		var label = root$1(), input = child(label);
		remove_input_defaults(input);
		var input_value, span = sibling(input), code_1 = child(span), text_4 = only_child(code_1, !0), span_1 = sibling(code_1), text_5 = only_child(span_1, !0);
		reset(span), reset(label), template_effect(() => {
			input_value !== (input_value = get(scope).scope) && (input.value = (input.__value = input_value) ?? ""), set_text(text_4, get(scope).scope), set_text(text_5, get(scope).description);
		}), bind_group(binding_group, [], input, () => (get(scope).scope, get(chosen)), ($$value) => set(chosen, $$value)), append($$anchor, label);
	}), reset(fieldset);
	var node_2 = sibling(fieldset, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return creating.problem;
		} });
	}, d = user_derived(() => creating.besides("name"));
	if_block(node_2, ($$render) => {
		get(d) && $$render(consequent);
	});
	var node_3 = sibling(node_2, 2);
	{
		let $0 = user_derived(() => get(chosen).length === 0 ? t.settings.noScope : void 0);
		Button(node_3, {
			type: "submit",
			variant: "primary",
			get busy() {
				return creating.busy;
			},
			get refused() {
				return get($0);
			},
			children: ($$anchor, $$slotProps) => {
				next();
				var text_6 = text();
				template_effect(() => set_text(text_6, t.settings.createToken)), append($$anchor, text_6);
			},
			$$slots: { default: !0 }
		});
	}
	reset(form);
	var node_4 = sibling(form, 2), consequent_1 = ($$anchor) => {
		var div = root_1$1(), p_2 = child(div), text_7 = only_child(p_2, !0), code_2 = sibling(p_2), text_8 = only_child(code_2, !0), node_5 = sibling(code_2);
		{
			let $0 = user_derived(() => get(copied) ? Check : Copy);
			Button(node_5, {
				size: "small",
				get icon() {
					return get($0);
				},
				onclick: () => void copy(),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_9 = text();
					template_effect(() => set_text(text_9, get(copied) ? t.common.copied : t.common.copy)), append($$anchor, text_9);
				},
				$$slots: { default: !0 }
			});
		}
		reset(div), template_effect(() => {
			set_text(text_7, t.settings.tokenShown), set_text(text_8, get(secret));
		}), append($$anchor, div);
	};
	if_block(node_4, ($$render) => {
		get(secret) && $$render(consequent_1);
	});
	var node_6 = sibling(node_4, 2), consequent_2 = ($$anchor) => {
		{
			let $0 = user_derived(() => loading.problem ?? revoking.problem);
			ProblemNote($$anchor, { get problem() {
				return get($0);
			} });
		}
	};
	if_block(node_6, ($$render) => {
		(loading.problem ?? revoking.problem) && $$render(consequent_2);
	});
	var node_7 = sibling(node_6, 2), consequent_3 = ($$anchor) => {
		StatePanel($$anchor, {
			get icon() {
				return KeyRound;
			},
			get title() {
				return t.settings.noTokens;
			}
		});
	}, consequent_5 = ($$anchor) => {
		{
			let row = ($$anchor, token = noop) => {
				var fragment_7 = root_2$1(), td = first_child(fragment_7), text_10 = child(td), code_3 = sibling(text_10), text_11 = only_child(code_3);
				reset(td);
				var td_1 = sibling(td, 2), text_12 = only_child(td_1, !0), td_2 = sibling(td_1, 2), text_13 = only_child(td_2, !0), td_3 = sibling(td_2, 2), text_14 = only_child(td_3, !0), td_4 = sibling(td_3, 2), node_8 = child(td_4), consequent_4 = ($$anchor) => {
					Button($$anchor, {
						size: "small",
						get busy() {
							return revoking.busy;
						},
						onclick: () => revoke(token()),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_15 = text();
							template_effect(() => set_text(text_15, t.settings.revoke)), append($$anchor, text_15);
						},
						$$slots: { default: !0 }
					});
				};
				if_block(node_8, ($$render) => {
					token().revoked_at || $$render(consequent_4);
				}), reset(td_4), template_effect(($0, $1, $2) => {
					set_text(text_10, `${token().name ?? ""} `), set_text(text_11, `${token().prefix ?? ""}…`), set_text(text_12, $0), set_text(text_13, $1), set_text(text_14, $2);
				}, [
					() => date(token().created_at),
					() => token().last_used_at ? date(token().last_used_at) : t.settings.never,
					() => stateOf(token())
				]), append($$anchor, fragment_7);
			}, $0 = user_derived(() => [
				t.settings.tokenName,
				t.settings.created,
				t.settings.lastUsed,
				t.settings.status,
				""
			]);
			Table($$anchor, {
				get caption() {
					return t.settings.tokens;
				},
				get columns() {
					return get($0);
				},
				get rows() {
					return get(tokens);
				},
				row,
				$$slots: { row: !0 }
			});
		}
	};
	if_block(node_7, ($$render) => {
		get(tokens)?.length === 0 ? $$render(consequent_3) : get(tokens) && $$render(consequent_5, 1);
	}), template_effect(() => {
		set_text(text$1, t.settings.tokensText), set_text(text_1, `${t.settings.compatible ?? ""} `), set_text(text_2, address), set_text(text_3, t.settings.scopes);
	}), event("submit", form, create), append($$anchor, fragment), pop();
}
// src/account/Settings.svelte
var root = from_html("<a class=\"svelte-1ylf9za\"> </a>"), root_1 = from_html("<p class=\"version svelte-1ylf9za\"> </p>"), root_2 = from_html("<nav class=\"svelte-1ylf9za\"></nav> <!> <!>", 1);
function Settings($$anchor, $$props) {
	push($$props, !0), onMount(installation.load);
	let sections = [
		"profile",
		"look",
		"responses",
		"security",
		"tokens"
	], section = user_derived(() => sections.find((name) => name === $$props.parameters.section) ?? "profile"), nav = state(void 0);
	user_effect(() => get(nav)?.querySelector(`[href$="/${get(section)}"]`)?.scrollIntoView({
		block: "nearest",
		inline: "nearest"
	})), Page($$anchor, {
		get title() {
			return t.settings.title;
		},
		get opener() {
			return $$props.opener;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_2(), nav_1 = first_child(fragment_1);
			each(nav_1, 20, () => sections, (name) => name, ($$anchor, name) => {
				var a = root(), text = only_child(a, !0);
				template_effect(($0) => {
					set_attribute(a, "href", $0), set_attribute(a, "aria-current", name === get(section) ? "page" : void 0), set_text(text, t.settings[name]);
				}, [() => href(`/settings/${name}`)]), append($$anchor, a);
			}), reset(nav_1), bind_this(nav_1, ($$value) => set(nav, $$value), () => get(nav));
			var node = sibling(nav_1, 2), consequent = ($$anchor) => {
				ProfileSettings($$anchor, { get user() {
					return $$props.user;
				} });
			}, consequent_1 = ($$anchor) => {
				LookSettings($$anchor, { get user() {
					return $$props.user;
				} });
			}, consequent_2 = ($$anchor) => {
				ResponseSettings($$anchor, { get user() {
					return $$props.user;
				} });
			}, consequent_3 = ($$anchor) => {
				SecuritySettings($$anchor, {});
			}, alternate = ($$anchor) => {
				TokenSettings($$anchor, {});
			};
			if_block(node, ($$render) => {
				get(section) === "profile" ? $$render(consequent) : get(section) === "look" ? $$render(consequent_1, 1) : get(section) === "responses" ? $$render(consequent_2, 2) : get(section) === "security" ? $$render(consequent_3, 3) : $$render(alternate, -1);
			});
			var node_1 = sibling(node, 2), consequent_4 = ($$anchor) => {
				var p = root_1(), text_1 = only_child(p, !0);
				template_effect(($0) => set_text(text_1, $0), [() => t.settings.version(installation.current.version)]), append($$anchor, p);
			};
			if_block(node_1, ($$render) => {
				installation.current?.version && $$render(consequent_4);
			}), template_effect(() => set_attribute(nav_1, "aria-label", t.settings.title)), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/account/WhyScreen.svelte
function WhyScreen($$anchor, $$props) {
	push($$props, !0), onMount(() => {
		let { query } = router.location, operation = query.get("operation");
		navigate("/", { replace: !0 }), operation && why.ask(operation, query.get("id") ?? void 0);
	}), pop();
}
export { Memories, Notifications, Overview, ProjectScreen as Project, Settings, WhyScreen as Why };
