const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./sign-in.js","./vendor.js","./parts.js","./console.js","./rolldown-runtime.js","./open.js"])))=>i.map(i=>d[i]);
import { append, await_block, comment, component, first_child, from_html, get, if_block, key, mount, next, onMount, pop, push, set, set_text, sibling, state, template_effect, text, user_derived, user_effect } from "./vendor.js";
import { Button, CloudOff, LoadFailed, StatePanel, Toasts, WhyDialog, __vitePreload, match, navigate, restoreLook, router, session, startRouter, startSession, t, wasSignedIn, why } from "./parts.js";
// src/App.svelte
var root = from_html("<!> <!> <!>", 1);
function App($$anchor, $$props) {
	push($$props, !0);
	let path = user_derived(() => router.location.path), next$1 = user_derived(() => get(path) === "/login" ? router.location.query.get("next") ?? "/" : void 0), attempt = state(0);
	onMount(() => void startSession()), user_effect(() => {
		if (session.state === "signed-out" && !get(path).startsWith("/login") && get(path) !== "/join") {
			let target = get(path) + location.search;
			navigate(target === "/" ? "/login" : `/login?next=${encodeURIComponent(target)}`, { replace: !0 });
		} else session.state === "signed-in" && get(path).startsWith("/login") && navigate(get(next$1)?.startsWith("/") ? get(next$1) : "/", { replace: !0 });
	});
	var fragment = root(), node = first_child(fragment), consequent_2 = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		key(node_1, () => get(attempt), ($$anchor) => {
			var fragment_2 = comment(), node_2 = first_child(fragment_2);
			await_block(node_2, () => __vitePreload(() => import("./sign-in.js"), __vite__mapDeps([0,1,2]), import.meta.url), ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { Forgotten, Join, SignIn } = get($$source);
					return {
						Forgotten,
						Join,
						SignIn
					};
				}), Forgotten = user_derived(() => get($$value).Forgotten), Join = user_derived(() => get($$value).Join), SignIn = user_derived(() => get($$value).SignIn), fragment_3 = comment(), node_3 = first_child(fragment_3), consequent = ($$anchor) => {
					var fragment_4 = comment(), node_4 = first_child(fragment_4);
					key(node_4, () => router.location.fragment, ($$anchor) => {
						var fragment_5 = comment(), node_5 = first_child(fragment_5);
						component(node_5, () => get(Join), ($$anchor, Join_1) => {
							Join_1($$anchor, {});
						}), append($$anchor, fragment_5);
					}), append($$anchor, fragment_4);
				}, consequent_1 = ($$anchor) => {
					var fragment_6 = comment(), node_6 = first_child(fragment_6);
					component(node_6, () => get(Forgotten), ($$anchor, Forgotten_1) => {
						Forgotten_1($$anchor, {});
					}), append($$anchor, fragment_6);
				}, alternate = ($$anchor) => {
					var fragment_7 = comment(), node_7 = first_child(fragment_7);
					component(node_7, () => get(SignIn), ($$anchor, SignIn_1) => {
						SignIn_1($$anchor, {});
					}), append($$anchor, fragment_7);
				};
				if_block(node_3, ($$render) => {
					get(path) === "/join" ? $$render(consequent) : get(path) === "/login/forgotten" ? $$render(consequent_1, 1) : $$render(alternate, -1);
				}), append($$anchor, fragment_3);
			}, ($$anchor) => {
				LoadFailed($$anchor, { onretry: () => set(attempt, get(attempt) + 1) });
			}), append($$anchor, fragment_2);
		}), append($$anchor, fragment_1);
	}, d = user_derived(() => get(path) === "/join" || session.state === "signed-out" && get(path).startsWith("/login")), consequent_3 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "problem",
			get icon() {
				return CloudOff;
			},
			get title() {
				return t.state.unreachable;
			},
			get text() {
				return t.state.unreachableText;
			},
			children: ($$anchor, $$slotProps) => {
				Button($$anchor, {
					variant: "primary",
					onclick: () => void startSession(),
					children: ($$anchor, $$slotProps) => {
						next();
						var text$1 = text();
						template_effect(() => set_text(text$1, t.common.retry)), append($$anchor, text$1);
					},
					$$slots: { default: !0 }
				});
			},
			$$slots: { default: !0 }
		});
	}, consequent_4 = ($$anchor) => {
		let user = user_derived(() => session.user);
		var fragment_13 = comment(), node_8 = first_child(fragment_13);
		key(node_8, () => get(attempt), ($$anchor) => {
			var fragment_14 = comment(), node_9 = first_child(fragment_14);
			await_block(node_9, () => __vitePreload(() => import("./console.js").then((n) => n.console_exports), __vite__mapDeps([3,4,2,1]), import.meta.url), ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { Shell } = get($$source);
					return { Shell };
				}), Shell = user_derived(() => get($$value).Shell), fragment_15 = comment(), node_10 = first_child(fragment_15);
				key(node_10, () => get(user).tenant.id, ($$anchor) => {
					var fragment_16 = comment(), node_11 = first_child(fragment_16);
					component(node_11, () => get(Shell), ($$anchor, Shell_1) => {
						Shell_1($$anchor, { get user() {
							return get(user);
						} });
					}), append($$anchor, fragment_16);
				}), append($$anchor, fragment_15);
			}, ($$anchor) => {
				LoadFailed($$anchor, { onretry: () => set(attempt, get(attempt) + 1) });
			}), append($$anchor, fragment_14);
		}), append($$anchor, fragment_13);
	}, alternate_1 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	};
	if_block(node, ($$render) => {
		get(d) ? $$render(consequent_2) : session.state === "unreachable" ? $$render(consequent_3, 1) : session.state === "signed-in" && session.user ? $$render(consequent_4, 2) : $$render(alternate_1, -1);
	});
	var node_12 = sibling(node, 2), consequent_5 = ($$anchor) => {
		WhyDialog($$anchor, { get question() {
			return why.question;
		} });
	};
	if_block(node_12, ($$render) => {
		why.question && $$render(consequent_5);
	});
	var node_13 = sibling(node_12, 2);
	Toasts(node_13, {}), append($$anchor, fragment), pop();
}
// src/chat/load.ts
var loadConversation = () => __vitePreload(() => import("./open.js").then((n) => n.open_exports), __vite__mapDeps([5,4,2,1]), import.meta.url);
restoreLook(), startRouter(), wasSignedIn() && (__vitePreload(() => import("./console.js").then((n) => n.console_exports), __vite__mapDeps([3,4,2,1]), import.meta.url).catch(() => {}), match("/conversations/:id", router.location.path) && loadConversation().catch(() => {}));
var target = document.getElementById("app");
target && mount(App, { target });
export { loadConversation };
