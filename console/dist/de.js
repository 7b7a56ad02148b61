import { en } from "./parts.js";
// src/words/de.ts
var de = en;
export { de };
