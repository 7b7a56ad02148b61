// node_modules/temml/dist/temml.mjs
var ParseError = class ParseError {
	constructor(message, token) {
		let error = " " + message, start, loc = token && token.loc;
		if (loc && loc.start <= loc.end) {
			let input = loc.lexer.input;
			start = loc.start;
			let end = loc.end;
			start === input.length ? error += " at end of input: " : error += " at position " + (start + 1) + ": \n";
			let underlined = input.slice(start, end).replace(/[^]/g, "$&̲"), left;
			left = start > 15 ? "…" + input.slice(start - 15, start) : input.slice(0, start);
			let right;
			right = end + 15 < input.length ? input.slice(end, end + 15) + "…" : input.slice(end), error += left + underlined + right;
		}
		let self = Error(error);
		return self.name = "ParseError", self.__proto__ = ParseError.prototype, self.position = start, self;
	}
};
ParseError.prototype.__proto__ = Error.prototype;
var deflt = function(options, key, defaultIfUndefined) {
	if (!Object.prototype.hasOwnProperty.call(options, key)) return defaultIfUndefined;
	let setting = options[key];
	return setting === void 0 ? defaultIfUndefined : setting;
}, uppercase = /([A-Z])/g, hyphenate = function(str) {
	return str.replace(uppercase, "-$1").toLowerCase();
}, ESCAPE_LOOKUP = {
	"&": "&amp;",
	">": "&gt;",
	"<": "&lt;",
	"\"": "&quot;",
	"'": "&#x27;"
}, ESCAPE_REGEX = /[&><"']/g;
function escape(text) {
	return String(text).replace(ESCAPE_REGEX, (match) => ESCAPE_LOOKUP[match]);
}
var getBaseElem = function(group) {
	return group.type === "ordgroup" || group.type === "color" ? group.body.length === 1 ? getBaseElem(group.body[0]) : group : group.type === "font" ? getBaseElem(group.body) : group;
}, isCharacterBox = function(group) {
	let baseElem = getBaseElem(group);
	return baseElem.type === "mathord" || baseElem.type === "textord" || baseElem.type === "atom";
}, assert = function(value) {
	if (!value) throw Error("Expected non-null, but got " + String(value));
	return value;
}, protocolFromUrl = function(url) {
	let protocol = /^[\x00-\x20]*([^\\/#?]*?)(:|&#0*58|&#x0*3a|&colon)/i.exec(url);
	return protocol ? protocol[2] !== ":" || !/^[a-zA-Z][a-zA-Z0-9+\-.]*$/.test(protocol[1]) ? null : protocol[1].toLowerCase() : "_relative";
}, round = function(n) {
	return +n.toFixed(4);
}, smalls = "acegıȷmnopqrsuvwxyzαγεηικμνοπρςστυχωϕ𝐚𝐜𝐞𝐠𝐦𝐧𝐨𝐩𝐪𝐫𝐬𝐮𝐯𝐰𝐱𝐲𝐳", FORBIDDEN_MACRO_KEYS = [
	"__proto__",
	"prototype",
	"constructor"
], sanitizeMacros = (macros) => {
	if (typeof macros != "object" || !macros) return Object.create(null);
	for (let key of FORBIDDEN_MACRO_KEYS) Object.prototype.hasOwnProperty.call(macros, key) && delete macros[key];
	return Object.setPrototypeOf(macros, null);
}, Settings = class {
	constructor(options) {
		options ||= {}, this.displayMode = deflt(options, "displayMode", !1), this.annotate = deflt(options, "annotate", !1), this.leqno = deflt(options, "leqno", !1), this.throwOnError = deflt(options, "throwOnError", !1), this.errorColor = deflt(options, "errorColor", "#b22222"), this.macros = sanitizeMacros(Object.prototype.hasOwnProperty.call(options, "macros") ? options.macros : void 0), this.wrap = deflt(options, "wrap", "none"), this.xml = deflt(options, "xml", !1), this.colorIsTextColor = deflt(options, "colorIsTextColor", !1), this.strict = deflt(options, "strict", !1), this.trust = deflt(options, "trust", !1);
		let maxSize = Object.prototype.hasOwnProperty.call(options, "maxSize") ? options.maxSize : void 0;
		this.maxSize = maxSize === void 0 ? [Infinity, Infinity] : Array.isArray(maxSize) ? maxSize : [Infinity, Infinity], this.maxExpand = Math.max(0, deflt(options, "maxExpand", 1e3)), this.wrapDelimiterPairs = !0;
	}
	isTrusted(context) {
		if (context.url && !context.protocol) {
			let protocol = protocolFromUrl(context.url);
			if (protocol == null) return !1;
			context.protocol = protocol;
		}
		return !!(typeof this.trust == "function" ? this.trust(context) : this.trust);
	}
}, _functions = {}, _mathmlGroupBuilders = {};
function defineFunction({ type, names, props, handler, mathmlBuilder }) {
	let data = {
		type,
		numArgs: props.numArgs,
		argTypes: props.argTypes,
		allowedInArgument: !!props.allowedInArgument,
		allowedInText: !!props.allowedInText,
		allowedInMath: props.allowedInMath === void 0 || props.allowedInMath,
		numOptionalArgs: props.numOptionalArgs || 0,
		infix: !!props.infix,
		primitive: !!props.primitive,
		handler
	};
	for (let i = 0; i < names.length; ++i) _functions[names[i]] = data;
	type && mathmlBuilder && (_mathmlGroupBuilders[type] = mathmlBuilder);
}
function defineFunctionBuilders({ type, mathmlBuilder }) {
	defineFunction({
		type,
		names: [],
		props: { numArgs: 0 },
		handler() {
			throw Error("Should never be called.");
		},
		mathmlBuilder
	});
}
var normalizeArgument = function(arg) {
	return arg.type === "ordgroup" && arg.body.length === 1 ? arg.body[0] : arg;
}, ordargument = function(arg) {
	return arg.type === "ordgroup" ? arg.body : [arg];
}, DocumentFragment = class {
	constructor(children) {
		this.children = children, this.classes = [], this.style = {};
	}
	hasClass(className) {
		return this.classes.includes(className);
	}
	toNode() {
		let frag = document.createDocumentFragment();
		for (let i = 0; i < this.children.length; i++) frag.appendChild(this.children[i].toNode());
		return frag;
	}
	toMarkup() {
		let markup = "";
		for (let i = 0; i < this.children.length; i++) markup += this.children[i].toMarkup();
		return markup;
	}
	toText() {
		return this.children.map((child) => child.toText()).join("");
	}
}, createClass = function(classes) {
	return classes.filter((cls) => cls).join(" ");
}, initNode = function(classes, style) {
	this.classes = classes || [], this.attributes = {}, this.style = style || {};
}, toNode = function(tagName) {
	let node = document.createElement(tagName);
	node.className = createClass(this.classes);
	for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (node.style[style] = this.style[style]);
	for (let attr in this.attributes) Object.prototype.hasOwnProperty.call(this.attributes, attr) && node.setAttribute(attr, this.attributes[attr]);
	for (let i = 0; i < this.children.length; i++) node.appendChild(this.children[i].toNode());
	return node;
}, toMarkup = function(tagName) {
	let markup = `<${tagName}`;
	this.classes.length && (markup += ` class="${escape(createClass(this.classes))}"`);
	let styles = "";
	for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (styles += `${hyphenate(style)}:${this.style[style]};`);
	styles && (markup += ` style="${styles}"`);
	for (let attr in this.attributes) Object.prototype.hasOwnProperty.call(this.attributes, attr) && (markup += ` ${attr}="${escape(this.attributes[attr])}"`);
	markup += ">";
	for (let i = 0; i < this.children.length; i++) markup += this.children[i].toMarkup();
	return markup += `</${tagName}>`, markup;
}, Span = class {
	constructor(classes, children, style) {
		initNode.call(this, classes, style), this.children = children || [];
	}
	setAttribute(attribute, value) {
		this.attributes[attribute] = value;
	}
	toNode() {
		return toNode.call(this, "span");
	}
	toMarkup() {
		return toMarkup.call(this, "span");
	}
}, TextNode$1 = class {
	constructor(text) {
		this.text = text;
	}
	toNode() {
		return document.createTextNode(this.text);
	}
	toMarkup() {
		return escape(this.text);
	}
}, AnchorNode = class {
	constructor(href, classes, children) {
		this.href = href, this.classes = classes, this.children = children || [];
	}
	toNode() {
		let node = document.createElement("a");
		node.setAttribute("href", this.href), this.classes.length > 0 && (node.className = createClass(this.classes));
		for (let i = 0; i < this.children.length; i++) node.appendChild(this.children[i].toNode());
		return node;
	}
	toMarkup() {
		let markup = `<a href='${escape(this.href)}'`;
		this.classes.length > 0 && (markup += ` class="${escape(createClass(this.classes))}"`), markup += ">";
		for (let i = 0; i < this.children.length; i++) markup += this.children[i].toMarkup();
		return markup += "</a>", markup;
	}
}, Img = class {
	constructor(src, alt, style) {
		this.alt = alt, this.src = src, this.classes = ["mord"], this.style = style;
	}
	hasClass(className) {
		return this.classes.includes(className);
	}
	toNode() {
		let node = document.createElement("img");
		node.src = this.src, node.alt = this.alt, node.className = "mord";
		for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (node.style[style] = this.style[style]);
		return node;
	}
	toMarkup() {
		let markup = `<img src='${this.src}' alt='${this.alt}'`, styles = "";
		for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (styles += `${hyphenate(style)}:${this.style[style]};`);
		return styles && (markup += ` style="${escape(styles)}"`), markup += ">", markup;
	}
};
function newDocumentFragment(children) {
	return new DocumentFragment(children);
}
var MathNode = class {
	constructor(type, children, classes, style) {
		this.type = type, this.attributes = {}, this.children = children || [], this.classes = classes || [], this.style = style || {}, this.label = "";
	}
	setAttribute(name, value) {
		this.attributes[name] = value;
	}
	getAttribute(name) {
		return this.attributes[name];
	}
	setLabel(value) {
		this.label = value;
	}
	toNode() {
		let node = document.createElementNS("http://www.w3.org/1998/Math/MathML", this.type);
		for (let attr in this.attributes) Object.prototype.hasOwnProperty.call(this.attributes, attr) && node.setAttribute(attr, this.attributes[attr]);
		this.classes.length > 0 && (node.className = createClass(this.classes));
		for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (node.style[style] = this.style[style]);
		for (let i = 0; i < this.children.length; i++) node.appendChild(this.children[i].toNode());
		return node;
	}
	toMarkup() {
		let markup = "<" + this.type;
		for (let attr in this.attributes) Object.prototype.hasOwnProperty.call(this.attributes, attr) && (markup += " " + attr + "=\"", markup += escape(this.attributes[attr]), markup += "\"");
		this.classes.length > 0 && (markup += ` class="${escape(createClass(this.classes))}"`);
		let styles = "";
		for (let style in this.style) Object.prototype.hasOwnProperty.call(this.style, style) && (styles += `${hyphenate(style)}:${this.style[style]};`);
		styles && (markup += ` style="${styles}"`), markup += ">";
		for (let i = 0; i < this.children.length; i++) markup += this.children[i].toMarkup();
		return markup += "</" + this.type + ">", markup;
	}
	toText() {
		return this.children.map((child) => child.toText()).join("");
	}
}, TextNode = class {
	constructor(text) {
		this.text = text;
	}
	toNode() {
		return document.createTextNode(this.text);
	}
	toMarkup() {
		return escape(this.toText());
	}
	toText() {
		return this.text;
	}
}, wrapWithMstyle = (expression) => {
	let node;
	return expression.length === 1 && expression[0].type === "mrow" ? (node = expression.pop(), node.type = "mstyle") : node = new MathNode("mstyle", expression), node;
}, estimatedWidth = (node) => {
	let width = 0;
	if (node.body && Array.isArray(node.body)) for (let item of node.body) width += estimatedWidth(item);
	else if (node.body) width += estimatedWidth(node.body);
	else if (node.type === "supsub") width += estimatedWidth(node.base), node.sub && (width += .7 * estimatedWidth(node.sub)), node.sup && (width += .7 * estimatedWidth(node.sup));
	else if (node.type === "mathord" || node.type === "textord") for (let ch of node.text.split("")) {
		let codePoint = ch.codePointAt(0);
		width += 96 < codePoint && codePoint < 123 || 944 < codePoint && codePoint < 970 ? .56 : 47 < codePoint && codePoint < 58 ? .5 : .92;
	}
	else width += 1;
	return width;
}, stretchyCodePoint = {
	widehat: "ˆ",
	widecheck: "ˇ",
	widetilde: "~",
	wideparen: "⏜",
	utilde: "~",
	overleftarrow: "←",
	underleftarrow: "←",
	xleftarrow: "←",
	overrightarrow: "→",
	underrightarrow: "→",
	xrightarrow: "→",
	underbrace: "⏟",
	overbrace: "⏞",
	overbracket: "⎴",
	underbracket: "⎵",
	overgroup: "⏠",
	overparen: "⏜",
	undergroup: "⏡",
	underparen: "⏝",
	overleftrightarrow: "↔",
	underleftrightarrow: "↔",
	xleftrightarrow: "↔",
	Overrightarrow: "⇒",
	xRightarrow: "⇒",
	overleftharpoon: "↼",
	xleftharpoonup: "↼",
	overrightharpoon: "⇀",
	xrightharpoonup: "⇀",
	xLeftarrow: "⇐",
	xLeftrightarrow: "⇔",
	xhookleftarrow: "↩",
	xhookrightarrow: "↪",
	xmapsto: "↦",
	xrightharpoondown: "⇁",
	xleftharpoondown: "↽",
	xtwoheadleftarrow: "↞",
	xtwoheadrightarrow: "↠",
	xlongequal: "=",
	xrightleftarrows: "⇄",
	xtofrom: "⇄",
	xleftrightharpoons: "⇋",
	xrightleftharpoons: "⇌",
	yields: "→",
	yieldsLeft: "←",
	mesomerism: "↔",
	longrightharpoonup: "⇀",
	longleftharpoondown: "↽",
	eqrightharpoonup: "⇀",
	eqleftharpoondown: "↽",
	"\\cdrightarrow": "→",
	"\\cdleftarrow": "←",
	"\\cdlongequal": "=",
	yieldsLeftRight: "⇄",
	chemequilibrium: "⇌"
}, mathMLnode = function(label) {
	let node = new MathNode("mo", [new TextNode(stretchyCodePoint[label.slice(1)])]);
	return node.setAttribute("stretchy", "true"), node;
}, wideHats = ["\\widehat", "\\widecheck"], accentNode = (group) => {
	let mo = mathMLnode(group.label);
	if (group.label.indexOf("tilde") > -1) {
		let width = estimatedWidth(group.base);
		1 < width && width < 1.6 ? mo.classes.push("tml-tilde-2") : 1.6 <= width && width < 2.5 ? mo.classes.push("tml-tilde-3") : 2.5 <= width && mo.classes.push("tml-tilde-4");
	} else if (wideHats.includes(group.label)) {
		let width = estimatedWidth(group.base);
		0 < width && width <= 1 ? mo.classes.push("tml-hat-1") : 1 < width && width < 1.6 ? mo.classes.push("tml-hat-2") : 1.6 <= width && width < 2.5 ? mo.classes.push("tml-hat-3") : 2.5 <= width && mo.classes.push("tml-hat-4");
	}
	return mo;
}, ATOMS = {
	bin: 1,
	close: 1,
	inner: 1,
	open: 1,
	punct: 1,
	rel: 1
}, NON_ATOMS = {
	"accent-token": 1,
	mathord: 1,
	"op-token": 1,
	spacing: 1,
	textord: 1
}, symbols = Object.create(null);
symbols.math = Object.create(null), symbols.text = Object.create(null);
function defineSymbol(mode, group, replace, name, acceptUnicodeChar) {
	if (mode !== "math" && mode !== "text") throw TypeError(`Invalid mode: ${mode} called in defineSymbol`);
	let entry = {
		group,
		replace
	};
	symbols[mode][name] = entry, acceptUnicodeChar && replace && (symbols[mode][replace] = entry);
}
var math = "math", text = "text", accent = "accent-token", bin = "bin", close = "close", inner = "inner", mathord = "mathord", op = "op-token", open = "open", punct = "punct", rel = "rel", spacing = "spacing", textord = "textord";
defineSymbol(math, rel, "≡", "\\equiv", !0), defineSymbol(math, rel, "≺", "\\prec", !0), defineSymbol(math, rel, "≻", "\\succ", !0), defineSymbol(math, rel, "∼", "\\sim", !0), defineSymbol(math, rel, "⟂", "\\perp", !0), defineSymbol(math, rel, "⪯", "\\preceq", !0), defineSymbol(math, rel, "⪰", "\\succeq", !0), defineSymbol(math, rel, "≃", "\\simeq", !0), defineSymbol(math, rel, "≌", "\\backcong", !0), defineSymbol(math, rel, "|", "\\mid", !0), defineSymbol(math, rel, "≪", "\\ll", !0), defineSymbol(math, rel, "≫", "\\gg", !0), defineSymbol(math, rel, "≍", "\\asymp", !0), defineSymbol(math, rel, "∥", "\\parallel"), defineSymbol(math, rel, "⌣", "\\smile", !0), defineSymbol(math, rel, "⊑", "\\sqsubseteq", !0), defineSymbol(math, rel, "⊒", "\\sqsupseteq", !0), defineSymbol(math, rel, "≐", "\\doteq", !0), defineSymbol(math, rel, "⌢", "\\frown", !0), defineSymbol(math, rel, "∋", "\\ni", !0), defineSymbol(math, rel, "∌", "\\notni", !0), defineSymbol(math, rel, "∝", "\\propto", !0), defineSymbol(math, rel, "⊢", "\\vdash", !0), defineSymbol(math, rel, "⊣", "\\dashv", !0), defineSymbol(math, rel, "∋", "\\owns"), defineSymbol(math, rel, "≘", "\\arceq", !0), defineSymbol(math, rel, "≙", "\\wedgeq", !0), defineSymbol(math, rel, "≚", "\\veeeq", !0), defineSymbol(math, rel, "≛", "\\stareq", !0), defineSymbol(math, rel, "≝", "\\eqdef", !0), defineSymbol(math, rel, "≞", "\\measeq", !0), defineSymbol(math, rel, "≟", "\\questeq", !0), defineSymbol(math, rel, "≠", "\\ne", !0), defineSymbol(math, rel, "≠", "\\neq"), defineSymbol(math, rel, "⩵", "\\eqeq", !0), defineSymbol(math, rel, "⩶", "\\eqeqeq", !0), defineSymbol(math, rel, "∷", "\\dblcolon", !0), defineSymbol(math, rel, "≔", "\\coloneqq", !0), defineSymbol(math, rel, "≕", "\\eqqcolon", !0), defineSymbol(math, rel, "∹", "\\eqcolon", !0), defineSymbol(math, rel, "⩴", "\\Coloneqq", !0), defineSymbol(math, punct, ".", "\\ldotp"), defineSymbol(math, punct, "·", "\\cdotp"), defineSymbol(math, textord, "#", "\\#"), defineSymbol(text, textord, "#", "\\#"), defineSymbol(math, textord, "&", "\\&"), defineSymbol(text, textord, "&", "\\&"), defineSymbol(math, textord, "ℵ", "\\aleph", !0), defineSymbol(math, textord, "∀", "\\forall", !0), defineSymbol(math, textord, "ℏ", "\\hbar", !0), defineSymbol(math, textord, "∃", "\\exists", !0), defineSymbol(math, open, "∇", "\\nabla", !0), defineSymbol(math, textord, "♭", "\\flat", !0), defineSymbol(math, textord, "ℓ", "\\ell", !0), defineSymbol(math, textord, "♮", "\\natural", !0), defineSymbol(math, textord, "Å", "\\Angstrom", !0), defineSymbol(text, textord, "Å", "\\Angstrom", !0), defineSymbol(math, textord, "♣", "\\clubsuit", !0), defineSymbol(math, textord, "♧", "\\varclubsuit", !0), defineSymbol(math, textord, "℘", "\\wp", !0), defineSymbol(math, textord, "♯", "\\sharp", !0), defineSymbol(math, textord, "♢", "\\diamondsuit", !0), defineSymbol(math, textord, "♦", "\\vardiamondsuit", !0), defineSymbol(math, textord, "ℜ", "\\Re", !0), defineSymbol(math, textord, "♡", "\\heartsuit", !0), defineSymbol(math, textord, "♥", "\\varheartsuit", !0), defineSymbol(math, textord, "ℑ", "\\Im", !0), defineSymbol(math, textord, "♠", "\\spadesuit", !0), defineSymbol(math, textord, "♤", "\\varspadesuit", !0), defineSymbol(math, textord, "♀", "\\female", !0), defineSymbol(math, textord, "♂", "\\male", !0), defineSymbol(math, textord, "§", "\\S", !0), defineSymbol(text, textord, "§", "\\S"), defineSymbol(math, textord, "¶", "\\P", !0), defineSymbol(text, textord, "¶", "\\P"), defineSymbol(text, textord, "☺", "\\smiley", !0), defineSymbol(math, textord, "☺", "\\smiley", !0), defineSymbol(math, textord, "†", "\\dag"), defineSymbol(text, textord, "†", "\\dag"), defineSymbol(text, textord, "†", "\\textdagger"), defineSymbol(math, textord, "‡", "\\ddag"), defineSymbol(text, textord, "‡", "\\ddag"), defineSymbol(text, textord, "‡", "\\textdaggerdbl"), defineSymbol(math, close, "⎱", "\\rmoustache", !0), defineSymbol(math, open, "⎰", "\\lmoustache", !0), defineSymbol(math, close, "⟯", "\\rgroup", !0), defineSymbol(math, open, "⟮", "\\lgroup", !0), defineSymbol(math, bin, "∓", "\\mp", !0), defineSymbol(math, bin, "⊖", "\\ominus", !0), defineSymbol(math, bin, "⊎", "\\uplus", !0), defineSymbol(math, bin, "⊓", "\\sqcap", !0), defineSymbol(math, bin, "∗", "\\ast"), defineSymbol(math, bin, "⊔", "\\sqcup", !0), defineSymbol(math, bin, "◯", "\\bigcirc", !0), defineSymbol(math, bin, "∙", "\\bullet", !0), defineSymbol(math, bin, "‡", "\\ddagger"), defineSymbol(math, bin, "≀", "\\wr", !0), defineSymbol(math, bin, "⨿", "\\amalg"), defineSymbol(math, bin, "&", "\\And"), defineSymbol(math, bin, "⫽", "\\sslash", !0), defineSymbol(math, rel, "⟵", "\\longleftarrow", !0), defineSymbol(math, rel, "⇐", "\\Leftarrow", !0), defineSymbol(math, rel, "⟸", "\\Longleftarrow", !0), defineSymbol(math, rel, "⟶", "\\longrightarrow", !0), defineSymbol(math, rel, "⇒", "\\Rightarrow", !0), defineSymbol(math, rel, "⟹", "\\Longrightarrow", !0), defineSymbol(math, rel, "↔", "\\leftrightarrow", !0), defineSymbol(math, rel, "⟷", "\\longleftrightarrow", !0), defineSymbol(math, rel, "⇔", "\\Leftrightarrow", !0), defineSymbol(math, rel, "⟺", "\\Longleftrightarrow", !0), defineSymbol(math, rel, "↤", "\\mapsfrom", !0), defineSymbol(math, rel, "↦", "\\mapsto", !0), defineSymbol(math, rel, "⟼", "\\longmapsto", !0), defineSymbol(math, rel, "↗", "\\nearrow", !0), defineSymbol(math, rel, "↩", "\\hookleftarrow", !0), defineSymbol(math, rel, "↪", "\\hookrightarrow", !0), defineSymbol(math, rel, "↘", "\\searrow", !0), defineSymbol(math, rel, "↼", "\\leftharpoonup", !0), defineSymbol(math, rel, "⇀", "\\rightharpoonup", !0), defineSymbol(math, rel, "↙", "\\swarrow", !0), defineSymbol(math, rel, "↽", "\\leftharpoondown", !0), defineSymbol(math, rel, "⇁", "\\rightharpoondown", !0), defineSymbol(math, rel, "↖", "\\nwarrow", !0), defineSymbol(math, rel, "⇌", "\\rightleftharpoons", !0), defineSymbol(math, mathord, "↯", "\\lightning", !0), defineSymbol(math, mathord, "∎", "\\QED", !0), defineSymbol(math, mathord, "‰", "\\permil", !0), defineSymbol(text, textord, "‰", "\\permil"), defineSymbol(math, mathord, "☉", "\\astrosun", !0), defineSymbol(math, mathord, "☼", "\\sun", !0), defineSymbol(math, mathord, "☾", "\\leftmoon", !0), defineSymbol(math, mathord, "☽", "\\rightmoon", !0), defineSymbol(math, mathord, "⊕", "\\Earth"), defineSymbol(math, rel, "≮", "\\nless", !0), defineSymbol(math, rel, "⪇", "\\lneq", !0), defineSymbol(math, rel, "≨", "\\lneqq", !0), defineSymbol(math, rel, "≨︀", "\\lvertneqq"), defineSymbol(math, rel, "⋦", "\\lnsim", !0), defineSymbol(math, rel, "⪉", "\\lnapprox", !0), defineSymbol(math, rel, "⊀", "\\nprec", !0), defineSymbol(math, rel, "⋠", "\\npreceq", !0), defineSymbol(math, rel, "⋨", "\\precnsim", !0), defineSymbol(math, rel, "⪹", "\\precnapprox", !0), defineSymbol(math, rel, "≁", "\\nsim", !0), defineSymbol(math, rel, "∤", "\\nmid", !0), defineSymbol(math, rel, "∤", "\\nshortmid"), defineSymbol(math, rel, "⊬", "\\nvdash", !0), defineSymbol(math, rel, "⊭", "\\nvDash", !0), defineSymbol(math, rel, "⋪", "\\ntriangleleft"), defineSymbol(math, rel, "⋬", "\\ntrianglelefteq", !0), defineSymbol(math, rel, "⊄", "\\nsubset", !0), defineSymbol(math, rel, "⊅", "\\nsupset", !0), defineSymbol(math, rel, "⊊", "\\subsetneq", !0), defineSymbol(math, rel, "⊊︀", "\\varsubsetneq"), defineSymbol(math, rel, "⫋", "\\subsetneqq", !0), defineSymbol(math, rel, "⫋︀", "\\varsubsetneqq"), defineSymbol(math, rel, "≯", "\\ngtr", !0), defineSymbol(math, rel, "⪈", "\\gneq", !0), defineSymbol(math, rel, "≩", "\\gneqq", !0), defineSymbol(math, rel, "≩︀", "\\gvertneqq"), defineSymbol(math, rel, "⋧", "\\gnsim", !0), defineSymbol(math, rel, "⪊", "\\gnapprox", !0), defineSymbol(math, rel, "⊁", "\\nsucc", !0), defineSymbol(math, rel, "⋡", "\\nsucceq", !0), defineSymbol(math, rel, "⋩", "\\succnsim", !0), defineSymbol(math, rel, "⪺", "\\succnapprox", !0), defineSymbol(math, rel, "≆", "\\ncong", !0), defineSymbol(math, rel, "∦", "\\nparallel", !0), defineSymbol(math, rel, "∦", "\\nshortparallel"), defineSymbol(math, rel, "⊯", "\\nVDash", !0), defineSymbol(math, rel, "⋫", "\\ntriangleright"), defineSymbol(math, rel, "⋭", "\\ntrianglerighteq", !0), defineSymbol(math, rel, "⊋", "\\supsetneq", !0), defineSymbol(math, rel, "⊋", "\\varsupsetneq"), defineSymbol(math, rel, "⫌", "\\supsetneqq", !0), defineSymbol(math, rel, "⫌︀", "\\varsupsetneqq"), defineSymbol(math, rel, "⊮", "\\nVdash", !0), defineSymbol(math, rel, "⪵", "\\precneqq", !0), defineSymbol(math, rel, "⪶", "\\succneqq", !0), defineSymbol(math, bin, "⊴", "\\unlhd"), defineSymbol(math, bin, "⊵", "\\unrhd"), defineSymbol(math, rel, "↚", "\\nleftarrow", !0), defineSymbol(math, rel, "↛", "\\nrightarrow", !0), defineSymbol(math, rel, "⇍", "\\nLeftarrow", !0), defineSymbol(math, rel, "⇏", "\\nRightarrow", !0), defineSymbol(math, rel, "↮", "\\nleftrightarrow", !0), defineSymbol(math, rel, "⇎", "\\nLeftrightarrow", !0), defineSymbol(math, rel, "△", "\\vartriangle"), defineSymbol(math, textord, "ℏ", "\\hslash"), defineSymbol(math, textord, "▽", "\\triangledown"), defineSymbol(math, textord, "◊", "\\lozenge"), defineSymbol(math, textord, "Ⓢ", "\\circledS"), defineSymbol(math, textord, "®", "\\circledR", !0), defineSymbol(text, textord, "®", "\\circledR"), defineSymbol(text, textord, "®", "\\textregistered"), defineSymbol(math, textord, "∡", "\\measuredangle", !0), defineSymbol(math, textord, "∄", "\\nexists"), defineSymbol(math, textord, "℧", "\\mho"), defineSymbol(math, textord, "Ⅎ", "\\Finv", !0), defineSymbol(math, textord, "⅁", "\\Game", !0), defineSymbol(math, textord, "‵", "\\backprime"), defineSymbol(math, textord, "‶", "\\backdprime"), defineSymbol(math, textord, "‷", "\\backtrprime"), defineSymbol(math, textord, "▲", "\\blacktriangle"), defineSymbol(math, textord, "▼", "\\blacktriangledown"), defineSymbol(math, textord, "■", "\\blacksquare"), defineSymbol(math, textord, "⧫", "\\blacklozenge"), defineSymbol(math, textord, "★", "\\bigstar"), defineSymbol(math, textord, "∢", "\\sphericalangle", !0), defineSymbol(math, textord, "∁", "\\complement", !0), defineSymbol(math, textord, "╱", "\\diagup"), defineSymbol(math, textord, "╲", "\\diagdown"), defineSymbol(math, textord, "□", "\\square"), defineSymbol(math, textord, "□", "\\Box"), defineSymbol(math, textord, "◊", "\\Diamond"), defineSymbol(math, textord, "¥", "\\yen", !0), defineSymbol(text, textord, "¥", "\\yen", !0), defineSymbol(math, textord, "✓", "\\checkmark", !0), defineSymbol(text, textord, "✓", "\\checkmark"), defineSymbol(math, textord, "✗", "\\ballotx", !0), defineSymbol(text, textord, "✗", "\\ballotx"), defineSymbol(text, textord, "•", "\\textbullet"), defineSymbol(math, textord, "ℶ", "\\beth", !0), defineSymbol(math, textord, "ℸ", "\\daleth", !0), defineSymbol(math, textord, "ℷ", "\\gimel", !0), defineSymbol(math, textord, "ϝ", "\\digamma", !0), defineSymbol(math, textord, "ϰ", "\\varkappa"), defineSymbol(math, open, "⌜", "\\ulcorner", !0), defineSymbol(math, close, "⌝", "\\urcorner", !0), defineSymbol(math, open, "⌞", "\\llcorner", !0), defineSymbol(math, close, "⌟", "\\lrcorner", !0), defineSymbol(math, rel, "≦", "\\leqq", !0), defineSymbol(math, rel, "⩽", "\\leqslant", !0), defineSymbol(math, rel, "⪕", "\\eqslantless", !0), defineSymbol(math, rel, "≲", "\\lesssim", !0), defineSymbol(math, rel, "⪅", "\\lessapprox", !0), defineSymbol(math, rel, "≊", "\\approxeq", !0), defineSymbol(math, bin, "⋖", "\\lessdot"), defineSymbol(math, rel, "⋘", "\\lll", !0), defineSymbol(math, rel, "≶", "\\lessgtr", !0), defineSymbol(math, rel, "⋚", "\\lesseqgtr", !0), defineSymbol(math, rel, "⪋", "\\lesseqqgtr", !0), defineSymbol(math, rel, "≑", "\\doteqdot"), defineSymbol(math, rel, "≓", "\\risingdotseq", !0), defineSymbol(math, rel, "≒", "\\fallingdotseq", !0), defineSymbol(math, rel, "∽", "\\backsim", !0), defineSymbol(math, rel, "⋍", "\\backsimeq", !0), defineSymbol(math, rel, "⫅", "\\subseteqq", !0), defineSymbol(math, rel, "⋐", "\\Subset", !0), defineSymbol(math, rel, "⊏", "\\sqsubset", !0), defineSymbol(math, rel, "≼", "\\preccurlyeq", !0), defineSymbol(math, rel, "⋞", "\\curlyeqprec", !0), defineSymbol(math, rel, "≾", "\\precsim", !0), defineSymbol(math, rel, "⪷", "\\precapprox", !0), defineSymbol(math, rel, "⊲", "\\vartriangleleft"), defineSymbol(math, rel, "⊴", "\\trianglelefteq"), defineSymbol(math, rel, "⊨", "\\vDash", !0), defineSymbol(math, rel, "⊫", "\\VDash", !0), defineSymbol(math, rel, "⊪", "\\Vvdash", !0), defineSymbol(math, rel, "⌣", "\\smallsmile"), defineSymbol(math, rel, "⌢", "\\smallfrown"), defineSymbol(math, rel, "≏", "\\bumpeq", !0), defineSymbol(math, rel, "≎", "\\Bumpeq", !0), defineSymbol(math, rel, "≧", "\\geqq", !0), defineSymbol(math, rel, "⩾", "\\geqslant", !0), defineSymbol(math, rel, "⪖", "\\eqslantgtr", !0), defineSymbol(math, rel, "≳", "\\gtrsim", !0), defineSymbol(math, rel, "⪆", "\\gtrapprox", !0), defineSymbol(math, bin, "⋗", "\\gtrdot"), defineSymbol(math, rel, "⋙", "\\ggg", !0), defineSymbol(math, rel, "≷", "\\gtrless", !0), defineSymbol(math, rel, "⋛", "\\gtreqless", !0), defineSymbol(math, rel, "⪌", "\\gtreqqless", !0), defineSymbol(math, rel, "≖", "\\eqcirc", !0), defineSymbol(math, rel, "≗", "\\circeq", !0), defineSymbol(math, rel, "≜", "\\triangleq", !0), defineSymbol(math, rel, "∼", "\\thicksim"), defineSymbol(math, rel, "≈", "\\thickapprox"), defineSymbol(math, rel, "⫆", "\\supseteqq", !0), defineSymbol(math, rel, "⋑", "\\Supset", !0), defineSymbol(math, rel, "⊐", "\\sqsupset", !0), defineSymbol(math, rel, "≽", "\\succcurlyeq", !0), defineSymbol(math, rel, "⋟", "\\curlyeqsucc", !0), defineSymbol(math, rel, "≿", "\\succsim", !0), defineSymbol(math, rel, "⪸", "\\succapprox", !0), defineSymbol(math, rel, "⊳", "\\vartriangleright"), defineSymbol(math, rel, "⊵", "\\trianglerighteq"), defineSymbol(math, rel, "⊩", "\\Vdash", !0), defineSymbol(math, rel, "∣", "\\shortmid"), defineSymbol(math, rel, "∥", "\\shortparallel"), defineSymbol(math, rel, "≬", "\\between", !0), defineSymbol(math, rel, "⋔", "\\pitchfork", !0), defineSymbol(math, rel, "∝", "\\varpropto"), defineSymbol(math, rel, "◀", "\\blacktriangleleft"), defineSymbol(math, rel, "∴", "\\therefore", !0), defineSymbol(math, rel, "∍", "\\backepsilon"), defineSymbol(math, rel, "▶", "\\blacktriangleright"), defineSymbol(math, rel, "∵", "\\because", !0), defineSymbol(math, rel, "⋘", "\\llless"), defineSymbol(math, rel, "⋙", "\\gggtr"), defineSymbol(math, bin, "⊲", "\\lhd"), defineSymbol(math, bin, "⊳", "\\rhd"), defineSymbol(math, rel, "≂", "\\eqsim", !0), defineSymbol(math, rel, "≑", "\\Doteq", !0), defineSymbol(math, rel, "⥽", "\\strictif", !0), defineSymbol(math, rel, "⥼", "\\strictfi", !0), defineSymbol(math, bin, "∔", "\\dotplus", !0), defineSymbol(math, bin, "∖", "\\smallsetminus"), defineSymbol(math, bin, "⋒", "\\Cap", !0), defineSymbol(math, bin, "⋓", "\\Cup", !0), defineSymbol(math, bin, "⩞", "\\doublebarwedge", !0), defineSymbol(math, bin, "⊟", "\\boxminus", !0), defineSymbol(math, bin, "⊞", "\\boxplus", !0), defineSymbol(math, bin, "⧄", "\\boxslash", !0), defineSymbol(math, bin, "⋇", "\\divideontimes", !0), defineSymbol(math, bin, "⋉", "\\ltimes", !0), defineSymbol(math, bin, "⋊", "\\rtimes", !0), defineSymbol(math, bin, "⋋", "\\leftthreetimes", !0), defineSymbol(math, bin, "⋌", "\\rightthreetimes", !0), defineSymbol(math, bin, "⋏", "\\curlywedge", !0), defineSymbol(math, bin, "⋎", "\\curlyvee", !0), defineSymbol(math, bin, "⊝", "\\circleddash", !0), defineSymbol(math, bin, "⊛", "\\circledast", !0), defineSymbol(math, bin, "⊺", "\\intercal", !0), defineSymbol(math, bin, "⋒", "\\doublecap"), defineSymbol(math, bin, "⋓", "\\doublecup"), defineSymbol(math, bin, "⊠", "\\boxtimes", !0), defineSymbol(math, bin, "⋈", "\\bowtie", !0), defineSymbol(math, bin, "⋈", "\\Join"), defineSymbol(math, bin, "⟕", "\\leftouterjoin", !0), defineSymbol(math, bin, "⟖", "\\rightouterjoin", !0), defineSymbol(math, bin, "⟗", "\\fullouterjoin", !0), defineSymbol(math, bin, "∸", "\\dotminus", !0), defineSymbol(math, bin, "⟑", "\\wedgedot", !0), defineSymbol(math, bin, "⟇", "\\veedot", !0), defineSymbol(math, bin, "⩢", "\\doublebarvee", !0), defineSymbol(math, bin, "⩣", "\\veedoublebar", !0), defineSymbol(math, bin, "⩟", "\\wedgebar", !0), defineSymbol(math, bin, "⩠", "\\wedgedoublebar", !0), defineSymbol(math, bin, "⩔", "\\Vee", !0), defineSymbol(math, bin, "⩓", "\\Wedge", !0), defineSymbol(math, bin, "⩃", "\\barcap", !0), defineSymbol(math, bin, "⩂", "\\barcup", !0), defineSymbol(math, bin, "⩈", "\\capbarcup", !0), defineSymbol(math, bin, "⩀", "\\capdot", !0), defineSymbol(math, bin, "⩇", "\\capovercup", !0), defineSymbol(math, bin, "⩆", "\\cupovercap", !0), defineSymbol(math, bin, "⩍", "\\closedvarcap", !0), defineSymbol(math, bin, "⩌", "\\closedvarcup", !0), defineSymbol(math, bin, "⨪", "\\minusdot", !0), defineSymbol(math, bin, "⨫", "\\minusfdots", !0), defineSymbol(math, bin, "⨬", "\\minusrdots", !0), defineSymbol(math, bin, "⊻", "\\Xor", !0), defineSymbol(math, bin, "⊼", "\\Nand", !0), defineSymbol(math, bin, "⊽", "\\Nor", !0), defineSymbol(math, bin, "⊽", "\\barvee"), defineSymbol(math, bin, "⫴", "\\interleave", !0), defineSymbol(math, bin, "⧢", "\\shuffle", !0), defineSymbol(math, bin, "⫶", "\\threedotcolon", !0), defineSymbol(math, bin, "⦂", "\\typecolon", !0), defineSymbol(math, bin, "∾", "\\invlazys", !0), defineSymbol(math, bin, "⩋", "\\twocaps", !0), defineSymbol(math, bin, "⩊", "\\twocups", !0), defineSymbol(math, bin, "⩎", "\\Sqcap", !0), defineSymbol(math, bin, "⩏", "\\Sqcup", !0), defineSymbol(math, bin, "⩖", "\\veeonvee", !0), defineSymbol(math, bin, "⩕", "\\wedgeonwedge", !0), defineSymbol(math, bin, "⧗", "\\blackhourglass", !0), defineSymbol(math, bin, "⧆", "\\boxast", !0), defineSymbol(math, bin, "⧈", "\\boxbox", !0), defineSymbol(math, bin, "⧇", "\\boxcircle", !0), defineSymbol(math, bin, "⊜", "\\circledequal", !0), defineSymbol(math, bin, "⦷", "\\circledparallel", !0), defineSymbol(math, bin, "⦶", "\\circledvert", !0), defineSymbol(math, bin, "⦵", "\\circlehbar", !0), defineSymbol(math, bin, "⟡", "\\concavediamond", !0), defineSymbol(math, bin, "⟢", "\\concavediamondtickleft", !0), defineSymbol(math, bin, "⟣", "\\concavediamondtickright", !0), defineSymbol(math, bin, "⋄", "\\diamond", !0), defineSymbol(math, bin, "⧖", "\\hourglass", !0), defineSymbol(math, bin, "⟠", "\\lozengeminus", !0), defineSymbol(math, bin, "⌽", "\\obar", !0), defineSymbol(math, bin, "⦸", "\\obslash", !0), defineSymbol(math, bin, "⨸", "\\odiv", !0), defineSymbol(math, bin, "⧁", "\\ogreaterthan", !0), defineSymbol(math, bin, "⧀", "\\olessthan", !0), defineSymbol(math, bin, "⦹", "\\operp", !0), defineSymbol(math, bin, "⨷", "\\Otimes", !0), defineSymbol(math, bin, "⨶", "\\otimeshat", !0), defineSymbol(math, bin, "⋆", "\\star", !0), defineSymbol(math, bin, "△", "\\triangle", !0), defineSymbol(math, bin, "⨺", "\\triangleminus", !0), defineSymbol(math, bin, "⨹", "\\triangleplus", !0), defineSymbol(math, bin, "⨻", "\\triangletimes", !0), defineSymbol(math, bin, "⟤", "\\whitesquaretickleft", !0), defineSymbol(math, bin, "⟥", "\\whitesquaretickright", !0), defineSymbol(math, bin, "⨳", "\\smashtimes", !0), defineSymbol(math, rel, "⇢", "\\dashrightarrow", !0), defineSymbol(math, rel, "⇠", "\\dashleftarrow", !0), defineSymbol(math, rel, "⇇", "\\leftleftarrows", !0), defineSymbol(math, rel, "⇆", "\\leftrightarrows", !0), defineSymbol(math, rel, "⇚", "\\Lleftarrow", !0), defineSymbol(math, rel, "↞", "\\twoheadleftarrow", !0), defineSymbol(math, rel, "↢", "\\leftarrowtail", !0), defineSymbol(math, rel, "↫", "\\looparrowleft", !0), defineSymbol(math, rel, "⇋", "\\leftrightharpoons", !0), defineSymbol(math, rel, "↶", "\\curvearrowleft", !0), defineSymbol(math, rel, "↺", "\\circlearrowleft", !0), defineSymbol(math, rel, "↰", "\\Lsh", !0), defineSymbol(math, rel, "⇈", "\\upuparrows", !0), defineSymbol(math, rel, "↿", "\\upharpoonleft", !0), defineSymbol(math, rel, "⇃", "\\downharpoonleft", !0), defineSymbol(math, rel, "⊶", "\\origof", !0), defineSymbol(math, rel, "⊷", "\\imageof", !0), defineSymbol(math, rel, "⊸", "\\multimap", !0), defineSymbol(math, rel, "↭", "\\leftrightsquigarrow", !0), defineSymbol(math, rel, "⇉", "\\rightrightarrows", !0), defineSymbol(math, rel, "⇄", "\\rightleftarrows", !0), defineSymbol(math, rel, "↠", "\\twoheadrightarrow", !0), defineSymbol(math, rel, "↣", "\\rightarrowtail", !0), defineSymbol(math, rel, "↬", "\\looparrowright", !0), defineSymbol(math, rel, "↷", "\\curvearrowright", !0), defineSymbol(math, rel, "↻", "\\circlearrowright", !0), defineSymbol(math, rel, "↱", "\\Rsh", !0), defineSymbol(math, rel, "⇊", "\\downdownarrows", !0), defineSymbol(math, rel, "↾", "\\upharpoonright", !0), defineSymbol(math, rel, "⇂", "\\downharpoonright", !0), defineSymbol(math, rel, "⇝", "\\rightsquigarrow", !0), defineSymbol(math, rel, "⇝", "\\leadsto"), defineSymbol(math, rel, "⇛", "\\Rrightarrow", !0), defineSymbol(math, rel, "↾", "\\restriction"), defineSymbol(math, textord, "‘", "`"), defineSymbol(math, textord, "$", "\\$"), defineSymbol(text, textord, "$", "\\$"), defineSymbol(text, textord, "$", "\\textdollar"), defineSymbol(math, textord, "¢", "\\cent"), defineSymbol(text, textord, "¢", "\\cent"), defineSymbol(math, textord, "%", "\\%"), defineSymbol(text, textord, "%", "\\%"), defineSymbol(math, textord, "_", "\\_"), defineSymbol(text, textord, "_", "\\_"), defineSymbol(text, textord, "_", "\\textunderscore"), defineSymbol(text, textord, "␣", "\\textvisiblespace", !0), defineSymbol(math, textord, "∠", "\\angle", !0), defineSymbol(math, textord, "∞", "\\infty", !0), defineSymbol(math, textord, "′", "\\prime"), defineSymbol(math, textord, "″", "\\dprime"), defineSymbol(math, textord, "‴", "\\trprime"), defineSymbol(math, textord, "⁗", "\\qprime"), defineSymbol(math, textord, "△", "\\triangle"), defineSymbol(text, textord, "Α", "\\Alpha", !0), defineSymbol(text, textord, "Β", "\\Beta", !0), defineSymbol(text, textord, "Γ", "\\Gamma", !0), defineSymbol(text, textord, "Δ", "\\Delta", !0), defineSymbol(text, textord, "Ε", "\\Epsilon", !0), defineSymbol(text, textord, "Ζ", "\\Zeta", !0), defineSymbol(text, textord, "Η", "\\Eta", !0), defineSymbol(text, textord, "Θ", "\\Theta", !0), defineSymbol(text, textord, "Ι", "\\Iota", !0), defineSymbol(text, textord, "Κ", "\\Kappa", !0), defineSymbol(text, textord, "Λ", "\\Lambda", !0), defineSymbol(text, textord, "Μ", "\\Mu", !0), defineSymbol(text, textord, "Ν", "\\Nu", !0), defineSymbol(text, textord, "Ξ", "\\Xi", !0), defineSymbol(text, textord, "Ο", "\\Omicron", !0), defineSymbol(text, textord, "Π", "\\Pi", !0), defineSymbol(text, textord, "Ρ", "\\Rho", !0), defineSymbol(text, textord, "Σ", "\\Sigma", !0), defineSymbol(text, textord, "Τ", "\\Tau", !0), defineSymbol(text, textord, "Υ", "\\Upsilon", !0), defineSymbol(text, textord, "Φ", "\\Phi", !0), defineSymbol(text, textord, "Χ", "\\Chi", !0), defineSymbol(text, textord, "Ψ", "\\Psi", !0), defineSymbol(text, textord, "Ω", "\\Omega", !0), defineSymbol(math, mathord, "Α", "\\Alpha", !0), defineSymbol(math, mathord, "Β", "\\Beta", !0), defineSymbol(math, mathord, "Γ", "\\Gamma", !0), defineSymbol(math, mathord, "Δ", "\\Delta", !0), defineSymbol(math, mathord, "Ε", "\\Epsilon", !0), defineSymbol(math, mathord, "Ζ", "\\Zeta", !0), defineSymbol(math, mathord, "Η", "\\Eta", !0), defineSymbol(math, mathord, "Θ", "\\Theta", !0), defineSymbol(math, mathord, "Ι", "\\Iota", !0), defineSymbol(math, mathord, "Κ", "\\Kappa", !0), defineSymbol(math, mathord, "Λ", "\\Lambda", !0), defineSymbol(math, mathord, "Μ", "\\Mu", !0), defineSymbol(math, mathord, "Ν", "\\Nu", !0), defineSymbol(math, mathord, "Ξ", "\\Xi", !0), defineSymbol(math, mathord, "Ο", "\\Omicron", !0), defineSymbol(math, mathord, "Π", "\\Pi", !0), defineSymbol(math, mathord, "Ρ", "\\Rho", !0), defineSymbol(math, mathord, "Σ", "\\Sigma", !0), defineSymbol(math, mathord, "Τ", "\\Tau", !0), defineSymbol(math, mathord, "Υ", "\\Upsilon", !0), defineSymbol(math, mathord, "Φ", "\\Phi", !0), defineSymbol(math, mathord, "Χ", "\\Chi", !0), defineSymbol(math, mathord, "Ψ", "\\Psi", !0), defineSymbol(math, mathord, "Ω", "\\Omega", !0), defineSymbol(math, open, "¬", "\\neg", !0), defineSymbol(math, open, "¬", "\\lnot"), defineSymbol(math, textord, "⊤", "\\top"), defineSymbol(math, textord, "⊥", "\\bot"), defineSymbol(math, textord, "∅", "\\emptyset"), defineSymbol(math, textord, "⌀", "\\varnothing"), defineSymbol(math, mathord, "α", "\\alpha", !0), defineSymbol(math, mathord, "β", "\\beta", !0), defineSymbol(math, mathord, "γ", "\\gamma", !0), defineSymbol(math, mathord, "δ", "\\delta", !0), defineSymbol(math, mathord, "ϵ", "\\epsilon", !0), defineSymbol(math, mathord, "ζ", "\\zeta", !0), defineSymbol(math, mathord, "η", "\\eta", !0), defineSymbol(math, mathord, "θ", "\\theta", !0), defineSymbol(math, mathord, "ι", "\\iota", !0), defineSymbol(math, mathord, "κ", "\\kappa", !0), defineSymbol(math, mathord, "λ", "\\lambda", !0), defineSymbol(math, mathord, "μ", "\\mu", !0), defineSymbol(math, mathord, "ν", "\\nu", !0), defineSymbol(math, mathord, "ξ", "\\xi", !0), defineSymbol(math, mathord, "ο", "\\omicron", !0), defineSymbol(math, mathord, "π", "\\pi", !0), defineSymbol(math, mathord, "ρ", "\\rho", !0), defineSymbol(math, mathord, "σ", "\\sigma", !0), defineSymbol(math, mathord, "τ", "\\tau", !0), defineSymbol(math, mathord, "υ", "\\upsilon", !0), defineSymbol(math, mathord, "ϕ", "\\phi", !0), defineSymbol(math, mathord, "χ", "\\chi", !0), defineSymbol(math, mathord, "ψ", "\\psi", !0), defineSymbol(math, mathord, "ω", "\\omega", !0), defineSymbol(math, mathord, "ε", "\\varepsilon", !0), defineSymbol(math, mathord, "ϑ", "\\vartheta", !0), defineSymbol(math, mathord, "ϖ", "\\varpi", !0), defineSymbol(math, mathord, "ϱ", "\\varrho", !0), defineSymbol(math, mathord, "ς", "\\varsigma", !0), defineSymbol(math, mathord, "φ", "\\varphi", !0), defineSymbol(math, mathord, "Ϙ", "\\Coppa", !0), defineSymbol(math, mathord, "ϙ", "\\coppa", !0), defineSymbol(math, mathord, "ϙ", "\\varcoppa", !0), defineSymbol(math, mathord, "Ϟ", "\\Koppa", !0), defineSymbol(math, mathord, "ϟ", "\\koppa", !0), defineSymbol(math, mathord, "Ϡ", "\\Sampi", !0), defineSymbol(math, mathord, "ϡ", "\\sampi", !0), defineSymbol(math, mathord, "Ϛ", "\\Stigma", !0), defineSymbol(math, mathord, "ϛ", "\\stigma", !0), defineSymbol(math, mathord, "⫫", "\\Bot"), defineSymbol(math, textord, "ð", "\\eth", !0), defineSymbol(text, textord, "ð", "ð"), defineSymbol(math, textord, "Å", "\\AA"), defineSymbol(text, textord, "Å", "\\AA", !0), defineSymbol(math, textord, "Æ", "\\AE", !0), defineSymbol(text, textord, "Æ", "\\AE", !0), defineSymbol(math, textord, "Ð", "\\DH", !0), defineSymbol(text, textord, "Ð", "\\DH", !0), defineSymbol(math, textord, "Þ", "\\TH", !0), defineSymbol(text, textord, "Þ", "\\TH", !0), defineSymbol(math, textord, "ß", "\\ss", !0), defineSymbol(text, textord, "ß", "\\ss", !0), defineSymbol(math, textord, "å", "\\aa"), defineSymbol(text, textord, "å", "\\aa", !0), defineSymbol(math, textord, "æ", "\\ae", !0), defineSymbol(text, textord, "æ", "\\ae", !0), defineSymbol(math, textord, "ð", "\\dh"), defineSymbol(text, textord, "ð", "\\dh", !0), defineSymbol(math, textord, "þ", "\\th", !0), defineSymbol(text, textord, "þ", "\\th", !0), defineSymbol(math, textord, "Đ", "\\DJ", !0), defineSymbol(text, textord, "Đ", "\\DJ", !0), defineSymbol(math, textord, "đ", "\\dj", !0), defineSymbol(text, textord, "đ", "\\dj", !0), defineSymbol(math, textord, "Ł", "\\L", !0), defineSymbol(text, textord, "Ł", "\\L", !0), defineSymbol(math, textord, "Ł", "\\l", !0), defineSymbol(text, textord, "Ł", "\\l", !0), defineSymbol(math, textord, "Ŋ", "\\NG", !0), defineSymbol(text, textord, "Ŋ", "\\NG", !0), defineSymbol(math, textord, "ŋ", "\\ng", !0), defineSymbol(text, textord, "ŋ", "\\ng", !0), defineSymbol(math, textord, "Œ", "\\OE", !0), defineSymbol(text, textord, "Œ", "\\OE", !0), defineSymbol(math, textord, "œ", "\\oe", !0), defineSymbol(text, textord, "œ", "\\oe", !0), defineSymbol(math, bin, "∗", "∗", !0), defineSymbol(math, bin, "+", "+"), defineSymbol(math, bin, "∗", "*"), defineSymbol(math, bin, "⁄", "/", !0), defineSymbol(math, bin, "⁄", "⁄"), defineSymbol(math, bin, "−", "-", !0), defineSymbol(math, bin, "⋅", "\\cdot", !0), defineSymbol(math, bin, "∘", "\\circ", !0), defineSymbol(math, bin, "÷", "\\div", !0), defineSymbol(math, bin, "±", "\\pm", !0), defineSymbol(math, bin, "×", "\\times", !0), defineSymbol(math, bin, "∩", "\\cap", !0), defineSymbol(math, bin, "∪", "\\cup", !0), defineSymbol(math, bin, "∖", "\\setminus", !0), defineSymbol(math, bin, "∧", "\\land"), defineSymbol(math, bin, "∨", "\\lor"), defineSymbol(math, bin, "∧", "\\wedge", !0), defineSymbol(math, bin, "∨", "\\vee", !0), defineSymbol(math, open, "⟦", "\\llbracket", !0), defineSymbol(math, close, "⟧", "\\rrbracket", !0), defineSymbol(math, open, "⟨", "\\langle", !0), defineSymbol(math, open, "⟪", "\\lAngle", !0), defineSymbol(math, open, "⦉", "\\llangle", !0), defineSymbol(math, open, "|", "\\lvert"), defineSymbol(math, open, "‖", "\\lVert", !0), defineSymbol(math, textord, "!", "\\oc"), defineSymbol(math, textord, "?", "\\wn"), defineSymbol(math, textord, "↓", "\\shpos"), defineSymbol(math, textord, "↕", "\\shift"), defineSymbol(math, textord, "↑", "\\shneg"), defineSymbol(math, close, "?", "?"), defineSymbol(math, close, "!", "!"), defineSymbol(math, close, "‼", "‼"), defineSymbol(math, close, "⟩", "\\rangle", !0), defineSymbol(math, close, "⟫", "\\rAngle", !0), defineSymbol(math, close, "⦊", "\\rrangle", !0), defineSymbol(math, close, "|", "\\rvert"), defineSymbol(math, close, "‖", "\\rVert"), defineSymbol(math, open, "⦃", "\\lBrace", !0), defineSymbol(math, close, "⦄", "\\rBrace", !0), defineSymbol(math, rel, "=", "\\equal", !0), defineSymbol(math, rel, ":", ":"), defineSymbol(math, rel, "≈", "\\approx", !0), defineSymbol(math, rel, "≅", "\\cong", !0), defineSymbol(math, rel, "≥", "\\ge"), defineSymbol(math, rel, "≥", "\\geq", !0), defineSymbol(math, rel, "←", "\\gets"), defineSymbol(math, rel, ">", "\\gt", !0), defineSymbol(math, rel, "∈", "\\in", !0), defineSymbol(math, rel, "∉", "\\notin", !0), defineSymbol(math, rel, "", "\\@not"), defineSymbol(math, rel, "⊂", "\\subset", !0), defineSymbol(math, rel, "⊃", "\\supset", !0), defineSymbol(math, rel, "⊆", "\\subseteq", !0), defineSymbol(math, rel, "⊇", "\\supseteq", !0), defineSymbol(math, rel, "⊈", "\\nsubseteq", !0), defineSymbol(math, rel, "⊈", "\\nsubseteqq"), defineSymbol(math, rel, "⊉", "\\nsupseteq", !0), defineSymbol(math, rel, "⊉", "\\nsupseteqq"), defineSymbol(math, rel, "⊨", "\\models"), defineSymbol(math, rel, "←", "\\leftarrow", !0), defineSymbol(math, rel, "≤", "\\le"), defineSymbol(math, rel, "≤", "\\leq", !0), defineSymbol(math, rel, "<", "\\lt", !0), defineSymbol(math, rel, "→", "\\rightarrow", !0), defineSymbol(math, rel, "→", "\\to"), defineSymbol(math, rel, "≱", "\\ngeq", !0), defineSymbol(math, rel, "≱", "\\ngeqq"), defineSymbol(math, rel, "≱", "\\ngeqslant"), defineSymbol(math, rel, "≰", "\\nleq", !0), defineSymbol(math, rel, "≰", "\\nleqq"), defineSymbol(math, rel, "≰", "\\nleqslant"), defineSymbol(math, rel, "⫫", "\\Perp", !0), defineSymbol(math, spacing, "\xA0", "\\ "), defineSymbol(math, spacing, "\xA0", "\\space"), defineSymbol(math, spacing, "\xA0", "\\nobreakspace"), defineSymbol(text, spacing, "\xA0", "\\ "), defineSymbol(text, spacing, "\xA0", " "), defineSymbol(text, spacing, "\xA0", "\\space"), defineSymbol(text, spacing, "\xA0", "\\nobreakspace"), defineSymbol(math, spacing, null, "\\nobreak"), defineSymbol(math, spacing, null, "\\allowbreak"), defineSymbol(math, punct, ",", ","), defineSymbol(text, punct, ":", ":"), defineSymbol(math, punct, ";", ";"), defineSymbol(math, bin, "⊼", "\\barwedge"), defineSymbol(math, bin, "⊻", "\\veebar"), defineSymbol(math, bin, "⊙", "\\odot", !0), defineSymbol(math, bin, "⊕︎", "\\oplus"), defineSymbol(math, bin, "⊗", "\\otimes", !0), defineSymbol(math, textord, "∂", "\\partial", !0), defineSymbol(math, bin, "⊘", "\\oslash", !0), defineSymbol(math, bin, "⊚", "\\circledcirc", !0), defineSymbol(math, bin, "⊡", "\\boxdot", !0), defineSymbol(math, bin, "△", "\\bigtriangleup"), defineSymbol(math, bin, "▽", "\\bigtriangledown"), defineSymbol(math, bin, "†", "\\dagger"), defineSymbol(math, bin, "⋄", "\\diamond"), defineSymbol(math, bin, "◃", "\\triangleleft"), defineSymbol(math, bin, "▹", "\\triangleright"), defineSymbol(math, open, "{", "\\{"), defineSymbol(text, textord, "{", "\\{"), defineSymbol(text, textord, "{", "\\textbraceleft"), defineSymbol(math, close, "}", "\\}"), defineSymbol(text, textord, "}", "\\}"), defineSymbol(text, textord, "}", "\\textbraceright"), defineSymbol(math, open, "{", "\\lbrace"), defineSymbol(math, close, "}", "\\rbrace"), defineSymbol(math, open, "[", "\\lbrack", !0), defineSymbol(text, textord, "[", "\\lbrack", !0), defineSymbol(math, close, "]", "\\rbrack", !0), defineSymbol(text, textord, "]", "\\rbrack", !0), defineSymbol(math, open, "(", "\\lparen", !0), defineSymbol(math, close, ")", "\\rparen", !0), defineSymbol(math, open, "⦇", "\\llparenthesis", !0), defineSymbol(math, close, "⦈", "\\rrparenthesis", !0), defineSymbol(text, textord, "<", "\\textless", !0), defineSymbol(text, textord, ">", "\\textgreater", !0), defineSymbol(math, open, "⌊", "\\lfloor", !0), defineSymbol(math, close, "⌋", "\\rfloor", !0), defineSymbol(math, open, "⌈", "\\lceil", !0), defineSymbol(math, close, "⌉", "\\rceil", !0), defineSymbol(math, textord, "\\", "\\backslash"), defineSymbol(math, textord, "|", "|"), defineSymbol(math, textord, "|", "\\vert"), defineSymbol(text, textord, "|", "\\textbar", !0), defineSymbol(math, textord, "‖", "\\|"), defineSymbol(math, textord, "‖", "\\Vert"), defineSymbol(text, textord, "‖", "\\textbardbl"), defineSymbol(text, textord, "~", "\\textasciitilde"), defineSymbol(text, textord, "\\", "\\textbackslash"), defineSymbol(text, textord, "^", "\\textasciicircum"), defineSymbol(math, rel, "↑", "\\uparrow", !0), defineSymbol(math, rel, "⇑", "\\Uparrow", !0), defineSymbol(math, rel, "↓", "\\downarrow", !0), defineSymbol(math, rel, "⇓", "\\Downarrow", !0), defineSymbol(math, rel, "↕", "\\updownarrow", !0), defineSymbol(math, rel, "⇕", "\\Updownarrow", !0), defineSymbol(math, op, "∐", "\\coprod"), defineSymbol(math, op, "⋁", "\\bigvee"), defineSymbol(math, op, "⋀", "\\bigwedge"), defineSymbol(math, op, "⨄", "\\biguplus"), defineSymbol(math, op, "⨄", "\\bigcupplus"), defineSymbol(math, op, "⨃", "\\bigcupdot"), defineSymbol(math, op, "⨇", "\\bigdoublevee"), defineSymbol(math, op, "⨈", "\\bigdoublewedge"), defineSymbol(math, op, "⋂", "\\bigcap"), defineSymbol(math, op, "⋃", "\\bigcup"), defineSymbol(math, op, "∫", "\\int"), defineSymbol(math, op, "∫", "\\intop"), defineSymbol(math, op, "∬", "\\iint"), defineSymbol(math, op, "∭", "\\iiint"), defineSymbol(math, op, "∏", "\\prod"), defineSymbol(math, op, "∑", "\\sum"), defineSymbol(math, op, "⨂", "\\bigotimes"), defineSymbol(math, op, "⨁", "\\bigoplus"), defineSymbol(math, op, "⨀", "\\bigodot"), defineSymbol(math, op, "⨉", "\\bigtimes"), defineSymbol(math, op, "∮", "\\oint"), defineSymbol(math, op, "∯", "\\oiint"), defineSymbol(math, op, "∰", "\\oiiint"), defineSymbol(math, op, "∱", "\\intclockwise"), defineSymbol(math, op, "∲", "\\varointclockwise"), defineSymbol(math, op, "⨌", "\\iiiint"), defineSymbol(math, op, "⨍", "\\intbar"), defineSymbol(math, op, "⨎", "\\intBar"), defineSymbol(math, op, "⨏", "\\fint"), defineSymbol(math, op, "⨒", "\\rppolint"), defineSymbol(math, op, "⨓", "\\scpolint"), defineSymbol(math, op, "⨕", "\\pointint"), defineSymbol(math, op, "⨖", "\\sqint"), defineSymbol(math, op, "⨗", "\\intlarhk"), defineSymbol(math, op, "⨘", "\\intx"), defineSymbol(math, op, "⨙", "\\intcap"), defineSymbol(math, op, "⨚", "\\intcup"), defineSymbol(math, op, "⨅", "\\bigsqcap"), defineSymbol(math, op, "⨆", "\\bigsqcup"), defineSymbol(math, op, "∫", "\\smallint"), defineSymbol(text, inner, "…", "\\textellipsis"), defineSymbol(math, inner, "…", "\\mathellipsis"), defineSymbol(text, inner, "…", "\\ldots", !0), defineSymbol(math, inner, "…", "\\ldots", !0), defineSymbol(math, inner, "⋰", "\\iddots", !0), defineSymbol(math, inner, "⋯", "\\@cdots", !0), defineSymbol(math, inner, "⋱", "\\ddots", !0), defineSymbol(math, textord, "⋮", "\\varvdots"), defineSymbol(text, textord, "⋮", "\\varvdots"), defineSymbol(math, accent, "´", "\\acute"), defineSymbol(math, accent, "`", "\\grave"), defineSymbol(math, accent, "¨", "\\ddot"), defineSymbol(math, accent, "…", "\\dddot"), defineSymbol(math, accent, "….", "\\ddddot"), defineSymbol(math, accent, "~", "\\tilde"), defineSymbol(math, accent, "‾", "\\bar"), defineSymbol(math, accent, "˘", "\\breve"), defineSymbol(math, accent, "ˇ", "\\check"), defineSymbol(math, accent, "ˆ", "\\hat"), defineSymbol(math, accent, "→", "\\vec"), defineSymbol(math, accent, "˙", "\\dot"), defineSymbol(math, accent, "˚", "\\mathring"), defineSymbol(math, mathord, "ı", "\\imath", !0), defineSymbol(math, mathord, "ȷ", "\\jmath", !0), defineSymbol(math, textord, "ı", "ı"), defineSymbol(math, textord, "ȷ", "ȷ"), defineSymbol(text, textord, "ı", "\\i", !0), defineSymbol(text, textord, "ȷ", "\\j", !0), defineSymbol(text, textord, "ø", "\\o", !0), defineSymbol(math, mathord, "ø", "\\o", !0), defineSymbol(text, textord, "Ø", "\\O", !0), defineSymbol(math, mathord, "Ø", "\\O", !0), defineSymbol(text, accent, "ˊ", "\\'"), defineSymbol(text, accent, "ˋ", "\\`"), defineSymbol(text, accent, "ˆ", "\\^"), defineSymbol(text, accent, "~", "\\~"), defineSymbol(text, accent, "ˉ", "\\="), defineSymbol(text, accent, "˘", "\\u"), defineSymbol(text, accent, "˙", "\\."), defineSymbol(text, accent, "¸", "\\c"), defineSymbol(text, accent, "˚", "\\r"), defineSymbol(text, accent, "ˇ", "\\v"), defineSymbol(text, accent, "¨", "\\\""), defineSymbol(text, accent, "˝", "\\H"), defineSymbol(math, accent, "ˊ", "\\'"), defineSymbol(math, accent, "ˋ", "\\`"), defineSymbol(math, accent, "ˆ", "\\^"), defineSymbol(math, accent, "~", "\\~"), defineSymbol(math, accent, "ˉ", "\\="), defineSymbol(math, accent, "˘", "\\u"), defineSymbol(math, accent, "˙", "\\."), defineSymbol(math, accent, "¸", "\\c"), defineSymbol(math, accent, "˚", "\\r"), defineSymbol(math, accent, "ˇ", "\\v"), defineSymbol(math, accent, "¨", "\\\""), defineSymbol(math, accent, "˝", "\\H");
var ligatures = {
	"--": !0,
	"---": !0,
	"``": !0,
	"''": !0
};
defineSymbol(text, textord, "–", "--", !0), defineSymbol(text, textord, "–", "\\textendash"), defineSymbol(text, textord, "—", "---", !0), defineSymbol(text, textord, "—", "\\textemdash"), defineSymbol(text, textord, "‘", "`", !0), defineSymbol(text, textord, "‘", "\\textquoteleft"), defineSymbol(text, textord, "’", "'", !0), defineSymbol(text, textord, "’", "\\textquoteright"), defineSymbol(text, textord, "“", "``", !0), defineSymbol(text, textord, "“", "\\textquotedblleft"), defineSymbol(text, textord, "”", "''", !0), defineSymbol(text, textord, "”", "\\textquotedblright"), defineSymbol(math, textord, "°", "\\degree", !0), defineSymbol(text, textord, "°", "\\degree"), defineSymbol(text, textord, "°", "\\textdegree", !0), defineSymbol(math, textord, "£", "\\pounds"), defineSymbol(math, textord, "£", "\\mathsterling", !0), defineSymbol(text, textord, "£", "\\pounds"), defineSymbol(text, textord, "£", "\\textsterling", !0), defineSymbol(math, textord, "✠", "\\maltese"), defineSymbol(text, textord, "✠", "\\maltese"), defineSymbol(math, textord, "€", "\\euro", !0), defineSymbol(text, textord, "€", "\\euro", !0), defineSymbol(text, textord, "€", "\\texteuro"), defineSymbol(math, textord, "©", "\\copyright", !0), defineSymbol(text, textord, "©", "\\textcopyright"), defineSymbol(math, textord, "⌀", "\\diameter", !0), defineSymbol(text, textord, "⌀", "\\diameter"), defineSymbol(math, textord, "𝛤", "\\varGamma"), defineSymbol(math, textord, "𝛥", "\\varDelta"), defineSymbol(math, textord, "𝛩", "\\varTheta"), defineSymbol(math, textord, "𝛬", "\\varLambda"), defineSymbol(math, textord, "𝛯", "\\varXi"), defineSymbol(math, textord, "𝛱", "\\varPi"), defineSymbol(math, textord, "𝛴", "\\varSigma"), defineSymbol(math, textord, "𝛶", "\\varUpsilon"), defineSymbol(math, textord, "𝛷", "\\varPhi"), defineSymbol(math, textord, "𝛹", "\\varPsi"), defineSymbol(math, textord, "𝛺", "\\varOmega"), defineSymbol(text, textord, "𝛤", "\\varGamma"), defineSymbol(text, textord, "𝛥", "\\varDelta"), defineSymbol(text, textord, "𝛩", "\\varTheta"), defineSymbol(text, textord, "𝛬", "\\varLambda"), defineSymbol(text, textord, "𝛯", "\\varXi"), defineSymbol(text, textord, "𝛱", "\\varPi"), defineSymbol(text, textord, "𝛴", "\\varSigma"), defineSymbol(text, textord, "𝛶", "\\varUpsilon"), defineSymbol(text, textord, "𝛷", "\\varPhi"), defineSymbol(text, textord, "𝛹", "\\varPsi"), defineSymbol(text, textord, "𝛺", "\\varOmega");
var mathTextSymbols = "0123456789/@.\"";
for (let i = 0; i < 14; i++) {
	let ch = mathTextSymbols.charAt(i);
	defineSymbol(math, textord, ch, ch);
}
var textSymbols = "0123456789!@*()-=+\";:?/.,";
for (let i = 0; i < 25; i++) {
	let ch = textSymbols.charAt(i);
	defineSymbol(text, textord, ch, ch);
}
var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
for (let i = 0; i < 52; i++) {
	let ch = letters.charAt(i);
	defineSymbol(math, mathord, ch, ch), defineSymbol(text, textord, ch, ch);
}
var narrow = "ÇÐÞçþℂℍℕℙℚℝℤℎℏℊℋℌℐℑℒℓ℘ℛℜℬℰℱℳℭℨ";
for (let i = 0; i < 30; i++) {
	let ch = narrow.charAt(i);
	defineSymbol(math, mathord, ch, ch), defineSymbol(text, textord, ch, ch);
}
var wideChar = "";
for (let i = 0; i < 52; i++) {
	wideChar = String.fromCharCode(55349, 56320 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56372 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56424 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56580 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56736 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56788 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56840 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56944 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 56632 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar);
	let ch = letters.charAt(i);
	wideChar = String.fromCharCode(55349, 56476 + i), defineSymbol(math, mathord, ch, wideChar), defineSymbol(text, textord, ch, wideChar);
}
for (let i = 0; i < 10; i++) wideChar = String.fromCharCode(55349, 57294 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 57314 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 57324 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar), wideChar = String.fromCharCode(55349, 57334 + i), defineSymbol(math, mathord, wideChar, wideChar), defineSymbol(text, textord, wideChar, wideChar);
function setLineBreaks(expression, wrapMode, isDisplayMode) {
	let mtrs = [], mrows = [], block = [], numTopLevelEquals = 0, i = 0;
	for (; i < expression.length;) {
		for (; expression[i] instanceof DocumentFragment;) expression.splice(i, 1, ...expression[i].children);
		let node = expression[i];
		if (node.attributes && node.attributes.linebreak && node.attributes.linebreak === "newline") {
			block.length > 0 && mrows.push(new MathNode("mrow", block)), mrows.push(node), block = [];
			let mtd = new MathNode("mtd", mrows);
			mtd.style.textAlign = "left", mtrs.push(new MathNode("mtr", [mtd])), mrows = [], i += 1;
		} else {
			if (block.push(node), node.type && node.type === "mo" && node.children.length === 1 && !(node.attributes.form && node.attributes.form === "prefix") && !Object.prototype.hasOwnProperty.call(node.attributes, "movablelimits")) {
				let ch = node.children[0].text;
				if (wrapMode === "=" && ch === "=") {
					if (numTopLevelEquals += 1, numTopLevelEquals > 1) {
						block.pop();
						let element = new MathNode("mrow", block);
						mrows.push(element), block = [node];
					}
				} else if (wrapMode === "tex") {
					let next = i < expression.length - 1 ? expression[i + 1] : null, glueIsFreeOfNobreak = !0;
					if (!(next && next.type === "mtext" && next.attributes.linebreak && next.attributes.linebreak === "nobreak")) for (let j = i + 1; j < expression.length; j++) {
						let nd = expression[j];
						if (nd.type && nd.type === "mspace" && !(nd.attributes.linebreak && nd.attributes.linebreak === "newline")) block.push(nd), i += 1, nd.attributes && nd.attributes.linebreak && nd.attributes.linebreak === "nobreak" && (glueIsFreeOfNobreak = !1);
						else break;
					}
					if (glueIsFreeOfNobreak) {
						let element = new MathNode("mrow", block);
						mrows.push(element), block = [];
					}
				}
			}
			i += 1;
		}
	}
	if (block.length > 0) {
		let element = new MathNode("mrow", block);
		mrows.push(element);
	}
	if (mtrs.length > 0) {
		let mtd = new MathNode("mtd", mrows);
		mtd.style.textAlign = "left";
		let mtr = new MathNode("mtr", [mtd]);
		mtrs.push(mtr);
		let mtable = new MathNode("mtable", mtrs);
		return isDisplayMode || (mtable.setAttribute("columnalign", "left"), mtable.setAttribute("rowspacing", "0em")), mtable;
	}
	return newDocumentFragment(mrows);
}
var makeText = function(text, mode, style) {
	return symbols[mode][text] && symbols[mode][text].replace && text.charCodeAt(0) !== 55349 && !(Object.prototype.hasOwnProperty.call(ligatures, text) && style && (style.fontFamily && style.fontFamily.slice(4, 6) === "tt" || style.font && style.font.slice(4, 6) === "tt")) && (text = symbols[mode][text].replace), new TextNode(text);
}, copyChar = (newRow, child) => {
	if (newRow.children.length === 0 || newRow.children[newRow.children.length - 1].type !== "mtext") {
		let mtext = new MathNode("mtext", [new TextNode(child.children[0].text)]);
		newRow.children.push(mtext);
	} else newRow.children[newRow.children.length - 1].children[0].text += child.children[0].text;
}, consolidateText = (mrow) => {
	if (mrow.type !== "mrow" && mrow.type !== "mstyle" || mrow.children.length === 0) return mrow;
	let newRow = new MathNode("mrow");
	for (let i = 0; i < mrow.children.length; i++) {
		let child = mrow.children[i];
		if (child.type === "mtext" && Object.keys(child.attributes).length === 0) copyChar(newRow, child);
		else if (child.type === "mrow") {
			let canConsolidate = !0;
			for (let j = 0; j < child.children.length; j++) if (child.children[j].type !== "mtext" || Object.keys(child.attributes).length !== 0) {
				canConsolidate = !1;
				break;
			}
			if (canConsolidate) for (let j = 0; j < child.children.length; j++) {
				let grandChild = child.children[j];
				copyChar(newRow, grandChild);
			}
			else newRow.children.push(child);
		} else newRow.children.push(child);
	}
	for (let i = 0; i < newRow.children.length; i++) if (newRow.children[i].type === "mtext") {
		let mtext = newRow.children[i];
		mtext.children[0].text.charAt(0) === " " && (mtext.children[0].text = "\xA0" + mtext.children[0].text.slice(1));
		let L = mtext.children[0].text.length;
		L > 0 && mtext.children[0].text.charAt(L - 1) === " " && (mtext.children[0].text = mtext.children[0].text.slice(0, -1) + "\xA0");
		for (let [key, value] of Object.entries(mrow.attributes)) mtext.attributes[key] = value;
	}
	return newRow.children.length === 1 && newRow.children[0].type === "mtext" ? newRow.children[0] : newRow;
}, makeRow = function(body, semisimple = !1) {
	if (body.length === 1 && !(body[0] instanceof DocumentFragment)) return body[0];
	if (!semisimple) {
		body[0] instanceof MathNode && body[0].type === "mo" && !body[0].attributes.fence && (body[0].attributes.lspace = "0em", body[0].attributes.rspace = "0em");
		let end = body.length - 1;
		body[end] instanceof MathNode && body[end].type === "mo" && !body[end].attributes.fence && (body[end].attributes.lspace = "0em", body[end].attributes.rspace = "0em");
	}
	return new MathNode("mrow", body);
};
function isNumberPunctuation(group) {
	if (!group) return !1;
	if (group.type === "mi" && group.children.length === 1) {
		let child = group.children[0];
		return child instanceof TextNode && child.text === ".";
	}
	if (group.type === "mtext" && group.children.length === 1) {
		let child = group.children[0];
		return child instanceof TextNode && child.text === " ";
	}
	if (group.type === "mo" && group.children.length === 1 && group.getAttribute("separator") === "true" && group.getAttribute("lspace") === "0em" && group.getAttribute("rspace") === "0em") {
		let child = group.children[0];
		return child instanceof TextNode && child.text === ",";
	}
	return !1;
}
var isComma = (expression, i) => {
	let node = expression[i], followingNode = expression[i + 1];
	return node.type === "atom" && node.text === "," && node.loc && followingNode.loc && node.loc.end === followingNode.loc.start;
}, isRel = (item) => item.type === "atom" && item.family === "rel" || item.type === "mclass" && item.mclass === "mrel", buildExpression = function(expression, style, semisimple = !1) {
	if (!semisimple && expression.length === 1) {
		let group = buildGroup$1(expression[0], style);
		return group instanceof MathNode && group.type === "mo" && (group.setAttribute("lspace", "0em"), group.setAttribute("rspace", "0em")), [group];
	}
	let groups = [], groupArray = [], lastGroup;
	for (let i = 0; i < expression.length; i++) groupArray.push(buildGroup$1(expression[i], style));
	for (let i = 0; i < groupArray.length; i++) {
		let group = groupArray[i];
		if (i < expression.length - 1 && isRel(expression[i]) && isRel(expression[i + 1]) && group.setAttribute("rspace", "0em"), i > 0 && isRel(expression[i]) && isRel(expression[i - 1]) && group.setAttribute("lspace", "0em"), group.type === "mn" && lastGroup && lastGroup.type === "mn") lastGroup.children.push(...group.children);
		else if (isNumberPunctuation(group) && lastGroup && lastGroup.type === "mn") lastGroup.children.push(...group.children);
		else if (lastGroup && lastGroup.type === "mn" && i < groupArray.length - 1 && groupArray[i + 1].type === "mn" && isComma(expression, i)) lastGroup.children.push(...group.children);
		else {
			if (group.type === "mn" && isNumberPunctuation(lastGroup)) group.children = [...lastGroup.children, ...group.children], groups.pop();
			else if ((group.type === "msup" || group.type === "msub") && group.children.length >= 1 && lastGroup && (lastGroup.type === "mn" || isNumberPunctuation(lastGroup))) {
				let base = group.children[0];
				base instanceof MathNode && base.type === "mn" && lastGroup && (base.children = [...lastGroup.children, ...base.children], groups.pop());
			}
			groups.push(group), lastGroup = group;
		}
	}
	return groups;
}, buildExpressionRow = function(expression, style, semisimple = !1) {
	return makeRow(buildExpression(expression, style, semisimple), semisimple);
}, buildGroup$1 = function(group, style) {
	if (!group) return new MathNode("mrow");
	if (_mathmlGroupBuilders[group.type]) return _mathmlGroupBuilders[group.type](group, style);
	throw new ParseError("Got group of unknown type: '" + group.type + "'");
}, glue$1 = (_) => new MathNode("mtd", [], [], {
	padding: "0",
	width: "50%"
}), labelContainers = [
	"mrow",
	"mtd",
	"mtable",
	"mtr"
], getLabel = (parent) => {
	for (let node of parent.children) if (node.type && labelContainers.includes(node.type)) {
		if (node.classes && node.classes[0] === "tml-label") return node.label;
		{
			let label = getLabel(node);
			if (label) return label;
		}
	} else if (!node.type) {
		let label = getLabel(node);
		if (label) return label;
	}
}, taggedExpression = (expression, tag, style, leqno) => {
	tag = buildExpressionRow(tag[0].body, style), tag = consolidateText(tag), tag.classes.push("tml-tag");
	let label = getLabel(expression);
	expression = new MathNode("mtd", [expression]);
	let rowArray = [
		glue$1(),
		expression,
		glue$1()
	];
	rowArray[leqno ? 0 : 2].children.push(tag);
	let mtr = new MathNode("mtr", rowArray, ["tml-tageqn"]);
	label && mtr.setAttribute("id", label);
	let table = new MathNode("mtable", [mtr]);
	return table.style.width = "100%", table.setAttribute("displaystyle", "true"), table;
};
function buildMathML(tree, texExpression, style, settings) {
	let tag = null;
	tree.length === 1 && tree[0].type === "tag" && (tag = tree[0].tag, tree = tree[0].body);
	let expression = buildExpression(tree, style);
	if (expression.length === 1 && expression[0] instanceof AnchorNode) return expression[0];
	let wrap = settings.displayMode || settings.annotate ? "none" : settings.wrap, n1 = expression.length === 0 ? null : expression[0], wrapper = expression.length === 1 && tag === null && n1 instanceof MathNode ? expression[0] : setLineBreaks(expression, wrap, settings.displayMode);
	if (tag && (wrapper = taggedExpression(wrapper, tag, style, settings.leqno)), settings.annotate) {
		let annotation = new MathNode("annotation", [new TextNode(texExpression)]);
		annotation.setAttribute("encoding", "application/x-tex"), wrapper = new MathNode("semantics", [wrapper, annotation]);
	}
	let math = new MathNode("math", [wrapper]);
	return settings.xml && math.setAttribute("xmlns", "http://www.w3.org/1998/Math/MathML"), settings.displayMode && (math.setAttribute("display", "block"), math.style.display = "block math", math.classes = ["tml-display"]), math;
}
var smallNudge = "DHKLUcegorsuvxyzΠΥΨαδηιμνοτυχϵ", mediumNudge = "BCEGIMNOPQRSTXZlpqtwΓΘΞΣΦΩβεζθξρςφψϑϕϱ", largeNudge = "AFJdfΔΛ", mathmlBuilder$a = (group, style) => {
	let accentNode$1 = group.isStretchy ? accentNode(group) : new MathNode("mo", [makeText(group.label, group.mode)]);
	group.isStretchy || accentNode$1.setAttribute("stretchy", "false"), group.label !== "\\vec" && (accentNode$1.style.mathDepth = "0");
	let tag = group.label === "\\c" ? "munder" : "mover", needsWbkVertShift = needsWebkitVerticalShift.has(group.label);
	if (tag === "mover" && group.mode === "math" && !group.isStretchy && group.base.text && group.base.text.length === 1) {
		let text = group.base.text, isVec = group.label === "\\vec", vecPostfix = isVec === "\\vec" ? "-vec" : "";
		isVec && accentNode$1.classes.push("tml-vec");
		let wbkPostfix = isVec ? "-vec" : needsWbkVertShift ? "-acc" : "";
		smallNudge.indexOf(text) > -1 ? (accentNode$1.classes.push(`chr-sml${vecPostfix}`), accentNode$1.classes.push(`wbk-sml${wbkPostfix}`)) : mediumNudge.indexOf(text) > -1 ? (accentNode$1.classes.push(`chr-med${vecPostfix}`), accentNode$1.classes.push(`wbk-med${wbkPostfix}`)) : largeNudge.indexOf(text) > -1 ? (accentNode$1.classes.push(`chr-lrg${vecPostfix}`), accentNode$1.classes.push(`wbk-lrg${wbkPostfix}`)) : isVec ? accentNode$1.classes.push("wbk-vec") : needsWbkVertShift && accentNode$1.classes.push("wbk-acc");
	} else needsWbkVertShift && accentNode$1.classes.push("wbk-acc");
	return new MathNode(tag, [buildGroup$1(group.base, style), accentNode$1]);
}, nonStretchyAccents = new Set([
	"\\acute",
	"\\check",
	"\\grave",
	"\\ddot",
	"\\dddot",
	"\\ddddot",
	"\\tilde",
	"\\bar",
	"\\breve",
	"\\check",
	"\\hat",
	"\\vec",
	"\\dot",
	"\\mathring"
]), needsWebkitVerticalShift = new Set([
	"\\acute",
	"\\bar",
	"\\breve",
	"\\check",
	"\\dot",
	"\\ddot",
	"\\grave",
	"\\hat",
	"\\mathring",
	"\\`",
	"\\'",
	"\\^",
	"\\=",
	"\\u",
	"\\.",
	"\\\"",
	"\\r",
	"\\H",
	"\\v"
]), combiningChar = {
	"\\`": "̀",
	"\\'": "́",
	"\\^": "̂",
	"\\~": "̃",
	"\\=": "̄",
	"\\u": "̆",
	"\\.": "̇",
	"\\\"": "̈",
	"\\r": "̊",
	"\\H": "̋",
	"\\v": "̌",
	"\\c": "̧"
};
defineFunction({
	type: "accent",
	names: [
		"\\acute",
		"\\grave",
		"\\ddot",
		"\\dddot",
		"\\ddddot",
		"\\tilde",
		"\\bar",
		"\\breve",
		"\\check",
		"\\hat",
		"\\vec",
		"\\dot",
		"\\mathring",
		"\\overparen",
		"\\widecheck",
		"\\widehat",
		"\\wideparen",
		"\\widetilde",
		"\\overrightarrow",
		"\\overleftarrow",
		"\\Overrightarrow",
		"\\overleftrightarrow",
		"\\overgroup",
		"\\overleftharpoon",
		"\\overrightharpoon"
	],
	props: { numArgs: 1 },
	handler: (context, args) => {
		let base = normalizeArgument(args[0]), isStretchy = !nonStretchyAccents.has(context.funcName);
		return {
			type: "accent",
			mode: context.parser.mode,
			label: context.funcName,
			isStretchy,
			base
		};
	},
	mathmlBuilder: mathmlBuilder$a
}), defineFunction({
	type: "accent",
	names: [
		"\\'",
		"\\`",
		"\\^",
		"\\~",
		"\\=",
		"\\c",
		"\\u",
		"\\.",
		"\\\"",
		"\\r",
		"\\H",
		"\\v"
	],
	props: {
		numArgs: 1,
		allowedInText: !0,
		allowedInMath: !0,
		argTypes: ["primitive"]
	},
	handler: (context, args) => {
		let base = normalizeArgument(args[0]), mode = context.parser.mode;
		return mode === "math" && context.parser.settings.strict && console.log(`Temml parse error: Command ${context.funcName} is invalid in math mode.`), mode === "text" && base.text && base.text.length === 1 && context.funcName in combiningChar && smalls.indexOf(base.text) > -1 ? {
			type: "textord",
			mode: "text",
			text: base.text + combiningChar[context.funcName]
		} : context.funcName === "\\c" && mode === "text" && base.text && base.text.length === 1 ? {
			type: "textord",
			mode: "text",
			text: base.text + "̧"
		} : {
			type: "accent",
			mode,
			label: context.funcName,
			isStretchy: !1,
			base
		};
	},
	mathmlBuilder: mathmlBuilder$a
}), defineFunction({
	type: "accentUnder",
	names: [
		"\\underleftarrow",
		"\\underrightarrow",
		"\\underleftrightarrow",
		"\\undergroup",
		"\\underparen",
		"\\utilde"
	],
	props: { numArgs: 1 },
	handler: ({ parser, funcName }, args) => {
		let base = args[0];
		return {
			type: "accentUnder",
			mode: parser.mode,
			label: funcName,
			base
		};
	},
	mathmlBuilder: (group, style) => {
		let accentNode$1 = accentNode(group);
		return accentNode$1.style["math-depth"] = 0, new MathNode("munder", [buildGroup$1(group.base, style), accentNode$1]);
	}
});
var ptPerUnit = {
	pt: 800 / 803,
	pc: 9600 / 803,
	dd: 1238 / 1157 * 800 / 803,
	cc: 14856 / 1157 * 800 / 803,
	nd: 685 / 642 * 800 / 803,
	nc: 1370 / 107 * 800 / 803,
	sp: 1 / 65536 * 800 / 803,
	mm: 25.4 / 72,
	cm: 2.54 / 72,
	in: 1 / 72,
	px: 96 / 72
}, validUnits = [
	"em",
	"ex",
	"mu",
	"pt",
	"mm",
	"cm",
	"in",
	"px",
	"bp",
	"pc",
	"dd",
	"cc",
	"nd",
	"nc",
	"sp"
], validUnit = function(unit) {
	return typeof unit != "string" && (unit = unit.unit), validUnits.indexOf(unit) > -1;
}, emScale = (styleLevel) => [
	1,
	.7,
	.5
][Math.max(styleLevel - 1, 0)], calculateSize = function(sizeValue, style) {
	let number = sizeValue.number;
	if (style.maxSize[0] < 0 && number > 0) return {
		number: 0,
		unit: "em"
	};
	let unit = sizeValue.unit;
	switch (unit) {
		case "mm":
		case "cm":
		case "in":
		case "px": return number * ptPerUnit[unit] > style.maxSize[1] ? {
			number: style.maxSize[1],
			unit: "pt"
		} : {
			number,
			unit
		};
		case "em":
		case "ex": return unit === "ex" && (number *= .431), number = Math.min(number / emScale(style.level), style.maxSize[0]), {
			number: round(number),
			unit: "em"
		};
		case "bp": return number > style.maxSize[1] && (number = style.maxSize[1]), {
			number,
			unit: "pt"
		};
		case "pt":
		case "pc":
		case "dd":
		case "cc":
		case "nd":
		case "nc":
		case "sp": return number = Math.min(number * ptPerUnit[unit], style.maxSize[1]), {
			number: round(number),
			unit: "pt"
		};
		case "mu": return number = Math.min(number / 18, style.maxSize[0]), {
			number: round(number),
			unit: "em"
		};
		default: throw new ParseError("Invalid unit: '" + unit + "'");
	}
}, padding = (width) => {
	let node = new MathNode("mspace");
	return node.setAttribute("width", width + "em"), node;
}, paddedNode = (group, lspace = .3, rspace = 0, mustSmash = !1) => {
	if (group == null && rspace === 0) return padding(lspace);
	let row = group ? [group] : [];
	if (lspace !== 0 && row.unshift(padding(lspace)), rspace > 0 && row.push(padding(rspace)), mustSmash) {
		let mpadded = new MathNode("mpadded", row);
		return mpadded.setAttribute("height", "0.1px"), mpadded;
	}
	return new MathNode("mrow", row);
}, labelSize = (size, scriptLevel) => Number(size) / emScale(scriptLevel), munderoverNode = (fName, body, below, style) => {
	let arrowNode = mathMLnode(fName), isEq = fName.slice(1, 3) === "eq", minWidth = fName.charAt(1) === "x" ? "1.75" : fName.slice(2, 4) === "cd" ? "3.0" : isEq ? "1.0" : "2.0";
	arrowNode.setAttribute("lspace", "0"), arrowNode.setAttribute("rspace", isEq ? "0.5em" : "0");
	let labelStyle = style.withLevel(style.level < 2 ? 2 : 3), minArrowWidth = labelSize(minWidth, labelStyle.level), dummyWidth = labelSize(minWidth, 3), emptyLabel = paddedNode(null, minArrowWidth.toFixed(4), 0), dummyNode = paddedNode(null, dummyWidth.toFixed(4), 0), space = labelSize(isEq ? 0 : .3, labelStyle.level).toFixed(4), upperNode, lowerNode, gotUpper = body && body.body && (body.body.body || body.body.length > 0);
	if (gotUpper) {
		let label = buildGroup$1(body, labelStyle);
		label = paddedNode(label, space, space, fName === "\\\\cdrightarrow" || fName === "\\\\cdleftarrow"), upperNode = new MathNode("mover", [label, dummyNode]);
	}
	let gotLower = below && below.body && (below.body.body || below.body.length > 0);
	if (gotLower) {
		let label = buildGroup$1(below, labelStyle);
		label = paddedNode(label, space, space), lowerNode = new MathNode("munder", [label, dummyNode]);
	}
	let node;
	return node = !gotUpper && !gotLower ? new MathNode("mover", [arrowNode, emptyLabel]) : gotUpper && gotLower ? new MathNode("munderover", [
		arrowNode,
		lowerNode,
		upperNode
	]) : gotUpper ? new MathNode("mover", [arrowNode, upperNode]) : new MathNode("munder", [arrowNode, lowerNode]), minWidth === "3.0" && (node.style.height = "1em"), node.setAttribute("accent", "false"), node;
};
defineFunction({
	type: "xArrow",
	names: "\\xleftarrow.\\xrightarrow.\\xLeftarrow.\\xRightarrow.\\xleftrightarrow.\\xLeftrightarrow.\\xhookleftarrow.\\xhookrightarrow.\\xmapsto.\\xrightharpoondown.\\xrightharpoonup.\\xleftharpoondown.\\xleftharpoonup.\\xlongequal.\\xtwoheadrightarrow.\\xtwoheadleftarrow.\\xtofrom.\\xleftrightharpoons.\\xrightleftharpoons.\\yields.\\yieldsLeft.\\mesomerism.\\longrightharpoonup.\\longleftharpoondown.\\yieldsLeftRight.\\chemequilibrium.\\\\cdrightarrow.\\\\cdleftarrow.\\\\cdlongequal".split("."),
	props: {
		numArgs: 1,
		numOptionalArgs: 1
	},
	handler({ parser, funcName }, args, optArgs) {
		return {
			type: "xArrow",
			mode: parser.mode,
			name: funcName,
			body: args[0],
			below: optArgs[0]
		};
	},
	mathmlBuilder(group, style) {
		let row = [munderoverNode(group.name, group.body, group.below, style)];
		return row.unshift(padding(.2778)), row.push(padding(.2778)), new MathNode("mrow", row);
	}
});
var arrowComponent = {
	"\\equilibriumRight": ["\\longrightharpoonup", "\\eqleftharpoondown"],
	"\\equilibriumLeft": ["\\eqrightharpoonup", "\\longleftharpoondown"]
};
defineFunction({
	type: "stackedArrow",
	names: ["\\equilibriumRight", "\\equilibriumLeft"],
	props: {
		numArgs: 1,
		numOptionalArgs: 1
	},
	handler({ parser, funcName }, args, optArgs) {
		let lowerArrowBody = args[0] ? {
			type: "hphantom",
			mode: parser.mode,
			body: args[0]
		} : null, upperArrowBelow = optArgs[0] ? {
			type: "hphantom",
			mode: parser.mode,
			body: optArgs[0]
		} : null;
		return {
			type: "stackedArrow",
			mode: parser.mode,
			name: funcName,
			body: args[0],
			upperArrowBelow,
			lowerArrowBody,
			below: optArgs[0]
		};
	},
	mathmlBuilder(group, style) {
		let topLabel = arrowComponent[group.name][0], botLabel = arrowComponent[group.name][1], topArrow = munderoverNode(topLabel, group.body, group.upperArrowBelow, style), botArrow = munderoverNode(botLabel, group.lowerArrowBody, group.below, style), wrapper, raiseNode = new MathNode("mpadded", [topArrow]);
		if (raiseNode.setAttribute("voffset", "0.3em"), raiseNode.setAttribute("height", "+0.3em"), raiseNode.setAttribute("depth", "-0.3em"), group.name === "\\equilibriumLeft") {
			let botNode = new MathNode("mpadded", [botArrow]);
			botNode.setAttribute("width", "0.5em"), wrapper = new MathNode("mpadded", [
				padding(.2778),
				botNode,
				raiseNode,
				padding(.2778)
			]);
		} else raiseNode.setAttribute("width", group.name === "\\equilibriumRight" ? "0.5em" : "0"), wrapper = new MathNode("mpadded", [
			padding(.2778),
			raiseNode,
			botArrow,
			padding(.2778)
		]);
		return wrapper.setAttribute("voffset", "-0.18em"), wrapper.setAttribute("height", "-0.18em"), wrapper.setAttribute("depth", "+0.18em"), wrapper;
	}
});
var _environments = {};
function defineEnvironment({ type, names, props, handler, mathmlBuilder }) {
	let data = {
		type,
		numArgs: props.numArgs || 0,
		allowedInText: !1,
		numOptionalArgs: 0,
		handler
	};
	for (let i = 0; i < names.length; ++i) _environments[names[i]] = data;
	mathmlBuilder && (_mathmlGroupBuilders[type] = mathmlBuilder);
}
function assertNodeType(node, type) {
	if (!node || node.type !== type) throw Error(`Expected node of type ${type}, but got ` + (node ? `node of type ${node.type}` : String(node)));
	return node;
}
function assertSymbolNodeType(node) {
	let typedNode = checkSymbolNodeType(node);
	if (!typedNode) throw Error("Expected node of symbol group type, but got " + (node ? `node of type ${node.type}` : String(node)));
	return typedNode;
}
function checkSymbolNodeType(node) {
	return node && (node.type === "atom" || node.type === "delimiter" || Object.prototype.hasOwnProperty.call(NON_ATOMS, node.type)) ? node : null;
}
var cdArrowFunctionName = {
	">": "\\\\cdrightarrow",
	"<": "\\\\cdleftarrow",
	"=": "\\\\cdlongequal",
	A: "\\uparrow",
	V: "\\downarrow",
	"|": "\\Vert",
	".": "no arrow"
}, newCell = () => ({
	type: "styling",
	body: [],
	mode: "math",
	scriptLevel: "display"
}), isStartOfArrow = (node) => node.type === "textord" && node.text === "@", isLabelEnd = (node, endChar) => (node.type === "mathord" || node.type === "atom") && node.text === endChar;
function cdArrow(arrowChar, labels, parser) {
	let funcName = cdArrowFunctionName[arrowChar];
	switch (funcName) {
		case "\\\\cdrightarrow":
		case "\\\\cdleftarrow": return parser.callFunction(funcName, [labels[0]], [labels[1]]);
		case "\\uparrow":
		case "\\downarrow": {
			let leftLabel = parser.callFunction("\\\\cdleft", [labels[0]], []), bareArrow = {
				type: "atom",
				text: funcName,
				mode: "math",
				family: "rel"
			}, arrowGroup = {
				type: "ordgroup",
				mode: "math",
				body: [
					leftLabel,
					parser.callFunction("\\Big", [bareArrow], []),
					parser.callFunction("\\\\cdright", [labels[1]], [])
				],
				semisimple: !0
			};
			return parser.callFunction("\\\\cdparent", [arrowGroup], []);
		}
		case "\\\\cdlongequal": return parser.callFunction("\\\\cdlongequal", [], []);
		case "\\Vert": return parser.callFunction("\\Big", [{
			type: "textord",
			text: "\\Vert",
			mode: "math"
		}], []);
		default: return {
			type: "textord",
			text: " ",
			mode: "math"
		};
	}
}
function parseCD(parser) {
	let parsedRows = [];
	for (parser.gullet.beginGroup(), parser.gullet.macros.set("\\cr", "\\\\\\relax"), parser.gullet.beginGroup();;) {
		parsedRows.push(parser.parseExpression(!1, "\\\\")), parser.gullet.endGroup(), parser.gullet.beginGroup();
		let next = parser.fetch().text;
		if (next === "&" || next === "\\\\") parser.consume();
		else if (next === "\\end") {
			parsedRows[parsedRows.length - 1].length === 0 && parsedRows.pop();
			break;
		} else throw new ParseError("Expected \\\\ or \\cr or \\end", parser.nextToken);
	}
	let row = [], body = [row];
	for (let i = 0; i < parsedRows.length; i++) {
		let rowNodes = parsedRows[i], cell = newCell();
		for (let j = 0; j < rowNodes.length; j++) if (!isStartOfArrow(rowNodes[j])) cell.body.push(rowNodes[j]);
		else {
			row.push(cell), j += 1;
			let arrowChar = assertSymbolNodeType(rowNodes[j]).text, labels = [, ,];
			if (labels[0] = {
				type: "ordgroup",
				mode: "math",
				body: []
			}, labels[1] = {
				type: "ordgroup",
				mode: "math",
				body: []
			}, !("=|.".indexOf(arrowChar) > -1)) {
				if ("<>AV".indexOf(arrowChar) > -1) for (let labelNum = 0; labelNum < 2; labelNum++) {
					let inLabel = !0;
					for (let k = j + 1; k < rowNodes.length; k++) {
						if (isLabelEnd(rowNodes[k], arrowChar)) {
							inLabel = !1, j = k;
							break;
						}
						if (isStartOfArrow(rowNodes[k])) throw new ParseError("Missing a " + arrowChar + " character to complete a CD arrow.", rowNodes[k]);
						labels[labelNum].body.push(rowNodes[k]);
					}
					if (inLabel) throw new ParseError("Missing a " + arrowChar + " character to complete a CD arrow.", rowNodes[j]);
				}
				else throw new ParseError("Expected one of \"<>AV=|.\" after @.");
			}
			let arrow = cdArrow(arrowChar, labels, parser);
			row.push(arrow), cell = newCell();
		}
		i % 2 == 0 ? row.push(cell) : row.shift(), row = [], body.push(row);
	}
	return body.pop(), parser.gullet.endGroup(), parser.gullet.endGroup(), {
		type: "array",
		mode: "math",
		body,
		tags: null,
		labels: Array(body.length + 1).fill(""),
		envClasses: ["jot", "cd"],
		cols: [],
		hLinesBeforeRow: Array(body.length + 1).fill([])
	};
}
defineFunction({
	type: "cdlabel",
	names: ["\\\\cdleft", "\\\\cdright"],
	props: { numArgs: 1 },
	handler({ parser, funcName }, args) {
		return {
			type: "cdlabel",
			mode: parser.mode,
			side: funcName.slice(4),
			label: args[0]
		};
	},
	mathmlBuilder(group, style) {
		if (group.label.body.length === 0) return new MathNode("mrow", style);
		let mrow = buildGroup$1(group.label, style);
		group.side === "left" && mrow.classes.push("tml-shift-left");
		let mtd = new MathNode("mtd", [mrow]);
		mtd.style.padding = "0";
		let label = new MathNode("mpadded", [new MathNode("mtable", [new MathNode("mtr", [mtd])])]);
		return label.setAttribute("width", "0.1px"), label.setAttribute("displaystyle", "false"), label.setAttribute("scriptlevel", "1"), label;
	}
}), defineFunction({
	type: "cdlabelparent",
	names: ["\\\\cdparent"],
	props: { numArgs: 1 },
	handler({ parser }, args) {
		return {
			type: "cdlabelparent",
			mode: parser.mode,
			fragment: args[0]
		};
	},
	mathmlBuilder(group, style) {
		return new MathNode("mrow", [buildGroup$1(group.fragment, style)]);
	}
});
var ordGroup = (body) => ({
	type: "ordgroup",
	mode: "math",
	body,
	semisimple: !0
}), phantom = (body, type) => ({
	type,
	mode: "math",
	body: ordGroup(body)
}), bordermatrixParseTree = (matrix, delimiters) => {
	let body = matrix.body;
	body[0].shift();
	let leftColumnBody = Array(body.length - 1).fill().map(() => []);
	for (let i = 1; i < body.length; i++) {
		leftColumnBody[i - 1].push(body[i].shift());
		let phantomBody = [];
		for (let j = 0; j < body[i].length; j++) phantomBody.push(body[i][j]);
		leftColumnBody[i - 1].push(phantom(phantomBody, "vphantom"));
	}
	let topRowBody = Array(body.length).fill().map(() => []);
	for (let j = 0; j < body[0].length; j++) topRowBody[0].push(body[0][j]);
	for (let i = 1; i < body.length; i++) for (let j = 0; j < body[0].length; j++) topRowBody[i].push(phantom(body[i][j].body, "hphantom"));
	for (let j = 0; j < body[0].length; j++) body[0][j] = phantom(body[0][j].body, "hphantom");
	let leftColumn = {
		type: "array",
		mode: "math",
		body: leftColumnBody,
		cols: [{
			type: "align",
			align: "c"
		}],
		rowGaps: Array(leftColumnBody.length - 1).fill(null),
		hLinesBeforeRow: Array(leftColumnBody.length + 1).fill().map(() => []),
		envClasses: [],
		scriptLevel: "text",
		arraystretch: 1,
		labels: Array(leftColumnBody.length).fill(""),
		arraycolsep: {
			number: .04,
			unit: "em"
		}
	}, topWrapper = {
		type: "styling",
		mode: "math",
		scriptLevel: "text",
		body: [{
			type: "array",
			mode: "math",
			body: topRowBody,
			cols: Array(topRowBody.length).fill({
				type: "align",
				align: "c"
			}),
			rowGaps: Array(topRowBody.length - 1).fill(null),
			hLinesBeforeRow: Array(topRowBody.length + 1).fill().map(() => []),
			envClasses: [],
			scriptLevel: "text",
			arraystretch: 1,
			labels: Array(topRowBody.length).fill(""),
			arraycolsep: null
		}]
	};
	return ordGroup([leftColumn, {
		type: "supsub",
		mode: "math",
		stack: !0,
		base: {
			type: "op",
			mode: "math",
			limits: !0,
			alwaysHandleSupSub: !0,
			parentIsSupSub: !0,
			symbol: !1,
			suppressBaseShift: !0,
			body: [{
				type: "leftright",
				mode: "math",
				body: [matrix],
				left: delimiters ? delimiters[0] : "(",
				right: delimiters ? delimiters[1] : ")",
				rightColor: void 0
			}]
		},
		sup: topWrapper,
		sub: null
	}]);
}, SourceLocation = class SourceLocation {
	constructor(lexer, start, end) {
		this.lexer = lexer, this.start = start, this.end = end;
	}
	static range(first, second) {
		return second ? !first || !first.loc || !second.loc || first.loc.lexer !== second.loc.lexer ? null : new SourceLocation(first.loc.lexer, first.loc.start, second.loc.end) : first && first.loc;
	}
}, Token = class Token {
	constructor(text, loc) {
		this.text = text, this.loc = loc;
	}
	range(endToken, text) {
		return new Token(text, SourceLocation.range(this, endToken));
	}
}, StyleLevel = {
	DISPLAY: 0,
	TEXT: 1,
	SCRIPT: 2,
	SCRIPTSCRIPT: 3
}, _macros = Object.create(null);
function defineMacro(name, body) {
	_macros[name] = body;
}
var macros = _macros;
defineMacro("\\noexpand", function(context) {
	let t = context.popToken();
	return context.isExpandable(t.text) && (t.noexpand = !0, t.treatAsRelax = !0), {
		tokens: [t],
		numArgs: 0
	};
}), defineMacro("\\expandafter", function(context) {
	let t = context.popToken();
	return context.expandOnce(!0), {
		tokens: [t],
		numArgs: 0
	};
}), defineMacro("\\@firstoftwo", function(context) {
	return {
		tokens: context.consumeArgs(2)[0],
		numArgs: 0
	};
}), defineMacro("\\@secondoftwo", function(context) {
	return {
		tokens: context.consumeArgs(2)[1],
		numArgs: 0
	};
}), defineMacro("\\@ifnextchar", function(context) {
	let args = context.consumeArgs(3);
	context.consumeSpaces();
	let nextToken = context.future();
	return args[0].length === 1 && args[0][0].text === nextToken.text ? {
		tokens: args[1],
		numArgs: 0
	} : {
		tokens: args[2],
		numArgs: 0
	};
}), defineMacro("\\@ifstar", "\\@ifnextchar *{\\@firstoftwo{#1}}"), defineMacro("\\TextOrMath", function(context) {
	let args = context.consumeArgs(2);
	return context.mode === "text" ? {
		tokens: args[0],
		numArgs: 0
	} : {
		tokens: args[1],
		numArgs: 0
	};
});
var stringFromArg = (arg) => {
	let str = "";
	for (let i = arg.length - 1; i > -1; i--) str += arg[i].text;
	return str;
}, digitToNumber = {
	0: 0,
	1: 1,
	2: 2,
	3: 3,
	4: 4,
	5: 5,
	6: 6,
	7: 7,
	8: 8,
	9: 9,
	a: 10,
	A: 10,
	b: 11,
	B: 11,
	c: 12,
	C: 12,
	d: 13,
	D: 13,
	e: 14,
	E: 14,
	f: 15,
	F: 15
}, nextCharNumber = (context) => {
	let numStr = context.future().text;
	return numStr === "EOF" ? [null, ""] : [digitToNumber[numStr.charAt(0)], numStr];
}, appendCharNumbers = (number, numStr, base) => {
	for (let i = 1; i < numStr.length; i++) {
		let digit = digitToNumber[numStr.charAt(i)];
		number *= base, number += digit;
	}
	return number;
};
defineMacro("\\char", function(context) {
	let token = context.popToken(), base, number = "";
	if (token.text === "'") base = 8, token = context.popToken();
	else if (token.text === "\"") base = 16, token = context.popToken();
	else if (token.text === "`") {
		if (token = context.popToken(), token.text[0] === "\\") number = token.text.charCodeAt(1);
		else if (token.text === "EOF") throw new ParseError("\\char` missing argument");
		else number = token.text.charCodeAt(0);
	} else base = 10;
	if (base) {
		let numStr = token.text;
		if (number = digitToNumber[numStr.charAt(0)], number == null || number >= base) throw new ParseError(`Invalid base-${base} digit ${token.text}`);
		number = appendCharNumbers(number, numStr, base);
		let digit;
		for ([digit, numStr] = nextCharNumber(context); digit != null && digit < base;) number *= base, number += digit, number = appendCharNumbers(number, numStr, base), context.popToken(), [digit, numStr] = nextCharNumber(context);
	}
	return `\\@char{${number}}`;
});
function recreateArgStr(context) {
	let tokens = context.consumeArgs(1)[0], str = "", expectedLoc = tokens[tokens.length - 1].loc.start;
	for (let i = tokens.length - 1; i >= 0; i--) {
		let actualLoc = tokens[i].loc.start;
		actualLoc > expectedLoc && (str += " ", expectedLoc = actualLoc), str += tokens[i].text, expectedLoc += tokens[i].text.length;
	}
	return str;
}
defineMacro("\\surd", "\\sqrt{\\vphantom{|}}"), defineMacro("⊕", "\\oplus"), defineMacro("\\long", ""), defineMacro("\\bgroup", "{"), defineMacro("\\egroup", "}"), defineMacro("~", "\\nobreakspace"), defineMacro("\\lq", "`"), defineMacro("\\rq", "'"), defineMacro("\\aa", "\\r a"), defineMacro("\\Bbbk", "\\Bbb{k}"), defineMacro("\\mathstrut", "\\vphantom{(}"), defineMacro("\\underbar", "\\underline{\\text{#1}}"), defineMacro("\\vdots", "{\\varvdots\\rule{0pt}{15pt}}"), defineMacro("⋮", "\\vdots"), defineMacro("\\arraystretch", "1"), defineMacro("\\arraycolsep", "6pt"), defineMacro("\\substack", "\\begin{subarray}{c}#1\\end{subarray}"), defineMacro("\\iff", "\\DOTSB\\;\\Longleftrightarrow\\;"), defineMacro("\\implies", "\\DOTSB\\;\\Longrightarrow\\;"), defineMacro("\\impliedby", "\\DOTSB\\;\\Longleftarrow\\;");
var dotsByToken = {
	",": "\\dotsc",
	"\\not": "\\dotsb",
	"+": "\\dotsb",
	"=": "\\dotsb",
	"<": "\\dotsb",
	">": "\\dotsb",
	"-": "\\dotsb",
	"*": "\\dotsb",
	":": "\\dotsb",
	"\\DOTSB": "\\dotsb",
	"\\coprod": "\\dotsb",
	"\\bigvee": "\\dotsb",
	"\\bigwedge": "\\dotsb",
	"\\biguplus": "\\dotsb",
	"\\bigcap": "\\dotsb",
	"\\bigcup": "\\dotsb",
	"\\prod": "\\dotsb",
	"\\sum": "\\dotsb",
	"\\bigotimes": "\\dotsb",
	"\\bigoplus": "\\dotsb",
	"\\bigodot": "\\dotsb",
	"\\bigsqcap": "\\dotsb",
	"\\bigsqcup": "\\dotsb",
	"\\bigtimes": "\\dotsb",
	"\\And": "\\dotsb",
	"\\longrightarrow": "\\dotsb",
	"\\Longrightarrow": "\\dotsb",
	"\\longleftarrow": "\\dotsb",
	"\\Longleftarrow": "\\dotsb",
	"\\longleftrightarrow": "\\dotsb",
	"\\Longleftrightarrow": "\\dotsb",
	"\\mapsto": "\\dotsb",
	"\\longmapsto": "\\dotsb",
	"\\hookrightarrow": "\\dotsb",
	"\\doteq": "\\dotsb",
	"\\mathbin": "\\dotsb",
	"\\mathrel": "\\dotsb",
	"\\relbar": "\\dotsb",
	"\\Relbar": "\\dotsb",
	"\\xrightarrow": "\\dotsb",
	"\\xleftarrow": "\\dotsb",
	"\\DOTSI": "\\dotsi",
	"\\int": "\\dotsi",
	"\\oint": "\\dotsi",
	"\\iint": "\\dotsi",
	"\\iiint": "\\dotsi",
	"\\iiiint": "\\dotsi",
	"\\DOTSX": "\\dotsx"
};
defineMacro("\\dots", function(context) {
	let thedots = "\\dotso", next = context.expandAfterFuture().text;
	return next in dotsByToken ? thedots = dotsByToken[next] : (next.slice(0, 4) === "\\not" || next in symbols.math && ["bin", "rel"].includes(symbols.math[next].group)) && (thedots = "\\dotsb"), thedots;
});
var spaceAfterDots = {
	")": !0,
	"]": !0,
	"\\rbrack": !0,
	"\\}": !0,
	"\\rbrace": !0,
	"\\rangle": !0,
	"\\rceil": !0,
	"\\rfloor": !0,
	"\\rgroup": !0,
	"\\rmoustache": !0,
	"\\right": !0,
	"\\bigr": !0,
	"\\biggr": !0,
	"\\Bigr": !0,
	"\\Biggr": !0,
	$: !0,
	";": !0,
	".": !0,
	",": !0
};
defineMacro("\\dotso", function(context) {
	return context.future().text in spaceAfterDots ? "\\ldots\\," : "\\ldots";
}), defineMacro("\\dotsc", function(context) {
	let next = context.future().text;
	return next in spaceAfterDots && next !== "," ? "\\ldots\\," : "\\ldots";
}), defineMacro("\\cdots", function(context) {
	return context.future().text in spaceAfterDots ? "\\@cdots\\," : "\\@cdots";
}), defineMacro("\\dotsb", "\\cdots"), defineMacro("\\dotsm", "\\cdots"), defineMacro("\\dotsi", "\\!\\cdots"), defineMacro("\\idotsint", "\\int\\!\\cdots\\!\\int"), defineMacro("\\dotsx", "\\ldots\\,"), defineMacro("\\DOTSI", "\\relax"), defineMacro("\\DOTSB", "\\relax"), defineMacro("\\DOTSX", "\\relax"), defineMacro("\\tmspace", "\\TextOrMath{\\kern#1#3}{\\mskip#1#2}\\relax"), defineMacro("\\,", "{\\tmspace+{3mu}{.1667em}}"), defineMacro("\\thinspace", "\\,"), defineMacro("\\>", "\\mskip{4mu}"), defineMacro("\\:", "{\\tmspace+{4mu}{.2222em}}"), defineMacro("\\medspace", "\\:"), defineMacro("\\;", "{\\tmspace+{5mu}{.2777em}}"), defineMacro("\\thickspace", "\\;"), defineMacro("\\!", "{\\tmspace-{3mu}{.1667em}}"), defineMacro("\\negthinspace", "\\!"), defineMacro("\\negmedspace", "{\\tmspace-{4mu}{.2222em}}"), defineMacro("\\negthickspace", "{\\tmspace-{5mu}{.277em}}"), defineMacro("\\enspace", "\\kern.5em "), defineMacro("\\enskip", "\\hskip.5em\\relax"), defineMacro("\\quad", "\\hskip1em\\relax"), defineMacro("\\qquad", "\\hskip2em\\relax"), defineMacro("\\AA", "\\TextOrMath{\\Angstrom}{\\mathring{A}}\\relax"), defineMacro("\\tag", "\\@ifstar\\tag@literal\\tag@paren"), defineMacro("\\tag@paren", "\\tag@literal{({#1})}"), defineMacro("\\tag@literal", (context) => {
	if (context.macros.get("\\df@tag")) throw new ParseError("Multiple \\tag");
	return "\\gdef\\df@tag{\\text{#1}}";
}), defineMacro("\\notag", "\\nonumber"), defineMacro("\\nonumber", "\\gdef\\@eqnsw{0}"), defineMacro("\\bmod", "\\mathbin{\\text{mod}}"), defineMacro("\\pod", "\\allowbreak\\mathchoice{\\mkern18mu}{\\mkern8mu}{\\mkern8mu}{\\mkern8mu}(#1)"), defineMacro("\\pmod", "\\pod{{\\rm mod}\\mkern6mu#1}"), defineMacro("\\mod", "\\allowbreak\\mathchoice{\\mkern18mu}{\\mkern12mu}{\\mkern12mu}{\\mkern12mu}{\\rm mod}\\,\\,#1"), defineMacro("\\newline", "\\\\\\relax"), defineMacro("\\TeX", "\\textrm{T}\\kern-.1667em\\raisebox{-.5ex}{E}\\kern-.125em\\textrm{X}"), defineMacro("\\LaTeX", "\\textrm{L}\\kern-.35em\\raisebox{0.2em}{\\scriptstyle A}\\kern-.15em\\TeX"), defineMacro("\\Temml", "\\textrm{T}\\kern-0.2em\\lower{0.2em}{\\textrm{E}}\\kern-0.08em{\\textrm{M}\\kern-0.08em\\raise{0.2em}\\textrm{M}\\kern-0.08em\\textrm{L}}"), defineMacro("\\hspace", "\\@ifstar\\@hspacer\\@hspace"), defineMacro("\\@hspace", "\\hskip #1\\relax"), defineMacro("\\@hspacer", "\\rule{0pt}{0pt}\\hskip #1\\relax"), defineMacro("\\colon", "\\mathpunct{\\char\"3a}"), defineMacro("\\prescript", "\\pres@cript{_{#1}^{#2}}{}{#3}"), defineMacro("\\ordinarycolon", "\\char\"3a"), defineMacro("\\vcentcolon", "\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}}"), defineMacro("\\coloneq", "\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char\"2212}"), defineMacro("\\Coloneq", "\\mathrel{\\char\"2237\\char\"2212}"), defineMacro("\\Eqqcolon", "\\mathrel{\\char\"3d\\char\"2237}"), defineMacro("\\Eqcolon", "\\mathrel{\\char\"2212\\char\"2237}"), defineMacro("\\colonapprox", "\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char\"2248}"), defineMacro("\\Colonapprox", "\\mathrel{\\char\"2237\\char\"2248}"), defineMacro("\\colonsim", "\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char\"223c}"), defineMacro("\\Colonsim", "\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char\"223c}"), defineMacro("\\ratio", "\\vcentcolon"), defineMacro("\\coloncolon", "\\dblcolon"), defineMacro("\\colonequals", "\\coloneqq"), defineMacro("\\coloncolonequals", "\\Coloneqq"), defineMacro("\\equalscolon", "\\eqqcolon"), defineMacro("\\equalscoloncolon", "\\Eqqcolon"), defineMacro("\\colonminus", "\\coloneq"), defineMacro("\\coloncolonminus", "\\Coloneq"), defineMacro("\\minuscolon", "\\eqcolon"), defineMacro("\\minuscoloncolon", "\\Eqcolon"), defineMacro("\\coloncolonapprox", "\\Colonapprox"), defineMacro("\\coloncolonsim", "\\Colonsim"), defineMacro("\\notni", "\\mathrel{\\char`∌}"), defineMacro("\\limsup", "\\DOTSB\\operatorname*{lim\\,sup}"), defineMacro("\\liminf", "\\DOTSB\\operatorname*{lim\\,inf}"), defineMacro("\\injlim", "\\DOTSB\\operatorname*{inj\\,lim}"), defineMacro("\\projlim", "\\DOTSB\\operatorname*{proj\\,lim}"), defineMacro("\\varlimsup", "\\DOTSB\\operatorname*{\\overline{\\text{lim}}}"), defineMacro("\\varliminf", "\\DOTSB\\operatorname*{\\underline{\\text{lim}}}"), defineMacro("\\varinjlim", "\\DOTSB\\operatorname*{\\underrightarrow{\\text{lim}}}"), defineMacro("\\varprojlim", "\\DOTSB\\operatorname*{\\underleftarrow{\\text{lim}}}"), defineMacro("\\centerdot", "{\\medspace\\rule{0.167em}{0.189em}\\medspace}"), defineMacro("\\argmin", "\\DOTSB\\operatorname*{arg\\,min}"), defineMacro("\\argmax", "\\DOTSB\\operatorname*{arg\\,max}"), defineMacro("\\plim", "\\DOTSB\\operatorname*{plim}"), defineMacro("\\leftmodels", "\\mathop{\\reflectbox{$\\models$}}"), defineMacro("\\bra", "\\mathinner{\\langle{#1}|}"), defineMacro("\\ket", "\\mathinner{|{#1}\\rangle}"), defineMacro("\\braket", "\\mathinner{\\langle{#1}\\rangle}"), defineMacro("\\Bra", "\\left\\langle#1\\right|"), defineMacro("\\Ket", "\\left|#1\\right\\rangle");
var replaceVert = (argStr, match) => {
	let replaceStr = `}\\,\\middle${match[0] === "|" ? "\\vert" : "\\Vert"}\\,{`;
	return argStr.slice(0, match.index) + replaceStr + argStr.slice(match.index + match[0].length);
};
defineMacro("\\Braket", function(context) {
	let argStr = recreateArgStr(context), regEx = /\|\||\||\\\|/g, match;
	for (; (match = regEx.exec(argStr)) !== null;) argStr = replaceVert(argStr, match);
	return "\\left\\langle{" + argStr + "}\\right\\rangle";
}), defineMacro("\\Set", function(context) {
	let argStr = recreateArgStr(context), match = /\|\||\||\\\|/.exec(argStr);
	return match && (argStr = replaceVert(argStr, match)), "\\left\\{\\:{" + argStr + "}\\:\\right\\}";
}), defineMacro("\\set", function(context) {
	return "\\{{" + recreateArgStr(context).replace(/\|/, "}\\mid{") + "}\\}";
}), defineMacro("\\angln", "{\\angl n}"), defineMacro("\\odv", "\\@ifstar\\odv@next\\odv@numerator"), defineMacro("\\odv@numerator", "\\frac{\\mathrm{d}#1}{\\mathrm{d}#2}"), defineMacro("\\odv@next", "\\frac{\\mathrm{d}}{\\mathrm{d}#2}#1"), defineMacro("\\pdv", "\\@ifstar\\pdv@next\\pdv@numerator");
var pdvHelper = (args) => {
	let numerator = args[0][0].text, denoms = stringFromArg(args[1]).split(","), power = String(denoms.length), numOp = power === "1" ? "\\partial" : `\\partial^${power}`, denominator = "";
	return denoms.map((e) => {
		denominator += "\\partial " + e.trim() + "\\,";
	}), [
		numerator,
		numOp,
		denominator.replace(/\\,$/, "")
	];
};
defineMacro("\\pdv@numerator", function(context) {
	let [numerator, numOp, denominator] = pdvHelper(context.consumeArgs(2));
	return `\\frac{${numOp} ${numerator}}{${denominator}}`;
}), defineMacro("\\pdv@next", function(context) {
	let [numerator, numOp, denominator] = pdvHelper(context.consumeArgs(2));
	return `\\frac{${numOp}}{${denominator}} ${numerator}`;
}), defineMacro("\\upalpha", "\\up@greek{\\alpha}"), defineMacro("\\upbeta", "\\up@greek{\\beta}"), defineMacro("\\upgamma", "\\up@greek{\\gamma}"), defineMacro("\\updelta", "\\up@greek{\\delta}"), defineMacro("\\upepsilon", "\\up@greek{\\epsilon}"), defineMacro("\\upzeta", "\\up@greek{\\zeta}"), defineMacro("\\upeta", "\\up@greek{\\eta}"), defineMacro("\\uptheta", "\\up@greek{\\theta}"), defineMacro("\\upiota", "\\up@greek{\\iota}"), defineMacro("\\upkappa", "\\up@greek{\\kappa}"), defineMacro("\\uplambda", "\\up@greek{\\lambda}"), defineMacro("\\upmu", "\\up@greek{\\mu}"), defineMacro("\\upnu", "\\up@greek{\\nu}"), defineMacro("\\upxi", "\\up@greek{\\xi}"), defineMacro("\\upomicron", "\\up@greek{\\omicron}"), defineMacro("\\uppi", "\\up@greek{\\pi}"), defineMacro("\\upalpha", "\\up@greek{\\alpha}"), defineMacro("\\uprho", "\\up@greek{\\rho}"), defineMacro("\\upsigma", "\\up@greek{\\sigma}"), defineMacro("\\uptau", "\\up@greek{\\tau}"), defineMacro("\\upupsilon", "\\up@greek{\\upsilon}"), defineMacro("\\upphi", "\\up@greek{\\phi}"), defineMacro("\\upchi", "\\up@greek{\\chi}"), defineMacro("\\uppsi", "\\up@greek{\\psi}"), defineMacro("\\upomega", "\\up@greek{\\omega}"), defineMacro("\\invamp", "\\mathbin{\\char\"214b}"), defineMacro("\\parr", "\\mathbin{\\char\"214b}"), defineMacro("\\upand", "\\mathbin{\\char\"214b}"), defineMacro("\\with", "\\mathbin{\\char\"26}"), defineMacro("\\multimapinv", "\\mathrel{\\char\"27dc}"), defineMacro("\\multimapboth", "\\mathrel{\\char\"29df}"), defineMacro("\\scoh", "{\\mkern5mu\\char\"2322\\mkern5mu}"), defineMacro("\\sincoh", "{\\mkern5mu\\char\"2323\\mkern5mu}"), defineMacro("\\coh", "{\\mkern5mu\\rule{}{0.7em}\\mathrlap{\\smash{\\raise2mu{\\char\"2322}}}\n{\\smash{\\lower4mu{\\char\"2323}}}\\mkern5mu}"), defineMacro("\\incoh", "{\\mkern5mu\\rule{}{0.7em}\\mathrlap{\\smash{\\raise2mu{\\char\"2323}}}\n{\\smash{\\lower4mu{\\char\"2322}}}\\mkern5mu}"), defineMacro("\\standardstate", "\\text{\\tiny\\char`⦵}"), defineMacro("\\ce", function(context) {
	return chemParse(context.consumeArgs(1)[0], "ce");
}), defineMacro("\\pu", function(context) {
	return chemParse(context.consumeArgs(1)[0], "pu");
}), defineMacro("\\uniDash", "{\\rule{0.672em}{0.06em}}"), defineMacro("\\triDash", "{\\rule{0.15em}{0.06em}\\kern2mu\\rule{0.15em}{0.06em}\\kern2mu\\rule{0.15em}{0.06em}}"), defineMacro("\\tripleDash", "\\kern0.075em\\raise0.25em{\\triDash}\\kern0.075em"), defineMacro("\\tripleDashOverLine", "\\kern0.075em\\mathrlap{\\raise0.125em{\\uniDash}}\\raise0.34em{\\triDash}\\kern0.075em"), defineMacro("\\tripleDashOverDoubleLine", "\\kern0.075em\\mathrlap{\\mathrlap{\\raise0.48em{\\triDash}}\\raise0.27em{\\uniDash}}{\\raise0.05em{\\uniDash}}\\kern0.075em"), defineMacro("\\tripleDashBetweenDoubleLine", "\\kern0.075em\\mathrlap{\\mathrlap{\\raise0.48em{\\uniDash}}\\raise0.27em{\\triDash}}{\\raise0.05em{\\uniDash}}\\kern0.075em");
var chemParse = function(tokens, stateMachine) {
	for (var str = "", expectedLoc = tokens.length && tokens[tokens.length - 1].loc.start, i = tokens.length - 1; i >= 0; i--) tokens[i].loc.start > expectedLoc && (str += " ", expectedLoc = tokens[i].loc.start), str += tokens[i].text, expectedLoc += tokens[i].text.length;
	return texify.go(mhchemParser.go(str, stateMachine));
}, mhchemParser = {
	go: function(input, stateMachine) {
		if (!input) return [];
		stateMachine === void 0 && (stateMachine = "ce");
		var state = "0", buffer = {};
		buffer.parenthesisLevel = 0, input = input.replace(/\n/g, " "), input = input.replace(/[\u2212\u2013\u2014\u2010]/g, "-"), input = input.replace(/[\u2026]/g, "...");
		for (var lastInput, watchdog = 10, output = [];;) {
			lastInput === input ? watchdog-- : (watchdog = 10, lastInput = input);
			var machine = mhchemParser.stateMachines[stateMachine], t = machine.transitions[state] || machine.transitions["*"];
			iterateTransitions: for (var i = 0; i < t.length; i++) {
				var matches = mhchemParser.patterns.match_(t[i].pattern, input);
				if (matches) {
					for (var task = t[i].task, iA = 0; iA < task.action_.length; iA++) {
						var o;
						if (machine.actions[task.action_[iA].type_]) o = machine.actions[task.action_[iA].type_](buffer, matches.match_, task.action_[iA].option);
						else if (mhchemParser.actions[task.action_[iA].type_]) o = mhchemParser.actions[task.action_[iA].type_](buffer, matches.match_, task.action_[iA].option);
						else throw ["MhchemBugA", "mhchem bug A. Please report. (" + task.action_[iA].type_ + ")"];
						mhchemParser.concatArray(output, o);
					}
					if (state = task.nextState || state, input.length > 0) {
						if (task.revisit || (input = matches.remainder), !task.toContinue) break iterateTransitions;
					} else return output;
				}
			}
			if (watchdog <= 0) throw ["MhchemBugU", "mhchem bug U. Please report."];
		}
	},
	concatArray: function(a, b) {
		if (b) {
			if (Array.isArray(b)) for (var iB = 0; iB < b.length; iB++) a.push(b[iB]);
			else a.push(b);
		}
	},
	patterns: {
		patterns: {
			empty: /^$/,
			else: /^./,
			else2: /^./,
			space: /^\s/,
			"space A": /^\s(?=[A-Z\\$])/,
			space$: /^\s$/,
			"a-z": /^[a-z]/,
			x: /^x/,
			x$: /^x$/,
			i$: /^i$/,
			letters: /^(?:[a-zA-Z\u03B1-\u03C9\u0391-\u03A9?@]|(?:\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)(?:\s+|\{\}|(?![a-zA-Z]))))+/,
			"\\greek": /^\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)(?:\s+|\{\}|(?![a-zA-Z]))/,
			"one lowercase latin letter $": /^(?:([a-z])(?:$|[^a-zA-Z]))$/,
			"$one lowercase latin letter$ $": /^\$(?:([a-z])(?:$|[^a-zA-Z]))\$$/,
			"one lowercase greek letter $": /^(?:\$?[\u03B1-\u03C9]\$?|\$?\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega)\s*\$?)(?:\s+|\{\}|(?![a-zA-Z]))$/,
			digits: /^[0-9]+/,
			"-9.,9": /^[+\-]?(?:[0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))/,
			"-9.,9 no missing 0": /^[+\-]?[0-9]+(?:[.,][0-9]+)?/,
			"(-)(9.,9)(e)(99)": function(input) {
				var m = input.match(/^(\+\-|\+\/\-|\+|\-|\\pm\s?)?([0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))?(\((?:[0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))\))?(?:([eE]|\s*(\*|x|\\times|\u00D7)\s*10\^)([+\-]?[0-9]+|\{[+\-]?[0-9]+\}))?/);
				return m && m[0] ? {
					match_: m.splice(1),
					remainder: input.substr(m[0].length)
				} : null;
			},
			"(-)(9)^(-9)": function(input) {
				var m = input.match(/^(\+\-|\+\/\-|\+|\-|\\pm\s?)?([0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+)?)\^([+\-]?[0-9]+|\{[+\-]?[0-9]+\})/);
				return m && m[0] ? {
					match_: m.splice(1),
					remainder: input.substr(m[0].length)
				} : null;
			},
			"state of aggregation $": function(input) {
				var a = mhchemParser.patterns.findObserveGroups(input, "", /^\([a-z]{1,3}(?=[\),])/, ")", "");
				if (a && a.remainder.match(/^($|[\s,;\)\]\}])/)) return a;
				var m = input.match(/^(?:\((?:\\ca\s?)?\$[amothc]\$\))/);
				return m ? {
					match_: m[0],
					remainder: input.substr(m[0].length)
				} : null;
			},
			"_{(state of aggregation)}$": /^_\{(\([a-z]{1,3}\))\}/,
			"{[(": /^(?:\\\{|\[|\()/,
			")]}": /^(?:\)|\]|\\\})/,
			", ": /^[,;]\s*/,
			",": /^[,;]/,
			".": /^[.]/,
			". ": /^([.\u22C5\u00B7\u2022])\s*/,
			"...": /^\.\.\.(?=$|[^.])/,
			"* ": /^([*])\s*/,
			"^{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "^{", "", "", "}");
			},
			"^($...$)": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "^", "$", "$", "");
			},
			"^a": /^\^([0-9]+|[^\\_])/,
			"^\\x{}{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "^", /^\\[a-zA-Z]+\{/, "}", "", "", "{", "}", "", !0);
			},
			"^\\x{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "^", /^\\[a-zA-Z]+\{/, "}", "");
			},
			"^\\x": /^\^(\\[a-zA-Z]+)\s*/,
			"^(-1)": /^\^(-?\d+)/,
			"'": /^'/,
			"_{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "_{", "", "", "}");
			},
			"_($...$)": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "_", "$", "$", "");
			},
			_9: /^_([+\-]?[0-9]+|[^\\])/,
			"_\\x{}{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "_", /^\\[a-zA-Z]+\{/, "}", "", "", "{", "}", "", !0);
			},
			"_\\x{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "_", /^\\[a-zA-Z]+\{/, "}", "");
			},
			"_\\x": /^_(\\[a-zA-Z]+)\s*/,
			"^_": /^(?:\^(?=_)|\_(?=\^)|[\^_]$)/,
			"{}": /^\{\}/,
			"{...}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "", "{", "}", "");
			},
			"{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "{", "", "", "}");
			},
			"$...$": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "", "$", "$", "");
			},
			"${(...)}$": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "${", "", "", "}$");
			},
			"$(...)$": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "$", "", "", "$");
			},
			"=<>": /^[=<>]/,
			"#": /^[#\u2261]/,
			"+": /^\+/,
			"-$": /^-(?=[\s_},;\]/]|$|\([a-z]+\))/,
			"-9": /^-(?=[0-9])/,
			"- orbital overlap": /^-(?=(?:[spd]|sp)(?:$|[\s,;\)\]\}]))/,
			"-": /^-/,
			"pm-operator": /^(?:\\pm|\$\\pm\$|\+-|\+\/-)/,
			operator: /^(?:\+|(?:[\-=<>]|<<|>>|\\approx|\$\\approx\$)(?=\s|$|-?[0-9]))/,
			arrowUpDown: /^(?:v|\(v\)|\^|\(\^\))(?=$|[\s,;\)\]\}])/,
			"\\bond{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\bond{", "", "", "}");
			},
			"->": /^(?:<->|<-->|->|<-|<=>>|<<=>|<=>|[\u2192\u27F6\u21CC])/,
			CMT: /^[CMT](?=\[)/,
			"[(...)]": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "[", "", "", "]");
			},
			"1st-level escape": /^(&|\\\\|\\hline)\s*/,
			"\\,": /^(?:\\[,\ ;:])/,
			"\\x{}{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "", /^\\[a-zA-Z]+\{/, "}", "", "", "{", "}", "", !0);
			},
			"\\x{}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "", /^\\[a-zA-Z]+\{/, "}", "");
			},
			"\\ca": /^\\ca(?:\s+|(?![a-zA-Z]))/,
			"\\x": /^(?:\\[a-zA-Z]+\s*|\\[_&{}%])/,
			orbital: /^(?:[0-9]{1,2}[spdfgh]|[0-9]{0,2}sp)(?=$|[^a-zA-Z])/,
			others: /^[\/~|]/,
			"\\frac{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\frac{", "", "", "}", "{", "", "", "}");
			},
			"\\overset{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\overset{", "", "", "}", "{", "", "", "}");
			},
			"\\underset{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\underset{", "", "", "}", "{", "", "", "}");
			},
			"\\underbrace{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\underbrace{", "", "", "}_", "{", "", "", "}");
			},
			"\\color{(...)}0": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\color{", "", "", "}");
			},
			"\\color{(...)}{(...)}1": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\color{", "", "", "}", "{", "", "", "}");
			},
			"\\color(...){(...)}2": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\color", "\\", "", /^(?=\{)/, "{", "", "", "}");
			},
			"\\ce{(...)}": function(input) {
				return mhchemParser.patterns.findObserveGroups(input, "\\ce{", "", "", "}");
			},
			oxidation$: /^(?:[+-][IVX]+|\\pm\s*0|\$\\pm\$\s*0)$/,
			"d-oxidation$": /^(?:[+-]?\s?[IVX]+|\\pm\s*0|\$\\pm\$\s*0)$/,
			"roman numeral": /^[IVX]+/,
			"1/2$": /^[+\-]?(?:[0-9]+|\$[a-z]\$|[a-z])\/[0-9]+(?:\$[a-z]\$|[a-z])?$/,
			amount: function(input) {
				var match = input.match(/^(?:(?:(?:\([+\-]?[0-9]+\/[0-9]+\)|[+\-]?(?:[0-9]+|\$[a-z]\$|[a-z])\/[0-9]+|[+\-]?[0-9]+[.,][0-9]+|[+\-]?\.[0-9]+|[+\-]?[0-9]+)(?:[a-z](?=\s*[A-Z]))?)|[+\-]?[a-z](?=\s*[A-Z])|\+(?!\s))/);
				if (match) return {
					match_: match[0],
					remainder: input.substr(match[0].length)
				};
				var a = mhchemParser.patterns.findObserveGroups(input, "", "$", "$", "");
				return a && (match = a.match_.match(/^\$(?:\(?[+\-]?(?:[0-9]*[a-z]?[+\-])?[0-9]*[a-z](?:[+\-][0-9]*[a-z]?)?\)?|\+|-)\$$/), match) ? {
					match_: match[0],
					remainder: input.substr(match[0].length)
				} : null;
			},
			amount2: function(input) {
				return this.amount(input);
			},
			"(KV letters),": /^(?:[A-Z][a-z]{0,2}|i)(?=,)/,
			formula$: function(input) {
				if (input.match(/^\([a-z]+\)$/)) return null;
				var match = input.match(/^(?:[a-z]|(?:[0-9\ \+\-\,\.\(\)]+[a-z])+[0-9\ \+\-\,\.\(\)]*|(?:[a-z][0-9\ \+\-\,\.\(\)]+)+[a-z]?)$/);
				return match ? {
					match_: match[0],
					remainder: input.substr(match[0].length)
				} : null;
			},
			uprightEntities: /^(?:pH|pOH|pC|pK|iPr|iBu)(?=$|[^a-zA-Z])/,
			"/": /^\s*(\/)\s*/,
			"//": /^\s*(\/\/)\s*/,
			"*": /^\s*[*.]\s*/
		},
		findObserveGroups: function(input, begExcl, begIncl, endIncl, endExcl, beg2Excl, beg2Incl, end2Incl, end2Excl, combine) {
			var _match = function(input, pattern) {
				if (typeof pattern == "string") return input.indexOf(pattern) === 0 ? pattern : null;
				var match = input.match(pattern);
				return match ? match[0] : null;
			}, _findObserveGroups = function(input, i, endChars) {
				for (var braces = 0; i < input.length;) {
					var a = input.charAt(i), match = _match(input.substr(i), endChars);
					if (match !== null && braces === 0) return {
						endMatchBegin: i,
						endMatchEnd: i + match.length
					};
					if (a === "{") braces++;
					else if (a === "}") {
						if (braces === 0) throw ["ExtraCloseMissingOpen", "Extra close brace or missing open brace"];
						braces--;
					}
					i++;
				}
				return null;
			}, match = _match(input, begExcl);
			if (match === null || (input = input.substr(match.length), match = _match(input, begIncl), match === null)) return null;
			var e = _findObserveGroups(input, match.length, endIncl || endExcl);
			if (e === null) return null;
			var match1 = input.substring(0, endIncl ? e.endMatchEnd : e.endMatchBegin);
			if (beg2Excl || beg2Incl) {
				var group2 = this.findObserveGroups(input.substr(e.endMatchEnd), beg2Excl, beg2Incl, end2Incl, end2Excl);
				if (group2 === null) return null;
				var matchRet = [match1, group2.match_];
				return {
					match_: combine ? matchRet.join("") : matchRet,
					remainder: group2.remainder
				};
			}
			return {
				match_: match1,
				remainder: input.substr(e.endMatchEnd)
			};
		},
		match_: function(m, input) {
			var pattern = mhchemParser.patterns.patterns[m];
			if (pattern === void 0) throw ["MhchemBugP", "mhchem bug P. Please report. (" + m + ")"];
			if (typeof pattern == "function") return mhchemParser.patterns.patterns[m](input);
			var match = input.match(pattern);
			return match ? {
				match_: match[2] ? [match[1], match[2]] : match[1] ? match[1] : match[0],
				remainder: input.substr(match[0].length)
			} : null;
		}
	},
	actions: {
		"a=": function(buffer, m) {
			buffer.a = (buffer.a || "") + m;
		},
		"b=": function(buffer, m) {
			buffer.b = (buffer.b || "") + m;
		},
		"p=": function(buffer, m) {
			buffer.p = (buffer.p || "") + m;
		},
		"o=": function(buffer, m) {
			buffer.o = (buffer.o || "") + m;
		},
		"q=": function(buffer, m) {
			buffer.q = (buffer.q || "") + m;
		},
		"d=": function(buffer, m) {
			buffer.d = (buffer.d || "") + m;
		},
		"rm=": function(buffer, m) {
			buffer.rm = (buffer.rm || "") + m;
		},
		"text=": function(buffer, m) {
			buffer.text_ = (buffer.text_ || "") + m;
		},
		insert: function(buffer, m, a) {
			return { type_: a };
		},
		"insert+p1": function(buffer, m, a) {
			return {
				type_: a,
				p1: m
			};
		},
		"insert+p1+p2": function(buffer, m, a) {
			return {
				type_: a,
				p1: m[0],
				p2: m[1]
			};
		},
		copy: function(buffer, m) {
			return m;
		},
		rm: function(buffer, m) {
			return {
				type_: "rm",
				p1: m || ""
			};
		},
		text: function(buffer, m) {
			return mhchemParser.go(m, "text");
		},
		"{text}": function(buffer, m) {
			var ret = ["{"];
			return mhchemParser.concatArray(ret, mhchemParser.go(m, "text")), ret.push("}"), ret;
		},
		"tex-math": function(buffer, m) {
			return mhchemParser.go(m, "tex-math");
		},
		"tex-math tight": function(buffer, m) {
			return mhchemParser.go(m, "tex-math tight");
		},
		bond: function(buffer, m, k) {
			return {
				type_: "bond",
				kind_: k || m
			};
		},
		"color0-output": function(buffer, m) {
			return {
				type_: "color0",
				color: m[0]
			};
		},
		ce: function(buffer, m) {
			return mhchemParser.go(m);
		},
		"1/2": function(buffer, m) {
			var ret = [];
			m.match(/^[+\-]/) && (ret.push(m.substr(0, 1)), m = m.substr(1));
			var n = m.match(/^([0-9]+|\$[a-z]\$|[a-z])\/([0-9]+)(\$[a-z]\$|[a-z])?$/);
			return n[1] = n[1].replace(/\$/g, ""), ret.push({
				type_: "frac",
				p1: n[1],
				p2: n[2]
			}), n[3] && (n[3] = n[3].replace(/\$/g, ""), ret.push({
				type_: "tex-math",
				p1: n[3]
			})), ret;
		},
		"9,9": function(buffer, m) {
			return mhchemParser.go(m, "9,9");
		}
	},
	createTransitions: function(o) {
		var pattern, state, stateArray, i, transitions = {};
		for (pattern in o) for (state in o[pattern]) for (stateArray = state.split("|"), o[pattern][state].stateArray = stateArray, i = 0; i < stateArray.length; i++) transitions[stateArray[i]] = [];
		for (pattern in o) for (state in o[pattern]) for (stateArray = o[pattern][state].stateArray || [], i = 0; i < stateArray.length; i++) {
			var p = o[pattern][state];
			if (p.action_) {
				p.action_ = [].concat(p.action_);
				for (var k = 0; k < p.action_.length; k++) typeof p.action_[k] == "string" && (p.action_[k] = { type_: p.action_[k] });
			} else p.action_ = [];
			for (var patternArray = pattern.split("|"), j = 0; j < patternArray.length; j++) if (stateArray[i] === "*") for (var t in transitions) transitions[t].push({
				pattern: patternArray[j],
				task: p
			});
			else transitions[stateArray[i]].push({
				pattern: patternArray[j],
				task: p
			});
		}
		return transitions;
	},
	stateMachines: {}
};
mhchemParser.stateMachines = {
	ce: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			else: { "0|1|2": {
				action_: "beginsWithBond=false",
				revisit: !0,
				toContinue: !0
			} },
			oxidation$: { 0: { action_: "oxidation-output" } },
			CMT: {
				r: {
					action_: "rdt=",
					nextState: "rt"
				},
				rd: {
					action_: "rqt=",
					nextState: "rdt"
				}
			},
			arrowUpDown: { "0|1|2|as": {
				action_: [
					"sb=false",
					"output",
					"operator"
				],
				nextState: "1"
			} },
			uprightEntities: { "0|1|2": {
				action_: ["o=", "output"],
				nextState: "1"
			} },
			orbital: { "0|1|2|3": {
				action_: "o=",
				nextState: "o"
			} },
			"->": {
				"0|1|2|3": {
					action_: "r=",
					nextState: "r"
				},
				"a|as": {
					action_: ["output", "r="],
					nextState: "r"
				},
				"*": {
					action_: ["output", "r="],
					nextState: "r"
				}
			},
			"+": {
				o: {
					action_: "d= kv",
					nextState: "d"
				},
				"d|D": {
					action_: "d=",
					nextState: "d"
				},
				q: {
					action_: "d=",
					nextState: "qd"
				},
				"qd|qD": {
					action_: "d=",
					nextState: "qd"
				},
				dq: {
					action_: ["output", "d="],
					nextState: "d"
				},
				3: {
					action_: [
						"sb=false",
						"output",
						"operator"
					],
					nextState: "0"
				}
			},
			amount: { "0|2": {
				action_: "a=",
				nextState: "a"
			} },
			"pm-operator": { "0|1|2|a|as": {
				action_: [
					"sb=false",
					"output",
					{
						type_: "operator",
						option: "\\pm"
					}
				],
				nextState: "0"
			} },
			operator: { "0|1|2|a|as": {
				action_: [
					"sb=false",
					"output",
					"operator"
				],
				nextState: "0"
			} },
			"-$": {
				"o|q": {
					action_: ["charge or bond", "output"],
					nextState: "qd"
				},
				d: {
					action_: "d=",
					nextState: "d"
				},
				D: {
					action_: ["output", {
						type_: "bond",
						option: "-"
					}],
					nextState: "3"
				},
				q: {
					action_: "d=",
					nextState: "qd"
				},
				qd: {
					action_: "d=",
					nextState: "qd"
				},
				"qD|dq": {
					action_: ["output", {
						type_: "bond",
						option: "-"
					}],
					nextState: "3"
				}
			},
			"-9": { "3|o": {
				action_: ["output", {
					type_: "insert",
					option: "hyphen"
				}],
				nextState: "3"
			} },
			"- orbital overlap": {
				o: {
					action_: ["output", {
						type_: "insert",
						option: "hyphen"
					}],
					nextState: "2"
				},
				d: {
					action_: ["output", {
						type_: "insert",
						option: "hyphen"
					}],
					nextState: "2"
				}
			},
			"-": {
				"0|1|2": {
					action_: [
						{
							type_: "output",
							option: 1
						},
						"beginsWithBond=true",
						{
							type_: "bond",
							option: "-"
						}
					],
					nextState: "3"
				},
				3: { action_: {
					type_: "bond",
					option: "-"
				} },
				a: {
					action_: ["output", {
						type_: "insert",
						option: "hyphen"
					}],
					nextState: "2"
				},
				as: {
					action_: [{
						type_: "output",
						option: 2
					}, {
						type_: "bond",
						option: "-"
					}],
					nextState: "3"
				},
				b: { action_: "b=" },
				o: {
					action_: {
						type_: "- after o/d",
						option: !1
					},
					nextState: "2"
				},
				q: {
					action_: {
						type_: "- after o/d",
						option: !1
					},
					nextState: "2"
				},
				"d|qd|dq": {
					action_: {
						type_: "- after o/d",
						option: !0
					},
					nextState: "2"
				},
				"D|qD|p": {
					action_: ["output", {
						type_: "bond",
						option: "-"
					}],
					nextState: "3"
				}
			},
			amount2: { "1|3": {
				action_: "a=",
				nextState: "a"
			} },
			letters: {
				"0|1|2|3|a|as|b|p|bp|o": {
					action_: "o=",
					nextState: "o"
				},
				"q|dq": {
					action_: ["output", "o="],
					nextState: "o"
				},
				"d|D|qd|qD": {
					action_: "o after d",
					nextState: "o"
				}
			},
			digits: {
				o: {
					action_: "q=",
					nextState: "q"
				},
				"d|D": {
					action_: "q=",
					nextState: "dq"
				},
				q: {
					action_: ["output", "o="],
					nextState: "o"
				},
				a: {
					action_: "o=",
					nextState: "o"
				}
			},
			"space A": { "b|p|bp": {} },
			space: {
				a: { nextState: "as" },
				0: { action_: "sb=false" },
				"1|2": { action_: "sb=true" },
				"r|rt|rd|rdt|rdq": {
					action_: "output",
					nextState: "0"
				},
				"*": {
					action_: ["output", "sb=true"],
					nextState: "1"
				}
			},
			"1st-level escape": {
				"1|2": { action_: ["output", {
					type_: "insert+p1",
					option: "1st-level escape"
				}] },
				"*": {
					action_: ["output", {
						type_: "insert+p1",
						option: "1st-level escape"
					}],
					nextState: "0"
				}
			},
			"[(...)]": {
				"r|rt": {
					action_: "rd=",
					nextState: "rd"
				},
				"rd|rdt": {
					action_: "rq=",
					nextState: "rdq"
				}
			},
			"...": {
				"o|d|D|dq|qd|qD": {
					action_: ["output", {
						type_: "bond",
						option: "..."
					}],
					nextState: "3"
				},
				"*": {
					action_: [{
						type_: "output",
						option: 1
					}, {
						type_: "insert",
						option: "ellipsis"
					}],
					nextState: "1"
				}
			},
			". |* ": { "*": {
				action_: ["output", {
					type_: "insert",
					option: "addition compound"
				}],
				nextState: "1"
			} },
			"state of aggregation $": { "*": {
				action_: ["output", "state of aggregation"],
				nextState: "1"
			} },
			"{[(": {
				"a|as|o": {
					action_: [
						"o=",
						"output",
						"parenthesisLevel++"
					],
					nextState: "2"
				},
				"0|1|2|3": {
					action_: [
						"o=",
						"output",
						"parenthesisLevel++"
					],
					nextState: "2"
				},
				"*": {
					action_: [
						"output",
						"o=",
						"output",
						"parenthesisLevel++"
					],
					nextState: "2"
				}
			},
			")]}": {
				"0|1|2|3|b|p|bp|o": {
					action_: ["o=", "parenthesisLevel--"],
					nextState: "o"
				},
				"a|as|d|D|q|qd|qD|dq": {
					action_: [
						"output",
						"o=",
						"parenthesisLevel--"
					],
					nextState: "o"
				}
			},
			", ": { "*": {
				action_: ["output", "comma"],
				nextState: "0"
			} },
			"^_": { "*": {} },
			"^{(...)}|^($...$)": {
				"0|1|2|as": {
					action_: "b=",
					nextState: "b"
				},
				p: {
					action_: "b=",
					nextState: "bp"
				},
				"3|o": {
					action_: "d= kv",
					nextState: "D"
				},
				q: {
					action_: "d=",
					nextState: "qD"
				},
				"d|D|qd|qD|dq": {
					action_: ["output", "d="],
					nextState: "D"
				}
			},
			"^a|^\\x{}{}|^\\x{}|^\\x|'": {
				"0|1|2|as": {
					action_: "b=",
					nextState: "b"
				},
				p: {
					action_: "b=",
					nextState: "bp"
				},
				"3|o": {
					action_: "d= kv",
					nextState: "d"
				},
				q: {
					action_: "d=",
					nextState: "qd"
				},
				"d|qd|D|qD": { action_: "d=" },
				dq: {
					action_: ["output", "d="],
					nextState: "d"
				}
			},
			"_{(state of aggregation)}$": { "d|D|q|qd|qD|dq": {
				action_: ["output", "q="],
				nextState: "q"
			} },
			"_{(...)}|_($...$)|_9|_\\x{}{}|_\\x{}|_\\x": {
				"0|1|2|as": {
					action_: "p=",
					nextState: "p"
				},
				b: {
					action_: "p=",
					nextState: "bp"
				},
				"3|o": {
					action_: "q=",
					nextState: "q"
				},
				"d|D": {
					action_: "q=",
					nextState: "dq"
				},
				"q|qd|qD|dq": {
					action_: ["output", "q="],
					nextState: "q"
				}
			},
			"=<>": { "0|1|2|3|a|as|o|q|d|D|qd|qD|dq": {
				action_: [{
					type_: "output",
					option: 2
				}, "bond"],
				nextState: "3"
			} },
			"#": { "0|1|2|3|a|as|o": {
				action_: [{
					type_: "output",
					option: 2
				}, {
					type_: "bond",
					option: "#"
				}],
				nextState: "3"
			} },
			"{}": { "*": {
				action_: {
					type_: "output",
					option: 1
				},
				nextState: "1"
			} },
			"{...}": {
				"0|1|2|3|a|as|b|p|bp": {
					action_: "o=",
					nextState: "o"
				},
				"o|d|D|q|qd|qD|dq": {
					action_: ["output", "o="],
					nextState: "o"
				}
			},
			"$...$": {
				a: { action_: "a=" },
				"0|1|2|3|as|b|p|bp|o": {
					action_: "o=",
					nextState: "o"
				},
				"as|o": { action_: "o=" },
				"q|d|D|qd|qD|dq": {
					action_: ["output", "o="],
					nextState: "o"
				}
			},
			"\\bond{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "bond"],
				nextState: "3"
			} },
			"\\frac{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 1
				}, "frac-output"],
				nextState: "3"
			} },
			"\\overset{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "overset-output"],
				nextState: "3"
			} },
			"\\underset{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "underset-output"],
				nextState: "3"
			} },
			"\\underbrace{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "underbrace-output"],
				nextState: "3"
			} },
			"\\color{(...)}{(...)}1|\\color(...){(...)}2": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "color-output"],
				nextState: "3"
			} },
			"\\color{(...)}0": { "*": { action_: [{
				type_: "output",
				option: 2
			}, "color0-output"] } },
			"\\ce{(...)}": { "*": {
				action_: [{
					type_: "output",
					option: 2
				}, "ce"],
				nextState: "3"
			} },
			"\\,": { "*": {
				action_: [{
					type_: "output",
					option: 1
				}, "copy"],
				nextState: "1"
			} },
			"\\x{}{}|\\x{}|\\x": {
				"0|1|2|3|a|as|b|p|bp|o|c0": {
					action_: ["o=", "output"],
					nextState: "3"
				},
				"*": {
					action_: [
						"output",
						"o=",
						"output"
					],
					nextState: "3"
				}
			},
			others: { "*": {
				action_: [{
					type_: "output",
					option: 1
				}, "copy"],
				nextState: "3"
			} },
			else2: {
				a: {
					action_: "a to o",
					nextState: "o",
					revisit: !0
				},
				as: {
					action_: ["output", "sb=true"],
					nextState: "1",
					revisit: !0
				},
				"r|rt|rd|rdt|rdq": {
					action_: ["output"],
					nextState: "0",
					revisit: !0
				},
				"*": {
					action_: ["output", "copy"],
					nextState: "3"
				}
			}
		}),
		actions: {
			"o after d": function(buffer, m) {
				var ret;
				if ((buffer.d || "").match(/^[0-9]+$/)) {
					var tmp = buffer.d;
					buffer.d = void 0, ret = this.output(buffer), buffer.b = tmp;
				} else ret = this.output(buffer);
				return mhchemParser.actions["o="](buffer, m), ret;
			},
			"d= kv": function(buffer, m) {
				buffer.d = m, buffer.dType = "kv";
			},
			"charge or bond": function(buffer, m) {
				if (buffer.beginsWithBond) {
					var ret = [];
					return mhchemParser.concatArray(ret, this.output(buffer)), mhchemParser.concatArray(ret, mhchemParser.actions.bond(buffer, m, "-")), ret;
				}
				buffer.d = m;
			},
			"- after o/d": function(buffer, m, isAfterD) {
				var c1 = mhchemParser.patterns.match_("orbital", buffer.o || ""), c2 = mhchemParser.patterns.match_("one lowercase greek letter $", buffer.o || ""), c3 = mhchemParser.patterns.match_("one lowercase latin letter $", buffer.o || ""), c4 = mhchemParser.patterns.match_("$one lowercase latin letter$ $", buffer.o || ""), hyphenFollows = m === "-" && (c1 && c1.remainder === "" || c2 || c3 || c4);
				!hyphenFollows || buffer.a || buffer.b || buffer.p || buffer.d || buffer.q || c1 || !c3 || (buffer.o = "$" + buffer.o + "$");
				var ret = [];
				return hyphenFollows ? (mhchemParser.concatArray(ret, this.output(buffer)), ret.push({ type_: "hyphen" })) : (c1 = mhchemParser.patterns.match_("digits", buffer.d || ""), isAfterD && c1 && c1.remainder === "" ? (mhchemParser.concatArray(ret, mhchemParser.actions["d="](buffer, m)), mhchemParser.concatArray(ret, this.output(buffer))) : (mhchemParser.concatArray(ret, this.output(buffer)), mhchemParser.concatArray(ret, mhchemParser.actions.bond(buffer, m, "-")))), ret;
			},
			"a to o": function(buffer) {
				buffer.o = buffer.a, buffer.a = void 0;
			},
			"sb=true": function(buffer) {
				buffer.sb = !0;
			},
			"sb=false": function(buffer) {
				buffer.sb = !1;
			},
			"beginsWithBond=true": function(buffer) {
				buffer.beginsWithBond = !0;
			},
			"beginsWithBond=false": function(buffer) {
				buffer.beginsWithBond = !1;
			},
			"parenthesisLevel++": function(buffer) {
				buffer.parenthesisLevel++;
			},
			"parenthesisLevel--": function(buffer) {
				buffer.parenthesisLevel--;
			},
			"state of aggregation": function(buffer, m) {
				return {
					type_: "state of aggregation",
					p1: mhchemParser.go(m, "o")
				};
			},
			comma: function(buffer, m) {
				var a = m.replace(/\s*$/, "");
				return a !== m && buffer.parenthesisLevel === 0 ? {
					type_: "comma enumeration L",
					p1: a
				} : {
					type_: "comma enumeration M",
					p1: a
				};
			},
			output: function(buffer, m, entityFollows) {
				var ret;
				if (!buffer.r) ret = [], (buffer.a || buffer.b || buffer.p || buffer.o || buffer.q || buffer.d || entityFollows) && (buffer.sb && ret.push({ type_: "entitySkip" }), !buffer.o && !buffer.q && !buffer.d && !buffer.b && !buffer.p && entityFollows !== 2 ? (buffer.o = buffer.a, buffer.a = void 0) : !buffer.o && !buffer.q && !buffer.d && (buffer.b || buffer.p) ? (buffer.o = buffer.a, buffer.d = buffer.b, buffer.q = buffer.p, buffer.a = buffer.b = buffer.p = void 0) : buffer.o && buffer.dType === "kv" && mhchemParser.patterns.match_("d-oxidation$", buffer.d || "") ? buffer.dType = "oxidation" : buffer.o && buffer.dType === "kv" && !buffer.q && (buffer.dType = void 0), ret.push({
					type_: "chemfive",
					a: mhchemParser.go(buffer.a, "a"),
					b: mhchemParser.go(buffer.b, "bd"),
					p: mhchemParser.go(buffer.p, "pq"),
					o: mhchemParser.go(buffer.o, "o"),
					q: mhchemParser.go(buffer.q, "pq"),
					d: mhchemParser.go(buffer.d, buffer.dType === "oxidation" ? "oxidation" : "bd"),
					dType: buffer.dType
				}));
				else {
					var rd = buffer.rdt === "M" ? mhchemParser.go(buffer.rd, "tex-math") : buffer.rdt === "T" ? [{
						type_: "text",
						p1: buffer.rd || ""
					}] : mhchemParser.go(buffer.rd), rq = buffer.rqt === "M" ? mhchemParser.go(buffer.rq, "tex-math") : buffer.rqt === "T" ? [{
						type_: "text",
						p1: buffer.rq || ""
					}] : mhchemParser.go(buffer.rq);
					ret = {
						type_: "arrow",
						r: buffer.r,
						rd,
						rq
					};
				}
				for (var p in buffer) p !== "parenthesisLevel" && p !== "beginsWithBond" && delete buffer[p];
				return ret;
			},
			"oxidation-output": function(buffer, m) {
				var ret = ["{"];
				return mhchemParser.concatArray(ret, mhchemParser.go(m, "oxidation")), ret.push("}"), ret;
			},
			"frac-output": function(buffer, m) {
				return {
					type_: "frac-ce",
					p1: mhchemParser.go(m[0]),
					p2: mhchemParser.go(m[1])
				};
			},
			"overset-output": function(buffer, m) {
				return {
					type_: "overset",
					p1: mhchemParser.go(m[0]),
					p2: mhchemParser.go(m[1])
				};
			},
			"underset-output": function(buffer, m) {
				return {
					type_: "underset",
					p1: mhchemParser.go(m[0]),
					p2: mhchemParser.go(m[1])
				};
			},
			"underbrace-output": function(buffer, m) {
				return {
					type_: "underbrace",
					p1: mhchemParser.go(m[0]),
					p2: mhchemParser.go(m[1])
				};
			},
			"color-output": function(buffer, m) {
				return {
					type_: "color",
					color1: m[0],
					color2: mhchemParser.go(m[1])
				};
			},
			"r=": function(buffer, m) {
				buffer.r = m;
			},
			"rdt=": function(buffer, m) {
				buffer.rdt = m;
			},
			"rd=": function(buffer, m) {
				buffer.rd = m;
			},
			"rqt=": function(buffer, m) {
				buffer.rqt = m;
			},
			"rq=": function(buffer, m) {
				buffer.rq = m;
			},
			operator: function(buffer, m, p1) {
				return {
					type_: "operator",
					kind_: p1 || m
				};
			}
		}
	},
	a: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			"1/2$": { 0: { action_: "1/2" } },
			else: { 0: {
				nextState: "1",
				revisit: !0
			} },
			"$(...)$": { "*": {
				action_: "tex-math tight",
				nextState: "1"
			} },
			",": { "*": { action_: {
				type_: "insert",
				option: "commaDecimal"
			} } },
			else2: { "*": { action_: "copy" } }
		}),
		actions: {}
	},
	o: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			"1/2$": { 0: { action_: "1/2" } },
			else: { 0: {
				nextState: "1",
				revisit: !0
			} },
			letters: { "*": { action_: "rm" } },
			"\\ca": { "*": { action_: {
				type_: "insert",
				option: "circa"
			} } },
			"\\x{}{}|\\x{}|\\x": { "*": { action_: "copy" } },
			"${(...)}$|$(...)$": { "*": { action_: "tex-math" } },
			"{(...)}": { "*": { action_: "{text}" } },
			else2: { "*": { action_: "copy" } }
		}),
		actions: {}
	},
	text: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			"{...}": { "*": { action_: "text=" } },
			"${(...)}$|$(...)$": { "*": { action_: "tex-math" } },
			"\\greek": { "*": { action_: ["output", "rm"] } },
			"\\,|\\x{}{}|\\x{}|\\x": { "*": { action_: ["output", "copy"] } },
			else: { "*": { action_: "text=" } }
		}),
		actions: { output: function(buffer) {
			if (buffer.text_) {
				var ret = {
					type_: "text",
					p1: buffer.text_
				};
				for (var p in buffer) delete buffer[p];
				return ret;
			}
		} }
	},
	pq: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			"state of aggregation $": { "*": { action_: "state of aggregation" } },
			i$: { 0: {
				nextState: "!f",
				revisit: !0
			} },
			"(KV letters),": { 0: {
				action_: "rm",
				nextState: "0"
			} },
			formula$: { 0: {
				nextState: "f",
				revisit: !0
			} },
			"1/2$": { 0: { action_: "1/2" } },
			else: { 0: {
				nextState: "!f",
				revisit: !0
			} },
			"${(...)}$|$(...)$": { "*": { action_: "tex-math" } },
			"{(...)}": { "*": { action_: "text" } },
			"a-z": { f: { action_: "tex-math" } },
			letters: { "*": { action_: "rm" } },
			"-9.,9": { "*": { action_: "9,9" } },
			",": { "*": { action_: {
				type_: "insert+p1",
				option: "comma enumeration S"
			} } },
			"\\color{(...)}{(...)}1|\\color(...){(...)}2": { "*": { action_: "color-output" } },
			"\\color{(...)}0": { "*": { action_: "color0-output" } },
			"\\ce{(...)}": { "*": { action_: "ce" } },
			"\\,|\\x{}{}|\\x{}|\\x": { "*": { action_: "copy" } },
			else2: { "*": { action_: "copy" } }
		}),
		actions: {
			"state of aggregation": function(buffer, m) {
				return {
					type_: "state of aggregation subscript",
					p1: mhchemParser.go(m, "o")
				};
			},
			"color-output": function(buffer, m) {
				return {
					type_: "color",
					color1: m[0],
					color2: mhchemParser.go(m[1], "pq")
				};
			}
		}
	},
	bd: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			x$: { 0: {
				nextState: "!f",
				revisit: !0
			} },
			formula$: { 0: {
				nextState: "f",
				revisit: !0
			} },
			else: { 0: {
				nextState: "!f",
				revisit: !0
			} },
			"-9.,9 no missing 0": { "*": { action_: "9,9" } },
			".": { "*": { action_: {
				type_: "insert",
				option: "electron dot"
			} } },
			"a-z": { f: { action_: "tex-math" } },
			x: { "*": { action_: {
				type_: "insert",
				option: "KV x"
			} } },
			letters: { "*": { action_: "rm" } },
			"'": { "*": { action_: {
				type_: "insert",
				option: "prime"
			} } },
			"${(...)}$|$(...)$": { "*": { action_: "tex-math" } },
			"{(...)}": { "*": { action_: "text" } },
			"\\color{(...)}{(...)}1|\\color(...){(...)}2": { "*": { action_: "color-output" } },
			"\\color{(...)}0": { "*": { action_: "color0-output" } },
			"\\ce{(...)}": { "*": { action_: "ce" } },
			"\\,|\\x{}{}|\\x{}|\\x": { "*": { action_: "copy" } },
			else2: { "*": { action_: "copy" } }
		}),
		actions: { "color-output": function(buffer, m) {
			return {
				type_: "color",
				color1: m[0],
				color2: mhchemParser.go(m[1], "bd")
			};
		} }
	},
	oxidation: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			"roman numeral": { "*": { action_: "roman-numeral" } },
			"${(...)}$|$(...)$": { "*": { action_: "tex-math" } },
			else: { "*": { action_: "copy" } }
		}),
		actions: { "roman-numeral": function(buffer, m) {
			return {
				type_: "roman numeral",
				p1: m || ""
			};
		} }
	},
	"tex-math": {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			"\\ce{(...)}": { "*": { action_: ["output", "ce"] } },
			"{...}|\\,|\\x{}{}|\\x{}|\\x": { "*": { action_: "o=" } },
			else: { "*": { action_: "o=" } }
		}),
		actions: { output: function(buffer) {
			if (buffer.o) {
				var ret = {
					type_: "tex-math",
					p1: buffer.o
				};
				for (var p in buffer) delete buffer[p];
				return ret;
			}
		} }
	},
	"tex-math tight": {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			"\\ce{(...)}": { "*": { action_: ["output", "ce"] } },
			"{...}|\\,|\\x{}{}|\\x{}|\\x": { "*": { action_: "o=" } },
			"-|+": { "*": { action_: "tight operator" } },
			else: { "*": { action_: "o=" } }
		}),
		actions: {
			"tight operator": function(buffer, m) {
				buffer.o = (buffer.o || "") + "{" + m + "}";
			},
			output: function(buffer) {
				if (buffer.o) {
					var ret = {
						type_: "tex-math",
						p1: buffer.o
					};
					for (var p in buffer) delete buffer[p];
					return ret;
				}
			}
		}
	},
	"9,9": {
		transitions: mhchemParser.createTransitions({
			empty: { "*": {} },
			",": { "*": { action_: "comma" } },
			else: { "*": { action_: "copy" } }
		}),
		actions: { comma: function() {
			return { type_: "commaDecimal" };
		} }
	},
	pu: {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			space$: { "*": { action_: ["output", "space"] } },
			"{[(|)]}": { "0|a": { action_: "copy" } },
			"(-)(9)^(-9)": { 0: {
				action_: "number^",
				nextState: "a"
			} },
			"(-)(9.,9)(e)(99)": { 0: {
				action_: "enumber",
				nextState: "a"
			} },
			space: { "0|a": {} },
			"pm-operator": { "0|a": {
				action_: {
					type_: "operator",
					option: "\\pm"
				},
				nextState: "0"
			} },
			operator: { "0|a": {
				action_: "copy",
				nextState: "0"
			} },
			"//": { d: {
				action_: "o=",
				nextState: "/"
			} },
			"/": { d: {
				action_: "o=",
				nextState: "/"
			} },
			"{...}|else": {
				"0|d": {
					action_: "d=",
					nextState: "d"
				},
				a: {
					action_: ["space", "d="],
					nextState: "d"
				},
				"/|q": {
					action_: "q=",
					nextState: "q"
				}
			}
		}),
		actions: {
			enumber: function(buffer, m) {
				var ret = [];
				return m[0] === "+-" || m[0] === "+/-" ? ret.push("\\pm ") : m[0] && ret.push(m[0]), m[1] && (mhchemParser.concatArray(ret, mhchemParser.go(m[1], "pu-9,9")), m[2] && (m[2].match(/[,.]/) ? mhchemParser.concatArray(ret, mhchemParser.go(m[2], "pu-9,9")) : ret.push(m[2])), m[3] = m[4] || m[3], m[3] && (m[3] = m[3].trim(), m[3] === "e" || m[3].substr(0, 1) === "*" ? ret.push({ type_: "cdot" }) : ret.push({ type_: "times" }))), m[3] && ret.push("10^{" + m[5] + "}"), ret;
			},
			"number^": function(buffer, m) {
				var ret = [];
				return m[0] === "+-" || m[0] === "+/-" ? ret.push("\\pm ") : m[0] && ret.push(m[0]), mhchemParser.concatArray(ret, mhchemParser.go(m[1], "pu-9,9")), ret.push("^{" + m[2] + "}"), ret;
			},
			operator: function(buffer, m, p1) {
				return {
					type_: "operator",
					kind_: p1 || m
				};
			},
			space: function() {
				return { type_: "pu-space-1" };
			},
			output: function(buffer) {
				var ret, md = mhchemParser.patterns.match_("{(...)}", buffer.d || "");
				md && md.remainder === "" && (buffer.d = md.match_);
				var mq = mhchemParser.patterns.match_("{(...)}", buffer.q || "");
				if (mq && mq.remainder === "" && (buffer.q = mq.match_), buffer.d &&= (buffer.d = buffer.d.replace(/\u00B0C|\^oC|\^{o}C/g, "{}^{\\circ}C"), buffer.d.replace(/\u00B0F|\^oF|\^{o}F/g, "{}^{\\circ}F")), buffer.q) {
					buffer.q = buffer.q.replace(/\u00B0C|\^oC|\^{o}C/g, "{}^{\\circ}C"), buffer.q = buffer.q.replace(/\u00B0F|\^oF|\^{o}F/g, "{}^{\\circ}F");
					var b5 = {
						d: mhchemParser.go(buffer.d, "pu"),
						q: mhchemParser.go(buffer.q, "pu")
					};
					buffer.o === "//" ? ret = {
						type_: "pu-frac",
						p1: b5.d,
						p2: b5.q
					} : (ret = b5.d, b5.d.length > 1 || b5.q.length > 1 ? ret.push({ type_: " / " }) : ret.push({ type_: "/" }), mhchemParser.concatArray(ret, b5.q));
				} else ret = mhchemParser.go(buffer.d, "pu-2");
				for (var p in buffer) delete buffer[p];
				return ret;
			}
		}
	},
	"pu-2": {
		transitions: mhchemParser.createTransitions({
			empty: { "*": { action_: "output" } },
			"*": { "*": {
				action_: ["output", "cdot"],
				nextState: "0"
			} },
			"\\x": { "*": { action_: "rm=" } },
			space: { "*": {
				action_: ["output", "space"],
				nextState: "0"
			} },
			"^{(...)}|^(-1)": { 1: { action_: "^(-1)" } },
			"-9.,9": {
				0: {
					action_: "rm=",
					nextState: "0"
				},
				1: {
					action_: "^(-1)",
					nextState: "0"
				}
			},
			"{...}|else": { "*": {
				action_: "rm=",
				nextState: "1"
			} }
		}),
		actions: {
			cdot: function() {
				return { type_: "tight cdot" };
			},
			"^(-1)": function(buffer, m) {
				buffer.rm += "^{" + m + "}";
			},
			space: function() {
				return { type_: "pu-space-2" };
			},
			output: function(buffer) {
				var ret = [];
				if (buffer.rm) {
					var mrm = mhchemParser.patterns.match_("{(...)}", buffer.rm || "");
					ret = mrm && mrm.remainder === "" ? mhchemParser.go(mrm.match_, "pu") : {
						type_: "rm",
						p1: buffer.rm
					};
				}
				for (var p in buffer) delete buffer[p];
				return ret;
			}
		}
	},
	"pu-9,9": {
		transitions: mhchemParser.createTransitions({
			empty: {
				0: { action_: "output-0" },
				o: { action_: "output-o" }
			},
			",": { 0: {
				action_: ["output-0", "comma"],
				nextState: "o"
			} },
			".": { 0: {
				action_: ["output-0", "copy"],
				nextState: "o"
			} },
			else: { "*": { action_: "text=" } }
		}),
		actions: {
			comma: function() {
				return { type_: "commaDecimal" };
			},
			"output-0": function(buffer) {
				var ret = [];
				if (buffer.text_ = buffer.text_ || "", buffer.text_.length > 4) {
					var a = buffer.text_.length % 3;
					a === 0 && (a = 3);
					for (var i = buffer.text_.length - 3; i > 0; i -= 3) ret.push(buffer.text_.substr(i, 3)), ret.push({ type_: "1000 separator" });
					ret.push(buffer.text_.substr(0, a)), ret.reverse();
				} else ret.push(buffer.text_);
				for (var p in buffer) delete buffer[p];
				return ret;
			},
			"output-o": function(buffer) {
				var ret = [];
				if (buffer.text_ = buffer.text_ || "", buffer.text_.length > 4) {
					for (var a = buffer.text_.length - 3, i = 0; i < a; i += 3) ret.push(buffer.text_.substr(i, 3)), ret.push({ type_: "1000 separator" });
					ret.push(buffer.text_.substr(i));
				} else ret.push(buffer.text_);
				for (var p in buffer) delete buffer[p];
				return ret;
			}
		}
	}
};
var texify = {
	go: function(input, isInner) {
		if (!input) return "";
		for (var res = "", cee = !1, i = 0; i < input.length; i++) {
			var inputi = input[i];
			typeof inputi == "string" ? res += inputi : (res += texify._go2(inputi), inputi.type_ === "1st-level escape" && (cee = !0));
		}
		return !isInner && !cee && res && (res = "{" + res + "}"), res;
	},
	_goInner: function(input) {
		return input && texify.go(input, !0);
	},
	_go2: function(buf) {
		var res;
		switch (buf.type_) {
			case "chemfive":
				res = "";
				var b5 = {
					a: texify._goInner(buf.a),
					b: texify._goInner(buf.b),
					p: texify._goInner(buf.p),
					o: texify._goInner(buf.o),
					q: texify._goInner(buf.q),
					d: texify._goInner(buf.d)
				};
				b5.a && (b5.a.match(/^[+\-]/) && (b5.a = "{" + b5.a + "}"), res += b5.a + "\\,"), (b5.b || b5.p) && (res += "{\\vphantom{X}}", res += "^{\\hphantom{" + (b5.b || "") + "}}_{\\hphantom{" + (b5.p || "") + "}}", res += "{\\vphantom{X}}", res += "^{\\vphantom{2}\\mathllap{" + (b5.b || "") + "}}", res += "_{\\vphantom{2}\\mathllap{" + (b5.p || "") + "}}"), b5.o && (b5.o.match(/^[+\-]/) && (b5.o = "{" + b5.o + "}"), res += b5.o), buf.dType === "kv" ? ((b5.d || b5.q) && (res += "{\\vphantom{X}}"), b5.d && (res += "^{" + b5.d + "}"), b5.q && (res += "_{" + b5.q + "}")) : buf.dType === "oxidation" ? (b5.d && (res += "{\\vphantom{X}}", res += "^{" + b5.d + "}"), b5.q && (res += "{{}}", res += "_{" + b5.q + "}")) : (b5.q && (res += "{{}}", res += "_{" + b5.q + "}"), b5.d && (res += "{{}}", res += "^{" + b5.d + "}"));
				break;
			case "rm":
				res = "\\mathrm{" + buf.p1 + "}";
				break;
			case "text":
				buf.p1.match(/[\^_]/) ? (buf.p1 = buf.p1.replace(" ", "~").replace("-", "\\text{-}"), res = "\\mathrm{" + buf.p1 + "}") : res = "\\text{" + buf.p1 + "}";
				break;
			case "roman numeral":
				res = "\\mathrm{" + buf.p1 + "}";
				break;
			case "state of aggregation":
				res = "\\mskip2mu " + texify._goInner(buf.p1);
				break;
			case "state of aggregation subscript":
				res = "\\mskip1mu " + texify._goInner(buf.p1);
				break;
			case "bond":
				if (res = texify._getBond(buf.kind_), !res) throw ["MhchemErrorBond", "mhchem Error. Unknown bond type (" + buf.kind_ + ")"];
				break;
			case "frac":
				var c = "\\frac{" + buf.p1 + "}{" + buf.p2 + "}";
				res = "\\mathchoice{\\textstyle" + c + "}{" + c + "}{" + c + "}{" + c + "}";
				break;
			case "pu-frac":
				var d = "\\frac{" + texify._goInner(buf.p1) + "}{" + texify._goInner(buf.p2) + "}";
				res = "\\mathchoice{\\textstyle" + d + "}{" + d + "}{" + d + "}{" + d + "}";
				break;
			case "tex-math":
				res = buf.p1 + " ";
				break;
			case "frac-ce":
				res = "\\frac{" + texify._goInner(buf.p1) + "}{" + texify._goInner(buf.p2) + "}";
				break;
			case "overset":
				res = "\\overset{" + texify._goInner(buf.p1) + "}{" + texify._goInner(buf.p2) + "}";
				break;
			case "underset":
				res = "\\underset{" + texify._goInner(buf.p1) + "}{" + texify._goInner(buf.p2) + "}";
				break;
			case "underbrace":
				res = "\\underbrace{" + texify._goInner(buf.p1) + "}_{" + texify._goInner(buf.p2) + "}";
				break;
			case "color":
				res = "{\\color{" + buf.color1 + "}{" + texify._goInner(buf.color2) + "}}";
				break;
			case "color0":
				res = "\\color{" + buf.color + "}";
				break;
			case "arrow":
				var b6 = {
					rd: texify._goInner(buf.rd),
					rq: texify._goInner(buf.rq)
				}, arrow = texify._getArrow(buf.r);
				b6.rq && (arrow += "[{\\rm " + b6.rq + "}]"), b6.rd ? arrow += "{\\rm " + b6.rd + "}" : arrow += "{}", res = arrow;
				break;
			case "operator":
				res = texify._getOperator(buf.kind_);
				break;
			case "1st-level escape":
				res = buf.p1 + " ";
				break;
			case "space":
				res = " ";
				break;
			case "entitySkip":
				res = "~";
				break;
			case "pu-space-1":
				res = "~";
				break;
			case "pu-space-2":
				res = "\\mkern3mu ";
				break;
			case "1000 separator":
				res = "\\mkern2mu ";
				break;
			case "commaDecimal":
				res = "{,}";
				break;
			case "comma enumeration L":
				res = "{" + buf.p1 + "}\\mkern6mu ";
				break;
			case "comma enumeration M":
				res = "{" + buf.p1 + "}\\mkern3mu ";
				break;
			case "comma enumeration S":
				res = "{" + buf.p1 + "}\\mkern1mu ";
				break;
			case "hyphen":
				res = "\\text{-}";
				break;
			case "addition compound":
				res = "\\,{\\cdot}\\,";
				break;
			case "electron dot":
				res = "\\mkern1mu \\text{\\textbullet}\\mkern1mu ";
				break;
			case "KV x":
				res = "{\\times}";
				break;
			case "prime":
				res = "\\prime ";
				break;
			case "cdot":
				res = "\\cdot ";
				break;
			case "tight cdot":
				res = "\\mkern1mu{\\cdot}\\mkern1mu ";
				break;
			case "times":
				res = "\\times ";
				break;
			case "circa":
				res = "{\\sim}";
				break;
			case "^":
				res = "uparrow";
				break;
			case "v":
				res = "downarrow";
				break;
			case "ellipsis":
				res = "\\ldots ";
				break;
			case "/":
				res = "/";
				break;
			case " / ":
				res = "\\,/\\,";
				break;
			default: throw ["MhchemBugT", "mhchem bug T. Please report."];
		}
		return res;
	},
	_getArrow: function(a) {
		switch (a) {
			case "->": return "\\yields";
			case "→": return "\\yields";
			case "⟶": return "\\yields";
			case "<-": return "\\yieldsLeft";
			case "<->": return "\\mesomerism";
			case "<-->": return "\\yieldsLeftRight";
			case "<=>": return "\\chemequilibrium";
			case "⇌": return "\\chemequilibrium";
			case "<=>>": return "\\equilibriumRight";
			case "<<=>": return "\\equilibriumLeft";
			default: throw ["MhchemBugT", "mhchem bug T. Please report."];
		}
	},
	_getBond: function(a) {
		switch (a) {
			case "-": return "{-}";
			case "1": return "{-}";
			case "=": return "{=}";
			case "2": return "{=}";
			case "#": return "{\\equiv}";
			case "3": return "{\\equiv}";
			case "~": return "{\\tripleDash}";
			case "~-": return "{\\tripleDashOverLine}";
			case "~=": return "{\\tripleDashOverDoubleLine}";
			case "~--": return "{\\tripleDashOverDoubleLine}";
			case "-~-": return "{\\tripleDashBetweenDoubleLine}";
			case "...": return "{{\\cdot}{\\cdot}{\\cdot}}";
			case "....": return "{{\\cdot}{\\cdot}{\\cdot}{\\cdot}}";
			case "->": return "{\\rightarrow}";
			case "<-": return "{\\leftarrow}";
			case "<": return "{<}";
			case ">": return "{>}";
			default: throw ["MhchemBugT", "mhchem bug T. Please report."];
		}
	},
	_getOperator: function(a) {
		switch (a) {
			case "+": return " {}+{} ";
			case "-": return " {}-{} ";
			case "=": return " {}={} ";
			case "<": return " {}<{} ";
			case ">": return " {}>{} ";
			case "<<": return " {}\\ll{} ";
			case ">>": return " {}\\gg{} ";
			case "\\pm": return " {}\\pm{} ";
			case "\\approx": return " {}\\approx{} ";
			case "$\\approx$": return " {}\\approx{} ";
			case "v": return " \\downarrow{} ";
			case "(v)": return " \\downarrow{} ";
			case "^": return " \\uparrow{} ";
			case "(^)": return " \\uparrow{} ";
			default: throw ["MhchemBugT", "mhchem bug T. Please report."];
		}
	}
};
defineMacro("\\darr", "\\downarrow"), defineMacro("\\dArr", "\\Downarrow"), defineMacro("\\Darr", "\\Downarrow"), defineMacro("\\lang", "\\langle"), defineMacro("\\rang", "\\rangle"), defineMacro("\\uarr", "\\uparrow"), defineMacro("\\uArr", "\\Uparrow"), defineMacro("\\Uarr", "\\Uparrow"), defineMacro("\\N", "\\mathbb{N}"), defineMacro("\\R", "\\mathbb{R}"), defineMacro("\\Z", "\\mathbb{Z}"), defineMacro("\\alef", "\\aleph"), defineMacro("\\alefsym", "\\aleph"), defineMacro("\\bull", "\\bullet"), defineMacro("\\clubs", "\\clubsuit"), defineMacro("\\cnums", "\\mathbb{C}"), defineMacro("\\Complex", "\\mathbb{C}"), defineMacro("\\Dagger", "\\ddagger"), defineMacro("\\diamonds", "\\diamondsuit"), defineMacro("\\empty", "\\emptyset"), defineMacro("\\exist", "\\exists"), defineMacro("\\harr", "\\leftrightarrow"), defineMacro("\\hArr", "\\Leftrightarrow"), defineMacro("\\Harr", "\\Leftrightarrow"), defineMacro("\\hearts", "\\heartsuit"), defineMacro("\\image", "\\Im"), defineMacro("\\infin", "\\infty"), defineMacro("\\isin", "\\in"), defineMacro("\\larr", "\\leftarrow"), defineMacro("\\lArr", "\\Leftarrow"), defineMacro("\\Larr", "\\Leftarrow"), defineMacro("\\lrarr", "\\leftrightarrow"), defineMacro("\\lrArr", "\\Leftrightarrow"), defineMacro("\\Lrarr", "\\Leftrightarrow"), defineMacro("\\natnums", "\\mathbb{N}"), defineMacro("\\plusmn", "\\pm"), defineMacro("\\rarr", "\\rightarrow"), defineMacro("\\rArr", "\\Rightarrow"), defineMacro("\\Rarr", "\\Rightarrow"), defineMacro("\\real", "\\Re"), defineMacro("\\reals", "\\mathbb{R}"), defineMacro("\\Reals", "\\mathbb{R}"), defineMacro("\\sdot", "\\cdot"), defineMacro("\\sect", "\\S"), defineMacro("\\spades", "\\spadesuit"), defineMacro("\\sub", "\\subset"), defineMacro("\\sube", "\\subseteq"), defineMacro("\\supe", "\\supseteq"), defineMacro("\\thetasym", "\\vartheta"), defineMacro("\\weierp", "\\wp"), defineMacro("\\quantity", "{\\left\\{ #1 \\right\\}}"), defineMacro("\\qty", "{\\left\\{ #1 \\right\\}}"), defineMacro("\\pqty", "{\\left( #1 \\right)}"), defineMacro("\\bqty", "{\\left[ #1 \\right]}"), defineMacro("\\vqty", "{\\left\\vert #1 \\right\\vert}"), defineMacro("\\Bqty", "{\\left\\{ #1 \\right\\}}"), defineMacro("\\absolutevalue", "{\\left\\vert #1 \\right\\vert}"), defineMacro("\\abs", "{\\left\\vert #1 \\right\\vert}"), defineMacro("\\norm", "{\\left\\Vert #1 \\right\\Vert}"), defineMacro("\\evaluated", "{\\left.#1 \\right\\vert}"), defineMacro("\\eval", "{\\left.#1 \\right\\vert}"), defineMacro("\\order", "{\\mathcal{O} \\left( #1 \\right)}"), defineMacro("\\commutator", "{\\left[ #1 , #2 \\right]}"), defineMacro("\\comm", "{\\left[ #1 , #2 \\right]}"), defineMacro("\\anticommutator", "{\\left\\{ #1 , #2 \\right\\}}"), defineMacro("\\acomm", "{\\left\\{ #1 , #2 \\right\\}}"), defineMacro("\\poissonbracket", "{\\left\\{ #1 , #2 \\right\\}}"), defineMacro("\\pb", "{\\left\\{ #1 , #2 \\right\\}}"), defineMacro("\\vectorbold", "{\\boldsymbol{ #1 }}"), defineMacro("\\vb", "{\\boldsymbol{ #1 }}"), defineMacro("\\vectorarrow", "{\\vec{\\boldsymbol{ #1 }}}"), defineMacro("\\va", "{\\vec{\\boldsymbol{ #1 }}}"), defineMacro("\\vectorunit", "{{\\boldsymbol{\\hat{ #1 }}}}"), defineMacro("\\vu", "{{\\boldsymbol{\\hat{ #1 }}}}"), defineMacro("\\dotproduct", "\\mathbin{\\boldsymbol\\cdot}"), defineMacro("\\vdot", "{\\boldsymbol\\cdot}"), defineMacro("\\crossproduct", "\\mathbin{\\boldsymbol\\times}"), defineMacro("\\cross", "\\mathbin{\\boldsymbol\\times}"), defineMacro("\\cp", "\\mathbin{\\boldsymbol\\times}"), defineMacro("\\gradient", "{\\boldsymbol\\nabla}"), defineMacro("\\grad", "{\\boldsymbol\\nabla}"), defineMacro("\\divergence", "{\\grad\\vdot}"), defineMacro("\\curl", "{\\grad\\cross}"), defineMacro("\\laplacian", "\\nabla^2"), defineMacro("\\tr", "{\\operatorname{tr}}"), defineMacro("\\Tr", "{\\operatorname{Tr}}"), defineMacro("\\rank", "{\\operatorname{rank}}"), defineMacro("\\erf", "{\\operatorname{erf}}"), defineMacro("\\Res", "{\\operatorname{Res}}"), defineMacro("\\principalvalue", "{\\mathcal{P}}"), defineMacro("\\pv", "{\\mathcal{P}}"), defineMacro("\\PV", "{\\operatorname{P.V.}}"), defineMacro("\\qqtext", "{\\quad\\text{ #1 }\\quad}"), defineMacro("\\qq", "{\\quad\\text{ #1 }\\quad}"), defineMacro("\\qcomma", "{\\text{,}\\quad}"), defineMacro("\\qc", "{\\text{,}\\quad}"), defineMacro("\\qcc", "{\\quad\\text{c.c.}\\quad}"), defineMacro("\\qif", "{\\quad\\text{if}\\quad}"), defineMacro("\\qthen", "{\\quad\\text{then}\\quad}"), defineMacro("\\qelse", "{\\quad\\text{else}\\quad}"), defineMacro("\\qotherwise", "{\\quad\\text{otherwise}\\quad}"), defineMacro("\\qunless", "{\\quad\\text{unless}\\quad}"), defineMacro("\\qgiven", "{\\quad\\text{given}\\quad}"), defineMacro("\\qusing", "{\\quad\\text{using}\\quad}"), defineMacro("\\qassume", "{\\quad\\text{assume}\\quad}"), defineMacro("\\qsince", "{\\quad\\text{since}\\quad}"), defineMacro("\\qlet", "{\\quad\\text{let}\\quad}"), defineMacro("\\qfor", "{\\quad\\text{for}\\quad}"), defineMacro("\\qall", "{\\quad\\text{all}\\quad}"), defineMacro("\\qeven", "{\\quad\\text{even}\\quad}"), defineMacro("\\qodd", "{\\quad\\text{odd}\\quad}"), defineMacro("\\qinteger", "{\\quad\\text{integer}\\quad}"), defineMacro("\\qand", "{\\quad\\text{and}\\quad}"), defineMacro("\\qor", "{\\quad\\text{or}\\quad}"), defineMacro("\\qas", "{\\quad\\text{as}\\quad}"), defineMacro("\\qin", "{\\quad\\text{in}\\quad}"), defineMacro("\\differential", "{\\text{d}}"), defineMacro("\\dd", "{\\text{d}}"), defineMacro("\\derivative", "{\\frac{\\text{d}{ #1 }}{\\text{d}{ #2 }}}"), defineMacro("\\dv", "{\\frac{\\text{d}{ #1 }}{\\text{d}{ #2 }}}"), defineMacro("\\partialderivative", "{\\frac{\\partial{ #1 }}{\\partial{ #2 }}}"), defineMacro("\\variation", "{\\delta}"), defineMacro("\\var", "{\\delta}"), defineMacro("\\functionalderivative", "{\\frac{\\delta{ #1 }}{\\delta{ #2 }}}"), defineMacro("\\fdv", "{\\frac{\\delta{ #1 }}{\\delta{ #2 }}}"), defineMacro("\\innerproduct", "{\\left\\langle {#1} \\mid { #2} \\right\\rangle}"), defineMacro("\\outerproduct", "{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"), defineMacro("\\dyad", "{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"), defineMacro("\\ketbra", "{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"), defineMacro("\\op", "{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"), defineMacro("\\expectationvalue", "{\\left\\langle {#1 } \\right\\rangle}"), defineMacro("\\expval", "{\\left\\langle {#1 } \\right\\rangle}"), defineMacro("\\ev", "{\\left\\langle {#1 } \\right\\rangle}"), defineMacro("\\matrixelement", "{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#3}\\right\\rangle}"), defineMacro("\\matrixel", "{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#3}\\right\\rangle}"), defineMacro("\\mel", "{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#3}\\right\\rangle}");
function getHLines(parser) {
	let hlineInfo = [];
	parser.consumeSpaces();
	let nxt = parser.fetch().text;
	for (nxt === "\\relax" && (parser.consume(), parser.consumeSpaces(), nxt = parser.fetch().text); nxt === "\\hline" || nxt === "\\hdashline";) parser.consume(), hlineInfo.push(nxt === "\\hdashline"), parser.consumeSpaces(), nxt = parser.fetch().text;
	return hlineInfo;
}
var validateAmsEnvironmentContext = (context) => {
	if (!context.parser.settings.displayMode) throw new ParseError(`{${context.envName}} can be used only in display mode.`);
}, sizeRegEx$1 = /([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/, arrayGaps = (macros) => {
	let arraystretch = macros.get("\\arraystretch");
	typeof arraystretch != "string" && (arraystretch = stringFromArg(arraystretch.tokens)), arraystretch = isNaN(arraystretch) ? null : Number(arraystretch);
	let arraycolsepStr = macros.get("\\arraycolsep");
	typeof arraycolsepStr != "string" && (arraycolsepStr = stringFromArg(arraycolsepStr.tokens));
	let match = sizeRegEx$1.exec(arraycolsepStr), arraycolsep = match ? {
		number: +(match[1] + match[2]),
		unit: match[3]
	} : null;
	return [arraystretch, arraycolsep];
}, checkCellForLabels = (cell) => {
	let rowLabel = "";
	for (let i = 0; i < cell.length; i++) if (cell[i].type === "label") {
		if (rowLabel) throw new ParseError("Multiple \\labels in one row");
		rowLabel = cell[i].string;
	}
	return rowLabel;
};
function getAutoTag(name) {
	if (name.indexOf("ed") === -1) return name.indexOf("*") === -1;
}
function parseArray(parser, { cols, envClasses, autoTag, singleRow, emptySingleRow, maxNumCols, leqno, arraystretch, arraycolsep }, scriptLevel) {
	let endToken = envClasses && envClasses.includes("bordermatrix") ? "}" : "\\end";
	parser.gullet.beginGroup(), singleRow || parser.gullet.macros.set("\\cr", "\\\\\\relax"), parser.gullet.beginGroup();
	let row = [], body = [row], rowGaps = [], labels = [], hLinesBeforeRow = [], tags = autoTag == null ? void 0 : [];
	function beginRow() {
		autoTag && parser.gullet.macros.set("\\@eqnsw", "1", !0);
	}
	function endRow() {
		tags && (parser.gullet.macros.get("\\df@tag") ? (tags.push(parser.subparse([new Token("\\df@tag")])), parser.gullet.macros.set("\\df@tag", void 0, !0)) : tags.push(!!autoTag && parser.gullet.macros.get("\\@eqnsw") === "1"));
	}
	for (beginRow(), hLinesBeforeRow.push(getHLines(parser));;) {
		let cell = parser.parseExpression(!1, singleRow ? "\\end" : "\\\\");
		parser.gullet.endGroup(), parser.gullet.beginGroup(), cell = {
			type: "ordgroup",
			mode: parser.mode,
			body: cell,
			semisimple: !0
		}, row.push(cell);
		let next = parser.fetch().text;
		if (next === "&") {
			if (maxNumCols && row.length === maxNumCols) {
				if (envClasses.includes("array")) {
					if (parser.settings.strict) throw new ParseError("Too few columns specified in the {array} column argument.", parser.nextToken);
				} else if (maxNumCols === 2) throw new ParseError("The split environment accepts no more than two columns", parser.nextToken);
				else throw new ParseError("The equation environment accepts only one column", parser.nextToken);
			}
			parser.consume();
		} else if (next === endToken) {
			endRow(), row.length === 1 && cell.body.length === 0 && (body.length > 1 || !emptySingleRow) && body.pop(), labels.push(checkCellForLabels(cell.body)), hLinesBeforeRow.length < body.length + 1 && hLinesBeforeRow.push([]);
			break;
		} else if (next === "\\\\") {
			parser.consume();
			let size;
			parser.gullet.future().text !== " " && (size = parser.parseSizeGroup(!0)), rowGaps.push(size ? size.value : null), endRow(), labels.push(checkCellForLabels(cell.body)), hLinesBeforeRow.push(getHLines(parser)), row = [], body.push(row), beginRow();
		} else throw new ParseError("Expected & or \\\\ or \\cr or " + endToken, parser.nextToken);
	}
	return parser.gullet.endGroup(), parser.gullet.endGroup(), {
		type: "array",
		mode: parser.mode,
		body,
		cols,
		rowGaps,
		hLinesBeforeRow,
		envClasses,
		autoTag,
		scriptLevel,
		tags,
		labels,
		leqno,
		arraystretch,
		arraycolsep
	};
}
function dCellStyle(envName) {
	return envName.slice(0, 1) === "d" ? "display" : "text";
}
var alignMap = {
	c: "center ",
	l: "left ",
	r: "right "
}, glue = (group) => {
	let glueNode = new MathNode("mtd", []);
	return glueNode.style = {
		padding: "0",
		width: "50%"
	}, group.envClasses.includes("multline") && (glueNode.style.width = "7.5%"), glueNode;
}, mathmlBuilder$9 = function(group, style) {
	let tbl = [], numRows = group.body.length, hlines = group.hLinesBeforeRow, tagIsPresent = group.tags && group.tags.some((tag) => tag);
	for (let i = 0; i < numRows; i++) {
		let rw = group.body[i], row = [], cellLevel = group.scriptLevel === "text" ? StyleLevel.TEXT : group.scriptLevel === "script" ? StyleLevel.SCRIPT : StyleLevel.DISPLAY;
		for (let j = 0; j < rw.length; j++) {
			let mtd = new MathNode("mtd", [buildGroup$1(rw[j], style.withLevel(cellLevel))]);
			if (group.envClasses.includes("multline")) {
				let align = i === 0 ? "left" : i === numRows - 1 ? "right" : "center";
				align !== "center" && mtd.classes.push("tml-" + align);
			}
			row.push(mtd);
		}
		let numColumns = group.body[0].length;
		for (let k = 0; k < numColumns - rw.length; k++) row.push(new MathNode("mtd", [], [], style));
		if (tagIsPresent) {
			let tag = group.tags[i], tagElement;
			tag === !0 ? tagElement = new MathNode("mtext", [new Span(["tml-eqn"])]) : tag === !1 ? tagElement = new MathNode("mtext", [], []) : (tagElement = buildExpressionRow(tag[0].body, style.withLevel(cellLevel), !0), tagElement = consolidateText(tagElement), tagElement.classes = ["tml-tag"]), tagElement && (row.unshift(glue(group)), row.push(glue(group)), group.leqno ? row[0].children.push(tagElement) : row[row.length - 1].children.push(tagElement));
		}
		let mtr = new MathNode("mtr", row, []), label = group.labels.shift();
		label && group.tags && group.tags[i] && (mtr.setAttribute("id", label), Array.isArray(group.tags[i]) && mtr.classes.push("tml-tageqn")), i === 0 && hlines[0].length > 0 && (hlines[0].length === 2 ? mtr.children.forEach((cell) => {
			cell.style.borderTop = "0.15em double";
		}) : mtr.children.forEach((cell) => {
			cell.style.borderTop = hlines[0][0] ? "0.06em dashed" : "0.06em solid";
		})), hlines[i + 1].length > 0 && (hlines[i + 1].length === 2 ? mtr.children.forEach((cell) => {
			cell.style.borderBottom = "0.15em double";
		}) : mtr.children.forEach((cell) => {
			cell.style.borderBottom = hlines[i + 1][0] ? "0.06em dashed" : "0.06em solid";
		}));
		let mustSquashRow = !0;
		for (let j = 0; j < mtr.children.length; j++) {
			let child = mtr.children[j].children[0];
			if (!(child && child.type === "mpadded" && child.attributes.height === "0px")) {
				mustSquashRow = !1;
				break;
			}
		}
		if (mustSquashRow) {
			mtr.classes.push("ff-squash");
			for (let j = 0; j < mtr.children.length; j++) mtr.children[j].style.paddingTop = "0", mtr.children[j].style.paddingBottom = "0";
		}
		tbl.push(mtr);
	}
	if (group.arraystretch && group.arraystretch !== 1) {
		let pad = String(1.4 * group.arraystretch - .8) + "ex";
		for (let i = 0; i < tbl.length; i++) for (let j = 0; j < tbl[i].children.length; j++) tbl[i].children[j].style.paddingTop = pad, tbl[i].children[j].style.paddingBottom = pad;
	}
	let sidePadding, sidePadUnit;
	if (group.envClasses.length > 0 && (sidePadding = group.envClasses.includes("abut") || group.envClasses.includes("cases") ? "0" : group.envClasses.includes("small") ? "0.1389" : group.envClasses.includes("cd") ? "0.25" : "0.4", sidePadUnit = "em"), group.arraycolsep) {
		let arraySidePad = calculateSize(group.arraycolsep, style);
		sidePadding = arraySidePad.number.toFixed(4), sidePadUnit = arraySidePad.unit;
	}
	if (sidePadding) {
		let numCols = tbl.length === 0 ? 0 : tbl[0].children.length, sidePad = (j, hand) => j === 0 && hand === 0 || j === numCols - 1 && hand === 1 ? "0" : group.envClasses[0] === "align" ? hand === 1 ? "0" : tagIsPresent ? j % 2 ? "1" : "0" : j % 2 ? "0" : "1" : sidePadding;
		for (let i = 0; i < tbl.length; i++) for (let j = 0; j < tbl[i].children.length; j++) tbl[i].children[j].style.paddingLeft = `${sidePad(j, 0)}${sidePadUnit}`, tbl[i].children[j].style.paddingRight = `${sidePad(j, 1)}${sidePadUnit}`;
	}
	if (group.envClasses.length === 0) for (let i = 0; i < tbl.length; i++) tbl[i].children[0].style.paddingLeft = "0em", tbl[i].children.length === tbl[0].children.length && (tbl[i].children[tbl[i].children.length - 1].style.paddingRight = "0em");
	if (group.envClasses.length > 0) {
		let align = group.envClasses.includes("align") || group.envClasses.includes("alignat");
		for (let i = 0; i < tbl.length; i++) {
			let row = tbl[i];
			if (align) {
				for (let j = 0; j < row.children.length; j++) row.children[j].classes = ["tml-" + (j % 2 ? "left" : "right")];
				if (tagIsPresent) {
					let k = group.leqno ? 0 : row.children.length - 1;
					row.children[k].classes = [];
				}
			}
			if (row.children.length > 1 && group.envClasses.includes("cases") && (row.children[1].style.paddingLeft = "1em"), group.envClasses.includes("cases") || group.envClasses.includes("subarray")) for (let cell of row.children) cell.classes.push("tml-left");
		}
	}
	let table = new MathNode("mtable", tbl);
	if (group.envClasses.length > 0 && (group.envClasses.includes("jot") ? table.classes.push("tml-jot") : group.envClasses.includes("small") && table.classes.push("tml-small")), group.scriptLevel === "display" && table.setAttribute("displaystyle", "true"), (group.autoTag || group.envClasses.includes("multline")) && (table.style.width = "100%"), group.cols && group.cols.length > 0) {
		let cols = group.cols, prevTypeWasAlign = !1, iStart = 0, iEnd = cols.length;
		for (; cols[iStart].type === "separator";) iStart += 1;
		for (; cols[iEnd - 1].type === "separator";) --iEnd;
		if (cols[0].type === "separator") {
			let sep = cols[1].type === "separator" ? "0.15em double" : cols[0].separator === "|" ? "0.06em solid " : "0.06em dashed ";
			for (let row of table.children) row.children[0].style.borderLeft = sep;
		}
		let iCol = tagIsPresent ? 0 : -1;
		for (let i = iStart; i < iEnd; i++) if (cols[i].type === "align") {
			let colAlign = alignMap[cols[i].align];
			iCol += 1;
			for (let row of table.children) colAlign.trim() !== "center" && iCol < row.children.length && (row.children[iCol].classes = ["tml-" + colAlign.trim()]);
			prevTypeWasAlign = !0;
		} else if (cols[i].type === "separator") {
			if (prevTypeWasAlign) {
				let sep = cols[i + 1].type === "separator" ? "0.15em double" : cols[i].separator === "|" ? "0.06em solid" : "0.06em dashed";
				for (let row of table.children) iCol < row.children.length && (row.children[iCol].style.borderRight = sep);
			}
			prevTypeWasAlign = !1;
		}
		if (cols[cols.length - 1].type === "separator") {
			let sep = cols[cols.length - 2].type === "separator" ? "0.15em double" : cols[cols.length - 1].separator === "|" ? "0.06em solid" : "0.06em dashed";
			for (let row of table.children) row.children[row.children.length - 1].style.borderRight = sep, row.children[row.children.length - 1].style.paddingRight = "0.4em";
		}
	}
	return group.envClasses.includes("small") && (table = new MathNode("mstyle", [table]), table.setAttribute("scriptlevel", "1")), table;
}, alignedHandler = function(context, args) {
	context.envName.indexOf("ed") === -1 && validateAmsEnvironmentContext(context);
	let isSplit = context.envName === "split", cols = [], res = parseArray(context.parser, {
		cols,
		emptySingleRow: !0,
		autoTag: isSplit ? void 0 : getAutoTag(context.envName),
		envClasses: ["abut", "jot"],
		maxNumCols: context.envName === "split" ? 2 : void 0,
		leqno: context.parser.settings.leqno
	}, "display"), numMaths, numCols = 0, isAlignedAt = context.envName.indexOf("at") > -1;
	if (args[0] && isAlignedAt) {
		let arg0 = "";
		for (let i = 0; i < args[0].body.length; i++) {
			let textord = assertNodeType(args[0].body[i], "textord");
			arg0 += textord.text;
		}
		if (isNaN(arg0)) throw new ParseError("The alignat enviroment requires a numeric first argument.");
		numMaths = Number(arg0), numCols = numMaths * 2;
	}
	res.body.forEach(function(row) {
		if (isAlignedAt) {
			let curMaths = row.length / 2;
			if (numMaths < curMaths) throw new ParseError(`Too many math in a row: expected ${numMaths}, but got ${curMaths}`, row[0]);
		} else numCols < row.length && (numCols = row.length);
	});
	for (let i = 0; i < numCols; ++i) {
		let align = "r";
		i % 2 == 1 && (align = "l"), cols[i] = {
			type: "align",
			align
		};
	}
	return context.envName === "split" || (isAlignedAt ? res.envClasses.push("alignat") : res.envClasses[0] = "align"), res;
};
defineEnvironment({
	type: "array",
	names: ["array", "darray"],
	props: { numArgs: 1 },
	handler(context, args) {
		let cols = (checkSymbolNodeType(args[0]) ? [args[0]] : assertNodeType(args[0], "ordgroup").body).map(function(nde) {
			let ca = assertSymbolNodeType(nde).text;
			if ("lcr".indexOf(ca) !== -1) return {
				type: "align",
				align: ca
			};
			if (ca === "|") return {
				type: "separator",
				separator: "|"
			};
			if (ca === ":") return {
				type: "separator",
				separator: ":"
			};
			throw new ParseError("Unknown column alignment: " + ca, nde);
		}), [arraystretch, arraycolsep] = arrayGaps(context.parser.gullet.macros), res = {
			cols,
			envClasses: ["array"],
			maxNumCols: cols.length,
			arraystretch,
			arraycolsep
		};
		return parseArray(context.parser, res, dCellStyle(context.envName));
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: [
		"matrix",
		"pmatrix",
		"bmatrix",
		"Bmatrix",
		"vmatrix",
		"Vmatrix",
		"matrix*",
		"pmatrix*",
		"bmatrix*",
		"Bmatrix*",
		"vmatrix*",
		"Vmatrix*"
	],
	props: { numArgs: 0 },
	handler(context) {
		let delimiters = {
			matrix: null,
			pmatrix: ["(", ")"],
			bmatrix: ["[", "]"],
			Bmatrix: ["\\{", "\\}"],
			vmatrix: ["|", "|"],
			Vmatrix: ["\\Vert", "\\Vert"]
		}[context.envName.replace("*", "")], colAlign = "c", payload = {
			envClasses: [],
			cols: []
		};
		if (context.envName.charAt(context.envName.length - 1) === "*") {
			let parser = context.parser;
			if (parser.consumeSpaces(), parser.fetch().text === "[") {
				if (parser.consume(), parser.consumeSpaces(), colAlign = parser.fetch().text, "lcr".indexOf(colAlign) === -1) throw new ParseError("Expected l or c or r", parser.nextToken);
				parser.consume(), parser.consumeSpaces(), parser.expect("]"), parser.consume(), payload.cols = [];
			}
		}
		let res = parseArray(context.parser, payload, "text");
		res.cols = res.body.length > 0 ? Array(res.body[0].length).fill({
			type: "align",
			align: colAlign
		}) : [];
		let [arraystretch, arraycolsep] = arrayGaps(context.parser.gullet.macros);
		return res.arraystretch = arraystretch, arraycolsep && (arraycolsep !== 6 || arraycolsep !== "pt") && (res.arraycolsep = arraycolsep), delimiters ? {
			type: "leftright",
			mode: context.mode,
			body: [res],
			left: delimiters[0],
			right: delimiters[1],
			rightColor: void 0
		} : res;
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["bordermatrix"],
	props: { numArgs: 0 },
	handler(context) {
		let res = parseArray(context.parser, {
			cols: [],
			envClasses: ["bordermatrix"]
		}, "text");
		return res.cols = res.body.length > 0 ? Array(res.body[0].length).fill({
			type: "align",
			align: "c"
		}) : [], res.envClasses = [], res.arraystretch = 1, context.envName === "matrix" ? res : bordermatrixParseTree(res, context.delimiters);
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["smallmatrix"],
	props: { numArgs: 0 },
	handler(context) {
		return parseArray(context.parser, { envClasses: ["small"] }, "script");
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["subarray"],
	props: { numArgs: 1 },
	handler(context, args) {
		let cols = (checkSymbolNodeType(args[0]) ? [args[0]] : assertNodeType(args[0], "ordgroup").body).map(function(nde) {
			let ca = assertSymbolNodeType(nde).text;
			if ("lc".indexOf(ca) !== -1) return {
				type: "align",
				align: ca
			};
			throw new ParseError("Unknown column alignment: " + ca, nde);
		});
		if (cols.length > 1) throw new ParseError("{subarray} can contain only one column");
		let res = {
			cols,
			envClasses: ["small"]
		};
		if (res = parseArray(context.parser, res, "script"), res.body.length > 0 && res.body[0].length > 1) throw new ParseError("{subarray} can contain only one column");
		return res;
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: [
		"cases",
		"dcases",
		"rcases",
		"drcases"
	],
	props: { numArgs: 0 },
	handler(context) {
		let res = parseArray(context.parser, {
			cols: [],
			envClasses: ["cases"]
		}, dCellStyle(context.envName));
		return {
			type: "leftright",
			mode: context.mode,
			body: [res],
			left: context.envName.indexOf("r") > -1 ? "." : "\\{",
			right: context.envName.indexOf("r") > -1 ? "\\}" : ".",
			rightColor: void 0
		};
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: [
		"align",
		"align*",
		"aligned",
		"split"
	],
	props: { numArgs: 0 },
	handler: alignedHandler,
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: [
		"alignat",
		"alignat*",
		"alignedat"
	],
	props: { numArgs: 1 },
	handler: alignedHandler,
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: [
		"gathered",
		"gather",
		"gather*"
	],
	props: { numArgs: 0 },
	handler(context) {
		context.envName !== "gathered" && validateAmsEnvironmentContext(context);
		let res = {
			cols: [],
			envClasses: ["abut", "jot"],
			autoTag: getAutoTag(context.envName),
			emptySingleRow: !0,
			leqno: context.parser.settings.leqno
		};
		return parseArray(context.parser, res, "display");
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["equation", "equation*"],
	props: { numArgs: 0 },
	handler(context) {
		validateAmsEnvironmentContext(context);
		let res = {
			autoTag: getAutoTag(context.envName),
			emptySingleRow: !0,
			singleRow: !0,
			maxNumCols: 1,
			envClasses: ["align"],
			leqno: context.parser.settings.leqno
		};
		return parseArray(context.parser, res, "display");
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["multline", "multline*"],
	props: { numArgs: 0 },
	handler(context) {
		validateAmsEnvironmentContext(context);
		let res = {
			autoTag: context.envName === "multline",
			maxNumCols: 1,
			envClasses: ["jot", "multline"],
			leqno: context.parser.settings.leqno
		};
		return parseArray(context.parser, res, "display");
	},
	mathmlBuilder: mathmlBuilder$9
}), defineEnvironment({
	type: "array",
	names: ["CD"],
	props: { numArgs: 0 },
	handler(context) {
		return validateAmsEnvironmentContext(context), parseCD(context.parser);
	},
	mathmlBuilder: mathmlBuilder$9
}), defineFunction({
	type: "text",
	names: ["\\hline", "\\hdashline"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		allowedInMath: !0
	},
	handler(context, args) {
		throw new ParseError(`${context.funcName} valid only within array environment`);
	}
});
var environments = _environments;
defineFunction({
	type: "bordermatrix",
	names: ["\\bordermatrix", "\\matrix"],
	props: {
		numArgs: 0,
		numOptionalArgs: 1
	},
	handler: ({ parser, funcName }, args, optArgs) => {
		let delimiters = ["(", ")"];
		if (funcName === "\\bordermatrix" && optArgs[0] && optArgs[0].body) {
			let body = optArgs[0].body;
			body.length === 1 && body[0].type === "delimiter" && (delimiters = [body[0].left, body[0].right]);
		}
		parser.consumeSpaces(), parser.consume();
		let env = environments.bordermatrix, context = {
			mode: parser.mode,
			envName: funcName.slice(1),
			delimiters,
			parser
		}, result = env.handler(context);
		return parser.expect("}", !0), result;
	}
}), defineFunction({
	type: "cancelto",
	names: ["\\cancelto"],
	props: { numArgs: 2 },
	handler({ parser }, args) {
		let to = args[0], body = args[1];
		return {
			type: "cancelto",
			mode: parser.mode,
			body,
			to,
			isCharacterBox: isCharacterBox(body)
		};
	},
	mathmlBuilder(group, style) {
		let fromNode = new MathNode("mrow", [buildGroup$1(group.body, style)], ["ff-narrow"]), phantom = new MathNode("mphantom", [buildGroup$1(group.body, style)]), arrow = new MathNode("mrow", [phantom], ["tml-cancelto"]);
		arrow.style.color = style.color, group.isCharacterBox && smalls.indexOf(group.body.body[0].text) > -1 && (arrow.style.left = "0.1em", arrow.style.width = "90%");
		let node = new MathNode("mrow", [fromNode, arrow], ["menclose"]);
		if (!group.isCharacterBox || /[f∫∑]/.test(group.body.body[0].text)) phantom.style.paddingRight = "0.2em";
		else {
			phantom.style.padding = "0.5ex 0.1em 0 0";
			let strut = new MathNode("mspace", []);
			strut.setAttribute("height", "0.85em"), fromNode.children.push(strut);
		}
		let dummyNode;
		if (group.isCharacterBox) dummyNode = new MathNode("mspace", []), dummyNode.setAttribute("height", "1em");
		else {
			let zeroWidthNode = new MathNode("mpadded", [buildGroup$1(group.body, style)]);
			zeroWidthNode.setAttribute("width", "0.1px"), dummyNode = new MathNode("mphantom", [zeroWidthNode]);
		}
		let toNode = buildGroup$1(group.to, style);
		toNode.style.color = style.color;
		let zeroWidthToNode = new MathNode("mpadded", [toNode]);
		if (!group.isCharacterBox || /[f∫∑]/.test(group.body.body[0].text)) {
			let w = new MathNode("mspace", []);
			w.setAttribute("width", "0.2em"), zeroWidthToNode.children.unshift(w);
		}
		zeroWidthToNode.setAttribute("width", "0.1px");
		let mover = new MathNode("mover", [dummyNode, zeroWidthToNode]), nudgeLeft = new MathNode("mrow", [], ["ff-nudge-left"]);
		return newDocumentFragment([makeRow([node, mover]), nudgeLeft]);
	}
}), defineFunction({
	type: "textord",
	names: ["\\@char"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler({ parser, token }, args) {
		let group = assertNodeType(args[0], "ordgroup").body, number = "";
		for (let i = 0; i < group.length; i++) {
			let node = assertNodeType(group[i], "textord");
			number += node.text;
		}
		let code = parseInt(number);
		if (isNaN(code)) throw new ParseError(`\\@char has non-numeric argument ${number}`, token);
		return {
			type: "textord",
			mode: parser.mode,
			text: String.fromCodePoint(code)
		};
	}
});
var htmlRegEx = /^(#[a-f0-9]{3}|#?[a-f0-9]{6})$/i, htmlOrNameRegEx = /^(#[a-f0-9]{3}|#?[a-f0-9]{6}|[a-z]+)$/i, RGBregEx = /^ *\d{1,3} *(?:, *\d{1,3} *){2}$/, rgbRegEx = /^ *[10](?:\.\d*)? *(?:, *[10](?:\.\d*)? *){2}$/, xcolorHtmlRegEx = /^[a-f0-9]{6}$/i, toHex = (num) => {
	let str = num.toString(16);
	return str.length === 1 && (str = "0" + str), str;
}, xcolors = JSON.parse("{\n  \"Apricot\": \"#ffb484\",\n  \"Aquamarine\": \"#08b4bc\",\n  \"Bittersweet\": \"#c84c14\",\n  \"blue\": \"#0000FF\",\n  \"Blue\": \"#303494\",\n  \"BlueGreen\": \"#08b4bc\",\n  \"BlueViolet\": \"#503c94\",\n  \"BrickRed\": \"#b8341c\",\n  \"brown\": \"#BF8040\",\n  \"Brown\": \"#802404\",\n  \"BurntOrange\": \"#f8941c\",\n  \"CadetBlue\": \"#78749c\",\n  \"CarnationPink\": \"#f884b4\",\n  \"Cerulean\": \"#08a4e4\",\n  \"CornflowerBlue\": \"#40ace4\",\n  \"cyan\": \"#00FFFF\",\n  \"Cyan\": \"#08acec\",\n  \"Dandelion\": \"#ffbc44\",\n  \"darkgray\": \"#404040\",\n  \"DarkOrchid\": \"#a8548c\",\n  \"Emerald\": \"#08ac9c\",\n  \"ForestGreen\": \"#089c54\",\n  \"Fuchsia\": \"#90348c\",\n  \"Goldenrod\": \"#ffdc44\",\n  \"gray\": \"#808080\",\n  \"Gray\": \"#98949c\",\n  \"green\": \"#00FF00\",\n  \"Green\": \"#08a44c\",\n  \"GreenYellow\": \"#e0e474\",\n  \"JungleGreen\": \"#08ac9c\",\n  \"Lavender\": \"#f89cc4\",\n  \"lightgray\": \"#c0c0c0\",\n  \"lime\": \"#BFFF00\",\n  \"LimeGreen\": \"#90c43c\",\n  \"magenta\": \"#FF00FF\",\n  \"Magenta\": \"#f0048c\",\n  \"Mahogany\": \"#b0341c\",\n  \"Maroon\": \"#b03434\",\n  \"Melon\": \"#f89c7c\",\n  \"MidnightBlue\": \"#086494\",\n  \"Mulberry\": \"#b03c94\",\n  \"NavyBlue\": \"#086cbc\",\n  \"olive\": \"#7F7F00\",\n  \"OliveGreen\": \"#407c34\",\n  \"orange\": \"#FF8000\",\n  \"Orange\": \"#f8843c\",\n  \"OrangeRed\": \"#f0145c\",\n  \"Orchid\": \"#b074ac\",\n  \"Peach\": \"#f8945c\",\n  \"Periwinkle\": \"#8074bc\",\n  \"PineGreen\": \"#088c74\",\n  \"pink\": \"#ff7f7f\",\n  \"Plum\": \"#98248c\",\n  \"ProcessBlue\": \"#08b4ec\",\n  \"purple\": \"#BF0040\",\n  \"Purple\": \"#a0449c\",\n  \"RawSienna\": \"#983c04\",\n  \"red\": \"#ff0000\",\n  \"Red\": \"#f01c24\",\n  \"RedOrange\": \"#f86434\",\n  \"RedViolet\": \"#a0246c\",\n  \"Rhodamine\": \"#f0549c\",\n  \"Royallue\": \"#0874bc\",\n  \"RoyalPurple\": \"#683c9c\",\n  \"RubineRed\": \"#f0047c\",\n  \"Salmon\": \"#f8948c\",\n  \"SeaGreen\": \"#30bc9c\",\n  \"Sepia\": \"#701404\",\n  \"SkyBlue\": \"#48c4dc\",\n  \"SpringGreen\": \"#c8dc64\",\n  \"Tan\": \"#e09c74\",\n  \"teal\": \"#007F7F\",\n  \"TealBlue\": \"#08acb4\",\n  \"Thistle\": \"#d884b4\",\n  \"Turquoise\": \"#08b4cc\",\n  \"violet\": \"#800080\",\n  \"Violet\": \"#60449c\",\n  \"VioletRed\": \"#f054a4\",\n  \"WildStrawberry\": \"#f0246c\",\n  \"yellow\": \"#FFFF00\",\n  \"Yellow\": \"#fff404\",\n  \"YellowGreen\": \"#98cc6c\",\n  \"YellowOrange\": \"#ffa41c\"\n}"), colorFromSpec = (model, spec) => {
	let color = "";
	if (model === "HTML") {
		if (!htmlRegEx.test(spec)) throw new ParseError("Invalid HTML input.");
		color = spec;
	} else if (model === "RGB") {
		if (!RGBregEx.test(spec)) throw new ParseError("Invalid RGB input.");
		spec.split(",").map((e) => {
			color += toHex(Number(e.trim()));
		});
	} else {
		if (!rgbRegEx.test(spec)) throw new ParseError("Invalid rbg input.");
		spec.split(",").map((e) => {
			let num = Number(e.trim());
			if (num > 1) throw new ParseError("Color rgb input must be < 1.");
			color += toHex(Number((num * 255).toFixed(0)));
		});
	}
	return color.charAt(0) !== "#" && (color = "#" + color), color;
}, validateColor = (color, macros, token) => {
	let macroName = `\\\\color@${color}`;
	if (!htmlOrNameRegEx.exec(color)) throw new ParseError("Invalid color: '" + color + "'", token);
	return xcolorHtmlRegEx.test(color) ? "#" + color : (color.charAt(0) === "#" || (macros.has(macroName) ? color = macros.get(macroName).tokens[0].text : xcolors[color] && (color = xcolors[color])), color);
}, mathmlBuilder$8 = (group, style) => {
	let expr = buildExpression(group.body, style.withColor(group.color));
	return expr.length === 0 && expr.push(new MathNode("mrow")), expr = expr.map((e) => (e.style.color = group.color, e)), newDocumentFragment(expr);
};
defineFunction({
	type: "color",
	names: ["\\textcolor"],
	props: {
		numArgs: 2,
		numOptionalArgs: 1,
		allowedInText: !0,
		argTypes: [
			"raw",
			"raw",
			"original"
		]
	},
	handler({ parser, token }, args, optArgs) {
		let model = optArgs[0] && assertNodeType(optArgs[0], "raw").string, color = "";
		if (model) {
			let spec = assertNodeType(args[0], "raw").string;
			color = colorFromSpec(model, spec);
		} else color = validateColor(assertNodeType(args[0], "raw").string, parser.gullet.macros, token);
		let body = args[1];
		return {
			type: "color",
			mode: parser.mode,
			color,
			isTextColor: !0,
			body: ordargument(body)
		};
	},
	mathmlBuilder: mathmlBuilder$8
}), defineFunction({
	type: "color",
	names: ["\\color"],
	props: {
		numArgs: 1,
		numOptionalArgs: 1,
		allowedInText: !0,
		argTypes: ["raw", "raw"]
	},
	handler({ parser, breakOnTokenText, token }, args, optArgs) {
		let model = optArgs[0] && assertNodeType(optArgs[0], "raw").string, color = "";
		if (model) {
			let spec = assertNodeType(args[0], "raw").string;
			color = colorFromSpec(model, spec);
		} else color = validateColor(assertNodeType(args[0], "raw").string, parser.gullet.macros, token);
		let body = parser.parseExpression(!0, breakOnTokenText, !0);
		return {
			type: "color",
			mode: parser.mode,
			color,
			isTextColor: !1,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$8
}), defineFunction({
	type: "color",
	names: ["\\definecolor"],
	props: {
		numArgs: 3,
		allowedInText: !0,
		argTypes: [
			"raw",
			"raw",
			"raw"
		]
	},
	handler({ parser, funcName, token }, args) {
		let name = assertNodeType(args[0], "raw").string;
		if (!/^[A-Za-z]+$/.test(name)) throw new ParseError("Color name must be latin letters.", token);
		let model = assertNodeType(args[1], "raw").string;
		if (![
			"HTML",
			"RGB",
			"rgb"
		].includes(model)) throw new ParseError("Color model must be HTML, RGB, or rgb.", token);
		let spec = assertNodeType(args[2], "raw").string, color = colorFromSpec(model, spec);
		return parser.gullet.macros.set(`\\\\color@${name}`, {
			tokens: [{ text: color }],
			numArgs: 0
		}), {
			type: "internal",
			mode: parser.mode
		};
	}
}), defineFunction({
	type: "cr",
	names: ["\\\\"],
	props: {
		numArgs: 0,
		numOptionalArgs: 0,
		allowedInText: !0
	},
	handler({ parser }, args, optArgs) {
		let size = parser.gullet.future().text === "[" ? parser.parseSizeGroup(!0) : null, newLine = !parser.settings.displayMode;
		return {
			type: "cr",
			mode: parser.mode,
			newLine,
			size: size && assertNodeType(size, "size").value
		};
	},
	mathmlBuilder(group, style) {
		let node = new MathNode("mo");
		if (group.newLine && (node.setAttribute("linebreak", "newline"), group.size)) {
			let size = calculateSize(group.size, style);
			node.setAttribute("height", size.number + size.unit);
		}
		return node;
	}
});
var globalMap = {
	"\\global": "\\global",
	"\\long": "\\\\globallong",
	"\\\\globallong": "\\\\globallong",
	"\\def": "\\gdef",
	"\\gdef": "\\gdef",
	"\\edef": "\\xdef",
	"\\xdef": "\\xdef",
	"\\let": "\\\\globallet",
	"\\futurelet": "\\\\globalfuture"
}, checkControlSequence = (tok) => {
	let name = tok.text;
	if (/^(?:[\\{}$&#^_]|EOF)$/.test(name)) throw new ParseError("Expected a control sequence", tok);
	return name;
}, getRHS = (parser) => {
	let tok = parser.gullet.popToken();
	return tok.text === "=" && (tok = parser.gullet.popToken(), tok.text === " " && (tok = parser.gullet.popToken())), tok;
}, letCommand = (parser, name, tok, global) => {
	let macro = parser.gullet.macros.get(tok.text);
	macro ??= (tok.noexpand = !0, {
		tokens: [tok],
		numArgs: 0,
		unexpandable: !parser.gullet.isExpandable(tok.text)
	}), parser.gullet.macros.set(name, macro, global);
};
defineFunction({
	type: "internal",
	names: [
		"\\global",
		"\\long",
		"\\\\globallong"
	],
	props: {
		numArgs: 0,
		allowedInText: !0
	},
	handler({ parser, funcName }) {
		parser.consumeSpaces();
		let token = parser.fetch();
		if (globalMap[token.text]) return (funcName === "\\global" || funcName === "\\\\globallong") && (token.text = globalMap[token.text]), assertNodeType(parser.parseFunction(), "internal");
		throw new ParseError("Invalid token after macro prefix", token);
	}
}), defineFunction({
	type: "internal",
	names: [
		"\\def",
		"\\gdef",
		"\\edef",
		"\\xdef"
	],
	props: {
		numArgs: 0,
		allowedInText: !0,
		primitive: !0
	},
	handler({ parser, funcName }) {
		let tok = parser.gullet.popToken(), name = tok.text;
		if (/^(?:[\\{}$&#^_]|EOF)$/.test(name)) throw new ParseError("Expected a control sequence", tok);
		let numArgs = 0, insert, delimiters = [[]];
		for (; parser.gullet.future().text !== "{";) if (tok = parser.gullet.popToken(), tok.text === "#") {
			if (parser.gullet.future().text === "{") {
				insert = parser.gullet.future(), delimiters[numArgs].push("{");
				break;
			}
			if (tok = parser.gullet.popToken(), !/^[1-9]$/.test(tok.text)) throw new ParseError(`Invalid argument number "${tok.text}"`);
			if (parseInt(tok.text) !== numArgs + 1) throw new ParseError(`Argument number "${tok.text}" out of order`);
			numArgs++, delimiters.push([]);
		} else if (tok.text === "EOF") throw new ParseError("Expected a macro definition");
		else delimiters[numArgs].push(tok.text);
		let { tokens } = parser.gullet.consumeArg();
		if (insert && tokens.unshift(insert), funcName === "\\edef" || funcName === "\\xdef") {
			if (tokens = parser.gullet.expandTokens(tokens), tokens.length > parser.gullet.settings.maxExpand) throw new ParseError("Too many expansions in an " + funcName);
			tokens.reverse();
		}
		return parser.gullet.macros.set(name, {
			tokens,
			numArgs,
			delimiters
		}, funcName === globalMap[funcName]), {
			type: "internal",
			mode: parser.mode
		};
	}
}), defineFunction({
	type: "internal",
	names: ["\\let", "\\\\globallet"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		primitive: !0
	},
	handler({ parser, funcName }) {
		let name = checkControlSequence(parser.gullet.popToken());
		return parser.gullet.consumeSpaces(), letCommand(parser, name, getRHS(parser), funcName === "\\\\globallet"), {
			type: "internal",
			mode: parser.mode
		};
	}
}), defineFunction({
	type: "internal",
	names: ["\\futurelet", "\\\\globalfuture"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		primitive: !0
	},
	handler({ parser, funcName }) {
		let name = checkControlSequence(parser.gullet.popToken()), middle = parser.gullet.popToken(), tok = parser.gullet.popToken();
		return letCommand(parser, name, tok, funcName === "\\\\globalfuture"), parser.gullet.pushToken(tok), parser.gullet.pushToken(middle), {
			type: "internal",
			mode: parser.mode
		};
	}
}), defineFunction({
	type: "internal",
	names: [
		"\\newcommand",
		"\\renewcommand",
		"\\providecommand"
	],
	props: {
		numArgs: 0,
		allowedInText: !0,
		primitive: !0
	},
	handler({ parser, funcName }) {
		let name = "", tok = parser.gullet.popToken();
		tok.text === "{" ? (name = checkControlSequence(parser.gullet.popToken()), parser.gullet.popToken()) : name = checkControlSequence(tok);
		let exists = parser.gullet.isDefined(name);
		if (exists && funcName === "\\newcommand") throw new ParseError(`\\newcommand{${name}} attempting to redefine ${name}; use \\renewcommand`);
		if (!exists && funcName === "\\renewcommand") throw new ParseError(`\\renewcommand{${name}} when command ${name} does not yet exist; use \\newcommand`);
		let numArgs = 0;
		if (parser.gullet.future().text === "[") {
			let tok = parser.gullet.popToken();
			if (tok = parser.gullet.popToken(), !/^[0-9]$/.test(tok.text)) throw new ParseError(`Invalid number of arguments: "${tok.text}"`);
			if (numArgs = parseInt(tok.text), tok = parser.gullet.popToken(), tok.text !== "]") throw new ParseError(`Invalid argument "${tok.text}"`);
		}
		let { tokens } = parser.gullet.consumeArg();
		return funcName === "\\providecommand" && parser.gullet.macros.has(name) || parser.gullet.macros.set(name, {
			tokens,
			numArgs
		}), {
			type: "internal",
			mode: parser.mode
		};
	}
});
var delimiterSizes = {
	"\\bigl": {
		mclass: "mopen",
		size: 1
	},
	"\\Bigl": {
		mclass: "mopen",
		size: 2
	},
	"\\biggl": {
		mclass: "mopen",
		size: 3
	},
	"\\Biggl": {
		mclass: "mopen",
		size: 4
	},
	"\\bigr": {
		mclass: "mclose",
		size: 1
	},
	"\\Bigr": {
		mclass: "mclose",
		size: 2
	},
	"\\biggr": {
		mclass: "mclose",
		size: 3
	},
	"\\Biggr": {
		mclass: "mclose",
		size: 4
	},
	"\\bigm": {
		mclass: "mrel",
		size: 1
	},
	"\\Bigm": {
		mclass: "mrel",
		size: 2
	},
	"\\biggm": {
		mclass: "mrel",
		size: 3
	},
	"\\Biggm": {
		mclass: "mrel",
		size: 4
	},
	"\\big": {
		mclass: "mord",
		size: 1
	},
	"\\Big": {
		mclass: "mord",
		size: 2
	},
	"\\bigg": {
		mclass: "mord",
		size: 3
	},
	"\\Bigg": {
		mclass: "mord",
		size: 4
	}
}, leftToRight = {
	"(": ")",
	"\\lparen": "\\rparen",
	"[": "]",
	"\\lbrack": "\\rbrack",
	"\\{": "\\}",
	"\\lbrace": "\\rbrace",
	"⦇": "⦈",
	"\\llparenthesis": "\\rrparenthesis",
	"\\lfloor": "\\rfloor",
	"⌊": "⌋",
	"\\lceil": "\\rceil",
	"⌈": "⌉",
	"\\langle": "\\rangle",
	"⟨": "⟩",
	"\\lAngle": "\\rAngle",
	"⟪": "⟫",
	"\\llangle": "\\rrangle",
	"⦉": "⦊",
	"\\lvert": "\\rvert",
	"\\lVert": "\\rVert",
	"\\lgroup": "\\rgroup",
	"⟮": "⟯",
	"\\lmoustache": "\\rmoustache",
	"⎰": "⎱",
	"\\llbracket": "\\rrbracket",
	"⟦": "⟧",
	"\\lBrace": "\\rBrace",
	"⦃": "⦄"
}, leftDelimiterNames = new Set(Object.keys(leftToRight));
new Set(Object.values(leftToRight));
var delimiters = new Set("(,\\lparen,),\\rparen,[,\\lbrack,],\\rbrack,\\{,\\lbrace,\\},\\rbrace,⦇,\\llparenthesis,⦈,\\rrparenthesis,\\lfloor,\\rfloor,⌊,⌋,\\lceil,\\rceil,⌈,⌉,<,>,\\langle,⟨,\\rangle,⟩,\\lAngle,⟪,\\rAngle,⟫,\\llangle,⦉,\\rrangle,⦊,\\lt,\\gt,\\lvert,\\rvert,\\lVert,\\rVert,\\lgroup,\\rgroup,⟮,⟯,\\lmoustache,\\rmoustache,⎰,⎱,\\llbracket,\\rrbracket,⟦,⟧,\\lBrace,\\rBrace,⦃,⦄,/,\\backslash,|,\\vert,\\|,\\Vert,‖,\\uparrow,\\Uparrow,\\downarrow,\\Downarrow,\\updownarrow,\\Updownarrow,.".split(",")), dels = new Set([
	"}",
	"\\left",
	"\\middle",
	"\\right"
]), isDelimiter = (str) => str.length > 0 && (delimiters.has(str) || delimiterSizes[str] || dels.has(str)), sizeToMaxHeight = [
	0,
	1.2,
	1.8,
	2.4,
	3
];
function checkDelimiter(delim, context) {
	delim.type === "ordgroup" && delim.body.length === 1 && (delim = delim.body[0]);
	let symDelim = checkSymbolNodeType(delim);
	if (symDelim && delimiters.has(symDelim.text)) return (symDelim.text === "<" || symDelim.text === "\\lt") && (symDelim.text = "⟨"), (symDelim.text === ">" || symDelim.text === "\\gt") && (symDelim.text = "⟩"), symDelim;
	throw symDelim ? new ParseError(`Invalid delimiter '${symDelim.text}' after '${context.funcName}'`, delim) : new ParseError(`Invalid delimiter type '${delim.type}'`, delim);
}
var needExplicitStretch = new Set([
	"/",
	"\\",
	"\\backslash",
	"∖",
	"\\vert",
	"|"
]), makeFenceMo = (delim, mode, form, isStretchy) => {
	let node = new MathNode("mo", [makeText(delim === "." ? "" : delim, mode)]);
	return node.setAttribute("fence", "true"), node.setAttribute("form", form), node.setAttribute("stretchy", isStretchy ? "true" : "false"), node;
};
defineFunction({
	type: "delimsizing",
	names: [
		"\\bigl",
		"\\Bigl",
		"\\biggl",
		"\\Biggl",
		"\\bigr",
		"\\Bigr",
		"\\biggr",
		"\\Biggr",
		"\\bigm",
		"\\Bigm",
		"\\biggm",
		"\\Biggm",
		"\\big",
		"\\Big",
		"\\bigg",
		"\\Bigg"
	],
	props: {
		numArgs: 1,
		argTypes: ["primitive"]
	},
	handler: (context, args) => {
		let delim = checkDelimiter(args[0], context), delimNode = {
			type: "delimsizing",
			mode: context.parser.mode,
			size: delimiterSizes[context.funcName].size,
			mclass: delimiterSizes[context.funcName].mclass,
			delim: delim.text
		}, nextToken = context.parser.fetch().text;
		return nextToken !== "^" && nextToken !== "_" ? delimNode : {
			type: "ordgroup",
			mode: "math",
			body: [delimNode, {
				type: "ordgroup",
				mode: "math",
				body: []
			}]
		};
	},
	mathmlBuilder: (group) => {
		let children = [], delim = group.delim === "." ? "" : group.delim;
		children.push(makeText(delim, group.mode));
		let node = new MathNode("mo", children);
		return group.mclass === "mopen" || group.mclass === "mclose" ? node.setAttribute("fence", "true") : node.setAttribute("fence", "false"), (needExplicitStretch.has(delim) || delim.indexOf("arrow") > -1) && node.setAttribute("stretchy", "true"), node.setAttribute("symmetric", "true"), node.setAttribute("minsize", sizeToMaxHeight[group.size] + "em"), node.setAttribute("maxsize", sizeToMaxHeight[group.size] + "em"), node;
	}
});
function assertParsed(group) {
	if (!group.body) throw Error("Bug: The delim ParseNode wasn't fully parsed.");
}
defineFunction({
	type: "leftright-right",
	names: ["\\right"],
	props: {
		numArgs: 1,
		argTypes: ["primitive"]
	},
	handler: (context, args) => ({
		type: "leftright-right",
		mode: context.parser.mode,
		delim: checkDelimiter(args[0], context).text
	})
}), defineFunction({
	type: "leftright",
	names: ["\\left"],
	props: {
		numArgs: 1,
		argTypes: ["primitive"]
	},
	handler: (context, args) => {
		let delim = checkDelimiter(args[0], context), parser = context.parser;
		++parser.leftrightDepth;
		let body = parser.parseExpression(!1, "\\right", !0), nextToken = parser.fetch();
		for (; nextToken.text === "\\middle";) {
			parser.consume();
			let middle = parser.fetch().text;
			if (!symbols.math[middle]) throw new ParseError(`Invalid delimiter '${middle}' after '\\middle'`);
			checkDelimiter({
				type: "atom",
				mode: "math",
				text: middle
			}, { funcName: "\\middle" }), body.push({
				type: "middle",
				mode: "math",
				delim: middle
			}), parser.consume(), body = body.concat(parser.parseExpression(!1, "\\right", !0)), nextToken = parser.fetch();
		}
		--parser.leftrightDepth, parser.expect("\\right", !1);
		let right = assertNodeType(parser.parseFunction(), "leftright-right");
		return {
			type: "leftright",
			mode: parser.mode,
			body,
			left: delim.text,
			right: right.delim,
			isStretchy: !0
		};
	},
	mathmlBuilder: (group, style) => {
		assertParsed(group);
		let inner = buildExpression(group.body, style), leftNode = makeFenceMo(group.left, group.mode, "prefix", !0);
		inner.unshift(leftNode);
		let rightNode = makeFenceMo(group.right, group.mode, "postfix", !0);
		if (group.body.length > 0) {
			let lastElement = group.body[group.body.length - 1];
			lastElement.type === "color" && !lastElement.isTextColor && rightNode.setAttribute("mathcolor", lastElement.color);
		}
		return inner.push(rightNode), makeRow(inner);
	}
}), defineFunction({
	type: "delimiter",
	names: Array.from(leftDelimiterNames),
	props: {
		numArgs: 0,
		allowedInText: !0,
		allowedInMath: !0,
		allowedInArgument: !0
	},
	handler: ({ parser, funcName, token }) => {
		if (parser.mode === "text") return {
			type: "textord",
			mode: "text",
			text: funcName,
			loc: token.loc
		};
		if (!parser.settings.wrapDelimiterPairs) return {
			type: "atom",
			mode: "math",
			family: "open",
			loc: token.loc,
			text: funcName
		};
		let rightDelim = leftToRight[funcName], body = parser.parseExpression(!1, rightDelim, !1);
		if (parser.fetch().text !== rightDelim) throw new ParseError("Unmatched delimiter");
		return parser.consume(), {
			type: "delimiter",
			mode: parser.mode,
			body,
			left: funcName,
			right: rightDelim
		};
	},
	mathmlBuilder: (group, style) => {
		assertParsed(group);
		let inner = buildExpression(group.body, style), leftNode = makeFenceMo(group.left, group.mode, "prefix", !1);
		inner.unshift(leftNode);
		let rightNode = makeFenceMo(group.right, group.mode, "postfix", !1);
		if (group.body.length > 0) {
			let lastElement = group.body[group.body.length - 1];
			lastElement.type === "color" && !lastElement.isTextColor && rightNode.setAttribute("mathcolor", lastElement.color);
		}
		return inner.push(rightNode), makeRow(inner);
	}
}), defineFunction({
	type: "middle",
	names: ["\\middle"],
	props: {
		numArgs: 1,
		argTypes: ["primitive"]
	},
	handler: (context, args) => {
		let delim = checkDelimiter(args[0], context);
		if (!context.parser.leftrightDepth) throw new ParseError("\\middle without preceding \\left", delim);
		return {
			type: "middle",
			mode: context.parser.mode,
			delim: delim.text
		};
	},
	mathmlBuilder: (group) => {
		let textNode = makeText(group.delim, group.mode), middleNode = new MathNode("mo", [textNode]);
		return middleNode.setAttribute("stretchy", "true"), middleNode.setAttribute("form", "infix"), textNode.text !== "/" && (middleNode.setAttribute("lspace", "0.05em"), middleNode.setAttribute("rspace", "0.05em")), middleNode;
	}
});
var boxTags = [
	"\\boxed",
	"\\fcolorbox",
	"\\colorbox"
], mathmlBuilder$7 = (group, style) => {
	let node = new MathNode(boxTags.includes(group.label) ? "mrow" : "menclose", [buildGroup$1(group.body, style)]);
	switch (group.label) {
		case "\\overline":
			node.setAttribute("notation", "top"), node.classes.push("tml-overline");
			break;
		case "\\underline":
			node.setAttribute("notation", "bottom"), node.classes.push("tml-underline");
			break;
		case "\\cancel":
			node.setAttribute("notation", "updiagonalstrike"), node.children.push(new MathNode("mrow", [], ["tml-cancel", "upstrike"]));
			break;
		case "\\bcancel":
			node.setAttribute("notation", "downdiagonalstrike"), node.children.push(new MathNode("mrow", [], ["tml-cancel", "downstrike"]));
			break;
		case "\\sout":
			node.setAttribute("notation", "horizontalstrike"), node.children.push(new MathNode("mrow", [], ["tml-cancel", "sout"]));
			break;
		case "\\xcancel":
			node.setAttribute("notation", "updiagonalstrike downdiagonalstrike"), node.children.push(new MathNode("mrow", [], ["tml-cancel", "tml-xcancel"]));
			break;
		case "\\longdiv":
			node.setAttribute("notation", "longdiv"), node.classes.push("longdiv-top"), node.children.push(new MathNode("mrow", [], ["longdiv-arc"]));
			break;
		case "\\phase":
			node.setAttribute("notation", "phasorangle"), node.classes.push("phasor-bottom"), node.children.push(new MathNode("mrow", [], ["phasor-angle"]));
			break;
		case "\\textcircled":
			node.setAttribute("notation", "circle"), node.classes.push("circle-pad"), node.children.push(new MathNode("mrow", [], ["textcircle"]));
			break;
		case "\\angl":
			node.setAttribute("notation", "actuarial"), node.classes.push("actuarial");
			break;
		case "\\boxed":
			node.style.padding = "3pt", node.style.border = "1px solid", node.setAttribute("scriptlevel", "0"), node.setAttribute("displaystyle", "true");
			break;
		case "\\fbox":
			node.setAttribute("notation", "box"), node.classes.push("tml-fbox");
			break;
		case "\\fcolorbox":
		case "\\colorbox": node.style.padding = "0.3em", group.label === "\\fcolorbox" && (node.style.border = "0.0667em solid " + String(group.borderColor));
	}
	return group.backgroundColor && node.setAttribute("mathbackground", group.backgroundColor), node;
};
defineFunction({
	type: "enclose",
	names: ["\\colorbox"],
	props: {
		numArgs: 2,
		numOptionalArgs: 1,
		allowedInText: !0,
		argTypes: [
			"raw",
			"raw",
			"text"
		]
	},
	handler({ parser, funcName }, args, optArgs) {
		let model = optArgs[0] && assertNodeType(optArgs[0], "raw").string, color = "";
		if (model) {
			let spec = assertNodeType(args[0], "raw").string;
			color = colorFromSpec(model, spec);
		} else color = validateColor(assertNodeType(args[0], "raw").string, parser.gullet.macros);
		let body = args[1];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			backgroundColor: color,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "enclose",
	names: ["\\fcolorbox"],
	props: {
		numArgs: 3,
		numOptionalArgs: 1,
		allowedInText: !0,
		argTypes: [
			"raw",
			"raw",
			"raw",
			"text"
		]
	},
	handler({ parser, funcName }, args, optArgs) {
		let model = optArgs[0] && assertNodeType(optArgs[0], "raw").string, borderColor = "", backgroundColor;
		if (model) {
			let borderSpec = assertNodeType(args[0], "raw").string, backgroundSpec = assertNodeType(args[0], "raw").string;
			borderColor = colorFromSpec(model, borderSpec), backgroundColor = colorFromSpec(model, backgroundSpec);
		} else borderColor = validateColor(assertNodeType(args[0], "raw").string, parser.gullet.macros), backgroundColor = validateColor(assertNodeType(args[1], "raw").string, parser.gullet.macros);
		let body = args[2];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			backgroundColor,
			borderColor,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "enclose",
	names: ["\\fbox"],
	props: {
		numArgs: 1,
		argTypes: ["hbox"],
		allowedInText: !0
	},
	handler({ parser }, args) {
		return {
			type: "enclose",
			mode: parser.mode,
			label: "\\fbox",
			body: args[0]
		};
	}
}), defineFunction({
	type: "enclose",
	names: [
		"\\angl",
		"\\cancel",
		"\\bcancel",
		"\\xcancel",
		"\\overline",
		"\\boxed",
		"\\longdiv",
		"\\phase"
	],
	props: { numArgs: 1 },
	handler({ parser, funcName }, args) {
		let body = args[0];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "enclose",
	names: ["\\sout"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler({ parser, funcName }, args) {
		let body = args[0];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "enclose",
	names: ["\\underline"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler({ parser, funcName }, args) {
		let body = args[0];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "enclose",
	names: ["\\textcircled"],
	props: {
		numArgs: 1,
		argTypes: ["text"],
		allowedInArgument: !0,
		allowedInText: !0
	},
	handler({ parser, funcName }, args) {
		let body = args[0];
		return {
			type: "enclose",
			mode: parser.mode,
			label: funcName,
			body
		};
	},
	mathmlBuilder: mathmlBuilder$7
}), defineFunction({
	type: "environment",
	names: ["\\begin", "\\end"],
	props: {
		numArgs: 1,
		argTypes: ["text"]
	},
	handler({ parser, funcName }, args) {
		let nameGroup = args[0];
		if (nameGroup.type !== "ordgroup") throw new ParseError("Invalid environment name", nameGroup);
		let envName = "";
		for (let i = 0; i < nameGroup.body.length; ++i) envName += assertNodeType(nameGroup.body[i], "textord").text;
		if (funcName === "\\begin") {
			if (!Object.prototype.hasOwnProperty.call(environments, envName)) throw new ParseError("No such environment: " + envName, nameGroup);
			let env = environments[envName], { args, optArgs } = parser.parseArguments("\\begin{" + envName + "}", env), context = {
				mode: parser.mode,
				envName,
				parser
			}, result = env.handler(context, args, optArgs);
			parser.expect("\\end", !1);
			let endNameToken = parser.nextToken, end = assertNodeType(parser.parseFunction(), "environment");
			if (end.name !== envName) throw new ParseError(`Mismatch: \\begin{${envName}} matched by \\end{${end.name}}`, endNameToken);
			return result;
		}
		return {
			type: "environment",
			mode: parser.mode,
			name: envName,
			nameGroup
		};
	}
}), defineFunction({
	type: "envTag",
	names: ["\\env@tag"],
	props: {
		numArgs: 1,
		argTypes: ["math"]
	},
	handler({ parser }, args) {
		return {
			type: "envTag",
			mode: parser.mode,
			body: args[0]
		};
	},
	mathmlBuilder(group, style) {
		return new MathNode("mrow");
	}
}), defineFunction({
	type: "noTag",
	names: ["\\env@notag"],
	props: { numArgs: 0 },
	handler({ parser }) {
		return {
			type: "noTag",
			mode: parser.mode
		};
	},
	mathmlBuilder(group, style) {
		return new MathNode("mrow");
	}
});
var script = Object.freeze({
	B: 8426,
	E: 8427,
	F: 8427,
	H: 8387,
	I: 8391,
	L: 8390,
	M: 8422,
	R: 8393,
	e: 8394,
	g: 8355,
	o: 8389
}), frak = Object.freeze({
	C: 8426,
	H: 8388,
	I: 8392,
	R: 8394,
	Z: 8398
}), bbb = Object.freeze({
	C: 8383,
	H: 8389,
	N: 8391,
	P: 8393,
	Q: 8393,
	R: 8395,
	Z: 8394
}), bold = Object.freeze({
	ϵ: 119527,
	ϑ: 119564,
	ϰ: 119534,
	φ: 119577,
	ϱ: 119535,
	ϖ: 119563
}), boldItalic = Object.freeze({
	ϵ: 119643,
	ϑ: 119680,
	ϰ: 119650,
	φ: 119693,
	ϱ: 119651,
	ϖ: 119679
}), boldsf = Object.freeze({
	ϵ: 119701,
	ϑ: 119738,
	ϰ: 119708,
	φ: 119751,
	ϱ: 119709,
	ϖ: 119737
}), bisf = Object.freeze({
	ϵ: 119759,
	ϑ: 119796,
	ϰ: 119766,
	φ: 119809,
	ϱ: 119767,
	ϖ: 119795
}), offset = Object.freeze({
	upperCaseLatin: {
		normal: (ch) => 0,
		bold: (ch) => 119743,
		italic: (ch) => 119795,
		"bold-italic": (ch) => 119847,
		script: (ch) => script[ch] || 119899,
		"script-bold": (ch) => 119951,
		fraktur: (ch) => frak[ch] || 120003,
		"fraktur-bold": (ch) => 120107,
		"double-struck": (ch) => bbb[ch] || 120055,
		"sans-serif": (ch) => 120159,
		"sans-serif-bold": (ch) => 120211,
		"sans-serif-italic": (ch) => 120263,
		"sans-serif-bold-italic": (ch) => 120380,
		monospace: (ch) => 120367
	},
	lowerCaseLatin: {
		normal: (ch) => 0,
		bold: (ch) => 119737,
		italic: (ch) => ch === "h" ? 8358 : 119789,
		"bold-italic": (ch) => 119841,
		script: (ch) => script[ch] || 119893,
		"script-bold": (ch) => 119945,
		fraktur: (ch) => 119997,
		"fraktur-bold": (ch) => 120101,
		"double-struck": (ch) => 120049,
		"sans-serif": (ch) => 120153,
		"sans-serif-bold": (ch) => 120205,
		"sans-serif-italic": (ch) => 120257,
		"sans-serif-bold-italic": (ch) => 120309,
		monospace: (ch) => 120361
	},
	upperCaseGreek: {
		normal: (ch) => 0,
		bold: (ch) => 119575,
		italic: (ch) => 119633,
		"bold-italic": (ch) => 119575,
		script: (ch) => 0,
		"script-bold": (ch) => 0,
		fraktur: (ch) => 0,
		"fraktur-bold": (ch) => 0,
		"double-struck": (ch) => 0,
		"sans-serif": (ch) => 119749,
		"sans-serif-bold": (ch) => 119749,
		"sans-serif-italic": (ch) => 0,
		"sans-serif-bold-italic": (ch) => 119807,
		monospace: (ch) => 0
	},
	lowerCaseGreek: {
		normal: (ch) => 0,
		bold: (ch) => 119569,
		italic: (ch) => 119627,
		"bold-italic": (ch) => ch === "ϕ" ? 119678 : 119685,
		script: (ch) => 0,
		"script-bold": (ch) => 0,
		fraktur: (ch) => 0,
		"fraktur-bold": (ch) => 0,
		"double-struck": (ch) => 0,
		"sans-serif": (ch) => 119743,
		"sans-serif-bold": (ch) => 119743,
		"sans-serif-italic": (ch) => 0,
		"sans-serif-bold-italic": (ch) => 119801,
		monospace: (ch) => 0
	},
	varGreek: {
		normal: (ch) => 0,
		bold: (ch) => bold[ch] || -51,
		italic: (ch) => 0,
		"bold-italic": (ch) => boldItalic[ch] || 58,
		script: (ch) => 0,
		"script-bold": (ch) => 0,
		fraktur: (ch) => 0,
		"fraktur-bold": (ch) => 0,
		"double-struck": (ch) => 0,
		"sans-serif": (ch) => boldsf[ch] || 116,
		"sans-serif-bold": (ch) => boldsf[ch] || 116,
		"sans-serif-italic": (ch) => 0,
		"sans-serif-bold-italic": (ch) => bisf[ch] || 174,
		monospace: (ch) => 0
	},
	numeral: {
		normal: (ch) => 0,
		bold: (ch) => 120734,
		italic: (ch) => 0,
		"bold-italic": (ch) => 0,
		script: (ch) => 0,
		"script-bold": (ch) => 0,
		fraktur: (ch) => 0,
		"fraktur-bold": (ch) => 0,
		"double-struck": (ch) => 120744,
		"sans-serif": (ch) => 120754,
		"sans-serif-bold": (ch) => 120764,
		"sans-serif-italic": (ch) => 0,
		"sans-serif-bold-italic": (ch) => 0,
		monospace: (ch) => 120774
	}
}), variantChar = (ch, variant) => {
	let codePoint = ch.codePointAt(0), block = 64 < codePoint && codePoint < 91 ? "upperCaseLatin" : 96 < codePoint && codePoint < 123 ? "lowerCaseLatin" : 912 < codePoint && codePoint < 938 ? "upperCaseGreek" : 944 < codePoint && codePoint < 970 || ch === "ϕ" ? "lowerCaseGreek" : 120545 < codePoint && codePoint < 120572 || bold[ch] ? "varGreek" : 47 < codePoint && codePoint < 58 ? "numeral" : "other";
	return block === "other" ? ch : String.fromCodePoint(codePoint + offset[block][variant](ch));
}, smallCaps = Object.freeze({
	a: "ᴀ",
	b: "ʙ",
	c: "ᴄ",
	d: "ᴅ",
	e: "ᴇ",
	f: "ꜰ",
	g: "ɢ",
	h: "ʜ",
	i: "ɪ",
	j: "ᴊ",
	k: "ᴋ",
	l: "ʟ",
	m: "ᴍ",
	n: "ɴ",
	o: "ᴏ",
	p: "ᴘ",
	q: "ǫ",
	r: "ʀ",
	s: "s",
	t: "ᴛ",
	u: "ᴜ",
	v: "ᴠ",
	w: "ᴡ",
	x: "x",
	y: "ʏ",
	z: "ᴢ"
}), varNameFonts = ["mathrm", "mathit"], isLongVariableName = (group, font) => {
	if (!varNameFonts.includes(font) || !group.body || group.body.type !== "ordgroup" || group.body.body.length === 1 || group.body.body[0].type !== "mathord") return !1;
	for (let i = 1; i < group.body.body.length; i++) {
		let parseNodeType = group.body.body[i].type;
		if (!(parseNodeType === "mathord" || parseNodeType === "textord" && !isNaN(group.body.body[i].text))) return !1;
	}
	return !0;
}, mathmlBuilder$6 = (group, style) => {
	let font = group.font, newStyle = style.withFont(font), mathGroup = buildGroup$1(group.body, newStyle);
	if (mathGroup.children.length === 0) return mathGroup;
	if (font === "boldsymbol" && [
		"mo",
		"mpadded",
		"mrow"
	].includes(mathGroup.type)) return mathGroup.style.fontWeight = "bold", mathGroup;
	if (isLongVariableName(group, font)) {
		let mi = mathGroup.children[0].children[0].children ? mathGroup.children[0].children[0] : mathGroup.children[0];
		delete mi.attributes.mathvariant;
		for (let i = 1; i < mathGroup.children.length; i++) mi.children[0].text += mathGroup.children[i].children[0].children ? mathGroup.children[i].children[0].children[0].text : mathGroup.children[i].children[0].text;
		if (font === "mathit") return mi.children[0].text = mi.children[0].text.split("").map((c) => variantChar(c, "italic")).join(""), mi;
		let mpadded = new MathNode("mpadded", [mi]);
		return mpadded.setAttribute("lspace", "0"), mpadded;
	}
	let canConsolidate = mathGroup.children[0].type === "mo";
	for (let i = 1; i < mathGroup.children.length; i++) mathGroup.children[i].type === "mo" && font === "boldsymbol" && (mathGroup.children[i].style.fontWeight = "bold"), mathGroup.children[i].type !== "mi" && (canConsolidate = !1), (mathGroup.children[i].attributes && mathGroup.children[i].attributes.mathvariant || "") !== "normal" && (canConsolidate = !1);
	if (!canConsolidate) return mathGroup;
	let mi = mathGroup.children[0];
	for (let i = 1; i < mathGroup.children.length; i++) mi.children.push(mathGroup.children[i].children[0]);
	return mi.attributes.mathvariant && mi.attributes.mathvariant === "normal" ? new MathNode("mrow", [new MathNode("mtext", new TextNode("​")), mi]) : mi;
}, fontAliases = {
	"\\Bbb": "\\mathbb",
	"\\bold": "\\mathbf",
	"\\frak": "\\mathfrak",
	"\\bm": "\\boldsymbol"
};
defineFunction({
	type: "font",
	names: [
		"\\mathrm",
		"\\mathit",
		"\\mathbf",
		"\\mathnormal",
		"\\up@greek",
		"\\boldsymbol",
		"\\mathbb",
		"\\mathcal",
		"\\mathfrak",
		"\\mathscr",
		"\\mathsf",
		"\\mathsfit",
		"\\mathtt",
		"\\Bbb",
		"\\bm",
		"\\bold",
		"\\frak"
	],
	props: {
		numArgs: 1,
		allowedInArgument: !0
	},
	handler: ({ parser, funcName }, args) => {
		let body = normalizeArgument(args[0]), func = funcName;
		return func in fontAliases && (func = fontAliases[func]), {
			type: "font",
			mode: parser.mode,
			font: func.slice(1),
			body
		};
	},
	mathmlBuilder: mathmlBuilder$6
}), defineFunction({
	type: "font",
	names: [
		"\\rm",
		"\\sf",
		"\\tt",
		"\\bf",
		"\\it",
		"\\cal"
	],
	props: {
		numArgs: 0,
		allowedInText: !0
	},
	handler: ({ parser, funcName, breakOnTokenText }, args) => {
		let { mode } = parser, body = parser.parseExpression(!0, breakOnTokenText, !0);
		return {
			type: "font",
			mode,
			font: `math${funcName.slice(1)}`,
			body: {
				type: "ordgroup",
				mode: parser.mode,
				body
			}
		};
	},
	mathmlBuilder: mathmlBuilder$6
});
var stylArray = [
	"display",
	"text",
	"script",
	"scriptscript"
], scriptLevel = {
	auto: -1,
	display: 0,
	text: 0,
	script: 1,
	scriptscript: 2
}, adjustStyle = (functionSize, originalStyle) => {
	let style = originalStyle;
	if (functionSize === "display") {
		let newSize = style.level >= StyleLevel.SCRIPT ? StyleLevel.TEXT : StyleLevel.DISPLAY;
		style = style.withLevel(newSize);
	} else functionSize === "text" && style.level === StyleLevel.DISPLAY ? style = style.withLevel(StyleLevel.TEXT) : functionSize === "auto" ? style = style.incrementLevel() : functionSize === "script" ? style = style.withLevel(StyleLevel.SCRIPT) : functionSize === "scriptscript" && (style = style.withLevel(StyleLevel.SCRIPTSCRIPT));
	return style;
}, mathmlBuilder$5 = (group, style) => {
	style = adjustStyle(group.scriptLevel, style);
	let numer = buildGroup$1(group.numer, style), denom = buildGroup$1(group.denom, style);
	style.level === 3 && (numer.style.mathDepth = "2", numer.setAttribute("scriptlevel", "2"), denom.style.mathDepth = "2", denom.setAttribute("scriptlevel", "2"));
	let node = new MathNode("mfrac", [numer, denom]);
	if (!group.hasBarLine) node.setAttribute("linethickness", "0px");
	else if (group.barSize) {
		let ruleWidth = calculateSize(group.barSize, style);
		node.setAttribute("linethickness", ruleWidth.number + ruleWidth.unit);
	}
	if (group.leftDelim != null || group.rightDelim != null) {
		let withDelims = [];
		if (group.leftDelim != null) {
			let leftOp = new MathNode("mo", [new TextNode(group.leftDelim.replace("\\", ""))]);
			leftOp.setAttribute("fence", "true"), withDelims.push(leftOp);
		}
		if (withDelims.push(node), group.rightDelim != null) {
			let rightOp = new MathNode("mo", [new TextNode(group.rightDelim.replace("\\", ""))]);
			rightOp.setAttribute("fence", "true"), withDelims.push(rightOp);
		}
		node = makeRow(withDelims);
	}
	return group.scriptLevel !== "auto" && (node = new MathNode("mstyle", [node]), node.setAttribute("displaystyle", String(group.scriptLevel === "display")), node.setAttribute("scriptlevel", scriptLevel[group.scriptLevel])), node;
};
defineFunction({
	type: "genfrac",
	names: [
		"\\cfrac",
		"\\dfrac",
		"\\frac",
		"\\tfrac",
		"\\dbinom",
		"\\binom",
		"\\tbinom",
		"\\\\atopfrac",
		"\\\\bracefrac",
		"\\\\brackfrac"
	],
	props: {
		numArgs: 2,
		allowedInArgument: !0
	},
	handler: ({ parser, funcName }, args) => {
		let numer = args[0], denom = args[1], hasBarLine = !1, leftDelim = null, rightDelim = null, scriptLevel = "auto";
		switch (funcName) {
			case "\\cfrac":
			case "\\dfrac":
			case "\\frac":
			case "\\tfrac":
				hasBarLine = !0;
				break;
			case "\\\\atopfrac":
				hasBarLine = !1;
				break;
			case "\\dbinom":
			case "\\binom":
			case "\\tbinom":
				leftDelim = "(", rightDelim = ")";
				break;
			case "\\\\bracefrac":
				leftDelim = "\\{", rightDelim = "\\}";
				break;
			case "\\\\brackfrac":
				leftDelim = "[", rightDelim = "]";
				break;
			default: throw Error("Unrecognized genfrac command");
		}
		return funcName === "\\cfrac" || funcName.startsWith("\\d") ? scriptLevel = "display" : funcName.startsWith("\\t") && (scriptLevel = "text"), {
			type: "genfrac",
			mode: parser.mode,
			continued: !1,
			numer,
			denom,
			hasBarLine,
			leftDelim,
			rightDelim,
			scriptLevel,
			barSize: null
		};
	},
	mathmlBuilder: mathmlBuilder$5
}), defineFunction({
	type: "infix",
	names: [
		"\\over",
		"\\choose",
		"\\atop",
		"\\brace",
		"\\brack"
	],
	props: {
		numArgs: 0,
		infix: !0
	},
	handler({ parser, funcName, token }) {
		let replaceWith;
		switch (funcName) {
			case "\\over":
				replaceWith = "\\frac";
				break;
			case "\\choose":
				replaceWith = "\\binom";
				break;
			case "\\atop":
				replaceWith = "\\\\atopfrac";
				break;
			case "\\brace":
				replaceWith = "\\\\bracefrac";
				break;
			case "\\brack":
				replaceWith = "\\\\brackfrac";
				break;
			default: throw Error("Unrecognized infix genfrac command");
		}
		return {
			type: "infix",
			mode: parser.mode,
			replaceWith,
			token
		};
	}
});
var delimFromValue = function(delimString) {
	let delim = null;
	return delimString.length > 0 && (delim = delimString, delim = delim === "." ? null : delim), delim;
};
defineFunction({
	type: "genfrac",
	names: ["\\genfrac"],
	props: {
		numArgs: 6,
		allowedInArgument: !0,
		argTypes: [
			"math",
			"math",
			"size",
			"text",
			"math",
			"math"
		]
	},
	handler({ parser }, args) {
		let numer = args[4], denom = args[5], leftNode = normalizeArgument(args[0]), leftDelim = leftNode.type === "atom" && leftNode.family === "open" ? delimFromValue(leftNode.text) : null, rightNode = normalizeArgument(args[1]), rightDelim = rightNode.type === "atom" && rightNode.family === "close" ? delimFromValue(rightNode.text) : null, barNode = assertNodeType(args[2], "size"), hasBarLine, barSize = null;
		barNode.isBlank ? hasBarLine = !0 : (barSize = barNode.value, hasBarLine = barSize.number > 0);
		let scriptLevel = "auto", styl = args[3];
		if (styl.type === "ordgroup") {
			if (styl.body.length > 0) {
				let textOrd = assertNodeType(styl.body[0], "textord");
				scriptLevel = stylArray[Number(textOrd.text)];
			}
		} else styl = assertNodeType(styl, "textord"), scriptLevel = stylArray[Number(styl.text)];
		return {
			type: "genfrac",
			mode: parser.mode,
			numer,
			denom,
			continued: !1,
			hasBarLine,
			barSize,
			leftDelim,
			rightDelim,
			scriptLevel
		};
	},
	mathmlBuilder: mathmlBuilder$5
}), defineFunction({
	type: "infix",
	names: ["\\above"],
	props: {
		numArgs: 1,
		argTypes: ["size"],
		infix: !0
	},
	handler({ parser, funcName, token }, args) {
		return {
			type: "infix",
			mode: parser.mode,
			replaceWith: "\\\\abovefrac",
			barSize: assertNodeType(args[0], "size").value,
			token
		};
	}
}), defineFunction({
	type: "genfrac",
	names: ["\\\\abovefrac"],
	props: {
		numArgs: 3,
		argTypes: [
			"math",
			"size",
			"math"
		]
	},
	handler: ({ parser, funcName }, args) => {
		let numer = args[0], barSize = assert(assertNodeType(args[1], "infix").barSize), denom = args[2], hasBarLine = barSize.number > 0;
		return {
			type: "genfrac",
			mode: parser.mode,
			numer,
			denom,
			continued: !1,
			hasBarLine,
			barSize,
			leftDelim: null,
			rightDelim: null,
			scriptLevel: "auto"
		};
	},
	mathmlBuilder: mathmlBuilder$5
}), defineFunction({
	type: "hbox",
	names: ["\\hbox"],
	props: {
		numArgs: 1,
		argTypes: ["hbox"],
		allowedInArgument: !0,
		allowedInText: !1
	},
	handler({ parser }, args) {
		return {
			type: "hbox",
			mode: parser.mode,
			body: ordargument(args[0])
		};
	},
	mathmlBuilder(group, style) {
		let newStyle = style.withLevel(StyleLevel.TEXT);
		return consolidateText(buildExpressionRow(group.body, newStyle));
	}
}), defineFunction({
	type: "horizBracket",
	names: [
		"\\overbrace",
		"\\underbrace",
		"\\overbracket",
		"\\underbracket"
	],
	props: { numArgs: 1 },
	handler({ parser, funcName }, args) {
		return {
			type: "horizBracket",
			mode: parser.mode,
			label: funcName,
			isOver: /^\\over/.test(funcName),
			base: args[0]
		};
	},
	mathmlBuilder: (group, style) => {
		let accentNode = mathMLnode(group.label);
		return accentNode.style["math-depth"] = 0, new MathNode(group.isOver ? "mover" : "munder", [buildGroup$1(group.base, style), accentNode]);
	}
}), defineFunction({
	type: "html",
	names: [
		"\\class",
		"\\id",
		"\\style",
		"\\data"
	],
	props: {
		numArgs: 2,
		argTypes: ["raw", "original"],
		allowedInText: !0
	},
	handler: ({ parser, funcName, token }, args) => {
		let value = assertNodeType(args[0], "raw").string, body = args[1];
		if (parser.settings.strict) throw new ParseError(`Function "${funcName}" is disabled in strict mode`, token);
		let trustContext, attributes = {};
		switch (funcName) {
			case "\\class":
				attributes.class = value, trustContext = {
					command: "\\class",
					class: value
				};
				break;
			case "\\id":
				attributes.id = value, trustContext = {
					command: "\\id",
					id: value
				};
				break;
			case "\\style":
				attributes.style = value, trustContext = {
					command: "\\style",
					style: value
				};
				break;
			case "\\data": {
				let data = value.split(",");
				for (let i = 0; i < data.length; i++) {
					let keyVal = data[i].split("=");
					if (keyVal.length !== 2) throw new ParseError("Error parsing key-value for \\data");
					attributes["data-" + keyVal[0].trim()] = keyVal[1].trim();
				}
				trustContext = {
					command: "\\data",
					attributes
				};
				break;
			}
			default: throw Error("Unrecognized html command");
		}
		if (!parser.settings.isTrusted(trustContext)) throw new ParseError(`Function "${funcName}" is not trusted`, token);
		return {
			type: "html",
			mode: parser.mode,
			attributes,
			body: ordargument(body)
		};
	},
	mathmlBuilder: (group, style) => {
		let element = buildExpressionRow(group.body, style), classes = [];
		group.attributes.class && classes.push(...group.attributes.class.trim().split(/\s+/)), element.classes = classes;
		for (let attr in group.attributes) attr !== "class" && Object.prototype.hasOwnProperty.call(group.attributes, attr) && element.setAttribute(attr, group.attributes[attr]);
		return element;
	}
});
var sizeData = function(str) {
	if (/^[-+]? *(\d+(\.\d*)?|\.\d+)$/.test(str)) return {
		number: +str,
		unit: "bp"
	};
	{
		let match = /([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/.exec(str);
		if (!match) throw new ParseError("Invalid size: '" + str + "' in \\includegraphics");
		let data = {
			number: +(match[1] + match[2]),
			unit: match[3]
		};
		if (!validUnit(data)) throw new ParseError("Invalid unit: '" + data.unit + "' in \\includegraphics.");
		return data;
	}
};
defineFunction({
	type: "includegraphics",
	names: ["\\includegraphics"],
	props: {
		numArgs: 1,
		numOptionalArgs: 1,
		argTypes: ["raw", "url"],
		allowedInText: !1
	},
	handler: ({ parser, token }, args, optArgs) => {
		let width = {
			number: 0,
			unit: "em"
		}, height = {
			number: .9,
			unit: "em"
		}, totalheight = {
			number: 0,
			unit: "em"
		}, alt = "";
		if (optArgs[0]) {
			let attributes = assertNodeType(optArgs[0], "raw").string.split(",");
			for (let i = 0; i < attributes.length; i++) {
				let keyVal = attributes[i].split("=");
				if (keyVal.length === 2) {
					let str = keyVal[1].trim();
					switch (keyVal[0].trim()) {
						case "alt":
							alt = str;
							break;
						case "width":
							width = sizeData(str);
							break;
						case "height":
							height = sizeData(str);
							break;
						case "totalheight":
							totalheight = sizeData(str);
							break;
						default: throw new ParseError("Invalid key: '" + keyVal[0] + "' in \\includegraphics.");
					}
				}
			}
		}
		let src = assertNodeType(args[0], "url").url;
		if (alt === "" && (alt = src, alt = alt.replace(/^.*[\\/]/, ""), alt = alt.substring(0, alt.lastIndexOf("."))), !parser.settings.isTrusted({
			command: "\\includegraphics",
			url: src
		})) throw new ParseError("Function \"\\includegraphics\" is not trusted", token);
		return {
			type: "includegraphics",
			mode: parser.mode,
			alt,
			width,
			height,
			totalheight,
			src
		};
	},
	mathmlBuilder: (group, style) => {
		let height = calculateSize(group.height, style), depth = {
			number: 0,
			unit: "em"
		};
		group.totalheight.number > 0 && group.totalheight.unit === height.unit && group.totalheight.number > height.number && (depth.number = group.totalheight.number - height.number, depth.unit = height.unit);
		let width = 0;
		group.width.number > 0 && (width = calculateSize(group.width, style));
		let graphicStyle = { height: height.number + depth.number + "em" };
		width.number > 0 && (graphicStyle.width = width.number + width.unit), depth.number > 0 && (graphicStyle.verticalAlign = -depth.number + depth.unit);
		let node = new Img(group.src, group.alt, graphicStyle);
		return node.height = height, node.depth = depth, new MathNode("mtext", [node]);
	}
}), defineFunction({
	type: "kern",
	names: [
		"\\kern",
		"\\mkern",
		"\\hskip",
		"\\mskip"
	],
	props: {
		numArgs: 1,
		argTypes: ["size"],
		primitive: !0,
		allowedInText: !0
	},
	handler({ parser, funcName, token }, args) {
		let size = assertNodeType(args[0], "size");
		if (parser.settings.strict) {
			let mathFunction = funcName[1] === "m", muUnit = size.value.unit === "mu";
			if (mathFunction) {
				if (!muUnit) throw new ParseError(`LaTeX's ${funcName} supports only mu units, not ${size.value.unit} units`, token);
				if (parser.mode !== "math") throw new ParseError(`LaTeX's ${funcName} works only in math mode`, token);
			} else if (muUnit) throw new ParseError(`LaTeX's ${funcName} doesn't support mu units`, token);
		}
		return {
			type: "kern",
			mode: parser.mode,
			dimension: size.value
		};
	},
	mathmlBuilder(group, style) {
		let dimension = calculateSize(group.dimension, style), ch = dimension.number > 0 && dimension.unit === "em" ? spaceCharacter(dimension.number) : "";
		if (group.mode === "text" && ch.length > 0) return new MathNode("mtext", [new TextNode(ch)]);
		if (dimension.number >= 0) {
			let node = new MathNode("mspace");
			return node.setAttribute("width", dimension.number + dimension.unit), node;
		}
		{
			let node = new MathNode("mrow");
			return node.style.marginLeft = dimension.number + dimension.unit, node;
		}
	}
});
var spaceCharacter = function(width) {
	return width >= .05555 && width <= .05556 ? " " : width >= .1666 && width <= .1667 ? " " : width >= .2222 && width <= .2223 ? " " : width >= .2777 && width <= .2778 ? "  " : "";
}, invalidIdRegEx = /[^A-Za-z_0-9-]/g;
defineFunction({
	type: "label",
	names: ["\\label"],
	props: {
		numArgs: 1,
		argTypes: ["raw"]
	},
	handler({ parser }, args) {
		return {
			type: "label",
			mode: parser.mode,
			string: args[0].string.replace(invalidIdRegEx, "")
		};
	},
	mathmlBuilder(group, style) {
		let node = new MathNode("mrow", [], ["tml-label"]);
		return group.string.length > 0 && node.setLabel(group.string), node;
	}
});
var textModeLap = [
	"\\clap",
	"\\llap",
	"\\rlap"
];
defineFunction({
	type: "lap",
	names: [
		"\\mathllap",
		"\\mathrlap",
		"\\mathclap",
		"\\clap",
		"\\llap",
		"\\rlap"
	],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler: ({ parser, funcName, token }, args) => {
		if (textModeLap.includes(funcName)) {
			if (parser.settings.strict && parser.mode !== "text") throw new ParseError(`{${funcName}} can be used only in text mode.
 Try \\math${funcName.slice(1)}`, token);
			funcName = funcName.slice(1);
		} else funcName = funcName.slice(5);
		let body = args[0];
		return {
			type: "lap",
			mode: parser.mode,
			alignment: funcName,
			body
		};
	},
	mathmlBuilder: (group, style) => {
		let strut;
		group.alignment === "llap" && (strut = new MathNode("mpadded", [new MathNode("mphantom", buildExpression(ordargument(group.body), style))]), strut.setAttribute("width", "0.1px"));
		let inner = buildGroup$1(group.body, style), node;
		if (group.alignment === "llap" ? (inner.style.position = "absolute", inner.style.right = "0", inner.style.bottom = "0", node = new MathNode("mpadded", [strut, inner])) : node = new MathNode("mpadded", [inner]), group.alignment === "rlap") group.body.body.length > 0 && group.body.body[0].type === "genfrac" && node.setAttribute("lspace", "0.16667em");
		else {
			let offset = group.alignment === "llap" ? "-1" : "-0.5";
			node.setAttribute("lspace", offset + "width"), group.alignment === "llap" ? node.style.position = "relative" : (node.style.display = "flex", node.style.justifyContent = "center");
		}
		return node.setAttribute("width", "0.1px"), node;
	}
}), defineFunction({
	type: "ordgroup",
	names: ["\\(", "$"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		allowedInMath: !1
	},
	handler({ funcName, parser }, args) {
		let outerMode = parser.mode;
		parser.switchMode("math");
		let close = funcName === "\\(" ? "\\)" : "$", body = parser.parseExpression(!1, close);
		return parser.expect(close), parser.switchMode(outerMode), {
			type: "ordgroup",
			mode: parser.mode,
			body
		};
	}
}), defineFunction({
	type: "text",
	names: ["\\)", "\\]"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		allowedInMath: !1
	},
	handler(context, token) {
		throw new ParseError(`Mismatched ${context.funcName}`, token);
	}
});
var chooseStyle = (group, style) => {
	switch (style.level) {
		case StyleLevel.DISPLAY: return group.display;
		case StyleLevel.TEXT: return group.text;
		case StyleLevel.SCRIPT: return group.script;
		case StyleLevel.SCRIPTSCRIPT: return group.scriptscript;
		default: return group.text;
	}
};
defineFunction({
	type: "mathchoice",
	names: ["\\mathchoice"],
	props: {
		numArgs: 4,
		primitive: !0
	},
	handler: ({ parser }, args) => ({
		type: "mathchoice",
		mode: parser.mode,
		display: ordargument(args[0]),
		text: ordargument(args[1]),
		script: ordargument(args[2]),
		scriptscript: ordargument(args[3])
	}),
	mathmlBuilder: (group, style) => buildExpressionRow(chooseStyle(group, style), style)
});
var textAtomTypes = [
	"text",
	"textord",
	"mathord",
	"atom"
];
function mathmlBuilder$3(group, style) {
	let node, inner = buildExpression(group.body, style);
	if (group.mclass === "minner") node = new MathNode("mpadded", inner);
	else if (group.mclass === "mord") group.isCharacterBox || inner[0].type === "mathord" ? (node = inner[0], node.type = "mi", node.children.length === 1 && node.children[0].text && node.children[0].text === "∇" && node.setAttribute("mathvariant", "normal")) : node = new MathNode("mi", inner);
	else {
		node = new MathNode("mrow", inner), group.mustPromote ? (node = inner[0], node.type = "mo", group.isCharacterBox && group.body[0].text && /[A-Za-z]/.test(group.body[0].text) && node.setAttribute("mathvariant", "italic")) : node = new MathNode("mrow", inner);
		let doSpacing = style.level < 2;
		node.type === "mrow" ? doSpacing && (group.mclass === "mbin" ? (node.children.unshift(padding(.2222)), node.children.push(padding(.2222))) : group.mclass === "mrel" ? (node.children.unshift(padding(.2778)), node.children.push(padding(.2778))) : group.mclass === "mpunct" ? node.children.push(padding(.1667)) : group.mclass === "minner" && (node.children.unshift(padding(.0556)), node.children.push(padding(.0556)))) : group.mclass === "mbin" ? (node.attributes.lspace = doSpacing ? "0.2222em" : "0", node.attributes.rspace = doSpacing ? "0.2222em" : "0") : group.mclass === "mrel" ? (node.attributes.lspace = doSpacing ? "0.2778em" : "0", node.attributes.rspace = doSpacing ? "0.2778em" : "0") : group.mclass === "mpunct" ? (node.attributes.lspace = "0em", node.attributes.rspace = doSpacing ? "0.1667em" : "0") : group.mclass === "mopen" || group.mclass === "mclose" ? (node.attributes.lspace = "0em", node.attributes.rspace = "0em") : group.mclass === "minner" && doSpacing && (node.attributes.lspace = "0.0556em", node.attributes.width = "+0.1111em"), group.mclass !== "mopen" && group.mclass !== "mclose" && (delete node.attributes.stretchy, delete node.attributes.form);
	}
	return node;
}
defineFunction({
	type: "mclass",
	names: [
		"\\mathord",
		"\\mathbin",
		"\\mathrel",
		"\\mathopen",
		"\\mathclose",
		"\\mathpunct",
		"\\mathinner"
	],
	props: {
		numArgs: 1,
		primitive: !0
	},
	handler({ parser, funcName }, args) {
		let body = args[0], isCharacterBox$1 = isCharacterBox(body), mustPromote = !0, mord = {
			type: "mathord",
			text: "",
			mode: parser.mode
		}, arr = body.body ? body.body : [body];
		for (let arg of arr) if (textAtomTypes.includes(arg.type)) symbols[parser.mode][arg.text] ? mord.text += symbols[parser.mode][arg.text].replace : arg.text ? mord.text += arg.text : arg.body && arg.body.map((e) => {
			mord.text += e.text;
		});
		else {
			mustPromote = !1;
			break;
		}
		return mustPromote && funcName === "\\mathord" && mord.type === "mathord" && mord.text.length > 1 ? mord : {
			type: "mclass",
			mode: parser.mode,
			mclass: "m" + funcName.slice(5),
			body: ordargument(mustPromote ? mord : body),
			isCharacterBox: isCharacterBox$1,
			mustPromote
		};
	},
	mathmlBuilder: mathmlBuilder$3
});
var binrelClass = (arg) => {
	let atom = arg.type === "ordgroup" && arg.body.length && arg.body.length === 1 ? arg.body[0] : arg;
	if (atom.type === "atom") {
		let family = arg.body.length > 0 && arg.body[0].text && symbols.math[arg.body[0].text] ? symbols.math[arg.body[0].text].group : atom.family;
		return family === "bin" || family === "rel" ? "m" + family : "mord";
	}
	return "mord";
};
defineFunction({
	type: "mclass",
	names: ["\\@binrel"],
	props: { numArgs: 2 },
	handler({ parser }, args) {
		return {
			type: "mclass",
			mode: parser.mode,
			mclass: binrelClass(args[0]),
			body: ordargument(args[1]),
			isCharacterBox: isCharacterBox(args[1])
		};
	}
}), defineFunction({
	type: "mclass",
	names: [
		"\\stackrel",
		"\\overset",
		"\\underset"
	],
	props: { numArgs: 2 },
	handler({ parser, funcName }, args) {
		let baseArg = args[1], shiftedArg = args[0], mclass;
		mclass = funcName === "\\stackrel" ? "mrel" : binrelClass(baseArg);
		let baseOp = {
			type: mclass === "mrel" || mclass === "mbin" ? "op" : "ordgroup",
			mode: baseArg.mode,
			limits: !0,
			alwaysHandleSupSub: !0,
			parentIsSupSub: !1,
			symbol: !1,
			suppressBaseShift: funcName !== "\\stackrel",
			body: ordargument(baseArg)
		};
		return {
			type: "supsub",
			mode: shiftedArg.mode,
			stack: !0,
			base: baseOp,
			sup: funcName === "\\underset" ? null : shiftedArg,
			sub: funcName === "\\underset" ? shiftedArg : null
		};
	},
	mathmlBuilder: mathmlBuilder$3
});
var buildGroup = (el, style, noneNode) => {
	if (!el) return noneNode;
	let node = buildGroup$1(el, style);
	return node.type === "mrow" && node.children.length === 0 ? noneNode : node;
};
defineFunction({
	type: "multiscript",
	names: ["\\sideset", "\\pres@cript"],
	props: { numArgs: 3 },
	handler({ parser, funcName, token }, args) {
		if (args[2].body.length === 0) throw new ParseError(funcName + "cannot parse an empty base.");
		let base = args[2].body[0];
		if (parser.settings.strict && funcName === "\\sideset" && !base.symbol) throw new ParseError("The base of \\sideset must be a big operator. Try \\prescript.");
		if (args[0].body.length > 0 && args[0].body[0].type !== "supsub" || args[1].body.length > 0 && args[1].body[0].type !== "supsub") throw new ParseError("\\sideset can parse only subscripts and superscripts in its first two arguments", token);
		let prescripts = args[0].body.length > 0 ? args[0].body[0] : null, postscripts = args[1].body.length > 0 ? args[1].body[0] : null;
		return !prescripts && !postscripts ? base : prescripts ? {
			type: "multiscript",
			mode: parser.mode,
			isSideset: funcName === "\\sideset",
			prescripts,
			postscripts,
			base
		} : {
			type: "styling",
			mode: parser.mode,
			scriptLevel: "text",
			body: [{
				type: "supsub",
				mode: parser.mode,
				base,
				sup: postscripts.sup,
				sub: postscripts.sub
			}]
		};
	},
	mathmlBuilder(group, style) {
		let base = buildGroup$1(group.base, style), prescriptsNode = new MathNode("mprescripts"), noneNode = new MathNode("none"), children = [], preSub = buildGroup(group.prescripts.sub, style, noneNode), preSup = buildGroup(group.prescripts.sup, style, noneNode);
		return group.isSideset && (preSub.setAttribute("style", "text-align: left;"), preSup.setAttribute("style", "text-align: left;")), children = group.postscripts ? [
			base,
			buildGroup(group.postscripts.sub, style, noneNode),
			buildGroup(group.postscripts.sup, style, noneNode),
			prescriptsNode,
			preSub,
			preSup
		] : [
			base,
			prescriptsNode,
			preSub,
			preSup
		], new MathNode("mmultiscripts", children);
	}
}), defineFunction({
	type: "not",
	names: ["\\not"],
	props: {
		numArgs: 1,
		primitive: !0,
		allowedInText: !1
	},
	handler({ parser }, args) {
		let isCharacterBox$1 = isCharacterBox(args[0]), body;
		return isCharacterBox$1 ? (body = ordargument(args[0]), body[0].text.charAt(0) === "\\" && (body[0].text = symbols.math[body[0].text].replace), body[0].text = body[0].text.slice(0, 1) + "̸" + body[0].text.slice(1)) : body = [
			{
				type: "textord",
				mode: "math",
				text: "̸"
			},
			{
				type: "kern",
				mode: "math",
				dimension: {
					number: -.6,
					unit: "em"
				}
			},
			args[0]
		], {
			type: "not",
			mode: parser.mode,
			body,
			isCharacterBox: isCharacterBox$1
		};
	},
	mathmlBuilder(group, style) {
		return group.isCharacterBox ? buildExpression(group.body, style, !0)[0] : buildExpressionRow(group.body, style);
	}
});
var ordAtomTypes = [
	"textord",
	"mathord",
	"atom"
], noSuccessor = ["\\smallint"], ordTypes = [
	"textord",
	"mathord",
	"ordgroup",
	"close",
	"leftright",
	"font"
], setSpacing = (node) => {
	node.attributes.lspace = "0.1667em", node.attributes.rspace = "0.1667em";
}, mathmlBuilder$2 = (group, style) => {
	let node;
	if (group.symbol) node = new MathNode("mo", [makeText(group.name, group.mode)]), noSuccessor.includes(group.name) ? node.setAttribute("largeop", "false") : node.setAttribute("movablelimits", "false"), group.fromMathOp && setSpacing(node);
	else if (group.body) node = new MathNode("mo", buildExpression(group.body, style)), group.fromMathOp && setSpacing(node);
	else if (node = new MathNode("mi", [new TextNode(group.name.slice(1))]), !group.parentIsSupSub) {
		let operator = new MathNode("mo", [makeText("⁡", "text")]), row = [node, operator];
		if (group.needsLeadingSpace) {
			let lead = new MathNode("mspace");
			lead.setAttribute("width", "0.1667em"), row.unshift(lead);
		}
		if (!group.isFollowedByDelimiter) {
			let trail = new MathNode("mspace");
			trail.setAttribute("width", "0.1667em"), row.push(trail);
		}
		node = new MathNode("mrow", row);
	}
	return node;
}, singleCharBigOps = {
	"∏": "\\prod",
	"∐": "\\coprod",
	"∑": "\\sum",
	"⋀": "\\bigwedge",
	"⋁": "\\bigvee",
	"⋂": "\\bigcap",
	"⋃": "\\bigcup",
	"⨀": "\\bigodot",
	"⨁": "\\bigoplus",
	"⨂": "\\bigotimes",
	"⨄": "\\biguplus",
	"⨅": "\\bigsqcap",
	"⨆": "\\bigsqcup",
	"⨃": "\\bigcupdot",
	"⨇": "\\bigdoublevee",
	"⨈": "\\bigdoublewedge",
	"⨉": "\\bigtimes"
};
defineFunction({
	type: "op",
	names: "\\coprod.\\bigvee.\\bigwedge.\\biguplus.\\bigcupplus.\\bigcupdot.\\bigcap.\\bigcup.\\bigdoublevee.\\bigdoublewedge.\\intop.\\prod.\\sum.\\bigotimes.\\bigoplus.\\bigodot.\\bigsqcap.\\bigsqcup.\\bigtimes.\\smallint.∏.∐.∑.⋀.⋁.⋂.⋃.⨀.⨁.⨂.⨃.⨄.⨅.⨆.⨇.⨈.⨉".split("."),
	props: { numArgs: 0 },
	handler: ({ parser, funcName }, args) => {
		let fName = funcName;
		return fName.length === 1 && (fName = singleCharBigOps[fName]), {
			type: "op",
			mode: parser.mode,
			limits: !0,
			parentIsSupSub: !1,
			symbol: !0,
			stack: !1,
			name: fName
		};
	},
	mathmlBuilder: mathmlBuilder$2
}), defineFunction({
	type: "op",
	names: ["\\mathop"],
	props: {
		numArgs: 1,
		primitive: !0
	},
	handler: ({ parser }, args) => {
		let body = args[0], arr = body.body ? body.body : [body], isSymbol = arr.length === 1 && ordAtomTypes.includes(arr[0].type);
		return {
			type: "op",
			mode: parser.mode,
			limits: !0,
			parentIsSupSub: !1,
			symbol: isSymbol,
			fromMathOp: !0,
			stack: !1,
			name: isSymbol ? arr[0].text : null,
			body: isSymbol ? null : ordargument(body)
		};
	},
	mathmlBuilder: mathmlBuilder$2
});
var singleCharIntegrals = {
	"∫": "\\int",
	"∬": "\\iint",
	"∭": "\\iiint",
	"∮": "\\oint",
	"∯": "\\oiint",
	"∰": "\\oiiint",
	"∱": "\\intclockwise",
	"∲": "\\varointclockwise",
	"⨌": "\\iiiint",
	"⨍": "\\intbar",
	"⨎": "\\intBar",
	"⨏": "\\fint",
	"⨒": "\\rppolint",
	"⨓": "\\scpolint",
	"⨕": "\\pointint",
	"⨖": "\\sqint",
	"⨗": "\\intlarhk",
	"⨘": "\\intx",
	"⨙": "\\intcap",
	"⨚": "\\intcup"
};
defineFunction({
	type: "op",
	names: "\\arcsin.\\arccos.\\arctan.\\arctg.\\arcctg.\\arg.\\ch.\\cos.\\cosec.\\cosh.\\cot.\\cotg.\\coth.\\csc.\\ctg.\\cth.\\deg.\\dim.\\exp.\\hom.\\ker.\\lg.\\ln.\\log.\\sec.\\sin.\\sinh.\\sh.\\sgn.\\tan.\\tanh.\\tg.\\th".split("."),
	props: { numArgs: 0 },
	handler({ parser, funcName }) {
		let prevAtomType = parser.prevAtomType, next = parser.gullet.future().text;
		return {
			type: "op",
			mode: parser.mode,
			limits: !1,
			parentIsSupSub: !1,
			symbol: !1,
			stack: !1,
			isFollowedByDelimiter: isDelimiter(next),
			needsLeadingSpace: prevAtomType.length > 0 && ordTypes.includes(prevAtomType),
			name: funcName
		};
	},
	mathmlBuilder: mathmlBuilder$2
}), defineFunction({
	type: "op",
	names: [
		"\\det",
		"\\gcd",
		"\\inf",
		"\\lim",
		"\\max",
		"\\min",
		"\\Pr",
		"\\sup"
	],
	props: { numArgs: 0 },
	handler({ parser, funcName }) {
		let prevAtomType = parser.prevAtomType, next = parser.gullet.future().text;
		return {
			type: "op",
			mode: parser.mode,
			limits: !0,
			parentIsSupSub: !1,
			symbol: !1,
			stack: !1,
			isFollowedByDelimiter: isDelimiter(next),
			needsLeadingSpace: prevAtomType.length > 0 && ordTypes.includes(prevAtomType),
			name: funcName
		};
	},
	mathmlBuilder: mathmlBuilder$2
}), defineFunction({
	type: "op",
	names: "\\int.\\iint.\\iiint.\\iiiint.\\oint.\\oiint.\\oiiint.\\intclockwise.\\varointclockwise.\\intbar.\\intBar.\\fint.\\rppolint.\\scpolint.\\pointint.\\sqint.\\intlarhk.\\intx.\\intcap.\\intcup.∫.∬.∭.∮.∯.∰.∱.∲.⨌.⨍.⨎.⨏.⨒.⨓.⨕.⨖.⨗.⨘.⨙.⨚".split("."),
	props: {
		numArgs: 0,
		allowedInArgument: !0
	},
	handler({ parser, funcName }) {
		let fName = funcName;
		return fName.length === 1 && (fName = singleCharIntegrals[fName]), {
			type: "op",
			mode: parser.mode,
			limits: !1,
			parentIsSupSub: !1,
			symbol: !0,
			stack: !1,
			name: fName
		};
	},
	mathmlBuilder: mathmlBuilder$2
}), defineFunction({
	type: "operatorname",
	names: ["\\operatorname@", "\\operatornamewithlimits"],
	props: {
		numArgs: 1,
		allowedInArgument: !0
	},
	handler: ({ parser, funcName }, args) => {
		let body = args[0], prevAtomType = parser.prevAtomType, next = parser.gullet.future().text;
		return {
			type: "operatorname",
			mode: parser.mode,
			body: ordargument(body),
			alwaysHandleSupSub: funcName === "\\operatornamewithlimits",
			limits: !1,
			parentIsSupSub: !1,
			isFollowedByDelimiter: isDelimiter(next),
			needsLeadingSpace: prevAtomType.length > 0 && ordTypes.includes(prevAtomType)
		};
	},
	mathmlBuilder: (group, style) => {
		let expression = buildExpression(group.body, style.withFont("mathrm")), isAllString = !0;
		for (let i = 0; i < expression.length; i++) {
			let node = expression[i];
			if (node instanceof MathNode) switch (((node.type === "mrow" || node.type === "mpadded") && node.children.length === 1 && node.children[0] instanceof MathNode || node.type === "mrow" && node.children.length === 2 && node.children[0] instanceof MathNode && node.children[1] instanceof MathNode && node.children[1].type === "mspace" && !node.children[1].attributes.width && node.children[1].children.length === 0) && (node = node.children[0]), node.type) {
				case "mi":
				case "mn":
				case "ms":
				case "mtext": break;
				case "mspace":
					if (node.attributes.width) {
						let width = node.attributes.width.replace("em", ""), ch = spaceCharacter(Number(width));
						ch === "" ? isAllString = !1 : expression[i] = new MathNode("mtext", [new TextNode(ch)]);
					}
					break;
				case "mo": {
					let child = node.children[0];
					node.children.length === 1 && child instanceof TextNode ? child.text = child.text.replace(/\u2212/, "-").replace(/\u2217/, "*") : isAllString = !1;
					break;
				}
				default: isAllString = !1;
			}
			else isAllString = !1;
		}
		if (isAllString) expression = [new TextNode(expression.map((node) => node.toText()).join(""))];
		else if (expression.length === 1 && ["mover", "munder"].includes(expression[0].type) && (expression[0].children[0].type === "mi" || expression[0].children[0].type === "mtext")) {
			if (expression[0].children[0].type = "mi", group.parentIsSupSub) return new MathNode("mrow", expression);
			{
				let operator = new MathNode("mo", [makeText("⁡", "text")]);
				return newDocumentFragment([expression[0], operator]);
			}
		}
		let wrapper;
		if (isAllString ? (wrapper = new MathNode("mi", expression), expression[0].text.length === 1 && wrapper.setAttribute("mathvariant", "normal")) : wrapper = new MathNode("mrow", expression), !group.parentIsSupSub) {
			let operator = new MathNode("mo", [makeText("⁡", "text")]), fragment = [wrapper, operator];
			if (group.needsLeadingSpace) {
				let space = new MathNode("mspace");
				space.setAttribute("width", "0.1667em"), fragment.unshift(space);
			}
			if (!group.isFollowedByDelimiter) {
				let trail = new MathNode("mspace");
				trail.setAttribute("width", "0.1667em"), fragment.push(trail);
			}
			return newDocumentFragment(fragment);
		}
		return wrapper;
	}
}), defineMacro("\\operatorname", "\\@ifstar\\operatornamewithlimits\\operatorname@"), defineFunctionBuilders({
	type: "ordgroup",
	mathmlBuilder(group, style) {
		return buildExpressionRow(group.body, style, group.semisimple);
	}
}), defineFunction({
	type: "phantom",
	names: ["\\phantom"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler: ({ parser }, args) => {
		let body = args[0];
		return {
			type: "phantom",
			mode: parser.mode,
			body: ordargument(body)
		};
	},
	mathmlBuilder: (group, style) => new MathNode("mphantom", buildExpression(group.body, style))
}), defineFunction({
	type: "hphantom",
	names: ["\\hphantom"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler: ({ parser }, args) => {
		let body = args[0];
		return {
			type: "hphantom",
			mode: parser.mode,
			body
		};
	},
	mathmlBuilder: (group, style) => {
		let node = new MathNode("mpadded", [new MathNode("mphantom", buildExpression(ordargument(group.body), style))]);
		return node.setAttribute("height", "0px"), node.setAttribute("depth", "0px"), node;
	}
}), defineFunction({
	type: "vphantom",
	names: ["\\vphantom"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler: ({ parser }, args) => {
		let body = args[0];
		return {
			type: "vphantom",
			mode: parser.mode,
			body
		};
	},
	mathmlBuilder: (group, style) => {
		let node = new MathNode("mpadded", [new MathNode("mphantom", buildExpression(ordargument(group.body), style))]);
		return node.setAttribute("width", "0.1px"), node;
	}
}), defineFunction({
	type: "pmb",
	names: ["\\pmb"],
	props: {
		numArgs: 1,
		allowedInText: !0
	},
	handler({ parser }, args) {
		return {
			type: "pmb",
			mode: parser.mode,
			body: ordargument(args[0])
		};
	},
	mathmlBuilder(group, style) {
		let node = wrapWithMstyle(buildExpression(group.body, style));
		return node.setAttribute("style", "font-weight:bold"), node;
	}
});
var mathmlBuilder = (group, style) => {
	let newStyle = style.withLevel(StyleLevel.TEXT), node = new MathNode("mpadded", [buildGroup$1(group.body, newStyle)]), dy = calculateSize(group.dy, style);
	return node.setAttribute("voffset", dy.number + dy.unit), dy.number > 0 ? node.style.padding = dy.number + dy.unit + " 0 0 0" : node.style.padding = "0 0 " + Math.abs(dy.number) + dy.unit + " 0", node;
};
defineFunction({
	type: "raise",
	names: ["\\raise", "\\lower"],
	props: {
		numArgs: 2,
		argTypes: ["size", "primitive"],
		primitive: !0
	},
	handler({ parser, funcName }, args) {
		let amount = assertNodeType(args[0], "size").value;
		funcName === "\\lower" && (amount.number *= -1);
		let body = args[1];
		return {
			type: "raise",
			mode: parser.mode,
			dy: amount,
			body
		};
	},
	mathmlBuilder
}), defineFunction({
	type: "raise",
	names: ["\\raisebox"],
	props: {
		numArgs: 2,
		argTypes: ["size", "hbox"],
		allowedInText: !0
	},
	handler({ parser, funcName }, args) {
		let amount = assertNodeType(args[0], "size").value, body = args[1];
		return {
			type: "raise",
			mode: parser.mode,
			dy: amount,
			body
		};
	},
	mathmlBuilder
}), defineFunction({
	type: "ref",
	names: ["\\ref", "\\eqref"],
	props: {
		numArgs: 1,
		argTypes: ["raw"]
	},
	handler({ parser, funcName }, args) {
		return {
			type: "ref",
			mode: parser.mode,
			funcName,
			string: args[0].string.replace(invalidIdRegEx, "")
		};
	},
	mathmlBuilder(group, style) {
		let classes = group.funcName === "\\ref" ? ["tml-ref"] : ["tml-ref", "tml-eqref"];
		return new AnchorNode("#" + group.string, classes, null);
	}
}), defineFunction({
	type: "reflect",
	names: ["\\reflectbox"],
	props: {
		numArgs: 1,
		argTypes: ["hbox"],
		allowedInText: !0
	},
	handler({ parser }, args) {
		return {
			type: "reflect",
			mode: parser.mode,
			body: args[0]
		};
	},
	mathmlBuilder(group, style) {
		let node = buildGroup$1(group.body, style);
		return node.style.transform = "scaleX(-1)", node;
	}
}), defineFunction({
	type: "internal",
	names: ["\\relax"],
	props: {
		numArgs: 0,
		allowedInText: !0,
		allowedInArgument: !0
	},
	handler({ parser }) {
		return {
			type: "internal",
			mode: parser.mode
		};
	}
}), defineFunction({
	type: "rule",
	names: ["\\rule"],
	props: {
		numArgs: 2,
		numOptionalArgs: 1,
		allowedInText: !0,
		allowedInMath: !0,
		argTypes: [
			"size",
			"size",
			"size"
		]
	},
	handler({ parser }, args, optArgs) {
		let shift = optArgs[0], width = assertNodeType(args[0], "size"), height = assertNodeType(args[1], "size");
		return {
			type: "rule",
			mode: parser.mode,
			shift: shift && assertNodeType(shift, "size").value,
			width: width.value,
			height: height.value
		};
	},
	mathmlBuilder(group, style) {
		let width = calculateSize(group.width, style), height = calculateSize(group.height, style), shift = group.shift ? calculateSize(group.shift, style) : {
			number: 0,
			unit: "em"
		}, color = style.color && style.getColor() || "black", rule = new MathNode("mspace");
		if (width.number > 0 && height.number > 0 && rule.setAttribute("mathbackground", color), rule.setAttribute("width", width.number + width.unit), rule.setAttribute("height", height.number + height.unit), shift.number === 0) return rule;
		let wrapper = new MathNode("mpadded", [rule]);
		return shift.number >= 0 ? wrapper.setAttribute("height", "+" + shift.number + shift.unit) : (wrapper.setAttribute("height", shift.number + shift.unit), wrapper.setAttribute("depth", "+" + -shift.number + shift.unit)), wrapper.setAttribute("voffset", shift.number + shift.unit), wrapper;
	}
});
var numRegEx = /^[0-9]$/, unicodeNumSubs = {
	0: "₀",
	1: "₁",
	2: "₂",
	3: "₃",
	4: "₄",
	5: "₅",
	6: "₆",
	7: "₇",
	8: "₈",
	9: "₉"
}, unicodeNumSups = {
	0: "⁰",
	1: "¹",
	2: "²",
	3: "³",
	4: "⁴",
	5: "⁵",
	6: "⁶",
	7: "⁷",
	8: "⁸",
	9: "⁹"
};
defineFunction({
	type: "sfrac",
	names: ["\\sfrac"],
	props: {
		numArgs: 2,
		allowedInText: !0,
		allowedInMath: !0
	},
	handler({ parser }, args) {
		let numerator = "";
		for (let node of args[0].body) {
			if (node.type !== "textord" || !numRegEx.test(node.text)) throw new ParseError("Numerator must be an integer.", node);
			numerator += node.text;
		}
		let denominator = "";
		for (let node of args[1].body) {
			if (node.type !== "textord" || !numRegEx.test(node.text)) throw new ParseError("Denominator must be an integer.", node);
			denominator += node.text;
		}
		return {
			type: "sfrac",
			mode: parser.mode,
			numerator,
			denominator
		};
	},
	mathmlBuilder(group, style) {
		let numerator = group.numerator.split("").map((c) => unicodeNumSups[c]).join(""), denominator = group.denominator.split("").map((c) => unicodeNumSubs[c]).join("");
		return new MathNode("mn", [new TextNode(numerator + "⁄" + denominator, group.mode, style)], ["special-fraction"]);
	}
});
var sizeMap = {
	"\\tiny": .5,
	"\\sixptsize": .6,
	"\\Tiny": .6,
	"\\scriptsize": .7,
	"\\footnotesize": .8,
	"\\small": .9,
	"\\normalsize": 1,
	"\\large": 1.2,
	"\\Large": 1.44,
	"\\LARGE": 1.728,
	"\\huge": 2.074,
	"\\Huge": 2.488
};
defineFunction({
	type: "sizing",
	names: [
		"\\tiny",
		"\\sixptsize",
		"\\Tiny",
		"\\scriptsize",
		"\\footnotesize",
		"\\small",
		"\\normalsize",
		"\\large",
		"\\Large",
		"\\LARGE",
		"\\huge",
		"\\Huge"
	],
	props: {
		numArgs: 0,
		allowedInText: !0
	},
	handler: ({ breakOnTokenText, funcName, parser }, args) => {
		parser.settings.strict && parser.mode === "math" && console.log(`Temml strict-mode warning: Command ${funcName} is invalid in math mode.`);
		let body = parser.parseExpression(!1, breakOnTokenText, !0);
		return {
			type: "sizing",
			mode: parser.mode,
			funcName,
			body
		};
	},
	mathmlBuilder: (group, style) => {
		let newStyle = style.withFontSize(sizeMap[group.funcName]), node = wrapWithMstyle(buildExpression(group.body, newStyle)), factor = (sizeMap[group.funcName] / style.fontSize).toFixed(4);
		return node.setAttribute("mathsize", factor + "em"), node;
	}
}), defineFunction({
	type: "smash",
	names: ["\\smash"],
	props: {
		numArgs: 1,
		numOptionalArgs: 1,
		allowedInText: !0
	},
	handler: ({ parser }, args, optArgs) => {
		let smashHeight = !1, smashDepth = !1, tbArg = optArgs[0] && assertNodeType(optArgs[0], "ordgroup");
		if (tbArg) {
			let letter = "";
			for (let i = 0; i < tbArg.body.length; ++i) if (letter = tbArg.body[i].text, letter === "t") smashHeight = !0;
			else if (letter === "b") smashDepth = !0;
			else {
				smashHeight = !1, smashDepth = !1;
				break;
			}
		} else smashHeight = !0, smashDepth = !0;
		let body = args[0];
		return {
			type: "smash",
			mode: parser.mode,
			body,
			smashHeight,
			smashDepth
		};
	},
	mathmlBuilder: (group, style) => {
		let node = new MathNode("mpadded", [buildGroup$1(group.body, style)]);
		return group.smashHeight && node.setAttribute("height", "0px"), group.smashDepth && node.setAttribute("depth", "0px"), node;
	}
});
var xHeights = "a.c.e.ı.m.n.o.r.s.u.v.w.x.z.α.ε.ι.κ.ν.ο.π.σ.τ.υ.ω.\\alpha.\\epsilon.\\iota.\\kappa.\\nu.\\omega.\\pi.\\tau.\\omega".split(".");
defineFunction({
	type: "sqrt",
	names: ["\\sqrt"],
	props: {
		numArgs: 1,
		numOptionalArgs: 1
	},
	handler({ parser }, args, optArgs) {
		let index = optArgs[0], body = args[0];
		return body.body && body.body.length === 1 && body.body[0].text && xHeights.includes(body.body[0].text) && body.body.push({
			type: "rule",
			mode: "math",
			shift: null,
			width: {
				number: 0,
				unit: "pt"
			},
			height: {
				number: .5,
				unit: "em"
			}
		}), {
			type: "sqrt",
			mode: parser.mode,
			body,
			index
		};
	},
	mathmlBuilder(group, style) {
		let { body, index } = group;
		return index ? new MathNode("mroot", [buildGroup$1(body, style), buildGroup$1(index, style.incrementLevel())]) : new MathNode("msqrt", [buildGroup$1(body, style)]);
	}
});
var styleMap = {
	display: 0,
	text: 1,
	script: 2,
	scriptscript: 3
}, styleAttributes = {
	display: ["0", "true"],
	text: ["0", "false"],
	script: ["1", "false"],
	scriptscript: ["2", "false"]
};
defineFunction({
	type: "styling",
	names: [
		"\\displaystyle",
		"\\textstyle",
		"\\scriptstyle",
		"\\scriptscriptstyle"
	],
	props: {
		numArgs: 0,
		allowedInText: !0,
		primitive: !0
	},
	handler({ breakOnTokenText, funcName, parser }, args) {
		let body = parser.parseExpression(!0, breakOnTokenText, !0), scriptLevel = funcName.slice(1, funcName.length - 5);
		return {
			type: "styling",
			mode: parser.mode,
			scriptLevel,
			body
		};
	},
	mathmlBuilder(group, style) {
		let newStyle = style.withLevel(styleMap[group.scriptLevel]), node = wrapWithMstyle(buildExpression(group.body, newStyle)), attr = styleAttributes[group.scriptLevel];
		return node.setAttribute("scriptlevel", attr[0]), node.setAttribute("displaystyle", attr[1]), node;
	}
});
var symbolRegEx = /^m(over|under|underover)$/, smallPad = "DHKLUcegorsuvxyzΠΥΨαδηιμνοτυχϵ", mediumPad = "BCEFGIMNOPQRSTXZlpqtwΓΘΞΣΦΩβεζθξρςφψϑϕϱ", largePad = "AJdfΔΛ";
defineFunctionBuilders({
	type: "supsub",
	mathmlBuilder(group, style) {
		let isBracket = !1, isOver, isSup, appendApplyFunction = !1, appendSpace = !1, needsLeadingSpace = !1;
		group.base && group.base.type === "horizBracket" && (isSup = !!group.sup, isSup === group.base.isOver && (isBracket = !0, isOver = group.base.isOver)), group.base && !group.stack && (group.base.type === "op" || group.base.type === "operatorname") && (group.base.parentIsSupSub = !0, appendApplyFunction = !group.base.symbol, appendSpace = appendApplyFunction && !group.isFollowedByDelimiter, needsLeadingSpace = group.base.needsLeadingSpace);
		let children = group.stack && group.base.body.length === 1 ? [buildGroup$1(group.base.body[0], style)] : [buildGroup$1(group.base, style)], childStyle = style.inSubOrSup();
		if (group.sub) {
			let sub = buildGroup$1(group.sub, childStyle);
			style.level === 3 && sub.setAttribute("scriptlevel", "2"), children.push(sub);
		}
		if (group.sup) {
			let sup = buildGroup$1(group.sup, childStyle);
			if (style.level === 3 && sup.setAttribute("scriptlevel", "2"), group.base && group.base.text && group.base.text.length === 1) {
				let text = group.base.text;
				smallPad.indexOf(text) > -1 ? sup.classes.push("tml-sml-pad") : mediumPad.indexOf(text) > -1 ? sup.classes.push("tml-med-pad") : largePad.indexOf(text) > -1 && sup.classes.push("tml-lrg-pad");
			}
			children.push(sup);
		}
		let nodeType;
		if (isBracket) nodeType = isOver ? "mover" : "munder";
		else if (!group.sub) {
			let base = group.base;
			nodeType = base && base.type === "op" && base.limits && (style.level === StyleLevel.DISPLAY || base.alwaysHandleSupSub) || base && base.type === "operatorname" && base.alwaysHandleSupSub && (base.limits || style.level === StyleLevel.DISPLAY) ? "mover" : "msup";
		} else if (group.sup) {
			let base = group.base;
			nodeType = base && (base.type === "op" && base.limits || base.type === "multiscript") && (style.level === StyleLevel.DISPLAY || base.alwaysHandleSupSub) || base && base.type === "operatorname" && base.alwaysHandleSupSub && (style.level === StyleLevel.DISPLAY || base.limits) ? "munderover" : "msubsup";
		} else {
			let base = group.base;
			nodeType = group.stack || base && base.type === "op" && base.limits && (style.level === StyleLevel.DISPLAY || base.alwaysHandleSupSub) || base && base.type === "operatorname" && base.alwaysHandleSupSub && (base.limits || style.level === StyleLevel.DISPLAY) ? "munder" : "msub";
		}
		let node = new MathNode(nodeType, children);
		if (appendApplyFunction) {
			let operator = new MathNode("mo", [makeText("⁡", "text")]);
			if (needsLeadingSpace) {
				let space = new MathNode("mspace");
				space.setAttribute("width", "0.1667em"), node = newDocumentFragment([
					space,
					node,
					operator
				]);
			} else node = newDocumentFragment([node, operator]);
			if (appendSpace) {
				let space = new MathNode("mspace");
				space.setAttribute("width", "0.1667em"), node.children.push(space);
			}
		} else symbolRegEx.test(nodeType) && (node = new MathNode("mrow", [node]));
		return node;
	}
});
var short = [
	"\\shortmid",
	"\\nshortmid",
	"\\shortparallel",
	"\\nshortparallel",
	"\\smallsetminus"
], arrows = [
	"\\Rsh",
	"\\Lsh",
	"\\restriction"
], isArrow = (str) => {
	if (str.length === 1) {
		let codePoint = str.codePointAt(0);
		return 8591 < codePoint && codePoint < 8704;
	}
	return str.indexOf("arrow") > -1 || str.indexOf("harpoon") > -1 || arrows.includes(str);
};
defineFunctionBuilders({
	type: "atom",
	mathmlBuilder(group, style) {
		let node = new MathNode("mo", [makeText(group.text, group.mode)]);
		if (group.family === "punct") node.setAttribute("separator", "true");
		else if (group.family === "open" || group.family === "close") group.family === "open" ? (node.setAttribute("form", "prefix"), node.setAttribute("stretchy", "false")) : group.family === "close" && (node.setAttribute("form", "postfix"), node.setAttribute("stretchy", "false"));
		else if (group.text === "\\mid") node.setAttribute("lspace", "0.22em"), node.setAttribute("rspace", "0.22em"), node.setAttribute("stretchy", "false");
		else if (group.family === "rel" && isArrow(group.text)) node.setAttribute("stretchy", "false");
		else if (short.includes(group.text)) node.setAttribute("mathsize", "70%");
		else if (group.text === ":") node.attributes.lspace = "0.2222em", node.attributes.rspace = "0.2222em";
		else if (group.needsSpacing) return group.family === "bin" ? new MathNode("mrow", [
			padding(.222),
			node,
			padding(.222)
		]) : new MathNode("mrow", [
			padding(.2778),
			node,
			padding(.2778)
		]);
		return node;
	}
});
var fontMap = {
	mathbf: "bold",
	mathrm: "normal",
	textit: "italic",
	mathit: "italic",
	mathnormal: "italic",
	mathbb: "double-struck",
	mathcal: "script",
	mathfrak: "fraktur",
	mathscr: "script",
	mathsf: "sans-serif",
	mathtt: "monospace"
}, getVariant = function(group, style) {
	if (style.fontFamily === "texttt") return "monospace";
	if (style.fontFamily === "textsc") return "normal";
	if (style.fontFamily === "textsf") return style.fontShape === "textit" && style.fontWeight === "textbf" ? "sans-serif-bold-italic" : style.fontShape === "textit" ? "sans-serif-italic" : style.fontWeight === "textbf" ? "sans-serif-bold" : "sans-serif";
	if (style.fontShape === "textit" && style.fontWeight === "textbf") return "bold-italic";
	if (style.fontShape === "textit") return "italic";
	if (style.fontWeight === "textbf") return "bold";
	let font = style.font;
	if (!font || font === "mathnormal") return null;
	let mode = group.mode;
	switch (font) {
		case "mathit": return "italic";
		case "mathrm": {
			let codePoint = group.text.codePointAt(0);
			return 939 < codePoint && codePoint < 975 ? "italic" : "normal";
		}
		case "greekItalic": return "italic";
		case "up@greek": return "normal";
		case "boldsymbol":
		case "mathboldsymbol": return "bold-italic";
		case "mathbf": return "bold";
		case "mathbb": return "double-struck";
		case "mathfrak": return "fraktur";
		case "mathscr":
		case "mathcal": return "script";
		case "mathsf": return "sans-serif";
		case "mathsfit": return "sans-serif-italic";
		case "mathtt": return "monospace";
	}
	let text = group.text;
	return symbols[mode][text] && symbols[mode][text].replace && (text = symbols[mode][text].replace), Object.prototype.hasOwnProperty.call(fontMap, font) ? fontMap[font] : null;
}, numberRegEx = /^\d(?:[\d,.]*\d)?$/, latinRegEx = /[A-Ba-z]/, primes = new Set([
	"\\prime",
	"\\dprime",
	"\\trprime",
	"\\qprime",
	"\\backprime",
	"\\backdprime",
	"\\backtrprime"
]), italicNumber = (text, variant, tag) => {
	let wrapper = new MathNode("mstyle", [new MathNode(tag, [text])]);
	return wrapper.style["font-style"] = "italic", wrapper.style["font-family"] = "Cambria, 'Times New Roman', serif", variant === "bold-italic" && (wrapper.style["font-weight"] = "bold"), wrapper;
};
defineFunctionBuilders({
	type: "mathord",
	mathmlBuilder(group, style) {
		let text = makeText(group.text, group.mode, style), codePoint = text.text.codePointAt(0), defaultVariant = 912 < codePoint && codePoint < 938 ? "normal" : "italic", variant = getVariant(group, style) || defaultVariant;
		if (variant === "script") return text.text = variantChar(text.text, variant), new MathNode("mi", [text], [style.font]);
		variant !== "italic" && (text.text = variantChar(text.text, variant));
		let node = new MathNode("mi", [text]);
		if (variant === "normal" && (node.setAttribute("mathvariant", "normal"), text.text.length === 1)) {
			let mspace = new MathNode("mspace", []);
			node = new MathNode("mrow", [node, mspace]);
		}
		return node;
	}
}), defineFunctionBuilders({
	type: "textord",
	mathmlBuilder(group, style) {
		let ch = group.text, codePoint = ch.codePointAt(0);
		style.fontFamily === "textsc" && 96 < codePoint && codePoint < 123 && (ch = smallCaps[ch]);
		let text = makeText(ch, group.mode, style), variant = getVariant(group, style) || "normal", node;
		if (numberRegEx.test(group.text)) {
			let tag = group.mode === "text" ? "mtext" : "mn";
			if (variant === "italic" || variant === "bold-italic") return italicNumber(text, variant, tag);
			variant !== "normal" && (text.text = text.text.split("").map((c) => variantChar(c, variant)).join("")), node = new MathNode(tag, [text]);
		} else if (group.mode === "text") variant !== "normal" && (text.text = variantChar(text.text, variant)), node = new MathNode("mtext", [text]);
		else if (primes.has(group.text)) node = new MathNode("mo", [text]), node.classes.push("tml-prime");
		else {
			let origText = text.text;
			variant !== "italic" && (text.text = variantChar(text.text, variant)), node = new MathNode("mi", [text]), text.text === origText && latinRegEx.test(origText) && node.setAttribute("mathvariant", "italic");
		}
		return node;
	}
});
var cssSpace = {
	"\\nobreak": "nobreak",
	"\\allowbreak": "allowbreak"
}, regularSpace = {
	" ": {},
	"\\ ": {},
	"~": { className: "nobreak" },
	"\\space": {},
	"\\nobreakspace": { className: "nobreak" }
};
defineFunctionBuilders({
	type: "spacing",
	mathmlBuilder(group, style) {
		let node;
		if (Object.prototype.hasOwnProperty.call(regularSpace, group.text)) node = new MathNode("mtext", [new TextNode("\xA0")]);
		else if (Object.prototype.hasOwnProperty.call(cssSpace, group.text)) node = new MathNode("mo"), group.text === "\\nobreak" && node.setAttribute("linebreak", "nobreak");
		else throw new ParseError(`Unknown type of space "${group.text}"`);
		return node;
	}
}), defineFunctionBuilders({ type: "tag" });
var textFontFamilies = {
	"\\text": void 0,
	"\\textrm": "textrm",
	"\\textsf": "textsf",
	"\\texttt": "texttt",
	"\\textnormal": "textrm",
	"\\textsc": "textsc"
}, textFontWeights = {
	"\\textbf": "textbf",
	"\\textmd": "textmd"
}, textFontShapes = {
	"\\textit": "textit",
	"\\textup": "textup"
}, styleWithFont = (group, style) => {
	let font = group.font;
	return font ? textFontFamilies[font] ? style.withTextFontFamily(textFontFamilies[font]) : textFontWeights[font] ? style.withTextFontWeight(textFontWeights[font]) : font === "\\emph" ? style.fontShape === "textit" ? style.withTextFontShape("textup") : style.withTextFontShape("textit") : style.withTextFontShape(textFontShapes[font]) : style;
};
defineFunction({
	type: "text",
	names: [
		"\\text",
		"\\textrm",
		"\\textsf",
		"\\texttt",
		"\\textnormal",
		"\\textsc",
		"\\textbf",
		"\\textmd",
		"\\textit",
		"\\textup",
		"\\emph"
	],
	props: {
		numArgs: 1,
		argTypes: ["text"],
		allowedInArgument: !0,
		allowedInText: !0
	},
	handler({ parser, funcName }, args) {
		let body = args[0];
		return {
			type: "text",
			mode: parser.mode,
			body: ordargument(body),
			font: funcName
		};
	},
	mathmlBuilder(group, style) {
		let newStyle = styleWithFont(group, style);
		return consolidateText(buildExpressionRow(group.body, newStyle));
	}
}), defineFunction({
	type: "vcenter",
	names: ["\\vcenter"],
	props: {
		numArgs: 1,
		argTypes: ["original"],
		allowedInText: !1
	},
	handler({ parser }, args) {
		return {
			type: "vcenter",
			mode: parser.mode,
			body: args[0]
		};
	},
	mathmlBuilder(group, style) {
		let mtd = new MathNode("mtd", [buildGroup$1(group.body, style)]);
		return mtd.style.padding = "0", new MathNode("mtable", [new MathNode("mtr", [mtd])]);
	}
}), defineFunction({
	type: "verb",
	names: ["\\verb"],
	props: {
		numArgs: 0,
		allowedInText: !0
	},
	handler(context, args, optArgs) {
		throw new ParseError("\\verb ended by end of line instead of matching delimiter");
	},
	mathmlBuilder(group, style) {
		let node = new MathNode("mtext", [new TextNode(makeVerb(group))]);
		return node.setAttribute("mathvariant", "monospace"), node;
	}
});
var makeVerb = (group) => group.body.replace(/ /g, group.star ? "␣" : "\xA0"), functions = _functions, spaceRegexString = "[ \r\n	]", controlWordRegexString = "\\\\[a-zA-Z@]+", controlSymbolRegexString = "\\\\[^\ud800-\udfff]", controlWordWhitespaceRegexString = `(${controlWordRegexString})${spaceRegexString}*`, controlSpaceRegexString = "\\\\(\n|[ \r	]+\n?)[ \r	]*", combiningDiacriticalMarkString = "[̀-ͯ]", combiningDiacriticalMarksEndRegex = RegExp(`${combiningDiacriticalMarkString}+$`), tokenRegexString = `(${spaceRegexString}+)|${controlSpaceRegexString}|([!-\\[\\]-‧‪-퟿豈-￿]${combiningDiacriticalMarkString}*|[\ud800-\udbff][\udc00-\udfff]${combiningDiacriticalMarkString}*|\\\\verb\\*([^]).*?\\4|\\\\verb([^*a-zA-Z]).*?\\5|${controlWordWhitespaceRegexString}|${controlSymbolRegexString})`, Lexer = class {
	constructor(input, settings) {
		this.input = input, this.settings = settings, this.tokenRegex = new RegExp(tokenRegexString, "g"), this.catcodes = {
			"%": 14,
			"~": 13
		};
	}
	setCatcode(char, code) {
		this.catcodes[char] = code;
	}
	lex() {
		let input = this.input, pos = this.tokenRegex.lastIndex;
		if (pos === input.length) return new Token("EOF", new SourceLocation(this, pos, pos));
		let match = this.tokenRegex.exec(input);
		if (match === null || match.index !== pos) throw new ParseError(`Unexpected character: '${input[pos]}'`, new Token(input[pos], new SourceLocation(this, pos, pos + 1)));
		let text = match[6] || match[3] || (match[2] ? "\\ " : " ");
		if (this.catcodes[text] === 14) {
			let nlIndex = input.indexOf("\n", this.tokenRegex.lastIndex);
			if (nlIndex === -1) {
				if (this.tokenRegex.lastIndex = input.length, this.settings.strict) throw new ParseError("% comment has no terminating newline; LaTeX would fail because of commenting the end of math mode");
			} else this.tokenRegex.lastIndex = nlIndex + 1;
			return this.lex();
		}
		return new Token(text, new SourceLocation(this, pos, this.tokenRegex.lastIndex));
	}
}, Namespace = class {
	constructor(builtins = Object.create(null), globalMacros = Object.create(null)) {
		this.current = globalMacros, this.builtins = builtins, this.undefStack = [];
	}
	beginGroup() {
		this.undefStack.push(Object.create(null));
	}
	endGroup() {
		if (this.undefStack.length === 0) throw new ParseError("Unbalanced namespace destruction: attempt to pop global namespace; please report this as a bug");
		let undefs = this.undefStack.pop();
		for (let undef in undefs) Object.prototype.hasOwnProperty.call(undefs, undef) && (undefs[undef] === void 0 ? delete this.current[undef] : this.current[undef] = undefs[undef]);
	}
	has(name) {
		return Object.prototype.hasOwnProperty.call(this.current, name) || Object.prototype.hasOwnProperty.call(this.builtins, name);
	}
	get(name) {
		return Object.prototype.hasOwnProperty.call(this.current, name) ? this.current[name] : this.builtins[name];
	}
	set(name, value, global = !1) {
		if (global) {
			for (let i = 0; i < this.undefStack.length; i++) delete this.undefStack[i][name];
			this.undefStack.length > 0 && (this.undefStack[this.undefStack.length - 1][name] = value);
		} else {
			let top = this.undefStack[this.undefStack.length - 1];
			top && !Object.prototype.hasOwnProperty.call(top, name) && (top[name] = this.current[name]);
		}
		this.current[name] = value;
	}
}, implicitCommands = {
	"^": !0,
	_: !0,
	"\\limits": !0,
	"\\nolimits": !0
}, MacroExpander = class {
	constructor(input, settings, mode) {
		this.settings = settings, this.expansionCount = 0, this.feed(input), this.macros = new Namespace(macros, settings.macros), this.mode = mode, this.stack = [];
	}
	feed(input) {
		this.lexer = new Lexer(input, this.settings);
	}
	switchMode(newMode) {
		this.mode = newMode;
	}
	beginGroup() {
		this.macros.beginGroup();
	}
	endGroup() {
		this.macros.endGroup();
	}
	future() {
		return this.stack.length === 0 && this.pushToken(this.lexer.lex()), this.stack[this.stack.length - 1];
	}
	popToken() {
		return this.future(), this.stack.pop();
	}
	pushToken(token) {
		this.stack.push(token);
	}
	pushTokens(tokens) {
		this.stack.push(...tokens);
	}
	scanArgument(isOptional) {
		let start, end, tokens;
		if (isOptional) {
			if (this.consumeSpaces(), this.future().text !== "[") return null;
			start = this.popToken(), {tokens, end} = this.consumeArg(["]"]);
		} else ({tokens, start, end} = this.consumeArg());
		return this.pushToken(new Token("EOF", end.loc)), this.pushTokens(tokens), new Token("", SourceLocation.range(start, end));
	}
	consumeSpaces() {
		for (; this.future().text === " ";) this.stack.pop();
	}
	consumeArg(delims) {
		let tokens = [], isDelimited = delims && delims.length > 0;
		isDelimited || this.consumeSpaces();
		let start = this.future(), tok, depth = 0, match = 0;
		do {
			if (tok = this.popToken(), tokens.push(tok), tok.text === "{") ++depth;
			else if (tok.text === "}") {
				if (--depth, depth === -1) throw new ParseError("Extra }", tok);
			} else if (tok.text === "EOF") throw new ParseError("Unexpected end of input in a macro argument, expected '" + (delims && isDelimited ? delims[match] : "}") + "'", tok);
			if (delims && isDelimited) {
				if ((depth === 0 || depth === 1 && delims[match] === "{") && tok.text === delims[match]) {
					if (++match, match === delims.length) {
						tokens.splice(-match, match);
						break;
					}
				} else match = 0;
			}
		} while (depth !== 0 || isDelimited);
		return start.text === "{" && tokens[tokens.length - 1].text === "}" && (tokens.pop(), tokens.shift()), tokens.reverse(), {
			tokens,
			start,
			end: tok
		};
	}
	consumeArgs(numArgs, delimiters) {
		if (delimiters) {
			if (delimiters.length !== numArgs + 1) throw new ParseError("The length of delimiters doesn't match the number of args!");
			let delims = delimiters[0];
			for (let i = 0; i < delims.length; i++) {
				let tok = this.popToken();
				if (delims[i] !== tok.text) throw new ParseError("Use of the macro doesn't match its definition", tok);
			}
		}
		let args = [];
		for (let i = 0; i < numArgs; i++) args.push(this.consumeArg(delimiters && delimiters[i + 1]).tokens);
		return args;
	}
	expandOnce(expandableOnly) {
		let topToken = this.popToken(), name = topToken.text, expansion = topToken.noexpand ? null : this._getExpansion(name);
		if (expansion == null || expandableOnly && expansion.unexpandable) {
			if (expandableOnly && expansion == null && name[0] === "\\" && !this.isDefined(name)) throw new ParseError("Undefined control sequence: " + name);
			return this.pushToken(topToken), !1;
		}
		if (this.expansionCount++, this.expansionCount > this.settings.maxExpand) throw new ParseError("Too many expansions: infinite loop or need to increase maxExpand setting");
		let tokens = expansion.tokens, args = this.consumeArgs(expansion.numArgs, expansion.delimiters);
		if (expansion.numArgs) {
			tokens = tokens.slice();
			for (let i = tokens.length - 1; i >= 0; --i) {
				let tok = tokens[i];
				if (tok.text === "#") {
					if (i === 0) throw new ParseError("Incomplete placeholder at end of macro body", tok);
					if (tok = tokens[--i], tok.text === "#") tokens.splice(i + 1, 1);
					else if (/^[1-9]$/.test(tok.text)) tokens.splice(i, 2, ...args[tok.text - 1]);
					else throw new ParseError("Not a valid argument number", tok);
				}
			}
		}
		return this.pushTokens(tokens), tokens.length;
	}
	expandAfterFuture() {
		return this.expandOnce(), this.future();
	}
	expandNextToken() {
		for (;;) if (this.expandOnce() === !1) {
			let token = this.stack.pop();
			return token.treatAsRelax && (token.text = "\\relax"), token;
		}
		throw Error();
	}
	expandMacro(name) {
		return this.macros.has(name) ? this.expandTokens([new Token(name)]) : void 0;
	}
	expandTokens(tokens) {
		let output = [], oldStackLength = this.stack.length;
		for (this.pushTokens(tokens); this.stack.length > oldStackLength;) if (this.expandOnce(!0) === !1) {
			let token = this.stack.pop();
			token.treatAsRelax &&= (token.noexpand = !1, !1), output.push(token);
		}
		return output;
	}
	expandMacroAsText(name) {
		let tokens = this.expandMacro(name);
		return tokens && tokens.map((token) => token.text).join("");
	}
	_getExpansion(name) {
		let definition = this.macros.get(name);
		if (definition == null) return definition;
		if (name.length === 1) {
			let catcode = this.lexer.catcodes[name];
			if (catcode != null && catcode !== 13) return;
		}
		let expansion = typeof definition == "function" ? definition(this) : definition;
		if (typeof expansion == "string") {
			let numArgs = 0;
			if (expansion.indexOf("#") !== -1) {
				let stripped = expansion.replace(/##/g, "");
				for (; stripped.indexOf("#" + (numArgs + 1)) !== -1;) ++numArgs;
			}
			let bodyLexer = new Lexer(expansion, this.settings), tokens = [], tok = bodyLexer.lex();
			for (; tok.text !== "EOF";) tokens.push(tok), tok = bodyLexer.lex();
			return tokens.reverse(), {
				tokens,
				numArgs
			};
		}
		return expansion;
	}
	isDefined(name) {
		return this.macros.has(name) || Object.prototype.hasOwnProperty.call(functions, name) || Object.prototype.hasOwnProperty.call(symbols.math, name) || Object.prototype.hasOwnProperty.call(symbols.text, name) || Object.prototype.hasOwnProperty.call(implicitCommands, name);
	}
	isExpandable(name) {
		let macro = this.macros.get(name);
		return macro == null ? Object.prototype.hasOwnProperty.call(functions, name) && !functions[name].primitive : typeof macro == "string" || typeof macro == "function" || !macro.unexpandable;
	}
}, unicodeSubRegEx = /^[₊₋₌₍₎₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ]/, uSubsAndSups = Object.freeze({
	"₊": "+",
	"₋": "-",
	"₌": "=",
	"₍": "(",
	"₎": ")",
	"₀": "0",
	"₁": "1",
	"₂": "2",
	"₃": "3",
	"₄": "4",
	"₅": "5",
	"₆": "6",
	"₇": "7",
	"₈": "8",
	"₉": "9",
	ₐ: "a",
	ₑ: "e",
	ₕ: "h",
	ᵢ: "i",
	ⱼ: "j",
	ₖ: "k",
	ₗ: "l",
	ₘ: "m",
	ₙ: "n",
	ₒ: "o",
	ₚ: "p",
	ᵣ: "r",
	ₛ: "s",
	ₜ: "t",
	ᵤ: "u",
	ᵥ: "v",
	ₓ: "x",
	ᵦ: "β",
	ᵧ: "γ",
	ᵨ: "ρ",
	ᵩ: "ϕ",
	ᵪ: "χ",
	"⁺": "+",
	"⁻": "-",
	"⁼": "=",
	"⁽": "(",
	"⁾": ")",
	"⁰": "0",
	"¹": "1",
	"²": "2",
	"³": "3",
	"⁴": "4",
	"⁵": "5",
	"⁶": "6",
	"⁷": "7",
	"⁸": "8",
	"⁹": "9",
	ᴬ: "A",
	ᴮ: "B",
	ᴰ: "D",
	ᴱ: "E",
	ᴳ: "G",
	ᴴ: "H",
	ᴵ: "I",
	ᴶ: "J",
	ᴷ: "K",
	ᴸ: "L",
	ᴹ: "M",
	ᴺ: "N",
	ᴼ: "O",
	ᴾ: "P",
	ᴿ: "R",
	ᵀ: "T",
	ᵁ: "U",
	ⱽ: "V",
	ᵂ: "W",
	ᵃ: "a",
	ᵇ: "b",
	ᶜ: "c",
	ᵈ: "d",
	ᵉ: "e",
	ᶠ: "f",
	ᵍ: "g",
	ʰ: "h",
	ⁱ: "i",
	ʲ: "j",
	ᵏ: "k",
	ˡ: "l",
	ᵐ: "m",
	ⁿ: "n",
	ᵒ: "o",
	ᵖ: "p",
	ʳ: "r",
	ˢ: "s",
	ᵗ: "t",
	ᵘ: "u",
	ᵛ: "v",
	ʷ: "w",
	ˣ: "x",
	ʸ: "y",
	ᶻ: "z",
	ᵝ: "β",
	ᵞ: "γ",
	ᵟ: "δ",
	ᵠ: "ϕ",
	ᵡ: "χ",
	ᶿ: "θ"
}), asciiFromScript = Object.freeze({
	𝒜: "A",
	ℬ: "B",
	𝒞: "C",
	𝒟: "D",
	ℰ: "E",
	ℱ: "F",
	𝒢: "G",
	ℋ: "H",
	ℐ: "I",
	𝒥: "J",
	𝒦: "K",
	ℒ: "L",
	ℳ: "M",
	𝒩: "N",
	𝒪: "O",
	𝒫: "P",
	𝒬: "Q",
	ℛ: "R",
	𝒮: "S",
	𝒯: "T",
	𝒰: "U",
	𝒱: "V",
	𝒲: "W",
	𝒳: "X",
	𝒴: "Y",
	𝒵: "Z"
}), unicodeAccents = {
	"́": {
		text: "\\'",
		math: "\\acute"
	},
	"̀": {
		text: "\\`",
		math: "\\grave"
	},
	"̈": {
		text: "\\\"",
		math: "\\ddot"
	},
	"̃": {
		text: "\\~",
		math: "\\tilde"
	},
	"̄": {
		text: "\\=",
		math: "\\bar"
	},
	"̆": {
		text: "\\u",
		math: "\\breve"
	},
	"̌": {
		text: "\\v",
		math: "\\check"
	},
	"̂": {
		text: "\\^",
		math: "\\hat"
	},
	"̇": {
		text: "\\.",
		math: "\\dot"
	},
	"̊": {
		text: "\\r",
		math: "\\mathring"
	},
	"̋": { text: "\\H" },
	"̧": { text: "\\c" }
}, unicodeSymbols = {
	á: "á",
	à: "à",
	ä: "ä",
	ǟ: "ǟ",
	ã: "ã",
	ā: "ā",
	ă: "ă",
	ắ: "ắ",
	ằ: "ằ",
	ẵ: "ẵ",
	ǎ: "ǎ",
	â: "â",
	ấ: "ấ",
	ầ: "ầ",
	ẫ: "ẫ",
	ȧ: "ȧ",
	ǡ: "ǡ",
	å: "å",
	ǻ: "ǻ",
	ḃ: "ḃ",
	ć: "ć",
	č: "č",
	ĉ: "ĉ",
	ċ: "ċ",
	ď: "ď",
	ḋ: "ḋ",
	é: "é",
	è: "è",
	ë: "ë",
	ẽ: "ẽ",
	ē: "ē",
	ḗ: "ḗ",
	ḕ: "ḕ",
	ĕ: "ĕ",
	ě: "ě",
	ê: "ê",
	ế: "ế",
	ề: "ề",
	ễ: "ễ",
	ė: "ė",
	ḟ: "ḟ",
	ǵ: "ǵ",
	ḡ: "ḡ",
	ğ: "ğ",
	ǧ: "ǧ",
	ĝ: "ĝ",
	ġ: "ġ",
	ḧ: "ḧ",
	ȟ: "ȟ",
	ĥ: "ĥ",
	ḣ: "ḣ",
	í: "í",
	ì: "ì",
	ï: "ï",
	ḯ: "ḯ",
	ĩ: "ĩ",
	ī: "ī",
	ĭ: "ĭ",
	ǐ: "ǐ",
	î: "î",
	ǰ: "ǰ",
	ĵ: "ĵ",
	ḱ: "ḱ",
	ǩ: "ǩ",
	ĺ: "ĺ",
	ľ: "ľ",
	ḿ: "ḿ",
	ṁ: "ṁ",
	ń: "ń",
	ǹ: "ǹ",
	ñ: "ñ",
	ň: "ň",
	ṅ: "ṅ",
	ó: "ó",
	ò: "ò",
	ö: "ö",
	ȫ: "ȫ",
	õ: "õ",
	ṍ: "ṍ",
	ṏ: "ṏ",
	ȭ: "ȭ",
	ō: "ō",
	ṓ: "ṓ",
	ṑ: "ṑ",
	ŏ: "ŏ",
	ǒ: "ǒ",
	ô: "ô",
	ố: "ố",
	ồ: "ồ",
	ỗ: "ỗ",
	ȯ: "ȯ",
	ȱ: "ȱ",
	ő: "ő",
	ṕ: "ṕ",
	ṗ: "ṗ",
	ŕ: "ŕ",
	ř: "ř",
	ṙ: "ṙ",
	ś: "ś",
	ṥ: "ṥ",
	š: "š",
	ṧ: "ṧ",
	ŝ: "ŝ",
	ṡ: "ṡ",
	ẗ: "ẗ",
	ť: "ť",
	ṫ: "ṫ",
	ú: "ú",
	ù: "ù",
	ü: "ü",
	ǘ: "ǘ",
	ǜ: "ǜ",
	ǖ: "ǖ",
	ǚ: "ǚ",
	ũ: "ũ",
	ṹ: "ṹ",
	ū: "ū",
	ṻ: "ṻ",
	ŭ: "ŭ",
	ǔ: "ǔ",
	û: "û",
	ů: "ů",
	ű: "ű",
	ṽ: "ṽ",
	ẃ: "ẃ",
	ẁ: "ẁ",
	ẅ: "ẅ",
	ŵ: "ŵ",
	ẇ: "ẇ",
	ẘ: "ẘ",
	ẍ: "ẍ",
	ẋ: "ẋ",
	ý: "ý",
	ỳ: "ỳ",
	ÿ: "ÿ",
	ỹ: "ỹ",
	ȳ: "ȳ",
	ŷ: "ŷ",
	ẏ: "ẏ",
	ẙ: "ẙ",
	ź: "ź",
	ž: "ž",
	ẑ: "ẑ",
	ż: "ż",
	Á: "Á",
	À: "À",
	Ä: "Ä",
	Ǟ: "Ǟ",
	Ã: "Ã",
	Ā: "Ā",
	Ă: "Ă",
	Ắ: "Ắ",
	Ằ: "Ằ",
	Ẵ: "Ẵ",
	Ǎ: "Ǎ",
	Â: "Â",
	Ấ: "Ấ",
	Ầ: "Ầ",
	Ẫ: "Ẫ",
	Ȧ: "Ȧ",
	Ǡ: "Ǡ",
	Å: "Å",
	Ǻ: "Ǻ",
	Ḃ: "Ḃ",
	Ć: "Ć",
	Č: "Č",
	Ĉ: "Ĉ",
	Ċ: "Ċ",
	Ď: "Ď",
	Ḋ: "Ḋ",
	É: "É",
	È: "È",
	Ë: "Ë",
	Ẽ: "Ẽ",
	Ē: "Ē",
	Ḗ: "Ḗ",
	Ḕ: "Ḕ",
	Ĕ: "Ĕ",
	Ě: "Ě",
	Ê: "Ê",
	Ế: "Ế",
	Ề: "Ề",
	Ễ: "Ễ",
	Ė: "Ė",
	Ḟ: "Ḟ",
	Ǵ: "Ǵ",
	Ḡ: "Ḡ",
	Ğ: "Ğ",
	Ǧ: "Ǧ",
	Ĝ: "Ĝ",
	Ġ: "Ġ",
	Ḧ: "Ḧ",
	Ȟ: "Ȟ",
	Ĥ: "Ĥ",
	Ḣ: "Ḣ",
	Í: "Í",
	Ì: "Ì",
	Ï: "Ï",
	Ḯ: "Ḯ",
	Ĩ: "Ĩ",
	Ī: "Ī",
	Ĭ: "Ĭ",
	Ǐ: "Ǐ",
	Î: "Î",
	İ: "İ",
	Ĵ: "Ĵ",
	Ḱ: "Ḱ",
	Ǩ: "Ǩ",
	Ĺ: "Ĺ",
	Ľ: "Ľ",
	Ḿ: "Ḿ",
	Ṁ: "Ṁ",
	Ń: "Ń",
	Ǹ: "Ǹ",
	Ñ: "Ñ",
	Ň: "Ň",
	Ṅ: "Ṅ",
	Ó: "Ó",
	Ò: "Ò",
	Ö: "Ö",
	Ȫ: "Ȫ",
	Õ: "Õ",
	Ṍ: "Ṍ",
	Ṏ: "Ṏ",
	Ȭ: "Ȭ",
	Ō: "Ō",
	Ṓ: "Ṓ",
	Ṑ: "Ṑ",
	Ŏ: "Ŏ",
	Ǒ: "Ǒ",
	Ô: "Ô",
	Ố: "Ố",
	Ồ: "Ồ",
	Ỗ: "Ỗ",
	Ȯ: "Ȯ",
	Ȱ: "Ȱ",
	Ő: "Ő",
	Ṕ: "Ṕ",
	Ṗ: "Ṗ",
	Ŕ: "Ŕ",
	Ř: "Ř",
	Ṙ: "Ṙ",
	Ś: "Ś",
	Ṥ: "Ṥ",
	Š: "Š",
	Ṧ: "Ṧ",
	Ŝ: "Ŝ",
	Ṡ: "Ṡ",
	Ť: "Ť",
	Ṫ: "Ṫ",
	Ú: "Ú",
	Ù: "Ù",
	Ü: "Ü",
	Ǘ: "Ǘ",
	Ǜ: "Ǜ",
	Ǖ: "Ǖ",
	Ǚ: "Ǚ",
	Ũ: "Ũ",
	Ṹ: "Ṹ",
	Ū: "Ū",
	Ṻ: "Ṻ",
	Ŭ: "Ŭ",
	Ǔ: "Ǔ",
	Û: "Û",
	Ů: "Ů",
	Ű: "Ű",
	Ṽ: "Ṽ",
	Ẃ: "Ẃ",
	Ẁ: "Ẁ",
	Ẅ: "Ẅ",
	Ŵ: "Ŵ",
	Ẇ: "Ẇ",
	Ẍ: "Ẍ",
	Ẋ: "Ẋ",
	Ý: "Ý",
	Ỳ: "Ỳ",
	Ÿ: "Ÿ",
	Ỹ: "Ỹ",
	Ȳ: "Ȳ",
	Ŷ: "Ŷ",
	Ẏ: "Ẏ",
	Ź: "Ź",
	Ž: "Ž",
	Ẑ: "Ẑ",
	Ż: "Ż",
	ά: "ά",
	ὰ: "ὰ",
	ᾱ: "ᾱ",
	ᾰ: "ᾰ",
	έ: "έ",
	ὲ: "ὲ",
	ή: "ή",
	ὴ: "ὴ",
	ί: "ί",
	ὶ: "ὶ",
	ϊ: "ϊ",
	ΐ: "ΐ",
	ῒ: "ῒ",
	ῑ: "ῑ",
	ῐ: "ῐ",
	ό: "ό",
	ὸ: "ὸ",
	ύ: "ύ",
	ὺ: "ὺ",
	ϋ: "ϋ",
	ΰ: "ΰ",
	ῢ: "ῢ",
	ῡ: "ῡ",
	ῠ: "ῠ",
	ώ: "ώ",
	ὼ: "ὼ",
	Ύ: "Ύ",
	Ὺ: "Ὺ",
	Ϋ: "Ϋ",
	Ῡ: "Ῡ",
	Ῠ: "Ῠ",
	Ώ: "Ώ",
	Ὼ: "Ὼ"
}, binLeftCancellers = [
	"bin",
	"op",
	"open",
	"punct",
	"rel"
], sizeRegEx = /([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/, textRegEx = /^ *\\text/, Parser = class Parser {
	constructor(input, settings, isPreamble = !1) {
		this.mode = "math", this.gullet = new MacroExpander(input, settings, this.mode), this.settings = settings, this.isPreamble = isPreamble, this.leftrightDepth = 0, this.prevAtomType = "";
	}
	expect(text, consume = !0) {
		if (this.fetch().text !== text) throw new ParseError(`Expected '${text}', got '${this.fetch().text}'`, this.fetch());
		consume && this.consume();
	}
	consume() {
		this.nextToken = null;
	}
	fetch() {
		return this.nextToken ??= this.gullet.expandNextToken(), this.nextToken;
	}
	switchMode(newMode) {
		this.mode = newMode, this.gullet.switchMode(newMode);
	}
	parse() {
		this.gullet.beginGroup(), this.settings.colorIsTextColor && this.gullet.macros.set("\\color", "\\textcolor");
		let parse = this.parseExpression(!1);
		if (this.expect("EOF"), this.isPreamble) {
			let macros = Object.create(null);
			return Object.entries(this.gullet.macros.current).forEach(([key, value]) => {
				macros[key] = value;
			}), this.gullet.endGroup(), macros;
		}
		let tag = this.gullet.macros.get("\\df@tag");
		return this.gullet.endGroup(), tag && (this.gullet.macros.current["\\df@tag"] = tag), parse;
	}
	static get endOfExpression() {
		return [
			"}",
			"\\endgroup",
			"\\end",
			"\\right",
			"\\endtoggle",
			"&"
		];
	}
	subparse(tokens) {
		let oldToken = this.nextToken;
		this.consume(), this.gullet.pushToken(new Token("}")), this.gullet.pushTokens(tokens);
		let parse = this.parseExpression(!1);
		return this.expect("}"), this.nextToken = oldToken, parse;
	}
	parseExpression(breakOnInfix, breakOnTokenText, breakOnMiddle) {
		let body = [];
		for (this.prevAtomType = "";;) {
			this.mode === "math" && this.consumeSpaces();
			let lex = this.fetch();
			if (Parser.endOfExpression.indexOf(lex.text) !== -1 || breakOnTokenText && lex.text === breakOnTokenText || breakOnMiddle && lex.text === "\\middle" || breakOnInfix && functions[lex.text] && functions[lex.text].infix) break;
			let atom = this.parseAtom(breakOnTokenText);
			if (!atom) break;
			atom.type !== "internal" && (body.push(atom), this.prevAtomType = atom.type === "atom" ? atom.family : atom.type);
		}
		return this.mode === "text" && this.formLigatures(body), this.handleInfixNodes(body);
	}
	handleInfixNodes(body) {
		let overIndex = -1, funcName;
		for (let i = 0; i < body.length; i++) if (body[i].type === "infix") {
			if (overIndex !== -1) throw new ParseError("only one infix operator per group", body[i].token);
			overIndex = i, funcName = body[i].replaceWith;
		}
		if (overIndex !== -1 && funcName) {
			let numerNode, denomNode, numerBody = body.slice(0, overIndex), denomBody = body.slice(overIndex + 1);
			numerNode = numerBody.length === 1 && numerBody[0].type === "ordgroup" ? numerBody[0] : {
				type: "ordgroup",
				mode: this.mode,
				body: numerBody
			}, denomNode = denomBody.length === 1 && denomBody[0].type === "ordgroup" ? denomBody[0] : {
				type: "ordgroup",
				mode: this.mode,
				body: denomBody
			};
			let node;
			return node = funcName === "\\\\abovefrac" ? this.callFunction(funcName, [
				numerNode,
				body[overIndex],
				denomNode
			], []) : this.callFunction(funcName, [numerNode, denomNode], []), [node];
		}
		return body;
	}
	handleSupSubscript(name) {
		let symbolToken = this.fetch(), symbol = symbolToken.text;
		this.consume(), this.consumeSpaces();
		let group;
		do
			group = this.parseGroup(name);
		while (group.type && group.type === "internal");
		if (!group) throw new ParseError("Expected group after '" + symbol + "'", symbolToken);
		return group;
	}
	formatUnsupportedCmd(text) {
		let textordArray = [];
		for (let i = 0; i < text.length; i++) textordArray.push({
			type: "textord",
			mode: "text",
			text: text[i]
		});
		let textNode = {
			type: "text",
			mode: this.mode,
			body: textordArray
		};
		return {
			type: "color",
			mode: this.mode,
			color: this.settings.errorColor,
			body: [textNode]
		};
	}
	parseAtom(breakOnTokenText) {
		let base = this.parseGroup("atom", breakOnTokenText);
		if (base && base.type === "internal" || this.mode === "text") return base;
		let superscript, subscript;
		for (;;) {
			this.consumeSpaces();
			let lex = this.fetch();
			if (lex.text === "\\limits" || lex.text === "\\nolimits") {
				if (base && base.type === "op") base.limits = lex.text === "\\limits", base.alwaysHandleSupSub = !0;
				else if (base && base.type === "operatorname") base.alwaysHandleSupSub && (base.limits = lex.text === "\\limits");
				else throw new ParseError("Limit controls must follow a math operator", lex);
				this.consume();
			} else if (lex.text === "^") {
				if (superscript) throw new ParseError("Double superscript", lex);
				superscript = this.handleSupSubscript("superscript");
			} else if (lex.text === "_") {
				if (subscript) throw new ParseError("Double subscript", lex);
				subscript = this.handleSupSubscript("subscript");
			} else if (lex.text === "'") {
				if (superscript) throw new ParseError("Double superscript", lex);
				let prime = {
					type: "textord",
					mode: this.mode,
					text: "\\prime"
				}, primes = [prime];
				for (this.consume(); this.fetch().text === "'";) primes.push(prime), this.consume();
				this.fetch().text === "^" && primes.push(this.handleSupSubscript("superscript")), superscript = {
					type: "ordgroup",
					mode: this.mode,
					body: primes
				};
			} else if (uSubsAndSups[lex.text]) {
				let isSub = unicodeSubRegEx.test(lex.text), subsupTokens = [];
				for (subsupTokens.push(new Token(uSubsAndSups[lex.text])), this.consume();;) {
					let token = this.fetch().text;
					if (!uSubsAndSups[token] || unicodeSubRegEx.test(token) !== isSub) break;
					subsupTokens.unshift(new Token(uSubsAndSups[token])), this.consume();
				}
				let body = this.subparse(subsupTokens);
				isSub ? subscript = {
					type: "ordgroup",
					mode: "math",
					body
				} : superscript = {
					type: "ordgroup",
					mode: "math",
					body
				};
			} else break;
		}
		if (superscript || subscript) {
			if (base && base.type === "multiscript" && !base.postscripts) return base.postscripts = {
				sup: superscript,
				sub: subscript
			}, base;
			{
				let isFollowedByDelimiter = !base || base.type !== "op" && base.type !== "operatorname" ? void 0 : isDelimiter(this.nextToken.text);
				return {
					type: "supsub",
					mode: this.mode,
					base,
					sup: superscript,
					sub: subscript,
					isFollowedByDelimiter
				};
			}
		}
		return base;
	}
	parseFunction(breakOnTokenText, name) {
		let token = this.fetch(), func = token.text, funcData = functions[func];
		if (!funcData) return null;
		if (this.consume(), name && name !== "atom" && !funcData.allowedInArgument) throw new ParseError("Got function '" + func + "' with no arguments" + (name ? " as " + name : ""), token);
		if (this.mode === "text" && !funcData.allowedInText) throw new ParseError("Can't use function '" + func + "' in text mode", token);
		if (this.mode === "math" && funcData.allowedInMath === !1) throw new ParseError("Can't use function '" + func + "' in math mode", token);
		let prevAtomType = this.prevAtomType, { args, optArgs } = this.parseArguments(func, funcData);
		return this.prevAtomType = prevAtomType, this.callFunction(func, args, optArgs, token, breakOnTokenText);
	}
	callFunction(name, args, optArgs, token, breakOnTokenText) {
		let context = {
			funcName: name,
			parser: this,
			token,
			breakOnTokenText
		}, func = functions[name];
		if (func && func.handler) return func.handler(context, args, optArgs);
		throw new ParseError(`No function handler for ${name}`);
	}
	parseArguments(func, funcData) {
		let totalArgs = funcData.numArgs + funcData.numOptionalArgs;
		if (totalArgs === 0) return {
			args: [],
			optArgs: []
		};
		let args = [], optArgs = [];
		for (let i = 0; i < totalArgs; i++) {
			let argType = funcData.argTypes && funcData.argTypes[i], isOptional = i < funcData.numOptionalArgs;
			(funcData.primitive && argType == null || funcData.type === "sqrt" && i === 1 && optArgs[0] == null) && (argType = "primitive");
			let arg = this.parseGroupOfType(`argument to '${func}'`, argType, isOptional);
			if (isOptional) optArgs.push(arg);
			else if (arg != null) args.push(arg);
			else throw new ParseError("Null argument, please report this as a bug");
		}
		return {
			args,
			optArgs
		};
	}
	parseGroupOfType(name, type, optional) {
		switch (type) {
			case "size": return this.parseSizeGroup(optional);
			case "url": return this.parseUrlGroup(optional);
			case "math":
			case "text": return this.parseArgumentGroup(optional, type);
			case "hbox": {
				let group = this.parseArgumentGroup(optional, "text");
				return group == null ? null : {
					type: "styling",
					mode: group.mode,
					body: [group],
					scriptLevel: "text"
				};
			}
			case "raw": {
				let token = this.parseStringGroup("raw", optional);
				return token == null ? null : {
					type: "raw",
					mode: "text",
					string: token.text
				};
			}
			case "primitive": {
				if (optional) throw new ParseError("A primitive argument cannot be optional");
				let group = this.parseGroup(name);
				if (group == null) throw new ParseError("Expected group as " + name, this.fetch());
				return group;
			}
			case "original":
			case null:
			case void 0: return this.parseArgumentGroup(optional);
			default: throw new ParseError("Unknown group type as " + name, this.fetch());
		}
	}
	consumeSpaces() {
		for (;;) {
			let ch = this.fetch().text;
			if (ch === " " || ch === "\xA0" || ch === "︎") this.consume();
			else break;
		}
	}
	parseStringGroup(modeName, optional) {
		let argToken = this.gullet.scanArgument(optional);
		if (argToken == null) return null;
		let str = "", nextToken;
		for (; (nextToken = this.fetch()).text !== "EOF";) str += nextToken.text, this.consume();
		return this.consume(), argToken.text = str, argToken;
	}
	parseRegexGroup(regex, modeName) {
		let firstToken = this.fetch(), lastToken = firstToken, str = "", nextToken;
		for (; (nextToken = this.fetch()).text !== "EOF" && regex.test(str + nextToken.text);) lastToken = nextToken, str += lastToken.text, this.consume();
		if (str === "") throw new ParseError("Invalid " + modeName + ": '" + firstToken.text + "'", firstToken);
		return firstToken.range(lastToken, str);
	}
	parseSizeGroup(optional) {
		let res, isBlank = !1;
		if (this.gullet.consumeSpaces(), res = !optional && this.gullet.future().text !== "{" ? this.parseRegexGroup(/^[-+]? *(?:$|\d+|\d+\.\d*|\.\d*) *[a-z]{0,2} *$/, "size") : this.parseStringGroup("size", optional), !res) return null;
		!optional && res.text.length === 0 && (res.text = "0pt", isBlank = !0);
		let match = sizeRegEx.exec(res.text);
		if (!match) throw new ParseError("Invalid size: '" + res.text + "'", res);
		let data = {
			number: +(match[1] + match[2]),
			unit: match[3]
		};
		if (!validUnit(data)) throw new ParseError("Invalid unit: '" + data.unit + "'", res);
		return {
			type: "size",
			mode: this.mode,
			value: data,
			isBlank
		};
	}
	parseUrlGroup(optional) {
		this.gullet.lexer.setCatcode("%", 13), this.gullet.lexer.setCatcode("~", 12);
		let res = this.parseStringGroup("url", optional);
		if (this.gullet.lexer.setCatcode("%", 14), this.gullet.lexer.setCatcode("~", 13), res == null) return null;
		let url = res.text.replace(/\\([#$%&~_^{}])/g, "$1");
		return url = res.text.replace(/{\u2044}/g, "/"), {
			type: "url",
			mode: this.mode,
			url
		};
	}
	parseArgumentGroup(optional, mode) {
		let argToken = this.gullet.scanArgument(optional);
		if (argToken == null) return null;
		let outerMode = this.mode;
		mode && this.switchMode(mode), this.gullet.beginGroup();
		let expression = this.parseExpression(!1, "EOF");
		this.expect("EOF"), this.gullet.endGroup();
		let result = {
			type: "ordgroup",
			mode: this.mode,
			loc: argToken.loc,
			body: expression
		};
		return mode && this.switchMode(outerMode), result;
	}
	parseGroup(name, breakOnTokenText) {
		let firstToken = this.fetch(), text = firstToken.text;
		if (name === "argument to '\\left'") return this.parseSymbol();
		let result;
		if (text === "{" || text === "\\begingroup" || text === "\\toggle") {
			this.consume();
			let groupEnd = text === "{" ? "}" : text === "\\begingroup" ? "\\endgroup" : "\\endtoggle";
			this.gullet.beginGroup();
			let expression = this.parseExpression(!1, groupEnd), lastToken = this.fetch();
			this.expect(groupEnd), this.gullet.endGroup(), result = {
				type: lastToken.text === "\\endtoggle" ? "toggle" : "ordgroup",
				mode: this.mode,
				loc: SourceLocation.range(firstToken, lastToken),
				body: expression,
				semisimple: text === "\\begingroup" || void 0
			};
		} else if (result = this.parseFunction(breakOnTokenText, name) || this.parseSymbol(), result == null && text[0] === "\\" && !Object.prototype.hasOwnProperty.call(implicitCommands, text)) {
			if (this.settings.throwOnError) throw new ParseError("Unsupported function name: " + text, firstToken);
			result = this.formatUnsupportedCmd(text), this.consume();
		}
		return result;
	}
	formLigatures(group) {
		let n = group.length - 1;
		for (let i = 0; i < n; ++i) {
			let a = group[i], v = a.text;
			v === "-" && group[i + 1].text === "-" && (i + 1 < n && group[i + 2].text === "-" ? (group.splice(i, 3, {
				type: "textord",
				mode: "text",
				loc: SourceLocation.range(a, group[i + 2]),
				text: "---"
			}), n -= 2) : (group.splice(i, 2, {
				type: "textord",
				mode: "text",
				loc: SourceLocation.range(a, group[i + 1]),
				text: "--"
			}), --n)), (v === "'" || v === "`") && group[i + 1].text === v && (group.splice(i, 2, {
				type: "textord",
				mode: "text",
				loc: SourceLocation.range(a, group[i + 1]),
				text: v + v
			}), --n);
		}
	}
	parseSymbol() {
		let nucleus = this.fetch(), text = nucleus.text;
		if (/^\\verb[^a-zA-Z]/.test(text)) {
			this.consume();
			let arg = text.slice(5), star = arg.charAt(0) === "*";
			if (star && (arg = arg.slice(1)), arg.length < 2 || arg.charAt(0) !== arg.slice(-1)) throw new ParseError("\\verb assertion failed --\n                    please report what input caused this bug");
			return arg = arg.slice(1, -1), {
				type: "verb",
				mode: "text",
				body: arg,
				star
			};
		}
		if (Object.prototype.hasOwnProperty.call(unicodeSymbols, text[0]) && this.mode === "math" && !symbols[this.mode][text[0]]) {
			if (this.settings.strict && this.mode === "math") throw new ParseError(`Accented Unicode text character "${text[0]}" used in math mode`, nucleus);
			text = unicodeSymbols[text[0]] + text.slice(1);
		}
		let match = this.mode === "math" ? combiningDiacriticalMarksEndRegex.exec(text) : null;
		match && (text = text.substring(0, match.index), text === "i" ? text = "ı" : text === "j" && (text = "ȷ"));
		let symbol;
		if (symbols[this.mode][text]) {
			let group = symbols[this.mode][text].group;
			group === "bin" && (binLeftCancellers.includes(this.prevAtomType) || this.prevAtomType === "") && (group = "open");
			let loc = SourceLocation.range(nucleus), s;
			if (Object.prototype.hasOwnProperty.call(ATOMS, group)) {
				let family = group;
				s = {
					type: "atom",
					mode: this.mode,
					family,
					loc,
					text
				}, (family === "rel" || family === "bin") && this.prevAtomType === "text" && textRegEx.test(loc.lexer.input.slice(loc.end)) && (s.needsSpacing = !0);
			} else {
				if (asciiFromScript[text]) {
					this.consume();
					let nextCode = this.fetch().text.charCodeAt(0), font = nextCode === 65025 ? "mathscr" : "mathcal";
					return (nextCode === 65024 || nextCode === 65025) && this.consume(), {
						type: "font",
						mode: "math",
						font,
						body: {
							type: "mathord",
							mode: "math",
							loc,
							text: asciiFromScript[text]
						}
					};
				}
				s = {
					type: group,
					mode: this.mode,
					loc,
					text
				};
			}
			symbol = s;
		} else if (text.charCodeAt(0) >= 128 || combiningDiacriticalMarksEndRegex.exec(text)) {
			if (this.settings.strict && this.mode === "math") throw new ParseError(`Unicode text character "${text[0]}" used in math mode`, nucleus);
			symbol = {
				type: "textord",
				mode: "text",
				loc: SourceLocation.range(nucleus),
				text
			};
		} else return null;
		if (this.consume(), match) for (let i = 0; i < match[0].length; i++) {
			let accent = match[0][i];
			if (!unicodeAccents[accent]) throw new ParseError(`Unknown accent ' ${accent}'`, nucleus);
			let command = unicodeAccents[accent][this.mode] || unicodeAccents[accent].text;
			if (!command) throw new ParseError(`Accent ${accent} unsupported in ${this.mode} mode`, nucleus);
			symbol = {
				type: "accent",
				mode: this.mode,
				loc: SourceLocation.range(nucleus),
				label: command,
				isStretchy: !1,
				base: symbol
			};
		}
		return symbol;
	}
}, parseTree = function(toParse, settings) {
	if (!(typeof toParse == "string" || toParse instanceof String)) throw TypeError("Temml can only parse string typed expression");
	let tree, parser;
	try {
		parser = new Parser(toParse, settings), delete parser.gullet.macros.current["\\df@tag"], tree = parser.parse();
	} catch (error) {
		if (error.toString() === "ParseError:  Unmatched delimiter") settings.wrapDelimiterPairs = !1, parser = new Parser(toParse, settings), delete parser.gullet.macros.current["\\df@tag"], tree = parser.parse();
		else throw error;
	}
	if (!(tree.length > 0 && tree[0].type && tree[0].type === "array" && tree[0].addEqnNum) && parser.gullet.macros.get("\\df@tag")) {
		if (!settings.displayMode) throw new ParseError("\\tag works only in display mode");
		parser.gullet.feed("\\df@tag"), tree = [{
			type: "tag",
			mode: "text",
			body: tree,
			tag: parser.parse()
		}];
	}
	return tree;
}, subOrSupLevel = [
	2,
	2,
	3,
	3
], Style = class Style {
	constructor(data) {
		this.level = data.level, this.color = data.color, this.font = data.font || "", this.fontFamily = data.fontFamily || "", this.fontSize = data.fontSize || 1, this.fontWeight = data.fontWeight || "", this.fontShape = data.fontShape || "", this.maxSize = data.maxSize;
	}
	extend(extension) {
		let data = {
			level: this.level,
			color: this.color,
			font: this.font,
			fontFamily: this.fontFamily,
			fontSize: this.fontSize,
			fontWeight: this.fontWeight,
			fontShape: this.fontShape,
			maxSize: this.maxSize
		};
		for (let key in extension) Object.prototype.hasOwnProperty.call(extension, key) && (data[key] = extension[key]);
		return new Style(data);
	}
	withLevel(n) {
		return this.extend({ level: n });
	}
	incrementLevel() {
		return this.extend({ level: Math.min(this.level + 1, 3) });
	}
	inSubOrSup() {
		return this.extend({ level: subOrSupLevel[this.level] });
	}
	withColor(color) {
		return this.extend({ color });
	}
	withFont(font) {
		return this.extend({ font });
	}
	withTextFontFamily(fontFamily) {
		return this.extend({
			fontFamily,
			font: ""
		});
	}
	withFontSize(num) {
		return this.extend({ fontSize: num });
	}
	withTextFontWeight(fontWeight) {
		return this.extend({
			fontWeight,
			font: ""
		});
	}
	withTextFontShape(fontShape) {
		return this.extend({
			fontShape,
			font: ""
		});
	}
	getColor() {
		return this.color;
	}
}, version = "0.13.5";
function postProcess(block) {
	let labelMap = {}, i = 0, amsEqns = document.getElementsByClassName("tml-eqn");
	for (let parent of amsEqns) for (i += 1, parent.setAttribute("id", "tml-eqn-" + String(i)); parent.tagName !== "mtable";) {
		if (parent.getElementsByClassName("tml-label").length > 0) {
			let id = parent.attributes.id.value;
			labelMap[id] = String(i);
			break;
		}
		parent = parent.parentElement;
	}
	let taggedEqns = document.getElementsByClassName("tml-tageqn");
	for (let parent of taggedEqns) if (parent.getElementsByClassName("tml-label").length > 0) {
		let tags = parent.getElementsByClassName("tml-tag");
		if (tags.length > 0) {
			let id = parent.attributes.id.value;
			labelMap[id] = tags[0].textContent;
		}
	}
	[...block.getElementsByClassName("tml-ref")].forEach((ref) => {
		let attr = ref.getAttribute("href"), str = labelMap[attr.slice(1)];
		ref.className.indexOf("tml-eqref") === -1 ? (str = str.replace(/^\(/, ""), str = str.replace(/\)$/, "")) : (str.charAt(0) !== "(" && (str = "(" + str), str.slice(-1) !== ")" && (str += ")"));
		let mtext = document.createElementNS("http://www.w3.org/1998/Math/MathML", "mtext");
		mtext.appendChild(document.createTextNode(str));
		let math = document.createElementNS("http://www.w3.org/1998/Math/MathML", "math");
		math.appendChild(mtext), ref.textContent = "", ref.appendChild(math);
	});
}
var findEndOfMath = function(delimiter, text, startIndex) {
	let index = startIndex, braceLevel = 0, delimLength = delimiter.length;
	for (; index < text.length;) {
		let character = text[index];
		if (braceLevel <= 0 && text.slice(index, index + delimLength) === delimiter) return index;
		character === "\\" ? index++ : character === "{" ? braceLevel++ : character === "}" && braceLevel--, index++;
	}
	return -1;
}, escapeRegex = function(string) {
	return string.replace(/[-/\\^$*+?.()|[\]{}]/g, "\\$&");
}, amsRegex = /^\\(?:begin|(?:eq)?ref){/, splitAtDelimiters = function(text, delimiters) {
	let index, data = [], regexLeft = RegExp("(" + delimiters.map((x) => escapeRegex(x.left)).join("|") + ")");
	for (; index = text.search(regexLeft), index !== -1;) {
		index > 0 && (data.push({
			type: "text",
			data: text.slice(0, index)
		}), text = text.slice(index));
		let i = delimiters.findIndex((delim) => text.startsWith(delim.left));
		if (index = findEndOfMath(delimiters[i].right, text, delimiters[i].left.length), index === -1) break;
		let rawData = text.slice(0, index + delimiters[i].right.length), math = amsRegex.test(rawData) ? rawData : text.slice(delimiters[i].left.length, index);
		data.push({
			type: "math",
			data: math,
			rawData,
			display: delimiters[i].display
		}), text = text.slice(index + delimiters[i].right.length);
	}
	return text !== "" && data.push({
		type: "text",
		data: text
	}), data;
}, defaultDelimiters = [
	{
		left: "$$",
		right: "$$",
		display: !0
	},
	{
		left: "\\(",
		right: "\\)",
		display: !1
	},
	{
		left: "\\begin{equation}",
		right: "\\end{equation}",
		display: !0
	},
	{
		left: "\\begin{equation*}",
		right: "\\end{equation*}",
		display: !0
	},
	{
		left: "\\begin{align}",
		right: "\\end{align}",
		display: !0
	},
	{
		left: "\\begin{align*}",
		right: "\\end{align*}",
		display: !0
	},
	{
		left: "\\begin{alignat}",
		right: "\\end{alignat}",
		display: !0
	},
	{
		left: "\\begin{alignat*}",
		right: "\\end{alignat*}",
		display: !0
	},
	{
		left: "\\begin{gather}",
		right: "\\end{gather}",
		display: !0
	},
	{
		left: "\\begin{gather*}",
		right: "\\end{gather*}",
		display: !0
	},
	{
		left: "\\begin{CD}",
		right: "\\end{CD}",
		display: !0
	},
	{
		left: "\\ref{",
		right: "}",
		display: !1
	},
	{
		left: "\\eqref{",
		right: "}",
		display: !1
	},
	{
		left: "\\[",
		right: "\\]",
		display: !0
	}
], firstDraftDelimiters = {
	$: [
		{
			left: "$$",
			right: "$$",
			display: !0
		},
		{
			left: "$`",
			right: "`$",
			display: !1
		},
		{
			left: "$",
			right: "$",
			display: !1
		}
	],
	"(": [{
		left: "\\[",
		right: "\\]",
		display: !0
	}, {
		left: "\\(",
		right: "\\)",
		display: !1
	}]
}, amsDelimiters = [
	{
		left: "\\begin{equation}",
		right: "\\end{equation}",
		display: !0
	},
	{
		left: "\\begin{equation*}",
		right: "\\end{equation*}",
		display: !0
	},
	{
		left: "\\begin{align}",
		right: "\\end{align}",
		display: !0
	},
	{
		left: "\\begin{align*}",
		right: "\\end{align*}",
		display: !0
	},
	{
		left: "\\begin{alignat}",
		right: "\\end{alignat}",
		display: !0
	},
	{
		left: "\\begin{alignat*}",
		right: "\\end{alignat*}",
		display: !0
	},
	{
		left: "\\begin{gather}",
		right: "\\end{gather}",
		display: !0
	},
	{
		left: "\\begin{gather*}",
		right: "\\end{gather*}",
		display: !0
	},
	{
		left: "\\begin{CD}",
		right: "\\end{CD}",
		display: !0
	},
	{
		left: "\\ref{",
		right: "}",
		display: !1
	},
	{
		left: "\\eqref{",
		right: "}",
		display: !1
	}
], delimitersFromKey = (key) => key === "$" || key === "(" ? firstDraftDelimiters[key] : key === "$+" || key === "(+" ? firstDraftDelimiters[key.slice(0, 1)].concat(amsDelimiters) : key === "ams" ? amsDelimiters : key === "all" ? firstDraftDelimiters["("].concat(firstDraftDelimiters.$).concat(amsDelimiters) : defaultDelimiters, renderMathInText = function(text, optionsCopy) {
	let data = splitAtDelimiters(text, optionsCopy.delimiters);
	if (data.length === 1 && data[0].type === "text") return null;
	let fragment = document.createDocumentFragment();
	for (let i = 0; i < data.length; i++) if (data[i].type === "text") fragment.appendChild(document.createTextNode(data[i].data));
	else {
		let span = document.createElement("span"), math = data[i].data;
		optionsCopy.displayMode = data[i].display;
		try {
			optionsCopy.preProcess && (math = optionsCopy.preProcess(math)), temml.render(math, span, optionsCopy);
		} catch (e) {
			if (!(e instanceof ParseError)) throw e;
			optionsCopy.errorCallback("Temml auto-render: Failed to parse `" + data[i].data + "` with ", e), fragment.appendChild(document.createTextNode(data[i].rawData));
			continue;
		}
		fragment.appendChild(span);
	}
	return fragment;
}, renderElem = function(elem, optionsCopy) {
	for (let i = 0; i < elem.childNodes.length; i++) {
		let childNode = elem.childNodes[i];
		if (childNode.nodeType === 3) {
			let frag = renderMathInText(childNode.textContent, optionsCopy);
			frag && (i += frag.childNodes.length - 1, elem.replaceChild(frag, childNode));
		} else if (childNode.nodeType === 1) {
			let className = " " + childNode.className + " ";
			optionsCopy.ignoredTags.indexOf(childNode.nodeName.toLowerCase()) === -1 && optionsCopy.ignoredClasses.every((x) => className.indexOf(" " + x + " ") === -1) && renderElem(childNode, optionsCopy);
		}
	}
}, renderMathInElement = function(elem, options) {
	if (!elem) throw Error("No element provided to render");
	let optionsCopy = {};
	for (let option in options) Object.prototype.hasOwnProperty.call(options, option) && (optionsCopy[option] = options[option]);
	optionsCopy.delimiters = optionsCopy.fences ? delimitersFromKey(optionsCopy.fences) : optionsCopy.delimiters || defaultDelimiters, optionsCopy.ignoredTags = optionsCopy.ignoredTags || [
		"script",
		"noscript",
		"style",
		"textarea",
		"pre",
		"code",
		"option"
	], optionsCopy.ignoredClasses = optionsCopy.ignoredClasses || [], optionsCopy.errorCallback = optionsCopy.errorCallback || console.error, optionsCopy.macros = optionsCopy.macros || Object.create(null), renderElem(elem, optionsCopy), postProcess(elem);
}, render = function(expression, baseNode, options = {}) {
	baseNode.textContent = "";
	let alreadyInMathElement = baseNode.tagName.toLowerCase() === "math";
	alreadyInMathElement && (options.wrap = "none");
	let math = renderToMathMLTree(expression, options);
	alreadyInMathElement || math.children.length > 1 ? (baseNode.textContent = "", math.children.forEach((e) => {
		baseNode.appendChild(e.toNode());
	})) : baseNode.appendChild(math.toNode());
};
typeof document < "u" && document.compatMode !== "CSS1Compat" && (typeof console < "u" && console.warn("Warning: Temml doesn't work in quirks mode. Make sure your website has a suitable doctype."), render = function() {
	throw new ParseError("Temml doesn't work in quirks mode.");
});
var renderToString = function(expression, options) {
	return renderToMathMLTree(expression, options).toMarkup();
}, generateParseTree = function(expression, options) {
	return parseTree(expression, new Settings(options));
}, definePreamble = function(expression, options) {
	let settings = new Settings(options);
	if (settings.macros = Object.create(null), !(typeof expression == "string" || expression instanceof String)) throw TypeError("Temml can only parse string typed expression");
	let parser = new Parser(expression, settings, !0);
	return delete parser.gullet.macros.current["\\df@tag"], parser.parse();
}, renderError = function(error, expression, options) {
	if (options.throwOnError || !(error instanceof ParseError)) throw error;
	let node = new Span(["temml-error"], [new TextNode$1(expression + "\n\n" + error.toString())]);
	return node.style.color = options.errorColor, node.style.whiteSpace = "pre-line", node;
}, renderToMathMLTree = function(expression, options) {
	let settings = new Settings(options);
	try {
		return buildMathML(parseTree(expression, settings), expression, new Style({
			level: settings.displayMode ? StyleLevel.DISPLAY : StyleLevel.TEXT,
			maxSize: settings.maxSize
		}), settings);
	} catch (error) {
		return renderError(error, expression, settings);
	}
}, temml$1 = {
	version,
	render,
	renderToString,
	renderMathInElement,
	postProcess,
	ParseError,
	definePreamble,
	__parse: generateParseTree,
	__renderToMathMLTree: renderToMathMLTree,
	__defineSymbol: defineSymbol,
	__defineMacro: defineMacro
};
export { temml$1 as default };
