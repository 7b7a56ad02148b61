import { append, autofocus, bind_this, bind_value, child, delegate, delegated, each, event, first_child, from_html, get, if_block, onMount, only_child, pop, props_id, push, remove_input_defaults, reset, set, set_attribute, set_text, sibling, state, template_effect, tick, to_array, user_derived } from "./vendor.js";
import { Bell, Brain, Dialog, Icon, Keyboard, LayoutList, MOD, MessageSquare, Moon, PanelLeft, Settings, SquarePen, Sun, call, conversations, installation, keys, look, navigate, projects, reloadUser, screenCommands, t, why } from "./parts.js";
import { VIEWS } from "./views.js";
// src/shell/Help.svelte
var root$1 = from_html("<span class=\"svelte-i3zs4r\">+</span>"), root_1$1 = from_html("<!><kbd> </kbd>", 1), root_2$1 = from_html("<dt> </dt> <dd class=\"svelte-i3zs4r\"></dd>", 1), root_3$1 = from_html("<p class=\"svelte-i3zs4r\"> </p>"), root_4 = from_html("<dl class=\"svelte-i3zs4r\"></dl> <!>", 1);
function Help($$anchor, $$props) {
	push($$props, !0), onMount(installation.load);
	let shortcuts = user_derived(() => [
		[t.keys.palette, [MOD, "K"]],
		[t.keys.newChat, [
			MOD,
			"Shift",
			"O"
		]],
		[t.keys.sidebar, [MOD, "B"]],
		[t.keys.focus, ["/"]],
		[t.keys.send, ["Enter"]],
		[t.keys.newline, ["Shift", "Enter"]],
		[t.keys.editLast, ["↑"]],
		[t.keys.stop, ["Esc"]],
		[t.keys.find, [MOD, "F"]],
		[t.keys.help, ["?"]]
	]);
	Dialog($$anchor, {
		get title() {
			return t.shell.shortcuts;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_4(), dl = first_child(fragment_1);
			each(dl, 21, () => get(shortcuts), ([label, parts]) => label, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 2));
				let label = () => get($$array)[0], parts = () => get($$array)[1];
				var fragment_2 = root_2$1(), dt = first_child(fragment_2), text = only_child(dt, !0), dd = sibling(dt, 2);
				each(dd, 22, parts, (part) => part, ($$anchor, part, at) => {
					var fragment_3 = root_1$1(), node = first_child(fragment_3), consequent = ($$anchor) => {
						var span = root$1();
						append($$anchor, span);
					};
					if_block(node, ($$render) => {
						get(at) > 0 && $$render(consequent);
					});
					var kbd = sibling(node), text_1 = only_child(kbd, !0);
					template_effect(() => set_text(text_1, part)), append($$anchor, fragment_3);
				}), reset(dd), template_effect(() => set_text(text, label())), append($$anchor, fragment_2);
			}), reset(dl);
			var node_1 = sibling(dl, 2), consequent_1 = ($$anchor) => {
				var p = root_3$1(), text_2 = only_child(p, !0);
				template_effect(($0) => set_text(text_2, $0), [() => t.settings.version(installation.current.version)]), append($$anchor, p);
			};
			if_block(node_1, ($$render) => {
				installation.current?.version && $$render(consequent_1);
			}), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/shell/Palette.svelte
var root = from_html("<li class=\"group svelte-pb2lb5\" role=\"presentation\"> </li>"), root_1 = from_html("<kbd class=\"svelte-pb2lb5\"> </kbd>"), root_2 = from_html("<!> <li class=\"command svelte-pb2lb5\" role=\"option\"><!> <span class=\"svelte-pb2lb5\"> </span> <!></li>", 1), root_3 = from_html("<dialog class=\"svelte-pb2lb5\"><input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <ul role=\"listbox\" class=\"svelte-pb2lb5\"></ul></dialog>");
function Palette($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let dialog, query = state(""), active = state(0), commands = user_derived(() => [
		...screenCommands.list,
		{
			id: "new",
			label: t.shell.newChat,
			icon: SquarePen,
			keys: `${MOD} Shift O`,
			run: () => navigate("/")
		},
		{
			id: "sidebar",
			label: t.keys.sidebar,
			icon: PanelLeft,
			keys: `${MOD} B`,
			run: $$props.ontoggle
		},
		{
			id: "theme",
			label: t.settings.switchTheme,
			icon: look.theme === "dark" ? Sun : Moon,
			run: switchTheme
		},
		{
			id: "notifications",
			label: t.notifications.title,
			icon: Bell,
			run: () => navigate("/notifications")
		},
		{
			id: "settings",
			label: t.shell.settings,
			icon: Settings,
			run: () => navigate("/settings")
		},
		...$$props.user.features.includes("memories") ? [{
			id: "memories",
			label: t.shell.memories,
			icon: Brain,
			run: () => navigate("/memories")
		}] : [],
		{
			id: "help",
			label: t.shell.shortcuts,
			icon: Keyboard,
			keys: "?",
			run: () => keys.help = !0
		},
		...projects.items.map((project) => ({
			id: project.id,
			label: project.name,
			group: t.shell.projects,
			run: () => navigate(`/projects/${project.id}`)
		})),
		...conversations.items.map((item) => ({
			id: item.id,
			label: item.title ?? t.shell.untitled,
			icon: MessageSquare,
			group: t.shell.conversations,
			run: () => navigate(`/conversations/${item.id}`)
		}))
	]), summaries = user_derived(() => Object.entries(VIEWS).flatMap(([path, { title }]) => path.includes(":") ? [] : [{
		id: path,
		label: t.overview.titles[title],
		icon: LayoutList,
		group: t.overview.summaries,
		run: () => navigate(path)
	}])), found = user_derived(() => {
		let words = get(query).toLowerCase().split(/\s+/).filter(Boolean);
		return [...get(commands), ...words.length > 0 ? get(summaries) : []].filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))).slice(0, 30);
	});
	function switchTheme() {
		let theme = look.theme === "dark" ? "light" : "dark";
		look.theme = theme, call("users.update_user_preferences", { body: { theme } }).then(reloadUser).catch(why.report);
	}
	onMount(() => {
		let former = document.activeElement;
		return dialog.showModal(), () => {
			former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	function run(command) {
		command && ($$props.onclose(), tick().then(command.run));
	}
	function press(event) {
		if (event.key === "ArrowDown") set(active, (get(active) + 1) % Math.max(1, get(found).length));
		else if (event.key === "ArrowUp") set(active, (get(active) - 1 + get(found).length) % Math.max(1, get(found).length));
		else if (event.key === "Enter") run(get(found)[get(active)]);
		else return;
		event.preventDefault(), tick().then(() => document.getElementById(`${id}-${get(active)}`)?.scrollIntoView({ block: "nearest" }));
	}
	var dialog_1 = root_3(), input = child(dialog_1);
	remove_input_defaults(input), autofocus(input, !0);
	var ul = sibling(input, 2);
	each(ul, 23, () => get(found), (command) => command.id, ($$anchor, command, at) => {
		var fragment = root_2(), node = first_child(fragment), consequent = ($$anchor) => {
			var li = root(), text = only_child(li, !0);
			template_effect(() => set_text(text, get(command).group)), append($$anchor, li);
		};
		if_block(node, ($$render) => {
			get(command).group && get(command).group !== get(found)[get(at) - 1]?.group && $$render(consequent);
		});
		var li_1 = sibling(node, 2), node_1 = child(li_1), consequent_1 = ($$anchor) => {
			Icon($$anchor, {
				get of() {
					return get(command).icon;
				},
				size: 16
			});
		};
		if_block(node_1, ($$render) => {
			get(command).icon && $$render(consequent_1);
		});
		var span = sibling(node_1, 2), text_1 = only_child(span, !0), node_2 = sibling(span, 2), consequent_2 = ($$anchor) => {
			var kbd = root_1(), text_2 = only_child(kbd, !0);
			template_effect(() => set_text(text_2, get(command).keys)), append($$anchor, kbd);
		};
		if_block(node_2, ($$render) => {
			get(command).keys && $$render(consequent_2);
		}), reset(li_1), template_effect(() => {
			set_attribute(li_1, "id", `${id}-${get(at) ?? ""}`), set_attribute(li_1, "aria-selected", get(at) === get(active)), set_text(text_1, get(command).label);
		}), delegated("click", li_1, () => run(get(command))), delegated("pointermove", li_1, () => set(active, get(at), !0)), append($$anchor, fragment);
	}, ($$anchor) => {
		var li_2 = root(), text_3 = only_child(li_2, !0);
		template_effect(() => set_text(text_3, t.keys.nothing)), append($$anchor, li_2);
	}), reset(ul), reset(dialog_1), bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog), template_effect(() => {
		set_attribute(dialog_1, "aria-label", t.shell.commands), set_attribute(input, "aria-controls", `${id}-list`), set_attribute(input, "aria-activedescendant", get(found)[get(active)] ? `${id}-${get(active)}` : void 0), set_attribute(input, "aria-label", t.shell.commands), set_attribute(input, "placeholder", t.keys.placeholder), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", t.shell.commands);
	}), event("cancel", dialog_1, (event) => {
		event.preventDefault(), $$props.onclose();
	}), delegated("click", dialog_1, (event) => {
		event.target === dialog && $$props.onclose();
	}), delegated("input", input, () => set(active, 0)), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), append($$anchor, dialog_1), pop();
}
delegate([
	"click",
	"input",
	"keydown",
	"pointermove"
]);
export { Help, Palette };
