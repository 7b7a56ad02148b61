import { append, child, each, first_child, from_html, get, if_block, next, pop, push, reset, set_text, sibling, template_effect, text, user_derived } from "./vendor.js";
import { Button, Dialog, Folder, FolderPlus, ProblemNote, StatePanel, Submission, conversations, projects, t } from "./parts.js";
// src/shell/MoveDialog.svelte
var root = from_html("<li><!></li>"), root_1 = from_html("<!> <!> <ul role=\"list\" class=\"svelte-1pvramt\"></ul>", 1);
function MoveDialog($$anchor, $$props) {
	push($$props, !0);
	let submission = new Submission();
	async function move(project) {
		await submission.run(() => conversations.move($$props.conversation, project)) && $$props.onclose();
	}
	Dialog($$anchor, {
		get title() {
			return t.shell.moveTo;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_1(), node = first_child(fragment_1), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			};
			if_block(node, ($$render) => {
				submission.problem && $$render(consequent);
			});
			var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
				StatePanel($$anchor, {
					get icon() {
						return FolderPlus;
					},
					get title() {
						return t.projects.none;
					},
					get text() {
						return t.projects.noneText;
					}
				});
			};
			if_block(node_1, ($$render) => {
				projects.items.length === 0 && $$render(consequent_1);
			});
			var ul = sibling(node_1, 2);
			each(ul, 21, () => projects.items, (project) => project.id, ($$anchor, project) => {
				let allowed = user_derived(() => get(project).permissions.add_conversations);
				var li = root(), node_2 = child(li);
				{
					let $0 = user_derived(() => get(allowed) ? void 0 : {
						operation: "projects.add_conversation_to_project",
						object: get(project).id,
						reason: get(project).permissions.member ? void 0 : t.projects.notMember
					}), $1 = user_derived(() => get(project).id === $$props.conversation.project_id || void 0);
					Button(node_2, {
						variant: "quiet",
						get icon() {
							return Folder;
						},
						get refused() {
							return get($0);
						},
						get "aria-current"() {
							return get($1);
						},
						onclick: () => void move(get(project).id),
						children: ($$anchor, $$slotProps) => {
							next();
							var text$1 = text();
							template_effect(() => set_text(text$1, get(project).name)), append($$anchor, text$1);
						},
						$$slots: { default: !0 }
					});
				}
				reset(li), append($$anchor, li);
			}), reset(ul), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
export { MoveDialog as default };
