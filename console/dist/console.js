const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./screens.js","./vendor.js","./parts.js","./snippet.js","./views.js","./RenameDialog.js","./MoveDialog.js","./commands.js","./SearchResults.js","./NewProjectDialog.js"])))=>i.map(i=>d[i]);
import { __exportAll } from "./rolldown-runtime.js";
import { Archive, ArchiveArrowUp, ArrowLeft, Bell, BookOpen, Brain, Button, ChartNoAxesColumn, ChevronsUpDown, Composer, Ellipsis, Folder, FolderInput, FolderMinus, FolderPlus, Icon, Keyboard, Lazy, LoadFailed, LogOut, Logo, Menu, PanelLeft, PanelLeftClose, Pencil, Pickers, Pin, PinOff, ProblemNote, Search, SearchX, Settings, SquarePen, StatePanel, Trash, X, __vitePreload, call, choices, connection, conversations, grouped, hasMod, href, isTyping, keys, live, match, navigate, number, projects, router, session, signOut, t, toasts, update, why } from "./parts.js";
import { $document, $window, append, await_block, bind_this, bind_value, child, comment, component, deferred_template_effect, delegate, delegated, each, event, first_child, from_html, get, head, if_block, key, next, onMount, only_child, pop, proxy, push, remove_input_defaults, reset, set, set_attribute, set_class, set_text, sibling, snippet, state, template_effect, text, tick, to_array, user_derived, user_effect } from "./vendor.js";
import { loadConversation } from "./main.js";
// src/shell/notifications.svelte.ts
var unread = state(0), available = state(!0), listeners = new Set(), KEY = {}, notifications = {
	get unread() {
		return get(unread);
	},
	get available() {
		return get(available);
	},
	listen(listener) {
		return listeners.add(listener), () => listeners.delete(listener);
	}
};
function followNotifications(transport) {
	let subscription, position;
	function deliver(events, after) {
		position = after ?? position;
		for (let event of events) {
			event.type === "unread_count" && set(unread, event.data.count, !0);
			for (let listener of listeners) listener(event);
		}
	}
	function close() {
		connection.forget(KEY), subscription?.close(), subscription = void 0;
	}
	function update() {
		if (document.visibilityState === "hidden") return close();
		!subscription && get(available) && (subscription = transport.subscribe({ to: "notifications" }, {
			deliver,
			ended: close,
			refused: () => {
				set(available, !1), close();
			},
			connection: (state) => connection.report(KEY, state)
		}, position === void 0 ? {} : { after: position }));
	}
	return set(available, !0), set(unread, 0), update(), document.addEventListener("visibilitychange", update), () => {
		document.removeEventListener("visibilitychange", update), close();
	};
}
// src/chat/Welcome.svelte
var root$6 = from_html("<p class=\"svelte-11xq9iy\"> </p>"), root_1$5 = from_html("<li><button type=\"button\" class=\"svelte-11xq9iy\"> </button></li>"), root_2$2 = from_html("<ul role=\"list\" class=\"svelte-11xq9iy\"></ul>"), root_3$2 = from_html("<div class=\"welcome svelte-11xq9iy\"><h1 class=\"svelte-11xq9iy\"> </h1> <!> <!> <!></div>");
function Welcome($$anchor, $$props) {
	push($$props, !0);
	let chosen = user_derived(() => choices.assistant($$props.assistant)), hour = new Date().getHours(), greeting = user_derived(() => hour < 5 || hour >= 18 ? t.chat.evening($$props.user.display_name) : hour < 12 ? t.chat.morning($$props.user.display_name) : t.chat.afternoon($$props.user.display_name));
	var div = root_3$2(), h1 = child(div), text = only_child(h1, !0), node = sibling(h1, 2), consequent = ($$anchor) => {
		var p = root$6(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, get(chosen).description)), append($$anchor, p);
	}, consequent_1 = ($$anchor) => {
		var p_1 = root$6(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, t.projects.newIn)), append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		get(chosen)?.description ? $$render(consequent) : $$props.project && $$render(consequent_1, 1);
	});
	var node_1 = sibling(node, 2), consequent_2 = ($$anchor) => {
		var p_2 = root$6(), text_3 = only_child(p_2, !0);
		template_effect(() => set_text(text_3, t.chat.noModels)), append($$anchor, p_2);
	};
	if_block(node_1, ($$render) => {
		choices.loaded && choices.models.length === 0 && $$render(consequent_2);
	});
	var node_2 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
		var ul = root_2$2();
		each(ul, 20, () => get(chosen).conversation_starters, (starter) => starter, ($$anchor, starter) => {
			var li = root_1$5(), button = child(li), text_4 = only_child(button, !0);
			reset(li), template_effect(() => set_text(text_4, starter)), delegated("click", button, () => $$props.onstart(starter)), append($$anchor, li);
		}), reset(ul), append($$anchor, ul);
	};
	if_block(node_2, ($$render) => {
		get(chosen) && get(chosen).conversation_starters.length > 0 && $$render(consequent_3);
	}), reset(div), template_effect(() => set_text(text, get(chosen)?.name ?? $$props.project?.name ?? get(greeting))), append($$anchor, div), pop();
}
delegate(["click"]);
// src/chat/NewConversation.svelte
var root$5 = from_html("<p class=\"refused svelte-12yavmj\"> <!></p>"), root_1$4 = from_html("<header class=\"svelte-12yavmj\"><!></header> <main class=\"svelte-12yavmj\"><!> <!> <!></main>", 1);
function NewConversation($$anchor, $$props) {
	push($$props, !0);
	let model = state(null), assistant = state(proxy(router.location.query.get("assistant"))), problem = state(void 0), composer = state(void 0), project = user_derived(() => projects.find(router.location.query.get("project")));
	onMount(() => {
		let timer;
		return choices.load().then(() => timer = setTimeout(() => loadConversation().catch(() => {}), 1e3)), () => clearTimeout(timer);
	});
	async function send(text, attachments) {
		set(problem, void 0);
		try {
			let body = {
				...get(model) ? { model: get(model) } : {},
				...get(assistant) ? { assistant_id: get(assistant) } : {},
				...get(project) ? { project_id: get(project).id } : {}
			}, created = await call("conversations.create_conversation", { body }), { OpenConversation, handOver } = await loadConversation(), conversation = new OpenConversation(created.id), complete = await attachments.send(created.id);
			return complete && await conversation.open(), complete && await conversation.send({
				text,
				uploads: attachments.ids,
				files: attachments.names
			}) ? (conversations.put(created), conversations.tellOtherTabs(), handOver(conversation), navigate(`/conversations/${created.id}`), !0) : (set(problem, conversation.refusal), conversation.close(), attachments.forget(), call("conversations.delete_conversation", { path: { conversation_id: created.id } }).catch(() => {}), !1);
		} catch (error) {
			return set(problem, error), !1;
		}
	}
	var fragment = root_1$4();
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
		var p = root$5(), text_1 = child(p), node_4 = sibling(text_1);
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
// src/shell/screens.json
var screens_default = "/./assistants./assistants/:id./audio./automations./automations/:id./catalog./control-tower./conversations/:id./groups/sync/history./join./knowledge-bases./knowledge-bases/:id./login./login/forgotten./memories./notifications./notifications/endpoints./projects/:id./settings./settings/:section./skills./skills/:id./tenant-admin./tenant-admin/budgets./tenant-admin/join-requests./usage./video./video/:id./why./workflows".split("."), account = () => __vitePreload(() => import("./screens.js"), __vite__mapDeps([0,1,2,3,4]), import.meta.url), settings = async () => (await account()).Settings, overview = async () => (await account()).Overview, SCREENS = {
	"/": async () => NewConversation,
	"/conversations/:id": async () => (await loadConversation()).ConversationScreen,
	"/memories": async () => (await account()).Memories,
	"/notifications": async () => (await account()).Notifications,
	"/projects/:id": async () => (await account()).Project,
	"/settings": settings,
	"/settings/:section": settings,
	"/why": async () => (await account()).Why
};
function patternAt(path) {
	return screens_default.find((pattern) => match(pattern, path));
}
function screenAt(path) {
	let pattern = patternAt(path), parameters = pattern === void 0 ? void 0 : match(pattern, path);
	return pattern === void 0 || parameters === void 0 ? void 0 : {
		load: SCREENS[pattern] ?? overview,
		parameters
	};
}
// src/shell/ConversationItem.svelte
var root$4 = from_html("<span class=\"live svelte-fjs4kg\"><span class=\"visually-hidden\"> </span></span>"), root_1$3 = from_html("<li class=\"svelte-fjs4kg\"><a class=\"svelte-fjs4kg\"><!> <span class=\"cut svelte-fjs4kg\"> </span></a> <div class=\"menu svelte-fjs4kg\"><!></div></li> <!> <!>", 1);
function ConversationItem($$anchor, $$props) {
	push($$props, !0);
	let path = user_derived(() => `/conversations/${$$props.conversation.id}`), title = user_derived(() => $$props.conversation.title ?? t.shell.untitled), dialog = state(void 0);
	async function attempt(change) {
		await change.catch(why.report);
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
		...session.has("projects") ? [{
			label: t.shell.moveTo,
			icon: FolderInput,
			action: () => set(dialog, "move")
		}] : [],
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
		var span = root$4(), span_1 = child(span), text = only_child(span_1, !0);
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
		{
			let $0 = user_derived(() => ({
				conversation: $$props.conversation,
				onclose: () => set(dialog, void 0)
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./RenameDialog.js"), __vite__mapDeps([5,1,2]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	};
	if_block(node_2, ($$render) => {
		get(dialog) === "rename" && $$render(consequent_1);
	});
	var node_3 = sibling(node_2, 2), consequent_2 = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				conversation: $$props.conversation,
				onclose: () => set(dialog, void 0)
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./MoveDialog.js"), __vite__mapDeps([6,1,2]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	};
	if_block(node_3, ($$render) => {
		get(dialog) === "move" && $$render(consequent_2);
	}), template_effect(($0) => {
		set_attribute(a, "href", $0), set_attribute(a, "aria-current", router.location.path === get(path) ? "page" : void 0), set_attribute(a, "title", get(title)), set_text(text_1, get(title));
	}, [() => href(get(path))]), append($$anchor, fragment), pop();
}
// src/shell/Keys.svelte
var root$3 = from_html("<!> <!>", 1);
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
	var fragment = comment();
	event("keydown", $window, press);
	var node = first_child(fragment), consequent_2 = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		await_block(node_1, () => __vitePreload(() => import("./commands.js"), __vite__mapDeps([7,1,2,4]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { Help, Palette } = get($$source);
				return {
					Help,
					Palette
				};
			}), Help = user_derived(() => get($$value).Help), Palette = user_derived(() => get($$value).Palette), fragment_2 = root$3(), node_2 = first_child(fragment_2), consequent = ($$anchor) => {
				var fragment_3 = comment(), node_3 = first_child(fragment_3);
				component(node_3, () => get(Palette), ($$anchor, Palette_1) => {
					Palette_1($$anchor, {
						get user() {
							return $$props.user;
						},
						onclose: () => keys.palette = !1,
						get ontoggle() {
							return $$props.ontoggle;
						}
					});
				}), append($$anchor, fragment_3);
			};
			if_block(node_2, ($$render) => {
				keys.palette && $$render(consequent);
			});
			var node_4 = sibling(node_2, 2), consequent_1 = ($$anchor) => {
				var fragment_4 = comment(), node_5 = first_child(fragment_4);
				component(node_5, () => get(Help), ($$anchor, Help_1) => {
					Help_1($$anchor, { onclose: () => keys.help = !1 });
				}), append($$anchor, fragment_4);
			};
			if_block(node_4, ($$render) => {
				keys.help && $$render(consequent_1);
			}), append($$anchor, fragment_2);
		}), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		(keys.palette || keys.help) && $$render(consequent_2);
	}), append($$anchor, fragment), pop();
}
// src/shell/Screen.svelte
var root$2 = from_html("<header class=\"svelte-1lcw4bo\"><!></header> <!>", 1), root_1$2 = from_html("<a> </a>");
function Screen_1($$anchor, $$props) {
	push($$props, !0);
	let found = user_derived(() => screenAt(router.location.path)), load = user_derived(() => get(found)?.load), attempt = state(0), loaded = user_derived(() => (get(attempt), get(load)?.()));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		key(node_1, () => get(load), ($$anchor) => {
			var fragment_2 = comment(), node_2 = first_child(fragment_2);
			await_block(node_2, () => get(loaded), ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, ($$anchor, content) => {
				let Screen = user_derived(() => get(content));
				var fragment_3 = comment(), node_3 = first_child(fragment_3);
				component(node_3, () => get(Screen), ($$anchor, Screen_2) => {
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
				}), append($$anchor, fragment_3);
			}, ($$anchor) => {
				var fragment_4 = root$2(), header = first_child(fragment_4), node_4 = child(header);
				snippet(node_4, () => $$props.opener), reset(header);
				var node_5 = sibling(header, 2);
				LoadFailed(node_5, { onretry: () => set(attempt, get(attempt) + 1) }), append($$anchor, fragment_4);
			}), append($$anchor, fragment_2);
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		var fragment_6 = root$2(), header_1 = first_child(fragment_6), node_6 = child(header_1);
		snippet(node_6, () => $$props.opener), reset(header_1);
		var node_7 = sibling(header_1, 2);
		StatePanel(node_7, {
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
				var a = root_1$2(), text = only_child(a, !0);
				template_effect(($0) => {
					set_attribute(a, "href", $0), set_text(text, t.shell.newChat);
				}, [() => href("/")]), append($$anchor, a);
			},
			$$slots: { default: !0 }
		}), append($$anchor, fragment_6);
	};
	if_block(node, ($$render) => {
		get(found) && get(loaded) ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/shell/Sidebar.svelte
var root$1 = from_html("<img alt=\"\" width=\"24\" height=\"24\"/>"), root_1$1 = from_html("<span aria-hidden=\"true\"> </span>"), root_2$1 = from_html("<div class=\"search svelte-1h3hqd4\"><input class=\"input\" type=\"search\"/> <!></div>"), root_3$1 = from_html("<button class=\"row svelte-1h3hqd4\" type=\"button\"><!> </button>"), root_4$1 = from_html("<li><a class=\"row svelte-1h3hqd4\"><!><span class=\"cut svelte-1h3hqd4\"> </span></a></li>"), root_5$1 = from_html("<section aria-labelledby=\"projects-title\" class=\"svelte-1h3hqd4\"><div class=\"heading svelte-1h3hqd4\"><h2 id=\"projects-title\" class=\"svelte-1h3hqd4\"> </h2> <!></div> <ul role=\"list\"></ul></section>"), root_6$1 = from_html("<section class=\"svelte-1h3hqd4\"><div class=\"heading svelte-1h3hqd4\"><h2 class=\"svelte-1h3hqd4\"> </h2></div> <ul role=\"list\"></ul></section>"), root_7$1 = from_html("<p class=\"empty svelte-1h3hqd4\"> </p>"), root_8 = from_html("<!> <!> <!> <!> <!>", 1), root_9 = from_html("<span class=\"avatar svelte-1h3hqd4\" aria-hidden=\"true\"> </span> <span class=\"cut svelte-1h3hqd4\"> </span> <!>", 1), root_10 = from_html("<nav class=\"svelte-1h3hqd4\"><div class=\"top svelte-1h3hqd4\"><a class=\"brand svelte-1h3hqd4\"><!><span class=\"svelte-1h3hqd4\"> </span></a> <a><!><!></a> <!></div> <div class=\"actions svelte-1h3hqd4\"><a class=\"row new svelte-1h3hqd4\"><!> </a> <!></div> <div class=\"list svelte-1h3hqd4\"><!></div> <div class=\"account svelte-1h3hqd4\"><!></div></nav> <!>", 1);
function Sidebar($$anchor, $$props) {
	push($$props, !0);
	let searching = state(conversations.search !== ""), list = state(void 0), field = state(void 0), creatingProject = state(!1), groups = user_derived(() => grouped(conversations.items));
	async function openSearch() {
		set(searching, !0), await tick(), get(field)?.focus();
	}
	function toggleArchive() {
		conversations.archived = !conversations.archived, conversations.load();
	}
	function closeSearch() {
		set(searching, !1), conversations.search = "";
	}
	function press(event) {
		if (event.key === "Escape") event.stopPropagation(), closeSearch();
		else if (event.key === "ArrowDown") {
			let first = get(list)?.querySelector("a");
			if (!first) return;
			event.preventDefault(), first.focus();
		}
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
			label: t.overview.titles.usage,
			icon: ChartNoAxesColumn,
			href: href("/usage")
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
			action: () => void signOut().catch(why.report)
		}
	]);
	var fragment = root_10(), nav = first_child(fragment), div = child(nav), a = child(div), node = child(a), consequent = ($$anchor) => {
		var img = root$1();
		template_effect(() => set_attribute(img, "src", $$props.user.tenant.logo_url)), append($$anchor, img);
	}, alternate = ($$anchor) => {
		Logo($$anchor, { size: 24 });
	};
	if_block(node, ($$render) => {
		$$props.user.tenant.logo_url ? $$render(consequent) : $$render(alternate, -1);
	});
	var span = sibling(node), text$2 = only_child(span, !0);
	reset(a);
	var a_1 = sibling(a, 2);
	let classes;
	var node_1 = child(a_1);
	Icon(node_1, { get of() {
		return Bell;
	} });
	var node_2 = sibling(node_1), consequent_1 = ($$anchor) => {
		var span_1 = root_1$1(), text_1 = only_child(span_1, !0);
		template_effect(($0) => set_text(text_1, $0), [() => number(notifications.unread)]), append($$anchor, span_1);
	};
	if_block(node_2, ($$render) => {
		notifications.unread > 0 && $$render(consequent_1);
	}), reset(a_1);
	var node_3 = sibling(a_1, 2);
	Button(node_3, {
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
	var div_1 = sibling(div, 2), a_2 = child(div_1), node_4 = child(a_2);
	Icon(node_4, { get of() {
		return SquarePen;
	} });
	var text_2 = sibling(node_4, 1, !0);
	reset(a_2);
	var node_5 = sibling(a_2, 2), consequent_2 = ($$anchor) => {
		var div_2 = root_2$1(), input = child(div_2);
		remove_input_defaults(input), set_attribute(input, "maxlength", 200), bind_this(input, ($$value) => set(field, $$value), () => get(field));
		var node_6 = sibling(input, 2);
		Button(node_6, {
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
			set_attribute(input, "aria-label", t.shell.searchPlaceholder), set_attribute(input, "placeholder", t.shell.searchPlaceholder);
		}), delegated("keydown", input, press), bind_value(input, () => conversations.search, ($$value) => conversations.search = $$value), append($$anchor, div_2);
	}, alternate_1 = ($$anchor) => {
		var button = root_3$1(), node_7 = child(button);
		Icon(node_7, { get of() {
			return Search;
		} });
		var text_3 = sibling(node_7, 1, !0);
		reset(button), template_effect(() => set_text(text_3, t.shell.searchPlaceholder)), delegated("click", button, openSearch), append($$anchor, button);
	};
	if_block(node_5, ($$render) => {
		get(searching) ? $$render(consequent_2) : $$render(alternate_1, -1);
	}), reset(div_1);
	var div_3 = sibling(div_1, 2), node_8 = child(div_3), consequent_3 = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				query: conversations.search,
				archived: conversations.archived
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./SearchResults.js"), __vite__mapDeps([8,1,2,3]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	}, d = user_derived(() => conversations.search.trim()), alternate_3 = ($$anchor) => {
		var fragment_3 = root_8(), node_9 = first_child(fragment_3), consequent_4 = ($$anchor) => {
			var section = root_5$1(), div_4 = child(section), h2 = child(div_4), text_4 = only_child(h2, !0), node_10 = sibling(h2, 2);
			Button(node_10, {
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
				var li = root_4$1(), a_3 = child(li), node_11 = child(a_3);
				Icon(node_11, {
					get of() {
						return Folder;
					},
					size: 16
				});
				var span_2 = sibling(node_11), text_5 = only_child(span_2, !0);
				reset(a_3), reset(li), template_effect(($0) => {
					set_attribute(a_3, "href", $0), set_attribute(a_3, "aria-current", router.location.path === get(path) ? "page" : void 0), set_text(text_5, get(project).name);
				}, [() => href(get(path))]), append($$anchor, li);
			}), reset(ul), reset(section), template_effect(() => set_text(text_4, t.shell.projects)), append($$anchor, section);
		}, d_1 = user_derived(() => session.has("projects"));
		if_block(node_9, ($$render) => {
			get(d_1) && $$render(consequent_4);
		});
		var node_12 = sibling(node_9, 2);
		each(node_12, 17, () => get(groups), ([group, items]) => group, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let group = () => get($$array)[0], items = () => get($$array)[1];
			var section_1 = root_6$1(), div_5 = child(section_1), h2_1 = child(div_5), text_6 = only_child(h2_1, !0);
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
		var node_13 = sibling(node_12, 2), consequent_5 = ($$anchor) => {
			ProblemNote($$anchor, {
				get problem() {
					return conversations.problem;
				},
				retry: () => void conversations.load()
			});
		}, consequent_7 = ($$anchor) => {
			var fragment_6 = comment(), node_14 = first_child(fragment_6), consequent_6 = ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, alternate_2 = ($$anchor) => {
				var p = root_7$1(), text_7 = only_child(p, !0);
				template_effect(() => set_text(text_7, conversations.archived ? t.shell.emptyArchive : t.shell.empty)), append($$anchor, p);
			};
			if_block(node_14, ($$render) => {
				conversations.loading ? $$render(consequent_6) : $$render(alternate_2, -1);
			}), append($$anchor, fragment_6);
		};
		if_block(node_13, ($$render) => {
			conversations.problem ? $$render(consequent_5) : conversations.items.length === 0 && $$render(consequent_7, 1);
		});
		var node_15 = sibling(node_13, 2);
		{
			let $0 = user_derived(() => conversations.archived ? ArrowLeft : Archive);
			Button(node_15, {
				variant: "quiet",
				size: "small",
				get icon() {
					return get($0);
				},
				onclick: toggleArchive,
				children: ($$anchor, $$slotProps) => {
					next();
					var text_8 = text();
					template_effect(() => set_text(text_8, conversations.archived ? t.shell.conversations : t.shell.archived)), append($$anchor, text_8);
				},
				$$slots: { default: !0 }
			});
		}
		var node_16 = sibling(node_15, 2), consequent_8 = ($$anchor) => {
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get busy() {
					return conversations.loading;
				},
				onclick: () => void conversations.loadMore(),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_9 = text();
					template_effect(() => set_text(text_9, t.shell.loadMore)), append($$anchor, text_9);
				},
				$$slots: { default: !0 }
			});
		};
		if_block(node_16, ($$render) => {
			conversations.hasMore && $$render(consequent_8);
		}), append($$anchor, fragment_3);
	};
	if_block(node_8, ($$render) => {
		get(d) ? $$render(consequent_3) : $$render(alternate_3, -1);
	}), reset(div_3), bind_this(div_3, ($$value) => set(list, $$value), () => get(list));
	var div_6 = sibling(div_3, 2), node_17 = child(div_6);
	Menu(node_17, {
		get label() {
			return t.shell.account;
		},
		get items() {
			return get(account);
		},
		size: "medium",
		align: "start",
		children: ($$anchor, $$slotProps) => {
			var fragment_11 = root_9(), span_3 = first_child(fragment_11), text_10 = only_child(span_3, !0), span_4 = sibling(span_3, 2), text_11 = only_child(span_4, !0), node_18 = sibling(span_4, 2);
			Icon(node_18, {
				get of() {
					return ChevronsUpDown;
				},
				size: 14
			}), template_effect(($0) => {
				set_text(text_10, $0), set_text(text_11, $$props.user.display_name);
			}, [() => $$props.user.display_name.slice(0, 1).toUpperCase()]), append($$anchor, fragment_11);
		},
		$$slots: { default: !0 }
	}), reset(div_6), reset(nav);
	var node_19 = sibling(nav, 2), consequent_9 = ($$anchor) => {
		Lazy($$anchor, {
			load: () => __vitePreload(() => import("./NewProjectDialog.js"), __vite__mapDeps([9,1,2]), import.meta.url),
			props: { onclose: () => set(creatingProject, !1) }
		});
	};
	if_block(node_19, ($$render) => {
		get(creatingProject) && $$render(consequent_9);
	}), template_effect(($0, $1, $2, $3) => {
		set_attribute(nav, "aria-label", t.shell.conversations), set_attribute(a, "href", $0), set_text(text$2, $$props.user.tenant.name === "Default" ? t.common.product : $$props.user.tenant.name), classes = set_class(a_1, 1, "bell svelte-1h3hqd4", null, classes, { unread: notifications.unread > 0 }), set_attribute(a_1, "href", $1), set_attribute(a_1, "aria-current", router.location.path === "/notifications" ? "page" : void 0), set_attribute(a_1, "aria-label", $2), set_attribute(a_2, "href", $3), set_attribute(a_2, "aria-current", router.location.path === "/" ? "page" : void 0), set_text(text_2, t.shell.newChat);
	}, [
		() => href("/"),
		() => href("/notifications"),
		() => notifications.unread > 0 ? t.notifications.unread(notifications.unread) : t.notifications.title,
		() => href("/")
	]), append($$anchor, fragment), pop();
}
delegate(["keydown", "click"]);
// src/shell/Shell.svelte
var root = from_html("<button class=\"cover svelte-e16qsm\" type=\"button\"></button>"), root_1 = from_html("<!> <!>", 1), root_2 = from_html("<p class=\"offline svelte-e16qsm\" role=\"status\"><strong> </strong> </p>"), root_3 = from_html("<p class=\"outdated svelte-e16qsm\" role=\"status\"><span><strong> </strong> </span> <!></p>"), root_4 = from_html("<a class=\"new svelte-e16qsm\"><!></a>"), root_5 = from_html("<a class=\"bell svelte-e16qsm\"><!><span aria-hidden=\"true\"> </span></a>"), root_6 = from_html("<span><!></span> <!> <!>", 1), root_7 = from_html("<div><a class=\"skip svelte-e16qsm\" href=\"#content\"> </a> <!> <div class=\"content svelte-e16qsm\" id=\"content\" tabindex=\"-1\"><!> <!> <!></div></div> <!>", 1);
function Shell($$anchor, $$props) {
	push($$props, !0);
	let narrow = matchMedia("(max-width: 52rem)"), covers = state(proxy(narrow.matches)), open = state(!narrow.matches);
	onMount(() => {
		conversations.load(), session.has("projects") && projects.load().catch(why.report);
		let stopFollowing = followNotifications(live), follow = () => {
			set(covers, narrow.matches, !0), set(open, !narrow.matches);
		}, refresh = () => {
			document.visibilityState === "visible" && conversations.load();
		};
		return narrow.addEventListener("change", follow), document.addEventListener("visibilitychange", refresh), () => {
			stopFollowing(), live.renew(), narrow.removeEventListener("change", follow), document.removeEventListener("visibilitychange", refresh);
		};
	}), user_effect(() => {
		router.location.path, get(covers) && set(open, !1);
	});
	function closeOnEscape(event) {
		event.key === "Escape" && get(covers) && get(open) && !event.defaultPrevented && set(open, !1);
	}
	var fragment = root_7();
	event("keydown", $window, closeOnEscape);
	var div = first_child(fragment);
	let classes;
	var a = child(div), text$1 = only_child(a, !0), node = sibling(a, 2), consequent_1 = ($$anchor) => {
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
	});
	var node_4 = sibling(node_3, 2), consequent_3 = ($$anchor) => {
		var p_1 = root_3(), span = child(p_1), strong_1 = child(span), text_3 = only_child(strong_1, !0), text_4 = sibling(strong_1);
		reset(span);
		var node_5 = sibling(span, 2);
		Button(node_5, {
			size: "small",
			onclick: () => location.reload(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_5 = text();
				template_effect(() => set_text(text_5, t.state.reload)), append($$anchor, text_5);
			},
			$$slots: { default: !0 }
		}), reset(p_1), template_effect(() => {
			set_text(text_3, t.state.outdated), set_text(text_4, ` ${t.state.outdatedText ?? ""}`);
		}), append($$anchor, p_1);
	};
	if_block(node_4, ($$render) => {
		update.available && $$render(consequent_3);
	}), Screen_1(sibling(node_4, 2), {
		get user() {
			return $$props.user;
		},
		opener: ($$anchor) => {
			var fragment_3 = comment(), node_7 = first_child(fragment_3), consequent_6 = ($$anchor) => {
				var fragment_4 = root_6(), span_1 = first_child(fragment_4);
				let classes_1;
				var node_8 = child(span_1);
				Button(node_8, {
					variant: "quiet",
					get icon() {
						return PanelLeft;
					},
					get label() {
						return t.shell.openMenu;
					},
					"aria-expanded": "false",
					onclick: () => set(open, !0)
				}), reset(span_1);
				var node_9 = sibling(span_1, 2), consequent_4 = ($$anchor) => {
					var a_1 = root_4(), node_10 = child(a_1);
					Icon(node_10, { get of() {
						return SquarePen;
					} }), reset(a_1), template_effect(($0) => {
						set_attribute(a_1, "href", $0), set_attribute(a_1, "aria-label", t.shell.newChat), set_attribute(a_1, "title", t.shell.newChat);
					}, [() => href("/")]), append($$anchor, a_1);
				};
				if_block(node_9, ($$render) => {
					router.location.path !== "/" && $$render(consequent_4);
				});
				var node_11 = sibling(node_9, 2), consequent_5 = ($$anchor) => {
					var a_2 = root_5(), node_12 = child(a_2);
					Icon(node_12, { get of() {
						return Bell;
					} });
					var span_2 = sibling(node_12), text_6 = only_child(span_2, !0);
					reset(a_2), template_effect(($0, $1, $2) => {
						set_attribute(a_2, "href", $0), set_attribute(a_2, "aria-label", $1), set_text(text_6, $2);
					}, [
						() => href("/notifications"),
						() => t.notifications.unread(notifications.unread),
						() => number(notifications.unread)
					]), append($$anchor, a_2);
				};
				if_block(node_11, ($$render) => {
					notifications.unread > 0 && $$render(consequent_5);
				}), template_effect(() => classes_1 = set_class(span_1, 1, "opener svelte-e16qsm", null, classes_1, { unread: notifications.unread > 0 })), append($$anchor, fragment_4);
			};
			if_block(node_7, ($$render) => {
				get(open) || $$render(consequent_6);
			}), append($$anchor, fragment_3);
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
		}), set_text(text$1, t.common.skip), div_1.inert = get(covers) && get(open);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
// src/shell/console.ts
var console_exports = __exportAll({ Shell: () => Shell });
live.prepare();
export { ConversationItem, Shell, console_exports, notifications, patternAt };
