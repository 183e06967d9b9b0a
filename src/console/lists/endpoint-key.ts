const KEY = /^[a-z_]+\.[\w./-]{1,100}$/i

export const isEndpointKey = (text: string): boolean => KEY.test(text)

/** The keys that were typed, as addresses list them, or what is wrong. A slug alone means the one known key that ends with it. */
export function typedKeys(
  text: string,
  known: readonly string[],
): { readonly value: string } | { readonly error: string } {
  const parts = text.split(',').flatMap((part) => part.trim().toLowerCase() || [])
  const named = parts.map((part) => (isEndpointKey(part) ? [part] : known.filter((key) => slugOf(key) === part)))
  const wrong = named.findIndex((keys) => keys.length !== 1)
  if (wrong === -1) return { value: named.flat().join(',') }
  const several = named[wrong] ?? []
  return {
    error:
      several.length > 1
        ? `Type the whole name: ${several.join(' or ')}.`
        : `There is no endpoint "${parts[wrong]}". Type a whole name, such as voice.tts.`,
  }
}

const slugOf = (key: string): string => key.slice(key.indexOf('.') + 1).toLowerCase()
