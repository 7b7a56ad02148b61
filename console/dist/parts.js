import { append, attribute_effect, await_block, bind_this, bind_value, child, clsx, comment, delegate, delegated, each, element, event, first_child, from_html, from_svg, get, if_block, index, next, noop, onMount, only_child, pop, prop, props_id, proxy, push, remove_input_defaults, remove_textarea_child, reset, rest_props, set, set_attribute, set_class, set_text, sibling, snippet, spread_props, state as state$1, template_effect, text, tick, to_array, user_derived } from "./vendor.js";
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
], ArrowDown = [["path", { d: "M12 5v14" }], ["path", { d: "m19 12-7 7-7-7" }]], ArrowLeft = [["path", { d: "m12 19-7-7 7-7" }], ["path", { d: "M19 12H5" }]], ArrowUp = [["path", { d: "m5 12 7-7 7 7" }], ["path", { d: "M12 19V5" }]], BookOpen = [["path", { d: "M12 5v16" }], ["path", { d: "M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z" }]], Brain = [
	["path", { d: "M12 18V5" }],
	["path", { d: "M15 13a4.17 4.17 0 01-3-4 4.17 4.17 0 01-3 4" }],
	["path", { d: "M17.707 6.294A3 3 0 1012 5a3 3 0 10-5.707 1.294" }],
	["path", { d: "M17.996 5.125a4 4 0 012.526 5.77" }],
	["path", { d: "M18 18a4 4 0 002-7.465" }],
	["path", { d: "M19.967 17.482a4 4 0 11-7.967.517 4 4 0 11-7.967-.517" }],
	["path", { d: "M6 18a4 4 0 01-2-7.465" }],
	["path", { d: "M6.004 5.125a4 4 0 00-2.526 5.77" }]
], Check = [["path", { d: "M20 6 9 17l-5-5" }]], ChevronDown = [["path", { d: "m6 9 6 6 6-6" }]], ChevronLeft = [["path", { d: "m15 18-6-6 6-6" }]], ChevronRight = [["path", { d: "m9 18 6-6-6-6" }]], ChevronUp = [["path", { d: "m18 15-6-6-6 6" }]], ChevronsUpDown = [["path", { d: "m7 15 5 5 5-5" }], ["path", { d: "m7 9 5-5 5 5" }]], CircleAlert = [
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
], Lightbulb = [
	["path", { d: "M15 14c.2-1 .7-1.7 1.5-2.5 1-.9 1.5-2.2 1.5-3.5A6 6 0 0 0 6 8c0 1 .2 2.2 1.5 3.5.7.7 1.3 1.5 1.5 2.5" }],
	["path", { d: "M9 18h6" }],
	["path", { d: "M10 22h4" }]
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
], SearchX = [
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
}]], SquarePen = [["path", { d: "M12 3H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2v-7" }], ["path", { d: "M18.375 2.625a1 1 0 0 1 3 3l-9.013 9.014a2 2 0 0 1-.853.505l-2.873.84a.5.5 0 0 1-.62-.62l.84-2.873a2 2 0 0 1 .506-.852z" }]], Sun = [
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
], Wrench = [["path", { d: "M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z" }]], X = [["path", { d: "M18 6 6 18" }], ["path", { d: "m6 6 12 12" }]], KEY = "understudy.theme";
function stored() {
	let value = localStorage.getItem(KEY);
	return value === "light" || value === "dark" ? value : "system";
}
var theme = state$1("system"), look = {
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
// src/words/en.ts
var counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`, en = {
	common: {
		product: "Understudy",
		add: "Add",
		back: "Back",
		cancel: "Cancel",
		close: "Close",
		copied: "Copied",
		copy: "Copy",
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
		required: "required"
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
	keys: {
		palette: "Commands",
		placeholder: "Type a command, or the title of a conversation",
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
		fileTooLarge: "Larger than 32 MB",
		fileEmpty: "The file is empty",
		tooManyFiles: (most) => `A message can have at most ${most} files.`,
		uploadFailed: "The upload failed",
		uploading: (name) => `Upload of ${name}`,
		removeFile: (name) => `Remove ${name}`,
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
		ownKey: "Requires an API key of your tenant for this provider.",
		modelGone: "This model is no longer available. Another one answers.",
		perMillion: (price) => `${price}/M`,
		morning: (name) => `Good morning, ${name}`,
		afternoon: (name) => `Good afternoon, ${name}`,
		evening: (name) => `Good evening, ${name}`,
		empty: "No messages yet",
		emptyText: "Write the first one below.",
		notAllowed: "You may not use models.",
		readOnly: "You may read this conversation, but not write in it.",
		toEnd: "Go to the end",
		actions: "Actions for this message",
		regenerate: "Write the response again",
		good: "Good response",
		bad: "Bad response",
		thanks: "Thank you for your feedback",
		whatWasGood: "What was good? (optional)",
		whatWasBad: "What was wrong? (optional)",
		previousVersion: "Previous version",
		nextVersion: "Next version",
		versionOf: (at, count) => `${at}/${count}: Version ${at} of ${count}. Compare the versions`,
		compare: "Compare versions",
		shown: "Shown",
		showThis: "Show this version",
		editMessage: "Edit the message",
		editHint: "The former version stays.",
		usage: "Cost and tokens",
		written: "Written",
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
		seeMemories: "Show the memories",
		thinking: "Waiting for the model…",
		queued: "Waiting for a free place to start…",
		paused: "The run is paused.",
		waitingFor: (on) => `Waiting for: ${on}`,
		waitingUntil: (on, until) => `Waiting for: ${on}, until ${until}`,
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
		form: "Form",
		submit: "Submit",
		invalidValue: (type) => `This is not a value of the type ${type}.`,
		formExpires: (until) => `Can be answered until ${until}.`,
		formExpired: "The form has expired.",
		formAnswered: (action) => `Answered: ${action}`,
		download: "Download the conversation as Markdown",
		foundAt: (at, count) => `${at} of ${count}`,
		findOlder: "Earlier match",
		findNewer: "Later match"
	},
	markdown: {
		copyCode: "Copy",
		copied: "Copied",
		code: (language) => language ? `Code in ${language}` : "Code",
		table: "Table",
		formula: "Formula",
		done: "Done",
		notDone: "Not done",
		image: (description, host) => `Load the image ${description ? `“${description}” ` : ""}from ${host}`,
		citation: (number) => `Source ${number}`,
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
}, words = state$1(en), language = state$1("en"), t = new Proxy({}, { get: (_, section) => get(words)[section] });
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
function bytes(value) {
	let [unit, divisor] = value >= 1 << 20 ? ["megabyte", 1 << 20] : value >= 1024 ? ["kilobyte", 1024] : ["byte", 1];
	return new Intl.NumberFormat(locale(), {
		style: "unit",
		unit,
		unitDisplay: "short",
		maximumFractionDigits: +(unit === "megabyte")
	}).format(value / divisor);
}
// src/base.ts
var root$13 = rootOf(new URL(import.meta.url).pathname);
function rootOf(asset) {
	return /^(.*\/)console\/[^/]+\/[^/]*$/.exec(asset)?.[1] ?? "/";
}
function href(path) {
	return root$13 + path.replace(/^\//, "");
}
function pathWithin(pathname) {
	return pathname.startsWith(root$13) ? `/${pathname.slice(root$13.length)}` : void 0;
}
// src/api/operations.ts
var OPERATIONS = {
	"assistants.get_assistants": ["get", "/api/assistants"],
	"assistants.get_favourite_assistants": ["get", "/api/assistants/favourites"],
	"assistants.add_favourite_assistant": ["post", "/api/assistants/{assistant_id}/favourite"],
	"assistants.remove_favourite_assistant": ["delete", "/api/assistants/{assistant_id}/favourite"],
	"assistants.get_public_assistant": ["get", "/api/assistants/{assistant_id}/public"],
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
	"chat.get_models": ["get", "/api/chat/models"],
	"conversations.cancel_stream": ["delete", "/api/conversations/{conversation_id}/streams/{stream_id}"],
	"conversations.conversation_completion": ["post", "/api/conversations/{conversation_id}/completion"],
	"conversations.conversations": ["get", "/api/conversations"],
	"conversations.create_conversation": ["post", "/api/conversations"],
	"conversations.delete_conversation": ["delete", "/api/conversations/{conversation_id}"],
	"conversations.get_conversation": ["get", "/api/conversations/{conversation_id}"],
	"conversations.get_conversation_file": ["get", "/api/conversations/{conversation_id}/files/{blob_id}"],
	"conversations.get_signed_upload_url": ["post", "/api/conversations/{conversation_id}/signed-upload-url"],
	"conversations.patch_conversation": ["patch", "/api/conversations/{conversation_id}"],
	"conversations.put_upload": ["put", "/api/conversations/{conversation_id}/uploads/{upload_id}"],
	"conversations.update_conversation_message": ["put", "/api/conversations/{conversation_id}/message"],
	"conversations.update_conversation_user_data_key": ["post", "/api/conversations/{conversation_id}/user_data/{key}"],
	"knowledge-bases.get_knowledge_base_document_text": ["get", "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/text"],
	"memories.create_memory": ["post", "/api/memories"],
	"memories.delete_memory": ["delete", "/api/memories/{memory_id}"],
	"memories.list_user_memories": ["get", "/api/memories"],
	"memories.update_memory": ["patch", "/api/memories/{memory_id}"],
	"projects.add_project_members": ["post", "/api/projects/{project_id}/members"],
	"projects.add_conversation_to_project": ["post", "/api/projects/{project_id}/conversations/{conversation_id}"],
	"projects.create_project": ["post", "/api/projects"],
	"projects.delete_project": ["delete", "/api/projects/{project_id}"],
	"projects.get_project": ["get", "/api/projects/{project_id}"],
	"projects.get_project_conversations": ["get", "/api/projects/{project_id}/conversations"],
	"projects.get_projects": ["get", "/api/projects"],
	"projects.list_project_members": ["get", "/api/projects/{project_id}/members"],
	"projects.remove_project_member": ["delete", "/api/projects/{project_id}/members/{member_user_id}"],
	"projects.remove_conversation_from_project": ["delete", "/api/projects/{project_id}/conversations/{conversation_id}"],
	"projects.update_project": ["put", "/api/projects/{project_id}"],
	"users.get_current_user": ["get", "/api/users/me"],
	"users.get_user_custom_prompt": ["get", "/api/users/custom-prompt"],
	"users.query_users": ["get", "/api/users"],
	"users.update_current_user": ["patch", "/api/users/me"],
	"users.update_user_custom_prompt": ["put", "/api/users/custom-prompt"],
	"users.update_user_preferences": ["patch", "/api/users/preferences"],
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
async function problemOf(operation, response, object) {
	let retry = Number(response.headers.get("retry-after")) || void 0, body = await response.json().catch(() => void 0), known = typeof body == "object" && !!body && "code" in body && "title" in body, fallback = {
		status: response.status,
		code: "unexpected",
		title: `The server answered ${response.status} ${response.statusText}`.trim()
	};
	return new ApiProblem(operation, known ? {
		...body,
		status: response.status
	} : fallback, object, retry);
}
function unreachable(operation) {
	return new ApiProblem(operation, {
		status: 0,
		code: "unreachable",
		title: "The server cannot be reached"
	});
}
// src/api/client.ts
var renew = async () => !1;
function useRenewal(renewal) {
	renew = renewal;
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
async function request(id, options = {}) {
	let headers = new Headers({ accept: options.accept ?? "application/json" });
	options.body !== void 0 && headers.set("content-type", "application/json"), options.version !== void 0 && headers.set("if-match", `"${options.version}"`), options.idempotencyKey && headers.set("idempotency-key", options.idempotencyKey);
	let init = {
		method: OPERATIONS[id][0].toUpperCase(),
		headers,
		credentials: "same-origin"
	};
	init.body = options.form ?? (options.body === void 0 ? null : JSON.stringify(options.body)), options.signal && (init.signal = options.signal);
	let url = addressOf(id, options), response = await send(id, url, init);
	if (response.status === 401 && !id.startsWith("auth.") && await renew() && (response = await send(id, url, init)), !response.ok) throw await problemOf(id, response, objectOf(options.path));
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
var AHEAD = 60, EXPIRY = "understudy.expires", LOCK = "understudy.refresh", state = state$1("starting"), user = state$1(void 0), timer$1, tabs$1 = new BroadcastChannel("understudy.session"), session = {
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
function remember(expiresIn) {
	localStorage.setItem(EXPIRY, String(Date.now() + expiresIn * 1e3)), schedule();
}
function schedule() {
	clearTimeout(timer$1);
	let left = expiry() - Date.now() - AHEAD * 1e3;
	expiry() > 0 && (timer$1 = setTimeout(() => void renewCredentials(), Math.max(1e3, left) + Math.random() * 5e3));
}
async function renewCredentials() {
	let expected = expiry();
	return navigator.locks.request(LOCK, async () => {
		if (expiry() > expected && expiry() > Date.now() + AHEAD * 1e3) return schedule(), !0;
		try {
			return remember((await call("auth.refresh")).expires_in), !0;
		} catch (error) {
			return error instanceof ApiProblem && error.status === 401 && leave(), !1;
		}
	});
}
function leave() {
	clearTimeout(timer$1), localStorage.removeItem(EXPIRY), set(user, void 0), set(state, "signed-out");
}
async function reloadUser() {
	set(user, await call("users.get_current_user"));
	let theme = get(user).preferences.theme;
	(theme === "light" || theme === "dark" || theme === "system") && (look.theme = theme), get(user).preferences.language && useLanguage(get(user).preferences.language);
}
async function startSession() {
	set(state, "starting");
	try {
		await reloadUser(), set(state, "signed-in"), expiry() === 0 ? remember(120) : schedule();
	} catch (error) {
		error instanceof ApiProblem && error.unreachable ? set(state, "unreachable") : leave();
	}
}
async function enter(login) {
	remember(login.expires_in), await reloadUser(), set(state, "signed-in"), tabs$1.postMessage("changed");
}
async function signOut(everywhere = !1) {
	await call("auth.logout", { body: { all: everywhere } }), leave(), tabs$1.postMessage("changed");
}
useRenewal(renewCredentials), tabs$1.addEventListener("message", () => void startSession());
// src/parts/Icon.svelte
var root$12 = from_svg("<svg viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\" aria-hidden=\"true\" class=\"svelte-dlgoph\"></svg>");
function Icon($$anchor, $$props) {
	let size = prop($$props, "size", 3, 18);
	var svg = root$12();
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
// src/parts/Button.svelte
var rest_excludes$1 = new Set([
	"$$slots",
	"$$events",
	"$$legacy",
	"variant",
	"size",
	"icon",
	"label",
	"busy",
	"element",
	"type",
	"onclick",
	"children"
]), root$11 = from_html("<span class=\"spinner svelte-16cku8c\" aria-hidden=\"true\"></span>"), root_1$8 = from_html("<button><!> <!></button>");
function Button($$anchor, $$props) {
	push($$props, !0);
	let variant = prop($$props, "variant", 3, "secondary"), size = prop($$props, "size", 3, "medium"), busy = prop($$props, "busy", 3, !1), element = prop($$props, "element", 15), type = prop($$props, "type", 3, "button"), rest = rest_props($$props, rest_excludes$1);
	var button = root_1$8(), event_handler = (event) => {
		busy() ? event.preventDefault() : $$props.onclick?.(event);
	};
	attribute_effect(button, () => ({
		type: type(),
		class: [
			variant(),
			size(),
			!$$props.children && "square"
		],
		"aria-label": $$props.label,
		title: $$props.label,
		"aria-busy": busy() || void 0,
		onclick: event_handler,
		...rest
	}), void 0, void 0, void 0, "svelte-16cku8c");
	var node = child(button), consequent = ($$anchor) => {
		var span = root$11();
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
// src/parts/StatePanel.svelte
var root$10 = from_html("<span class=\"pulse svelte-1u4y8b9\" aria-hidden=\"true\"></span>"), root_1$7 = from_html("<span><!></span>"), root_2$4 = from_html("<p class=\"text svelte-1u4y8b9\"> </p>"), root_3$3 = from_html("<div class=\"actions svelte-1u4y8b9\"><!></div>"), root_4$3 = from_html("<div class=\"panel svelte-1u4y8b9\"><!> <p class=\"title svelte-1u4y8b9\"> </p> <!> <!></div>");
function StatePanel($$anchor, $$props) {
	let kind = prop($$props, "kind", 3, "empty");
	var div = root_4$3(), node = child(div), consequent = ($$anchor) => {
		var span = root$10();
		append($$anchor, span);
	}, consequent_1 = ($$anchor) => {
		var span_1 = root_1$7();
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
		var p_1 = root_2$4(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, $$props.text)), append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		$$props.text && $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2), consequent_3 = ($$anchor) => {
		var div_1 = root_3$3(), node_4 = child(div_1);
		snippet(node_4, () => $$props.children), reset(div_1), append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		$$props.children && $$render(consequent_3);
	}), reset(div), template_effect(() => {
		set_attribute(div, "role", kind() === "problem" ? "alert" : kind() === "loading" ? "status" : void 0), set_text(text_1, $$props.title);
	}), append($$anchor, div);
}
// src/parts/toasts.svelte.ts
var LIFE = 8e3, list = state$1([]), count = 0, toasts = {
	get list() {
		return get(list);
	},
	show(text, options = {}) {
		let toast = {
			id: ++count,
			text,
			tone: "neutral",
			...options
		};
		return set(list, [...get(list).slice(-3), toast]), setTimeout(() => toasts.dismiss(toast.id), LIFE), toast.id;
	},
	dismiss(id) {
		set(list, get(list).filter((toast) => toast.id !== id));
	}
}, root$9 = from_html("<div><span class=\"svelte-4089l0\"> </span> <!> <!></div>"), root_1$6 = from_html("<div class=\"toasts svelte-4089l0\" role=\"status\" aria-live=\"polite\"></div>");
function Toasts($$anchor, $$props) {
	push($$props, !0);
	var div = root_1$6();
	each(div, 21, () => toasts.list, (toast) => toast.id, ($$anchor, toast) => {
		var div_1 = root$9();
		let classes;
		var span = child(div_1), text$4 = only_child(span, !0), node = sibling(span, 2), consequent = ($$anchor) => {
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
			classes = set_class(div_1, 1, "toast svelte-4089l0", null, classes, { problem: get(toast).tone === "problem" }), set_text(text$4, get(toast).text);
		}), append($$anchor, div_1);
	}), reset(div), append($$anchor, div), pop();
}
// src/parts/Dialog.svelte
var root$8 = from_html("<footer class=\"svelte-1imcjvo\"><!></footer>"), root_1$5 = from_html("<dialog><div class=\"frame svelte-1imcjvo\"><header class=\"svelte-1imcjvo\"><h2 class=\"svelte-1imcjvo\"> </h2> <!></header> <div class=\"body svelte-1imcjvo\" tabindex=\"0\" role=\"group\"><!></div> <!></div></dialog>");
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
	var dialog_1 = root_1$5(), div = child(dialog_1), header = child(div), h2 = child(header), text = only_child(h2, !0);
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
		var footer = root$8(), node_3 = child(footer);
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
// src/parts/why.svelte.ts
var question = state$1(void 0), why = {
	get question() {
		return get(question);
	},
	ask(operation, object) {
		set(question, {
			operation,
			object
		});
	},
	askAbout(problem) {
		why.ask(problem.operation, problem.object);
	},
	close() {
		set(question, void 0);
	}
}, root$7 = from_html("<li><span><!></span> <div><p><strong class=\"svelte-9apl7q\"> </strong></p> <p class=\"detail svelte-9apl7q\"> </p></div> <span class=\"verdict svelte-9apl7q\"> </span></li>"), root_1$4 = from_html("<p class=\"summary svelte-9apl7q\"><!></p> <ol role=\"list\" class=\"svelte-9apl7q\"></ol>", 1);
function WhyDialog($$anchor, $$props) {
	push($$props, !0);
	let explanation = user_derived(() => call("auth.explain_access", { query: {
		operation: $$props.question.operation,
		...$$props.question.object ? { id: $$props.question.object } : {}
	} }));
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
				}), allowed = user_derived(() => get($$value).allowed), checks = user_derived(() => get($$value).checks), operation = user_derived(() => get($$value).operation), fragment_2 = root_1$4(), p = first_child(fragment_2), node_1 = child(p), consequent = ($$anchor) => {
					var text$3 = text();
					template_effect(() => set_text(text$3, t.why.allowed)), append($$anchor, text$3);
				}, alternate = ($$anchor) => {
					var text_1 = text();
					template_effect(($0) => set_text(text_1, $0), [() => t.why.denied(get(operation))]), append($$anchor, text_1);
				};
				if_block(node_1, ($$render) => {
					get(allowed) ? $$render(consequent) : $$render(alternate, -1);
				}), reset(p);
				var ol = sibling(p, 2);
				each(ol, 21, () => get(checks), index, ($$anchor, check) => {
					let verdict = user_derived(() => get(check).passes ?? void 0);
					var li = root$7();
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
					var div = sibling(span, 2), p_1 = child(div), strong = child(p_1), text_2 = only_child(strong, !0);
					reset(p_1);
					var p_2 = sibling(p_1, 2), text_3 = only_child(p_2);
					reset(div);
					var span_1 = sibling(div, 2), text_4 = only_child(span_1, !0);
					reset(li), template_effect(() => {
						classes = set_class(li, 1, "svelte-9apl7q", null, classes, { fails: get(verdict) === !1 }), classes_1 = set_class(span, 1, "mark svelte-9apl7q", null, classes_1, { passes: get(verdict) === !0 }), set_text(text_2, get(check).why), set_text(text_3, `${t.why.needs ?? ""} ${get(check).needs ?? ""} · ${t.why.has ?? ""} ${get(check).has ?? t.why.nothing ?? ""}`), set_text(text_4, get(verdict) === !0 ? t.why.passes : get(verdict) === !1 ? t.why.fails : t.why.unchecked);
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
var current = state$1(read()), router = { get location() {
	return get(current);
} };
function navigate(path, options = {}) {
	options.replace ? history.replaceState(null, "", href(path)) : history.pushState(null, "", href(path)), set(current, read());
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
	addEventListener("popstate", () => set(current, read())), addEventListener("hashchange", () => set(current, read())), document.addEventListener("click", (event) => {
		let link = event.target instanceof Element ? event.target.closest("a[href]") : null;
		if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event) || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
		let path = pathWithin(link.pathname);
		path && !path.startsWith("/api/") && path !== "/metrics" && (event.preventDefault(), navigate(path + link.search + link.hash));
	});
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
	"rows"
]), root$6 = from_html("<textarea class=\"input svelte-1laokb0\"></textarea>"), root_1$3 = from_html("<input/>"), root_2$3 = from_html("<p class=\"error svelte-1laokb0\"> </p>"), root_3$2 = from_html("<p class=\"hint svelte-1laokb0\"> </p>"), root_4$2 = from_html("<div class=\"field svelte-1laokb0\"><label class=\"svelte-1laokb0\"> </label> <!> <!> <!></div>");
function Field($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let value = prop($$props, "value", 15, ""), rest = rest_props($$props, rest_excludes), described = user_derived(() => [$$props.error && `${id}-error`, $$props.hint && `${id}-hint`].filter(Boolean).join(" ") || void 0);
	var div = root_4$2(), label_1 = child(div), text = only_child(label_1, !0), node = sibling(label_1, 2), consequent = ($$anchor) => {
		var textarea = root$6();
		remove_textarea_child(textarea), template_effect(() => {
			set_attribute(textarea, "id", id), set_attribute(textarea, "rows", $$props.rows), set_attribute(textarea, "maxlength", $$props.maxlength), textarea.required = $$props.required, set_attribute(textarea, "placeholder", $$props.placeholder), set_attribute(textarea, "aria-describedby", get(described)), set_attribute(textarea, "aria-invalid", $$props.error ? "true" : void 0);
		}), bind_value(textarea, value), append($$anchor, textarea);
	}, alternate = ($$anchor) => {
		var input = root_1$3();
		attribute_effect(input, () => ({
			class: "input",
			id,
			"aria-describedby": get(described),
			"aria-invalid": $$props.error ? "true" : void 0,
			...rest
		}), void 0, void 0, void 0, "svelte-1laokb0", !0), bind_value(input, value), append($$anchor, input);
	};
	if_block(node, ($$render) => {
		$$props.rows ? $$render(consequent) : $$render(alternate, -1);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		var p = root_2$3(), text_1 = only_child(p, !0);
		template_effect(() => {
			set_attribute(p, "id", `${id}-error`), set_text(text_1, $$props.error);
		}), append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		$$props.error && $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
		var p_1 = root_3$2(), text_2 = only_child(p_1, !0);
		template_effect(() => {
			set_attribute(p_1, "id", `${id}-hint`), set_text(text_2, $$props.hint);
		}), append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		$$props.hint && $$render(consequent_2);
	}), reset(div), template_effect(() => {
		set_attribute(label_1, "for", id), set_text(text, $$props.label);
	}), append($$anchor, div), pop();
}
// src/parts/ProblemNote.svelte
var root$5 = from_html("<div class=\"note svelte-a07lkl\" role=\"alert\"><!> <span class=\"svelte-a07lkl\"> </span> <!> <!></div>");
function ProblemNote($$anchor, $$props) {
	push($$props, !0);
	let text$2 = user_derived(() => $$props.problem instanceof Error ? $$props.problem.message : String($$props.problem));
	var div = root$5(), node = child(div);
	Icon(node, { get of() {
		return CircleAlert;
	} });
	var span = sibling(node, 2), text_1 = only_child(span, !0), node_1 = sibling(span, 2), consequent = ($$anchor) => {
		Button($$anchor, {
			size: "small",
			variant: "quiet",
			onclick: () => why.askAbout($$props.problem),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_2 = text();
				template_effect(() => set_text(text_2, t.common.why)), append($$anchor, text_2);
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_1, ($$render) => {
		$$props.problem instanceof ApiProblem && $$props.problem.explainable && $$render(consequent);
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
var root$4 = from_html("<!> <!>", 1);
function ProblemPanel($$anchor, $$props) {
	push($$props, !0);
	let refusal = user_derived(() => $$props.problem instanceof ApiProblem ? $$props.problem : void 0), content = user_derived(() => get(refusal)?.unreachable ? {
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
			var fragment_1 = root$4(), node = first_child(fragment_1), consequent = ($$anchor) => {
				Button($$anchor, {
					onclick: () => why.askAbout(get(refusal)),
					children: ($$anchor, $$slotProps) => {
						next();
						var text$1 = text();
						template_effect(() => set_text(text$1, t.common.why)), append($$anchor, text$1);
					},
					$$slots: { default: !0 }
				});
			};
			if_block(node, ($$render) => {
				get(refusal)?.explainable && $$render(consequent);
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
	#busy = state$1(!1);
	get busy() {
		return get(this.#busy);
	}
	set busy(value) {
		set(this.#busy, value, !0);
	}
	#problem = state$1();
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
	fault(member) {
		return this.problem instanceof ApiProblem ? this.problem.fault(member) : void 0;
	}
	besides(...members) {
		return members.some((member) => this.fault(member)) ? void 0 : this.problem;
	}
}, projects = new class {
	#items = state$1([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
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
		return this.items = [project, ...this.items], project;
	}
	put(project) {
		this.items = this.items.map((other) => other.id === project.id ? project : other);
	}
	drop(id) {
		this.items = this.items.filter((project) => project.id !== id);
	}
}(), root$3 = from_html("<th scope=\"col\" class=\"svelte-1dquqf0\"> </th>"), root_1$2 = from_html("<tr><!></tr>"), root_2$2 = from_html("<div class=\"scroll svelte-1dquqf0\" role=\"region\" tabindex=\"0\"><table class=\"svelte-1dquqf0\"><caption class=\"visually-hidden\"> </caption><thead><tr></tr></thead><tbody></tbody></table></div>");
function Table($$anchor, $$props) {
	var div = root_2$2(), table = child(div), caption_1 = child(table), text = only_child(caption_1, !0), thead = sibling(caption_1), tr = child(thead);
	each(tr, 21, () => $$props.columns, index, ($$anchor, column) => {
		var th = root$3(), text_1 = only_child(th, !0);
		template_effect(() => set_text(text_1, get(column))), append($$anchor, th);
	}), reset(tr), reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => $$props.rows, (item) => item.id, ($$anchor, item) => {
		var tr_1 = root_1$2(), node = child(tr_1);
		snippet(node, () => $$props.row, () => get(item)), reset(tr_1), append($$anchor, tr_1);
	}), reset(tbody), reset(table), reset(div), template_effect(() => {
		set_attribute(div, "aria-label", $$props.caption), set_text(text, $$props.caption);
	}), append($$anchor, div);
}
// src/parts/Logo.svelte
var root$2 = from_svg("<svg viewBox=\"0 0 32 32\" aria-hidden=\"true\" class=\"svelte-1ew1yb3\"><rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#12585f\"></rect><path d=\"M9 8v9a7 7 0 0 0 14 0V8\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\" stroke-linecap=\"round\"></path><path d=\"M12 26h8\" stroke=\"#8fd6d9\" stroke-width=\"2.5\" stroke-linecap=\"round\"></path></svg>");
function Logo($$anchor, $$props) {
	let size = prop($$props, "size", 3, 28);
	var svg = root$2();
	template_effect(() => {
		set_attribute(svg, "width", size()), set_attribute(svg, "height", size());
	}), append($$anchor, svg);
}
// src/connection.svelte.ts
var GRACE = 2e3, reachable = state$1(proxy(navigator.onLine)), timer, lost = new Set();
function update() {
	clearTimeout(timer), lost.size === 0 && navigator.onLine ? set(reachable, !0) : timer = setTimeout(() => set(reachable, !1), navigator.onLine ? GRACE : 0);
}
var connection = {
	get reachable() {
		return get(reachable);
	},
	report(subscription, { state }) {
		state === "waiting" ? lost.add(subscription) : state === "open" && lost.delete(subscription), update();
	},
	forget(subscription) {
		lost.delete(subscription), update();
	}
};
addEventListener("offline", update), addEventListener("online", update);
// src/shell/conversations.svelte.ts
var UNDO = 7e3, PAGE = 50, tabs = new BroadcastChannel("understudy.conversations"), conversations = new class {
	#items = state$1([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	#loading = state$1(!1);
	get loading() {
		return get(this.#loading);
	}
	set loading(value) {
		set(this.#loading, value, !0);
	}
	#problem = state$1();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#search = state$1("");
	get search() {
		return get(this.#search);
	}
	set search(value) {
		set(this.#search, value, !0);
	}
	#archived = state$1(!1);
	get archived() {
		return get(this.#archived);
	}
	set archived(value) {
		set(this.#archived, value, !0);
	}
	#cursor = state$1();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	request = 0;
	deletions = new Map();
	constructor() {
		tabs.addEventListener("message", () => void this.load()), addEventListener("pagehide", () => this.deleteNow());
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
			let first = await this.read({}), pinned = first.next_cursor && !this.search && !this.archived ? await this.read({
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
			...this.search ? { search: this.search } : {},
			...query
		} });
		return {
			...page,
			items: page.items.filter((item) => !this.deletions.has(item.id))
		};
	}
	put(conversation) {
		let { messages: _, ...item } = conversation;
		item.archived === this.archived ? this.find(item.id) ? this.items = this.items.map((other) => other.id === item.id ? item : other) : this.search || (this.items = [item, ...this.items]) : this.items = this.items.filter((other) => other.id !== item.id);
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
		tabs.postMessage("changed");
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
// src/shell/keys.svelte.ts
var added = state$1([]), keys = proxy({
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
function isTyping(event) {
	let element = event.target;
	return element instanceof HTMLElement && (element.isContentEditable || element.matches("input, textarea, select, dialog *, [popover] *"));
}
// src/parts/popover.ts
function place(popover, anchor, prefer = "below", align = "start") {
	let box = anchor.getBoundingClientRect(), size = popover.getBoundingClientRect(), rightToLeft = getComputedStyle(anchor).direction === "rtl", left = align === "start" == !rightToLeft ? box.left : box.right - size.width, below = box.bottom + 4, above = box.top - 4 - size.height, fitsBelow = below + size.height <= innerHeight - 8, top = prefer === "below" && fitsBelow || above < 8 ? below : above;
	popover.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - size.width - 8))}px`), popover.style.setProperty("top", `${Math.max(8, Math.min(top, innerHeight - size.height - 8))}px`);
}
// src/parts/Combobox.svelte
var root$1 = from_html("<li class=\"group svelte-fmlqs3\" role=\"presentation\"> </li>"), root_1$1 = from_html("<span class=\"reason svelte-fmlqs3\"> </span>"), root_2$1 = from_html("<span class=\"description svelte-fmlqs3\"> </span>"), root_3$1 = from_html("<!> <li role=\"option\" class=\"svelte-fmlqs3\"><div class=\"svelte-fmlqs3\"><span class=\"name svelte-fmlqs3\"> </span> <!></div> <!> <!></li>", 1), root_4$1 = from_html("<div popover=\"auto\" class=\"panel svelte-fmlqs3\" role=\"dialog\"><input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <ul role=\"listbox\" class=\"svelte-fmlqs3\"></ul> <!></div>"), root_5$1 = from_html("<button type=\"button\" class=\"opener svelte-fmlqs3\" aria-haspopup=\"dialog\"><span class=\"svelte-fmlqs3\"> </span> <!></button> <!>", 1);
function Combobox($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let disabled = prop($$props, "disabled", 3, !1), button, panel = state$1(void 0), input = state$1(void 0), open = state$1(!1), query = state$1(""), active = state$1(0), selected = user_derived(() => $$props.options.find((option) => option.value === $$props.value)), found = user_derived(() => {
		let words = get(query).toLowerCase().split(/\s+/).filter(Boolean);
		return $$props.options.filter((option) => words.every((word) => `${option.label} ${option.description ?? ""} ${option.value}`.toLowerCase().includes(word)));
	}), activeOption = user_derived(() => get(found)[Math.min(get(active), get(found).length - 1)]);
	async function show() {
		disabled() || (set(open, !0), set(query, ""), await tick(), get(panel) && (get(panel).showPopover(), place(get(panel), button, "above"), set(active, Math.max(0, get(found).findIndex((option) => option.value === $$props.value)), !0), get(input)?.focus(), reveal()));
	}
	function hide(focus = !0) {
		get(panel)?.matches(":popover-open") && get(panel).hidePopover(), set(open, !1), focus && button.focus();
	}
	function choose(option) {
		option && (option.unavailable ? (hide(!1), $$props.onexplain?.(option)) : ($$props.onchoose(option.value), hide()));
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
		else if (event.key === "Tab") return hide(!1);
		else return;
		event.preventDefault(), reveal();
	}
	var fragment = root_5$1(), button_1 = first_child(fragment), span = child(button_1), text = only_child(span, !0);
	Icon(sibling(span, 2), {
		get of() {
			return ChevronDown;
		},
		size: 14
	}), reset(button_1), bind_this(button_1, ($$value) => button = $$value, () => button);
	var node_1 = sibling(button_1, 2), consequent_5 = ($$anchor) => {
		var div = root_4$1(), input_1 = child(div);
		remove_input_defaults(input_1), bind_this(input_1, ($$value) => set(input, $$value), () => get(input));
		var ul = sibling(input_1, 2);
		each(ul, 23, () => get(found), (option) => option.value, ($$anchor, option, at) => {
			var fragment_1 = root_3$1(), node_2 = first_child(fragment_1), consequent = ($$anchor) => {
				var li = root$1(), text_1 = only_child(li, !0);
				template_effect(() => set_text(text_1, get(option).group)), append($$anchor, li);
			};
			if_block(node_2, ($$render) => {
				get(option).group && get(option).group !== get(found)[get(at) - 1]?.group && $$render(consequent);
			});
			var li_1 = sibling(node_2, 2), div_1 = child(li_1), span_1 = child(div_1), text_2 = only_child(span_1, !0), node_3 = sibling(span_1, 2), consequent_1 = ($$anchor) => {
				var span_2 = root_1$1(), text_3 = only_child(span_2, !0);
				template_effect(() => set_text(text_3, get(option).unavailable)), append($$anchor, span_2);
			}, consequent_2 = ($$anchor) => {
				var span_3 = root_2$1(), text_4 = only_child(span_3, !0);
				template_effect(() => set_text(text_4, get(option).description)), append($$anchor, span_3);
			};
			if_block(node_3, ($$render) => {
				get(option).unavailable ? $$render(consequent_1) : get(option).description && $$render(consequent_2, 1);
			}), reset(div_1);
			var node_4 = sibling(div_1, 2), consequent_3 = ($$anchor) => {
				var span_4 = root_2$1(), text_5 = only_child(span_4, !0);
				template_effect(() => set_text(text_5, get(option).note)), append($$anchor, span_4);
			};
			if_block(node_4, ($$render) => {
				get(option).note && $$render(consequent_3);
			});
			var node_5 = sibling(node_4, 2), consequent_4 = ($$anchor) => {
				Icon($$anchor, {
					get of() {
						return Check;
					},
					size: 16
				});
			};
			if_block(node_5, ($$render) => {
				get(option).value === $$props.value && $$render(consequent_4);
			}), reset(li_1), template_effect(() => {
				set_attribute(li_1, "id", `${id}-${get(at) ?? ""}`), set_attribute(li_1, "aria-selected", get(option) === get(activeOption)), set_attribute(li_1, "aria-disabled", get(option).unavailable ? "true" : void 0), set_text(text_2, get(option).label);
			}), delegated("click", li_1, () => choose(get(option))), delegated("pointermove", li_1, () => set(active, get(at), !0)), append($$anchor, fragment_1);
		}, ($$anchor) => {
			var li_2 = root$1(), text_6 = only_child(li_2, !0);
			template_effect(() => set_text(text_6, t.common.none)), append($$anchor, li_2);
		}), reset(ul);
		var node_6 = sibling(ul, 2);
		snippet(node_6, () => $$props.footer ?? noop), reset(div), bind_this(div, ($$value) => set(panel, $$value), () => get(panel)), template_effect(($0) => {
			set_attribute(div, "aria-label", $$props.label), set_attribute(input_1, "aria-label", $$props.label), set_attribute(input_1, "aria-controls", `${id}-list`), set_attribute(input_1, "aria-activedescendant", $0), set_attribute(input_1, "placeholder", t.common.search), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", $$props.label);
		}, [() => get(activeOption) ? `${id}-${get(found).indexOf(get(activeOption))}` : void 0]), event("toggle", div, (event) => {
			event.newState === "closed" && set(open, !1);
		}), delegated("input", input_1, () => set(active, 0)), delegated("keydown", input_1, press), bind_value(input_1, () => get(query), ($$value) => set(query, $$value)), append($$anchor, div);
	};
	if_block(node_1, ($$render) => {
		get(open) && $$render(consequent_5);
	}), template_effect(() => {
		button_1.disabled = disabled(), set_attribute(button_1, "aria-expanded", get(open)), set_attribute(button_1, "aria-label", `${$$props.label ?? ""}: ${get(selected)?.label ?? $$props.placeholder ?? ""}`), set_text(text, get(selected)?.label ?? $$props.placeholder);
	}), delegated("click", button_1, () => get(open) ? hide() : void show()), append($$anchor, fragment), pop();
}
delegate([
	"click",
	"input",
	"keydown",
	"pointermove"
]);
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
	}, size = prop($$props, "size", 3, "small"), align = prop($$props, "align", 3, "end"), button = state$1(void 0), list = state$1(void 0), open = state$1(!1), entries = () => [...get(list)?.querySelectorAll("[role^=\"menuitem\"]") ?? []];
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
export { ApiProblem, Archive, ArchiveArrowUp, ArrowDown, ArrowLeft, ArrowUp, BookOpen, Brain, Button, Check, ChevronDown, ChevronLeft, ChevronRight, ChevronUp, ChevronsUpDown, CircleAlert, CircleStop, CloudOff, Combobox, Copy, Dialog, Download, Ellipsis, ExternalLink, Field, File, Folder, FolderInput, FolderMinus, FolderPlus, Hourglass, Icon, Info, KeyRound, Keyboard, LANGUAGES, Lightbulb, LogOut, Logo, MOD, Menu, MessageSquare, Moon, PanelLeft, PanelLeftClose, Paperclip, Pencil, Pin, PinOff, ProblemNote, ProblemPanel, RefreshCw, RotateCcwClock, Search, SearchX, Settings, SquarePen, StatePanel, Submission, Sun, Table, ThumbsDown, ThumbsUp, Toasts, Trash, TriangleAlert, UserPlus, Users, WhyDialog, Wrench, X, __vitePreload, addressOf, bytes, call, connection, conversations, cost, date, dateTime, enter, everyPage, grouped, hasMod, href, isTyping, keys, locale, look, match, navigate, number, projects, reloadUser, renewCredentials, request, restoreLook, root$13 as root, router, screenCommands, session, signOut, startRouter, startSession, t, toasts, useLanguage, why };
