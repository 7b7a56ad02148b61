// node_modules/svelte/src/internal/shared/utils.js
var is_array = Array.isArray, index_of = Array.prototype.indexOf, includes = Array.prototype.includes, array_from = Array.from, define_property = Object.defineProperty, get_descriptor = Object.getOwnPropertyDescriptor, get_descriptors = Object.getOwnPropertyDescriptors, object_prototype = Object.prototype, array_prototype = Array.prototype, get_prototype_of = Object.getPrototypeOf, is_extensible = Object.isExtensible;
function is_function(thing) {
	return typeof thing == "function";
}
var noop = () => {};
function is_promise(value) {
	return typeof value?.then == "function";
}
function run_all(arr) {
	for (var i = 0; i < arr.length; i++) arr[i]();
}
function deferred() {
	var resolve, reject;
	return {
		promise: new Promise((res, rej) => {
			resolve = res, reject = rej;
		}),
		resolve,
		reject
	};
}
function to_array(value, n) {
	if (Array.isArray(value)) return value;
	if (n === void 0 || !(Symbol.iterator in value)) return Array.from(value);
	let array = [];
	for (let element of value) if (array.push(element), array.length === n) break;
	return array;
}
// node_modules/svelte/src/internal/client/constants.js
var MANAGED_EFFECT = 1 << 24, CLEAN = 1024, DIRTY = 2048, MAYBE_DIRTY = 4096, INERT = 8192, DESTROYED = 16384, REACTION_RAN = 32768, DESTROYING = 1 << 25, EFFECT_TRANSPARENT = 65536, HEAD_EFFECT = 1 << 18, EFFECT_PRESERVED = 1 << 19, USER_EFFECT = 1 << 20, EFFECT_OFFSCREEN = 1 << 25, REACTION_IS_UPDATING = 1 << 21, ASYNC = 1 << 22, ERROR_VALUE = 1 << 23, STATE_SYMBOL = Symbol("$state"), COMPONENT_SYMBOL = Symbol("component"), LEGACY_PROPS = Symbol("legacy props"), LOADING_ATTR_SYMBOL = Symbol(""), ATTRIBUTES_CACHE = Symbol("attributes"), CLASS_CACHE = Symbol("class"), STYLE_CACHE = Symbol("style"), TEXT_CACHE = Symbol("text"), FORM_RESET_HANDLER = Symbol("form reset"), STALE_REACTION = new class extends Error {
	name = "StaleReactionError";
	message = "The reaction that called `getAbortSignal()` was re-run or destroyed";
}(), IS_XHTML = !!globalThis.document?.contentType && globalThis.document.contentType.includes("xml"), HYDRATION_ERROR = {}, UNINITIALIZED = Symbol("uninitialized"), NAMESPACE_HTML = "http://www.w3.org/1999/xhtml", NAMESPACE_SVG = "http://www.w3.org/2000/svg";
function derived_inert() {
	console.warn("https://svelte.dev/e/derived_inert");
}
function hydration_mismatch(location) {
	console.warn("https://svelte.dev/e/hydration_mismatch");
}
function select_multiple_invalid_value() {
	console.warn("https://svelte.dev/e/select_multiple_invalid_value");
}
function svelte_boundary_reset_noop() {
	console.warn("https://svelte.dev/e/svelte_boundary_reset_noop");
}
// node_modules/svelte/src/internal/client/dom/hydration.js
var hydrating = !1;
function set_hydrating(value) {
	hydrating = value;
}
var hydrate_node;
function set_hydrate_node(node) {
	if (node === null) throw hydration_mismatch(), HYDRATION_ERROR;
	return hydrate_node = node;
}
function hydrate_next() {
	return set_hydrate_node(get_next_sibling(hydrate_node));
}
function reset(node) {
	if (hydrating) {
		if (get_next_sibling(hydrate_node) !== null) throw hydration_mismatch(), HYDRATION_ERROR;
		hydrate_node = node;
	}
}
function next(count = 1) {
	if (hydrating) {
		for (var i = count, node = hydrate_node; i--;) node = get_next_sibling(node);
		hydrate_node = node;
	}
}
function skip_nodes(remove = !0) {
	for (var depth = 0, node = hydrate_node;;) {
		if (node.nodeType === 8) {
			var data = node.data;
			if (data === "]") {
				if (depth === 0) return node;
				--depth;
			} else (data === "[" || data === "[!" || data[0] === "[" && !isNaN(Number(data.slice(1)))) && (depth += 1);
		}
		var next = get_next_sibling(node);
		remove && node.remove(), node = next;
	}
}
function read_hydration_instruction(node) {
	if (!node || node.nodeType !== 8) throw hydration_mismatch(), HYDRATION_ERROR;
	return node.data;
}
// node_modules/svelte/src/internal/client/reactivity/equality.js
function equals(value) {
	return value === this.v;
}
function safe_not_equal(a, b) {
	return a == a ? a !== b || typeof a == "object" && !!a || typeof a == "function" : b == b;
}
function safe_equals(value) {
	return !safe_not_equal(value, this.v);
}
function lifecycle_outside_component(name) {
	throw Error("https://svelte.dev/e/lifecycle_outside_component");
}
// node_modules/svelte/src/internal/client/errors.js
function async_derived_orphan() {
	throw Error("https://svelte.dev/e/async_derived_orphan");
}
function each_key_duplicate(a, b, value) {
	throw Error("https://svelte.dev/e/each_key_duplicate");
}
function effect_in_teardown(rune) {
	throw Error("https://svelte.dev/e/effect_in_teardown");
}
function effect_in_unowned_derived() {
	throw Error("https://svelte.dev/e/effect_in_unowned_derived");
}
function effect_orphan(rune) {
	throw Error("https://svelte.dev/e/effect_orphan");
}
function effect_update_depth_exceeded() {
	throw Error("https://svelte.dev/e/effect_update_depth_exceeded");
}
function props_invalid_value(key) {
	throw Error("https://svelte.dev/e/props_invalid_value");
}
function state_descriptors_fixed() {
	throw Error("https://svelte.dev/e/state_descriptors_fixed");
}
function state_prototype_fixed() {
	throw Error("https://svelte.dev/e/state_prototype_fixed");
}
function state_unsafe_mutation() {
	throw Error("https://svelte.dev/e/state_unsafe_mutation");
}
function svelte_boundary_reset_onerror() {
	throw Error("https://svelte.dev/e/svelte_boundary_reset_onerror");
}
// node_modules/svelte/src/internal/shared/context.js
function get_parent_context(context) {
	let parent = context.p;
	for (; parent !== null && parent.c === null;) parent = parent.p;
	return parent?.c ?? null;
}
function get_or_init_context_map(context, name) {
	return context === null && lifecycle_outside_component(name), context.c ??= new Map(get_parent_context(context) || void 0);
}
// node_modules/svelte/src/internal/client/context.js
var component_context = null;
function set_component_context(context) {
	component_context = context;
}
function getContext(key) {
	return get_or_init_context_map(component_context, "getContext").get(key);
}
function setContext(key, context) {
	return get_or_init_context_map(component_context, "setContext").set(key, context), context;
}
function push(props, runes = !1, fn) {
	component_context = {
		p: component_context,
		i: !1,
		c: null,
		e: null,
		s: props,
		x: null,
		r: active_effect,
		l: null
	};
}
function pop(component) {
	var context = component_context, effects = context.e;
	if (effects !== null) {
		context.e = null;
		for (var fn of effects) create_user_effect(fn);
	}
	return component !== void 0 && (context.x = component), context.i = !0, component_context = context.p, mark_as_component(component);
}
function mark_as_component(component = {}) {
	return define_property(component, COMPONENT_SYMBOL, { value: !0 }), component;
}
function is_runes() {
	return !0;
}
// node_modules/svelte/src/internal/client/dom/task.js
var micro_tasks = [];
function run_micro_tasks() {
	var tasks = micro_tasks;
	micro_tasks = [], run_all(tasks);
}
function queue_micro_task(fn) {
	if (micro_tasks.length === 0 && !is_flushing_sync) {
		var tasks = micro_tasks;
		queueMicrotask(() => {
			tasks === micro_tasks && run_micro_tasks();
		});
	}
	micro_tasks.push(fn);
}
function flush_tasks() {
	for (; micro_tasks.length > 0;) run_micro_tasks();
}
// node_modules/svelte/src/internal/client/reactivity/status.js
var STATUS_MASK = ~(DIRTY | MAYBE_DIRTY | CLEAN);
function set_signal_status(signal, status) {
	signal.f = signal.f & STATUS_MASK | status;
}
function update_derived_status(derived) {
	derived.f & 512 || derived.deps === null ? set_signal_status(derived, CLEAN) : set_signal_status(derived, MAYBE_DIRTY);
}
// node_modules/svelte/src/internal/client/reactivity/utils.js
function defer_effect(effect, dirty_reactions) {
	effect.f & 2048 ? dirty_reactions.set(effect, DIRTY) : effect.f & 4096 && dirty_reactions.get(effect) !== 2048 && dirty_reactions.set(effect, MAYBE_DIRTY), set_signal_status(effect, CLEAN);
}
// node_modules/svelte/src/internal/client/dom/elements/misc.js
function autofocus(dom, value) {
	if (value) {
		let body = document.body;
		dom.autofocus = !0, queue_micro_task(() => {
			document.activeElement === body && dom.focus();
		});
	}
}
function remove_textarea_child(dom) {
	hydrating && get_first_child(dom) !== null && clear_text_content(dom);
}
var listening_to_form_reset = !1;
function add_form_reset_listener() {
	listening_to_form_reset || (listening_to_form_reset = !0, document.addEventListener("reset", (evt) => {
		Promise.resolve().then(() => {
			if (!evt.defaultPrevented) for (let e of evt.target.elements) e[FORM_RESET_HANDLER]?.();
		});
	}, { capture: !0 }));
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/shared.js
function without_reactive_context(fn) {
	var previous_reaction = active_reaction, previous_effect = active_effect;
	set_active_reaction(null), set_active_effect(null);
	try {
		return fn();
	} finally {
		set_active_reaction(previous_reaction), set_active_effect(previous_effect);
	}
}
function listen_to_event_and_reset_event(element, event, handler, on_reset = handler) {
	element.addEventListener(event, () => without_reactive_context(handler));
	let prev = element[FORM_RESET_HANDLER];
	element[FORM_RESET_HANDLER] = prev ? () => {
		prev(), on_reset(!0);
	} : () => on_reset(!0), add_form_reset_listener();
}
// node_modules/svelte/src/internal/client/reactivity/async.js
function flatten(blockers, sync, async, fn) {
	let d = is_runes() ? derived : derived_safe_equal;
	var pending = blockers.filter((b) => !b.settled), deriveds = sync.map(d);
	if (async.length === 0 && pending.length === 0) {
		fn(deriveds);
		return;
	}
	var parent = active_effect, restore = capture(), blocker_promise = pending.length === 1 ? pending[0].promise : pending.length > 1 ? Promise.all(pending.map((b) => b.promise)) : null;
	function finish(async) {
		if (!(parent.f & 16384)) {
			restore();
			try {
				fn([...deriveds, ...async]);
			} catch (error) {
				invoke_error_boundary(error, parent);
			}
			unset_context();
		}
	}
	var decrement_pending = increment_pending();
	if (async.length === 0) {
		blocker_promise.then(() => finish([])).finally(decrement_pending);
		return;
	}
	function run() {
		Promise.all(async.map((expression) => async_derived(expression))).then(finish).catch((error) => invoke_error_boundary(error, parent)).finally(decrement_pending);
	}
	blocker_promise ? blocker_promise.then(() => {
		parent.f & 16384 ? decrement_pending() : (restore(), run(), unset_context());
	}) : run();
}
function capture() {
	var previous_effect = active_effect, previous_reaction = active_reaction, previous_component_context = component_context, previous_batch = current_batch;
	return function(activate_batch = !0) {
		set_active_effect(previous_effect), set_active_reaction(previous_reaction), set_component_context(previous_component_context), activate_batch && !(previous_effect.f & 16384) && (previous_batch?.activate(), previous_batch?.apply());
	};
}
function unset_context(deactivate_batch = !0) {
	set_active_effect(null), set_active_reaction(null), set_component_context(null), deactivate_batch && current_batch?.deactivate();
}
function increment_pending() {
	var effect = active_effect, boundary = effect.b, batch = current_batch, blocking = !!boundary?.is_rendered();
	return boundary?.update_pending_count(1, batch), batch.increment(blocking, effect), () => {
		boundary?.update_pending_count(-1, batch), batch.decrement(blocking, effect);
	};
}
function derived(fn) {
	var flags = 2 | DIRTY;
	return active_effect !== null && (active_effect.f |= EFFECT_PRESERVED), {
		ctx: component_context,
		deps: null,
		effects: null,
		equals,
		f: flags,
		fn,
		reactions: null,
		rv: 0,
		v: UNINITIALIZED,
		wv: 0,
		parent: active_effect,
		ac: null
	};
}
var OBSOLETE = Symbol("obsolete");
function async_derived(fn, label, location) {
	let parent = active_effect;
	parent === null && async_derived_orphan();
	var promise = void 0, signal = source(UNINITIALIZED), should_suspend = !active_reaction, deferreds = new Set();
	return async_effect(() => {
		var effect = active_effect, d = deferred();
		promise = d.promise;
		try {
			Promise.resolve(fn()).then(d.resolve, (e) => {
				e !== STALE_REACTION && d.reject(e);
			}).finally(unset_context);
		} catch (error) {
			d.reject(error), unset_context();
		}
		var batch = current_batch;
		if (should_suspend) {
			if (effect.f & 32768) var decrement_pending = increment_pending();
			if (parent.b?.is_rendered()) batch.async_deriveds.get(effect)?.reject(OBSOLETE);
			else for (let d of deferreds.values()) d.reject(OBSOLETE);
			deferreds.add(d), batch.async_deriveds.set(effect, d);
		}
		let handler = (value, error = void 0) => {
			decrement_pending?.(), deferreds.delete(d), error !== OBSOLETE && (batch.activate(), error ? (signal.f |= ERROR_VALUE, internal_set(signal, error)) : (signal.f & 8388608 && (signal.f ^= ERROR_VALUE), internal_set(signal, value)), batch.deactivate());
		};
		d.promise.then(handler, (e) => handler(null, e || "unknown"));
	}), teardown(() => {
		for (let d of deferreds) d.reject(OBSOLETE);
	}), new Promise((fulfil) => {
		function next(p) {
			function go() {
				p === promise ? fulfil(signal) : next(promise);
			}
			p.then(go, go);
		}
		next(promise);
	});
}
function user_derived(fn) {
	let d = derived(fn);
	return push_reaction_value(d), d;
}
function derived_safe_equal(fn) {
	let signal = derived(fn);
	return signal.equals = safe_equals, signal;
}
function destroy_derived_effects(derived) {
	var effects = derived.effects;
	if (effects !== null) {
		derived.effects = null;
		for (var i = 0; i < effects.length; i += 1) destroy_effect(effects[i]);
	}
}
function execute_derived(derived) {
	var value, prev_active_effect = active_effect, parent = derived.parent;
	if (!is_destroying_effect && parent !== null && derived.v !== UNINITIALIZED && parent.f & 24576) return derived_inert(), derived.v;
	set_active_effect(parent);
	try {
		destroy_derived_effects(derived), value = update_reaction(derived);
	} finally {
		set_active_effect(prev_active_effect);
	}
	return value;
}
function update_derived(derived) {
	var value = execute_derived(derived);
	!derived.equals(value) && (derived.wv = increment_write_version(), (!current_batch?.is_fork || derived.deps === null) && (current_batch === null ? derived.v = value : (current_batch.capture(derived, value, !0), previous_batch?.capture(derived, value, !0)), derived.deps === null)) ? set_signal_status(derived, CLEAN) : is_destroying_effect || (batch_values === null ? update_derived_status(derived) : (effect_tracking() || current_batch?.is_fork) && batch_values.set(derived, value));
}
function freeze_derived_effects(derived) {
	if (derived.effects !== null) for (let e of derived.effects) (e.teardown || e.ac) && (e.teardown?.(), e.ac !== null && without_reactive_context(() => {
		e.ac.abort(STALE_REACTION), e.ac = null;
	}), e.fn !== null && (e.teardown = noop), remove_reactions(e, 0), destroy_effect_children(e));
}
function unfreeze_derived_effects(derived) {
	if (derived.effects !== null) for (let e of derived.effects) e.teardown && e.fn !== null && update_effect(e);
}
// node_modules/svelte/src/internal/client/reactivity/batch.js
var last_batch = null, current_batch = null, previous_batch = null, batch_values = null, last_scheduled_effect = null, is_flushing_sync = !1, is_processing = !1, collected_effects = null, legacy_updates = null, flush_count = 0, uid = 1, Batch = class Batch {
	id = uid++;
	started = !1;
	linked = !0;
	prev = null;
	next = null;
	async_deriveds = new Map();
	current = new Map();
	previous = new Map();
	#commit_callbacks = new Set();
	#discard_callbacks = new Set();
	#pending = 0;
	#blocking_pending = new Map();
	#deferred = null;
	#scheduled = [];
	#new_effects = [];
	#dirty_reactions = new Map();
	#skipped_branches = new Map();
	#unskipped_branches = new Set();
	is_fork = !1;
	#decrement_queued = !1;
	constructor() {
		last_batch === null ? last_batch = this : (last_batch.next = this, this.prev = last_batch), last_batch = this;
	}
	#is_deferred() {
		if (this.is_fork) return !0;
		for (let effect of this.#blocking_pending.keys()) if (!this.#is_skipped(effect)) return !0;
		return !1;
	}
	#is_skipped(effect) {
		for (var e = effect; e !== null; e = e.parent) if (this.#skipped_branches.has(e)) return !0;
		return !1;
	}
	skip_effect(effect) {
		this.#skipped_branches.has(effect) || this.#skipped_branches.set(effect, {
			d: [],
			m: []
		}), this.#unskipped_branches.delete(effect);
	}
	unskip_effect(effect, callback = (e) => this.schedule(e)) {
		var tracked = this.#skipped_branches.get(effect);
		if (tracked) {
			this.#skipped_branches.delete(effect);
			for (var e of tracked.d) set_signal_status(e, DIRTY), callback(e);
			for (e of tracked.m) set_signal_status(e, MAYBE_DIRTY), callback(e);
		}
		this.#unskipped_branches.add(effect);
	}
	#resolve() {
		var roots = [];
		for (let effect of this.#scheduled) if (!(effect.f & 16384 || !(effect.f & 6144))) {
			for (var e = effect, covered = !1; e.parent !== null;) {
				e = e.parent;
				var flags = e.f;
				if (flags & 96) {
					if (!(flags & 1024)) {
						covered = !0;
						break;
					}
					e.f ^= CLEAN;
				}
			}
			covered || roots.push(e);
		}
		return this.#scheduled = [], roots;
	}
	#process() {
		this.started = !0;
		for (let [e, status] of this.#dirty_reactions) set_signal_status(e, status), this.schedule(e);
		this.apply();
		for (var effects = collected_effects = [], render_effects = [], updates = legacy_updates = []; this.#scheduled.length > 0;) {
			flush_count++ > 1e3 && (this.#unlink(), infinite_loop_guard());
			for (let root of this.#resolve()) try {
				this.#traverse(root, effects, render_effects);
			} catch (e) {
				throw reset_all(root), this.#is_deferred() || this.discard(), e;
			}
		}
		if (current_batch = null, updates.length > 0) {
			var batch = Batch.ensure();
			for (let e of updates) batch.schedule(e);
		}
		if (collected_effects = null, legacy_updates = null, this.#is_deferred()) {
			this.#defer_effects(render_effects), this.#defer_effects(effects);
			for (let [e, t] of this.#skipped_branches) reset_branch(e, t);
			updates.length > 0 && current_batch.#process();
			return;
		}
		let earlier_batch = this.#find_earlier_batch();
		if (earlier_batch) this.#defer_effects(render_effects), this.#defer_effects(effects), earlier_batch.#merge(this);
		else {
			this.#dirty_reactions.clear();
			for (let fn of this.#commit_callbacks) fn(this);
			this.#commit_callbacks.clear(), previous_batch = this, flush_queued_effects(render_effects), flush_queued_effects(effects), previous_batch = null, this.#deferred?.resolve();
			var next_batch = current_batch;
			this.#pending === 0 && (this.#scheduled.length === 0 || next_batch !== null) && this.#unlink(), next_batch !== null && (old_values.clear(), next_batch.#process());
		}
	}
	#traverse(root, effects, render_effects) {
		root.f ^= CLEAN;
		for (var effect = root.first; effect !== null;) {
			var flags = effect.f, is_branch = !!(flags & 96);
			if (!(is_branch && flags & 1024 || flags & 8192 || this.#skipped_branches.has(effect)) && effect.fn !== null) {
				is_branch ? effect.f ^= CLEAN : flags & 4 ? effects.push(effect) : is_dirty(effect) && (flags & 16 && this.add_dirty_reaction(effect, MAYBE_DIRTY), update_effect(effect));
				var child = effect.first;
				if (child !== null) {
					effect = child;
					continue;
				}
			}
			for (; effect !== null;) {
				var next = effect.next;
				if (next !== null) {
					effect = next;
					break;
				}
				effect = effect.parent;
			}
		}
	}
	#find_earlier_batch() {
		for (var batch = this.prev; batch !== null; batch = batch.prev) if (!batch.is_fork && this.#intersects(batch)) return batch;
		return null;
	}
	#intersects(batch) {
		for (let [source, [, is_derived]] of this.current) if (!is_derived && batch.current.has(source)) return !0;
		return !1;
	}
	#merge(batch) {
		for (let [source, value] of batch.current) !this.previous.has(source) && batch.previous.has(source) && this.previous.set(source, batch.previous.get(source)), this.current.set(source, value);
		for (let [effect, deferred] of batch.async_deriveds) {
			let d = this.async_deriveds.get(effect);
			d && deferred.promise.then(d.resolve).catch(d.reject);
		}
		batch.async_deriveds.clear(), this.transfer_reactions(batch.#dirty_reactions);
		let mark = (value) => {
			var reactions = value.reactions;
			if (reactions !== null && !(value.f & 2 && !(value.f & 6144))) for (let reaction of reactions) {
				var flags = reaction.f;
				if (flags & 2) mark(reaction);
				else {
					var effect = reaction;
					flags & 4194320 && !this.async_deriveds.has(effect) && (this.#dirty_reactions.delete(effect), set_signal_status(effect, DIRTY), this.schedule(effect));
				}
			}
		};
		for (let source of this.current.keys()) mark(source);
		this.oncommit(() => batch.discard()), batch.#unlink(), current_batch = this, this.#process();
	}
	#defer_effects(effects) {
		for (var i = 0; i < effects.length; i += 1) defer_effect(effects[i], this.#dirty_reactions);
	}
	capture(source, value, is_derived = !1) {
		source.v !== UNINITIALIZED && !this.previous.has(source) && this.previous.set(source, source.v), source.f & 8388608 || (this.current.set(source, [value, is_derived]), batch_values?.set(source, value)), this.is_fork || (source.v = value);
	}
	activate() {
		current_batch = this;
	}
	deactivate() {
		current_batch = null, batch_values = null;
	}
	flush() {
		try {
			is_processing = !0, current_batch = this, this.#process();
		} finally {
			flush_count = 0, last_scheduled_effect = null, collected_effects = null, legacy_updates = null, is_processing = !1, current_batch = null, batch_values = null, old_values.clear();
		}
	}
	discard() {
		for (let fn of this.#discard_callbacks) fn(this);
		this.#discard_callbacks.clear();
		for (let deferred of this.async_deriveds.values()) deferred.reject(OBSOLETE);
		this.#unlink(), this.#deferred?.resolve();
	}
	register_created_effect(effect) {
		this.#new_effects.push(effect);
	}
	increment(blocking, effect) {
		if (this.#pending += 1, blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			this.#blocking_pending.set(effect, blocking_pending_count + 1);
		}
	}
	decrement(blocking, effect) {
		if (--this.#pending, blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			blocking_pending_count === 1 ? this.#blocking_pending.delete(effect) : this.#blocking_pending.set(effect, blocking_pending_count - 1);
		}
		this.#decrement_queued || (this.#decrement_queued = !0, queue_micro_task(() => {
			this.#decrement_queued = !1, this.linked && this.flush();
		}));
	}
	transfer_reactions(dirty_reactions) {
		for (let [effect, status] of dirty_reactions) this.add_dirty_reaction(effect, status);
		dirty_reactions.clear();
	}
	add_dirty_reaction(effect, status) {
		(status === 2048 || this.#dirty_reactions.get(effect) !== 2048) && this.#dirty_reactions.set(effect, status);
	}
	oncommit(fn) {
		this.#commit_callbacks.add(fn);
	}
	ondiscard(fn) {
		this.#discard_callbacks.add(fn);
	}
	settled() {
		return (this.#deferred ??= deferred()).promise;
	}
	static ensure() {
		if (current_batch === null) {
			let batch = current_batch = new Batch();
			!is_processing && !is_flushing_sync && queue_micro_task(() => {
				batch.started || batch.flush();
			});
		}
		return current_batch;
	}
	apply() {
		batch_values = null;
	}
	schedule(effect) {
		last_scheduled_effect = effect, effect.b?.is_pending && effect.f & 16777228 && !(effect.f & 32768) ? effect.b.defer_effect(effect) : this.#scheduled.push(effect);
	}
	#unlink() {
		if (this.linked) {
			var prev = this.prev, next = this.next;
			prev === null || (prev.next = next), next === null ? last_batch = prev : next.prev = prev, this.linked = !1;
		}
	}
};
function flushSync(fn) {
	var was_flushing_sync = is_flushing_sync, prev_previous_batch = previous_batch;
	previous_batch = null, is_flushing_sync = !0;
	try {
		var result;
		for (fn && (flushSync(), result = fn());;) {
			if (flush_tasks(), current_batch === null) return result;
			current_batch.flush();
		}
	} finally {
		is_flushing_sync = was_flushing_sync, previous_batch = prev_previous_batch;
	}
}
function infinite_loop_guard() {
	try {
		effect_update_depth_exceeded();
	} catch (error) {
		invoke_error_boundary(error, last_scheduled_effect);
	}
}
var eager_block_effects = null;
function flush_queued_effects(effects) {
	var length = effects.length;
	if (length !== 0) {
		for (var i = 0; i < length;) {
			var effect = effects[i++];
			if (!(effect.f & 24576) && is_dirty(effect) && (eager_block_effects = new Set(), update_effect(effect), effect.deps === null && effect.first === null && effect.nodes === null && effect.teardown === null && effect.ac === null && unlink_effect(effect), eager_block_effects?.size > 0)) {
				old_values.clear();
				for (let e of eager_block_effects) {
					if (e.f & 24576) continue;
					let ordered_effects = [e], ancestor = e.parent;
					for (; ancestor !== null;) eager_block_effects.has(ancestor) && (eager_block_effects.delete(ancestor), ordered_effects.push(ancestor)), ancestor = ancestor.parent;
					for (let j = ordered_effects.length - 1; j >= 0; j--) {
						let e = ordered_effects[j];
						e.f & 24576 || update_effect(e);
					}
				}
				eager_block_effects.clear();
			}
		}
		eager_block_effects = null;
	}
}
function schedule_effect(effect) {
	current_batch.schedule(effect);
}
function reset_branch(effect, tracked) {
	if (!(effect.f & 32 && effect.f & 1024)) {
		effect.f & 2048 ? tracked.d.push(effect) : effect.f & 4096 && tracked.m.push(effect), set_signal_status(effect, CLEAN);
		for (var e = effect.first; e !== null;) reset_branch(e, tracked), e = e.next;
	}
}
function reset_all(effect) {
	set_signal_status(effect, CLEAN);
	for (var e = effect.first; e !== null;) reset_all(e), e = e.next;
}
// node_modules/svelte/src/internal/client/reactivity/sources.js
var eager_effects = new Set(), old_values = new Map(), eager_effects_deferred = !1;
function source(v, stack) {
	return {
		f: 0,
		v,
		reactions: null,
		equals,
		rv: 0,
		wv: 0
	};
}
function state(v, stack) {
	let s = source(v, stack);
	return push_reaction_value(s), s;
}
function mutable_source(initial_value, immutable = !1, trackable = !0) {
	let s = source(initial_value);
	return immutable || (s.equals = safe_equals), s;
}
function set(source, value, should_proxy = !1) {
	return active_reaction !== null && (!untracking || active_reaction.f & 131072) && is_runes() && active_reaction.f & 4325394 && (current_sources === null || !current_sources.has(source)) && state_unsafe_mutation(), internal_set(source, should_proxy ? proxy(value) : value, legacy_updates);
}
var seen = null, count_deps = 0;
function internal_set(source, value, updated_during_traversal = null) {
	if (!source.equals(value)) {
		is_destroying_effect ? old_values.set(source, value) : old_values.has(source) || old_values.set(source, source.v);
		var batch = Batch.ensure();
		if (batch.capture(source, value), source.f & 2) {
			let derived = source;
			source.f & 2048 && execute_derived(derived), batch_values === null && update_derived_status(derived);
		}
		source.wv = increment_write_version(), seen = null, count_deps = 0, mark_reactions(source, DIRTY, updated_during_traversal), seen = null, is_runes() && active_effect !== null && active_effect.f & 1024 && !(active_effect.f & 96) && (untracked_writes === null ? set_untracked_writes([source]) : untracked_writes.push(source)), !batch.is_fork && eager_effects.size > 0 && !eager_effects_deferred && flush_eager_effects();
	}
	return value;
}
function flush_eager_effects() {
	eager_effects_deferred = !1;
	for (let effect of eager_effects) {
		effect.f & 1024 && set_signal_status(effect, MAYBE_DIRTY);
		let dirty;
		try {
			dirty = is_dirty(effect);
		} catch {
			dirty = !0;
		}
		dirty && update_effect(effect);
	}
	eager_effects.clear();
}
function update(source, d = 1) {
	var value = get(source), result = d === 1 ? value++ : value--;
	return set(source, value), result;
}
function increment(source) {
	set(source, source.v + 1);
}
function mark_reactions(signal, status, updated_during_traversal) {
	var reactions = signal.reactions;
	if (reactions !== null) {
		var runes = is_runes(), length = reactions.length;
		if (count_deps += length, count_deps > 1e5 && seen === null && (seen = new Set()), seen !== null) {
			if (seen.has(signal)) return;
			seen.add(signal);
		}
		for (var i = 0; i < length; i++) {
			var reaction = reactions[i], flags = reaction.f;
			if (runes || reaction !== active_effect) {
				var not_dirty = (flags & DIRTY) === 0;
				if (not_dirty && set_signal_status(reaction, status), flags & 131072) eager_effects.add(reaction);
				else if (flags & 2) {
					var derived = reaction;
					batch_values?.delete(derived), mark_reactions(derived, MAYBE_DIRTY, updated_during_traversal);
				} else if (not_dirty) {
					var effect = reaction;
					flags & 16 && eager_block_effects !== null && eager_block_effects.add(effect), updated_during_traversal === null ? schedule_effect(effect) : updated_during_traversal.push(effect);
				}
			}
		}
	}
}
function proxy(value) {
	if (typeof value != "object" || !value || STATE_SYMBOL in value || COMPONENT_SYMBOL in value) return value;
	let prototype = get_prototype_of(value);
	if (prototype !== object_prototype && prototype !== array_prototype) return value;
	var sources = new Map(), is_proxied_array = is_array(value), version = state(0), stack = null, parent_version = update_version, with_parent = (fn) => {
		if (update_version === parent_version) return fn();
		var reaction = active_reaction, version = update_version;
		set_active_reaction(null), set_update_version(parent_version);
		var result = fn();
		return set_active_reaction(reaction), set_update_version(version), result;
	};
	return is_proxied_array && sources.set("length", state(value.length, stack)), new Proxy(value, {
		defineProperty(_, prop, descriptor) {
			"value" in descriptor && descriptor.configurable !== !1 && descriptor.enumerable !== !1 && descriptor.writable !== !1 || state_descriptors_fixed();
			var s = sources.get(prop);
			return s === void 0 ? with_parent(() => {
				var s = state(descriptor.value, stack);
				return sources.set(prop, s), s;
			}) : set(s, descriptor.value, !0), !0;
		},
		deleteProperty(target, prop) {
			var s = sources.get(prop);
			if (s === void 0) {
				if (prop in target) {
					let s = with_parent(() => state(UNINITIALIZED, stack));
					sources.set(prop, s), increment(version);
				}
			} else set(s, UNINITIALIZED), increment(version);
			return !0;
		},
		get(target, prop, receiver) {
			if (prop === STATE_SYMBOL) return value;
			var s = sources.get(prop), exists = prop in target;
			if (s === void 0 && (!exists || get_descriptor(target, prop)?.writable) && (s = with_parent(() => state(proxy(exists ? target[prop] : UNINITIALIZED), stack)), sources.set(prop, s)), s !== void 0) {
				var v = get(s);
				return v === UNINITIALIZED ? void 0 : v;
			}
			return Reflect.get(target, prop, receiver);
		},
		getOwnPropertyDescriptor(target, prop) {
			this.has?.(target, prop);
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop), s = sources.get(prop);
			if (s !== void 0) {
				var value = get(s);
				if (value === UNINITIALIZED) return;
				if (descriptor && "value" in descriptor) descriptor.value = value;
				else return {
					enumerable: !0,
					configurable: !0,
					value,
					writable: !0
				};
			}
			return descriptor;
		},
		has(target, prop) {
			if (prop === STATE_SYMBOL) return !0;
			var s = sources.get(prop), has = s !== void 0 && s.v !== UNINITIALIZED || Reflect.has(target, prop);
			return (s !== void 0 || (active_effect !== null || active_reaction !== null) && (!has || get_descriptor(target, prop)?.writable)) && (s === void 0 && (s = with_parent(() => state(has ? proxy(target[prop]) : UNINITIALIZED, stack)), sources.set(prop, s)), get(s) === UNINITIALIZED) ? !1 : has;
		},
		set(target, prop, value, receiver) {
			var s = sources.get(prop), has = prop in target;
			if (is_proxied_array && prop === "length") for (var i = value; i < s.v; i += 1) {
				var other_s = sources.get(i + "");
				other_s === void 0 ? i in target && (other_s = with_parent(() => state(UNINITIALIZED, stack)), sources.set(i + "", other_s)) : set(other_s, UNINITIALIZED);
			}
			if (s === void 0) (!has || get_descriptor(target, prop)?.writable) && (s = with_parent(() => state(void 0, stack)), set(s, proxy(value)), sources.set(prop, s));
			else {
				has = s.v !== UNINITIALIZED;
				var p = with_parent(() => proxy(value));
				set(s, p);
			}
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop);
			if (descriptor?.set && descriptor.set.call(receiver, value), !has) {
				if (is_proxied_array && typeof prop == "string") {
					var ls = sources.get("length"), n = Number(prop);
					Number.isInteger(n) && n >= ls.v && set(ls, n + 1);
				}
				increment(version);
			}
			return !0;
		},
		ownKeys(target) {
			get(version);
			var own_keys = Reflect.ownKeys(target).filter((key) => {
				var source = sources.get(key);
				return source === void 0 || source.v !== UNINITIALIZED;
			});
			for (var [key, source] of sources) source.v !== UNINITIALIZED && !(key in target) && own_keys.push(key);
			return own_keys;
		},
		setPrototypeOf() {
			state_prototype_fixed();
		}
	});
}
function get_proxied_value(value) {
	try {
		if (typeof value == "object" && value && STATE_SYMBOL in value) return value[STATE_SYMBOL];
	} catch {}
	return value;
}
function is(a, b) {
	return Object.is(get_proxied_value(a), get_proxied_value(b));
}
var $window, $document, is_firefox, first_child_getter, next_sibling_getter;
function init_operations() {
	if ($window === void 0) {
		$window = window, $document = document, is_firefox = /Firefox/.test(navigator.userAgent);
		var element_prototype = Element.prototype, node_prototype = Node.prototype, text_prototype = Text.prototype;
		first_child_getter = get_descriptor(node_prototype, "firstChild").get, next_sibling_getter = get_descriptor(node_prototype, "nextSibling").get, is_extensible(element_prototype) && (element_prototype[CLASS_CACHE] = void 0, element_prototype[ATTRIBUTES_CACHE] = null, element_prototype[STYLE_CACHE] = void 0, element_prototype.__e = void 0), is_extensible(text_prototype) && (text_prototype[TEXT_CACHE] = void 0);
	}
}
function create_text(value = "") {
	return document.createTextNode(value);
}
function get_first_child(node) {
	return first_child_getter.call(node);
}
function get_next_sibling(node) {
	return next_sibling_getter.call(node);
}
function child(node, is_text) {
	if (!hydrating) return get_first_child(node);
	var child = get_first_child(hydrate_node);
	if (child === null) child = hydrate_node.appendChild(create_text());
	else if (is_text && child.nodeType !== 3) {
		var text = create_text();
		return child?.before(text), set_hydrate_node(text), text;
	}
	return is_text && merge_text_nodes(child), set_hydrate_node(child), child;
}
function first_child(node, is_text = !1) {
	if (!hydrating) {
		var first = get_first_child(node);
		return first instanceof Comment && first.data === "" ? get_next_sibling(first) : first;
	}
	if (is_text) {
		if (hydrate_node?.nodeType !== 3) {
			var text = create_text();
			return hydrate_node?.before(text), set_hydrate_node(text), text;
		}
		merge_text_nodes(hydrate_node);
	}
	return hydrate_node;
}
function only_child(node, is_text = !1) {
	if (!hydrating) return get_first_child(node);
	var first = child(node, is_text);
	return reset(node), first;
}
function sibling(node, count = 1, is_text = !1) {
	let next_sibling = hydrating ? hydrate_node : node;
	for (var last_sibling; count--;) last_sibling = next_sibling, next_sibling = get_next_sibling(next_sibling);
	if (!hydrating) return next_sibling;
	if (is_text) {
		if (next_sibling?.nodeType !== 3) {
			var text = create_text();
			return next_sibling === null ? last_sibling?.after(text) : next_sibling.before(text), set_hydrate_node(text), text;
		}
		merge_text_nodes(next_sibling);
	}
	return set_hydrate_node(next_sibling), next_sibling;
}
function clear_text_content(node) {
	node.textContent = "";
}
function should_defer_append() {
	return !1;
}
function create_element(tag, namespace, is) {
	return namespace == null || namespace === "http://www.w3.org/1999/xhtml" ? is ? document.createElement(tag, { is }) : document.createElement(tag) : is ? document.createElementNS(namespace, tag, { is }) : document.createElementNS(namespace, tag);
}
function merge_text_nodes(text) {
	if (text.nodeValue.length < 65536) return;
	let next = text.nextSibling;
	for (; next !== null && next.nodeType === 3;) next.remove(), text.nodeValue += next.nodeValue, next = text.nextSibling;
}
function handle_error(error) {
	var effect = active_effect;
	if (effect === null) return active_reaction.f |= ERROR_VALUE, error;
	if (!(effect.f & 32768) && !(effect.f & 4)) throw error;
	invoke_error_boundary(error, effect);
}
function invoke_error_boundary(error, effect) {
	if (error === HYDRATION_ERROR) throw error;
	if (!(effect !== null && effect.f & 16384)) {
		for (; effect !== null;) {
			if (effect.f & 128 && !(effect.f & 33570816)) {
				if (!(effect.f & 32768)) throw error;
				try {
					effect.b.error(error);
					return;
				} catch (e) {
					error = e;
				}
			}
			effect = effect.parent;
		}
		throw error;
	}
}
// node_modules/svelte/src/internal/client/reactivity/effects.js
function validate_effect(rune) {
	active_effect === null && (active_reaction === null && effect_orphan(rune), effect_in_unowned_derived()), is_destroying_effect && effect_in_teardown(rune);
}
function push_effect(effect, parent_effect) {
	var parent_last = parent_effect.last;
	parent_last === null ? parent_effect.last = parent_effect.first = effect : (parent_last.next = effect, effect.prev = parent_last, parent_effect.last = effect);
}
function create_effect(type, fn) {
	var parent = active_effect;
	parent !== null && parent.f & 8192 && (type |= INERT);
	var effect = {
		ctx: component_context,
		deps: null,
		nodes: null,
		f: type | DIRTY | 512,
		first: null,
		fn,
		last: null,
		next: null,
		parent,
		b: parent && parent.b,
		prev: null,
		teardown: null,
		wv: 0,
		ac: null
	};
	current_batch?.register_created_effect(effect);
	var e = effect;
	if (type & 4) collected_effects === null ? Batch.ensure().schedule(effect) : collected_effects.push(effect);
	else if (fn !== null) {
		try {
			update_effect(effect);
		} catch (e) {
			throw destroy_effect(effect), e;
		}
		e.deps === null && e.teardown === null && e.nodes === null && e.first === e.last && !(e.f & 524288) && (e = e.first, type & 16 && type & 65536 && e !== null && (e.f |= EFFECT_TRANSPARENT));
	}
	if (e !== null && (e.parent = parent, parent !== null && push_effect(e, parent), active_reaction !== null && active_reaction.f & 2 && !(type & 64))) {
		var derived = active_reaction;
		(derived.effects ??= []).push(e);
	}
	return effect;
}
function effect_tracking() {
	return active_reaction !== null && !untracking;
}
function teardown(fn) {
	let effect = create_effect(8, null);
	return set_signal_status(effect, CLEAN), effect.teardown = fn, effect;
}
function user_effect(fn) {
	validate_effect("$effect");
	var flags = active_effect.f;
	if (!active_reaction && flags & 32 && component_context !== null && !component_context.i) {
		var context = component_context;
		(context.e ??= []).push(fn);
	} else return create_user_effect(fn);
}
function create_user_effect(fn) {
	return create_effect(4 | USER_EFFECT, fn);
}
function user_pre_effect(fn) {
	return validate_effect("$effect.pre"), create_effect(8 | USER_EFFECT, fn);
}
function component_root(fn) {
	Batch.ensure();
	let effect = create_effect(64 | EFFECT_PRESERVED, fn);
	return (options = {}) => new Promise((fulfil) => {
		options.outro ? pause_effect(effect, () => {
			destroy_effect(effect), fulfil(void 0);
		}) : (destroy_effect(effect), fulfil(void 0));
	});
}
function effect(fn) {
	return create_effect(4, fn);
}
function async_effect(fn) {
	return create_effect(ASYNC | EFFECT_PRESERVED, fn);
}
function render_effect(fn, flags = 0) {
	return create_effect(8 | flags, fn);
}
function template_effect(fn, sync = [], async = [], blockers = []) {
	flatten(blockers, sync, async, (values) => {
		create_effect(8, () => {
			fn(...values.map(get));
		});
	});
}
function deferred_template_effect(fn, sync = [], async = [], blockers = []) {
	flatten(blockers, sync, async, (values) => {
		create_effect(4, () => fn(...values.map(get)));
	});
}
function block(fn, flags = 0) {
	return create_effect(16 | flags, fn);
}
function managed(fn, flags = 0) {
	return create_effect(MANAGED_EFFECT | flags, fn);
}
function branch(fn) {
	return create_effect(32 | EFFECT_PRESERVED, fn);
}
function execute_effect_teardown(effect) {
	var teardown = effect.teardown;
	if (teardown !== null) {
		let previously_destroying_effect = is_destroying_effect, previous_reaction = active_reaction;
		set_is_destroying_effect(!0), set_active_reaction(null);
		try {
			teardown.call(null);
		} catch (error) {
			invoke_error_boundary(error, effect.parent);
		} finally {
			set_is_destroying_effect(previously_destroying_effect), set_active_reaction(previous_reaction);
		}
	}
}
function destroy_effect_children(signal, remove_dom = !1) {
	var effect = signal.first;
	for (signal.first = signal.last = null; effect !== null;) {
		let controller = effect.ac;
		controller !== null && without_reactive_context(() => {
			controller.abort(STALE_REACTION);
		});
		var next = effect.next;
		effect.f & 64 ? effect.parent = null : destroy_effect(effect, remove_dom), effect = next;
	}
}
function destroy_block_effect_children(signal) {
	for (var effect = signal.first; effect !== null;) {
		var next = effect.next;
		effect.f & 32 || destroy_effect(effect), effect = next;
	}
}
function destroy_effect(effect, remove_dom = !0) {
	var removed = !1;
	(remove_dom || effect.f & 262144) && effect.nodes !== null && effect.nodes.end !== null && (remove_effect_dom(effect.nodes.start, effect.nodes.end), removed = !0), effect.f |= DESTROYING, destroy_effect_children(effect, remove_dom && !removed), remove_reactions(effect, 0);
	var transitions = effect.nodes && effect.nodes.t;
	if (transitions !== null) for (let transition of transitions) transition.stop();
	execute_effect_teardown(effect), effect.f ^= DESTROYING, effect.f |= DESTROYED;
	var parent = effect.parent;
	parent !== null && parent.first !== null && unlink_effect(effect), effect.next = effect.prev = effect.teardown = effect.ctx = effect.deps = effect.fn = effect.nodes = effect.ac = effect.b = null;
}
function remove_effect_dom(node, end) {
	for (; node !== null;) {
		var next = node === end ? null : get_next_sibling(node);
		node.remove(), node = next;
	}
}
function unlink_effect(effect) {
	var parent = effect.parent, prev = effect.prev, next = effect.next;
	prev !== null && (prev.next = next), next !== null && (next.prev = prev), parent !== null && (parent.first === effect && (parent.first = next), parent.last === effect && (parent.last = prev));
}
function pause_effect(effect, callback, destroy = !0) {
	var transitions = [];
	effect.f |= 256, pause_children(effect, transitions, !0);
	var fn = () => {
		destroy && destroy_effect(effect), callback && callback();
	}, remaining = transitions.length;
	if (remaining > 0) {
		var check = () => --remaining || fn();
		for (var transition of transitions) transition.out(check);
	} else fn();
}
function pause_children(effect, transitions, local) {
	if (!(effect.f & 8192)) {
		effect.f ^= INERT;
		var t = effect.nodes && effect.nodes.t;
		if (t !== null) for (let transition of t) (transition.is_global || local) && transitions.push(transition);
		for (var child = effect.first; child !== null;) {
			var sibling = child.next;
			if (!(child.f & 64)) {
				var transparent = !!(child.f & 65536) || !!(child.f & 32) && !!(effect.f & 16);
				pause_children(child, transitions, transparent ? local : !1);
			}
			child = sibling;
		}
	}
}
function resume_effect(effect) {
	effect.f &= -257, resume_children(effect, !0);
}
function resume_children(effect, local) {
	if (!(effect.f & 256) && effect.f & 8192) {
		effect.f ^= INERT, effect.f & 1024 || (set_signal_status(effect, DIRTY), Batch.ensure().schedule(effect));
		for (var child = effect.first; child !== null;) {
			var sibling = child.next, transparent = !!(child.f & 65536) || !!(child.f & 32);
			resume_children(child, transparent ? local : !1), child = sibling;
		}
		var t = effect.nodes && effect.nodes.t;
		if (t !== null) for (let transition of t) (transition.is_global || local) && transition.in();
	}
}
function move_effect(effect, fragment) {
	if (effect.nodes) for (var node = effect.nodes.start, end = effect.nodes.end; node !== null;) {
		var next = node === end ? null : get_next_sibling(node);
		fragment.append(node), node = next;
	}
}
// node_modules/svelte/src/internal/client/legacy.js
var captured_signals = null, is_destroying_effect = !1;
function set_is_destroying_effect(value) {
	is_destroying_effect = value;
}
var active_reaction = null, untracking = !1;
function set_active_reaction(reaction) {
	active_reaction = reaction;
}
var active_effect = null;
function set_active_effect(effect) {
	active_effect = effect;
}
var current_sources = null;
function push_reaction_value(value) {
	active_reaction !== null && (active_reaction.f & 2097152 || active_reaction.f & 2) && (current_sources ??= new Set()).add(value);
}
var new_deps = null, skipped_deps = 0, untracked_writes = null;
function set_untracked_writes(value) {
	untracked_writes = value;
}
var write_version = 1, read_version = 0, update_version = read_version;
function set_update_version(value) {
	update_version = value;
}
function increment_write_version() {
	return ++write_version;
}
function is_dirty(reaction) {
	var flags = reaction.f;
	if (flags & 2048) return !0;
	if (flags & 4096) {
		for (var dependencies = reaction.deps, length = dependencies.length, i = 0; i < length; i++) {
			var dependency = dependencies[i];
			if (is_dirty(dependency) && update_derived(dependency), dependency.wv > reaction.wv) return !0;
		}
		flags & 512 && batch_values === null && set_signal_status(reaction, CLEAN);
	}
	return !1;
}
function schedule_possible_effect_self_invalidation(signal, effect, root = !0) {
	var reactions = signal.reactions;
	if (reactions !== null && !(current_sources !== null && current_sources.has(signal))) for (var i = 0; i < reactions.length; i++) {
		var reaction = reactions[i];
		reaction.f & 2 ? schedule_possible_effect_self_invalidation(reaction, effect, !1) : effect === reaction && (root ? set_signal_status(reaction, DIRTY) : reaction.f & 1024 && set_signal_status(reaction, MAYBE_DIRTY), schedule_effect(reaction));
	}
}
function update_reaction(reaction) {
	var previous_deps = new_deps, previous_skipped_deps = skipped_deps, previous_untracked_writes = untracked_writes, previous_reaction = active_reaction, previous_sources = current_sources, previous_component_context = component_context, previous_untracking = untracking, previous_update_version = update_version, flags = reaction.f;
	new_deps = null, skipped_deps = 0, untracked_writes = null, active_reaction = flags & 96 ? null : reaction, current_sources = null, set_component_context(reaction.ctx), untracking = !1, update_version = ++read_version, reaction.ac !== null && (without_reactive_context(() => {
		reaction.ac.abort(STALE_REACTION);
	}), reaction.ac = null);
	try {
		reaction.f |= REACTION_IS_UPDATING;
		var fn = reaction.fn, result = fn();
		reaction.f |= REACTION_RAN;
		var deps = update_dependencies(reaction);
		if (is_runes() && untracked_writes !== null && !untracking && deps !== null && !(reaction.f & 6146)) for (var i = 0; i < untracked_writes.length; i++) schedule_possible_effect_self_invalidation(untracked_writes[i], reaction);
		if (previous_reaction !== null && previous_reaction !== reaction) {
			if (read_version++, previous_reaction.deps !== null) for (let i = 0; i < previous_skipped_deps; i += 1) previous_reaction.deps[i].rv = read_version;
			if (previous_deps !== null) for (let dep of previous_deps) dep.rv = read_version;
			untracked_writes !== null && (previous_untracked_writes === null ? previous_untracked_writes = untracked_writes : previous_untracked_writes.push(...untracked_writes));
		}
		return reaction.f & 8388608 && (reaction.f ^= ERROR_VALUE), result;
	} catch (error) {
		return update_dependencies(reaction), handle_error(error);
	} finally {
		reaction.f ^= REACTION_IS_UPDATING, new_deps = previous_deps, skipped_deps = previous_skipped_deps, untracked_writes = previous_untracked_writes, active_reaction = previous_reaction, current_sources = previous_sources, set_component_context(previous_component_context), untracking = previous_untracking, update_version = previous_update_version;
	}
}
function update_dependencies(reaction) {
	var deps = reaction.deps, is_fork = current_batch?.is_fork;
	if (new_deps !== null) {
		var i;
		if (is_fork || remove_reactions(reaction, skipped_deps), deps !== null && skipped_deps > 0) for (deps.length = skipped_deps + new_deps.length, i = 0; i < new_deps.length; i++) deps[skipped_deps + i] = new_deps[i];
		else reaction.deps = deps = new_deps;
		if (effect_tracking() && reaction.f & 512) for (i = skipped_deps; i < deps.length; i++) (deps[i].reactions ??= []).push(reaction);
	} else !is_fork && deps !== null && skipped_deps < deps.length && (remove_reactions(reaction, skipped_deps), deps.length = skipped_deps);
	return deps;
}
function remove_reaction(signal, dependency) {
	let reactions = dependency.reactions;
	if (reactions !== null) {
		var index = index_of.call(reactions, signal);
		if (index !== -1) {
			var new_length = reactions.length - 1;
			new_length === 0 ? reactions = dependency.reactions = null : (reactions[index] = reactions[new_length], reactions.pop());
		}
	}
	if (reactions === null && dependency.f & 2 && (new_deps === null || !includes.call(new_deps, dependency))) {
		var derived = dependency;
		derived.f & 512 && (derived.f ^= 512), derived.v !== UNINITIALIZED && update_derived_status(derived), derived.ac !== null && without_reactive_context(() => {
			derived.ac.abort(STALE_REACTION), derived.ac = null, set_signal_status(derived, DIRTY);
		}), freeze_derived_effects(derived), remove_reactions(derived, 0);
	}
}
function remove_reactions(signal, start_index) {
	var dependencies = signal.deps;
	if (dependencies !== null) for (var i = start_index; i < dependencies.length; i++) remove_reaction(signal, dependencies[i]);
}
function update_effect(effect) {
	var flags = effect.f;
	if (!(flags & 16384)) {
		set_signal_status(effect, CLEAN);
		var previous_effect = active_effect;
		active_effect = effect;
		try {
			flags & 16777232 ? destroy_block_effect_children(effect) : destroy_effect_children(effect), execute_effect_teardown(effect);
			var teardown = update_reaction(effect);
			effect.teardown = typeof teardown == "function" ? teardown : null, effect.wv = write_version;
		} finally {
			active_effect = previous_effect;
		}
	}
}
async function tick() {
	await Promise.resolve(), flushSync();
}
function get(signal) {
	var is_derived = !!(signal.f & 2);
	if (captured_signals?.add(signal), active_reaction !== null && !untracking && !(active_effect !== null && active_effect.f & 16384) && (current_sources === null || !current_sources.has(signal))) {
		var deps = active_reaction.deps;
		if (active_reaction.f & 2097152) signal.rv < read_version && (signal.rv = read_version, new_deps === null && deps !== null && deps[skipped_deps] === signal ? skipped_deps++ : new_deps === null ? new_deps = [signal] : new_deps.push(signal));
		else {
			active_reaction.deps ??= [], includes.call(active_reaction.deps, signal) || active_reaction.deps.push(signal);
			var reactions = signal.reactions;
			reactions === null ? signal.reactions = [active_reaction] : includes.call(reactions, active_reaction) || reactions.push(active_reaction);
		}
	}
	if (is_destroying_effect && old_values.has(signal)) return old_values.get(signal);
	if (is_derived) {
		var derived = signal;
		if (is_destroying_effect) {
			var value = derived.v;
			return (!(derived.f & 1024) && derived.reactions !== null || depends_on_old_values(derived)) && (value = execute_derived(derived)), old_values.set(derived, value), value;
		}
		var should_connect = !(derived.f & 512) && !untracking && active_reaction !== null && !!(active_reaction.f & 512), is_new = (derived.f & REACTION_RAN) === 0;
		is_dirty(derived) && (should_connect && (derived.f |= 512), update_derived(derived)), should_connect && !is_new && (unfreeze_derived_effects(derived), reconnect(derived));
	}
	if (batch_values?.has(signal)) return batch_values.get(signal);
	if (signal.f & 8388608) throw signal.v;
	return signal.v;
}
function reconnect(derived) {
	if (derived.f |= 512, derived.deps !== null) for (let dep of derived.deps) {
		var reactions = dep.reactions;
		reactions === null ? dep.reactions = [derived] : includes.call(reactions, derived) || reactions.push(derived), dep.f & 2 && !(dep.f & 512) && (unfreeze_derived_effects(dep), reconnect(dep));
	}
}
function depends_on_old_values(derived) {
	if (derived.v === UNINITIALIZED) return !0;
	if (derived.deps === null) return !1;
	for (let dep of derived.deps) if (old_values.has(dep) || dep.f & 2 && depends_on_old_values(dep)) return !0;
	return !1;
}
function untrack(fn) {
	var previous_untracking = untracking;
	try {
		return untracking = !0, fn();
	} finally {
		untracking = previous_untracking;
	}
}
// node_modules/svelte/src/utils.js
function is_capture_event(name) {
	return name.endsWith("capture") && name !== "gotpointercapture" && name !== "lostpointercapture";
}
var DELEGATED_EVENTS = [
	"beforeinput",
	"click",
	"change",
	"dblclick",
	"contextmenu",
	"focusin",
	"focusout",
	"input",
	"keydown",
	"keyup",
	"mousedown",
	"mousemove",
	"mouseout",
	"mouseover",
	"mouseup",
	"pointerdown",
	"pointermove",
	"pointerout",
	"pointerover",
	"pointerup",
	"touchend",
	"touchmove",
	"touchstart"
];
function can_delegate_event(event_name) {
	return DELEGATED_EVENTS.includes(event_name);
}
var DOM_BOOLEAN_ATTRIBUTES = "allowfullscreen.async.autofocus.autoplay.checked.controls.default.disabled.formnovalidate.indeterminate.inert.ismap.loop.multiple.muted.nomodule.novalidate.open.playsinline.readonly.required.reversed.seamless.selected.webkitdirectory.defer.disablepictureinpicture.disableremoteplayback".split("."), ATTRIBUTE_ALIASES = {
	formnovalidate: "formNoValidate",
	ismap: "isMap",
	nomodule: "noModule",
	playsinline: "playsInline",
	readonly: "readOnly",
	defaultvalue: "defaultValue",
	defaultchecked: "defaultChecked",
	srcobject: "srcObject",
	novalidate: "noValidate",
	allowfullscreen: "allowFullscreen",
	disablepictureinpicture: "disablePictureInPicture",
	disableremoteplayback: "disableRemotePlayback"
};
function normalize_attribute(name) {
	return name = name.toLowerCase(), ATTRIBUTE_ALIASES[name] ?? name;
}
[...DOM_BOOLEAN_ATTRIBUTES];
var PASSIVE_EVENTS = ["touchstart", "touchmove"];
function is_passive_event(name) {
	return PASSIVE_EVENTS.includes(name);
}
var RAW_TEXT_ELEMENTS = [
	"textarea",
	"script",
	"style",
	"title"
];
function is_raw_text_element(name) {
	return RAW_TEXT_ELEMENTS.includes(name);
}
// node_modules/svelte/src/internal/client/dom/elements/events.js
var event_symbol = Symbol("events"), all_registered_events = new Set(), root_event_handles = new Set();
function replay_events(dom) {
	if (!hydrating) return;
	dom.removeAttribute("onload"), dom.removeAttribute("onerror");
	let event = dom.__e;
	event !== void 0 && (dom.__e = void 0, queueMicrotask(() => {
		dom.isConnected && dom.dispatchEvent(event);
	}));
}
function create_event(event_name, dom, handler, options = {}) {
	function target_handler(event) {
		if (options.capture || handle_event_propagation.call(dom, event), !event.cancelBubble) return without_reactive_context(() => handler?.call(this, event));
	}
	return event_name.startsWith("pointer") || event_name.startsWith("touch") || event_name === "wheel" ? (target_handler.__removed = !1, queue_micro_task(() => {
		target_handler.__removed || dom.addEventListener(event_name, target_handler, options);
	})) : dom.addEventListener(event_name, target_handler, options), target_handler;
}
function event(event_name, dom, handler, capture, passive) {
	var options = {
		capture,
		passive
	}, target_handler = create_event(event_name, dom, handler, options);
	(dom === document.body || dom === window || dom === document || dom instanceof HTMLMediaElement) && teardown(() => {
		target_handler.__removed = !0, dom.removeEventListener(event_name, target_handler, options);
	});
}
function delegated(event_name, element, handler) {
	(element[event_symbol] ??= {})[event_name] = handler;
}
function delegate(events) {
	for (var i = 0; i < events.length; i++) all_registered_events.add(events[i]);
	for (var fn of root_event_handles) fn(events);
}
var last_propagated_event = null, last_propagated_event_clear_scheduled = !1;
function handle_event_propagation(event) {
	var handler_element = this, owner_document = handler_element.ownerDocument, event_name = event.type, path = event.composedPath?.() || [], current_target = path[0] || event.target;
	last_propagated_event = event, last_propagated_event_clear_scheduled || (last_propagated_event_clear_scheduled = !0, setTimeout(() => {
		last_propagated_event_clear_scheduled = !1, last_propagated_event = null;
	}));
	var path_idx = 0, handled_at = last_propagated_event === event && event[event_symbol];
	if (handled_at) {
		var at_idx = path.indexOf(handled_at);
		if (at_idx !== -1 && (handler_element === document || handler_element === window)) {
			event[event_symbol] = handler_element;
			return;
		}
		var handler_idx = path.indexOf(handler_element);
		if (handler_idx === -1) return;
		at_idx <= handler_idx && (path_idx = at_idx);
	}
	if (current_target = path[path_idx] || event.target, current_target !== handler_element) {
		define_property(event, "currentTarget", {
			configurable: !0,
			get() {
				return current_target || owner_document;
			}
		});
		var previous_reaction = active_reaction, previous_effect = active_effect;
		set_active_reaction(null), set_active_effect(null);
		try {
			for (var throw_error, other_errors = []; current_target !== null && current_target !== handler_element;) {
				try {
					var delegated = current_target[event_symbol]?.[event_name];
					delegated == null || current_target.disabled && event.target !== current_target || delegated.call(current_target, event);
				} catch (error) {
					throw_error ? other_errors.push(error) : throw_error = error;
				}
				if (event.cancelBubble) break;
				path_idx++, current_target = path_idx < path.length ? path[path_idx] : null;
			}
			if (throw_error) {
				for (let error of other_errors) queueMicrotask(() => {
					throw error;
				});
				throw throw_error;
			}
		} finally {
			event[event_symbol] = handler_element, delete event.currentTarget, set_active_reaction(previous_reaction), set_active_effect(previous_effect);
		}
	}
}
// node_modules/svelte/src/internal/client/dom/reconciler.js
var policy = globalThis?.window?.trustedTypes && globalThis.window.trustedTypes.createPolicy("svelte-trusted-html", { createHTML: (html) => html });
function create_trusted_html(html) {
	return policy?.createHTML(html) ?? html;
}
function create_fragment_from_html(html) {
	var elem = create_element("template");
	return elem.innerHTML = create_trusted_html(html.replaceAll("<!>", "<!---->")), elem.content;
}
// node_modules/svelte/src/internal/client/dom/template.js
function assign_nodes(start, end) {
	var effect = active_effect;
	effect.nodes === null && (effect.nodes = {
		start,
		end,
		a: null,
		t: null
	});
}
function from_html(content, flags) {
	var is_fragment = !!(flags & 1), use_import_node = !!(flags & 2), node, has_start = !content.startsWith("<!>");
	return () => {
		if (hydrating) return assign_nodes(hydrate_node, null), hydrate_node;
		node === void 0 && (node = create_fragment_from_html(has_start ? content : "<!>" + content), is_fragment || (node = get_first_child(node)));
		var clone = use_import_node || is_firefox ? document.importNode(node, !0) : node.cloneNode(!0);
		if (is_fragment) {
			var start = get_first_child(clone), end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_namespace(content, flags, ns = "svg") {
	var has_start = !content.startsWith("<!>"), is_fragment = !!(flags & 1), wrapped = `<${ns}>${has_start ? content : "<!>" + content}</${ns}>`, node;
	return () => {
		if (hydrating) return assign_nodes(hydrate_node, null), hydrate_node;
		if (!node) {
			var root = get_first_child(create_fragment_from_html(wrapped));
			if (is_fragment) for (node = document.createDocumentFragment(); get_first_child(root);) node.appendChild(get_first_child(root));
			else node = get_first_child(root);
		}
		var clone = node.cloneNode(!0);
		if (is_fragment) {
			var start = get_first_child(clone), end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_svg(content, flags) {
	return from_namespace(content, flags, "svg");
}
function text(value = "") {
	if (!hydrating) {
		var t = create_text(value + "");
		return assign_nodes(t, t), t;
	}
	var node = hydrate_node;
	return node.nodeType === 3 ? merge_text_nodes(node) : (node.before(node = create_text()), set_hydrate_node(node)), assign_nodes(node, node), node;
}
function comment() {
	if (hydrating) return assign_nodes(hydrate_node, null), hydrate_node;
	var frag = document.createDocumentFragment(), start = document.createComment(""), anchor = create_text();
	return frag.append(start, anchor), assign_nodes(start, anchor), frag;
}
function append(anchor, dom) {
	if (hydrating) {
		var effect = active_effect;
		effect.f & 32768 && effect.nodes.end !== null || (effect.nodes.end = hydrate_node), hydrate_next();
	} else anchor !== null && anchor.before(dom);
}
function props_id() {
	if (hydrating && hydrate_node && hydrate_node.nodeType === 8 && hydrate_node.textContent?.startsWith("$")) {
		let id = hydrate_node.textContent.substring(1);
		return hydrate_next(), id;
	}
	return (window.__svelte ??= {}).uid ??= 1, `c${window.__svelte.uid++}`;
}
// node_modules/svelte/src/reactivity/create-subscriber.js
function createSubscriber(start) {
	let subscribers = 0, version = source(0), stop;
	return () => {
		effect_tracking() && (get(version), render_effect(() => (subscribers === 0 && (stop = untrack(() => start(() => increment(version)))), subscribers += 1, () => {
			queue_micro_task(() => {
				--subscribers, subscribers === 0 && (stop?.(), stop = void 0, increment(version));
			});
		})));
	};
}
// node_modules/svelte/src/internal/client/dom/blocks/boundary.js
var flags = EFFECT_TRANSPARENT | EFFECT_PRESERVED;
function boundary(node, props, children, transform_error) {
	new Boundary(node, props, children, transform_error);
}
var Boundary = class {
	parent;
	is_pending = !1;
	transform_error;
	#anchor;
	#hydrate_open = hydrating ? hydrate_node : null;
	#props;
	#children;
	#effect;
	#main_effect = null;
	#pending_effect = null;
	#failed_effect = null;
	#offscreen_fragment = null;
	#local_pending_count = 0;
	#pending_count = 0;
	#pending_count_update_queued = !1;
	#dirty_reactions = new Map();
	#effect_pending = null;
	#effect_pending_subscriber = createSubscriber(() => (this.#effect_pending = source(this.#local_pending_count), () => {
		this.#effect_pending = null;
	}));
	constructor(node, props, children, transform_error) {
		this.#anchor = node, this.#props = props, this.#children = (anchor) => {
			var effect = active_effect;
			effect.b = this, effect.f |= 128, children(anchor);
		}, this.parent = active_effect.b, this.transform_error = transform_error ?? this.parent?.transform_error ?? ((e) => e), this.#effect = block(() => {
			if (hydrating) {
				let comment_data = read_hydration_instruction(this.#hydrate_open);
				hydrate_next();
				let server_rendered_pending = comment_data === "[!";
				if (comment_data.startsWith("[?")) {
					let serialized_error = JSON.parse(comment_data.slice(2));
					this.#hydrate_failed_content(serialized_error);
				} else server_rendered_pending ? this.#hydrate_pending_content() : this.#hydrate_resolved_content();
			} else this.#render();
		}, flags), hydrating && (this.#anchor = hydrate_node);
	}
	#hydrate_resolved_content() {
		try {
			this.#main_effect = branch(() => this.#children(this.#anchor));
		} catch (error) {
			this.error(error);
		}
	}
	#hydrate_failed_content(error) {
		let failed = this.#props.failed, { reset, invoke_onerror } = this.#create_reset(error);
		queue_micro_task(invoke_onerror), failed && (this.#failed_effect = branch(() => {
			failed(this.#anchor, () => error, () => reset);
		}));
	}
	#create_reset(error) {
		var did_reset = !1, calling_on_error = !1;
		let reset = () => {
			this.#is_destroyed() || (did_reset ? svelte_boundary_reset_noop() : (did_reset = !0, calling_on_error && svelte_boundary_reset_onerror(), this.#failed_effect !== null && pause_effect(this.#failed_effect, () => {
				this.#failed_effect = null;
			}), this.#run(() => {
				this.#render();
			})));
		};
		return {
			reset,
			invoke_onerror: () => {
				if (!this.#is_destroyed()) try {
					calling_on_error = !0, this.#props.onerror?.(error, reset), calling_on_error = !1;
				} catch (err) {
					invoke_error_boundary(err, this.#effect && this.#effect.parent);
				}
			}
		};
	}
	#is_destroyed() {
		return (this.#effect.f & (DESTROYED | DESTROYING)) !== 0;
	}
	#hydrate_pending_content() {
		let pending = this.#props.pending;
		pending && (this.is_pending = !0, this.#pending_effect = branch(() => pending(this.#anchor)), queue_micro_task(() => {
			if (!this.#is_destroyed()) {
				var fragment = this.#offscreen_fragment = document.createDocumentFragment(), anchor = create_text(), handled = !1;
				fragment.append(anchor), this.#main_effect = this.#run(() => {
					try {
						return branch(() => this.#children(anchor));
					} catch (error) {
						try {
							this.error(error), handled = !0;
						} catch (error) {
							invoke_error_boundary(error, this.#effect.parent);
						}
						return null;
					}
				}), this.#main_effect === null ? (this.#offscreen_fragment = null, handled && this.#resolve(current_batch)) : this.#pending_count === 0 && (this.#anchor.before(fragment), this.#offscreen_fragment = null, pause_effect(this.#pending_effect, () => {
					this.#pending_effect = null;
				}), this.#resolve(current_batch));
			}
		}));
	}
	#render() {
		try {
			if (this.is_pending = this.has_pending_snippet(), this.#pending_count = 0, this.#local_pending_count = 0, this.#main_effect = branch(() => {
				this.#children(this.#anchor);
			}), this.#pending_count > 0) {
				var fragment = this.#offscreen_fragment = document.createDocumentFragment();
				move_effect(this.#main_effect, fragment);
				let pending = this.#props.pending;
				this.#pending_effect = branch(() => pending(this.#anchor));
			} else this.#resolve(current_batch);
		} catch (error) {
			this.error(error);
		}
	}
	#resolve(batch) {
		this.is_pending = !1, batch.transfer_reactions(this.#dirty_reactions);
	}
	defer_effect(effect) {
		defer_effect(effect, this.#dirty_reactions);
	}
	is_rendered() {
		return !this.is_pending && (!this.parent || this.parent.is_rendered());
	}
	has_pending_snippet() {
		return !!this.#props.pending;
	}
	#run(fn) {
		var previous_effect = active_effect, previous_reaction = active_reaction, previous_ctx = component_context;
		set_active_effect(this.#effect), set_active_reaction(this.#effect), set_component_context(this.#effect.ctx);
		try {
			return Batch.ensure(), fn();
		} finally {
			set_active_effect(previous_effect), set_active_reaction(previous_reaction), set_component_context(previous_ctx);
		}
	}
	#update_pending_count(d, batch) {
		this.has_pending_snippet() ? (this.#pending_count += d, this.#pending_count === 0 && (this.#resolve(batch), this.#pending_effect && pause_effect(this.#pending_effect, () => {
			this.#pending_effect = null;
		}), this.#offscreen_fragment &&= (this.#anchor.before(this.#offscreen_fragment), null))) : this.parent && this.parent.#update_pending_count(d, batch);
	}
	update_pending_count(d, batch) {
		this.#update_pending_count(d, batch), this.#local_pending_count += d, !this.#effect_pending || this.#pending_count_update_queued || (this.#pending_count_update_queued = !0, queue_micro_task(() => {
			this.#pending_count_update_queued = !1, this.#effect_pending && internal_set(this.#effect_pending, this.#local_pending_count);
		}));
	}
	get_effect_pending() {
		return this.#effect_pending_subscriber(), get(this.#effect_pending);
	}
	error(error) {
		if (error === HYDRATION_ERROR || !this.#props.onerror && !this.#props.failed) throw error;
		current_batch?.is_fork ? (this.#main_effect && current_batch.skip_effect(this.#main_effect), this.#pending_effect && current_batch.skip_effect(this.#pending_effect), this.#failed_effect && current_batch.skip_effect(this.#failed_effect), current_batch.oncommit(() => {
			this.#is_destroyed() || this.#handle_error(error);
		})) : this.#handle_error(error);
	}
	#handle_error(error) {
		this.#main_effect &&= (destroy_effect(this.#main_effect), null), this.#pending_effect &&= (destroy_effect(this.#pending_effect), null), this.#failed_effect &&= (destroy_effect(this.#failed_effect), null), hydrating && (set_hydrate_node(this.#hydrate_open), next(), set_hydrate_node(skip_nodes()));
		let failed = this.#props.failed, handle_error_result = (transformed_error) => {
			if (this.#is_destroyed()) return;
			let { reset, invoke_onerror } = this.#create_reset(transformed_error);
			invoke_onerror(), failed && !this.#is_destroyed() && (this.#failed_effect = this.#run(() => {
				try {
					return branch(() => {
						var effect = active_effect;
						effect.b = this, effect.f |= 128, failed(this.#anchor, () => transformed_error, () => reset);
					});
				} catch (error) {
					return invoke_error_boundary(error, this.#effect.parent), null;
				}
			}));
		};
		queue_micro_task(() => {
			if (!this.#is_destroyed()) {
				var result;
				try {
					result = this.transform_error(error);
				} catch (e) {
					invoke_error_boundary(e, this.#effect && this.#effect.parent);
					return;
				}
				typeof result == "object" && result && typeof result.then == "function" ? result.then(handle_error_result, (e) => invoke_error_boundary(e, this.#effect && this.#effect.parent)) : handle_error_result(result);
			}
		});
	}
};
function set_text(text, value) {
	var str = value == null ? "" : typeof value == "object" ? `${value}` : value;
	str !== (text[TEXT_CACHE] ??= text.nodeValue) && (text[TEXT_CACHE] = str, text.nodeValue = `${str}`);
}
function mount(component, options) {
	return _mount(component, options);
}
var listeners = new Map();
function _mount(Component, { target, anchor, props = {}, events, context, intro = !0, transformError }) {
	init_operations();
	var component = void 0, unmount = component_root(() => {
		var anchor_node = anchor ?? target.appendChild(create_text());
		boundary(anchor_node, { pending: () => {} }, (anchor_node) => {
			push({});
			var ctx = component_context;
			if (context && (ctx.c = context), events && (props.$$events = events), hydrating && assign_nodes(anchor_node, null), component = Component(anchor_node, props) || mark_as_component(), hydrating && (active_effect.nodes.end = hydrate_node, hydrate_node === null || hydrate_node.nodeType !== 8 || hydrate_node.data !== "]")) throw hydration_mismatch(), HYDRATION_ERROR;
			pop();
		}, transformError);
		var registered_events = new Set(), event_handle = (events) => {
			for (var i = 0; i < events.length; i++) {
				var event_name = events[i];
				if (!registered_events.has(event_name)) {
					registered_events.add(event_name);
					var passive = is_passive_event(event_name);
					for (let node of [target, document]) {
						var counts = listeners.get(node);
						counts === void 0 && (counts = new Map(), listeners.set(node, counts));
						var count = counts.get(event_name);
						count === void 0 ? (node.addEventListener(event_name, handle_event_propagation, { passive }), counts.set(event_name, 1)) : counts.set(event_name, count + 1);
					}
				}
			}
		};
		return event_handle(array_from(all_registered_events)), root_event_handles.add(event_handle), () => {
			for (var event_name of registered_events) for (let node of [target, document]) {
				var counts = listeners.get(node), count = counts.get(event_name);
				--count == 0 ? (node.removeEventListener(event_name, handle_event_propagation), counts.delete(event_name), counts.size === 0 && listeners.delete(node)) : counts.set(event_name, count);
			}
			root_event_handles.delete(event_handle), anchor_node !== anchor && anchor_node.parentNode?.removeChild(anchor_node);
		};
	});
	return mounted_components.set(component, unmount), component;
}
var mounted_components = new WeakMap(), BranchManager = class {
	anchor;
	#batches = new Map();
	#onscreen = new Map();
	#offscreen = new Map();
	#outroing = new Set();
	#transition = !0;
	constructor(anchor, transition = !0) {
		this.anchor = anchor, this.#transition = transition;
	}
	#commit = (batch) => {
		if (this.#batches.has(batch)) {
			var key = this.#batches.get(batch), onscreen = this.#onscreen.get(key);
			if (onscreen) resume_effect(onscreen), this.#outroing.delete(key);
			else {
				var offscreen = this.#offscreen.get(key);
				offscreen && (resume_effect(offscreen.effect), this.#onscreen.set(key, offscreen.effect), this.#offscreen.delete(key), offscreen.fragment.lastChild.remove(), this.anchor.before(offscreen.fragment), onscreen = offscreen.effect);
			}
			for (let [b, k] of this.#batches) {
				if (this.#batches.delete(b), b === batch) break;
				let offscreen = this.#offscreen.get(k);
				offscreen && (destroy_effect(offscreen.effect), this.#offscreen.delete(k));
			}
			for (let [k, effect] of this.#onscreen) {
				if (k === key || this.#outroing.has(k)) continue;
				let on_destroy = () => {
					if (Array.from(this.#batches.values()).includes(k)) {
						var fragment = document.createDocumentFragment();
						move_effect(effect, fragment), fragment.append(create_text()), this.#offscreen.set(k, {
							effect,
							fragment
						});
					} else destroy_effect(effect);
					this.#outroing.delete(k), this.#onscreen.delete(k);
				};
				this.#transition || !onscreen ? (this.#outroing.add(k), pause_effect(effect, on_destroy, !1)) : on_destroy();
			}
		}
	};
	#discard = (batch) => {
		this.#batches.delete(batch);
		let keys = Array.from(this.#batches.values());
		for (let [k, branch] of this.#offscreen) keys.includes(k) || (destroy_effect(branch.effect), this.#offscreen.delete(k));
	};
	ensure(key, fn) {
		var batch = current_batch, defer = should_defer_append();
		if (fn && !this.#onscreen.has(key) && !this.#offscreen.has(key)) {
			if (defer) {
				var fragment = document.createDocumentFragment(), target = create_text();
				fragment.append(target), this.#offscreen.set(key, {
					effect: branch(() => fn(target)),
					fragment
				});
			} else this.#onscreen.set(key, branch(() => fn(this.anchor)));
		}
		if (this.#batches.set(batch, key), defer) {
			for (let [k, effect] of this.#onscreen) k === key ? batch.unskip_effect(effect) : batch.skip_effect(effect);
			for (let [k, branch] of this.#offscreen) k === key ? batch.unskip_effect(branch.effect) : batch.skip_effect(branch.effect);
			batch.oncommit(this.#commit), batch.ondiscard(this.#discard);
		} else hydrating && (this.anchor = hydrate_node), this.#commit(batch);
	}
}, PENDING = 0, THEN = 1, CATCH = 2;
function await_block(node, get_input, pending_fn, then_fn, catch_fn) {
	hydrating && hydrate_next();
	var runes = is_runes(), v = UNINITIALIZED, value = runes ? source(v) : mutable_source(v, !1, !1), error = runes ? source(v) : mutable_source(v, !1, !1), branches = new BranchManager(node);
	block(() => {
		var batch = current_batch, input = get_input(), destroyed = !1;
		let mismatch = hydrating && is_promise(input) === (node.data === "[!");
		if (mismatch && (set_hydrate_node(skip_nodes()), set_hydrating(!1)), is_promise(input)) {
			var restore = capture(), resolved = !1;
			let resolve = (fn) => {
				if (!destroyed) {
					resolved = !0, restore(!1), current_batch === batch && batch.deactivate(), Batch.ensure();
					try {
						fn();
					} finally {
						unset_context(!1), is_flushing_sync || flushSync();
					}
				}
			};
			input.then((v) => {
				resolve(() => {
					internal_set(value, v), branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
				});
			}, (e) => {
				resolve(() => {
					if (internal_set(error, e), branches.ensure(CATCH, catch_fn && ((target) => catch_fn(target, error))), !catch_fn) throw error.v;
				});
			}), hydrating ? branches.ensure(PENDING, pending_fn) : queue_micro_task(() => {
				resolved || resolve(() => {
					branches.ensure(PENDING, pending_fn);
				});
			});
		} else internal_set(value, input), branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
		return mismatch && set_hydrating(!0), () => {
			destroyed = !0;
		};
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/if.js
function if_block(node, fn, elseif = !1) {
	var marker;
	hydrating && (marker = hydrate_node, hydrate_next());
	var branches = new BranchManager(node), flags = elseif ? EFFECT_TRANSPARENT : 0;
	function update_branch(key, fn) {
		if (hydrating) {
			var data = read_hydration_instruction(marker);
			if (key !== parseInt(data.substring(1))) {
				var anchor = skip_nodes();
				set_hydrate_node(anchor), branches.anchor = anchor, set_hydrating(!1), branches.ensure(key, fn), set_hydrating(!0);
				return;
			}
		}
		branches.ensure(key, fn);
	}
	block(() => {
		var has_branch = !1;
		fn((fn, key = 0) => {
			has_branch = !0, update_branch(key, fn);
		}), has_branch || update_branch(-1, null);
	}, flags);
}
// node_modules/svelte/src/internal/client/dom/blocks/key.js
var NAN = Symbol("NaN");
function key(node, get_key, render_fn) {
	hydrating && hydrate_next();
	var branches = new BranchManager(node), legacy = !is_runes();
	block(() => {
		var key = get_key();
		key !== key && (key = NAN), legacy && typeof key == "object" && key && (key = {}), branches.ensure(key, render_fn);
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/each.js
function index(_, i) {
	return i;
}
function pause_effects(state, to_destroy, controlled_anchor) {
	for (var transitions = [], length = to_destroy.length, group, remaining = to_destroy.length, i = 0; i < length; i++) {
		let effect = to_destroy[i];
		pause_effect(effect, () => {
			if (group) {
				if (group.pending.delete(effect), group.done.add(effect), group.pending.size === 0) {
					var groups = state.outrogroups;
					destroy_effects(state, array_from(group.done)), groups.delete(group), groups.size === 0 && (state.outrogroups = null);
				}
			} else --remaining;
		}, !1);
	}
	if (remaining === 0) {
		var fast_path = transitions.length === 0 && controlled_anchor !== null && state.pending.size === 0;
		if (fast_path) {
			var anchor = controlled_anchor, parent_node = anchor.parentNode;
			clear_text_content(parent_node), parent_node.append(anchor), state.items.clear();
		}
		destroy_effects(state, to_destroy, !fast_path);
	} else group = {
		pending: new Set(to_destroy),
		done: new Set()
	}, (state.outrogroups ??= new Set()).add(group);
}
function destroy_effects(state, to_destroy, remove_dom = !0) {
	var preserved_effects;
	if (state.pending.size > 0) {
		preserved_effects = new Set();
		for (let keys of state.pending.values()) for (let key of keys) preserved_effects.add(state.items.get(key).e);
	}
	for (var i = 0; i < to_destroy.length; i++) {
		var e = to_destroy[i];
		preserved_effects?.has(e) ? (e.f |= EFFECT_OFFSCREEN, move_effect(e, document.createDocumentFragment())) : destroy_effect(to_destroy[i], remove_dom);
	}
}
var offscreen_anchor;
function each(node, flags, get_collection, get_key, render_fn, fallback_fn = null) {
	var anchor = node, items = new Map();
	if (flags & 4) {
		var parent_node = node;
		anchor = hydrating ? set_hydrate_node(get_first_child(parent_node)) : parent_node.appendChild(create_text());
	}
	hydrating && hydrate_next();
	var fallback = null, each_array = derived_safe_equal(() => {
		var collection = get_collection();
		return is_array(collection) ? collection : collection == null ? [] : array_from(collection);
	}), pending = new Map(), first_run = !0;
	function commit(batch) {
		if (!(state.effect.f & 16384)) {
			state.pending.delete(batch);
			var array = get(each_array);
			state.fallback = fallback, reconcile(state, array, anchor, flags, get_key), fallback !== null && (array.length === 0 ? fallback.f & 33554432 ? (fallback.f ^= EFFECT_OFFSCREEN, move(fallback, null, anchor)) : resume_effect(fallback) : pause_effect(fallback, () => {
				fallback = null;
			}));
		}
	}
	function discard(batch) {
		state.pending.delete(batch);
	}
	var state = {
		effect: block(() => {
			var array = get(each_array), length = array.length;
			let mismatch = !1;
			hydrating && read_hydration_instruction(anchor) === "[!" != (length === 0) && (anchor = skip_nodes(), set_hydrate_node(anchor), set_hydrating(!1), mismatch = !0);
			for (var keys = new Set(), batch = current_batch, defer = should_defer_append(), index = 0; index < length; index += 1) {
				hydrating && hydrate_node.nodeType === 8 && hydrate_node.data === "]" && (anchor = hydrate_node, mismatch = !0, set_hydrating(!1));
				var value = array[index], key = get_key(value, index), item = first_run ? null : items.get(key);
				item ? (item.v && internal_set(item.v, value), item.i && internal_set(item.i, index), defer && batch.unskip_effect(item.e)) : (item = create_item(items, first_run ? anchor : offscreen_anchor ??= create_text(), value, key, index, render_fn, flags, get_collection), first_run || (item.e.f |= EFFECT_OFFSCREEN), items.set(key, item)), keys.add(key);
			}
			if (length === 0 && fallback_fn && !fallback && (first_run ? fallback = branch(() => fallback_fn(anchor)) : (fallback = branch(() => fallback_fn(offscreen_anchor ??= create_text())), fallback.f |= EFFECT_OFFSCREEN)), length > keys.size && each_key_duplicate("", "", ""), hydrating && length > 0 && set_hydrate_node(skip_nodes()), !first_run) {
				if (pending.set(batch, keys), defer) {
					for (let [key, item] of items) keys.has(key) || batch.skip_effect(item.e);
					batch.oncommit(commit), batch.ondiscard(discard);
				} else commit(batch);
			}
			mismatch && set_hydrating(!0), get(each_array);
		}),
		flags,
		items,
		pending,
		outrogroups: null,
		fallback
	};
	first_run = !1, hydrating && (anchor = hydrate_node);
}
function skip_to_branch(effect) {
	for (; effect !== null && !(effect.f & 32);) effect = effect.next;
	return effect;
}
function reconcile(state, array, anchor, flags, get_key) {
	var is_animated = !!(flags & 8), length = array.length, items = state.items, current = skip_to_branch(state.effect.first), seen, prev = null, to_animate, matched = [], stashed = [], value, key, effect, i;
	if (is_animated) for (i = 0; i < length; i += 1) value = array[i], key = get_key(value, i), effect = items.get(key).e, effect.f & 33554432 || (effect.nodes?.a?.measure(), (to_animate ??= new Set()).add(effect));
	for (i = 0; i < length; i += 1) {
		if (value = array[i], key = get_key(value, i), effect = items.get(key).e, state.outrogroups !== null) for (let group of state.outrogroups) group.pending.delete(effect), group.done.delete(effect);
		if (effect.f & 8192 && (resume_effect(effect), is_animated && (effect.nodes?.a?.unfix(), (to_animate ??= new Set()).delete(effect))), effect.f & 33554432) {
			if (effect.f ^= EFFECT_OFFSCREEN, effect === current) move(effect, null, anchor);
			else {
				var next = prev ? prev.next : current;
				effect === state.effect.last && (state.effect.last = effect.prev), effect.prev && (effect.prev.next = effect.next), effect.next && (effect.next.prev = effect.prev), link(state, prev, effect), link(state, effect, next), move(effect, next, anchor), prev = effect, matched = [], stashed = [], current = skip_to_branch(prev.next);
				continue;
			}
		}
		if (effect !== current) {
			if (seen !== void 0 && seen.has(effect)) {
				if (matched.length < stashed.length) {
					var start = stashed[0], j;
					prev = start.prev;
					var a = matched[0], b = matched[matched.length - 1];
					for (j = 0; j < matched.length; j += 1) move(matched[j], start, anchor);
					for (j = 0; j < stashed.length; j += 1) seen.delete(stashed[j]);
					link(state, a.prev, b.next), link(state, prev, a), link(state, b, start), current = start, prev = b, --i, matched = [], stashed = [];
				} else seen.delete(effect), move(effect, current, anchor), link(state, effect.prev, effect.next), link(state, effect, prev === null ? state.effect.first : prev.next), link(state, prev, effect), prev = effect;
				continue;
			}
			for (matched = [], stashed = []; current !== null && current !== effect;) (seen ??= new Set()).add(current), stashed.push(current), current = skip_to_branch(current.next);
			if (current === null) continue;
		}
		effect.f & 33554432 || matched.push(effect), prev = effect, current = skip_to_branch(effect.next);
	}
	if (state.outrogroups !== null) {
		for (let group of state.outrogroups) group.pending.size === 0 && (destroy_effects(state, array_from(group.done)), state.outrogroups?.delete(group));
		state.outrogroups.size === 0 && (state.outrogroups = null);
	}
	if (current !== null || seen !== void 0) {
		var to_destroy = [];
		if (seen !== void 0) for (effect of seen) effect.f & 8192 || to_destroy.push(effect);
		for (; current !== null;) !(current.f & 8192) && current !== state.fallback && to_destroy.push(current), current = skip_to_branch(current.next);
		var destroy_length = to_destroy.length;
		if (destroy_length > 0) {
			var controlled_anchor = flags & 4 && length === 0 ? anchor : null;
			if (is_animated) {
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.measure();
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.fix();
			}
			pause_effects(state, to_destroy, controlled_anchor);
		}
	}
	is_animated && queue_micro_task(() => {
		if (to_animate !== void 0) for (effect of to_animate) effect.nodes?.a?.apply();
	});
}
function create_item(items, anchor, value, key, index, render_fn, flags, get_collection) {
	var v = flags & 1 ? flags & 16 ? source(value) : mutable_source(value, !1, !1) : null, i = flags & 2 ? source(index) : null;
	return {
		v,
		i,
		e: branch(() => (render_fn(anchor, v ?? value, i ?? index, get_collection), () => {
			items.delete(key);
		}))
	};
}
function move(effect, next, anchor) {
	if (effect.nodes) for (var node = effect.nodes.start, end = effect.nodes.end, dest = next && !(next.f & 33554432) ? next.nodes.start : anchor; node !== null;) {
		var next_node = get_next_sibling(node);
		if (dest.before(node), node === end) return;
		node = next_node;
	}
}
function link(state, prev, next) {
	prev === null ? state.effect.first = next : prev.next = next, next === null ? state.effect.last = prev : next.prev = prev;
}
// node_modules/svelte/src/internal/client/dom/blocks/snippet.js
function snippet(node, get_snippet, ...args) {
	var branches = new BranchManager(node);
	block(() => {
		let snippet = get_snippet() ?? null;
		branches.ensure(snippet, snippet && ((anchor) => snippet(anchor, ...args)));
	}, EFFECT_TRANSPARENT);
}
// node_modules/svelte/src/internal/client/dom/blocks/svelte-component.js
function component(node, get_component, render_fn) {
	var hydration_start_node;
	hydrating && (hydration_start_node = hydrate_node, hydrate_next());
	var branches = new BranchManager(node);
	block(() => {
		var component = get_component() ?? null;
		if (hydrating && read_hydration_instruction(hydration_start_node) === "[" != (component !== null)) {
			var anchor = skip_nodes();
			set_hydrate_node(anchor), branches.anchor = anchor, set_hydrating(!1), branches.ensure(component, component && ((target) => render_fn(target, component))), set_hydrating(!0);
		} else branches.ensure(component, component && ((target) => render_fn(target, component)));
	}, EFFECT_TRANSPARENT);
}
// node_modules/svelte/src/internal/client/dom/blocks/svelte-element.js
function element(node, get_tag, is_svg, render_fn, get_namespace, location) {
	let was_hydrating = hydrating;
	hydrating && hydrate_next();
	var element = null;
	hydrating && hydrate_node.nodeType === 1 && (element = hydrate_node, hydrate_next());
	var anchor = hydrating ? hydrate_node : node, branches = new BranchManager(anchor, !1);
	block(() => {
		let next_tag = get_tag() || null;
		var ns = get_namespace ? get_namespace() : is_svg || next_tag === "svg" ? NAMESPACE_SVG : void 0;
		if (next_tag === null) branches.ensure(null, null);
		else return branches.ensure(next_tag, (anchor) => {
			if (next_tag) {
				var is_hydrating = hydrating;
				if (element = hydrating ? element : create_element(next_tag, ns), assign_nodes(element, element), render_fn) {
					var tmp_comment = null;
					hydrating && is_raw_text_element(next_tag) && element.append(tmp_comment = document.createComment(""));
					var child_anchor = hydrating ? get_first_child(element) : element.appendChild(create_text());
					hydrating && (child_anchor === null ? set_hydrating(!1) : set_hydrate_node(child_anchor)), render_fn(element, child_anchor), tmp_comment?.remove();
				}
				active_effect.nodes.end = element, is_hydrating || anchor.before(element);
			}
			hydrating && set_hydrate_node(anchor);
		}), () => {};
	}, EFFECT_TRANSPARENT), teardown(() => {}), was_hydrating && (set_hydrating(!0), set_hydrate_node(anchor));
}
// node_modules/svelte/src/internal/client/dom/blocks/svelte-head.js
function head(hash, render_fn) {
	let previous_hydrate_node = null, was_hydrating = hydrating;
	var anchor;
	if (hydrating) {
		previous_hydrate_node = hydrate_node;
		for (var head_anchor = get_first_child(document.head); head_anchor !== null && (head_anchor.nodeType !== 8 || head_anchor.data !== hash);) head_anchor = get_next_sibling(head_anchor);
		if (head_anchor === null) set_hydrating(!1);
		else {
			var start = get_next_sibling(head_anchor);
			head_anchor.remove(), set_hydrate_node(start);
		}
	}
	hydrating || (anchor = document.head.appendChild(create_text()));
	try {
		block(() => {
			var e = branch(() => render_fn(anchor));
			e.f |= HEAD_EFFECT, hydrating || (e.nodes === null ? e.nodes = {
				start: anchor,
				end: anchor,
				a: null,
				t: null
			} : e.nodes.end = anchor);
		});
	} finally {
		was_hydrating && (set_hydrating(!0), set_hydrate_node(previous_hydrate_node));
	}
}
// node_modules/svelte/src/internal/client/dom/elements/attachments.js
function attach(node, get_fn) {
	var fn = void 0, e;
	managed(() => {
		fn !== (fn = get_fn()) && (e &&= (destroy_effect(e), null), fn && (e = branch(() => {
			effect(() => fn(node));
		})));
	});
}
// node_modules/clsx/dist/clsx.mjs
function r(e) {
	var t, f, n = "";
	if (typeof e == "string" || typeof e == "number") n += e;
	else if (typeof e == "object") {
		if (Array.isArray(e)) {
			var o = e.length;
			for (t = 0; t < o; t++) e[t] && (f = r(e[t])) && (n && (n += " "), n += f);
		} else for (f in e) e[f] && (n && (n += " "), n += f);
	}
	return n;
}
function clsx$1() {
	for (var e, t, f = 0, n = "", o = arguments.length; f < o; f++) (e = arguments[f]) && (t = r(e)) && (n && (n += " "), n += t);
	return n;
}
// node_modules/svelte/src/internal/shared/attributes.js
function clsx(value) {
	return typeof value == "object" ? clsx$1(value) : value ?? "";
}
var whitespace = [..." 	\n\r\f\xA0\v﻿"];
function to_class(value, hash, directives) {
	var classname = value == null ? "" : "" + value;
	if (hash && (classname = classname ? classname + " " + hash : hash), directives) {
		for (var key of Object.keys(directives)) if (directives[key]) classname = classname ? classname + " " + key : key;
		else if (classname.length) for (var len = key.length, a = 0; (a = classname.indexOf(key, a)) >= 0;) {
			var b = a + len;
			(a === 0 || whitespace.includes(classname[a - 1])) && (b === classname.length || whitespace.includes(classname[b])) ? classname = (a === 0 ? "" : classname.substring(0, a)) + classname.substring(b + 1) : a = b;
		}
	}
	return classname === "" ? null : classname;
}
function append_styles(styles, important = !1) {
	var separator = important ? " !important;" : ";", css = "";
	for (var key of Object.keys(styles)) {
		var value = styles[key];
		value != null && value !== "" && (css += " " + key + ": " + value + separator);
	}
	return css;
}
function to_css_name(name) {
	return name[0] !== "-" || name[1] !== "-" ? name.toLowerCase() : name;
}
function to_style(value, styles) {
	if (styles) {
		var new_style = "", normal_styles, important_styles;
		if (Array.isArray(styles) ? (normal_styles = styles[0], important_styles = styles[1]) : normal_styles = styles, value) {
			value = String(value).replaceAll(/\/\*.*?\*\//g, "").trim();
			var in_str = !1, in_apo = 0, in_comment = !1, reserved_names = [];
			normal_styles && reserved_names.push(...Object.keys(normal_styles).map(to_css_name)), important_styles && reserved_names.push(...Object.keys(important_styles).map(to_css_name));
			var start_index = 0, name_index = -1;
			let len = value.length;
			for (var i = 0; i < len; i++) {
				var c = value[i];
				if (in_comment ? c === "/" && value[i - 1] === "*" && (in_comment = !1) : in_str ? in_str === c && (in_str = !1) : c === "/" && value[i + 1] === "*" ? in_comment = !0 : c === "\"" || c === "'" ? in_str = c : c === "(" ? in_apo++ : c === ")" && in_apo--, !in_comment && in_str === !1 && in_apo === 0) {
					if (c === ":" && name_index === -1) name_index = i;
					else if (c === ";" || i === len - 1) {
						if (name_index !== -1) {
							var name = to_css_name(value.substring(start_index, name_index).trim());
							if (!reserved_names.includes(name)) {
								c !== ";" && i++;
								var property = value.substring(start_index, i).trim();
								new_style += " " + property + ";";
							}
						}
						start_index = i + 1, name_index = -1;
					}
				}
			}
		}
		return normal_styles && (new_style += append_styles(normal_styles)), important_styles && (new_style += append_styles(important_styles, !0)), new_style = new_style.trim(), new_style === "" ? null : new_style;
	}
	return value == null ? null : String(value);
}
// node_modules/svelte/src/internal/client/dom/elements/class.js
function set_class(dom, is_html, value, hash, prev_classes, next_classes) {
	var prev = dom[CLASS_CACHE];
	if (hydrating || prev !== value || prev === void 0) {
		var next_class_name = to_class(value, hash, next_classes);
		hydrating && next_class_name === dom.getAttribute("class") || (next_class_name == null ? dom.removeAttribute("class") : is_html ? dom.className = next_class_name : dom.setAttribute("class", next_class_name)), dom[CLASS_CACHE] = value;
	} else if (next_classes && prev_classes !== next_classes) for (var key in next_classes) {
		var is_present = !!next_classes[key];
		(prev_classes == null || is_present !== !!prev_classes[key]) && dom.classList.toggle(key, is_present);
	}
	return next_classes;
}
// node_modules/svelte/src/internal/client/dom/elements/style.js
function update_styles(dom, prev = {}, next, priority) {
	for (var key in next) {
		var value = next[key];
		prev[key] !== value && (next[key] == null ? dom.style.removeProperty(key) : dom.style.setProperty(key, value, priority));
	}
}
function set_style(dom, value, prev_styles, next_styles) {
	var prev = dom[STYLE_CACHE];
	if (hydrating || prev !== value) {
		var next_style_attr = to_style(value, next_styles);
		hydrating && next_style_attr === dom.getAttribute("style") || (next_style_attr == null ? dom.removeAttribute("style") : dom.style.cssText = next_style_attr), dom[STYLE_CACHE] = value;
	} else next_styles && (Array.isArray(next_styles) ? (update_styles(dom, prev_styles?.[0], next_styles[0]), update_styles(dom, prev_styles?.[1], next_styles[1], "important")) : update_styles(dom, prev_styles, next_styles));
	return next_styles;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/select.js
function set_selected(option, selected) {
	selected ? option.hasAttribute("selected") || option.setAttribute("selected", "") : option.removeAttribute("selected");
}
function set_default_select_value(select, value) {
	var mounting = !("__defaultValue" in select);
	(mounting || select.__defaultValue !== value) && (select.__defaultValue = value, apply_default_select_value(select, !mounting || "__value" in select));
}
function apply_default_select_value(select, preserve) {
	var value = select.__defaultValue, multiple = select.multiple, values = multiple ? value ?? [] : null;
	if (!multiple || is_array(values)) {
		var index = select.selectedIndex, selected = preserve && multiple ? new Set(select.selectedOptions) : null;
		for (var option of select.options) {
			var option_value = get_option_value(option);
			set_selected(option, multiple ? values.includes(option_value) : is(option_value, value));
		}
		if (preserve) {
			if (selected !== null) for (option of select.options) {
				var was_selected = selected.has(option);
				option.selected !== was_selected && (option.selected = was_selected);
			}
			else select.selectedIndex !== index && (select.selectedIndex = index);
		}
	}
}
function select_option(select, value, mounting = !1) {
	if (select.multiple) {
		if (value == null) return;
		if (!is_array(value)) return select_multiple_invalid_value();
		for (var option of select.options) option.selected = value.includes(get_option_value(option));
	} else {
		for (option of select.options) if (is(get_option_value(option), value)) {
			option.selected = !0;
			return;
		}
		mounting && value === void 0 || (select.selectedIndex = -1);
	}
}
function init_select(select) {
	var observer = new MutationObserver((entries) => {
		entries.every(is_selectedcontent_mutation) || ("__defaultValue" in select && apply_default_select_value(select, !1), "__value" in select && select_option(select, select.__value));
	});
	observer.observe(select, {
		childList: !0,
		subtree: !0,
		attributes: !0,
		attributeFilter: ["value"]
	}), teardown(() => {
		observer.disconnect();
	});
}
function get_option_value(option) {
	return "__value" in option ? option.__value : option.value;
}
function is_selectedcontent_mutation(entry) {
	if (entry.target.closest("selectedcontent") !== null) return !0;
	if (entry.type === "childList") {
		var nodes = [...entry.addedNodes, ...entry.removedNodes];
		return nodes.length > 0 && nodes.every((node) => node.nodeName === "SELECTEDCONTENT");
	}
	return !1;
}
// node_modules/svelte/src/internal/client/dom/elements/attributes.js
var CLASS = Symbol("class"), STYLE = Symbol("style"), IS_CUSTOM_ELEMENT = Symbol("is custom element"), IS_HTML = Symbol("is html"), LINK_TAG = IS_XHTML ? "link" : "LINK", INPUT_TAG = IS_XHTML ? "input" : "INPUT", OPTION_TAG = IS_XHTML ? "option" : "OPTION", SELECT_TAG = IS_XHTML ? "select" : "SELECT", PROGRESS_TAG = IS_XHTML ? "progress" : "PROGRESS";
function remove_input_defaults(input) {
	if (hydrating) {
		var already_removed = !1, remove_defaults = () => {
			if (!already_removed) {
				if (already_removed = !0, input.hasAttribute("value")) {
					var value = input.value;
					set_attribute(input, "value", null), input.value = value;
				}
				if (input.hasAttribute("checked")) {
					var checked = input.checked;
					set_attribute(input, "checked", null), input.checked = checked;
				}
			}
		};
		input[FORM_RESET_HANDLER] = remove_defaults, queue_micro_task(remove_defaults), add_form_reset_listener();
	}
}
function set_value(element, value) {
	var attributes = get_attributes(element);
	attributes.value !== (attributes.value = value ?? void 0) && (element.value !== value || value === 0 && element.nodeName === PROGRESS_TAG) && (element.value = value ?? "");
}
function set_checked(element, checked) {
	var attributes = get_attributes(element);
	attributes.checked !== (attributes.checked = checked ?? void 0) && (element.checked = checked);
}
function set_attribute(element, attribute, value, skip_warning) {
	var attributes = get_attributes(element);
	if (!(hydrating && (attributes[attribute] = element.getAttribute(attribute), attribute === "src" || attribute === "srcset" || attribute === "href" && element.nodeName === LINK_TAG))) {
		var previous = attributes[attribute];
		previous !== (attributes[attribute] = value) && (attribute === "loading" && (element[LOADING_ATTR_SYMBOL] = value), value == null ? element.removeAttribute(attribute) : typeof value != "string" && get_setters(element).has(attribute) ? element[attribute] = value : (!hydrating || typeof value != "number" && typeof value != "boolean" || previous !== String(value)) && element.setAttribute(attribute, value));
	}
}
function set_attributes(element, prev, next, css_hash, should_remove_defaults = !1, skip_warning = !1) {
	hydrating && should_remove_defaults && element.nodeName === INPUT_TAG && ("defaultValue" in next || "defaultChecked" in next || remove_input_defaults(element));
	var attributes = get_attributes(element), is_custom_element = attributes[IS_CUSTOM_ELEMENT], preserve_attribute_case = !attributes[IS_HTML];
	let is_hydrating_custom_element = hydrating && is_custom_element;
	is_hydrating_custom_element && set_hydrating(!1);
	var current = prev || {}, is_option_element = element.nodeName === OPTION_TAG, is_select_element = element.nodeName === SELECT_TAG;
	try {
		for (var key in prev) !(key in next) && key[0] + key[1] !== "$$" && (next[key] = null);
		next.class ? next.class = clsx(next.class) : (css_hash || next[CLASS]) && (next.class = null), next[STYLE] && (next.style ??= null);
		var setters = get_setters(element);
		if (element.nodeName === INPUT_TAG && "type" in next && ("value" in next || "__value" in next)) {
			var type = next.type;
			(type !== current.type || type === void 0 && element.hasAttribute("type")) && (current.type = type, set_attribute(element, "type", type, skip_warning));
		}
		for (let key in next) {
			let value = next[key];
			if (is_option_element && key === "value" && value == null) element.value = element.__value = "", current[key] = value;
			else if (key === "class") set_class(element, element.namespaceURI === "http://www.w3.org/1999/xhtml", value, css_hash, prev?.[CLASS], next[CLASS]), current[key] = value, current[CLASS] = next[CLASS];
			else if (key === "style") set_style(element, value, prev?.[STYLE], next[STYLE]), current[key] = value, current[STYLE] = next[STYLE];
			else {
				var prev_value = current[key];
				if (value !== prev_value || value === void 0 && element.hasAttribute(key)) {
					current[key] = value;
					var prefix = key[0] + key[1];
					if (prefix !== "$$") {
						if (prefix === "on") {
							let opts = {}, event_handle_key = "$$" + key, event_name = key.slice(2);
							var is_delegated = can_delegate_event(event_name);
							if (is_capture_event(event_name) && (event_name = event_name.slice(0, -7), opts.capture = !0), !is_delegated && prev_value) {
								if (value != null) continue;
								element.removeEventListener(event_name, current[event_handle_key], opts), current[event_handle_key] = null;
							}
							if (is_delegated) delegated(event_name, element, value), delegate([event_name]);
							else if (value != null) {
								function handle(evt) {
									current[key].call(this, evt);
								}
								current[event_handle_key] = create_event(event_name, element, handle, opts);
							}
						} else if (key === "style") set_attribute(element, key, value);
						else if (key === "autofocus") autofocus(element, !!value);
						else if (!is_custom_element && (key === "__value" || key === "value" && value != null)) element.__value = value, (prev_value == null || element.value !== value || value === 0 && element.nodeName === PROGRESS_TAG) && (element.value = value);
						else if (key === "selected" && is_option_element) set_selected(element, value);
						else {
							var name = key;
							preserve_attribute_case || (name = normalize_attribute(name));
							var is_default = name === "defaultValue" || name === "defaultChecked";
							if (is_select_element && name === "defaultValue") continue;
							if (value == null && !is_custom_element && !is_default) {
								if (attributes[key] = null, name === "value" || name === "checked") {
									let input = element, use_default = prev === void 0;
									if (name === "value") {
										let previous = input.defaultValue;
										input.removeAttribute(name), input.defaultValue = previous, input.value = input.__value = use_default ? previous : null;
									} else {
										let previous = input.defaultChecked;
										input.removeAttribute(name), input.defaultChecked = previous, input.checked = use_default ? previous : !1;
									}
								} else element.removeAttribute(key);
							} else is_default || (is_custom_element || typeof value != "string") && setters.has(name) ? (element[name] = value, name in attributes && (attributes[name] = UNINITIALIZED)) : typeof value != "function" && set_attribute(element, name, value, skip_warning);
						}
					}
				}
			}
		}
	} finally {
		is_hydrating_custom_element && set_hydrating(!0);
	}
	return current;
}
function attribute_effect(element, fn, sync = [], async = [], blockers = [], css_hash, should_remove_defaults = !1, skip_warning = !1) {
	flatten(blockers, sync, async, (values) => {
		var prev = void 0, effects = {}, is_select = element.nodeName === SELECT_TAG, inited = !1;
		if (managed(() => {
			var next = fn(...values.map(get)), current = set_attributes(element, prev, next, css_hash, should_remove_defaults, skip_warning);
			if (inited && is_select) {
				var select = element;
				"defaultValue" in next && set_default_select_value(select, next.defaultValue), "value" in next && select_option(select, next.value);
			}
			for (let symbol of Object.getOwnPropertySymbols(effects)) next[symbol] || destroy_effect(effects[symbol]);
			for (let symbol of Object.getOwnPropertySymbols(next)) {
				var n = next[symbol];
				symbol.description !== "@attach" || prev && n === prev[symbol] || (effects[symbol] && destroy_effect(effects[symbol]), effects[symbol] = branch(() => attach(element, () => n))), current[symbol] = n;
			}
			prev = current;
		}), is_select) {
			var select = element;
			effect(() => {
				var attrs = prev;
				"defaultValue" in attrs && set_default_select_value(select, attrs.defaultValue), select_option(select, attrs.value, !0), init_select(select);
			});
		}
		inited = !0;
	});
}
function get_attributes(element) {
	return element[ATTRIBUTES_CACHE] ??= {
		[IS_CUSTOM_ELEMENT]: element.nodeName.includes("-"),
		[IS_HTML]: element.namespaceURI === NAMESPACE_HTML
	};
}
var setters_cache = new Map();
function get_setters(element) {
	var cache_key = element.getAttribute("is") || element.nodeName, setters = setters_cache.get(cache_key);
	if (setters) return setters;
	setters_cache.set(cache_key, setters = new Set());
	for (var descriptors, proto = element, element_proto = Element.prototype; element_proto !== proto;) {
		for (var key in descriptors = get_descriptors(proto), descriptors) descriptors[key].set && key !== "innerHTML" && key !== "textContent" && key !== "innerText" && setters.add(key);
		proto = get_prototype_of(proto);
	}
	return setters;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/input.js
function bind_value(input, get, set = get) {
	var batches = new WeakSet();
	listen_to_event_and_reset_event(input, "input", async (is_reset) => {
		var value = is_reset ? input.defaultValue : input.value;
		if (value = is_numberlike_input(input) ? to_number(value) : value, set(value), current_batch !== null && batches.add(current_batch), await tick(), value !== (value = get())) {
			var start = input.selectionStart, end = input.selectionEnd, length = input.value.length;
			if (input.value = value ?? "", end !== null) {
				var new_length = input.value.length;
				start === end && end === length && new_length > length ? (input.selectionStart = new_length, input.selectionEnd = new_length) : (input.selectionStart = start, input.selectionEnd = Math.min(end, new_length));
			}
		}
	}), (hydrating && input.defaultValue !== input.value || untrack(get) == null && input.value) && (set(is_numberlike_input(input) ? to_number(input.value) : input.value), current_batch !== null && batches.add(current_batch)), render_effect(() => {
		var value = get();
		if (input === document.activeElement) {
			var batch = current_batch;
			if (batches.has(batch)) return;
		}
		is_numberlike_input(input) && value === to_number(input.value) || (input.type !== "date" || value || input.value) && value !== input.value && (input.value = value ?? "");
	});
}
var pending = new Set();
function bind_group(inputs, group_index, input, get, set = get) {
	var is_checkbox = input.getAttribute("type") === "checkbox", binding_group = inputs;
	let hydration_mismatch = !1;
	if (group_index !== null) for (var index of group_index) binding_group = binding_group[index] ??= [];
	binding_group.push(input), listen_to_event_and_reset_event(input, "change", () => {
		var value = input.__value;
		is_checkbox && (value = get_binding_group_value(binding_group, value, input.checked)), set(value);
	}, () => set(is_checkbox ? [] : null)), render_effect(() => {
		var value = get();
		hydrating && input.defaultChecked !== input.checked ? hydration_mismatch = !0 : is_checkbox ? (value ||= [], input.checked = value.includes(input.__value)) : input.checked = is(input.__value, value);
	}), teardown(() => {
		var index = binding_group.indexOf(input);
		index !== -1 && binding_group.splice(index, 1);
	}), pending.has(binding_group) || (pending.add(binding_group), queue_micro_task(() => {
		binding_group.sort((a, b) => a.compareDocumentPosition(b) === 4 ? -1 : 1), pending.delete(binding_group);
	})), queue_micro_task(() => {
		if (hydration_mismatch) {
			var value = is_checkbox ? get_binding_group_value(binding_group, value, input.checked) : binding_group.find((input) => input.checked)?.__value;
			set(value);
		}
	});
}
function bind_checked(input, get, set = get) {
	listen_to_event_and_reset_event(input, "change", (is_reset) => {
		set(is_reset ? input.defaultChecked : input.checked);
	}), (hydrating && input.defaultChecked !== input.checked || untrack(get) == null) && set(input.checked), render_effect(() => {
		input.checked = !!get();
	});
}
function get_binding_group_value(group, __value, checked) {
	for (var value = new Set(), i = 0; i < group.length; i += 1) group[i].checked && value.add(group[i].__value);
	return checked || value.delete(__value), Array.from(value);
}
function is_numberlike_input(input) {
	var type = input.type;
	return type === "number" || type === "range";
}
function to_number(value) {
	return value === "" ? null : +value;
}
var resize_observer_border_box = new class ResizeObserverSingleton {
	#listeners = new WeakMap();
	#observer;
	#options;
	static entries = new WeakMap();
	constructor(options) {
		this.#options = options;
	}
	observe(element, listener) {
		var listeners = this.#listeners.get(element) || new Set();
		return listeners.add(listener), this.#listeners.set(element, listeners), this.#getObserver().observe(element, this.#options), () => {
			var listeners = this.#listeners.get(element);
			listeners.delete(listener), listeners.size === 0 && (this.#listeners.delete(element), this.#observer.unobserve(element));
		};
	}
	#getObserver() {
		return this.#observer ??= new ResizeObserver((entries) => {
			for (var entry of entries) {
				ResizeObserverSingleton.entries.set(entry.target, entry);
				for (var listener of this.#listeners.get(entry.target) || []) listener(entry);
			}
		});
	}
}({ box: "border-box" });
function bind_element_size(element, type, set) {
	var unsub = resize_observer_border_box.observe(element, () => set(element[type]));
	effect(() => (untrack(() => set(element[type])), unsub));
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/this.js
function is_bound_this(bound_value, element_or_component) {
	return bound_value === element_or_component || bound_value?.[STATE_SYMBOL] === element_or_component;
}
function bind_this(element_or_component = mark_as_component(), update, get_value, get_parts) {
	var component_effect = component_context.r, parent = active_effect;
	return effect(() => {
		var old_parts, parts;
		return render_effect(() => {
			old_parts = parts, parts = get_parts?.() || [], untrack(() => {
				is_bound_this(get_value(...parts), element_or_component) || (update(element_or_component, ...parts), old_parts && is_bound_this(get_value(...old_parts), element_or_component) && update(null, ...old_parts));
			});
		}), () => {
			let p = parent;
			for (; p !== component_effect && p.parent !== null && p.parent.f & 33554432;) p = p.parent;
			let teardown = () => {
				parts && is_bound_this(get_value(...parts), element_or_component) && update(null, ...parts);
			}, original_teardown = p.teardown;
			p.teardown = () => {
				teardown(), original_teardown?.();
			};
		};
	}), element_or_component;
}
// node_modules/svelte/src/internal/client/reactivity/store.js
var is_store_binding = !1;
function capture_store_binding(fn) {
	var previous_is_store_binding = is_store_binding;
	try {
		return is_store_binding = !1, [fn(), is_store_binding];
	} finally {
		is_store_binding = previous_is_store_binding;
	}
}
// node_modules/svelte/src/internal/client/reactivity/props.js
var rest_props_handler = {
	get(target, key) {
		if (!target.exclude.has(key)) return target.props[key];
	},
	set(target, key) {
		return !1;
	},
	getOwnPropertyDescriptor(target, key) {
		if (!target.exclude.has(key) && key in target.props) return {
			enumerable: !0,
			configurable: !0,
			value: target.props[key]
		};
	},
	has(target, key) {
		return !target.exclude.has(key) && key in target.props;
	},
	ownKeys(target) {
		return Reflect.ownKeys(target.props).filter((key) => !target.exclude.has(key));
	}
};
function rest_props(props, exclude, name) {
	return new Proxy({
		props,
		exclude
	}, rest_props_handler);
}
var spread_props_handler = {
	get(target, key) {
		let i = target.props.length;
		for (; i--;) {
			let p = target.props[i];
			if (is_function(p) && (p = p()), typeof p == "object" && p && key in p) return p[key];
		}
	},
	set(target, key, value) {
		let i = target.props.length;
		for (; i--;) {
			let p = target.props[i];
			is_function(p) && (p = p());
			let desc = get_descriptor(p, key);
			if (desc && desc.set) return desc.set(value), !0;
		}
		return !1;
	},
	getOwnPropertyDescriptor(target, key) {
		let i = target.props.length;
		for (; i--;) {
			let p = target.props[i];
			if (is_function(p) && (p = p()), typeof p == "object" && p && key in p) {
				let descriptor = get_descriptor(p, key);
				return descriptor && !descriptor.configurable && (descriptor.configurable = !0), descriptor;
			}
		}
	},
	has(target, key) {
		if (key === STATE_SYMBOL || key === LEGACY_PROPS) return !1;
		for (let p of target.props) if (is_function(p) && (p = p()), p != null && key in p) return !0;
		return !1;
	},
	ownKeys(target) {
		let keys = [];
		for (let p of target.props) if (is_function(p) && (p = p()), p) {
			for (let key in p) keys.includes(key) || keys.push(key);
			for (let key of Object.getOwnPropertySymbols(p)) keys.includes(key) || keys.push(key);
		}
		return keys;
	}
};
function spread_props(...props) {
	return new Proxy({ props }, spread_props_handler);
}
function prop(props, key, flags, fallback) {
	var runes = !0, bindable = !!(flags & 8), lazy = !!(flags & 16), fallback_value = fallback, fallback_dirty = !0, fallback_signal = void 0, get_fallback = () => lazy && runes ? (fallback_signal ??= derived(fallback), get(fallback_signal)) : (fallback_dirty && (fallback_dirty = !1, fallback_value = lazy ? untrack(fallback) : fallback), fallback_value);
	let setter;
	if (bindable) {
		var is_entry_props = STATE_SYMBOL in props || LEGACY_PROPS in props;
		setter = get_descriptor(props, key)?.set ?? (is_entry_props && key in props ? (v) => props[key] = v : void 0);
	}
	var initial_value, is_store_sub = !1;
	bindable ? [initial_value, is_store_sub] = capture_store_binding(() => props[key]) : initial_value = props[key], initial_value === void 0 && fallback !== void 0 && (initial_value = get_fallback(), setter && (runes && props_invalid_value(key), setter(initial_value)));
	var getter = runes ? () => {
		var value = props[key];
		return value === void 0 ? get_fallback() : (fallback_dirty = !0, value);
	} : () => {
		var value = props[key];
		return value !== void 0 && (fallback_value = void 0), value === void 0 ? fallback_value : value;
	};
	if (runes && !(flags & 4)) return getter;
	if (setter) {
		var legacy_parent = props.$$legacy;
		return (function(value, mutation) {
			return arguments.length > 0 ? ((!runes || !mutation || legacy_parent || is_store_sub) && setter(mutation ? getter() : value), value) : getter();
		});
	}
	var overridden = !1, d = (flags & 1 ? derived : derived_safe_equal)(() => (overridden = !1, getter()));
	bindable && get(d);
	var parent_effect = active_effect;
	return (function(value, mutation) {
		if (arguments.length > 0) {
			let new_value = mutation ? get(d) : runes && bindable ? proxy(value) : value;
			return set(d, new_value), overridden = !0, fallback_value !== void 0 && (fallback_value = new_value), value;
		}
		return is_destroying_effect && overridden || parent_effect.f & 16384 ? d.v : get(d);
	});
}
function onMount(fn) {
	component_context === null && lifecycle_outside_component("onMount"), user_effect(() => {
		let cleanup = untrack(fn);
		if (typeof cleanup == "function") return cleanup;
	});
}
// node_modules/svelte/src/internal/disclose-version.js
typeof window < "u" && ((window.__svelte ??= {}).v ??= new Set()).add("5");
export { $document, $window, append, attach, attribute_effect, autofocus, await_block, bind_checked, bind_element_size, bind_group, bind_this, bind_value, child, clsx, comment, component, deferred_template_effect, delegate, delegated, each, element, event, first_child, flushSync, from_html, from_svg, get, getContext, head, if_block, index, init_select, key, mount, next, noop, onMount, only_child, pop, prop, props_id, proxy, push, remove_input_defaults, remove_textarea_child, replay_events, reset, rest_props, select_option, set, setContext, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, snippet, spread_props, state, template_effect, text, tick, to_array, untrack, update, user_derived, user_effect, user_pre_effect };
