const KEY_ID = /^key_[a-z0-9]{26}$/
/** As many keys as `KeyNames` asks for. */
const MOST_NAMES = 100

/** The id of the API key that was typed, by its name or by its id, or what is wrong. Empty: any key. */
export function typedKey(
  text: string,
  names: ReadonlyMap<string, string>,
): { readonly value: string } | { readonly error: string } {
  const typed = text.trim()
  if (typed === '' || KEY_ID.test(typed)) return { value: typed }
  const ids = [...names].flatMap(([id, name]) => (name.toLowerCase() === typed.toLowerCase() ? [id] : []))
  if (ids.length === 1) return { value: ids[0]! }
  return {
    error:
      ids.length > 1
        ? `Type the id of one of them: ${ids.join(' or ')}.`
        : names.size === 0 || names.size >= MOST_NAMES
          ? `No key "${typed}" is among the newest: type its id.`
          : `There is no key "${typed}".`,
  }
}
