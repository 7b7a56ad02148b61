/** A member of a member of a response, such as `tenant.month`. */
export function memberOf(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined), object);
}
