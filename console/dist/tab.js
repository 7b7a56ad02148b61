import { asProblem, authenticated, href, isTemporary, readProblem, retryAfter } from "./parts.js";
// src/live/clock.ts
var HIDDEN_FRAME_MS = 250, browserClock = {
	now: () => Date.now(),
	random: () => Math.random(),
	after(delayMs, run) {
		let timer = setTimeout(run, delayMs);
		return () => clearTimeout(timer);
	},
	frame(run) {
		let once = () => {
			cancel(), run();
		}, frame = requestAnimationFrame(once), timer = setTimeout(once, HIDDEN_FRAME_MS), cancel = () => {
			cancelAnimationFrame(frame), clearTimeout(timer);
		};
		return cancel;
	},
	onWake(run) {
		let visible = () => document.visibilityState === "visible" && run();
		addEventListener("online", run), document.addEventListener("visibilitychange", visible), document.addEventListener("resume", run);
		let restored = (event) => event.persisted && run();
		return addEventListener("pageshow", restored), () => {
			removeEventListener("online", run), document.removeEventListener("visibilitychange", visible), document.removeEventListener("resume", run), removeEventListener("pageshow", restored);
		};
	},
	hidden: () => document.visibilityState === "hidden",
	onHidden(run) {
		let hidden = () => document.visibilityState === "hidden" && run();
		return document.addEventListener("visibilitychange", hidden), () => document.removeEventListener("visibilitychange", hidden);
	}
}, LiveProblem = class extends Error {
	problem;
	constructor(problem) {
		super(problem.detail ?? problem.title), this.problem = problem, this.name = "LiveProblem";
	}
};
function pathOf(target) {
	switch (target.to) {
		case "stream": return `api/conversations/${encodeURIComponent(target.conversation_id)}/streams/${encodeURIComponent(target.stream_id)}`;
		case "conversation": return `api/conversations/${encodeURIComponent(target.conversation_id)}`;
		case "notifications": return "api/notifications";
	}
}
// src/live/api.ts
async function cancelRun(api, target) {
	let response = await api.fetch(pathOf(target), { method: "DELETE" });
	if (!response.ok) throw new LiveProblem(await readProblem(response));
	await response.body?.cancel();
}
async function checkLogin(api) {
	let response = await api.fetch("api/users/me");
	if (response.ok) return response.body?.cancel();
	let problem = await readProblem(response);
	throw isTemporary(response.status) ? Error(problem.title) : new LiveProblem(problem);
}
// src/live/retry.ts
var FIRST_MS = 500, SHORT_MS = 1e3, SHORT_ATTEMPTS = 15, MAX_MS = 3e4, Backoff = class {
	clock;
	failures = 0;
	constructor(clock) {
		this.clock = clock;
	}
	get attempt() {
		return this.failures;
	}
	next(leastMs = 0) {
		let doublings = Math.max(0, this.failures - SHORT_ATTEMPTS), ceiling = this.failures === 0 ? FIRST_MS : Math.min(MAX_MS, SHORT_MS * 2 ** Math.min(doublings, 16));
		return this.failures += 1, Math.max(leastMs, ceiling / 2 + this.clock.random() * ceiling / 2);
	}
	reset() {
		this.failures = 0;
	}
};
function afterDelayOrWake(clock, backoff, delayMs, run) {
	let once = () => {
		cancel(), run();
	}, cancelTimer = clock.after(delayMs, once), cancelWake = clock.onWake(() => {
		backoff.reset(), once();
	}), cancel = () => {
		cancelTimer(), cancelWake();
	};
	return cancel;
}
// src/live/sse.ts
var MAX_EVENT_CHARS = 33554432, EventStreamParser = class {
	decoder = new TextDecoder();
	rest = [];
	restChars = 0;
	data = [];
	id = "";
	push(chunk) {
		let events = [], text = this.decoder.decode(chunk, { stream: !0 }), start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			this.rest.push(text.slice(start, end)), start = end + 1;
			let line = this.rest.length === 1 ? this.rest[0] : this.rest.join("");
			this.rest = [], this.restChars = 0;
			let event = this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
			event && events.push(event);
		}
		if (start < text.length && (this.rest.push(text.slice(start)), this.restChars += text.length - start, this.restChars > MAX_EVENT_CHARS)) throw Error("an event of the stream is too long");
		return events;
	}
	line(line) {
		if (line === "") {
			if (this.data.length === 0) return null;
			let event = {
				id: this.id,
				data: this.data.join("\n")
			};
			return this.data = [], event;
		}
		let colon = line.indexOf(":");
		if (colon === 0) return null;
		let name = colon < 0 ? line : line.slice(0, colon), value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
		return name === "data" ? this.data.push(value) : name === "id" && !value.includes("\0") && (this.id = value), null;
	}
}, SILENCE_MS = 45e3, CONNECTIONS = 4, HIDDEN_MS = 1e4, PRIORITY = {
	stream: 0,
	conversation: 1,
	notifications: 2
}, HttpTransport = class {
	api;
	clock;
	readers = new Set();
	paused = !1;
	cancelPause = () => {};
	cancelListeners;
	constructor(api, clock = browserClock) {
		this.api = api, this.clock = clock, this.cancelListeners = [clock.onHidden(() => this.pauseLater()), clock.onWake(() => this.resume())], clock.hidden() && this.pauseLater();
	}
	subscribe(target, subscriber, options = {}) {
		let reader = new Reader(this.api, this.clock, target, subscriber, options, () => {
			this.readers.delete(reader), this.admit();
		});
		return this.readers.add(reader), this.admit(), reader;
	}
	prepare() {}
	cancel(target) {
		return cancelRun(this.api, target);
	}
	close() {
		let readers = [...this.readers];
		this.readers.clear();
		for (let reader of readers) reader.close();
		this.cancelPause();
		for (let cancel of this.cancelListeners) cancel();
	}
	pauseLater() {
		this.cancelPause(), this.cancelPause = this.clock.after(HIDDEN_MS, () => {
			this.paused = !0;
			for (let reader of this.readers) reader.pause();
		});
	}
	resume() {
		this.clock.hidden() || (this.cancelPause(), this.paused = !1, this.admit());
	}
	admit() {
		if (this.paused) return;
		let readers = [...this.readers], free = CONNECTIONS - readers.filter((reader) => reader.started).length, waiting = readers.filter((reader) => !reader.started);
		waiting.sort((a, b) => PRIORITY[a.target.to] - PRIORITY[b.target.to]);
		for (let reader of waiting) {
			if (free-- <= 0) return;
			reader.start();
		}
	}
}, Reader = class {
	api;
	clock;
	target;
	subscriber;
	options;
	onClosed;
	started = !1;
	position;
	closed = !1;
	attempt = null;
	cancelWait = () => {};
	backoff;
	constructor(api, clock, target, subscriber, options, onClosed) {
		this.api = api, this.clock = clock, this.target = target, this.subscriber = subscriber, this.options = options, this.onClosed = onClosed, this.position = options.after, this.backoff = new Backoff(clock);
	}
	start() {
		this.started = !0, this.read();
	}
	pause() {
		this.started = !1, this.stop();
	}
	close() {
		this.closed || (this.closed = !0, this.stop(), this.onClosed());
	}
	stop() {
		this.cancelWait(), this.attempt?.abort(), this.attempt = null;
	}
	async read() {
		let attempt = new AbortController();
		this.attempt = attempt;
		let isCurrent = () => this.attempt === attempt;
		this.subscriber.connection?.({ state: "connecting" });
		let leastDelayMs = 0;
		try {
			let response = await this.request(attempt.signal);
			if (!isCurrent()) return;
			if (response.status === 204) return this.end(() => this.subscriber.ended());
			if (response.ok) response.body && (this.subscriber.connection?.({ state: "open" }), await this.readBody(response.body, attempt));
			else {
				let problem = await readProblem(response);
				if (!isCurrent()) return;
				if (!isTemporary(response.status)) return this.end(() => this.subscriber.refused(problem));
				leastDelayMs = (retryAfter(response) ?? 0) * 1e3;
			}
		} catch {}
		isCurrent() && this.wait(this.backoff.next(leastDelayMs));
	}
	request(signal) {
		let headers = { accept: "text/event-stream" };
		this.position !== void 0 && (headers["last-event-id"] = String(this.position));
		let query = this.options.fold && this.target.to === "stream" ? "?fold=true" : "";
		return this.api.fetch(pathOf(this.target) + query, {
			headers,
			signal,
			cache: "no-store"
		});
	}
	async readBody(body, attempt) {
		let parser = new EventStreamParser(), reader = body.getReader(), cancelWatch = () => {};
		try {
			for (;;) {
				cancelWatch = this.clock.after(SILENCE_MS, () => attempt.abort());
				let { done, value } = await reader.read();
				if (cancelWatch(), done || this.attempt !== attempt) return;
				if (this.deliver(parser.push(value))) return this.end(() => this.subscriber.ended());
			}
		} finally {
			cancelWatch(), reader.cancel().catch(() => {});
		}
	}
	deliver(events) {
		if (events.length === 0) return !1;
		let parsed = events.map((event) => JSON.parse(event.data)), { id } = events[events.length - 1];
		return id !== "" && (this.position = this.target.to === "conversation" ? id : Number(id)), this.backoff.reset(), this.subscriber.deliver(parsed, this.position), this.target.to === "stream" && parsed[parsed.length - 1].type === "run.ended";
	}
	wait(delayMs) {
		if (this.closed) return;
		this.attempt = null;
		let retry_at = this.clock.now() + delayMs;
		this.subscriber.connection?.({
			state: "waiting",
			attempt: this.backoff.attempt,
			retry_at
		}), this.cancelWait = afterDelayOrWake(this.clock, this.backoff, delayMs, () => void this.read());
	}
	end(report) {
		this.closed || (this.close(), report());
	}
};
// src/live/frames.ts
function readMessage(text) {
	let fields = parsed(text), { type, id } = fields;
	if (typeof id != "string") return { type: "other" };
	switch (type) {
		case "subscribed": return {
			type,
			id
		};
		case "event": {
			let { event, position } = fields;
			return typeof event != "object" || !event ? { type: "other" } : {
				type,
				id,
				event,
				position: isPosition(position) ? position : void 0
			};
		}
		case "ended": return {
			type,
			id,
			problem: "problem" in fields ? problemIn(fields) : null
		};
		case "problem": return {
			type,
			id,
			op: String(fields.op),
			problem: problemIn(fields)
		};
		default: return { type: "other" };
	}
}
function problemIn(fields) {
	return asProblem(fields.problem, {
		status: 500,
		title: "The subscription was refused"
	});
}
function isPosition(value) {
	return typeof value == "string" || typeof value == "number";
}
function parsed(text) {
	if (typeof text != "string") return {};
	try {
		let value = JSON.parse(text);
		return typeof value == "object" && value ? value : {};
	} catch {
		return {};
	}
}
// src/live/heartbeat.ts
var TICK_MS = 5e3, Heartbeat = class {
	clock;
	options;
	heardAt;
	tickAt;
	deadline = Infinity;
	cancelTick = () => {};
	cancelWake;
	constructor(clock, options) {
		this.clock = clock, this.options = options, this.heardAt = this.tickAt = clock.now(), this.cancelWake = clock.onWake(() => this.wake()), this.next();
	}
	heard() {
		this.heardAt = this.clock.now(), this.deadline = Infinity;
	}
	stop() {
		this.cancelTick(), this.cancelWake();
	}
	wake() {
		this.expect(this.options.wakeAnswerMs), this.next();
	}
	expect(answerMs) {
		this.deadline = Math.min(this.deadline, this.clock.now() + answerMs), this.options.ping();
	}
	tick() {
		let now = this.clock.now(), wasAsleep = now - this.tickAt > 2 * TICK_MS;
		if (this.tickAt = now, wasAsleep) return this.deadline = Infinity, this.wake();
		if (now >= this.deadline) return this.stop(), this.options.dead();
		this.deadline === Infinity && now - this.heardAt >= this.options.silenceMs && this.expect(this.options.answerMs), this.next();
	}
	next() {
		this.cancelTick();
		let left = Math.max(0, this.deadline - this.clock.now());
		this.cancelTick = this.clock.after(Math.min(TICK_MS, left), () => this.tick());
	}
}, PING_MS = 2e4, ANSWER_MS = 15e3, WAKE_ANSWER_MS = 4e3, OPEN_MS = 15e3, IDLE_MS = 6e4, HANDSHAKES = 2, OPEN = 1, SocketTransport = class {
	api;
	options;
	clock;
	backoff;
	open;
	subscriptions = new Map();
	socket = null;
	lastId = 0;
	failedHandshakes = 0;
	closed = !1;
	cancelOpen = () => {};
	cancelWait = null;
	cancelIdle = () => {};
	heartbeat = null;
	constructor(api, options = {}) {
		this.api = api, this.options = options, this.clock = options.clock ?? browserClock, this.backoff = new Backoff(this.clock), this.open = options.open ?? ((url) => new WebSocket(url));
	}
	subscribe(target, subscriber, options = {}) {
		let subscription = new SocketSubscription(this, this.clock, target, subscriber, options);
		return this.add(subscription), subscription;
	}
	prepare() {
		this.closed || this.socket || this.cancelWait || (this.connect(), this.closeIfIdle());
	}
	cancel(target) {
		return cancelRun(this.api, target);
	}
	close() {
		this.closed = !0, this.subscriptions.clear(), this.disconnect(), this.cancelWait?.(), this.cancelIdle();
	}
	renew() {
		this.socket && (this.disconnect(), this.subscriptions.size > 0 && this.connect());
	}
	add(subscription) {
		this.closed || (this.cancelIdle(), subscription.id = String(++this.lastId), this.subscriptions.set(subscription.id, subscription), this.socket?.readyState === OPEN ? this.request(subscription) : !this.socket && !this.cancelWait && this.connect());
	}
	remove(subscription) {
		this.subscriptions.delete(subscription.id) && (this.socket?.readyState === OPEN && this.send({
			op: "unsubscribe",
			id: subscription.id
		}), this.closeIfIdle());
	}
	connect() {
		this.cancelWait = null, this.notify((subscription) => subscription.subscriber.connection?.({ state: "connecting" }));
		let url = new URL("api/live", new URL(this.api.base, globalThis.location?.href));
		url.protocol = url.protocol.replace("http", "ws");
		let socket = this.open(url.href);
		this.socket = socket;
		let wasOpen = !1, cancelOpen = this.clock.after(OPEN_MS, () => this.lost(socket, wasOpen));
		this.cancelOpen = cancelOpen, socket.onopen = () => {
			wasOpen = !0, this.failedHandshakes = 0, cancelOpen(), this.heartbeat = new Heartbeat(this.clock, {
				silenceMs: PING_MS,
				answerMs: ANSWER_MS,
				wakeAnswerMs: WAKE_ANSWER_MS,
				ping: () => this.send({ op: "ping" }),
				dead: () => this.lost(socket, !0)
			});
			for (let subscription of this.subscriptions.values()) this.request(subscription);
		}, socket.onmessage = (message) => this.receive(socket, message.data), socket.onclose = () => this.lost(socket, wasOpen);
	}
	lost(socket, wasOpen) {
		this.socket === socket && (this.disconnect(), this.closed || this.subscriptions.size === 0 || this.retryLater(wasOpen));
	}
	async reconnect(wasOpen) {
		try {
			await checkLogin(this.api);
		} catch (error) {
			return this.closed ? void 0 : error instanceof LiveProblem ? this.refuseAll(error.problem) : this.retryLater(wasOpen);
		}
		if (!this.closed) {
			if (!wasOpen && ++this.failedHandshakes >= HANDSHAKES) return this.giveUp();
			this.connect();
		}
	}
	retryLater(wasOpen) {
		let delayMs = this.backoff.next(), retry_at = this.clock.now() + delayMs, { attempt } = this.backoff;
		this.notify(({ subscriber }) => subscriber.connection?.({
			state: "waiting",
			attempt,
			retry_at
		})), this.cancelWait = afterDelayOrWake(this.clock, this.backoff, delayMs, () => void this.reconnect(wasOpen));
	}
	giveUp() {
		this.closed = !0, this.options.onUnavailable?.();
	}
	refuseAll(problem) {
		let refused = [...this.subscriptions.values()];
		this.subscriptions.clear(), this.cancelWait = null;
		for (let { subscriber } of refused) subscriber.refused(problem);
	}
	disconnect() {
		this.cancelOpen(), this.heartbeat?.stop(), this.heartbeat = null;
		let { socket } = this;
		this.socket = null, socket && (socket.onopen = socket.onmessage = socket.onclose = null, socket.close());
	}
	closeIfIdle() {
		this.subscriptions.size > 0 || (this.cancelIdle(), this.cancelIdle = this.clock.after(IDLE_MS, () => this.disconnect()));
	}
	receive(socket, text) {
		if (this.socket !== socket) return;
		this.heartbeat?.heard();
		let message = readMessage(text);
		if (message.type === "other") return;
		let subscription = this.subscriptions.get(message.id);
		subscription && this.dispatch(subscription, message);
	}
	dispatch(subscription, message) {
		let { subscriber } = subscription;
		switch (message.type) {
			case "subscribed": return subscriber.connection?.({ state: "open" });
			case "event": return this.backoff.reset(), subscription.deliver(message.event, message.position);
			case "ended": return this.forget(subscription), message.problem ? this.refused(subscription, message.problem) : subscriber.ended();
			case "problem": return message.op === "subscribe" ? (this.forget(subscription), this.refused(subscription, message.problem)) : void 0;
		}
	}
	refused(subscription, problem) {
		isTemporary(problem.status) ? subscription.retry() : subscription.subscriber.refused(problem);
	}
	forget(subscription) {
		this.subscriptions.delete(subscription.id), this.closeIfIdle();
	}
	request({ id, path, position }) {
		this.send({
			op: "subscribe",
			id,
			to: path,
			...position === void 0 ? {} : { after: position }
		});
	}
	send(command) {
		this.socket?.send(JSON.stringify(command));
	}
	notify(report) {
		for (let subscription of [...this.subscriptions.values()]) report(subscription);
	}
}, SocketSubscription = class {
	transport;
	clock;
	subscriber;
	id = "";
	position;
	path;
	backoff;
	cancelRetry = () => {};
	constructor(transport, clock, target, subscriber, options) {
		this.transport = transport, this.clock = clock, this.subscriber = subscriber, this.backoff = new Backoff(clock), this.position = options.after, this.path = `/${pathOf(target)}${options.fold && target.to === "stream" ? "?fold=true" : ""}`;
	}
	deliver(event, position) {
		this.backoff.reset(), this.position = position ?? this.position, this.subscriber.deliver([event], this.position);
	}
	retry() {
		let delayMs = this.backoff.next();
		this.subscriber.connection?.({
			state: "waiting",
			attempt: this.backoff.attempt,
			retry_at: this.clock.now() + delayMs
		}), this.cancelRetry = this.clock.after(delayMs, () => this.transport.add(this));
	}
	close() {
		this.cancelRetry(), this.transport.remove(this);
	}
}, LiveTransport = class {
	current;
	subscriptions = new Set();
	constructor(api, options = {}) {
		let clock = options.clock ?? browserClock, http = () => new HttpTransport(api, clock);
		this.current = options.open === null ? http() : new SocketTransport(api, {
			clock,
			...options.open ? { open: options.open } : {},
			onUnavailable: () => {
				options.onUnavailable?.(), this.move(http());
			}
		});
	}
	subscribe(target, subscriber, options = {}) {
		let movable = new MovableSubscription(target, subscriber, options, () => this.subscriptions.delete(movable));
		return this.subscriptions.add(movable), movable.subscribeTo(this.current), movable;
	}
	prepare() {
		this.current.prepare();
	}
	cancel(target) {
		return this.current.cancel(target);
	}
	renew() {
		this.current instanceof SocketTransport && this.current.renew();
	}
	close() {
		this.subscriptions.clear(), this.current.close();
	}
	move(next) {
		this.current.close(), this.current = next;
		for (let subscription of [...this.subscriptions]) subscription.subscribeTo(next);
	}
}, MovableSubscription = class {
	target;
	subscriber;
	options;
	onClosed;
	inner = null;
	after;
	constructor(target, subscriber, options, onClosed) {
		this.target = target, this.subscriber = subscriber, this.options = options, this.onClosed = onClosed, this.after = options.after;
	}
	subscribeTo(transport) {
		let { subscriber } = this, options = {
			...this.options,
			...this.after === void 0 ? {} : { after: this.after }
		}, tracking = {
			deliver: (events, position) => {
				this.after = position ?? this.after, subscriber.deliver(events, position);
			},
			ended: () => {
				this.onClosed(), subscriber.ended();
			},
			refused: (problem) => {
				this.onClosed(), subscriber.refused(problem);
			},
			connection: (connection) => subscriber.connection?.(connection)
		};
		this.inner = transport.subscribe(this.target, tracking, options);
	}
	close() {
		this.onClosed(), this.inner?.close();
	}
}, UNAVAILABLE_UNTIL = "understudy.no-websocket-until", UNAVAILABLE_MS = 6e5, live = new LiveTransport({
	base: new URL(href("/"), location.href).href,
	fetch(path, options) {
		return authenticated(() => fetch(new URL(path, this.base), {
			credentials: "same-origin",
			...options
		}));
	}
}, {
	...Number(sessionStorage.getItem(UNAVAILABLE_UNTIL)) > Date.now() ? { open: null } : {},
	onUnavailable: () => sessionStorage.setItem(UNAVAILABLE_UNTIL, String(Date.now() + UNAVAILABLE_MS))
});
export { browserClock, live };
