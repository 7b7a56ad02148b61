import { __commonJSMin, __toESM } from "./rolldown-runtime.js";
var core_default = __toESM(__commonJSMin(((exports, module) => {
	function deepFreeze(obj) {
		return obj instanceof Map ? obj.clear = obj.delete = obj.set = function() {
			throw Error("map is read-only");
		} : obj instanceof Set && (obj.add = obj.clear = obj.delete = function() {
			throw Error("set is read-only");
		}), Object.freeze(obj), Object.getOwnPropertyNames(obj).forEach((name) => {
			let prop = obj[name], type = typeof prop;
			type !== "object" && type !== "function" || Object.isFrozen(prop) || deepFreeze(prop);
		}), obj;
	}
	var Response = class {
		constructor(mode) {
			mode.data === void 0 && (mode.data = {}), this.data = mode.data, this.isMatchIgnored = !1;
		}
		ignoreMatch() {
			this.isMatchIgnored = !0;
		}
	};
	function escapeHTML(value) {
		return value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/'/g, "&#x27;");
	}
	function inherit$1(original, ...objects) {
		let result = Object.create(null);
		for (let key in original) result[key] = original[key];
		return objects.forEach(function(obj) {
			for (let key in obj) result[key] = obj[key];
		}), result;
	}
	var SPAN_CLOSE = "</span>", emitsWrappingTags = (node) => !!node.scope, scopeToCSSClass = (name, { prefix }) => {
		if (name.startsWith("language:")) return name.replace("language:", "language-");
		if (name.includes(".")) {
			let pieces = name.split(".");
			return [`${prefix}${pieces.shift()}`, ...pieces.map((x, i) => `${x}${"_".repeat(i + 1)}`)].join(" ");
		}
		return `${prefix}${name}`;
	}, HTMLRenderer = class {
		constructor(parseTree, options) {
			this.buffer = "", this.classPrefix = options.classPrefix, parseTree.walk(this);
		}
		addText(text) {
			this.buffer += escapeHTML(text);
		}
		openNode(node) {
			if (!emitsWrappingTags(node)) return;
			let className = scopeToCSSClass(node.scope, { prefix: this.classPrefix });
			this.span(className);
		}
		closeNode(node) {
			emitsWrappingTags(node) && (this.buffer += SPAN_CLOSE);
		}
		value() {
			return this.buffer;
		}
		span(className) {
			this.buffer += `<span class="${className}">`;
		}
	}, newNode = (opts = {}) => {
		let result = { children: [] };
		return Object.assign(result, opts), result;
	}, TokenTree = class TokenTree {
		constructor() {
			this.rootNode = newNode(), this.stack = [this.rootNode];
		}
		get top() {
			return this.stack[this.stack.length - 1];
		}
		get root() {
			return this.rootNode;
		}
		add(node) {
			this.top.children.push(node);
		}
		openNode(scope) {
			let node = newNode({ scope });
			this.add(node), this.stack.push(node);
		}
		closeNode() {
			if (this.stack.length > 1) return this.stack.pop();
		}
		closeAllNodes() {
			for (; this.closeNode(););
		}
		toJSON() {
			return JSON.stringify(this.rootNode, null, 4);
		}
		walk(builder) {
			return this.constructor._walk(builder, this.rootNode);
		}
		static _walk(builder, node) {
			return typeof node == "string" ? builder.addText(node) : node.children && (builder.openNode(node), node.children.forEach((child) => this._walk(builder, child)), builder.closeNode(node)), builder;
		}
		static _collapse(node) {
			typeof node != "string" && node.children && (node.children.every((el) => typeof el == "string") ? node.children = [node.children.join("")] : node.children.forEach((child) => {
				TokenTree._collapse(child);
			}));
		}
	}, TokenTreeEmitter = class extends TokenTree {
		constructor(options) {
			super(), this.options = options;
		}
		addText(text) {
			text !== "" && this.add(text);
		}
		startScope(scope) {
			this.openNode(scope);
		}
		endScope() {
			this.closeNode();
		}
		__addSublanguage(emitter, name) {
			let node = emitter.root;
			name && (node.scope = `language:${name}`), this.add(node);
		}
		toHTML() {
			return new HTMLRenderer(this, this.options).value();
		}
		finalize() {
			return this.closeAllNodes(), !0;
		}
	};
	function source(re) {
		return re ? typeof re == "string" ? re : re.source : null;
	}
	function lookahead(re) {
		return concat("(?=", re, ")");
	}
	function anyNumberOfTimes(re) {
		return concat("(?:", re, ")*");
	}
	function optional(re) {
		return concat("(?:", re, ")?");
	}
	function concat(...args) {
		return args.map((x) => source(x)).join("");
	}
	function stripOptionsFromArgs(args) {
		let opts = args[args.length - 1];
		return typeof opts == "object" && opts.constructor === Object ? (args.splice(args.length - 1, 1), opts) : {};
	}
	function either(...args) {
		return "(" + (stripOptionsFromArgs(args).capture ? "" : "?:") + args.map((x) => source(x)).join("|") + ")";
	}
	function countMatchGroups(re) {
		return RegExp(re.toString() + "|").exec("").length - 1;
	}
	function startsWith(re, lexeme) {
		let match = re && re.exec(lexeme);
		return match && match.index === 0;
	}
	var BACKREF_RE = new RegExp(either(/\[(?:[^\\\]]|\\.)*\]/, /\(\?<(?![=!])[^>]+>/, /\(\?'[^']+'/, /\(\??/, /\\([1-9][0-9]*)/, /\\./));
	function _rewriteBackreferences(regexps, { joinWith }) {
		let numCaptures = 0;
		return regexps.map((regex) => {
			numCaptures += 1;
			let offset = numCaptures, re = source(regex), out = "";
			for (; re.length > 0;) {
				let match = BACKREF_RE.exec(re);
				if (!match) {
					out += re;
					break;
				}
				out += re.substring(0, match.index), re = re.substring(match.index + match[0].length), match[0][0] === "\\" && match[1] ? out += "\\" + String(Number(match[1]) + offset) : (out += match[0], (match[0] === "(" || /^\(\?[<']/.test(match[0])) && numCaptures++);
			}
			return out;
		}).map((re) => `(${re})`).join(joinWith);
	}
	var MATCH_NOTHING_RE = /\b\B/, IDENT_RE = "[a-zA-Z]\\w*", UNDERSCORE_IDENT_RE = "[a-zA-Z_]\\w*", NUMBER_RE = "\\b\\d+(\\.\\d+)?", C_NUMBER_RE = "(-?)(\\b0[xX][a-fA-F0-9]+|(\\b\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?)", BINARY_NUMBER_RE = "\\b(0b[01]+)", RE_STARTERS_RE = "!|!=|!==|%|%=|&|&&|&=|\\*|\\*=|\\+|\\+=|,|-|-=|/=|/|:|;|<<|<<=|<=|<|===|==|=|>>>=|>>=|>=|>>>|>>|>|\\?|\\[|\\{|\\(|\\^|\\^=|\\||\\|=|\\|\\||~", SHEBANG = (opts = {}) => {
		let beginShebang = /^#![ ]*\//;
		return opts.binary && (opts.begin = concat(beginShebang, /.*\b/, opts.binary, /\b.*/)), inherit$1({
			scope: "meta",
			begin: beginShebang,
			end: /$/,
			relevance: 0,
			"on:begin": (m, resp) => {
				m.index !== 0 && resp.ignoreMatch();
			}
		}, opts);
	}, BACKSLASH_ESCAPE = {
		begin: "\\\\[\\s\\S]",
		relevance: 0
	}, APOS_STRING_MODE = {
		scope: "string",
		begin: "'",
		end: "'",
		illegal: "\\n",
		contains: [BACKSLASH_ESCAPE]
	}, QUOTE_STRING_MODE = {
		scope: "string",
		begin: "\"",
		end: "\"",
		illegal: "\\n",
		contains: [BACKSLASH_ESCAPE]
	}, PHRASAL_WORDS_MODE = { begin: /\b(a|an|the|are|I'm|isn't|don't|doesn't|won't|but|just|should|pretty|simply|enough|gonna|going|wtf|so|such|will|you|your|they|like|more)\b/ }, COMMENT = function(begin, end, modeOptions = {}) {
		let mode = inherit$1({
			scope: "comment",
			begin,
			end,
			contains: []
		}, modeOptions);
		mode.contains.push({
			scope: "doctag",
			begin: "[ ]*(?=(TODO|FIXME|NOTE|BUG|OPTIMIZE|HACK|XXX):)",
			end: /(TODO|FIXME|NOTE|BUG|OPTIMIZE|HACK|XXX):/,
			excludeBegin: !0,
			relevance: 0
		});
		let ENGLISH_WORD = either("I", "a", "is", "so", "us", "to", "at", "if", "in", "it", "on", /[A-Za-z]+['](d|ve|re|ll|t|s|n)/, /[A-Za-z]+[-][a-z]+/, /[A-Za-z][a-z]{2,}/);
		return mode.contains.push({ begin: concat(/[ ]+/, "(", ENGLISH_WORD, /[.]?[:]?([.][ ]|[ ])/, "){3}") }), mode;
	}, C_LINE_COMMENT_MODE = COMMENT("//", "$"), C_BLOCK_COMMENT_MODE = COMMENT("/\\*", "\\*/"), HASH_COMMENT_MODE = COMMENT("#", "$"), MODES = Object.freeze({
		__proto__: null,
		APOS_STRING_MODE,
		BACKSLASH_ESCAPE,
		BINARY_NUMBER_MODE: {
			scope: "number",
			begin: BINARY_NUMBER_RE,
			relevance: 0
		},
		BINARY_NUMBER_RE,
		COMMENT,
		C_BLOCK_COMMENT_MODE,
		C_LINE_COMMENT_MODE,
		C_NUMBER_MODE: {
			scope: "number",
			begin: C_NUMBER_RE,
			relevance: 0
		},
		C_NUMBER_RE,
		END_SAME_AS_BEGIN: function(mode) {
			return Object.assign(mode, {
				"on:begin": (m, resp) => {
					resp.data._beginMatch = m[1];
				},
				"on:end": (m, resp) => {
					resp.data._beginMatch !== m[1] && resp.ignoreMatch();
				}
			});
		},
		HASH_COMMENT_MODE,
		IDENT_RE,
		MATCH_NOTHING_RE,
		METHOD_GUARD: {
			begin: "\\.\\s*[a-zA-Z_]\\w*",
			relevance: 0
		},
		NUMBER_MODE: {
			scope: "number",
			begin: NUMBER_RE,
			relevance: 0
		},
		NUMBER_RE,
		PHRASAL_WORDS_MODE,
		QUOTE_STRING_MODE,
		REGEXP_MODE: {
			scope: "regexp",
			begin: /\/(?=[^/\n]*\/)/,
			end: /\/[gimuy]*/,
			contains: [BACKSLASH_ESCAPE, {
				begin: /\[/,
				end: /\]/,
				relevance: 0,
				contains: [BACKSLASH_ESCAPE]
			}]
		},
		RE_STARTERS_RE,
		SHEBANG,
		TITLE_MODE: {
			scope: "title",
			begin: IDENT_RE,
			relevance: 0
		},
		UNDERSCORE_IDENT_RE,
		UNDERSCORE_TITLE_MODE: {
			scope: "title",
			begin: UNDERSCORE_IDENT_RE,
			relevance: 0
		}
	});
	function skipIfHasPrecedingDot(match, response) {
		match.input[match.index - 1] === "." && response.ignoreMatch();
	}
	function scopeClassName(mode, _parent) {
		mode.className !== void 0 && (mode.scope = mode.className, delete mode.className);
	}
	function beginKeywords(mode, parent) {
		parent && mode.beginKeywords && (mode.begin = "\\b(" + mode.beginKeywords.split(" ").join("|") + ")(?!\\.)(?=\\b|\\s)", mode.__beforeBegin = skipIfHasPrecedingDot, mode.keywords = mode.keywords || mode.beginKeywords, delete mode.beginKeywords, mode.relevance === void 0 && (mode.relevance = 0));
	}
	function compileIllegal(mode, _parent) {
		Array.isArray(mode.illegal) && (mode.illegal = either(...mode.illegal));
	}
	function compileMatch(mode, _parent) {
		if (mode.match) {
			if (mode.begin || mode.end) throw Error("begin & end are not supported with match");
			mode.begin = mode.match, delete mode.match;
		}
	}
	function compileRelevance(mode, _parent) {
		mode.relevance === void 0 && (mode.relevance = 1);
	}
	var beforeMatchExt = (mode, parent) => {
		if (!mode.beforeMatch) return;
		if (mode.starts) throw Error("beforeMatch cannot be used with starts");
		let originalMode = Object.assign({}, mode);
		Object.keys(mode).forEach((key) => {
			delete mode[key];
		}), mode.keywords = originalMode.keywords, mode.begin = concat(originalMode.beforeMatch, lookahead(originalMode.begin)), mode.starts = {
			relevance: 0,
			contains: [Object.assign(originalMode, { endsParent: !0 })]
		}, mode.relevance = 0, delete originalMode.beforeMatch;
	}, COMMON_KEYWORDS = [
		"of",
		"and",
		"for",
		"in",
		"not",
		"or",
		"if",
		"then",
		"parent",
		"list",
		"value"
	], DEFAULT_KEYWORD_SCOPE = "keyword";
	function compileKeywords(rawKeywords, caseInsensitive, scopeName = DEFAULT_KEYWORD_SCOPE) {
		let compiledKeywords = Object.create(null);
		return typeof rawKeywords == "string" ? compileList(scopeName, rawKeywords.split(" ")) : Array.isArray(rawKeywords) ? compileList(scopeName, rawKeywords) : Object.keys(rawKeywords).forEach(function(scopeName) {
			Object.assign(compiledKeywords, compileKeywords(rawKeywords[scopeName], caseInsensitive, scopeName));
		}), compiledKeywords;
		function compileList(scopeName, keywordList) {
			caseInsensitive && (keywordList = keywordList.map((x) => x.toLowerCase())), keywordList.forEach(function(keyword) {
				let pair = keyword.split("|");
				compiledKeywords[pair[0]] = [scopeName, scoreForKeyword(pair[0], pair[1])];
			});
		}
	}
	function scoreForKeyword(keyword, providedScore) {
		return providedScore ? Number(providedScore) : +!commonKeyword(keyword);
	}
	function commonKeyword(keyword) {
		return COMMON_KEYWORDS.includes(keyword.toLowerCase());
	}
	var seenDeprecations = {}, error = (message) => {
		console.error(message);
	}, warn = (message, ...args) => {
		console.log(`WARN: ${message}`, ...args);
	}, deprecated = (version, message) => {
		seenDeprecations[`${version}/${message}`] || (console.log(`Deprecated as of ${version}. ${message}`), seenDeprecations[`${version}/${message}`] = !0);
	}, MultiClassError = Error();
	function remapScopeNames(mode, regexes, { key }) {
		let offset = 0, scopeNames = mode[key], emit = {}, positions = {};
		for (let i = 1; i <= regexes.length; i++) positions[i + offset] = scopeNames[i], emit[i + offset] = !0, offset += countMatchGroups(regexes[i - 1]);
		mode[key] = positions, mode[key]._emit = emit, mode[key]._multi = !0;
	}
	function beginMultiClass(mode) {
		if (Array.isArray(mode.begin)) {
			if (mode.skip || mode.excludeBegin || mode.returnBegin) throw error("skip, excludeBegin, returnBegin not compatible with beginScope: {}"), MultiClassError;
			if (typeof mode.beginScope != "object" || mode.beginScope === null) throw error("beginScope must be object"), MultiClassError;
			remapScopeNames(mode, mode.begin, { key: "beginScope" }), mode.begin = _rewriteBackreferences(mode.begin, { joinWith: "" });
		}
	}
	function endMultiClass(mode) {
		if (Array.isArray(mode.end)) {
			if (mode.skip || mode.excludeEnd || mode.returnEnd) throw error("skip, excludeEnd, returnEnd not compatible with endScope: {}"), MultiClassError;
			if (typeof mode.endScope != "object" || mode.endScope === null) throw error("endScope must be object"), MultiClassError;
			remapScopeNames(mode, mode.end, { key: "endScope" }), mode.end = _rewriteBackreferences(mode.end, { joinWith: "" });
		}
	}
	function scopeSugar(mode) {
		mode.scope && typeof mode.scope == "object" && mode.scope !== null && (mode.beginScope = mode.scope, delete mode.scope);
	}
	function MultiClass(mode) {
		scopeSugar(mode), typeof mode.beginScope == "string" && (mode.beginScope = { _wrap: mode.beginScope }), typeof mode.endScope == "string" && (mode.endScope = { _wrap: mode.endScope }), beginMultiClass(mode), endMultiClass(mode);
	}
	function compileLanguage(language) {
		function langRe(value, global) {
			return new RegExp(source(value), "m" + (language.case_insensitive ? "i" : "") + (language.unicodeRegex ? "u" : "") + (global ? "g" : ""));
		}
		class MultiRegex {
			constructor() {
				this.matchIndexes = {}, this.regexes = [], this.matchAt = 1, this.position = 0;
			}
			addRule(re, opts) {
				opts.position = this.position++, this.matchIndexes[this.matchAt] = opts, this.regexes.push([opts, re]), this.matchAt += countMatchGroups(re) + 1;
			}
			compile() {
				this.regexes.length === 0 && (this.exec = () => null);
				let terminators = this.regexes.map((el) => el[1]);
				this.matcherRe = langRe(_rewriteBackreferences(terminators, { joinWith: "|" }), !0), this.lastIndex = 0;
			}
			exec(s) {
				this.matcherRe.lastIndex = this.lastIndex;
				let match = this.matcherRe.exec(s);
				if (!match) return null;
				let i = match.findIndex((el, i) => i > 0 && el !== void 0), matchData = this.matchIndexes[i];
				return match.splice(0, i), Object.assign(match, matchData);
			}
		}
		class ResumableMultiRegex {
			constructor() {
				this.rules = [], this.multiRegexes = [], this.count = 0, this.lastIndex = 0, this.regexIndex = 0;
			}
			getMatcher(index) {
				if (this.multiRegexes[index]) return this.multiRegexes[index];
				let matcher = new MultiRegex();
				return this.rules.slice(index).forEach(([re, opts]) => matcher.addRule(re, opts)), matcher.compile(), this.multiRegexes[index] = matcher, matcher;
			}
			resumingScanAtSamePosition() {
				return this.regexIndex !== 0;
			}
			considerAll() {
				this.regexIndex = 0;
			}
			addRule(re, opts) {
				this.rules.push([re, opts]), opts.type === "begin" && this.count++;
			}
			exec(s) {
				let m = this.getMatcher(this.regexIndex);
				m.lastIndex = this.lastIndex;
				let result = m.exec(s);
				if (this.resumingScanAtSamePosition() && !(result && result.index === this.lastIndex)) {
					let m2 = this.getMatcher(0);
					m2.lastIndex = this.lastIndex + 1, result = m2.exec(s);
				}
				return result && (this.regexIndex += result.position + 1, this.regexIndex === this.count && this.considerAll()), result;
			}
		}
		function buildModeRegex(mode) {
			let mm = new ResumableMultiRegex();
			return mode.contains.forEach((term) => mm.addRule(term.begin, {
				rule: term,
				type: "begin"
			})), mode.terminatorEnd && mm.addRule(mode.terminatorEnd, { type: "end" }), mode.illegal && mm.addRule(mode.illegal, { type: "illegal" }), mm;
		}
		function compileMode(mode, parent) {
			let cmode = mode;
			if (mode.isCompiled) return cmode;
			[
				scopeClassName,
				compileMatch,
				MultiClass,
				beforeMatchExt
			].forEach((ext) => ext(mode, parent)), language.compilerExtensions.forEach((ext) => ext(mode, parent)), mode.__beforeBegin = null, [
				beginKeywords,
				compileIllegal,
				compileRelevance
			].forEach((ext) => ext(mode, parent)), mode.isCompiled = !0;
			let keywordPattern = null;
			return typeof mode.keywords == "object" && mode.keywords.$pattern && (mode.keywords = Object.assign({}, mode.keywords), keywordPattern = mode.keywords.$pattern, delete mode.keywords.$pattern), keywordPattern ||= /\w+/, mode.keywords &&= compileKeywords(mode.keywords, language.case_insensitive), cmode.keywordPatternRe = langRe(keywordPattern, !0), parent && (mode.begin ||= /\B|\b/, cmode.beginRe = langRe(cmode.begin), !mode.end && !mode.endsWithParent && (mode.end = /\B|\b/), mode.end && (cmode.endRe = langRe(cmode.end)), cmode.terminatorEnd = source(cmode.end) || "", mode.endsWithParent && parent.terminatorEnd && (cmode.terminatorEnd += (mode.end ? "|" : "") + parent.terminatorEnd)), mode.illegal && (cmode.illegalRe = langRe(mode.illegal)), mode.contains ||= [], mode.contains = [].concat(...mode.contains.map(function(c) {
				return expandOrCloneMode(c === "self" ? mode : c);
			})), mode.contains.forEach(function(c) {
				compileMode(c, cmode);
			}), mode.starts && compileMode(mode.starts, parent), cmode.matcher = buildModeRegex(cmode), cmode;
		}
		if (language.compilerExtensions ||= [], language.contains && language.contains.includes("self")) throw Error("ERR: contains `self` is not supported at the top-level of a language.  See documentation.");
		return language.classNameAliases = inherit$1(language.classNameAliases || {}), compileMode(language);
	}
	function dependencyOnParent(mode) {
		return mode ? mode.endsWithParent || dependencyOnParent(mode.starts) : !1;
	}
	function expandOrCloneMode(mode) {
		return mode.variants && !mode.cachedVariants && (mode.cachedVariants = mode.variants.map(function(variant) {
			return inherit$1(mode, { variants: null }, variant);
		})), mode.cachedVariants ? mode.cachedVariants : dependencyOnParent(mode) ? inherit$1(mode, { starts: mode.starts ? inherit$1(mode.starts) : null }) : Object.isFrozen(mode) ? inherit$1(mode) : mode;
	}
	var version = "11.12.0", HTMLInjectionError = class extends Error {
		constructor(reason, html) {
			super(reason), this.name = "HTMLInjectionError", this.html = html;
		}
	}, escape = escapeHTML, inherit = inherit$1, NO_MATCH = Symbol("nomatch"), MAX_KEYWORD_HITS = 7, HLJS = function(hljs) {
		let languages = Object.create(null), aliases = Object.create(null), plugins = [], SAFE_MODE = !0, LANGUAGE_NOT_FOUND = "Could not find the language '{}', did you forget to load/include a language module?", PLAINTEXT_LANGUAGE = {
			disableAutodetect: !0,
			name: "Plain text",
			contains: []
		}, options = {
			ignoreUnescapedHTML: !1,
			throwUnescapedHTML: !1,
			noHighlightRe: /^(no-?highlight)$/i,
			languageDetectRe: /\blang(?:uage)?-([\w-]+)\b/i,
			classPrefix: "hljs-",
			cssSelector: "pre code",
			languages: null,
			__emitter: TokenTreeEmitter
		};
		function shouldNotHighlight(languageName) {
			return options.noHighlightRe.test(languageName);
		}
		function blockLanguage(block) {
			let classes = block.className + " ";
			classes += block.parentNode ? block.parentNode.className : "";
			let match = options.languageDetectRe.exec(classes);
			if (match) {
				let language = getLanguage(match[1]);
				return language || (warn(LANGUAGE_NOT_FOUND.replace("{}", match[1])), warn("Falling back to no-highlight mode for this block.", block)), language ? match[1] : "no-highlight";
			}
			return classes.split(/\s+/).find((_class) => shouldNotHighlight(_class) || getLanguage(_class));
		}
		function highlight(codeOrLanguageName, optionsOrCode, ignoreIllegals) {
			let code = "", languageName = "";
			typeof optionsOrCode == "object" ? (code = codeOrLanguageName, ignoreIllegals = optionsOrCode.ignoreIllegals, languageName = optionsOrCode.language) : (deprecated("10.7.0", "highlight(lang, code, ...args) has been deprecated."), deprecated("10.7.0", "Please use highlight(code, options) instead.\nhttps://github.com/highlightjs/highlight.js/issues/2277"), languageName = codeOrLanguageName, code = optionsOrCode), ignoreIllegals === void 0 && (ignoreIllegals = !0);
			let context = {
				code,
				language: languageName
			};
			fire("before:highlight", context);
			let result = context.result ? context.result : _highlight(context.language, context.code, ignoreIllegals);
			return result.code = context.code, fire("after:highlight", result), result;
		}
		function _highlight(languageName, codeToHighlight, ignoreIllegals, continuation) {
			let keywordHits = Object.create(null);
			function keywordData(mode, matchText) {
				return mode.keywords[matchText];
			}
			function processKeywords() {
				if (!top.keywords) {
					emitter.addText(modeBuffer);
					return;
				}
				let lastIndex = 0;
				top.keywordPatternRe.lastIndex = 0;
				let match = top.keywordPatternRe.exec(modeBuffer), buf = "";
				for (; match;) {
					buf += modeBuffer.substring(lastIndex, match.index);
					let word = language.case_insensitive ? match[0].toLowerCase() : match[0], data = keywordData(top, word);
					if (data) {
						let [kind, keywordRelevance] = data;
						if (emitter.addText(buf), buf = "", keywordHits[word] = (keywordHits[word] || 0) + 1, keywordHits[word] <= MAX_KEYWORD_HITS && (relevance += keywordRelevance), kind.startsWith("_")) buf += match[0];
						else {
							let cssClass = language.classNameAliases[kind] || kind;
							emitKeyword(match[0], cssClass);
						}
					} else buf += match[0];
					lastIndex = top.keywordPatternRe.lastIndex, match = top.keywordPatternRe.exec(modeBuffer);
				}
				buf += modeBuffer.substring(lastIndex), emitter.addText(buf);
			}
			function processSubLanguage() {
				if (modeBuffer === "") return;
				let result = null;
				if (typeof top.subLanguage == "string") {
					if (!languages[top.subLanguage]) {
						emitter.addText(modeBuffer);
						return;
					}
					result = _highlight(top.subLanguage, modeBuffer, !0, continuations[top.subLanguage]), continuations[top.subLanguage] = result._top;
				} else result = highlightAuto(modeBuffer, top.subLanguage.length ? top.subLanguage : null);
				top.relevance > 0 && (relevance += result.relevance), emitter.__addSublanguage(result._emitter, result.language);
			}
			function processBuffer() {
				top.subLanguage == null ? processKeywords() : processSubLanguage(), modeBuffer = "";
			}
			function emitKeyword(keyword, scope) {
				keyword !== "" && (emitter.startScope(scope), emitter.addText(keyword), emitter.endScope());
			}
			function emitMultiClass(scope, match) {
				let i = 1, max = match.length - 1;
				for (; i <= max;) {
					if (!scope._emit[i]) {
						i++;
						continue;
					}
					let klass = language.classNameAliases[scope[i]] || scope[i], text = match[i];
					klass ? emitKeyword(text, klass) : (modeBuffer = text, processKeywords(), modeBuffer = ""), i++;
				}
			}
			function startNewMode(mode, match) {
				return mode.scope && typeof mode.scope == "string" && emitter.openNode(language.classNameAliases[mode.scope] || mode.scope), mode.beginScope && (mode.beginScope._wrap ? (emitKeyword(modeBuffer, language.classNameAliases[mode.beginScope._wrap] || mode.beginScope._wrap), modeBuffer = "") : mode.beginScope._multi && (emitMultiClass(mode.beginScope, match), modeBuffer = "")), top = Object.create(mode, { parent: { value: top } }), top;
			}
			function endOfMode(mode, match, matchPlusRemainder) {
				let matched = startsWith(mode.endRe, matchPlusRemainder);
				if (matched) {
					if (mode["on:end"]) {
						let resp = new Response(mode);
						mode["on:end"](match, resp), resp.isMatchIgnored && (matched = !1);
					}
					if (matched) {
						for (; mode.endsParent && mode.parent;) mode = mode.parent;
						return mode;
					}
				}
				if (mode.endsWithParent) return endOfMode(mode.parent, match, matchPlusRemainder);
			}
			function doIgnore(lexeme) {
				return top.matcher.regexIndex === 0 ? (modeBuffer += lexeme[0], 1) : (resumeScanAtSamePosition = !0, 0);
			}
			function doBeginMatch(match) {
				let lexeme = match[0], newMode = match.rule, resp = new Response(newMode), beforeCallbacks = [newMode.__beforeBegin, newMode["on:begin"]];
				for (let cb of beforeCallbacks) if (cb && (cb(match, resp), resp.isMatchIgnored)) return doIgnore(lexeme);
				return newMode.skip ? modeBuffer += lexeme : (newMode.excludeBegin && (modeBuffer += lexeme), processBuffer(), !newMode.returnBegin && !newMode.excludeBegin && (modeBuffer = lexeme)), startNewMode(newMode, match), newMode.returnBegin ? 0 : lexeme.length;
			}
			function doEndMatch(match) {
				let lexeme = match[0], matchPlusRemainder = codeToHighlight.substring(match.index), endMode = endOfMode(top, match, matchPlusRemainder);
				if (!endMode) return NO_MATCH;
				let origin = top;
				top.endScope && top.endScope._wrap ? (processBuffer(), emitKeyword(lexeme, top.endScope._wrap)) : top.endScope && top.endScope._multi ? (processBuffer(), emitMultiClass(top.endScope, match)) : origin.skip ? modeBuffer += lexeme : (origin.returnEnd || origin.excludeEnd || (modeBuffer += lexeme), processBuffer(), origin.excludeEnd && (modeBuffer = lexeme));
				do
					top.scope && emitter.closeNode(), !top.skip && !top.subLanguage && (relevance += top.relevance), top = top.parent;
				while (top !== endMode.parent);
				return endMode.starts && startNewMode(endMode.starts, match), origin.returnEnd ? 0 : lexeme.length;
			}
			function processContinuations() {
				let list = [];
				for (let current = top; current !== language; current = current.parent) current.scope && list.unshift(current.scope);
				list.forEach((item) => emitter.openNode(item));
			}
			let lastMatch = {};
			function processLexeme(textBeforeMatch, match) {
				let lexeme = match && match[0];
				if (modeBuffer += textBeforeMatch, lexeme == null) return processBuffer(), 0;
				if (lastMatch.type === "begin" && match.type === "end" && lastMatch.index === match.index && lexeme === "") {
					if (modeBuffer += codeToHighlight.slice(match.index, match.index + 1), !SAFE_MODE) {
						let err = Error(`0 width match regex (${languageName})`);
						throw err.languageName = languageName, err.badRule = lastMatch.rule, err;
					}
					return 1;
				}
				if (lastMatch = match, match.type === "begin") return doBeginMatch(match);
				if (match.type === "illegal" && !ignoreIllegals) {
					let err = Error("Illegal lexeme \"" + lexeme + "\" for mode \"" + (top.scope || "<unnamed>") + "\"");
					throw err.mode = top, err;
				}
				if (match.type === "end") {
					let processed = doEndMatch(match);
					if (processed !== NO_MATCH) return processed;
				}
				if (match.type === "illegal" && lexeme === "") return match.index === codeToHighlight.length || (modeBuffer += "\n"), 1;
				if (iterations > 1e5 && iterations > match.index * 3) throw Error("potential infinite loop, way more iterations than matches");
				return modeBuffer += lexeme, lexeme.length;
			}
			let language = getLanguage(languageName);
			if (!language) throw error(LANGUAGE_NOT_FOUND.replace("{}", languageName)), Error("Unknown language: \"" + languageName + "\"");
			let md = compileLanguage(language), result = "", top = continuation || md, continuations = {}, emitter = new options.__emitter(options);
			processContinuations();
			let modeBuffer = "", relevance = 0, index = 0, iterations = 0, resumeScanAtSamePosition = !1;
			try {
				if (language.__emitTokens) language.__emitTokens(codeToHighlight, emitter);
				else {
					for (top.matcher.considerAll();;) {
						iterations++, resumeScanAtSamePosition ? resumeScanAtSamePosition = !1 : top.matcher.considerAll(), top.matcher.lastIndex = index;
						let match = top.matcher.exec(codeToHighlight);
						if (!match) break;
						let processedCount = processLexeme(codeToHighlight.substring(index, match.index), match);
						index = match.index + processedCount;
					}
					processLexeme(codeToHighlight.substring(index));
				}
				return emitter.finalize(), result = emitter.toHTML(), {
					language: languageName,
					value: result,
					relevance,
					illegal: !1,
					_emitter: emitter,
					_top: top
				};
			} catch (err) {
				if (err.message && err.message.includes("Illegal")) return {
					language: languageName,
					value: escape(codeToHighlight),
					illegal: !0,
					relevance: 0,
					_illegalBy: {
						message: err.message,
						index,
						context: codeToHighlight.slice(index - 100, index + 100),
						mode: err.mode,
						resultSoFar: result
					},
					_emitter: emitter
				};
				if (SAFE_MODE) return {
					language: languageName,
					value: escape(codeToHighlight),
					illegal: !1,
					relevance: 0,
					errorRaised: err,
					_emitter: emitter,
					_top: top
				};
				throw err;
			}
		}
		function justTextHighlightResult(code) {
			let result = {
				value: escape(code),
				illegal: !1,
				relevance: 0,
				_top: PLAINTEXT_LANGUAGE,
				_emitter: new options.__emitter(options)
			};
			return result._emitter.addText(code), result;
		}
		function highlightAuto(code, languageSubset) {
			languageSubset = languageSubset || options.languages || Object.keys(languages);
			let plaintext = justTextHighlightResult(code), results = languageSubset.filter(getLanguage).filter(autoDetection).map((name) => _highlight(name, code, !1));
			results.unshift(plaintext);
			let [best, secondBest] = results.sort((a, b) => {
				if (a.relevance !== b.relevance) return b.relevance - a.relevance;
				if (a.language && b.language) {
					if (getLanguage(a.language).supersetOf === b.language) return 1;
					if (getLanguage(b.language).supersetOf === a.language) return -1;
				}
				return 0;
			}), result = best;
			return result.secondBest = secondBest, result;
		}
		function updateClassName(element, currentLang, resultLang) {
			let language = currentLang && aliases[currentLang] || resultLang;
			element.classList.add("hljs"), element.classList.add(`language-${language}`);
		}
		function highlightElement(element) {
			let node = null, language = blockLanguage(element);
			if (shouldNotHighlight(language)) return;
			if (fire("before:highlightElement", {
				el: element,
				language
			}), element.dataset.highlighted) {
				console.log("Element previously highlighted. To highlight again, first unset `dataset.highlighted`.", element);
				return;
			}
			if (element.children.length > 0 && (options.ignoreUnescapedHTML || (console.warn("One of your code blocks includes unescaped HTML. This is a potentially serious security risk."), console.warn("https://github.com/highlightjs/highlight.js/wiki/security"), console.warn("The element with unescaped HTML:"), console.warn(element)), options.throwUnescapedHTML)) throw new HTMLInjectionError("One of your code blocks includes unescaped HTML.", element.innerHTML);
			node = element;
			let text = node.textContent, result = language ? highlight(text, {
				language,
				ignoreIllegals: !0
			}) : highlightAuto(text);
			element.innerHTML = result.value, element.dataset.highlighted = "yes", updateClassName(element, language, result.language), element.result = {
				language: result.language,
				re: result.relevance,
				relevance: result.relevance
			}, result.secondBest && (element.secondBest = {
				language: result.secondBest.language,
				relevance: result.secondBest.relevance
			}), fire("after:highlightElement", {
				el: element,
				result,
				text
			});
		}
		function configure(userOptions) {
			options = inherit(options, userOptions);
		}
		let initHighlighting = () => {
			highlightAll(), deprecated("10.6.0", "initHighlighting() deprecated.  Use highlightAll() now.");
		};
		function initHighlightingOnLoad() {
			highlightAll(), deprecated("10.6.0", "initHighlightingOnLoad() deprecated.  Use highlightAll() now.");
		}
		let wantsHighlight = !1;
		function highlightAll() {
			function boot() {
				highlightAll();
			}
			document.readyState === "loading" ? (wantsHighlight || window.addEventListener("DOMContentLoaded", boot, !1), wantsHighlight = !0) : document.querySelectorAll(options.cssSelector).forEach(highlightElement);
		}
		function registerLanguage(languageName, languageDefinition) {
			let lang = null;
			try {
				lang = languageDefinition(hljs);
			} catch (error$1) {
				if (error("Language definition for '{}' could not be registered.".replace("{}", languageName)), SAFE_MODE) error(error$1);
				else throw error$1;
				lang = PLAINTEXT_LANGUAGE;
			}
			lang.name || (lang.name = languageName), languages[languageName] = lang, lang.rawDefinition = languageDefinition.bind(null, hljs), lang.aliases && registerAliases(lang.aliases, { languageName });
		}
		function unregisterLanguage(languageName) {
			delete languages[languageName];
			for (let alias of Object.keys(aliases)) aliases[alias] === languageName && delete aliases[alias];
		}
		function listLanguages() {
			return Object.keys(languages);
		}
		function getLanguage(name) {
			return name = (name || "").toLowerCase(), languages[name] || languages[aliases[name]];
		}
		function registerAliases(aliasList, { languageName }) {
			typeof aliasList == "string" && (aliasList = [aliasList]), aliasList.forEach((alias) => {
				aliases[alias.toLowerCase()] = languageName;
			});
		}
		function autoDetection(name) {
			let lang = getLanguage(name);
			return lang && !lang.disableAutodetect;
		}
		function upgradePluginAPI(plugin) {
			plugin["before:highlightBlock"] && !plugin["before:highlightElement"] && (plugin["before:highlightElement"] = (data) => {
				plugin["before:highlightBlock"](Object.assign({ block: data.el }, data));
			}), plugin["after:highlightBlock"] && !plugin["after:highlightElement"] && (plugin["after:highlightElement"] = (data) => {
				plugin["after:highlightBlock"](Object.assign({ block: data.el }, data));
			});
		}
		function addPlugin(plugin) {
			upgradePluginAPI(plugin), plugins.push(plugin);
		}
		function removePlugin(plugin) {
			let index = plugins.indexOf(plugin);
			index !== -1 && plugins.splice(index, 1);
		}
		function fire(event, args) {
			let cb = event;
			plugins.forEach(function(plugin) {
				plugin[cb] && plugin[cb](args);
			});
		}
		function deprecateHighlightBlock(el) {
			return deprecated("10.7.0", "highlightBlock will be removed entirely in v12.0"), deprecated("10.7.0", "Please use highlightElement now."), highlightElement(el);
		}
		Object.assign(hljs, {
			highlight,
			highlightAuto,
			highlightAll,
			highlightElement,
			highlightBlock: deprecateHighlightBlock,
			configure,
			initHighlighting,
			initHighlightingOnLoad,
			registerLanguage,
			unregisterLanguage,
			listLanguages,
			getLanguage,
			registerAliases,
			autoDetection,
			inherit,
			addPlugin,
			removePlugin
		}), hljs.debugMode = function() {
			SAFE_MODE = !1;
		}, hljs.safeMode = function() {
			SAFE_MODE = !0;
		}, hljs.versionString = version, hljs.regex = {
			concat,
			lookahead,
			either,
			optional,
			anyNumberOfTimes
		};
		for (let key in MODES) typeof MODES[key] == "object" && deepFreeze(MODES[key]);
		return Object.assign(hljs, MODES), hljs;
	}, highlight = HLJS({});
	highlight.newInstance = () => HLJS({}), module.exports = highlight, highlight.HighlightJS = highlight, highlight.default = highlight;
}))()).default;
export { core_default as default };
