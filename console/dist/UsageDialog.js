import { append, each, first_child, from_html, get, only_child, pop, push, reset, set_text, sibling, template_effect, to_array, untrack, user_derived, user_effect } from "./vendor.js";
import { Dialog, cost, dateTime, duration, number, t } from "./parts.js";
// src/chat/UsageDialog.svelte
var root = from_html("<dt class=\"svelte-3cfnhl\"> </dt><dd class=\"svelte-3cfnhl\"> </dd>", 1), root_1 = from_html("<dl class=\"svelte-3cfnhl\"></dl>");
function UsageDialog($$anchor, $$props) {
	push($$props, !0), user_effect(() => {
		let { run_id } = $$props.message;
		run_id && untrack(() => $$props.conversation.runs.read(run_id));
	});
	let terminal = user_derived(() => $$props.conversation.runs.of($$props.message.run_id)?.terminal), took = user_derived(() => get(terminal)?.started_at ? duration(Date.parse(get(terminal).finished_at) - Date.parse(get(terminal).started_at)) : void 0), usage = user_derived(() => $$props.message.usage), rows = user_derived(() => [
		[t.chat.model, $$props.message.model ?? "–"],
		[t.chat.written, dateTime($$props.message.created_at)],
		...get(took) ? [[t.chat.duration, get(took)]] : [],
		[t.chat.cost, cost($$props.message.cost_nanos ?? 0)],
		[t.chat.inputTokens, number(get(usage)?.input_tokens ?? 0)],
		[t.chat.cachedTokens, number(get(usage)?.cached_tokens ?? 0)],
		[t.chat.outputTokens, number(get(usage)?.output_tokens ?? 0)],
		[t.chat.reasoningTokens, number(get(usage)?.reasoning_tokens ?? 0)],
		...$$props.message.run_id ? [[t.chat.run, $$props.message.run_id]] : []
	]);
	Dialog($$anchor, {
		get title() {
			return t.chat.usage;
		},
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var dl = root_1();
			each(dl, 21, () => get(rows), ([label, value]) => label, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 2));
				let label = () => get($$array)[0], value = () => get($$array)[1];
				var fragment_1 = root(), dt = first_child(fragment_1), text = only_child(dt, !0), dd = sibling(dt), text_1 = only_child(dd, !0);
				template_effect(() => {
					set_text(text, label()), set_text(text_1, value());
				}), append($$anchor, fragment_1);
			}), reset(dl), append($$anchor, dl);
		},
		$$slots: { default: !0 }
	}), pop();
}
export { UsageDialog as default };
