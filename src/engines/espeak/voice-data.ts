import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The dictionaries of all languages, 23 MB. */
const FILE = '@echogarden/espeak-ng-emscripten/espeak-ng.data'

/** Reads eSpeak's data into memory that threads share: each of them would have a copy of its own. Blocks its thread. */
export function readVoiceData(): SharedArrayBuffer {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(FILE))
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}

/** The data as eSpeak takes it: it asks for an ArrayBuffer by that name, and only reads it. */
export function asPackage(shared: SharedArrayBuffer): ArrayBuffer {
  Object.defineProperty(shared, 'constructor', { value: ArrayBuffer })
  return shared as unknown as ArrayBuffer
}
