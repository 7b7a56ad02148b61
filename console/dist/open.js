const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./core.js","./rolldown-runtime.js","./UsageDialog.js","./vendor.js","./parts.js","./CommentDialog.js","./CompareDialog.js","./SourcesPane.js"])))=>i.map(i=>d[i]);
import { __exportAll } from "./rolldown-runtime.js";
import { AnswerFollower, ApiProblem, ArrowDown, AttachmentDraft, Brain, Button, Check, ChevronDown, ChevronLeft, ChevronRight, ChevronUp, CircleAlert, CirclePause, CircleStop, Combobox, Composer, Copy, Dialog, Download, Field, File, Hourglass, Icon, Info, Lazy, Lightbulb, ListTree, MOD, NO_ANSWER, Paperclip, Pencil, Pickers, ProblemNote, ProblemPanel, RefreshCw, RotateCcwClock, Search, Shuffle, StatePanel, Submission, ThumbsDown, ThumbsUp, TriangleAlert, Upload, Wrench, X as X$1, __vitePreload, addressOf, bytes, call, choices, connection, conversations, copyText, cost, date, dateTime, everyPage, hasMod, href, isSendKey, live, locale, match, memoriesWith, navigate, newIdempotencyKey, partsOf, projects, request, restoreMemory, router, screenCommands, searchMessages, session, sourcesByNumber, t, textOf, toasts, why, withForms } from "./parts.js";
import { $document, $window, append, attach, attribute_effect, autofocus, bind_element_size, bind_this, bind_value, child, clsx, comment, deferred_template_effect, delegate, delegated, each, element, event, first_child, flushSync, from_html, get, getContext, head, if_block, index, init_select, key, next, noop, onMount, only_child, pop, prop, props_id, proxy, push, remove_input_defaults, remove_textarea_child, replay_events, reset, select_option, set, setContext, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, snippet, spread_props, state, template_effect, text, tick, to_array, untrack, update, user_derived, user_effect, user_pre_effect } from "./vendor.js";
// node_modules/marked/lib/marked.esm.js
function G() {
	return {
		async: !1,
		breaks: !1,
		extensions: null,
		gfm: !0,
		hooks: null,
		pedantic: !1,
		renderer: null,
		silent: !1,
		tokenizer: null,
		walkTokens: null
	};
}
var S = G();
function ue$1(l) {
	S = l;
}
var q$1 = { exec: () => null };
function D$1(l) {
	let e = [];
	return (t) => {
		let n = Math.max(0, Math.min(3, t - 1)), r = e[n];
		return r || (r = l(n), e[n] = r), r;
	};
}
function g$1(l, e = "") {
	let t = typeof l == "string" ? l : l.source, n = {
		replace: (r, s) => {
			let o = typeof s == "string" ? s : s.source;
			return o = o.replace(O$1.caret, "$1"), t = t.replace(r, o), n;
		},
		getRegex: () => new RegExp(t, e)
	};
	return n;
}
var _e$1 = ((l = "") => {
	try {
		return !!RegExp("(?<=1)(?<!1)" + l);
	} catch {
		return !1;
	}
})(), O$1 = {
	codeRemoveIndent: /^(?: {0,3}\t| {1,4})/gm,
	listInterruptsParagraph: /^ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/,
	outputLinkReplace: /\\([\[\]])/g,
	indentCodeCompensation: /^(\s+)(?:```)/,
	beginningSpace: /^\s+/,
	endingHash: /#$/,
	startingSpaceChar: /^ /,
	endingSpaceChar: / $/,
	endingSpaceTabChar: /[ \t]$/,
	nonSpaceChar: /[^ ]/,
	newLineCharGlobal: /\n/g,
	tabCharGlobal: /\t/g,
	leadingSpaceTab: /^[ \t]+/,
	multipleSpaceGlobal: /\s+/g,
	blankLine: /^[ \t]*$/,
	doubleBlankLine: /\n[ \t]*\n[ \t]*$/,
	blockquoteStart: /^ {0,3}>/,
	blockquoteSetextReplace: /\n {0,3}((?:=+|-+)[ \t]*)(?=\n|$)/g,
	blockquoteSetextReplace2: /^ {0,3}>[ \t]?/gm,
	blockquoteMarkerWhitespace: /^( {0,3}>)(\t[ \t]*)/gm,
	nestedBlockMarker: /^ {0,3}(?:(?:[*+-]|\d{1,9}[.)])(?: |$)|> ?)/,
	listReplaceNesting: /^ {1,4}(?=( {4})*[^ ])/g,
	listIsTask: /^\[[ xX]\][ \t]+\S/,
	listReplaceTask: /^\[[ xX]\][ \t]+/,
	listTaskCheckbox: /\[[ xX]\]/,
	anyLine: /\n.*\n/,
	hrefBrackets: /^<(.*)>$/,
	tableDelimiter: /[:|]/,
	tableAlignChars: /^\||\| *$/g,
	tableRowBlankLine: /\n[ \t]*$/,
	tableAlignRight: /^ *-+: *$/,
	tableAlignCenter: /^ *:-+: *$/,
	tableAlignLeft: /^ *:-+ *$/,
	startATag: /^<a /i,
	endATag: /^<\/a>/i,
	startPreScriptTag: /^<(pre|code|kbd|script)(\s|>)/i,
	endPreScriptTag: /^<\/(pre|code|kbd|script)(\s|>)/i,
	startAngleBracket: /^</,
	endAngleBracket: />$/,
	pedanticHrefTitle: /^([^'"]*[^\s])\s+(['"])(.*)\2/,
	unicodeAlphaNumeric: /[\p{L}\p{N}]/u,
	numericCharacterReference: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));/,
	numericCharacterReferenceOrAmpersand: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g,
	escapeTest: /[&<>"']/,
	escapeReplace: /[&<>"']/g,
	escapeTestNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/,
	escapeReplaceNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g,
	caret: /(^|[^\[])\^/g,
	percentDecode: /%25/g,
	findPipe: /\|/g,
	splitPipe: / \|/,
	slashPipe: /\\\|/g,
	carriageReturn: /\r\n|\r/g,
	spaceLine: /^ +$/gm,
	notSpaceStart: /^\S*/,
	endingNewline: /\n$/,
	listItemRegex: (l) => RegExp(`^( {0,3}${l})((?:[	 ][^\\n]*)?(?:\\n|$))`),
	nextBulletRegex: D$1((l) => RegExp(`^ {0,${l}}(?:[*+-]|\\d{1,9}[.)])((?:[ 	][^\\n]*)?(?:\\n|$))`)),
	hrRegex: D$1((l) => RegExp(`^ {0,${l}}((?:-[ 	]*){3,}|(?:_[ 	]*){3,}|(?:\\*[ 	]*){3,})(?:\\n+|$)`)),
	fencesBeginRegex: D$1((l) => RegExp(`^ {0,${l}}(?:\`\`\`|~~~)`)),
	headingBeginRegex: D$1((l) => RegExp(`^ {0,${l}}#{1,6}(?:\\s|$)`)),
	pedanticHeadingBeginRegex: D$1((l) => RegExp(`^ {0,${l}}#`)),
	htmlBeginRegex: D$1((l) => RegExp(`^ {0,${l}}(?:</?(?:${he$1})(?:[ \\t]+|$|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)`, "i")),
	blockquoteBeginRegex: D$1((l) => RegExp(`^ {0,${l}}>`)),
	nestedContainerMarkers: /^(?: {0,3}(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]?))+/
}, Ge = /^(?:[ \t]*(?:\n|$))+/, Ne$1 = /^((?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*(?:\n|$))*)?)+/, Fe = /^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)(?:|([\s\S]*?)(?:\n|$))(?: {0,3}(?:(?=`)\1`*|(?=~)\1~*) *(?=\n|$)|$)/, V$1 = /^ {0,3}((?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/, Qe = /^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)/, ce$1 = / {0,3}(?:[*+-]|\d{1,9}[.)])/, he$1 = "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul", J$1 = g$1(" {0,3}(?:</?(?:tag)(?:[ \\t]+|\\n|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)").replace("tag", he$1).getRegex(), $e$1 = /^(?!bull |blockCode|fences|blockquote|heading|html|table)((?:.|\n(?!\s*?\n|bull |fences|blockquote|heading|hr|html|table))+?)\n {0,3}(=+|-+)[ \t]*(?:\n+|$)/, Le$1 = g$1($e$1).replace(/bull/g, ce$1).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/\|table/g, "").replace(/html/g, J$1).getRegex(), We = g$1($e$1).replace(/bull/g, ce$1).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/table/g, / {0,3}\|?(?:[:\- ]*\|)+[\:\- ]*\n/).replace(/html/g, J$1).getRegex(), de$1 = /^([^\n]+(?:\n(?!hr|heading|lheading|blockquote|fences|list|html|table|[ \t]+\n)[^\n]+)*)/, Ue = /^[^\n]+/, ge$1 = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\\n]|\n(?![ \t]*\n))+/, Ke = g$1(/^ {0,3}\[(label)\]: *(?:\n[ \t]*)?([^<\s][^\s]*|<(?:\\.|[^\n<>\\])*>)(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(title))? *(?:\n+|$)/).replace("label", ge$1).replace("title", /(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\\n]|\n(?!\n))*'|\((?:\\[\s\S]|[^()\\])*\))/).getRegex(), Xe = g$1(/^(bull)([ \t][^\n]*?)?(?:\n|$)/).replace(/bull/g, ce$1).getRegex(), ke$1 = /<!--(?:-?>|[\s\S]*?(?:-->|$))/, Ve = g$1("^ {0,3}(?:<(script|pre|style|textarea)[\\s>][\\s\\S]*?(?:</\\1>[^\\n]*\\n*|$)|comment[^\\n]*(\\n+|$)|<\\?[\\s\\S]*?(?:\\?>[^\\n]*\\n*|$)|<![A-Z][\\s\\S]*?(?:>[^\\n]*\\n*|$)|<!\\[CDATA\\[[\\s\\S]*?(?:\\]\\]>[^\\n]*\\n*|$)|</?(tag)(?:[ \\t]+|\\n|/?>|$)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|<(?!(?:script|pre|style|textarea)(?![a-z0-9-]))([a-z][a-z0-9-]*)(?:attribute)*?[ \\t]*/?>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|</[a-z][a-z0-9-]*\\s*>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$))", "i").replace("comment", ke$1).replace("tag", he$1).replace("attribute", /[ \t]+[a-zA-Z:_][\w.:-]*(?:[ \t]*=[ \t]*"[^"\n]*"|[ \t]*=[ \t]*'[^'\n]*'|[ \t]*=[ \t]*[^\s"'=<>`]+)?/).getRegex(), Ce$1 = (l) => g$1(de$1).replace("hr", V$1).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("|table", "").replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", l).replace("html", J$1).getRegex(), Je = Ce$1(/ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/), Ye = Ce$1(/ {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t]|\n|$)/), fe$1 = {
	blockquote: g$1(/^( {0,3}> ?(?:(?![ \t]*(?:\n|$))(paragraph)|[^\n]*)(?:\n|$))+/).replace("paragraph", Ye).getRegex(),
	code: Ne$1,
	def: Ke,
	fences: Fe,
	heading: Qe,
	hr: V$1,
	html: Ve,
	lheading: Le$1,
	list: Xe,
	newline: Ge,
	paragraph: Je,
	table: q$1,
	text: Ue
}, Pe$1 = g$1("^ *([^\\n ].*)\\n {0,3}((?:\\| *)?:?-+:? *(?:\\| *:?-+:? *)*(?:\\| *)?)(?:\\n((?:(?! *\\n|hr|heading|blockquote|code|fences|list|html).*(?:\\n|$))*)\\n*|$)").replace("hr", V$1).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("blockquote", " {0,3}>").replace("code", "(?: {4}| {0,3}	)[^\\n]").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html", J$1).getRegex(), tt = {
	...fe$1,
	lheading: We,
	table: Pe$1,
	paragraph: g$1(de$1).replace("hr", V$1).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("table", Pe$1).replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]+[^ \\t\\n]").replace("html", J$1).getRegex()
}, nt = {
	...fe$1,
	html: g$1("^ *(?:comment(?: *\\n|\\s*$)|<(tag)[\\s\\S]+?</\\1>(?: *\\n{2,}|\\s*$)|<tag(?:\"[^\"]*\"|'[^']*'|\\s[^'\"/>\\s]*)*?/?>(?: *\\n{2,}|\\s*$))").replace("comment", ke$1).replace(/tag/g, "(?!(?:a|em|strong|small|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br|wbr|ins|del|img)\\b)\\w+(?!:|[^\\w\\s@]*@)\\b").getRegex(),
	def: /^ *\[([^\]]+)\]: *<?([^\s>]+)>?(?: +(["(][^\n]+[")]))? *(?:\n+|$)/,
	heading: /^(#{1,6})(.*)(?:\n+|$)/,
	fences: q$1,
	lheading: /^(.+?)\n {0,3}(=+|-+) *(?:\n+|$)/,
	paragraph: g$1(de$1).replace("hr", V$1).replace("heading", " *#{1,6} *[^\n]").replace("|table", "").replace("blockquote", " {0,3}>").replace("|fences", "").replace("|list", "").replace("|html", "").replace("|tag", "").replace("lheading", Le$1).getRegex()
}, rt = /^\\([!"#$%&'()*+,\-./:;<=>?@\[\]\\^_`{|}~])/, st = /^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, Ie$1 = /^( {2,}|\\)\n(?!\s*$)[ \t]*/, it = /^(`+|[^`])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<!\[`*_]|\b_|$)|[^ ](?= {2,}\n)))/, L$1 = /[\p{P}\p{S}]/u, N$1 = /[\s\p{P}\p{S}]/u, Y$1 = /[^\s\p{P}\p{S}]/u, ot = g$1(/^((?![*_])punctSpace)/, "u").replace(/punctSpace/g, N$1).getRegex(), at = /[\p{Pi}\p{Ps}"']/u, Ae$1 = /(?!~)[\p{P}\p{S}]/u, lt = /(?!~)[\s\p{P}\p{S}]/u, ut = /(?:[^\s\p{P}\p{S}]|~)/u, pt = g$1(/link|precode-code|html/, "g").replace("link", /\[(?:[^\[\]`]|(?<a>`+)[^`]+\k<a>(?!`))*?\]\((?:\\[\s\S]|[^\\\(\)]|\((?:\\[\s\S]|[^\\\(\)])*\))*\)/).replace("precode-", _e$1 ? "(?<!`)()" : "(^^|[^`])").replace("code", /(?<b>`+)[^`]+\k<b>(?!`)/).replace("html", /<(?! )[^<>]*?>/).getRegex(), Ee$1 = /^(?:\*+(?:((?!\*)punct)|([^\s*]))?)|^_+(?:((?!_)punct)|([^\s_]))?/, ct = g$1(Ee$1, "u").replace(/punct/g, L$1).getRegex(), ht = g$1(Ee$1, "u").replace(/punct/g, Ae$1).getRegex(), gt = g$1(/^(?:\*+(?:((?!\*)(?!openQuote)punct)|([^\s*]))?)|^_+(?:((?!_)(?!openQuote)punct)|([^\s_]))?/, "u").replace(/openQuote/g, at).replace(/punct/g, L$1).getRegex(), ze = "^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)punctSpace(\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|notPunctSpace(\\*+)(?=notPunctSpace)", kt = g$1(ze, "gu").replace(/notPunctSpace/g, Y$1).replace(/punctSpace/g, N$1).replace(/punct/g, L$1).getRegex(), ft = g$1(ze, "gu").replace(/notPunctSpace/g, ut).replace(/punctSpace/g, lt).replace(/punct/g, Ae$1).getRegex(), xt = g$1("^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)[\\s](\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|(?:(?!\\*)punct|notPunctSpace)(\\*+)(?!\\*)(?=notPunctSpace)", "gu").replace(/notPunctSpace/g, Y$1).replace(/punctSpace/g, N$1).replace(/punct/g, L$1).getRegex(), bt = g$1("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)punctSpace(_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)", "gu").replace(/notPunctSpace/g, Y$1).replace(/punctSpace/g, N$1).replace(/punct/g, L$1).getRegex(), Tt = g$1("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)[\\s](_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)|(?:(?!_)punct|notPunctSpace)(_+)(?!_)(?=notPunctSpace)", "gu").replace(/notPunctSpace/g, Y$1).replace(/punctSpace/g, N$1).replace(/punct/g, L$1).getRegex(), Ot = g$1(/^~~?(?:((?!~)punct)|[^\s~])/, "u").replace(/punct/g, L$1).getRegex(), Pt = g$1("^[^~]+(?=[^~])|(?!~)punct(~~?)(?=[\\s]|$)|notPunctSpace(~~?)(?!~)(?=punctSpace|$)|(?!~)punctSpace(~~?)(?=notPunctSpace)|[\\s](~~?)(?!~)(?=punct)|(?!~)punct(~~?)(?!~)(?=punct)|notPunctSpace(~~?)(?=notPunctSpace)", "gu").replace(/notPunctSpace/g, Y$1).replace(/punctSpace/g, N$1).replace(/punct/g, L$1).getRegex(), yt = g$1(/\\(punct)/, "gu").replace(/punct/g, L$1).getRegex(), St = g$1(/(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)|`+|\\(punct)/, "gu").replace(/punct/g, L$1).getRegex(), _t = g$1(/^<(scheme:[^\s\x00-\x1f<>]*|email)>/).replace("scheme", /[a-zA-Z][a-zA-Z0-9+.-]{1,31}/).replace("email", /[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+(@)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+(?![-_])/).getRegex(), $t = g$1(ke$1).replace("(?:-->|$)", "-->").getRegex(), Lt = g$1("^comment|^</[a-zA-Z][a-zA-Z0-9-]*\\s*>|^<[a-zA-Z][a-zA-Z0-9-]*(?:attribute)*?\\s*/?>|^<\\?[\\s\\S]*?\\?>|^<![a-zA-Z]+\\s[\\s\\S]*?>|^<!\\[CDATA\\[[\\s\\S]*?\\]\\]>").replace("comment", $t).replace("attribute", /\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|\s*=\s*[^\s"'=<>`]+)?/).getRegex(), Me$1 = /\[(?:\\[\s\S]|[^\[\]\\])*\]/, ie$1 = g$1(/(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\])|[^\[\]\\`])*?/).replace("brackets", Me$1).getRegex(), Ct = g$1(/^!?\[(label)\]\([ \t\n]*(href)(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(title))?[ \t\n]*\)/).replace("label", ie$1).replace("href", /<(?:\\.|[^\n<>\\])*>|(?!<)[^ \t\n\x00-\x1f]+|(?=\))/).replace("title", /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^)\\])*\)/).getRegex(), It = g$1(/^!?\[(label)\]\[(ref)\]/).replace("label", ie$1).replace("ref", ge$1).getRegex(), At = g$1(/^!?\[(ref)\](?:\[\])?/).replace("ref", ge$1).getRegex(), ye$1 = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\]){1,999}/, Et = g$1(/(?:[^\[\]\\`]*(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\]))){0,999}?[^\[\]\\`]*?/).replace("brackets", Me$1).getRegex(), zt = g$1("reflink|nolink(?!\\()", "g").replace("reflink", g$1(/^!?\[(label)\]\[(ref)\]/).replace("label", Et).replace("ref", ye$1).getRegex()).replace("nolink", g$1(/^!?\[(ref)\](?:\[\])?/).replace("ref", ye$1).getRegex()).getRegex(), Se$1 = /[hH][tT][tT][pP][sS]?|[fF][tT][pP]/, Bt = g$1(/(?:mailto:email|xmpp:email(?:\/[A-Za-z0-9@.]+)?)/).replace(/email/g, /[A-Za-z0-9._+-]+@[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/).getRegex(), me$1 = {
	_backpedal: q$1,
	anyPunctuation: yt,
	anyPunctuationOutsideCode: St,
	autolink: _t,
	blockSkip: pt,
	br: Ie$1,
	code: st,
	del: q$1,
	delLDelim: q$1,
	delRDelim: q$1,
	emStrongLDelim: ct,
	emStrongRDelimAst: kt,
	emStrongRDelimUnd: bt,
	escape: rt,
	link: Ct,
	nolink: At,
	punctuation: ot,
	reflink: It,
	reflinkSearch: zt,
	tag: Lt,
	text: it,
	url: q$1
}, Dt = {
	...me$1,
	emStrongLDelim: gt,
	emStrongRDelimAst: xt,
	emStrongRDelimUnd: Tt,
	link: g$1(/^!?\[(label)\]\((.*?)\)/).replace("label", ie$1).getRegex(),
	reflink: g$1(/^!?\[(label)\]\s*\[([^\]]*)\]/).replace("label", ie$1).getRegex()
}, pe$1 = {
	...me$1,
	emStrongRDelimAst: ft,
	emStrongLDelim: ht,
	delLDelim: Ot,
	delRDelim: Pt,
	url: g$1(/^emailProtocol|^((?:protocol):\/\/|www\.)(?:[a-zA-Z0-9\-]+\.?)+[^\s<]*|^email/).replace("emailProtocol", Bt).replace("protocol", Se$1).replace("email", /[A-Za-z0-9._+-]+(@)[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/).getRegex(),
	_backpedal: /(?:[^?!.,:;*_'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*_'"~)]+(?!$))+/,
	del: /^(~~?)(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))\1(?=[^~]|$)/,
	text: g$1(/^(?:[^a-zA-Z0-9](?=emailProtocol)|(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|(?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)|[\s\S]*?(?:(?=[\\<!\[`*~_]|\b_|protocol:\/\/|wwwStart|$)|[^ ](?= {2,}\n)|[^a-zA-Z0-9](?=emailProtocol)|[^a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-](?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@))))/).replace("protocol", Se$1).replace(/emailProtocol/g, /(?:mailto|xmpp):/).replace("wwwStart", _e$1 ? "(?<![^\\s*_~(])www\\." : "www\\.").getRegex()
}, qt = {
	...pe$1,
	br: g$1(Ie$1).replace("{2,}", "*").getRegex(),
	text: g$1(pe$1.text).replace("\\b_", "\\b_| {2,}\\n").replace(/\{2,\}/g, "*").getRegex()
}, ee$1 = {
	normal: fe$1,
	gfm: tt,
	pedantic: nt
}, F$1 = {
	normal: me$1,
	gfm: pe$1,
	breaks: qt,
	pedantic: Dt
}, vt = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;",
	"'": "&#39;"
}, Be = (l) => vt[l];
function y$1(l, e) {
	if (e) {
		if (O$1.escapeTest.test(l)) return l.replace(O$1.escapeReplace, Be);
	} else if (O$1.escapeTestNoEncode.test(l)) return l.replace(O$1.escapeReplaceNoEncode, Be);
	return l;
}
function De(l) {
	return O$1.numericCharacterReference.test(l) ? l.replace(O$1.numericCharacterReferenceOrAmpersand, (e, t, n) => {
		if (t === void 0 && n === void 0) return "&amp;";
		let r = t === void 0 ? Number.parseInt(n, 16) : Number.parseInt(t, 10);
		return r === 0 || r > 1114111 || r >= 55296 && r <= 57343 ? "�" : r === 38 ? "&amp;" : String.fromCodePoint(r);
	}) : l;
}
function xe(l) {
	try {
		l = encodeURI(l).replace(O$1.percentDecode, "%");
	} catch {
		return null;
	}
	return l;
}
function be$1(l, e) {
	let n = l.replace(O$1.findPipe, (s, o, i) => {
		let a = !1, c = o;
		for (; --c >= 0 && i[c] === "\\";) a = !a;
		return a ? "|" : " |";
	}).split(O$1.splitPipe), r = 0;
	if (n[0].trim() || n.shift(), n.length > 0 && !n.at(-1)?.trim() && n.pop(), e) {
		if (n.length > e) n.splice(e);
		else for (; n.length < e;) n.push("");
	}
	for (; r < n.length; r++) n[r] = n[r].trim().replace(O$1.slashPipe, "|");
	return n;
}
function C$1(l, e, t) {
	let n = l.length;
	if (n === 0) return "";
	let r = 0;
	for (; r < n;) {
		let s = l.charAt(n - r - 1);
		if (s === e && !t) r++;
		else if (s !== e && t) r++;
		else break;
	}
	return l.slice(0, n - r);
}
function Re$1(l) {
	let e = l.split("\n"), t = e.length - 1;
	for (; t >= 0 && O$1.blankLine.test(e[t]);) t--;
	return e.length - t <= 2 ? l : e.slice(0, t + 1).join("\n");
}
function W$1(l) {
	return l.trim().replace(O$1.multipleSpaceGlobal, " ").toLowerCase().toUpperCase().toLowerCase();
}
function Te$1(l, e) {
	if (l.indexOf(e[0]) === -1 && l.indexOf(e[1]) === -1) return -1;
	let t = 0;
	for (let n = 0; n < l.length; n++) if (l[n] === "\\") n++;
	else if (l[n] === e[0]) t++;
	else if (l[n] === e[1] && (t--, t < 0)) return n;
	return t > 0 ? -2 : -1;
}
var Q$1 = new WeakMap();
function Oe$1(l) {
	let e = {
		"*": -1,
		_: -1
	}, t = -1, n = l.length;
	for (let r = 0; r < n; r++) {
		let s = l[r];
		if (s !== "*" && s !== "_" && s !== "~") continue;
		let o = r === 0 ? "\n" : l[r - 1], i = r + 1;
		for (; i < n && l[i] === s;) i++;
		o !== " " && o !== "	" && o !== "\n" && o !== "\r" && o !== "\f" && (s === "~" ? t = r : e[s] = r), r = i - 1;
	}
	return {
		maskedSrc: l,
		lastPossibleEmStrongCloserIndex: e,
		lastPossibleDelCloserIndex: t
	};
}
function qe(l, e) {
	let t = Oe$1(e), n = Q$1.get(l);
	n ? n.push(t) : Q$1.set(l, [t]);
}
function ve(l) {
	let e = Q$1.get(l);
	e && (e.pop(), e.length === 0 && Q$1.delete(l));
}
function oe$1(l, e, t) {
	let n = Q$1.get(l)?.at(-1);
	return n && n.maskedSrc === e ? n.lastPossibleEmStrongCloserIndex[t] : Oe$1(e).lastPossibleEmStrongCloserIndex[t];
}
function ae$1(l, e) {
	let t = Q$1.get(l)?.at(-1);
	return t && t.maskedSrc === e ? t.lastPossibleDelCloserIndex : Oe$1(e).lastPossibleDelCloserIndex;
}
function te$1(l, e = 0) {
	let t = e, n = "";
	for (let r of l) if (r === "	") {
		let s = 4 - t % 4;
		n += " ".repeat(s), t += s;
	} else n += r, t++;
	return n;
}
function Ht(l, e) {
	let t = "";
	for (let n = 0; n < l.length; n++) {
		if (l[n] === "`") {
			let r = e.inline.code.exec(l.slice(n));
			if (r) {
				t += r[0], n += r[0].length - 1;
				continue;
			}
		}
		l[n] === "\\" && (l[n + 1] === "[" || l[n + 1] === "]") ? (t += l[n + 1], n++) : t += l[n];
	}
	return t;
}
function He(l, e, t, n, r) {
	let s = e.href, o = e.title || null, i = Ht(l[1], r), a = l[0].charAt(0) === "!", c = n.state.inLink, u = n.state.linkEmitted, d = n.state.inRawBlock;
	n.state.inLink = !0, n.state.linkEmitted = !1;
	let h = n.inlineTokens(i), p = n.state.linkEmitted;
	if (n.state.linkEmitted = u, n.state.inLink = c, !a) {
		if (p) {
			n.state.inRawBlock = d;
			return;
		}
		n.state.linkEmitted = !0;
	}
	return {
		type: a ? "image" : "link",
		raw: t,
		href: s,
		title: o,
		text: i,
		tokens: h
	};
}
function Zt(l, e, t) {
	let n = l.match(t.other.indentCodeCompensation);
	if (n === null) return e;
	let r = n[1];
	return e.split("\n").map((s) => {
		let o = s.match(t.other.beginningSpace);
		if (o === null) return s;
		let [i] = o;
		return s.slice(Math.min(i.length, r.length));
	}).join("\n");
}
function Ze(l, e, t, n) {
	if (!e.includes("<")) return !1;
	for (let r = 0; r < e.length; r++) {
		if (e[r] === "\\") {
			r++;
			continue;
		}
		if (e[r] === "`") {
			let i = n.inline.code.exec(e.slice(r));
			if (i) {
				r += i[0].length - 1;
				continue;
			}
		}
		if (e[r] !== "<") continue;
		let s = l.slice(t + r), o = n.inline.tag.exec(s) || n.inline.autolink.exec(s);
		if (o) {
			if (o[0].length > e.length - r) return !0;
			r += o[0].length - 1;
		}
	}
	return !1;
}
var _$1 = class {
	options;
	rules;
	lexer;
	constructor(e) {
		this.options = e || S;
	}
	space(e) {
		let t = this.rules.block.newline.exec(e);
		if (t && t[0].length > 0) return {
			type: "space",
			raw: t[0]
		};
	}
	code(e) {
		let t = this.rules.block.code.exec(e);
		if (t) {
			let n = this.options.pedantic ? t[0] : Re$1(t[0]);
			return {
				type: "code",
				raw: n,
				codeBlockStyle: "indented",
				text: n.replace(this.rules.other.codeRemoveIndent, "")
			};
		}
	}
	fences(e) {
		let t = this.rules.block.fences.exec(e);
		if (t) {
			let n = t[0], r = Zt(n, t[3] || "", this.rules);
			return t[3] !== void 0 && (r === "" || r.endsWith("\n")) && (r += "\n"), {
				type: "code",
				raw: n,
				lang: t[2] ? t[2].trim().replace(this.rules.inline.anyPunctuation, "$1") : t[2],
				text: r
			};
		}
	}
	heading(e) {
		let t = this.rules.block.heading.exec(e);
		if (t) {
			let n = t[2].trim();
			if (this.rules.other.endingHash.test(n)) {
				let r = C$1(n, "#");
				(this.options.pedantic || !r || this.rules.other.endingSpaceTabChar.test(r)) && (n = r.trim());
			}
			return {
				type: "heading",
				raw: C$1(t[0], "\n"),
				depth: t[1].length,
				text: n,
				tokens: this.lexer.inline(n)
			};
		}
	}
	hr(e) {
		let t = this.rules.block.hr.exec(e);
		if (t) return {
			type: "hr",
			raw: C$1(t[0], "\n")
		};
	}
	blockquote(e) {
		let t = this.rules.block.blockquote.exec(e);
		if (t) {
			let n = C$1(t[0], "\n").split("\n"), r = "", s = "", o = [];
			for (; n.length > 0;) {
				let i = !1, a = [], c = 0;
				for (; c < n.length; c++) if (this.rules.other.blockquoteStart.test(n[c])) a.push(n[c]), i = !0;
				else if (!i) a.push(n[c]);
				else break;
				n = n.slice(c);
				let u = a.join("\n"), d = u.replace(this.rules.other.blockquoteMarkerWhitespace, (k, m, b) => b.startsWith(" ") ? m + " " + b.slice(1) : m + te$1(b, m.length)).replace(this.rules.other.blockquoteSetextReplace, "\n    $1").replace(this.rules.other.blockquoteSetextReplace2, "");
				r = r ? `${r}
${u}` : u, s = s ? `${s}
${d}` : d;
				let h = this.lexer.state.top;
				if (this.lexer.state.top = !0, this.lexer.blockTokens(d, o, !0), this.lexer.state.top = h, n.length === 0) break;
				let p = o.at(-1);
				if (p?.type === "code" || p?.type === "heading" || p?.type === "hr" || p?.type === "html" || p?.type === "table") break;
				if (p?.type === "blockquote") {
					let k = p, m = n.join("\n"), b = k.raw + "\n" + m.replace(this.rules.other.blockquoteSetextReplace2, ""), f = this.blockquote(b);
					o[o.length - 1] = f;
					let R = b.substring(f.raw.length).replace(/^\n/, ""), E = R ? R.split("\n").length : 0, T = E ? n.slice(0, -E) : n;
					if (T.length > 0 && (r = `${r}
${T.join("\n")}`), s = s.substring(0, s.length - k.text.length) + f.text, n = n.slice(T.length), n.length > 0 && this.rules.other.blockquoteStart.test(n[0])) continue;
					break;
				}
				if (p?.type === "list") {
					let k = p, m = k.raw + "\n" + n.join("\n"), b = this.list(m);
					o[o.length - 1] = b;
					let f = b.raw.length > k.raw.length ? m.slice(k.raw.length + 1, b.raw.length).split("\n").length : 0;
					if (f > 0) {
						let R = n.slice(0, f).join("\n");
						r = `${r}
${R}`, s = `${s}
${R}`;
					}
					if (n = n.slice(f), n.length > 0 && !this.rules.other.blockquoteStart.test(n[0])) break;
				}
			}
			return {
				type: "blockquote",
				raw: r,
				tokens: o,
				text: s
			};
		}
	}
	list(e) {
		let t = this.rules.block.list.exec(e);
		if (t) {
			if (!this.options.pedantic && this.lexer.state.lastToken?.type === "text" && !this.rules.other.listInterruptsParagraph.test(e)) return;
			let n = e, r = () => n.length - e.length, s = t[1].trim(), o = s.length > 1, i = {
				type: "list",
				raw: "",
				ordered: o,
				start: o ? +s.slice(0, -1) : "",
				loose: !1,
				items: []
			};
			s = o ? `\\d{1,9}\\${s.slice(-1)}` : `\\${s}`, this.options.pedantic && (s = o ? s : "[*+-]");
			let a = this.rules.other.listItemRegex(s), c = !1;
			for (; e;) {
				let h = !1, p = "";
				if (!(t = a.exec(e)) || this.rules.block.hr.test(e)) break;
				let k = r();
				e = e.substring(t[0].length);
				let m = t[2].split("\n", 1)[0], b = t[1].length, f = this.options.pedantic ? te$1(m, b) : m.replace(this.rules.other.leadingSpaceTab, (H) => te$1(H, b)), R = e.split("\n", 1)[0], E = !f.trim(), T = 0;
				if (this.options.pedantic ? (T = 2, p = f.trimStart()) : E ? T = b + 1 : (T = f.search(this.rules.other.nonSpaceChar), T = T > 4 ? 1 : T, p = f.slice(T), T += b), E && this.rules.other.blankLine.test(R) && (e = e.substring(R.length + 1), h = !0), !h) {
					let H = this.rules.other.nextBulletRegex(T), K = this.rules.other.hrRegex(T), re = this.rules.other.fencesBeginRegex(T), B = this.options.pedantic ? this.rules.other.pedanticHeadingBeginRegex(T) : this.rules.other.headingBeginRegex(T), X = this.rules.other.htmlBeginRegex(T), se = this.rules.other.blockquoteBeginRegex(T), le = !1;
					for (; e;) {
						let we = e.split("\n", 1)[0], Z;
						if (R = we, this.options.pedantic ? (R = R.replace(this.rules.other.listReplaceNesting, "  "), Z = R) : Z = R.replace(this.rules.other.leadingSpaceTab, ($) => te$1($)), re.test(R) || B.test(R) || X.test(R) || se.test(R) || H.test(R) || K.test(R)) break;
						if (Z.search(this.rules.other.nonSpaceChar) >= T || !R.trim()) p += "\n" + Z.slice(T), le = !1;
						else {
							if (E) break;
							let $ = f;
							if (!this.options.pedantic && !p.includes("\n") && !f.includes("	")) {
								let j;
								for (; !K.test($) && (j = this.rules.other.nestedBlockMarker.exec($));) $ = $.slice(j[0].length);
								if (!$.trim()) break;
							}
							if ($.replace(this.rules.other.tabCharGlobal, "    ").search(this.rules.other.nonSpaceChar) >= 4 || re.test($) || B.test($) || X.test($) || K.test($)) break;
							if (!this.options.pedantic && !le) {
								let j = f.replace(this.rules.other.nestedContainerMarkers, "");
								if (this.rules.block.fences.test(j) || this.rules.block.heading.test(j) || this.rules.block.hr.test(j)) break;
							}
							let je = !this.options.pedantic && /^ {0,3}(?:=+|-+) *$/.test(R) && this.rules.block.lheading.test(`${f}
${R}`) ? `    ${Z.replace(/^ {0,3}/, "")}` : R;
							p += "\n" + je, le = !0;
						}
						E = !R.trim(), e = e.substring(we.length + 1), f = Z.slice(T);
					}
				}
				let U = n.slice(k, r());
				i.loose || (c ? i.loose = !0 : this.rules.other.doubleBlankLine.test(U) && (c = !0)), i.items.push({
					type: "list_item",
					raw: U,
					task: !!this.options.gfm && this.rules.other.listIsTask.test(p),
					loose: !1,
					text: p,
					tokens: []
				});
			}
			let u = i.items.at(-1);
			if (u) u.raw = u.raw.trimEnd(), u.text = u.text.trimEnd();
			else return;
			i.raw = n.slice(0, r()).trimEnd();
			let d = [];
			for (let h of i.items) if (this.lexer.state.top = !1, d.push(this.lexer.inlineQueue.length), h.tokens = this.lexer.blockTokens(h.text, []), !i.loose) {
				let p = h.tokens.filter((m) => m.type === "space");
				i.loose = p.length > 0 && p.some((m) => this.rules.other.anyLine.test(m.raw));
			}
			for (let h = 0; h < i.items.length; h++) {
				let p = i.items[h], k = p.tokens[0];
				if (p.task && (k?.type === "text" || k?.type === "paragraph")) {
					p.text = p.text.replace(this.rules.other.listReplaceTask, ""), k.raw = k.raw.replace(this.rules.other.listReplaceTask, ""), k.text = k.text.replace(this.rules.other.listReplaceTask, "");
					let m = this.lexer.inlineQueue;
					for (let f = d[h]; f < m.length; f++) if (m[f].tokens === k.tokens) {
						m[f].src = m[f].src.replace(this.rules.other.listReplaceTask, "");
						break;
					}
					let b = this.rules.other.listTaskCheckbox.exec(p.raw);
					if (b) {
						let f = {
							type: "checkbox",
							raw: b[0] + " ",
							checked: b[0] !== "[ ]"
						};
						p.checked = f.checked, i.loose ? p.tokens[0] && ["paragraph", "text"].includes(p.tokens[0].type) && "tokens" in p.tokens[0] && p.tokens[0].tokens ? (p.tokens[0].raw = f.raw + p.tokens[0].raw, p.tokens[0].text = f.raw + p.tokens[0].text, p.tokens[0].tokens.unshift(f)) : p.tokens.unshift({
							type: "paragraph",
							raw: f.raw,
							text: f.raw,
							tokens: [f]
						}) : p.tokens.unshift(f);
					}
				} else p.task &&= !1;
			}
			if (i.loose) for (let h of i.items) {
				h.loose = !0;
				for (let p of h.tokens) p.type === "text" && (p.type = "paragraph");
			}
			return i;
		}
	}
	html(e) {
		let t = this.rules.block.html.exec(e);
		if (t) {
			if (this.lexer.state.lastToken?.type === "paragraph" && !this.rules.other.htmlBeginRegex(4).test(e)) return;
			let n = Re$1(t[0]);
			return {
				type: "html",
				block: !0,
				raw: n,
				pre: t[1] === "pre" || t[1] === "script" || t[1] === "style",
				text: n
			};
		}
	}
	def(e) {
		let t = this.rules.block.def.exec(e);
		if (t) {
			if (!this.rules.other.startAngleBracket.test(t[2]) && Te$1(t[2], "()") !== -1) return;
			let n = W$1(t[1]), r = t[2] ? t[2].replace(this.rules.other.hrefBrackets, "$1").replace(this.rules.inline.anyPunctuation, "$1") : "", s = t[3] ? t[3].substring(1, t[3].length - 1).replace(this.rules.inline.anyPunctuation, "$1") : t[3];
			return {
				type: "def",
				tag: n,
				raw: C$1(t[0], "\n"),
				href: r,
				title: s
			};
		}
	}
	table(e) {
		let t = this.rules.block.table.exec(e);
		if (!t || !this.rules.other.tableDelimiter.test(t[2])) return;
		let n = be$1(t[1]), r = t[2].replace(this.rules.other.tableAlignChars, "").split("|"), s = t[3]?.trim() ? t[3].replace(this.rules.other.tableRowBlankLine, "").split("\n") : [], o = {
			type: "table",
			raw: C$1(t[0], "\n"),
			header: [],
			align: [],
			rows: []
		};
		if (n.length === r.length) {
			for (let i of r) this.rules.other.tableAlignRight.test(i) ? o.align.push("right") : this.rules.other.tableAlignCenter.test(i) ? o.align.push("center") : this.rules.other.tableAlignLeft.test(i) ? o.align.push("left") : o.align.push(null);
			for (let i = 0; i < n.length; i++) o.header.push({
				text: n[i],
				tokens: this.lexer.inline(n[i]),
				header: !0,
				align: o.align[i]
			});
			for (let i of s) o.rows.push(be$1(i, o.header.length).map((a, c) => ({
				text: a,
				tokens: this.lexer.inline(a),
				header: !1,
				align: o.align[c]
			})));
			return o;
		}
	}
	lheading(e) {
		let t = this.rules.block.lheading.exec(e);
		if (t) {
			let n = t[1].trim();
			return {
				type: "heading",
				raw: C$1(t[0], "\n"),
				depth: t[2].charAt(0) === "=" ? 1 : 2,
				text: n,
				tokens: this.lexer.inline(n)
			};
		}
	}
	paragraph(e) {
		let t = this.rules.block.paragraph.exec(e);
		if (t) {
			let n = t[1].charAt(t[1].length - 1) === "\n" ? t[1].slice(0, -1) : t[1];
			return {
				type: "paragraph",
				raw: t[0],
				text: n,
				tokens: this.lexer.inline(n)
			};
		}
	}
	text(e) {
		let t = this.rules.block.text.exec(e);
		if (t) return {
			type: "text",
			raw: t[0],
			text: t[0],
			tokens: this.lexer.inline(t[0])
		};
	}
	escape(e) {
		if (e.charCodeAt(0) !== 92) return;
		let t = this.rules.inline.escape.exec(e);
		if (t) return {
			type: "escape",
			raw: t[0],
			text: t[1]
		};
	}
	tag(e) {
		if (e.charCodeAt(0) !== 60) return;
		let t = this.rules.inline.tag.exec(e);
		if (t) return !this.lexer.state.inLink && this.rules.other.startATag.test(t[0]) ? this.lexer.state.inLink = !0 : this.lexer.state.inLink && this.rules.other.endATag.test(t[0]) && (this.lexer.state.inLink = !1), !this.lexer.state.inRawBlock && this.rules.other.startPreScriptTag.test(t[0]) ? this.lexer.state.inRawBlock = !0 : this.lexer.state.inRawBlock && this.rules.other.endPreScriptTag.test(t[0]) && (this.lexer.state.inRawBlock = !1), {
			type: "html",
			raw: t[0],
			inLink: this.lexer.state.inLink,
			inRawBlock: this.lexer.state.inRawBlock,
			block: !1,
			text: t[0]
		};
	}
	link(e) {
		if (this.lexer.state.linkParenPossible === !1) return;
		let t = e.charCodeAt(0);
		if (t !== 91 && t !== 33) return;
		let n = this.rules.inline.link.exec(e);
		if (n) {
			let r = n[0].charAt(0) === "!" ? 2 : 1;
			if (!this.options.pedantic && Ze(e, n[1], r, this.rules)) return;
			let s = n[2].trim();
			if (!this.options.pedantic && this.rules.other.startAngleBracket.test(s)) {
				if (!this.rules.other.endAngleBracket.test(s)) return;
				let c = C$1(s.slice(0, -1), "\\");
				if ((s.length - c.length) % 2 == 0) return;
			} else {
				let c = Te$1(n[2], "()");
				if (c === -2) return;
				if (c > -1) {
					let d = (n[0].indexOf("!") === 0 ? 5 : 4) + n[1].length + c;
					n[2] = n[2].substring(0, c), n[0] = n[0].substring(0, d).trim(), n[3] = "";
				}
			}
			let o = C$1(n[0].slice(0, -1), "\\");
			if ((n[0].length - o.length) % 2 == 0) return;
			let i = n[2], a = "";
			if (this.options.pedantic) {
				let c = this.rules.other.pedanticHrefTitle.exec(i);
				c && (i = c[1], a = c[3]);
			} else a = n[3] ? n[3].slice(1, -1) : "";
			return i = i.trim(), this.rules.other.startAngleBracket.test(i) && (i = this.options.pedantic && !this.rules.other.endAngleBracket.test(s) ? i.slice(1) : i.slice(1, -1)), He(n, {
				href: i && i.replace(this.rules.inline.anyPunctuation, "$1"),
				title: a && a.replace(this.rules.inline.anyPunctuation, "$1")
			}, n[0], this.lexer, this.rules);
		}
	}
	reflink(e, t) {
		let n = e.charCodeAt(0);
		if (n !== 91 && n !== 33) return;
		let r;
		if ((r = this.rules.inline.reflink.exec(e)) || (r = this.rules.inline.nolink.exec(e))) {
			let s = r[0].charAt(0) === "!" ? 2 : 1;
			if (!this.options.pedantic && Ze(e, r[1], s, this.rules)) return;
			let o = t[W$1(r[2] || r[1])];
			if (!o) {
				let i = r[0].charAt(0);
				return {
					type: "text",
					raw: i,
					text: i
				};
			}
			return He(r, o, r[0], this.lexer, this.rules);
		}
	}
	emStrong(e, t, n = "") {
		let r = this.rules.inline.emStrongLDelim.exec(e);
		if (!r || !r[1] && !r[2] && !r[3] && !r[4]) return;
		let s = r[0][0], o = n === s, i = t.length - e.length, a = i;
		for (; !this.options.pedantic && a > 0 && t[a - 1] === s;) a--;
		let c = [...t.slice(Math.max(0, a - 2), a)].at(-1) ?? "", u = c === "*" || c === "_" || !!this.rules.inline.punctuation.exec(c);
		a < i && (n = c);
		let d = a < i ? u : n === "*" || n === "_" || !!this.rules.inline.punctuation.exec(n);
		if (r[4] && n.match(this.rules.other.unicodeAlphaNumeric)) return;
		let h = r[1] || r[3] || "";
		if (!h || !n || d) {
			let p = [...r[0]].length - 1, k, m, b = p, f = 0, R = i - a + p, E = !this.options.pedantic && !!c.trim() && (!!h || s === "*" && !u);
			if (s !== "*" && s !== "_") return;
			let T = s === "*" ? this.rules.inline.emStrongRDelimAst : this.rules.inline.emStrongRDelimUnd, U = oe$1(this, t, s), H = t.length - e.length + p;
			if (U < H) return;
			t = t.slice(-1 * e.length + p);
			let K = U - H;
			for (T.lastIndex = 0; (r = T.exec(t)) !== null && !(r.index > K);) {
				if (k = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !k) continue;
				if (m = [...k].length, r[3] || r[4]) {
					b += m;
					continue;
				}
				if ((r[5] || r[6] || E) && R % 3 && !((R + m) % 3)) {
					if (o && (r[5] || r[6])) break;
					f += m;
					continue;
				}
				if (b -= m, b > 0) continue;
				m = Math.min(m, m + b + f);
				let re = [...r[0]][0].length, B = e.slice(0, p + r.index + re + m);
				if (Math.min(p, m) % 2) {
					let se = B.slice(1, -1);
					return {
						type: "em",
						raw: B,
						text: se,
						tokens: this.lexer.inlineTokens(se)
					};
				}
				let X = B.slice(2, -2);
				return {
					type: "strong",
					raw: B,
					text: X,
					tokens: this.lexer.inlineTokens(X)
				};
			}
		}
	}
	codespan(e) {
		if (e.charCodeAt(0) !== 96) return;
		let t = this.rules.inline.code.exec(e);
		if (t) {
			let n = t[2].replace(this.rules.other.newLineCharGlobal, " "), r = this.rules.other.nonSpaceChar.test(n), s = this.rules.other.startingSpaceChar.test(n) && this.rules.other.endingSpaceChar.test(n);
			return r && s && (n = n.substring(1, n.length - 1)), {
				type: "codespan",
				raw: t[0],
				text: n
			};
		}
	}
	br(e) {
		let t = e.charCodeAt(0);
		if (t !== 32 && t !== 92 && t !== 10) return;
		let n = this.rules.inline.br.exec(e);
		if (n) return {
			type: "br",
			raw: n[0]
		};
	}
	del(e, t, n = "") {
		if (e.charCodeAt(0) !== 126) return;
		let r = this.rules.inline.delLDelim.exec(e);
		if (r && (!r[1] || !n || this.rules.inline.punctuation.exec(n))) {
			let o = [...r[0]].length - 1, i, a, c = o, u = this.rules.inline.delRDelim, d = ae$1(this, t), h = t.length - e.length + o;
			if (d < h) return;
			t = t.slice(-1 * e.length + o);
			let p = d - h;
			for (u.lastIndex = 0; (r = u.exec(t)) !== null && !(r.index > p);) {
				if (i = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !i || (a = [...i].length, a !== o)) continue;
				if (r[3] || r[4]) {
					c += a;
					continue;
				}
				if (c -= a, c > 0) continue;
				a = Math.min(a, a + c);
				let k = [...r[0]][0].length, m = e.slice(0, o + r.index + k + a), b = m.slice(o, -o);
				return {
					type: "del",
					raw: m,
					text: b,
					tokens: this.lexer.inlineTokens(b)
				};
			}
		}
	}
	autolink(e) {
		if (e.charCodeAt(0) !== 60) return;
		let t = this.rules.inline.autolink.exec(e);
		if (t) {
			let n, r;
			return t[2] === "@" ? (n = t[1], r = "mailto:" + n) : (n = t[1], r = n), {
				type: "link",
				raw: t[0],
				text: n,
				href: r,
				autolink: !0,
				tokens: [{
					type: "text",
					raw: n,
					text: n
				}]
			};
		}
	}
	url(e) {
		let t;
		if (t = this.rules.inline.url.exec(e)) {
			let n, r;
			if (t[2] === "@") n = t[0], r = "mailto:" + n;
			else {
				let s;
				do
					s = t[0], t[0] = this.rules.inline._backpedal.exec(t[0])?.[0] ?? "";
				while (s !== t[0]);
				n = t[0], r = t[1] === "www." ? "http://" + t[0] : t[0];
			}
			return {
				type: "link",
				raw: t[0],
				text: n,
				href: r,
				autolink: !0,
				tokens: [{
					type: "text",
					raw: n,
					text: n
				}]
			};
		}
	}
	inlineText(e) {
		let t = this.rules.inline.text.exec(e);
		if (t) {
			let n = this.lexer.state.inRawBlock;
			return {
				type: "text",
				raw: t[0],
				text: n ? t[0] : De(t[0]),
				escaped: n
			};
		}
	}
}, w$1 = class l {
	tokens;
	options;
	state;
	inlineQueue;
	tokenizer;
	constructor(e) {
		this.tokens = [], this.tokens.links = Object.create(null), this.options = e || S, this.options.tokenizer = this.options.tokenizer || new _$1(), this.tokenizer = this.options.tokenizer, this.tokenizer.options = this.options, this.tokenizer.lexer = this, this.inlineQueue = [], this.state = {
			inLink: !1,
			inRawBlock: !1,
			linkEmitted: !1,
			linkParenPossible: !0,
			top: !0
		};
		let t = {
			other: O$1,
			block: ee$1.normal,
			inline: F$1.normal
		};
		this.options.pedantic ? (t.block = ee$1.pedantic, t.inline = F$1.pedantic) : this.options.gfm && (t.block = ee$1.gfm, t.inline = this.options.breaks ? F$1.breaks : F$1.gfm), this.tokenizer.rules = t;
	}
	static get rules() {
		return {
			block: ee$1,
			inline: F$1
		};
	}
	static lex(e, t) {
		return new l(t).lex(e);
	}
	static lexInline(e, t) {
		return new l(t).inlineTokens(e);
	}
	lex(e) {
		e = e.replace(O$1.carriageReturn, "\n"), this.blockTokens(e, this.tokens);
		for (let t = 0; t < this.inlineQueue.length; t++) {
			let n = this.inlineQueue[t];
			this.state.inRawBlock = !1, this.inlineTokens(n.src, n.tokens);
		}
		return this.inlineQueue = [], this.tokens;
	}
	blockTokens(e, t = [], n = !1) {
		this.tokenizer.lexer = this;
		let r = this.state.lastToken;
		this.options.pedantic && (e = e.replace(O$1.tabCharGlobal, "    ").replace(O$1.spaceLine, ""));
		let s = 1 / 0, o, i = this.options.gfm && !this.options.pedantic && this.tokenizer.paragraph === _$1.prototype.paragraph;
		for (; e;) {
			if (e.length < s) s = e.length;
			else {
				this.infiniteLoopError(e.charCodeAt(0));
				break;
			}
			this.state.lastToken = t.at(-1);
			let a;
			if (this.options.extensions?.block?.some((u) => (a = u.call({ lexer: this }, e, t)) ? (e = e.substring(a.raw.length), t.push(a), !0) : !1)) continue;
			if (a = this.tokenizer.space(e)) {
				e = e.substring(a.raw.length);
				let u = t.at(-1);
				a.raw.length === 1 && u !== void 0 ? u.raw += "\n" : t.push(a);
				continue;
			}
			if (a = this.tokenizer.code(e)) {
				e = e.substring(a.raw.length);
				let u = t.at(-1);
				u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith("\n") ? "" : "\n") + a.raw, u.text += "\n" + a.text, this.inlineQueue.at(-1).src = u.text) : t.push(a);
				continue;
			}
			if ((a = this.tokenizer.fences(e)) || (a = this.tokenizer.heading(e)) || (a = this.tokenizer.hr(e)) || (a = this.tokenizer.blockquote(e)) || (a = this.tokenizer.list(e)) || (a = this.tokenizer.html(e))) {
				e = e.substring(a.raw.length), t.push(a);
				continue;
			}
			if (a = this.tokenizer.def(e)) {
				e = e.substring(a.raw.length);
				let u = t.at(-1);
				u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith("\n") ? "" : "\n") + a.raw, u.text += "\n" + a.raw, this.inlineQueue.at(-1).src = u.text) : (this.tokens.links[a.tag] || (this.tokens.links[a.tag] = {
					href: a.href,
					title: a.title
				}), t.push(a));
				continue;
			}
			if ((a = this.tokenizer.table(e)) || (a = this.tokenizer.lheading(e))) {
				e = e.substring(a.raw.length), t.push(a);
				continue;
			}
			let c = e;
			if (this.options.extensions?.startBlock) {
				let u = 1 / 0, d = e.slice(1), h;
				this.options.extensions.startBlock.forEach((p) => {
					h = p.call({ lexer: this }, d), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
				}), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
			}
			if (this.state.top && (a = this.tokenizer.paragraph(c))) {
				let u = t.at(-1);
				(n || u === o && i) && u?.type === "paragraph" ? (u.raw += (u.raw.endsWith("\n") ? "" : "\n") + a.raw, u.text += "\n" + a.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text, o = u) : (t.push(a), o = a), n = c.length !== e.length, e = e.substring(a.raw.length);
			} else if (a = this.tokenizer.text(e)) {
				e = e.substring(a.raw.length);
				let u = t.at(-1);
				u?.type === "text" ? (u.raw += (u.raw.endsWith("\n") ? "" : "\n") + a.raw, u.text += "\n" + a.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text) : t.push(a);
			} else if (e) {
				this.infiniteLoopError(e.charCodeAt(0));
				break;
			}
		}
		return this.state.top = !0, this.state.lastToken = r, t;
	}
	inline(e, t = []) {
		return this.inlineQueue.push({
			src: e,
			tokens: t
		}), t;
	}
	linkInText(e) {
		if (!e.includes("[")) return !1;
		let t = this.tokenizer.rules.inline.link;
		for (let n of e.matchAll(this.tokenizer.rules.inline.blockSkip)) if (t.test(n[0]) && e.charAt(n.index - 1) !== "!") return !0;
		for (let n of e.matchAll(this.tokenizer.rules.inline.reflinkSearch)) {
			let r = n[0], s = r.lastIndexOf("[");
			if (r.charAt(0) !== "!" && Object.hasOwn(this.tokens.links, W$1(r.slice(s + 1, -1))) && !(s > 1 && this.linkInText(r.slice(1, s - 1)))) return !0;
		}
		return !1;
	}
	inlineTokens(e, t = []) {
		this.tokenizer.lexer = this;
		let n = this.state.linkParenPossible;
		this.state.linkParenPossible = e.includes(")");
		try {
			return this.#t(e, t);
		} finally {
			this.state.linkParenPossible = n;
		}
	}
	#t(e, t) {
		let n = e.includes("*") || e.includes("_") || e.includes("~"), r = n || this.options.hooks?.emStrongMask || this.tokenizer.emStrong !== _$1.prototype.emStrong || this.tokenizer.del !== _$1.prototype.del ? this.#r(e) : e;
		if (!n) return this.#e(e, r, t);
		qe(this.tokenizer, r);
		try {
			return this.#e(e, r, t);
		} finally {
			ve(this.tokenizer);
		}
	}
	#e(e, t, n) {
		let r = !1, s = "", o = 1 / 0;
		for (; e;) {
			if (e.length < o) o = e.length;
			else {
				this.infiniteLoopError(e.charCodeAt(0));
				break;
			}
			r || (s = ""), r = !1;
			let i;
			if (this.options.extensions?.inline?.some((u) => (i = u.call({ lexer: this }, e, n)) ? (e = e.substring(i.raw.length), n.push(i), !0) : !1)) continue;
			if ((i = this.tokenizer.escape(e)) || (i = this.tokenizer.tag(e)) || (i = this.tokenizer.link(e))) {
				e = e.substring(i.raw.length), n.push(i);
				continue;
			}
			if (i = this.tokenizer.reflink(e, this.tokens.links)) {
				e = e.substring(i.raw.length);
				let u = n.at(-1);
				i.type === "text" && u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
				continue;
			}
			let a = e[0];
			if (a === "*" || a === "_") {
				let u = t.length - e.length;
				if (oe$1(this.tokenizer, t, a) <= u) {
					let h = 1;
					for (; h < e.length && e.charCodeAt(h) === a.charCodeAt(0);) h++;
					let p = e.substring(0, h), k = n.at(-1);
					k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({
						type: "text",
						raw: p,
						text: p,
						escaped: !1
					}), e = e.substring(h), s = a, r = !0;
					continue;
				}
			} else if (a === "~") {
				let u = t.length - e.length;
				if (ae$1(this.tokenizer, t) <= u) {
					let h = 1;
					for (; h < e.length && e.charCodeAt(h) === 126;) h++;
					let p = e.substring(0, h), k = n.at(-1);
					k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({
						type: "text",
						raw: p,
						text: p,
						escaped: !1
					}), e = e.substring(h), s = a, r = !0;
					continue;
				}
			}
			if ((i = this.tokenizer.emStrong(e, t, s)) || (i = this.tokenizer.codespan(e)) || (i = this.tokenizer.br(e)) || (i = this.tokenizer.del(e, t, s)) || (i = this.tokenizer.autolink(e)) || !this.state.inLink && (i = this.tokenizer.url(e))) {
				e = e.substring(i.raw.length), n.push(i);
				continue;
			}
			let c = e;
			if (this.options.extensions?.startInline) {
				let u = 1 / 0, d = e.slice(1), h;
				this.options.extensions.startInline.forEach((p) => {
					h = p.call({ lexer: this }, d), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
				}), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
			}
			if (i = this.tokenizer.inlineText(c)) {
				e = e.substring(i.raw.length), i.raw.slice(-1) !== "_" && (s = i.raw.slice(-1)), r = !0;
				let u = n.at(-1);
				u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
			} else if (e) {
				this.infiniteLoopError(e.charCodeAt(0));
				break;
			}
		}
		return n;
	}
	#n(e) {
		let { blockSkip: t, tag: n, autolink: r } = this.tokenizer.rules.inline, s = "", o = 0, i;
		for (t.lastIndex = 0; i = t.exec(e);) {
			let a = i.index + (i[2] ? i[2].length : 0), c = i.index + i[0].length;
			if (e.charAt(a) === "<") {
				let u = e.slice(a), d = n.exec(u) || r.exec(u);
				if (!d) {
					t.lastIndex = a + 1;
					continue;
				}
				c = a + d[0].length, t.lastIndex = c;
			}
			s += e.slice(o, a) + "[" + "a".repeat(c - a - 2) + "]", o = c;
		}
		return s + e.slice(o);
	}
	#r(e) {
		let t = e;
		if (this.tokens.links && e.includes("[")) {
			let n = this.tokenizer.rules.inline.reflinkSearch, r = (s) => {
				let o = s.lastIndexOf("[");
				if (!Object.hasOwn(this.tokens.links, W$1(s.slice(o + 1, -1)))) return s;
				if (o > 1 && s.charAt(0) !== "!") {
					let i = s.slice(1, o - 1);
					if (this.linkInText(i)) return "[" + i.replace(n, r) + "][" + "a".repeat(s.length - o - 2) + "]";
				}
				return "[" + "a".repeat(s.length - 2) + "]";
			};
			t = t.replace(n, r);
		}
		return t = t.replace(this.tokenizer.rules.inline.anyPunctuationOutsideCode, (n, r, s) => s ? "+".repeat(n.length) : r ? r + n.slice(r.length, -r.length).replace(/`/g, "+") + r : n), t = this.#n(t), t = this.options.hooks?.emStrongMask?.call({ lexer: this }, t) ?? t, t;
	}
	infiniteLoopError(e) {
		let t = "Infinite loop on byte: " + e;
		if (this.options.silent) console.error(t);
		else throw Error(t);
	}
}, I$1 = class {
	options;
	parser;
	constructor(e) {
		this.options = e || S;
	}
	space(e) {
		return "";
	}
	code({ text: e, lang: t, escaped: n }) {
		let r = (t || "").match(O$1.notSpaceStart)?.[0], s = e ? e.replace(O$1.endingNewline, "") + "\n" : "";
		return r ? "<pre><code class=\"language-" + y$1(r) + "\">" + (n ? s : y$1(s, !0)) + "</code></pre>\n" : "<pre><code>" + (n ? s : y$1(s, !0)) + "</code></pre>\n";
	}
	blockquote({ tokens: e }) {
		return `<blockquote>
${this.parser.parse(e)}</blockquote>
`;
	}
	html({ text: e }) {
		return e;
	}
	def(e) {
		return "";
	}
	heading({ tokens: e, depth: t }) {
		return `<h${t}>${this.parser.parseInline(e)}</h${t}>
`;
	}
	hr(e) {
		return "<hr>\n";
	}
	list(e) {
		let t = e.ordered, n = e.start, r = "";
		for (let i = 0; i < e.items.length; i++) {
			let a = e.items[i];
			r += this.listitem(a);
		}
		let s = t ? "ol" : "ul", o = t && n !== 1 ? " start=\"" + n + "\"" : "";
		return "<" + s + o + ">\n" + r + "</" + s + ">\n";
	}
	listitem(e) {
		return `<li>${this.parser.parse(e.tokens)}</li>
`;
	}
	checkbox({ checked: e }) {
		return "<input " + (e ? "checked=\"\" " : "") + "disabled=\"\" type=\"checkbox\"> ";
	}
	paragraph({ tokens: e }) {
		return `<p>${this.parser.parseInline(e)}</p>
`;
	}
	table(e) {
		let t = "", n = "";
		for (let s = 0; s < e.header.length; s++) n += this.tablecell(e.header[s]);
		t += this.tablerow({ text: n });
		let r = "";
		for (let s = 0; s < e.rows.length; s++) {
			let o = e.rows[s];
			n = "";
			for (let i = 0; i < o.length; i++) n += this.tablecell(o[i]);
			r += this.tablerow({ text: n });
		}
		return r &&= `<tbody>${r}</tbody>`, "<table>\n<thead>\n" + t + "</thead>\n" + r + "</table>\n";
	}
	tablerow({ text: e }) {
		return `<tr>
${e}</tr>
`;
	}
	tablecell(e) {
		let t = this.parser.parseInline(e.tokens), n = e.header ? "th" : "td";
		return (e.align ? `<${n} align="${e.align}">` : `<${n}>`) + t + `</${n}>
`;
	}
	strong({ tokens: e }) {
		return `<strong>${this.parser.parseInline(e)}</strong>`;
	}
	em({ tokens: e }) {
		return `<em>${this.parser.parseInline(e)}</em>`;
	}
	codespan({ text: e }) {
		return `<code>${y$1(e, !0)}</code>`;
	}
	br(e) {
		return "<br>";
	}
	del({ tokens: e }) {
		return `<del>${this.parser.parseInline(e)}</del>`;
	}
	link({ href: e, title: t, text: n, tokens: r, autolink: s }) {
		let o = s ? y$1(n, !0) : this.parser.parseInline(r), i = xe(e);
		if (i === null) return o;
		e = y$1(i, s);
		let a = "<a href=\"" + e + "\"";
		return t && (a += " title=\"" + y$1(t) + "\""), a += ">" + o + "</a>", a;
	}
	image({ href: e, title: t, text: n, tokens: r }) {
		r && (n = this.parser.parseInline(r, this.parser.textRenderer));
		let s = xe(e);
		if (s === null) return y$1(n);
		e = s;
		let o = `<img src="${y$1(e)}" alt="${y$1(n)}"`;
		return t && (o += ` title="${y$1(t)}"`), o += ">", o;
	}
	text(e) {
		return "tokens" in e && e.tokens ? this.parser.parseInline(e.tokens) : "escaped" in e && e.escaped ? e.text : y$1(e.text);
	}
}, z$1 = class {
	parser;
	strong({ text: e, tokens: t }) {
		return t ? this.parser.parseInline(t, this) : e;
	}
	em({ text: e, tokens: t }) {
		return t ? this.parser.parseInline(t, this) : e;
	}
	codespan({ text: e }) {
		return e;
	}
	del({ text: e, tokens: t }) {
		return t ? this.parser.parseInline(t, this) : e;
	}
	html({ text: e }) {
		return e;
	}
	text({ text: e }) {
		return e;
	}
	link({ text: e, tokens: t }) {
		return t ? this.parser.parseInline(t, this) : e;
	}
	image({ text: e, tokens: t }) {
		return t ? this.parser.parseInline(t, this) : e;
	}
	br() {
		return "\n";
	}
	checkbox({ raw: e }) {
		return e;
	}
}, P$1 = class l {
	options;
	renderer;
	textRenderer;
	constructor(e) {
		this.options = e || S, this.options.renderer = this.options.renderer || new I$1(), this.renderer = this.options.renderer, this.renderer.options = this.options, this.renderer.parser = this, this.textRenderer = new z$1(), this.textRenderer.parser = this;
	}
	static parse(e, t) {
		return new l(t).parse(e);
	}
	static parseInline(e, t) {
		return new l(t).parseInline(e);
	}
	parse(e) {
		this.renderer.parser = this;
		let t = "";
		for (let n = 0; n < e.length; n++) {
			let r = e[n];
			if (this.options.extensions?.renderers?.[r.type]) {
				let o = r, i = this.options.extensions.renderers[o.type].call({ parser: this }, o);
				if (i !== !1 || ![
					"space",
					"hr",
					"heading",
					"code",
					"table",
					"blockquote",
					"list",
					"checkbox",
					"html",
					"def",
					"paragraph",
					"text"
				].includes(o.type)) {
					t += i === !1 ? "" : i ?? "";
					continue;
				}
			}
			let s = r;
			switch (s.type) {
				case "space":
					t += this.renderer.space(s);
					break;
				case "hr":
					t += this.renderer.hr(s);
					break;
				case "heading":
					t += this.renderer.heading(s);
					break;
				case "code":
					t += this.renderer.code(s);
					break;
				case "table":
					t += this.renderer.table(s);
					break;
				case "blockquote":
					t += this.renderer.blockquote(s);
					break;
				case "list":
					t += this.renderer.list(s);
					break;
				case "checkbox":
					t += this.renderer.checkbox(s);
					break;
				case "html":
					t += this.renderer.html(s);
					break;
				case "def":
					t += this.renderer.def(s);
					break;
				case "paragraph":
					t += this.renderer.paragraph(s);
					break;
				case "text":
					t += this.renderer.text(s);
					break;
				default: {
					let o = "Token with \"" + s.type + "\" type was not found.";
					if (this.options.silent) return console.error(o), "";
					throw Error(o);
				}
			}
		}
		return t;
	}
	parseInline(e, t = this.renderer) {
		this.renderer.parser = this;
		let n = "";
		for (let r = 0; r < e.length; r++) {
			let s = e[r];
			if (this.options.extensions?.renderers?.[s.type]) {
				let i = this.options.extensions.renderers[s.type].call({ parser: this }, s);
				if (i !== !1 || ![
					"escape",
					"html",
					"link",
					"image",
					"checkbox",
					"strong",
					"em",
					"codespan",
					"br",
					"del",
					"text"
				].includes(s.type)) {
					n += i === !1 ? "" : i ?? "";
					continue;
				}
			}
			let o = s;
			switch (o.type) {
				case "escape":
					n += t.text(o);
					break;
				case "html":
					n += t.html(o);
					break;
				case "link":
					n += t.link(o);
					break;
				case "image":
					n += t.image(o);
					break;
				case "checkbox":
					n += t.checkbox(o);
					break;
				case "strong":
					n += t.strong(o);
					break;
				case "em":
					n += t.em(o);
					break;
				case "codespan":
					n += t.codespan(o);
					break;
				case "br":
					n += t.br(o);
					break;
				case "del":
					n += t.del(o);
					break;
				case "text":
					n += t.text(o);
					break;
				default: {
					let i = "Token with \"" + o.type + "\" type was not found.";
					if (this.options.silent) return console.error(i), "";
					throw Error(i);
				}
			}
		}
		return n;
	}
}, A$1 = class {
	options;
	block;
	constructor(e) {
		this.options = e || S;
	}
	static passThroughHooks = new Set([
		"preprocess",
		"postprocess",
		"processAllTokens",
		"emStrongMask"
	]);
	static passThroughHooksRespectAsync = new Set([
		"preprocess",
		"postprocess",
		"processAllTokens"
	]);
	preprocess(e) {
		return e;
	}
	postprocess(e) {
		return e;
	}
	processAllTokens(e) {
		return e;
	}
	emStrongMask(e) {
		return e;
	}
	provideLexer(e = this.block) {
		return e ? w$1.lex : w$1.lexInline;
	}
	provideParser(e = this.block) {
		return e ? P$1.parse : P$1.parseInline;
	}
};
function M$1(l, e) {
	if (Array.isArray(e)) for (let t = 0; t < e.length; t++) l.push(e[t]);
	else l.push(e);
}
var ne$1 = class {
	defaults = G();
	options = this.setOptions;
	parse = this.parseMarkdown(!0);
	parseInline = this.parseMarkdown(!1);
	Parser = P$1;
	Renderer = I$1;
	TextRenderer = z$1;
	Lexer = w$1;
	Tokenizer = _$1;
	Hooks = A$1;
	constructor(...e) {
		this.use(...e);
	}
	walkTokens(e, t) {
		let n = [];
		for (let r of e) switch (M$1(n, t.call(this, r)), r.type) {
			case "table": {
				let s = r;
				for (let o of s.header) M$1(n, this.walkTokens(o.tokens, t));
				for (let o of s.rows) for (let i of o) M$1(n, this.walkTokens(i.tokens, t));
				break;
			}
			case "list": {
				let s = r;
				M$1(n, this.walkTokens(s.items, t));
				break;
			}
			default: {
				let s = r;
				this.defaults.extensions?.childTokens?.[s.type] ? this.defaults.extensions.childTokens[s.type].forEach((o) => {
					let i = s[o].flat(1 / 0);
					M$1(n, this.walkTokens(i, t));
				}) : s.tokens && M$1(n, this.walkTokens(s.tokens, t));
			}
		}
		return n;
	}
	use(...e) {
		let t = this.defaults.extensions || {
			renderers: Object.create(null),
			childTokens: Object.create(null)
		};
		return e.forEach((n) => {
			let r = { ...n };
			if (r.async = this.defaults.async || r.async || !1, n.extensions && (n.extensions.forEach((s) => {
				if (!s.name) throw Error("extension name required");
				if ("renderer" in s) {
					let o = t.renderers[s.name];
					o ? t.renderers[s.name] = function(...i) {
						let a = s.renderer.apply(this, i);
						return a === !1 && (a = o.apply(this, i)), a;
					} : t.renderers[s.name] = s.renderer;
				}
				if ("tokenizer" in s) {
					if (!s.level || s.level !== "block" && s.level !== "inline") throw Error("extension level must be 'block' or 'inline'");
					let o = t[s.level];
					o ? o.unshift(s.tokenizer) : t[s.level] = [s.tokenizer], s.start && (s.level === "block" ? t.startBlock ? t.startBlock.push(s.start) : t.startBlock = [s.start] : s.level === "inline" && (t.startInline ? t.startInline.push(s.start) : t.startInline = [s.start]));
				}
				"childTokens" in s && s.childTokens && (t.childTokens[s.name] = s.childTokens);
			}), r.extensions = t), n.renderer) {
				let s = this.defaults.renderer || new I$1(this.defaults);
				for (let o in n.renderer) {
					if (!(o in s)) throw Error(`renderer '${o}' does not exist`);
					if (["options", "parser"].includes(o)) continue;
					let i = o, a = n.renderer[i], c = s[i];
					s[i] = (...u) => {
						let d = a.apply(s, u);
						return d === !1 && (d = c.apply(s, u)), d === !1 ? "" : d ?? "";
					};
				}
				r.renderer = s;
			}
			if (n.tokenizer) {
				let s = this.defaults.tokenizer || new _$1(this.defaults);
				for (let o in n.tokenizer) {
					if (!(o in s)) throw Error(`tokenizer '${o}' does not exist`);
					if ([
						"options",
						"rules",
						"lexer"
					].includes(o)) continue;
					let i = o, a = n.tokenizer[i], c = s[i];
					s[i] = (...u) => {
						let d = a.apply(s, u);
						return d === !1 && (d = c.apply(s, u)), d;
					};
				}
				r.tokenizer = s;
			}
			if (n.hooks) {
				let s = this.defaults.hooks || new A$1();
				for (let o in n.hooks) {
					if (!(o in s)) throw Error(`hook '${o}' does not exist`);
					if (["options", "block"].includes(o)) continue;
					let i = o, a = n.hooks[i], c = s[i];
					s[i] = A$1.passThroughHooks.has(o) ? (u) => {
						if (s.options.async && A$1.passThroughHooksRespectAsync.has(o)) return (async () => {
							let h = await a.call(s, u);
							return c.call(s, h);
						})();
						let d = a.call(s, u);
						return c.call(s, d);
					} : (...u) => {
						if (s.options.async) return (async () => {
							let h = await a.apply(s, u);
							return h === !1 && (h = await c.apply(s, u)), h;
						})();
						let d = a.apply(s, u);
						return d === !1 && (d = c.apply(s, u)), d;
					};
				}
				r.hooks = s;
			}
			if (n.walkTokens) {
				let s = this.defaults.walkTokens, o = n.walkTokens;
				r.walkTokens = function(i) {
					let a = [];
					return M$1(a, o.call(this, i)), s && M$1(a, s.call(this, i)), a;
				};
			}
			this.defaults = {
				...this.defaults,
				...r
			};
		}), this;
	}
	setOptions(e) {
		return this.defaults = {
			...this.defaults,
			...e
		}, this;
	}
	lexer(e, t) {
		return w$1.lex(e, t ?? this.defaults);
	}
	parser(e, t) {
		return P$1.parse(e, t ?? this.defaults);
	}
	parseMarkdown(e) {
		return (n, r) => {
			let s = { ...r }, o = {
				...this.defaults,
				...s
			}, i = this.onError(!!o.silent, !!o.async);
			if (this.defaults.async === !0 && s.async === !1) return i(Error("marked(): The async option was set to true by an extension. Remove async: false from the parse options object to return a Promise."));
			if (typeof n > "u" || n === null) return i(Error("marked(): input parameter is undefined or null"));
			if (typeof n != "string") return i(Error("marked(): input parameter is of type " + Object.prototype.toString.call(n) + ", string expected"));
			if (o.hooks && (o.hooks.options = o, o.hooks.block = e), o.async) return (async () => {
				let a = o.hooks ? await o.hooks.preprocess(n) : n, u = await (o.hooks ? await o.hooks.provideLexer(e) : e ? w$1.lex : w$1.lexInline)(a, o), d = o.hooks ? await o.hooks.processAllTokens(u) : u;
				o.walkTokens && await Promise.all(this.walkTokens(d, o.walkTokens));
				let p = await (o.hooks ? await o.hooks.provideParser(e) : e ? P$1.parse : P$1.parseInline)(d, o);
				return o.hooks ? await o.hooks.postprocess(p) : p;
			})().catch(i);
			try {
				o.hooks && (n = o.hooks.preprocess(n));
				let c = (o.hooks ? o.hooks.provideLexer(e) : e ? w$1.lex : w$1.lexInline)(n, o);
				o.hooks && (c = o.hooks.processAllTokens(c)), o.walkTokens && this.walkTokens(c, o.walkTokens);
				let d = (o.hooks ? o.hooks.provideParser(e) : e ? P$1.parse : P$1.parseInline)(c, o);
				return o.hooks && (d = o.hooks.postprocess(d)), d;
			} catch (a) {
				return i(a);
			}
		};
	}
	onError(e, t) {
		return (n) => {
			if (n.message += "\nPlease report this to https://github.com/markedjs/marked.", e) {
				let r = "<p>An error occurred:</p><pre>" + y$1(n.message + "", !0) + "</pre>";
				return t ? Promise.resolve(r) : r;
			}
			if (t) return Promise.reject(n);
			throw n;
		};
	}
}, v$1 = new ne$1();
function x$1(l, e) {
	return v$1.parse(l, e);
}
x$1.options = x$1.setOptions = function(l) {
	return v$1.setOptions(l), x$1.defaults = v$1.defaults, ue$1(x$1.defaults), x$1;
}, x$1.getDefaults = G, x$1.defaults = S;
function jt(...l) {
	return v$1.use(...l), x$1.defaults = v$1.defaults, ue$1(x$1.defaults), x$1;
}
x$1.use = jt, x$1.walkTokens = function(l, e) {
	return v$1.walkTokens(l, e);
}, x$1.parseInline = v$1.parseInline, x$1.Parser = P$1, x$1.parser = P$1.parse, x$1.Renderer = I$1, x$1.TextRenderer = z$1, x$1.Lexer = w$1, x$1.lexer = w$1.lex, x$1.Tokenizer = _$1, x$1.Hooks = A$1, x$1.parse = x$1, x$1.options, x$1.setOptions, x$1.walkTokens, x$1.parseInline, P$1.parse, w$1.lex;
// src/text/bounds.ts
var MAX_BLOCK_CHARS = 32e3, MAX_DELIMITERS = 1500, MAX_LINES = 4e3, DELIMITERS = [
	"*",
	"_",
	"`",
	"[",
	"~",
	"$",
	"\\",
	"<"
], NESTING = /^(?:[ \t]{0,3}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]?){24}/m, INDENTATION = RegExp("^[ \\t]{96,}\\S", "m");
function isPathological(source) {
	return source.length > 64e3 || DELIMITERS.some((delimiter) => exceeds(source, delimiter, MAX_DELIMITERS)) ? !0 : exceeds(source, "\n", MAX_LINES) || NESTING.test(source) || INDENTATION.test(source);
}
function exceeds(source, character, most) {
	let seen = 0;
	for (let at = source.indexOf(character); at >= 0; at = source.indexOf(character, at + 1)) if (++seen > most) return !0;
	return !1;
}
// src/text/lexer.ts
function noLinks() {
	return Object.create(null);
}
var INLINE_MATH = [
	/^\$\$((?:\\[^\n]|[^\\$\n]|\n(?!\s*\n)){1,4000}?)\$\$/,
	/^\$(?![\s$])((?:\\[^\n]|[^\\$\n]|\n(?!\s*\n)){0,1000}?[^\s\\$]|\\[^\n])\$(?![\d$])/,
	/^\\\(((?:[^\\\n]|\\(?!\))|\n(?!\s*\n)){1,4000}?)\\\)/,
	/^\\\[((?:[^\\\n]|\\(?!\])|\n(?!\s*\n)){1,4000}?)\\\]/
], BLOCK_MATH = [/^ {0,3}\$\$((?:\\[^\n]|[^\\$\n]|\n(?![^\S\n]*\n)){1,16000}?)\$\$[^\S\n]*(?:\n|$)/, /^ {0,3}\\\[((?:[^\\\n]|\\(?!\])|\n(?![^\S\n]*\n)){1,16000}?)\\\][^\S\n]*(?:\n|$)/], inlineMath = {
	name: "math",
	level: "inline",
	start: (src) => firstIndex(src, /\$|\\[([]/),
	tokenizer(src) {
		for (let rule of INLINE_MATH) {
			let match = rule.exec(src);
			if (match?.[1]?.trim()) return mathToken(match[0], match[1], !1);
		}
	}
}, blockMath = {
	name: "mathBlock",
	level: "block",
	start: (src) => firstIndex(src, /(?:^|\n) {0,3}(?:\$\$|\\\[)/),
	tokenizer(src) {
		for (let rule of BLOCK_MATH) {
			let match = rule.exec(src);
			if (match?.[1]?.trim()) return mathToken(match[0], match[1], !0);
		}
	}
}, citation = {
	name: "citation",
	level: "inline",
	start: (src) => firstIndex(src, /\[\d/),
	tokenizer(src) {
		let match = /^\[(\d{1,4}(?:, ?\d{1,4}){0,15})\](?!\()/.exec(src);
		if (match?.[1] && !this.lexer.tokens.links[match[1]]) return {
			type: "citation",
			raw: match[0],
			numbers: match[1].split(",").map(Number)
		};
	}
}, LABEL = "\\[\\^([^\\s\\[\\]^]{1,60})\\]", FOOTNOTE = RegExp(`^ {0,3}${LABEL}:[ \\t]+([^\\n]+(?:\\n(?![ \\t]*\\n| {0,3}\\[\\^)[^\\n]+)*)(?:\\n|$)`), FOOTNOTE_REFERENCE = RegExp(`^${LABEL}`), footnote = {
	name: "footnote",
	level: "block",
	start: (src) => firstIndex(src, /(?:^|\n) {0,3}\[\^/),
	tokenizer(src) {
		let match = FOOTNOTE.exec(src);
		if (match?.[1] && match[2]) return {
			type: "footnote",
			raw: match[0],
			label: match[1],
			tokens: this.lexer.inline(match[2].replace(/\n[ \t]+/g, "\n"))
		};
	}
}, footnoteReference = {
	name: "footnoteReference",
	level: "inline",
	start: (src) => firstIndex(src, /\[\^/),
	tokenizer(src) {
		let match = FOOTNOTE_REFERENCE.exec(src);
		return match?.[1] ? {
			type: "footnoteReference",
			raw: match[0],
			label: match[1]
		} : void 0;
	}
};
function firstIndex(src, pattern) {
	let at = src.search(pattern);
	return at < 0 ? void 0 : at;
}
function mathToken(raw, tex, display) {
	return {
		type: "math",
		raw,
		tex: tex.trim(),
		display
	};
}
var marked = new ne$1({
	gfm: !0,
	extensions: [
		blockMath,
		footnote,
		inlineMath,
		footnoteReference,
		citation
	],
	tokenizer: {
		html: () => void 0,
		tag: (src) => {
			let match = /^<br[ ]?\/?>/i.exec(src);
			return match ? {
				type: "br",
				raw: match[0]
			} : void 0;
		}
	}
});
function parseBlocks(source, links, count) {
	if (count.chars += source.length, isPathological(source)) return plain(source);
	try {
		let lexer = new marked.Lexer(marked.defaults);
		return lexer.tokens.links = links, [...lexer.lex(source)];
	} catch {
		return plain(source);
	}
}
function parseInline(source, links, count) {
	if (count.chars += source.length, isPathological(source)) return [textToken(source)];
	try {
		let lexer = new marked.Lexer(marked.defaults);
		return lexer.tokens.links = links, lexer.inlineTokens(source);
	} catch {
		return [textToken(source)];
	}
}
function plain(source) {
	let text = source.replace(/\n+$/, "");
	return [{
		type: "paragraph",
		raw: source,
		text,
		tokens: [textToken(text)]
	}];
}
function textToken(text) {
	return {
		type: "text",
		raw: text,
		text,
		escaped: !1
	};
}
// src/text/split.ts
var FENCE = /^( {0,3})(`{3,}|~{3,})([^\n]*?)[ \t]*$/, HEADING = /^#{1,6}(?:[ \t]|$)/, MARKER = /^( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
function openedFence(line) {
	let match = FENCE.exec(line);
	if (!match) return null;
	let [, indent = "", marker = "", info = ""] = match;
	return marker[0] === "`" && info.includes("`") ? null : {
		indent: indent.length,
		marker,
		info: info.trim()
	};
}
function closes(fence, line) {
	let trimmed = line.trim();
	return /^ {4}/.test(line) || trimmed.length < fence.marker.length ? !1 : [...trimmed].every((character) => character === fence.marker[0]);
}
var Splitter = class {
	rest = "";
	start = 0;
	lineStart = 0;
	scanned = 0;
	fence = null;
	afterBlank = !1;
	itemIndent = 0;
	get tail() {
		return {
			kind: this.fence ? "code" : "markdown",
			start: this.start,
			source: this.rest
		};
	}
	get tailFence() {
		return this.fence;
	}
	push(added) {
		let ended = [];
		for (this.rest += added;;) {
			let newline = this.rest.indexOf("\n", Math.max(this.lineStart, this.scanned)), next = newline < 0 ? this.rest.length : newline + 1;
			if (!this.fence && next > 32e3) this.cut(ended);
			else if (newline < 0) return this.scanned = this.rest.length, ended;
			else this.lineEnded(this.rest.slice(this.lineStart, newline), next, ended);
		}
	}
	lineEnded(line, next, ended) {
		let { start } = this;
		this.readLine(line, next, ended), this.lineStart = next - (this.start - start), this.scanned = this.lineStart;
	}
	readLine(line, next, ended) {
		if (this.fence) {
			closes(this.fence, line) && this.endBlock(next, ended);
			return;
		}
		if (line.trim() === "") {
			this.afterBlank = !0;
			return;
		}
		let fence = openedFence(line);
		if (fence && (this.itemIndent === 0 || fence.indent < this.itemIndent)) {
			this.endBlock(this.lineStart, ended), this.fence = fence;
			return;
		}
		if (HEADING.test(line)) {
			let { start } = this;
			return this.endBefore(ended), this.endBlock(next - (this.start - start), ended);
		}
		let marker = MARKER.exec(line), isIndented = /^[ \t]/.test(line);
		this.afterBlank && !isIndented && !(marker && this.itemIndent > 0) && this.endBefore(ended), this.afterBlank = !1, marker && (this.itemIndent === 0 || marker[1].length < this.itemIndent) && (this.itemIndent = marker[0].length);
	}
	endBefore(ended) {
		this.rest.slice(0, this.lineStart).trim() !== "" && this.endBlock(this.lineStart, ended);
	}
	endBlock(end, ended) {
		end > 0 && ended.push({
			...this.tail,
			source: this.rest.slice(0, end)
		}), this.rest = this.rest.slice(end), this.start += end, this.lineStart = Math.max(this.lineStart - end, 0), this.scanned = Math.max(this.scanned - end, 0), this.fence = null, this.afterBlank = !1, this.itemIndent = 0;
	}
	cut(ended) {
		this.endBlock(cutAt(this.rest, MAX_BLOCK_CHARS), ended);
	}
};
function cutAt(text, limit) {
	let line = text.lastIndexOf("\n", limit - 1) + 1;
	if (line > limit / 2) return line;
	let word = text.lastIndexOf(" ", limit - 1) + 1;
	return word > limit / 2 ? word : /[\uD800-\uDBFF]/.test(text[limit - 1] ?? "") ? limit - 1 : limit;
}
// node_modules/remend/dist/index.js
var En = Object.defineProperty, Sn = Object.defineProperties, On = Object.getOwnPropertyDescriptors, w = Object.getOwnPropertySymbols, Tn = Object.prototype.hasOwnProperty, Mn = Object.prototype.propertyIsEnumerable, F = (n, e, r) => e in n ? En(n, e, {
	enumerable: !0,
	configurable: !0,
	writable: !0,
	value: r
}) : n[e] = r, L = (n, e) => {
	for (var r in e ||= {}) Tn.call(e, r) && F(n, r, e[r]);
	if (w) for (var r of w(e)) Mn.call(e, r) && F(n, r, e[r]);
	return n;
}, P = (n, e) => Sn(n, On(e)), c = {
	PROSE: 0,
	FENCE_MARKER: 1,
	FENCE_INFO: 2,
	FENCE_BODY: 3,
	CODE_SPAN: 4,
	CODE_SPAN_OPEN: 5
}, Cn = /^(`{3,}|~{3,})(.*)$/, Ln = (n) => n !== void 0 && n >= "0" && n <= "9", Pn = (n, e) => {
	let r = e;
	if (n[r] === "-" || n[r] === "*" || n[r] === "+") r += 1;
	else {
		for (; Ln(n[r]) && r - e < 9;) r += 1;
		if (r === e || n[r] !== "." && n[r] !== ")") return -1;
		r += 1;
	}
	return n[r] === " " ? r + 1 : -1;
}, _n = (n, e, r) => {
	let t = 0, i = e, o = !1, s = e;
	for (;;) {
		for (; s < r && n[s] === " ";) s += 1;
		if (n[s] === ">") {
			t += 1, s += n[s + 1] === " " ? 2 : 1, i = s, o = !1;
			continue;
		}
		let l = s < r ? Pn(n, s) : -1;
		if (l === -1) return {
			contentStart: s,
			listIndent: o ? s - i : 0,
			quoteDepth: t
		};
		s = l, o = !0;
	}
}, Rn = (n, e, r, t) => {
	let i = e;
	for (let o = 0; o < t; o += 1) {
		for (; i < r && n[i] === " ";) i += 1;
		if (n[i] !== ">") return -1;
		i += 1, n[i] === " " && (i += 1);
	}
	return i;
}, Nn = (n, e, r, t, i) => {
	let o = e + t;
	n.fill(c.FENCE_MARKER, o, o + i), n.fill(c.FENCE_INFO, o + i, Math.min(r + 1, n.length));
}, yn = (n, e, r, t) => {
	let i = e;
	for (; i < r && n[i] === " ";) i += 1;
	let o = 0;
	for (; i < r && n[i] === t.char;) i += 1, o += 1;
	if (o < t.length) return !1;
	for (; i < r;) {
		if (n[i] !== " " && n[i] !== "	" && n[i] !== "\r") return !1;
		i += 1;
	}
	return !0;
}, $n = (n, e, r, t) => {
	let i = t > r && n[t - 1] === "\r" ? t - 1 : t, o = _n(n, r, i), s = n.slice(o.contentStart, i).match(Cn);
	if (!s) return null;
	let [, l, a] = s, u = l[0];
	return u === "`" && a.includes("`") ? null : (Nn(e, r, t, o.contentStart - r, l.length), {
		char: u,
		length: l.length,
		listIndent: o.listIndent,
		quoteDepth: o.quoteDepth
	});
}, Un = (n, e, r, t) => {
	let i = Rn(n, e, r, t.quoteDepth);
	if (i === -1 || t.listIndent === 0) return i;
	let o = i;
	for (; o < r && n[o] === " ";) o += 1;
	return o === r || n[o] === "\r" && o + 1 === r || o - i >= t.listIndent ? i : -1;
}, Dn = (n, e) => {
	let r = n.length, t = null, i = 0;
	for (; i < r;) {
		let o = n.indexOf("\n", i);
		o === -1 && (o = r);
		let s = t ? Un(n, i, o, t) : -1;
		t && s === -1 && (t = null), t ? yn(n, s, o, t) ? (e.fill(c.FENCE_MARKER, i, o), t = null) : e.fill(c.FENCE_BODY, i, Math.min(o + 1, r)) : t = $n(n, e, i, o), i = o + 1;
	}
	return t;
}, W = (n, e) => {
	let r = e + 1;
	for (; r < n.length && n[r] === "`";) r += 1;
	return r;
}, Bn = (n, e) => {
	let r = e + 1;
	for (; r < n.length && (n[r] === " " || n[r] === "	" || n[r] === "\r");) r += 1;
	return r < n.length && n[r] === "\n";
}, wn = (n, e, r) => {
	let t = r;
	for (;;) {
		let i = n.indexOf("`", t);
		if (i === -1) return -1;
		let o = i > t && n[i - 1] === "\\" && e[i - 1] === c.PROSE;
		if (e[i] === c.PROSE && !o) return i;
		t = i + 1;
	}
}, Fn = (n, e) => {
	let r = n.length, t = -1, i = 0, o = 0;
	for (; o < r;) {
		if (t < 0) {
			if (o = wn(n, e, o), o === -1) break;
			let l = W(n, o);
			t = o, i = l - o, o = l;
			continue;
		}
		if (e[o] !== c.PROSE) {
			e.fill(c.CODE_SPAN_OPEN, t, o), t = -1, o += 1;
			continue;
		}
		if (n[o] === "\n" && Bn(n, o)) {
			t = -1, o += 1;
			continue;
		}
		if (n[o] !== "`") {
			o += 1;
			continue;
		}
		let s = W(n, o);
		s - o === i && (e.fill(c.CODE_SPAN, t, s), t = -1), o = s;
	}
	return t >= 0 ? (e.fill(c.CODE_SPAN_OPEN, t, r), {
		start: t,
		runLength: i
	}) : null;
}, Wn = (n) => {
	let e = new Uint8Array(n.length);
	return {
		text: n,
		regions: e,
		openFence: Dn(n, e),
		openSpan: Fn(n, e),
		mathMask: null,
		linkUrlMask: null,
		htmlTagMask: null
	};
}, _ = null, T = null, g = (n) => {
	if (T !== null && n === _) return T;
	let e = Wn(n);
	return _ = n, T = e, e;
}, K = () => {
	_ = null, T = null;
}, H = (n, e) => e >= n.regions.length ? n.openFence !== null || n.openSpan !== null : e < 0 ? !1 : n.regions[e] !== c.PROSE, X = (n, e) => n.regions[e] === c.CODE_SPAN, I = (n, e) => {
	let r = g(n), t = e + e, i = 0;
	for (let o = n.indexOf(t); o !== -1; o = n.indexOf(t, o)) r.regions[o] === c.PROSE ? (i += 1, o += 2) : o += 1;
	return i;
}, R = new Uint8Array(), Kn = (n) => n === "inlineLatex" || n === "blockLatex", Hn = (n, e) => e === "[" && n === "none" ? "blockLatex" : e === "]" && n === "blockLatex" ? "none" : e === "(" && n === "none" ? "inlineLatex" : e === ")" && n === "inlineLatex" ? "none" : null, Gn = (n, e) => e ? n === "blockDollar" ? "none" : "blockDollar" : n === "blockDollar" ? n : n === "inlineDollar" ? "none" : "inlineDollar", Xn = (n) => n.includes("$") || n.includes("\\(") || n.includes("\\["), Yn = (n, e, r) => {
	let t = n[e + 1];
	if (n[e] === "\\") {
		if (t === "$") return {
			context: r,
			length: 2
		};
		let i = Hn(r, t);
		return i === null ? null : {
			context: i,
			length: 2
		};
	}
	if (n[e] === "$" && !Kn(r)) {
		let i = t === "$";
		return {
			context: Gn(r, i),
			length: i ? 2 : 1
		};
	}
	return null;
}, qn = (n) => {
	let { text: e, regions: r } = n, t = e.length, i = new Uint8Array(t), o = "none", s = 0;
	for (; s < t;) {
		i[s] = o === "none" ? 0 : 1;
		let l = r[s] === c.PROSE ? Yn(e, s, o) : null;
		l === null ? s += 1 : (o = l.context, l.length === 2 && (i[s + 1] = o === "none" ? 0 : 1), s += l.length);
	}
	return i;
}, k = (n, e) => e < 0 || e >= n.text.length ? !1 : (n.mathMask === null && (n.mathMask = Xn(n.text) ? qn(n) : R), n.mathMask[e] === 1), vn = (n, e, r, t) => {
	let { text: i, regions: o } = n, s = new Uint8Array(r - e), l = 0;
	for (let u = r - 1; u >= e; --u) i[u] === ")" && o[u] === c.PROSE && (l = 1), s[u - e] = l;
	let a = !1;
	for (let u = e; u < r; u += 1) a && s[u - e] === 1 && (t[u] = 1), o[u] === c.PROSE && (i[u] === ")" ? a = !1 : i[u] === "(" && (a = u > 0 && i[u - 1] === "]"));
}, zn = (n) => {
	let { text: e } = n, r = e.length, t = new Uint8Array(r), i = 0;
	for (; i < r;) {
		let o = e.indexOf("\n", i);
		o === -1 && (o = r), vn(n, i, o, t), i = o + 1;
	}
	return t;
}, A = (n, e) => e < 0 || e >= n.text.length ? !1 : (n.linkUrlMask === null && (n.linkUrlMask = n.text.includes("](") ? zn(n) : R), n.linkUrlMask[e] === 1), Qn = (n) => {
	let { text: e, regions: r } = n, t = e.length, i = new Uint8Array(t), o = !1;
	for (let s = 0; s < t; s += 1) if (e[s] === "\n") o = !1;
	else if (i[s] = +!!o, r[s] === c.PROSE) {
		if (e[s] === ">") o = !1;
		else if (e[s] === "<") {
			let l = e[s + 1];
			o = l !== void 0 && (l >= "a" && l <= "z" || l >= "A" && l <= "Z" || l === "/");
		}
	}
	return i;
}, M = (n, e) => e < 0 || e >= n.text.length ? !1 : (n.htmlTagMask === null && (n.htmlTagMask = n.text.includes("<") ? Qn(n) : R), n.htmlTagMask[e] === 1), f = (n, e) => H(g(n), e), h = (n, e) => X(g(n), e), Zn = /^(\s*(?:[-*+]|\d+[.)]) +)>(=?\s*[$]?\d)/gm, Y = (n) => !n || typeof n != "string" || !n.includes(">") ? n : n.replace(Zn, (e, r, t, i) => f(n, i) ? e : `${r}\\>${t}`), p = (n, { delimiter: e, markerLength: r, regex: t }) => {
	let i = n.lastIndexOf(e, n.length - 2), o = i === -1 ? n.length - 1 : i;
	return n.slice(Math.max(0, o - r + 1)).match(t);
}, q = {
	delimiter: "*",
	markerLength: 2,
	regex: /(\*\*)([^*]*\*?)$/
}, v = {
	delimiter: "_",
	markerLength: 2,
	regex: /(__)([^_]*?)$/
}, z = {
	delimiter: "*",
	markerLength: 3,
	regex: /(\*\*\*)([^*]*?)$/
}, Q = {
	delimiter: "*",
	markerLength: 1,
	regex: /(\*)([^*]*?)$/
}, Z = {
	delimiter: "_",
	markerLength: 1,
	regex: /(_)([^_]*?)$/
}, j = {
	delimiter: "~",
	markerLength: 2,
	regex: /(~~)([^~]*?)$/
}, J = {
	delimiter: "_",
	markerLength: 2,
	regex: /(__)([^_]+)_$/
}, V = {
	delimiter: "~",
	markerLength: 2,
	regex: /(~~)([^~]+)~$/
}, b = /^[\s_~*`]*$/, N = /^[\s]*[-*+][\s]+$/, x = /[\p{L}\p{N}_]/u, nn = /^\*{4,}$/, m = (n) => {
	if (!n) return !1;
	let e = n.charCodeAt(0);
	return e >= 48 && e <= 57 || e >= 65 && e <= 90 || e >= 97 && e <= 122 || e === 95 || x.test(n);
}, en = (n, e) => {
	let r = 1;
	for (let t = e - 1; t >= 0; --t) if (n[t] === "]") r += 1;
	else if (n[t] === "[" && (--r, r === 0)) return t;
	return -1;
}, y = (n, e) => {
	let r = 1;
	for (let t = e + 1; t < n.length; t += 1) if (n[t] === "[") r += 1;
	else if (n[t] === "]" && (--r, r === 0)) return t;
	return -1;
}, $ = (n, e) => k(g(n), e), O = (n, e, r) => {
	let t = 0;
	for (let a = e - 1; a >= 0; --a) if (n[a] === "\n") {
		t = a + 1;
		break;
	}
	let i = n.length;
	for (let a = e; a < n.length; a += 1) if (n[a] === "\n") {
		i = a;
		break;
	}
	let o = n.substring(t, i), s = 0, l = !1;
	for (let a of o) if (a === r) s += 1;
	else if (a !== " " && a !== "	") {
		l = !0;
		break;
	}
	return s >= 3 && !l;
}, Vn = (n, e, r, t) => r === "\\" || k(n, e) ? !0 : r !== "*" && t === "*" ? (e < n.text.length - 2 ? n.text[e + 2] : "") !== "*" : r === "*" || (!r || r === " " || r === "	" || r === "\n") && (!t || t === " " || t === "	" || t === "\n"), C = (n) => n === " " || n === "	" || n === "\n", xn = (n, e) => !!(n && e && m(n) && m(e)), ne = (n, e, r, t) => {
	let i = xn(n, e), o = !!e && !C(e), s = !!n && !C(n);
	return i && r % 2 == 0 && !t ? { count: !1 } : s && r % 2 == 1 || o ? {
		count: !0,
		inWordAsteriskChain: i
	} : { count: !1 };
}, on = (n) => {
	let e = g(n), r = 0, t = !1, i = n.length;
	for (let o = 0; o < i; o += 1) {
		if (n[o] !== "*" || e.regions[o] !== c.PROSE) {
			m(n[o]) || (t = !1);
			continue;
		}
		let s = o > 0 ? n[o - 1] : "", l = o < i - 1 ? n[o + 1] : "";
		if (Vn(e, o, s, l)) continue;
		let a = ne(s, l, r, t);
		a.count && (r += 1, t = a.inWordAsteriskChain);
	}
	return r;
}, ee = (n, e, r, t) => !!(r === "\\" || k(n, e) || A(n, e) || M(n, e) || r === "_" || t === "_" || r && t && m(r) && m(t)), re = (n) => {
	let e = g(n), r = 0, t = n.length;
	for (let i = 0; i < t; i += 1) {
		if (n[i] !== "_" || e.regions[i] !== c.PROSE) continue;
		let o = i > 0 ? n[i - 1] : "", s = i < t - 1 ? n[i + 1] : "";
		ee(e, i, o, s) || (r += 1);
	}
	return r;
}, te = (n) => {
	let e = g(n), r = 0, t = 0;
	for (let i = 0; i < n.length; i += 1) n[i] === "*" && e.regions[i] === c.PROSE ? t += 1 : (t >= 3 && (r += Math.floor(t / 3)), t = 0);
	return t >= 3 && (r += Math.floor(t / 3)), r;
}, U = (n) => I(n, "*"), rn = (n) => n === "" || n === " " || n === "	" || n === "\n", ie = (n, e, r, t, i) => {
	if (!(rn(r) && rn(t))) return !1;
	if (e > i.lineEnd) {
		let o = n.indexOf("\n", e);
		i.lineEnd = o === -1 ? n.length : o, i.result = O(n, e, "_");
	}
	return i.result;
}, oe = (n, e, r, t) => {
	let i = n.text, o = e, s = !1;
	o > 0 && i[o - 1] === "\\" && (o += 1, s = !0);
	let l = r - o;
	if (l < 2) return !1;
	let a = o > 0 ? i[o - 1] : "", u = s ? "\\" : a, S = r < i.length ? i[r] : "";
	return m(u) && m(S) || ie(i, o, u, S, t) || k(n, o) || A(n, o) || M(n, o) ? !1 : Math.floor(l / 2) % 2 == 1;
}, tn = (n) => {
	let e = g(n), r = n.length, t = {
		lineEnd: -1,
		result: !1
	}, i = !1, o = 0;
	for (; o < r;) {
		if (n[o] !== "_" || e.regions[o] !== c.PROSE) {
			o += 1;
			continue;
		}
		let s = o, l = o + 1;
		for (; l < r && n[l] === "_" && e.regions[l] === c.PROSE;) l += 1;
		o = l, oe(e, s, l, t) && (i = !i);
	}
	return i;
}, se = (n, e, r) => {
	if (!e || b.test(e)) return !0;
	let i = n.substring(0, r).lastIndexOf("\n"), o = i === -1 ? 0 : i + 1, s = n.substring(o, r);
	return N.test(s) && e.includes("\n") ? !0 : O(n, r, "*");
}, sn = (n) => {
	let e = p(n, q);
	if (!e) return n;
	let r = e[2], t = n.lastIndexOf(e[1]);
	return f(n, t) || h(n, t) || se(n, r, t) ? n : U(n) % 2 == 1 ? r.endsWith("*") ? `${n}*` : `${n}**` : n;
}, le = (n, e, r) => {
	if (!e || b.test(e)) return !0;
	let i = n.substring(0, r).lastIndexOf("\n"), o = i === -1 ? 0 : i + 1, s = n.substring(o, r);
	return N.test(s) && e.includes("\n") ? !0 : O(n, r, "_");
}, ln = (n) => {
	let e = p(n, v);
	if (!e) {
		let i = p(n, J);
		if (i) {
			let o = n.lastIndexOf(i[1]);
			if (!(f(n, o) || h(n, o)) && tn(n)) return `${n}_`;
		}
		return n;
	}
	let r = e[2], t = n.lastIndexOf(e[1]);
	return f(n, t) || h(n, t) || le(n, r, t) ? n : tn(n) ? `${n}__` : n;
}, ae = (n, e) => {
	let { text: r } = n;
	return r[e] === "*" && n.regions[e] === c.PROSE && r[e - 1] !== "*" && r[e + 1] !== "*" && r[e - 1] !== "\\" && !k(n, e);
}, ce = (n) => {
	let e = g(n);
	for (let r = n.indexOf("*"); r !== -1; r = n.indexOf("*", r + 1)) {
		if (!ae(e, r)) continue;
		let t = r > 0 ? n[r - 1] : "", i = r < n.length - 1 ? n[r + 1] : "", o = !t || C(t), s = !i || C(i);
		if (!(o && s) && !(t && i && m(t) && m(i)) && !s) return r;
	}
	return -1;
}, an = (n) => {
	if (!p(n, Q)) return n;
	let r = ce(n);
	if (r === -1 || f(n, r) || h(n, r)) return n;
	let t = n.substring(r + 1);
	return !t || b.test(t) ? n : on(n) % 2 == 1 ? `${n}*` : n;
}, cn = (n) => {
	let e = g(n);
	for (let r = n.indexOf("_"); r !== -1; r = n.indexOf("_", r + 1)) if (e.regions[r] === c.PROSE && n[r - 1] !== "_" && n[r + 1] !== "_" && n[r - 1] !== "\\" && !k(e, r) && !A(e, r)) {
		let t = r > 0 ? n[r - 1] : "", i = r < n.length - 1 ? n[r + 1] : "";
		if (t && i && m(t) && m(i)) continue;
		return r;
	}
	return -1;
}, ue = (n) => {
	let e = n.length;
	for (; e > 0 && n[e - 1] === "\n";) --e;
	return e < n.length ? `${n.slice(0, e)}_${n.slice(e)}` : `${n}_`;
}, fe = (n) => {
	if (!n.endsWith("**")) return null;
	let e = n.slice(0, -2);
	if (U(e) % 2 != 1) return null;
	let t = e.indexOf("**"), i = cn(e);
	return t !== -1 && i !== -1 && t < i ? `${e}_**` : null;
}, un = (n) => {
	if (!p(n, Z)) return n;
	let r = cn(n);
	if (r === -1) return n;
	let t = n.substring(r + 1);
	if (!t || b.test(t) || f(n, r) || h(n, r)) return n;
	if (re(n) % 2 == 1) {
		let o = fe(n);
		return o === null ? ue(n) : o;
	}
	return n;
}, ge = (n) => {
	let e = U(n), r = on(n);
	return e % 2 == 0 && r % 2 == 0;
}, de = (n, e, r) => !e || b.test(e) || f(n, r) || h(n, r) ? !0 : O(n, r, "*"), fn = (n) => {
	if (nn.test(n)) return n;
	let e = p(n, z);
	if (!e) return n;
	let r = e[2];
	return de(n, r, n.lastIndexOf(e[1])) ? n : te(n) % 2 == 1 ? ge(n) ? n : `${n}***` : n;
}, me = /<[a-zA-Z/][^>]*$/, he = /[a-zA-Z/]/, pe = (n) => n.includes("$") || n.includes("\\(") || n.includes("\\["), be = (n, e) => {
	let r = n[e + 1];
	return r !== void 0 && he.test(r);
}, gn = (n) => {
	let e = n.match(me);
	if (!e || e.index === void 0) return n;
	let r = pe(n);
	for (let t = e.index; t < n.length; t += 1) if (n[t] === "<" && be(n, t) && !f(n, t) && !(r && $(n, t))) return n.substring(0, t).trimEnd();
	return n;
}, dn = (n) => {
	let e = g(n);
	if (e.openFence) return n;
	let r = e.openSpan;
	if (!r) return n;
	let t = n.slice(r.start + r.runLength);
	if (!t || b.test(t)) return n;
	let i = 0, o = n.length - 1;
	for (; o >= 0 && n[o] === "`";) i += 1, --o;
	return i >= r.runLength ? n : n + "`".repeat(r.runLength - i);
}, ke = (n) => I(n, "$"), Ie = (n) => {
	let e = g(n), r = 0;
	for (let t = 0; t < n.length; t += 1) n[t] === "\\" ? t += 1 : e.regions[t] === c.PROSE && n[t] === "$" && (t + 1 < n.length && n[t + 1] === "$" ? t += 1 : r += 1);
	return r;
}, Ae = (n) => {
	if (n.endsWith("$") && !n.endsWith("$$")) return `${n}$`;
	let e = n.indexOf("$$");
	return e !== -1 && n.indexOf("\n", e) !== -1 && !n.endsWith("\n") ? `${n}
$$` : `${n}$$`;
}, mn = (n) => ke(n) % 2 == 0 ? n : Ae(n), hn = (n) => Ie(n) % 2 == 1 ? `${n}$` : n, E = "streamdown:incomplete-image", Ee = (n, e, r) => {
	if (n.substring(e + 2).includes(")")) return null;
	let i = en(n, e);
	if (i === -1 || f(n, i)) return null;
	let o = i > 0 && n[i - 1] === "!", s = o ? i - 1 : i, l = n.substring(0, s), a = n.substring(i + 1, e);
	return o ? `${l}![${a}](${E})` : r === "text-only" ? `${l}${a}` : `${l}[${a}](streamdown:incomplete-link)`;
}, pn = (n, e) => {
	for (let r = 0; r < e; r++) if (n[r] === "[" && !f(n, r)) {
		if (r > 0 && n[r - 1] === "!") continue;
		let t = y(n, r);
		if (t === -1) return r;
		if (t + 1 < n.length && n[t + 1] === "(") {
			let i = n.indexOf(")", t + 2);
			i !== -1 && (r = i);
		}
	}
	return e;
}, Se = (n, e, r) => {
	let t = e > 0 && n[e - 1] === "!", i = t ? e - 1 : e;
	if (!n.substring(e + 1).includes("]") || y(n, e) === -1) {
		let l = n.substring(0, i);
		if (t) return `${l}![${n.substring(e + 1)}](${E})`;
		if (r === "text-only") {
			let a = pn(n, e);
			return n.substring(0, a) + n.substring(a + 1);
		}
		return `${n}](streamdown:incomplete-link)`;
	}
	return null;
}, Oe = (n, e) => {
	let r = n.lastIndexOf("](");
	if (r !== -1 && !f(n, r)) {
		let t = Ee(n, r, e);
		if (t !== null) return t;
	}
	for (let t = n.lastIndexOf("["); t !== -1; t = t === 0 ? -1 : n.lastIndexOf("[", t - 1)) if (!f(n, t)) {
		let i = Se(n, t, e);
		if (i !== null) return i;
	}
	return n;
}, Te = 32, D = (n, e = "protocol") => {
	let r = n;
	for (let t = 0; t < Te; t += 1) {
		let i = Oe(r, e);
		if (i.length >= r.length) return i;
		r = i;
	}
	return r;
}, Me = /^-{1,2}$/, Ce = /^[\s]*-{1,2}[\s]+$/, Le = /^={1,2}$/, Pe = /^[\s]*={1,2}[\s]+$/, bn = (n) => {
	if (!n || typeof n != "string") return n;
	let e = n.lastIndexOf("\n");
	if (e === -1) return n;
	let r = n.substring(e + 1), t = n.substring(0, e), i = r.trim();
	if (Me.test(i) && !r.match(Ce)) {
		let s = t.split("\n").at(-1);
		if (s && s.trim().length > 0) return `${n}\u200B`;
	}
	if (Le.test(i) && !r.match(Pe)) {
		let s = t.split("\n").at(-1);
		if (s && s.trim().length > 0) return `${n}\u200B`;
	}
	return n;
}, _e = /([\p{L}\p{N}_])~(?!~)(?=[\p{L}\p{N}_])/gu, kn = (n) => !n || typeof n != "string" || !n.includes("~") ? n : n.replace(_e, (e, r, t) => f(n, t + r.length) ? e : `${r}\\~`), In = (n) => I(n, "~"), An = (n) => {
	let e = p(n, j);
	if (e) {
		let r = e[2];
		if (!r || b.test(r)) return n;
		let t = n.lastIndexOf(e[1]);
		if (f(n, t) || h(n, t)) return n;
		if (In(n) % 2 == 1) return `${n}~~`;
	} else {
		let r = p(n, V);
		if (r) {
			let t = n.lastIndexOf(r[0].slice(0, 2));
			if (f(n, t) || h(n, t)) return n;
			if (In(n) % 2 == 1) return `${n}~`;
		}
	}
	return n;
}, B = (n) => n !== !1, Re = (n) => n === !0, d = {
	SINGLE_TILDE: 0,
	COMPARISON_OPERATORS: 5,
	HTML_TAGS: 10,
	SETEXT_HEADINGS: 15,
	LINKS: 20,
	BOLD_ITALIC: 30,
	BOLD: 35,
	ITALIC_DOUBLE_UNDERSCORE: 40,
	ITALIC_SINGLE_ASTERISK: 41,
	ITALIC_SINGLE_UNDERSCORE: 42,
	INLINE_CODE: 50,
	STRIKETHROUGH: 60,
	KATEX: 70,
	INLINE_KATEX: 75,
	DEFAULT: 100
}, Ne = [
	{
		handler: {
			name: "singleTilde",
			handle: kn,
			priority: d.SINGLE_TILDE
		},
		optionKey: "singleTilde"
	},
	{
		handler: {
			name: "comparisonOperators",
			handle: Y,
			priority: d.COMPARISON_OPERATORS
		},
		optionKey: "comparisonOperators"
	},
	{
		handler: {
			name: "htmlTags",
			handle: gn,
			priority: d.HTML_TAGS
		},
		optionKey: "htmlTags"
	},
	{
		handler: {
			name: "setextHeadings",
			handle: bn,
			priority: d.SETEXT_HEADINGS
		},
		optionKey: "setextHeadings"
	},
	{
		handler: {
			name: "links",
			handle: D,
			priority: d.LINKS
		},
		optionKey: "links",
		earlyReturn: (n) => n.endsWith("](streamdown:incomplete-link)") || n.endsWith("](streamdown:incomplete-image)")
	},
	{
		handler: {
			name: "boldItalic",
			handle: fn,
			priority: d.BOLD_ITALIC
		},
		optionKey: "boldItalic"
	},
	{
		handler: {
			name: "bold",
			handle: sn,
			priority: d.BOLD
		},
		optionKey: "bold"
	},
	{
		handler: {
			name: "italicDoubleUnderscore",
			handle: ln,
			priority: d.ITALIC_DOUBLE_UNDERSCORE
		},
		optionKey: "italic"
	},
	{
		handler: {
			name: "italicSingleAsterisk",
			handle: an,
			priority: d.ITALIC_SINGLE_ASTERISK
		},
		optionKey: "italic"
	},
	{
		handler: {
			name: "italicSingleUnderscore",
			handle: un,
			priority: d.ITALIC_SINGLE_UNDERSCORE
		},
		optionKey: "italic"
	},
	{
		handler: {
			name: "inlineCode",
			handle: dn,
			priority: d.INLINE_CODE
		},
		optionKey: "inlineCode"
	},
	{
		handler: {
			name: "strikethrough",
			handle: An,
			priority: d.STRIKETHROUGH
		},
		optionKey: "strikethrough"
	},
	{
		handler: {
			name: "katex",
			handle: mn,
			priority: d.KATEX
		},
		optionKey: "katex"
	},
	{
		handler: {
			name: "inlineKatex",
			handle: hn,
			priority: d.INLINE_KATEX
		},
		optionKey: "inlineKatex"
	}
], ye = (n) => {
	let e = n?.linkMode ?? "protocol";
	return Ne.filter(({ handler: t, optionKey: i }) => t.name === "links" ? B(n?.links) || B(n?.images) : t.name === "inlineKatex" ? Re(n?.inlineKatex) : B(n?.[i])).map(({ handler: t, earlyReturn: i }) => t.name === "links" ? {
		handler: P(L({}, t), { handle: (o) => D(o, e) }),
		earlyReturn: e === "protocol" ? i : void 0
	} : {
		handler: t,
		earlyReturn: i
	});
}, Or = (n, e) => {
	if (!n || typeof n != "string") return n;
	let r = n.endsWith(" ") && !n.endsWith("  ") ? n.slice(0, -1) : n, t = ye(e), i = (e?.handlers ?? []).map((l) => ({
		handler: P(L({}, l), { priority: l.priority ?? d.DEFAULT }),
		earlyReturn: void 0
	})), o = [...t, ...i].sort((l, a) => (l.handler.priority ?? 0) - (a.handler.priority ?? 0));
	try {
		for (let { handler: l, earlyReturn: a } of o) if (r = l.handle(r), a != null && a(r)) return r;
		return r.endsWith(" ") && !r.endsWith("  ") ? r.slice(0, -1) : r;
	} finally {
		K();
	}
};
// src/text/tokens.ts
function lastContainer(tokens) {
	let last = tokens.at(-1);
	switch (last?.type) {
		case "paragraph":
		case "heading":
		case "code": return last;
		case "text": return last.tokens ? last : null;
		case "blockquote": return lastContainer(last.tokens);
		case "list": return lastContainer(last.items.at(-1)?.tokens ?? []);
		default: return null;
	}
}
function withLastContainer(tokens, container) {
	let last = tokens.at(-1);
	return last ? [...tokens.slice(0, -1), replacedContainer(last, container)] : [container];
}
function replacedContainer(token, container) {
	switch (token.type) {
		case "blockquote": return {
			...token,
			tokens: withLastContainer(token.tokens, container)
		};
		case "list": {
			let list = token, item = list.items.at(-1);
			if (!item) return token;
			let changed = {
				...item,
				tokens: withLastContainer(item.tokens, container)
			};
			return {
				...list,
				items: [...list.items.slice(0, -1), changed]
			};
		}
		default: return container;
	}
}
function withText(tokens, text) {
	let last = tokens.at(-1);
	return last ? [...tokens.slice(0, -1), ...addedText(last, text)] : [textToken(text)];
}
function addedText(token, text) {
	switch (token.type) {
		case "text": {
			let { text: former, tokens } = token;
			return [tokens ? {
				...token,
				text: former + text,
				tokens: withText(tokens, text)
			} : {
				...token,
				text: former + text
			}];
		}
		case "codespan": return [{
			...token,
			text: token.text + text
		}];
		case "strong":
		case "em":
		case "del":
		case "link": return [{
			...token,
			tokens: withText(token.tokens, text)
		}];
		default: return [token, textToken(text)];
	}
}
function joinedInline(first, second) {
	let [before, after] = [first.at(-1), second[0]];
	if (before?.type !== "text" || after?.type !== "text" || before.tokens || after.tokens) return [...first, ...second];
	let text = {
		...before,
		raw: before.raw + after.raw,
		text: before.text + after.text
	};
	return [
		...first.slice(0, -1),
		text,
		...second.slice(1)
	];
}
function joined(first, second) {
	let before = first.at(-1), after = second[0];
	if (before?.type === "list" && after?.type === "list") {
		let [a, b] = [before, after];
		if (a.ordered === b.ordered) {
			let list = {
				...a,
				loose: a.loose || b.loose,
				items: [...a.items, ...b.items]
			};
			return [
				...first.slice(0, -1),
				list,
				...second.slice(1)
			];
		}
	}
	if (before?.type === "table" && after?.type === "table") {
		let [a, b] = [before, after];
		return [
			...first.slice(0, -1),
			{
				...a,
				rows: [...a.rows, ...b.rows]
			},
			...second.slice(1)
		];
	}
	return [...first, ...second];
}
function plainText(tokens) {
	return (tokens ?? []).map(plainTextOf).join("");
}
function plainTextOf(token) {
	switch (token.type) {
		case "br":
		case "space": return "\n";
		case "citation":
		case "footnoteReference":
		case "hr":
		case "def": return "";
		case "math": return token.tex ?? "";
		case "checkbox": return "";
		case "list": return token.items.map((item) => `${plainText(item.tokens)}\n`).join("");
		case "paragraph":
		case "footnote":
		case "heading": return `${plainText(token.tokens)}\n`;
		case "image": return token.text;
		default: return plainTextOfInline(token);
	}
}
function plainTextOfInline({ tokens, text }) {
	return tokens && tokens.length > 0 ? plainText(tokens) : typeof text == "string" ? text : "";
}
// src/text/tail.ts
var PLACEHOLDER = "x", PREFIX = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]?)*[ \t]*(?:\[[ xX]\][ \t]+|#{1,6}[ \t]+)?/, UNDECIDED = /^(?:[$\\]|[-*+_=#>]*|\d{1,9}[.)]?|\[[ xX]?\]?|`{1,2}|~{1,2}|(?:`{3}|~{3}).*|:?-[-:| \t]*|\|.*)$/, TOP_LEVEL_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/, STRUCTURE = /^(?:={2,}|`{3}|~{3}|([-*_])(?:[ \t]*\1){1,})/, TABLE_LINE = /^(?:\||:?-{2,}:?[ \t]*\|)/, SPECIAL = /[*_`~[\]()<>$\\!|&]/, MANY_LINES = 3, CLOSED_MATH = /(?:\$\$|\\\])[ \t]*$/, OPEN_ADDRESS = /\]\([^()\s]*$/, UNRESOLVED = /[*_`~[<$\\]/, MAX_INLINE_CHARS = 400;
function openCode(source, fence) {
	let newline = source.indexOf("\n");
	if (newline < 0) return [codeToken(source, fence, "")];
	let lastLine = source.lastIndexOf("\n"), end = /^ {0,3}(?:`+|~+)$/.test(source.slice(lastLine + 1)) || lastLine === source.length - 1 ? lastLine : source.length;
	return [codeToken(source, fence, source.slice(newline + 1, end))];
}
function wholeCode(source, fence, isClosed) {
	return [codeToken(source, fence, source.replace(/\n$/, "").split("\n").slice(1, isClosed ? -1 : void 0).join("\n").replace(/\n$/, isClosed ? "\n" : ""))];
}
function codeToken(raw, fence, text) {
	let indent = fence.indent > 0 ? RegExp(`^ {1,${fence.indent}}`, "gm") : null;
	return {
		type: "code",
		raw,
		lang: fence.info,
		text: indent ? text.replace(indent, "") : text
	};
}
var REMEND = {
	linkMode: "text-only",
	htmlTags: !1,
	comparisonOperators: !1,
	setextHeadings: !1,
	katex: !1
}, Tail = class {
	budget;
	frozen = [];
	region = 0;
	head = "";
	line = 0;
	decided = !1;
	base = [];
	container = null;
	settled = [];
	inlineStart = 0;
	inline = [];
	isOpen = !1;
	shown = 0;
	tokens = [];
	constructor(budget) {
		this.budget = budget;
	}
	update(source) {
		source.slice(Math.max(this.line, this.shown)).split("\n").length - 1 > MANY_LINES && this.skip(source, source.lastIndexOf("\n") + 1);
		let newline = source.indexOf("\n", Math.max(this.line, this.shown));
		for (; newline >= 0;) this.content(source.slice(0, newline), !0), this.line = newline + 1, this.decided = !1, newline = source.indexOf("\n", this.line);
		return this.content(source, !1), this.tokens;
	}
	skip(source, line) {
		let item = Math.max(lastItem(source, line), this.region);
		if (!this.budget.allows(this.head.length + line - this.region)) return;
		item > this.region && (this.frozen = joined(this.frozen, this.parse(this.head + source.slice(this.region, item))), this.head = "", this.region = item), this.tokens = this.base = joined(this.frozen, this.parse(this.head + source.slice(this.region, line))), this.container = null, this.line = this.shown = line, this.decided = !1;
		let table = this.base.at(-1);
		table?.type === "table" && this.separateTable(table, line);
	}
	separateTable(table, line) {
		this.frozen = this.base, this.head ||= headOf(table), this.region = line;
	}
	content(source, isWhole) {
		if (!this.decided) {
			let line = source.slice(this.line), prefix = PREFIX.exec(line)[0], rest = line.slice(prefix.length);
			if (isWhole && TABLE_LINE.test(rest)) return this.addTableLine(source);
			if (rest === "" || !isWhole && UNDECIDED.test(rest) || isWhole && isStructure(rest)) return;
			this.decide(source, prefix);
		}
		this.extend(source);
	}
	decide(source, prefix) {
		this.decided = !0;
		let start = this.line + prefix.length;
		if (prefix === "" && this.container !== null && this.container.type !== "code" && this.continues(source) || (this.base.at(-1)?.type === "list" && TOP_LEVEL_ITEM.test(source.slice(this.line)) && this.freeze(source), CLOSED_MATH.test(source.slice(this.line)) && this.showClosedMath(source))) return;
		let before = this.head + source.slice(this.region, start);
		if (!this.budget.allows(before.length)) return this.showPlain(start);
		let math = openMath(source.slice(this.region));
		if (math >= 0) return this.showOpenMath(source, this.region + math);
		let parsed = this.parse(before + PLACEHOLDER), container = lastContainer(parsed);
		this.container = container, container && (this.base = joined(this.frozen, parsed), this.settled = withoutPlaceholder(container), this.inlineStart = this.shown = start, this.inline = [], this.isOpen = !1, this.assemble());
	}
	showPlain(start) {
		this.container || (this.container = {
			type: "paragraph",
			raw: "",
			text: "",
			tokens: []
		}, this.base = [...this.base, this.container], this.settled = this.inline = [], this.inlineStart = this.shown = start, this.isOpen = !1);
	}
	continues(source) {
		let former = source.slice(source.lastIndexOf("\n", this.line - 2) + 1, this.line);
		return openMath(source.slice(this.region)) >= 0 ? !1 : former.trim() !== "" && !/^[ \t]*(?:\||#{1,6}[ \t]|={2,}|-{2,})/.test(former);
	}
	freeze(source) {
		let before = this.head + source.slice(this.region, this.line);
		this.line !== this.region && this.budget.allows(before.length) && (this.frozen = joined(this.frozen, this.parse(before)), this.head = "", this.region = this.line);
	}
	addTableLine(source) {
		let lines = `${this.head + source.slice(this.region)}\n`;
		if (!this.budget.allows(lines.length)) return;
		let tokens = joined(this.frozen, this.parse(lines)), table = tokens.at(-1);
		table?.type === "table" && (this.container = null, this.tokens = this.base = tokens, this.shown = source.length + 1, this.separateTable(table, this.shown));
	}
	showOpenMath(source, start) {
		let tokens = this.parse(this.head + source.slice(this.region, start)), open = {
			type: "math",
			raw: "",
			tex: source.slice(start).replace(/^\s*(?:\$\$|\\\[)\s*/, ""),
			display: !0,
			open: !0
		};
		this.base = joined(this.frozen, [...tokens, open]), this.container = null, this.tokens = this.base, this.shown = source.length;
	}
	showClosedMath(source) {
		let text = this.head + source.slice(this.region);
		if (!this.budget.allows(text.length)) return !1;
		let tokens = joined(this.frozen, this.parse(text));
		return tokens.at(-1)?.type === "math" && (this.container = null, this.tokens = this.base = tokens, this.shown = source.length, this.decided = !1, !0);
	}
	extend(source) {
		let added = source.slice(this.shown);
		if (added === "" || !this.container) return;
		this.shown = source.length;
		let { container } = this;
		if (container.type === "code") return this.container = {
			...container,
			text: container.text + added
		}, this.assemble();
		let text = source.slice(this.inlineStart);
		if (OPEN_ADDRESS.test(text)) return;
		let fresh = text.slice(-added.length - 1);
		SPECIAL.test(fresh) && this.budget.allows(text.length) ? this.parseLine(text) : this.addWords(added), this.settle(source, text), this.assemble();
	}
	parseLine(text) {
		let words = text.trimEnd(), closed = Or(words, REMEND);
		this.isOpen = closed !== words, this.inline = parseInline(closed, this.budget.links, this.budget.count), words !== text && this.addWords(text.slice(words.length));
	}
	addWords(words) {
		this.inline = this.isOpen ? withText(this.inline, words) : joinedInline(this.inline, [textToken(words)]);
	}
	settle(source, text) {
		/\s$/.test(text) && ((this.isOpen || this.inline.some((token) => token.type === "text" && UNRESOLVED.test(token.raw))) && text.length <= MAX_INLINE_CHARS || (this.settled = joinedInline(this.settled, this.inline), this.inline = [], this.isOpen = !1, this.inlineStart = source.length));
	}
	parse(source) {
		return parseBlocks(source, Object.assign(noLinks(), this.budget.links), this.budget.count);
	}
	assemble() {
		let { container } = this;
		if (!container) {
			this.tokens = this.base;
			return;
		}
		let tokens = joinedInline(this.settled, this.inline), filled = container.type === "code" ? container : {
			...container,
			tokens
		};
		this.tokens = withLastContainer(this.base, filled);
	}
};
function withoutPlaceholder(container) {
	if (container.type === "code") {
		let code = container;
		return code.text = code.text.slice(0, -1), [];
	}
	let tokens = [...container.tokens ?? []], last = tokens.pop();
	if (last?.type !== "text") return last ? [...tokens, last] : tokens;
	let text = last.text.slice(0, -1);
	return text === "" ? tokens : [...tokens, {
		...last,
		text
	}];
}
function isStructure(rest) {
	return STRUCTURE.test(rest) && !/[^-=*_`~\s]/.test(rest.replace(/^(?:`{3,}|~{3,}).*$/, ""));
}
function openMath(text) {
	let opener = /(?:^|\n) {0,3}(?:\$\$|\\\[)/g;
	for (let match = opener.exec(text); match; match = opener.exec(text)) {
		let rest = text.slice(opener.lastIndex), close = rest.search(match[0].endsWith("$$") ? /\$\$/ : /\\\]/), blank = rest.search(/\n[ \t]*\n/);
		if (close < 0 && blank < 0) return match.index;
		opener.lastIndex += close >= 0 && (blank < 0 || close < blank) ? close + 2 : blank;
	}
	return -1;
}
function lastItem(source, end) {
	for (let at = source.lastIndexOf("\n", end - 2); at > 0; at = source.lastIndexOf("\n", at - 1)) if (TOP_LEVEL_ITEM.test(source.slice(at + 1, at + 13))) return at + 1;
	return -1;
}
function headOf(table) {
	let [names = "", rule = ""] = table.raw.split("\n");
	return `${names}\n${rule}\n`;
}
// src/text/blocks.ts
var ALLOWANCE = 4e3, Blocks = class {
	count = { chars: 0 };
	text = "";
	settled = [];
	splitter = new Splitter();
	tail = null;
	links = noLinks();
	interim = 0;
	blocks = [];
	update(text) {
		return text.startsWith(this.text) || this.restart(), text.length === this.text.length ? this.blocks : this.append(text.slice(this.text.length));
	}
	append(added) {
		this.text += added;
		for (let slice of this.splitter.push(added)) this.settle(slice);
		return this.blocks = this.withTail(), this.blocks;
	}
	finish() {
		let { tail } = this.splitter;
		tail.source !== "" && this.settle(tail), this.resolveLinks();
		let blocks = this.settled;
		return this.restart(), blocks;
	}
	restart() {
		this.text = "", this.settled = [], this.splitter = new Splitter(), this.tail = null, this.links = noLinks(), this.blocks = [];
	}
	settle({ kind, start, source }) {
		let tokens = kind === "code" ? codeTokens(source) : parseBlocks(source, this.links, this.count);
		this.settled.push({
			id: start,
			source,
			tokens,
			settled: !0
		});
	}
	withTail() {
		let { tail, tailFence } = this.splitter, { start, source } = tail;
		if (source.trim() === "") return [...this.settled];
		let tokens = tailFence ? openCode(source, tailFence) : this.reader(start).update(source);
		return [...this.settled, {
			id: start,
			source,
			tokens,
			settled: !1
		}];
	}
	reader(start) {
		if (this.tail?.start !== start) {
			let budget = {
				links: this.links,
				count: this.count,
				allows: (chars) => {
					let allowed = this.interim + chars <= this.text.length + ALLOWANCE;
					return allowed && (this.interim += chars), allowed;
				}
			};
			this.tail = {
				start,
				reader: new Tail(budget)
			};
		}
		return this.tail.reader;
	}
	resolveLinks() {
		let labels = Object.keys(this.links);
		labels.length !== 0 && (this.settled = this.settled.map((block) => {
			if (!block.source.includes("]") || block.tokens[0]?.type === "code") return block;
			let source = block.source.toLowerCase();
			return labels.some((label) => source.includes(`[${label}]`)) ? {
				...block,
				tokens: parseBlocks(block.source, this.links, this.count)
			} : block;
		}));
	}
};
function blocksOf(text) {
	let blocks = new Blocks();
	return blocks.append(text), blocks.finish();
}
function codeTokens(source) {
	let lines = source.replace(/\n$/, "").split("\n"), fence = openedFence(lines[0] ?? "");
	return fence ? wholeCode(source, fence, lines.length > 1 && closes(fence, lines.at(-1) ?? "")) : [];
}
// src/text/cache.ts
var MAX_CHARS$2 = 4e6, cache = new Map(), chars = 0;
function parsed(text) {
	let known = cache.get(text);
	known && cache.delete(text);
	let blocks = known ?? blocksOf(text);
	return cache.set(text, blocks), known || shrink(text.length), blocks;
}
function remember(text, blocks) {
	cache.has(text) || (cache.set(text, blocks), shrink(text.length));
}
function shrink(added) {
	chars += added;
	for (let oldest of cache.keys()) {
		if (chars <= MAX_CHARS$2 || cache.size === 1) return;
		cache.delete(oldest), chars -= oldest.length;
	}
}
// src/text/highlight.ts
var MAX_CHARS$1 = 6e4, SCOPES = {
	keyword: "keyword",
	tag: "keyword",
	name: "keyword",
	"selector-tag": "keyword",
	meta: "keyword",
	operator: "keyword",
	section: "title",
	string: "string",
	regexp: "string",
	addition: "string",
	quote: "string",
	link: "string",
	"meta-string": "string",
	number: "number",
	literal: "number",
	symbol: "number",
	bullet: "number",
	"template-variable": "number",
	variable: "number",
	title: "title",
	built_in: "title",
	type: "title",
	attr: "title",
	attribute: "title",
	"selector-class": "title",
	"selector-id": "title",
	property: "title",
	comment: "comment",
	doctag: "comment",
	deletion: "comment"
}, LANGUAGES = {
	bash: () => __vitePreload(() => import("./bash.js"), [], import.meta.url),
	c: () => __vitePreload(() => import("./c.js"), [], import.meta.url),
	cpp: () => __vitePreload(() => import("./cpp.js"), [], import.meta.url),
	csharp: () => __vitePreload(() => import("./csharp.js"), [], import.meta.url),
	css: () => __vitePreload(() => import("./css.js"), [], import.meta.url),
	diff: () => __vitePreload(() => import("./diff.js"), [], import.meta.url),
	dockerfile: () => __vitePreload(() => import("./dockerfile.js"), [], import.meta.url),
	go: () => __vitePreload(() => import("./go.js"), [], import.meta.url),
	ini: () => __vitePreload(() => import("./ini.js"), [], import.meta.url),
	java: () => __vitePreload(() => import("./java.js"), [], import.meta.url),
	javascript: () => __vitePreload(() => import("./javascript.js"), [], import.meta.url),
	json: () => __vitePreload(() => import("./json.js"), [], import.meta.url),
	kotlin: () => __vitePreload(() => import("./kotlin.js"), [], import.meta.url),
	lua: () => __vitePreload(() => import("./lua.js"), [], import.meta.url),
	makefile: () => __vitePreload(() => import("./makefile.js"), [], import.meta.url),
	markdown: () => __vitePreload(() => import("./markdown.js"), [], import.meta.url),
	php: () => __vitePreload(() => import("./php.js"), [], import.meta.url),
	powershell: () => __vitePreload(() => import("./powershell.js"), [], import.meta.url),
	python: () => __vitePreload(() => import("./python.js"), [], import.meta.url),
	r: () => __vitePreload(() => import("./r.js"), [], import.meta.url),
	ruby: () => __vitePreload(() => import("./ruby.js"), [], import.meta.url),
	rust: () => __vitePreload(() => import("./rust.js"), [], import.meta.url),
	scala: () => __vitePreload(() => import("./scala.js"), [], import.meta.url),
	sql: () => __vitePreload(() => import("./sql.js"), [], import.meta.url),
	swift: () => __vitePreload(() => import("./swift.js"), [], import.meta.url),
	typescript: () => __vitePreload(() => import("./typescript.js"), [], import.meta.url),
	xml: () => __vitePreload(() => import("./xml.js"), [], import.meta.url),
	yaml: () => __vitePreload(() => import("./yaml.js"), [], import.meta.url)
}, ALIASES = {
	sh: "bash",
	shell: "bash",
	zsh: "bash",
	console: "bash",
	h: "c",
	"c++": "cpp",
	cc: "cpp",
	hpp: "cpp",
	cs: "csharp",
	"c#": "csharp",
	patch: "diff",
	docker: "dockerfile",
	golang: "go",
	toml: "ini",
	js: "javascript",
	jsx: "javascript",
	mjs: "javascript",
	node: "javascript",
	jsonc: "json",
	json5: "json",
	kt: "kotlin",
	make: "makefile",
	md: "markdown",
	ps1: "powershell",
	pwsh: "powershell",
	py: "python",
	rb: "ruby",
	rs: "rust",
	postgresql: "sql",
	mysql: "sql",
	sqlite: "sql",
	ts: "typescript",
	tsx: "typescript",
	html: "xml",
	svg: "xml",
	svelte: "xml",
	vue: "xml",
	yml: "yaml"
};
function languageOf(info) {
	return /^[\w+#.-]+/.exec(info ?? "")?.[0].toLowerCase() ?? "";
}
var core;
async function codeRanges(code, language) {
	let name = ALIASES[language] ?? language, load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : void 0;
	if (!load || code.length > MAX_CHARS$1) return [];
	core ??= __vitePreload(async () => {
		let { default: hljs } = await import("./core.js");
		return { default: hljs };
	}, __vite__mapDeps([0,1]), import.meta.url).then(({ default: hljs }) => {
		let own = hljs.newInstance();
		return own.configure({ __emitter: RangeEmitter }), own;
	});
	let [hljs, definition] = await Promise.all([core, load()]);
	hljs.getLanguage(name) || hljs.registerLanguage(name, definition.default);
	let emitter = hljs.highlight(code, {
		language: name,
		ignoreIllegals: !0
	})._emitter;
	return emitter instanceof RangeEmitter ? emitter.found : [];
}
var RangeEmitter = class {
	found = [];
	at = 0;
	open = [];
	addText(text) {
		let start = this.at;
		this.at += text.length;
		let scope = this.open.at(-1);
		scope && this.add({
			scope,
			start,
			end: this.at
		});
	}
	openNode(scope) {
		this.open.push(SCOPES[scope.split(".")[0]] ?? this.open.at(-1));
	}
	closeNode() {
		this.open.pop();
	}
	startScope(scope) {
		this.openNode(scope);
	}
	endScope() {
		this.closeNode();
	}
	__addSublanguage(other) {
		for (let { scope, start, end } of other.found) this.add({
			scope,
			start: this.at + start,
			end: this.at + end
		});
		this.at += other.at;
	}
	finalize() {}
	toHTML() {
		return "";
	}
	add(range) {
		let last = this.found.at(-1);
		range.start !== range.end && (last?.scope === range.scope && last.end === range.start ? this.found[this.found.length - 1] = {
			...last,
			end: range.end
		} : this.found.push(range));
	}
};
// src/text/paint.ts
function paint(node, ranges) {
	if (typeof Highlight > "u" || !("highlights" in CSS)) return () => {};
	let painted = ranges.map(({ scope, start, end }) => {
		let range = new StaticRange({
			startContainer: node,
			startOffset: start,
			endContainer: node,
			endOffset: end
		}), highlight = highlightOf(scope);
		return highlight.add(range), () => highlight.delete(range);
	});
	return () => {
		for (let remove of painted) remove();
	};
}
function highlightOf(scope) {
	let name = `code-${scope}`, known = CSS.highlights.get(name);
	if (known) return known;
	let highlight = new Highlight();
	return CSS.highlights.set(name, highlight), highlight;
}
// src/text/render/context.ts
function idOf({ prefix }, kind, label) {
	return `${prefix}-${kind}-${label}`;
}
var KEY = Symbol("markdown");
function provideMarkdown(context) {
	setContext(KEY, context);
}
function useMarkdown() {
	return getContext(KEY);
}
// src/text/render/CodeBlock.svelte
var root$32 = from_html("<span aria-live=\"polite\"> </span>"), root_1$23 = from_html("<figure class=\"svelte-hq0sgs\"><figcaption class=\"svelte-hq0sgs\"><span> </span> <!></figcaption> <pre dir=\"ltr\" role=\"group\" tabindex=\"0\" class=\"svelte-hq0sgs\"><code class=\"svelte-hq0sgs\"> </code></pre></figure>");
function CodeBlock($$anchor, $$props) {
	push($$props, !0);
	let { labels } = useMarkdown(), language = user_derived(() => languageOf($$props.info)), element = state(void 0), copied = state(!1);
	user_effect(() => {
		let node = get(element)?.firstChild;
		if (!$$props.settled || get(language) === "" || !(node instanceof Text)) return;
		let listing = $$props.code, isCurrent = !0, remove = () => {};
		return codeRanges(listing, get(language)).then((ranges) => {
			isCurrent && node.data === listing && (remove = paint(node, ranges));
		}), () => {
			isCurrent = !1, remove();
		};
	}), user_effect(() => {
		if (!get(copied)) return;
		let timer = setTimeout(() => set(copied, !1), 2e3);
		return () => clearTimeout(timer);
	});
	async function copy() {
		set(copied, await copyText($$props.code), !0);
	}
	var figure = root_1$23(), figcaption = child(figure), span = child(figcaption), text = only_child(span, !0), node_1 = sibling(span, 2);
	Button(node_1, {
		size: "small",
		variant: "quiet",
		onclick: copy,
		children: ($$anchor, $$slotProps) => {
			var span_1 = root$32(), text_1 = only_child(span_1, !0);
			template_effect(() => set_text(text_1, get(copied) ? labels.copied : labels.copyCode)), append($$anchor, span_1);
		},
		$$slots: { default: !0 }
	}), reset(figcaption);
	var pre = sibling(figcaption, 2), code_1 = child(pre), text_2 = only_child(code_1, !0);
	bind_this(code_1, ($$value) => set(element, $$value), () => get(element)), reset(pre), reset(figure), template_effect(($0) => {
		set_text(text, get(language)), set_attribute(pre, "aria-label", $0), set_text(text_2, $$props.code), pre.dir = pre.dir;
	}, [() => labels.code(get(language))]), append($$anchor, figure), pop();
}
// src/text/entities.ts
var NAMED = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: "\"",
	apos: "'",
	nbsp: "\xA0",
	shy: "­",
	copy: "©",
	reg: "®",
	trade: "™",
	hellip: "…",
	mdash: "—",
	ndash: "–",
	lsquo: "‘",
	rsquo: "’",
	ldquo: "“",
	rdquo: "”",
	laquo: "«",
	raquo: "»",
	bull: "•",
	middot: "·",
	times: "×",
	divide: "÷",
	plusmn: "±",
	deg: "°",
	micro: "µ",
	para: "¶",
	sect: "§",
	frac12: "½",
	frac14: "¼",
	sup2: "²",
	sup3: "³",
	euro: "€",
	pound: "£",
	yen: "¥",
	cent: "¢",
	larr: "←",
	uarr: "↑",
	rarr: "→",
	darr: "↓",
	harr: "↔",
	rArr: "⇒",
	ne: "≠",
	le: "≤",
	ge: "≥",
	asymp: "≈",
	infin: "∞",
	minus: "−",
	radic: "√",
	sum: "∑",
	prod: "∏",
	int: "∫",
	alpha: "α",
	beta: "β",
	gamma: "γ",
	delta: "δ",
	Delta: "Δ",
	epsilon: "ε",
	lambda: "λ",
	mu: "μ",
	pi: "π",
	sigma: "σ",
	Sigma: "Σ",
	omega: "ω",
	Omega: "Ω",
	check: "✓"
}, REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g;
function decoded(text) {
	return text.includes("&") ? text.replace(REFERENCE, (whole, decimal, hex, name) => name === void 0 ? character(decimal === void 0 ? Number.parseInt(hex ?? "", 16) : Number(decimal)) : Object.hasOwn(NAMED, name) ? NAMED[name] : whole) : text;
}
function character(code) {
	return code > 0 && code <= 1114111 && !(code >= 55296 && code <= 57343) ? String.fromCodePoint(code) : "�";
}
// src/text/links.ts
var SCHEMES = new Set([
	"http:",
	"https:",
	"mailto:",
	"tel:"
]), EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;
function linkAddress(href) {
	try {
		let url = new URL(decoded(href));
		return SCHEMES.has(url.protocol) ? url.href : null;
	} catch {
		return null;
	}
}
function imageAddress(href) {
	if (EMBEDDED_IMAGE.test(href)) return {
		kind: "embedded",
		href
	};
	let address = linkAddress(href);
	return address?.startsWith("http") ? {
		kind: "remote",
		href: address
	} : null;
}
function hostOf(address) {
	return new URL(address).host;
}
// src/text/render/Anchor.svelte
var root$31 = from_html("<a target=\"_blank\" rel=\"noopener noreferrer\"><!></a>");
function Anchor($$anchor, $$props) {
	push($$props, !0);
	let address = user_derived(() => linkAddress($$props.link.href));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var a = root$31(), node_1 = child(a);
		snippet(node_1, () => $$props.children), reset(a), template_effect(() => {
			set_attribute(a, "href", get(address)), set_attribute(a, "title", $$props.link.title || void 0);
		}), append($$anchor, a);
	}, alternate = ($$anchor) => {
		var fragment_1 = comment(), node_2 = first_child(fragment_1);
		snippet(node_2, () => $$props.children), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		get(address) ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/text/render/Citation.svelte
var root$30 = from_html("<button type=\"button\" class=\"svelte-rng43\"> </button>");
function Citation($$anchor, $$props) {
	push($$props, !0);
	let context = useMarkdown(), isCited = user_derived(() => $$props.citation.numbers.every((number) => context.isCited(number)));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		each(node_1, 17, () => $$props.citation.numbers, index, ($$anchor, number) => {
			var button = root$30(), text = only_child(button, !0);
			template_effect(($0) => {
				set_attribute(button, "aria-label", $0), set_text(text, get(number));
			}, [() => context.labels.citation(get(number))]), delegated("click", button, () => context.cite(get(number))), append($$anchor, button);
		}), append($$anchor, fragment_1);
	}, alternate = ($$anchor) => {
		var text_1 = text();
		template_effect(() => set_text(text_1, $$props.citation.raw)), append($$anchor, text_1);
	};
	if_block(node, ($$render) => {
		get(isCited) ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
// src/text/render/FootnoteReference.svelte
var root$29 = from_html("<sup><button type=\"button\" class=\"svelte-aowikx\"> </button></sup>");
function FootnoteReference($$anchor, $$props) {
	push($$props, !0);
	let context = useMarkdown(), label = user_derived(() => $$props.reference.label);
	function follow() {
		let footnote = document.getElementById(idOf(context, "footnote", get(label)));
		footnote?.scrollIntoView({ block: "nearest" }), footnote?.focus();
	}
	var sup = root$29(), button = child(sup), text = only_child(button, !0);
	reset(sup), template_effect(($0, $1) => {
		set_attribute(button, "id", $0), set_attribute(button, "aria-label", $1), set_text(text, get(label));
	}, [() => idOf(context, "reference", get(label)), () => context.labels.footnote(get(label))]), delegated("click", button, follow), append($$anchor, sup), pop();
}
delegate(["click"]);
// src/text/math.ts
var MAX_CHARS = 4e3;
async function drawMath(tex, display, into) {
	if (tex.length > MAX_CHARS) return !1;
	let { default: temml } = await __vitePreload(async () => {
		let { default: temml } = await import("./temml.js");
		return { default: temml };
	}, [], import.meta.url);
	try {
		return temml.render(tex, into, {
			displayMode: display,
			throwOnError: !0,
			trust: !1,
			maxSize: [20, 100],
			maxExpand: 500
		}), !0;
	} catch {
		return into.replaceChildren(), !1;
	}
}
// src/text/render/Formula.svelte
var root$28 = from_html("<code class=\"svelte-lrszwc\"> </code>"), root_1$22 = from_html("<span><span class=\"svelte-lrszwc\"></span><!></span>");
function Formula($$anchor, $$props) {
	push($$props, !0);
	let { labels } = useMarkdown(), host = state(void 0), drawn = state(!1);
	user_effect(() => {
		let element = get(host);
		if (!element || $$props.open) return;
		let isCurrent = !0, aside = document.createElement("span");
		return drawMath($$props.tex, $$props.display, aside).then((success) => {
			isCurrent && (element.replaceChildren(...success ? aside.childNodes : []), set(drawn, success, !0));
		}), () => isCurrent = !1;
	});
	var span = root_1$22(), span_1 = child(span);
	bind_this(span_1, ($$value) => set(host, $$value), () => get(host));
	var node = sibling(span_1), consequent = ($$anchor) => {
		var code = root$28(), text = only_child(code, !0);
		template_effect(() => set_text(text, $$props.tex)), append($$anchor, code);
	};
	if_block(node, ($$render) => {
		get(drawn) || $$render(consequent);
	}), reset(span), template_effect(() => {
		set_class(span, 1, clsx({
			display: $$props.display,
			drawn: get(drawn)
		}), "svelte-lrszwc"), set_attribute(span, "role", $$props.display ? "group" : void 0), set_attribute(span, "aria-label", $$props.display ? labels.formula : void 0), set_attribute(span, "tabindex", $$props.display ? 0 : void 0);
	}), append($$anchor, span), pop();
}
// src/text/render/Picture.svelte
var root$27 = from_html("<img class=\"svelte-14yfcl8\"/>"), root_1$21 = from_html("<a target=\"_blank\" rel=\"noopener noreferrer\"> </a>");
function Picture($$anchor, $$props) {
	push($$props, !0);
	let { labels } = useMarkdown(), address = user_derived(() => imageAddress($$props.image.href)), description = user_derived(() => decoded($$props.image.text));
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var img = root$27();
		template_effect(() => {
			set_attribute(img, "src", get(address).href), set_attribute(img, "alt", get(description));
		}), append($$anchor, img);
	}, consequent_1 = ($$anchor) => {
		var a = root_1$21(), text = only_child(a, !0);
		template_effect(($0) => {
			set_attribute(a, "href", get(address).href), set_text(text, $0);
		}, [() => labels.image(get(description), hostOf(get(address).href))]), append($$anchor, a);
	}, alternate = ($$anchor) => {
		var text_1 = text();
		template_effect(() => set_text(text_1, get(description))), append($$anchor, text_1);
	};
	if_block(node, ($$render) => {
		get(address)?.kind === "embedded" ? $$render(consequent) : get(address) ? $$render(consequent_1, 1) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/text/render/InlineTokens.svelte
var root$26 = from_html("<strong><!></strong>"), root_1$20 = from_html("<em><!></em>"), root_2$16 = from_html("<del><!></del>"), root_3$14 = from_html("<code class=\"svelte-1cwy9ot\"> </code>"), root_4$10 = from_html("<br/>"), root_5$2 = from_html("<span class=\"box svelte-1cwy9ot\" role=\"img\"> </span> ", 1);
function InlineTokens_1($$anchor, $$props) {
	push($$props, !0);
	let { labels } = useMarkdown(), inside = (token) => "tokens" in token ? token.tokens ?? [] : [], textOf = (token) => "text" in token ? String(token.text) : token.raw;
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var text$3 = text();
		template_effect(($0) => set_text(text$3, $0), [() => plainText($$props.tokens)]), append($$anchor, text$3);
	}, alternate_2 = ($$anchor) => {
		var fragment_2 = comment(), node_1 = first_child(fragment_2);
		each(node_1, 17, () => $$props.tokens, index, ($$anchor, token) => {
			var fragment_3 = comment(), node_2 = first_child(fragment_3), consequent_2 = ($$anchor) => {
				var fragment_4 = comment(), node_3 = first_child(fragment_4), consequent_1 = ($$anchor) => {
					{
						let $0 = user_derived(() => inside(get(token))), $1 = user_derived(() => $$props.depth + 1);
						InlineTokens_1($$anchor, {
							get tokens() {
								return get($0);
							},
							get depth() {
								return get($1);
							}
						});
					}
				}, d = user_derived(() => inside(get(token)).length > 0), alternate = ($$anchor) => {
					var text_1 = text();
					template_effect(($0) => set_text(text_1, $0), [() => decoded(textOf(get(token)))]), append($$anchor, text_1);
				};
				if_block(node_3, ($$render) => {
					get(d) ? $$render(consequent_1) : $$render(alternate, -1);
				}), append($$anchor, fragment_4);
			}, consequent_3 = ($$anchor) => {
				var strong = root$26(), node_4 = child(strong);
				{
					let $0 = user_derived(() => inside(get(token))), $1 = user_derived(() => $$props.depth + 1);
					InlineTokens_1(node_4, {
						get tokens() {
							return get($0);
						},
						get depth() {
							return get($1);
						}
					});
				}
				reset(strong), append($$anchor, strong);
			}, consequent_4 = ($$anchor) => {
				var em = root_1$20(), node_5 = child(em);
				{
					let $0 = user_derived(() => inside(get(token))), $1 = user_derived(() => $$props.depth + 1);
					InlineTokens_1(node_5, {
						get tokens() {
							return get($0);
						},
						get depth() {
							return get($1);
						}
					});
				}
				reset(em), append($$anchor, em);
			}, consequent_5 = ($$anchor) => {
				var del = root_2$16(), node_6 = child(del);
				{
					let $0 = user_derived(() => inside(get(token))), $1 = user_derived(() => $$props.depth + 1);
					InlineTokens_1(node_6, {
						get tokens() {
							return get($0);
						},
						get depth() {
							return get($1);
						}
					});
				}
				reset(del), append($$anchor, del);
			}, consequent_6 = ($$anchor) => {
				var code = root_3$14(), text_2 = only_child(code, !0);
				template_effect(($0) => set_text(text_2, $0), [() => textOf(get(token))]), append($$anchor, code);
			}, consequent_7 = ($$anchor) => {
				var br = root_4$10();
				append($$anchor, br);
			}, consequent_8 = ($$anchor) => {
				var text_3 = text();
				template_effect(($0) => set_text(text_3, $0), [() => textOf(get(token))]), append($$anchor, text_3);
			}, consequent_9 = ($$anchor) => {
				Anchor($$anchor, {
					get link() {
						return get(token);
					},
					children: ($$anchor, $$slotProps) => {
						{
							let $0 = user_derived(() => inside(get(token))), $1 = user_derived(() => $$props.depth + 1);
							InlineTokens_1($$anchor, {
								get tokens() {
									return get($0);
								},
								get depth() {
									return get($1);
								}
							});
						}
					},
					$$slots: { default: !0 }
				});
			}, consequent_10 = ($$anchor) => {
				Picture($$anchor, { get image() {
					return get(token);
				} });
			}, consequent_11 = ($$anchor) => {
				Formula($$anchor, {
					get tex() {
						return get(token).tex;
					},
					display: !1,
					open: !1
				});
			}, consequent_12 = ($$anchor) => {
				Citation($$anchor, { get citation() {
					return get(token);
				} });
			}, consequent_13 = ($$anchor) => {
				FootnoteReference($$anchor, { get reference() {
					return get(token);
				} });
			}, consequent_14 = ($$anchor) => {
				var fragment_14 = root_5$2(), span = first_child(fragment_14), text_4 = only_child(span, !0), text_5 = sibling(span, 1, !0);
				text_5.nodeValue = " ", template_effect(() => {
					set_attribute(span, "aria-label", get(token).checked ? labels.done : labels.notDone), set_text(text_4, get(token).checked ? "☑" : "☐");
				}), append($$anchor, fragment_14);
			}, alternate_1 = ($$anchor) => {
				var text_6 = text();
				template_effect(($0) => set_text(text_6, $0), [() => textOf(get(token))]), append($$anchor, text_6);
			};
			if_block(node_2, ($$render) => {
				get(token).type === "text" ? $$render(consequent_2) : get(token).type === "strong" ? $$render(consequent_3, 1) : get(token).type === "em" ? $$render(consequent_4, 2) : get(token).type === "del" ? $$render(consequent_5, 3) : get(token).type === "codespan" ? $$render(consequent_6, 4) : get(token).type === "br" ? $$render(consequent_7, 5) : get(token).type === "escape" ? $$render(consequent_8, 6) : get(token).type === "link" ? $$render(consequent_9, 7) : get(token).type === "image" ? $$render(consequent_10, 8) : get(token).type === "math" ? $$render(consequent_11, 9) : get(token).type === "citation" ? $$render(consequent_12, 10) : get(token).type === "footnoteReference" ? $$render(consequent_13, 11) : get(token).type === "checkbox" ? $$render(consequent_14, 12) : $$render(alternate_1, -1);
			}), append($$anchor, fragment_3);
		}), append($$anchor, fragment_2);
	};
	if_block(node, ($$render) => {
		$$props.depth > 32 ? $$render(consequent) : $$render(alternate_2, -1);
	}), append($$anchor, fragment), pop();
}
// src/text/render/DataTable.svelte
var root$25 = from_html("<th scope=\"col\" dir=\"auto\"><!></th>"), root_1$19 = from_html("<td dir=\"auto\"><!></td>"), root_2$15 = from_html("<tr class=\"svelte-msu6mi\"></tr>"), root_3$13 = from_html("<div class=\"table svelte-msu6mi\" role=\"group\" tabindex=\"0\"><table class=\"svelte-msu6mi\"><thead><tr></tr></thead><tbody class=\"svelte-msu6mi\"></tbody></table></div>");
function DataTable($$anchor, $$props) {
	push($$props, !0);
	let { labels } = useMarkdown();
	var div = root_3$13(), table_1 = child(div), thead = child(table_1), tr = child(thead);
	each(tr, 21, () => $$props.table.header, index, ($$anchor, cell) => {
		var th = root$25();
		InlineTokens_1(child(th), {
			get tokens() {
				return get(cell).tokens;
			},
			get depth() {
				return $$props.depth;
			}
		}), reset(th), template_effect(() => {
			set_class(th, 1, clsx(get(cell).align), "svelte-msu6mi"), th.dir = th.dir;
		}), append($$anchor, th);
	}), reset(tr), reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => $$props.table.rows, index, ($$anchor, row) => {
		var tr_1 = root_2$15();
		each(tr_1, 21, () => get(row), index, ($$anchor, cell) => {
			var td = root_1$19();
			InlineTokens_1(child(td), {
				get tokens() {
					return get(cell).tokens;
				},
				get depth() {
					return $$props.depth;
				}
			}), reset(td), template_effect(() => {
				set_class(td, 1, clsx(get(cell).align), "svelte-msu6mi"), td.dir = td.dir;
			}), append($$anchor, td);
		}), reset(tr_1), append($$anchor, tr_1);
	}), reset(tbody), reset(table_1), reset(div), template_effect(() => set_attribute(div, "aria-label", labels.table)), append($$anchor, div), pop();
}
// src/text/render/Footnote.svelte
var root$24 = from_html("<p class=\"footnote svelte-1tm1ay6\" role=\"note\" tabindex=\"-1\" dir=\"auto\"><span class=\"label svelte-1tm1ay6\" aria-hidden=\"true\"> </span> <!> <button type=\"button\" class=\"svelte-1tm1ay6\">↩</button></p>");
function Footnote($$anchor, $$props) {
	push($$props, !0);
	let context = useMarkdown(), label = user_derived(() => $$props.footnote.label);
	function back() {
		let reference = document.getElementById(idOf(context, "reference", get(label)));
		reference?.scrollIntoView({ block: "nearest" }), reference?.focus();
	}
	var p = root$24(), span = child(p), text = only_child(span, !0), node = sibling(span, 2);
	InlineTokens_1(node, {
		get tokens() {
			return $$props.footnote.tokens;
		},
		get depth() {
			return $$props.depth;
		}
	});
	var button = sibling(node, 2);
	reset(p), template_effect(($0, $1, $2) => {
		set_attribute(p, "id", $0), set_attribute(p, "aria-label", $1), set_text(text, get(label)), set_attribute(button, "aria-label", $2), p.dir = p.dir;
	}, [
		() => idOf(context, "footnote", get(label)),
		() => context.labels.footnote(get(label)),
		() => context.labels.toReference(get(label))
	]), delegated("click", button, back), append($$anchor, p), pop();
}
delegate(["click"]);
// src/text/render/BlockTokens.svelte
var root$23 = from_html("<p dir=\"auto\"> </p>"), root_1$18 = from_html("<p dir=\"auto\"><!></p>"), root_2$14 = from_html("<li><!></li>"), root_3$12 = from_html("<blockquote dir=\"auto\" class=\"svelte-1tc4ton\"><!></blockquote>"), root_4$9 = from_html("<hr class=\"svelte-1tc4ton\"/>");
function BlockTokens_1($$anchor, $$props) {
	push($$props, !0);
	let startOf = ({ start }) => start === "" || start === 1 ? void 0 : start, tagOf = (heading) => `h${Math.min(heading.depth + 2, 6)}`;
	var fragment = comment(), node = first_child(fragment), consequent = ($$anchor) => {
		var p = root$23(), text = only_child(p, !0);
		template_effect(($0) => {
			set_text(text, $0), p.dir = p.dir;
		}, [() => plainText($$props.tokens)]), append($$anchor, p);
	}, alternate = ($$anchor) => {
		var fragment_1 = comment(), node_1 = first_child(fragment_1);
		each(node_1, 17, () => $$props.tokens, index, ($$anchor, token) => {
			var fragment_2 = comment(), node_2 = first_child(fragment_2), consequent_1 = ($$anchor) => {
				var p_1 = root_1$18(), node_3 = child(p_1);
				{
					let $0 = user_derived(() => $$props.depth + 1);
					InlineTokens_1(node_3, {
						get tokens() {
							return get(token).tokens;
						},
						get depth() {
							return get($0);
						}
					});
				}
				reset(p_1), template_effect(() => p_1.dir = p_1.dir), append($$anchor, p_1);
			}, consequent_2 = ($$anchor) => {
				{
					let $0 = user_derived(() => [get(token)]), $1 = user_derived(() => $$props.depth + 1);
					InlineTokens_1($$anchor, {
						get tokens() {
							return get($0);
						},
						get depth() {
							return get($1);
						}
					});
				}
			}, consequent_3 = ($$anchor) => {
				var fragment_4 = comment(), node_4 = first_child(fragment_4);
				element(node_4, () => tagOf(get(token)), !1, ($$element, $$anchor) => {
					attribute_effect($$element, () => ({
						dir: "auto",
						class: ""
					}), void 0, void 0, void 0, "svelte-1tc4ton");
					{
						let $0 = user_derived(() => $$props.depth + 1);
						InlineTokens_1($$anchor, {
							get tokens() {
								return get(token).tokens;
							},
							get depth() {
								return get($0);
							}
						});
					}
				}), append($$anchor, fragment_4);
			}, consequent_4 = ($$anchor) => {
				let list = user_derived(() => get(token));
				var fragment_6 = comment(), node_5 = first_child(fragment_6);
				element(node_5, () => get(list).ordered ? "ol" : "ul", !1, ($$element_1, $$anchor) => {
					attribute_effect($$element_1, ($0) => ({
						start: $0,
						class: get(list).loose ? "loose" : void 0,
						dir: "auto"
					}), [() => startOf(get(list))], void 0, void 0, "svelte-1tc4ton");
					var fragment_7 = comment(), node_6 = first_child(fragment_7);
					each(node_6, 17, () => get(list).items, index, ($$anchor, item) => {
						var li = root_2$14(), node_7 = child(li);
						{
							let $0 = user_derived(() => $$props.depth + 1);
							BlockTokens_1(node_7, {
								get tokens() {
									return get(item).tokens;
								},
								get settled() {
									return $$props.settled;
								},
								get depth() {
									return get($0);
								}
							});
						}
						reset(li), template_effect(() => set_class(li, 1, clsx(get(item).task ? "task" : void 0), "svelte-1tc4ton")), append($$anchor, li);
					}), append($$anchor, fragment_7);
				}), append($$anchor, fragment_6);
			}, consequent_5 = ($$anchor) => {
				{
					let $0 = user_derived(() => [get(token)]), $1 = user_derived(() => $$props.depth + 1);
					InlineTokens_1($$anchor, {
						get tokens() {
							return get($0);
						},
						get depth() {
							return get($1);
						}
					});
				}
			}, consequent_6 = ($$anchor) => {
				var blockquote = root_3$12(), node_8 = child(blockquote);
				{
					let $0 = user_derived(() => $$props.depth + 1);
					BlockTokens_1(node_8, {
						get tokens() {
							return get(token).tokens;
						},
						get settled() {
							return $$props.settled;
						},
						get depth() {
							return get($0);
						}
					});
				}
				reset(blockquote), template_effect(() => blockquote.dir = blockquote.dir), append($$anchor, blockquote);
			}, consequent_7 = ($$anchor) => {
				CodeBlock($$anchor, {
					get code() {
						return get(token).text;
					},
					get info() {
						return get(token).lang;
					},
					get settled() {
						return $$props.settled;
					}
				});
			}, consequent_8 = ($$anchor) => {
				{
					let $0 = user_derived(() => $$props.depth + 1);
					DataTable($$anchor, {
						get table() {
							return get(token);
						},
						get depth() {
							return get($0);
						}
					});
				}
			}, consequent_9 = ($$anchor) => {
				{
					let $0 = user_derived(() => get(token).open ?? !1);
					Formula($$anchor, {
						get tex() {
							return get(token).tex;
						},
						display: !0,
						get open() {
							return get($0);
						}
					});
				}
			}, consequent_10 = ($$anchor) => {
				{
					let $0 = user_derived(() => $$props.depth + 1);
					Footnote($$anchor, {
						get footnote() {
							return get(token);
						},
						get depth() {
							return get($0);
						}
					});
				}
			}, consequent_11 = ($$anchor) => {
				var hr = root_4$9();
				append($$anchor, hr);
			}, consequent_12 = ($$anchor) => {
				var p_2 = root$23(), text_1 = only_child(p_2, !0);
				template_effect(() => {
					set_text(text_1, get(token).raw), p_2.dir = p_2.dir;
				}), append($$anchor, p_2);
			};
			if_block(node_2, ($$render) => {
				get(token).type === "paragraph" ? $$render(consequent_1) : get(token).type === "text" ? $$render(consequent_2, 1) : get(token).type === "heading" ? $$render(consequent_3, 2) : get(token).type === "list" ? $$render(consequent_4, 3) : get(token).type === "checkbox" ? $$render(consequent_5, 4) : get(token).type === "blockquote" ? $$render(consequent_6, 5) : get(token).type === "code" ? $$render(consequent_7, 6) : get(token).type === "table" ? $$render(consequent_8, 7) : get(token).type === "math" ? $$render(consequent_9, 8) : get(token).type === "footnote" ? $$render(consequent_10, 9) : get(token).type === "hr" ? $$render(consequent_11, 10) : get(token).type !== "space" && get(token).type !== "def" && $$render(consequent_12, 11);
			}), append($$anchor, fragment_2);
		}), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		$$props.depth > 32 ? $$render(consequent) : $$render(alternate, -1);
	}), append($$anchor, fragment), pop();
}
// src/text/render/Markdown.svelte
var root$22 = from_html("<div class=\"group svelte-1mhjt4z\"></div>"), root_1$17 = from_html("<div></div>");
function Markdown($$anchor, $$props) {
	let prefix = props_id();
	push($$props, !0);
	let open = prop($$props, "open", 3, !1);
	provideMarkdown({
		prefix,
		get labels() {
			return $$props.labels;
		},
		isCited: (number) => $$props.oncite !== void 0 && ($$props.cited?.has(number) ?? !0),
		cite: (number) => $$props.oncite?.(number)
	});
	let reader = null, blocks = user_derived(() => open() ? growing($$props.text) : complete($$props.text)), former = [], groups = user_derived(() => {
		let groups = [];
		for (let start = 0; start < get(blocks).length; start += 16) {
			let group = get(blocks).slice(start, start + 16), known = former[groups.length];
			groups.push(known?.length === group.length && group.every((block, at) => block === known[at]) ? known : group);
		}
		return former = groups;
	});
	function growing(text) {
		return reader ??= new Blocks(), reader.update(text);
	}
	function complete(text) {
		if (!reader) return parsed(text);
		reader.update(text);
		let blocks = reader.finish();
		return reader = null, remember(text, blocks), blocks;
	}
	var div = root_1$17();
	each(div, 21, () => get(groups), index, ($$anchor, group) => {
		var div_1 = root$22();
		each(div_1, 21, () => get(group), (block) => block.id, ($$anchor, block) => {
			BlockTokens_1($$anchor, {
				get tokens() {
					return get(block).tokens;
				},
				get settled() {
					return get(block).settled;
				},
				depth: 0
			});
		}), reset(div_1), append($$anchor, div_1);
	}), reset(div), template_effect(() => set_class(div, 1, clsx(["markdown", $$props.text.length > 2e4 && "long"]), "svelte-1mhjt4z")), append($$anchor, div), pop();
}
// src/chat/Prose.svelte
var root$21 = from_html("<div class=\"prose svelte-1dr62ip\"><!></div>");
function Prose($$anchor, $$props) {
	push($$props, !0);
	var div = root$21();
	Markdown(child(div), {
		get text() {
			return $$props.text;
		},
		get open() {
			return $$props.open;
		},
		get labels() {
			return t.markdown;
		},
		get cited() {
			return $$props.cited;
		},
		get oncite() {
			return $$props.oncite;
		}
	}), reset(div), append($$anchor, div), pop();
}
// src/chat/sources.svelte.ts
var shown = state(void 0), sourcesPane = {
	get shown() {
		return get(shown);
	},
	show(message, sources, number) {
		let at = sources.findIndex((source) => source.number === number);
		set(shown, {
			message,
			sources,
			at: at >= 0 ? at : number !== void 0 && sources[number - 1] ? number - 1 : void 0
		});
	},
	select(at) {
		get(shown) && set(shown, {
			...get(shown),
			at
		});
	},
	close() {
		set(shown, void 0);
	}
};
function titleOf({ source }) {
	if (source.title) return source.title;
	try {
		return source.url ? new URL(source.url).hostname : source.document_id ?? "";
	} catch {
		return source.url ?? "";
	}
}
function pageOf({ source }) {
	return source.url && /^https?:\/\//i.test(source.url) ? source.url : void 0;
}
function originalOf({ source: { document_id, place } }) {
	if (document_id && place?.knowledge_base_id) return addressOf("knowledge-bases.get_knowledge_base_document_content", { path: {
		knowledge_base_id: place.knowledge_base_id,
		document_id
	} });
}
// src/chat/ended-runs.svelte.ts
var AT_ONCE = 4, EndedRuns = class {
	conversation;
	#answers = state(new Map());
	get answers() {
		return get(this.#answers);
	}
	set answers(value) {
		set(this.#answers, value);
	}
	known = new Set();
	waiting = [];
	followers = new Set();
	constructor(conversation) {
		this.conversation = conversation;
	}
	of(run) {
		return run ? this.answers.get(run) : void 0;
	}
	keep(answer) {
		answer.run_id && (this.answers = new Map(this.answers).set(answer.run_id, answer), answer.terminal && this.known.add(answer.run_id));
	}
	read(run) {
		this.known.has(run) || (this.known.add(run), this.waiting.push(run), this.readNext());
	}
	readNext() {
		let run = this.followers.size < AT_ONCE ? this.waiting.shift() : void 0;
		if (run === void 0) return;
		let done = () => {
			this.followers.delete(follower), this.readNext();
		}, follower = new AnswerFollower(live, {
			to: "stream",
			conversation_id: this.conversation,
			stream_id: run
		}, {
			onAnswer: (answer) => {
				answer.terminal && (this.keep(answer), done());
			},
			onRefused: done
		});
		this.followers.add(follower);
	}
	close() {
		this.waiting.length = 0;
		for (let follower of this.followers) follower.close();
	}
}, TAIL = 50, Branch = class {
	loaded = [];
	places = new Map();
	following = new Map();
	last;
	total = 0;
	constructor(page) {
		page && (this.total = page.total, this.last = page.leaf_id ?? void 0, this.insert(page.items));
	}
	get leaf() {
		return this.last;
	}
	get size() {
		return this.places.size;
	}
	at(place) {
		return this.loaded[place];
	}
	get(id) {
		let place = id === void 0 ? void 0 : this.places.get(id);
		return place === void 0 ? void 0 : this.loaded[place];
	}
	placeOf(id) {
		return this.places.get(id) ?? (id === this.last ? this.total - 1 : void 0);
	}
	versionsOf(message) {
		return this.following.get(message.parent_id ?? null) ?? [message.id];
	}
	insert(items) {
		for (let { position, sibling_ids, sibling_number: _, ...message } of items) position > this.total || (this.put(position - 1, message), this.following.set(message.parent_id ?? null, sibling_ids));
	}
	put(place, message) {
		let former = this.loaded[place];
		former && former.id !== message.id && this.places.delete(former.id), this.loaded[place] = message, this.places.set(message.id, place);
	}
	replace(message) {
		let place = this.places.get(message.id);
		return place !== void 0 && (this.loaded[place] = message, !0);
	}
	addVersion({ id, parent_id }) {
		let parent = parent_id ?? null, known = this.following.get(parent) ?? (parent === (this.last ?? null) ? [] : void 0);
		known && !known.includes(id) && this.following.set(parent, [...known, id]);
	}
	remove(id) {
		for (let [parent, ids] of this.following) ids.includes(id) && this.following.set(parent, ids.filter((other) => other !== id));
		return this.placeOf(id) !== void 0;
	}
	extend(path) {
		let parent = path[0]?.parent_id ?? null, place = parent === null ? -1 : this.placeOf(parent);
		if (place === void 0 || place + 1 < this.total && !this.following.has(parent)) return !1;
		this.cut(place + 1);
		for (let message of path) this.addVersion(message), this.put(this.total, message), this.last = message.id, this.total++;
		return !0;
	}
	cut(total) {
		for (let place = total; place < this.loaded.length; place++) this.unload(place);
		this.loaded.length = Math.min(this.loaded.length, total), total < this.total && (this.last = this.loaded[total - 1]?.id), this.total = Math.min(this.total, total);
	}
	unload(place) {
		let message = this.loaded[place];
		message && (this.loaded[place] = void 0, this.places.delete(message.id));
	}
	adopt(other) {
		let first = this.loaded.findIndex((message) => message !== void 0);
		for (; first > 0; first--) {
			let parent = this.loaded[first]?.parent_id, message = other.loaded[first - 1];
			if (!message || message.id !== parent) return;
			this.put(first - 1, message);
			let versions = other.following.get(message.parent_id ?? null);
			versions && this.following.set(message.parent_id ?? null, versions);
		}
	}
	evict(view, most) {
		if (this.size <= most) return;
		let center = (view.start + view.end) / 2, isKept = (place) => place >= view.start && place < view.end || place >= this.total - TAIL, others = [...this.places.values()].filter((place) => !isKept(place));
		others.sort((a, b) => Math.abs(b - center) - Math.abs(a - center));
		for (let place of others.slice(0, this.size - most)) this.following.delete(this.loaded[place]?.parent_id ?? null), this.unload(place);
	}
};
function nextPage(branch, view, margin, limit) {
	let isMissing = (place) => place >= 0 && place < branch.total && branch.at(place) === void 0;
	if (view.end <= view.start) return;
	let start = Math.max(0, view.start - margin), end = Math.min(branch.total, view.end + margin), middle = Math.floor((view.start + view.end) / 2);
	for (let distance = 0; middle - distance >= start || middle + distance < end; distance++) {
		let place = [middle + distance, middle - distance].find((place) => place >= start && place < end && isMissing(place));
		if (place !== void 0) return around(place, isMissing, limit);
	}
}
function around(place, isMissing, limit) {
	let [first, last] = [place, place];
	for (let grows = !0; grows && last - first + 1 < limit;) grows = !1, isMissing(first - 1) && (first--, grows = !0), last - first + 1 < limit && isMissing(last + 1) && (last++, grows = !0);
	return {
		before: last + 2,
		limit: last - first + 1
	};
}
// src/chat/reader.svelte.ts
var PAGE$2 = 50, MARGIN = 15, MOST_LOADED = 500, MOST_RECENT = 100, BranchReader = class {
	conversation;
	branch = new Branch();
	#revision = state(0);
	get revision() {
		return get(this.#revision);
	}
	set revision(value) {
		set(this.#revision, value, !0);
	}
	recent = new Map();
	wanted = {
		start: 0,
		end: 0
	};
	reading = !1;
	generation = 0;
	jump = 0;
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#view = user_derived(() => {
		this.revision;
		let { branch } = this;
		return {
			total: branch.total,
			at: (place) => branch.at(place),
			placeOf: (id) => branch.placeOf(id),
			versionsOf: (message) => branch.versionsOf(message)
		};
	});
	get view() {
		return get(this.#view);
	}
	set view(value) {
		set(this.#view, value);
	}
	constructor(conversation) {
		this.conversation = conversation;
	}
	get leaf() {
		return this.branch.leaf;
	}
	get isComplete() {
		return this.branch.size === this.branch.total;
	}
	get(id) {
		return this.branch.get(id) ?? (id === void 0 ? void 0 : this.recent.get(id));
	}
	read(selection) {
		return call("conversations.list_conversation_messages", {
			path: { conversation_id: this.conversation },
			query: {
				limit: PAGE$2,
				...selection
			}
		});
	}
	async open() {
		let generation = ++this.generation, page = await this.read(this.place());
		generation === this.generation && this.show(new Branch(page));
	}
	place() {
		let { start, end } = this.wanted;
		return end === 0 || end >= this.branch.total ? {} : { before: Math.floor((start + end) / 2) + PAGE$2 / 2 };
	}
	show(branch) {
		branch.adopt(this.branch), this.branch = branch, this.problem = void 0, this.revision++, this.load();
	}
	need(span) {
		this.wanted = span, this.problem || this.load();
	}
	retry() {
		this.problem = void 0, this.load();
	}
	async load() {
		if (!this.reading) {
			this.reading = !0;
			try {
				for (;;) {
					let request = nextPage(this.branch, this.wanted, MARGIN, PAGE$2);
					if (!request) break;
					let { generation, branch } = this, page = await this.read({
						...branch.leaf ? { leaf_id: branch.leaf } : {},
						...request
					});
					if (generation === this.generation) {
						if (page.items.length === 0) break;
						branch.insert(page.items), branch.evict(this.wanted, MOST_LOADED), this.revision++;
					}
				}
			} catch (error) {
				this.problem = error;
			} finally {
				this.reading = !1;
			}
		}
	}
	async reach(id, stay = !1) {
		let known = this.branch.get(id) && this.branch.placeOf(id), jump = ++this.jump;
		if (known !== void 0) return {
			place: known,
			isOther: !1
		};
		let position = await this.positionOf(id);
		if (jump !== this.jump) return "superseded";
		if (position === void 0) return "gone";
		let before = position + PAGE$2 / 2, { leaf } = this.branch, generation = ++this.generation, page = await this.read({
			...leaf ? { leaf_id: leaf } : {},
			before
		}), isOther = !page.items.some((item) => item.id === id);
		return isOther && stay ? jump === this.jump ? "gone" : "superseded" : (isOther && (page = await this.read({
			through_id: id,
			before
		})), jump === this.jump ? generation === this.generation ? (this.wanted = {
			start: position - 1,
			end: position
		}, isOther || leaf === void 0 ? this.show(new Branch(page)) : (this.branch.insert(page.items), this.branch.evict(this.wanted, MOST_LOADED), this.revision++), {
			place: position - 1,
			isOther
		}) : this.reach(id, stay) : "superseded");
	}
	async positionOf(id) {
		try {
			return (await this.read({
				leaf_id: id,
				limit: 1
			})).total;
		} catch (error) {
			if (error instanceof ApiProblem && (error.status === 422 || error.status === 404)) return;
			throw error;
		}
	}
	async through(id, place) {
		let generation = ++this.generation, page = await this.read({
			through_id: id,
			before: place + PAGE$2 / 2
		});
		generation === this.generation && this.show(new Branch(page));
	}
	async move(leaf) {
		if ((leaf ?? void 0) === this.branch.leaf) return;
		let generation = ++this.generation, path = leaf ? this.pathTo(leaf) : [];
		if (path && (path.length > 0 ? this.branch.extend(path) : this.cutAfter(leaf))) {
			for (let { id } of path) this.recent.delete(id);
			this.revision++;
		} else try {
			let page = await this.read({
				...leaf ? { leaf_id: leaf } : {},
				...this.place()
			});
			generation === this.generation && this.show(new Branch(page));
		} catch (error) {
			this.problem = error;
		}
	}
	cutAfter(leaf) {
		let place = leaf ? this.branch.placeOf(leaf) : -1;
		return place !== void 0 && this.branch.cut(place + 1), place !== void 0;
	}
	pathTo(leaf) {
		let path = [];
		for (let id = leaf; id !== null && this.branch.placeOf(id) === void 0;) {
			let message = this.recent.get(id);
			if (!message || path.includes(message)) return;
			path.unshift(message), id = message.parent_id ?? null;
		}
		return path;
	}
	put(message) {
		if (!this.branch.replace(message)) {
			this.branch.addVersion(message), this.recent.delete(message.id), this.recent.set(message.id, message);
			for (let id of this.recent.keys()) this.recent.size > MOST_RECENT && this.recent.delete(id);
		}
		this.revision++;
	}
	remove(id) {
		this.recent.delete(id);
		let isAffected = this.branch.remove(id);
		return this.revision++, isAffected;
	}
	async version(id) {
		let message = this.get(id) ?? (await this.read({
			leaf_id: id,
			limit: 1
		})).items[0];
		if (!message) throw Error(id);
		return message;
	}
	async lastQuestion() {
		for (let place = this.branch.total - 1; place >= 0; place--) {
			let message = this.branch.at(place);
			if (!message) break;
			if (message.role === "user") return message;
		}
		let { items } = await this.read({
			...this.leaf ? { leaf_id: this.leaf } : {},
			limit: 10
		});
		return items.find(({ role }) => role === "user");
	}
	async everything() {
		let messages = [], cursor;
		do {
			let page = await this.read({
				limit: 200,
				...cursor ? { cursor } : this.leaf ? { leaf_id: this.leaf } : {}
			});
			messages.push(...page.items), cursor = page.next_cursor;
		} while (cursor);
		return messages.reverse();
	}
}, OpenConversation = class {
	id;
	#meta = state();
	get meta() {
		return get(this.#meta);
	}
	set meta(value) {
		set(this.#meta, value);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#live = state();
	get live() {
		return get(this.#live);
	}
	set live(value) {
		set(this.#live, value);
	}
	#pending = state();
	get pending() {
		return get(this.#pending);
	}
	set pending(value) {
		set(this.#pending, value);
	}
	#refusal = state();
	get refusal() {
		return get(this.#refusal);
	}
	set refusal(value) {
		set(this.#refusal, value);
	}
	onselect;
	reader;
	runs;
	elsewhere = !1;
	feed;
	follower;
	closed = !1;
	constructor(id) {
		this.id = id, this.reader = new BranchReader(id), this.runs = new EndedRuns(id);
	}
	get branch() {
		return this.reader.view;
	}
	async open(message) {
		try {
			let response = await request("conversations.get_conversation", {
				path: { conversation_id: this.id },
				query: { include_messages: !1 }
			}), conversation = await response.json();
			if (this.closed) return;
			let reached = message ? await this.reader.reach(message) : "gone", isReached = typeof reached == "object";
			if (!isReached && (conversation.message_count > 0 || this.branch.total > 0) && await this.reader.open(), this.closed) return;
			message && !isReached && (this.refusal = Error(t.chat.messageGone)), this.elsewhere = isReached && reached.isOther, this.take(conversation), this.problem = void 0, this.subscribe(response.headers.get("x-feed-id") ?? void 0);
		} catch (error) {
			this.closed || (this.problem = error);
		}
	}
	close() {
		this.closed = !0, clearTimeout(this.reopening), this.feed?.close(), this.follower?.close(), this.runs.close(), connection.forget(this);
	}
	take(meta) {
		if (this.meta = meta, !meta.active_stream) return this.settle();
		let { stream_id, message_id, queue } = meta.active_stream;
		this.follow(stream_id, message_id ?? void 0), this.wait(stream_id, queue);
	}
	subscribe(after) {
		this.feed?.close(), this.feed = live.subscribe({
			to: "conversation",
			conversation_id: this.id
		}, {
			deliver: (events) => events.forEach((event) => this.apply(event)),
			ended: () => {},
			refused: (problem) => {
				this.settle(), this.meta = void 0, this.problem = new ApiProblem("conversations.get_conversation", problem, this.id);
			},
			connection: (state) => {
				connection.report(this, state), state.state === "open" && this.reader.problem && this.reader.retry();
			}
		}, after === void 0 ? {} : { after });
	}
	apply({ type, data }) {
		let content = data;
		switch (type) {
			case "stream.started": {
				let stream = content;
				return this.follow(stream.stream_id, stream.message_id ?? void 0);
			}
			case "stream.queued": return this.wait(String(content.stream_id), content.queue ?? void 0);
			case "message.created":
			case "message.updated": return this.put(content.message);
			case "message.deleted":
				this.reader.remove(String(content.message_id)) && this.reopenSoon();
				return;
			case "title.updated":
			case "conversation.updated": return this.patch(content);
			case "stream.ended":
				conversations.patch(this.id, { active_stream: void 0 }), conversations.tellOtherTabs();
				return;
			case "feed.reset":
				this.open();
				return;
		}
	}
	reopening;
	reopenSoon() {
		clearTimeout(this.reopening), this.reopening = setTimeout(() => void this.open(), 100);
	}
	patch(fields) {
		if (!this.meta) return;
		let former = this.meta.current_message_id;
		this.meta = {
			...this.meta,
			...fields
		}, conversations.patch(this.id, fields), fields.current_message_id === void 0 || this.elsewhere && fields.current_message_id === former || (this.elsewhere = !1, this.reader.move(fields.current_message_id));
	}
	put(message) {
		message.role === "user" && (this.pending = void 0), this.reader.put(message), message.status !== "streaming" && message.id === this.live?.message && this.settle();
	}
	settle() {
		this.follower?.close(), this.follower = void 0, this.live && this.runs.keep(this.live.answer), this.live = void 0, this.pending = void 0;
	}
	follow(stream, message) {
		this.live?.stream === stream ? message && !this.live.message && (this.live = {
			...this.live,
			message
		}) : (this.follower?.close(), this.live = {
			stream,
			message,
			answer: NO_ANSWER,
			stopping: !1,
			queue: void 0
		}, conversations.patch(this.id, { active_stream: { stream_id: stream } }), this.follower = new AnswerFollower(live, {
			to: "stream",
			conversation_id: this.id,
			stream_id: stream
		}, {
			onAnswer: (answer) => this.show(stream, answer),
			onRefused: () => void this.open()
		}));
	}
	wait(stream, queue) {
		this.live?.stream === stream && (this.live = {
			...this.live,
			queue
		});
	}
	show(stream, answer) {
		if (this.live?.stream !== stream) return;
		this.live = {
			...this.live,
			answer,
			message: this.live.message ?? answer.message_id ?? void 0
		}, answer.title && !this.meta?.title && this.patch({ title: answer.title });
		let stored = this.reader.get(this.live.message);
		answer.terminal && stored && stored.status !== "streaming" && this.settle();
	}
	answerOf(message) {
		return message.status === "streaming" && message.id === this.live?.message ? this.live : void 0;
	}
	versionsOf(message) {
		return this.branch.versionsOf(message);
	}
	async send(question) {
		this.pending = {
			text: question.text,
			files: question.files
		};
		let parent = this.elsewhere && this.reader.leaf ? { parent_message_id: this.reader.leaf } : {};
		return this.complete({
			message: question.text,
			uploads: question.uploads,
			...parent
		}, newIdempotencyKey());
	}
	async regenerate(message, model) {
		return this.complete({
			regenerate_message_id: message.id,
			...model ? { model } : {}
		}, newIdempotencyKey());
	}
	async edit(message, content) {
		return this.attempt(async () => {
			let edited = await call("conversations.update_conversation_message", {
				path: { conversation_id: this.id },
				body: {
					message_id: message.id,
					content
				}
			});
			this.put(edited), message.role === "user" && await this.complete({ regenerate_message_id: edited.id }, newIdempotencyKey());
		});
	}
	async complete(fields, idempotencyKey) {
		let sent = await this.attempt(async () => {
			let form = new FormData();
			form.append("recovery", "continue");
			for (let [name, value] of Object.entries(fields)) for (let item of Array.isArray(value) ? value : [value]) item !== void 0 && form.append(name, String(item));
			let options = {
				path: { conversation_id: this.id },
				query: { wire: "ndjson" },
				form,
				idempotencyKey,
				accept: "application/x-ndjson"
			}, response = await request("conversations.conversation_completion", options), stream = response.headers.get("x-stream-id");
			await response.body?.cancel(), stream && this.follow(stream, void 0);
		});
		return sent || (this.pending = void 0), sent;
	}
	async stop() {
		let { live: active } = this;
		active && !active.stopping && (this.live = {
			...active,
			stopping: !0
		}, !await this.attempt(async () => {
			await call("conversations.cancel_stream", { path: {
				conversation_id: this.id,
				stream_id: active.stream
			} });
		}) && this.live?.stream === active.stream && (this.live = {
			...this.live,
			stopping: !1
		}));
	}
	async select(version, former) {
		let place = this.branch.placeOf(former.id);
		place !== void 0 && (this.onselect?.(place), await this.attempt(async () => {
			await this.reader.through(version, place), this.elsewhere = !0;
			let leaf = this.reader.leaf;
			!this.meta?.read_only && leaf && (await call("conversations.patch_conversation", {
				path: { conversation_id: this.id },
				body: { current_message_id: leaf }
			}), this.patch({ current_message_id: leaf }));
		}));
	}
	async reach(message, stay = !1) {
		let reached = "failed";
		return await this.attempt(async () => {
			if (reached = await this.reader.reach(message, stay), reached === "gone" && !stay) throw Error(t.chat.messageGone);
			typeof reached == "object" && reached.isOther && (this.elsewhere = this.reader.leaf !== this.meta?.current_message_id);
		}), reached;
	}
	async lastQuestion() {
		let question;
		return await this.attempt(async () => {
			question = await this.reader.lastQuestion();
		}), question;
	}
	async everything() {
		let messages;
		return await this.attempt(async () => {
			messages = await this.reader.everything();
		}), messages;
	}
	async change(body) {
		let { meta: former } = this;
		this.patch(body), !await this.attempt(async () => {
			await call("conversations.patch_conversation", {
				path: { conversation_id: this.id },
				body
			});
		}) && former && (this.meta = former);
	}
	async rate(message, feedback) {
		await this.attempt(async () => {
			this.put(await call("conversations.update_conversation_message", {
				path: { conversation_id: this.id },
				body: {
					message_id: message.id,
					feedback
				}
			}));
		});
	}
	async attempt(action) {
		this.refusal = void 0;
		try {
			return await action(), !0;
		} catch (error) {
			return this.refusal = error, !1;
		}
	}
}, handedOver;
function handOver(conversation) {
	handedOver?.close(), handedOver = conversation;
}
function conversationFor(id, message) {
	let given = handedOver;
	if (given?.id === id && !given.problem) return handedOver = void 0, given;
	let conversation = new OpenConversation(id);
	return conversation.open(message), conversation;
}
// src/text/sentences.ts
var OPEN_FORMULA = /^ {0,3}(?:\$\$|\\\[)/m, SentenceReader = class {
	segmenter;
	block = -1;
	made = 0;
	constructor(language) {
		this.segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
	}
	skip(blocks) {
		this.read(blocks);
	}
	read(blocks) {
		let announcements = [];
		for (let block of blocks) {
			if (block.id < this.block) continue;
			block.id !== this.block && (this.made = 0), this.block = block.id;
			let all = this.announcementsOf(block), mayChange = OPEN_FORMULA.test(block.source), complete = block.settled ? all : mayChange ? [] : all.slice(0, -1);
			announcements.push(...complete.slice(this.made)), this.made = Math.max(this.made, complete.length);
		}
		return announcements;
	}
	announcementsOf(block) {
		return block.tokens.flatMap((token) => this.announcementsOfToken(token));
	}
	announcementsOfToken(token) {
		switch (token.type) {
			case "code": {
				let { text, lang } = token;
				return [{
					kind: "code",
					language: languageOf(lang),
					lines: text === "" ? 0 : text.split("\n").length
				}];
			}
			case "table": {
				let { header, rows } = token;
				return [{
					kind: "table",
					columns: header.length,
					rows: rows.length
				}];
			}
			case "math": return [{
				kind: "formula",
				tex: token.tex ?? ""
			}];
			case "list": return token.items.flatMap((item) => item.tokens.flatMap((inner) => this.announcementsOfToken(inner)));
			case "blockquote": return token.tokens.flatMap((inner) => this.announcementsOfToken(inner));
			default: return this.sentences(decoded(plainText([token])));
		}
	}
	sentences(text) {
		return Array.from(this.segmenter.segment(text), ({ segment }) => segment.replace(/\s+/g, " ").trim()).filter((sentence) => sentence !== "").map((text) => ({
			kind: "sentence",
			text
		}));
	}
}, root$20 = from_html("<p> </p>"), root_1$16 = from_html("<div class=\"visually-hidden\" role=\"log\" aria-live=\"polite\"></div> <p class=\"visually-hidden\" role=\"status\"> </p>", 1);
function Announcer($$anchor, $$props) {
	push($$props, !0);
	let reader, blocks = new Blocks(), run = null, latest, announced = state(proxy([])), timer, status = user_derived(() => $$props.answer ? $$props.answer.terminal ? t.chat.finished : t.chat.responding : "");
	user_effect(() => {
		$$props.answer && (latest = $$props.answer, reader && $$props.answer.run_id === run || (reader = new SentenceReader(locale()), blocks = new Blocks(), run = $$props.answer.run_id, $$props.answer.seq > 20 && reader.skip(blocks.update(textOf($$props.answer)))), $$props.answer.terminal && (clearTimeout(timer), timer = void 0), timer ??= setTimeout(announce, 1e3));
	}), user_effect(() => () => clearTimeout(timer));
	function announce() {
		if (timer = void 0, !latest || !reader) return;
		let current = blocks.update(textOf(latest)), texts = reader.read(latest.terminal ? blocks.finish() : current).map(spoken);
		texts.length > 0 && set(announced, texts, !0), latest.terminal && (timer = setTimeout(() => (set(announced, [], !0), timer = void 0), 1e4));
	}
	function spoken(announcement) {
		switch (announcement.kind) {
			case "sentence": return announcement.text;
			case "code": return t.markdown.codeLines(announcement.language, announcement.lines);
			case "table": return t.markdown.tableSize(announcement.columns, announcement.rows);
			case "formula": return `${t.markdown.formula}: ${announcement.tex}`;
		}
	}
	var fragment = root_1$16(), div = first_child(fragment);
	each(div, 21, () => get(announced), index, ($$anchor, text) => {
		var p = root$20(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, get(text))), append($$anchor, p);
	}), reset(div);
	var p_1 = sibling(div, 2), text_2 = only_child(p_1, !0);
	template_effect(() => {
		set_attribute(div, "aria-label", t.chat.response), set_text(text_2, get(status));
	}), append($$anchor, fragment), pop();
}
// src/chat/matches.ts
function merged(...lists) {
	let matches = new Map();
	for (let list of lists) for (let match of list) matches.has(match.id) || matches.set(match.id, match);
	return [...matches.values()].sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id));
}
function compare(a, b) {
	return a < b ? -1 : +(a > b);
}
// src/chat/find.svelte.ts
var DELAY = 250, PAGE$1 = 100, Find = class {
	conversation;
	#matches = state([]);
	get matches() {
		return get(this.#matches);
	}
	set matches(value) {
		set(this.#matches, value);
	}
	#at = state(0);
	get at() {
		return get(this.#at);
	}
	set at(value) {
		set(this.#at, value, !0);
	}
	#state = state("idle");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value, !0);
	}
	#progress = state();
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#cursor = state();
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, !0);
	}
	query = "";
	timer;
	abort = new AbortController();
	constructor(conversation) {
		this.conversation = conversation;
	}
	get hasMore() {
		return this.cursor !== void 0;
	}
	get current() {
		return this.matches[this.at];
	}
	close() {
		clearTimeout(this.timer), this.abort.abort();
	}
	search(text) {
		this.close(), this.abort = new AbortController(), this.query = text.trim().slice(0, 200), this.problem = this.cursor = void 0, this.state = "idle", this.at = 0, this.matches = this.loaded(), this.query && !this.conversation.reader.isComplete && (this.state = "searching", this.timer = setTimeout(() => void this.ask(), DELAY));
	}
	loaded() {
		let text = this.query.toLowerCase(), { branch } = this.conversation, matches = [];
		for (let place = branch.total - 1; text && place >= 0; place--) {
			let message = branch.at(place);
			message?.parts?.some((part) => part.type === "text" && part.text.toLowerCase().includes(text)) && matches.push(message);
		}
		return merged(matches);
	}
	async ask() {
		let { signal } = this.abort;
		this.problem = void 0, this.state = "searching";
		try {
			let query = {
				query: this.query,
				conversation_id: this.conversation.id,
				limit: PAGE$1,
				...this.cursor ? { cursor: this.cursor } : {}
			}, page = await searchMessages(query, signal, (progress) => {
				this.state = "indexing", this.progress = progress;
			}), shown = this.current?.id;
			this.matches = merged(this.matches, page.items.map(({ message_id, created_at }) => ({
				id: message_id,
				created_at
			}))), this.at = Math.max(0, this.matches.findIndex(({ id }) => id === shown)), this.cursor = page.next_cursor;
		} catch (error) {
			signal.aborted || (this.problem = error);
		} finally {
			signal.aborted || (this.state = "idle");
		}
	}
	async step(by) {
		by > 0 && this.at === this.matches.length - 1 && this.hasMore && await this.ask(), this.at = (this.at + by + this.matches.length) % Math.max(1, this.matches.length);
	}
	remove(id) {
		let at = this.matches.findIndex((match) => match.id === id);
		this.matches = this.matches.filter((match) => match.id !== id), (at < this.at || this.at >= this.matches.length) && (this.at = Math.max(0, this.at - 1));
	}
}, root$19 = from_html("<div class=\"find svelte-zn1emm\" role=\"search\"><input class=\"input svelte-zn1emm\" type=\"search\"/> <span role=\"status\" class=\"svelte-zn1emm\"> </span> <!> <!> <!></div> <!>", 1);
function FindBar($$anchor, $$props) {
	push($$props, !0);
	let find = new Find($$props.conversation), query = state(""), field, status = user_derived(() => {
		if (!get(query).trim()) return "";
		let { matches, hasMore, state } = find;
		return state === "indexing" ? t.shell.indexing(find.progress) : state === "searching" && matches.length === 0 ? t.shell.searching : t.chat.foundAt(matches.length === 0 ? 0 : find.at + 1, matches.length, hasMore);
	});
	onMount(() => {
		let former = document.activeElement;
		return field.focus(), () => {
			find.close(), CSS.highlights?.delete("found"), former instanceof HTMLElement && former.isConnected && former.focus();
		};
	});
	let shown;
	async function reveal(by = 1) {
		for (let match = find.current; match && match.id !== shown && (shown = match.id, !(await $$props.onreveal(match.id) || shown !== match.id)); match = find.current) find.remove(match.id), by < 0 && find.matches.length > 0 && await find.step(by);
		requestAnimationFrame(highlight);
	}
	async function go(by) {
		find.matches.length !== 0 && (await find.step(by), await reveal(by));
	}
	user_effect(() => {
		find.matches.length > 0 && shown === void 0 && reveal();
	});
	function highlight() {
		let text = get(query).trim().toLowerCase(), ranges = [];
		for (let article of document.querySelectorAll("[data-message]")) {
			let found = occurrences(article, text);
			ranges.push(...found.length > 0 ? found : text.split(/\s+/).flatMap((word) => occurrences(article, word)));
		}
		CSS.highlights?.set("found", new Highlight(...ranges));
	}
	function occurrences(article, text) {
		let ranges = [], walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); text && node; node = walker.nextNode()) {
			let content = node.textContent?.toLowerCase() ?? "";
			for (let start = content.indexOf(text); start >= 0; start = content.indexOf(text, start + text.length)) {
				let range = new Range();
				range.setStart(node, start), range.setEnd(node, start + text.length), ranges.push(range);
			}
		}
		return ranges;
	}
	function press(event) {
		if (event.key === "Escape") $$props.onclose();
		else if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault(), event.stopPropagation();
	}
	function search() {
		shown = void 0, CSS.highlights?.delete("found"), find.search(get(query));
	}
	var fragment = root$19(), div = first_child(fragment), input = child(div);
	remove_input_defaults(input), bind_this(input, ($$value) => field = $$value, () => field);
	var span = sibling(input, 2), text_1 = only_child(span, !0), node_1 = sibling(span, 2);
	{
		let $0 = user_derived(() => find.matches.length === 0 ? t.keys.nothing : void 0);
		Button(node_1, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronUp;
			},
			get label() {
				return t.chat.findOlder;
			},
			get refused() {
				return get($0);
			},
			onclick: () => void go(1)
		});
	}
	var node_2 = sibling(node_1, 2);
	{
		let $0 = user_derived(() => find.matches.length === 0 ? t.keys.nothing : void 0);
		Button(node_2, {
			variant: "quiet",
			size: "small",
			get icon() {
				return ChevronDown;
			},
			get label() {
				return t.chat.findNewer;
			},
			get refused() {
				return get($0);
			},
			onclick: () => void go(-1)
		});
	}
	var node_3 = sibling(node_2, 2);
	Button(node_3, {
		variant: "quiet",
		size: "small",
		get icon() {
			return X$1;
		},
		get label() {
			return t.common.close;
		},
		get onclick() {
			return $$props.onclose;
		}
	}), reset(div);
	var node_4 = sibling(div, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return find.problem;
			},
			retry: () => void find.ask()
		});
	};
	if_block(node_4, ($$render) => {
		find.problem && $$render(consequent);
	}), template_effect(() => {
		set_attribute(input, "aria-label", t.keys.find), set_attribute(input, "placeholder", t.keys.find), set_text(text_1, get(status));
	}), delegated("input", input, search), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), append($$anchor, fragment), pop();
}
delegate(["input", "keydown"]);
// src/chat/outline.svelte.ts
var FIRST_PAGE = 200, PAGE = 5e3, Outline = class {
	conversation;
	leaf;
	#items = state([]);
	get items() {
		return get(this.#items);
	}
	set items(value) {
		set(this.#items, value);
	}
	#total = state();
	get total() {
		return get(this.#total);
	}
	set total(value) {
		set(this.#total, value, !0);
	}
	#loading = state(!1);
	get loading() {
		return get(this.#loading);
	}
	set loading(value) {
		set(this.#loading, value, !0);
	}
	#problem = state();
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	cursor;
	constructor(conversation, leaf) {
		this.conversation = conversation, this.leaf = leaf;
	}
	get isComplete() {
		return this.total !== void 0 && this.items.length >= this.total;
	}
	async more() {
		if (!(this.loading || this.isComplete)) {
			this.loading = !0, this.problem = void 0;
			try {
				let selection = this.cursor ? { cursor: this.cursor } : this.leaf ? { leaf_id: this.leaf } : {}, limit = this.cursor ? PAGE : FIRST_PAGE, page = await call("conversations.get_conversation_outline", {
					path: { conversation_id: this.conversation },
					query: {
						limit,
						...selection
					}
				});
				this.items = [...page.items.toReversed(), ...this.items], this.cursor = page.next_cursor, this.total = page.next_cursor ? page.user_messages : this.items.length;
			} catch (error) {
				this.problem = error;
			} finally {
				this.loading = !1;
			}
		}
	}
	rowAt(place) {
		return this.items.findLastIndex(({ position }) => position - 1 <= place);
	}
}, root$18 = from_html("<li role=\"presentation\"></li>"), root_1$15 = from_html("<span class=\"cut svelte-aovo54\"> </span><time class=\"svelte-aovo54\"> </time>", 1), root_2$13 = from_html("<span class=\"waiting svelte-aovo54\"> </span>"), root_3$11 = from_html("<li class=\"row svelte-aovo54\" role=\"option\"><!></li>"), root_4$8 = from_html("<input class=\"input\" role=\"combobox\" aria-expanded=\"true\" aria-autocomplete=\"list\" autocomplete=\"off\"/> <p class=\"count svelte-aovo54\" role=\"status\"> </p> <!> <!> <ul role=\"listbox\" class=\"svelte-aovo54\"><!> <!> <!></ul>", 1);
function OutlineDialog($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let at = prop($$props, "at", 3, Infinity), outline = new Outline($$props.conversation.id, $$props.conversation.reader.leaf), query = state(""), list = state(void 0), top = state(0), height = state(0), selected = state(void 0), text = user_derived(() => get(query).trim().toLowerCase()), found = user_derived(() => get(text) ? outline.items.filter(({ preview }) => preview.toLowerCase().includes(get(text))) : outline.items), missing = user_derived(() => get(text) ? 0 : (outline.total ?? 0) - outline.items.length), count = user_derived(() => get(missing) + get(found).length), first = user_derived(() => Math.max(0, Math.floor(get(top) / 44) - 6)), rows = user_derived(() => Array.from({ length: Math.max(0, Math.min(get(count), Math.ceil((get(top) + get(height)) / 44) + 6) - get(first)) }, (_, row) => get(first) + row)), current = user_derived(() => outline.items[outline.rowAt(at())]?.id), active = user_derived(() => Math.min(get(selected) ?? get(count) - 1, get(count) - 1)), itemAt = (row) => get(found)[row - get(missing)];
	user_effect(() => {
		(outline.total === void 0 || get(text) !== "" || get(selected) === void 0 || get(first) < get(missing) || get(active) < get(missing)) && !outline.loading && !outline.problem && !outline.isComplete && outline.more();
	}), user_effect(() => {
		if (get(selected) !== void 0 || outline.total === void 0 || get(text)) return;
		let row = outline.rowAt(at());
		row < 0 && !outline.isComplete || select(get(missing) + Math.max(0, row), "center");
	});
	function select(row, block = "nearest") {
		set(selected, Math.max(0, Math.min(get(count) - 1, row)), !0);
		let start = get(selected) * 44;
		tick().then(() => {
			get(list) && (block === "center" ? get(list).scrollTop = start - (get(list).clientHeight - 44) / 2 : get(list).scrollTop = Math.max(start + 44 - get(list).clientHeight, Math.min(get(list).scrollTop, start)));
		});
	}
	function choose(row) {
		let item = itemAt(row);
		item && ($$props.onclose(), $$props.onchoose(item.id));
	}
	function press(event) {
		let edge = event.ctrlKey || event.metaKey || get(query) === "";
		if (event.key === "ArrowDown") select(get(active) + 1);
		else if (event.key === "ArrowUp") select(get(active) - 1);
		else if (event.key === "PageDown") select(get(active) + 8);
		else if (event.key === "PageUp") select(get(active) - 8);
		else if (event.key === "Home" && edge) select(0);
		else if (event.key === "End" && edge) select(get(count) - 1);
		else if (event.key === "Enter") choose(get(active));
		else return;
		event.preventDefault();
	}
	function filter() {
		tick().then(() => select(get(count) - 1));
	}
	Dialog($$anchor, {
		get title() {
			return t.chat.outline;
		},
		width: "wide",
		get onclose() {
			return $$props.onclose;
		},
		children: ($$anchor, $$slotProps) => {
			var fragment_1 = root_4$8(), input = first_child(fragment_1);
			remove_input_defaults(input), autofocus(input, !0);
			var p = sibling(input, 2), text_1 = only_child(p, !0), node = sibling(p, 2), consequent = ($$anchor) => {
				ProblemNote($$anchor, {
					get problem() {
						return outline.problem;
					},
					retry: () => void outline.more()
				});
			};
			if_block(node, ($$render) => {
				outline.problem && $$render(consequent);
			});
			var node_1 = sibling(node, 2), consequent_2 = ($$anchor) => {
				var fragment_3 = comment(), node_2 = first_child(fragment_3), consequent_1 = ($$anchor) => {
					StatePanel($$anchor, {
						kind: "loading",
						get title() {
							return t.common.loading;
						}
					});
				};
				if_block(node_2, ($$render) => {
					outline.problem || $$render(consequent_1);
				}), append($$anchor, fragment_3);
			}, consequent_3 = ($$anchor) => {
				{
					let $0 = user_derived(() => get(text) ? outline.loading ? t.shell.searching : t.common.none : t.chat.outlineEmpty);
					StatePanel($$anchor, { get title() {
						return get($0);
					} });
				}
			};
			if_block(node_1, ($$render) => {
				outline.total === void 0 ? $$render(consequent_2) : get(count) === 0 && $$render(consequent_3, 1);
			});
			var ul = sibling(node_1, 2), node_3 = child(ul), consequent_4 = ($$anchor) => {
				var li = root$18();
				let styles;
				template_effect(() => styles = set_style(li, "", styles, { "block-size": `${get(first) * 44}px` })), append($$anchor, li);
			};
			if_block(node_3, ($$render) => {
				get(first) > 0 && $$render(consequent_4);
			});
			var node_4 = sibling(node_3, 2);
			each(node_4, 16, () => get(rows), (row) => row, ($$anchor, row) => {
				let item = user_derived(() => itemAt(row));
				var li_1 = root_3$11();
				set_style(li_1, "", {}, { "block-size": "44px" });
				var node_5 = child(li_1), consequent_5 = ($$anchor) => {
					var fragment_6 = root_1$15(), span = first_child(fragment_6), text_2 = only_child(span, !0), time = sibling(span), text_3 = only_child(time, !0);
					template_effect(($0) => {
						set_text(text_2, get(item).preview), set_attribute(time, "datetime", get(item).created_at), set_text(text_3, $0);
					}, [() => date(get(item).created_at)]), append($$anchor, fragment_6);
				}, alternate = ($$anchor) => {
					var span_1 = root_2$13(), text_4 = only_child(span_1, !0);
					template_effect(() => set_text(text_4, t.common.loading)), append($$anchor, span_1);
				};
				if_block(node_5, ($$render) => {
					get(item) ? $$render(consequent_5) : $$render(alternate, -1);
				}), reset(li_1), template_effect(() => {
					set_attribute(li_1, "id", `${id}-${row ?? ""}`), set_attribute(li_1, "aria-selected", row === get(active)), set_attribute(li_1, "aria-current", get(item) && get(item).id === get(current) ? "true" : void 0), set_attribute(li_1, "aria-setsize", get(count)), set_attribute(li_1, "aria-posinset", row + 1), set_attribute(li_1, "aria-disabled", get(item) ? void 0 : "true");
				}), delegated("click", li_1, () => choose(row)), delegated("pointermove", li_1, () => {
					get(item) && set(selected, row, !0);
				}), append($$anchor, li_1);
			});
			var node_6 = sibling(node_4, 2), consequent_6 = ($$anchor) => {
				var li_2 = root$18();
				let styles_1;
				template_effect(() => styles_1 = set_style(li_2, "", styles_1, { "block-size": `${(get(count) - get(first) - get(rows).length) * 44}px` })), append($$anchor, li_2);
			};
			if_block(node_6, ($$render) => {
				get(first) + get(rows).length < get(count) && $$render(consequent_6);
			}), reset(ul), bind_this(ul, ($$value) => set(list, $$value), () => get(list)), template_effect(($0, $1) => {
				set_attribute(input, "aria-controls", `${id}-list`), set_attribute(input, "aria-activedescendant", $0), set_attribute(input, "aria-label", t.chat.outlineHint), set_attribute(input, "placeholder", t.chat.outlineHint), set_text(text_1, $1), set_attribute(ul, "id", `${id}-list`), set_attribute(ul, "aria-label", t.chat.outline), set_attribute(ul, "aria-busy", outline.loading || void 0);
			}, [() => itemAt(get(active)) ? `${id}-${get(active)}` : void 0, () => outline.total === void 0 ? "" : get(text) ? t.chat.questionsOf(get(found).length, outline.total) : t.chat.questions(outline.total)]), delegated("input", input, filter), delegated("keydown", input, press), bind_value(input, () => get(query), ($$value) => set(query, $$value)), event("scroll", ul, () => set(top, get(list)?.scrollTop ?? 0, !0)), bind_element_size(ul, "clientHeight", ($$value) => set(height, $$value)), append($$anchor, fragment_1);
		},
		$$slots: { default: !0 }
	}), pop();
}
delegate([
	"input",
	"keydown",
	"click",
	"pointermove"
]);
// src/chat/window.ts
var Heights = class {
	ids = [];
	heights = [];
	measured = [];
	tops = [0];
	changed = 0;
	setItems(ids, estimate) {
		for (let place = 0; place < ids.length; place++) {
			let id = ids[place], isNew = place >= this.heights.length;
			if (!isNew && (id === void 0 || id === this.ids[place])) continue;
			let height = estimate(place);
			(isNew || height !== this.heights[place]) && (this.changed = Math.min(this.changed, place)), this.heights[place] = height, this.measured[place] = !1, this.ids[place] = id;
		}
		this.heights.length = this.ids.length = this.measured.length = ids.length, this.tops.length = Math.min(this.tops.length, ids.length + 1), this.changed = Math.min(this.changed, ids.length);
	}
	measure(place, height) {
		return place >= this.heights.length || (this.measured[place] = !0, this.heights[place] === height) ? !1 : (this.heights[place] = height, this.changed = Math.min(this.changed, place), !0);
	}
	get count() {
		return this.heights.length;
	}
	get total() {
		return this.top(this.count);
	}
	height(place) {
		return this.heights[place] ?? 0;
	}
	top(place) {
		for (; this.changed < this.count; this.changed++) this.tops[this.changed + 1] = (this.tops[this.changed] ?? 0) + this.height(this.changed);
		return this.tops[place] ?? 0;
	}
	at(y) {
		let low = 0, high = this.count - 1;
		for (; low < high;) {
			let middle = low + high + 1 >> 1;
			this.top(middle) <= y ? low = middle : high = middle - 1;
		}
		return Math.max(0, low);
	}
	anchor(scrollTop, viewHeight) {
		let first = this.at(scrollTop), place = first;
		for (; place < this.count && !this.measured[place] && this.top(place) < scrollTop + viewHeight;) place++;
		return (!this.measured[place] || this.top(place) >= scrollTop + viewHeight) && (place = first), {
			place,
			offset: scrollTop - this.top(place)
		};
	}
	range(scrollTop, viewHeight, margin) {
		if (this.count === 0) return {
			start: 0,
			end: 0,
			before: 0,
			after: 0
		};
		let start = this.at(Math.max(0, scrollTop - margin)), end = this.at(scrollTop + viewHeight + margin) + 1;
		return {
			start,
			end,
			before: this.top(start),
			after: this.total - this.top(end)
		};
	}
};
function estimateHeight(characters, width) {
	let perLine = Math.max(20, width / 8);
	return 90 + Math.ceil(characters / perLine) * 26;
}
// src/chat/MessageList.svelte
var root$17 = from_html("<div><!></div>"), root_1$14 = from_html("<div class=\"skeleton svelte-13qqq9h\" aria-hidden=\"true\"></div>"), root_2$12 = from_html("<div class=\"to-end svelte-13qqq9h\"><!></div>"), root_3$10 = from_html("<div class=\"list svelte-13qqq9h\"><div class=\"scroller svelte-13qqq9h\" tabindex=\"0\" role=\"region\"><div class=\"column svelte-13qqq9h\"><div class=\"svelte-13qqq9h\"></div> <!> <div class=\"svelte-13qqq9h\"></div> <div class=\"svelte-13qqq9h\"><!></div></div></div> <!></div>");
function MessageList($$anchor, $$props) {
	push($$props, !0);
	let scroller, heights = new Heights(), range = state({
		start: 0,
		end: 0,
		before: 0,
		after: 0
	}), away = state(!1), revealed = state(void 0), highlightTimer, following = !0, held = !1, lastTop = 0, anchor, shown = user_derived(() => Array.from({ length: Math.min(get(range).end, $$props.branch.total) - get(range).start }, (_, at) => {
		let place = get(range).start + at, message = $$props.branch.at(place);
		return {
			place,
			message,
			key: message?.id ?? place
		};
	})), estimates = new WeakMap();
	function estimate(message) {
		let height = estimates.get(message);
		return height === void 0 && (height = estimateHeight((message.parts ?? []).reduce((sum, part) => sum + ("text" in part && part.type === "text" ? part.text.length : 40), 0), Math.min(scroller.clientWidth, 736)), estimates.set(message, height)), height;
	}
	let typical;
	function setItems() {
		let messages = Array.from({ length: $$props.branch.total }, (_, place) => $$props.branch.at(place));
		if (typical === void 0) {
			let known = messages.filter((message) => message !== void 0);
			known.length > 0 && (typical = known.reduce((sum, message) => sum + estimate(message), 0) / known.length);
		}
		heights.setItems(messages.map((message) => message?.id), (place) => {
			let message = messages[place];
			return message ? estimate(message) : typical ?? 150;
		});
	}
	function update(top = scroller.scrollTop) {
		let view = scroller.clientHeight, next = heights.range(top, view, view);
		(next.start !== get(range).start || next.end !== get(range).end || next.before !== get(range).before || next.after !== get(range).after) && set(range, next), $$props.onneed(next);
	}
	function restore() {
		let top = scroller.scrollTop;
		following ? top = Math.max(0, heights.total - scroller.clientHeight) : anchor && anchor.place <= heights.count && (top = heights.top(anchor.place) + anchor.offset), update(top), flushSync(), following ? scroller.scrollTop = scroller.scrollHeight : Math.abs(scroller.scrollTop - top) > .5 && (scroller.scrollTop = top), lastTop = scroller.scrollTop, update();
	}
	function scrolled() {
		let { scrollTop, scrollHeight, clientHeight } = scroller, atEnd = scrollHeight - scrollTop - clientHeight < 40;
		if (set(away, !atEnd), held && Math.abs(scrollTop - lastTop) < 1) return update();
		held = !1, scrollTop < lastTop - 2 && !atEnd ? following = !1 : atEnd && (following = !0), lastTop = scrollTop, anchor = heights.anchor(scrollTop, clientHeight), update();
	}
	let observer = new ResizeObserver((entries) => {
		let changed = !1;
		for (let { target, borderBoxSize } of entries) {
			let { place } = target.dataset, height = borderBoxSize[0]?.blockSize ?? 0;
			place === void 0 ? changed = !0 : height > 0 && (changed = heights.measure(Number(place), height) || changed);
		}
		changed && restore();
	});
	function observe(element) {
		return observer.observe(element), () => observer.unobserve(element);
	}
	function at() {
		return heights.at(scroller.scrollTop);
	}
	function toEnd() {
		held = !1, following = !0, restore(), set(away, !1);
	}
	function hold(place) {
		anchor = {
			place: place + 1,
			offset: scroller.scrollTop - heights.top(place + 1)
		}, following = !1, held = !0;
	}
	async function reveal(place, focus = !0) {
		setItems(), following = !1, held = !0, anchor = {
			place,
			offset: 1
		}, restore(), focus && (set(revealed, $$props.branch.at(place)?.id, !0), clearTimeout(highlightTimer), highlightTimer = setTimeout(() => set(revealed, void 0), 2500), await tick(), scroller.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: !0 }));
	}
	user_pre_effect(() => {
		$$props.branch, scroller && (setItems(), tick().then(restore));
	}), onMount(() => {
		setItems();
		let start = $$props.initial === void 0 ? void 0 : $$props.branch.placeOf($$props.initial);
		return start !== void 0 && $$props.branch.at(start) ? reveal(start) : restore(), () => {
			observer.disconnect(), clearTimeout(highlightTimer);
		};
	});
	var $$exports = {
		at,
		toEnd,
		hold,
		reveal
	}, div = root_3$10(), div_1 = child(div), div_2 = child(div_1), div_3 = child(div_2);
	let styles;
	var node = sibling(div_3, 2);
	each(node, 17, () => get(shown), ({ place, message, key }) => key, ($$anchor, $$item) => {
		let place = () => get($$item).place, message = () => get($$item).message;
		var fragment = comment(), node_1 = first_child(fragment), consequent = ($$anchor) => {
			var div_4 = root$17();
			let classes;
			var node_2 = child(div_4);
			snippet(node_2, () => $$props.item, message, () => place() === $$props.branch.total - 1), reset(div_4), attach(div_4, () => observe), template_effect(() => {
				classes = set_class(div_4, 1, "message svelte-13qqq9h", null, classes, { revealed: message().id === get(revealed) }), set_attribute(div_4, "data-message", message().id), set_attribute(div_4, "data-place", place()), set_attribute(div_4, "tabindex", message().id === get(revealed) ? -1 : void 0);
			}), append($$anchor, div_4);
		}, alternate = ($$anchor) => {
			var div_5 = root_1$14();
			let styles_1;
			template_effect(($0) => styles_1 = set_style(div_5, "", styles_1, { "block-size": $0 }), [() => `${heights.height(place()) ?? ""}px`]), append($$anchor, div_5);
		};
		if_block(node_1, ($$render) => {
			message() ? $$render(consequent) : $$render(alternate, -1);
		}), append($$anchor, fragment);
	});
	var div_6 = sibling(node, 2);
	let styles_2;
	var div_7 = sibling(div_6, 2), node_3 = child(div_7);
	snippet(node_3, () => $$props.footer), reset(div_7), attach(div_7, () => observe), reset(div_2), reset(div_1), bind_this(div_1, ($$value) => scroller = $$value, () => scroller), attach(div_1, () => observe);
	var node_4 = sibling(div_1, 2), consequent_1 = ($$anchor) => {
		var div_8 = root_2$12(), node_5 = child(div_8);
		Button(node_5, {
			get icon() {
				return ArrowDown;
			},
			get label() {
				return t.chat.toEnd;
			},
			onclick: toEnd
		}), reset(div_8), append($$anchor, div_8);
	};
	return if_block(node_4, ($$render) => {
		get(away) && $$render(consequent_1);
	}), reset(div), template_effect(($0) => {
		set_attribute(div_1, "aria-label", t.chat.messages), set_attribute(div_1, "aria-busy", $0), styles = set_style(div_3, "", styles, { "block-size": `${get(range).before ?? ""}px` }), styles_2 = set_style(div_6, "", styles_2, { "block-size": `${get(range).after ?? ""}px` });
	}, [() => get(shown).some(({ message }) => !message) || void 0]), event("scroll", div_1, scrolled), append($$anchor, div), pop($$exports);
}
// src/chat/Attachment.svelte
var root$16 = from_html("<span class=\"size svelte-3l0hhl\"> </span>"), root_1$13 = from_html("<a class=\"file svelte-3l0hhl\"><!> <span class=\"name svelte-3l0hhl\"> </span> <!></a>"), root_2$11 = from_html("<div class=\"problem svelte-3l0hhl\"><!> <p role=\"alert\" class=\"svelte-3l0hhl\"> </p> <!></div>"), root_3$9 = from_html("<button class=\"image svelte-3l0hhl\" type=\"button\"><img loading=\"lazy\" class=\"svelte-3l0hhl\"/></button>"), root_4$7 = from_html("<figure class=\"svelte-3l0hhl\"><audio controls=\"\" preload=\"metadata\" class=\"svelte-3l0hhl\"></audio> <figcaption class=\"svelte-3l0hhl\"><!></figcaption></figure>"), root_5$1 = from_html("<figure class=\"svelte-3l0hhl\"><video controls=\"\" preload=\"metadata\" class=\"svelte-3l0hhl\"></video> <figcaption class=\"svelte-3l0hhl\"><!></figcaption></figure>", 2), root_6$1 = from_html("<img class=\"whole svelte-3l0hhl\"/>"), root_7$1 = from_html("<!> <!>", 1);
function Attachment($$anchor, $$props) {
	push($$props, !0);
	let download = ($$anchor) => {
		var a = root_1$13(), node = child(a);
		{
			let $0 = user_derived(() => get(isImage) || get(problem) ? Download : File);
			Icon(node, { get of() {
				return get($0);
			} });
		}
		var span = sibling(node, 2), text = only_child(span, !0), node_1 = sibling(span, 2), consequent = ($$anchor) => {
			var span_1 = root$16(), text_1 = only_child(span_1, !0);
			template_effect(($0) => set_text(text_1, $0), [() => bytes($$props.size)]), append($$anchor, span_1);
		};
		if_block(node_1, ($$render) => {
			$$props.size !== void 0 && $$render(consequent);
		}), reset(a), template_effect(() => {
			set_attribute(a, "href", get(address)), set_attribute(a, "download", get(label)), set_text(text, get(label));
		}), append($$anchor, a);
	}, path = user_derived(() => ({
		conversation_id: $$props.conversation,
		blob_id: $$props.blob
	})), address = user_derived(() => addressOf("conversations.get_conversation_file", { path: get(path) })), label = user_derived(() => $$props.name ?? t.chat.file), isImage = user_derived(() => /^image\/(png|jpeg|gif|webp|avif)$/.test($$props.mediaType)), enlarged = state(!1), attempt = state(0), problem = state(void 0), source = user_derived(() => get(attempt) === 0 ? get(address) : `${get(address)}?attempt=${get(attempt)}`);
	async function recover() {
		if (!get(problem)) try {
			await (await request("conversations.get_conversation_file", { path: get(path) })).body?.cancel(), get(attempt) === 0 ? set(attempt, 1) : set(problem, t.chat.cannotBeShown, !0);
		} catch (error) {
			set(problem, error instanceof Error ? error.message : String(error), !0);
		}
	}
	function retry() {
		set(problem, void 0), update(attempt);
	}
	var fragment = root_7$1(), node_2 = first_child(fragment), consequent_1 = ($$anchor) => {
		var div = root_2$11(), node_3 = child(div);
		download(node_3);
		var p = sibling(node_3, 2), text_2 = only_child(p, !0), node_4 = sibling(p, 2);
		Button(node_4, {
			size: "small",
			onclick: retry,
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.common.retry)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		}), reset(div), template_effect(() => set_text(text_2, get(problem))), append($$anchor, div);
	}, consequent_2 = ($$anchor) => {
		var button = root_3$9(), img = only_child(button);
		template_effect(($0) => {
			set_attribute(button, "aria-label", $0), set_attribute(img, "src", get(source)), set_attribute(img, "alt", get(label));
		}, [() => t.chat.enlarge(get(label))]), delegated("click", button, () => set(enlarged, !0)), event("error", img, () => void recover()), replay_events(img), append($$anchor, button);
	}, consequent_3 = ($$anchor) => {
		var figure = root_4$7(), audio = child(figure), figcaption = sibling(audio, 2), node_5 = child(figcaption);
		download(node_5), reset(figcaption), reset(figure), template_effect(() => {
			set_attribute(audio, "src", get(source)), set_attribute(audio, "aria-label", get(label));
		}), event("error", audio, () => void recover()), append($$anchor, figure);
	}, d = user_derived(() => $$props.mediaType.startsWith("audio/")), consequent_4 = ($$anchor) => {
		var figure_1 = root_5$1(), video = child(figure_1), figcaption_1 = sibling(video, 2), node_6 = child(figcaption_1);
		download(node_6), reset(figcaption_1), reset(figure_1), template_effect(() => {
			set_attribute(video, "src", get(source)), set_attribute(video, "aria-label", get(label));
		}), event("error", video, () => void recover()), append($$anchor, figure_1);
	}, d_1 = user_derived(() => $$props.mediaType.startsWith("video/")), alternate = ($$anchor) => {
		download($$anchor);
	};
	if_block(node_2, ($$render) => {
		get(problem) ? $$render(consequent_1) : get(isImage) ? $$render(consequent_2, 1) : get(d) ? $$render(consequent_3, 2) : get(d_1) ? $$render(consequent_4, 3) : $$render(alternate, -1);
	});
	var node_7 = sibling(node_2, 2), consequent_5 = ($$anchor) => {
		Dialog($$anchor, {
			get title() {
				return get(label);
			},
			width: "wide",
			onclose: () => set(enlarged, !1),
			actions: ($$anchor) => {
				download($$anchor);
			},
			children: ($$anchor, $$slotProps) => {
				var img_1 = root_6$1();
				template_effect(() => {
					set_attribute(img_1, "src", get(source)), set_attribute(img_1, "alt", get(label));
				}), append($$anchor, img_1);
			},
			$$slots: {
				actions: !0,
				default: !0
			}
		});
	};
	if_block(node_7, ($$render) => {
		get(enlarged) && $$render(consequent_5);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
// src/chat/Editor.svelte
var root$15 = from_html("<div class=\"editor svelte-10qhk29\"><textarea class=\"input svelte-10qhk29\"></textarea> <div class=\"actions svelte-10qhk29\"><span class=\"hint svelte-10qhk29\"> </span> <!> <!></div></div>");
function Editor($$anchor, $$props) {
	push($$props, !0);
	let value = state(proxy($$props.text)), field;
	onMount(() => {
		field.focus(), field.setSelectionRange(get(value).length, get(value).length);
	});
	function press(event) {
		if (event.key === "Escape") $$props.oncancel();
		else if (isSendKey(event)) save();
		else return;
		event.preventDefault(), event.stopPropagation();
	}
	function save() {
		get(value).trim() && $$props.onsave(get(value));
	}
	var div = root$15(), textarea = child(div);
	remove_textarea_child(textarea), bind_this(textarea, ($$value) => field = $$value, () => field);
	var div_1 = sibling(textarea, 2), span = child(div_1), text_1 = only_child(span, !0), node = sibling(span, 2);
	Button(node, {
		size: "small",
		get onclick() {
			return $$props.oncancel;
		},
		children: ($$anchor, $$slotProps) => {
			next();
			var text_2 = text();
			template_effect(() => set_text(text_2, t.common.cancel)), append($$anchor, text_2);
		},
		$$slots: { default: !0 }
	});
	var node_1 = sibling(node, 2);
	{
		let $0 = user_derived(() => get(value).trim() ? void 0 : t.chat.nothingToSend);
		Button(node_1, {
			size: "small",
			variant: "primary",
			get refused() {
				return get($0);
			},
			onclick: save,
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.chat.send)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		});
	}
	reset(div_1), reset(div), template_effect(($0) => {
		set_attribute(textarea, "aria-label", t.chat.editMessage), set_attribute(textarea, "rows", $0), set_text(text_1, t.chat.editHint);
	}, [() => Math.min(12, get(value).split("\n").length + 1)]), delegated("keydown", textarea, press), bind_value(textarea, () => get(value), ($$value) => set(value, $$value)), append($$anchor, div), pop();
}
delegate(["keydown"]);
// src/chat/GivenMemory.svelte
var root$14 = from_html("<del> </del>"), root_1$12 = from_html("<span role=\"status\"> </span> <!>", 1), root_2$10 = from_html("<a> </a> <!>", 1), root_3$8 = from_html("<li class=\"svelte-4n3eo\"><p dir=\"auto\" class=\"svelte-4n3eo\"><!></p> <p class=\"actions svelte-4n3eo\"><!></p> <!></li>");
function GivenMemory($$anchor, $$props) {
	push($$props, !0);
	let id = state(proxy($$props.memory.id)), forgotten = state(!1), submission = new Submission();
	async function forget() {
		await submission.run(async () => {
			await call("memories.delete_memory", { path: { memory_id: get(id) } }).catch(ifGone), set(forgotten, !0);
		});
	}
	function ifGone(error) {
		if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
	}
	async function restore() {
		await submission.run(async () => {
			set(id, (await restoreMemory($$props.memory)).id, !0), set(forgotten, !1);
		});
	}
	var li = root_3$8(), p = child(li), node = child(p), consequent = ($$anchor) => {
		var del = root$14(), text = only_child(del, !0);
		template_effect(() => set_text(text, $$props.memory.content)), append($$anchor, del);
	}, alternate = ($$anchor) => {
		var text_1 = text();
		template_effect(() => set_text(text_1, $$props.memory.content)), append($$anchor, text_1);
	};
	if_block(node, ($$render) => {
		get(forgotten) ? $$render(consequent) : $$render(alternate, -1);
	}), reset(p);
	var p_1 = sibling(p, 2), node_1 = child(p_1), consequent_1 = ($$anchor) => {
		var fragment_1 = root_1$12(), span = first_child(fragment_1), text_2 = only_child(span, !0), node_2 = sibling(span, 2);
		Button(node_2, {
			size: "small",
			get busy() {
				return submission.busy;
			},
			onclick: () => void restore(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.common.undo)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		}), template_effect(() => set_text(text_2, t.chat.forgotten)), append($$anchor, fragment_1);
	}, alternate_1 = ($$anchor) => {
		var fragment_3 = root_2$10(), a = first_child(fragment_3), text_4 = only_child(a, !0), node_3 = sibling(a, 2);
		Button(node_3, {
			size: "small",
			get busy() {
				return submission.busy;
			},
			onclick: () => void forget(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_5 = text();
				template_effect(() => set_text(text_5, t.chat.forget)), append($$anchor, text_5);
			},
			$$slots: { default: !0 }
		}), template_effect(($0) => {
			set_attribute(a, "href", $0), set_text(text_4, t.chat.openMemory);
		}, [() => href(`/memories?m=${get(id)}`)]), append($$anchor, fragment_3);
	};
	if_block(node_1, ($$render) => {
		get(forgotten) ? $$render(consequent_1) : $$render(alternate_1, -1);
	}), reset(p_1);
	var node_4 = sibling(p_1, 2), consequent_2 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return submission.problem;
		} });
	};
	if_block(node_4, ($$render) => {
		submission.problem && $$render(consequent_2);
	}), reset(li), template_effect(() => p.dir = p.dir), append($$anchor, li), pop();
}
// src/chat/MemoriesGiven.svelte
var root$13 = from_html("<p> </p>"), root_1$11 = from_html("<ul role=\"list\" class=\"svelte-ansd92\"></ul>"), root_2$9 = from_html("<details class=\"svelte-ansd92\"><summary class=\"svelte-ansd92\"><!> </summary> <!> <!> <!></details>");
function MemoriesGiven($$anchor, $$props) {
	push($$props, !0);
	let memories = state(void 0), problem = state(void 0), loading = !1, gone = user_derived(() => get(memories) ? $$props.ids.length - get(memories).length : 0);
	async function load() {
		if (!(get(memories) || loading)) {
			loading = !0, set(problem, void 0);
			try {
				set(memories, await memoriesWith($$props.ids));
			} catch (error) {
				set(problem, error);
			} finally {
				loading = !1;
			}
		}
	}
	var details = root_2$9(), summary = child(details), node = child(summary);
	Icon(node, {
		get of() {
			return Brain;
		},
		size: 16
	});
	var text = sibling(node, 1, !0);
	reset(summary);
	var node_1 = sibling(summary, 2), consequent = ($$anchor) => {
		ProblemNote($$anchor, {
			get problem() {
				return get(problem);
			},
			retry: () => void load()
		});
	}, consequent_1 = ($$anchor) => {
		var p = root$13(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, t.common.loading)), append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		get(problem) ? $$render(consequent) : get(memories) || $$render(consequent_1, 1);
	});
	var node_2 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
		var ul = root_1$11();
		each(ul, 21, () => get(memories), (memory) => memory.id, ($$anchor, memory) => {
			GivenMemory($$anchor, { get memory() {
				return get(memory);
			} });
		}), reset(ul), append($$anchor, ul);
	};
	if_block(node_2, ($$render) => {
		get(memories) && get(memories).length > 0 && $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2), consequent_3 = ($$anchor) => {
		var p_1 = root$13(), text_2 = only_child(p_1, !0);
		template_effect(($0) => set_text(text_2, $0), [() => t.chat.memoriesGone(get(gone))]), append($$anchor, p_1);
	};
	if_block(node_3, ($$render) => {
		get(gone) > 0 && $$render(consequent_3);
	}), reset(details), template_effect(($0) => set_text(text, $0), [() => t.chat.basedOnMemories($$props.ids.length)]), event("toggle", details, (event) => {
		event.currentTarget.open && load();
	}), append($$anchor, details), pop();
}
// src/chat/MessageActions.svelte
var root$12 = from_html("<span class=\"versions svelte-1w39l4\"><!> <button class=\"count svelte-1w39l4\" type=\"button\"> </button> <!></span>"), root_1$10 = from_html("<!> <!> <!> <!>", 1), root_2$8 = from_html("<span class=\"facts svelte-1w39l4\"> </span>"), root_3$7 = from_html("<!> <!>", 1), root_4$6 = from_html("<div role=\"group\"><!> <!> <!> <!></div> <!> <!> <!>", 1);
function MessageActions($$anchor, $$props) {
	push($$props, !0);
	let isUser = user_derived(() => $$props.message.role === "user"), versions = user_derived(() => $$props.conversation.versionsOf($$props.message)), at = user_derived(() => get(versions).indexOf($$props.message.id)), rating = user_derived(() => $$props.message.feedback?.rating), refused = user_derived(() => $$props.conversation.live ? t.chat.responding : void 0), facts = user_derived(() => [$$props.message.model && (choices.model($$props.message.model)?.name ?? $$props.message.model), $$props.message.cost_nanos && cost($$props.message.cost_nanos)].filter(Boolean).join(" · ")), copied = state(!1), dialog = state(void 0);
	async function copy() {
		let text = ($$props.message.parts ?? []).flatMap((part) => part.type === "text" ? part.text : []).join("");
		set(copied, await copyText(text), !0), get(copied) || toasts.show(t.common.notCopied, { tone: "problem" }), setTimeout(() => set(copied, !1), 1500);
	}
	function rate(value) {
		get(rating) === value ? $$props.conversation.rate($$props.message, null) : ($$props.conversation.rate($$props.message, { rating: value }), set(dialog, "comment"));
	}
	let close = () => set(dialog, void 0);
	function show(step) {
		let version = get(versions)[get(at) + step];
		version && $$props.conversation.select(version, $$props.message);
	}
	var fragment = root_4$6(), div = first_child(fragment);
	let classes;
	var node = child(div), consequent = ($$anchor) => {
		var span = root$12(), node_1 = child(span);
		{
			let $0 = user_derived(() => get(at) === 0 ? t.chat.firstVersion : void 0);
			Button(node_1, {
				variant: "quiet",
				size: "small",
				get icon() {
					return ChevronLeft;
				},
				get label() {
					return t.chat.previousVersion;
				},
				get refused() {
					return get($0);
				},
				onclick: () => show(-1)
			});
		}
		var button = sibling(node_1, 2), text_1 = only_child(button), node_2 = sibling(button, 2);
		{
			let $0 = user_derived(() => get(at) === get(versions).length - 1 ? t.chat.lastVersion : void 0);
			Button(node_2, {
				variant: "quiet",
				size: "small",
				get icon() {
					return ChevronRight;
				},
				get label() {
					return t.chat.nextVersion;
				},
				get refused() {
					return get($0);
				},
				onclick: () => show(1)
			});
		}
		reset(span), template_effect(($0) => {
			set_attribute(button, "title", t.chat.compare), set_attribute(button, "aria-label", $0), set_text(text_1, `${get(at) + 1}/${get(versions).length ?? ""}`);
		}, [() => t.chat.versionOf(get(at) + 1, get(versions).length)]), delegated("click", button, () => set(dialog, "compare")), append($$anchor, span);
	};
	if_block(node, ($$render) => {
		get(versions).length > 1 && $$render(consequent);
	});
	var node_3 = sibling(node, 2);
	{
		let $0 = user_derived(() => get(copied) ? Check : Copy), $1 = user_derived(() => get(copied) ? t.common.copied : t.common.copy);
		Button(node_3, {
			variant: "quiet",
			size: "small",
			get icon() {
				return get($0);
			},
			get label() {
				return get($1);
			},
			onclick: copy
		});
	}
	var node_4 = sibling(node_3, 2), consequent_3 = ($$anchor) => {
		var fragment_1 = comment(), node_5 = first_child(fragment_1), consequent_1 = ($$anchor) => {
			Button($$anchor, {
				variant: "quiet",
				size: "small",
				get icon() {
					return Pencil;
				},
				get label() {
					return t.common.edit;
				},
				get refused() {
					return get(refused);
				},
				get onclick() {
					return $$props.onedit;
				}
			});
		}, alternate = ($$anchor) => {
			var fragment_3 = root_1$10(), node_6 = first_child(fragment_3);
			Button(node_6, {
				variant: "quiet",
				size: "small",
				get icon() {
					return RefreshCw;
				},
				get label() {
					return t.chat.regenerate;
				},
				get refused() {
					return get(refused);
				},
				onclick: () => void $$props.conversation.regenerate($$props.message)
			});
			var node_7 = sibling(node_6, 2), consequent_2 = ($$anchor) => {
				{
					let $0 = user_derived(() => choices.modelOptions([]).filter((option) => !option.unavailable)), $1 = user_derived(() => $$props.message.model ?? void 0);
					Combobox($$anchor, {
						get label() {
							return t.chat.regenerateWith;
						},
						get icon() {
							return Shuffle;
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
						get refused() {
							return get(refused);
						},
						onchoose: (model) => void $$props.conversation.regenerate($$props.message, model)
					});
				}
			};
			if_block(node_7, ($$render) => {
				choices.models.length > 1 && $$render(consequent_2);
			});
			var node_8 = sibling(node_7, 2);
			{
				let $0 = user_derived(() => get(rating) === "up");
				Button(node_8, {
					variant: "quiet",
					size: "small",
					get icon() {
						return ThumbsUp;
					},
					get label() {
						return t.chat.good;
					},
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => rate("up")
				});
			}
			var node_9 = sibling(node_8, 2);
			{
				let $0 = user_derived(() => get(rating) === "down");
				Button(node_9, {
					variant: "quiet",
					size: "small",
					get icon() {
						return ThumbsDown;
					},
					get label() {
						return t.chat.bad;
					},
					get "aria-pressed"() {
						return get($0);
					},
					onclick: () => rate("down")
				});
			}
			append($$anchor, fragment_3);
		};
		if_block(node_5, ($$render) => {
			get(isUser) ? $$render(consequent_1) : $$render(alternate, -1);
		}), append($$anchor, fragment_1);
	};
	if_block(node_4, ($$render) => {
		$$props.meta.read_only || $$render(consequent_3);
	});
	var node_10 = sibling(node_4, 2), consequent_5 = ($$anchor) => {
		var fragment_5 = root_3$7(), node_11 = first_child(fragment_5);
		Button(node_11, {
			variant: "quiet",
			size: "small",
			get icon() {
				return Info;
			},
			get label() {
				return t.chat.usage;
			},
			onclick: () => set(dialog, "usage")
		});
		var node_12 = sibling(node_11, 2), consequent_4 = ($$anchor) => {
			var span_1 = root_2$8(), text_2 = only_child(span_1, !0);
			template_effect(() => set_text(text_2, get(facts))), append($$anchor, span_1);
		};
		if_block(node_12, ($$render) => {
			get(facts) && $$render(consequent_4);
		}), append($$anchor, fragment_5);
	};
	if_block(node_10, ($$render) => {
		get(isUser) || $$render(consequent_5);
	}), reset(div);
	var node_13 = sibling(div, 2), consequent_6 = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				message: $$props.message,
				conversation: $$props.conversation,
				onclose: close
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./UsageDialog.js"), __vite__mapDeps([2,3,4]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	};
	if_block(node_13, ($$render) => {
		get(dialog) === "usage" && $$render(consequent_6);
	});
	var node_14 = sibling(node_13, 2), consequent_7 = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				message: $$props.message,
				conversation: $$props.conversation,
				onclose: close
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./CommentDialog.js"), __vite__mapDeps([5,3,4]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	};
	if_block(node_14, ($$render) => {
		get(dialog) === "comment" && $$render(consequent_7);
	});
	var node_15 = sibling(node_14, 2), consequent_8 = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				versions: get(versions),
				conversation: $$props.conversation,
				current: $$props.message.id,
				onchoose: (version) => void $$props.conversation.select(version, $$props.message),
				onclose: close
			}));
			Lazy($$anchor, {
				load: () => __vitePreload(() => import("./CompareDialog.js"), __vite__mapDeps([6,3,4]), import.meta.url),
				get props() {
					return get($0);
				}
			});
		}
	};
	if_block(node_15, ($$render) => {
		get(dialog) === "compare" && $$render(consequent_8);
	}), template_effect(() => {
		classes = set_class(div, 1, "actions svelte-1w39l4", null, classes, {
			last: $$props.isLast,
			user: get(isUser)
		}), set_attribute(div, "aria-label", t.chat.actions);
	}), append($$anchor, fragment), pop();
}
delegate(["click"]);
// src/chat/PausedRun.svelte
var root$11 = from_html("<code> </code>"), root_1$9 = from_html("<div class=\"paused svelte-z3lvgp\" role=\"group\"><!> <p class=\"svelte-z3lvgp\"> <!></p> <!></div> <!>", 1);
function PausedRun($$anchor, $$props) {
	push($$props, !0);
	let submission = new Submission(), reason = user_derived(() => $$props.paused.reason === "uncertain_effect" ? t.chat.pausedUncertain : $$props.paused.reason === "crash_loop" ? t.chat.pausedCrash : $$props.paused.reason === "step" ? t.chat.pausedStep : t.chat.pausedBreakpoint), actions = user_derived(() => ($$props.paused.actions ?? []).length > 0 ? $$props.paused.actions ?? [] : ["continue"]), assistant = user_derived(() => $$props.conversation.meta?.assistant_id);
	function labelOf(action) {
		let isUncertain = $$props.paused.reason === "uncertain_effect";
		return action === "continue" ? isUncertain ? t.chat.continueDone : t.chat.continueRun : action === "retry" ? t.chat.retryStep : action === "fail" ? t.chat.failStep : action === "skip" ? t.chat.skipStep : action;
	}
	function resume(action) {
		submission.run(async () => {
			let path = {
				assistant_id: get(assistant) ?? "",
				conversation_id: $$props.conversation.id
			}, uncertain = $$props.paused.actions?.length && $$props.paused.node ? { node_id: $$props.paused.node } : {};
			await call("workflows.resume_workflow_run", {
				path,
				body: {
					action,
					...uncertain
				}
			});
		});
	}
	var fragment = root_1$9(), div = first_child(fragment), node = child(div);
	Icon(node, {
		get of() {
			return CirclePause;
		},
		size: 18
	});
	var p = sibling(node, 2), text$2 = child(p, !0), node_1 = sibling(text$2), consequent = ($$anchor) => {
		var code = root$11(), text_1 = only_child(code, !0);
		template_effect(() => set_text(text_1, $$props.paused.node)), append($$anchor, code);
	};
	if_block(node_1, ($$render) => {
		$$props.paused.node && $$render(consequent);
	}), reset(p);
	var node_2 = sibling(p, 2), consequent_1 = ($$anchor) => {
		var fragment_1 = comment(), node_3 = first_child(fragment_1);
		each(node_3, 16, () => get(actions), (action) => action, ($$anchor, action) => {
			Button($$anchor, {
				size: "small",
				get busy() {
					return submission.busy;
				},
				onclick: () => resume(action),
				children: ($$anchor, $$slotProps) => {
					next();
					var text_2 = text();
					template_effect(($0) => set_text(text_2, $0), [() => labelOf(action)]), append($$anchor, text_2);
				},
				$$slots: { default: !0 }
			});
		}), append($$anchor, fragment_1);
	};
	if_block(node_2, ($$render) => {
		get(assistant) && !$$props.conversation.meta?.read_only && $$render(consequent_1);
	}), reset(div);
	var node_4 = sibling(div, 2), consequent_2 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return submission.problem;
		} });
	};
	if_block(node_4, ($$render) => {
		submission.problem && $$render(consequent_2);
	}), template_effect(() => {
		set_attribute(div, "aria-label", t.chat.pausedTitle), set_text(text$2, get(reason));
	}), append($$anchor, fragment), pop();
}
// src/chat/MessageStatus.svelte
var root$10 = from_html("<p class=\"note svelte-j4curr\"><!> </p>"), root_1$8 = from_html("<p class=\"note progress svelte-j4curr\"><!><span> </span></p>"), root_2$7 = from_html("<span class=\"caret svelte-j4curr\" aria-hidden=\"true\"></span>"), root_3$6 = from_html("<!> <!> <!> <!> <!>", 1), root_4$5 = from_html("<div class=\"failed svelte-j4curr\" role=\"group\"><!> <p class=\"svelte-j4curr\"> </p> <!></div>");
function MessageStatus($$anchor, $$props) {
	push($$props, !0);
	let answer = user_derived(() => $$props.live?.answer), hasText = user_derived(() => (get(answer)?.parts.length ?? 0) > 0), note = user_derived(() => {
		if (get(answer) && $$props.live) return $$props.live.stopping || get(answer).state === "cancelling" ? t.chat.stopping : get(answer).waiting ? get(answer).waiting.until ? t.chat.waitingUntil(waitOf(get(answer).waiting.on), dateTime(get(answer).waiting.until)) : waitOf(get(answer).waiting.on) : $$props.live.queue && (get(answer).state === "queued" || $$props.live.queue.reason.startsWith("recovery")) ? t.chat.queued(t.chat.queuedFor($$props.live.queue.reason, $$props.live.queue.limit), $$props.live.queue.position) : get(hasText) ? void 0 : t.chat.thinking;
	});
	function waitOf(on) {
		switch (on) {
			case "human": return t.chat.waitingHuman;
			case "event": return t.chat.waitingEvent;
			case "timer": return t.chat.waitingTimer;
			case "child": return t.chat.waitingChild;
			default: return t.chat.waitingBackoff;
		}
	}
	var fragment = comment(), node = first_child(fragment), consequent_4 = ($$anchor) => {
		var fragment_1 = root_3$6(), node_1 = first_child(fragment_1);
		each(node_1, 17, () => get(answer).recoveries, (recovery) => recovery.seq, ($$anchor, recovery) => {
			var p = root$10(), node_2 = child(p);
			Icon(node_2, {
				get of() {
					return RotateCcwClock;
				},
				size: 16
			});
			var text = sibling(node_2, 1, !0);
			reset(p), template_effect(() => set_text(text, get(recovery).continued ? t.chat.recovered : t.chat.restarted)), append($$anchor, p);
		});
		var node_3 = sibling(node_1, 2), consequent = ($$anchor) => {
			var p_1 = root$10(), node_4 = child(p_1);
			Icon(node_4, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_1 = sibling(node_4, 1, !0);
			reset(p_1), template_effect(($0) => set_text(text_1, $0), [() => t.chat.replaced(get(answer).replaced_model, get(answer).model ?? "")]), append($$anchor, p_1);
		};
		if_block(node_3, ($$render) => {
			get(answer).replaced_model && $$render(consequent);
		});
		var node_5 = sibling(node_3, 2);
		each(node_5, 17, () => get(answer).tool_servers, (server) => server.server + server.code, ($$anchor, server) => {
			var p_2 = root$10(), node_6 = child(p_2);
			Icon(node_6, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_2 = sibling(node_6, 1, !0);
			reset(p_2), template_effect(($0) => set_text(text_2, $0), [() => t.chat.toolServer(get(server).server)]), append($$anchor, p_2);
		});
		var node_7 = sibling(node_5, 2), consequent_1 = ($$anchor) => {
			var p_3 = root$10(), node_8 = child(p_3);
			Icon(node_8, {
				get of() {
					return TriangleAlert;
				},
				size: 16
			});
			var text_3 = sibling(node_8, 1, !0);
			reset(p_3), template_effect(($0) => set_text(text_3, $0), [() => t.chat.closedKnowledge(get(answer).closed_knowledge)]), append($$anchor, p_3);
		};
		if_block(node_7, ($$render) => {
			get(answer).closed_knowledge > 0 && $$render(consequent_1);
		});
		var node_9 = sibling(node_7, 2), consequent_2 = ($$anchor) => {
			PausedRun($$anchor, {
				get paused() {
					return get(answer).paused;
				},
				get conversation() {
					return $$props.conversation;
				}
			});
		}, consequent_3 = ($$anchor) => {
			var p_4 = root_1$8(), node_10 = child(p_4);
			Icon(node_10, {
				get of() {
					return Hourglass;
				},
				size: 16
			});
			var span = sibling(node_10), text_4 = only_child(span, !0);
			reset(p_4), template_effect(() => set_text(text_4, get(note))), append($$anchor, p_4);
		}, alternate = ($$anchor) => {
			var span_1 = root_2$7();
			append($$anchor, span_1);
		};
		if_block(node_9, ($$render) => {
			get(answer).paused && get(note) !== t.chat.stopping ? $$render(consequent_2) : get(note) ? $$render(consequent_3, 1) : $$render(alternate, -1);
		}), append($$anchor, fragment_1);
	}, consequent_5 = ($$anchor) => {
		var p_5 = root_1$8(), node_11 = child(p_5);
		Icon(node_11, {
			get of() {
				return Hourglass;
			},
			size: 16
		});
		var span_2 = sibling(node_11), text_5 = only_child(span_2, !0);
		reset(p_5), template_effect(() => set_text(text_5, t.chat.thinking)), append($$anchor, p_5);
	}, consequent_6 = ($$anchor) => {
		var p_6 = root$10(), node_12 = child(p_6);
		Icon(node_12, {
			get of() {
				return CircleStop;
			},
			size: 16
		});
		var text_6 = sibling(node_12, 1, !0);
		reset(p_6), template_effect(() => set_text(text_6, t.chat.stopped)), append($$anchor, p_6);
	}, consequent_7 = ($$anchor) => {
		var div = root_4$5(), node_13 = child(div);
		Icon(node_13, {
			get of() {
				return TriangleAlert;
			},
			size: 18
		});
		var p_7 = sibling(node_13, 2), text_7 = only_child(p_7), node_14 = sibling(p_7, 2);
		Button(node_14, {
			size: "small",
			onclick: () => void $$props.conversation.regenerate($$props.message),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_8 = text();
				template_effect(() => set_text(text_8, t.common.retry)), append($$anchor, text_8);
			},
			$$slots: { default: !0 }
		}), reset(div), template_effect(() => {
			set_attribute(div, "aria-label", t.chat.failed), set_text(text_7, `${($$props.message.status === "interrupted" ? t.chat.interrupted : t.chat.failed) ?? ""} ${$$props.message.error?.message ?? "" ?? ""}`);
		}), append($$anchor, div);
	};
	if_block(node, ($$render) => {
		get(answer) ? $$render(consequent_4) : $$props.message.status === "streaming" ? $$render(consequent_5, 1) : $$props.message.status === "stopped" ? $$render(consequent_6, 2) : ($$props.message.status === "failed" || $$props.message.status === "interrupted") && $$render(consequent_7, 3);
	}), append($$anchor, fragment), pop();
}
// src/chat/form-values.ts
function controlOf({ type, options }) {
	if (options.length > 0) return "choice";
	switch (type) {
		case "boolean": return "check";
		case "file": return "file";
		case "object":
		case "array": return "lines";
		case "number":
		case "integer": return "number";
		default: return "text";
	}
}
var same = (first, second) => JSON.stringify(first) === JSON.stringify(second);
function initialOf(field) {
	let { default: value } = field;
	switch (controlOf(field)) {
		case "choice": return field.options.findIndex((option) => same(option, value));
		case "check": return value === !0;
		case "file": return isFile(value) ? value : void 0;
		default: return value == null ? "" : typeof value == "string" ? value : JSON.stringify(value, null, controlOf(field) === "lines" ? 2 : 0);
	}
}
function isFile(value) {
	return typeof value == "object" && !!value && "blob_id" in value;
}
function parsedOf(field, edited) {
	let value = valueOf(field, edited);
	return value === void 0 ? { fault: "type" } : field.required && (value === null || value === "") ? { fault: "missing" } : { value };
}
function valueOf(field, edited) {
	if (controlOf(field) === "choice") return field.options[edited] ?? null;
	if (edited === void 0) return null;
	if (typeof edited != "string" || field.type === "string") return edited;
	let text = edited.trim();
	if (text === "") return null;
	switch (field.type) {
		case "number":
		case "integer": {
			let number = Number(text.replace(/^(-?\d+),(\d+)$/, "$1.$2"));
			return Number.isFinite(number) && (field.type === "number" || Number.isInteger(number)) ? number : void 0;
		}
		default: return parsedJson(field.type, text);
	}
}
function parsedJson(type, text) {
	try {
		let value = JSON.parse(text);
		return type === "array" ? Array.isArray(value) ? value : void 0 : type === "object" ? typeof value == "object" && value && !Array.isArray(value) ? value : void 0 : value;
	} catch {
		return type === "any" ? text : void 0;
	}
}
function shownValue(value) {
	return typeof value == "string" ? value : isFile(value) && "filename" in value ? String(value.filename) : value == null ? "–" : JSON.stringify(value);
}
var names = new class {
	#known = state(new Map());
	get known() {
		return get(this.#known);
	}
	set known(value) {
		set(this.#known, value);
	}
	asked = new Set();
	of(id) {
		return this.asked.has(id) || (this.asked.add(id), this.read(id)), this.known.get(id);
	}
	async read(id) {
		let { items } = await call("users.query_users", { query: { ids: [id] } }).catch(() => ({ items: [] }));
		items[0] && (this.known = new Map(this.known).set(id, items[0].display_name));
	}
}(), root$9 = from_html("<dt class=\"svelte-dwc8j2\"> </dt><dd dir=\"auto\" class=\"svelte-dwc8j2\"> </dd>", 1), root_1$7 = from_html("<dl class=\"svelte-dwc8j2\"></dl>"), root_2$6 = from_html("<!> <p class=\"svelte-dwc8j2\"><strong class=\"svelte-dwc8j2\"> </strong><span class=\"svelte-dwc8j2\"> </span></p>", 1);
function FormAnswer($$anchor, $$props) {
	push($$props, !0);
	let action = user_derived(() => $$props.form.actions.find(({ name }) => name === $$props.submitted.action)?.label || $$props.submitted.action), time = user_derived(() => $$props.at ? dateTime($$props.at) : ""), isOwn = user_derived(() => $$props.submitted.by === session.user?.id), name = user_derived(() => get(isOwn) ? void 0 : names.of($$props.submitted.by)), author = user_derived(() => get(isOwn) ? t.chat.formByYou(get(time)) : get(name) ? t.chat.formBy(get(name), get(time)) : t.chat.formByOther(get(time))), values = user_derived(() => [...$$props.form.fields.map((field) => [field.label || field.name, $$props.submitted.fields[field.name]]), ...Object.entries($$props.submitted.fields).filter(([name]) => !$$props.form.fields.some((field) => field.name === name))]), textOf = (value) => typeof value == "boolean" ? value ? t.overview.yes : t.overview.no : value === "" ? "–" : shownValue(value);
	var fragment = root_2$6(), node = first_child(fragment), consequent = ($$anchor) => {
		var dl = root_1$7();
		each(dl, 21, () => get(values), index, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let label = () => get($$array)[0], value = () => get($$array)[1];
			var fragment_1 = root$9(), dt = first_child(fragment_1), text = only_child(dt, !0), dd = sibling(dt), text_1 = only_child(dd, !0);
			template_effect(($0) => {
				set_text(text, label()), set_text(text_1, $0), dd.dir = dd.dir;
			}, [() => textOf(value())]), append($$anchor, fragment_1);
		}), reset(dl), append($$anchor, dl);
	};
	if_block(node, ($$render) => {
		get(values).length > 0 && $$render(consequent);
	});
	var p = sibling(node, 2), strong = child(p), text_2 = only_child(strong, !0), span = sibling(strong), text_3 = only_child(span, !0);
	reset(p), template_effect(($0) => {
		set_text(text_2, $0), set_text(text_3, get(author));
	}, [() => t.chat.formAnswered(get(action))]), append($$anchor, fragment), pop();
}
// src/chat/FileField.svelte
var root$8 = from_html("<span> </span>"), root_1$6 = from_html("<span class=\"visually-hidden\"> </span>"), root_2$5 = from_html(" <!>", 1), root_3$5 = from_html("<p class=\"svelte-1g0d3s4\"> </p>"), root_4$4 = from_html("<div class=\"field svelte-1g0d3s4\" role=\"group\"><span class=\"label svelte-1g0d3s4\"> </span> <input type=\"file\" hidden=\"\"/> <!> <!> <!></div>");
function FileField($$anchor, $$props) {
	let id = props_id();
	push($$props, !0);
	let upload = state(void 0), picker, opener = state(void 0);
	async function send(file) {
		if (!file) return;
		get(upload)?.discard();
		let current = new Upload(file);
		set(upload, current), $$props.onchange(void 0), await current.send($$props.conversation), report(current);
	}
	function report(current) {
		if (get(upload) !== current || !current.result) return;
		let { upload_id: _, ...stored } = current.result;
		$$props.onchange(stored);
	}
	function remove() {
		get(upload)?.discard(), set(upload, void 0), $$props.onchange(void 0), get(opener)?.focus();
	}
	async function retry() {
		let current = get(upload);
		current && (current.retry(void 0), await current.send($$props.conversation), report(current));
	}
	var div = root_4$4(), span = child(div), text = only_child(span, !0), input = sibling(span, 2);
	bind_this(input, ($$value) => picker = $$value, () => picker);
	var node = sibling(input, 2), consequent = ($$anchor) => {
		AttachmentDraft($$anchor, {
			get upload() {
				return get(upload);
			},
			onremove: remove,
			onretry: () => void retry()
		});
	}, consequent_1 = ($$anchor) => {
		var span_1 = root$8(), text_1 = only_child(span_1, !0);
		template_effect(($0) => set_text(text_1, $0), [() => shownValue($$props.value)]), append($$anchor, span_1);
	};
	if_block(node, ($$render) => {
		get(upload) ? $$render(consequent) : $$props.value && $$render(consequent_1, 1);
	});
	var node_1 = sibling(node, 2);
	{
		let $0 = user_derived(() => $$props.error ? `${id}-error` : void 0), $1 = user_derived(() => $$props.error ? "true" : void 0);
		Button(node_1, {
			size: "small",
			get icon() {
				return Paperclip;
			},
			get "aria-describedby"() {
				return get($0);
			},
			get "aria-invalid"() {
				return get($1);
			},
			onclick: () => picker.click(),
			get element() {
				return get(opener);
			},
			set element($$value) {
				set(opener, $$value, !0);
			},
			children: ($$anchor, $$slotProps) => {
				next();
				var fragment_1 = root_2$5(), text_2 = first_child(fragment_1, !0), node_2 = sibling(text_2), consequent_2 = ($$anchor) => {
					var span_2 = root_1$6(), text_3 = only_child(span_2, !0);
					template_effect(() => set_text(text_3, t.common.required)), append($$anchor, span_2);
				};
				if_block(node_2, ($$render) => {
					$$props.required && $$render(consequent_2);
				}), template_effect(() => set_text(text_2, t.chat.chooseFile)), append($$anchor, fragment_1);
			},
			$$slots: { default: !0 }
		});
	}
	var node_3 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
		var p = root_3$5(), text_4 = only_child(p, !0);
		template_effect(() => {
			set_attribute(p, "id", `${id}-error`), set_text(text_4, $$props.error);
		}), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		$$props.error && $$render(consequent_3);
	}), reset(div), template_effect(() => {
		set_attribute(div, "aria-labelledby", `${id}-label`), set_attribute(span, "id", `${id}-label`), set_text(text, $$props.label);
	}), delegated("change", input, () => {
		send(picker.files?.[0]), picker.value = "";
	}), append($$anchor, div), pop();
}
delegate(["change"]);
// src/chat/FormView.svelte
var root$7 = from_html("<h3 dir=\"auto\" class=\"svelte-154uiwf\"> </h3>"), root_1$5 = from_html("<p class=\"hint svelte-154uiwf\"> </p>"), root_2$4 = from_html("<p class=\"fault svelte-154uiwf\"> </p>"), root_3$4 = from_html("<label class=\"check svelte-154uiwf\"><input type=\"checkbox\"/> </label> <!>", 1), root_4$3 = from_html("<option> </option>"), root_5 = from_html("<div class=\"choice svelte-154uiwf\"><label class=\"svelte-154uiwf\"> </label> <select class=\"input\"><option> </option><!></select></div> <!>", 1), root_6 = from_html("<!> <!> <div class=\"actions svelte-154uiwf\"></div> <!>", 1), root_7 = from_html("<section class=\"form svelte-154uiwf\"><!> <!> <!></section>");
function FormView($$anchor, $$props) {
	push($$props, !0);
	let form = user_derived(() => $$props.part.form), edited = proxy(Object.fromEntries($$props.part.form.fields.map((field) => [field.name, initialOf(field)]))), submission = new Submission(), faults = state(proxy({})), section = state(void 0), actions = user_derived(() => get(form).actions.length > 0 ? get(form).actions : [{
		name: "submit",
		label: t.chat.submit
	}]), submitted = user_derived(() => $$props.part.submission ?? firstOf(submission.problem)), expired = user_derived(() => $$props.part.state === "expired" || submission.problem instanceof ApiProblem && submission.problem.code === "form_expired"), names = user_derived(() => get(form).fields.map(({ name }) => name));
	function firstOf(problem) {
		return problem instanceof ApiProblem && problem.code === "form_answered" ? problem.body.first : void 0;
	}
	async function answer(action) {
		let fields = {};
		set(faults, {}, !0);
		for (let field of get(form).fields) {
			let parsed = parsedOf(field, edited[field.name]);
			"fault" in parsed ? get(faults)[field.name] = parsed.fault === "missing" ? t.common.required : t.chat.invalidValue(field.type) : parsed.value !== null && (fields[field.name] = parsed.value);
		}
		if (Object.keys(get(faults)).length === 0) {
			await submission.run(async () => {
				let path = {
					assistant_id: $$props.meta.assistant_id ?? "",
					conversation_id: $$props.conversation.id
				};
				await call("workflows.resume_workflow_run", {
					path,
					body: {
						form_id: get(form).form_id,
						action,
						fields
					}
				});
			});
			for (let name of get(names)) {
				let fault = submission.fault(name);
				fault && (get(faults)[name] = fault);
			}
		}
		await tick(), get(section)?.querySelector("[aria-invalid=\"true\"]")?.focus();
	}
	var section_1 = root_7(), node = child(section_1), consequent = ($$anchor) => {
		var h3 = root$7(), text = only_child(h3, !0);
		template_effect(() => {
			set_text(text, get(form).title), h3.dir = h3.dir;
		}), append($$anchor, h3);
	};
	if_block(node, ($$render) => {
		get(form).title && $$render(consequent);
	});
	var node_1 = sibling(node, 2), consequent_1 = ($$anchor) => {
		Prose($$anchor, {
			get text() {
				return get(form).message;
			},
			open: !1
		});
	};
	if_block(node_1, ($$render) => {
		get(form).message && $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2), consequent_2 = ($$anchor) => {
		FormAnswer($$anchor, {
			get form() {
				return get(form);
			},
			get submitted() {
				return get(submitted);
			},
			get at() {
				return $$props.part.submitted_at;
			}
		});
	}, consequent_3 = ($$anchor) => {
		var p = root_1$5(), text_1 = only_child(p, !0);
		template_effect(() => set_text(text_1, t.chat.formExpired)), append($$anchor, p);
	}, consequent_4 = ($$anchor) => {
		var p_1 = root_1$5(), text_2 = only_child(p_1, !0);
		template_effect(() => set_text(text_2, t.chat.formNotAnswered)), append($$anchor, p_1);
	}, consequent_5 = ($$anchor) => {
		var p_2 = root_1$5(), text_3 = only_child(p_2, !0);
		template_effect(() => set_text(text_3, t.chat.formOfOther)), append($$anchor, p_2);
	}, alternate_1 = ($$anchor) => {
		var fragment_2 = root_6(), node_3 = first_child(fragment_2);
		each(node_3, 17, () => get(form).fields, (field) => field.name, ($$anchor, field) => {
			let computed_const = user_derived(() => get(field)), label = user_derived(() => get(field).label || get(computed_const).name), control = user_derived(() => controlOf(get(field))), error = user_derived(() => get(faults)[get(computed_const).name]), id = user_derived(() => `${get(form).form_id}-${get(computed_const).name}`);
			var fragment_3 = comment(), node_4 = first_child(fragment_3), consequent_7 = ($$anchor) => {
				var fragment_4 = root_3$4(), label_1 = first_child(fragment_4), input = child(label_1);
				remove_input_defaults(input);
				var text_4 = sibling(input, 1, !0);
				reset(label_1);
				var node_5 = sibling(label_1, 2), consequent_6 = ($$anchor) => {
					var p_3 = root_2$4(), text_5 = only_child(p_3, !0);
					template_effect(() => {
						set_attribute(p_3, "id", `${get(id) ?? ""}-error`), set_text(text_5, get(error));
					}), append($$anchor, p_3);
				};
				if_block(node_5, ($$render) => {
					get(error) && $$render(consequent_6);
				}), template_effect(() => {
					set_checked(input, edited[get(computed_const).name] === !0), set_attribute(input, "aria-invalid", get(error) ? "true" : void 0), set_attribute(input, "aria-describedby", get(error) && `${get(id)}-error`), set_text(text_4, get(label));
				}), delegated("change", input, (event) => edited[get(computed_const).name] = event.currentTarget.checked), append($$anchor, fragment_4);
			}, consequent_9 = ($$anchor) => {
				var fragment_5 = root_5(), div = first_child(fragment_5), label_2 = child(div), text_6 = only_child(label_2, !0), select = sibling(label_2, 2), option_1 = child(select), text_7 = only_child(option_1, !0);
				option_1.value = option_1.__value = -1;
				var node_6 = sibling(option_1);
				each(node_6, 17, () => get(field).options, index, ($$anchor, option, at) => {
					var option_2 = root_4$3(), text_8 = only_child(option_2, !0);
					option_2.value = option_2.__value = at, template_effect(($0) => set_text(text_8, $0), [() => shownValue(get(option))]), append($$anchor, option_2);
				}), reset(select);
				var select_value;
				init_select(select), reset(div);
				var node_7 = sibling(div, 2), consequent_8 = ($$anchor) => {
					var p_4 = root_2$4(), text_9 = only_child(p_4, !0);
					template_effect(() => {
						set_attribute(p_4, "id", `${get(id) ?? ""}-error`), set_text(text_9, get(error));
					}), append($$anchor, p_4);
				};
				if_block(node_7, ($$render) => {
					get(error) && $$render(consequent_8);
				}), template_effect(() => {
					set_attribute(label_2, "for", get(id)), set_text(text_6, get(label)), set_attribute(select, "id", get(id)), select.required = get(computed_const).required, set_attribute(select, "aria-invalid", get(error) ? "true" : void 0), set_attribute(select, "aria-describedby", get(error) && `${get(id)}-error`), set_text(text_7, t.chat.nothingChosen), select_value !== (select_value = edited[get(computed_const).name]) && (select.value = (select.__value = select_value) ?? "", select_option(select, select_value));
				}), delegated("change", select, (event) => edited[get(computed_const).name] = Number(event.currentTarget.value)), append($$anchor, fragment_5);
			}, consequent_10 = ($$anchor) => {
				FileField($$anchor, {
					get label() {
						return get(label);
					},
					get required() {
						return get(computed_const).required;
					},
					get error() {
						return get(error);
					},
					get conversation() {
						return $$props.meta.id;
					},
					get value() {
						return edited[get(computed_const).name];
					},
					onchange: (value) => edited[get(computed_const).name] = value
				});
			}, alternate = ($$anchor) => {
				var bind_get = () => String(edited[get(computed_const).name] ?? ""), bind_set = (value) => edited[get(computed_const).name] = value;
				{
					let $0 = user_derived(() => get(control) === "lines" ? t.chat.asJson : void 0), $1 = user_derived(() => get(field).type === "number" ? "decimal" : get(field).type === "integer" ? "numeric" : void 0);
					Field($$anchor, spread_props({
						get label() {
							return get(label);
						},
						get required() {
							return get(computed_const).required;
						},
						get error() {
							return get(error);
						},
						get value() {
							return bind_get();
						},
						set value($$value) {
							bind_set($$value);
						}
					}, () => get(control) === "lines" ? { rows: 4 } : {}, {
						get hint() {
							return get($0);
						},
						get inputmode() {
							return get($1);
						}
					}));
				}
			};
			if_block(node_4, ($$render) => {
				get(control) === "check" ? $$render(consequent_7) : get(control) === "choice" ? $$render(consequent_9, 1) : get(control) === "file" ? $$render(consequent_10, 2) : $$render(alternate, -1);
			}), append($$anchor, fragment_3);
		});
		var node_8 = sibling(node_3, 2), consequent_11 = ($$anchor) => {
			ProblemNote($$anchor, { get problem() {
				return submission.problem;
			} });
		}, d = user_derived(() => submission.besides(...get(names)));
		if_block(node_8, ($$render) => {
			get(d) && $$render(consequent_11);
		});
		var div_1 = sibling(node_8, 2);
		each(div_1, 23, () => get(actions), (action) => action.name, ($$anchor, action, at) => {
			{
				let $0 = user_derived(() => get(at) === 0 ? "primary" : "secondary");
				Button($$anchor, {
					get variant() {
						return get($0);
					},
					get busy() {
						return submission.busy;
					},
					onclick: () => void answer(get(action).name),
					children: ($$anchor, $$slotProps) => {
						next();
						var text_10 = text();
						template_effect(() => set_text(text_10, get(action).label || get(action).name)), append($$anchor, text_10);
					},
					$$slots: { default: !0 }
				});
			}
		}), reset(div_1);
		var node_9 = sibling(div_1, 2), consequent_12 = ($$anchor) => {
			var p_5 = root_1$5(), text_11 = only_child(p_5, !0);
			template_effect(($0) => set_text(text_11, $0), [() => t.chat.formExpires(dateTime(get(form).expires_at))]), append($$anchor, p_5);
		};
		if_block(node_9, ($$render) => {
			get(form).expires_at && $$render(consequent_12);
		}), append($$anchor, fragment_2);
	};
	if_block(node_2, ($$render) => {
		get(submitted) ? $$render(consequent_2) : get(expired) ? $$render(consequent_3, 1) : $$props.ended ? $$render(consequent_4, 2) : $$props.meta.read_only ? $$render(consequent_5, 3) : $$render(alternate_1, -1);
	}), reset(section_1), bind_this(section_1, ($$value) => set(section, $$value), () => get(section)), template_effect(() => set_attribute(section_1, "aria-label", get(form).title || t.chat.form)), append($$anchor, section_1), pop();
}
delegate(["change"]);
// src/chat/Reasoning.svelte
var root$6 = from_html("<details class=\"svelte-1r9k6f2\"><summary><!><span> </span><span class=\"chevron svelte-1r9k6f2\"><!></span></summary> <div class=\"text svelte-1r9k6f2\" dir=\"auto\"> </div></details>");
function Reasoning($$anchor, $$props) {
	push($$props, !0);
	let seconds = user_derived(() => $$props.part.started_at && $$props.part.ended_at ? Math.round((Date.parse($$props.part.ended_at) - Date.parse($$props.part.started_at)) / 1e3) : void 0), label = user_derived(() => $$props.part.open ? t.chat.reasoning : get(seconds) ? t.chat.reasonedFor(get(seconds)) : t.chat.reasoned);
	var details = root$6(), summary = child(details);
	let classes;
	var node = child(summary);
	Icon(node, {
		get of() {
			return Lightbulb;
		},
		size: 16
	});
	var span = sibling(node), text = only_child(span, !0), span_1 = sibling(span), node_1 = child(span_1);
	Icon(node_1, {
		get of() {
			return ChevronRight;
		},
		size: 14
	}), reset(span_1), reset(summary);
	var div = sibling(summary, 2), text_1 = only_child(div, !0);
	reset(details), template_effect(() => {
		classes = set_class(summary, 1, "svelte-1r9k6f2", null, classes, { active: $$props.part.open }), set_text(text, get(label)), set_text(text_1, $$props.part.text), div.dir = div.dir;
	}), append($$anchor, details), pop();
}
// src/chat/MemoryNote.svelte
var root$5 = from_html("<del> </del>"), root_1$4 = from_html("<span role=\"status\"> </span> <!>", 1), root_2$3 = from_html("<span role=\"status\"> </span>"), root_3$3 = from_html("<span> </span>"), root_4$2 = from_html("<div class=\"memory svelte-bqvw3r\" role=\"group\"><p dir=\"auto\"><!></p> <p class=\"actions svelte-bqvw3r\"><!> <a> </a></p></div> <!>", 1);
function MemoryNote($$anchor, $$props) {
	push($$props, !0);
	let given = user_derived(() => $$props.call.arguments), content = user_derived(() => (get(given)?.content ?? "").trim()), stored = user_derived(() => $$props.call.output), known = user_derived(() => get(stored)?.known_before === !0), forgotten = state(!1), restored, gone = state(!1), submission = new Submission();
	async function forget() {
		await submission.run(async () => {
			let id = restored ?? await find();
			set(gone, id === void 0), id !== void 0 && (await call("memories.delete_memory", { path: { memory_id: id } }), restored = void 0, set(forgotten, !0));
		});
	}
	async function find() {
		return get(stored)?.memory_id ? (await memoriesWith([get(stored).memory_id]))[0]?.id : (await everyPage((cursor) => call("memories.list_user_memories", { query: {
			source: "auto",
			with_assistants: !0,
			limit: 100,
			...cursor ? { cursor } : {}
		} }))).find((memory) => memory.content.trim() === get(content) && memory.conversation_id === $$props.conversation)?.id;
	}
	async function restore() {
		await submission.run(async () => {
			restored = (await call("memories.create_memory", { body: { content: get(content) } })).id, set(forgotten, !1);
		});
	}
	var fragment = root_4$2(), div = first_child(fragment), p = child(div), node = child(p), consequent = ($$anchor) => {
		var del = root$5(), text = only_child(del, !0);
		template_effect(() => set_text(text, get(content))), append($$anchor, del);
	}, alternate = ($$anchor) => {
		var text_1 = text();
		template_effect(() => set_text(text_1, get(content))), append($$anchor, text_1);
	};
	if_block(node, ($$render) => {
		get(forgotten) ? $$render(consequent) : $$render(alternate, -1);
	}), reset(p);
	var p_1 = sibling(p, 2), node_1 = child(p_1), consequent_1 = ($$anchor) => {
		var fragment_2 = root_1$4(), span = first_child(fragment_2), text_2 = only_child(span, !0), node_2 = sibling(span, 2);
		Button(node_2, {
			size: "small",
			get busy() {
				return submission.busy;
			},
			onclick: () => void restore(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_3 = text();
				template_effect(() => set_text(text_3, t.common.undo)), append($$anchor, text_3);
			},
			$$slots: { default: !0 }
		}), template_effect(() => set_text(text_2, t.chat.forgotten)), append($$anchor, fragment_2);
	}, consequent_2 = ($$anchor) => {
		var span_1 = root_2$3(), text_4 = only_child(span_1, !0);
		template_effect(() => set_text(text_4, t.chat.memoryGone)), append($$anchor, span_1);
	}, consequent_3 = ($$anchor) => {
		var span_2 = root_3$3(), text_5 = only_child(span_2, !0);
		template_effect(() => set_text(text_5, t.chat.memoryKnown)), append($$anchor, span_2);
	}, alternate_1 = ($$anchor) => {
		Button($$anchor, {
			size: "small",
			get busy() {
				return submission.busy;
			},
			onclick: () => void forget(),
			children: ($$anchor, $$slotProps) => {
				next();
				var text_6 = text();
				template_effect(() => set_text(text_6, t.chat.forget)), append($$anchor, text_6);
			},
			$$slots: { default: !0 }
		});
	};
	if_block(node_1, ($$render) => {
		get(forgotten) ? $$render(consequent_1) : get(gone) ? $$render(consequent_2, 1) : get(known) ? $$render(consequent_3, 2) : $$render(alternate_1, -1);
	});
	var a = sibling(node_1, 2), text_7 = only_child(a, !0);
	reset(p_1), reset(div);
	var node_3 = sibling(div, 2), consequent_4 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return submission.problem;
		} });
	};
	if_block(node_3, ($$render) => {
		submission.problem && $$render(consequent_4);
	}), template_effect(($0) => {
		set_attribute(div, "aria-label", t.memories.content), p.dir = p.dir, set_attribute(a, "href", $0), set_text(text_7, t.chat.seeMemories);
	}, [() => href("/memories")]), append($$anchor, fragment), pop();
}
// src/chat/ToolCallView.svelte
var root$4 = from_html("<h4 class=\"svelte-17fp0wv\"> </h4> <pre class=\"svelte-17fp0wv\"> </pre>", 1), root_1$3 = from_html("<progress></progress>"), root_2$2 = from_html("<p class=\"progress svelte-17fp0wv\"><!> </p>"), root_3$2 = from_html("<details class=\"svelte-17fp0wv\"><summary><!> <span class=\"svelte-17fp0wv\"> </span> <span class=\"chevron svelte-17fp0wv\"><!></span></summary> <div class=\"body svelte-17fp0wv\"><h4 class=\"svelte-17fp0wv\"> </h4> <pre class=\"svelte-17fp0wv\"> </pre> <!></div></details> <!> <!>", 1);
function ToolCallView($$anchor, $$props) {
	push($$props, !0);
	let isMemory = user_derived(() => $$props.part.name === "remember"), running = user_derived(() => $$props.part.state === "writing" || $$props.part.state === "ready" || $$props.part.state === "running"), label = user_derived(() => {
		if (get(isMemory) && $$props.part.state === "succeeded") return t.chat.remembered;
		let name = $$props.part.server ? `${$$props.part.server.name}: ${$$props.part.server.tool}` : $$props.part.name;
		return get(running) ? t.chat.toolRunning(name) : $$props.part.state === "failed" ? t.chat.toolFailed(name) : t.chat.toolDone(name);
	}), progress = user_derived(() => $$props.part.progress);
	function text(value) {
		return typeof value == "string" ? value : JSON.stringify(value, null, 2) ?? "";
	}
	var fragment = root_3$2(), details = first_child(fragment), summary = child(details);
	let classes;
	var node = child(summary);
	{
		let $0 = user_derived(() => $$props.part.state === "failed" ? CircleAlert : get(isMemory) ? Brain : Wrench);
		Icon(node, {
			get of() {
				return get($0);
			},
			size: 16
		});
	}
	var span = sibling(node, 2), text_1 = only_child(span, !0), span_1 = sibling(span, 2), node_1 = child(span_1);
	Icon(node_1, {
		get of() {
			return ChevronRight;
		},
		size: 14
	}), reset(span_1), reset(summary);
	var div = sibling(summary, 2), h4 = child(div), text_2 = only_child(h4, !0), pre = sibling(h4, 2), text_3 = only_child(pre, !0), node_2 = sibling(pre, 2), consequent = ($$anchor) => {
		var fragment_1 = root$4(), h4_1 = first_child(fragment_1), text_4 = only_child(h4_1, !0), pre_1 = sibling(h4_1, 2), text_5 = only_child(pre_1, !0);
		template_effect(() => {
			set_text(text_4, t.chat.toolError), set_text(text_5, $$props.part.error);
		}), append($$anchor, fragment_1);
	}, consequent_1 = ($$anchor) => {
		var fragment_2 = root$4(), h4_2 = first_child(fragment_2), text_6 = only_child(h4_2, !0), pre_2 = sibling(h4_2, 2), text_7 = only_child(pre_2, !0);
		template_effect(($0) => {
			set_text(text_6, t.chat.toolOutput), set_text(text_7, $0);
		}, [() => text($$props.part.output)]), append($$anchor, fragment_2);
	};
	if_block(node_2, ($$render) => {
		$$props.part.error ? $$render(consequent) : get(running) || $$render(consequent_1, 1);
	}), reset(div), reset(details);
	var node_3 = sibling(details, 2), consequent_3 = ($$anchor) => {
		var p = root_2$2(), node_4 = child(p), consequent_2 = ($$anchor) => {
			var progress_1 = root_1$3();
			template_effect(() => {
				set_attribute(progress_1, "max", get(progress).total), set_value(progress_1, get(progress).done), set_attribute(progress_1, "aria-label", get(label));
			}), append($$anchor, progress_1);
		};
		if_block(node_4, ($$render) => {
			get(progress).total && $$render(consequent_2);
		});
		var text_8 = sibling(node_4);
		reset(p), template_effect(() => set_text(text_8, ` ${get(progress).message ?? "" ?? ""}`)), append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		get(running) && get(progress) && $$render(consequent_3);
	});
	var node_5 = sibling(node_3, 2), consequent_4 = ($$anchor) => {
		MemoryNote($$anchor, {
			get call() {
				return $$props.part;
			},
			get conversation() {
				return $$props.conversation;
			}
		});
	};
	if_block(node_5, ($$render) => {
		get(isMemory) && $$props.part.state === "succeeded" && !$$props.readOnly && $$render(consequent_4);
	}), template_effect(($0) => {
		classes = set_class(summary, 1, "svelte-17fp0wv", null, classes, {
			failed: $$props.part.state === "failed",
			active: get(running)
		}), set_text(text_1, get(label)), set_text(text_2, t.chat.toolInput), set_text(text_3, $0);
	}, [() => $$props.part.arguments === void 0 ? $$props.part.input : text($$props.part.arguments)]), append($$anchor, fragment), pop();
}
// src/chat/Parts.svelte
function Parts($$anchor, $$props) {
	push($$props, !0);
	let cited = user_derived(() => new Set(sourcesByNumber($$props.parts).keys())), numbered = user_derived(() => {
		let counts = {};
		return $$props.parts.map((part) => ({
			part,
			key: `${part.kind}-${counts[part.kind] = (counts[part.kind] ?? 0) + 1}`
		}));
	});
	var fragment = comment(), node = first_child(fragment);
	each(node, 17, () => get(numbered), ({ part, key }) => key, ($$anchor, $$item) => {
		let part = () => get($$item).part;
		var fragment_1 = comment(), node_1 = first_child(fragment_1), consequent = ($$anchor) => {
			Prose($$anchor, {
				get text() {
					return part().text;
				},
				get open() {
					return part().open;
				},
				get cited() {
					return get(cited);
				},
				get oncite() {
					return $$props.oncite;
				}
			});
		}, consequent_1 = ($$anchor) => {
			Reasoning($$anchor, { get part() {
				return part();
			} });
		}, consequent_2 = ($$anchor) => {
			ToolCallView($$anchor, {
				get part() {
					return part();
				},
				get conversation() {
					return $$props.meta.id;
				},
				get readOnly() {
					return $$props.meta.read_only;
				}
			});
		}, consequent_3 = ($$anchor) => {
			Attachment($$anchor, {
				get conversation() {
					return $$props.meta.id;
				},
				get blob() {
					return part().blob_id;
				},
				get name() {
					return part().filename;
				},
				get mediaType() {
					return part().media_type;
				}
			});
		}, consequent_4 = ($$anchor) => {
			FormView($$anchor, {
				get part() {
					return part();
				},
				get conversation() {
					return $$props.conversation;
				},
				get meta() {
					return $$props.meta;
				},
				get ended() {
					return $$props.ended;
				}
			});
		};
		if_block(node_1, ($$render) => {
			part().kind === "text" ? $$render(consequent) : part().kind === "reasoning" ? $$render(consequent_1, 1) : part().kind === "tool" ? $$render(consequent_2, 2) : part().kind === "file" ? $$render(consequent_3, 3) : part().kind === "form" && $$render(consequent_4, 4);
		}), append($$anchor, fragment_1);
	}), append($$anchor, fragment), pop();
}
// src/chat/SourceChips.svelte
var root$3 = from_html("<li class=\"svelte-1s4gy6e\"><button type=\"button\" class=\"svelte-1s4gy6e\"><span class=\"number svelte-1s4gy6e\"> </span><span class=\"title svelte-1s4gy6e\"> </span></button></li>"), root_1$2 = from_html("<ul role=\"list\" class=\"svelte-1s4gy6e\"></ul>");
function SourceChips($$anchor, $$props) {
	push($$props, !0);
	var ul = root_1$2();
	each(ul, 23, () => $$props.sources, (source) => source.id, ($$anchor, source, at) => {
		var li = root$3(), button = child(li), span = child(button), text = only_child(span, !0), span_1 = sibling(span), text_1 = only_child(span_1, !0);
		reset(button), reset(li), template_effect(($0) => {
			set_text(text, get(source).number ?? get(at) + 1), set_text(text_1, $0);
		}, [() => titleOf(get(source))]), delegated("click", button, () => $$props.onopen(get(source).number ?? get(at) + 1)), append($$anchor, li);
	}), reset(ul), template_effect(() => set_attribute(ul, "aria-label", t.chat.sources)), append($$anchor, ul), pop();
}
delegate(["click"]);
// src/chat/MessageView.svelte
var root$2 = from_html("<div class=\"attachments svelte-jb948k\"></div>"), root_1$1 = from_html("<p class=\"question svelte-jb948k\" dir=\"auto\"> </p>"), root_2$1 = from_html("<!> <!> <!> <!>", 1), root_3$1 = from_html("<div class=\"content svelte-jb948k\"><!> <!></div> <!>", 1), root_4$1 = from_html("<article><!></article>");
function MessageView($$anchor, $$props) {
	push($$props, !0);
	let editing = state(!1), isUser = user_derived(() => $$props.message.role === "user"), live = user_derived(() => $$props.conversation.answerOf($$props.message)), stored = user_derived(() => partsOf($$props.message)), run = user_derived(() => $$props.conversation.runs.of($$props.message.run_id)), parts = user_derived(() => get(live) ? get(live).answer.parts : get(run) ? withForms(get(stored), get(run).parts) : get(stored)), mayHaveForms = user_derived(() => $$props.meta.assistant_id !== null && choices.loaded && choices.assistant($$props.meta.assistant_id)?.type !== "chat"), memories = user_derived(() => get(live) ? get(live).answer.memory_ids : $$props.message.memory_ids ?? []), sources = user_derived(() => get(parts).filter((part) => part.kind === "source"));
	user_effect(() => {
		get(mayHaveForms) && !get(isUser) && $$props.message.run_id && $$props.message.status !== "streaming" && $$props.conversation.runs.read($$props.message.run_id);
	});
	async function edit(text) {
		set(editing, !1), await $$props.conversation.edit($$props.message, text);
	}
	var article = root_4$1();
	let classes;
	var node = child(article), consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => get(parts).flatMap((part) => part.kind === "text" ? part.text : []).join(""));
			Editor($$anchor, {
				get text() {
					return get($0);
				},
				onsave: edit,
				oncancel: () => set(editing, !1)
			});
		}
	}, alternate_1 = ($$anchor) => {
		var fragment_1 = root_3$1(), div = first_child(fragment_1), node_1 = child(div), consequent_1 = ($$anchor) => {
			var div_1 = root$2();
			each(div_1, 21, () => $$props.message.attachments ?? [], (file) => file.blob_id + file.filename, ($$anchor, file) => {
				Attachment($$anchor, {
					get conversation() {
						return $$props.meta.id;
					},
					get blob() {
						return get(file).blob_id;
					},
					get name() {
						return get(file).filename;
					},
					get mediaType() {
						return get(file).media_type;
					},
					get size() {
						return get(file).size;
					}
				});
			}), reset(div_1), append($$anchor, div_1);
		};
		if_block(node_1, ($$render) => {
			($$props.message.attachments ?? []).length > 0 && $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2), consequent_3 = ($$anchor) => {
			var fragment_3 = comment(), node_3 = first_child(fragment_3);
			each(node_3, 17, () => get(parts), (part) => part.id, ($$anchor, part) => {
				var fragment_4 = comment(), node_4 = first_child(fragment_4), consequent_2 = ($$anchor) => {
					var p = root_1$1(), text_1 = only_child(p, !0);
					template_effect(() => {
						set_text(text_1, get(part).text), p.dir = p.dir;
					}), append($$anchor, p);
				};
				if_block(node_4, ($$render) => {
					get(part).kind === "text" && $$render(consequent_2);
				}), append($$anchor, fragment_4);
			}), append($$anchor, fragment_3);
		}, alternate = ($$anchor) => {
			var fragment_5 = root_2$1(), node_5 = first_child(fragment_5);
			{
				let $0 = user_derived(() => !get(live));
				Parts(node_5, {
					get parts() {
						return get(parts);
					},
					get conversation() {
						return $$props.conversation;
					},
					get meta() {
						return $$props.meta;
					},
					get ended() {
						return get($0);
					},
					oncite: (number) => sourcesPane.show($$props.message.id, get(sources), number)
				});
			}
			var node_6 = sibling(node_5, 2), consequent_4 = ($$anchor) => {
				SourceChips($$anchor, {
					get sources() {
						return get(sources);
					},
					onopen: (number) => sourcesPane.show($$props.message.id, get(sources), number)
				});
			};
			if_block(node_6, ($$render) => {
				get(sources).length > 0 && $$render(consequent_4);
			});
			var node_7 = sibling(node_6, 2), consequent_5 = ($$anchor) => {
				MemoriesGiven($$anchor, { get ids() {
					return get(memories);
				} });
			}, d = user_derived(() => get(memories).length > 0 && !$$props.meta.read_only && session.has("memories"));
			if_block(node_7, ($$render) => {
				get(d) && $$render(consequent_5);
			}), MessageStatus(sibling(node_7, 2), {
				get message() {
					return $$props.message;
				},
				get live() {
					return get(live);
				},
				get conversation() {
					return $$props.conversation;
				}
			}), append($$anchor, fragment_5);
		};
		if_block(node_2, ($$render) => {
			get(isUser) ? $$render(consequent_3) : $$render(alternate, -1);
		}), reset(div);
		var node_9 = sibling(div, 2), consequent_6 = ($$anchor) => {
			MessageActions($$anchor, {
				get message() {
					return $$props.message;
				},
				get conversation() {
					return $$props.conversation;
				},
				get meta() {
					return $$props.meta;
				},
				get isLast() {
					return $$props.isLast;
				},
				onedit: () => set(editing, !0)
			});
		};
		if_block(node_9, ($$render) => {
			!get(live) && $$props.message.status !== "streaming" && $$render(consequent_6);
		}), append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		get(editing) ? $$render(consequent) : $$render(alternate_1, -1);
	}), reset(article), template_effect(() => {
		set_attribute(article, "aria-label", get(isUser) ? t.chat.you : t.chat.response), set_attribute(article, "aria-busy", get(live) ? "true" : void 0), classes = set_class(article, 1, "svelte-jb948k", null, classes, { user: get(isUser) });
	}), append($$anchor, article), pop();
}
// src/chat/continue.ts
var MOST = 1e4;
async function continueOwn({ id, title, model, assistant_id }) {
	let branch = (await everyPage((cursor) => call("conversations.list_conversation_messages", {
		path: { conversation_id: id },
		query: {
			limit: 200,
			...cursor ? { cursor } : {}
		}
	}), MOST)).toReversed(), body = {
		...title ? { title } : {},
		...choices.model(model) ? { model } : {},
		...choices.assistant(assistant_id) ? { assistant_id } : {}
	}, conversation = await call("conversations.create_conversation", { body });
	try {
		let messages = branch.map(({ role, parts = [], tool_calls = [], model }) => ({
			role,
			model,
			tool_calls,
			parts: parts.filter(({ type }) => type !== "file")
		}));
		await call("conversations.replace_conversation_payload", {
			path: { conversation_id: conversation.id },
			body: { messages }
		});
	} catch (error) {
		throw call("conversations.delete_conversation", { path: { conversation_id: conversation.id } }).catch(() => {}), error;
	}
	return {
		conversation,
		withoutFiles: branch.some(({ attachments = [], parts = [] }) => attachments.length > 0 || parts.some(({ type }) => type === "file"))
	};
}
// src/chat/ReadOnlyNote.svelte
var root$1 = from_html("<p class=\"svelte-64ljp4\"> <!> <!></p> <!>", 1);
function ReadOnlyNote($$anchor, $$props) {
	push($$props, !0);
	let copying = new Submission();
	function copy() {
		copying.run(async () => {
			let { conversation, withoutFiles } = await continueOwn($$props.meta);
			conversations.put(await call("conversations.get_conversation", {
				path: { conversation_id: conversation.id },
				query: { include_messages: !1 }
			})), conversations.tellOtherTabs(), withoutFiles && toasts.show(t.chat.filesNotCopied), navigate(`/conversations/${conversation.id}`);
		});
	}
	var fragment = root$1(), p = first_child(fragment), text$1 = child(p), node = sibling(text$1);
	Button(node, {
		size: "small",
		onclick: () => why.ask("conversations.conversation_completion", $$props.meta.id),
		children: ($$anchor, $$slotProps) => {
			next();
			var text_1 = text();
			template_effect(() => set_text(text_1, t.common.why)), append($$anchor, text_1);
		},
		$$slots: { default: !0 }
	});
	var node_1 = sibling(node, 2), consequent = ($$anchor) => {
		Button($$anchor, {
			size: "small",
			variant: "primary",
			get busy() {
				return copying.busy;
			},
			onclick: copy,
			children: ($$anchor, $$slotProps) => {
				next();
				var text_2 = text();
				template_effect(() => set_text(text_2, t.chat.continueOwn)), append($$anchor, text_2);
			},
			$$slots: { default: !0 }
		});
	}, d = user_derived(() => session.may("llm:use"));
	if_block(node_1, ($$render) => {
		get(d) && $$render(consequent);
	}), reset(p);
	var node_2 = sibling(p, 2), consequent_1 = ($$anchor) => {
		ProblemNote($$anchor, { get problem() {
			return copying.problem;
		} });
	};
	if_block(node_2, ($$render) => {
		copying.problem && $$render(consequent_1);
	}), template_effect(() => set_text(text$1, `${t.chat.readOnly ?? ""} `)), append($$anchor, fragment), pop();
}
// src/chat/export.ts
function exported(title, messages) {
	return [`# ${title}\n`, ...messages.map(section)].join("\n");
}
function section({ role, model, parts = [], attachments = [] }) {
	let text = parts.flatMap((part) => part.type === "text" ? part.text : []).join("\n\n"), files = [...attachments.map(({ filename }) => filename), ...parts.flatMap((part) => part.type === "file" ? part.filename ?? t.chat.file : [])], sources = parts.flatMap((part, at) => {
		if (part.type !== "source") return [];
		let place = [...part.place?.headings ?? [], part.place?.page ? t.chat.page(part.place.page) : ""].filter(Boolean).join(" › ");
		return [`${part.place?.number || at + 1}. ${[
			part.title,
			place,
			part.url
		].filter(Boolean).join(", ")}`];
	});
	return `${[
		`## ${role === "user" ? t.chat.you : t.chat.response}${model ? ` (${model})` : ""}`,
		text,
		...files.map((name) => `*${t.chat.file}: ${name}*`),
		sources.length > 0 ? `${t.chat.sources}:\n\n${sources.join("\n")}` : ""
	].filter(Boolean).join("\n\n")}\n`;
}
// src/chat/Conversation.svelte
var root = from_html("<a class=\"project svelte-1y42rzv\"> </a>"), root_1 = from_html("<p dir=\"auto\" class=\"svelte-1y42rzv\"> </p>"), root_2 = from_html("<div class=\"pending svelte-1y42rzv\"><!><span class=\"svelte-1y42rzv\"> </span></div>"), root_3 = from_html("<main class=\"svelte-1y42rzv\"><!> <div class=\"bottom svelte-1y42rzv\"><!> <!> <!></div></main> <!>", 1), root_4 = from_html("<div class=\"split svelte-1y42rzv\"><div class=\"main svelte-1y42rzv\"><header class=\"svelte-1y42rzv\"><!> <h1 class=\"svelte-1y42rzv\"> </h1> <!> <!> <!></header> <!> <!></div> <!></div> <!>", 1);
function Conversation($$anchor, $$props) {
	push($$props, !0);
	let conversation = conversationFor($$props.id, router.location.query.get("m") ?? void 0), list = state(void 0), finding = state(!1), outlining = state(!1), meta = user_derived(() => conversation.meta), title = user_derived(() => get(meta) ? get(meta).title ?? t.shell.untitled : conversation.problem ? t.state.notFound : t.common.loading), responding = user_derived(() => conversation.live !== void 0 && conversation.live.answer.terminal === null), project = user_derived(() => projects.find(get(meta)?.project_id));
	onMount(() => {
		let remove = screenCommands.add([
			{
				id: "find",
				label: t.keys.find,
				icon: Search,
				keys: `${MOD} F`,
				run: () => set(finding, !0)
			},
			{
				id: "outline",
				label: t.chat.outline,
				icon: ListTree,
				run: () => set(outlining, !0)
			},
			{
				id: "export",
				label: t.chat.download,
				icon: Download,
				run: () => void download()
			},
			{
				id: "stop",
				label: t.chat.stop,
				icon: CircleStop,
				run: () => void conversation.stop()
			}
		]);
		return conversation.onselect = (place) => {
			get(list)?.hold(place), forgetMessage();
		}, () => {
			remove(), sourcesPane.close(), conversation.close();
		};
	});
	async function send(text, attachments) {
		return await attachments.send($$props.id) ? (forgetMessage(), get(list)?.toEnd(), conversation.send({
			text,
			uploads: attachments.ids,
			files: attachments.names
		})) : !1;
	}
	let location = router.location;
	user_effect(() => {
		if (router.location === location) return;
		location = router.location;
		let message = location.query.get("m");
		message && location.path === `/conversations/${$$props.id}` && untrack(() => void show(message));
	});
	function forgetMessage() {
		router.location.query.has("m") && navigate(`/conversations/${$$props.id}`, { replace: !0 });
	}
	async function show(message) {
		let reached = await conversation.reach(message);
		typeof reached == "object" && await get(list)?.reveal(reached.place);
	}
	async function scrollTo(message) {
		let reached = await conversation.reach(message, !0);
		return typeof reached == "object" && await get(list)?.reveal(reached.place, !1), reached !== "gone";
	}
	async function editLast() {
		let question = await conversation.lastQuestion();
		if (!question || !await scrollTo(question.id)) return;
		await tick();
		let actions = document.querySelector(`[data-message="${question.id}"] [role="group"]`);
		(actions && [...actions.querySelectorAll("button")].find((button) => button.title === t.common.edit))?.click();
	}
	async function download() {
		let messages = get(meta) && await conversation.everything();
		if (!messages) return;
		let link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([exported(get(title), messages)], { type: "text/markdown" })), link.download = `${get(title).replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 80) || "conversation"}.md`, link.click(), URL.revokeObjectURL(link.href);
	}
	function press(event) {
		hasMod(event) && event.key.toLowerCase() === "f" && !event.shiftKey && (event.preventDefault(), set(finding, !0));
	}
	var fragment = root_4();
	event("keydown", $window, press), head("1y42rzv", ($$anchor) => {
		deferred_template_effect(() => {
			$document.title = `${get(title) ?? ""} · ${t.common.product ?? ""}`;
		});
	});
	var div = first_child(fragment), div_1 = child(div), header = child(div_1), node = child(header);
	snippet(node, () => $$props.opener);
	var h1 = sibling(node, 2), text_1 = only_child(h1, !0), node_1 = sibling(h1, 2), consequent = ($$anchor) => {
		var a = root(), text_2 = only_child(a, !0);
		template_effect(($0) => {
			set_attribute(a, "href", $0), set_text(text_2, get(project).name);
		}, [() => href(`/projects/${get(project).id}`)]), append($$anchor, a);
	};
	if_block(node_1, ($$render) => {
		get(project) && $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	{
		let $0 = user_derived(() => get(meta) ? conversation.branch.total === 0 ? t.chat.empty : void 0 : t.common.loading);
		Button(node_2, {
			variant: "quiet",
			get icon() {
				return ListTree;
			},
			get label() {
				return t.chat.outline;
			},
			get refused() {
				return get($0);
			},
			onclick: () => set(outlining, !0)
		});
	}
	var node_3 = sibling(node_2, 2);
	{
		let $0 = user_derived(() => get(meta) ? void 0 : t.common.loading);
		Button(node_3, {
			variant: "quiet",
			get icon() {
				return Search;
			},
			get label() {
				return t.keys.find;
			},
			get refused() {
				return get($0);
			},
			onclick: () => set(finding, !0)
		});
	}
	reset(header);
	var node_4 = sibling(header, 2), consequent_1 = ($$anchor) => {
		FindBar($$anchor, {
			get conversation() {
				return conversation;
			},
			onreveal: scrollTo,
			onclose: () => set(finding, !1)
		});
	};
	if_block(node_4, ($$render) => {
		get(finding) && $$render(consequent_1);
	});
	var node_5 = sibling(node_4, 2), consequent_8 = ($$anchor) => {
		var fragment_2 = root_3(), main = first_child(fragment_2), node_6 = child(main), consequent_2 = ($$anchor) => {
			StatePanel($$anchor, {
				get title() {
					return t.chat.empty;
				},
				get text() {
					return t.chat.emptyText;
				}
			});
		}, alternate = ($$anchor) => {
			{
				let item = ($$anchor, message = noop, isLast = noop) => {
					MessageView($$anchor, {
						get message() {
							return message();
						},
						get conversation() {
							return conversation;
						},
						get meta() {
							return get(meta);
						},
						get isLast() {
							return isLast();
						}
					});
				}, footer = ($$anchor) => {
					var fragment_6 = comment(), node_7 = first_child(fragment_6), consequent_4 = ($$anchor) => {
						var div_2 = root_2(), node_8 = child(div_2), consequent_3 = ($$anchor) => {
							var p = root_1(), text_3 = only_child(p, !0);
							template_effect(() => {
								set_text(text_3, conversation.pending.text), p.dir = p.dir;
							}), append($$anchor, p);
						};
						if_block(node_8, ($$render) => {
							conversation.pending.text && $$render(consequent_3);
						});
						var span_1 = sibling(node_8), text_4 = only_child(span_1, !0);
						reset(div_2), template_effect(($0) => set_text(text_4, $0), [() => [...conversation.pending.files, t.chat.sending].join(" · ")]), append($$anchor, div_2);
					};
					if_block(node_7, ($$render) => {
						conversation.pending && $$render(consequent_4);
					}), append($$anchor, fragment_6);
				}, $0 = user_derived(() => router.location.query.get("m") ?? void 0);
				bind_this(MessageList($$anchor, {
					get branch() {
						return conversation.branch;
					},
					get initial() {
						return get($0);
					},
					onneed: (span) => conversation.reader.need(span),
					item,
					footer,
					$$slots: {
						item: !0,
						footer: !0
					}
				}), ($$value) => set(list, $$value, !0), () => get(list));
			}
		};
		if_block(node_6, ($$render) => {
			conversation.branch.total === 0 && !conversation.pending ? $$render(consequent_2) : $$render(alternate, -1);
		});
		var div_3 = sibling(node_6, 2), node_9 = child(div_3), consequent_5 = ($$anchor) => {
			ProblemNote($$anchor, {
				get problem() {
					return conversation.reader.problem;
				},
				retry: () => conversation.reader.retry()
			});
		};
		if_block(node_9, ($$render) => {
			conversation.reader.problem && $$render(consequent_5);
		});
		var node_10 = sibling(node_9, 2), consequent_6 = ($$anchor) => {
			{
				let $0 = user_derived(() => conversation.refusal ?? choices.problem);
				ProblemNote($$anchor, { get problem() {
					return get($0);
				} });
			}
		};
		if_block(node_10, ($$render) => {
			(conversation.refusal ?? choices.problem) && $$render(consequent_6);
		});
		var node_11 = sibling(node_10, 2), consequent_7 = ($$anchor) => {
			ReadOnlyNote($$anchor, { get meta() {
				return get(meta);
			} });
		}, alternate_1 = ($$anchor) => {
			{
				let pickers = ($$anchor) => {
					Pickers($$anchor, {
						get model() {
							return get(meta).model;
						},
						get assistant() {
							return get(meta).assistant_id;
						},
						onmodel: (model) => void conversation.change({ model }),
						onassistant: (assistant_id) => void conversation.change({ assistant_id })
					});
				}, $0 = user_derived(() => conversation.live?.stopping ?? !1);
				Composer($$anchor, {
					get conversation() {
						return $$props.id;
					},
					get responding() {
						return get(responding);
					},
					get stopping() {
						return get($0);
					},
					onsend: send,
					onstop: () => void conversation.stop(),
					oneditlast: () => void editLast(),
					pickers,
					$$slots: { pickers: !0 }
				});
			}
		};
		if_block(node_11, ($$render) => {
			get(meta).read_only ? $$render(consequent_7) : $$render(alternate_1, -1);
		}), reset(div_3), reset(main);
		var node_12 = sibling(main, 2);
		{
			let $0 = user_derived(() => conversation.live?.answer);
			Announcer(node_12, { get answer() {
				return get($0);
			} });
		}
		append($$anchor, fragment_2);
	}, consequent_9 = ($$anchor) => {
		ProblemPanel($$anchor, {
			get problem() {
				return conversation.problem;
			},
			retry: () => void conversation.open()
		});
	}, alternate_2 = ($$anchor) => {
		StatePanel($$anchor, {
			kind: "loading",
			get title() {
				return t.common.loading;
			}
		});
	};
	if_block(node_5, ($$render) => {
		get(meta) ? $$render(consequent_8) : conversation.problem ? $$render(consequent_9, 1) : $$render(alternate_2, -1);
	}), reset(div_1);
	var node_13 = sibling(div_1, 2), consequent_10 = ($$anchor) => {
		Lazy($$anchor, {
			load: () => __vitePreload(() => import("./SourcesPane.js"), __vite__mapDeps([7,3,4]), import.meta.url),
			get props() {
				return sourcesPane.shown;
			}
		});
	};
	if_block(node_13, ($$render) => {
		sourcesPane.shown && $$render(consequent_10);
	}), reset(div);
	var node_14 = sibling(div, 2), consequent_11 = ($$anchor) => {
		{
			let $0 = user_derived(() => get(list)?.at());
			OutlineDialog($$anchor, {
				get conversation() {
					return conversation;
				},
				get at() {
					return get($0);
				},
				onchoose: (message) => void show(message),
				onclose: () => set(outlining, !1)
			});
		}
	};
	if_block(node_14, ($$render) => {
		get(outlining) && $$render(consequent_11);
	}), template_effect(() => set_text(text_1, get(meta) ? get(title) : "")), append($$anchor, fragment), pop();
}
// src/chat/ConversationScreen.svelte
function ConversationScreen($$anchor, $$props) {
	push($$props, !0), onMount(() => void choices.load());
	var fragment = comment(), node = first_child(fragment);
	key(node, () => $$props.parameters.id, ($$anchor) => {
		Conversation($$anchor, {
			get id() {
				return $$props.parameters.id;
			},
			get opener() {
				return $$props.opener;
			}
		});
	}), append($$anchor, fragment), pop();
}
// src/chat/open.ts
var open_exports = __exportAll({
	ConversationScreen: () => ConversationScreen,
	OpenConversation: () => OpenConversation,
	handOver: () => handOver
}), id = match("/conversations/:id", router.location.path)?.id;
id && handOver(conversationFor(id, router.location.query.get("m") ?? void 0));
export { ConversationScreen, OpenConversation, Prose, handOver, open_exports, originalOf, pageOf, sourcesPane, titleOf };
