import { $document, append, bind_group, child, comment, deferred_template_effect, delegate, delegated, each, event, first_child, from_html, get, head, if_block, init_select, next, noop, onMount, only_child, pop, props_id, proxy, push, remove_input_defaults, reset, select_option, set, set_attribute, set_checked, set_text, set_value, sibling, snippet, state, template_effect, text, to_array, user_derived, user_effect } from "./vendor.js";
import { Brain, Button, Dialog, Field, Icon, KeyRound, LANGUAGES, MessageSquare, Pencil, ProblemNote, ProblemPanel, SquarePen, StatePanel, Submission, Table, Trash, UserPlus, Users, X, call, date, dateTime, enter, everyPage, href, locale, look, navigate, projects, reloadUser, router, signOut, t, toasts, useLanguage, why } from "./parts.js";
// src/account/Page.svelte
var root$10 = from_html("<div class=\"actions svelte-12lmdug\"><!></div>"), root_1$8 = from_html("<p class=\"text svelte-12lmdug\"> </p>"), root_2$7 = from_html("<header class=\"svelte-12lmdug\"><!></header> <main tabindex=\"0\" class=\"svelte-12lmdug\"><div class=\"page svelte-12lmdug\"><div class=\"heading svelte-12lmdug\"><h1 class=\"svelte-12lmdug\"> </h1><!></div> <!> <!></div></main>", 1);
function Page($$anchor, $$props) {
	push($$props, !0);
	var fragment = root_2$7();
	head("12lmdug", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${$$props.title ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var header = first_child(fragment), node = child(header);
	snippet(node, () => $$props.opener), reset(header);
	var main = sibling(header, 2), div = child(main), div_1 = child(div), h1 = child(div_1), text_1 = only_child(h1, !0), node_1 = sibling(h1), consequent = ($$anchor) => {
		var div_2 = root$10(), node_2 = child(div_2);
		snippet(node_2, () => $$props.actions), reset(div_2), append($$anchor, div_2);
	};
	if_block(node_1, ($$render) => {
		$$props.actions && $$render(consequent);
	}), reset(div_1);
	var node_3 = sibling(div_1, 2), consequent_1 = ($$anchor) => {
		var p = root_1$8(), text_2 = only_child(p, !0);
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
var root$9 = from_html("<p class=\"off svelte-1fwh45c\"> <!></p>"), root_1$7 = from_html("<form class=\"edit svelte-1fwh45c\"><!> <!> <div class=\"actions svelte-1fwh45c\"><!><!></div></form>"), root_2$6 = from_html("· <a> </a>", 1), root_3$3 = from_html("<div class=\"about svelte-1fwh45c\"><p class=\"svelte-1fwh45c\"> </p> <p class=\"origin svelte-1fwh45c\"> <!></p></div> <!> <!>", 1), root_4$2 = from_html("<li class=\"svelte-1fwh45c\"><!></li>"), root_5$2 = from_html("<ul role=\"list\"></ul>"), root_6$1 = from_html("<!> <form class=\"svelte-1fwh45c\"><!> <!> <!></form> <!>", 1);
function Memories($$anchor, $$props) {
	push($$props, !0);
	let LONGEST = 2e3, memories = state(void 0), problem = state(void 0), text$7 = state(""), editing = state(void 0), edited = state(""), adding = new Submission(), saving = new Submission();
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
	onMount(() => void load());
	function add(event) {
		event.preventDefault(), adding.run(async () => {
			let memory = await call("memories.create_memory", { body: { content: get(text$7).trim() } });
			set(memories, [memory, ...get(memories) ?? []]), set(text$7, "");
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
			set(memories, get(memories)?.map((other) => other.id === changed.id ? changed : other)), set(editing, void 0);
		});
	}
	async function remove(memory) {
		try {
			await call("memories.delete_memory", { path: { memory_id: memory.id } }), set(memories, get(memories)?.filter((other) => other.id !== memory.id)), toasts.show(t.memories.deleted, { action: {
				label: t.common.undo,
				run: () => void restore(memory)
			} });
		} catch (error) {
			toasts.show(error instanceof Error ? error.message : String(error), { tone: "problem" });
		}
	}
	async function restore({ content, assistant_id, expires_at }) {
		let body = {
			content: content ?? "",
			...assistant_id ? { assistant_id } : {},
			...expires_at ? { expires_at } : {}
		};
		await call("memories.create_memory", { body }).then(load).catch((error) => toasts.show(error.message, { tone: "problem" }));
	}
	async function use() {
		await call("users.update_user_preferences", { body: { use_memories: !0 } }), await reloadUser();
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
			var fragment_1 = root_6$1(), node = first_child(fragment_1), consequent = ($$anchor) => {
				var p = root$9(), text_1 = child(p), node_1 = sibling(text_1);
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
						return get(text$7);
					},
					set value($$value) {
						set(text$7, $$value, !0);
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
				var ul = root_5$2();
				each(ul, 21, () => get(memories), (memory) => memory.id, ($$anchor, memory) => {
					var li = root_4$2(), node_6 = child(li), consequent_6 = ($$anchor) => {
						var form_1 = root_1$7(), node_7 = child(form_1);
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
						var fragment_11 = root_3$3(), div_1 = first_child(fragment_11), p_1 = child(div_1), text_6 = only_child(p_1, !0), p_2 = sibling(p_1, 2), text_7 = child(p_2), node_11 = sibling(text_7), consequent_7 = ($$anchor) => {
							var fragment_12 = root_2$6(), a = sibling(first_child(fragment_12)), text_8 = only_child(a, !0);
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
					}), reset(li), append($$anchor, li);
				}), reset(ul), append($$anchor, ul);
			};
			if_block(node_5, ($$render) => {
				get(problem) ? $$render(consequent_2) : get(memories) ? get(memories).length === 0 ? $$render(consequent_4, 2) : $$render(alternate_1, -1) : $$render(consequent_3, 1);
			}), event("submit", form, add), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/account/MembersDialog.svelte
var root$8 = from_html("<span class=\"text svelte-5secxe\"> </span>"), root_1$6 = from_html("<option> </option>"), root_2$5 = from_html("<li class=\"svelte-5secxe\"><span class=\"who svelte-5secxe\"><strong class=\"svelte-5secxe\"> </strong><!></span> <select class=\"input svelte-5secxe\"></select> <!></li>"), root_3$2 = from_html("<li class=\"svelte-5secxe\"><span class=\"who svelte-5secxe\"><strong class=\"svelte-5secxe\"> </strong><span class=\"text svelte-5secxe\"> </span></span> <!></li>"), root_4$1 = from_html("<!> <ul role=\"list\" class=\"svelte-5secxe\"></ul>", 1), root_5$1 = from_html("<p class=\"text svelte-5secxe\"> </p> <!> <ul role=\"list\" class=\"svelte-5secxe\"></ul> <!>", 1);
function MembersDialog($$anchor, $$props) {
	push($$props, !0);
	let LEVELS = [
		"viewer",
		"editor",
		"owner"
	], members = state([]), found = state([]), query = state(""), delay, submission = new Submission(), path = user_derived(() => ({ project_id: $$props.project.id })), manages = user_derived(() => $$props.project.permissions.manage);
	async function load() {
		set(members, (await call("projects.list_project_members", { path: get(path) })).items);
	}
	onMount(() => (submission.run(load), () => clearTimeout(delay)));
	function search(text) {
		set(query, text, !0), clearTimeout(delay), text.trim().length < 2 ? set(found, []) : delay = setTimeout(() => void submission.run(async () => {
			let { items } = await call("users.query_users", { query: {
				query: text.trim(),
				limit: 8
			} }), known = new Set(get(members).map(({ id }) => id));
			get(query) === text && set(found, items.filter(({ id }) => !known.has(id)));
		}), 200);
	}
	function put(kind, id, level) {
		kind !== "tenant" && submission.run(async () => {
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
		if (!get(manages)) return why.ask("projects.remove_project_member", $$props.project.id);
		submission.run(async () => {
			await call("projects.remove_project_member", { path: {
				...get(path),
				member_user_id: member.id
			} }), await load();
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
			var fragment_1 = root_5$1(), p = first_child(fragment_1), text_1 = only_child(p, !0), node = sibling(p, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			};
			if_block(node, ($$render) => {
				submission.problem && $$render(consequent);
			});
			var ul = sibling(node, 2);
			each(ul, 21, () => get(members), (member) => member.id, ($$anchor, member) => {
				var li = root_2$5(), span = child(li), strong = child(span), text_2 = only_child(strong, !0), node_1 = sibling(strong), consequent_1 = ($$anchor) => {
					var span_1 = root$8(), text_3 = only_child(span_1, !0);
					template_effect(() => set_text(text_3, get(member).email)), append($$anchor, span_1);
				};
				if_block(node_1, ($$render) => {
					get(member).email && $$render(consequent_1);
				}), reset(span);
				var select = sibling(span, 2);
				each(select, 20, () => LEVELS, (level) => level, ($$anchor, level) => {
					var option = root_1$6(), text_4 = only_child(option, !0), option_value = {};
					template_effect(() => {
						set_text(text_4, t.projects[level]), option_value !== (option_value = level) && (option.value = (option.__value = option_value) ?? "");
					}), append($$anchor, option);
				}), reset(select);
				var select_value;
				init_select(select);
				var node_2 = sibling(select, 2);
				{
					let $0 = user_derived(() => t.projects.removeMember(get(member).name)), $1 = user_derived(() => !get(manages));
					Button(node_2, {
						variant: "quiet",
						size: "small",
						get icon() {
							return X;
						},
						get label() {
							return get($0);
						},
						get "aria-disabled"() {
							return get($1);
						},
						onclick: () => remove(get(member))
					});
				}
				reset(li), template_effect(($0) => {
					set_text(text_2, get(member).name), set_attribute(select, "aria-label", $0), select.disabled = !get(manages), select_value !== (select_value = get(member).level) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
				}, [() => t.projects.level(get(member).name)]), delegated("change", select, (event) => put(get(member).kind, get(member).id, event.currentTarget.value)), append($$anchor, li);
			}), reset(ul);
			var node_3 = sibling(ul, 2), consequent_2 = ($$anchor) => {
				var fragment_3 = root_4$1(), node_4 = first_child(fragment_3), bind_get = () => get(query), bind_set = search;
				Field(node_4, {
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
				var ul_1 = sibling(node_4, 2);
				each(ul_1, 21, () => get(found), (person) => person.id, ($$anchor, person) => {
					var li_1 = root_3$2(), span_2 = child(li_1), strong_1 = child(span_2), text_5 = only_child(strong_1, !0), span_3 = sibling(strong_1), text_6 = only_child(span_3, !0);
					reset(span_2);
					var node_5 = sibling(span_2, 2);
					Button(node_5, {
						size: "small",
						get icon() {
							return UserPlus;
						},
						onclick: () => put("user", get(person).id, "viewer"),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_7 = text();
							template_effect(() => set_text(text_7, t.common.add)), append($$anchor, text_7);
						},
						$$slots: { default: !0 }
					}), reset(li_1), template_effect(() => {
						set_text(text_5, get(person).display_name), set_text(text_6, get(person).email);
					}), append($$anchor, li_1);
				}), reset(ul_1), append($$anchor, fragment_3);
			}, alternate = ($$anchor) => {
				Button($$anchor, {
					size: "small",
					variant: "quiet",
					onclick: () => why.ask("projects.add_project_members", $$props.project.id),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_8 = text();
						template_effect(() => set_text(text_8, t.common.why)), append($$anchor, text_8);
					},
					$$slots: { default: !0 }
				});
			};
			if_block(node_3, ($$render) => {
				get(manages) ? $$render(consequent_2) : $$render(alternate, -1);
			}), template_effect(() => set_text(text_1, t.projects.membersText)), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
delegate(["change"]);
// src/account/ProjectDialog.svelte
var root$7 = from_html("<!> <!> <!>", 1), root_1$5 = from_html("<p> </p>"), root_2$4 = from_html("<form class=\"svelte-18jb3t0\"><!> <!> <!> <!> <!></form>");
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
		$$props.project.permissions.manage ? get(confirming) ? submission.run(async () => {
			await call("projects.delete_project", { path: { project_id: $$props.project.id } }), projects.drop($$props.project.id), $$props.onclose(), navigate("/"), toasts.show(t.projects.deleted);
		}) : set(confirming, !0) : why.ask("projects.delete_project", $$props.project.id);
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
				let $0 = user_derived(() => get(confirming) ? "danger" : "quiet"), $1 = user_derived(() => !$$props.project.permissions.manage);
				Button(node, {
					get variant() {
						return get($0);
					},
					get "aria-disabled"() {
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
			var form = root_2$4(), node_3 = child(form);
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
var root$6 = from_html("<header class=\"svelte-1i3s8zc\"><!></header> <!>", 1), root_1$4 = from_html("<!> <!>", 1), root_2$3 = from_html("<section class=\"svelte-1i3s8zc\"><h2 class=\"svelte-1i3s8zc\"> </h2><p class=\"instructions svelte-1i3s8zc\"> </p></section>"), root_3$1 = from_html("<a class=\"new svelte-1i3s8zc\"><!> </a>"), root_4 = from_html("<li class=\"svelte-1i3s8zc\"><a class=\"svelte-1i3s8zc\"><span class=\"svelte-1i3s8zc\"> </span><time class=\"svelte-1i3s8zc\"> </time></a></li>"), root_5 = from_html("<ul role=\"list\"></ul>"), root_6 = from_html("<p class=\"members svelte-1i3s8zc\"> </p> <!> <section class=\"svelte-1i3s8zc\"><div class=\"heading svelte-1i3s8zc\"><h2 class=\"svelte-1i3s8zc\"> </h2> <!></div> <!></section>", 1), root_7 = from_html("<!> <!> <!>", 1);
function ProjectScreen($$anchor, $$props) {
	push($$props, !0);
	let project = state(void 0), conversations = state([]), problem = state(void 0), editing = state(!1), sharing = state(!1);
	async function load(id) {
		set(problem, void 0);
		try {
			let path = { project_id: id }, [loaded, list] = await Promise.all([call("projects.get_project", { path }), everyPage((cursor) => call("projects.get_project_conversations", {
				path,
				query: {
					limit: 100,
					...cursor ? { cursor } : {}
				}
			}), 500)]);
			if (id !== $$props.parameters.id) return;
			set(project, loaded), set(conversations, list);
		} catch (error) {
			set(problem, error);
		}
	}
	user_effect(() => {
		set(project, void 0), load($$props.parameters.id);
	});
	function edit() {
		get(project)?.permissions.edit ? set(editing, !0) : get(project) && why.ask("projects.update_project", get(project).id);
	}
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
	}, alternate_1 = ($$anchor) => {
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
				{
					let $0 = user_derived(() => !get(project)?.permissions.edit);
					Button(node_5, {
						get icon() {
							return Pencil;
						},
						get "aria-disabled"() {
							return get($0);
						},
						onclick: edit,
						children: ($$anchor, $$slotProps) => {
							next();
							var text_1 = text();
							template_effect(() => set_text(text_1, t.projects.edit)), append($$anchor, text_1);
						},
						$$slots: { default: !0 }
					});
				}
				append($$anchor, fragment_4);
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
						var section = root_2$3(), h2 = child(section), text_3 = only_child(h2, !0), p_1 = sibling(h2), text_4 = only_child(p_1, !0);
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
					};
					if_block(node_7, ($$render) => {
						get(project).permissions.add_conversations && $$render(consequent_3);
					}), reset(div);
					var node_9 = sibling(div, 2), consequent_4 = ($$anchor) => {
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
					}, alternate = ($$anchor) => {
						var ul = root_5();
						each(ul, 21, () => get(conversations), (conversation) => conversation.id, ($$anchor, conversation) => {
							var li = root_4(), a_1 = child(li), span = child(a_1), text_7 = only_child(span, !0), time = sibling(span), text_8 = only_child(time, !0);
							reset(a_1), reset(li), template_effect(($0, $1) => {
								set_attribute(a_1, "href", $0), set_text(text_7, get(conversation).title ?? t.shell.untitled), set_attribute(time, "datetime", get(conversation).updated_at), set_text(text_8, $1);
							}, [() => href(`/conversations/${get(conversation).id}`), () => dateTime(get(conversation).updated_at)]), append($$anchor, li);
						}), reset(ul), append($$anchor, ul);
					};
					if_block(node_9, ($$render) => {
						get(conversations).length === 0 ? $$render(consequent_4) : $$render(alternate, -1);
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
		var node_10 = sibling(node_3, 2), consequent_5 = ($$anchor) => {
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
			get(sharing) && $$render(consequent_5);
		});
		var node_11 = sibling(node_10, 2), consequent_6 = ($$anchor) => {
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
			get(editing) && $$render(consequent_6);
		}), append($$anchor, fragment_3);
	};
	if_block(node, ($$render) => {
		get(problem) ? $$render(consequent) : get(project) ? $$render(alternate_1, -1) : $$render(consequent_1, 1);
	}), append($$anchor, fragment), pop();
}
// src/account/LookSettings.svelte
var root$5 = from_html("<label class=\"svelte-ggfsst\"><input type=\"radio\" name=\"theme\" class=\"svelte-ggfsst\"/> </label>"), root_1$3 = from_html("<option class=\"svelte-ggfsst\"> </option>"), root_2$2 = from_html("<fieldset class=\"svelte-ggfsst\"><legend class=\"svelte-ggfsst\"> </legend> <div class=\"choices svelte-ggfsst\"></div></fieldset> <label class=\"language svelte-ggfsst\"> <select class=\"input svelte-ggfsst\"></select></label> <!>", 1);
function LookSettings($$anchor, $$props) {
	push($$props, !0);
	let submission = new Submission(), themes = [
		"system",
		"light",
		"dark"
	];
	function save(body) {
		submission.run(async () => {
			await call("users.update_user_preferences", { body }), await reloadUser();
		});
	}
	function setTheme(theme) {
		look.theme = theme, save({ theme });
	}
	function setLanguage(language) {
		useLanguage(language), save({ language });
	}
	var fragment = root_2$2(), fieldset = first_child(fragment), legend = child(fieldset), text = only_child(legend, !0), div = sibling(legend, 2);
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
			return submission.problem;
		} });
	};
	if_block(node, ($$render) => {
		submission.problem && $$render(consequent);
	}), template_effect(($0) => {
		set_text(text, t.settings.theme), set_text(text_2, `${t.settings.language ?? ""} `), select_value !== (select_value = $0) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
	}, [() => $$props.user.preferences.language ?? locale()]), delegated("change", select, (event) => setLanguage(event.currentTarget.value)), append($$anchor, fragment), pop();
}
delegate(["change"]);
// src/account/ProfileSettings.svelte
var root$4 = from_html("<option> </option>"), root_1$2 = from_html("<label class=\"tenant svelte-1isnsuv\"> <select class=\"input\"></select></label> <!>", 1), root_2$1 = from_html("<form class=\"svelte-1isnsuv\"><!> <!> <!> <!></form> <!>", 1);
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
	var fragment = root_2$1(), form = first_child(fragment), node = child(form);
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
	let prompt = state(proxy($$props.user.custom_prompt ?? "")), saving = new Submission(), switching = new Submission();
	function save(event) {
		event.preventDefault(), saving.run(async () => {
			await call("users.update_user_custom_prompt", { body: { custom_prompt: get(prompt).trim() || null } }), await reloadUser(), toasts.show(t.common.saved);
		});
	}
	function change(body) {
		switching.run(async () => {
			await call("users.update_user_preferences", { body }), await reloadUser();
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
			return switching.problem;
		} });
	};
	if_block(node_3, ($$render) => {
		switching.problem && $$render(consequent_1);
	}), reset(div), template_effect(() => {
		set_checked(input, $$props.user.preferences.use_memories !== !1), set_text(text_1, t.settings.useMemories), set_checked(input_1, $$props.user.preferences.make_memories === !0), set_text(text_2, t.settings.makeMemories);
	}), event("submit", form, save), delegated("change", input, (event) => change({ use_memories: event.currentTarget.checked })), delegated("change", input_1, (event) => change({ make_memories: event.currentTarget.checked })), append($$anchor, fragment), pop();
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
var root$1 = from_html("<label class=\"svelte-eyo8a7\"><input type=\"checkbox\" class=\"svelte-eyo8a7\"/><span><code> </code> </span></label>"), root_1$1 = from_html("<div class=\"secret svelte-eyo8a7\" role=\"status\"><p> </p><code class=\"svelte-eyo8a7\"> </code></div>"), root_2 = from_html("<td> <code> </code></td> <td> </td> <td> </td> <td> </td> <td><!></td>", 1), root_3 = from_html("<p class=\"text svelte-eyo8a7\"> </p> <p class=\"text svelte-eyo8a7\"> <code> </code></p> <form class=\"svelte-eyo8a7\"><!> <fieldset class=\"svelte-eyo8a7\"><legend class=\"svelte-eyo8a7\"> </legend> <!></fieldset> <!> <!></form> <!> <!> <!>", 1);
function TokenSettings($$anchor, $$props) {
	push($$props, !0);
	let binding_group = [], tokens = state(void 0), scopes = state([]), chosen = state(proxy(["llm:use"])), name = state(""), secret = state(void 0), loading = new Submission(), creating = new Submission(), revoking = new Submission(), address = new URL(href("/api/chat/partner_compatible/v1"), location.href).href;
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
			set(tokens, [created, ...get(tokens) ?? []]), set(secret, token, !0), set(name, "");
		});
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
		var input_value, span = sibling(input), code_1 = child(span), text_4 = only_child(code_1, !0), text_5 = sibling(code_1);
		reset(span), reset(label), template_effect(() => {
			input_value !== (input_value = get(scope).scope) && (input.value = (input.__value = input_value) ?? ""), set_text(text_4, get(scope).scope), set_text(text_5, ` ${get(scope).description ?? ""}`);
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
		let $0 = user_derived(() => get(chosen).length === 0);
		Button(node_3, {
			type: "submit",
			variant: "primary",
			get busy() {
				return creating.busy;
			},
			get disabled() {
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
		var div = root_1$1(), p_2 = child(div), text_7 = only_child(p_2, !0), code_2 = sibling(p_2), text_8 = only_child(code_2, !0);
		reset(div), template_effect(() => {
			set_text(text_7, t.settings.tokenShown), set_text(text_8, get(secret));
		}), append($$anchor, div);
	};
	if_block(node_4, ($$render) => {
		get(secret) && $$render(consequent_1);
	});
	var node_5 = sibling(node_4, 2), consequent_2 = ($$anchor) => {
		{
			let $0 = user_derived(() => loading.problem ?? revoking.problem);
			ProblemNote($$anchor, { get problem() {
				return get($0);
			} });
		}
	};
	if_block(node_5, ($$render) => {
		(loading.problem ?? revoking.problem) && $$render(consequent_2);
	});
	var node_6 = sibling(node_5, 2), consequent_3 = ($$anchor) => {
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
				var fragment_6 = root_2(), td = first_child(fragment_6), text_9 = child(td), code_3 = sibling(text_9), text_10 = only_child(code_3);
				reset(td);
				var td_1 = sibling(td, 2), text_11 = only_child(td_1, !0), td_2 = sibling(td_1, 2), text_12 = only_child(td_2, !0), td_3 = sibling(td_2, 2), text_13 = only_child(td_3, !0), td_4 = sibling(td_3, 2), node_7 = child(td_4), consequent_4 = ($$anchor) => {
					Button($$anchor, {
						size: "small",
						get busy() {
							return revoking.busy;
						},
						onclick: () => revoke(token()),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_14 = text();
							template_effect(() => set_text(text_14, t.settings.revoke)), append($$anchor, text_14);
						},
						$$slots: { default: !0 }
					});
				};
				if_block(node_7, ($$render) => {
					token().revoked_at || $$render(consequent_4);
				}), reset(td_4), template_effect(($0, $1, $2) => {
					set_text(text_9, `${token().name ?? ""} `), set_text(text_10, `${token().prefix ?? ""}…`), set_text(text_11, $0), set_text(text_12, $1), set_text(text_13, $2);
				}, [
					() => date(token().created_at),
					() => token().last_used_at ? date(token().last_used_at) : t.settings.never,
					() => stateOf(token())
				]), append($$anchor, fragment_6);
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
	if_block(node_6, ($$render) => {
		get(tokens)?.length === 0 ? $$render(consequent_3) : get(tokens) && $$render(consequent_5, 1);
	}), template_effect(() => {
		set_text(text$1, t.settings.tokensText), set_text(text_1, `${t.settings.compatible ?? ""} `), set_text(text_2, address), set_text(text_3, t.settings.scopes);
	}), event("submit", form, create), append($$anchor, fragment), pop();
}
// src/account/Settings.svelte
var root = from_html("<a class=\"svelte-1ylf9za\"> </a>"), root_1 = from_html("<nav class=\"svelte-1ylf9za\"></nav> <!>", 1);
function Settings($$anchor, $$props) {
	push($$props, !0);
	let sections = [
		"profile",
		"look",
		"responses",
		"security",
		"tokens"
	], section = user_derived(() => sections.find((name) => name === $$props.parameters.section) ?? "profile");
	Page($$anchor, {
		get title() {
			return t.settings.title;
		},
		get opener() {
			return $$props.opener;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_1(), nav = first_child(fragment_1);
			each(nav, 20, () => sections, (name) => name, ($$anchor, name) => {
				var a = root(), text = only_child(a, !0);
				template_effect(($0) => {
					set_attribute(a, "href", $0), set_attribute(a, "aria-current", name === get(section) ? "page" : void 0), set_text(text, t.settings[name]);
				}, [() => href(`/settings/${name}`)]), append($$anchor, a);
			}), reset(nav);
			var node = sibling(nav, 2), consequent = ($$anchor) => {
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
			}), template_effect(() => set_attribute(nav, "aria-label", t.settings.title)), append($$anchor, fragment_1);
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
export { Memories, ProjectScreen as Project, Settings, WhyScreen as Why };
