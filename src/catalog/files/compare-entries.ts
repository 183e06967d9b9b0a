import type { FileEntry } from './write-endpoint.ts'

type Entry = FileEntry['entry']

export interface FieldChange {
  /** Path in the entry, such as `engine.base_url` or `voices.aria.name`. */
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

const RECORDING = '"a recording"'

/** Differences by path; absent equals null. */
export function compareEntries(before: Entry | null, after: Entry): readonly FieldChange[] {
  const [old, made] = [flattened(before ?? {}), flattened(after)]
  const paths = [...new Set([...old.keys(), ...made.keys()])].sort()
  return paths.flatMap((path) => {
    const change = { path, before: old.get(path) ?? null, after: made.get(path) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

function flattened(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (path === 'voices' && Array.isArray(value)) {
    found.set('voices (order)', JSON.stringify(value.map(({ slug }) => slug)))
    for (const { slug, ...voice } of value) flattened(voice, below(slug), found)
  } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, part] of Object.entries(value)) flattened(part, below(name), found)
  } else if (value !== null && value !== undefined) {
    found.set(path, path.endsWith('.reference_audio') ? RECORDING : JSON.stringify(value))
  }
  return found
}
