const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./sign-in.js","./rolldown-runtime.js","./vendor.js","./parts.js","./chat.js","./settings.js"])))=>i.map(i=>d[i]);
import { append, await_block, comment, component, first_child, from_html, get, if_block, key, mount, next, onMount, pop, push, set_text, sibling, template_effect, text, user_derived, user_effect } from "./vendor.js";
import { Button, CloudOff, StatePanel, Toasts, WhyDialog, __vitePreload, navigate, restoreLook, router, session, startRouter, startSession, t, why } from "./parts.js";
// src/App.svelte
var root = from_html("<!> <!> <!>", 1);
function App($$anchor, $$props) {
	push($$props, !0);
	let path = user_derived(() => router.location.path), next$1 = user_derived(() => get(path) === "/login" ? router.location.query.get("next") ?? "/" : void 0);
	onMount(() => void startSession()), user_effect(() => {
		if (session.state === "signed-out" && !get(path).startsWith("/login") && get(path) !== "/join") {
			let target = get(path) + location.search;
			navigate(target === "/" ? "/login" : `/login?next=${encodeURIComponent(target)}`, { replace: !0 });
		} else session.state === "signed-in" && get(path).startsWith("/login") && navigate(get(next$1)?.startsWith("/") ? get(next$1) : "/", { replace: !0 });
	});
	var fragment = root(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		await_block(node_1, () => __vitePreload(() => import("./sign-in.js").then((n) => n.Join_exports), __vite__mapDeps([0,1,2,3]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Join } = get($$source);
				return { Join };
			}), Join = user_derived(() => get($$value).Join), fragment_2 = comment(), node_2 = first_child(fragment_2);
			component(node_2, () => get(Join), ($$anchor, Join_1) => {
				Join_1($$anchor, {});
			}), append($$anchor, fragment_2);
		}), append($$anchor, fragment_1);
	}, consequent_1 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	}, consequent_2 = ($$anchor) => {
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
	}, consequent_3 = ($$anchor) => {
		var fragment_7 = comment(), node_3 = first_child(fragment_7);
		await_block(node_3, () => __vitePreload(() => import("./chat.js").then((n) => n.Shell_exports), __vite__mapDeps([4,1,2,5,3]), import.meta.url), ($$anchor) => {
			StatePanel($$anchor, {
				kind: "loading",
				get title() {
					return t.common.loading;
				}
			});
		}, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Shell } = get($$source);
				return { Shell };
			}), Shell = user_derived(() => get($$value).Shell), fragment_8 = comment(), node_4 = first_child(fragment_8);
			key(node_4, () => session.user.tenant.id, ($$anchor) => {
				var fragment_9 = comment(), node_5 = first_child(fragment_9);
				component(node_5, () => get(Shell), ($$anchor, Shell_1) => {
					Shell_1($$anchor, { get user() {
						return session.user;
					} });
				}), append($$anchor, fragment_9);
			}), append($$anchor, fragment_8);
		}, ($$anchor) => {
			StatePanel($$anchor, {
				kind: "problem",
				get icon() {
					return CloudOff;
				},
				get title() {
					return t.state.outdated;
				},
				get text() {
					return t.state.outdatedText;
				},
				children: ($$anchor, $$slotProps) => {
					Button($$anchor, {
						variant: "primary",
						onclick: () => location.reload(),
						children: ($$anchor, $$slotProps) => {
							next();
							var text_1 = text();
							template_effect(() => set_text(text_1, t.state.reload)), append($$anchor, text_1);
						},
						$$slots: { default: !0 }
					});
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_7);
	}, consequent_4 = ($$anchor) => {
		var fragment_14 = comment(), node_6 = first_child(fragment_14);
		await_block(node_6, () => __vitePreload(() => import("./sign-in.js").then((n) => n.Forgotten_exports), __vite__mapDeps([0,1,2,3]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Forgotten } = get($$source);
				return { Forgotten };
			}), Forgotten = user_derived(() => get($$value).Forgotten), fragment_15 = comment(), node_7 = first_child(fragment_15);
			component(node_7, () => get(Forgotten), ($$anchor, Forgotten_1) => {
				Forgotten_1($$anchor, {});
			}), append($$anchor, fragment_15);
		}), append($$anchor, fragment_14);
	}, alternate = ($$anchor) => {
		var fragment_16 = comment(), node_8 = first_child(fragment_16);
		await_block(node_8, () => __vitePreload(() => import("./sign-in.js").then((n) => n.SignIn_exports), __vite__mapDeps([0,1,2,3]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: SignIn } = get($$source);
				return { SignIn };
			}), SignIn = user_derived(() => get($$value).SignIn), fragment_17 = comment(), node_9 = first_child(fragment_17);
			component(node_9, () => get(SignIn), ($$anchor, SignIn_1) => {
				SignIn_1($$anchor, {});
			}), append($$anchor, fragment_17);
		}), append($$anchor, fragment_16);
	};
	if_block(node, ($$render) => {
		get(path) === "/join" ? $$render(consequent) : session.state === "starting" ? $$render(consequent_1, 1) : session.state === "unreachable" ? $$render(consequent_2, 2) : session.state === "signed-in" && session.user ? $$render(consequent_3, 3) : get(path) === "/login/forgotten" ? $$render(consequent_4, 4) : $$render(alternate, -1);
	});
	var node_10 = sibling(node, 2), consequent_5 = ($$anchor) => {
		WhyDialog($$anchor, { get question() {
			return why.question;
		} });
	};
	if_block(node_10, ($$render) => {
		why.question && $$render(consequent_5);
	});
	var node_11 = sibling(node_10, 2);
	Toasts(node_11, {}), append($$anchor, fragment), pop();
}
restoreLook(), startRouter();
var target = document.getElementById("app");
target && mount(App, { target });
