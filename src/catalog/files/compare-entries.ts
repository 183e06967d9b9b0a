import type { FileEntry } from './write-endpoint.ts'

type Entry = FileEntry['entry']

/** One value of an endpoint that a file changes. */
export interface FieldChange {
  /** Where it stands in the entry: `engine.base_url`, `voices.aria.name`. */
  readonly path: string
  /** As JSON; null where there is none. */
  readonly before: string | null
  readonly after: string | null
}

/** What stands for a recording, whose bytes say nothing in a list of changes. */
const RECORDING = '"a recording"'

/** What differs between an entry as it is and as a file has it, by path; absent and null are the same. */
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
