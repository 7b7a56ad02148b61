import { append, child, event, first_child, from_html, get, next, pop, props_id, proxy, push, reset, set, set_attribute, set_text, sibling, state, template_effect, text, user_derived } from "./vendor.js";
import { Button, Dialog, Field, t } from "./parts.js";
// src/chat/CommentDialog.svelte
var root = from_html("<!> <!>", 1), root_1 = from_html("<form><!></form>");
function CommentDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let comment = state(proxy($$props.message.feedback?.comment ?? ""));
	function save(event) {
		event.preventDefault();
		let rating = $$props.message.feedback?.rating;
		rating && get(comment).trim() && $$props.conversation.rate($$props.message, {
			rating,
			comment: get(comment).trim()
		}), $$props.onclose();
	}
	Dialog($$anchor, {
		get title() {
			return t.chat.thanks;
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
					template_effect(() => set_text(text$1, t.common.close)), append($$anchor, text$1);
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
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.save)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			}), append($$anchor, fragment_1);
		},
		children: ($$anchor, $$slotProps) => {
			var form = root_1(), node_2 = child(form);
			{
				let $0 = user_derived(() => $$props.message.feedback?.rating === "down" ? t.chat.whatWasBad : t.chat.whatWasGood);
				Field(node_2, {
					get label() {
						return get($0);
					},
					rows: 3,
					maxlength: 2e3,
					get value() {
						return get(comment);
					},
					set value($$value) {
						set(comment, $$value, !0);
					}
				});
			}
			reset(form), template_effect(() => set_attribute(form, "id", id)), event("submit", form, save), append($$anchor, form);
		},
		$$slots: {
			actions: !0,
			default: !0
		}
	}), pop();
}
export { CommentDialog as default };
