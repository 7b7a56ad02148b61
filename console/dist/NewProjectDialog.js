import { append, child, event, first_child, from_html, get, if_block, next, pop, props_id, push, reset, set, set_attribute, set_text, sibling, state, template_effect, text, user_derived } from "./vendor.js";
import { Button, Dialog, Field, ProblemNote, Submission, navigate, projects, t } from "./parts.js";
// src/shell/NewProjectDialog.svelte
var root = from_html("<!> <!>", 1), root_1 = from_html("<form><!> <!></form>");
function NewProjectDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let name = state(""), submission = new Submission();
	function create(event) {
		event.preventDefault(), submission.run(async () => {
			let project = await projects.create(get(name).trim());
			$$props.onclose(), navigate(`/projects/${project.id}`);
		});
	}
	Dialog($$anchor, {
		get title() {
			return t.shell.newProject;
		},
		get onclose() {
			return $$props.onclose;
		},
		actions: ($$anchor) => {
			var fragment_1 = root(), node = first_child(fragment_1);
			Button(node, {
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text$1 = text();
					template_effect(() => set_text(text$1, t.common.cancel)), append($$anchor, text$1);
				},
				$$slots: { default: !0 }
			});
			var node_1 = sibling(node, 2);
			Button(node_1, {
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
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.create)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1(), node_2 = child(form);
			{
				let $0 = user_derived(() => submission.fault("name"));
				Field(node_2, {
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
			var node_3 = sibling(node_2, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, { get problem() {
					return submission.problem;
				} });
			}, d = user_derived(() => submission.besides("name"));
			if_block(node_3, ($$render) => {
				get(d) && $$render(consequent);
			}), reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, create), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
export { NewProjectDialog as default };
