// src/shell/snippet.ts
var MARKS = /\*\*|__|~~|`+|(?<=^|\s)#{1,6}\s/g, withoutMarks = (text) => text.replace(MARKS, "");
function pieces({ text, ranges }) {
	let characters = [...text], found = [], at = 0, add = (end, isMatch) => {
		let text = withoutMarks(characters.slice(at, end).join(""));
		text && found.push({
			text,
			isMatch
		}), at = Math.max(at, end);
	};
	for (let { start, end } of ranges) add(Math.min(start, characters.length), !1), add(Math.min(end, characters.length), !0);
	return add(characters.length, !1), found;
}
export { pieces, withoutMarks };
