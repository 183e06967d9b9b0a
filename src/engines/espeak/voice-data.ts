import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { EspeakModule } from '@echogarden/espeak-ng-emscripten'

/** The dictionaries of all languages, 24 MB in one file. */
const FILE = '@echogarden/espeak-ng-emscripten/espeak-ng.data'

/** The data of eSpeak NG for all threads of a process: each of them would have a copy of its own. */
export interface VoiceData {
  /** Empty, and of no size, before it is read into: a byte's place is its place in the file. */
  readonly memory: SharedArrayBuffer
  /** Open: what replaces it under a running service is another file. */
  readonly file: number
}

export function openVoiceData(): VoiceData {
  const file = openSync(createRequire(import.meta.url).resolve(FILE), 'r')
  return { memory: new SharedArrayBuffer(fstatSync(file).size), file }
}

export const closeVoiceData = ({ file }: VoiceData): void => closeSync(file)

/** The data as eSpeak takes it: it asks for an ArrayBuffer by that name, and only reads it. */
export function asPackage({ memory }: VoiceData): ArrayBuffer {
  Object.defineProperty(memory, 'constructor', { value: ArrayBuffer })
  return memory as unknown as ArrayBuffer
}

/**
 * Reads each of the module's files once it opens it: a voice needs one or two of a hundred dictionaries. Its thread waits for that; another
 * one that opens the same file reads the same bytes to the same place.
 */
export function readWhenOpened({ FS }: EspeakModule, { memory, file }: VoiceData): void {
  const read = new Set<number>()
  const open = FS.open.bind(FS)
  FS.open = (...how) => {
    const stream = open(...how)
    const { contents } = stream.node
    if (contents?.buffer === memory && !read.has(contents.byteOffset)) {
      readInto(contents, file)
      read.add(contents.byteOffset)
    }
    return stream
  }
}

function readInto(contents: Uint8Array, file: number): void {
  for (let done = 0; done < contents.length; ) {
    const count = readSync(file, contents, done, contents.length - done, contents.byteOffset + done)
    if (count === 0) throw new Error('the data of eSpeak NG ends early')
    done += count
  }
}
