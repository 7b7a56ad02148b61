// node_modules/highlight.js/es/languages/scala.js
function scala(hljs) {
	let regex = hljs.regex, ANNOTATION = {
		className: "meta",
		begin: "@[A-Za-z]+"
	}, SUBST = {
		className: "subst",
		variants: [{ begin: "\\$[A-Za-z0-9_]+" }, {
			begin: /\$\{/,
			end: /\}/
		}]
	}, STRING = {
		className: "string",
		variants: [
			{
				begin: "\"\"\"",
				end: "\"\"\""
			},
			{
				begin: "\"",
				end: "\"",
				illegal: "\\n",
				contains: [hljs.BACKSLASH_ESCAPE]
			},
			{
				begin: "[a-z]+\"",
				end: "\"",
				illegal: "\\n",
				contains: [hljs.BACKSLASH_ESCAPE, SUBST]
			},
			{
				className: "string",
				begin: "[a-z]+\"\"\"",
				end: "\"\"\"",
				contains: [SUBST],
				relevance: 10
			}
		]
	}, TYPE = {
		className: "type",
		begin: "\\b[A-Z][A-Za-z0-9_]*",
		relevance: 0
	}, NAME = {
		className: "title",
		begin: /[^0-9\n\t "'(),.`{}\[\]:;][^\n\t "'(),.`{}\[\]:;]+|[^0-9\n\t "'(),.`{}\[\]:;=]/,
		relevance: 0
	}, CLASS = {
		className: "class",
		beginKeywords: "class object trait type",
		end: /[:={\[\n;]/,
		excludeEnd: !0,
		contains: [
			hljs.C_LINE_COMMENT_MODE,
			hljs.C_BLOCK_COMMENT_MODE,
			{
				beginKeywords: "extends with",
				relevance: 10
			},
			{
				begin: /\[/,
				end: /\]/,
				excludeBegin: !0,
				excludeEnd: !0,
				relevance: 0,
				contains: [
					TYPE,
					hljs.C_LINE_COMMENT_MODE,
					hljs.C_BLOCK_COMMENT_MODE
				]
			},
			{
				className: "params",
				begin: /\(/,
				end: /\)/,
				excludeBegin: !0,
				excludeEnd: !0,
				relevance: 0,
				contains: [
					TYPE,
					hljs.C_LINE_COMMENT_MODE,
					hljs.C_BLOCK_COMMENT_MODE
				]
			},
			NAME
		]
	}, METHOD = {
		className: "function",
		beginKeywords: "def",
		end: regex.lookahead(/[:={\[(\n;]/),
		contains: [NAME]
	}, EXTENSION = {
		begin: [
			/^\s*/,
			"extension",
			/\s+(?=[[(])/
		],
		beginScope: { 2: "keyword" }
	}, END = {
		begin: [
			/^\s*/,
			/end/,
			/\s+/,
			/(extension\b)?/
		],
		beginScope: {
			2: "keyword",
			4: "keyword"
		}
	}, INLINE_MODES = [{ match: /\.inline\b/ }, {
		begin: /\binline(?=\s)/,
		keywords: "inline"
	}], USING_PARAM_CLAUSE = {
		begin: [
			/\(\s*/,
			/using/,
			/\s+(?!\))/
		],
		beginScope: { 2: "keyword" }
	};
	return {
		name: "Scala",
		keywords: {
			literal: "true false null",
			keyword: "type yield lazy override def with val var sealed abstract private trait object if then forSome for while do throw finally protected extends import final return else break new catch super class case package default try this match continue throws implicit export enum given transparent"
		},
		contains: [
			{
				begin: [
					"//>",
					/\s+/,
					/using/,
					/\s+/,
					/\S+/
				],
				beginScope: {
					1: "comment",
					3: "keyword",
					5: "type"
				},
				end: /$/,
				contains: [{
					className: "string",
					begin: /\S+/
				}]
			},
			hljs.C_LINE_COMMENT_MODE,
			hljs.C_BLOCK_COMMENT_MODE,
			STRING,
			TYPE,
			METHOD,
			CLASS,
			hljs.C_NUMBER_MODE,
			EXTENSION,
			END,
			...INLINE_MODES,
			USING_PARAM_CLAUSE,
			ANNOTATION
		]
	};
}
export { scala as default };
