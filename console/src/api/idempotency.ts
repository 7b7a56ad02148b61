/** A new idempotency key. `crypto.randomUUID` exists on secure origins only, which a server in a local network may not have. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
}
