import { $window, append, attribute_effect, await_block, bind_this, bind_value, child, clsx, comment, component, delegate, delegated, each, element, event, first_child, from_html, from_svg, get, if_block, index, next, noop, onMount, only_child, pop, prop, props_id, proxy, push, remove_input_defaults, remove_textarea_child, reset, rest_props, set, set_attribute, set_class, set_text, set_value, sibling, snippet, spread_props, state as state$2, template_effect, text, tick, to_array, update as update$1, user_derived, user_effect } from "./vendor.js";
// src/look.svelte.ts
var KEY = "understudy.theme";
function stored() {
	let value = localStorage.getItem(KEY);
	return value === "light" || value === "dark" ? value : "system";
}
var theme = state$2("system"), look = {
	get theme() {
		return get(theme);
	},
	set theme(value) {
		set(theme, value, !0), localStorage.setItem(KEY, value), document.documentElement.dataset.theme = value;
	}
};
function restoreLook() {
	look.theme = stored();
}
// src/words/en/counted.ts
var counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`, en = {
	common: {
		product: "Understudy",
		add: "Add",
		back: "Back",
		cancel: "Cancel",
		close: "Close",
		copied: "Copied",
		copy: "Copy",
		notCopied: "The browser does not allow copying. Select the text, and copy it with the keyboard.",
		create: "Create",
		delete: "Delete",
		edit: "Edit",
		loading: "Loading…",
		none: "None",
		rename: "Rename",
		retry: "Try again",
		save: "Save",
		saved: "Saved",
		search: "Search",
		undo: "Undo",
		why: "Why?",
		dismiss: "Dismiss",
		skip: "Skip to the conversation",
		required: "required",
		showTyped: "Show what is typed",
		star: (name) => `Add ${name} to the favourites`,
		unstar: (name) => `Remove ${name} from the favourites`
	},
	state: {
		offline: "No connection to the server",
		offlineText: "Your work is safe: responses continue on the server. This page reconnects by itself.",
		unreachable: "The server cannot be reached",
		unreachableText: "It may be restarting. Check that it runs, and try again.",
		error: "This did not work",
		forbidden: "You may not see this",
		notFound: "There is nothing at this address",
		notFoundText: "The link may be old, or what it refers to has been deleted, or it belongs to someone else.",
		outdated: "The server has been updated",
		outdatedText: "Reload the page to continue.",
		reload: "Reload"
	},
	why: {
		title: "The rules for this action",
		allowed: "This is allowed now. Try it again.",
		other: (operation) => `These rules for ${operation}, which the server checks first, are met. The reason is another one:`,
		denied: (operation) => `The server checks these rules for ${operation}, in this order.`,
		needs: "needs",
		has: "you have",
		nothing: "nothing",
		passes: "Met",
		fails: "Not met",
		unchecked: "Not checked",
		failed: "The reasons could not be read."
	},
	signIn: {
		title: "Sign in",
		email: "E-mail address",
		password: "Password",
		submit: "Sign in",
		forgotten: "Forgot your password?",
		forgottenNoMail: "This server cannot send mail. Its operator can stop it, set a new password with this command, and start it again:",
		signUp: "Sign up",
		noMethod: "This console supports none of the ways to sign in that this server offers.",
		firstStart: "First start?",
		firstStartText: "The first start of the server creates the account admin@localhost, and prints its password in the terminal or the log of the service.",
		firstStartLost: "If the password is lost, stop the server and run this command:",
		throttled: (minutes) => `Too many failed attempts. Try again in ${counted(minutes, "minute", "minutes")}.`
	},
	password: {
		forgottenTitle: "Reset your password",
		forgottenText: "We send you a link with which you can set a new password. It works once, for a day.",
		send: "Send the link",
		sent: "Check your mail",
		sentText: (email) => `If there is an account for ${email}, a message with a link is on its way.`,
		noMail: "This server cannot send mail. Ask its operator to set a new password with this command:",
		resetTitle: "Set a new password",
		resetText: "All your sessions end, and you are signed in here.",
		new: "New password",
		hint: "At least 12 characters",
		set: "Set the password"
	},
	join: {
		title: (tenant) => `Join ${tenant}`,
		invited: (by, email) => `${by} invites ${email}.`,
		someone: "A member",
		existing: "You have an account already. Enter its password.",
		newAccount: "Choose a name and a password.",
		name: "Your name",
		accept: "Join",
		signUp: "Sign up",
		signUpText: "If there is an account with this address already, enter its password.",
		confirm: "Confirm your address",
		confirmText: "Enter the password that you have chosen. If you had an account before, enter the password of that account.",
		continue: "Continue",
		mailed: "Check your mail",
		mailedText: "A message with a link is on its way. The link works for a day.",
		tenant: "Short name of the tenant",
		tenantHint: "Ask its administrators if you do not know it.",
		waiting: "Thank you",
		waitingText: "An administrator has to approve your request. You get a message when this has happened.",
		broken: "This link does not work",
		brokenText: "Links work once and for a limited time. Ask for a new one.",
		toSignIn: "Go to the sign-in page"
	},
	shell: {
		newChat: "New conversation",
		conversations: "Conversations",
		projects: "Projects",
		pinned: "Pinned",
		today: "Today",
		yesterday: "Yesterday",
		week: "Previous 7 days",
		month: "Previous 30 days",
		older: "Older",
		searchPlaceholder: "Search conversations",
		noMatch: "No conversation contains these words.",
		noMatchHint: "A message has to contain all words as they are typed; titles may contain parts of words.",
		searching: "Searching…",
		indexing: (progress) => progress === void 0 ? "The messages are being indexed…" : `The messages are being indexed: ${progress} %`,
		moreTitles: "More titles",
		indexingText: "This takes a moment the first time. The search continues by itself.",
		titles: "In titles",
		inMessages: "In messages",
		empty: "Your conversations appear here.",
		emptyArchive: "The archive is empty.",
		loadMore: "Show more",
		untitled: "New conversation",
		openMenu: "Open the navigation",
		closeMenu: "Close the navigation",
		account: "Account",
		settings: "Settings",
		memories: "Memories",
		signOut: "Sign out",
		reference: "API reference",
		shortcuts: "Keyboard shortcuts",
		commands: "Commands",
		actionsFor: (title) => `Actions for ${title}`,
		responding: "A response is being written",
		pin: "Pin",
		unpin: "Unpin",
		archive: "Archive",
		unarchive: "Restore from the archive",
		moveTo: "Move to a project",
		leaveProject: "Remove from the project",
		archived: "Archived",
		deleted: "Conversation deleted",
		archivedDone: "Conversation archived",
		renameTitle: "Rename the conversation",
		title: "Title",
		newProject: "New project",
		projectName: "Name of the project"
	},
	notifications: {
		title: "Notifications",
		text: "The last 1,000 notifications are kept for 90 days.",
		unread: (count) => counted(count, "unread notification", "unread notifications"),
		isUnread: "Unread:",
		show: "Show",
		all: "All",
		onlyUnread: "Unread",
		readAll: "Mark all as read",
		read: (title) => `Mark as read: ${title}`,
		remove: (title) => `Delete the notification: ${title}`,
		noUnread: "You have read all notifications",
		empty: "No notifications yet",
		emptyText: "You are notified here, for example when a workflow waits for you, or an automation has failed."
	},
	overview: {
		noScreen: "This is a summary: the console has no screen for this yet. Everything else can be done with the API.",
		reference: (operation) => `Read about ${operation} in the API reference`,
		summaries: "Summaries",
		empty: "There is nothing in this list",
		download: "Download",
		yes: "Yes",
		no: "No",
		titles: {
			assistant: "Assistant",
			assistants: "Assistants",
			audio: "Speech models",
			automation: "Automation",
			automations: "Automations",
			base: "Knowledge base",
			bases: "Knowledge bases",
			budgets: "Budgets",
			catalog: "Catalog",
			endpoints: "Where notifications are sent",
			groups: "Synchronisations of groups",
			joinRequests: "Requests to join",
			reports: "Key figures",
			skill: "Skill",
			skills: "Skills",
			tenant: "Tenant",
			usage: "Your usage",
			video: "Video",
			videos: "Videos",
			workflows: "Workflows"
		},
		labels: {
			address: "Address",
			admission: "Admission",
			conversations: "Conversations",
			cost: "Cost",
			created: "Created",
			dayLimit: "Limit per day",
			delivered: "Last delivery",
			description: "Description",
			documents: "Documents",
			email: "E-mail address",
			enabled: "Enabled",
			error: "Error",
			expires: "Expires",
			failures: "Failures",
			finished: "Finished",
			from: "From",
			functions: "Functions",
			kind: "Kind",
			lastMonth: "Last month",
			licence: "Licence",
			messages: "Messages",
			model: "Model",
			month: "This month",
			monthLimit: "Limit per month",
			name: "Name",
			next: "Next run",
			progress: "Progress in percent",
			provider: "Provider",
			publisher: "Publisher",
			reason: "Reason",
			seconds: "Seconds",
			size: "Size",
			slug: "Short name",
			status: "Status",
			timeZone: "Time zone",
			to: "To",
			today: "Today",
			total: "In total",
			updated: "Changed",
			users: "Active users",
			verified: "Address verified",
			version: "Version",
			visibility: "Visibility",
			voices: "Voices"
		},
		values: {
			administrator: "Switched off by an administrator",
			approval: "With the approval of an administrator",
			assistant_deleted: "Its assistant was deleted",
			cancelled: "Cancelled",
			cancelling: "Being cancelled",
			completed: "Completed",
			degraded: "Ready, with failed documents",
			directory: "Through the directory",
			email: "E-mail",
			empty: "Empty",
			failed: "Failed",
			failures: "Too many failures in a row",
			in_progress: "In progress",
			indexing: "Being indexed",
			interrupted: "Interrupted",
			invite_only: "By invitation only",
			open: "Everyone who signs up",
			partial: "Partly succeeded",
			paused: "Paused",
			private: "Only the owner",
			queued: "In the queue",
			ready: "Ready",
			running: "Running",
			shared: "People with whom it is shared",
			succeeded: "Succeeded",
			tenant: "All members",
			timed_out: "Timed out",
			waiting: "Waiting",
			web_push: "Notifications of a browser",
			webhook: "Webhook"
		}
	},
	keys: {
		palette: "Commands",
		placeholder: "Command, place or title",
		nothing: "Nothing matches.",
		newChat: "New conversation",
		sidebar: "Show or hide the navigation",
		focus: "Go to the message field",
		send: "Send the message",
		newline: "New line",
		editLast: "Edit the last message (in an empty field)",
		stop: "Stop the response (in the message field)",
		find: "Find in the conversation",
		help: "This list"
	},
	projects: {
		none: "There are no projects yet",
		noneText: "A project groups conversations, and gives all of them the same instructions.",
		description: "Description",
		instructions: "Instructions",
		instructionsHint: "Every response in the project follows them.",
		empty: "No conversations yet",
		emptyText: "Start one, or move an existing one here.",
		shared: (members) => members > 1 ? `Shared with ${members - 1} ${members === 2 ? "person" : "people"}` : "Only you",
		newIn: "New conversation in this project",
		edit: "Edit the project",
		delete: "Delete the project",
		deleteText: "Its conversations stay, without a project.",
		deleted: "Project deleted",
		members: "Members",
		share: "Share",
		addMember: "Add a person",
		findPerson: "Name or e-mail address",
		level: (name) => `Right of ${name}`,
		viewer: "May read",
		editor: "May edit, and add conversations",
		owner: "Owner",
		leave: "Leave the project",
		notMember: "You are not a member of this project.",
		removeMember: (name) => `Remove ${name}`,
		membersText: "Members can read all conversations of the project."
	},
	settings: {
		title: "Settings",
		profile: "Profile",
		look: "Appearance",
		responses: "Responses",
		security: "Password and sessions",
		tokens: "API tokens",
		name: "Name",
		theme: "Theme",
		system: "As the system",
		light: "Light",
		dark: "Dark",
		language: "Language",
		switchTheme: "Switch between light and dark",
		customPrompt: "Instructions for every response",
		customPromptHint: "For example: what you work on, and how responses should be written.",
		useMemories: "Use memories in responses",
		makeMemories: "Let models add memories",
		currentPassword: "Current password",
		changePassword: "Change the password",
		passwordChanged: "The password is changed. All other sessions have ended.",
		sessions: "Sessions",
		sessionsText: "End every session of your account, including this one. API tokens stay valid.",
		endAll: "Sign out everywhere",
		tokensText: "A token lets a program use the API in your name, limited to its scopes.",
		tokenName: "Name of the token",
		scopes: "Scopes",
		createToken: "Create a token",
		noScope: "Choose at least one scope.",
		version: (version) => `Understudy ${version}`,
		tokenShown: "Copy the token now. It is not shown again.",
		compatible: "Programs for the OpenAI API use this address:",
		revoke: "Revoke",
		revoked: "Revoked",
		noTokens: "You have no API tokens.",
		created: "Created",
		lastUsed: "Last used",
		never: "Never",
		status: "Status",
		active: "Active",
		expired: "Expired",
		tenant: "Tenant"
	},
	memories: {
		title: "Memories",
		text: "Facts that assistants should know about you in every conversation. Only you can read them.",
		add: "Add a memory",
		placeholder: "I live in Bergen.",
		empty: "No memories yet",
		emptyText: "Add one here, or allow models to add what you ask them to remember.",
		byModel: "Added by a model",
		byYou: "Added by you",
		deleted: "Memory deleted",
		conversation: "Conversation",
		off: "Responses do not use memories.",
		turnOn: "Turn on",
		content: "Memory"
	},
	chat: {
		you: "You",
		response: "Response",
		messages: "Messages",
		message: "Message",
		placeholder: "Ask anything",
		send: "Send",
		sending: "Sending…",
		stop: "Stop the response",
		stopping: "Stopping…",
		attach: "Attach files",
		attachments: "Attached files",
		dropHere: "Drop the files here",
		file: "File",
		fileTooLarge: (detail) => `The file is too large: ${detail}`,
		fileLargerThan: (size, most) => `The file is too large: it has ${size}, and at most ${most} are allowed.`,
		fileKind: (kinds) => `Files of this kind cannot be attached. Allowed: ${kinds}`,
		fileWrongType: (detail) => `The file is not what its name says: ${detail}`,
		fileEmpty: "The file is empty",
		filesFailed: "Remove the files that could not be attached, or try them again. Your message was not sent.",
		folderRefused: "Folders cannot be attached, only files.",
		tooManyFiles: (most, names) => `A message can have at most ${most} files. Not attached: ${names}`,
		uploadFailed: "The upload failed",
		uploadLost: "The connection was lost during the upload",
		uploadCancelled: "The upload was cancelled",
		retryFile: (name) => `Try ${name} again`,
		cancelFile: (name) => `Cancel the upload of ${name}`,
		uploading: (name) => `Upload of ${name}`,
		removeFile: (name) => `Remove ${name}`,
		enlarge: (name) => `Enlarge ${name}`,
		cannotBeShown: "The browser cannot show this file. Download it instead.",
		model: "Model",
		assistant: "Assistant",
		chooseModel: "Choose a model",
		noModels: "No model is available to you. An administrator can configure a provider, or allow you to use a model.",
		favourites: "Favourites",
		assistants: "Assistants",
		workflows: "Workflows",
		noAssistant: "No assistant",
		noAssistantText: "The model answers without further instructions.",
		assistantDisabled: "This assistant is switched off.",
		assistantGone: "Assistant that is not available",
		assistantGoneText: "It was deleted, or is no longer shared with you.",
		unavailable: "Unavailable",
		modelHidden: "An administrator of your tenant limits who may use it.",
		modelGone: "This model is not available to you. Another one answers.",
		modelGoneText: "An administrator limits who may use it, its provider does not offer it any more, or the provider is not configured. The API does not tell which, so that hidden models stay hidden.",
		modelInstead: (model) => `${model} answers instead.`,
		askAdministrator: "An administrator of your tenant can make it available.",
		askEnable: "An administrator of your tenant has disabled it, and can enable it again.",
		providerKey: "This provider needs an API key of your tenant.",
		providerKeyStale: "The API key was set for another address of the provider, and has to be set again.",
		providerDown: (error) => `The provider does not respond. ${error}`,
		providerDegraded: (error) => `The provider often fails. ${error}`,
		whyUnavailable: (name) => `Why ${name} cannot be chosen`,
		perMillion: (price) => `${price}/M`,
		morning: (name) => `Good morning, ${name}`,
		afternoon: (name) => `Good afternoon, ${name}`,
		evening: (name) => `Good evening, ${name}`,
		empty: "No messages yet",
		emptyText: "Write the first one below.",
		notAllowed: "You may not use models.",
		readOnly: "You may read this conversation, but not write in it.",
		continueOwn: "Continue in a conversation of your own",
		filesNotCopied: "The attached files stay in the other conversation.",
		toEnd: "Go to the end",
		actions: "Actions for this message",
		regenerate: "Write the response again",
		regenerateWith: "Answer with another model",
		good: "Good response",
		bad: "Bad response",
		thanks: "Thank you for your feedback",
		whatWasGood: "What was good? (optional)",
		whatWasBad: "What was wrong? (optional)",
		previousVersion: "Previous version",
		nextVersion: "Next version",
		versionOf: (at, count) => `${at}/${count}: Version ${at} of ${count}. Compare the versions`,
		compare: "Compare versions",
		version: "Version",
		versionNumber: (at, count) => `Version ${at} of ${count}`,
		differences: (removed, added) => `${counted(removed, "passage", "passages")} only in the first, ${counted(added, "passage", "passages")} only in the second version`,
		noDifference: "The texts are the same.",
		allDifferent: "The texts have too little in common to mark the differences.",
		asOneText: "Show as one text",
		onlyFirst: "Only in the first version:",
		onlySecond: "Only in the second version:",
		firstVersion: "This is the first version.",
		lastVersion: "This is the last version.",
		waitOrStop: "The response is still being written. Wait for its end, or stop it.",
		nothingToSend: "Write a message first, or attach a file.",
		shown: "Shown",
		showThis: "Show this version",
		editMessage: "Edit the message",
		editHint: "The former version stays.",
		usage: "Cost and tokens",
		written: "Written",
		duration: "Duration",
		cost: "Cost",
		inputTokens: "Input tokens",
		cachedTokens: "of which cached",
		outputTokens: "Output tokens",
		reasoningTokens: "of which reasoning",
		run: "Run",
		reasoning: "Reasoning…",
		reasoned: "Reasoning",
		reasonedFor: (seconds) => `Reasoned for ${counted(seconds, "second", "seconds")}`,
		toolRunning: (name) => `Running ${name}…`,
		toolDone: (name) => `Used ${name}`,
		toolFailed: (name) => `${name} failed`,
		toolInput: "Input",
		toolOutput: "Output",
		toolError: "Error",
		remembered: "Added a memory",
		seeMemories: "All memories",
		basedOnMemories: (count) => `Based on ${counted(count, "memory", "memories")}`,
		memoriesGone: (count) => `${counted(count, "memory has", "memories have")} been deleted since.`,
		openMemory: "Open",
		forget: "Forget this",
		forgotten: "Forgotten.",
		memoryGone: "This memory does not exist any more: it was changed or deleted.",
		memoryKnown: "This was remembered before.",
		thinking: "Waiting for the model…",
		queued: (reason, position) => `In the queue, at position ${position >= 1e3 ? "1,000 or later" : position}. ${reason}`,
		queuedFor: (reason, limit) => {
			switch (reason) {
				case "conversation": return "Another response of this conversation has to end first.";
				case "user_limit": return `At most ${counted(limit ?? 0, "response is", "responses are")} written for you at the same time.`;
				case "tenant_limit": return `At most ${counted(limit ?? 0, "response is", "responses are")} written in your tenant at the same time.`;
				case "server_limit": return `The server writes at most ${counted(limit ?? 0, "response", "responses")} at the same time.`;
				case "recovery": return "The server was restarted, and continues interrupted responses one after the other.";
				case "recovery_of_provider": return "The server was restarted, and sends interrupted responses to this provider one after the other.";
				case "turn": return "It starts in a moment.";
			}
		},
		pausedStep: "Paused: it is executed step by step in the workflow debugger.",
		pausedBreakpoint: "Paused at a breakpoint of the workflow debugger.",
		pausedUncertain: "Paused: the server was interrupted, and it is unknown whether this step took effect. Decide how to continue.",
		pausedCrash: "Paused: the server was interrupted at this step several times.",
		pausedTitle: "The run is paused",
		continueRun: "Continue",
		continueDone: "It took effect: continue",
		retryStep: "It did not: run the step again",
		skipStep: "Skip the step",
		failStep: "Let the step fail",
		waitingHuman: "Waiting for a form to be filled in",
		waitingEvent: "Waiting for an event from outside",
		waitingTimer: "Waiting for a point in time",
		waitingChild: "Waiting for another run to end",
		waitingBackoff: "Waiting before the next attempt, after a failure",
		waitingUntil: (wait, until) => `${wait}, until ${until}`,
		recovered: "Continued after an interruption of the server",
		restarted: "Started over after an interruption",
		replaced: (former, now) => `${former} did not answer; ${now} does.`,
		toolServer: (name) => `The tool server ${name} cannot be used.`,
		closedKnowledge: (count) => `${counted(count, "knowledge base", "knowledge bases")} of the assistant may not be read by you.`,
		stopped: "Stopped",
		failed: "The response failed.",
		interrupted: "The response was interrupted.",
		responding: "The response is being written.",
		finished: "The response is complete.",
		sources: "Sources",
		page: (page) => `Page ${page}`,
		openPage: (title) => `Open ${title} in a new tab`,
		downloadDocument: "Download the document",
		form: "Form",
		submit: "Submit",
		invalidValue: (type) => `This is not a value of the type ${type}.`,
		formExpires: (until) => `Can be answered until ${until}.`,
		formExpired: "The form has expired.",
		formOfOther: "The owner of the conversation fills in this form.",
		nothingChosen: "Nothing chosen",
		asJson: "As JSON",
		chooseFile: "Choose a file",
		formAnswered: (action) => `Answered: ${action}`,
		formBy: (name, time) => time ? `By ${name}, ${time}` : `By ${name}`,
		formByYou: (time) => time ? `By you, ${time}` : "By you",
		formByOther: (time) => time ? `By another person, ${time}` : "By another person",
		formNotAnswered: "The run ended before the form was filled in.",
		download: "Download the conversation as Markdown",
		foundAt: (at, count, hasMore) => `${at} of ${count}${hasMore ? "+" : ""}`,
		findOlder: "Earlier match",
		findNewer: "Later match",
		messageGone: "This message does not exist any more.",
		outline: "Outline",
		outlineHint: "Find a question",
		outlineEmpty: "There are no questions yet.",
		questions: (count) => counted(count, "question", "questions"),
		questionsOf: (count, total) => `${count.toLocaleString("en")} of ${counted(total, "question", "questions")}`
	},
	markdown: {
		copyCode: "Copy",
		copied: "Copied",
		code: (language) => language ? `Code in ${language}` : "Code",
		table: "Table",
		formula: "Formula",
		done: "Done",
		notDone: "Not done",
		image: (description, host) => `Open the image ${description ? `“${description}” ` : ""}from ${host}`,
		citation: (number) => `Source ${number}`,
		footnote: (label) => `Footnote ${label}`,
		toReference: (label) => `Back to the reference of footnote ${label}`,
		codeLines: (language, lines) => `${language ? `Code in ${language}` : "Code"}, ${counted(lines, "line", "lines")}.`,
		tableSize: (columns, rows) => `Table with ${counted(columns, "column", "columns")} and ${counted(rows, "row", "rows")}.`
	}
}, scriptRel = (function() {
	let relList = typeof document < "u" && document.createElement("link").relList;
	return relList && relList.supports && relList.supports("modulepreload") ? "modulepreload" : "preload";
})(), assetsURL = function(dep, importerUrl) {
	return new URL(dep, importerUrl).href;
}, seen = {}, isCssPreloadUrl = function(url) {
	return url.pathname.endsWith(".css");
}, preloadOnce = function(seen, href, preload) {
	if (href in seen) return seen[href];
	let promise = preload();
	if (!promise) {
		seen[href] = void 0;
		return;
	}
	let preloadPromise = promise.then(() => {
		seen[href] = void 0;
	}, (err) => {
		throw seen[href] = void 0, err;
	});
	return seen[href] = preloadPromise, preloadPromise;
}, __vitePreload = function(baseModule, deps, importerUrl) {
	let promise = Promise.resolve();
	if (deps && deps.length > 0) {
		let preloadedHrefs, cspNonceMeta = document.querySelector("meta[property=csp-nonce]"), cspNonce = cspNonceMeta?.nonce || cspNonceMeta?.getAttribute("nonce");
		function allSettled(promises) {
			return Promise.all(promises.map((p) => Promise.resolve(p).then((value) => ({
				status: "fulfilled",
				value
			}), (reason) => ({
				status: "rejected",
				reason
			}))));
		}
		function importMetaResolve(specifier) {
			return import.meta.resolve ? new URL(import.meta.resolve(specifier)) : new URL(specifier, import.meta.url);
		}
		promise = allSettled(deps.map((depString) => {
			depString = assetsURL(depString, importerUrl);
			let dep = importMetaResolve(depString), isCss = isCssPreloadUrl(dep);
			return preloadOnce(seen, dep.href, () => {
				if (preloadedHrefs === void 0) {
					preloadedHrefs = {
						all: new Set(),
						styles: new Set()
					};
					let links = document.getElementsByTagName("link");
					for (let i = links.length - 1; i >= 0; i--) {
						let link = links[i];
						preloadedHrefs.all.add(link.href), link.rel === "stylesheet" && preloadedHrefs.styles.add(link.href);
					}
				}
				if ((isCss ? preloadedHrefs.styles : preloadedHrefs.all).has(dep.href)) return;
				let link = document.createElement("link");
				if (link.rel = isCss ? "stylesheet" : scriptRel, isCss || (link.as = "script"), link.crossOrigin = "", link.href = dep.href, cspNonce && link.setAttribute("nonce", cspNonce), document.head.appendChild(link), isCss) return new Promise((res, rej) => {
					let handleSettle = (e) => {
						link.removeEventListener("load", handleSettle), link.removeEventListener("error", handleSettle), e.type === "error" ? rej(Error(`Unable to preload CSS for ${dep}`)) : res(e);
					};
					link.addEventListener("load", handleSettle), link.addEventListener("error", handleSettle);
				});
			});
		}).filter((p) => p !== void 0));
	}
	function handlePreloadError(err) {
		let e = new Event("vite:preloadError", { cancelable: !0 });
		if (e.payload = err, window.dispatchEvent(e), !e.defaultPrevented) throw err;
	}
	return promise.then((res) => {
		for (let item of res || []) item.status === "rejected" && handlePreloadError(item.reason);
		return baseModule().catch(handlePreloadError);
	});
}, LANGUAGES = {
	en: "English",
	de: "Deutsch"
}, words = state$2(en), language = state$2("en"), t = new Proxy({}, { get: (_, section) => get(words)[section] });
function locale() {
	return get(language);
}
async function useLanguage(tag) {
	tag.slice(0, 2).toLowerCase() === "de" ? (set(words, (await __vitePreload(async () => {
		let { de } = await import("./de.js");
		return { de };
	}, [], import.meta.url)).de), set(language, "de")) : (set(words, en), set(language, "en")), document.documentElement.lang = get(language);
}
function dateTime(value) {
	return new Intl.DateTimeFormat(locale(), {
		dateStyle: "medium",
		timeStyle: "short"
	}).format(new Date(value));
}
function date(value) {
	return new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(new Date(value));
}
function number(value) {
	return new Intl.NumberFormat(locale()).format(value);
}
function cost(nanos) {
	let dollars = nanos / 1e9, maximumFractionDigits = dollars > 0 && dollars < .01 ? 6 : dollars < 1 ? 4 : 2;
	return new Intl.NumberFormat(locale(), {
		style: "currency",
		currency: "USD",
		minimumFractionDigits: 2,
		maximumFractionDigits
	}).format(dollars);
}
function duration(milliseconds) {
	let of = (value, unit, digits = 0) => new Intl.NumberFormat(locale(), {
		style: "unit",
		unit,
		unitDisplay: "short",
		maximumFractionDigits: digits
	}).format(value), seconds = milliseconds / 1e3;
	if (seconds < 9.95) return of(seconds, "second", seconds < .095 ? 2 : 1);
	let whole = Math.round(seconds);
	if (whole < 60) return of(whole, "second");
	if (whole < 3600) return `${of(Math.floor(whole / 60), "minute")} ${of(whole % 60, "second")}`;
	let minutes = Math.round(whole / 60);
	if (minutes < 1440) return `${of(Math.floor(minutes / 60), "hour")} ${of(minutes % 60, "minute")}`;
	let hours = Math.round(minutes / 60);
	return `${of(Math.floor(hours / 24), "day")} ${of(hours % 24, "hour")}`;
}
function bytes(value) {
	let [unit, divisor] = value >= 1 << 20 ? ["megabyte", 1 << 20] : value >= 1024 ? ["kilobyte", 1024] : ["byte", 1];
	return new Intl.NumberFormat(locale(), {
		style: "unit",
		unit,
		unitDisplay: "short",
		maximumFractionDigits: +(unit === "megabyte")
	}).format(value / divisor);
}
function differentBytes(one, other) {
	let exact = new Intl.NumberFormat(locale(), {
		style: "unit",
		unit: "byte",
		unitDisplay: "long"
	});
	return bytes(one) === bytes(other) ? [exact.format(one), exact.format(other)] : [bytes(one), bytes(other)];
}
// src/base.ts
var root$17 = rootOf(new URL(import.meta.url).pathname);
function rootOf(asset) {
	return /^(.*\/)console\/[^/]+\/[^/]*$/.exec(asset)?.[1] ?? "/";
}
function href(path) {
	return root$17 + path.replace(/^\//, "");
}
function pathWithin(pathname) {
	return pathname.startsWith(root$17) ? `/${pathname.slice(root$17.length)}` : void 0;
}
// src/api/operations.ts
var OPERATIONS = {
	"assistants.add_favourite_assistant": ["post", "/api/assistants/{assistant_id}/favourite"],
	"assistants.get_assistants": ["get", "/api/assistants"],
	"assistants.get_favourite_assistants": ["get", "/api/assistants/favourites"],
	"assistants.get_public_assistant": ["get", "/api/assistants/{assistant_id}/public"],
	"assistants.remove_favourite_assistant": ["delete", "/api/assistants/{assistant_id}/favourite"],
	"audio.get_speech_models": ["get", "/api/audio/speech/models"],
	"auth.accept_invitation": ["post", "/api/auth/invitations/{token}/accept"],
	"auth.change_password": ["put", "/api/auth/password"],
	"auth.confirm_registration": ["post", "/api/auth/register/confirm"],
	"auth.create_api_token": ["post", "/api/auth/api-tokens"],
	"auth.decode_access_token": ["get", "/api/auth/decode_access_token/"],
	"auth.explain_access": ["get", "/api/auth/check/"],
	"auth.forgot_password": ["post", "/api/auth/password/forgotten"],
	"auth.get_api_tokens": ["get", "/api/auth/api-tokens/"],
	"auth.get_invitation": ["get", "/api/auth/invitations/{token}"],
	"auth.get_token_scopes": ["get", "/api/auth/token-scopes/"],
	"auth.login": ["post", "/api/auth/login/"],
	"auth.logout": ["post", "/api/auth/logout/"],
	"auth.refresh": ["post", "/api/auth/refresh/"],
	"auth.register": ["post", "/api/auth/register"],
	"auth.reset_password": ["post", "/api/auth/password/reset"],
	"auth.revoke_api_token": ["post", "/api/auth/api-tokens/{token_id}/revoke/"],
	"auth.switch_tenant": ["post", "/api/auth/switch-tenant"],
	"automations.get_automation": ["get", "/api/automations/{automation_id}"],
	"automations.list_automations": ["get", "/api/automations"],
	"bootstrap.get_bootstrap": ["get", "/api/bootstrap"],
	"catalog.list_packages": ["get", "/api/catalog/packages"],
	"chat.get_models": ["get", "/api/chat/models"],
	"control-tower.get_kpis": ["get", "/api/control-tower/kpis"],
	"conversations.cancel_stream": ["delete", "/api/conversations/{conversation_id}/streams/{stream_id}"],
	"conversations.conversation_completion": ["post", "/api/conversations/{conversation_id}/completion"],
	"conversations.conversations": ["get", "/api/conversations"],
	"conversations.create_conversation": ["post", "/api/conversations"],
	"conversations.delete_conversation": ["delete", "/api/conversations/{conversation_id}"],
	"conversations.get_conversation": ["get", "/api/conversations/{conversation_id}"],
	"conversations.get_conversation_file": ["get", "/api/conversations/{conversation_id}/files/{blob_id}"],
	"conversations.get_conversation_outline": ["get", "/api/conversations/{conversation_id}/outline"],
	"conversations.get_signed_upload_url": ["post", "/api/conversations/{conversation_id}/signed-upload-url"],
	"conversations.list_conversation_messages": ["get", "/api/conversations/{conversation_id}/messages"],
	"conversations.patch_conversation": ["patch", "/api/conversations/{conversation_id}"],
	"conversations.put_upload": ["put", "/api/conversations/{conversation_id}/uploads/{upload_id}"],
	"conversations.replace_conversation_payload": ["put", "/api/conversations/{conversation_id}/payload"],
	"conversations.search_messages": ["get", "/api/conversations/search"],
	"conversations.update_conversation_message": ["put", "/api/conversations/{conversation_id}/message"],
	"conversations.update_conversation_user_data_key": ["post", "/api/conversations/{conversation_id}/user_data/{key}"],
	"knowledge-bases.get_knowledge_base_document_content": ["get", "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/content"],
	"groups.get_sync_history": ["get", "/api/groups/sync/history"],
	"knowledge-bases.get_knowledge_base": ["get", "/api/knowledge-bases/{knowledge_base_id}"],
	"knowledge-bases.get_knowledge_base_document_text": ["get", "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/text"],
	"knowledge-bases.list_knowledge_bases": ["get", "/api/knowledge-bases"],
	"memories.create_memory": ["post", "/api/memories"],
	"memories.delete_memory": ["delete", "/api/memories/{memory_id}"],
	"memories.list_user_memories": ["get", "/api/memories"],
	"memories.update_memory": ["patch", "/api/memories/{memory_id}"],
	"notifications.delete_notification": ["delete", "/api/notifications/{notification_id}"],
	"notifications.list_notification_endpoints": ["get", "/api/notifications/endpoints"],
	"notifications.list_notifications": ["get", "/api/notifications"],
	"notifications.mark_all_notifications_read": ["put", "/api/notifications/read-all"],
	"notifications.mark_notification_read": ["put", "/api/notifications/{notification_id}/read"],
	"projects.add_conversation_to_project": ["post", "/api/projects/{project_id}/conversations/{conversation_id}"],
	"projects.add_project_members": ["post", "/api/projects/{project_id}/members"],
	"projects.create_project": ["post", "/api/projects"],
	"projects.delete_project": ["delete", "/api/projects/{project_id}"],
	"projects.get_project": ["get", "/api/projects/{project_id}"],
	"projects.get_project_conversations": ["get", "/api/projects/{project_id}/conversations"],
	"projects.get_projects": ["get", "/api/projects"],
	"projects.list_project_members": ["get", "/api/projects/{project_id}/members"],
	"projects.remove_conversation_from_project": ["delete", "/api/projects/{project_id}/conversations/{conversation_id}"],
	"projects.remove_project_member": ["delete", "/api/projects/{project_id}/members/{member_user_id}"],
	"projects.update_project": ["put", "/api/projects/{project_id}"],
	"tenant-admin.list_providers": ["get", "/api/tenant-admin/providers"],
	"skills.get_global_skill": ["get", "/api/skills/global/{skill_id}"],
	"skills.list_global_skills": ["get", "/api/skills/global"],
	"tenant-admin.get_budgets": ["get", "/api/tenant-admin/budgets"],
	"tenant-admin.get_settings": ["get", "/api/tenant-admin/settings"],
	"tenant-admin.list_join_requests": ["get", "/api/tenant-admin/join-requests"],
	"users.get_current_user": ["get", "/api/users/me"],
	"users.get_user_custom_prompt": ["get", "/api/users/custom-prompt"],
	"users.get_user_usage_summary": ["get", "/api/users/usage-summary"],
	"users.query_users": ["get", "/api/users"],
	"users.update_current_user": ["patch", "/api/users/me"],
	"users.update_user_custom_prompt": ["put", "/api/users/custom-prompt"],
	"users.update_user_preferences": ["patch", "/api/users/preferences"],
	"video.get_job_result": ["get", "/api/video/jobs/{job_id}/download"],
	"video.get_job_status": ["get", "/api/video/jobs/{job_id}/status"],
	"video.list_jobs": ["get", "/api/video/jobs"],
	"workflows.resume_workflow_run": ["post", "/api/workflows/{assistant_id}/runs/{conversation_id}/resume"]
}, ApiProblem = class extends Error {
	operation;
	body;
	object;
	retryAfter;
	constructor(operation, body, object, retryAfter) {
		super(messageOf(body)), this.operation = operation, this.body = body, this.object = object, this.retryAfter = retryAfter, this.name = "ApiProblem";
	}
	get status() {
		return this.body.status;
	}
	get code() {
		return this.body.code;
	}
	get unreachable() {
		return this.body.status === 0;
	}
	get explainable() {
		return this.status === 403 || this.status === 404;
	}
	fault(member) {
		return this.body.errors?.find((fault) => fault.loc.at(-1) === member)?.msg;
	}
};
function messageOf(body) {
	let faults = (body.errors ?? []).map(({ loc, msg }) => `${loc.slice(1).join(".")} ${msg}`.trim());
	return faults.length > 0 ? faults.join("; ") : body.detail ?? body.title;
}
function asProblem(value, fallback) {
	let given = typeof value == "object" && value ? value : {};
	return {
		code: `http_${fallback.status}`,
		...fallback,
		...given
	};
}
async function readProblem(response) {
	let { status, statusText } = response, fallback = {
		status,
		title: `The server responded with ${status} ${statusText}`.trim()
	}, body = await response.json().catch(() => void 0);
	return typeof body == "object" && body && "code" in body && "title" in body ? {
		...asProblem(body, fallback),
		status
	} : asProblem(void 0, fallback);
}
async function problemOf(operation, response, object) {
	return new ApiProblem(operation, await readProblem(response), object, retryAfter(response));
}
function isTemporary(status) {
	return status === 408 || status === 425 || status === 429 || status >= 500;
}
function retryAfter(response) {
	let seconds = Number(response.headers.get("retry-after"));
	return seconds > 0 ? Math.min(seconds, 300) : void 0;
}
function unreachable(operation) {
	return new ApiProblem(operation, {
		status: 0,
		code: "unreachable",
		title: "The server cannot be reached"
	});
}
// src/api/client.ts
var renew$1 = async () => !1;
function useRenewal(renewal) {
	renew$1 = renewal;
}
function addressOf(id, options = {}) {
	let parameters = { ...options.path }, path = OPERATIONS[id][1].replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parameters[name]))), query = new URLSearchParams();
	for (let [name, value] of Object.entries(options.query ?? {})) for (let item of Array.isArray(value) ? value : [value]) item != null && query.append(name, String(item));
	let text = query.toString();
	return href(path) + (text ? `?${text}` : "");
}
function objectOf(path) {
	let value = Object.values(path ?? {})[0];
	return value === void 0 ? void 0 : String(value);
}
async function send(id, url, init) {
	try {
		return await fetch(url, init);
	} catch (error) {
		throw error instanceof DOMException && error.name === "AbortError" ? error : unreachable(id);
	}
}
async function authenticated(send) {
	for (let renewals = 0;; renewals++) {
		let sentAt = Date.now(), response = await send();
		if (response.status !== 401 || renewals === 2 || !await renew$1(sentAt)) return response;
	}
}
async function request(id, options = {}) {
	let headers = new Headers({ accept: options.accept ?? "application/json" });
	options.body !== void 0 && headers.set("content-type", "application/json"), options.version !== void 0 && headers.set("if-match", `"${options.version}"`), options.idempotencyKey && headers.set("idempotency-key", options.idempotencyKey);
	let init = {
		method: OPERATIONS[id][0].toUpperCase(),
		headers,
		credentials: "same-origin"
	};
	init.body = options.form ?? (options.body === void 0 ? null : JSON.stringify(options.body)), options.signal && (init.signal = options.signal);
	let url = addressOf(id, options), response = await (id.startsWith("auth.") ? send(id, url, init) : authenticated(() => send(id, url, init)));
	if (!response.ok) throw await problemOf(id, response, objectOf(options.path));
	return response;
}
async function call(id, options = {}) {
	let response = await request(id, options), text = await response.text();
	try {
		return text === "" ? void 0 : JSON.parse(text);
	} catch {
		throw new ApiProblem(id, {
			status: response.status,
			code: "unexpected",
			title: "The response is not JSON. Is there a proxy in between?"
		});
	}
}
async function everyPage(read, most = 1e3) {
	let items = [], cursor;
	do {
		let page = await read(cursor);
		items.push(...page.items), cursor = page.next_cursor ?? void 0;
	} while (cursor && items.length < most);
	return items;
}
// src/api/session.svelte.ts
var AHEAD = 60, RETRY = 1e4, START_RETRY = 2e3, EXPIRY = "understudy.expires", RENEWED = "understudy.renewed", LOCK = "understudy.refresh", state = state$2("starting"), user = state$2(void 0), timer$1, tabs$2 = new BroadcastChannel("understudy.session"), session = {
	get state() {
		return get(state);
	},
	get user() {
		return get(user);
	},
	has(feature) {
		return get(user)?.features.includes(feature) ?? !1;
	},
	may(scope) {
		return get(user)?.scopes.includes(scope) ?? !1;
	}
};
function expiry() {
	return Number(localStorage.getItem(EXPIRY)) || 0;
}
function wasSignedIn() {
	return expiry() > 0;
}
function recordRenewal(expiresIn) {
	localStorage.setItem(RENEWED, String(Date.now())), remember(expiresIn);
}
function remember(expiresIn) {
	localStorage.setItem(EXPIRY, String(Date.now() + expiresIn * 1e3)), schedule();
}
function schedule() {
	clearTimeout(timer$1), expiry() > 0 && scheduleIn(Math.max(1e3, expiry() - Date.now() - AHEAD * 1e3));
}
function scheduleIn(delay) {
	clearTimeout(timer$1), timer$1 = setTimeout(() => {
		expiry() > Date.now() + AHEAD * 1e3 ? schedule() : renewCredentials(Date.now()).catch(() => scheduleIn(RETRY));
	}, delay + Math.random() * 5e3);
}
async function renewCredentials(sentAt) {
	let own = await navigator.locks.request(LOCK, { ifAvailable: !0 }, (lock) => lock ? renew(sentAt) : void 0);
	return own === void 0 ? (await navigator.locks.request(LOCK, () => {}), !0) : own;
}
async function renew(sentAt) {
	if ((Number(localStorage.getItem(RENEWED)) || 0) >= sentAt && expiry() > Date.now()) return schedule(), !0;
	try {
		return recordRenewal((await call("auth.refresh")).expires_in), !0;
	} catch (error) {
		if (!(error instanceof ApiProblem && error.status === 401)) throw error;
		return leave(), !1;
	}
}
function leave() {
	clearTimeout(timer$1), localStorage.removeItem(EXPIRY), set(user, void 0), set(state, "signed-out");
}
async function reloadUser() {
	await readUser(), tabs$2.postMessage("account");
}
async function readUser() {
	set(user, await call("users.get_current_user"));
	let theme = get(user).preferences.theme;
	(theme === "light" || theme === "dark" || theme === "system") && (look.theme = theme), get(user).preferences.language && useLanguage(get(user).preferences.language);
}
async function startSession() {
	clearTimeout(timer$1), get(state) !== "unreachable" && set(state, "starting");
	try {
		await readUser(), set(state, "signed-in"), expiry() === 0 ? remember(120) : schedule();
	} catch (error) {
		if (!(error instanceof ApiProblem) || !error.unreachable && !isTemporary(error.status)) return leave();
		set(state, "unreachable"), timer$1 = setTimeout(() => void startSession(), START_RETRY);
	}
}
async function enter(login) {
	recordRenewal(login.expires_in), await readUser(), set(state, "signed-in"), tabs$2.postMessage("changed");
}
async function signOut(everywhere = !1) {
	await call("auth.logout", { body: { all: everywhere } }), leave(), tabs$2.postMessage("changed");
}
useRenewal(renewCredentials), tabs$2.addEventListener("message", ({ data }) => void (data === "account" ? readUser().catch(() => {}) : startSession()));
// node_modules/lucide/dist/esm/icons/archive-arrow-up.mjs
var ArchiveArrowUp = [
	["rect", {
		width: "20",
		height: "5",
		x: "2",
		y: "3",
		rx: "1"
	}],
	["path", { d: "M4 8v11a2 2 0 0 0 2 2h2" }],
	["path", { d: "M20 8v11a2 2 0 0 1-2 2h-2" }],
	["path", { d: "m9 15 3-3 3 3" }],
	["path", { d: "M12 12v9" }]
], Archive = [
	["rect", {
		width: "20",
		height: "5",
		x: "2",
		y: "3",
		rx: "1"
	}],
	["path", { d: "M4 8v11a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8" }],
	["path", { d: "M10 12h4" }]
], ArrowDown = [["path", { d: "M12 5v14" }], ["path", { d: "m19 12-7 7-7-7" }]], ArrowLeft = [["path", { d: "m12 19-7-7 7-7" }], ["path", { d: "M19 12H5" }]], ArrowUp = [["path", { d: "m5 12 7-7 7 7" }], ["path", { d: "M12 19V5" }]], Bell = [["path", { d: "M10.268 21a2 2 0 0 0 3.464 0" }], ["path", { d: "M3.262 15.326A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326" }]], BookOpen = [["path", { d: "M12 5v16" }], ["path", { d: "M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z" }]], Brain = [
	["path", { d: "M12 18V5" }],
	["path", { d: "M15 13a4.17 4.17 0 01-3-4 4.17 4.17 0 01-3 4" }],
	["path", { d: "M17.707 6.294A3 3 0 1012 5a3 3 0 10-5.707 1.294" }],
	["path", { d: "M17.996 5.125a4 4 0 012.526 5.77" }],
	["path", { d: "M18 18a4 4 0 002-7.465" }],
	["path", { d: "M19.967 17.482a4 4 0 11-7.967.517 4 4 0 11-7.967-.517" }],
	["path", { d: "M6 18a4 4 0 01-2-7.465" }],
	["path", { d: "M6.004 5.125a4 4 0 00-2.526 5.77" }]
], ChartNoAxesColumn = [
	["path", { d: "M5 21v-6" }],
	["path", { d: "M12 21V3" }],
	["path", { d: "M19 21V9" }]
], CheckCheck = [["path", { d: "M18 6 7 17l-5-5" }], ["path", { d: "m22 10-7.5 7.5L13 16" }]], Check = [["path", { d: "M20 6 9 17l-5-5" }]], ChevronDown = [["path", { d: "m6 9 6 6 6-6" }]], ChevronLeft = [["path", { d: "m15 18-6-6 6-6" }]], ChevronRight = [["path", { d: "m9 18 6-6-6-6" }]], ChevronUp = [["path", { d: "m18 15-6-6-6 6" }]], ChevronsUpDown = [["path", { d: "m7 15 5 5 5-5" }], ["path", { d: "m7 9 5-5 5 5" }]], CircleAlert = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "10"
	}],
	["line", {
		x1: "12",
		x2: "12",
		y1: "8",
		y2: "12"
	}],
	["line", {
		x1: "12",
		x2: "12.01",
		y1: "16",
		y2: "16"
	}]
], CirclePause = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "10"
	}],
	["line", {
		x1: "10",
		x2: "10",
		y1: "15",
		y2: "9"
	}],
	["line", {
		x1: "14",
		x2: "14",
		y1: "15",
		y2: "9"
	}]
], CircleStop = [["circle", {
	cx: "12",
	cy: "12",
	r: "10"
}], ["rect", {
	x: "9",
	y: "9",
	width: "6",
	height: "6",
	rx: "1"
}]], CloudOff = [
	["path", { d: "M10.94 5.274A7 7 0 0 1 15.71 10h1.79a4.5 4.5 0 0 1 4.222 6.057" }],
	["path", { d: "M18.796 18.81A4.5 4.5 0 0 1 17.5 19H9A7 7 0 0 1 5.79 5.78" }],
	["path", { d: "m2 2 20 20" }]
], Copy = [["rect", {
	width: "14",
	height: "14",
	x: "8",
	y: "8",
	rx: "2",
	ry: "2"
}], ["path", { d: "M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2" }]], Download = [
	["path", { d: "M12 15V3" }],
	["path", { d: "M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4" }],
	["path", { d: "m7 10 5 5 5-5" }]
], Ellipsis = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "1"
	}],
	["circle", {
		cx: "19",
		cy: "12",
		r: "1"
	}],
	["circle", {
		cx: "5",
		cy: "12",
		r: "1"
	}]
], ExternalLink = [
	["path", { d: "M15 3h6v6" }],
	["path", { d: "M10 14 21 3" }],
	["path", { d: "M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6" }]
], EyeOff = [
	["path", { d: "M10.733 5.076a10.744 10.744 0 0 1 11.205 6.575 1 1 0 0 1 0 .696 10.747 10.747 0 0 1-1.444 2.49" }],
	["path", { d: "M14.084 14.158a3 3 0 0 1-4.242-4.242" }],
	["path", { d: "M17.479 17.499a10.75 10.75 0 0 1-15.417-5.151 1 1 0 0 1 0-.696 10.75 10.75 0 0 1 4.446-5.143" }],
	["path", { d: "m2 2 20 20" }]
], Eye = [["path", { d: "M2.062 12.348a1 1 0 0 1 0-.696 10.75 10.75 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.75 10.75 0 0 1-19.876 0" }], ["circle", {
	cx: "12",
	cy: "12",
	r: "3"
}]], FileText = [
	["path", { d: "M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z" }],
	["path", { d: "M14 2v5a1 1 0 0 0 1 1h5" }],
	["path", { d: "M10 9H8" }],
	["path", { d: "M16 13H8" }],
	["path", { d: "M16 17H8" }]
], File = [["path", { d: "M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z" }], ["path", { d: "M14 2v5a1 1 0 0 0 1 1h5" }]], FolderInput = [
	["path", { d: "M2 9V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H20a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-1" }],
	["path", { d: "M2 13h10" }],
	["path", { d: "m9 16 3-3-3-3" }]
], FolderMinus = [["path", { d: "M9 13h6" }], ["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]], FolderPlus = [
	["path", { d: "M12 10v6" }],
	["path", { d: "M9 13h6" }],
	["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]
], Folder = [["path", { d: "M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z" }]], Hourglass = [
	["path", { d: "M5 22h14" }],
	["path", { d: "M5 2h14" }],
	["path", { d: "M17 22v-4.172a2 2 0 0 0-.586-1.414L12 12l-4.414 4.414A2 2 0 0 0 7 17.828V22" }],
	["path", { d: "M7 2v4.172a2 2 0 0 0 .586 1.414L12 12l4.414-4.414A2 2 0 0 0 17 6.172V2" }]
], Info = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "10"
	}],
	["path", { d: "M12 16v-4" }],
	["path", { d: "M12 8h.01" }]
], KeyRound = [["path", { d: "M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z" }], ["circle", {
	cx: "16.5",
	cy: "7.5",
	r: ".5",
	fill: "currentColor"
}]], Keyboard = [
	["path", { d: "M10 8h.01" }],
	["path", { d: "M12 12h.01" }],
	["path", { d: "M14 8h.01" }],
	["path", { d: "M16 12h.01" }],
	["path", { d: "M18 8h.01" }],
	["path", { d: "M6 8h.01" }],
	["path", { d: "M7 16h10" }],
	["path", { d: "M8 12h.01" }],
	["rect", {
		width: "20",
		height: "16",
		x: "2",
		y: "4",
		rx: "2"
	}]
], LayoutList = [
	["rect", {
		width: "7",
		height: "7",
		x: "3",
		y: "3",
		rx: "1"
	}],
	["rect", {
		width: "7",
		height: "7",
		x: "3",
		y: "14",
		rx: "1"
	}],
	["path", { d: "M14 4h7" }],
	["path", { d: "M14 9h7" }],
	["path", { d: "M14 15h7" }],
	["path", { d: "M14 20h7" }]
], Lightbulb = [
	["path", { d: "M15 14c.2-1 .7-1.7 1.5-2.5 1-.9 1.5-2.2 1.5-3.5A6 6 0 0 0 6 8c0 1 .2 2.2 1.5 3.5.7.7 1.3 1.5 1.5 2.5" }],
	["path", { d: "M9 18h6" }],
	["path", { d: "M10 22h4" }]
], ListTree = [
	["path", { d: "M8 5h13" }],
	["path", { d: "M13 12h8" }],
	["path", { d: "M13 19h8" }],
	["path", { d: "M3 10a2 2 0 0 0 2 2h3" }],
	["path", { d: "M3 5v12a2 2 0 0 0 2 2h3" }]
], Lock = [["rect", {
	width: "18",
	height: "11",
	x: "3",
	y: "11",
	rx: "2",
	ry: "2"
}], ["path", { d: "M7 11V7a5 5 0 0 1 10 0v4" }]], LogOut = [
	["path", { d: "m16 17 5-5-5-5" }],
	["path", { d: "M21 12H9" }],
	["path", { d: "M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4" }]
], MailCheck = [
	["path", { d: "M22 13V6a2 2 0 0 0-2-2H4a2 2 0 0 0-2 2v12c0 1.1.9 2 2 2h8" }],
	["path", { d: "m22 7-8.97 5.7a1.94 1.94 0 0 1-2.06 0L2 7" }],
	["path", { d: "m16 19 2 2 4-4" }]
], MessageSquare = [["path", { d: "M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z" }]], Minus = [["path", { d: "M5 12h14" }]], Moon = [["path", { d: "M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401" }]], PanelLeftClose = [
	["rect", {
		width: "18",
		height: "18",
		x: "3",
		y: "3",
		rx: "2"
	}],
	["path", { d: "M9 3v18" }],
	["path", { d: "m16 15-3-3 3-3" }]
], PanelLeft = [["rect", {
	width: "18",
	height: "18",
	x: "3",
	y: "3",
	rx: "2"
}], ["path", { d: "M9 3v18" }]], Paperclip = [["path", { d: "m16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551" }]], Pencil = [["path", { d: "M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z" }], ["path", { d: "m15 5 4 4" }]], PinOff = [
	["path", { d: "M12 17v5" }],
	["path", { d: "M15 9.34V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H7.89" }],
	["path", { d: "m2 2 20 20" }],
	["path", { d: "M9 9v1.76a2 2 0 0 1-1.11 1.79l-1.78.9A2 2 0 0 0 5 15.24V16a1 1 0 0 0 1 1h11" }]
], Pin = [["path", { d: "M12 17v5" }], ["path", { d: "M9 10.76a2 2 0 0 1-1.11 1.79l-1.78.9A2 2 0 0 0 5 15.24V16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-.76a2 2 0 0 0-1.11-1.79l-1.78-.9A2 2 0 0 1 15 10.76V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H8a2 2 0 0 0 0 4 1 1 0 0 1 1 1z" }]], RefreshCw = [
	["path", { d: "M3 12a9 9 0 0 1 9-9 9.75 9.75 0 0 1 6.74 2.74L21 8" }],
	["path", { d: "M21 3v5h-5" }],
	["path", { d: "M21 12a9 9 0 0 1-9 9 9.75 9.75 0 0 1-6.74-2.74L3 16" }],
	["path", { d: "M8 16H3v5" }]
], RotateCcwClock = [
	["path", { d: "M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8" }],
	["path", { d: "M3 3v5h5" }],
	["path", { d: "M12 7v5l4 2" }]
], RotateCw = [["path", { d: "M21 12a9 9 0 1 1-9-9c2.52 0 4.93 1 6.74 2.74L21 8" }], ["path", { d: "M21 3v5h-5" }]], SearchX = [
	["path", { d: "m13.5 8.5-5 5" }],
	["path", { d: "m8.5 8.5 5 5" }],
	["circle", {
		cx: "11",
		cy: "11",
		r: "8"
	}],
	["path", { d: "m21 21-4.3-4.3" }]
], Search = [["path", { d: "m21 21-4.34-4.34" }], ["circle", {
	cx: "11",
	cy: "11",
	r: "8"
}]], Settings = [["path", { d: "M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915" }], ["circle", {
	cx: "12",
	cy: "12",
	r: "3"
}]], Shuffle = [
	["path", { d: "m18 14 4 4-4 4" }],
	["path", { d: "m18 2 4 4-4 4" }],
	["path", { d: "M2 18h1.973a4 4 0 0 0 3.3-1.7l5.454-8.6a4 4 0 0 1 3.3-1.7H22" }],
	["path", { d: "M2 6h1.972a4 4 0 0 1 3.6 2.2" }],
	["path", { d: "M22 18h-6.041a4 4 0 0 1-3.3-1.8l-.359-.45" }]
], SquarePen = [["path", { d: "M12 3H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2v-7" }], ["path", { d: "M18.375 2.625a1 1 0 0 1 3 3l-9.013 9.014a2 2 0 0 1-.853.505l-2.873.84a.5.5 0 0 1-.62-.62l.84-2.873a2 2 0 0 1 .506-.852z" }]], Star = [["path", { d: "M11.525 2.295a.53.53 0 0 1 .95 0l2.31 4.679a2.123 2.123 0 0 0 1.595 1.16l5.166.756a.53.53 0 0 1 .294.904l-3.736 3.638a2.123 2.123 0 0 0-.611 1.878l.882 5.14a.53.53 0 0 1-.771.56l-4.618-2.428a2.122 2.122 0 0 0-1.973 0L6.396 21.01a.53.53 0 0 1-.77-.56l.881-5.139a2.122 2.122 0 0 0-.611-1.879L2.16 9.795a.53.53 0 0 1 .294-.906l5.165-.755a2.122 2.122 0 0 0 1.597-1.16z" }]], Sun = [
	["circle", {
		cx: "12",
		cy: "12",
		r: "4"
	}],
	["path", { d: "M12 2v2" }],
	["path", { d: "M12 20v2" }],
	["path", { d: "m4.93 4.93 1.41 1.41" }],
	["path", { d: "m17.66 17.66 1.41 1.41" }],
	["path", { d: "M2 12h2" }],
	["path", { d: "M20 12h2" }],
	["path", { d: "m6.34 17.66-1.41 1.41" }],
	["path", { d: "m19.07 4.93-1.41 1.41" }]
], ThumbsDown = [["path", { d: "M9 18.12 10 14H4.17a2 2 0 0 1-1.92-2.56l2.33-8A2 2 0 0 1 6.5 2H20a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-2.76a2 2 0 0 0-1.79 1.11L12 22a3.13 3.13 0 0 1-3-3.88Z" }], ["path", { d: "M17 14V2" }]], ThumbsUp = [["path", { d: "M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z" }], ["path", { d: "M7 10v12" }]], Trash = [
	["path", { d: "M10 11v6" }],
	["path", { d: "M14 11v6" }],
	["path", { d: "M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6" }],
	["path", { d: "M3 6h18" }],
	["path", { d: "M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2" }]
], TriangleAlert = [
	["path", { d: "m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3" }],
	["path", { d: "M12 9v4" }],
	["path", { d: "M12 17h.01" }]
], UserPlus = [
	["path", { d: "M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2" }],
	["circle", {
		cx: "9",
		cy: "7",
		r: "4"
	}],
	["line", {
		x1: "19",
		x2: "19",
		y1: "8",
		y2: "14"
	}],
	["line", {
		x1: "22",
		x2: "16",
		y1: "11",
		y2: "11"
	}]
], Users = [
	["path", { d: "M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2" }],
	["path", { d: "M16 3.128a4 4 0 0 1 0 7.744" }],
	["path", { d: "M22 21v-2a4 4 0 0 0-3-3.87" }],
	["circle", {
		cx: "9",
		cy: "7",
		r: "4"
	}]
], Wrench = [["path", { d: "M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z" }]], X = [["path", { d: "M18 6 6 18" }], ["path", { d: "m6 6 12 12" }]], root$16 = from_svg("<svg viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\" aria-hidden=\"true\" class=\"svelte-dlgoph\"></svg>");
function Icon($$anchor, $$props) {
	let size = prop($$props, "size", 3, 18);
	var svg = root$16();
	each(svg, 21, () => $$props.of, ([tag, attributes]) => attributes, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let tag = () => get($$array)[0], attributes = () => get($$array)[1];
		var fragment = comment(), node = first_child(fragment);
		element(node, tag, !0, ($$element, $$anchor) => {
			attribute_effect($$element, () => ({
				xmlns: "http://www.w3.org/2000/svg",
				...attributes()
			}), void 0, void 0, void 0, "svelte-dlgoph");
		}), append($$anchor, fragment);
	}), reset(svg), template_effect(() => {
		set_attribute(svg, "width", size()), set_attribute(svg, "height", size());
	}), append($$anchor, svg);
}
// src/parts/toasts.svelte.ts
var LIFE = 8e3, list = state$2([]), count = 0, toasts = {
	get list() {
		return get(list);
	},
	show(text, options = {}) {
		let toast = {
			id: ++count,
			text,
			tone: "neutral",
			...options
		}, others = get(list).filter((other) => other.text !== text || other.action);
		return set(list, [...others.slice(-3), toast]), setTimeout(() => toasts.dismiss(toast.id), LIFE), toast.id;
	},
	dismiss(id) {
		set(list, get(list).filter((toast) => toast.id !== id));
	}
}, question = state$2(void 0), why = {
	get question() {
		return get(question);
	},
	ask(operation, object, reason) {
		set(question, {
			operation,
			object,
			reason
		});
	},
	explain(refusal) {
		typeof refusal == "string" ? toasts.list.some(({ text }) => text === refusal) || toasts.show(refusal) : set(question, refusal);
	},
	explainable(problem) {
		return problem instanceof ApiProblem && problem.explainable && session.state === "signed-in" ? problem : void 0;
	},
	askAbout(problem) {
		why.ask(problem.operation, problem.object, problem.message);
	},
	report(problem) {
		let refusal = why.explainable(problem), action = refusal && {
			label: t.common.why,
			run: () => why.askAbout(refusal)
		};
		toasts.show(problem instanceof Error ? problem.message : String(problem), {
			tone: "problem",
			...action ? { action } : {}
		});
	},
	close() {
		set(question, void 0);
	}
}, rest_excludes$1 = new Set([
	"$$slots",
	"$$events",
	"$$legacy",
	"variant",
	"size",
	"icon",
	"label",
	"refused",
	"busy",
	"element",
	"type",
	"onclick",
	"children"
]), root$15 = from_html("<span class=\"spinner svelte-16cku8c\" aria-hidden=\"true\"></span>"), root_1$10 = from_html("<button><!> <!></button>");
function Button($$anchor, $$props) {
	push($$props, !0);
	let variant = prop($$props, "variant", 3, "secondary"), size = prop($$props, "size", 3, "medium"), busy = prop($$props, "busy", 3, !1), element = prop($$props, "element", 15), type = prop($$props, "type", 3, "button"), rest = rest_props($$props, rest_excludes$1);
	function press(event) {
		if ($$props.refused === void 0 && !busy()) return $$props.onclick?.(event);
		event.preventDefault(), $$props.refused !== void 0 && !busy() && why.explain($$props.refused);
	}
	var button = root_1$10();
	attribute_effect(button, () => ({
		type: type(),
		class: [
			variant(),
			size(),
			!$$props.children && "square"
		],
		"aria-label": $$props.label,
		title: typeof $$props.refused == "string" ? $$props.refused : $$props.label,
		"aria-disabled": $$props.refused === void 0 ? void 0 : "true",
		"aria-busy": busy() || void 0,
		onclick: press,
		...rest
	}), void 0, void 0, void 0, "svelte-16cku8c");
	var node = child(button), consequent = ($$anchor) => {
		var span = root$15();
		append($$anchor, span);
	}, consequent_1 = ($$anchor) => {
		{
			let $0 = user_derived(() => size() === "small" ? 16 : 18);
			Icon($$anchor, {
				get of() {
					return $$props.icon;
				},
				get size() {
					return get($0);
				}
			});
		}
	};
	if_block(node, ($$render) => {
		busy() ? $$render(consequent) : $$props.icon && $$render(consequent_1, 1);
	});
	var node_1 = sibling(node, 2);
	snippet(node_1, () => $$props.children ?? noop), reset(button), bind_this(button, ($$value) => element($$value), () => element()), append($$anchor, button), pop();
}
// src/update.svelte.ts
var available = state$2(!1), update = {
	get available() {
		return get(available);
	},
	async check() {
		get(available) || (await fetch(import.meta.url, {
			method: "HEAD",
			cache: "no-store"
		}).catch(() => void 0))?.status === 404 && set(available, !0);
	}
};
addEventListener("vite:preloadError", () => void update.check());
// src/parts/StatePanel.svelte
var root$14 = from_html("<span class=\"pulse svelte-1u4y8b9\" aria-hidden=\"true\"></span>"), root_1$9 = from_html("<span><!></span>"), root_2$7 = from_html("<p class=\"text svelte-1u4y8b9\"> </p>"), root_3$5 = from_html("<div class=\"actions svelte-1u4y8b9\"><!></div>"), root_4$5 = from_html("<div class=\"panel svelte-1u4y8b9\"><!> <p class=\"title svelte-1u4y8b9\"> </p> <!> <!></div>");
function StatePanel($$anchor, $$props) {
	let kind = prop($$props, "kind", 3, "empty");
	var div = root_4$5(), node = child(div), consequent = ($$anchor) => {
		var span = root$14();
		append($$anchor, span);
	}, consequent_1 = ($$anchor) => {
		var span_1 = root_1$9();
		let classes;
		Icon(child(span_1), {
			get of() {
				return $$props.icon;
			},
			size: 22
		}), reset(span_1), template_effect(() => classes = set_class(span_1, 1, "icon svelte-1u4y8b9", null, classes, { problem: kind() === "problem" })), append($$anchor, span_1);
	};
	if_block(node, ($$render) => {
		kind() === "loading" ? $$render(consequent) : $$props.icon && $$render(consequent_1, 1);
	});
	var p = sibling(node, 2), text_1 = only_child(p, !0), node_2 = sibling(p, 2), consequent_2 = ($$anchor) => {
		var p_1 = root_2$7(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, $$props.text)), append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		$$props.text && $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2), consequent_3 = ($$anchor) => {
		var div_1 = root_3$5(), node_4 = child(div_1);
		snippet(node_4, () => $$props.children), reset(div_1), append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		$$props.children && $$render(consequent_3);
	}), reset(div), template_effect(() => {
		set_attribute(div, "role", kind() === "problem" ? "alert" : kind() === "loading" ? "status" : void 0), set_text(text_1, $$props.title);
	}), append($$anchor, div);
}
// src/parts/LoadFailed.svelte
function LoadFailed($$anchor, $$props) {
	push($$props, !0);
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "problem",
			get icon() {
				return RefreshCw;
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
						var text$4 = text();
						template_effect(() => set_text(text$4, t.state.reload)), append($$anchor, text$4);
					},
					$$slots: { default: !0 }
				});
			},
			$$slots: { default: !0 }
		});
	}, alternate = ($$anchor) => {
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
					get onclick() {
						return $$props.onretry;
					},
					children: ($$anchor, $$slotProps) => {
						next();
						var text_1 = text();
						template_effect(() => set_text(text_1, t.common.retry)), append($$anchor, text_1);
					},
					$$slots: { default: !0 }
				});
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node, ($$render) => {
		update.available ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/parts/Toasts.svelte
var root$13 = from_html("<div><span class=\"svelte-4089l0\"> </span> <!> <!></div>"), root_1$8 = from_html("<div class=\"toasts svelte-4089l0\" role=\"status\" aria-live=\"polite\"></div>");
function Toasts($$anchor, $$props) {
	push($$props, !0);
	var div = root_1$8();
	each(div, 21, () => toasts.list, (toast) => toast.id, ($$anchor, toast) => {
		var div_1 = root$13();
		let classes;
		var span = child(div_1), text$3 = only_child(span, !0), node = sibling(span, 2), consequent = ($$anchor) => {
			let action = user_derived(() => get(toast).action);
			Button($$anchor, {
				size: "small",
				variant: "secondary",
				onclick: () => {
					toasts.dismiss(get(toast).id), get(action).run();
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, get(action).label)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			});
		};
		if_block(node, ($$render) => {
			get(toast).action && $$render(consequent);
		}), Button(sibling(node, 2), {
			size: "small",
			variant: "quiet",
			get icon() {
				return X;
			},
			get label() {
				return t.common.dismiss;
			},
			onclick: () => toasts.dismiss(get(toast).id)
		}), reset(div_1), template_effect(() => {
			classes = set_class(div_1, 1, "toast svelte-4089l0", null, classes, { problem: get(toast).tone === "problem" }), set_text(text$3, get(toast).text);
		}), append($$anchor, div_1);
	}), reset(div), append($$anchor, div), pop();
}
// src/parts/Dialog.svelte
var root$12 = from_html("<footer class=\"svelte-1imcjvo\"><!></footer>"), root_1$7 = from_html("<dialog><div class=\"frame svelte-1imcjvo\"><header class=\"svelte-1imcjvo\"><h2 class=\"svelte-1imcjvo\"> </h2> <!></header> <div class=\"body svelte-1imcjvo\" tabindex=\"0\" role=\"group\"><!></div> <!></div></dialog>");
function Dialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let width = prop($$props, "width", 3, "narrow"), dialog;
	onMount(() => {
		let former = document.activeElement;
		return dialog.showModal(), () => {
			former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	function closeOnBackdrop(event) {
		event.target === dialog && $$props.onclose();
	}
	var dialog_1 = root_1$7(), div = child(dialog_1), header = child(div), h2 = child(header), text = only_child(h2, !0);
	Button(sibling(h2, 2), {
		variant: "quiet",
		size: "small",
		get icon() {
			return X;
		},
		get label() {
			return t.common.close;
		},
		get onclick() {
			return $$props.onclose;
		}
	}), reset(header);
	var div_1 = sibling(header, 2), node_1 = child(div_1);
	snippet(node_1, () => $$props.children), reset(div_1);
	var node_2 = sibling(div_1, 2), consequent = ($$anchor) => {
		var footer = root$12(), node_3 = child(footer);
		snippet(node_3, () => $$props.actions), reset(footer), append($$anchor, footer);
	};
	if_block(node_2, ($$render) => {
		$$props.actions && $$render(consequent);
	}), reset(div), reset(dialog_1), bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog), template_effect(() => {
		set_class(dialog_1, 1, clsx(width()), "svelte-1imcjvo"), set_attribute(dialog_1, "aria-labelledby", `${id}-title`), set_attribute(h2, "id", `${id}-title`), set_text(text, $$props.title), set_attribute(div_1, "aria-labelledby", `${id}-title`);
	}), event("cancel", dialog_1, (event) => {
		event.preventDefault(), $$props.onclose();
	}), delegated("click", dialog_1, closeOnBackdrop), append($$anchor, dialog_1), pop();
}
delegate(["click"]);
// src/parts/WhyDialog.svelte
var root$11 = from_html(" <strong class=\"svelte-9apl7q\"> </strong>", 1), root_1$6 = from_html("<li><span><!></span> <div><p><strong class=\"svelte-9apl7q\"> </strong></p> <p class=\"detail svelte-9apl7q\"> </p></div> <span class=\"verdict svelte-9apl7q\"> </span></li>"), root_2$6 = from_html("<p class=\"summary svelte-9apl7q\"><!></p> <ol role=\"list\" class=\"svelte-9apl7q\"></ol>", 1);
function WhyDialog($$anchor, $$props) {
	push($$props, !0);
	async function explain({ operation, object }) {
		let withoutObject = () => call("auth.explain_access", { query: { operation } });
		return object ? call("auth.explain_access", { query: {
			operation,
			id: object
		} }).catch((error) => {
			if (error instanceof ApiProblem && error.status === 422) return withoutObject();
			throw error;
		}) : withoutObject();
	}
	let explanation = user_derived(() => explain($$props.question));
	Dialog($$anchor, {
		get title() {
			return t.why.title;
		},
		width: "wide",
		get onclose() {
			return why.close;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = comment(), node = first_child(fragment_1);
			await_block(node, () => get(explanation), ($$anchor) => {
				StatePanel($$anchor, {
					kind: "loading",
					get title() {
						return t.common.loading;
					}
				});
			}, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { allowed, checks, operation } = get($$source);
					return {
						allowed,
						checks,
						operation
					};
				}), allowed = user_derived(() => get($$value).allowed), checks = user_derived(() => get($$value).checks), operation = user_derived(() => get($$value).operation), fragment_2 = root_2$6(), p = first_child(fragment_2), node_1 = child(p), consequent = ($$anchor) => {
					var fragment_3 = root$11(), text = first_child(fragment_3), strong = sibling(text), text_1 = only_child(strong, !0);
					template_effect(($0) => {
						set_text(text, `${$0 ?? ""} `), set_text(text_1, $$props.question.reason);
					}, [() => t.why.other(get(operation))]), append($$anchor, fragment_3);
				}, consequent_1 = ($$anchor) => {
					var text_2 = text();
					template_effect(() => set_text(text_2, t.why.allowed)), append($$anchor, text_2);
				}, alternate = ($$anchor) => {
					var text_3 = text();
					template_effect(($0) => set_text(text_3, $0), [() => t.why.denied(get(operation))]), append($$anchor, text_3);
				};
				if_block(node_1, ($$render) => {
					get(allowed) && $$props.question.reason ? $$render(consequent) : get(allowed) ? $$render(consequent_1, 1) : $$render(alternate, -1);
				}), reset(p);
				var ol = sibling(p, 2);
				each(ol, 21, () => get(checks), index, ($$anchor, check) => {
					let verdict = user_derived(() => get(check).passes ?? void 0);
					var li = root_1$6();
					let classes;
					var span = child(li);
					let classes_1;
					var node_2 = child(span);
					{
						let $0 = user_derived(() => get(verdict) === !0 ? Check : get(verdict) === !1 ? X : Minus);
						Icon(node_2, {
							get of() {
								return get($0);
							},
							size: 16
						});
					}
					reset(span);
					var div = sibling(span, 2), p_1 = child(div), strong_1 = child(p_1), text_4 = only_child(strong_1, !0);
					reset(p_1);
					var p_2 = sibling(p_1, 2), text_5 = only_child(p_2);
					reset(div);
					var span_1 = sibling(div, 2), text_6 = only_child(span_1, !0);
					reset(li), template_effect(() => {
						classes = set_class(li, 1, "svelte-9apl7q", null, classes, { fails: get(verdict) === !1 }), classes_1 = set_class(span, 1, "mark svelte-9apl7q", null, classes_1, { passes: get(verdict) === !0 }), set_text(text_4, get(check).why), set_text(text_5, `${t.why.needs ?? ""} ${get(check).needs ?? ""} · ${t.why.has ?? ""} ${get(check).has ?? t.why.nothing ?? ""}`), set_text(text_6, get(verdict) === !0 ? t.why.passes : get(verdict) === !1 ? t.why.fails : t.why.unchecked);
					}), append($$anchor, li);
				}), reset(ol), append($$anchor, fragment_2);
			}, ($$anchor) => {
				StatePanel($$anchor, {
					kind: "problem",
					get icon() {
						return X;
					},
					get title() {
						return t.why.failed;
					},
					get text() {
						return $$props.question.reason;
					}
				});
			}), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
// src/router.svelte.ts
function read() {
	return {
		path: pathWithin(location.pathname) ?? "/",
		query: new URLSearchParams(location.search),
		fragment: location.hash.slice(1)
	};
}
var current$1 = state$2(read()), router = { get location() {
	return get(current$1);
} };
function navigate(path, options = {}) {
	options.replace ? history.replaceState(null, "", href(path)) : history.pushState(null, "", href(path)), set(current$1, read());
}
function match(pattern, path) {
	let expected = pattern.split("/"), actual = path.replace(/\/+$/, "").split("/");
	if (path === "/" && (actual[1] = ""), expected.length !== actual.length) return;
	let parameters = {};
	for (let [at, part] of expected.entries()) {
		let value = actual[at] ?? "";
		if (part.startsWith(":") && value) try {
			parameters[part.slice(1)] = decodeURIComponent(value);
		} catch {
			return;
		}
		else if (part !== value) return;
	}
	return parameters;
}
function isPlainClick(event) {
	return event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
function startRouter() {
	addEventListener("popstate", () => set(current$1, read())), addEventListener("hashchange", () => set(current$1, read())), document.addEventListener("click", (event) => {
		let link = event.target instanceof Element ? event.target.closest("a[href]") : null;
		if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event) || link.target || link.hasAttribute("download") || link.origin !== location.origin || link.hash && link.pathname === location.pathname && link.search === location.search) return;
		let path = pathWithin(link.pathname);
		path && !path.startsWith("/api/") && path !== "/metrics" && (event.preventDefault(), navigate(path + link.search + link.hash));
	});
}
// src/api/memories.ts
var MOST = 100;
async function memoriesWith(ids) {
	let found = [];
	for (let at = 0; at < ids.length; at += MOST) {
		let page = await call("memories.list_user_memories", { query: { ids: ids.slice(at, at + MOST) } });
		found.push(...page.items);
	}
	return found;
}
async function restoreMemory({ content, assistant_id, expires_at }) {
	return call("memories.create_memory", { body: {
		content: content ?? "",
		...assistant_id ? { assistant_id } : {},
		...expires_at ? { expires_at } : {}
	} });
}
// src/parts/Field.svelte
var rest_excludes = new Set([
	"$$slots",
	"$$events",
	"$$legacy",
	"label",
	"hint",
	"error",
	"value",
	"rows",
	"type"
]), root$10 = from_html("<textarea class=\"input svelte-1laokb0\"></textarea>"), root_1$5 = from_html("<div><input/> <!></div>"), root_2$5 = from_html("<p class=\"error svelte-1laokb0\"> </p>"), root_3$4 = from_html("<p class=\"hint svelte-1laokb0\"> </p>"), root_4$4 = from_html("<div class=\"field svelte-1laokb0\"><label class=\"svelte-1laokb0\"> </label> <!> <!> <!></div>");
function Field($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let value = prop($$props, "value", 15, ""), rest = rest_props($$props, rest_excludes), shown = state$2(!1), described = user_derived(() => [$$props.error && `${id}-error`, $$props.hint && `${id}-hint`].filter(Boolean).join(" ") || void 0);
	var div = root_4$4(), label_1 = child(div), text = only_child(label_1, !0), node = sibling(label_1, 2), consequent = ($$anchor) => {
		var textarea = root$10();
		remove_textarea_child(textarea), template_effect(() => {
			set_attribute(textarea, "id", id), set_attribute(textarea, "rows", $$props.rows), set_attribute(textarea, "maxlength", $$props.maxlength), textarea.required = $$props.required, set_attribute(textarea, "placeholder", $$props.placeholder), set_attribute(textarea, "aria-describedby", get(described)), set_attribute(textarea, "aria-invalid", $$props.error ? "true" : void 0);
		}), bind_value(textarea, value), append($$anchor, textarea);
	}, alternate = ($$anchor) => {
		var div_1 = root_1$5();
		let classes;
		var input = child(div_1);
		attribute_effect(input, () => ({
			class: "input",
			id,
			type: get(shown) ? "text" : $$props.type,
			"aria-describedby": get(described),
			"aria-invalid": $$props.error ? "true" : void 0,
			...get(shown) ? {
				spellcheck: !1,
				autocapitalize: "off"
			} : {},
			...rest
		}), void 0, void 0, void 0, "svelte-1laokb0", !0);
		var node_1 = sibling(input, 2), consequent_1 = ($$anchor) => {
			{
				let $0 = user_derived(() => get(shown) ? EyeOff : Eye);
				Button($$anchor, {
					variant: "quiet",
					get icon() {
						return get($0);
					},
					get label() {
						return t.common.showTyped;
					},
					get "aria-pressed"() {
						return get(shown);
					},
					onclick: () => set(shown, !get(shown))
				});
			}
		};
		if_block(node_1, ($$render) => {
			$$props.type === "password" && $$render(consequent_1);
		}), reset(div_1), template_effect(() => classes = set_class(div_1, 1, "line svelte-1laokb0", null, classes, { secret: $$props.type === "password" })), bind_value(input, value), append($$anchor, div_1);
	};
	if_block(node, ($$render) => {
		$$props.rows ? $$render(consequent) : $$render(alternate, -1);
	});
	var node_2 = sibling(node, 2), consequent_2 = ($$anchor) => {
		var p = root_2$5(), text_1 = only_child(p, !0);
		template_effect(() => {
			set_attribute(p, "id", `${id}-error`), set_text(text_1, $$props.error);
		}), append($$anchor, p);
	};
	if_block(node_2, ($$render) => {
		$$props.error && $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2), consequent_3 = ($$anchor) => {
		var p_1 = root_3$4(), text_2 = only_child(p_1, !0);
		template_effect(() => {
			set_attribute(p_1, "id", `${id}-hint`), set_text(text_2, $$props.hint);
		}), append($$anchor, p_1);
	};
	if_block(node_3, ($$render) => {
		$$props.hint && $$render(consequent_3);
	}), reset(div), template_effect(() => {
		set_attribute(label_1, "for", id), set_text(text, $$props.label);
	}), append($$anchor, div), pop();
}
// src/parts/ProblemNote.svelte
var root$9 = from_html("<div class=\"note svelte-a07lkl\" role=\"alert\"><!> <span class=\"svelte-a07lkl\"> </span> <!> <!></div>");
function ProblemNote($$anchor, $$props) {
	push($$props, !0);
	let text$2 = user_derived(() => $$props.problem instanceof Error ? $$props.problem.message : String($$props.problem)), refusal = user_derived(() => why.explainable($$props.problem));
	var div = root$9(), node = child(div);
	Icon(node, { get of() {
		return CircleAlert;
	} });
	var span = sibling(node, 2), text_1 = only_child(span, !0), node_1 = sibling(span, 2), consequent = ($$anchor) => {
		Button($$anchor, {
			size: "small",
			variant: "quiet",
			onclick: () => why.askAbout(get(refusal)),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_2 = text();
				template_effect(() => set_text(text_2, t.common.why)), append($$anchor, text_2);
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_1, ($$render) => {
		get(refusal) && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2), consequent_1 = ($$anchor) => {
		Button($$anchor, {
			size: "small",
			get onclick() {
				return $$props.retry;
			},
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.common.retry)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_2, ($$render) => {
		$$props.retry && $$render(consequent_1);
	}), reset(div), template_effect(() => set_text(text_1, get(text$2))), append($$anchor, div), pop();
}
// src/parts/ProblemPanel.svelte
var root$8 = from_html("<!> <!>", 1);
function ProblemPanel($$anchor, $$props) {
	push($$props, !0);
	let refusal = user_derived(() => $$props.problem instanceof ApiProblem ? $$props.problem : void 0), explainable = user_derived(() => why.explainable($$props.problem)), content = user_derived(() => get(refusal)?.unreachable ? {
		icon: CloudOff,
		title: t.state.unreachable,
		text: t.state.unreachableText
	} : get(refusal)?.status === 403 ? {
		icon: Lock,
		title: t.state.forbidden,
		text: get(refusal).message
	} : get(refusal)?.status === 404 ? {
		icon: SearchX,
		title: t.state.notFound,
		text: t.state.notFoundText
	} : {
		icon: CircleAlert,
		title: t.state.error,
		text: $$props.problem instanceof Error ? $$props.problem.message : String($$props.problem)
	});
	StatePanel($$anchor, spread_props({ kind: "problem" }, () => get(content), {
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root$8(), node = first_child(fragment_1), consequent = ($$anchor) => {
				Button($$anchor, {
					onclick: () => why.askAbout(get(explainable)),
					children: ($$anchor, $$slotProps) => {
						next();
						var text$1 = text();
						template_effect(() => set_text(text$1, t.common.why)), append($$anchor, text$1);
					},
					$$slots: { default: !0 }
				});
			};
			if_block(node, ($$render) => {
				get(explainable) && $$render(consequent);
			});
			var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
				Button($$anchor, {
					variant: "primary",
					get onclick() {
						return $$props.retry;
					},
					children: ($$anchor, $$slotProps) => {
						next();
						var text_1 = text();
						template_effect(() => set_text(text_1, t.common.retry)), append($$anchor, text_1);
					},
					$$slots: { default: !0 }
				});
			};
			if_block(node_1, ($$render) => {
				$$props.retry && $$render(consequent_1);
			}), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	})), pop();
}
// src/parts/submission.svelte.ts
var Submission = class {
	#busy = state$2(!1);
	get busy() {
		return get(this.#busy);
	}
	set busy(value) {
		set(this.#busy, value, !0);
	}
	#problem = state$2();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	async run(action) {
		if (this.busy) return !1;
		this.busy = !0, this.problem = void 0;
		try {
			return await action(), !0;
		} catch (error) {
			return this.problem = error, !1;
		} finally {
			this.busy = !1;
		}
	}
	last = Promise.resolve();
	inTurn(action) {
		let turn = this.last.then(() => this.run(action));
		return this.last = turn, turn;
	}
	fault(member) {
		return this.problem instanceof ApiProblem ? this.problem.fault(member) : void 0;
	}
	besides(...members) {
		return members.some((member) => this.fault(member)) ? void 0 : this.problem;
	}
}, GRACE = 2e3, reachable = state$2(proxy(navigator.onLine)), timer, lost = new Set();
function assess() {
	if (!navigator.onLine) set(reachable, !1);
	else if (lost.size > 0) {
		timer ??= setTimeout(() => set(reachable, !1), GRACE);
		return;
	} else set(reachable, !0);
	clearTimeout(timer), timer = void 0;
}
var connection = {
	get reachable() {
		return get(reachable);
	},
	report(subscription, { state }) {
		state === "waiting" ? lost.add(subscription) : state === "open" && lost.delete(subscription) && lost.size === 0 && update.check(), assess();
	},
	forget(subscription) {
		lost.delete(subscription), assess();
	}
};
addEventListener("offline", assess), addEventListener("online", assess);
// src/parts/Table.svelte
var root$7 = from_html("<th scope=\"col\" class=\"svelte-1dquqf0\"> </th>"), root_1$4 = from_html("<tr><!></tr>"), root_2$4 = from_html("<div class=\"scroll svelte-1dquqf0\" role=\"region\" tabindex=\"0\"><table class=\"svelte-1dquqf0\"><caption class=\"visually-hidden\"> </caption><thead><tr></tr></thead><tbody></tbody></table></div>");
function Table($$anchor, $$props) {
	var div = root_2$4(), table = child(div), caption_1 = child(table), text = only_child(caption_1, !0), thead = sibling(caption_1), tr = child(thead);
	each(tr, 21, () => $$props.columns, index, ($$anchor, column) => {
		var th = root$7(), text_1 = only_child(th, !0);
		template_effect(() => set_text(text_1, get(column))), append($$anchor, th);
	}), reset(tr), reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => $$props.rows, (item) => item.id, ($$anchor, item) => {
		var tr_1 = root_1$4(), node = child(tr_1);
		snippet(node, () => $$props.row, () => get(item)), reset(tr_1), append($$anchor, tr_1);
	}), reset(tbody), reset(table), reset(div), template_effect(() => {
		set_attribute(div, "aria-label", $$props.caption), set_text(text, $$props.caption);
	}), append($$anchor, div);
}
// src/shell/conversations.svelte.ts
var UNDO = 7e3, PAGE = 50, tabs$1 = new BroadcastChannel("understudy.conversations"), conversations = new class {
	#items = state$2([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	#loading = state$2(!1);
	get loading() {
		return get(this.#loading);
	}
	set loading(value) {
		set(this.#loading, value, !0);
	}
	#problem = state$2();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#search = state$2("");
	get search() {
		return get(this.#search);
	}
	set search(value) {
		set(this.#search, value, !0);
	}
	#archived = state$2(!1);
	get archived() {
		return get(this.#archived);
	}
	set archived(value) {
		set(this.#archived, value, !0);
	}
	#cursor = state$2();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	request = 0;
	deletions = new Map();
	constructor() {
		tabs$1.addEventListener("message", () => void this.load()), addEventListener("pagehide", () => this.deleteNow());
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	find(id) {
		return this.items.find((item) => item.id === id);
	}
	async load() {
		let request = ++this.request;
		this.loading = !0;
		try {
			let first = await this.read({}), pinned = first.next_cursor && !this.archived ? await this.read({
				pinned: !0,
				limit: 200
			}) : void 0;
			if (request !== this.request) return;
			let known = new Set(first.items.map((item) => item.id));
			this.items = [...first.items, ...(pinned?.items ?? []).filter((item) => !known.has(item.id))], this.cursor = first.next_cursor ?? void 0, this.problem = void 0;
		} catch (error) {
			request === this.request && (this.problem = error);
		} finally {
			request === this.request && (this.loading = !1);
		}
	}
	async loadMore() {
		if (!this.cursor || this.loading) return;
		let request = this.request;
		this.loading = !0;
		try {
			let page = await this.read({ cursor: this.cursor });
			if (request !== this.request) return;
			let known = new Set(this.items.map((item) => item.id));
			this.items = [...this.items, ...page.items.filter((item) => !known.has(item.id))], this.cursor = page.next_cursor ?? void 0;
		} catch (error) {
			this.problem = error;
		} finally {
			this.loading = !1;
		}
	}
	async read(query) {
		let page = await call("conversations.conversations", { query: {
			limit: PAGE,
			include_projects: !0,
			archived: this.archived,
			...query
		} });
		return {
			...page,
			items: page.items.filter((item) => !this.deletions.has(item.id))
		};
	}
	put(conversation) {
		let { messages: _, ...item } = conversation;
		this.items = item.archived === this.archived ? this.find(item.id) ? this.items.map((other) => other.id === item.id ? item : other) : [item, ...this.items] : this.items.filter((other) => other.id !== item.id);
	}
	patch(id, fields) {
		this.items = this.items.map((item) => item.id === id ? {
			...item,
			...fields
		} : item);
	}
	async change(id, body) {
		let changed = await call("conversations.patch_conversation", {
			path: { conversation_id: id },
			body
		});
		return this.put(changed), this.tellOtherTabs(), changed;
	}
	async move(conversation, project) {
		let path = { conversation_id: conversation.id };
		project ? await call("projects.add_conversation_to_project", { path: {
			project_id: project,
			...path
		} }) : conversation.project_id && await call("projects.remove_conversation_from_project", { path: {
			project_id: conversation.project_id,
			...path
		} }), this.patch(conversation.id, { project_id: project }), this.tellOtherTabs();
	}
	remove(conversation) {
		let before = this.items;
		this.items = before.filter((item) => item.id !== conversation.id), this.deletions.set(conversation.id, setTimeout(() => void this.deletePermanently(conversation.id), UNDO)), toasts.show(t.shell.deleted, { action: {
			label: t.common.undo,
			run: () => {
				clearTimeout(this.deletions.get(conversation.id)), this.deletions.delete(conversation.id), this.load();
			}
		} });
	}
	isRemoved(id) {
		return this.deletions.has(id);
	}
	async deletePermanently(id) {
		try {
			await call("conversations.delete_conversation", { path: { conversation_id: id } });
		} catch (error) {
			toasts.show(error instanceof Error ? error.message : String(error), { tone: "problem" });
		} finally {
			this.deletions.delete(id), await this.load(), this.tellOtherTabs();
		}
	}
	deleteNow() {
		for (let [id, timer] of this.deletions) clearTimeout(timer), fetch(addressOf("conversations.delete_conversation", { path: { conversation_id: id } }), {
			method: "DELETE",
			keepalive: !0
		});
		this.deletions.clear();
	}
	tellOtherTabs() {
		tabs$1.postMessage("changed");
	}
}();
function grouped(items, now = new Date()) {
	let midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime(), day = 864e5, groupOf = (item) => {
		if (item.pinned) return "pinned";
		let changed = new Date(item.updated_at).getTime();
		return changed >= midnight ? "today" : changed >= midnight - day ? "yesterday" : changed >= midnight - 7 * day ? "week" : changed >= midnight - 30 * day ? "month" : "older";
	}, groups = new Map();
	for (let item of items) {
		let group = groupOf(item);
		groups.set(group, [...groups.get(group) ?? [], item]);
	}
	return [
		"pinned",
		"today",
		"yesterday",
		"week",
		"month",
		"older"
	].flatMap((group) => groups.has(group) ? [[group, groups.get(group) ?? []]] : []);
}
// src/shell/projects.svelte.ts
var tabs = new BroadcastChannel("understudy.projects"), projects = new class {
	#items = state$2([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	constructor() {
		tabs.addEventListener("message", () => void this.load().catch(() => {}));
	}
	async load() {
		this.items = await everyPage((cursor) => call("projects.get_projects", { query: {
			limit: 100,
			...cursor ? { cursor } : {}
		} }));
	}
	find(id) {
		return this.items.find((project) => project.id === id);
	}
	async create(name) {
		let project = await call("projects.create_project", { body: { name } });
		return this.items = [project, ...this.items], this.tellOtherTabs(), project;
	}
	put(project) {
		this.items = this.items.map((other) => other.id === project.id ? project : other), this.tellOtherTabs();
	}
	drop(id) {
		this.items = this.items.filter((project) => project.id !== id), this.tellOtherTabs();
	}
	tellOtherTabs() {
		tabs.postMessage("changed");
	}
}(), Choices = class {
	#models = state$2([]);
	get models() {
		return get(this.#models);
	}
	set models(value) {
		set(this.#models, value);
	}
	#unavailable = state$2([]);
	get unavailable() {
		return get(this.#unavailable);
	}
	set unavailable(value) {
		set(this.#unavailable, value);
	}
	#assistants = state$2([]);
	get assistants() {
		return get(this.#assistants);
	}
	set assistants(value) {
		set(this.#assistants, value);
	}
	#loaded = state$2(!1);
	get loaded() {
		return get(this.#loaded);
	}
	set loaded(value) {
		set(this.#loaded, value, !0);
	}
	#problem = state$2();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#starred = state$2(new Set());
	get starred() {
		return get(this.#starred);
	}
	set starred(value) {
		set(this.#starred, value);
	}
	#providers = state$2([]);
	get providers() {
		return get(this.#providers);
	}
	set providers(value) {
		set(this.#providers, value);
	}
	loading;
	load() {
		return session.has("conversations") ? (this.loading ??= this.read(session.has("assistants")).finally(() => this.loading = void 0), this.loading) : Promise.resolve();
	}
	async read(withAssistants) {
		try {
			let [models, assistants] = await Promise.all([call("chat.get_models", { query: { include_unavailable: !0 } }), withAssistants ? everyPage((cursor) => call("assistants.get_assistants", { query: {
				limit: 100,
				...cursor ? { cursor } : {}
			} })) : []]), canChat = models.items.filter((model) => model.capability_tags.includes("chat"));
			this.models = canChat.filter((model) => !model.unavailable_reason), this.unavailable = canChat.filter((model) => model.unavailable_reason), this.assistants = assistants, this.problem = void 0, this.loaded = !0;
		} catch (error) {
			this.problem = error;
		}
	}
	async loadFavourites() {
		let { items } = await call("assistants.get_favourite_assistants").catch(() => ({ items: [] }));
		this.starred = new Set(items.map(({ id }) => id));
	}
	async loadProviders() {
		session.may("admin:read") && (this.providers = (await call("tenant-admin.list_providers").catch(() => ({ items: [] }))).items);
	}
	get fallback() {
		return this.model(session.user?.preferences.default_model) ?? this.models.find(({ is_default }) => is_default);
	}
	model(id) {
		return this.models.find((model) => model.id === id);
	}
	assistant(id) {
		return this.assistants.find((assistant) => assistant.id === id);
	}
	modelOptions(chosen) {
		let groupOf = (model) => model.is_favourite ? t.chat.favourites : model.provider, order = (model) => `${+!model.is_favourite}${model.provider}`, options = [...this.models].sort((a, b) => order(a) < order(b) ? -1 : 1).map((model) => ({
			value: model.id,
			label: model.name,
			description: [model.id, ...model.capability_tags.filter((tag) => tag !== "chat")].join(" · "),
			group: groupOf(model),
			note: priceOf(model),
			starred: model.is_favourite
		}));
		return this.loaded ? [
			...options,
			...this.unavailableModels(chosen),
			...this.unavailableProviders()
		] : options;
	}
	unavailableModels(chosen) {
		let { favourite_models = [], default_model } = session.user?.preferences ?? {}, named = new Set([
			...chosen,
			...favourite_models,
			default_model
		].flatMap((id) => id ?? [])), starred = (id) => favourite_models.includes(id) ? !0 : void 0, known = this.unavailable.map(({ id, name, unavailable_reason }) => ({
			value: id,
			label: name,
			description: id,
			group: t.chat.unavailable,
			starred: starred(id),
			unavailable: unavailable_reason === "key_missing" ? t.chat.providerKey : t.chat.modelHidden
		})), isListed = (id) => this.model(id) !== void 0 || known.some(({ value }) => value === id), unknown = [...named].filter((id) => !isListed(id));
		return [...known, ...unknown.map((id) => ({
			value: id,
			label: id,
			group: t.chat.unavailable,
			unavailable: t.chat.modelGone,
			starred: starred(id)
		}))];
	}
	unavailableProviders() {
		return this.providers.flatMap((provider) => {
			let reason = this.unavailable.some((model) => model.provider === provider.provider) ? void 0 : reasonOf(provider);
			return reason ? [{
				value: `${provider.provider}/`,
				label: provider.provider,
				group: t.chat.unavailable,
				unavailable: reason
			}] : [];
		});
	}
	assistantOptions(chosen) {
		let order = ({ group, label }) => `${group === t.chat.favourites ? 0 : 1}${group}\n${label.toLowerCase()}`, options = [{
			value: "",
			label: t.chat.noAssistant,
			description: t.chat.noAssistantText
		}, ...this.assistants.map((assistant) => ({
			value: assistant.id,
			label: assistant.name,
			description: assistant.description,
			group: this.starred.has(assistant.id) ? t.chat.favourites : assistant.type === "workflow" ? t.chat.workflows : t.chat.assistants,
			unavailable: assistant.enabled ? void 0 : assistant.disabled_reason ?? t.chat.assistantDisabled,
			starred: this.starred.has(assistant.id)
		})).sort((a, b) => order(a) < order(b) ? -1 : 1)];
		return chosen && this.loaded && !this.assistant(chosen) && options.splice(1, 0, {
			value: chosen,
			label: t.chat.assistantGone,
			unavailable: t.chat.assistantGoneText
		}), options;
	}
	async starAssistant(id) {
		let former = this.starred, starred = new Set(former);
		starred.delete(id) || starred.add(id), this.starred = starred, await call(starred.has(id) ? "assistants.add_favourite_assistant" : "assistants.remove_favourite_assistant", { path: { assistant_id: id } }).catch((error) => {
			this.starred = former, toasts.show(error.message, { tone: "problem" });
		});
	}
	async starModel(id) {
		let { models: former } = this, chosen = session.user?.preferences.favourite_models ?? [], favourite_models = chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id];
		this.models = former.map((model) => model.id === id ? {
			...model,
			is_favourite: favourite_models.includes(id)
		} : model);
		try {
			await call("users.update_user_preferences", { body: { favourite_models } }), await reloadUser();
		} catch (error) {
			this.models = former, toasts.show(error instanceof Error ? error.message : String(error), { tone: "problem" });
		}
	}
};
function priceOf({ prices }) {
	let perMillion = prices.output_nanos_per_token * 1e6;
	return perMillion > 0 ? t.chat.perMillion(cost(perMillion)) : void 0;
}
function reasonOf({ state, needs_key, own_key, last_error }) {
	return own_key?.stale ? t.chat.providerKeyStale : needs_key && !own_key ? t.chat.providerKey : state === "down" ? t.chat.providerDown(last_error ?? "") : state === "degraded" ? t.chat.providerDegraded(last_error ?? "") : void 0;
}
var choices = new Choices(), added = state$2([]), keys = proxy({
	palette: !1,
	help: !1
}), screenCommands = {
	get list() {
		return get(added);
	},
	add(commands) {
		return set(added, commands), () => {
			get(added) === commands && set(added, []);
		};
	}
}, isMac = navigator.platform.startsWith("Mac"), MOD = isMac ? "⌘" : "Ctrl";
function hasMod(event) {
	return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}
var hasKeyboardOnScreen = matchMedia("(pointer: coarse)").matches;
function isSendKey(event) {
	return event.key === "Enter" && !event.shiftKey && !event.isComposing && (!hasKeyboardOnScreen || hasMod(event));
}
function isTyping(event) {
	let element = event.target;
	return element instanceof HTMLElement && (element.isContentEditable || element.matches("input, textarea, select, dialog *, [popover] *"));
}
// src/chat/AttachmentDraft.svelte
var root$6 = from_html("<img alt=\"\" class=\"svelte-5z7rpq\"/>"), root_1$3 = from_html("<span class=\"error svelte-5z7rpq\" role=\"alert\"><span class=\"visually-hidden\"> </span> </span>"), root_2$3 = from_html("<progress max=\"1\" class=\"svelte-5z7rpq\"></progress>"), root_3$3 = from_html("<span class=\"size svelte-5z7rpq\"> </span>"), root_4$3 = from_html("<div><!> <span class=\"about svelte-5z7rpq\"><span class=\"name svelte-5z7rpq\"> </span> <!></span> <!> <!></div>");
function AttachmentDraft($$anchor, $$props) {
	push($$props, !0);
	let name = user_derived(() => $$props.upload.file.name);
	var div = root_4$3();
	let classes;
	var node = child(div), consequent = ($$anchor) => {
		var img = root$6();
		template_effect(() => set_attribute(img, "src", $$props.upload.preview)), append($$anchor, img);
	}, alternate = ($$anchor) => {
		Icon($$anchor, { get of() {
			return File;
		} });
	};
	if_block(node, ($$render) => {
		$$props.upload.preview ? $$render(consequent) : $$render(alternate, -1);
	});
	var span = sibling(node, 2), span_1 = child(span), text = only_child(span_1, !0), node_1 = sibling(span_1, 2), consequent_1 = ($$anchor) => {
		var span_2 = root_1$3(), span_3 = child(span_2), text_1 = only_child(span_3, !0), text_2 = sibling(span_3, 1, !0);
		reset(span_2), template_effect(() => {
			set_text(text_1, `${get(name)}: `), set_text(text_2, $$props.upload.error);
		}), append($$anchor, span_2);
	}, consequent_2 = ($$anchor) => {
		var progress = root_2$3();
		template_effect(($0) => {
			set_value(progress, $$props.upload.progress), set_attribute(progress, "aria-label", $0);
		}, [() => t.chat.uploading(get(name))]), append($$anchor, progress);
	}, alternate_1 = ($$anchor) => {
		var span_4 = root_3$3(), text_3 = only_child(span_4, !0);
		template_effect(($0) => set_text(text_3, $0), [() => bytes($$props.upload.file.size)]), append($$anchor, span_4);
	};
	if_block(node_1, ($$render) => {
		$$props.upload.error ? $$render(consequent_1) : $$props.upload.state === "sending" ? $$render(consequent_2, 1) : $$render(alternate_1, -1);
	}), reset(span);
	var node_2 = sibling(span, 2), consequent_3 = ($$anchor) => {
		{
			let $0 = user_derived(() => t.chat.retryFile(get(name)));
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get icon() {
					return RotateCw;
				},
				get label() {
					return get($0);
				},
				get onclick() {
					return $$props.onretry;
				}
			});
		}
	};
	if_block(node_2, ($$render) => {
		$$props.upload.state === "failed" && !$$props.upload.refused && $$render(consequent_3);
	});
	var node_3 = sibling(node_2, 2);
	{
		let $0 = user_derived(() => $$props.upload.state === "sending" ? t.chat.cancelFile(get(name)) : t.chat.removeFile(get(name)));
		Button(node_3, {
			variant: "quiet",
			size: "small",
			get icon() {
				return X;
			},
			get label() {
				return get($0);
			},
			get onclick() {
				return $$props.onremove;
			}
		});
	}
	reset(div), template_effect(() => {
		classes = set_class(div, 1, "draft svelte-5z7rpq", null, classes, { failed: $$props.upload.state === "failed" }), set_attribute(span_1, "title", get(name)), set_text(text, get(name));
	}), append($$anchor, div), pop();
}
// src/chat/drafts.ts
var PREFIX = "understudy.draft.", LONGEST = 1e5, drafts = {
	read(key) {
		return sessionStorage.getItem(PREFIX + key) ?? "";
	},
	write(key, text) {
		try {
			text && text.length <= LONGEST ? sessionStorage.setItem(PREFIX + key, text) : sessionStorage.removeItem(PREFIX + key);
		} catch {}
	}
}, mostFiles = () => session.user?.uploads.files_per_message ?? 20;
function refusalOf({ size, type }) {
	if (size === 0) return t.chat.fileEmpty;
	let limits = session.user?.uploads;
	if (limits) return size > limits.file_bytes ? t.chat.fileLargerThan(...differentBytes(size, limits.file_bytes)) : isAccepted(type, limits.media_types) ? void 0 : t.chat.fileKind(limits.media_types.join(", "));
}
function isAccepted(type, accepted) {
	let [kind] = type.split("/");
	return accepted.some((pattern) => pattern === "*/*" || pattern === type || pattern === `${kind}/*`);
}
var Upload = class {
	file;
	#progress = state$2(0);
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value, !0);
	}
	#state = state$2("waiting");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value, !0);
	}
	#error = state$2();
	get error() {
		return get(this.#error);
	}
	set error(value) {
		set(this.#error, value, !0);
	}
	#result = state$2();
	get result() {
		return get(this.#result);
	}
	set result(value) {
		set(this.#result, value);
	}
	#refused = state$2(!1);
	get refused() {
		return get(this.#refused);
	}
	set refused(value) {
		set(this.#refused, value, !0);
	}
	preview;
	request;
	transfer;
	constructor(file) {
		this.file = file, this.preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : void 0;
		let refusal = refusalOf(file);
		refusal && (this.fail(refusal), this.refused = !0);
	}
	fail(error) {
		this.state = "failed", this.error = error;
	}
	send(conversation) {
		return this.state === "waiting" && (this.transfer = this.run(conversation)), this.transfer ?? Promise.resolve();
	}
	retry(conversation) {
		this.state !== "failed" || this.refused || (this.state = "waiting", this.error = void 0, this.progress = 0, conversation && this.send(conversation));
	}
	forget() {
		this.state !== "failed" && (this.state = "waiting", this.result = void 0, this.progress = 0);
	}
	async run(conversation) {
		this.state = "sending";
		try {
			let body = {
				filename: nameOf(this.file),
				media_type: this.file.type || "application/octet-stream",
				size: this.file.size
			}, place = await call("conversations.get_signed_upload_url", {
				path: { conversation_id: conversation },
				body
			});
			this.result = await this.put(place.url, place.method, place.headers), this.progress = 1, this.state = "done";
		} catch (error) {
			let code = error instanceof ApiProblem ? error.code : "";
			this.refused = code === "too_large" || code === "wrong_content_type";
			let detail = error instanceof Error ? error.message : String(error);
			this.fail(code === "too_large" ? t.chat.fileTooLarge(detail) : code === "wrong_content_type" ? t.chat.fileWrongType(detail) : detail);
		}
	}
	put(address, method, headers) {
		return new Promise((resolve, reject) => {
			let request = new XMLHttpRequest();
			this.request = request, request.open(method, withinServer(address));
			for (let [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
			request.upload.onprogress = (event) => this.progress = event.lengthComputable ? event.loaded / event.total : 0, request.onload = () => {
				let body = json(request.responseText);
				request.status < 300 && body ? resolve(body) : reject(isProblem(body) ? new ApiProblem("conversations.put_upload", body) : Error(t.chat.uploadFailed));
			}, request.onerror = () => reject(Error(t.chat.uploadLost)), request.onabort = () => reject(Error(t.chat.uploadCancelled)), request.send(this.file);
		});
	}
	cancel() {
		this.request?.abort();
	}
	discard() {
		this.cancel(), this.preview && URL.revokeObjectURL(this.preview);
	}
};
function nameOf({ name }) {
	return name.replace(/[\p{Cc}/\\]/gu, "_").slice(0, 255) || "file";
}
function withinServer(address) {
	let { pathname, search } = new URL(address, location.href);
	return root$17 + pathname.slice(pathname.indexOf("/api/") + 1) + search;
}
function isProblem(body) {
	return typeof body == "object" && !!body && "code" in body && "title" in body;
}
function json(body) {
	try {
		return JSON.parse(body);
	} catch {
		return;
	}
}
var Attachments = class {
	#list = state$2([]);
	get list() {
		return get(this.#list);
	}
	set list(value) {
		set(this.#list, value);
	}
	#refusal = state$2();
	get refusal() {
		return get(this.#refusal);
	}
	set refusal(value) {
		set(this.#refusal, value, !0);
	}
	get failed() {
		return this.list.filter(({ state }) => state === "failed");
	}
	get ids() {
		return this.list.flatMap(({ result }) => result?.upload_id ?? []);
	}
	get names() {
		return this.list.map(({ file }) => file.name);
	}
	add(files, conversation) {
		let added = [...files].map((file) => new Upload(file)), most = mostFiles(), room = Math.max(0, most - this.list.length), excess = added.slice(room);
		this.refusal = excess.length > 0 ? t.chat.tooManyFiles(most, excess.map(({ file }) => file.name).join(", ")) : void 0, excess.forEach((upload) => upload.discard()), this.list = [...this.list, ...added.slice(0, room)], conversation && this.send(conversation);
	}
	async send(conversation) {
		return await Promise.all(this.list.map((upload) => upload.send(conversation))), this.failed.length === 0;
	}
	remove(upload) {
		upload.discard(), this.list = this.list.filter((other) => other !== upload), this.refusal = void 0;
	}
	forget() {
		this.list.forEach((upload) => upload.forget());
	}
	clear() {
		this.list.forEach((upload) => upload.discard()), this.list = [], this.refusal = void 0;
	}
}, unsent = new Map();
function attachmentsOf(draft) {
	let known = unsent.get(draft);
	if (known) return known;
	let attachments = new Attachments();
	return unsent.set(draft, attachments), attachments;
}
// src/chat/Composer.svelte
var root$5 = from_html("<p class=\"drop svelte-117i28w\" role=\"status\"> </p>"), root_1$2 = from_html("<li class=\"svelte-117i28w\"><!></li>"), root_2$2 = from_html("<ul role=\"list\" class=\"files svelte-117i28w\"></ul>"), root_3$2 = from_html("<p class=\"refusal svelte-117i28w\" role=\"alert\"> </p>"), root_4$2 = from_html("<form><!> <!> <!> <label class=\"visually-hidden\" for=\"message-field\"> </label> <textarea id=\"message-field\" rows=\"1\" dir=\"auto\" class=\"svelte-117i28w\"></textarea> <div class=\"bar svelte-117i28w\"><input type=\"file\" multiple=\"\" hidden=\"\"/> <!> <div class=\"pickers svelte-117i28w\"><!></div> <!></div></form>");
function Composer($$anchor, $$props) {
	push($$props, !0);
	let draft = $$props.conversation ?? "new", text = state$2(proxy(drafts.read(draft))), sending = state$2(!1), dragging = state$2(0), attachments = attachmentsOf(draft), form, field, picker, canSend = user_derived(() => (get(text).trim() !== "" || attachments.list.length > 0) && !get(sending) && !$$props.responding);
	onMount(() => {
		matchMedia("(pointer: fine)").matches && field.focus(), grow();
	}), user_effect(() => drafts.write(draft, get(text)));
	function grow() {
		CSS.supports("field-sizing", "content") || (field.style.setProperty("block-size", "auto"), field.style.setProperty("block-size", `${field.scrollHeight}px`));
	}
	function insert(value) {
		set(text, value, !0), tick().then(() => {
			grow(), field.focus();
		});
	}
	async function send() {
		if ($$props.responding && get(text).trim() !== "" && toasts.show(t.chat.waitOrStop), !get(canSend)) return;
		if (attachments.failed.length > 0) {
			attachments.refusal = t.chat.filesFailed;
			return;
		}
		set(sending, !0);
		let former = get(text);
		set(text, "");
		let sent = await $$props.onsend(former, attachments);
		set(sending, !1), sent ? attachments.clear() : set(text, get(text) ? `${former}\n\n${get(text)}` : former, !0), await tick(), grow();
	}
	function press(event) {
		isSendKey(event) ? (event.preventDefault(), send()) : event.key === "Escape" && $$props.responding ? (event.preventDefault(), $$props.onstop()) : event.key === "ArrowUp" && get(text) === "" && (event.preventDefault(), $$props.oneditlast());
	}
	function paste(event) {
		let { clipboardData } = event, files = clipboardData?.files, isText = clipboardData?.types.includes("text/html") && clipboardData.getData("text/plain") !== "";
		files?.length && !isText && (event.preventDefault(), attachments.add(files, $$props.conversation));
	}
	function drop(event) {
		if (set(dragging, 0), !event.dataTransfer?.files.length) return;
		event.preventDefault();
		let entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()), files = [...event.dataTransfer.files].filter((_, at) => !entries[at]?.isDirectory);
		files.length > 0 && attachments.add(files, $$props.conversation), files.length < event.dataTransfer.files.length && (attachments.refusal = t.chat.folderRefused);
	}
	function remove(upload) {
		attachments.remove(upload), tick().then(() => (form.querySelector(".files button") ?? field).focus());
	}
	let hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? !1;
	var $$exports = { insert }, form_1 = root_4$2();
	event("dragenter", $window, (event) => {
		hasFiles(event) && update$1(dragging);
	}), event("dragleave", $window, (event) => {
		hasFiles(event) && set(dragging, Math.max(0, get(dragging) - 1), !0);
	}), event("dragover", $window, (event) => {
		hasFiles(event) && event.preventDefault();
	}), event("drop", $window, drop);
	let classes;
	var node = child(form_1), consequent = ($$anchor) => {
		var p = root$5(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, t.chat.dropHere)), append($$anchor, p);
	};
	if_block(node, ($$render) => {
		get(dragging) > 0 && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		var ul = root_2$2();
		each(ul, 20, () => attachments.list, (upload) => upload, ($$anchor, upload) => {
			var li = root_1$2();
			AttachmentDraft(child(li), {
				get upload() {
					return upload;
				},
				onremove: () => remove(upload),
				onretry: () => upload.retry($$props.conversation)
			}), reset(li), append($$anchor, li);
		}), reset(ul), template_effect(() => set_attribute(ul, "aria-label", t.chat.attachments)), append($$anchor, ul);
	};
	if_block(node_1, ($$render) => {
		attachments.list.length > 0 && $$render(consequent_1);
	});
	var node_3 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
		var p_1 = root_3$2(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, attachments.refusal)), append($$anchor, p_1);
	};
	if_block(node_3, ($$render) => {
		attachments.refusal && $$render(consequent_2);
	});
	var label = sibling(node_3, 2), text_3 = only_child(label, !0), textarea = sibling(label, 2);
	remove_textarea_child(textarea), bind_this(textarea, ($$value) => field = $$value, () => field);
	var div = sibling(textarea, 2), input = child(div);
	bind_this(input, ($$value) => picker = $$value, () => picker);
	var node_4 = sibling(input, 2);
	Button(node_4, {
		variant: "quiet",
		get icon() {
			return Paperclip;
		},
		get label() {
			return t.chat.attach;
		},
		onclick: () => picker.click()
	});
	var div_1 = sibling(node_4, 2), node_5 = child(div_1);
	snippet(node_5, () => $$props.pickers), reset(div_1);
	var node_6 = sibling(div_1, 2), consequent_3 = ($$anchor) => {
		{
			let $0 = user_derived(() => $$props.stopping ? t.chat.stopping : t.chat.stop);
			Button($$anchor, {
				variant: "primary",
				get icon() {
					return CircleStop;
				},
				get label() {
					return get($0);
				},
				get busy() {
					return $$props.stopping;
				},
				get onclick() {
					return $$props.onstop;
				}
			});
		}
	}, alternate = ($$anchor) => {
		{
			let $0 = user_derived(() => get(canSend) || get(sending) ? void 0 : t.chat.nothingToSend);
			Button($$anchor, {
				variant: "primary",
				type: "submit",
				get icon() {
					return ArrowUp;
				},
				get label() {
					return t.chat.send;
				},
				get busy() {
					return get(sending);
				},
				get refused() {
					return get($0);
				}
			});
		}
	};
	return if_block(node_6, ($$render) => {
		$$props.responding ? $$render(consequent_3) : $$render(alternate, -1);
	}), reset(div), reset(form_1), bind_this(form_1, ($$value) => form = $$value, () => form), template_effect(() => {
		classes = set_class(form_1, 1, "composer svelte-117i28w", null, classes, { dragging: get(dragging) > 0 }), set_text(text_3, t.chat.message), set_attribute(textarea, "placeholder", t.chat.placeholder), textarea.dir = textarea.dir;
	}), event("submit", form_1, (event) => {
		event.preventDefault(), send();
	}), delegated("input", textarea, grow), delegated("keydown", textarea, press), event("paste", textarea, paste), bind_value(textarea, () => get(text), ($$value) => set(text, $$value)), delegated("change", input, () => {
		attachments.add(picker.files ?? [], $$props.conversation), picker.value = "";
	}), append($$anchor, form_1), pop($$exports);
}
delegate([
	"input",
	"keydown",
	"change"
]);
// src/parts/popover.ts
function place(popover, anchor, prefer = "below", align = "start") {
	let box = anchor.getBoundingClientRect(), size = popover.getBoundingClientRect(), rightToLeft = getComputedStyle(anchor).direction === "rtl", left = align === "start" == !rightToLeft ? box.left : box.right - size.width, below = box.bottom + 4, above = box.top - 4 - size.height, fitsBelow = below + size.height <= innerHeight - 8, top = prefer === "below" && fitsBelow || above < 8 ? below : above;
	popover.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - size.width - 8))}px`), popover.style.setProperty("top", `${Math.max(8, Math.min(top, innerHeight - size.height - 8))}px`);
}
// src/parts/Combobox.svelte
var root$4 = from_html("<button type=\"button\" class=\"opener icon svelte-fmlqs3\" aria-haspopup=\"dialog\"><!></button>"), root_1$1 = from_html("<button type=\"button\" class=\"opener svelte-fmlqs3\" aria-haspopup=\"dialog\"><span class=\"svelte-fmlqs3\"> </span> <!></button>"), root_2$1 = from_html("<li class=\"group svelte-fmlqs3\" role=\"presentation\"> </li>"), root_3$1 = from_html("<span class=\"reason svelte-fmlqs3\"> </span>"), root_4$1 = from_html("<span class=\"description svelte-fmlqs3\"> </span>"), root_5$1 = from_html("<span aria-hidden=\"true\"><!></span>"), root_6$1 = from_html("<!> <li role=\"option\" class=\"svelte-fmlqs3\"><div class=\"svelte-fmlqs3\"><span class=\"name svelte-fmlqs3\"> </span> <!></div> <!> <!> <!></li>", 1), root_7 = from_html("<button type=\"button\" class=\"footer svelte-fmlqs3\"><!><span class=\"svelte-fmlqs3\"> </span></button>"), root_8 = from_html("<div popover=\"auto\" class=\"panel svelte-fmlqs3\" role=\"dialog\"><input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <ul role=\"listbox\" class=\"svelte-fmlqs3\"></ul> <!></div>"), root_9 = from_html("<!> <!>", 1);
function Combobox($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let button = state$2(void 0), panel = state$2(void 0), input = state$2(void 0), open = state$2(!1), query = state$2(""), active = state$2(0), selected = user_derived(() => $$props.options.find((option) => option.value === $$props.value)), found = user_derived(() => {
		let words = get(query).toLowerCase().split(/\s+/).filter(Boolean);
		return $$props.options.filter((option) => words.every((word) => `${option.label} ${option.description ?? ""} ${option.value}`.toLowerCase().includes(word)));
	}), activeOption = user_derived(() => get(found)[Math.min(get(active), get(found).length - 1)]), canStar = user_derived(() => $$props.onstar !== void 0 && get(activeOption)?.starred !== void 0);
	async function show() {
		if ($$props.refused !== void 0) return why.explain($$props.refused);
		set(open, !0), set(query, ""), $$props.onopen?.(), await tick(), get(panel) && get(button) && (get(panel).showPopover(), place(get(panel), get(button), "above"), set(active, Math.max(0, get(found).findIndex((option) => option.value === $$props.value)), !0), get(input)?.focus(), reveal());
	}
	function hide(focus = !0) {
		get(panel)?.matches(":popover-open") && get(panel).hidePopover(), set(open, !1), focus && get(button)?.focus();
	}
	function choose(option) {
		option && (option.unavailable ? (hide(!1), $$props.onexplain?.(option)) : ($$props.onchoose(option.value), hide()));
	}
	function star(option) {
		$$props.onstar?.(option), tick().then(() => {
			set(active, Math.max(0, get(found).findIndex(({ value }) => value === option.value)), !0), reveal();
		});
	}
	let starLabel = ({ label, starred }) => starred ? t.common.unstar(label) : t.common.star(label);
	function leave(event) {
		event.key === "Escape" ? (event.preventDefault(), event.stopPropagation(), hide()) : event.key === "Tab" && !event.shiftKey && hide(!1);
	}
	function reveal() {
		tick().then(() => get(panel)?.querySelector("[aria-selected=\"true\"]")?.scrollIntoView({ block: "nearest" }));
	}
	function press(event) {
		let last = get(found).length - 1;
		if (event.key === "ArrowDown") set(active, get(active) >= last ? 0 : get(active) + 1, !0);
		else if (event.key === "ArrowUp") set(active, get(active) <= 0 ? last : get(active) - 1, !0);
		else if (event.key === "PageDown") set(active, Math.min(last, get(active) + 8), !0);
		else if (event.key === "PageUp") set(active, Math.max(0, get(active) - 8), !0);
		else if (event.key === "Enter") choose(get(activeOption));
		else if (event.key === "Escape") event.stopPropagation(), hide();
		else if (event.key === "Tab") return get(canStar) && !event.shiftKey ? void 0 : hide(!1);
		else return;
		event.preventDefault(), reveal();
	}
	var fragment = root_9(), node = first_child(fragment), consequent = ($$anchor) => {
		var button_1 = root$4();
		Icon(child(button_1), {
			get of() {
				return $$props.icon;
			},
			size: 16
		}), reset(button_1), bind_this(button_1, ($$value) => set(button, $$value), () => get(button)), template_effect(() => {
			set_attribute(button_1, "aria-disabled", $$props.refused === void 0 ? void 0 : "true"), set_attribute(button_1, "aria-expanded", get(open)), set_attribute(button_1, "aria-label", $$props.label), set_attribute(button_1, "title", $$props.label);
		}), delegated("click", button_1, () => get(open) ? hide() : void show()), append($$anchor, button_1);
	}, alternate = ($$anchor) => {
		var button_2 = root_1$1(), span = child(button_2), text = only_child(span, !0);
		Icon(sibling(span, 2), {
			get of() {
				return ChevronDown;
			},
			size: 14
		}), reset(button_2), bind_this(button_2, ($$value) => set(button, $$value), () => get(button)), template_effect(() => {
			set_attribute(button_2, "aria-disabled", $$props.refused === void 0 ? void 0 : "true"), set_attribute(button_2, "aria-expanded", get(open)), set_attribute(button_2, "aria-label", `${$$props.label ?? ""}: ${get(selected)?.label ?? $$props.placeholder ?? ""}`), set_text(text, get(selected)?.label ?? $$props.placeholder);
		}), delegated("click", button_2, () => get(open) ? hide() : void show()), append($$anchor, button_2);
	};
	if_block(node, ($$render) => {
		$$props.icon ? $$render(consequent) : $$render(alternate, -1);
	});
	var node_3 = sibling(node, 2), consequent_8 = ($$anchor) => {
		var div = root_8(), input_1 = child(div);
		remove_input_defaults(input_1), bind_this(input_1, ($$value) => set(input, $$value), () => get(input));
		var ul = sibling(input_1, 2);
		each(ul, 23, () => get(found), (option) => option.value, ($$anchor, option, at) => {
			var fragment_1 = root_6$1(), node_4 = first_child(fragment_1), consequent_1 = ($$anchor) => {
				var li = root_2$1(), text_1 = only_child(li, !0);
				template_effect(() => set_text(text_1, get(option).group)), append($$anchor, li);
			};
			if_block(node_4, ($$render) => {
				get(option).group && get(option).group !== get(found)[get(at) - 1]?.group && $$render(consequent_1);
			});
			var li_1 = sibling(node_4, 2), div_1 = child(li_1), span_1 = child(div_1), text_2 = only_child(span_1, !0), node_5 = sibling(span_1, 2), consequent_2 = ($$anchor) => {
				var span_2 = root_3$1(), text_3 = only_child(span_2, !0);
				template_effect(() => set_text(text_3, get(option).unavailable)), append($$anchor, span_2);
			}, consequent_3 = ($$anchor) => {
				var span_3 = root_4$1(), text_4 = only_child(span_3, !0);
				template_effect(() => set_text(text_4, get(option).description)), append($$anchor, span_3);
			};
			if_block(node_5, ($$render) => {
				get(option).unavailable ? $$render(consequent_2) : get(option).description && $$render(consequent_3, 1);
			}), reset(div_1);
			var node_6 = sibling(div_1, 2), consequent_4 = ($$anchor) => {
				var span_4 = root_4$1(), text_5 = only_child(span_4, !0);
				template_effect(() => set_text(text_5, get(option).note)), append($$anchor, span_4);
			};
			if_block(node_6, ($$render) => {
				get(option).note && $$render(consequent_4);
			});
			var node_7 = sibling(node_6, 2), consequent_5 = ($$anchor) => {
				Icon($$anchor, {
					get of() {
						return Check;
					},
					size: 16
				});
			};
			if_block(node_7, ($$render) => {
				get(option).value === $$props.value && $$render(consequent_5);
			});
			var node_8 = sibling(node_7, 2), consequent_6 = ($$anchor) => {
				var span_5 = root_5$1();
				let classes;
				Icon(child(span_5), {
					get of() {
						return Star;
					},
					size: 16
				}), reset(span_5), template_effect(($0) => {
					classes = set_class(span_5, 1, "star svelte-fmlqs3", null, classes, { starred: get(option).starred }), set_attribute(span_5, "title", $0);
				}, [() => starLabel(get(option))]), delegated("click", span_5, (event) => {
					event.stopPropagation(), star(get(option));
				}), append($$anchor, span_5);
			};
			if_block(node_8, ($$render) => {
				$$props.onstar && get(option).starred !== void 0 && $$render(consequent_6);
			}), reset(li_1), template_effect(() => {
				set_attribute(li_1, "id", `${id}-${get(at) ?? ""}`), set_attribute(li_1, "aria-selected", get(option) === get(activeOption)), set_attribute(li_1, "aria-disabled", get(option).unavailable ? "true" : void 0), set_text(text_2, get(option).label);
			}), delegated("click", li_1, () => choose(get(option))), delegated("pointermove", li_1, () => set(active, get(at), !0)), append($$anchor, fragment_1);
		}, ($$anchor) => {
			var li_2 = root_2$1(), text_6 = only_child(li_2, !0);
			template_effect(() => set_text(text_6, t.common.none)), append($$anchor, li_2);
		}), reset(ul);
		var node_10 = sibling(ul, 2), consequent_7 = ($$anchor) => {
			let option = user_derived(() => get(activeOption));
			var button_3 = root_7(), node_11 = child(button_3);
			Icon(node_11, {
				get of() {
					return Star;
				},
				size: 16
			});
			var span_6 = sibling(node_11), text_7 = only_child(span_6, !0);
			reset(button_3), template_effect(($0) => set_text(text_7, $0), [() => starLabel(get(option))]), delegated("click", button_3, () => star(get(option))), delegated("keydown", button_3, leave), append($$anchor, button_3);
		};
		if_block(node_10, ($$render) => {
			get(canStar) && get(activeOption) && $$render(consequent_7);
		}), reset(div), bind_this(div, ($$value) => set(panel, $$value), () => get(panel)), template_effect(($0) => {
			set_attribute(div, "aria-label", $$props.label), set_attribute(input_1, "aria-label", $$props.label), set_attribute(input_1, "aria-controls", `${id}-list`), set_attribute(input_1, "aria-activedescendant", $0), set_attribute(input_1, "placeholder", t.common.search), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", $$props.label);
		}, [() => get(activeOption) ? `${id}-${get(found).indexOf(get(activeOption))}` : void 0]), event("toggle", div, (event) => {
			event.newState === "closed" && set(open, !1);
		}), delegated("input", input_1, () => set(active, 0)), delegated("keydown", input_1, press), bind_value(input_1, () => get(query), ($$value) => set(query, $$value)), append($$anchor, div);
	};
	if_block(node_3, ($$render) => {
		get(open) && $$render(consequent_8);
	}), append($$anchor, fragment), pop();
}
delegate([
	"click",
	"input",
	"keydown",
	"pointermove"
]);
// src/chat/UnavailableDialog.svelte
var root$3 = from_html("<p class=\"svelte-zjzuro\"> </p>");
function UnavailableDialog($$anchor, $$props) {
	push($$props, !0);
	{
		let actions = ($$anchor) => {
			Button($$anchor, {
				variant: "primary",
				get onclick() {
					return $$props.onclose;
				},
				children: ($$anchor, $$slotProps) => {
					next();
					var text_1 = text();
					template_effect(() => set_text(text_1, t.common.close)), append($$anchor, text_1);
				},
				$$slots: { default: !0 }
			});
		}, $0 = user_derived(() => t.chat.whyUnavailable($$props.option.label));
		Dialog($$anchor, {
			get title() {
				return get($0);
			},
			get onclose() {
				return $$props.onclose;
			},
			actions,
			children: ($$anchor, $$slotProps) => {
				var fragment_3 = comment(), node = first_child(fragment_3);
				each(node, 16, () => [$$props.option.unavailable ?? "", ...$$props.text], (sentence) => sentence, ($$anchor, sentence) => {
					var p = root$3(), text_2 = only_child(p, !0);
					template_effect(() => set_text(text_2, sentence)), append($$anchor, p);
				}), append($$anchor, fragment_3);
			},
			$$slots: {
				actions: !0,
				default: !0
			}
		});
	}
	pop();
}
// src/chat/Pickers.svelte
var root$2 = from_html("<!> <!> <!>", 1);
function Pickers($$anchor, $$props) {
	push($$props, !0);
	let chosen = user_derived(() => choices.assistant($$props.assistant)), implied = user_derived(() => choices.model(get(chosen)?.model)?.id ?? choices.fallback?.id), explained = state$2(void 0);
	function explainModel(option) {
		let isUnexplained = option.unavailable === t.chat.modelGone, instead = choices.model(get(implied))?.name, reasons = [...isUnexplained ? [t.chat.modelGoneText] : [], ...option.value === $$props.model && instead ? [t.chat.modelInstead(instead)] : []];
		set(explained, {
			option,
			text: [...reasons, t.chat.askAdministrator]
		});
	}
	function explainAssistant(option) {
		choices.assistant(option.value) ? set(explained, {
			option,
			text: [t.chat.askEnable]
		}) : why.ask("assistants.get_public_assistant", option.value);
	}
	var fragment = root$2(), node = first_child(fragment);
	{
		let $0 = user_derived(() => choices.modelOptions([$$props.model, get(chosen)?.model])), $1 = user_derived(() => $$props.model ?? get(implied));
		Combobox(node, {
			get label() {
				return t.chat.model;
			},
			get options() {
				return get($0);
			},
			get value() {
				return get($1);
			},
			get placeholder() {
				return t.chat.chooseModel;
			},
			onopen: () => void choices.loadProviders(),
			onchoose: (value) => $$props.onmodel(value === get(implied) && value !== $$props.model ? null : value),
			onexplain: explainModel,
			onstar: (option) => void choices.starModel(option.value)
		});
	}
	var node_1 = sibling(node, 2), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => choices.assistantOptions($$props.assistant)), $1 = user_derived(() => $$props.assistant ?? "");
			Combobox($$anchor, {
				get label() {
					return t.chat.assistant;
				},
				get options() {
					return get($0);
				},
				get value() {
					return get($1);
				},
				get placeholder() {
					return t.chat.noAssistant;
				},
				onopen: () => void choices.loadFavourites(),
				onchoose: (value) => $$props.onassistant(value || null),
				onexplain: explainAssistant,
				onstar: (option) => void choices.starAssistant(option.value)
			});
		}
	}, d = user_derived(() => session.has("assistants") && (choices.assistants.length > 0 || $$props.assistant));
	if_block(node_1, ($$render) => {
		get(d) && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2), consequent_1 = ($$anchor) => {
		UnavailableDialog($$anchor, spread_props(() => get(explained), { onclose: () => set(explained, void 0) }));
	};
	if_block(node_2, ($$render) => {
		get(explained) && $$render(consequent_1);
	}), append($$anchor, fragment), pop();
}
// src/api/installation.svelte.ts
var UNKNOWN = {
	version: "",
	name: "",
	logo_url: null,
	is_first_start: !1,
	sign_up: !1,
	mail: !0,
	sign_in_methods: ["password"]
}, current = state$2(void 0), reading, installation = {
	get current() {
		return get(current);
	},
	load() {
		reading ??= call("bootstrap.get_bootstrap").then((read) => void set(current, read), () => {
			set(current, get(current) ?? UNKNOWN), reading = void 0;
		});
	}
};
// src/parts/clipboard.ts
async function copyText(text) {
	try {
		if (navigator.clipboard) return await navigator.clipboard.writeText(text), !0;
	} catch {}
	return copySelected(text);
}
function copySelected(text) {
	let former = document.activeElement, field = document.createElement("textarea");
	field.value = text, field.readOnly = !0, field.className = "visually-hidden", (former?.closest("dialog") ?? document.body).append(field), field.select();
	let copied = document.execCommand("copy");
	return field.remove(), former instanceof HTMLElement && former.focus(), copied;
}
// src/parts/Logo.svelte
var root$1 = from_svg("<svg viewBox=\"0 0 32 32\" aria-hidden=\"true\" class=\"svelte-1ew1yb3\"><rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#12585f\"></rect><path d=\"M9 8v9a7 7 0 0 0 14 0V8\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\" stroke-linecap=\"round\"></path><path d=\"M12 26h8\" stroke=\"#8fd6d9\" stroke-width=\"2.5\" stroke-linecap=\"round\"></path></svg>");
function Logo($$anchor, $$props) {
	let size = prop($$props, "size", 3, 28);
	var svg = root$1();
	template_effect(() => {
		set_attribute(svg, "width", size()), set_attribute(svg, "height", size());
	}), append($$anchor, svg);
}
// src/api/idempotency.ts
function newIdempotencyKey() {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
// src/live/answer.ts
var NO_ANSWER = {
	run_id: null,
	seq: 0,
	epoch: 0,
	state: "queued",
	model: null,
	replaced_model: null,
	message_id: null,
	parent_id: null,
	parts: [],
	title: null,
	usage: {
		input_tokens: 0,
		output_tokens: 0,
		cached_tokens: 0,
		reasoning_tokens: 0
	},
	cost_nanos: 0,
	estimated: !1,
	waiting: null,
	paused: null,
	cancelled_by: null,
	recoveries: [],
	steps: [],
	memory_ids: [],
	closed_knowledge: 0,
	tool_servers: [],
	terminal: null
};
function textOf(answer) {
	return answer.parts.filter((part) => part.kind === "text").map((part) => part.text).join("");
}
function sourcesByNumber(parts) {
	let numbered = new Map();
	for (let part of parts) part.kind === "source" && part.number !== null && numbered.set(part.number, part);
	return numbered;
}
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
}, Draft = class {
	next;
	parts = null;
	steps = null;
	constructor(former) {
		this.next = { ...former };
	}
	finish() {
		return this.parts && (this.next.parts = this.parts), this.steps && (this.next.steps = this.steps), this.next;
	}
	continues(event) {
		switch (event.type) {
			case "text.delta": return this.find("text", event.data.part) !== void 0;
			case "reasoning.delta": return this.find("reasoning", event.data.part) !== void 0;
			case "tool.call.delta": return this.find("tool", event.data.call_id) !== void 0;
			default: return !1;
		}
	}
	apply(event) {
		let { next } = this;
		if (next.run_id ??= event.run_id, next.seq = event.seq, next.epoch = Math.max(next.epoch, event.epoch), isAboutStep(event)) return this.applyToStep(event);
		switch (event.type) {
			case "text.start":
			case "text.delta":
			case "text.end": return this.applyToText(event);
			case "reasoning.start":
			case "reasoning.delta":
			case "reasoning.end": return this.applyToReasoning(event);
			case "tool.call.start":
			case "tool.call.delta":
			case "tool.call.ready":
			case "tool.started":
			case "tool.progress":
			case "tool.result": return this.applyToTool(event);
			case "form.required":
			case "form.submitted":
			case "form.expired": return this.applyToForm(event);
			case "source": return this.addSource(event, event.data);
			case "file": {
				let { blob_id, media_type } = event.data;
				return this.add({
					kind: "file",
					id: `file-${event.seq}`,
					step: stepOf(event),
					blob_id,
					media_type,
					filename: null
				});
			}
			default: return this.applyToRun(event);
		}
	}
	applyToRun(event) {
		let { next } = this;
		switch (event.type) {
			case "run.started": return next.model = event.data.model, next.message_id = event.data.message_id ?? null, next.parent_id = event.data.parent_id ?? null, this.enter("running");
			case "run.waiting": return next.waiting = event.data, this.enter("waiting");
			case "run.paused": return next.paused = event.data, this.enter("paused");
			case "run.resumed": return this.enter("running");
			case "run.recovered": return next.recoveries = [...next.recoveries, {
				seq: event.seq,
				epoch: event.data.epoch,
				continued: !0
			}], this.enter("running");
			case "run.reset": return next.recoveries = [...next.recoveries, {
				seq: event.seq,
				epoch: event.epoch,
				continued: !1
			}], this.parts = [], next.memory_ids = [], this.enter("running");
			case "run.cancelling": return next.cancelled_by = event.data.by, this.enter("cancelling");
			case "run.ended": return this.end(event.data);
			case "title":
				next.title = event.data.title;
				return;
			case "model.answering":
				next.replaced_model ??= next.model, next.model = event.data.model;
				return;
			case "usage": return this.addUsage(event.data);
			case "knowledge.closed":
				next.closed_knowledge = event.data.count;
				return;
			case "memories": {
				let given = event.data.memory_ids;
				next.memory_ids = [...next.memory_ids.filter((id) => !given.includes(id)), ...given];
				return;
			}
			case "tool.server": {
				let issue = event.data;
				next.tool_servers = [...next.tool_servers.filter((other) => other.server !== issue.server || other.code !== issue.code), issue];
				return;
			}
		}
	}
	enter(state) {
		let { next } = this;
		state !== "waiting" && (next.waiting = null), state !== "paused" && (next.paused = null), next.state = next.state === "cancelling" ? "cancelling" : state;
	}
	end({ terminal }) {
		let { next } = this;
		next.waiting = next.paused = null, next.terminal = terminal, next.state = terminal.status, next.usage = terminal.usage, next.cost_nanos = terminal.cost_nanos, next.cancelled_by = terminal.cancelled_by ?? null;
		for (let part of this.parts ?? next.parts) (part.kind === "text" || part.kind === "reasoning") && part.open && this.replace(part, {
			...part,
			open: !1
		});
	}
	addUsage(data) {
		let { next } = this, sum = (name) => (next.usage[name] ?? 0) + (data[name] ?? 0);
		next.usage = {
			input_tokens: sum("input_tokens"),
			output_tokens: sum("output_tokens"),
			cached_tokens: sum("cached_tokens"),
			reasoning_tokens: sum("reasoning_tokens")
		}, next.cost_nanos += data.cost_nanos, next.estimated ||= data.estimated === !0;
	}
	applyToText(event) {
		let id = event.data.part;
		if (event.type === "text.start") return this.add({
			kind: "text",
			id,
			step: stepOf(event),
			text: "",
			open: !0
		});
		let part = this.find("text", id);
		if (event.type === "text.end") return part && this.replace(part, {
			...part,
			open: !1
		});
		let known = part ?? this.added({
			kind: "text",
			id,
			step: stepOf(event),
			text: "",
			open: !0
		});
		this.replace(known, {
			...known,
			text: known.text + event.data.text
		});
	}
	applyToReasoning(event) {
		let id = event.data.part;
		if (event.type === "reasoning.start") return this.add(reasoning(id, event));
		let part = this.find("reasoning", id);
		if (event.type === "reasoning.end") return part && this.replace(part, {
			...part,
			open: !1,
			ended_at: event.ts
		});
		let known = part ?? this.added(reasoning(id, event));
		this.replace(known, {
			...known,
			text: known.text + (event.data.text ?? "")
		});
	}
	applyToTool(event) {
		let id = event.data.call_id, part = this.find("tool", id) ?? this.added(toolPart$1(event)), changed = { ...part };
		switch (event.type) {
			case "tool.call.start": return;
			case "tool.call.delta":
				changed.input += event.data.arguments;
				break;
			case "tool.call.ready":
				changed.name = event.data.name, changed.arguments = event.data.arguments, changed.state = "ready";
				break;
			case "tool.started":
				changed.server = {
					name: event.data.server,
					tool: event.data.tool
				}, changed.state = "running";
				break;
			case "tool.progress": {
				let { progress, total, message } = event.data;
				changed.progress = {
					done: progress,
					total: total ?? null,
					message: message ?? null
				}, changed.state = "running";
				break;
			}
			case "tool.result": changed.output = event.data.output ?? null, changed.error = event.data.error ?? null, changed.state = changed.error === null ? "succeeded" : "failed";
		}
		this.replace(part, changed);
	}
	applyToForm(event) {
		let { form_id: id = "" } = event.data;
		if (event.type === "form.required") return this.add({
			kind: "form",
			id,
			step: stepOf(event),
			form: event.data,
			state: "open",
			submission: null,
			submitted_at: null
		});
		let form = this.find("form", id);
		if (!form) return;
		let closed = event.type === "form.submitted" ? {
			...form,
			state: "submitted",
			submission: event.data,
			submitted_at: event.ts
		} : {
			...form,
			state: "expired"
		};
		this.replace(form, closed);
	}
	addSource(event, source) {
		let number = source.place?.number || null;
		this.add({
			kind: "source",
			id: `source-${event.seq}`,
			step: stepOf(event),
			source,
			number
		});
	}
	applyToStep(event) {
		let id = event.exec_id ?? "", steps = this.steps ??= [...this.next.steps], at = steps.findLastIndex((step) => step.id === id), step = changedStep(steps[at] ?? {
			id,
			node: event.node_id ?? id,
			state: "ready",
			attempt: 0,
			started_at: null,
			ended_at: null
		}, event);
		at >= 0 ? steps[at] = step : steps.push(step), steps.length > 500 && steps.shift();
	}
	find(kind, id) {
		return (this.parts ?? this.next.parts).findLast((part) => part.kind === kind && part.id === id);
	}
	add(part) {
		(this.parts ??= [...this.next.parts]).push(part);
	}
	added(part) {
		return this.add(part), part;
	}
	replace(former, changed) {
		let parts = this.parts ??= [...this.next.parts];
		parts[parts.lastIndexOf(former)] = changed;
	}
};
function isAboutStep(event) {
	return /^node\.(ready|started|retry|waiting|finished|skipped)$/.test(event.type);
}
function stepOf(event) {
	return event.exec_id ?? null;
}
function reasoning(id, event) {
	return {
		kind: "reasoning",
		id,
		step: stepOf(event),
		text: "",
		open: !0,
		started_at: event.ts,
		ended_at: null
	};
}
function toolPart$1(event) {
	let { data } = event;
	return {
		kind: "tool",
		id: data.call_id,
		step: stepOf(event),
		name: "name" in data ? data.name : "",
		state: "writing",
		client: "client" in data && data.client === !0,
		input: "",
		arguments: void 0,
		server: null,
		progress: null,
		output: void 0,
		error: null
	};
}
function changedStep(step, event) {
	switch (event.type) {
		case "node.ready": return {
			...step,
			state: "ready"
		};
		case "node.started": return {
			...step,
			state: "running",
			attempt: event.data.attempt ?? 1,
			started_at: step.started_at ?? event.ts
		};
		case "node.retry": return {
			...step,
			state: "waiting"
		};
		case "node.waiting": return {
			...step,
			state: "waiting"
		};
		case "node.finished": return {
			...step,
			state: event.data.status ?? "succeeded",
			ended_at: event.ts
		};
		case "node.skipped": return {
			...step,
			state: "skipped",
			ended_at: event.ts
		};
	}
}
// src/live/fold.ts
function fold(answer, events, options = {}) {
	let draft = null, { seq, run_id } = answer;
	for (let event of events) {
		if (run_id ??= event.run_id, event.seq <= seq || event.run_id !== run_id) continue;
		let current = draft ?? new Draft(answer), isMerged = options.folded === !0 && current.continues(event);
		if (event.seq !== seq + 1 && !isMerged) return {
			answer: draft?.finish() ?? answer,
			gap: !0
		};
		draft = current, draft.apply(event), seq = event.seq;
	}
	return {
		answer: draft?.finish() ?? answer,
		gap: !1
	};
}
// src/live/follow.ts
var GAP_ATTEMPTS = 3, AnswerFollower = class {
	transport;
	target;
	options;
	answer;
	pending = [];
	cancelFrame = null;
	gaps = 0;
	closed = !1;
	clock;
	subscription = null;
	constructor(transport, target, options) {
		this.transport = transport, this.target = target, this.options = options, this.answer = options.answer ?? NO_ANSWER, this.clock = options.clock ?? browserClock, this.subscribe();
	}
	close() {
		this.closed || (this.closed = !0, this.cancelFrame?.(), this.subscription?.close());
	}
	subscribe() {
		let { options } = this;
		this.subscription = this.transport.subscribe(this.target, {
			deliver: (events) => this.buffer(events),
			ended: () => this.finish(),
			refused: (problem) => this.refuse(problem),
			connection: (connection) => options.onConnection?.(connection)
		}, {
			after: this.answer.seq,
			fold: !0
		});
	}
	buffer(events) {
		for (let event of events) this.pending.push(event);
		this.cancelFrame ??= this.clock.frame(() => this.flush());
	}
	flush() {
		this.cancelFrame?.(), this.cancelFrame = null;
		let { pending, answer: former } = this;
		this.pending = [];
		let { answer, gap } = fold(former, pending, { folded: !0 });
		return this.answer = answer, answer !== former && (this.gaps = 0, this.options.onAnswer(answer)), !gap || this.closed ? !1 : (this.subscription?.close(), ++this.gaps > GAP_ATTEMPTS ? this.refuse(missingEvent(answer.seq + 1)) : this.subscribe(), !0);
	}
	finish() {
		this.closed || this.flush() || this.close();
	}
	refuse(problem) {
		this.closed || (this.closed = !0, this.flush(), this.subscription?.close(), this.options.onRefused(problem));
	}
};
function missingEvent(seq) {
	return asProblem({
		code: "stream_gap",
		detail: `Event ${seq} of the stream is missing.`
	}, {
		status: 500,
		title: "A part of the answer could not be read"
	});
}
// src/live/transport.ts
var LiveProblem = class extends Error {
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
// src/parts/Lazy.svelte
function Lazy($$anchor, $$props) {
	push($$props, !0);
	let loaded = $$props.load();
	loaded.catch(() => {
		let reload = {
			label: t.state.reload,
			run: () => location.reload()
		};
		connection.reachable ? toasts.show(t.state.outdated, {
			tone: "problem",
			action: reload
		}) : toasts.show(t.state.offline, { tone: "problem" });
	});
	var fragment = comment(), node = first_child(fragment);
	await_block(node, () => loaded, null, ($$anchor, $$source) => {
		var $$value = user_derived(() => {
			var { default: Content } = get($$source);
			return { Content };
		}), Content = user_derived(() => get($$value).Content), fragment_1 = comment(), node_1 = first_child(fragment_1);
		component(node_1, () => get(Content), ($$anchor, Content_1) => {
			Content_1($$anchor, spread_props(() => $$props.props));
		}), append($$anchor, fragment_1);
	}, ($$anchor) => {}), append($$anchor, fragment), pop();
}
// src/api/message-search.ts
var RETRY_AFTER = 5;
function pause(seconds, signal) {
	return new Promise((done, stopped) => {
		let timer = setTimeout(done, seconds * 1e3);
		signal.addEventListener("abort", () => {
			clearTimeout(timer), stopped(signal.reason);
		});
	});
}
async function searchMessages(query, signal, onindexing) {
	for (;;) try {
		return await call("conversations.search_messages", {
			query,
			signal
		});
	} catch (error) {
		if (!(error instanceof ApiProblem) || error.code !== "indexing") throw error;
		let { progress } = error.body;
		onindexing(typeof progress == "number" ? progress : void 0), await pause(error.retryAfter ?? RETRY_AFTER, signal);
	}
}
// src/live/stored.ts
function partsOf(message) {
	let calls = new Map((message.tool_calls ?? []).map((call) => [call.call_id ?? "", call]));
	return (message.parts ?? []).map((part, at) => answerPart(part, at, calls));
}
function withForms(stored, answer) {
	if (!answer.some((part) => part.kind === "form")) return stored;
	let merged = [], taken = 0, counts = {};
	for (let part of answer) {
		if (part.kind === "form") {
			merged.push(part);
			continue;
		}
		let number = counts[part.kind] = (counts[part.kind] ?? 0) + 1, at = stored.findIndex((other, at) => other.kind === part.kind && stored.slice(0, at + 1).filter(({ kind }) => kind === part.kind).length === number);
		at >= taken && (merged.push(...stored.slice(taken, at + 1)), taken = at + 1);
	}
	return [...merged, ...stored.slice(taken)];
}
function answerPart(part, at, calls) {
	let id = `${part.type}-${at}`;
	switch (part.type) {
		case "text": return {
			kind: "text",
			id,
			step: null,
			text: part.text,
			open: !1
		};
		case "reasoning": return {
			kind: "reasoning",
			id,
			step: null,
			text: part.text,
			open: !1,
			started_at: null,
			ended_at: null
		};
		case "tool_call": return toolPart(part.call_id, calls.get(part.call_id));
		case "source": {
			let { type: _, ...source } = part;
			return {
				kind: "source",
				id,
				step: null,
				source,
				number: part.place?.number || null
			};
		}
		case "file": return {
			kind: "file",
			id,
			step: null,
			blob_id: part.blob_id,
			media_type: part.media_type,
			filename: part.filename ?? null
		};
	}
}
function toolPart(id, call) {
	let error = call?.error ?? null;
	return {
		kind: "tool",
		id,
		step: null,
		name: call?.name ?? "",
		state: error === null ? "succeeded" : "failed",
		client: !1,
		input: "",
		arguments: call?.arguments,
		server: null,
		progress: null,
		output: call?.output ?? null,
		error
	};
}
// src/parts/Menu.svelte
var root = from_html("<!> <span class=\"visually-hidden svelte-17dkck7\"> </span>", 1), root_1 = from_html("<!> <span class=\"svelte-17dkck7\"> </span> <!>", 1), root_2 = from_html("<a role=\"menuitem\" tabindex=\"-1\" class=\"svelte-17dkck7\"><!></a>"), root_3 = from_html("<button type=\"button\" role=\"menuitem\" tabindex=\"-1\"><!></button>"), root_4 = from_html("<button type=\"button\" role=\"menuitemradio\" tabindex=\"-1\" class=\"svelte-17dkck7\"><!></button>"), root_5 = from_html("<div popover=\"auto\" role=\"menu\" tabindex=\"-1\" class=\"svelte-17dkck7\"></div>"), root_6 = from_html("<!> <!>", 1);
function Menu($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let content = ($$anchor) => {
		var fragment = root(), node = first_child(fragment);
		snippet(node, () => $$props.children ?? noop);
		var span = sibling(node, 2), text = only_child(span, !0);
		template_effect(() => set_text(text, $$props.label)), append($$anchor, fragment);
	}, size = prop($$props, "size", 3, "small"), align = prop($$props, "align", 3, "end"), button = state$2(void 0), list = state$2(void 0), open = state$2(!1), entries = () => [...get(list)?.querySelectorAll("[role^=\"menuitem\"]") ?? []];
	async function show(last = !1) {
		set(open, !0), await tick(), get(list) && get(button) && (get(list).showPopover(), place(get(list), get(button), "below", align()), entries().at(last ? -1 : 0)?.focus());
	}
	function hide(focus = !0) {
		get(list)?.matches(":popover-open") && get(list).hidePopover(), set(open, !1), focus && get(button)?.focus();
	}
	function move(event) {
		let all = entries(), at = all.indexOf(document.activeElement), letter = event.key.length === 1 ? event.key.toLowerCase() : "", next;
		if (event.key === "ArrowDown") next = all[(at + 1) % all.length];
		else if (event.key === "ArrowUp") next = all.at(at - 1);
		else if (event.key === "Home") next = all[0];
		else if (event.key === "End") next = all.at(-1);
		else if (event.key === "Escape") return event.preventDefault(), event.stopPropagation(), hide();
		else if (event.key === "Tab") return hide(!1);
		else if (letter.trim()) next = [...all.slice(at + 1), ...all.slice(0, at + 1)].find((entry) => entry.textContent?.trim().toLowerCase().startsWith(letter));
		else return;
		next && (event.preventDefault(), next.focus());
	}
	var fragment_1 = root_6(), node_1 = first_child(fragment_1);
	Button(node_1, spread_props({
		variant: "quiet",
		get size() {
			return size();
		}
	}, () => $$props.icon && !$$props.children ? {
		icon: $$props.icon,
		label: $$props.label
	} : {}, () => $$props.children ? { children: content } : {}, {
		"aria-haspopup": "menu",
		get "aria-expanded"() {
			return get(open);
		},
		onclick: () => get(open) ? hide() : void show(),
		onkeydown: (event) => {
			(event.key === "ArrowDown" || event.key === "ArrowUp") && (event.preventDefault(), show(event.key === "ArrowUp"));
		},
		get element() {
			return get(button);
		},
		set element($$value) {
			set(button, $$value, !0);
		}
	}));
	var node_2 = sibling(node_1, 2), consequent_4 = ($$anchor) => {
		var div = root_5();
		each(div, 21, () => $$props.items, (item) => item.label, ($$anchor, item) => {
			let entry = ($$anchor) => {
				var fragment_2 = root_1(), node_3 = first_child(fragment_2), consequent = ($$anchor) => {
					Icon($$anchor, {
						get of() {
							return get(item).icon;
						},
						size: 16
					});
				};
				if_block(node_3, ($$render) => {
					get(item).icon && $$render(consequent);
				});
				var span_1 = sibling(node_3, 2), text_1 = only_child(span_1, !0), node_4 = sibling(span_1, 2), consequent_1 = ($$anchor) => {
					Icon($$anchor, {
						get of() {
							return Check;
						},
						size: 16
					});
				};
				if_block(node_4, ($$render) => {
					get(item).checked && $$render(consequent_1);
				}), template_effect(() => set_text(text_1, get(item).label)), append($$anchor, fragment_2);
			};
			var fragment_5 = comment(), node_5 = first_child(fragment_5), consequent_2 = ($$anchor) => {
				var a = root_2(), node_6 = child(a);
				entry(node_6), reset(a), template_effect(() => set_attribute(a, "href", get(item).href)), delegated("click", a, () => hide(!1)), append($$anchor, a);
			}, consequent_3 = ($$anchor) => {
				var button_1 = root_3();
				let classes;
				var node_7 = child(button_1);
				entry(node_7), reset(button_1), template_effect(() => classes = set_class(button_1, 1, "svelte-17dkck7", null, classes, { danger: get(item).danger })), delegated("click", button_1, () => {
					hide(), get(item).action?.();
				}), append($$anchor, button_1);
			}, alternate = ($$anchor) => {
				var button_2 = root_4(), node_8 = child(button_2);
				entry(node_8), reset(button_2), template_effect(() => set_attribute(button_2, "aria-checked", get(item).checked)), delegated("click", button_2, () => {
					hide(), get(item).action?.();
				}), append($$anchor, button_2);
			};
			if_block(node_5, ($$render) => {
				get(item).href ? $$render(consequent_2) : get(item).checked === void 0 ? $$render(consequent_3, 1) : $$render(alternate, -1);
			}), append($$anchor, fragment_5);
		}), reset(div), bind_this(div, ($$value) => set(list, $$value), () => get(list)), template_effect(() => {
			set_attribute(div, "id", id), set_attribute(div, "aria-label", $$props.label);
		}), delegated("keydown", div, move), event("toggle", div, (event) => {
			event.newState === "closed" && set(open, !1);
		}), append($$anchor, div);
	};
	if_block(node_2, ($$render) => {
		get(open) && $$render(consequent_4);
	}), append($$anchor, fragment_1), pop();
}
delegate(["keydown", "click"]);
export { AnswerFollower, ApiProblem, Archive, ArchiveArrowUp, ArrowDown, ArrowLeft, AttachmentDraft, Bell, BookOpen, Brain, Button, ChartNoAxesColumn, Check, CheckCheck, ChevronDown, ChevronLeft, ChevronRight, ChevronUp, ChevronsUpDown, CircleAlert, CirclePause, CircleStop, CloudOff, Combobox, Composer, Copy, Dialog, Download, Ellipsis, ExternalLink, Field, File, FileText, Folder, FolderInput, FolderMinus, FolderPlus, Hourglass, Icon, Info, KeyRound, Keyboard, LANGUAGES, LayoutList, Lazy, Lightbulb, ListTree, LoadFailed, LogOut, Logo, MOD, MailCheck, Menu, MessageSquare, Moon, NO_ANSWER, PanelLeft, PanelLeftClose, Paperclip, Pencil, Pickers, Pin, PinOff, ProblemNote, ProblemPanel, RefreshCw, RotateCcwClock, Search, SearchX, Settings, Shuffle, SquarePen, StatePanel, Submission, Sun, Table, ThumbsDown, ThumbsUp, Toasts, Trash, TriangleAlert, Upload, UserPlus, Users, WhyDialog, Wrench, X, __vitePreload, addressOf, bytes, call, choices, connection, conversations, copyText, cost, date, dateTime, duration, enter, everyPage, grouped, hasMod, href, installation, isSendKey, isTyping, keys, live, locale, look, match, memoriesWith, navigate, newIdempotencyKey, number, partsOf, projects, reloadUser, request, restoreLook, restoreMemory, router, screenCommands, searchMessages, session, signOut, sourcesByNumber, startRouter, startSession, t, textOf, toasts, update, useLanguage, wasSignedIn, why, withForms };
